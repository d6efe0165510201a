//! Reports: everything a program may want to know about a run of the driver, one unit per file and entry function.
//!
//! Lines are those of the files people edit; [`Unit::lines`] says which of them the check could leave out. Ranges of lines
//! are closed and ascending. `formats/schemas/report.schema.json` describes what is written.
//! Invariant: no line of a file has two marks.
//! Does not know how lines are marked, nor how a report looks.

use crate::artifact::{Inconsistency, read_json};
use crate::{ArtifactError, Producer, ProgramOptions, Validation};
use serde::{Deserialize, Serialize};
use std::io;

/// The name of the format in the `format` field and in messages.
pub const FORMAT: &str = "residue-report";
/// The newest format version.
pub const VERSION: u64 = 1;

/// What a run of the driver found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`] when it was written.
    pub version: u64,
    /// The driver.
    pub producer: Producer,
    /// The worst verdict of all units, as its line of text.
    pub verdict: String,
    /// The worst class of all units.
    pub class: String,
    /// The units, in the order in which they were asked for.
    pub units: Vec<Unit>,
    /// Units that could not be checked: their input cannot be used, or a stage failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Remark>,
    /// What was not checked, and why that is right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<Remark>,
}

/// Something about a file, or a function of it, that is no unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// The path of the program.
    pub path: String,
    /// The entry function; absent if the whole file is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// What there is to say.
    pub text: String,
}

/// What was found for one file and one entry function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// The program before the change; absent if there is none.
    pub original: Option<Source>,
    /// The program after the change.
    pub modified: Source,
    /// How the programs were read.
    pub options: ProgramOptions,
    /// The verdict as its line of text.
    pub verdict: String,
    /// What kind of result it is: `no-regression`, `vacuous`, `undecided`, `violation-in-both`, `not-compared`, `regression`.
    pub class: String,
    /// What the verdict is about.
    pub about: String,
    /// How differences were detected.
    pub detector: String,
    /// Whether the verifier followed the condition (`native`) or got the residual program (`reduce`).
    pub via: String,
    /// Who verified.
    pub verifier: String,
    /// What the verdict takes for granted.
    pub assumptions: Vec<String>,
    /// Constructs and events because of which more was checked than necessary.
    pub degraded: Vec<String>,
    /// Stages in the order in which they ran.
    pub stages: Vec<Stage>,
    /// Which lines of the modified program are covered, and which were checked again.
    pub lines: Vec<FileLines>,
    /// Lines of the modified file that the change added or rewrote.
    pub changed: Vec<LineRange>,
    /// Lines of the original file that the change removed or rewrote.
    pub removed: Vec<LineRange>,
    /// Included files that the change touches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<FileChange>,
    /// Why paths had to be checked again.
    pub causes: Vec<Cause>,
    /// Sizes of the difference graph; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference_graph: Option<GraphSize>,
    /// Sizes of the condition; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<GraphSize>,
    /// Whether what the condition leaves out may be left out, if that was to be checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation: Option<Validation>,
    /// For FALSE: how the violation comes about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Path>,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Its path as the user knows it.
    pub path: String,
    /// SHA-256 of the file's bytes, in lower-case hexadecimal digits.
    pub sha256: String,
    /// The git revision it is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

/// CPU time of one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// The tool.
    pub name: String,
    /// CPU seconds.
    pub cpu_seconds: f64,
}

/// Lines from `0` to `1`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LineRange(pub u32, pub u32);

/// What a check does with a line of the modified program; ordered by what wins where a line holds several statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// Every path that passes the line is covered when it does: nothing on it was checked again.
    Covered,
    /// Some path that must be checked again passes the line.
    Recheck,
    /// Alignment of the two programs ended here: what follows has to be checked again because of it.
    Cause,
}

/// The marks of one file; a line without a mark carries no statement that a path can reach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLines {
    /// The file.
    pub file: String,
    /// Lines marked [`Mark::Covered`].
    pub covered: Vec<LineRange>,
    /// Lines marked [`Mark::Recheck`].
    pub recheck: Vec<LineRange>,
    /// Lines marked [`Mark::Cause`].
    pub cause: Vec<LineRange>,
}

/// What a change does to an included file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// The file.
    pub file: String,
    /// Its name before the change; absent if it is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    /// Lines that the change added or rewrote.
    pub changed: Vec<LineRange>,
    /// Lines of the original file that the change removed or rewrote.
    pub removed: Vec<LineRange>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The function.
    pub function: String,
}

/// Why paths had to be checked again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// Where alignment ended; absent if no statement is to blame.
    pub place: Option<Place>,
    /// The operation there.
    pub text: String,
    /// The rule that failed.
    pub rule: String,
    /// What happened, for people.
    pub detail: String,
    /// The changes behind it, where they are known; the one with the shortest way first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<CauseChange>,
}

/// A change, and how its effect came to the place where alignment ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseChange {
    /// What kind of change it is: a word of explanations, e.g. `modified` or `deleted`.
    pub kind: String,
    /// Where the change is.
    pub at: ChainPlace,
    /// What carried the effect on, in order.
    pub links: Vec<ChainLink>,
}

/// A place of one of the two programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainPlace {
    /// The place is in the original program, not in the modified one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub original: bool,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The text there.
    pub text: String,
}

