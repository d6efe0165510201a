//! Invariants of model checkers, proved again: on the terms of the transition system, by the solver.
//!
//! An invariant is read as cubes over latches that no run comes to (the PLA files of ABC's `pdr -d -I`). What was found constant
//! or equal before is a part of it. It is a proof if every step keeps it and none of its steps is a violation; gates,
//! latches and the model checker need not be trusted for that.

use std::collections::BTreeMap;

use engine::control::Stop;
use engine::session::Session;
use smt::terms::Substitution;
use smt::{Answer, Sort, TermId, TermStore};

use crate::job::Job;
use crate::sequential::Held;
use crate::steps::Bit;

/// Why a text is no invariant of a circuit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvariantError {
    /// A line that says something else.
    #[error("line {0}: not understood")]
    Line(usize),
    /// A latch that the circuit does not have.
    #[error("line {0}: the circuit has no latch of this name")]
    Name(usize),
    /// It does not end.
    #[error("the end of the file (.e) is missing")]
    Truncated,
}

/// Cubes: latches with the values that they do not have together.
pub type Cubes = Vec<Vec<(Held, bool)>>;

/// Reads an invariant.
///
/// # Errors
/// [`InvariantError`].
pub fn read(text: &str, job: &Job<'_>) -> Result<Cubes, InvariantError> {
    let known: BTreeMap<String, Held> =
        job.circuit.latches.iter().map(|latch| (job.names.latch(latch.held), latch.held)).collect();
    let (mut columns, mut cubes) = (Vec::new(), Cubes::new());
    for (number, line) in (1..).zip(text.lines()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [first, ..] if first.starts_with('#') => {}
            [".e"] => return Ok(cubes),
            [".i" | ".o" | ".p" | ".ob", ..] => {}
            [".ilb", names @ ..] => {
                let held = names.iter().map(|name| known.get(*name).copied()).collect::<Option<Vec<Held>>>();
                columns = held.ok_or(InvariantError::Name(number))?;
            }
            [values, "1"] if values.len() == columns.len() && values.chars().all(|value| "01-".contains(value)) => {
                let given = columns.iter().zip(values.chars()).filter(|(_, value)| *value != '-');
                cubes.push(given.map(|(held, value)| (*held, value == '1')).collect());
            }
            _ => return Err(InvariantError::Line(number)),
        }
    }
    Err(InvariantError::Truncated)
}

/// Whether the invariant is a proof: `None` if the solver does not find out.
///
/// # Errors
/// [`Stop`] if the run was interrupted.
pub fn proves(session: &mut Session<'_>, job: &Job<'_>, cubes: &Cubes) -> Result<Option<bool>, Stop> {
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

fn zero(store: &mut TermStore, variable: TermId) -> TermId {
    match store.sort(variable) {
        Sort::BitVec(width) => store.bits(width, 0),
        Sort::Bool | Sort::Array { .. } => store.ff(),
    }
}

/// What the cubes, constants and equations say at a position.
fn holds_at(store: &mut TermStore, job: &Job<'_>, cubes: &Cubes, at: usize) -> TermId {
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
fn bit_of(store: &mut TermStore, job: &Job<'_>, bit: Bit) -> TermId {
    let (variable, at) = job.names.owner(bit);
    if store.sort(variable) == Sort::Bool {
        return variable;
    }
    let one = store.bits(1, 1);
    let own = store.extract(variable, at, at);
    store.eq(own, one)
}
