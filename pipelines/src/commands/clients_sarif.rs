//! Who notices that a library changed, for code hosts: affected clients as warnings, those that are not decided as notes.
//!
//! A result is known again by the client and the call, not by the line. Format: SARIF 2.1.0.

use formats::artifact::sha256_hex;
use formats::equivalence::{CallStatus, Equivalence};
use serde_json::{Value, json};

use super::clients_listing::{Listing, Told};
use crate::report::sarif::{escape, log};

/// The report.
pub(super) fn text(listing: &Listing) -> miette::Result<String> {
    let results: Vec<Value> = listing.clients.iter().filter_map(result).collect();
    let rules = [
        [
            "client-affected",
            "A client notices that its library changed",
            "There are inputs with which the client does something else with the modified library than with the original.",
            "Look at the call, with the arguments that the message names: adapt the client, or keep what it relies on.",
        ],
        [
            "client-undecided",
            "Nobody knows whether a client notices that its library changed",
            "Neither a proof that the client does the same with both versions nor inputs with which it does not were found.",
            "Give more time with `--budget`, or look at the call that the message names.",
        ],
    ];
    log(&rules, &results, &json!({}))
}

fn result(client: &Told) -> Option<Value> {
    let (rule, level) = match client.verdict {
        Equivalence::Equivalent => return None,
        Equivalence::NotEquivalent => ("client-affected", "warning"),
        Equivalence::Unknown => ("client-undecided", "note"),
    };
    let call = client.result.as_ref().and_then(|result| match client.verdict {
        Equivalence::Unknown => result.contexts.iter().find(|context| context.status == CallStatus::Unknown),
        Equivalence::Equivalent | Equivalence::NotEquivalent => result.telling(),
    });
    let (file, line) = call.map_or((client.path.as_str(), 1), |call| (call.file.as_str(), call.line));
    let print = sha256_hex(format!("{rule} {} {}", client.path, call.map_or("", |call| &call.callee)).as_bytes());
    Some(json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": formats::shown::one_line(&client.summary).to_string() },
        "partialFingerprints": { "call/v1": print },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": escape(file) },
            "region": { "startLine": line.max(1) },
        } }],
    }))
}
