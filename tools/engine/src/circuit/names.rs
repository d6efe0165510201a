//! How inputs and latches are called: names without blanks, each once, that traces and invariants come back with.

use std::collections::BTreeMap;

use smt::{TermId, TermStore};

use super::sequential::Held;
use super::steps::{Bit, Steps};
use super::system::System;

/// The names of what a circuit is made of.
#[derive(Debug)]
pub struct Names {
    /// The name of each variable.
    pub variables: BTreeMap<TermId, String>,
    /// The name of each input.
    pub inputs: BTreeMap<TermId, String>,
    owners: Vec<(TermId, u32)>,
}

impl Names {
    /// The names for a system.
    #[must_use]
    pub fn of(store: &TermStore, system: &System, steps: &Steps) -> Names {
        let name = |term: TermId| {
            let name = store.as_variable(term).map(|(id, instance)| store.instance_name(id, instance)).unwrap_or_default();
            name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect::<String>()
        };
        let variables = steps.variables.keys().map(|variable| (*variable, name(*variable))).collect();
        let mut inputs = BTreeMap::new();
        for (input, _) in &system.inputs {
            let number = inputs.len();
            inputs.entry(*input).or_insert_with(|| format!("input{number}"));
        }
        let mut owners = vec![None; steps.bits.len()];
        for (variable, bits) in &steps.variables {
            for (at, bit) in (0..).zip(bits) {
                owners[bit.0 as usize] = Some((*variable, at));
            }
        }
        Names { variables, inputs, owners: owners.into_iter().flatten().collect() }
    }

    /// The variable that a bit belongs to, and which of its bits it is.
    #[must_use]
    pub fn owner(&self, bit: Bit) -> (TermId, u32) {
        self.owners[bit.0 as usize]
    }

    /// The name of a latch.
    #[must_use]
    pub fn latch(&self, held: Held) -> String {
        match held {
            Held::Counter(at) => format!("counter.{at}"),
            Held::Bit(bit) => {
                let (variable, at) = self.owner(bit);
                format!("{}.{at}", self.variables.get(&variable).map_or("", String::as_str))
            }
        }
    }
}
