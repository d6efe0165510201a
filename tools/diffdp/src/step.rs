//! One step of the alignment: where an edge of the modified program leads from a pair, and what is affected then.
//!
//! Every choice made here is between rules each of which is sound for itself: both programs step together
//! ([`crate::matching`]), the modified one steps alone, the original is walked on first ([`crate::points`]), or the edge
//! leads to an indicator. Which is taken follows the [`Alignment`], and decides only how much is covered.
//! Source: ALGORITHM.md 4.

mod calls;
mod known;

use std::collections::BTreeSet;
use std::rc::Rc;

use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation};
use semantics::compare::{Alignment, Comparison, Side};
use semantics::object_set::ObjectSet;
use semantics::reach::{ErrorReach, not_compared};
use semantics::stack::{Point, StackTable, Step};

use crate::effects::Effects;
use crate::equations::Equations;
use crate::implication::Implies;
use crate::kinds::{Kind, LeftOut};
use crate::matching::{Before, Fit, Matching};
use crate::names::Names;
use crate::points::{Goal, Walked, Walker};
use crate::postdominators::{self, PostDominators};
use crate::reason::Reason;
use crate::rules::Rules;
use crate::semantic::Semantic;

/// How many meeting points behind a branching are tried for taking up the alignment again.
const MEETINGS: usize = 32;

/// Where the two programs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Pair {
    pub(crate) modified: Point,
    pub(crate) original: Point,
}

/// Where an edge leads from a pair.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// To a pair, with these change-affected objects.
    Pair(Pair, ObjectSet),
    /// To where no new violation can follow.
    Leaf,
    /// To an indicator.
    Indicator(Reason),
}

/// A step that was made.
#[derive(Clone, Debug)]
pub(crate) struct Stepped {
    /// Where it leads.
    pub(crate) outcome: Outcome,
    /// What the original did in it; none if it waited, or if the step leads to no pair by a rule of its own.
    pub(crate) partner: Option<Partner>,
    /// What variables are known to hold behind it.
    pub(crate) known: Rc<Equations>,
}

impl Outcome {
    /// The original waited.
    fn alone(self) -> Stepped {
        Stepped { outcome: self, partner: None, known: Rc::default() }
    }

    /// The original took part.
    fn with(self, edge: Option<EdgeId>, from: Point) -> Stepped {
        Stepped { outcome: self, partner: Some(Partner { edge, from }), known: Rc::default() }
    }
}

/// What the original does in a step in which it does not just wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Partner {
    /// The edge it takes; none if it leaves its function at the exit.
    pub(crate) edge: Option<EdgeId>,
    /// Where it was walked to before that.
    pub(crate) from: Point,
}

/// Everything a step depends on but the pair.
pub(crate) struct Stepper<'a> {
    pub(crate) comparison: &'a Comparison<'a>,
    pub(crate) effects: &'a Effects<'a>,
    pub(crate) alignment: &'a Alignment,
    matching: Matching<'a>,
    rules: Rules,
    left_out: LeftOut,
    implication: Box<dyn Implies + 'a>,
    modified_reach: &'a ErrorReach,
    original_reach: &'a ErrorReach,
    meetings: Vec<Option<PostDominators>>,
    pub(crate) walker: Walker<'a>,
    /// The stacks of the modified program.
    pub(crate) stacks: StackTable,
    /// Constructs without sound treatment that were met.
    pub(crate) degraded: BTreeSet<String>,
}

impl std::fmt::Debug for Stepper<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stepper").finish_non_exhaustive()
    }
}

/// What a [`Stepper`] is made of.
pub(crate) struct Parts<'a> {
    pub(crate) comparison: &'a Comparison<'a>,
    pub(crate) effects: &'a Effects<'a>,
    pub(crate) alignment: &'a Alignment,
    pub(crate) rules: Rules,
    pub(crate) left_out: LeftOut,
    pub(crate) implication: Box<dyn Implies + 'a>,
    /// Proves values equal, where that is wanted.
    pub(crate) semantic: Option<Rc<Semantic<'a>>>,
    /// Sees through what variables are known to hold, where that is wanted.
    pub(crate) names: Option<Rc<Names<'a>>>,
    pub(crate) walker: Walker<'a>,
    /// What can reach the error in the original and in the modified program.
    pub(crate) reach: [&'a ErrorReach; 2],
}

