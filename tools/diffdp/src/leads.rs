//! Where values may lead: what holds pointers, and whether pointers of both programs lead to what both have.

use std::collections::BTreeSet;

use program::cfa::{Cfa, ConstantValue, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::types::{Type, TypeId};
use semantics::compare::Comparison;
use semantics::object_set::ObjectId;
use semantics::objects::{Objects, Root, root};
use semantics::pointsto::PointsTo;

/// A number or the address of a function: nothing to write to.
pub(crate) fn is_constant(cfa: &Cfa, expr: ExprId) -> bool {
    let mut at = expr;
    while let Expr::Cast(inner) = cfa.exprs.get(at) {
        at = *inner;
    }
    matches!(cfa.exprs.get(at), Expr::Int(_) | Expr::Float(_) | Expr::FunctionAddress(_))
}

/// Whether an object is a string literal.
pub(crate) fn is_literal(cfa: &Cfa, objects: &Objects, object: ObjectId) -> bool {
    objects.variable_of(object).is_some_and(|v| matches!(cfa.variable(v).kind, VarKind::StringLiteral(_)))
}

/// Whether an object may hold pointers. Integers made of pointers do not count: what they lead to has escaped before.
pub(crate) fn may_point(program: &Cfa, objects: &Objects, object: ObjectId) -> bool {
    objects.get(object).ty.is_none_or(|ty| type_points(program, ty))
}

fn type_points(program: &Cfa, ty: TypeId) -> bool {
    let mut wait = vec![ty];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(ty) = wait.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match program.types.get(ty) {
            Type::Pointer(_) | Type::VaList => return true,
            Type::Array { element, .. } => wait.push(element.ty),
            Type::Record(record) => wait.extend(program.types.record(*record).fields.iter().map(|f| f.ty.ty)),
            Type::Void
            | Type::Bool
            | Type::Int { .. }
            | Type::Float(_)
            | Type::Complex(_)
            | Type::Function(_)
            | Type::Enum(_)
            | Type::Vector { .. } => {}
        }
    }
    false
}

/// Whether the initial value of a foreign variable of the modified program leads where that of the original leads.
pub(crate) fn leads_alike(comparison: &Comparison, variable: VarId) -> bool {
    let Some(other) = comparison.correspondence().identity(variable) else { return false };
    let mine = initial_closure(comparison.modified, variable);
    let theirs = initial_closure(comparison.original, other);
    let (Some(mine), Some(theirs)) = (mine, theirs) else { return false };
    mine.iter().all(|v| comparison.correspondence().identity(*v).is_some_and(|o| theirs.contains(&o)))
}

/// The variables that operations give, by name, a value that may lead to memory of the program.
pub(crate) fn steered(cfa: &Cfa, objects: &Objects, points_to: &PointsTo) -> BTreeSet<VarId> {
    let leads = |value: ExprId| {
        let targets = points_to.targets(value);
        !is_constant(cfa, value) && !targets.iter().all(|o| is_literal(cfa, objects, o)) && type_points(cfa, cfa.exprs.ty(value))
    };
    let variable_at = |place: ExprId| match root(cfa, place) {
        Some(Root::Variable(variable)) => Some(variable),
        Some(Root::Pointer { .. }) | None => None,
    };
    let mut steered = BTreeSet::new();
    for edge in &cfa.edges {
        match &edge.operation {
            Operation::Assign { place, value } if leads(*value) => steered.extend(variable_at(*place)),
            Operation::Call { result, callee, .. } => {
                steered.extend(*result);
                if cfa.enters(*callee) {
                    steered.extend(&cfa.function(*callee).parameters);
                }
            }
            Operation::Asm(asm) => steered.extend(asm.outputs.iter().filter_map(|o| variable_at(o.expr))),
            Operation::Assign { .. }
            | Operation::Declare { .. }
            | Operation::Havoc { .. }
            | Operation::Assume { .. }
            | Operation::Return { .. }
            | Operation::Blank
            | Operation::Unsupported { .. } => {}
        }
    }
    steered
}

/// The variables whose addresses are in the initial value of one, and in theirs.
fn initial_closure(program: &Cfa, variable: VarId) -> Option<BTreeSet<VarId>> {
    let mut closure = BTreeSet::new();
    let mut wait = vec![variable];
    while let Some(v) = wait.pop() {
        if matches!(program.variable(v).kind, VarKind::Global { defined: false, .. }) {
            // It leads where the outside leads.
            continue;
        }
        let is_static = matches!(program.variable(v).kind, VarKind::Global { .. } | VarKind::StaticLocal);
        let Some(initializer) = program.variable(v).initializer.as_ref() else {
            if is_static {
                return None;
            }
            continue;
        };
        if initializer.unsupported.is_some() {
            return None;
        }
        for scalar in &initializer.scalars {
            if let ConstantValue::Address { variable, .. } = scalar.value
                && closure.insert(variable)
            {
                wait.push(variable);
            }
        }
    }
    Some(closure)
}
