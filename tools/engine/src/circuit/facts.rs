//! What is constant and what is equal, found on the steps before a circuit is made.
//!
//! Constants by three values per bit and position, from the start on; equal bits as the greatest partition that every step
//! keeps, with the same positions at which they may be read. Both are inductive, and both give up on large programs.

use std::collections::BTreeMap;

use super::aig::{Aig, Lit, Node};
use super::steps::{Bit, Copier, Steps};

/// Nodes that are looked at for each of the two before it is given up.
const EFFORT: u64 = 150_000_000;

/// A bit that is 0, 1 or either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Three {
    Zero,
    One,
    Either,
}

impl Three {
    fn join(self, other: Three) -> Three {
        if self == other { self } else { Three::Either }
    }

    fn complemented_like(self, lit: Lit) -> Three {
        match (self, lit.is_complement()) {
            (Three::Zero, true) => Three::One,
            (Three::One, true) => Three::Zero,
            (same, _) => same,
        }
    }
}

/// What is known of the bits.
#[derive(Debug)]
pub struct Facts {
    /// For each position, the bits that are constant there among those that may be read; nothing for a position that no run
    /// comes to.
    pub constants: Vec<Option<BTreeMap<Bit, u8>>>,
    /// For each bit the first one that is always equal to it.
    pub representative: Vec<Bit>,
}

impl Facts {
    /// Finds out what is constant and what is equal.
    #[must_use]
    pub fn of(steps: &Steps) -> Facts {
        let constants = constants(steps).unwrap_or_else(|| vec![Some(BTreeMap::new()); steps.positions]);
        let representative = equal(steps, &constants).unwrap_or_else(|| (0..steps.bits.len()).map(bit).collect());
        Facts { constants, representative }
    }

    /// Nothing is known.
    #[must_use]
    pub fn none(steps: &Steps) -> Facts {
        let constants = vec![Some(BTreeMap::new()); steps.positions];
        Facts { constants, representative: (0..steps.bits.len()).map(bit).collect() }
    }

    /// The value of a bit that has the same one at all positions where it may be read.
    #[must_use]
    pub fn constant(&self, steps: &Steps, bit: Bit) -> Option<u8> {
        let mut found = None;
        for (live, constants) in steps.live.iter().zip(&self.constants) {
            let Some(constants) = constants else { continue };
            if live.binary_search(&bit).is_err() {
                continue;
            }
            let here = *constants.get(&bit)?;
            if found.is_some_and(|before| before != here) {
                return None;
            }
            found = Some(here);
        }
        found
    }

    /// What stands for free bits in the steps of a position: constants, and one of each set of equal bits, taken from `held`.
    pub fn replaced<'a>(
        &'a self,
        steps: &'a Steps,
        from: usize,
        held: impl Fn(Bit) -> Lit + 'a,
    ) -> impl Iterator<Item = (Lit, Lit)> + 'a {
        let live = steps.live[from].iter().copied();
        live.map(move |bit| {
            let constant = self.constants[from].as_ref().and_then(|all| all.get(&bit));
            let new =
                constant.map_or_else(|| held(self.representative[bit.0 as usize]), |value| Lit::constant(u128::from(*value)));
            (steps.bits[bit.0 as usize], new)
        })
    }
}

fn bit(at: usize) -> Bit {
    Bit(formats::dense(at))
}

/// The values of literals of a graph in three values.
struct Values<'a> {
    aig: &'a Aig,
    of: Vec<Three>,
}

impl Values<'_> {
    fn get(&self, lit: Lit) -> Three {
        self.of[lit.node()].complemented_like(lit)
    }

    fn compute(&mut self, cone: &[usize]) {
        for &at in cone {
            match self.aig.node(at) {
                Node::False => self.of[at] = Three::Zero,
                Node::Input(_) => {}
                Node::And(a, b) => {
                    self.of[at] = match (self.get(a), self.get(b)) {
                        (Three::Zero, _) | (_, Three::Zero) => Three::Zero,
                        (Three::One, Three::One) => Three::One,
                        _ => Three::Either,
                    }
                }
            }
        }
    }
}

