//! Who notices that a library changed, for code hosts: affected clients as warnings, those that are not decided as notes.
//!
//! A result is known again by the client and the call, not by the line. Format: SARIF 2.1.0.

use formats::artifact::sha256_hex;
use formats::equivalence::{CallStatus, Equivalence};
use miette::IntoDiagnostic;
use serde_json::{Value, json};

use super::clients_listing::{Listing, Told};

/// The report.
pub(super) fn text(listing: &Listing) -> miette::Result<String> {
    let results: Vec<Value> = listing.clients.iter().filter_map(result).collect();
    let rule = |id: &str, text: &str| json!({ "id": id, "shortDescription": { "text": text } });
    let rules = [
        rule("client-affected", "A client notices that its library changed"),
        rule("client-undecided", "Nobody knows whether a client notices that its library changed"),
    ];
    let driver = json!({ "name": "residue", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    let report = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results }],
    });
    Ok(serde_json::to_string_pretty(&report).into_diagnostic()? + "\n")
}

fn result(client: &Told) -> Option<Value> {
    let (rule, level) = match client.verdict {
        Equivalence::Equivalent => return None,
        Equivalence::NotEquivalent => ("client-affected", "warning"),
        Equivalence::Unknown => ("client-undecided", "note"),
    };
    let contexts = client.result.iter().flat_map(|result| &result.contexts);
    let wanted = if client.verdict == Equivalence::Unknown { CallStatus::Unknown } else { CallStatus::Different };
    let call = contexts.clone().find(|context| context.status == wanted);
    let (file, line) = call.map_or((client.path.as_str(), 1), |call| (call.file.as_str(), call.line));
    let print = sha256_hex(format!("{rule} {} {}", client.path, call.map_or("", |call| &call.callee)).as_bytes());
    Some(json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": formats::shown::one_line(&client.summary).to_string() },
        "partialFingerprints": { "call/v1": print },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": file },
            "region": { "startLine": line.max(1) },
        } }],
    }))
}
