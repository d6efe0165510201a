//! `x = c ? a : b` and `return c ? a : b` as what `if (c) x = a; else x = b;` is: two ways, not one value.
//!
//! So a program whose `if` became a `?:`, or the other way round, has the same automaton, and a change of one of the values
//! leaves the other way as it was. Values that are only part of an expression stay expressions (`condition`), and so do `x = a && b`
//! and comparisons that are returned: on two ways, a guard that became stricter would part from the original's where it fails.

use super::cursor::Cursor;
use super::{Lowerer, RED_ZONE, STACK_STEP};
use crate::cfa::Operation;
use crate::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use crate::source::Span;

impl Lowerer<'_> {
    /// Takes note of a `?:` of the program whose values have no effect.
    pub(super) fn choice(&mut self, value: ExprId) -> ExprId {
        self.body.choices.insert(value);
        value
    }

    /// Emits an operation with a value, on ways of their own if the value is a choice.
    pub(super) fn emit_choice(&mut self, value: ExprId, span: Span, operation: &dyn Fn(ExprId) -> Operation) {
        self.emit_ways(value, None, span, operation);
    }

    /// `whole` is the choice of which the value is a part, if that says more than the value does.
    fn emit_ways(&mut self, value: ExprId, whole: Option<ExprId>, span: Span, operation: &dyn Fn(ExprId) -> Operation) {
        let Some((truth, then, otherwise)) = self.chosen(value).filter(|_| self.quiet == 0) else {
            if let Some(edge) = self.emit(operation(value), span) {
                self.edges[edge.index()].choice = whole;
            }
            return;
        };
        let whole = whole.or(Some(value));
        let (holds, fails) = self.ways(truth, span);
        self.body.cursor = holds;
        stacker::maybe_grow(RED_ZONE, STACK_STEP, || self.emit_ways(then, whole, span, operation));
        let end = self.body.cursor.take();
        self.body.cursor = fails;
        stacker::maybe_grow(RED_ZONE, STACK_STEP, || self.emit_ways(otherwise, whole, span, operation));
        let here = self.body.cursor.take();
        self.body.cursor = self.merge(end, here, span);
    }

    /// The condition and the values of a choice, converted as the choice is.
    fn chosen(&mut self, value: ExprId) -> Option<(ExprId, ExprId, ExprId)> {
        match *self.exprs.get(value) {
            Expr::Conditional(truth, then, otherwise) if self.body.choices.contains(&value) => Some((truth, then, otherwise)),
            Expr::Cast(inner) => {
                let ty = self.ty(value);
                let (truth, then, otherwise) = self.chosen(inner)?;
                Some((truth, self.convert(then, ty), self.convert(otherwise, ty)))
            }
            _ => None,
        }
    }

    /// Branches on a value as on the condition of an `if`.
    fn ways(&mut self, truth: ExprId, span: Span) -> (Cursor, Cursor) {
        let span = self.body.written.get(&truth).copied().unwrap_or(span);
        match *self.exprs.get(truth) {
            Expr::Binary(op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), left, right) => {
                let (holds, fails) = self.ways(left, span);
                let (on, off) = if op == BinaryOp::LogicalAnd { (holds, fails) } else { (fails, holds) };
                self.body.cursor = on;
                let (holds, fails) = self.ways(right, span);
                if op == BinaryOp::LogicalAnd {
                    (holds, self.merge(off, fails, span))
                } else {
                    (self.merge(off, holds, span), fails)
                }
            }
            Expr::Unary(UnaryOp::Not, operand) => {
                let (holds, fails) = self.ways(operand, span);
                (fails, holds)
            }
            _ => {
                let truth = self.truth(truth);
                self.fork(truth, span)
            }
        }
    }
}
