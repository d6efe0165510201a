//! Explanations: for every indicator of a difference graph the change that caused it, and how its effect got there.
//!
//! A *change* is a difference between the two program texts. A *finding* is a place of the modified program where the
//! comparison ended. Between them lies a *chain* of links: what the change affects, what carries the effect on from object
//! to object, and which conditions depend on it. An explanation is self-contained: places carry the lines they are about.
//! Indicators of one operation (both branches of a condition, one call in several contexts) are one finding.
//! Invariant: the causes of findings name changes that are listed, and every place names a program, a file and a line.
//! Does not know why an indicator is one, nor how an explanation is shown.

use crate::artifact::{Inconsistency, read_json};
use crate::{
    ArtifactError, CallerOptions, DataModel, DifferenceGraph, Library, Producer, ProgramFile, ProgramOptions, Property,
    Provenance,
};
use serde::{Deserialize, Serialize};
use std::io;

mod written;

pub use written::{LINES, LONGEST_LINE};

/// The name of the format in the `format` field and in messages.
pub const FORMAT: &str = "explanation";
/// The newest format version.
pub const VERSION: u64 = 1;

/// Why parts of a modified program have to be checked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Where it comes from: the same as that of the graph it explains.
    pub provenance: Provenance,
    /// The changes that findings name.
    pub changes: Vec<Change>,
    /// Where the comparison ended, in the order of the program text.
    pub findings: Vec<Finding>,
}

/// One of the two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramSide {
    /// The program before the change.
    Original,
    /// The program after the change.
    Modified,
}

/// A piece of program text.
///
/// File, line and columns are those people read (line markers count); offsets are those of the preprocessed text, as in
/// the edges of a difference graph.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The program it is in.
    pub program: ProgramSide,
    /// The file, as the program or its line markers name it, without detours.
    pub file: String,
    /// The function around it, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The number of the CFA edge that stands there, if any; for the modified program those of the difference graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<u32>,
    /// First line, from 1.
    pub line: u32,
    /// First column in bytes, from 1.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column behind the last character.
    pub end_column: u32,
    /// First line in the preprocessed text; the same as `line` if there are no line markers.
    pub physical_line: u32,
    /// Offset of the first byte in the preprocessed text.
    pub start_offset: u32,
    /// Offset behind the last byte in the preprocessed text.
    pub end_offset: u32,
    /// The text on one line.
    pub text: String,
    /// The lines from `line` to `end_line`, the first few of them.
    pub lines: Vec<String>,
}

/// What a difference between the two texts is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Text was replaced; both places are given.
    Modified,
    /// Text is only in the modified program.
    Inserted,
    /// Text is only in the original program.
    Deleted,
    /// The same text is executed at another point of the program.
    Moved,
    /// A variable starts with another value.
    InitialValue,
    /// A variable has another type.
    Type,
}

impl ChangeKind {
    /// The name in artifacts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Modified => "modified",
            Self::Inserted => "inserted",
            Self::Deleted => "deleted",
            Self::Moved => "moved",
            Self::InitialValue => "initial-value",
            Self::Type => "type",
        }
    }
}

/// A difference between the two program texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Change {
    /// What it is.
    pub kind: ChangeKind,
    /// What stood there before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Place>,
    /// What stands there now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Place>,
}

/// A place where the comparison of the two programs ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// Short name of the rule that failed, as in the reasons of the difference graph.
    pub rule: String,
    /// What it means, for people.
    pub message: String,
    /// The indicators of the difference graph this is about, ascending.
    pub indicators: Vec<u32>,
    /// The CFA edges of the modified program at which the comparison ended, ascending.
    pub edges: Vec<u32>,
    /// Where it ended in the modified program; `None` if it did not begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Where the original was then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<Place>,
    /// The changes behind it with their chains, the shortest first; empty if the rule is a limit of the comparison and no
    /// change is to blame.
    pub causes: Vec<Cause>,
}

/// A change, and how its effect came to a finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cause {
    /// Index of the change in the list of changes.
    pub change: u32,
    /// The links between the change and the finding, in this order.
    pub chain: Vec<Link>,
}

/// What passes the effect of a change on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// The change itself gives `object` another value.
    Affects,
    /// An operation that both programs execute gives `object` a value that depends on `from`.
    Carries,
    /// A condition depends on `from`: behind it, the programs may be at different places.
    Decides,
    /// Only one of the programs executes this operation, which writes `object`.
    Alone,
}

impl LinkKind {
    /// The name in artifacts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Affects => "affects",
            Self::Carries => "carries",
            Self::Decides => "decides",
            Self::Alone => "alone",
        }
    }
}

/// A step of the way from a change to a finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Link {
    /// What happens.
    pub kind: LinkKind,
    /// What is affected from here on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Object>,
    /// What was affected before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Object>,
    /// Where it happens.
    pub place: Place,
}

