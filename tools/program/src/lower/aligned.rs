//! Types that `typedef` gives an alignment of their own, where `typeof` asks for the type of an expression.
//!
//! gcc keeps such an alignment through variables, members, pointers and most operators; types here do not have it. Where the
//! alignment shows (members, names of types, `_Alignof`) a type that may have one makes the program unsupported.

use super::Lowerer;
use super::place::Operand;
use crate::ast::{self, BaseType, ExprKind};
use crate::layout::{AlignedAs, align_of};
use crate::source::Span;
use crate::types::TypeId;

impl Lowerer<'_> {
    /// Takes note of a type with a name and an alignment other than its own.
    pub(super) fn note_aligned(&mut self, ty: TypeId, align: Option<u64>) {
        if align.is_some_and(|align| !self.is_natural(ty, align)) {
            self.aligned.insert(ty);
        }
    }

    fn is_natural(&self, ty: TypeId, align: u64) -> bool {
        [AlignedAs::Member, AlignedAs::Object].into_iter().all(|kind| align_of(&self.types, self.machine, ty, kind) == align)
    }

    /// Refuses the type `ty` named by `base` where its alignment shows, if that may come from the operand of a `typeof`.
    pub(super) fn refuse_unsure_alignment(&mut self, base: BaseType, ty: TypeId, span: Span) {
        let operand = self.operand_of_typeof(base).filter(|_| self.aligned.contains(&ty));
        if operand.is_some_and(|operand| self.may_keep_alignment(operand)) {
            self.refuse_alignment(span);
        }
    }

    fn refuse_alignment(&mut self, span: Span) {
        self.before_entry.push(("alignment of the type of an expression".into(), span));
    }

    fn operand_of_typeof(&self, base: BaseType) -> Option<ast::ExprId> {
        match base {
            BaseType::TypeofExpr(operand) => Some(operand),
            BaseType::TypeofType(name) | BaseType::Atomic(name) => self.operand_of_typeof(self.ast[name].specifiers.base),
            _ => None,
        }
    }

    /// Operators and casts have values of types without an alignment.
    fn may_keep_alignment(&self, expr: ast::ExprId) -> bool {
        let kind = &self.ast[expr].kind;
        !matches!(
            kind,
            ExprKind::Binary { .. } | ExprKind::Cast { .. } | ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Char(_)
        )
    }

    /// Refuses `_Alignof` of an object whose alignment is not that of its declaration.
    pub(super) fn refuse_unsure_alignof(&mut self, operand: Operand, declared: Option<u64>, span: Span) {
        if let Operand::Place(place) = operand {
            let ty = self.ty(place.expr);
            if self.aligned.contains(&ty) && declared.is_none_or(|align| self.is_natural(ty, align)) {
                self.refuse_alignment(span);
            }
        }
    }
}
