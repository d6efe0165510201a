//! What operations and functions of one program are made of: expressions, variables, and the functions they enter.

use std::collections::BTreeSet;

use program::cfa::{Cfa, EdgeId, FunctionId, Operation, VarId};
use program::expr::{Expr, ExprId};
use rustc_hash::FxHashMap;

use super::Functions;

/// The functions with a body that can be entered from some, themselves included.
pub(super) fn reachable(cfa: &Cfa, from: impl IntoIterator<Item = FunctionId>) -> Functions {
    let mut callees: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
    for edge in cfa.edge_ids() {
        if let Some(callee) = cfa.entered_callee(edge) {
            callees.entry(cfa.location(cfa.edge(edge).source).function).or_default().push(callee);
        }
    }
    let mut found = Functions::new();
    let mut pending: Vec<FunctionId> = from.into_iter().collect();
    while let Some(function) = pending.pop() {
        if cfa.function(function).entry.is_some() && found.insert(function) {
            pending.extend(callees.get(&function).into_iter().flatten());
        }
    }
    found
}

/// The functions whose operations mention one of some variables.
pub(super) fn mentions(cfa: &Cfa, variables: &BTreeSet<VarId>) -> Functions {
    mentioning(cfa, variables).into_iter().map(|edge| cfa.location(cfa.edge(edge).source).function).collect()
}

/// The edges whose operations do.
pub(super) fn mentioning(cfa: &Cfa, variables: &BTreeSet<VarId>) -> BTreeSet<EdgeId> {
    let mut found = BTreeSet::new();
    if variables.is_empty() {
        return found;
    }
    let mut of_expr = vec![false; cfa.exprs.len()];
    for id in cfa.exprs.ids() {
        of_expr[id.index()] = match *cfa.exprs.get(id) {
            Expr::Variable(variable) => variables.contains(&variable),
            ref expr => operands(expr).into_iter().flatten().any(|operand| of_expr[operand.index()]),
        };
    }
    for id in cfa.edge_ids() {
        let edge = cfa.edge(id);
        let variable = match edge.operation {
            Operation::Declare { variable } => Some(variable),
            _ => edge.operation.result(),
        };
        let mentions = values(&edge.operation).iter().any(|expr| of_expr[expr.index()])
            || variable.is_some_and(|variable| variables.contains(&variable));
        if mentions {
            found.insert(id);
        }
    }
    found
}

/// The operands of an expression.
#[must_use]
pub fn operands(expr: &Expr) -> [Option<ExprId>; 3] {
    match *expr {
        Expr::Int(_) | Expr::Float(_) | Expr::Zero | Expr::FunctionAddress(_) | Expr::Variable(_) => [None; 3],
        Expr::Load(a) | Expr::AddressOf(a) | Expr::Unary(_, a) | Expr::Cast(a) | Expr::Field(a, _) => [Some(a), None, None],
        Expr::Dereference { pointer, .. } => [Some(pointer), None, None],
        Expr::Binary(_, a, b) | Expr::Index(a, b) => [Some(a), Some(b), None],
        Expr::PointerOffset { pointer, index, .. } => [Some(pointer), Some(index), None],
        Expr::PointerDifference { left, right, .. } => [Some(left), Some(right), None],
        Expr::Conditional(a, b, c) => [Some(a), Some(b), Some(c)],
    }
}

/// The expressions of an operation.
#[must_use]
pub fn values(operation: &Operation) -> Vec<ExprId> {
    match operation {
        Operation::Assume { condition, .. } => vec![*condition],
        Operation::Assign { place, value } => vec![*place, *value],
        Operation::Call { arguments, .. } => arguments.clone(),
        Operation::Return { value } => value.iter().copied().collect(),
        Operation::Asm(asm) => asm.outputs.iter().chain(&asm.inputs).map(|operand| operand.expr).collect(),
        Operation::Declare { .. } | Operation::Havoc { .. } | Operation::Blank | Operation::Unsupported { .. } => Vec::new(),
    }
}
