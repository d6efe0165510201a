//! Invariants of circuits, proved again: on the terms of the transition system, by the solver.
//!
//! An invariant is a set of cubes over latches that no run comes to. What was found constant or equal before is a part of it.
//! It is a proof if every step keeps it and none of its steps is a violation; gates, latches and whoever found it need not
//! be trusted for that.

use std::collections::BTreeMap;

use smt::terms::Substitution;
use smt::{Answer, Sort, TermId, TermStore};

use super::job::Job;
use super::sequential::Held;
use super::steps::Bit;
use crate::control::Stop;
use crate::evidence::invariant::Invariant;
use crate::session::Session;

/// Cubes: latches with the values that they do not have together.
pub type Cubes = Vec<Vec<(Held, bool)>>;

/// Whether the invariant is a proof: `None` if the solver does not find out.
///
/// # Errors
/// [`Stop`] if the run was interrupted.
pub fn proves(session: &mut Session<'_>, job: &Job, cubes: &Cubes) -> Result<Option<bool>, Stop> {
    let invariants: Vec<TermId> =
        (0..job.system.positions.len()).map(|at| holds_at(&mut session.store, job, cubes, at)).collect();
    let variables = job.system.variables();
    for step in &job.system.steps {
        let store = &mut session.store;
        let before = if step.from == 0 { store.tt() } else { invariants[step.from] };
        let violated = match step.to {
            Err(_) => store.tt(),
            Ok(to) => {
                let mut after: BTreeMap<TermId, TermId> = step.values.iter().copied().collect();
                if step.from == 0 {
                    // What is not set by then is 0, as the latches are.
                    for variable in &variables {
                        after.entry(*variable).or_insert_with(|| zero(store, *variable));
                    }
                }
                let pairs: Vec<(TermId, TermId)> = after.into_iter().collect();
                let there = Substitution::of(store, &pairs).apply(store, invariants[to]);
                store.not(there)
            }
        };
        match session.check(&[before, step.guard, violated])? {
            Answer::Unsat(_) => {}
            Answer::Sat(_) => return Ok(Some(false)),
            Answer::Unknown(_) => return Ok(None),
        }
    }
    Ok(Some(true))
}

/// What an invariant of a circuit in which unread latches are 0 says of the program, position by position.
#[must_use]
pub fn of_program(store: &mut TermStore, job: &Job, cubes: &Cubes) -> Vec<Invariant> {
    let pairs = job.system.elements_of_program(store);
    let mut found = Vec::new();
    for at in (1..job.system.positions.len()).filter(|at| job.circuit.codes[*at].is_some()) {
        let live = &job.steps.live[at];
        let mut here = Cubes::new();
        for cube in cubes {
            let is_read = |held: &Held| match held {
                Held::Counter(_) => true,
                Held::Bit(bit) => live.binary_search(bit).is_ok(),
            };
            if cube.iter().all(|(held, value)| is_read(held) || !value) {
                here.push(cube.iter().copied().filter(|(held, _)| is_read(held)).collect());
            }
        }
        let formula = holds_at(store, job, &here, at);
        let mut meant = pairs.clone();
        for distance in &job.system.distances {
            let is_zero = job.system.anchored.contains(&(at, distance.from));
            let from = if is_zero { store.bits(store.width(distance.from), 0) } else { distance.from };
            meant.extend([(distance.distance, store.sub(distance.of, from)), (distance.from, from)]);
        }
        let formula = Substitution::of(store, &meant).apply(store, formula);
        found.push(Invariant { position: job.system.positions[at], formula });
    }
    found
}

fn zero(store: &mut TermStore, variable: TermId) -> TermId {
    match store.sort(variable) {
        Sort::BitVec(width) => store.bits(width, 0),
        Sort::Bool | Sort::Array { .. } => store.ff(),
    }
}

/// What the cubes, constants and equations say at a position.
fn holds_at(store: &mut TermStore, job: &Job, cubes: &Cubes, at: usize) -> TermId {
    let (Some(code), Some(constants)) = (job.circuit.codes[at], &job.facts.constants[at]) else { return store.ff() };
    let mut all = Vec::new();
    for (bit, value) in constants {
        let is_one = bit_of(store, job, *bit);
        all.push(if *value == 1 { is_one } else { store.not(is_one) });
    }
    for bit in &job.steps.live[at] {
        let representative = job.facts.representative[bit.0 as usize];
        if representative != *bit {
            let (a, b) = (bit_of(store, job, *bit), bit_of(store, job, representative));
            all.push(store.eq(a, b));
        }
    }
    for cube in cubes {
        let mut together = Vec::new();
        let mut elsewhere = false;
        for (held, value) in cube {
            match held {
                Held::Counter(place) => elsewhere |= (code >> place & 1 == 1) != *value,
                Held::Bit(bit) => {
                    let is_one = bit_of(store, job, *bit);
                    together.push(if *value { is_one } else { store.not(is_one) });
                }
            }
        }
        if !elsewhere {
            let cube = store.and(&together);
            all.push(store.not(cube));
        }
    }
    store.and(&all)
}

/// Whether a bit of a variable is 1.
fn bit_of(store: &mut TermStore, job: &Job, bit: Bit) -> TermId {
    let (variable, at) = job.names.owner(bit);
    if store.sort(variable) == Sort::Bool {
        return variable;
    }
    let one = store.bits(1, 1);
    let own = store.extract(variable, at, at);
    store.eq(own, one)
}
