//! A variable of its own for what each call allocates.
//!
//! Calls of one function share the temporary variable that their results go through, and who does not know the order of
//! operations takes the memory of each for that of all. Nothing else changes.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use program::cfa::{Cfa, EdgeId, Operation, VarId, VarKind, Variable};
use program::expr::{Expr, ExprId};

use super::forms::allocates;
use crate::Recast;
use crate::editor::Editor;
use crate::merge::mapped;

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
        if let ([_], [next]) = (cfa.in_edges(target), cfa.out_edges(target)) {
            take(&mut editor, cfa, *next, (*shared, own));
        }
    }
    editor.finish()
}

/// The value that the next operation assigns comes from the own variable.
fn take(editor: &mut Editor, cfa: &Cfa, next: EdgeId, (shared, own): (VarId, VarId)) {
    if let Operation::Assign { place, value } = cfa.edge(next).operation {
        let value = replaced(editor, cfa, value, (shared, own));
        editor.parts.edges[next.index()].operation = Operation::Assign { place, value };
    }
}

fn replaced(editor: &mut Editor, cfa: &Cfa, expr: ExprId, (shared, own): (VarId, VarId)) -> ExprId {
    let old = *cfa.exprs.get(expr);
    if let Expr::Load(place) = old
        && *cfa.exprs.get(place) == Expr::Variable(shared)
    {
        return editor.load(own);
    }
    let operands: Vec<(ExprId, ExprId)> =
        old.operands().map(|operand| (operand, replaced(editor, cfa, operand, (shared, own)))).collect();
    if operands.iter().all(|(old, new)| old == new) {
        return expr;
    }
    let of = |operand| operands.iter().find(|(old, _)| *old == operand).map_or(operand, |(_, new)| *new);
    editor.expr(mapped(&old, of), cfa.exprs.ty(expr))
}
