//! What became of assertions, for code hosts: failures as errors, what is not decided as warnings, and assertions that say less
//! or are gone as notes.
//!
//! A result is known again by the function and the text of its clause, not by the line. Format: SARIF 2.1.0.

use formats::Verdict;
use formats::artifact::sha256_hex;
use formats::assertions::{AssertionChange, Evaluation, Relation};
use serde_json::{Value, json};

use super::properties_listing::{Listing, Told};
use crate::report::sarif::{escape, log};

/// The report.
pub(super) fn text(listing: &Listing) -> miette::Result<String> {
    let results: Vec<Value> = listing.units.iter().flat_map(unit).collect();
    let rules = [
        ("assertion-violated", "An assertion fails"),
        ("assertion-undecided", "Nobody knows whether an assertion holds"),
        ("assertion-weaker", "An assertion says less than before"),
        ("assertion-removed", "An assertion is gone"),
    ];
    log(&rules, &results)
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
            results.extend(decided(unit, (&place.function, place.line), (&clause.text, &clause.verdict), behind));
        }
    }
    if let Some(place) = &change.modified {
        results.extend(evaluated(unit, (&place.function, place.line), (&place.text, change.evaluation.as_ref())));
    }
    match (&change.modified, &change.original, change.relation) {
        (Some(now), Some(before), Relation::Weaker) => {
            let message = format!("says less than before: {}, was {}", now.text, before.text);
            results.push(result(unit, ("assertion-weaker", "note"), (&now.function, now.line), (&now.text, message), "updated"));
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
        "message": { "text": formats::shown::one_line(&message).to_string() },
        "baselineState": state,
        "partialFingerprints": { "clause/v1": print },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": escape(&unit.path) },
            "region": { "startLine": line.max(1) },
        } }],
    })
}
