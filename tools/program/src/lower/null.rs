//! Which expressions are null pointer constants: it depends on how they are written, not on what they are.
//!
//! `c ? p : (void *)0` has the type of `p`, `c ? p : (void *)(void *)0` and `c ? p : (void *)(x - x)` have type `void *`: the
//! constant is an integer constant expression of value 0, or one that is cast once to `void *` (C17 6.3.2.3). That its value
//! is 0 is known of what it is lowered to.

use super::Lowerer;
use super::build::Class;
use super::scope::Entity;
use crate::ast::{self, ExprKind, UnaryOp};
use crate::expr::{Expr, ExprId};
use crate::source::Span;

impl Lowerer<'_> {
    /// Whether a pointer that is lowered to `value` is a null pointer constant as it is written.
    pub(super) fn is_null_pointer_constant(&mut self, written: ast::ExprId, value: ExprId) -> bool {
        let is_zero = matches!(self.exprs.get(value), Expr::Int(0)) && self.ty(value) == self.basic.void_pointer;
        is_zero && self.is_cast_constant(written)
    }

    fn is_cast_constant(&mut self, expr: ast::ExprId) -> bool {
        match self.ast[expr].kind {
            ExprKind::Cast { operand, .. } => self.is_integer_constant(operand),
            _ => self.passed_on(expr).is_some_and(|inner| self.is_cast_constant(inner)),
        }
    }

    /// Whether an expression is an integer constant expression as it is written.
    fn is_integer_constant(&mut self, expr: ast::ExprId) -> bool {
        let ast = self.ast;
        match &ast[expr].kind {
            ExprKind::Integer(_)
            | ExprKind::Char(_)
            | ExprKind::SizeofExpr(_)
            | ExprKind::SizeofType(_)
            | ExprKind::AlignofExpr(_)
            | ExprKind::AlignofType { .. }
            | ExprKind::Offsetof { .. }
            | ExprKind::TypesCompatible(..) => true,
            ExprKind::Name(name) => matches!(self.scopes.lookup(*name), Some(Entity::Constant(..))),
            ExprKind::Unary { op: UnaryOp::Minus | UnaryOp::Plus | UnaryOp::Not | UnaryOp::BitNot, operand } => {
                self.is_integer_constant(*operand)
            }
            ExprKind::Binary { left, right, .. } => self.is_integer_constant(*left) && self.is_integer_constant(*right),
            ExprKind::Conditional { condition, then, otherwise } => {
                let written = [Some(*condition), *then, Some(*otherwise)];
                written.into_iter().flatten().all(|part| self.is_integer_constant(part))
            }
            ExprKind::Cast { operand, .. } => {
                let is_float = matches!(ast[*operand].kind, ExprKind::Float(_));
                (is_float || self.is_integer_constant(*operand))
                    && self.type_of(expr).is_ok_and(|ty| self.class(ty.ty) == Class::Integer)
            }
            ExprKind::Call { callee, .. } => self.is_folded_call(*callee, ast[expr].span),
            _ => self.passed_on(expr).is_some_and(|inner| self.is_integer_constant(inner)),
        }
    }

    /// gcc makes constants of calls of builtins; of which ones depends on what it can fold.
    fn is_folded_call(&mut self, callee: ast::ExprId, span: Span) -> bool {
        let ExprKind::Name(name) = self.ast[callee].kind else { return false };
        if self.is_builtin(callee, "constant_p") {
            return true;
        }
        if self.ast.name(name).starts_with("__builtin_") {
            self.unsupported("null pointer made of what a builtin returns", span);
        }
        false
    }

    /// The operand that an expression stands for without changing it.
    fn passed_on(&mut self, expr: ast::ExprId) -> Option<ast::ExprId> {
        let ast = self.ast;
        match &ast[expr].kind {
            ExprKind::Unary { op: UnaryOp::Extension, operand } => Some(*operand),
            ExprKind::Choose { condition, then, otherwise } => {
                let condition = self.integer_constant(*condition).ok()?.0;
                Some(if condition != 0 { *then } else { *otherwise })
            }
            ExprKind::Generic { control, associations } => self.association(*control, associations, ast[expr].span).ok(),
            _ => None,
        }
    }
}
