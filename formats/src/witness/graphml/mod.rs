//! Witnesses in the GraphML format of SV-COMP, version 1.0.
//!
//! A violation witness is an automaton whose paths from the entry to a violation describe paths of the program; the reader
//! takes the shortest one. A correctness witness has invariants at its nodes.
//! The rules are those of the published linter; [`findings`] tells what breaks them. The reader refuses a [`Severity::Fault`]
//! and lives with a [`Severity::Deviation`]; our own witnesses have neither.

mod automaton;
mod reader;
mod rules;
mod writer;

use crate::ArtifactError;

pub(super) use reader::read;

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

/// Everything that the rules of the published linter find in a witness, in the order of the file.
///
/// # Errors
/// [`ArtifactError`] if the text is no GraphML.
pub fn findings(text: &str, file: &str) -> Result<Vec<Finding>, ArtifactError> {
    let mut automaton = automaton::Automaton::parse(text, file)?;
    rules::check(&mut automaton);
    automaton.place_findings(text);
    Ok(automaton.findings.into_iter().map(|(_, finding)| finding).collect())
}

#[cfg(test)]
mod tests;
