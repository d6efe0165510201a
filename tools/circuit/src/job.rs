//! A circuit with all that it was made of.

use formats::Reason;
use smt::TermStore;

use crate::facts::Facts;
use crate::names::Names;
use crate::sequential::Circuit;
use crate::steps::Steps;
use crate::system::System;

/// A circuit, its steps, and how its parts are called.
#[derive(Debug)]
pub struct Job<'a> {
    /// The transition system.
    pub system: &'a System,
    /// Its steps in bits.
    pub steps: Steps,
    /// What is constant and equal.
    pub facts: Facts,
    /// The circuit.
    pub circuit: Circuit,
    /// How its parts are called.
    pub names: Names,
}

impl<'a> Job<'a> {
    /// Makes the circuit of a system.
    ///
    /// # Errors
    /// The reason for which there is none.
    pub fn of(store: &TermStore, system: &'a System) -> Result<Self, Reason> {
        let steps = Steps::of(store, system)?;
        let facts = Facts::of(&steps);
        let circuit = Circuit::of(&steps, &facts);
        let names = Names::of(store, system, &steps);
        Ok(Self { system, steps, facts, circuit, names })
    }
}
