//! Comparisons and sums of numbers of any integer types, converted as C does.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use program::types::{IntRank, Type, TypeId};

use crate::Editor;

/// Makes expressions of integers.
#[derive(Debug)]
pub(super) struct Arithmetic<'a> {
    pub(super) editor: &'a mut Editor,
}

impl Arithmetic<'_> {
    /// The width and signedness of an integer type.
    pub(super) fn integer(&self, ty: TypeId) -> Option<(u32, bool)> {
        match *self.editor.parts.types.get(ty) {
            Type::Bool => Some((1, false)),
            Type::Int { rank, signed } => Some((8 * u32::try_from(self.editor.parts.machine.int_size(rank)).ok()?, signed)),
            _ => None,
        }
    }

    /// A value after integer promotion.
    fn promoted(&mut self, value: ExprId) -> ExprId {
        let narrow = match self.editor.parts.types.get(self.editor.type_of(value)) {
            Type::Bool => true,
            Type::Int { rank, .. } => *rank < IntRank::Int,
            _ => false,
        };
        let int = self.editor.int();
        if narrow { self.editor.expr(Expr::Cast(value), int) } else { value }
    }

    /// Two integers in their common type; `None` if one is none.
    fn common(&mut self, a: ExprId, b: ExprId) -> Option<(ExprId, ExprId, TypeId)> {
        let (a, b) = (self.promoted(a), self.promoted(b));
        let (one, other) = (self.editor.type_of(a), self.editor.type_of(b));
        let ((wide, signed), (other_wide, _)) = (self.integer(one)?, self.integer(other)?);
        if one == other {
            return Some((a, b, one));
        }
        // Of two types of one width the unsigned one is meant.
        let ty = if wide > other_wide || (wide == other_wide && !signed) { one } else { other };
        let mut cast = |value: ExprId| {
            if self.editor.type_of(value) == ty { value } else { self.editor.expr(Expr::Cast(value), ty) }
        };
        Some((cast(a), cast(b), ty))
    }

    /// A comparison of two integers.
    pub(super) fn compare(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (a, b, _) = self.common(a, b)?;
        let int = self.editor.int();
        Some(self.editor.expr(Expr::Binary(op, a, b), int))
    }

    /// A sum, difference or product of two integers.
    pub(super) fn sum(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (a, b, ty) = self.common(a, b)?;
        Some(self.editor.expr(Expr::Binary(op, a, b), ty))
    }

    /// A number in the type that a value has after promotion; `None` if it does not fit.
    pub(super) fn like(&mut self, value: ExprId, number: i128) -> Option<ExprId> {
        let value = self.promoted(value);
        let ty = self.editor.type_of(value);
        let (width, signed) = self.integer(ty)?;
        let mask = u128::MAX >> (128 - width.clamp(1, 128));
        let high = if signed { mask >> 1 } else { mask };
        let high = i128::try_from(high).unwrap_or(i128::MAX);
        let low = if signed { -high - 1 } else { 0 };
        (low..=high).contains(&number).then(|| self.editor.number(ty, number.cast_unsigned() & mask))
    }

    /// A comparison of a value with a number.
    pub(super) fn bound(&mut self, op: BinaryOp, value: ExprId, number: i128) -> Option<ExprId> {
        let number = self.like(value, number)?;
        self.compare(op, value, number)
    }

    /// That a scalar is zero.
    pub(super) fn not(&mut self, value: ExprId) -> ExprId {
        let int = self.editor.int();
        if let Expr::Binary(op, a, b) = *self.editor.parts.exprs.get(value)
            && let Some(opposite) = op.opposite()
            && self.integer(self.editor.type_of(a)).is_some()
        {
            return self.editor.expr(Expr::Binary(opposite, a, b), int);
        }
        let value = self.editor.truth(value);
        self.editor.expr(Expr::Unary(UnaryOp::Not, value), int)
    }

    /// That one of some truths holds.
    pub(super) fn any(&mut self, values: &[ExprId]) -> Option<ExprId> {
        let int = self.editor.int();
        let mut all = values.iter().copied();
        let mut either = self.editor.truth(all.next()?);
        for value in all {
            let value = self.editor.truth(value);
            either = self.editor.expr(Expr::Binary(BinaryOp::LogicalOr, either, value), int);
        }
        Some(either)
    }
}
