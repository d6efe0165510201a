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

pub use super::reading::{Finding, Severity};
pub(super) use reader::read;

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
