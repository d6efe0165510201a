//! Pointers that lead to something with pointers in it, although their type says otherwise: `(char *)&record`, or what `memcpy` gets.
//!
//! What is read through one as a number may be a pointer, or a part of one. A pointer that is cast back to its own type is none.
//! Knows types and expressions. Does not know where a pointer leads within its object: that walking from a member to its
//! neighbours is no matter of a cast, nor memory that had no type yet, nor that another record may have its pointers elsewhere.

use program::cfa::Cfa;
use program::expr::{BinaryOp, Expr, ExprId};
use program::types::{Type, TypeId};

use crate::carriers::Carriers;
use crate::objects::{Root, root};
use crate::pointers::{Holds, holds_pointer, is_source};

/// The pointers of a program that hide what they lead to, and numbers that were made of them.
#[derive(Debug)]
pub struct Views {
    carriers: Carriers,
}

impl Views {
    /// The views of a program, if it has any.
    #[must_use]
    pub fn new(cfa: &Cfa) -> Option<Self> {
        let has_some = (0..cfa.exprs.len()).map(ExprId::new).any(|expr| hides(cfa, expr));
        has_some.then(|| Self { carriers: Carriers::new(cfa, &[], |carriers, expr| is_view(cfa, carriers, expr)) })
    }

    /// Whether what is read from a place may be a pointer, or a part of one, without being of such a type.
    #[must_use]
    pub fn reads_pointers(&self, cfa: &Cfa, place: ExprId) -> bool {
        is_behind_view(cfa, &self.carriers, place)
    }
}

/// Whether a view leads to a place.
fn is_behind_view(cfa: &Cfa, carriers: &Carriers, place: ExprId) -> bool {
    matches!(root(cfa, place), Some(Root::Pointer { pointer, .. }) if is_view(cfa, carriers, pointer))
}

/// Whether a value may be a pointer that hides what it leads to, or a number made of one.
fn is_view(cfa: &Cfa, carriers: &Carriers, expr: ExprId) -> bool {
    if hides(cfa, expr) {
        return true;
    }
    if !may_hide(cfa, cfa.exprs.ty(expr)) {
        return false;
    }
    match *cfa.exprs.get(expr) {
        Expr::Cast(operand) => is_view(cfa, carriers, operand),
        Expr::PointerOffset { pointer, .. } => is_view(cfa, carriers, pointer),
        Expr::AddressOf(place) => is_behind_view(cfa, carriers, place),
        Expr::Load(place) => carriers.may_load(cfa, place),
        Expr::Conditional(_, left, right)
        | Expr::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::BitAnd | BinaryOp::BitOr, left, right) => {
            is_view(cfa, carriers, left) || is_view(cfa, carriers, right)
        }
        Expr::Binary(..)
        | Expr::Unary(..)
        | Expr::Int(_)
        | Expr::Float(_)
        | Expr::Zero
        | Expr::FunctionAddress(_)
        | Expr::PointerDifference { .. }
        | Expr::Variable(_)
        | Expr::Dereference { .. }
        | Expr::Field(..)
        | Expr::Index(..) => false,
    }
}

/// Whether a program may read a part of a pointer as a number.
#[must_use]
pub fn may_take_apart(cfa: &Cfa) -> bool {
    (0..cfa.exprs.len())
        .map(ExprId::new)
        .any(|expr| hides(cfa, expr) || matches!(cfa.exprs.get(expr), Expr::Load(_)) && is_source(cfa, expr))
}

/// Whether an expression makes a pointer to something without pointers, or to anything, of one to something with pointers.
#[must_use]
pub fn hides(cfa: &Cfa, expr: ExprId) -> bool {
    let Expr::Cast(operand) = *cfa.exprs.get(expr) else { return false };
    let Type::Pointer(from) = cfa.types.get(cfa.exprs.ty(operand)) else { return false };
    holds_pointer(cfa, from.ty, Holds::Anywhere) && may_hide(cfa, cfa.exprs.ty(expr))
}

/// Whether values of a type may be such pointers: numbers may be, and objects that have numbers or pointers within.
fn may_hide(cfa: &Cfa, ty: TypeId) -> bool {
    match cfa.types.get(ty) {
        Type::Pointer(to) => !holds_pointer(cfa, to.ty, Holds::Anywhere),
        Type::Int { .. } | Type::Enum(_) | Type::Record(_) | Type::Array { .. } => true,
        Type::Void | Type::Bool | Type::Float(_) | Type::Complex(_) | Type::Function(_) | Type::Vector { .. } | Type::VaList => {
            false
        }
    }
}