/// An object as its programmer knows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Object {
    /// A variable or member by its name; for a temporary, the expression it holds the value of.
    pub name: String,
    /// The function a local object belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

impl Explanation {
    /// Reads an explanation; `file` is its name in messages.
    ///
    /// # Errors
    /// [`ArtifactError`] if the bytes are no consistent explanation of a known version.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        let wire: Wire = read_json(bytes, file, FORMAT, VERSION)?;
        let (property, entry) = Property::parse_specification(&wire.property)
            .map_err(|error| Inconsistency::new("property", error.to_string()).in_file(file, FORMAT))?;
        if entry != wire.entry {
            let message = format!("the property starts at `{entry}`, the program at `{}`", wire.entry);
            return Err(Inconsistency::new("property", message).in_file(file, FORMAT));
        }
        let options = ProgramOptions {
            data_model: wire.data_model,
            entry,
            property,
            preprocessor: wire.preprocessor,
            caller: wire.caller,
            library: wire.library,
        };
        let explanation = Self {
            provenance: Provenance {
                producer: wire.producer,
                original: wire.original,
                modified: wire.modified,
                options,
                degraded: wire.degraded,
            },
            changes: wire.changes,
            findings: wire.findings,
        };
        explanation.check().map_err(|error| error.in_file(file, FORMAT))?;
        Ok(explanation)
    }

    /// Writes the explanation as JSON.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, mut out: impl io::Write) -> io::Result<()> {
        let Provenance { producer, original, modified, options, degraded } = self.provenance.clone();
        let property = options.specification();
        let wire = Wire {
            format: FORMAT.to_owned(),
            version: VERSION,
            producer,
            original,
            modified,
            data_model: options.data_model,
            entry: options.entry,
            property,
            preprocessor: options.preprocessor,
            caller: options.caller,
            library: options.library,
            degraded,
            changes: self.changes.clone(),
            findings: self.findings.clone(),
        };
        serde_json::to_writer(&mut out, &wire)?;
        out.write_all(b"\n")
    }

    /// Checks the invariants of the type.
    ///
    /// # Errors
    /// [`Inconsistency`] names the first part that breaks one.
    pub fn check(&self) -> Result<(), Inconsistency> {
        for (number, change) in self.changes.iter().enumerate() {
            if change.original.is_none() && change.modified.is_none() {
                return Err(Inconsistency::new(format!("changes[{number}]"), "the change is nowhere"));
            }
        }
        for (number, finding) in self.findings.iter().enumerate() {
            for cause in &finding.causes {
                if cause.change as usize >= self.changes.len() {
                    let message = format!("change {} does not exist", cause.change);
                    return Err(Inconsistency::new(format!("findings[{number}]"), message));
                }
            }
        }
        Ok(())
    }

    /// The change behind a cause.
    #[must_use]
    pub fn change(&self, cause: &Cause) -> Option<&Change> {
        self.changes.get(cause.change as usize)
    }

    /// Checks that this explains `graph`: every indicator of it is in a finding, and every finding is about it.
    ///
    /// # Errors
    /// [`Inconsistency`] names what does not fit.
    pub fn check_against(&self, graph: &DifferenceGraph) -> Result<(), Inconsistency> {
        let programs = |p: &Provenance| (p.original.sha256.clone(), p.modified.sha256.clone());
        if programs(&self.provenance) != programs(&graph.provenance) {
            return Err(Inconsistency::new("modified", "the explanation is about other programs than the graph"));
        }
        for (number, finding) in self.findings.iter().enumerate() {
            if let Some(stray) = finding.indicators.iter().find(|i| graph.indicators.binary_search(i).is_err()) {
                return Err(Inconsistency::new(format!("findings[{number}]"), format!("node {stray} is no indicator")));
            }
        }
        let explained = |indicator: &u32| self.findings.iter().any(|f| f.indicators.contains(indicator));
        match graph.indicators.iter().find(|indicator| !explained(indicator)) {
            Some(indicator) => Err(Inconsistency::new("findings", format!("indicator {indicator} is not explained"))),
            None => Ok(()),
        }
    }
}

/// An explanation as it is written; unknown fields are ignored.
#[derive(Serialize, Deserialize)]
struct Wire {
    format: String,
    version: u64,
    producer: Producer,
    original: ProgramFile,
    modified: ProgramFile,
    data_model: DataModel,
    entry: String,
    property: String,
    preprocessor: Vec<String>,
    #[serde(default, skip_serializing_if = "CallerOptions::is_default")]
    caller: CallerOptions,
    #[serde(default, skip_serializing_if = "Library::is_own")]
    library: Library,
    degraded: Option<Vec<String>>,
    changes: Vec<Change>,
    findings: Vec<Finding>,
}

#[cfg(test)]
mod tests;
