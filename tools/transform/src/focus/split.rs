//! A variable of its own for what each call allocates.
//!
//! Calls of one function share the temporary variable that their results go through, and who does not know the order of
//! operations takes the memory of each for that of all. Nothing else changes.

use program::cfa::{Cfa, Operation, VarId, VarKind, Variable};
use rustc_hash::FxHashMap;

use super::forms::allocates;
use crate::Recast;
use crate::editor::Editor;

/// The program in which the result of each allocating call goes to a variable of its own first.
#[must_use]
pub fn split(cfa: &Cfa) -> Recast {
    let mut editor = Editor::new(cfa);
    for edge in cfa.edge_ids().filter(|edge| allocates(cfa, *edge)) {
        let Operation::Call { callee, arguments, result: Some(shared) } = &cfa.edge(edge).operation else { continue };
        if !matches!(cfa.variable(*shared).kind, VarKind::Temporary(_)) {
            continue;
        }
        let old = cfa.variable(*shared);
        editor.parts.variables.push(Variable { name: format!("{}__{}", old.name, edge.0).into(), ..old.clone() });
        let own = VarId::new(editor.parts.variables.len() - 1);
        let operation = Operation::Call { callee: *callee, arguments: arguments.clone(), result: Some(own) };
        editor.parts.edges[edge.index()].operation = operation;
        let (target, at) = (cfa.edge(edge).target, (cfa.edge(edge).span, cfa.edge(edge).statement));
        let between = editor.location_beside(target);
        editor.lead(edge, between);
        let (place, value) = (editor.place(*shared), editor.load(own));
        editor.add(between, target, Operation::Assign { place, value }, at);
        // The value that the next operation assigns comes from the own variable.
        if let ([_], [next]) = (cfa.in_edges(target), cfa.out_edges(target))
            && let Operation::Assign { place, value } = cfa.edge(*next).operation
        {
            let known = FxHashMap::from_iter([(editor.load(*shared), editor.load(own))]);
            let value = editor.substituted(value, &known);
            editor.parts.edges[next.index()].operation = Operation::Assign { place, value };
        }
    }
    editor.finish()
}
