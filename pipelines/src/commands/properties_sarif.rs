//! What became of assertions, for code hosts: failures as errors, what is not decided as warnings, and assertions that say less
//! or are gone as notes.
//!
//! A result is known again by the function and the text of its clause, not by the line. Format: SARIF 2.1.0.

use formats::Verdict;
use formats::artifact::sha256_hex;
use formats::assertions::{AssertionChange, ClauseChange, Evaluation, Fact, Relation};
use formats::shown::one_line;
use formats::verdict::InputValue;
use serde_json::{Value, json};

use super::properties_listing::{Listing, Told};
use crate::report::sarif::{escape, log};
use crate::run::outcome::Skipped;
use crate::run::words::note;

/// The report.
pub(super) fn text(listing: &Listing) -> miette::Result<String> {
    let results: Vec<Value> = listing.units.iter().flat_map(unit).chain(listing.missing.iter().map(missing)).collect();
    let rules = [
        [
            "assertion-violated",
            "An assertion fails",
            "There is an execution of the modified program in which the assertion fails; it was replayed.",
            "Follow the inputs that the message names to the assertion, and repair the program or the assertion.",
        ],
        [
            "assertion-undecided",
            "Nobody knows whether an assertion holds",
            "Neither a proof nor an execution in which the assertion fails was found.",
            "Give more time with `--budget`, or keep what the message names off the paths to the assertion.",
        ],
        [
            "assertion-weaker",
            "An assertion says less than before",
            "The modified assertion holds in states in which the one of the original fails.",
            "Make sure that the states that are allowed now are meant to be; the message has an example.",
        ],
        [
            "assertion-removed",
            "An assertion is gone",
            "The original has an assertion that has no partner in the modified program.",
            "Make sure that what it claimed need not hold any more, or is claimed elsewhere.",
        ],
        [
            "not-checked",
            "A change was not looked at",
            "The file has changed, and nothing is known of its assertions.",
            "Do what the message says, or check the file in another way.",
        ],
    ];
    log(&rules, &results, &json!({ "factsUsed": facts_used(listing) }))
}

/// A file that has changed and was not looked at.
fn missing(skipped: &Skipped) -> Value {
    let message = note(skipped);
    json!({
        "ruleId": "not-checked",
        "level": "warning",
        "message": { "text": one_line(&message) },
        "partialFingerprints": { "clause/v1": sha256_hex(format!("not-checked {message}").as_bytes()) },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": escape(&skipped.path) },
            "region": { "startLine": 1 },
        } }],
    })
}

fn unit(unit: &Told) -> Vec<Value> {
    match &unit.difference {
        Some(difference) => difference.assertions.iter().flat_map(|change| of_change(unit, change)).collect(),
        None => {
            let sites = unit.verdicts.sites.iter();
            let results = sites.flat_map(|site| {
                let place = (site.edge.function.as_str(), site.line);
                let clauses = site.clauses.iter().filter_map(move |one| decided(unit, place, (&one.text, &one.verdict), None));
                clauses.chain(evaluated(unit, place, (&site.text, site.evaluation.as_ref())))
            });
            results.collect()
        }
    }
}

fn of_change(unit: &Told, change: &AssertionChange) -> Vec<Value> {
    let mut results = Vec::new();
    if let Some(place) = &change.modified {
        for clause in &change.clauses {
            let behind = clause.attribution.map(|found| (found.name(), change.relation == Relation::New));
            let mut found = decided(unit, (&place.function, place.line), (&clause.text, &clause.verdict), behind);
            if let Some(result) = &mut found {
                result["relatedLocations"] = related(unit, change, std::slice::from_ref(clause));
                let inputs = clause.counterexample.and_then(|at| unit.difference.as_ref()?.counterexamples.get(at));
                let shown = inputs.map(|one| one.inputs.iter().map(input).collect::<Vec<_>>());
                result["properties"] = json!({ "relation": change.relation, "inputs": shown.unwrap_or_default() });
            }
            results.extend(found);
        }
    }
    if let Some(place) = &change.modified {
        results.extend(evaluated(unit, (&place.function, place.line), (&place.text, change.evaluation.as_ref())));
    }
    match (&change.modified, &change.original, change.relation) {
        (Some(now), Some(before), Relation::Weaker) => {
            let message = format!("says less than before: {}, was {}", now.text, before.text);
            let place = (now.function.as_str(), now.line);
            let mut note = result(unit, ("assertion-weaker", "note"), place, (&now.text, message), "updated");
            note["relatedLocations"] = related(unit, change, &change.clauses);
            results.push(note);
        }
        (None, Some(before), Relation::Removed) => {
            let message = format!("is gone: {}", before.text);
            let place = (before.function.as_str(), before.line);
            results.push(result(unit, ("assertion-removed", "note"), place, (&before.text, message), "absent"));
        }
        _ => {}
    }
    results
}

