//! What short runs contradict of proposals about cells: nothing of that is inductive, so a solver need not be asked.
//!
//! A run goes from block to block by evaluation: its data states are values of the variables that blocks speak of, arrays
//! included. What a run comes to is decided by inputs that are drawn in a fixed way. A run ends where a block reads what
//! nobody gave a value (addresses, memory before the start), so that no state is one that the program does not have.
//! Does not know proposals that hold: a proposal that no run contradicts is left to the solver.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use smt::terms::Assignment;
use smt::{Sort, TermId, TermStore, Value};

use super::blocks::Entry;
use crate::block::Block;
use crate::control::{Cause, Position, Target};
use crate::evidence::instances;
use crate::session::{Session, Start};

/// Runs, the blocks of one and of all, and draws of inputs at one block.
const RUNS: u64 = 16;
const BLOCKS: usize = 3_000;
const ALL_BLOCKS: usize = 10_000;
const DRAWS: usize = 4;

/// States of one position that are kept of one run.
const STATES: usize = 8;

/// Indices at which a statement about every cell is looked at.
const INDICES: usize = 24;

/// Blocks evaluated, or formulas at an index, per unit of the meter.
const EVALUATED: u64 = 64;

/// Data states at positions.
pub(super) type States = FxHashMap<Position, Vec<Assignment>>;

/// The states of a few runs.
pub(super) fn states(session: &mut Session, entries: &[Entry]) -> Result<States, Cause> {
    let blocks: FxHashMap<(Position, Start), &Block> =
        entries.iter().map(|(at, start, block)| ((*at, *start), &**block)).collect();
    let mut read: FxHashMap<(Position, Start), Read> = FxHashMap::default();
    let mut all = States::default();
    let Some(first) = session.explorer.start() else { return Ok(all) };
    let mut taken = 0;
    for number in 0..RUNS {
        let mut run = Run { draw: number, number, values: Assignment::new(), seen: FxHashMap::default() };
        let mut at = (first, Start::Program);
        for _ in 0..BLOCKS.min(ALL_BLOCKS - taken) {
            taken += 1;
            let Some(block) = blocks.get(&at) else { break };
            let read = read.entry(at).or_insert_with(|| Read::of(&session.store, block));
            session.explorer.check_limits(0)?;
            session.meter().charge(read.size / EVALUATED + 1);
            let Some(next) = run.step(&session.store, block, read) else { break };
            run.keep(next, &mut all);
            at = (next, Start::Anywhere);
        }
    }
    Ok(all)
}

/// What a block reads.
struct Read {
    inputs: Vec<TermId>,
    others: Vec<TermId>,
    size: u64,
}

impl Read {
    fn of(store: &TermStore, block: &Block) -> Self {
        let ends = block.exits.iter();
        let roots: Vec<TermId> = ends.flat_map(|exit| exit.state.iter().map(|(_, value)| value).chain([exit.guard])).collect();
        let all: BTreeSet<TermId> = roots.iter().flat_map(|root| store.variables(*root)).collect();
        let size = store.post_order(&roots, |_| false).len() as u64;
        let (inputs, others) = all.into_iter().partition(|variable| store.is_input(*variable));
        Self { inputs, others, size }
    }
}

/// A run, with the values of variables now.
struct Run {
    draw: u64,
    number: u64,
    values: Assignment,
    /// How often it came to a position.
    seen: FxHashMap<Position, usize>,
}

impl Run {
    /// Takes a block; where control is then, if that is known and a loop head.
    fn step(&mut self, store: &TermStore, block: &Block, read: &Read) -> Option<Position> {
        if !read.others.iter().all(|variable| self.values.get(*variable).is_some()) {
            return None;
        }
        (0..DRAWS).find_map(|_| {
            for input in &read.inputs {
                let value = self.draw(store.sort(*input))?;
                self.values.set(*input, value);
            }
            self.take(store, block)
        })
    }

