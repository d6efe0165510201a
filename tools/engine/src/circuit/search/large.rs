//! A SAT solver for few questions about much: steps of a circuit one behind the other. Its effort is metered.
//!
//! The one place that names its crate. Does not know circuits, but how large one step is: what a conflict costs grows with that.
//! Cores are not told.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::sat::{Clausal, Effort, Found, Literal};
use crate::control::Stop;

/// Gates of a step for which a literal of a learnt clause costs a unit of the meter. Found by measurement, as all costs here: a
/// unit takes about the time of one of [`super::sat`], whatever the circuit.
const GATES: u64 = 400;

/// Units of each turn of the search.
const TURN: u64 = 25;

/// Units that a conflict is taken to cost before it is known what one does.
const CONFLICT: u64 = 400;

/// Conflicts that every question may have: less, and it would be begun again and again.
const FEWEST: u64 = 100;

/// Learnt clauses that are counted: all.
const LONGEST: i32 = i32::MAX;

/// Counts the work, and ends a question.
#[derive(Default)]
struct Watch {
    conflicts: u64,
    literals: u64,
    turns: Cell<u64>,
    stop: Option<Arc<AtomicBool>>,
}

impl cadical::Callbacks for Watch {
    fn terminate(&mut self) -> bool {
        self.turns.set(self.turns.get() + 1);
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn max_length(&self) -> i32 {
        LONGEST
    }

    fn learn(&mut self, clause: &[i32]) {
        self.conflicts += 1;
        self.literals += clause.len() as u64;
    }
}

/// A solver.
pub struct Large {
    solver: cadical::Solver<Watch>,
    variables: u32,
    /// Units of a literal of a learnt clause.
    literal: u64,
    /// Conflicts, and units that were charged, so far.
    conflicts: u64,
    charged: u64,
    /// The last model, by variables.
    model: Vec<bool>,
}

impl std::fmt::Debug for Large {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Large").field("variables", &self.variables).finish_non_exhaustive()
    }
}

impl Clausal for Large {
    fn variable(&mut self) -> Literal {
        self.variables += 1;
        Literal::of_variable(self.variables - 1)
    }

    fn variables(&self) -> usize {
        self.variables as usize
    }

    fn add(&mut self, clause: &[Literal]) {
        self.solver.add_clause(clause.iter().map(|literal| of_solver(*literal)));
    }
}

impl Large {
    /// A solver for circuits of so many gates.
    #[must_use]
    pub fn new(gates: usize) -> Self {
        let literal = (gates as u64 / GATES).max(1);
        Self { solver: cadical::Solver::new(), variables: 0, literal, conflicts: 0, charged: 0, model: Vec::new() }
    }

    /// Asks for a model under assumptions. `conflicts` limits this question besides what the meter grants.
    ///
    /// # Errors
    /// [`Stop::Interrupted`] if the effort is used up; what was learnt is kept.
    pub fn solve(&mut self, assumptions: &[Literal], conflicts: Option<u64>, effort: Effort<'_>) -> Result<Found, Stop> {
        effort.check()?;
        let cost = (self.charged / (self.conflicts + 1)).max(CONFLICT);
        let granted = (effort.meter.left() / cost).max(FEWEST);
        let limit = conflicts.map_or(granted, |own| own.min(granted));
        // Only an unknown name is an error.
        let _ = self.solver.set_limit("conflicts", i32::try_from(limit).unwrap_or(i32::MAX));
        self.solver.set_callbacks(Some(Watch { stop: Some(Arc::clone(effort.stop)), ..Watch::default() }));
        let answer = self.solver.solve_with(assumptions.iter().map(|literal| of_solver(*literal)));
        let units = self.cost();
        self.charged += units;
        effort.meter.charge(units);
        match answer {
            Some(true) => {
                // What is added next ends the solver's knowledge of it.
                let solver = &self.solver;
                self.model.clear();
                self.model.extend((0..self.variables).map(|at| solver.value(of_solver(Literal::of_variable(at))) == Some(true)));
                Ok(Found::Model)
            }
            Some(false) => Ok(Found::None),
            None => {
                let is_own = conflicts.is_some_and(|own| own <= granted) && !effort.stop.load(Ordering::Relaxed);
                if is_own { Ok(Found::Limit) } else { Err(Stop::Interrupted) }
            }
        }
    }

    /// What the last question cost: each variable a unit, then the search.
    fn cost(&mut self) -> u64 {
        let Some(watch) = self.solver.get_callbacks() else { return 1 };
        self.conflicts += watch.conflicts;
        1 + u64::from(self.variables) + TURN * watch.turns.get() + self.literal * watch.literals
    }

    /// The value in the last model; of a variable that is newer, `false`.
    #[must_use]
    pub fn value(&self, literal: Literal) -> bool {
        self.model.get(literal.variable()).copied().unwrap_or(false) != literal.is_complement()
    }
}

/// Variables are numbers from one, complements negative.
fn of_solver(literal: Literal) -> i32 {
    let number = i32::try_from(literal.variable() + 1).unwrap_or(i32::MAX);
    if literal.is_complement() { -number } else { number }
}

#[cfg(test)]
mod tests {
    use smt::Meter;

    use super::*;

    #[test]
    fn models_are_those_of_the_clauses() {
        let (meter, stop) = (Meter::default(), Arc::default());
        let effort = Effort { meter: &meter, stop: &stop };
        let mut large = Large::new(1000);
        let [a, b, c] = [large.variable(), large.variable(), large.variable()];
        large.add(&[!a, b]);
        assert_eq!(large.solve(&[a, c], None, effort), Ok(Found::Model));
        let new = large.variable();
        large.add(&[new, a]);
        assert!(large.value(a) && large.value(b) && large.value(c) && !large.value(!c), "also after a clause was added");
        assert_eq!(large.solve(&[a, !b], None, effort), Ok(Found::None));
        assert_eq!(large.solve(&[!b], None, effort), Ok(Found::Model));
        assert!(!large.value(a) && large.value(new));
        assert!(meter.spent() > 0);
        stop.store(true, Ordering::Relaxed);
        assert_eq!(large.solve(&[], None, Effort { meter: &meter, stop: &stop }), Err(Stop::Interrupted));
    }

    /// As many pigeons as holes, and one more: short to say, long to refute.
    fn pigeons(large: &mut Large, holes: usize) {
        let at: Vec<Vec<Literal>> = (0..=holes).map(|_| (0..holes).map(|_| large.variable()).collect()).collect();
        at.iter().for_each(|pigeon| large.add(pigeon));
        for (place, pigeon) in at.iter().enumerate() {
            for other in &at[..place] {
                pigeon.iter().zip(other).for_each(|(one, two)| large.add(&[!*one, !*two]));
            }
        }
    }

    #[test]
    fn a_question_ends_with_its_conflicts_and_goes_on_with_more() {
        let (meter, stop) = (Meter::default(), Arc::default());
        let effort = Effort { meter: &meter, stop: &stop };
        let mut large = Large::new(1000);
        pigeons(&mut large, 7);
        assert_eq!(large.solve(&[], Some(10), effort), Ok(Found::Limit));
        let before = meter.spent();
        assert_eq!(large.solve(&[], None, effort), Ok(Found::None));
        assert!(meter.spent() > before + 1_000, "what is hard costs");
    }
}
