//! What a solver can be asked, whichever it is.
//!
//! Answers are `Sat` with a model, `Unsat` with a core, or `Unknown` with a reason; there is no
//! Boolean answer that hides the third. Does not know Z3.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::terms::{Assignment, TermId, TermStore};

/// Values of the terms that were asked for; a variable without one does not matter.
pub type Model = Assignment;

/// The assumptions that suffice for unsatisfiability; empty when the assertions alone do.
pub type Core = Vec<TermId>;

/// The answer to a satisfiability question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is a model.
    Sat(Model),
    /// There is none.
    Unsat(Core),
    /// The solver did not find out.
    Unknown(Reason),
}

/// Why the solver did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The time limit of the query.
    #[error("solver time limit")]
    Timeout,
    /// The resource limit of the query, which does not depend on a clock.
    #[error("solver resource limit")]
    ResourceLimit,
    /// The stop flag was raised, or the [`Meter`] is empty.
    #[error("interrupted")]
    Interrupted,
    /// Satisfiable, but the model is not of a form that could be read.
    #[error("the solver's model could not be read")]
    UnreadableModel,
    /// Anything else, in the words of the solver.
    #[error("solver: {0}")]
    Other(String),
}

/// Limits of each single query.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Wall-clock limit; polled by the solver, so it may be exceeded.
    pub timeout: Option<Duration>,
    /// Solver steps; repeatable, but no bound on time.
    pub resources: Option<u32>,
    /// Raised from outside to end the running query and all later ones.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Limits {
    /// Whether the stop flag is up.
    #[must_use]
    pub fn stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// What may still be done, in units that no clock decides: the solver's own resource units. All solvers of a back end share
/// one, and whoever else does work for the same share charges for it too.
#[derive(Debug)]
pub struct Meter {
    left: Cell<u64>,
    spent: Cell<u64>,
}

impl Default for Meter {
    fn default() -> Self {
        Self { left: Cell::new(u64::MAX), spent: Cell::new(0) }
    }
}

impl Meter {
    /// From now on so much may be done, whatever was left before.
    pub fn grant(&self, units: u64) {
        self.left.set(units);
    }

    /// What is left of the grant.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Whether nothing is left: questions are answered [`Reason::Interrupted`] until the next grant.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.left.get() == 0
    }

    /// What was done so far, over all grants.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Notes that something was done.
    pub fn charge(&self, units: u64) {
        self.spent.set(self.spent.get().saturating_add(units));
        if self.left.get() != u64::MAX {
            self.left.set(self.left.get().saturating_sub(units));
        }
    }
}

/// How a solver will be used. It decides which of the back end's engines runs: the incremental
/// one is several times faster on many small queries and hopeless on a long path formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One check of everything asserted; no push, no assumptions.
    Fresh,
    /// Many checks under assumptions.
    Incremental,
}

/// Which values a `Sat` answer brings.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    /// None: only the answer matters.
    Nothing,
    /// Those of all variables in the assertions.
    Variables,
    /// Those of these terms, whatever they are.
    Terms(&'a [TermId]),
}

/// A solver with a stack of assertions. One solver takes terms of one store only.
pub trait Solver {
    /// Adds a formula.
    fn assert(&mut self, store: &TermStore, formula: TermId);

    /// Opens a level of assertions.
    fn push(&mut self);

    /// Drops the assertions of the innermost level; without one, nothing happens.
    fn pop(&mut self);

    /// Asks whether assertions and assumptions hold together.
    fn check_for(&mut self, store: &TermStore, assumptions: &[TermId], wanted: Wanted) -> Answer;

    /// Limits of the checks to come.
    fn set_limits(&mut self, limits: &Limits);

    /// Asks under assumptions, for the values of all variables.
    fn check_assuming(&mut self, store: &TermStore, assumptions: &[TermId]) -> Answer {
        self.check_for(store, assumptions, Wanted::Variables)
    }

    /// Asks for the values of all variables.
    fn check(&mut self, store: &TermStore) -> Answer {
        self.check_assuming(store, &[])
    }
}

/// A source of solvers.
pub trait Backend {
    /// A new solver suited to formulas like these and to the given use.
    fn solver(&mut self, store: &TermStore, mode: Mode, formulas: &[TermId]) -> Box<dyn Solver>;
}

/// Numbers of queries asked so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Queries that reached the solver.
    pub queries: u64,
    /// Of these, answered satisfiable.
    pub sat: u64,
    /// Of these, answered unsatisfiable.
    pub unsat: u64,
    /// Of these, not answered.
    pub unknown: u64,
    /// Queries answered from the cache or without a solver.
    pub saved: u64,
}

impl Statistics {
    /// Counts an answer of the solver.
    pub(crate) fn count(&mut self, answer: &Answer) {
        self.queries += 1;
        match answer {
            Answer::Sat(_) => self.sat += 1,
            Answer::Unsat(_) => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
    }
}
