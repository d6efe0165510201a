//! What is wrong with a witness, as one diagnostic: the file, the place, and what to do.

use console::Input;
use formats::ArtifactError;
use formats::witness::graphml::{self, Finding, Severity};
use formats::witness::yaml::{Positions, SCHEMA, VERSIONS};
use miette::{IntoDiagnostic, LabeledSpan, MietteDiagnostic, NamedSource, Report};
use serde_json::Value;

/// Faults beside the first one that are named.
const NAMED: usize = 5;
/// Lines longer than this are no help to anybody.
const LONGEST_LINE: usize = 200;
/// Longest message of a schema, which may quote the value at fault.
const LONGEST_MESSAGE: usize = 160;

const REPAIR: &str = "let the tool that wrote it write it again, or repair the line";

/// Tells the faults of one witness.
pub(super) struct Faults<'a> {
    name: &'a str,
    text: &'a str,
}

impl<'a> Faults<'a> {
    pub(super) fn new(input: &'a Input) -> Self {
        // Bytes that are no text are refused by the reader.
        let text = std::str::from_utf8(&input.bytes).unwrap_or_default();
        Self { name: &input.name, text: text.strip_prefix('\u{feff}').unwrap_or(text) }
    }

    /// The text of the witness.
    pub(super) const fn text(&self) -> &'a str {
        self.text
    }

    /// Why it cannot be read.
    pub(super) fn unreadable(&self, error: &ArtifactError) -> Report {
        let help = match error {
            ArtifactError::Empty { .. } => {
                "the tool that should have written it probably gave no verdict: look at its output".to_owned()
            }
            ArtifactError::NotText { .. } => "name the witness itself, unpacked".to_owned(),
            ArtifactError::Truncated { .. } => "the file is truncated: write it again".to_owned(),
            ArtifactError::OtherFormat { .. } | ArtifactError::NewerVersion { .. } => {
                format!("witnesses in GraphML 1.0 and YAML {} are read: let the tool write one of these", VERSIONS.join(" and "))
            }
            ArtifactError::Malformed { message, .. } => self.help(&self.others(message)),
            // The enum may grow.
            ArtifactError::Inconsistent { .. }
            | ArtifactError::HashMismatch { .. }
            | ArtifactError::FingerprintMismatch { .. }
            | _ => REPAIR.to_owned(),
        };
        let place = if let ArtifactError::Malformed { line, column, .. } = error { Some((*line, *column)) } else { None };
        self.report(error.to_string(), help, place)
    }

    /// Deviations that are faults because of `--strict`.
    pub(super) fn deviating(&self, deviations: &[Finding]) -> Report {
        let Some((first, others)) = deviations.split_first() else { return self.report(String::new(), String::new(), None) };
        let message = format!("{}:{}: {}", self.name, first.line, first.message);
        self.report(message, self.help(others), Some((first.line as usize, 1)))
    }

    /// Something that a line of the witness says.
    pub(super) fn at_line(&self, line: u32, message: &str, help: String) -> Report {
        self.report(format!("{}:{line}: {message}", self.name), help, Some((line as usize, 1)))
    }

    /// Something about the witness as a whole.
    pub(super) fn whole(&self, message: &str, help: String) -> Report {
        self.report(format!("{}: {message}", self.name), help, None)
    }

    /// The faults of an automaton beside the one that is told.
    fn others(&self, told: &str) -> Vec<Finding> {
        let mut all = graphml::findings(self.text, self.name).unwrap_or_default();
        all.retain(|finding| finding.severity == Severity::Fault);
        if let Some(first) = all.iter().position(|finding| finding.message == told) {
            all.remove(first);
        }
        all
    }

    fn help(&self, others: &[Finding]) -> String {
        let mut help = REPAIR.to_owned();
        if !others.is_empty() {
            help.push_str("; also at fault:");
        }
        for other in others.iter().take(NAMED) {
            help.push_str(&format!("\nline {}: {}", other.line, other.message));
        }
        if let Some(more @ 1..) = others.len().checked_sub(NAMED) {
            help.push_str(&format!("\nand {more} more"));
        }
        help
    }

    fn report(&self, message: String, help: String, place: Option<(usize, usize)>) -> Report {
        let diagnostic = MietteDiagnostic::new(message).with_help(help);
        match place.and_then(|(line, column)| self.label(line, column)) {
            Some(label) => {
                let source = NamedSource::new(self.name, self.text.to_owned());
                Report::from(diagnostic.with_label(label)).with_source_code(source)
            }
            None => Report::from(diagnostic),
        }
    }

    /// The line from a column on, if the lines around it can be shown.
    fn label(&self, line: usize, column: usize) -> Option<LabeledSpan> {
        let mut offset = 0;
        for (number, text) in (1..).zip(self.text.split_inclusive('\n')).take_while(|(number, _)| *number <= line + 1) {
            if number + 1 >= line && text.len() > LONGEST_LINE {
                return None;
            }
            if number < line {
                offset += text.len();
            }
        }
        let text = self.text.get(offset..)?.lines().next()?;
        let indent = text.len() - text.trim_start().len();
        let start = text.char_indices().nth(column.saturating_sub(1)).map_or(0, |(at, _)| at).max(indent);
        Some(LabeledSpan::underline(offset + start..offset + text.trim_end().len().max(start)))
    }
}

/// What breaks the schema of a witness in YAML that can be read all the same.
pub(super) fn against_the_schema(text: &str) -> miette::Result<Vec<Finding>> {
    let schema: Value = serde_json::from_str(SCHEMA).into_diagnostic()?;
    let validator = jsonschema::validator_for(&schema).into_diagnostic()?;
    let value: Value = serde_saphyr::from_str(text).into_diagnostic()?;
    let positions = Positions::of(text);
    let mut found: Vec<Finding> = validator
        .iter_errors(&value)
        .map(|error| {
            let pointer = error.instance_path().as_str();
            let (line, _) = positions.place(pointer);
            let message = format!("{}: {}", pointer.trim_start_matches('/'), shortened(&error.to_string(), LONGEST_MESSAGE));
            Finding { line: u32::try_from(line).unwrap_or(u32::MAX), severity: Severity::Deviation, message }
        })
        .collect();
    found.sort_by_key(|finding| finding.line);
    Ok(found)
}

/// The beginning of a text, on one line.
pub(super) fn shortened(text: &str, longest: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= longest {
        return text;
    }
    text.chars().take(longest.saturating_sub(1)).chain(['…']).collect()
}
