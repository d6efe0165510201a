//! Which programs may look at the bits of floating-point numbers they computed: only there it matters which NaN an operation yields.
//!
//! Knows types and casts of a program. Does not know where pointers lead, nor which numbers are computed.

use program::cfa::Cfa;
use program::expr::{Expr, ExprId};
use program::types::{Type, TypeId};

/// Whether a program may read a floating-point number as something else: as another member of a union, or through a pointer
/// that was cast. Fresh memory that becomes what it is modelled as does not count.
pub(super) fn sees_bits_of_floats(cfa: &Cfa, is_first_view: impl Fn(ExprId) -> bool) -> bool {
    let mut records = cfa.types.records();
    let has_union = records.any(|(_, record)| record.is_union && record.fields.iter().any(|field| holds_float(cfa, field.ty.ty)));
    has_union || (0..cfa.exprs.len()).map(ExprId::new).any(|expr| is_recast(cfa, expr) && !is_first_view(expr))
}

/// Whether a pointer to something with a float in it becomes one to something else, or the other way round.
fn is_recast(cfa: &Cfa, expr: ExprId) -> bool {
    let Expr::Cast(operand) = *cfa.exprs.get(expr) else { return false };
    let pointed = |expr: ExprId| {
        let Type::Pointer(to) = cfa.types.get(cfa.exprs.ty(expr)) else { return None };
        Some(to.ty)
    };
    let (from, to) = (pointed(operand), pointed(expr));
    let is_constant = matches!(cfa.exprs.get(operand), Expr::Int(_));
    from != to && !is_constant && [from, to].into_iter().flatten().any(|ty| holds_float(cfa, ty))
}

/// Whether a type has a float in it; a function does if it takes or yields one.
fn holds_float(cfa: &Cfa, ty: TypeId) -> bool {
    match cfa.types.get(ty) {
        Type::Float(_) | Type::Complex(_) => true,
        Type::Array { element, .. } => holds_float(cfa, element.ty),
        Type::Record(record) => cfa.types.record(*record).fields.iter().any(|field| holds_float(cfa, field.ty.ty)),
        Type::Function(function) => function.parameters.iter().chain([&function.result]).any(|part| holds_float(cfa, part.ty)),
        Type::Void | Type::Bool | Type::Int { .. } | Type::Pointer(_) | Type::Enum(_) | Type::Vector { .. } | Type::VaList => {
            false
        }
    }
}
