//! `__builtin_object_size`: what gcc knows of the size of an object without optimisation.
//!
//! That is everything of an address that names a variable with constant offsets, and nothing of a pointer that is read.

use super::{Lowered, Lowerer};
use crate::ast;
use crate::expr::{Expr, ExprId};
use crate::source::Span;

/// Where a place begins in a variable: bytes to the end of the variable, and to the end of the innermost object that is
/// a member of a record.
#[derive(Clone, Copy)]
struct Rest {
    whole: u64,
    member: u64,
}

/// What is known of an address.
enum Found {
    Sized(Rest),
    /// gcc does not know either.
    Nothing,
    /// We do not know what gcc knows.
    Unclear,
}

impl Lowerer<'_> {
    pub(super) fn object_size(&mut self, pointer: ast::ExprId, kind: ast::ExprId, span: Span) -> Lowered<Option<ExprId>> {
        let kind = self.integer_constant(kind)?.0;
        // To a sum gcc gives no member: `a + 3` is not `&a[3]`.
        let is_sum = kind % 2 == 1 && self.is_sum(pointer);
        // The pointer is not evaluated; one with an effect has no known size.
        let (pointer, effects) = self.quietly(|this| this.value(pointer))?;
        let size = self.size_type();
        let unknown = if kind < 2 { -1 } else { 0 };
        let found = if effects || is_sum { Found::Nothing } else { self.rest_behind(pointer) };
        Ok(match found {
            Found::Sized(rest) => {
                let bytes = if kind % 2 == 0 { rest.whole } else { rest.member };
                Some(self.int(size, bytes.into()))
            }
            Found::Nothing => Some(self.int(size, unknown)),
            Found::Unclear => Some(self.unsupported_value("__builtin_object_size", span, size)),
        })
    }

    fn is_sum(&self, mut pointer: ast::ExprId) -> bool {
        while let ast::ExprKind::Cast { operand, .. } = self.ast[pointer].kind {
            pointer = operand;
        }
        matches!(self.ast[pointer].kind, ast::ExprKind::Binary { .. })
    }

    fn rest_behind(&self, pointer: ExprId) -> Found {
        match *self.exprs.get(pointer) {
            Expr::AddressOf(place) if self.names_variable(place) => self.rest_of(place).map_or(Found::Unclear, Found::Sized),
            Expr::AddressOf(_) | Expr::Load(_) | Expr::Int(_) | Expr::FunctionAddress(_) => Found::Nothing,
            Expr::Cast(inner) => self.rest_behind(inner),
            Expr::PointerOffset { pointer, .. } => match self.rest_behind(pointer) {
                Found::Nothing => Found::Nothing,
                Found::Sized(_) | Found::Unclear => Found::Unclear,
            },
            _ => Found::Unclear,
        }
    }

    /// Whether a place is part of a variable, not of what a pointer leads to.
    fn names_variable(&self, mut place: ExprId) -> bool {
        loop {
            match *self.exprs.get(place) {
                Expr::Variable(_) => return true,
                Expr::Field(outer, _) | Expr::Index(outer, _) => place = outer,
                _ => return false,
            }
        }
    }

    fn rest_of(&self, place: ExprId) -> Option<Rest> {
        match *self.exprs.get(place) {
            Expr::Variable(variable) => {
                let size = self.size_of(self.variables[variable.index()].ty.ty).ok()?;
                Some(Rest { whole: size, member: size })
            }
            Expr::Field(record, number) => {
                let outer = self.rest_of(record)?;
                let crate::types::Type::Record(id) = *self.types.get(self.ty(record)) else { return None };
                let record = self.types.record(id);
                // Of a member of a union, and of a last member, gcc takes more.
                let last = number as usize + 1 == record.fields.len();
                let is_array = matches!(self.types.get(self.ty(place)), crate::types::Type::Array { .. });
                if record.is_union || (last && is_array) {
                    return None;
                }
                let field = record.fields.get(number as usize)?;
                let size = self.size_of(self.ty(place)).ok()?;
                Some(Rest { whole: outer.whole.checked_sub(field.offset)?, member: size })
            }
            Expr::Index(array, index) => {
                let outer = self.rest_of(array)?;
                let Expr::Int(index) = *self.exprs.get(index) else { return None };
                let bytes = self.size_of(self.ty(place)).ok()?.checked_mul(u64::try_from(index).ok()?)?;
                let inner = self.size_of(self.ty(array)).ok()?;
                // A row of an array of arrays is an object of its own to gcc in some releases only.
                if matches!(*self.exprs.get(array), Expr::Index(..)) {
                    return None;
                }
                let member = if inner < outer.member { inner } else { outer.member };
                Some(Rest { whole: outer.whole.checked_sub(bytes)?, member: member.checked_sub(bytes)? })
            }
            _ => None,
        }
    }
}
