//! Findings for code hosts and editors: SARIF 2.1.0.
//!
//! A violation is one result. Code hosts show a result only on lines that the change touches, but a regression usually
//! fails at an unchanged assertion; so the primary location is the last changed statement that was executed before the
//! violation, and the assertion is a related location. A unit without a verdict is a note and a notification. A proof is
//! no finding: the list of results is empty then.
//! Invariant: fingerprints depend on names and statements, never on line numbers.
//! Does not know how a violation was found.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use formats::report::{LineRange, Path as Execution, Place, Report, Step, Unit};
use formats::{sha256_hex, shown};
use miette::IntoDiagnostic;
use serde_json::{Map, Value, json};

use super::rules;

/// The folder that relative addresses start from, in the spelling that code hosts know.
const BASE: &str = "%SRCROOT%";

/// The report as SARIF; paths are made relative to `folder`.
pub(crate) fn render(report: &Report, folder: &Path) -> String {
    let undecided = report.units.iter().filter(|unit| unit.class == "undecided");
    let notifications: Vec<Value> = undecided
        .map(|unit| {
            json!({
                "level": "note",
                "message": {"text": format!("{} ({}): {}", unit.modified.path, unit.options.entry, unit.verdict)},
                "associatedRule": rules::of_unit(report, unit).map(|(id, index, _)| json!({"id": id, "index": index})),
                "locations": [{"physicalLocation": {"artifactLocation": artifact(&unit.modified.path, folder)}}],
            })
        })
        .collect();
    let is_revision = report.units.iter().any(|unit| unit.modified.revision.is_some());
    let base = if is_revision { "the root of the repository" } else { "the folder the check was started in" };
    let results: Vec<Value> = report.units.iter().filter_map(|unit| result(report, unit, folder)).collect();
    let mut log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": report.producer.tool,
                "version": report.producer.version,
                "informationUri": rules::INFORMATION,
                "rules": rules::of_report(report),
            }},
            // Columns count characters.
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {BASE: {"description": {"text": base}}},
            "invocations": [{"executionSuccessful": report.failures.is_empty(), "toolExecutionNotifications": notifications}],
            "results": results,
        }],
    });
    escape_texts(&mut log);
    format!("{log}\n")
}

