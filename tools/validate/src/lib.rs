//! Checks that a difference graph, and the condition made from it, cover nothing that has to be checked.
//!
//! The detector says in a certificate what makes every edge of its graph right; here each edge is looked at by itself. Nothing
//! is shared with the detectors but the programs and the facts about them that are listed below, so that an error in the rules
//! of the one is found by the other: which variables, values and operations are the same (`map`, `types`, `same`, `initial`) or equal all the same (`equal`, and `through` what variables
//! hold: `held`, `kept`, `terms`), what operations read and write (`access`, `touch`, `outside`), what the original certainly gets past (`certain`), what may differ behind a step that
//! both make (`joint`), from where a violation can be reached (`reach`). `graph` and `moves` put them together, `condition` checks what
//! was made of the graph.
//!
//! What is assumed and not checked: the automata of the two programs (`program`), their objects and where pointers lead
//! (`semantics::objects`, `semantics::pointsto`), call stacks and the call graph (`semantics::stack`, `semantics::callgraph`),
//! how a condition is followed (`semantics::cursor`, as by its consumers), and the solver.
//! Does not know how a graph was found.

mod access;
mod certain;
mod condition;
mod equal;
mod graph;
mod held;
mod implied;
mod initial;
mod joint;
mod kept;
mod map;
mod moves;
mod outside;
mod reach;
mod same;
mod terms;
mod through;
mod touch;
mod types;

use std::fmt;

use formats::{Certificate, DifferenceGraph};
use program::cfa::{Cfa, EdgeId};
use semantics::cursor::ConditionCursor;

/// What is not right, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The node of the graph, if it is one's fault.
    pub node: Option<u32>,
    /// The edge of the modified program that leaves it, if it is one's fault.
    pub edge: Option<EdgeId>,
    /// Why.
    pub message: String,
}

impl Refusal {
    fn whole(message: String) -> Self {
        Self { node: None, edge: None, message }
    }

    fn start(why: &str) -> Self {
        Self { node: Some(0), edge: None, message: why.to_owned() }
    }

    fn node(node: u32, why: &str) -> Self {
        Self { node: Some(node), edge: None, message: why.to_owned() }
    }

    fn edge(node: u32, edge: EdgeId, why: &str) -> Self {
        Self { node: Some(node), edge: Some(edge), message: why.to_owned() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.node, self.edge) {
            (Some(node), Some(edge)) => write!(f, "node {node}, edge {}: {}", edge.0, self.message),
            (Some(node), None) => write!(f, "node {node}: {}", self.message),
            (None, _) => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Refusal {}

/// Checks a difference graph by its certificate.
///
/// Soundness: of a graph that is not refused, a condition made by backward reachability covers no violating path of the
/// modified program from whose initial data state the original, its inputs chosen freely, has none; undefined behaviour is
/// ignored. Time about linear in the graph and the programs, questions to the solver aside.
///
/// # Errors
/// The first thing that is not right.
pub fn validate(original: &Cfa, modified: &Cfa, graph: &DifferenceGraph, certificate: &Certificate) -> Result<(), Refusal> {
    graph::check(original, modified, graph, certificate)
}

/// Checks a condition against a graph; that the graph is right is another matter ([`validate`]).
///
/// # Errors
/// The first edge along which the condition covers what the graph leaves open.
pub fn validate_condition(graph: &DifferenceGraph, condition: &ConditionCursor) -> Result<(), Refusal> {
    condition::check(graph, condition)
}
