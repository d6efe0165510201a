//! The circuit: a program counter over positions, a latch for each bit that is kept, and one output that says that a run
//! violates the property in this step.
//!
//! All latches start with 0: position 0 is the start of the program, where no latch is read. A run that has ended stays at the
//! last position for ever. What the output does not depend on is left out.

use std::collections::{BTreeMap, BTreeSet};

use smt::TermId;

use super::aig::{Aig, Lit, Node};
use super::facts::Facts;
use super::steps::{Bit, Copier, Steps};

/// What a latch holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    /// This bit of the program counter.
    Counter(u32),
    /// A bit of a variable, and of all that are always equal.
    Bit(Bit),
}

/// What latches hold where nothing reads them any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// What they held before.
    Kept,
    /// 0: states that differ in nothing that is read are one.
    Zero,
}

/// A latch.
#[derive(Clone, Copy, Debug)]
pub struct Latch {
    /// What it holds.
    pub held: Held,
    /// Its value.
    pub now: Lit,
    /// Its value in the next step.
    pub next: Lit,
}

/// A circuit.
#[derive(Debug)]
pub struct Circuit {
    /// Its gates.
    pub aig: Aig,
    /// The inputs: which bit of which term.
    pub inputs: Vec<(TermId, u32, Lit)>,
    /// The latches.
    pub latches: Vec<Latch>,
    /// All that may be read from step to step, also what the output does not depend on where constants are put in the place of
    /// what is constant at one position only.
    pub kept: Vec<Held>,
    /// The output.
    pub bad: Lit,
    /// The code of each position in the program counter; nothing for one that no run comes to.
    pub codes: Vec<Option<u32>>,
    /// The code of the end of all runs.
    pub end: u32,
}

impl Circuit {
    /// The circuit of some steps.
    #[must_use]
    pub fn of(steps: &Steps, facts: &Facts, unread: Unread) -> Circuit {
        let mut number = 0;
        let codes: Vec<Option<u32>> = facts
            .constants
            .iter()
            .map(|known| {
                known.as_ref().map(|_| {
                    number += 1;
                    number - 1
                })
            })
            .collect();
        let mut compose = Compose::new(steps, facts, &codes, number);
        for from in (0..steps.positions).filter(|from| codes[*from].is_some()) {
            compose.position(from);
        }
        if unread == Unread::Zero {
            compose.reset();
        }
        compose.finish(number)
    }

    /// The nodes that the output and the next values depend on.
    #[must_use]
    pub fn nodes(&self) -> Vec<usize> {
        self.aig.cone(self.latches.iter().map(|latch| latch.next).chain([self.bad]))
    }
}

struct Compose<'a> {
    steps: &'a Steps,
    facts: &'a Facts,
    codes: &'a [Option<u32>],
    aig: Aig,
    counter: Vec<Lit>,
    /// The latches of bits.
    held: BTreeMap<Bit, Lit>,
    inputs: Vec<(TermId, u32, Lit)>,
    /// The free bits of the steps that are inputs, with those here.
    given: Vec<(Lit, Lit)>,
    /// When which position comes next.
    ways: BTreeMap<u32, Lit>,
    /// When which bit changes, and when it becomes 1.
    changes: BTreeMap<Bit, (Lit, Lit)>,
    bad: Lit,
}

impl<'a> Compose<'a> {
    fn new(steps: &'a Steps, facts: &'a Facts, codes: &'a [Option<u32>], end: u32) -> Self {
        let mut aig = Aig::default();
        let width = 32 - end.leading_zeros();
        let counter = (0..width).map(|_| aig.input()).collect();
        let mut held = BTreeMap::new();
        for bit in (0..steps.bits.len()).map(|at| Bit(formats::dense(at))) {
            if facts.representative[bit.0 as usize] == bit && facts.constant(steps, bit).is_none() {
                held.insert(bit, aig.input());
            }
        }
        let (mut inputs, mut given) = (Vec::new(), Vec::new());
        for (term, lits) in &steps.inputs {
            for (at, lit) in (0..).zip(lits) {
                let new = aig.input();
                inputs.push((*term, at, new));
                given.push((*lit, new));
            }
        }
        let (ways, changes) = (BTreeMap::new(), BTreeMap::new());
        Self { steps, facts, codes, aig, counter, held, inputs, given, ways, changes, bad: Lit::FALSE }
    }

    /// Whether the program counter has a value.
    fn at(&mut self, code: u32) -> Lit {
        let bits: Vec<Lit> = (0..).zip(&self.counter).map(|(at, bit)| if code >> at & 1 == 1 { *bit } else { !*bit }).collect();
        self.aig.all(&bits)
    }

