//! What all parts of one verification share: the program, the terms, the solver, the predicates.

use program::cfa::Cfa;
use smt::z3::Z3;
use smt::{Answer, Backend, Limits, Mode, Queries, Reason, TermId, TermStore};

use crate::explore::{Explorer, Stop};
use crate::predicate::abstraction::Counts;
use crate::predicate::precision::Precision;
use crate::predicate::region::BddRegions;

/// The tools of one verification.
#[derive(Debug)]
pub struct Session<'p> {
    /// The program, step by step.
    pub explorer: Explorer<'p>,
    /// All terms.
    pub store: TermStore,
    /// Long questions, each to a fresh solver.
    pub queries: Queries,
    /// Source of incremental solvers.
    pub backend: Z3,
    /// Limits of incremental queries.
    pub limits: Limits,
    /// Operations on regions.
    pub regions: BddRegions,
    /// The predicates.
    pub precision: Precision,
    /// What the abstraction did.
    pub counts: Counts,
}

impl<'p> Session<'p> {
    /// A session for a program.
    #[must_use]
    pub fn new(explorer: Explorer<'p>, backend: Z3, limits: Limits) -> Self {
        let queries = Queries::new(Box::new(backend.clone()), limits.clone());
        Self {
            explorer,
            store: TermStore::new(),
            queries,
            backend,
            limits,
            regions: BddRegions::new(),
            precision: Precision::default(),
            counts: Counts::default(),
        }
    }

    /// The program.
    #[must_use]
    pub fn cfa(&self) -> &'p Cfa {
        self.explorer.cfa
    }

    /// Asks a fresh solver for a model of some formulas.
    ///
    /// # Errors
    /// [`Stop::Interrupted`].
    pub fn check(&mut self, formulas: &[TermId]) -> Result<Answer, Stop> {
        match self.queries.check(&self.store, formulas) {
            Answer::Unknown(Reason::Interrupted) => Err(Stop::Interrupted),
            answer @ (Answer::Sat(_) | Answer::Unsat(_) | Answer::Unknown(_)) => Ok(answer),
        }
    }

    /// Positions in `soft` of a subset that contradicts `hard` and loses that with any element; later elements are
    /// given up first. `None` if `hard` and `soft` hold together, or nobody knows.
    ///
    /// # Errors
    /// [`Stop::Interrupted`].
    pub fn core(&mut self, hard: TermId, soft: &[TermId]) -> Result<Option<Vec<usize>>, Stop> {
        if let Some(at) = soft.iter().position(|s| *s == self.store.ff()) {
            return Ok(Some(vec![at]));
        }
        let mut roots = soft.to_vec();
        roots.push(hard);
        let mut solver = self.backend.solver(&self.store, Mode::Incremental, &roots);
        solver.set_limits(&self.limits);
        solver.assert(&self.store, hard);
        let mut core = match solver.check_assuming(&self.store, soft) {
            Answer::Sat(_) => return Ok(None),
            Answer::Unknown(Reason::Interrupted) => return Err(Stop::Interrupted),
            Answer::Unknown(_) => (0..soft.len()).collect(),
            Answer::Unsat(core) => (0..soft.len()).filter(|at| core.contains(&soft[*at])).collect::<Vec<usize>>(),
        };
        self.counts.queries += 1;
        let mut at = core.len();
        while at > 0 {
            at -= 1;
            if at >= core.len() {
                continue;
            }
            let rest: Vec<TermId> =
                core.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, position)| soft[*position]).collect();
            self.counts.queries += 1;
            match solver.check_assuming(&self.store, &rest) {
                Answer::Unsat(smaller) => core.retain(|position| smaller.contains(&soft[*position])),
                Answer::Unknown(Reason::Interrupted) => return Err(Stop::Interrupted),
                Answer::Sat(_) | Answer::Unknown(_) => {}
            }
        }
        Ok(Some(core))
    }
}