/// The assertion that was, and what clauses follow from, in the original.
fn related(unit: &Told, change: &AssertionChange, clauses: &[ClauseChange]) -> Value {
    let was = change.original.as_ref().map(|before| (before.line, format!("was {}", before.text)));
    let facts = clauses.iter().flat_map(|clause| {
        let said = |fact: &Fact| (fact.line, format!("{} follows from {}, which holds in the original", clause.text, fact.text));
        clause.facts.iter().map(said)
    });
    let mut all: Vec<Value> = Vec::new();
    for (line, text) in was.into_iter().chain(facts) {
        all.push(json!({
            "id": all.len() + 1,
            "message": { "text": one_line(&text) },
            "physicalLocation": {
                "artifactLocation": { "uri": escape(unit.original.as_deref().unwrap_or(&unit.path)) },
                "region": { "startLine": line.max(1) },
            },
        }));
    }
    json!(all)
}

/// An input of a failure.
fn input(input: &InputValue) -> Value {
    let shown = format!("{} = {}", input.source, input.value);
    json!(one_line(&shown))
}

/// All clauses that follow from others: they hold, and are no results.
fn facts_used(listing: &Listing) -> Value {
    let mut all = Vec::new();
    for unit in &listing.units {
        for change in unit.difference.iter().flat_map(|difference| &difference.assertions) {
            for clause in change.clauses.iter().filter(|clause| !clause.facts.is_empty()) {
                let line = change.modified.as_ref().map(|place| place.line);
                let facts: Vec<Value> =
                    clause.facts.iter().map(|fact| json!({ "line": fact.line, "clause": one_line(&fact.text) })).collect();
                let verdict = one_line(&clause.verdict.to_string()).into_owned();
                let file = one_line(&unit.path);
                all.push(
                    json!({ "file": file, "line": line, "clause": one_line(&clause.text), "verdict": verdict, "facts": facts }),
                );
            }
        }
    }
    json!(all)
}

/// A result about an assertion whose evaluation goes wrong, or nobody knows.
fn evaluated(unit: &Told, place: (&str, u32), (text, evaluation): (&str, Option<&Evaluation>)) -> Option<Value> {
    let said = format!("evaluation of {text}");
    decided(unit, place, (&said, &evaluation?.verdict), None)
}

/// A result about a clause that does not hold, or nobody knows.
fn decided(unit: &Told, place: (&str, u32), (text, verdict): (&str, &Verdict), behind: Option<(&str, bool)>) -> Option<Value> {
    let state = match behind {
        Some((name, _)) if name.starts_with("pre-existing") => "unchanged",
        Some((_, false)) => "updated",
        Some((_, true)) | None => "new",
    };
    let (rule, said) = match verdict {
        Verdict::True => return None,
        Verdict::False(_) => (
            ("assertion-violated", "error"),
            format!("{text} fails{}", behind.map(|(name, _)| format!(": {name}")).unwrap_or_default()),
        ),
        Verdict::Unknown(_) => (("assertion-undecided", "warning"), format!("{text}: {verdict}")),
    };
    Some(result(unit, rule, place, (text, said), state))
}

fn result(
    unit: &Told,
    (rule, level): (&str, &str),
    (function, line): (&str, u32),
    (text, message): (&str, String),
    state: &str,
) -> Value {
    let print = sha256_hex(format!("{rule} {} {function} {text}", unit.path).as_bytes());
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": one_line(&message) },
        "baselineState": state,
        "partialFingerprints": { "clause/v1": print },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": escape(&unit.path) },
            "region": { "startLine": line.max(1) },
        } }],
    })
}
