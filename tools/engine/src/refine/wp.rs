//! Refinement by weakest preconditions over the core of a path.
//!
//! The shortest infeasible suffix of the path starts with some block; behind that block stands the *cut*. A model of the
//! rest selects one path through each later block; its weakest precondition at the cut, as literals, contradicts the
//! first block. A minimal core of these literals, pulled forward again through the borders, gives the predicates. The
//! model is then excluded by the core, and the next one is taken, until the rest contradicts all cores.
//! Source: the measurements of refinement techniques in the design notes; weakest preconditions need no quantifiers here
//! because assignments are substitutions and inputs are projected away.

use std::collections::BTreeSet;

use smt::terms::Assignment;
use smt::{Answer, TermId};

use super::implicant::{Values, implicant};
use super::project::{Leftover, Sourced, project};
use super::{Candidate, PathFormula, Refinement, Refiner};
use crate::block::SymbolicState;
use crate::block::trace::{Trace, trace};
use crate::cegar::Session;
use crate::explore::Stop;

/// Paths through the rest that are excluded one by one before the candidates are tried.
const MODELS: usize = 6;

/// Weakest preconditions over the core.
#[derive(Debug, Default)]
pub struct WeakestPreconditions;

/// The literals at the borders behind the cut, the cut first.
struct Preconditions {
    borders: Vec<Vec<Sourced>>,
}

impl Refiner for WeakestPreconditions {
    fn name(&self) -> &'static str {
        "wp"
    }

    fn refine(&mut self, session: &mut Session, path: &PathFormula) -> Result<Refinement, Stop> {
        let Some((first, mut model)) = shortest_suffix(session, path)? else { return Ok(Refinement::Nothing) };
        let cut = first + 1;
        let mut candidates = BTreeSet::new();
        let mut excluded = Vec::new();
        for _ in 0..MODELS {
            let Some((core, preconditions)) = core_at_cut(session, path, cut, &model)? else { break };
            collect(session, &preconditions, cut, &core, &mut candidates);
            let literals: Vec<TermId> = core.iter().map(|at| preconditions.borders[0][*at].literal).collect();
            let store = &mut session.store;
            let conjunction = store.and(&literals);
            let negated = store.not(conjunction);
            excluded.push(path.at_border(store, cut, negated));
            let mut formulas = path.parts[cut..].to_vec();
            formulas.extend_from_slice(&excluded);
            match session.check(&formulas)? {
                Answer::Sat(next) => model = next,
                Answer::Unsat(_) | Answer::Unknown(_) => break,
            }
        }
        if candidates.is_empty() {
            return Ok(Refinement::Nothing);
        }
        Ok(Refinement::Candidates(candidates.into_iter().collect()))
    }
}

/// The last block from which on the path is infeasible, with a model of what follows it; `None` if that is the last
/// block, or the solver does not know.
fn shortest_suffix(session: &mut Session, path: &PathFormula) -> Result<Option<(usize, Assignment)>, Stop> {
    let mut feasible: Option<(usize, Assignment)> = None;
    let mut infeasible = 0;
    let mut step = 1;
    let mut at = path.len().saturating_sub(1);
    // Gallop backwards, then search between.
    loop {
        match session.check(&path.parts[at..])? {
            Answer::Sat(model) => feasible = Some((at, model)),
            Answer::Unsat(_) => {
                infeasible = at;
                break;
            }
            Answer::Unknown(_) => break,
        }
        if at == 0 {
            return Ok(None);
        }
        at = at.saturating_sub(step);
        step *= 2;
    }
    let Some((mut low, mut model)) = feasible else { return Ok(None) };
    while low > infeasible + 1 {
        let middle = usize::midpoint(infeasible, low);
        match session.check(&path.parts[middle..])? {
            Answer::Sat(found) => (low, model) = (middle, found),
            Answer::Unsat(_) | Answer::Unknown(_) => infeasible = middle,
        }
    }
    Ok(Some((infeasible, model)))
}

