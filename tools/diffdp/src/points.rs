//! Where the original program can be taken: points with their stacks, walked by certain steps.
//!
//! Walks are deterministic and do not depend on what is affected, so each is computed once.
//! Invariant: a walk never grows a stack without bound: a function that is active is not entered.

use std::rc::Rc;

use program::cfa::{Cfa, LocationId, Operation};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::compare::Side;
use semantics::object_set::ObjectSet;
use semantics::stack::{Point, StackTable, Step};

use crate::effects::Effects;
use crate::skip::{Skip, Skips};

/// Certain steps a walk makes at most.
const WALK: usize = 20_000;

/// A place to which the original is walked, and what it may have written on the way.
pub(crate) type Walked = (Point, Rc<ObjectSet>);

/// The certain step from a point.
#[derive(Clone, Debug)]
enum Advance {
    To(Point, Rc<ObjectSet>),
    Doomed,
    Stop,
}

/// What a walk looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Goal {
    /// A location, in whatever frame.
    Location(LocationId),
    /// A return edge, or the exit, of the frame the walk starts in.
    Return,
}

/// The original program's points.
#[derive(Debug)]
pub(crate) struct Walker<'a> {
    cfa: &'a Cfa,
    effects: &'a Effects<'a>,
    /// None if the original is walked nowhere.
    skips: Option<Skips>,
    /// The stacks of the original program.
    pub(crate) stacks: StackTable,
    advances: FxHashMap<Point, Advance>,
    walks: FxHashMap<(Point, Goal), Option<Walked>>,
    doomed: FxHashMap<Point, bool>,
    nothing: Rc<ObjectSet>,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(cfa: &'a Cfa, effects: &'a Effects<'a>, skips: Option<Skips>) -> Self {
        Self {
            cfa,
            effects,
            skips,
            stacks: StackTable::new(),
            advances: FxHashMap::default(),
            walks: FxHashMap::default(),
            doomed: FxHashMap::default(),
            nothing: Rc::default(),
        }
    }

    /// The walk from a point to a goal, if certain steps lead there.
    pub(crate) fn walk(&mut self, from: Point, goal: Goal) -> Option<Walked> {
        if let Some(known) = self.walks.get(&(from, goal)) {
            return known.clone();
        }
        let found = self.search(from, goal);
        self.walks.insert((from, goal), found.clone());
        found
    }

    fn search(&mut self, from: Point, goal: Goal) -> Option<Walked> {
        let mut at = from;
        let mut written = Rc::clone(&self.nothing);
        let mut seen = FxHashSet::default();
        while !self.is_goal(from, at, goal) {
            if !seen.insert(at) || seen.len() > WALK {
                return None;
            }
            match self.advance(at) {
                Advance::To(next, more) => {
                    if !more.is_subset(&written) {
                        Rc::make_mut(&mut written).union_with(&more);
                    }
                    at = next;
                }
                Advance::Doomed | Advance::Stop => return None,
            }
        }
        Some((at, written))
    }

    fn is_goal(&self, from: Point, at: Point, goal: Goal) -> bool {
        match goal {
            Goal::Location(location) => at.location == location,
            Goal::Return => at.stack == from.stack && (self.is_exit(at.location) || self.is_return(at.location)),
        }
    }

    /// Whether a location is the exit of its function.
    pub(crate) fn is_exit(&self, location: LocationId) -> bool {
        self.cfa.function(self.cfa.location(location).function).exit == Some(location)
    }

    fn is_return(&self, location: LocationId) -> bool {
        let edges = self.cfa.out_edges(location);
        edges.iter().any(|e| matches!(self.cfa.edge(*e).operation, Operation::Return { .. }))
    }

    /// The walk over what the modified program no longer has, up to the next branching or to anything `stays` names.
    pub(crate) fn walk_straight(&mut self, from: Point, stays: impl Fn(LocationId) -> bool) -> Walked {
        let mut at = from;
        let mut written = Rc::clone(&self.nothing);
        let mut seen = FxHashSet::default();
        while self.cfa.out_edges(at.location).len() == 1 && !stays(at.location) && seen.insert(at) {
            let Advance::To(next, more) = self.advance(at) else { break };
            Rc::make_mut(&mut written).union_with(&more);
            at = next;
        }
        (at, written)
    }

    /// The certain steps of a walk from a point to another (or as far as they go): where each starts and leads, and what
    /// it may write.
    pub(crate) fn steps(&mut self, from: Point, to: Option<Point>) -> Vec<(Point, Point, Rc<ObjectSet>)> {
        let mut steps = Vec::new();
        let mut at = from;
        let mut seen = FxHashSet::default();
        while Some(at) != to && seen.insert(at) && seen.len() <= WALK {
            let Advance::To(next, written) = self.advance(at) else { break };
            steps.push((at, next, written));
            at = next;
        }
        steps
    }

    /// A point behind the operations that do nothing.
    pub(crate) fn behind_blanks(&mut self, from: Point) -> Point {
        let mut at = from;
        for _ in 0..WALK {
            match self.cfa.out_edges(at.location) {
                [edge] if matches!(self.cfa.edge(*edge).operation, Operation::Blank) => {
                    at.location = self.cfa.edge(*edge).target;
                }
                _ => return at,
            }
            if at == from {
                return from;
            }
        }
        from
    }

    /// Whether every execution from a point violates the property.
    pub(crate) fn is_doomed(&mut self, from: Point) -> bool {
        let mut path = Vec::new();
        let mut at = from;
        let mut seen = FxHashSet::default();
        let doomed = loop {
            if let Some(known) = self.doomed.get(&at) {
                break *known;
            }
            if self.cfa.location(at.location).is_error {
                break true;
            }
            if !seen.insert(at) {
                break false;
            }
            path.push(at);
            match self.advance(at) {
                Advance::To(next, _) => at = next,
                Advance::Doomed => break true,
                Advance::Stop => break false,
            }
        };
        for point in path {
            self.doomed.insert(point, doomed);
        }
        doomed
    }

    fn advance(&mut self, at: Point) -> Advance {
        if let Some(known) = self.advances.get(&at) {
            return known.clone();
        }
        let advance = self.certain_step(at);
        self.advances.insert(at, advance.clone());
        advance
    }

    fn certain_step(&mut self, at: Point) -> Advance {
        let Some(skips) = &self.skips else { return Advance::Stop };
        if self.is_exit(at.location) {
            let Some((call, below)) = self.stacks.pop(at.stack) else { return Advance::Stop };
            let result = self.effects.result(Side::Original, call);
            let written = result.map(|v| self.effects.variable(Side::Original, v).clone()).unwrap_or_default();
            return Advance::To(Point { location: self.cfa.edge(call).target, stack: below }, Rc::new(written));
        }
        match skips.from(at.location) {
            Skip::Doomed => return Advance::Doomed,
            Skip::To(location, written) => {
                return Advance::To(Point { location: *location, stack: at.stack }, Rc::new(written.clone()));
            }
            Skip::Stop => {}
        }
        let &[edge] = self.cfa.out_edges(at.location) else { return Advance::Stop };
        match self.stacks.step(self.cfa, at, edge) {
            Step::Enter { point, .. } => Advance::To(point, Rc::new(self.effects.of(Side::Original, edge).writes.clone())),
            Step::Within(_) | Step::Return { .. } | Step::End(_) | Step::Recursion { .. } => Advance::Stop,
        }
    }
}
