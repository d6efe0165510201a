//! Where pointers become numbers: by casts, and as the other member of a union; [`views`](crate::views) are the third way.
//!
//! Knows types and expressions. Does not see what becomes of a number.

use program::cfa::Cfa;
use program::expr::{Expr, ExprId};
use program::types::{Type, TypeId};

/// Whether an expression makes a number of a pointer: by a cast, or as the other member of a union.
#[expect(clippy::wildcard_enum_match_arm, reason = "few expressions are meant")]
#[must_use]
pub fn is_source(cfa: &Cfa, expr: ExprId) -> bool {
    if !matches!(cfa.types.get(cfa.exprs.ty(expr)), Type::Int { .. } | Type::Enum(_)) {
        return false;
    }
    match *cfa.exprs.get(expr) {
        Expr::Cast(operand) => is_pointer(cfa, cfa.exprs.ty(operand)),
        Expr::Load(place) => is_in_union(cfa, place),
        _ => false,
    }
}

fn is_pointer(cfa: &Cfa, ty: TypeId) -> bool {
    matches!(cfa.types.get(ty), Type::Pointer(_))
}

/// Whether a place lies in a union that has a pointer.
#[expect(clippy::wildcard_enum_match_arm, reason = "few expressions are meant")]
#[must_use]
pub fn is_in_union(cfa: &Cfa, place: ExprId) -> bool {
    match *cfa.exprs.get(place) {
        Expr::Field(record, _) => holds_pointer(cfa, cfa.exprs.ty(record), Holds::InUnion) || is_in_union(cfa, record),
        Expr::Index(array, _) => is_in_union(cfa, array),
        _ => false,
    }
}

/// Whether an expression is the address of a label, which is a number to the program.
#[must_use]
pub fn is_label(cfa: &Cfa, expr: ExprId) -> bool {
    let Expr::Int(value) = *cfa.exprs.get(expr) else { return false };
    let label = u64::try_from(value).ok().and_then(|address| cfa.machine.label_at(address));
    is_pointer(cfa, cfa.exprs.ty(expr)) && label.is_some()
}

/// What is asked of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Whether it is a union that has a pointer.
    InUnion,
    /// Whether there is a pointer in it.
    Anywhere,
}

/// Whether objects of a type have a pointer.
#[must_use]
pub fn holds_pointer(cfa: &Cfa, ty: TypeId, how: Holds) -> bool {
    match cfa.types.get(ty) {
        Type::Pointer(_) => how == Holds::Anywhere,
        Type::Array { element, .. } => how == Holds::Anywhere && holds_pointer(cfa, element.ty, how),
        Type::Record(record) => {
            let record = cfa.types.record(*record);
            (record.is_union || how == Holds::Anywhere)
                && record.fields.iter().any(|field| holds_pointer(cfa, field.ty.ty, Holds::Anywhere))
        }
        Type::Void
        | Type::Bool
        | Type::Int { .. }
        | Type::Float(_)
        | Type::Complex(_)
        | Type::Function(_)
        | Type::Enum(_)
        | Type::Vector { .. }
        | Type::VaList => false,
    }
}
