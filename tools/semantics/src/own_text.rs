//! Runs seen from the text of the program itself: where it led to what happened in a body of the C library.
//!
//! Bodies of the C library are linked to programs, and people do not know their lines: a violation in `memcpy` is told at
//! its call. Guards of a property are not the program's either. Does not know what is wrong there.

use program::cfa::{Cfa, EdgeId, FunctionId, Operation};
use program::source::Span;
use program::violation::Violation;

use crate::interpreter::Run;

/// What a run ends with, in the program's own text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The last edge of the run, or the call of the C library that it is in.
    pub edge: EdgeId,
    /// Where it is in the trace of the run.
    pub step: usize,
    /// The function of the C library that is called there, if it is such a call.
    pub within: Option<FunctionId>,
}

/// Where a run ends; `None` if it has no edge. What no call of the program leads to stays where it is.
#[must_use]
pub fn end(cfa: &Cfa, run: &Run) -> Option<End> {
    let last = *run.trace.last()?;
    let here = End { edge: last, step: run.trace.len() - 1, within: None };
    if !is_library(cfa, last) {
        return Some(here);
    }
    let mut open: Vec<(usize, EdgeId)> = Vec::new();
    for (step, edge) in run.trace.iter().enumerate() {
        if cfa.entered_callee(*edge).is_some() {
            open.push((step, *edge));
        } else if matches!(cfa.edge(*edge).operation, Operation::Return { .. }) {
            open.pop();
        }
    }
    let call = open.into_iter().rev().find(|(_, edge)| !is_library(cfa, *edge));
    Some(call.map_or(here, |(step, edge)| End { edge, step, within: cfa.entered_callee(edge) }))
}

/// Whether an edge is one of the C library.
#[must_use]
pub fn is_library(cfa: &Cfa, edge: EdgeId) -> bool {
    let span = cfa.edge(edge).span;
    let span = if span == Span::default() { cfa.function(cfa.location(cfa.edge(edge).source).function).span } else { span };
    cfa.source.is_library(span)
}

/// Branches behind each other that a guard has at most.
const GUARD_DEPTH: usize = 4;

/// Whether an edge is a branch of a guard: the other branch leads to a violation of the same operation.
#[must_use]
pub fn is_guard(cfa: &Cfa, edge: EdgeId) -> bool {
    let at = cfa.edge(edge);
    let violates =
        |edge: EdgeId| cfa.called(edge).is_some_and(|callee| Violation::of_function(&cfa.function(callee).name).is_some());
    let mut open: Vec<EdgeId> = cfa.out_edges(at.source).to_vec();
    for _ in 0..GUARD_DEPTH {
        let of_guard = |edge: &EdgeId| cfa.edge(*edge).span == at.span;
        let is_branch = |edge: &EdgeId| matches!(cfa.edge(*edge).operation, Operation::Assume { .. });
        open = open
            .into_iter()
            .filter(of_guard)
            .filter(is_branch)
            .flat_map(|edge| cfa.out_edges(cfa.edge(edge).target))
            .copied()
            .collect();
        if open.iter().any(|edge| of_guard(edge) && violates(*edge)) {
            return is_branch(&edge);
        }
    }
    false
}
