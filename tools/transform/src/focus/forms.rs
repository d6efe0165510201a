//! Forms of operations and expressions that all of this room looks for.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, EdgeId, Known, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};

/// Temporary variables that hold the address of a member for the rest of a statement, as `p->n += f()` has one, and which
/// members these are; the records may differ.
#[must_use]
pub(super) fn inner(cfa: &Cfa) -> BTreeMap<VarId, BTreeSet<u32>> {
    let mut found: BTreeMap<VarId, BTreeSet<u32>> = BTreeMap::new();
    let mut others: BTreeSet<VarId> = BTreeSet::new();
    for edge in &cfa.edges {
        match &edge.operation {
            Operation::Assign { place, value } => {
                let Expr::Variable(variable) = *cfa.exprs.get(*place) else { continue };
                match member_address(cfa, *value) {
                    Some(member) => _ = found.entry(variable).or_default().insert(member),
                    None => _ = others.insert(variable),
                }
            }
            Operation::Call { result: Some(variable), .. } | Operation::Havoc { variable: Some(variable), .. } => {
                others.insert(*variable);
            }
            _ => {}
        }
    }
    let is_temporary = |variable: &VarId| {
        let one = cfa.variable(*variable);
        matches!(one.kind, VarKind::Temporary(_)) && !one.address_taken
    };
    found.retain(|variable, _| is_temporary(variable) && !others.contains(variable));
    found
}

/// The member whose address an expression is, behind a pointer.
pub(super) fn member_address(cfa: &Cfa, value: ExprId) -> Option<u32> {
    let Expr::AddressOf(place) = *cfa.exprs.get(value) else { return None };
    let Expr::Field(inner, member) = *cfa.exprs.get(place) else { return None };
    matches!(cfa.exprs.get(inner), Expr::Dereference { .. }).then_some(member)
}

/// The variable that a place is behind, without anything between.
pub(super) fn through(cfa: &Cfa, place: ExprId) -> Option<VarId> {
    let Expr::Dereference { pointer, volatile: false } = *cfa.exprs.get(place) else { return None };
    let Expr::Load(held) = *cfa.exprs.get(pointer) else { return None };
    let Expr::Variable(variable) = *cfa.exprs.get(held) else { return None };
    Some(variable)
}

/// Whether an edge calls a function that allocates and has no body.
pub(super) fn allocates(cfa: &Cfa, edge: EdgeId) -> bool {
    let Operation::Call { callee, .. } = cfa.edge(edge).operation else { return false };
    !cfa.enters(callee) && cfa.function(callee).known == Some(Known::Allocate)
}

/// The expressions that stand in some operation, operands included.
pub(super) fn used(cfa: &Cfa) -> Vec<bool> {
    let mut used = vec![false; cfa.exprs.len()];
    for edge in &cfa.edges {
        expressions(&edge.operation, |expr| used[expr.index()] = true);
    }
    for number in (0..used.len()).rev() {
        if used[number] {
            cfa.exprs.get(ExprId::new(number)).operands().for_each(|operand| used[operand.index()] = true);
        }
    }
    used
}

/// The expressions of an operation, in the order of their evaluation.
pub(super) fn expressions(operation: &Operation, mut with: impl FnMut(ExprId)) {
    match operation {
        Operation::Assume { condition, .. } => with(*condition),
        Operation::Assign { place, value } => [*place, *value].into_iter().for_each(with),
        Operation::Call { arguments, .. } => arguments.iter().copied().for_each(with),
        Operation::Return { value } => value.iter().copied().for_each(with),
        Operation::Asm(asm) => asm.inputs.iter().chain(&asm.outputs).map(|operand| operand.expr).for_each(with),
        Operation::Declare { .. } | Operation::Havoc { .. } | Operation::Blank | Operation::Unsupported { .. } => {}
    }
}
