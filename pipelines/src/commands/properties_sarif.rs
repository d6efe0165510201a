//! What became of assertions, for code hosts: failures as errors, what is not decided as warnings, and assertions that say less
//! or are gone as notes.
//!
//! A result is known again by the function and the text of its clause, not by the line. Format: SARIF 2.1.0.

use formats::Verdict;
use formats::artifact::sha256_hex;
use formats::assertions::{AssertionChange, Relation};
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
            let clauses = sites.flat_map(|site| site.clauses.iter().map(move |clause| (site, clause)));
            let result = |(site, clause): (&formats::assertions::SiteVerdict, &formats::assertions::ClauseVerdict)| {
                decided(unit, (&site.edge.function, site.line), (&clause.text, &clause.verdict), None)
            };
            clauses.filter_map(result).collect()
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