    fn take(&mut self, store: &TermStore, block: &Block) -> Option<Position> {
        let mut cache = FxHashMap::default();
        let holds = |guard, cache: &mut _| store.eval_with(guard, &self.values, cache).ok()?.as_bool();
        let exit = block.exits.iter().find(|exit| holds(exit.guard, &mut cache) == Some(true))?;
        let Target::Head(next) = exit.target else { return None };
        let after: Option<Vec<(TermId, Value)>> = exit
            .state
            .iter()
            .map(|(variable, value)| Some((variable, store.eval_with(value, &self.values, &mut cache).ok()?)))
            .collect();
        for (variable, value) in after? {
            self.values.set(variable, value);
        }
        Some(next)
    }

    /// Zero in the first run; small numbers, numbers of both signs and any others in the next ones by turns.
    fn draw(&mut self, sort: Sort) -> Option<Value> {
        let mut value = Value::zero(sort)?;
        let number = self.number;
        let mut any = || {
            self.draw = self.draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let drawn = i128::from(self.draw >> 33);
            match number {
                0 => 0,
                _ if number % 4 == 1 => drawn % (2 + 2 * i128::from(number)),
                _ if number.is_multiple_of(4) => drawn - (1 << 30),
                _ => drawn % 21 - 8,
            }
        };
        match &mut value {
            Value::Bool(truth) => *truth = any() & 1 == 1,
            Value::Bits { width, value } => *value = low(*width, any()),
            Value::Array(array) => {
                array.default = low(array.element, any());
                for index in 0..INDICES as u128 {
                    array.entries.insert(low(array.index, index.cast_signed()), low(array.element, any()));
                }
            }
        }
        Some(value)
    }

    /// Keeps the first states of a position, and others less and less often.
    fn keep(&mut self, at: Position, all: &mut States) {
        let seen = self.seen.entry(at).or_insert(0);
        *seen += 1;
        if *seen <= STATES / 2 || seen.is_power_of_two() && seen.ilog2() < STATES as u32 + 2 {
            all.entry(at).or_default().push(self.values.clone());
        }
    }
}

/// The low bits of a number.
fn low(width: u32, value: i128) -> u128 {
    let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
    value.cast_unsigned() & mask
}

/// Whether a state contradicts a formula, said of every index or of none, at some of `indices`.
fn contradicts(store: &TermStore, formula: TermId, ways: &mut [(Assignment, FxHashMap<TermId, Value>)]) -> bool {
    ways.iter_mut()
        .any(|(state, cache)| store.eval_with(formula, state, cache).ok().and_then(|value| value.as_bool()) == Some(false))
}

/// The proposals that no state contradicts, by their place.
pub(super) fn left(session: &mut Session, states: &[Assignment], formulas: &[TermId]) -> Result<Vec<bool>, Cause> {
    let symbol = instances::symbol(&mut session.store);
    let known = |store: &TermStore, formula: TermId, state: &Assignment| {
        store.variables(formula).into_iter().all(|variable| variable == symbol || state.get(variable).is_some())
    };
    let mut left = vec![true; formulas.len()];
    for state in states {
        session.explorer.check_limits(0)?;
        let mut ways = at_indices(&session.store, state, symbol);
        let mut asked = 0;
        for (formula, left) in formulas.iter().zip(&mut left) {
            if *left && known(&session.store, *formula, state) {
                asked += ways.len() as u64;
                *left = !contradicts(&session.store, *formula, &mut ways);
            }
        }
        session.meter().charge(asked / EVALUATED);
    }
    Ok(left)
}

/// A state with an index each: the first ones, and those beside what variables hold.
fn at_indices(store: &TermStore, state: &Assignment, symbol: TermId) -> Vec<(Assignment, FxHashMap<TermId, Value>)> {
    let width = store.width(symbol);
    let mut indices: BTreeSet<u128> = (0..4).collect();
    for (variable, value) in state.iter() {
        let Some(value) = value.as_bits().filter(|_| store.width(variable) == width && !store.is_input(variable)) else {
            continue;
        };
        if indices.len() < INDICES {
            indices.extend((-1..=1).map(|beside| low(width, value.cast_signed() + beside)));
        }
    }
    let at = |index: u128| {
        let mut state = state.clone();
        state.set(symbol, Value::Bits { width, value: index });
        (state, FxHashMap::default())
    };
    indices.into_iter().map(at).collect()
}