/// Escapes what people read; addresses are escaped in their own way.
fn escape_texts(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(escaped) = shown::lines(text) {
                *text = escaped;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(escape_texts),
        Value::Object(fields) => fields.values_mut().for_each(escape_texts),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn result(report: &Report, unit: &Unit, folder: &Path) -> Option<Value> {
    let (rule, index, level) = rules::of_unit(report, unit)?;
    let mut result = json!({
        "ruleId": rule,
        "ruleIndex": index,
        "level": level,
        "baselineState": if unit.class == "violation-in-both" { "unchanged" } else { "new" },
        "properties": {"entry": unit.options.entry, "verdict": unit.verdict, "detector": unit.detector, "verifier": unit.verifier},
    });
    let fields = result.as_object_mut()?;
    match &unit.counterexample {
        Some(execution) => violation(unit, execution, folder, fields),
        None => without_execution(unit, folder, fields),
    }
    Some(result)
}

/// Fills in a violation with the execution that leads to it.
fn violation(unit: &Unit, execution: &Execution, folder: &Path, fields: &mut Map<String, Value>) {
    let primary = execution.change.as_ref().unwrap_or(&execution.violation);
    let statement = |place: &Place| {
        let on_line = |step: &&Step| step.place.file == place.file && step.place.line == place.line;
        let mut steps = execution.steps.iter().rev();
        let step = steps.clone().find(|step| step.place == *place).or_else(|| steps.find(on_line));
        step.map(|step| step.text.clone()).unwrap_or_default()
    };
    let violated = statement(&execution.violation);
    let parts = [
        unit.class.as_str(),
        &address(&unit.modified.path, folder).0,
        &unit.options.entry,
        &execution.violation.function,
        &violated,
        &primary.function,
        &execution.used.as_ref().map_or_else(|| statement(primary), |used| used.name.clone()),
    ];
    fields.insert("message".to_owned(), json!({"text": message(unit, execution)}));
    fields.insert("locations".to_owned(), json!([location(primary, None, folder)]));
    let related = format!("the property is violated here: {violated}");
    let mut others = vec![with_id(location(&execution.violation, Some(related), folder), 1)];
    if let Some(used) = &execution.used {
        let text = format!("{} is used here: {}", used.name, statement(&used.at));
        others.push(with_id(location(&used.at, Some(text), folder), 2));
    }
    fields.insert("relatedLocations".to_owned(), json!(others));
    fields.insert("partialFingerprints".to_owned(), fingerprint(&parts));
    let essential = execution.used.as_ref().map_or(primary, |used| &used.at);
    let steps: Vec<Value> =
        (1..).zip(&execution.steps).map(|(number, step)| flow_location(number, step, essential, folder)).collect();
    if !steps.is_empty() {
        let mut flow = json!({"threadFlows": [{"locations": steps}]});
        if execution.omitted > 0 {
            flow["message"] =
                json!({"text": format!("{} steps are left out behind step {}", execution.omitted, execution.resumes_at)});
        }
        fields.insert("codeFlows".to_owned(), json!([flow]));
    }
}

/// What the violation is, and why it is shown where it is.
fn message(unit: &Unit, execution: &Execution) -> String {
    let Execution { violation, change, used, unattributed, .. } = execution;
    let (about, way) = (&unit.about, format!("on the way to {}:{}", violation.file, violation.line));
    match (change, used, unattributed) {
        (_, Some(used), _) => {
            let name = &used.name;
            format!(
                "{about}; what {name} stands for is changed here, and its last use {way} is at {}:{}",
                used.at.file, used.at.line
            )
        }
        (_, None, Some(why)) => format!("{about}; the last statement {way} that the change concerns is this one, but {why}"),
        (Some(change), None, None) if change != violation => format!("{about}; the last changed statement {way} is this one"),
        (Some(_), None, None) => about.clone(),
        (None, None, None) => format!("{about}; no changed statement is executed {way}"),
    }
}

/// Fills in a finding that only concerns the unit: at its first changed line.
fn without_execution(unit: &Unit, folder: &Path, fields: &mut Map<String, Value>) {
    let first = |ranges: &[LineRange]| ranges.first().map(|range| range.0);
    let header = || unit.headers.iter().find_map(|header| Some((header.file.as_str(), first(&header.changed)?)));
    let own = (unit.modified.path.as_str(), 1);
    let (file, line) = first(&unit.changed).map(|line| (own.0, line)).or_else(header).unwrap_or(own);
    let text = if unit.class == "undecided" { unit.verdict.clone() } else { unit.about.clone() };
    fields.insert("message".to_owned(), json!({"text": format!("{text} (entry function {})", unit.options.entry)}));
    let place = json!({"artifactLocation": artifact(file, folder), "region": {"startLine": line}});
    fields.insert("locations".to_owned(), json!([{"physicalLocation": place}]));
    // The reason may name a line: without its digits the fingerprint stays when the line moves.
    let stable: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    let address = address(&unit.modified.path, folder).0;
    fields.insert("partialFingerprints".to_owned(), fingerprint(&[&unit.class, &address, &unit.options.entry, &stable]));
}

fn fingerprint(parts: &[&str]) -> Value {
    json!({"residue/v1": sha256_hex(parts.join("\0").as_bytes())})
}

fn flow_location(number: usize, step: &Step, primary: &Place, folder: &Path) -> Value {
    let importance = if step.place == *primary {
        "essential"
    } else if step.changed {
        "important"
    } else {
        "unimportant"
    };
    let mut value = json!({
        "location": location(&step.place, Some(step.text.clone()), folder),
        "executionOrder": number,
        "nestingLevel": step.depth.saturating_sub(1),
        "importance": importance,
    });
    if !step.values.is_empty() {
        let state: Map<String, Value> = step.values.iter().map(|v| (v.name.clone(), json!({"text": v.value}))).collect();
        value["state"] = Value::Object(state);
    }
    value
}

fn location(place: &Place, message: Option<String>, folder: &Path) -> Value {
    let mut value = json!({
        "physicalLocation": {"artifactLocation": artifact(&place.file, folder), "region": region(place)},
    });
    if !place.function.is_empty() {
        value["logicalLocations"] = json!([{"name": place.function, "kind": "function"}]);
    }
    if let Some(text) = message.filter(|text| !text.is_empty()) {
        value["message"] = json!({"text": text});
    }
    value
}

/// Where a place begins; nobody knows where it ends.
fn region(place: &Place) -> Value {
    json!({"startLine": place.line.max(1), "startColumn": place.column.max(1)})
}

fn with_id(mut location: Value, id: u32) -> Value {
    location["id"] = json!(id);
    location
}

fn artifact(path: &str, folder: &Path) -> Value {
    let (uri, is_relative) = address(path, folder);
    if is_relative { json!({"uri": uri, "uriBaseId": BASE}) } else { json!({"uri": uri}) }
}

/// The address of a file: relative to `folder` if it is inside.
fn address(path: &str, folder: &Path) -> (String, bool) {
    let mut clean = PathBuf::new();
    for component in folder.join(path).components() {
        match component {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => clean.push(component),
        }
    }
    match clean.strip_prefix(folder) {
        Ok(inside) => (escape(&inside.to_string_lossy()), true),
        Err(_) => (format!("file://{}", escape(&clean.to_string_lossy())), false),
    }
}

/// A rule of a log of what is no change check: its name, and what it says in a sentence, in full, and what to do.
pub(crate) type Rule = [&'static str; 4];

/// A log of what is no change check: its rules, its results, and what else is known of the run.
///
/// # Errors
/// If a value cannot be written as JSON.
pub(crate) fn log(rules: &[Rule], results: &[Value], properties: &Value) -> miette::Result<String> {
    let rule = |[id, short, full, help]: &Rule| {
        json!({
            "id": id,
            "shortDescription": { "text": short },
            "fullDescription": { "text": full },
            "help": { "text": help },
            "helpUri": rules::INFORMATION,
        })
    };
    let rules: Vec<Value> = rules.iter().map(rule).collect();
    let driver =
        json!({ "name": "residue", "version": env!("CARGO_PKG_VERSION"), "informationUri": rules::INFORMATION, "rules": rules });
    let report = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results, "properties": properties }],
    });
    Ok(serde_json::to_string_pretty(&report).into_diagnostic()? + "\n")
}

/// A path as part of an address (RFC 3986).
pub(crate) fn escape(path: &str) -> String {
    path.bytes().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_relative_where_they_can_be() {
        let address = |path: &str| address(path, Path::new("/home/x/repo"));
        assert_eq!(address("src/a b.c"), ("src/a%20b.c".to_owned(), true));
        assert_eq!(address("./src/../a.c"), ("a.c".to_owned(), true));
        assert_eq!(address("/home/x/repo/src/a.c"), ("src/a.c".to_owned(), true));
        assert_eq!(address("../other/a.c"), ("file:///home/x/other/a.c".to_owned(), false));
        assert_eq!(address("/usr/include/a#b.h"), ("file:///usr/include/a%23b.h".to_owned(), false));
    }
}
