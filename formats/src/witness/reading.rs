//! A witness as its file has it: the format, what deviates from its rules, and every place that it names.
//!
//! Does not know programs: whether a place exists is not decided here.

use super::graphml::{self, Finding};
use super::{FORMAT, Place, Witness, yaml};
use crate::ArtifactError;
use crate::artifact::{kind_of, text_of};

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
    /// [`yaml::SCHEMA`].
    pub deviations: Vec<Finding>,
    /// The places that are named, in the order of the file: those of all edges of a GraphML automaton, on the path or not.
    pub mentions: Vec<Mention>,
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

impl Reading {
    /// Reads a witness in GraphML or YAML; `file` is its name in messages.
    ///
    /// # Errors
    /// [`ArtifactError`] if the bytes are no witness, of a version that is not read, or break a rule without which they
    /// cannot be understood.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, ArtifactError> {
        let text = text_of(bytes, file, FORMAT)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match text.trim_start().chars().next() {
            Some('<') => graphml::read(text, file),
            Some('-' | '#' | '[' | '%') => yaml::read(text, file),
            _ => Err(ArtifactError::OtherFormat {
                file: file.to_owned(),
                expected: FORMAT.to_owned(),
                found: kind_of(text).to_owned(),
            }),
        }
    }
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
