//! Call stacks, hash-consed, and points: where a program is, with the calls it has to return from.
//!
//! A [`StackTable`] belongs to one program; equal stacks have equal [`StackId`]s. [`StackTable::step`] is the only code
//! that moves a point along an edge, shared by everything that explores paths, so calls and returns agree everywhere.
//! Does not know data: whether an assume can be passed is the caller's matter.

use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation};
use rustc_hash::FxHashMap;

/// A call stack of one [`StackTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackId(pub u32);

impl StackId {
    /// No call is active: the program is in its entry function.
    pub const EMPTY: Self = Self(0);
}

/// A location together with the calls that are active there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// Where the program is.
    pub location: LocationId,
    /// What it has to return from.
    pub stack: StackId,
}

/// What a step along an edge leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// On within the function; also a call of a function that is not entered.
    Within(Point),
    /// Into the body of a callee; the parameters are bound.
    Enter {
        /// The callee.
        callee: FunctionId,
        /// Its entry, the call on the stack.
        point: Point,
    },
    /// Back behind the call; its result is assigned.
    Return {
        /// The call edge returned to.
        call: EdgeId,
        /// Behind the call, the stack popped.
        point: Point,
    },
    /// The entry function returned: the program ends at the exit location.
    End(Point),
    /// The callee is active already. Nothing here explores recursion.
    Recursion {
        /// The callee.
        callee: FunctionId,
    },
}

impl Step {
    /// The next point, unless the step is recursion.
    #[must_use]
    pub fn point(&self) -> Option<Point> {
        match *self {
            Step::Within(point) | Step::Enter { point, .. } | Step::Return { point, .. } | Step::End(point) => Some(point),
            Step::Recursion { .. } => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    below: StackId,
    call: EdgeId,
    depth: u32,
}

/// The call stacks of one program met so far.
#[derive(Clone, Debug, Default)]
pub struct StackTable {
    /// Frame of stack `i + 1`.
    frames: Vec<Frame>,
    ids: FxHashMap<(StackId, EdgeId), StackId>,
}

impl StackTable {
    /// A table that knows the empty stack only.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many stacks there are; identities are dense below this.
    #[must_use]
    pub fn len(&self) -> usize {
        self.frames.len() + 1
    }

    /// Never: the empty stack always is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The stack with a call on top.
    pub fn push(&mut self, below: StackId, call: EdgeId) -> StackId {
        let depth = self.depth(below) + 1;
        *self.ids.entry((below, call)).or_insert_with(|| {
            self.frames.push(Frame { below, call, depth });
            StackId(u32::try_from(self.frames.len()).unwrap_or(u32::MAX))
        })
    }

    /// The call on top and the stack below it; `None` for the empty stack.
    #[must_use]
    pub fn pop(&self, stack: StackId) -> Option<(EdgeId, StackId)> {
        self.frame(stack).map(|f| (f.call, f.below))
    }

    /// How many calls are active.
    #[must_use]
    pub fn depth(&self, stack: StackId) -> u32 {
        self.frame(stack).map_or(0, |f| f.depth)
    }

    /// The active calls, innermost first.
    pub fn calls(&self, stack: StackId) -> impl Iterator<Item = EdgeId> + '_ {
        std::iter::successors(self.frame(stack), |f| self.frame(f.below)).map(|f| f.call)
    }

    /// Whether `function` is active at a point.
    #[must_use]
    pub fn is_active(&self, cfa: &Cfa, point: Point, function: FunctionId) -> bool {
        let of = |location: LocationId| cfa.location(location).function;
        of(point.location) == function || self.calls(point.stack).any(|call| of(cfa.edge(call).source) == function)
    }

    /// Where the program starts.
    #[must_use]
    pub fn start(cfa: &Cfa) -> Point {
        Point { location: cfa.entry_location(), stack: StackId::EMPTY }
    }

    /// Where the edge, which leaves the location of `point`, leads with the stack of `point`.
    pub fn step(&mut self, cfa: &Cfa, point: Point, edge: EdgeId) -> Step {
        if let Some(callee) = cfa.entered_callee(edge)
            && self.is_active(cfa, point, callee)
        {
            return Step::Recursion { callee };
        }
        self.step_unbounded(cfa, point, edge)
    }

    /// As [`Self::step`], but enters recursive calls as well.
    pub fn step_unbounded(&mut self, cfa: &Cfa, point: Point, edge: EdgeId) -> Step {
        let e = cfa.edge(edge);
        let within = Point { location: e.target, stack: point.stack };
        match e.operation {
            Operation::Call { callee, .. } => match cfa.function(callee).entry {
                Some(entry) if cfa.enters(callee) => {
                    Step::Enter { callee, point: Point { location: entry, stack: self.push(point.stack, edge) } }
                }
                _ => Step::Within(within),
            },
            Operation::Return { .. } => match self.pop(point.stack) {
                Some((call, below)) => Step::Return { call, point: Point { location: cfa.edge(call).target, stack: below } },
                None => Step::End(within),
            },
            Operation::Declare { .. }
            | Operation::Assume { .. }
            | Operation::Assign { .. }
            | Operation::Havoc { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => Step::Within(within),
        }
    }

    fn frame(&self, stack: StackId) -> Option<Frame> {
        self.frames.get((stack.0 as usize).checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_program::TestProgram;
    use program::cfa::Known;

    /// `main` calls `f` twice; `f` calls an external and itself.
    #[test]
    fn a_step_returns_to_the_call_it_came_from() {
        let mut p = TestProgram::new();
        let (main, f) = (p.function("main"), p.function("f"));
        let outside = p.external("printf", Some(Known::Pure));
        let mut at = p.entry(main);
        let first = p.call(&mut at, f, &[], None);
        let behind_first = at;
        let second = p.call(&mut at, f, &[], None);
        let behind_second = at;
        let last = p.finish_function(at, None);
        let mut at = p.entry(f);
        let external = p.call(&mut at, outside, &[], None);
        let recursive = p.call(&mut at, f, &[], None);
        let back = p.finish_function(at, None);
        let cfa = p.build();
        let mut stacks = StackTable::new();
        let start = StackTable::start(&cfa);

        let mut inside = Vec::new();
        for (from, call, behind) in [(start.location, first, behind_first), (behind_first, second, behind_second)] {
            let point = Point { location: from, stack: StackId::EMPTY };
            let Step::Enter { callee, point: entered } = stacks.step(&cfa, point, call) else { panic!("enters") };
            assert_eq!((callee, stacks.depth(entered.stack)), (f, 1));
            let Step::Within(after) = stacks.step(&cfa, entered, external) else { panic!("stays") };
            assert_eq!(stacks.step(&cfa, after, recursive), Step::Recursion { callee: f });
            assert!(stacks.step_unbounded(&cfa, after, recursive).point().is_some());
            let end = Point { location: cfa.edge(back).source, stack: entered.stack };
            let returned = Point { location: behind, stack: StackId::EMPTY };
            assert_eq!(stacks.step(&cfa, end, back), Step::Return { call, point: returned });
            inside.push(entered);
        }
        assert_ne!(inside[0], inside[1]);
        let again = stacks.step(&cfa, start, first);
        assert_eq!(again.point(), Some(inside[0]));
        let end = Point { location: behind_second, stack: StackId::EMPTY };
        let exit = Point { location: cfa.edge(last).target, stack: StackId::EMPTY };
        assert_eq!(stacks.step(&cfa, end, last), Step::End(exit));
    }
}