    /// What holds a bit at positions where it is not constant, or its constant.
    fn value_of(&self, bit: Bit) -> Lit {
        let constant = || self.facts.constant(self.steps, bit).map_or(Lit::FALSE, |value| Lit::constant(u128::from(value)));
        self.held.get(&bit).copied().unwrap_or_else(constant)
    }

    fn position(&mut self, from: usize) {
        let (steps, facts) = (self.steps, self.facts);
        let here = self.codes[from].map_or(Lit::FALSE, |code| self.at(code));
        let replaced: Vec<(Lit, Lit)> =
            facts.replaced(steps, from, |bit| self.value_of(bit)).chain(self.given.iter().copied()).collect();
        let mut copier = Copier::new(&steps.aig, replaced);
        for step in steps.steps.iter().filter(|step| step.from == from) {
            let guard = copier.copy(&mut self.aig, step.guard);
            let taken = self.aig.and(here, guard);
            let Some(to) = step.to else {
                self.bad = self.aig.or(self.bad, taken);
                continue;
            };
            let Some(code) = self.codes[to].filter(|_| taken != Lit::FALSE) else { continue };
            let before = self.ways.get(&code).copied().unwrap_or(Lit::FALSE);
            let way = self.aig.or(before, taken);
            self.ways.insert(code, way);
            for (bit, lit) in &step.values {
                let Some(own) = self.held.get(bit).copied() else { continue };
                let value = copier.copy(&mut self.aig, *lit);
                if value == own {
                    continue;
                }
                let (changes, ones) = self.changes.get(bit).copied().unwrap_or((Lit::FALSE, Lit::FALSE));
                let one = self.aig.and(taken, value);
                let entry = (self.aig.or(changes, taken), self.aig.or(ones, one));
                self.changes.insert(*bit, entry);
            }
        }
    }

    /// Sets what is not read behind a step to 0.
    fn reset(&mut self) {
        let of_code = |to: &usize| self.codes[*to].and_then(|code| self.ways.get(&code).copied());
        let ways: Vec<(usize, Lit)> = (0..self.steps.positions).filter_map(|to| Some((to, of_code(&to)?))).collect();
        for bit in self.held.keys() {
            let unread = ways.iter().filter(|(to, _)| self.steps.live[*to].binary_search(bit).is_err());
            let unread: Vec<Lit> = unread.map(|(_, way)| *way).collect();
            let reset = self.aig.any(&unread);
            let (changes, ones) = self.changes.get(bit).copied().unwrap_or((Lit::FALSE, Lit::FALSE));
            self.changes.insert(*bit, (self.aig.or(changes, reset), ones));
        }
    }

    fn finish(mut self, end: u32) -> Circuit {
        let taken: Vec<Lit> = self.ways.values().copied().collect();
        let goes_on = self.aig.any(&taken);
        self.ways.insert(end, !goes_on);
        let mut latches = Vec::new();
        for (at, now) in (0..).zip(self.counter.clone()) {
            let ones: Vec<Lit> = self.ways.iter().filter(|(code, _)| **code >> at & 1 == 1).map(|(_, way)| *way).collect();
            let next = self.aig.any(&ones);
            latches.push(Latch { held: Held::Counter(at), now, next });
        }
        for (bit, now) in &self.held {
            let (changes, ones) = self.changes.get(bit).copied().unwrap_or((Lit::FALSE, Lit::FALSE));
            let stays = self.aig.and(*now, !changes);
            let next = self.aig.or(ones, stays);
            latches.push(Latch { held: Held::Bit(*bit), now: *now, next });
        }
        let codes = self.codes.to_vec();
        let kept = latches.iter().map(|latch| latch.held).collect();
        let mut circuit = Circuit { aig: self.aig, inputs: self.inputs, latches, kept, bad: self.bad, codes, end };
        circuit.sweep();
        circuit
    }
}

impl Circuit {
    /// Leaves out latches and inputs that the output does not depend on.
    fn sweep(&mut self) {
        let next: BTreeMap<usize, Lit> = self.latches.iter().map(|latch| (latch.now.node(), latch.next)).collect();
        let mut seen = BTreeSet::new();
        let mut open = vec![self.bad.node()];
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            match self.aig.node(at) {
                Node::False => {}
                Node::Input(_) => open.extend(next.get(&at).map(|lit| lit.node())),
                Node::And(a, b) => open.extend([a.node(), b.node()]),
            }
        }
        self.latches.retain(|latch| seen.contains(&latch.now.node()));
        self.inputs.retain(|(_, _, lit)| seen.contains(&lit.node()));
    }
}
