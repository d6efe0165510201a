//! What `residue validate --json` prints: whether a difference graph, and a condition made from it, are right.
//!
//! `formats/schemas/validation.schema.json` describes what is written.
//! Does not know what makes them right.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Producer, Reason};

/// The name of the format.
const FORMAT: &str = "validation";
/// Its version.
const VERSION: u64 = 1;

/// What was found, as `--json` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValidationReport {
    format: String,
    version: u64,
    /// Who looked.
    pub producer: Producer,
    /// What was found.
    #[serde(flatten)]
    pub validation: Validation,
}

impl ValidationReport {
    /// The report of what a tool has found.
    #[must_use]
    pub fn new(producer: Producer, validation: Validation) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, producer, validation }
    }
}

/// Whether everything that a graph, or a condition, says nothing has to be checked of may be left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "result")]
pub enum Validation {
    /// It may.
    Valid {
        /// What was looked at.
        subject: Subject,
        /// Nodes of the graph.
        nodes: u32,
        /// Its edges.
        edges: usize,
        /// Its indicators.
        indicators: usize,
    },
    /// Something is not right, or cannot be told.
    Refused {
        /// What is to blame; absent where it did not come so far.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        subject: Option<Subject>,
        /// The node of the graph, if it is one's fault.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<u32>,
        /// The edge of the modified program's automaton that leaves it, if it is one's fault.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edge: Option<u32>,
        /// The file in which the edge is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The line on which it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
        /// Why.
        message: String,
    },
    /// Nobody knows: the check did not come to its end.
    Unfinished {
        /// Why.
        #[serde(with = "crate::verdict::as_text")]
        reason: Reason,
    },
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// A difference graph.
    Graph,
    /// A condition; where it is valid, its graph is as well.
    Condition,
}

impl Validation {
    /// A refusal of which no place is known.
    #[must_use]
    pub fn refused(message: impl Into<String>) -> Self {
        Self::Refused { subject: None, node: None, edge: None, file: None, line: None, message: message.into() }
    }

    /// Why nothing may be concluded; none if it is valid.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Valid { .. } => None,
            Self::Refused { .. } => Some(Reason::Refused(self.to_string())),
            Self::Unfinished { reason } => Some(reason.clone()),
        }
    }
}

/// The line without its first word.
impl fmt::Display for Validation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Valid { subject, nodes, edges, indicators } => {
                let what = match subject {
                    Subject::Graph => "graph",
                    Subject::Condition => "graph and condition",
                };
                write!(f, "{what}: {nodes} nodes, {edges} edges, {indicators} indicators")
            }
            Self::Refused { subject, node, edge, file, line, message } => {
                match subject {
                    Some(Subject::Graph) => f.write_str("graph: ")?,
                    Some(Subject::Condition) => f.write_str("condition: ")?,
                    None => {}
                }
                match (node, edge) {
                    (Some(node), Some(edge)) => write!(f, "node {node}, edge {edge}: ")?,
                    (Some(node), None) => write!(f, "node {node}: ")?,
                    (None, _) => {}
                }
                f.write_str(message)?;
                match (file, line) {
                    (Some(file), Some(line)) => write!(f, " ({file}:{line})"),
                    _ => Ok(()),
                }
            }
            Self::Unfinished { reason } => write!(f, "not finished: {}", reason.explanation()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let refused = Validation::Refused {
            subject: Some(Subject::Graph),
            node: Some(3),
            edge: Some(17),
            file: Some("a.c".to_owned()),
            line: Some(4),
            message: "x may differ behind it".to_owned(),
        };
        let unfinished = Validation::Unfinished { reason: Reason::Memory };
        let valid = Validation::Valid { subject: Subject::Condition, nodes: 3, edges: 4, indicators: 0 };
        for (validation, text) in [
            (valid, "graph and condition: 3 nodes, 4 edges, 0 indicators"),
            (refused, "graph: node 3, edge 17: x may differ behind it (a.c:4)"),
            (Validation::refused("no certificate"), "no certificate"),
            (unfinished, "not finished: the memory is used up: give more with --memory, or a machine with more"),
        ] {
            let report = ValidationReport::new(Producer::new("residue", "0"), validation.clone());
            let written = serde_json::to_string(&report).expect("written");
            assert_eq!(serde_json::from_str::<ValidationReport>(&written).expect(&written), report);
            assert_eq!(validation.to_string(), text);
            let is_valid = matches!(validation, Validation::Valid { .. });
            assert_eq!(validation.reason().is_none(), is_valid, "nothing else lets a TRUE stand");
        }
    }
}