impl<'a> Stepper<'a> {
    pub(crate) fn new(parts: Parts<'a>) -> Self {
        let Parts { comparison, effects, alignment, rules, left_out, implication, semantic, names, walker, reach } = parts;
        let [original_reach, modified_reach] = reach;
        Self {
            comparison,
            effects,
            alignment,
            matching: Matching { comparison, effects, rules, semantic, names },
            rules,
            left_out,
            implication,
            original_reach,
            modified_reach,
            meetings: comparison.modified.functions.iter().map(|_| None).collect(),
            walker,
            stacks: StackTable::new(),
            degraded: BTreeSet::new(),
        }
    }

    fn modified(&self) -> &'a Cfa {
        self.comparison.modified
    }

    fn original(&self) -> &'a Cfa {
        self.comparison.original
    }

    /// How many questions reached a solver.
    pub(crate) fn queries(&self) -> u64 {
        self.implication.queries() + self.matching.semantic.as_ref().map_or(0, |semantic| semantic.queries())
    }

    /// The pair where both programs start, or the reason why there is none to start from.
    pub(crate) fn start(&mut self, affected: ObjectSet) -> Outcome {
        let pair = Pair { modified: StackTable::start(self.modified()), original: StackTable::start(self.original()) };
        if self.is_dead_end(pair.modified) {
            return Outcome::Leaf;
        }
        let found = self.settle(pair.modified, pair.original, affected);
        if let Outcome::Pair(pair, _) = found
            && self.cannot_fail(pair.original)
        {
            return Outcome::Indicator(Reason::OriginalCannotFail);
        }
        found
    }

    /// ALGORITHM.md 4.11: whether the modified program can violate nothing from a point on.
    fn is_dead_end(&self, modified: Point) -> bool {
        !self.left_out.has(Kind::DeadEnds) && !self.modified_reach.can_reach(self.modified(), &self.stacks, modified)
    }

    /// Where `edge` leads from `pair` when `v` may be affected there, and variables are known to hold what `known` says.
    pub(crate) fn step(&mut self, pair: Pair, v: &ObjectSet, known: &Rc<Equations>, edge: EdgeId) -> Stepped {
        let step = self.stacks.step(self.modified(), pair.modified, edge);
        let mut stepped = self.choose(pair, (v, known), edge, step);
        if let (Some(names), Outcome::Pair(_, w)) = (self.matching.names.clone(), &mut stepped.outcome) {
            stepped.known = self.behind(&names, (pair, known), (edge, step), stepped.partner, w);
            names.reconcile(&stepped.known, w);
        }
        if let Outcome::Pair(pair, _) = stepped.outcome
            && self.cannot_fail(pair.original)
            && !self.ends_soon(pair.modified, &stepped.known)
        {
            stepped.outcome = Outcome::Indicator(Reason::OriginalCannotFail);
        }
        stepped
    }

    /// ALGORITHM.md 4.12: whether the original can violate nothing from a point on.
    fn cannot_fail(&self, original: Point) -> bool {
        !self.original_reach.can_reach(self.original(), &self.walker.stacks, original)
    }

    /// The rule that is taken.
    fn choose(&mut self, pair: Pair, (v, known): (&ObjectSet, &Rc<Equations>), edge: EdgeId, step: Step) -> Stepped {
        let program = self.modified();
        let next = match step {
            Step::Recursion { callee } => return Outcome::Indicator(Reason::Recursion(callee)).alone(),
            Step::End(_) => return Outcome::Leaf.alone(),
            Step::Within(point) | Step::Enter { point, .. } | Step::Return { point, .. } => point,
        };
        if let Some(construct) = not_compared(program, edge) {
            self.degraded.insert(construct);
            return Outcome::Indicator(Reason::Unsupported).alone();
        }
        let is_asm = matches!(program.edge(edge).operation, Operation::Asm(_));
        if !is_asm && self.is_dead_end(next) {
            return Outcome::Leaf.alone();
        }
        let here = At { pair, v, known, edge, next };
        match step {
            Step::Enter { callee, .. } => self.enter(here, callee),
            Step::Return { call, .. } => self.leave(here, call),
            Step::Within(_) | Step::End(_) | Step::Recursion { .. } => match program.edge(edge).operation {
                Operation::Blank => self.settle(next, pair.original, v.clone()).alone(),
                Operation::Assume { .. } => self.assume(here),
                Operation::Declare { .. }
                | Operation::Assign { .. }
                | Operation::Havoc { .. }
                | Operation::Call { .. }
                | Operation::Return { .. }
                | Operation::Asm(_)
                | Operation::Unsupported { .. } => self.simple(here),
            },
        }
    }

    /// ALGORITHM.md 4.11, 4.12: what becomes of a pair that a step leads to.
    fn settle(&mut self, modified: Point, original: Point, w: ObjectSet) -> Outcome {
        if self.walker.is_doomed(original) {
            // The original violates the property on the same inputs, whatever the modified program does.
            return Outcome::Leaf;
        }
        if self.modified().location(modified.location).is_error {
            let indicator = Outcome::Indicator(Reason::ErrorOnlyInModified);
            return if self.rules.error_locations { indicator } else { Outcome::Leaf };
        }
        let original = self.walker.behind_blanks(original);
        Outcome::Pair(Pair { modified, original }, w)
    }

    /// The affected objects at the end of a walk.
    fn after(&self, v: &ObjectSet, walked: &Rc<ObjectSet>) -> ObjectSet {
        if self.rules.skipped_assignments { v.union(walked) } else { v.clone() }
    }

    /// The edge of the original that the edge was, if the original can be walked to where it starts.
    fn aligned(&mut self, here: &At) -> Option<(EdgeId, Walked)> {
        let edge = self.alignment.of(here.edge).filter(|_| !self.left_out.has(Kind::Alignment))?;
        let goal = self.original().edge(edge).source;
        Some((edge, self.walker.walk(here.pair.original, Goal::Location(goal))?))
    }

    /// The single edge at the original's location.
    fn waiting(&self, original: Point) -> Option<EdgeId> {
        match self.original().out_edges(original.location) {
            &[edge] => Some(edge),
            _ => None,
        }
    }

    /// ALGORITHM.md 4.1-4.5: declarations, assignments, inputs, calls that enter nothing, inline assembly.
    fn simple(&mut self, here: At) -> Stepped {
        if let Some((edge, (point, written))) = self.aligned(&here)
            && let Some(stepped) = self.together(&here, edge, point, &self.after(here.v, &written))
        {
            return stepped;
        }
        if let Some(edge) = self.waiting(here.pair.original)
            && (self.comparison.identical(here.edge, edge) || self.replaces(&here, edge))
            && let Some(stepped) = self.together(&here, edge, here.pair.original, here.v)
        {
            return stepped;
        }
        if matches!(self.modified().edge(here.edge).operation, Operation::Asm(_)) {
            self.degraded.insert("inline assembly".to_owned());
            return Outcome::Indicator(Reason::Assembly).alone();
        }
        self.alone(&here)
    }

    /// ALGORITHM.md 4.3: the modified program steps, the original waits.
    fn alone(&mut self, here: &At) -> Stepped {
        let mut w = here.v.clone();
        if self.rules.new_assignments {
            w.union_with(self.effects.of(Side::Modified, here.edge).writes);
        }
        self.settle(here.next, here.pair.original, w).alone()
    }

    /// Both programs make one step within their functions.
    fn together(&mut self, here: &At, edge: EdgeId, from: Point, w: &ObjectSet) -> Option<Stepped> {
        let known = self.walked(here.pair.original, from, here.known);
        let w = self.matching.simple(here.edge, edge, Before { w, known: &known })?;
        let Step::Within(to) = self.walker.stacks.step(self.original(), from, edge) else { return None };
        Some(self.settle(here.next, to, w).with(Some(edge), from))
    }

    /// ALGORITHM.md 4.2: the original's assignment is gone and writes the same objects. Not if the modified program's next
    /// operation is the one the original waits with.
    fn replaces(&self, here: &At, edge: EdgeId) -> bool {
        let (m, o) = (self.effects.of(Side::Modified, here.edge), self.effects.of(Side::Original, edge));
        let next = self.modified().out_edges(here.next.location);
        !self.alignment.is_kept(edge)
            && !m.writes.is_empty()
            && m.writes == o.writes
            && !next.iter().any(|n| self.comparison.identical(*n, edge))
    }

    /// ALGORITHM.md 4.8, 4.9: assumes.
    fn assume(&mut self, here: At) -> Stepped {
        if self.matching.names.as_ref().is_some_and(|names| names.is_impossible(here.edge, here.known)) {
            return Outcome::Leaf.alone();
        }
        let blocked = match self.accompany(&here) {
            Ok(stepped) => return stepped,
            Err(why) => why,
        };
        match blocked {
            // Unless the programs meet again behind the branching.
            Some((edge, objects, point)) if !self.meet_again(here.pair.modified.location, point) => {
                Outcome::Indicator(Reason::Affected { original: edge, objects }).alone()
            }
            // The original waits.
            Some(_) | None => self.settle(here.next, here.pair.original, here.v.clone()).alone(),
        }
    }

    /// Walks the original to a branching and lets it follow there.
    fn accompany(&mut self, here: &At) -> Result<Stepped, Blocked> {
        let (edge, (point, written)) = if let Some((edge, walked)) = self.aligned(here) {
            (Some(edge), walked)
        } else {
            let alignment = self.alignment;
            let program = self.original();
            let kept = |l: LocationId| program.out_edges(l).iter().any(|e| alignment.is_kept(*e));
            (None, self.walker.walk_straight(here.pair.original, kept))
        };
        let w = self.after(here.v, &written);
        self.follow(here, edge, point, &w)
    }

    /// What keeps the original from following along an assume of the modified program, if one of its own matches.
    pub(crate) fn blocked(&mut self, pair: Pair, v: &ObjectSet, known: &Rc<Equations>, edge: EdgeId) -> Blocked {
        let next = Point { location: self.modified().edge(edge).target, stack: pair.modified.stack };
        self.accompany(&At { pair, v, known, edge, next }).err().flatten()
    }

    /// Lets the original follow along a matching assume at a point: the aligned one, an identical one, an implied one.
    fn follow(&mut self, here: &At, aligned: Option<EdgeId>, point: Point, w: &ObjectSet) -> Result<Stepped, Blocked> {
        let mut blocked = None;
        let known = self.walked(here.pair.original, point, here.known);
        let before = Before { w, known: &known };
        let edges = self.original().out_edges(point.location);
        let identical = edges.iter().copied().filter(|e| self.comparison.identical(here.edge, *e));
        let candidates: Vec<EdgeId> = identical.chain(aligned).chain(edges.iter().copied()).collect();
        for (position, &edge) in candidates.iter().enumerate() {
            if candidates[..position].contains(&edge) || !self.is_implied(here.edge, edge, before) {
                continue;
            }
            match self.matching.assume(here.edge, edge, before) {
                Fit::Follows => {
                    let to = Point { location: self.original().edge(edge).target, stack: point.stack };
                    return Ok(self.settle(here.next, to, w.clone()).with(Some(edge), point));
                }
                Fit::Blocked(objects) => blocked = blocked.or(Some((edge, objects, point))),
            }
        }
        Err(blocked)
    }

    fn is_implied(&mut self, modified: EdgeId, original: EdgeId, before: Before) -> bool {
        matches!(self.original().edge(original).operation, Operation::Assume { .. })
            && (self.comparison.identical(modified, original)
                || self.matching.implied_condition(modified, original, before)
                || self.implication.implies(modified, original))
    }

    /// Whether behind the branching at `location` the original, waiting before it at `point`, can be walked to where the
    /// modified program is bound to come.
    fn meet_again(&mut self, location: LocationId, point: Point) -> bool {
        let function = self.modified().location(location).function;
        let mut at = location;
        for _ in 0..MEETINGS {
            let Some(meeting) = self.meeting(function, at) else { return false };
            if let Some(goal) = self.alignment.location(self.comparison, meeting) {
                return self.walker.walk(point, Goal::Location(goal)).is_some();
            }
            at = meeting;
        }
        false
    }

    /// Where the paths that leave a location of the modified program meet again.
    fn meeting(&mut self, function: FunctionId, location: LocationId) -> Option<LocationId> {
        let program = self.modified();
        let (entry, exit) = (program.function(function).entry?, program.function(function).exit?);
        let dominators = self.meetings[function.index()].get_or_insert_with(|| {
            let order = postdominators::post_order(program, entry);
            PostDominators::new(program, &order, exit, |_| false)
        });
        dominators.immediate(location)
    }
}

/// The assume of the original that cannot be followed, why, and where.
pub(crate) type Blocked = Option<(EdgeId, ObjectSet, Point)>;

/// A step being made.
#[derive(Clone, Copy)]
struct At<'v> {
    pair: Pair,
    v: &'v ObjectSet,
    known: &'v Rc<Equations>,
    edge: EdgeId,
    next: Point,
}
