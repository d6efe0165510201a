//! A circuit with all that it was made of.

use formats::Reason;
use smt::TermStore;

use super::facts::Facts;
use super::names::Names;
use super::sequential::{Circuit, Unread};
use super::steps::Steps;
use super::system::System;

/// A circuit, its steps, and how its parts are called.
#[derive(Debug)]
pub struct Job {
    /// The transition system.
    pub system: System,
    /// Its steps in bits.
    pub steps: Steps,
    /// What is constant and equal.
    pub facts: Facts,
    /// The circuit.
    pub circuit: Circuit,
    /// How its parts are called.
    pub names: Names,
}

impl Job {
    /// Makes the circuit of a system, if its steps take about so many nodes or fewer.
    ///
    /// # Errors
    /// The reason for which there is none.
    pub fn of(store: &TermStore, system: System, (unread, largest): (Unread, usize)) -> Result<Self, Reason> {
        let steps = Steps::of(store, &system, largest)?;
        let facts = Facts::of(&steps);
        let circuit = Circuit::of(&steps, &facts, unread);
        let names = Names::of(store, &system, &steps);
        Ok(Self { system, steps, facts, circuit, names })
    }
}
