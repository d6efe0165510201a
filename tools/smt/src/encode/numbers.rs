//! Which integers of a program may be addresses: those that were made of pointers, and what was made of them.
//!
//! Pointers become integers by casts, as members of a union, and where they are read through pointers that hide them.
//! Knows the operations of a program. Does not see integers from outside: those are addresses by luck.

use std::collections::BTreeSet;

use program::cfa::{Cfa, ConstantValue, VarId};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::types::Type;
use semantics::carriers::Carriers;
use semantics::pointers::is_source;
use semantics::views::Views;

/// The integers that may be addresses.
#[derive(Debug)]
pub(super) struct Numbers {
    carriers: Carriers,
    /// Pointers that lead to pointers, but not by their type.
    views: Option<Views>,
}

/// The variables of a program that may hold addresses as numbers, or have one within them.
#[must_use]
pub fn numbers_of_addresses(cfa: &Cfa) -> BTreeSet<VarId> {
    let numbers = Numbers::new(cfa);
    cfa.variable_ids().filter(|variable| numbers.as_ref().is_some_and(|numbers| numbers.holds(*variable))).collect()
}

impl Numbers {
    /// The numbers of a program, if any is made of a pointer.
    pub(super) fn new(cfa: &Cfa) -> Option<Self> {
        let views = Views::new(cfa);
        let initial: Vec<VarId> = cfa.variable_ids().filter(|variable| is_made_of_pointers(cfa, *variable)).collect();
        let mut exprs = (0..cfa.exprs.len()).map(ExprId::new);
        if views.is_none() && initial.is_empty() && !exprs.any(|expr| is_source(cfa, expr)) {
            return None;
        }
        let is_one = |carriers: &Carriers, expr| is_address(cfa, carriers, views.as_ref(), expr);
        Some(Self { carriers: Carriers::new(cfa, &initial, is_one), views })
    }

    /// Whether a variable may hold one, or have one within it.
    pub(super) fn holds(&self, variable: VarId) -> bool {
        self.carriers.holds(variable)
    }

    /// Whether a pointer that hides what it leads to may lead to a place.
    pub(super) fn is_hidden(&self, cfa: &Cfa, place: ExprId) -> bool {
        self.views.as_ref().is_some_and(|views| views.reads_pointers(cfa, place))
    }

    /// Whether the value of an expression may be an address as a number.
    pub(super) fn is_address(&self, cfa: &Cfa, expr: ExprId) -> bool {
        is_address(cfa, &self.carriers, self.views.as_ref(), expr)
    }
}

fn is_address(cfa: &Cfa, carriers: &Carriers, views: Option<&Views>, expr: ExprId) -> bool {
    if matches!(cfa.types.get(cfa.exprs.ty(expr)), Type::Pointer(_)) {
        return false;
    }
    if is_source(cfa, expr) {
        return true;
    }
    let is_one = |expr| is_address(cfa, carriers, views, expr);
    match *cfa.exprs.get(expr) {
        Expr::Cast(operand) | Expr::Unary(UnaryOp::Negate | UnaryOp::Complement, operand) => is_one(operand),
        Expr::Load(place) => views.is_some_and(|views| views.reads_pointers(cfa, place)) || carriers.may_load(cfa, place),
        Expr::Conditional(_, left, right)
        // The difference of two is none, and which of both is one is not known.
        | Expr::Binary(
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor,
            left,
            right,
        ) => is_one(left) || is_one(right),
        // The other operators look at bits.
        Expr::Binary(..)
        | Expr::Unary(UnaryOp::Not, _)
        | Expr::Int(_)
        | Expr::Float(_)
        | Expr::Zero
        | Expr::AddressOf(_)
        | Expr::FunctionAddress(_)
        | Expr::PointerOffset { .. }
        | Expr::PointerDifference { .. }
        | Expr::Variable(_)
        | Expr::Dereference { .. }
        | Expr::Field(..)
        | Expr::Index(..) => false,
    }
}

/// Whether a number within a static object is an address from the start.
fn is_made_of_pointers(cfa: &Cfa, variable: VarId) -> bool {
    let is_address = |value: &ConstantValue| matches!(value, ConstantValue::Address { .. } | ConstantValue::Function(_));
    let is_pointer = |ty| matches!(cfa.types.get(ty), Type::Pointer(_));
    let initializer = cfa.variable(variable).initializer.as_ref();
    initializer.is_some_and(|known| known.scalars.iter().any(|scalar| is_address(&scalar.value) && !is_pointer(scalar.ty)))
}
