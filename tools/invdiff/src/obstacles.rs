//! Which places of a program a run may come to without an operation that nobody can treat.
//!
//! What is asked behind such operations alone is not decided, unless no run comes there at all.
//! Does not know what is asked.

use std::collections::BTreeMap;

use program::cfa::{Cfa, FunctionId, LocationId, Operation};

/// For each location whether some path, feasible or not, leads there around everything unsupported.
pub(crate) fn without_obstacles(cfa: &Cfa) -> Vec<bool> {
    let mut reached = vec![false; cfa.locations.len()];
    let mut waiting: BTreeMap<FunctionId, Vec<LocationId>> = BTreeMap::new();
    let mut pending: Vec<LocationId> = cfa.function(cfa.entry).entry.into_iter().collect();
    while let Some(at) = pending.pop() {
        if std::mem::replace(&mut reached[at.index()], true) {
            continue;
        }
        let function = cfa.location(at).function;
        if cfa.function(function).exit == Some(at) {
            pending.extend(waiting.remove(&function).into_iter().flatten());
        }
        for edge in cfa.out_edges(at) {
            let target = cfa.edge(*edge).target;
            if matches!(cfa.edge(*edge).operation, Operation::Unsupported { .. }) {
                continue;
            }
            let Some(callee) = cfa.entered_callee(*edge) else {
                pending.push(target);
                continue;
            };
            pending.extend(cfa.function(callee).entry);
            match cfa.function(callee).exit {
                Some(exit) if !reached[exit.index()] => waiting.entry(callee).or_default().push(target),
                _ => pending.push(target),
            }
        }
    }
    reached
}
