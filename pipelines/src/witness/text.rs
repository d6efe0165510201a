//! A witness for people: what it says about itself, then its steps or invariants, one per line.

use std::fmt::Write as _;

use formats::shown::one_line;
use formats::witness::{Action, Invariant, InvariantKind, Metadata, Place, Step, Witness};

use super::Checked;
use super::faults::shortened;
use super::program::is_in_program;

/// Longest text of the program or specification that is quoted.
const LONGEST: usize = 100;
/// What is wider than this is not aligned with the others.
const WIDEST: usize = 36;
/// What is not told.
const UNKNOWN: &str = "not told";

/// One line of the list.
struct Row {
    place: String,
    what: String,
    text: String,
}

pub(super) fn text(checked: &Checked) -> String {
    let reading = &checked.reading;
    let (kind, rows, noun) = match &reading.witness {
        Witness::Violation(witness) => {
            ("violation", witness.steps.iter().map(|step| step_row(checked, step)).collect(), ("step", "steps"))
        }
        Witness::Correctness(witness) => {
            let rows: Vec<Row> = witness.invariants.iter().map(|invariant| invariant_row(checked, invariant)).collect();
            ("correctness", rows, ("invariant", "invariants"))
        }
    };
    // What was compared with a program and does not fit has been refused.
    let valid = if checked.deviations.is_empty() { "valid" } else { "readable, but not quite valid," };
    let mut text = format!("{valid} {kind} witness in {} {}\n", reading.format.name(), one_line(&reading.version));
    for (name, value) in header(checked, reading.witness.metadata()) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<14} {}", one_line(&value));
    }
    let _ = writeln!(
        text,
        "{} {}{}",
        rows.len(),
        if rows.len() == 1 { noun.0 } else { noun.1 },
        if rows.is_empty() { "" } else { ":" }
    );
    text.push_str(&table(&rows));
    text
}

fn header(checked: &Checked, metadata: &Metadata) -> Vec<(&'static str, String)> {
    let told = |text: &str| if text.is_empty() { UNKNOWN.to_owned() } else { text.to_owned() };
    let mut lines = vec![
        ("producer", told(format!("{} {}", metadata.producer, metadata.producer_version).trim())),
        ("specification", specification(&metadata.specification)),
        ("data model", metadata.data_model.map_or_else(|| UNKNOWN.to_owned(), |model| model.to_string())),
        ("program", told(&metadata.program)),
        ("hash", told(&metadata.program_hash)),
    ];
    if let Some(program) = &checked.program {
        let mut parts: Vec<String> = program.algorithm.iter().map(|algorithm| format!("{algorithm} agrees")).collect();
        let all = program.places + program.elsewhere;
        if all > 0 {
            parts.push(format!("{} of {all} places exist", program.places));
        }
        lines.push(("compared with", format!("{}: {}", program.file, parts.join(", "))));
    }
    lines.extend(metadata.creation_time.iter().map(|time| ("written", time.clone())));
    lines.extend(metadata.description.iter().map(|text| ("description", shortened(text, 4 * LONGEST))));
    lines
}

/// The property; some tools write a whole automaton with comments into its place.
fn specification(text: &str) -> String {
    let check = text.find("CHECK(").map(|start| text.get(start..).unwrap_or_default());
    if let Some(line) = check.and_then(|check| check.lines().next()) {
        return shortened(line, LONGEST);
    }
    let said: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    shortened(&said.join(" "), LONGEST)
}

fn step_row(checked: &Checked, step: &Step) -> Row {
    let mut parts = Vec::new();
    parts.extend(step.branch.map(|direction| format!("branch {direction}")));
    parts.extend(step.label.iter().map(|label| format!("case {label}")));
    parts.extend(step.enters.iter().map(|function| format!("enters {function}")));
    parts.extend(step.enters_callee.then(|| "enters the function".to_owned()));
    parts.extend(step.returns_from.iter().map(|function| format!("returns from {function}")));
    parts.extend(step.assumption.iter().map(|assumption| match &step.result_function {
        Some(function) => shortened(&assumption.replace("\\result", &format!("{function}()")), usize::MAX),
        None => shortened(assumption, usize::MAX),
    }));
    parts.extend(step.is_violation.then(|| "violation".to_owned()));
    let what = match step.action {
        Action::Follow => parts.join(", "),
        Action::Avoid => format!("avoids {}", parts.join(", ")),
    };
    let quoted = if step.text.is_empty() { program_line(checked, &step.place) } else { Some(step.text.as_str()) };
    Row { place: place(checked, &step.place), what, text: shortened(quoted.unwrap_or_default(), LONGEST) }
}

fn invariant_row(checked: &Checked, invariant: &Invariant) -> Row {
    let kind = match invariant.kind {
        InvariantKind::Loop => "loop",
        InvariantKind::Location => "location",
    };
    let function = invariant.place.function.as_ref().map_or_else(String::new, |function| format!(" in {function}"));
    Row {
        place: place(checked, &invariant.place),
        what: format!("{kind}{function}"),
        text: shortened(&invariant.expression, usize::MAX),
    }
}

fn program_line<'a>(checked: &'a Checked, place: &Place) -> Option<&'a str> {
    checked.program.as_ref()?.line(checked.reading.witness.metadata(), place)
}

fn place(checked: &Checked, place: &Place) -> String {
    let file = place.file.as_ref().filter(|_| !is_in_program(checked.reading.witness.metadata(), place));
    let file = file.map_or_else(String::new, |file| format!("{file}:"));
    match (place.line, place.column) {
        (0, _) => format!("{file}-"),
        (line, Some(column)) => format!("{file}{line}:{column}"),
        (line, None) => format!("{file}{line}"),
    }
}

fn table(rows: &[Row]) -> String {
    let width = |part: fn(&Row) -> &str| {
        rows.iter().map(|row| part(row).chars().count()).filter(|&count| count <= WIDEST).max().unwrap_or(0)
    };
    let (place, what) = (width(|row| &row.place), width(|row| &row.what));
    let number = rows.len().to_string().len().max(3);
    let mut text = String::new();
    for (row, count) in rows.iter().zip(1_usize..) {
        let line = format!("{count:>number$}  {:<place$}  {:<what$}  {}", row.place, row.what, row.text);
        text.push_str(&one_line(line.trim_end()));
        text.push('\n');
    }
    text
}
