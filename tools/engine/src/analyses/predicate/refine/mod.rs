//! Refinement: from an infeasible abstract path to predicates that exclude it.
//!
//! [`Refiner`] is the seam: each technique is one file behind it. Whatever a technique yields is a candidate; the
//! abstraction decides what it is worth, so a bad candidate costs time and never a verdict.

pub mod formula;
pub mod implicant;
pub mod known;
pub mod project;
pub mod static_atoms;
pub mod wp;

use std::collections::BTreeSet;

use program::cfa::LocationId;
use smt::TermId;

pub use super::precision::Precision;
use crate::control::Stop;
use crate::session::Session;
pub use formula::PathFormula;

/// A predicate for a border of an abstract path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The border: block `border` of the path starts there. Never 0.
    pub border: usize,
    /// The atom, over variables of the program.
    pub atom: TermId,
}

/// A clause for a border of an abstract path: it holds there on the path, and helps to exclude it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lemma {
    /// The border.
    pub border: usize,
    /// Its literals: atoms with their truth values. One of them holds.
    pub literals: Vec<(TermId, bool)>,
}

/// What a strategy made of an infeasible path.
#[derive(Clone, Debug)]
pub enum Refinement {
    /// Predicates and clauses over them.
    Candidates(Vec<Candidate>, Vec<Lemma>),
    /// It has nothing to offer for this path.
    Nothing,
}

/// A refinement strategy.
pub trait Refiner {
    /// Its name in statistics.
    fn name(&self) -> &'static str;

    /// Predicates that may exclude a path whose formula is unsatisfiable; some are known, there or elsewhere.
    ///
    /// # Errors
    /// [`Stop`] if the run was interrupted.
    fn refine(&mut self, session: &mut Session, path: &PathFormula, known: &Precision) -> Result<Refinement, Stop>;
}

/// A location that starts a block of a path.
#[must_use]
pub fn border_location(path: &PathFormula, border: usize) -> LocationId {
    path.blocks[border].entry.location
}

/// The variables to which some block of a path adds something.
fn counters(session: &Session, path: &PathFormula) -> BTreeSet<TermId> {
    let store = &session.store;
    let states = path.blocks.iter().flat_map(|block| &block.exits).flat_map(|exit| exit.state.iter());
    let adds =
        |(variable, value): &(TermId, TermId)| store.op(*value) == smt::terms::Op::Add && store.args(*value).contains(variable);
    states.filter(adds).map(|(variable, _)| variable).collect()
}
