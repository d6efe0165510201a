//! Bounded search and k-induction on circuits, side by side.
//!
//! The base looks from the start on: a model of the output is a violation. The step begins with a violation and adds steps without
//! one before it, so that what was learnt of the last steps stays; no state comes up twice. Where it has no model, and the base
//! had none as deep, there is no violation at all.
//! Source: Sheeran, Singh, Stålmarck, FMCAD 2000; that states differ is demanded of those that a model shows equal, as in
//! Eén, Sörensson, BMC 2003.

use super::super::sequential::Circuit;
use super::Trace;
use super::clauses::Clauses;
use super::forwards::Forwards;
use super::large::Large;
use super::sat::{Clausal, Effort, Found, Literal};
use crate::control::Stop;

/// Nodes of an unrolling.
const NODES: usize = 6_000_000;

/// Conflicts of a step's question at least.
const CONFLICTS: u64 = 4_000;

/// Effort for steps before a violation for each unit of those from the start.
const STEP: u64 = 2;

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A violation.
    Violation(Trace),
    /// There is none: no violation within so many steps, and none behind as many without one.
    Safe(usize),
    /// Unrollings are too large.
    TooLarge,
}

/// The search.
#[derive(Debug)]
pub struct Induction {
    base: Forwards,
    step: Backwards,
    /// How many numbers of clean steps before a violation were asked about.
    asked: usize,
    /// Effort that went into steps from the start, and into those before a violation.
    spent: [u64; 2],
}

impl Induction {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(circuit: &Circuit) -> Self {
        Self { base: Forwards::new(circuit), step: Backwards::new(circuit), asked: 0, spent: [0; 2] }
    }

    /// Steps from the start without a violation of which it was asked whether a violation can follow as many anywhere.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.asked
    }

    /// Goes on until something is found out. Steps from the start are cheap as long as constants of the start are left, and
    /// violations are often deeper than any proof: so they go ahead of what is asked about
    /// proofs, with a third of the effort.
    ///
    /// # Errors
    /// [`Stop::Interrupted`] if the effort is used up: it can be called again.
    pub fn run(&mut self, circuit: &Circuit, effort: Effort<'_>) -> Result<Answer, Stop> {
        loop {
            if self.base.nodes() > NODES || self.step.sat.variables() > NODES {
                return Ok(Answer::TooLarge);
            }
            let side = usize::from(self.asked < self.base.clean() && STEP * self.spent[0] > self.spent[1]);
            let before = effort.meter.spent();
            let found = if side == 0 { self.look(circuit, effort) } else { self.prove(effort) };
            self.spent[side] += effort.meter.spent() - before;
            if let Some(answer) = found? {
                return Ok(answer);
            }
        }
    }

    /// Asks whether a violation can follow one more clean step than was asked about, which the start is known to have.
    fn prove(&mut self, effort: Effort<'_>) -> Result<Option<Answer>, Stop> {
        if self.step.proves(self.asked + 1, effort)? {
            return Ok(Some(Answer::Safe(self.asked + 1)));
        }
        self.asked += 1;
        Ok(None)
    }

    /// Looks for a violation some steps from the start.
    fn look(&mut self, circuit: &Circuit, effort: Effort<'_>) -> Result<Option<Answer>, Stop> {
        Ok(self.base.advance(circuit, effort)?.map(Answer::Violation))
    }
}

/// A violation, and steps before it from anywhere.
#[derive(Debug)]
struct Backwards {
    clauses: Clauses,
    sat: Large,
    /// Where the variables of each step begin, the last one first.
    steps: Vec<usize>,
}

impl Backwards {
    fn new(circuit: &Circuit) -> Self {
        let clauses = Clauses::of(circuit);
        let sat = Large::new(clauses.gates);
        Self { clauses, sat, steps: Vec::new() }
    }

    /// Whether there is no violation behind so many clean steps.
    fn proves(&mut self, clean: usize, effort: Effort<'_>) -> Result<bool, Stop> {
        while self.steps.len() <= clean {
            self.extend();
            effort.meter.charge(self.clauses.variables as u64);
        }
        let conflicts = CONFLICTS * (clean as u64 + 1);
        loop {
            match self.sat.solve(&[], Some(conflicts), effort)? {
                Found::None => return Ok(true),
                Found::Limit => return Ok(false),
                Found::Model => {}
            }
            if !self.tell_apart() {
                return Ok(false);
            }
        }
    }

    /// Adds a step before the others.
    fn extend(&mut self) {
        let Self { clauses, sat, steps } = self;
        let new = clauses.add_to(sat);
        let bad = clauses.bad.moved(new);
        match steps.last() {
            None => sat.add(&[bad]),
            Some(later) => {
                sat.add(&[!bad]);
                for (next, now) in clauses.next.iter().zip(&clauses.now) {
                    let (next, now) = (next.moved(new), now.moved(*later));
                    sat.add(&[!next, now]);
                    sat.add(&[next, !now]);
                }
            }
        }
        steps.push(new);
    }

    /// Demands that steps differ which the model shows equal; `false` if there are none.
    fn tell_apart(&mut self) -> bool {
        let Self { clauses, sat, steps } = self;
        let state = |step: &usize| clauses.now.iter().map(|latch| sat.value(latch.moved(*step))).collect::<Vec<bool>>();
        let states: Vec<Vec<bool>> = steps.iter().map(state).collect();
        let mut equal = Vec::new();
        for (at, state) in states.iter().enumerate() {
            equal.extend(states[..at].iter().position(|other| other == state).map(|other| (steps[at], steps[other])));
        }
        for (one, other) in &equal {
            let mut differs: Vec<Literal> = Vec::with_capacity(clauses.now.len());
            for latch in &clauses.now {
                let (a, b, unequal) = (latch.moved(*one), latch.moved(*other), sat.variable());
                sat.add(&[!unequal, a, b]);
                sat.add(&[!unequal, !a, !b]);
                differs.push(unequal);
            }
            sat.add(&differs);
        }
        !equal.is_empty()
    }
}
