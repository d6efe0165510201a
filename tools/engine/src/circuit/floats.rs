//! Which operations compute with floating-point numbers.

use program::cfa::{Cfa, EdgeId, Operation};
use program::expr::ExprId;
use program::types::Type;

/// Whether an operation computes with floating-point numbers, and does not only move them.
pub(crate) fn computes(cfa: &Cfa, edge: EdgeId) -> bool {
    let roots: Vec<ExprId> = match &cfa.edge(edge).operation {
        Operation::Assume { condition, .. } => vec![*condition],
        Operation::Assign { place, value } => vec![*place, *value],
        Operation::Call { arguments, .. } => arguments.clone(),
        Operation::Return { value } => value.iter().copied().collect(),
        Operation::Declare { .. } | Operation::Havoc { .. } | Operation::Blank => Vec::new(),
        Operation::Asm(_) | Operation::Unsupported { .. } => Vec::new(),
    };
    let mut open = roots;
    while let Some(expr) = open.pop() {
        let operands: Vec<ExprId> = cfa.exprs.get(expr).operands().collect();
        let is_float = |expr: &ExprId| matches!(cfa.types.get(cfa.exprs.ty(*expr)), Type::Float(_));
        let computes = !operands.is_empty() && operands.iter().chain([&expr]).any(is_float);
        if computes && !cfa.exprs.get(expr).is_place() {
            return true;
        }
        open.extend(operands);
    }
    false
}
