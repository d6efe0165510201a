//! Steps into functions and out of them. Source: ALGORITHM.md 4.6, 4.7.

use std::rc::Rc;

use program::cfa::{EdgeId, FunctionId};
use semantics::compare::Side;
use semantics::stack::{Point, Step};

use super::{At, Stepped, Stepper};
use crate::matching::Before;
use crate::points::Goal;

impl Stepper<'_> {
    /// A call that enters a body.
    pub(super) fn enter(&mut self, here: At, callee: FunctionId) -> Stepped {
        let aligned = self.aligned(&here);
        let waiting = self
            .waiting(here.pair.original)
            .filter(|e| self.comparison.identical(here.edge, *e) || (!self.alignment.is_kept(*e) && self.calls_same(*e, callee)));
        let waiting = waiting.map(|e| (e, (here.pair.original, Rc::default())));
        for (edge, (point, written)) in aligned.into_iter().chain(waiting) {
            if !self.calls_same(edge, callee) {
                continue;
            }
            let w = self.after(here.v, &written);
            let known = self.walked(here.pair.original, point, here.known);
            if let Some(w) = self.matching.enter(here.edge, edge, Before { w: &w, known: &known })
                && let Step::Enter { point: to, .. } = self.walker.stacks.step(self.original(), point, edge)
            {
                return self.settle(here.next, to, w).with(Some(edge), point);
            }
        }
        self.alone(&here)
    }

    /// Whether an edge of the original calls the function of the same name.
    pub(super) fn calls_same(&self, original: EdgeId, callee: FunctionId) -> bool {
        let other = self.original().entered_callee(original);
        other.is_some() && other == self.comparison.correspondence().function(callee)
    }

    /// A return to `call`.
    pub(super) fn leave(&mut self, here: At, call: EdgeId) -> Stepped {
        if let Some(stepped) = self.leave_together(&here, call) {
            return stepped;
        }
        let mut w = here.v.clone();
        if self.rules.new_assignments
            && let Some(result) = self.effects.result(Side::Modified, call)
        {
            w.union_with(self.effects.variable(Side::Modified, result));
        }
        self.settle(here.next, here.pair.original, w).alone()
    }

    /// Both return, if they entered the function together.
    pub(super) fn leave_together(&mut self, here: &At, call: EdgeId) -> Option<Stepped> {
        let original = here.pair.original;
        let (o_call, below) = self.walker.stacks.pop(original.stack)?;
        if !self.same_call(call, o_call) {
            return None;
        }
        let aligned = self.aligned(here).filter(|(_, (point, _))| point.stack == original.stack);
        let (point, written) = match aligned {
            Some((_, walked)) => walked,
            None => self.walker.walk(original, Goal::Return)?,
        };
        let w = self.after(here.v, &written);
        let to = Point { location: self.original().edge(o_call).target, stack: below };
        let edge = self.waiting(point);
        let known = self.walked(original, point, here.known);
        let w = match edge {
            Some(edge) => self.matching.leave((here.edge, call), (edge, o_call), Before { w: &w, known: &known })?,
            // At the exit: what was returned is forgotten.
            None => self.matching.leave_anyhow(call, o_call, &w),
        };
        Some(self.settle(here.next, to, w).with(edge, point))
    }

    /// Whether two calls were entered together as far as anyone can tell.
    pub(super) fn same_call(&self, modified: EdgeId, original: EdgeId) -> bool {
        self.modified().entered_callee(modified).is_some_and(|callee| self.calls_same(original, callee))
    }
}
