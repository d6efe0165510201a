//! Which call tells the versions apart: the last one of what changed up to which both are given the same, and under which
//! condition on its arguments, as the branches that it takes.
//!
//! Other arguments that take the same branches are of the same kind; whether the versions differ for all of them is not known here.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of types")]

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use program::cfa::{Cfa, EdgeId, FunctionId, Operation, VarId};
use program::types::Type;
use semantics::interpreter::{DataState, Observer, constant_of};
use transform::pair::{Leaving, leaving};

/// Calls of one run that are compared.
const MOST_CALLS: usize = 10_000;
/// Branches of a call that are told.
const MOST_BRANCHES: usize = 8;

/// A call of what changed.
#[derive(Clone, Debug)]
pub(crate) struct TellingCall {
    /// In the original program.
    pub(crate) edge: EdgeId,
    /// With its arguments, as text.
    pub(crate) text: String,
    /// The branches that it takes in the original and then in the modified program, each text once.
    pub(crate) along: Vec<String>,
}

/// The calls from what is the same in both programs into what is not.
pub(crate) fn calls_into(cfa: &Cfa, inside: &BTreeSet<FunctionId>) -> Vec<(EdgeId, FunctionId)> {
    let call = |edge: EdgeId| {
        let caller = cfa.location(cfa.edge(edge).source).function;
        let callee = cfa.entered_callee(edge)?;
        (!inside.contains(&caller) && inside.contains(&callee)).then_some((edge, callee))
    };
    cfa.edge_ids().filter_map(call).collect()
}

/// The last call before the programs call with other arguments, or elsewhere, with the branches it takes in both. Calls that
/// are excluded, because both versions do the same there, tell nothing.
pub(crate) fn telling(programs: [&Cfa; 2], made: [Vec<Made>; 2], excluded: &BTreeSet<EdgeId>) -> Option<TellingCall> {
    let [original, modified] = &made;
    let same = original.iter().zip(modified).take_while(|(a, b)| a.text == b.text).count();
    let is_telling = |number: &usize| original.get(*number).is_some_and(|call| !excluded.contains(&call.edge));
    let number = (0..same.max(1)).rev().find(is_telling)?;
    let telling = original.get(number)?;
    let other = modified.get(number).filter(|_| number < same);
    let mut along: Vec<String> = Vec::new();
    for (cfa, call) in programs.into_iter().zip([Some(telling), other]) {
        for branch in call.into_iter().flat_map(|call| &call.branches) {
            let text = cfa.edge_text(*branch);
            if !along.contains(&text) {
                along.push(text);
            }
        }
    }
    if along.len() > MOST_BRANCHES {
        along.truncate(MOST_BRANCHES);
        along.push("…".to_owned());
    }
    Some(TellingCall { edge: telling.edge, text: telling.text.clone(), along })
}

/// Notes calls, as text.
pub(crate) struct Calls<'a> {
    cfa: &'a Cfa,
    of: &'a [(EdgeId, FunctionId)],
    made: Vec<Made>,
    /// How deep the last one is, as long as it is active.
    depth: Option<usize>,
}

/// A call that was made.
pub(crate) struct Made {
    edge: EdgeId,
    text: String,
    /// The first branches that it takes, each once.
    branches: Vec<EdgeId>,
}

impl<'a> Calls<'a> {
    /// Notes these calls of a run.
    pub(crate) fn new(cfa: &'a Cfa, of: &'a [(EdgeId, FunctionId)]) -> Self {
        Self { cfa, of, made: Vec::new(), depth: None }
    }

    /// Those that were made, in their order.
    pub(crate) fn made(self) -> Vec<Made> {
        self.made
    }

    /// Takes down the branch that the last call takes.
    fn follow(&mut self, edge: EdgeId, depth: usize) {
        self.depth = self.depth.filter(|own| depth >= *own);
        let cfa = self.cfa;
        let (Some(_), Some(call)) = (self.depth, self.made.last_mut()) else { return };
        let is_branch = matches!(cfa.edge(edge).operation, Operation::Assume { .. });
        if !is_branch || call.branches.len() >= 2 * MOST_BRANCHES || call.branches.contains(&edge) {
            return;
        }
        // Branches before what may not be defined are not in the text.
        let is_undefined = |edge: &EdgeId| matches!(leaving(cfa, *edge), Some(Leaving::Undefined(_)));
        let is_guard = |edge: &EdgeId| cfa.out_edges(cfa.edge(*edge).target).iter().any(is_undefined);
        if !cfa.out_edges(cfa.edge(edge).source).iter().any(is_guard) {
            call.branches.push(edge);
        }
    }
}

impl Observer for Calls<'_> {
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        self.follow(edge, state.depth());
        let Some((_, callee)) = self.of.iter().find(|(known, _)| *known == edge) else { return ControlFlow::Continue(()) };
        let callee = self.cfa.function(*callee);
        let argument = |parameter: &VarId| {
            let ty = self.cfa.variable(*parameter).ty.ty;
            let is_pointer = matches!(self.cfa.types.get(ty), Type::Pointer(_));
            match state.scalar(*parameter) {
                Some(0) if is_pointer => "null".to_owned(),
                Some(bits) if !is_pointer => constant_of(self.cfa, ty, bits),
                _ => "…".to_owned(),
            }
        };
        let arguments: Vec<String> = callee.parameters.iter().map(argument).collect();
        self.depth = Some(state.depth());
        self.made.push(Made { edge, text: format!("{}({})", callee.name, arguments.join(", ")), branches: Vec::new() });
        if self.made.len() < MOST_CALLS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
