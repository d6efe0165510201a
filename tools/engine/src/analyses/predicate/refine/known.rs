//! Refinement by predicates that are known at other locations.
//!
//! A path is followed with what is known of it and the literals of known predicates that hold at each border; if these exclude
//! it, the ones that matter become predicates of the borders. A path through a loop is then excluded by what excluded others,
//! not by the number of rounds, which would have to be found out again for every number.
//! Source: the choice among reasons of infeasibility in [Beyer, Löwe, Wendler: Refinement Selection, SPIN 2015].

use smt::{Answer, Backend, Mode, Reason, Solver, TermId, TermStore};

use super::{Candidate, PathFormula, Precision, Refinement, Refiner, counters};
use crate::control::Stop;
use crate::session::Session;

/// More predicates than this are not tried, nor borders.
const MOST: usize = 16;
const BORDERS: usize = 128;

/// Predicates of other locations.
#[derive(Debug, Default)]
pub struct KnownPredicates;

impl Refiner for KnownPredicates {
    fn name(&self) -> &'static str {
        "known"
    }

    fn refine(&mut self, session: &mut Session, path: &PathFormula, known: &Precision) -> Result<Refinement, Stop> {
        let counters = counters(session, path);
        let plain = |atom: &TermId| session.store.variables(*atom).iter().all(|variable| !counters.contains(variable));
        let atoms: Vec<TermId> = known.terms().filter(plain).take(MOST).collect();
        if atoms.is_empty() || path.len() < 2 || path.len() > BORDERS {
            return Ok(Refinement::Nothing);
        }
        let mut holding = vec![Vec::new()];
        for border in 1..path.len() {
            let next = literals_at(session, path, border, &holding[border - 1], &atoms)?;
            holding.push(next);
        }
        let mut needed = Vec::new();
        let mut candidates = Vec::new();
        for at in (1..path.len()).rev() {
            let Some(literals) = reason(session, path, at, &holding[at], &needed)? else { return Ok(Refinement::Nothing) };
            for literal in &literals {
                candidates.push(Candidate { border: at, atom: session.store.without_not(*literal).0 });
            }
            if literals.is_empty() {
                break;
            }
            needed = literals;
        }
        Ok(if candidates.is_empty() { Refinement::Nothing } else { Refinement::Candidates(candidates, Vec::new()) })
    }
}

/// The literals over known predicates that hold at a border if the given ones do at the border before.
fn literals_at(
    session: &mut Session,
    path: &PathFormula,
    border: usize,
    before: &[TermId],
    atoms: &[TermId],
) -> Result<Vec<TermId>, Stop> {
    let position = path.blocks[border].entry;
    let mut substitution = path.exit(border - 1).state.substitution(&session.store);
    let mut found = Vec::new();
    let mut open = Vec::new();
    for atom in atoms {
        let exists = |variable| session.explorer.exists_at(&session.store, position, variable);
        if !session.store.variables(*atom).into_iter().all(exists) {
            continue;
        }
        let value = substitution.apply(&mut session.store, *atom);
        let negated = session.store.not(*atom);
        match session.store.as_bool(value) {
            Some(true) => found.push(*atom),
            Some(false) => found.push(negated),
            None if value == *atom && before.contains(atom) => found.push(*atom),
            None if value == *atom && before.contains(&negated) => found.push(negated),
            None => open.push((*atom, negated, value)),
        }
    }
    if open.is_empty() {
        return Ok(found);
    }
    let hard = known_before(session, path, border - 1, before);
    let roots: Vec<TermId> = open.iter().map(|(.., value)| *value).chain([hard]).collect();
    let mut solver = session.backend.solver(&session.store, Mode::Incremental, &roots);
    solver.set_limits(&session.limits);
    solver.assert(&session.store, hard);
    for (atom, negated, value) in open {
        let against = session.store.not(value);
        if contradicts(&mut *solver, session, against)? {
            found.push(atom);
        } else if contradicts(&mut *solver, session, value)? {
            found.push(negated);
        }
    }
    Ok(found)
}

fn contradicts(solver: &mut dyn Solver, session: &mut Session, formula: TermId) -> Result<bool, Stop> {
    session.counts.queries += 1;
    match solver.check_assuming(&session.store, &[formula]) {
        Answer::Unsat(_) => Ok(true),
        Answer::Unknown(Reason::Interrupted) => Err(Stop::Interrupted),
        Answer::Sat(_) | Answer::Unknown(_) => Ok(false),
    }
}

/// What is known where a block starts, and that it is left where the path does.
fn known_before(session: &mut Session, path: &PathFormula, at: usize, literals: &[TermId]) -> TermId {
    let store: &mut TermStore = &mut session.store;
    let guard = path.guard(store, at);
    let mut all = vec![path.regions[at], guard];
    all.extend_from_slice(literals);
    store.and(&all)
}

/// Those of the literals at the start of a block that it takes to make the needed ones hold at its end, or to exclude it if
/// it is the last.
fn reason(
    session: &mut Session,
    path: &PathFormula,
    at: usize,
    literals: &[TermId],
    needed: &[TermId],
) -> Result<Option<Vec<TermId>>, Stop> {
    let mut substitution = path.exit(at).state.substitution(&session.store);
    let after: Vec<TermId> = needed.iter().map(|literal| substitution.apply(&mut session.store, *literal)).collect();
    if !needed.is_empty() && after.iter().all(|literal| literals.contains(literal)) {
        return Ok(Some(after));
    }
    let after = session.store.and(&after);
    let against = if needed.is_empty() { session.store.tt() } else { session.store.not(after) };
    let hard = known_before(session, path, at, &[against]);
    let core = session.core(hard, literals, &[])?;
    Ok(core.map(|core| core.into_iter().map(|position| literals[position]).collect()))
}
