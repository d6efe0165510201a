//! What variables are known to hold behind a step. Source: ALGORITHM.md 4.13.

use std::rc::Rc;

use program::cfa::EdgeId;
use semantics::compare::Side;
use semantics::object_set::ObjectSet;
use semantics::reach::not_compared;
use semantics::stack::{Point, StackTable, Step};

use super::{Pair, Partner, Stepper};
use crate::equations::Equations;
use crate::kinds::Kind;
use crate::names::Names;

/// Operations that are looked at before the original is given up.
const SOON: usize = 16;

impl Stepper<'_> {
    /// Whether every way on of the modified program ends within a few operations, where an assume cannot be passed or nothing can
    /// be violated any more: a flag is asked for that was just cleared.
    pub(super) fn ends_soon(&mut self, from: Point, known: &Rc<Equations>) -> bool {
        let Some(names) = self.matching.names.clone().filter(|_| !self.left_out.has(Kind::DeadEnds)) else { return false };
        let program = self.comparison.modified;
        let (mut open, mut left) = (vec![(from, Rc::clone(known))], SOON);
        while let Some((at, known)) = open.pop() {
            for &edge in program.out_edges(at.location) {
                if left == 0 || not_compared(program, edge).is_some() || program.location(at.location).is_error {
                    return false;
                }
                left -= 1;
                if names.is_impossible(edge, &known) {
                    continue;
                }
                let mut after = (*known).clone();
                let next = match self.stacks.step(program, at, edge) {
                    Step::End(_) => continue,
                    Step::Within(point) => {
                        names.step(Side::Modified, edge, None, &mut after);
                        point
                    }
                    Step::Return { point, call } => {
                        names.leave(Side::Modified, (Some(edge), call), None, &mut after);
                        point
                    }
                    Step::Enter { .. } | Step::Recursion { .. } => return false,
                };
                if program.location(next.location).is_error {
                    return false;
                }
                if !self.is_dead_end(next) {
                    open.push((next, Rc::new(after)));
                }
            }
        }
        true
    }

    /// What variables are known to hold behind a step that brings `w`.
    pub(super) fn behind(
        &mut self,
        names: &Names,
        (pair, known): (Pair, &Rc<Equations>),
        (edge, step): (EdgeId, Step),
        partner: Option<Partner>,
        w: &ObjectSet,
    ) -> Rc<Equations> {
        let mut behind = match partner {
            Some(partner) => self.walked(pair.original, partner.from, known),
            None => Rc::clone(known),
        };
        let mut after = (*behind).clone();
        match step {
            Step::Return { call, .. } => names.leave(Side::Modified, (Some(edge), call), Some(w), &mut after),
            Step::Within(_) | Step::Enter { .. } => names.step(Side::Modified, edge, Some(w), &mut after),
            Step::End(_) | Step::Recursion { .. } => {}
        }
        if let Some(Partner { edge, from }) = partner {
            match edge.map(|edge| (edge, self.walker.stacks.step(self.comparison.original, from, edge))) {
                Some((edge, Step::Return { call, .. })) => names.leave(Side::Original, (Some(edge), call), Some(w), &mut after),
                Some((edge, _)) => names.step(Side::Original, edge, Some(w), &mut after),
                None => match self.walker.stacks.pop(from.stack) {
                    Some((call, _)) => names.leave(Side::Original, (None, call), Some(w), &mut after),
                    None => after = Equations::default(),
                },
            }
        }
        if *behind != after {
            behind = Rc::new(after);
        }
        behind
    }

    /// What variables are known to hold where the search starts, when the original has walked to a point.
    pub(crate) fn at_start(&mut self, original: Point) -> Rc<Equations> {
        let known = self.matching.names.as_ref().map_or_else(Equations::default, |names| names.at_start());
        self.walked(StackTable::start(self.comparison.original), original, &Rc::new(known))
    }

    /// What variables are known to hold when the original has walked from one point to another.
    pub(super) fn walked(&mut self, from: Point, to: Point, known: &Rc<Equations>) -> Rc<Equations> {
        let mut known = Rc::clone(known);
        if from != to
            && let Some(names) = self.matching.names.clone()
        {
            names.walk(&mut self.walker, from, to, Rc::make_mut(&mut known));
        }
        known
    }
}
