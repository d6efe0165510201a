//! `switch`: a chain of comparisons in the order of the labels, then `default`.

use super::build::Class;
use super::cursor::Cursor;
use super::flow::{Case, Switch};
use super::place::Operand;
use super::{Lowered, Lowerer};
use crate::ast;
use crate::cfa::LocationId;
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::source::Span;

impl Lowerer<'_> {
    /// `switch (condition) body`
    pub(super) fn switch(&mut self, condition: ast::ExprId, body: ast::StmtId, span: Span) -> Lowered<()> {
        let value = self.scalar(condition)?;
        if self.class(self.ty(value)) != Class::Integer {
            return Err(self.error(self.ast[condition].span, "`switch` needs an integer", "not an integer"));
        }
        let mut value = self.promote(value);
        if self.odd(value).is_some() {
            let ty = self.ty(value);
            value = self.unsupported_value("arithmetic on a bit-field wider than int", span, ty);
        }
        // The chain stands before the body, but its cases are known only after it.
        let start = self.body.cursor.take();
        let (ty, names, fences) = (self.ty(value), self.scopes.names(), self.scopes.fences().len());
        let switch = Switch { ty, names, fences, cases: Vec::new(), default: None, ranges: std::collections::BTreeMap::new() };
        self.body.switches.push(switch);
        self.body.breaks.push(Cursor::Dead);
        let mark = self.body.cleanups.len();
        self.body.break_marks.push(mark);
        self.body.switch_marks.push(mark);
        self.contained(body)?;
        self.body.break_marks.pop();
        self.body.switch_marks.pop();
        self.body.statement = span;
        let breaks = self.body.breaks.pop().unwrap_or(Cursor::Dead);
        let fall = self.body.cursor.take();
        let end = self.merge(breaks, fall, span);
        let Some(switch) = self.body.switches.pop() else { return Ok(()) };
        self.body.cursor = start;
        if switch.cases.is_empty() {
            self.evaluated(Operand::Value(value), span)?;
        }
        for case in &switch.cases {
            let matches = self.case_condition(value, case);
            let (holds, fails) = self.fork(matches, case.span);
            self.body.cursor = holds;
            self.jump(case.location, case.span);
            self.body.cursor = fails;
        }
        match switch.default {
            Some(location) => {
                self.jump(location, span);
                self.body.cursor = end;
            }
            None => self.join(end, span),
        }
        Ok(())
    }

    fn case_condition(&mut self, value: ExprId, case: &Case) -> ExprId {
        let ty = self.ty(value);
        let low = self.int(ty, case.low);
        if case.low == case.high {
            return self.binary(BinaryOp::Equal, value, low);
        }
        let high = self.int(ty, case.high);
        let above = self.binary(BinaryOp::GreaterEqual, value, low);
        let below = self.binary(BinaryOp::LessEqual, value, high);
        match (self.exprs.get(above), self.exprs.get(below)) {
            (Expr::Int(a), Expr::Int(b)) => {
                let both = i128::from(*a != 0 && *b != 0);
                self.int(self.basic.int, both)
            }
            _ => self.binary(BinaryOp::LogicalAnd, above, below),
        }
    }

    /// `case low:` or `case low ... high:`
    pub(super) fn case(&mut self, low: ast::ExprId, high: Option<ast::ExprId>, location: LocationId, span: Span) -> Lowered<()> {
        self.check_case(span);
        let first = self.integer_constant(low)?.0;
        let last = match high {
            Some(high) => self.integer_constant(high)?.0,
            None => first,
        };
        let Some(ty) = self.body.switches.last().map(|switch| switch.ty) else {
            return Err(self.error(span, "a `case` outside of a `switch`", "no switch here"));
        };
        let outside = self.body.switches.last().map_or(0, |switch| switch.fences);
        self.fence_case(outside, span)?;
        let Some(format) = self.format(ty) else { return Ok(()) };
        let (first, last) = (format.value(format.wrap(first as u128)), format.value(format.wrap(last as u128)));
        if first > last {
            // An empty range: gcc warns and ignores it.
            return Ok(());
        }
        let Some(switch) = self.body.switches.last_mut() else { return Ok(()) };
        let before = switch.ranges.range(..=last).next_back();
        if before.is_some_and(|(_, end)| *end >= first) {
            return Err(self.error(span, "this value has a `case` already", "second one"));
        }
        switch.ranges.insert(first, last);
        switch.cases.push(Case { low: first, high: last, location, span });
        Ok(())
    }

    /// `default:`
    pub(super) fn default(&mut self, location: LocationId, span: Span) -> Lowered<()> {
        self.check_case(span);
        let outside = self.body.switches.last().map_or(usize::MAX, |switch| switch.fences);
        self.fence_case(outside, span)?;
        match self.body.switches.last_mut() {
            None => Err(self.error(span, "a `default` outside of a `switch`", "no switch here")),
            Some(switch) if switch.default.is_some() => Err(self.error(span, "a second `default`", "second one")),
            Some(switch) => {
                switch.default = Some(location);
                Ok(())
            }
        }
    }
}
