//! Which functions call which, and which the entry function comes to.
//!
//! Does not know calls through pointers that are not resolved: those are no calls of functions with a body.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::builder::Builder;
use crate::cfa::{Edge, FunctionId, Operation};

/// The functions with a body that each function calls.
pub(super) fn calls(builder: &Builder<'_>) -> BTreeMap<FunctionId, Vec<FunctionId>> {
    let mut found: BTreeMap<FunctionId, Vec<FunctionId>> = BTreeMap::new();
    for edge in &builder.parts.edges {
        if let Operation::Call { callee, .. } = edge.operation
            && builder.parts.functions[callee.index()].entry.is_some()
        {
            found.entry(builder.parts.locations[edge.source.index()].function).or_default().push(callee);
        }
    }
    found
}

/// Takes the edges of all functions out of the program that no call leads to from the entry function.
pub(super) fn set_aside(builder: &mut Builder<'_>) -> Vec<Edge> {
    let calls = calls(builder);
    let mut reached: FxHashSet<FunctionId> = FxHashSet::default();
    let mut pending = vec![builder.parts.entry];
    while let Some(function) = pending.pop() {
        if reached.insert(function) {
            pending.extend(calls.get(&function).into_iter().flatten());
        }
    }
    let all = std::mem::take(&mut builder.parts.edges);
    let is_reached = |edge: &Edge| reached.contains(&builder.parts.locations[edge.source.index()].function);
    let (inside, aside) = all.into_iter().partition(is_reached);
    builder.parts.edges = inside;
    aside
}

pub(super) fn reaches(calls: &BTreeMap<FunctionId, Vec<FunctionId>>, from: &[FunctionId], to: FunctionId) -> bool {
    let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
    let mut pending = from.to_vec();
    while let Some(function) = pending.pop() {
        if function == to {
            return true;
        }
        if seen.insert(function) {
            pending.extend(calls.get(&function).into_iter().flatten());
        }
    }
    false
}
