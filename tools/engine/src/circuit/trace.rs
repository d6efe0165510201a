//! Counterexamples to circuits, followed through the program.

use std::collections::BTreeMap;

use smt::terms::{ArrayValue, Assignment};
use smt::{Sort, TermId, TermStore, Value};

use super::sequential::Circuit;
use super::system::System;
use crate::control::Stop;
use crate::evidence::counterexample::{Counterexample, along};
use crate::session::Session;

/// Values of the inputs in each frame, by term.
pub type Frames = Vec<BTreeMap<TermId, u128>>;

/// The values of a circuit's inputs, by term.
#[must_use]
pub fn frames(circuit: &Circuit, trace: &[Vec<bool>]) -> Frames {
    let frame = |row: &Vec<bool>| {
        let mut frame = BTreeMap::new();
        for ((term, bit, _), _) in circuit.inputs.iter().zip(row).filter(|(_, value)| **value) {
            *frame.entry(*term).or_insert(0) |= 1 << bit;
        }
        frame
    };
    trace.iter().map(frame).collect()
}

/// The path that the inputs select.
///
/// # Errors
/// [`Stop`] if the run was interrupted.
pub fn follow(session: &mut Session<'_>, system: &System, frames: &Frames) -> Result<Counterexample, Stop> {
    let Some(start) = system.positions.first().copied() else { return Ok(Counterexample::default()) };
    let assignments: Vec<Assignment> = frames.iter().map(|frame| assignment(&session.store, system, frame)).collect();
    along(session, start, |number| assignments.get(number).cloned())
}

/// The values of one frame in the terms of the engine.
fn assignment(store: &TermStore, system: &System, frame: &BTreeMap<TermId, u128>) -> Assignment {
    let mut values = Assignment::new();
    let mut arrays: BTreeMap<TermId, BTreeMap<u128, u128>> = BTreeMap::new();
    for (input, value) in frame {
        let term = system.initial.get(input).copied().unwrap_or(*input);
        if let Some(element) = system.elements.get(&term) {
            arrays.entry(element.array).or_default().insert(u128::from(element.at), *value);
            continue;
        }
        match store.sort(term) {
            Sort::Bool => values.set(term, Value::Bool(*value == 1)),
            Sort::BitVec(width) => values.set(term, Value::Bits { width, value: *value }),
            Sort::Array { .. } => {}
        }
    }
    for (array, entries) in arrays {
        if let Sort::Array { index, element } = store.sort(array) {
            values.set(array, Value::Array(ArrayValue { index, element, default: 0, entries }));
        }
    }
    values
}
