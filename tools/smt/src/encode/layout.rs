//! What depends on where objects lie in memory: here any value.
//!
//! Addresses are constants of this encoder, so that comparisons of the addresses of two objects, and bits of them that their
//! alignment does not decide, would come out as its own layout has it. What a term shows to be such an operation has any
//! result. That is not all there is: a number that is an address by a constraint only is not seen.
//! Only programs that make numbers of pointers are looked at for bits; literals are never taken for addresses.

use program::cfa::{Cfa, VarId};
use program::expr::{BinaryOp, Expr, ExprId};
use program::types::Type;

use super::Context;
use super::shape::{Class, Scalar};
use crate::terms::{Sort, TermId};

/// Whether a program makes numbers of pointers.
pub(super) fn exposes_addresses(cfa: &Cfa) -> bool {
    (0..cfa.exprs.len()).map(ExprId::new).any(|expr| {
        let Expr::Cast(operand) = *cfa.exprs.get(expr) else { return false };
        let pointer = matches!(cfa.types.get(cfa.exprs.ty(operand)), Type::Pointer(_));
        pointer && matches!(cfa.types.get(cfa.exprs.ty(expr)), Type::Int { .. } | Type::Enum(_))
    })
}

impl Context<'_, '_> {
    /// The object whose address a value is, as far as that shows.
    fn addressed(&self, expr: ExprId, value: TermId) -> Option<VarId> {
        let literal = matches!(self.encoder.cfa.exprs.get(expr), Expr::Int(_));
        if literal || self.encoder.symbolic || self.store.width(value) != self.word() {
            return None;
        }
        self.named_object(value)
    }

    /// The result of a comparison of the addresses of two objects, if it is one.
    pub(super) fn address_order(&mut self, op: BinaryOp, a: (ExprId, TermId), b: (ExprId, TermId)) -> Option<TermId> {
        let ordered = matches!(op, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual);
        if !ordered {
            return None;
        }
        let (left, right) = (self.addressed(a.0, a.1)?, self.addressed(b.0, b.1)?);
        (left != right).then(|| self.arbitrary("order of addresses", Sort::Bool))
    }

    /// The result of an operator on an address that yields bits its alignment does not decide.
    pub(super) fn address_bits(
        &mut self,
        op: BinaryOp,
        a: (ExprId, TermId),
        b: (ExprId, TermId),
        scalar: Scalar,
    ) -> Option<TermId> {
        if !self.encoder.exposes || scalar.class == Class::Float {
            return None;
        }
        let (left, right) = (self.addressed(a.0, a.1), self.addressed(b.0, b.1));
        let strange = match (left, right) {
            (None, None) => false,
            (Some(x), Some(y)) => x != y && op != BinaryOp::Add,
            (Some(variable), None) => !self.keeps(op, variable, b.1),
            (None, Some(variable)) => op != BinaryOp::Subtract && !self.keeps(op, variable, a.1),
        };
        strange.then(|| {
            let sort = self.store.sort(a.1);
            self.arbitrary("bits of an address", sort)
        })
    }

    /// An address that is cut.
    pub(super) fn address_part(&mut self, operand: (ExprId, TermId), to: Scalar) -> Option<TermId> {
        let cuts = self.encoder.exposes && to.class == Class::Integer && to.width < self.word();
        if !cuts || self.addressed(operand.0, operand.1).is_none() {
            return None;
        }
        Some(self.arbitrary("bits of an address", Sort::BitVec(to.width)))
    }

    /// Whether an operator with this other operand is the same for all addresses that the object may have.
    fn keeps(&self, op: BinaryOp, variable: VarId, other: TermId) -> bool {
        // Pieces of the heap are no variables of the program.
        let align = self.encoder.cfa.variables.get(variable.index()).map_or(1, |known| known.align.max(1));
        let align = u128::from(align);
        let other = self.store.as_bits(other);
        let all = crate::terms::mask(self.word());
        match op {
            BinaryOp::BitAnd => other.is_some_and(|mask| mask < align || (all & !mask) < align),
            BinaryOp::BitOr | BinaryOp::BitXor => other.is_some_and(|bits| bits < align),
            BinaryOp::Remainder => other.is_some_and(|by| by.is_power_of_two() && by <= align),
            BinaryOp::Multiply | BinaryOp::Divide => other.is_some_and(|by| by <= 1),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => other == Some(0),
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::LogicalAnd
            | BinaryOp::LogicalOr => true,
        }
    }
}
