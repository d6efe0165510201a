//! The numbers in the text of functions.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{Cfa, FunctionId, Operation};
use program::expr::{Expr, ExprId};
use program::types::{Type, TypeId};

/// For each function the integers in its text.
pub(super) fn of_functions(cfa: &Cfa) -> BTreeMap<FunctionId, BTreeSet<i128>> {
    let mut found: BTreeMap<FunctionId, BTreeSet<i128>> = BTreeMap::new();
    for edge in cfa.edge_ids() {
        let edge = cfa.edge(edge);
        let values: Vec<ExprId> = match &edge.operation {
            Operation::Assume { condition, .. } => vec![*condition],
            Operation::Assign { value, .. } => vec![*value],
            Operation::Call { arguments, .. } => arguments.clone(),
            Operation::Return { value } => value.iter().copied().collect(),
            _ => Vec::new(),
        };
        let into = found.entry(cfa.location(edge.source).function).or_default();
        for value in values {
            numbers_in(cfa, value, into);
        }
    }
    found
}

fn numbers_in(cfa: &Cfa, value: ExprId, into: &mut BTreeSet<i128>) {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        let one = cfa.exprs.get(value);
        if let Expr::Int(bits) = *one {
            into.extend(number(cfa, cfa.exprs.ty(value), bits));
        }
        pending.extend(one.operands());
    }
}

/// The integer that bits of a type are.
fn number(cfa: &Cfa, ty: TypeId, bits: u128) -> Option<i128> {
    let Type::Int { rank, signed } = *cfa.types.get(ty) else { return None };
    let shift = 128 - u32::try_from(8 * cfa.machine.int_size(rank)).ok()?;
    Some(if signed { (bits << shift).cast_signed() >> shift } else { bits.cast_signed() })
}