/// What passes the effect of a change on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainLink {
    /// `affects`, `carries`, `decides` or `alone`, as in explanations.
    pub kind: String,
    /// What is affected from here on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// What was affected before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Where it happens.
    pub at: ChainPlace,
}

/// Sizes of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphSize {
    /// Nodes or states.
    pub nodes: usize,
    /// Edges.
    pub edges: usize,
    /// Nodes where alignment ended.
    pub indicators: usize,
    /// Nodes behind which every path is covered.
    pub accepting: usize,
}

/// One execution of the modified program that violates the property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Path {
    /// Where the property is violated.
    pub violation: Place,
    /// The changed line behind the last statement before the violation that the change concerns: that of the statement, or
    /// of the definition it uses, which is outside of the function then. Absent if no such statement was executed.
    pub change: Option<Place>,
    /// The statement, if `change` is where something is defined that it uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Use>,
    /// Why `change` is the statement although its line is not changed: no changed line can be named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unattributed: Option<String>,
    /// The inputs, in the order in which they are read.
    pub inputs: Vec<Input>,
    /// The statements that were executed, in order; from a long execution only the first and the last ones.
    pub steps: Vec<Step>,
    /// How many steps are left out.
    pub omitted: usize,
    /// Index of the first step behind the omitted ones.
    pub resumes_at: usize,
}

/// A use of what the change defines otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// The macro, enumerator or variable.
    pub name: String,
    /// The statement that uses it.
    pub at: Place,
}

/// A value that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The input function, or the name of an object that starts with any value.
    pub source: String,
    /// The value as a C constant.
    pub value: String,
}

/// One statement of an execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Where.
    pub place: Place,
    /// How many functions have been entered and not left.
    pub depth: usize,
    /// What is done.
    pub text: String,
    /// Values of the variables the statement mentions, behind it.
    pub values: Vec<Value>,
    /// Whether the change added or rewrote the line, or the definition of something it uses.
    pub changed: bool,
}

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// The variable.
    pub name: String,
    /// Its value as a C constant.
    pub value: String,
}

impl Report {
    /// Reads a report; `file` is its name in messages.
    ///
    /// # Errors
    /// [`ArtifactError`] if the bytes are no consistent report of a known version.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        let report: Self = read_json(bytes, file, FORMAT, VERSION)?;
        for (index, unit) in report.units.iter().enumerate() {
            let lists = unit.lines.iter().flat_map(|lines| [&lines.covered, &lines.recheck, &lines.cause]);
            let headers = unit.headers.iter().flat_map(|header| [&header.changed, &header.removed]);
            for ranges in lists.chain(headers).chain([&unit.changed, &unit.removed]) {
                if !LineRange::are_ascending(ranges) {
                    let place = format!("units[{index}]");
                    return Err(Inconsistency::new(place, "ranges of lines are not ascending").in_file(file, FORMAT));
                }
            }
        }
        Ok(report)
    }

    /// Writes the report as one line of JSON.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, mut out: impl io::Write) -> io::Result<()> {
        serde_json::to_writer(&mut out, self)?;
        out.write_all(b"\n")
    }
}

impl LineRange {
    /// The ranges that consist of the given ascending lines.
    pub fn collect(lines: impl IntoIterator<Item = u32>) -> Vec<Self> {
        let mut ranges: Vec<Self> = Vec::new();
        for line in lines {
            match ranges.last_mut() {
                Some(last) if line <= last.1.saturating_add(1) => last.1 = last.1.max(line),
                _ => ranges.push(Self(line, line)),
            }
        }
        ranges
    }

    /// Whether `line` is in one of these ascending ranges.
    #[must_use]
    pub fn contain(ranges: &[Self], line: u32) -> bool {
        let index = ranges.partition_point(|range| range.1 < line);
        ranges.get(index).is_some_and(|range| range.0 <= line)
    }

    fn are_ascending(ranges: &[Self]) -> bool {
        ranges.iter().all(|range| range.0 <= range.1) && ranges.is_sorted_by(|a, b| a.1 < b.0)
    }
}

impl Mark {
    /// The word for people and for style sheets.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Covered => "covered",
            Self::Recheck => "recheck",
            Self::Cause => "cause",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_lines() {
        let ranges = LineRange::collect([1, 2, 2, 3, 7, 9, 10]);
        assert_eq!(ranges, [LineRange(1, 3), LineRange(7, 7), LineRange(9, 10)]);
        assert!([1, 3, 7, 9, 10].iter().all(|line| LineRange::contain(&ranges, *line)));
        assert!([0, 4, 6, 8, 11].iter().all(|line| !LineRange::contain(&ranges, *line)));
    }

    #[test]
    fn other_files_are_refused() {
        let newer = br#"{"format":"residue-report","version":2}"#;
        assert!(matches!(Report::read(newer, "r"), Err(ArtifactError::NewerVersion { .. })));
        assert!(matches!(Report::read(b"{\"format\":\"condition\"}", "r"), Err(ArtifactError::OtherFormat { .. })));
        assert!(matches!(Report::read(b"<!DOCTYPE html>", "r"), Err(ArtifactError::OtherFormat { .. })));
        let cut = br#"{"format":"residue-report","version":1,"units":["#;
        assert!(matches!(Report::read(cut, "r"), Err(ArtifactError::Truncated { .. })));
    }
}
