//! The steps of a transition system in bits.

use std::collections::BTreeMap;

use formats::Reason;
use rustc_hash::FxHashMap;
use smt::{TermId, TermStore};

use super::aig::{Aig, Lit};
use super::blast::Blaster;
use super::system::System;

/// Nodes of the largest graph that can be made.
pub const LARGEST: usize = 40_000_000;

/// A bit that is kept from step to step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bit(pub u32);

/// A step in bits.
#[derive(Clone, Debug)]
pub struct BitStep {
    /// The position where it begins.
    pub from: usize,
    /// Where it ends; nothing for a violation.
    pub to: Option<usize>,
    /// When it is taken.
    pub guard: Lit,
    /// What the bits are behind it that may be read there.
    pub values: Vec<(Bit, Lit)>,
}

/// The steps of a system over one graph.
#[derive(Debug)]
pub struct Steps {
    /// The graph.
    pub aig: Aig,
    /// How many positions there are.
    pub positions: usize,
    /// The steps, in the order of the system.
    pub steps: Vec<BitStep>,
    /// The free bit of each bit that is kept.
    pub bits: Vec<Lit>,
    /// The bits of each variable, lowest first.
    pub variables: BTreeMap<TermId, Vec<Bit>>,
    /// The free bits of each input, lowest first.
    pub inputs: BTreeMap<TermId, Vec<Lit>>,
    /// For each position the bits that may be read from there on, ascending.
    pub live: Vec<Vec<Bit>>,
}

impl Steps {
    /// The steps of a system in bits, if they take about so many nodes or fewer.
    ///
    /// # Errors
    /// [`Reason::Memory`] if there are too many.
    pub fn of(store: &TermStore, system: &System, largest: usize) -> Result<Steps, Reason> {
        let mut blaster = Blaster::default();
        let no_bits = |_| Reason::Internal;
        let (mut bits, mut variables) = (Vec::new(), BTreeMap::new());
        for variable in system.variables() {
            let lits = blaster.bits(store, variable).map_err(no_bits)?;
            let first = bits.len();
            bits.extend_from_slice(lits);
            variables.insert(variable, (first..bits.len()).map(|at| Bit(formats::dense(at))).collect::<Vec<Bit>>());
        }
        let mut inputs = BTreeMap::new();
        for (input, _) in &system.inputs {
            inputs.insert(*input, blaster.bits(store, *input).map_err(no_bits)?.to_vec());
        }
        let mut steps = Vec::with_capacity(system.steps.len());
        for step in &system.steps {
            let guard = blaster.bit(store, step.guard).map_err(no_bits)?;
            let mut values = Vec::new();
            for (variable, value) in &step.values {
                let value = blaster.bits(store, *value).map_err(no_bits)?;
                let own = variables.get(variable).map_or(&[][..], Vec::as_slice);
                values.extend(own.iter().copied().zip(value.iter().copied()));
            }
            if blaster.aig.len() > largest {
                return Err(Reason::Memory);
            }
            steps.push(BitStep { from: step.from, to: step.to.ok(), guard, values });
        }
        let live = system.live.iter().map(|live| {
            let mut all: Vec<Bit> = live.iter().flat_map(|variable| &variables[variable]).copied().collect();
            all.sort_unstable();
            all
        });
        let live = live.collect();
        Ok(Steps { aig: blaster.aig, positions: system.positions.len(), steps, bits, variables, inputs, live })
    }
}

/// Copies parts of a graph into another, with other things in the place of free bits.
#[derive(Debug)]
pub struct Copier<'a> {
    /// Where from.
    pub from: &'a Aig,
    done: FxHashMap<usize, Lit>,
}

impl<'a> Copier<'a> {
    /// A copier that puts these literals of the other graph in the place of free bits.
    #[must_use]
    pub fn new(from: &'a Aig, replaced: impl IntoIterator<Item = (Lit, Lit)>) -> Self {
        let done = replaced.into_iter().map(|(old, new)| (old.node(), new.complemented_like(old))).collect();
        Self { from, done }
    }

    /// The copy of a literal.
    pub fn copy(&mut self, to: &mut Aig, lit: Lit) -> Lit {
        let mut open = vec![lit.node()];
        while let Some(&at) = open.last() {
            if self.done.contains_key(&at) {
                open.pop();
                continue;
            }
            let new = match self.from.node(at) {
                super::aig::Node::False => Lit::FALSE,
                super::aig::Node::Input(_) => to.input(),
                super::aig::Node::And(a, b) => match (self.done.get(&a.node()), self.done.get(&b.node())) {
                    (Some(x), Some(y)) => to.and(x.complemented_like(a), y.complemented_like(b)),
                    (x, y) => {
                        let missing = [(x, a), (y, b)].into_iter().filter(|(known, _)| known.is_none());
                        open.extend(missing.map(|(_, operand)| operand.node()));
                        continue;
                    }
                },
            };
            self.done.insert(at, new);
            open.pop();
        }
        self.done.get(&lit.node()).map_or(Lit::FALSE, |copy| copy.complemented_like(lit))
    }
}
