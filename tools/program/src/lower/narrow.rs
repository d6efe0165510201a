//! What type gcc gives a bit-field where nothing promotes it: what is assigned to one, counted up in one, or named behind a comma.
//!
//! Such a value has as many bits as the field, and a type that no name in C means, unless that is all of the declared type. It
//! shows where types are asked for: `_Generic`, `typeof`, `sizeof` and the last operand of `__builtin_add_overflow_p`.

use super::place::{Operand, Place};
use super::{Lowered, Lowerer};
use crate::ast::{self, ExprKind, UnaryOp};
use crate::types::{QualType, Type, TypeId};

/// The type of an expression that is a bit-field.
#[derive(Clone, Copy, Debug)]
pub(super) enum FieldType {
    /// The type it is declared with.
    Declared(TypeId),
    /// One of fewer bits.
    Narrow,
}

impl Lowerer<'_> {
    /// The type of an expression that has the type of a bit-field.
    pub(super) fn field_type(&mut self, expr: ast::ExprId) -> Lowered<Option<FieldType>> {
        let field = self.field_behind(expr);
        if !matches!(self.ast[field].kind, ExprKind::Member { .. }) {
            let Operand::Value(value) = self.quietly(|this| this.operand(expr))?.0 else { return Ok(None) };
            return Ok(self.odd(value).map(|_| FieldType::Narrow));
        }
        let Operand::Place(Place { expr, bits: Some(width), .. }) = self.quietly(|this| this.operand(field))?.0 else {
            return Ok(None);
        };
        let ty = self.ty(expr);
        let is_whole = match self.format(ty) {
            Some(format) => matches!(self.types.get(ty), Type::Bool) || width >= format.bits,
            None => false,
        };
        Ok(Some(if is_whole { FieldType::Declared(ty) } else { FieldType::Narrow }))
    }

    /// The type that `typeof` names.
    ///
    /// # Errors
    /// If that is one that has no other name.
    pub(super) fn named_type_of(&mut self, expr: ast::ExprId) -> Lowered<QualType> {
        match self.field_type(expr)? {
            Some(FieldType::Declared(ty)) => Ok(QualType::plain(ty)),
            Some(FieldType::Narrow) => {
                let span = self.ast[expr].span;
                Err(self.error(span, "`typeof` of a bit-field", "has a type of its own, with as many bits"))
            }
            None => {
                let ty = self.type_of(expr)?;
                Ok(self.qualified(ty))
            }
        }
    }

    /// What an expression stores to or names last: it has the type of that.
    fn field_behind(&self, mut expr: ast::ExprId) -> ast::ExprId {
        loop {
            expr = match self.ast[expr].kind {
                ExprKind::Comma { right, .. } => right,
                ExprKind::Assign { target, .. } => target,
                ExprKind::Unary {
                    op: UnaryOp::PreIncrement | UnaryOp::PreDecrement | UnaryOp::PostIncrement | UnaryOp::PostDecrement,
                    operand,
                } => operand,
                _ => return expr,
            };
        }
    }
}
