//! A witness as its file has it: the format, what deviates from its rules, and every place that it names.
//!
//! Does not know programs: whether a place exists is not decided here.

use super::{Place, Witness};

/// A witness with what its file says beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The witness.
    pub witness: Witness,
    /// The format of the file.
    pub format: Format,
    /// The version of the format.
    pub version: String,
    /// What breaks the rules of GraphML without being in the way, in the order of the file. For YAML there is
    /// [`super::yaml::SCHEMA`].
    pub deviations: Vec<Finding>,
    /// The places that are named, in the order of the file: those of all edges of a GraphML automaton, on the path or not.
    pub mentions: Vec<Mention>,
}

/// Something in a witness that the rules forbid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The line of the witness file.
    pub line: u32,
    /// Whether the witness can be understood all the same.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A rule is broken that nothing depends on.
    Deviation,
    /// The witness cannot be relied on.
    Fault,
}

/// The format of a witness file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An automaton in GraphML.
    Graphml,
    /// A list of entries in YAML.
    Yaml,
}

/// A place that a witness names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The place in the program.
    pub place: Place,
    /// The line of the witness file.
    pub line: u32,
}

impl Format {
    /// The name of the format: GraphML or YAML.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Graphml => "GraphML",
            Self::Yaml => "YAML",
        }
    }
}
