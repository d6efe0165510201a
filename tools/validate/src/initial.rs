//! What may differ before the first operation: variables that are the same and start with other values.
//!
//! Who is mentioned nowhere, neither by an operation nor from the initial value of one that is, makes no difference.

use program::cfa::{Cfa, ConstantValue, Operation, StaticInitializer, VarId};
use program::expr::{Expr, ExprId};
use semantics::object_set::ObjectSet;

use crate::same::Same;
use crate::touch::Touch;

/// The objects that may differ at the start.
pub(crate) fn differing(same: &mut Same, touch: &Touch) -> ObjectSet {
    let (modified, original) = (touch.modified.cfa, touch.original.cfa);
    let (mine, theirs) = (mentioned(modified), mentioned(original));
    let mut differing = ObjectSet::new();
    for variable in modified.variable_ids() {
        let Some(other) = same.map.content(variable) else { continue };
        let counts = mine[variable.index()] || theirs[other.index()];
        if counts && !is_same(same, touch, (variable, other)) {
            differing.union_with(&touch.modified.variable(variable));
        }
    }
    differing
}

fn is_same(same: &mut Same, touch: &Touch, (variable, other): (VarId, VarId)) -> bool {
    let (modified, original) = (touch.modified.cfa, touch.original.cfa);
    let initializers = (&modified.variable(variable).initializer, &original.variable(other).initializer);
    let (a, b) = match initializers {
        (None, None) => return true,
        (Some(a), Some(b)) => (a, b),
        (Some(_), None) | (None, Some(_)) => return false,
    };
    a.unsupported.is_none() && b.unsupported.is_none() && same_scalars(same, (modified, a), (original, b))
}

fn same_scalars(same: &mut Same, (modified, a): (&Cfa, &StaticInitializer), (original, b): (&Cfa, &StaticInitializer)) -> bool {
    a.scalars.len() == b.scalars.len()
        && a.scalars.iter().zip(&b.scalars).all(|(x, y)| {
            let constants = match (&x.value, &y.value) {
                (ConstantValue::Int(x), ConstantValue::Int(y)) | (ConstantValue::Float(x), ConstantValue::Float(y)) => x == y,
                (ConstantValue::Address { variable: v, offset: i }, ConstantValue::Address { variable: w, offset: j }) => {
                    i == j && same.variables(*v, *w)
                }
                (ConstantValue::Function(f), ConstantValue::Function(g)) => same.map.function(*f) == Some(*g),
                (
                    ConstantValue::Int(_) | ConstantValue::Float(_) | ConstantValue::Address { .. } | ConstantValue::Function(_),
                    _,
                ) => false,
            };
            constants && x.first_bit == y.first_bit && x.width == y.width && same.types.same(modified, x.ty, original, y.ty)
        })
}

/// Which variables operations mention, and which are in the initial values of those.
fn mentioned(cfa: &Cfa) -> Vec<bool> {
    let mut seen = vec![false; cfa.variables.len()];
    let mut open: Vec<VarId> = Vec::new();
    for index in 0..cfa.exprs.len() {
        if let Expr::Variable(variable) = cfa.exprs.get(ExprId::new(index)) {
            open.push(*variable);
        }
    }
    for edge in &cfa.edges {
        open.extend(edge.operation.result());
        if let Operation::Declare { variable } = edge.operation {
            open.push(variable);
        }
    }
    while let Some(variable) = open.pop() {
        if !std::mem::replace(&mut seen[variable.index()], true) {
            let scalars = cfa.variable(variable).initializer.iter().flat_map(|initializer| &initializer.scalars);
            open.extend(scalars.filter_map(|scalar| match scalar.value {
                ConstantValue::Address { variable, .. } => Some(variable),
                ConstantValue::Int(_) | ConstantValue::Float(_) | ConstantValue::Function(_) => None,
            }));
        }
    }
    seen
}
