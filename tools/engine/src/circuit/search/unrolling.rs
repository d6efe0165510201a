//! A circuit step after step from its start, in one graph in which constants and equal gates of all steps are found.

use super::super::aig::{Aig, Lit};
use super::super::sequential::Circuit;
use super::super::steps::Copier;
use super::Trace;
use super::clauses::Encoded;
use super::large::Large;
use super::sat::Literal;

/// A step.
#[derive(Debug)]
struct Frame {
    inputs: Vec<Lit>,
    bad: Lit,
}

/// Some steps of a circuit.
#[derive(Debug)]
pub struct Unrolling {
    aig: Aig,
    frames: Vec<Frame>,
    next: Vec<Lit>,
    encoded: Encoded,
    /// Has the clauses of what was asked about.
    pub sat: Large,
}

impl Unrolling {
    /// No step yet.
    #[must_use]
    pub fn new(circuit: &Circuit) -> Self {
        let next = vec![Lit::FALSE; circuit.latches.len()];
        let sat = Large::new(circuit.aig.len());
        Self { aig: Aig::default(), frames: Vec::new(), next, encoded: Encoded::default(), sat }
    }

    /// How many steps there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Gates and inputs so far.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.aig.len()
    }

    /// Adds a step.
    pub fn extend(&mut self, circuit: &Circuit) {
        let inputs: Vec<Lit> = circuit.inputs.iter().map(|_| self.aig.input()).collect();
        let latches = std::mem::take(&mut self.next);
        let now = circuit.latches.iter().map(|latch| latch.now).zip(latches);
        let given = circuit.inputs.iter().map(|(.., lit)| *lit).zip(inputs.iter().copied());
        let mut copier = Copier::new(&circuit.aig, now.chain(given));
        let bad = copier.copy(&mut self.aig, circuit.bad);
        self.next = circuit.latches.iter().map(|latch| copier.copy(&mut self.aig, latch.next)).collect();
        self.frames.push(Frame { inputs, bad });
    }

    /// The output of a step; `None` if it is 0 whatever happens.
    pub fn bad(&mut self, at: usize) -> Option<Literal> {
        let bad = self.frames[at].bad;
        (bad != Lit::FALSE).then(|| self.encoded.literal(&self.aig, &mut self.sat, bad))
    }

    /// The inputs of the last model up to a step. One that nothing asked about may have any value.
    #[must_use]
    pub fn trace(&self, last: usize) -> Trace {
        let value = |lit: &Lit| self.encoded.known(*lit).is_some_and(|literal| self.sat.value(literal));
        self.frames[..=last].iter().map(|frame| frame.inputs.iter().map(value).collect()).collect()
    }
}
