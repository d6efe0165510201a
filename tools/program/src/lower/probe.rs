//! Probes: expressions from outside are lowered where lowering comes to their places.

use super::flags::{EDGES, EFFECT, TRAP};
use super::{Lowered, Lowerer};
use crate::ast;
use crate::cfa::Operation;
use crate::expr::ExprId;
use crate::source::Span;

impl Lowerer<'_> {
    /// The probes before a statement, or at the beginning of a function whose body it is.
    pub(super) fn probe_statement(&mut self, id: ast::StmtId) {
        if let Some(numbers) = self.probes.statements.get(&id).cloned() {
            numbers.into_iter().for_each(|number| self.probe(number));
        }
    }

    /// The probes where a loop begins a round.
    pub(super) fn probe_loop(&mut self, span: Span) {
        if let Some(numbers) = self.probes.loops.get(&span).cloned() {
            numbers.into_iter().for_each(|number| self.probe(number));
        }
    }

    fn probe(&mut self, number: usize) {
        let (expr, span, exit) = {
            let reading = &self.probes.all[number];
            (reading.expr, reading.span, reading.exit)
        };
        if self.quiet > 0 {
            return;
        }
        let found = self.probed(expr, span);
        let reading = &mut self.probes.all[number];
        reading.found = Some(found);
        reading.function = self.body.function;
        if !exit {
            self.emit(Operation::Blank, span);
        }
    }

    fn probed(&mut self, expr: ast::ExprId, span: Span) -> Lowered<(ExprId, bool)> {
        let flags = self.flags[expr.index()];
        let effects =
            || self.error(span, "the expression has effects, or calls a function", "only what is there can be looked at");
        if flags & (EFFECT | EDGES) != 0 {
            return Err(effects());
        }
        if flags & TRAP == 0 {
            return Ok((self.scalar(expr)?, true));
        }
        let (value, impure) = self.quietly(|this| this.scalar(expr))?;
        if impure {
            return Err(self.error(span, "the expression takes steps of its own", "too much to be looked at"));
        }
        Ok((value, false))
    }
}
