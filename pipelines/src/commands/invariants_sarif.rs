//! Facts that were broken, for code hosts: at the line that broke them.
//!
//! A fact that still fails and was broken by the last version is new, one that was broken before is unchanged, one that holds
//! again is absent. A result is known again by its file, point and fact, not by a line. Format: SARIF 2.1.0.

use formats::artifact::sha256_hex;
use formats::invariant_table::ChurnKind;
use formats::shown::one_line;
use serde_json::{Value, json};

use super::invariants_listing::{Change, Listing, Told, on_one_line};
use crate::report::sarif::{escape, log};

/// Inputs of a message.
const MOST_INPUTS: usize = 6;

/// The report.
pub(super) fn text(listing: &Listing) -> miette::Result<String> {
    let results: Vec<Value> =
        listing.units.iter().flat_map(|told| told.changes.iter().filter_map(|one| result(told, one))).collect();
    let rules = [[
        "invariant-broken",
        "A fact held and fails",
        "A fact that was proved of an earlier version fails in a later one; the execution in which it does was replayed.",
        "Look at the line that broke it, with the inputs that the message names.",
    ]];
    log(&rules, &results, &json!({}))
}

fn result(told: &Told, change: &Change) -> Option<Value> {
    if change.kind != ChurnKind::Broken {
        return None;
    }
    let row = &told.rows[change.row];
    let later = |version: usize| row.letters.chars().nth(version);
    let is_failing = (change.to..told.versions.len()).filter_map(later).all(|letter| letter == 'F' || letter == '?');
    let is_last = told.versions.iter().rposition(|version| version.unreadable.is_none()) == Some(change.to);
    let (level, state) = match (is_failing, is_last) {
        (true, true) => ("error", "new"),
        (true, false) => ("error", "unchanged"),
        (false, _) => ("note", "absent"),
    };
    let version = &told.versions[change.to];
    let path = version.path.as_ref().unwrap_or(if version.commit.is_none() { &version.name } else { &told.path });
    let added = change.blame.iter().flat_map(|blame| &blame.added).next();
    // Of several files the lines of a point do not say which one it is in.
    let passed = change.blame.iter().filter(|_| version.path.is_none()).flat_map(|blame| &blame.shared).last();
    let (file, line) = match added.or(passed) {
        Some(line) => (&line.file, line.line),
        None => (path, change.lines.first().copied().unwrap_or(1)),
    };
    let with = on_one_line(change.inputs.as_deref().unwrap_or_default(), MOST_INPUTS);
    let with = if with.is_empty() { String::new() } else { format!(" with {with}") };
    let message = format!("{} at {} held and fails{with}; since {}", row.expression, row.point, version.name);
    let print = sha256_hex(format!("{} {} {}", told.path, row.point, row.expression).as_bytes());
    let mut result = json!({
        "ruleId": "invariant-broken",
        "level": level,
        "message": { "text": one_line(&message).to_string() },
        "baselineState": state,
        "partialFingerprints": { "fact/v1": print },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": escape(file) },
            "region": { "startLine": line.max(1) },
        } }],
    });
    if let Some(commit) = &version.commit {
        result["properties"] = json!({ "commit": commit });
    }
    Some(result)
}