/// For each position the constant bits, by a walk over positions until nothing changes.
fn constants(steps: &Steps) -> Option<Vec<Option<BTreeMap<Bit, u8>>>> {
    let mut known: Vec<Option<Vec<Three>>> = vec![None; steps.positions];
    if let Some(first) = known.first_mut() {
        *first = Some(Vec::new());
    }
    let cones: Vec<Vec<usize>> = (0..steps.positions).map(|at| cone(steps, at)).collect();
    let mut values = Values { aig: &steps.aig, of: vec![Three::Either; steps.aig.len()] };
    let mut open: std::collections::BTreeSet<usize> = (0..steps.positions.min(1)).collect();
    let mut effort = 0;
    while let Some(at) = open.pop_first() {
        let here = known[at].clone().unwrap_or_default();
        for (bit, value) in steps.live[at].iter().zip(&here) {
            values.of[steps.bits[bit.0 as usize].node()] = *value;
        }
        values.compute(&cones[at]);
        effort += cones[at].len() as u64;
        if effort > EFFORT {
            return None;
        }
        for step in steps.steps.iter().filter(|step| step.from == at) {
            let (Some(to), true) = (step.to, values.get(step.guard) != Three::Zero) else { continue };
            let mut sorted: Vec<(Bit, Three)> = step.values.iter().map(|(bit, lit)| (*bit, values.get(*lit))).collect();
            sorted.sort_unstable_by_key(|(bit, _)| *bit);
            let there: Vec<Three> = sorted.into_iter().map(|(_, value)| value).collect();
            let joined = match &known[to] {
                Some(before) => before.iter().zip(&there).map(|(a, b)| a.join(*b)).collect(),
                None => there,
            };
            if known[to].as_ref() != Some(&joined) {
                known[to] = Some(joined);
                open.insert(to);
            }
        }
        for bit in &steps.live[at] {
            values.of[steps.bits[bit.0 as usize].node()] = Three::Either;
        }
    }
    let constant = |(bit, value): (&Bit, &Three)| match value {
        Three::Zero => Some((*bit, 0)),
        Three::One => Some((*bit, 1)),
        Three::Either => None,
    };
    let of = |(live, values): (&Vec<Bit>, Option<Vec<Three>>)| Some(live.iter().zip(&values?).filter_map(constant).collect());
    Some(steps.live.iter().zip(known).map(of).collect())
}

fn cone(steps: &Steps, from: usize) -> Vec<usize> {
    let own = steps.steps.iter().filter(|step| step.from == from);
    steps.aig.cone(own.flat_map(|step| step.values.iter().map(|(_, lit)| *lit).chain([step.guard])))
}

/// The first bit of each set of equal ones: sets are split until every step keeps them.
fn equal(steps: &Steps, constants: &[Option<BTreeMap<Bit, u8>>]) -> Option<Vec<Bit>> {
    let mut places: Vec<Vec<u32>> = vec![Vec::new(); steps.bits.len()];
    for (at, live) in steps.live.iter().enumerate() {
        for bit in live {
            places[bit.0 as usize].push(formats::dense(at));
        }
    }
    let mut class = number(places.into_iter());
    let mut effort = 0u64;
    loop {
        let facts = Facts { constants: constants.to_vec(), representative: first_of(&class) };
        let mut signatures: Vec<Vec<Lit>> = vec![Vec::new(); steps.bits.len()];
        for from in (0..steps.positions).filter(|at| constants[*at].is_some()) {
            let mut aig = Aig::default();
            let mut held: BTreeMap<Bit, Lit> = BTreeMap::new();
            for bit in &steps.live[from] {
                held.insert(*bit, aig.input());
            }
            let replaced = facts.replaced(steps, from, |bit| held.get(&bit).copied().unwrap_or(Lit::FALSE));
            let mut copier = Copier::new(&steps.aig, replaced);
            for step in steps.steps.iter().filter(|step| step.from == from && step.to.is_some()) {
                if copier.copy(&mut aig, step.guard) == Lit::FALSE {
                    continue;
                }
                for (bit, lit) in &step.values {
                    signatures[bit.0 as usize].push(copier.copy(&mut aig, *lit));
                }
            }
            effort += aig.len() as u64 * 8;
            if effort > EFFORT {
                return None;
            }
        }
        let next = number(class.iter().copied().zip(signatures));
        if next == class {
            return Some(facts.representative);
        }
        class = next;
    }
}

/// Numbers for things, equal ones for equal things, in the order in which they come.
fn number<T: Ord>(things: impl Iterator<Item = T>) -> Vec<u32> {
    let mut known = BTreeMap::new();
    things
        .map(|thing| {
            let next = formats::dense(known.len());
            *known.entry(thing).or_insert(next)
        })
        .collect()
}

fn first_of(class: &[u32]) -> Vec<Bit> {
    let mut first = BTreeMap::new();
    class.iter().enumerate().map(|(at, class)| *first.entry(*class).or_insert(bit(at))).collect()
}
