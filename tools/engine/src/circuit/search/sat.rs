//! A SAT solver for many small questions, with the assumptions that an answer needs; its effort is metered.
//!
//! The one place that names its crate. Does not know circuits. What is large and asked about a few times is for [`super::large`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use batsat::{Callbacks, ClauseKind, SolverInterface, lbool};
use smt::Meter;

use crate::control::Stop;

/// Assignments of variables that cost a unit of the [`Meter`].
const ASSIGNMENTS: u64 = 2;

/// Units that a conflict is taken to cost before it is known what one does.
const CONFLICT: u64 = 100;

/// Conflicts that every question may have: less, and it would be begun again and again.
const FEWEST: u64 = 100;

/// A variable or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// The variable at a place.
    #[must_use]
    pub(super) fn of_variable(place: u32) -> Literal {
        Literal(place << 1)
    }

    /// The place of its variable.
    #[must_use]
    pub fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// This literal, or its complement.
    #[must_use]
    #[expect(clippy::fn_params_excessive_bools, reason = "the value that is asked for")]
    pub fn is(self, value: bool) -> Literal {
        if value { self } else { !self }
    }

    /// The literal of the variable that stands so many places behind this one's.
    #[must_use]
    pub fn moved(self, by: usize) -> Literal {
        Literal(self.0 + (formats::dense(by) << 1))
    }

    /// Whether it is the complement of a variable.
    #[must_use]
    pub(super) fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    fn of_solver(self) -> batsat::Lit {
        batsat::Lit::new(batsat::Var::unsafe_from_idx(self.0 >> 1), self.0 & 1 == 0)
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// What may still be done.
#[derive(Clone, Copy, Debug)]
pub struct Effort<'a> {
    /// Is charged for all work, and ends it.
    pub meter: &'a Meter,
    /// Ends everything.
    pub stop: &'a Arc<AtomicBool>,
}

impl Effort<'_> {
    /// Whether there is none left.
    ///
    /// # Errors
    /// [`Stop::Interrupted`] then.
    pub fn check(&self) -> Result<(), Stop> {
        if self.meter.is_empty() || self.stop.load(Ordering::Relaxed) { Err(Stop::Interrupted) } else { Ok(()) }
    }
}

/// Counts conflicts, and ends a question.
#[derive(Default)]
struct Watch {
    learnt: u64,
    limit: u64,
    stop: Option<Arc<AtomicBool>>,
}

impl Callbacks for Watch {
    fn on_new_clause(&mut self, _: &[batsat::Lit], kind: ClauseKind) {
        self.learnt += u64::from(matches!(kind, ClauseKind::Learnt));
    }

    fn stop(&self) -> bool {
        self.learnt >= self.limit || self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// What takes clauses.
pub trait Clausal {
    /// A new variable.
    fn variable(&mut self) -> Literal;

    /// How many variables there are.
    fn variables(&self) -> usize;

    /// Adds a clause.
    fn add(&mut self, clause: &[Literal]);
}

/// What came of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// There is a model.
    Model,
    /// There is none.
    None,
    /// The conflicts that it was allowed were used up.
    Limit,
}

/// A solver.
pub struct Sat {
    solver: batsat::Solver<Watch>,
    variables: u32,
    /// Units that were charged so far.
    charged: u64,
    core: Vec<bool>,
    touched: Vec<usize>,
    buffer: Vec<batsat::Lit>,
}

impl std::fmt::Debug for Sat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sat").field("variables", &self.variables).finish_non_exhaustive()
    }
}

impl Default for Sat {
    fn default() -> Self {
        let solver = batsat::Solver::new(batsat::SolverOpts::default(), Watch::default());
        Self { solver, variables: 0, charged: 0, core: Vec::new(), touched: Vec::new(), buffer: Vec::new() }
    }
}

impl Clausal for Sat {
    fn variable(&mut self) -> Literal {
        self.solver.new_var_default();
        self.core.push(false);
        self.variables += 1;
        Literal::of_variable(self.variables - 1)
    }

    fn variables(&self) -> usize {
        self.variables as usize
    }

    fn add(&mut self, clause: &[Literal]) {
        self.buffer.clear();
        self.buffer.extend(clause.iter().map(|literal| literal.of_solver()));
        self.solver.add_clause_reuse(&mut self.buffer);
    }
}

impl Sat {
    /// Asks for a model under assumptions. `conflicts` limits this question besides what the meter grants.
    ///
    /// # Errors
    /// [`Stop::Interrupted`] if the effort is used up; what was learnt is kept.
    pub fn solve(&mut self, assumptions: &[Literal], conflicts: Option<u64>, effort: Effort<'_>) -> Result<Found, Stop> {
        effort.check()?;
        let before = self.solver.num_propagations() + self.solver.num_decisions();
        let conflicts_so_far = self.solver.num_conflicts();
        let cost = (self.charged / (conflicts_so_far + 1)).max(CONFLICT);
        let granted = (effort.meter.left() / cost).max(FEWEST);
        let watch = self.solver.cb_mut();
        watch.limit = watch.learnt.saturating_add(conflicts.map_or(granted, |own| own.min(granted)));
        watch.stop = Some(Arc::clone(effort.stop));
        self.buffer.clear();
        self.buffer.extend(assumptions.iter().map(|literal| literal.of_solver()));
        let assumed = std::mem::take(&mut self.buffer);
        let answer = self.solver.solve_limited(&assumed);
        self.buffer = assumed;
        let work = self.solver.num_propagations() + self.solver.num_decisions() - before;
        let units = 1 + work / ASSIGNMENTS;
        self.charged += units;
        effort.meter.charge(units);
        self.touched.drain(..).for_each(|at| self.core[at] = false);
        if answer == lbool::TRUE {
            return Ok(Found::Model);
        }
        if answer == lbool::FALSE {
            for literal in self.solver.unsat_core() {
                let at = (literal.idx() >> 1) as usize;
                self.core[at] = true;
                self.touched.push(at);
            }
            return Ok(Found::None);
        }
        let is_own = conflicts.is_some_and(|own| own <= granted) && !effort.stop.load(Ordering::Relaxed);
        if is_own { Ok(Found::Limit) } else { Err(Stop::Interrupted) }
    }

    /// The value in the last model.
    #[must_use]
    pub fn value(&self, literal: Literal) -> bool {
        self.solver.value_lit(literal.of_solver()) == lbool::TRUE
    }

    /// Whether the last answer, that there is no model, needs this assumption.
    #[must_use]
    pub fn needs(&self, assumption: Literal) -> bool {
        self.core[assumption.variable()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_and_needed_assumptions_are_those_of_the_clauses() {
        let (meter, stop) = (Meter::default(), Arc::default());
        let effort = Effort { meter: &meter, stop: &stop };
        let mut sat = Sat::default();
        let [a, b, c] = [sat.variable(), sat.variable(), sat.variable()];
        sat.add(&[!a, b]);
        assert_eq!(sat.solve(&[a, c], None, effort), Ok(Found::Model));
        assert!(sat.value(a) && sat.value(b) && sat.value(c) && !sat.value(!c));
        assert_eq!(sat.solve(&[c, a, !b], None, effort), Ok(Found::None));
        assert!(sat.needs(a) && sat.needs(!b) && !sat.needs(c));
        assert_eq!(sat.solve(&[!b], None, effort), Ok(Found::Model));
        assert!(!sat.value(a));
        assert!(meter.spent() > 0);
        stop.store(true, Ordering::Relaxed);
        let effort = Effort { meter: &meter, stop: &stop };
        assert_eq!(sat.solve(&[], None, effort), Err(Stop::Interrupted));
    }
}
