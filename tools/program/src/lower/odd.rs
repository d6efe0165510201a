//! Values that gcc computes in an integer type of a bit-field's own width: one of more than `int` and less than its declared type.
//!
//! Such a value has the declared type here and is known by a conversion to it that changes nothing and that nothing else makes, so
//! that a conversion that the program asks for is another expression. Of two integer types the one with more bits wins, whatever
//! its sign; what is converted to fewer bits, and what comes of `+`, `-`, `*` and `<<`, is cut off. Signed values of that kind are
//! not computed with where they could overflow.

use super::Lowerer;
use super::build::Class;
use crate::ast::BinaryOp as Op;
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::types::TypeId;

/// A width that no type has a name for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Odd {
    pub(super) width: u32,
    pub(super) signed: bool,
}

impl Lowerer<'_> {
    /// The width of a value, if it has one of its own.
    pub(super) fn odd(&self, value: ExprId) -> Option<Odd> {
        if self.odd_widths.is_empty() { None } else { self.odd_widths.get(&value).copied() }
    }

    /// A value of the declared type as one that has a width of its own.
    pub(super) fn with_width(&mut self, value: ExprId, odd: Odd) -> ExprId {
        let value = self.without_width(value);
        let ty = self.ty(value);
        let marked = self.exprs.intern(Expr::Cast(value), ty);
        self.odd_widths.insert(marked, odd);
        marked
    }

    /// The value with its declared type.
    pub(super) fn without_width(&self, value: ExprId) -> ExprId {
        match *self.exprs.get(value) {
            Expr::Cast(inner) if self.odd(value).is_some() => inner,
            _ => value,
        }
    }

    /// Both operands of an operator in the type that gcc converts them to, and its width if that is one of its own. The operands
    /// have none then.
    pub(super) fn in_common_width(&mut self, a: ExprId, b: ExprId) -> (ExprId, ExprId, Option<Odd>) {
        let (x, y) = (self.width_of(a), self.width_of(b));
        let (Some(x), Some(y)) = (x, y) else { return (a, b, None) };
        if self.odd(a).is_none() && self.odd(b).is_none() {
            return (a, b, None);
        }
        let winner = match x.width.cmp(&y.width) {
            std::cmp::Ordering::Greater => (a, x),
            std::cmp::Ordering::Less => (b, y),
            std::cmp::Ordering::Equal => (if x.signed { b } else { a }, Odd { signed: x.signed && y.signed, ..x }),
        };
        let ty = self.promoted(self.ty(winner.0));
        let (p, q) = (self.widened(a, winner.1, ty), self.widened(b, winner.1, ty));
        (p, q, self.odd(winner.0).map(|_| winner.1))
    }

    /// The width of an integer after promotion; `None` for other types.
    fn width_of(&self, value: ExprId) -> Option<Odd> {
        if let Some(odd) = self.odd(value) {
            return Some(odd);
        }
        let ty = self.promoted(self.ty(value));
        if self.class(ty) != Class::Integer {
            return None;
        }
        self.format(ty).map(|format| Odd { width: format.bits, signed: format.signed })
    }

    /// A value converted to so many bits, in a type that has at least as many.
    fn widened(&mut self, value: ExprId, to: Odd, ty: TypeId) -> ExprId {
        let from = self.width_of(value);
        let constant = matches!(self.exprs.get(value), Expr::Int(_)) && !self.is_negative(value);
        let fits = from.is_some_and(|from| from.width <= to.width && (to.signed || !from.signed || constant));
        let value = self.convert(value, ty);
        let whole = self.format(ty).is_none_or(|format| format.bits <= to.width);
        if fits || whole { value } else { self.cut(value, to) }
    }

    fn is_negative(&self, value: ExprId) -> bool {
        let (Expr::Int(bits), Some(format)) = (self.exprs.get(value), self.format(self.ty(value))) else { return false };
        format.signed && bits >> (format.bits - 1) & 1 == 1
    }

    /// The lowest bits of an unsigned value.
    fn cut(&mut self, value: ExprId, to: Odd) -> ExprId {
        let ty = self.ty(value);
        let mask = self.int(ty, ((1u128 << to.width) - 1).cast_signed());
        self.binary(BinaryOp::BitAnd, value, mask)
    }

    /// Whether an operator on such values can overflow, or stands for something else than in the declared type.
    pub(super) fn may_leave_width(&self, op: Op, odd: Odd) -> bool {
        odd.signed && matches!(op, Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Remainder | Op::ShiftLeft)
    }

    /// What an operator yields in such a width.
    pub(super) fn result_of_width(&mut self, value: ExprId, odd: Odd) -> ExprId {
        let value = if odd.signed { value } else { self.cut(value, odd) };
        self.with_width(value, odd)
    }
}