/// The literals at the cut, and the positions of those that already contradict the block before it.
fn core_at_cut(
    session: &mut Session,
    path: &PathFormula,
    cut: usize,
    model: &Assignment,
) -> Result<Option<(Vec<usize>, Preconditions)>, Stop> {
    let Some(traces) = traces(session, path, cut, model)? else { return Ok(None) };
    for leftover in [Leftover::Drop, Leftover::Instantiate] {
        let preconditions = preconditions(session, path, cut, model, &traces, leftover);
        let exit = path.exit(cut - 1);
        let mut substitution = exit.state.substitution(&session.store);
        let literals: Vec<TermId> = preconditions.borders[0].iter().map(|l| l.literal).collect();
        let order = by_simplicity(session, &literals);
        let soft: Vec<TermId> =
            order.iter().map(|at| substitution.apply(&mut session.store, literals[*at])).collect();
        if let Some(core) = session.core(exit.guard, &soft)? {
            let core = core.into_iter().map(|at| order[at]).collect();
            return Ok(Some((core, preconditions)));
        }
    }
    Ok(None)
}

/// The paths through the blocks from the cut on that the model selects.
fn traces(
    session: &mut Session,
    path: &PathFormula,
    cut: usize,
    model: &Assignment,
) -> Result<Option<Vec<(Trace, Assignment)>>, Stop> {
    let mut found = Vec::with_capacity(path.len() - cut);
    for at in cut..path.len() {
        let values = path.values_at(&mut session.store, at, model);
        let entry = path.blocks[at].entry;
        let trace = trace(&mut session.explorer, &mut session.store, entry, SymbolicState::unchanged(), &values)?;
        if trace.target.as_ref() != Some(&path.exit(at).target) {
            return Ok(None);
        }
        found.push((trace, values));
    }
    Ok(Some(found))
}

/// The weakest precondition of the traces at every border from the cut on.
fn preconditions(
    session: &mut Session,
    path: &PathFormula,
    cut: usize,
    _model: &Assignment,
    traces: &[(Trace, Assignment)],
    leftover: Leftover,
) -> Preconditions {
    let store = &mut session.store;
    let mut borders: Vec<Vec<Sourced>> = vec![Vec::new(); path.len() - cut + 1];
    for (at, (trace, values)) in traces.iter().enumerate().rev() {
        let mut values = Values::new(values);
        let mut substitution = trace.state.substitution(store);
        let mut literals = Vec::new();
        for condition in &trace.conditions {
            let own = implicant(store, *condition, &mut values);
            literals.extend(own.into_iter().map(|literal| Sourced { literal, origins: BTreeSet::new() }));
        }
        for (origin, later) in borders[at + 1].clone().into_iter().enumerate() {
            let before = substitution.apply(store, later.literal);
            let parts = implicant(store, before, &mut values);
            literals.extend(
                parts.into_iter().map(|literal| Sourced { literal, origins: BTreeSet::from([origin]) }),
            );
        }
        borders[at] = project(store, literals, &mut values, leftover);
    }
    Preconditions { borders }
}

/// Positions of literals, those that make good predicates first: equations with constants, then small ones.
fn by_simplicity(session: &Session, literals: &[TermId]) -> Vec<usize> {
    let store = &session.store;
    let mut order: Vec<usize> = (0..literals.len()).collect();
    order.sort_by_key(|at| {
        let literal = literals[*at];
        let (_, negated) = store.without_not(literal);
        (store.variables(literal).len(), store.tree_size(literal), negated, *at)
    });
    order
}

/// The atoms of the core, and of what the core stems from at later borders.
fn collect(
    session: &Session,
    preconditions: &Preconditions,
    cut: usize,
    core: &[usize],
    candidates: &mut BTreeSet<Candidate>,
) {
    let mut wanted: BTreeSet<usize> = core.iter().copied().collect();
    for (offset, literals) in preconditions.borders.iter().enumerate() {
        let mut next = BTreeSet::new();
        for &at in &wanted {
            let Some(sourced) = literals.get(at) else { continue };
            let (atom, _) = session.store.without_not(sourced.literal);
            candidates.insert(Candidate { border: cut + offset, atom });
            next.extend(sourced.origins.iter().copied());
        }
        if next.is_empty() {
            break;
        }
        wanted = next;
    }
}
