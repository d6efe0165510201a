//! Bounded search on a circuit: whether the output can be 1 so many steps from the start.
//!
//! That it cannot be is asked step by step, and takes most work just before the step in which it can be. So a part of
//! the effort goes ahead: later steps are asked about with a few conflicts each, with more when that was not enough.
//! Does not know induction.

use std::collections::BTreeSet;

use super::super::sequential::Circuit;
use super::Trace;
use super::sat::{Clausal, Effort, Found};
use super::unrolling::Unrolling;
use crate::control::Stop;

/// Conflicts of a question ahead, at first.
const CONFLICTS: u64 = 1_000;

/// Steps that are asked about ahead of the clean ones, besides as many as these are.
const AHEAD: usize = 16;

/// Effort for the first open step for each unit of those ahead of it.
const SETTLING: u64 = 2;

/// Gates of a circuit that cost a unit for each step.
const GATES_PER_UNIT: u64 = 4;

/// The search.
#[derive(Debug)]
pub struct Forwards {
    unrolling: Unrolling,
    /// Steps below the first that was never asked about and have no answer.
    open: BTreeSet<usize>,
    /// The first step that was never asked about.
    first_new: usize,
    /// The next step to be asked about ahead, and with how many conflicts.
    ahead: usize,
    conflicts: u64,
    /// Effort that went into the first open step, and into those ahead of it.
    spent: [u64; 2],
}

impl Forwards {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(circuit: &Circuit) -> Self {
        Self::with_conflicts(circuit, CONFLICTS)
    }

    /// A search whose questions ahead have so many conflicts at first.
    pub(super) fn with_conflicts(circuit: &Circuit, conflicts: u64) -> Self {
        let (unrolling, open) = (Unrolling::new(circuit), BTreeSet::new());
        Self { unrolling, open, first_new: 0, ahead: 0, conflicts, spent: [0; 2] }
    }

    /// In how many steps from the start the output is 0, whatever the inputs are.
    #[must_use]
    pub fn clean(&self) -> usize {
        self.open.first().copied().unwrap_or(self.first_new)
    }

    /// Gates and inputs so far.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.unrolling.nodes()
    }

    /// Asks one question; the inputs of a violation if the output is 1.
    ///
    /// # Errors
    /// [`Stop::Interrupted`] if the effort is used up: it can be called again.
    pub fn advance(&mut self, circuit: &Circuit, effort: Effort<'_>) -> Result<Option<Trace>, Stop> {
        let first = self.open.first().copied();
        let (side, at) = match first {
            Some(first) if self.spent[0] <= SETTLING * self.spent[1] => (0, first),
            Some(_) | None => (1, self.next_ahead()),
        };
        let limit = (side == 1).then_some(self.conflicts);
        let before = effort.meter.spent();
        let found = self.ask(circuit, (at, limit), effort);
        self.spent[side] += effort.meter.spent() - before;
        let found = found?;
        if found == Found::Model {
            let first = self.violated(at);
            return Ok(Some(self.unrolling.trace(first)));
        }
        if found == Found::None {
            self.open.remove(&at);
        } else {
            self.open.insert(at);
        }
        self.first_new = self.first_new.max(at + 1);
        if side == 1 {
            self.ahead = at + 1;
        }
        Ok(None)
    }

    /// The step to be asked about ahead: none twice with as many conflicts.
    fn next_ahead(&mut self) -> usize {
        let furthest = self.clean().saturating_mul(2).saturating_add(AHEAD);
        if self.ahead > furthest {
            self.ahead = self.clean();
            self.conflicts = self.conflicts.saturating_mul(4);
        }
        let next = self.open.range(self.ahead..).next().copied();
        next.unwrap_or(self.first_new)
    }

    /// Whether the output can be 1 in a step, with so many conflicts at most.
    fn ask(&mut self, circuit: &Circuit, (at, conflicts): (usize, Option<u64>), effort: Effort<'_>) -> Result<Found, Stop> {
        while self.unrolling.len() <= at {
            self.unrolling.extend(circuit);
            effort.meter.charge(circuit.aig.len() as u64 / GATES_PER_UNIT);
        }
        let Some(bad) = self.unrolling.bad(at) else { return Ok(Found::None) };
        let found = self.unrolling.sat.solve(&[bad], conflicts, effort)?;
        if found == Found::None {
            self.unrolling.sat.add(&[!bad]);
        }
        Ok(found)
    }

    /// The first step in which the output is 1 in the last model, which was one of a step.
    fn violated(&mut self, last: usize) -> usize {
        let earlier: Vec<usize> = self.open.range(..last).copied().collect();
        let is_violated = |at: &usize| self.unrolling.bad(*at).is_some_and(|bad| self.unrolling.sat.value(bad));
        earlier.into_iter().find(is_violated).unwrap_or(last)
    }
}
