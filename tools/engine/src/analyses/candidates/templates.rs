//! Proposals for candidates: atoms of conditions, and templates over the variables that a loop reads.
//!
//! Templates that some execution contradicts are not proposed. Equations between variables are read off executions.

#![expect(clippy::wildcard_enum_match_arm, reason = "few operators say something of constants and atoms")]

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use indexmap::IndexSet;
use program::cfa::{EdgeId, LocationId, VarId};
use rustc_hash::FxHashMap;
use semantics::interpreter::{self, DataState, Observer, Origin};
use smt::terms::Assignment;
use smt::{Op, Sort, TermId, TermStore, Value};

use super::blocks::blocks;
use super::constants::constants;
use super::{Candidate, definitions, steps, sums};
use crate::control::{Cause, Position};
use crate::session::{Session, Start};

/// Proposals of one location.
const MOST: usize = 64;

/// Variables of one location that templates are made of.
const VARIABLES: usize = 8;

/// Constants of one location.
const CONSTANTS: usize = 12;

/// Variables of one location that have one value there.
const KNOWN: usize = 32;

/// Rounds of a loop that set something up, and what may hold behind them at one location.
const ROUNDS: usize = 2;
const BEHIND: usize = 24;

/// Executions, their edges, and states of one location that are kept.
const EXECUTIONS: u64 = 12;
const STEPS: usize = 3_000;
const STATES: usize = 60;

/// What the blocks that start at a location read.
#[derive(Debug, Default)]
struct Reads {
    atoms: BTreeSet<TermId>,
    variables: BTreeMap<TermId, VarId>,
    constants: BTreeSet<u128>,
}

/// Proposals for the loop heads of a program.
pub(super) fn propose(session: &mut Session) -> Result<Vec<Candidate>, Cause> {
    let reads = reads(session)?;
    let states = executions(session, &reads);
    let entries = blocks(session)?;
    let known = constants(session, &entries)?;
    let mut lines = steps::lines(&mut session.store, &entries, &known);
    for (location, sums) in sums::sums(&mut session.store, &entries, &known) {
        lines.entry(location).or_default().extend(sums);
    }
    for (location, definitions) in definitions::definitions(&mut session.store, &entries) {
        lines.entry(location).or_default().extend(definitions);
    }
    let values = values(&mut session.store, &reads, &known);
    let fixed: BTreeMap<LocationId, BTreeSet<TermId>> = fixed(&known);
    let mut candidates = Vec::new();
    for (location, reads) in &reads {
        let none = Vec::new();
        let states = states.get(location).unwrap_or(&none);
        let lines = lines.get(location).into_iter().flatten();
        let mut offered: IndexSet<TermId> = lines.clone().copied().collect();
        offered.extend(signs(&mut session.store, lines, reads));
        let equations = offered.len();
        // Of what has one value nothing else need be said.
        let of_constants = fixed.get(location);
        let variables = reads.variables.keys().copied().filter(|of| !of_constants.is_some_and(|fixed| fixed.contains(of)));
        let variables: Vec<TermId> = variables.take(VARIABLES).collect();
        offered.extend(formulas(&mut session.store, (reads, &variables), states));
        let store = &session.store;
        let consistent = |formula: &TermId| states.iter().all(|state| holds(store, *formula, state));
        let possible = offered.into_iter().filter(|formula| store.as_bool(*formula).is_none() && consistent(formula));
        // Executions have addresses of their own.
        let constants = values.get(location).into_iter().flatten().copied();
        let mut kept: IndexSet<TermId> = constants.chain(possible.take(equations + MOST)).collect();
        kept.extend(behind(&mut session.store, (reads, &variables), states));
        candidates.extend(kept.into_iter().map(|formula| Candidate { at: *location, formula, versions: u64::MAX }));
    }
    Ok(candidates)
}

/// Proposals of what holds behind the round in which a loop sets something up, which may rest on what is said of cells.
pub(super) fn propose_behind(session: &mut Session) -> Result<Vec<Candidate>, Cause> {
    let reads = reads(session)?;
    let mut candidates = Vec::new();
    if reads.values().all(|reads| rounds(&session.store, reads).is_empty()) {
        return Ok(candidates);
    }
    let states = executions(session, &reads);
    for (location, reads) in &reads {
        let none = Vec::new();
        let variables: Vec<TermId> = reads.variables.keys().copied().take(VARIABLES).collect();
        let said = behind(&mut session.store, (reads, &variables), states.get(location).unwrap_or(&none));
        candidates.extend(said.into_iter().map(|formula| Candidate { at: *location, formula, versions: u64::MAX }));
    }
    Ok(candidates)
}

/// The conditions that tell a variable from a number, with the variable.
fn rounds(store: &TermStore, reads: &Reads) -> Vec<(TermId, TermId)> {
    let of_counter = |atom: &TermId| {
        let &[a, b] = store.args(*atom) else { return None };
        let (counter, number) = if store.as_bits(b).is_some() { (a, b) } else { (b, a) };
        let tells = store.op(*atom) == Op::Eq && store.as_bits(number).is_some() && reads.variables.contains_key(&counter);
        tells.then_some((*atom, counter))
    };
    reads.atoms.iter().filter_map(of_counter).take(ROUNDS).collect()
}

/// The values of variables that have one, of those that some loop reads.
fn values(store: &mut TermStore, reads: &BTreeMap<LocationId, Reads>, known: &steps::Known) -> steps::Lines {
    let read: BTreeSet<TermId> = reads.values().flat_map(|reads| reads.variables.keys().copied()).collect();
    let mut found = steps::Lines::new();
    for (position, values) in known {
        let here = found.entry(position.location).or_default();
        for (variable, value) in values.iter().filter(|(variable, _)| read.contains(*variable)).take(KNOWN) {
            here.insert(store.eq(*variable, *value));
        }
    }
    found
}

/// The variables that have one value wherever control is at a location.
fn fixed(known: &steps::Known) -> BTreeMap<LocationId, BTreeSet<TermId>> {
    let mut found: BTreeMap<LocationId, BTreeSet<TermId>> = BTreeMap::new();
    for (position, values) in known {
        let here = || values.keys().copied().collect();
        let known = found.entry(position.location).or_insert_with(here);
        known.retain(|variable| values.contains_key(variable));
    }
    found
}

/// The signs of what equations speak of and the blocks behind do not: what an earlier loop left, or a later one begins with.
fn signs<'a>(store: &mut TermStore, lines: impl Iterator<Item = &'a TermId>, reads: &Reads) -> Vec<TermId> {
    let spoken: BTreeSet<TermId> =
        lines.flat_map(|line| store.variables(*line)).filter(|variable| steps::is_number(store, *variable)).collect();
    let mut found = Vec::new();
    for variable in spoken.into_iter().filter(|variable| !reads.variables.contains_key(variable)).take(VARIABLES) {
        let width = store.width(variable);
        let zero = store.bits(width, 0);
        found.extend([store.sle(zero, variable), store.sle(variable, zero)]);
    }
    found
}

fn holds(store: &TermStore, formula: TermId, state: &Assignment) -> bool {
    // What an execution says nothing of is no exception.
    if !store.variables(formula).into_iter().all(|variable| state.get(variable).is_some()) {
        return true;
    }
    store.eval(formula, state).ok().and_then(|value| value.as_bool()) != Some(false)
}

/// What the blocks from each loop head read.
fn reads(session: &mut Session) -> Result<BTreeMap<LocationId, Reads>, Cause> {
    let mut found: BTreeMap<LocationId, Reads> = BTreeMap::new();
    for (position, _, block) in blocks(session)?.iter().filter(|(_, start, _)| *start == Start::Anywhere) {
        for exit in &block.exits {
            let mut roots = vec![exit.guard];
            roots.extend(exit.state.iter().map(|(_, value)| value));
            let own = found.entry(position.location).or_default();
            note(session, *position, &roots, own);
        }
    }
    Ok(found)
}

/// Notes atoms, variables and constants of some terms.
fn note(session: &Session, position: Position, roots: &[TermId], reads: &mut Reads) {
    let Session { store, explorer, .. } = session;
    store.visit(roots, |term, op| {
        match op {
            Op::Variable { .. } if matches!(store.sort(term), Sort::BitVec(1..=64)) && !store.is_input(term) => {
                if let Some(variable) = explorer.encoder.variable_of(store, term)
                    && explorer.is_live_at(store, position, term)
                {
                    reads.variables.insert(term, variable);
                }
            }
            Op::Eq | Op::ULt | Op::SLt => {
                for arg in store.args(term) {
                    if let Some(constant) = store.as_bits(*arg)
                        && reads.constants.len() < CONSTANTS
                    {
                        reads.constants.insert(constant);
                    }
                }
                let plain = store.variables(term).into_iter().all(|variable| !store.is_input(variable));
                if plain && store.tree_size(term) < 40 {
                    reads.atoms.insert(term);
                }
            }
            _ => {}
        }
        true
    });
}

/// Formulas over what a location reads, those first that say most.
fn formulas(store: &mut TermStore, (reads, variables): (&Reads, &[TermId]), states: &[Assignment]) -> Vec<TermId> {
    let mut found = IndexSet::new();
    for variable in variables {
        let width = store.width(*variable);
        for constant in constants_of(width, *variable, reads, states) {
            let constant = store.bits(width, constant);
            found.insert(store.eq(*variable, constant));
        }
    }
    for x in variables {
        let zero = store.bits(store.width(*x), 0);
        found.insert(store.sle(zero, *x));
    }
    for (at, x) in variables.iter().enumerate() {
        for y in variables[at + 1..].iter().filter(|y| store.width(**y) == store.width(*x)).copied().collect::<Vec<_>>() {
            found.insert(store.eq(*x, y));
            found.extend(line(store, *x, y, states));
            found.extend(line(store, y, *x, states));
        }
    }
    for atom in &reads.atoms {
        found.insert(*atom);
        found.insert(store.not(*atom));
        found.extend(weaker(store, *atom));
    }
    for (at, x) in variables.iter().enumerate() {
        for y in variables[at + 1..].iter().filter(|y| store.width(**y) == store.width(*x)).copied().collect::<Vec<_>>() {
            let both = [store.ule(*x, y), store.ule(y, *x), store.sle(*x, y), store.sle(y, *x)];
            found.extend(both);
        }
        let width = store.width(*x);
        for constant in constants_of(width, *x, reads, states) {
            let constant = store.bits(width, constant);
            let bounds = [store.ule(*x, constant), store.ule(constant, *x), store.sle(*x, constant), store.sle(constant, *x)];
            found.extend(bounds);
        }
        // Pointers keep the alignment of what they lead to.
        let most = if width == 64 { 3 } else { 1 };
        for bits in (1..=most).rev() {
            let (low, zero) = (store.extract(*x, bits - 1, 0), store.bits(bits, 0));
            found.insert(store.eq(low, zero));
        }
    }
    found.into_iter().filter(|formula| store.as_bool(*formula).is_none()).collect()
}

/// What holds but in the round in which a loop sets something up: where a variable is the number that a condition tells it from.
fn behind(store: &mut TermStore, (reads, variables): (&Reads, &[TermId]), states: &[Assignment]) -> Vec<TermId> {
    let mut found = IndexSet::new();
    for (round, counter) in rounds(store, reads) {
        let later: Vec<Assignment> = states.iter().filter(|state| !holds(store, round, state)).cloned().collect();
        let mut said = Vec::new();
        for variable in variables.iter().copied().filter(|variable| *variable != counter) {
            let width = store.width(variable);
            let seen = || later.iter().filter_map(|state| state.get(variable)?.as_bits());
            let numbers: BTreeSet<u128> = seen().min().into_iter().chain(seen().max()).chain([0]).collect();
            for number in numbers {
                let number = store.bits(width, number);
                said.extend([store.eq(variable, number), store.sle(number, variable), store.sle(variable, number)]);
            }
            if width == store.width(counter) {
                said.extend(line(store, counter, variable, &later));
            }
            let (wide, other) = if width > store.width(counter) {
                (store.sign_extend(counter, width), variable)
            } else {
                (counter, store.sign_extend(variable, store.width(counter)))
            };
            said.extend([store.sle(wide, other), store.sle(other, wide)]);
        }
        let consistent = |store: &TermStore, formula: &TermId| later.iter().all(|state| holds(store, *formula, state));
        for formula in said.into_iter().filter(|formula| store.as_bool(*formula).is_none()).collect::<Vec<_>>() {
            if consistent(store, &formula) && found.len() < BEHIND {
                found.insert(store.or(&[round, formula]));
            }
        }
    }
    found.into_iter().collect()
}

/// That one is no more than the other, where a condition of two widths says that it is less: what holds when a loop has ended, too.
fn weaker(store: &mut TermStore, atom: TermId) -> Option<TermId> {
    let &[a, b] = store.args(atom) else { return None };
    if ![a, b].into_iter().any(|side| matches!(store.op(side), Op::SignExtend | Op::ZeroExtend)) {
        return None;
    }
    match store.op(atom) {
        Op::SLt => Some(store.sle(a, b)),
        Op::ULt => Some(store.ule(a, b)),
        _ => None,
    }
}

/// Constants to compare a variable with: those of conditions, and the least and greatest that an execution has shown.
fn constants_of(width: u32, variable: TermId, reads: &Reads, states: &[Assignment]) -> Vec<u128> {
    let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
    let mut found: BTreeSet<u128> = reads.constants.iter().map(|constant| constant & mask).collect();
    found.insert(0);
    let seen = || states.iter().filter_map(|state| state.get(variable)?.as_bits());
    found.extend(seen().min());
    found.extend(seen().max());
    found.into_iter().collect()
}

/// `y == k * x + c`, if all executions agree on that.
fn line(store: &mut TermStore, x: TermId, y: TermId, states: &[Assignment]) -> Option<TermId> {
    let width = store.width(x);
    let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
    let points: BTreeSet<(u128, u128)> =
        states.iter().filter_map(|state| Some((state.get(x)?.as_bits()?, state.get(y)?.as_bits()?))).collect();
    let (first, second) = (points.first()?, points.iter().nth(1)?);
    if points.len() < 3 || second.0 == first.0 {
        return None;
    }
    let (dx, dy) = (second.0.wrapping_sub(first.0) & mask, second.1.wrapping_sub(first.1) & mask);
    // A difference is taken with the sign that makes it small.
    let signed = |d: u128| if d > mask / 2 { d.cast_signed() - mask.cast_signed() - 1 } else { d.cast_signed() };
    let (dx, dy) = (signed(dx), signed(dy));
    if dx == 0 || dy % dx != 0 || (dy / dx).abs() > 64 || dy == 0 {
        return None;
    }
    let factor = (dy / dx).cast_unsigned() & mask;
    let offset = first.1.wrapping_sub(factor.wrapping_mul(first.0)) & mask;
    if points.iter().any(|(x, y)| factor.wrapping_mul(*x).wrapping_add(offset) & mask != *y) {
        return None;
    }
    let (factor, offset) = (store.bits(width, factor), store.bits(width, offset));
    let product = store.mul(factor, x);
    let sum = store.add(product, offset);
    Some(store.eq(y, sum))
}

/// States at the locations, from executions with inputs drawn in a fixed way.
fn executions(session: &mut Session, reads: &BTreeMap<LocationId, Reads>) -> FxHashMap<LocationId, Vec<Assignment>> {
    let cfa = session.cfa();
    let watched: BTreeMap<LocationId, Vec<(TermId, VarId, u32)>> = reads
        .iter()
        .map(|(location, reads)| {
            let here = reads.variables.iter().map(|(term, variable)| (*term, *variable, session.store.width(*term)));
            (*location, here.collect())
        })
        .collect();
    let mut watch = Watch { cfa, watched, states: FxHashMap::default() };
    for number in 0..EXECUTIONS {
        let mut draw = number;
        let mut inputs = |request: &interpreter::Request| {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let small = u128::from(draw >> 33) % (1 + 3 * u128::from(number));
            Some(if matches!(request.origin, Origin::Comparison(_) | Origin::Allocation(_)) { 0 } else { small })
        };
        let limits = interpreter::Limits { steps: STEPS, memory: 1 << 24, skips_library: true };
        interpreter::run(cfa, &mut inputs, &mut watch, limits);
    }
    watch.states
}

struct Watch<'p> {
    cfa: &'p program::cfa::Cfa,
    watched: BTreeMap<LocationId, Vec<(TermId, VarId, u32)>>,
    states: FxHashMap<LocationId, Vec<Assignment>>,
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        let at = self.cfa.edge(edge).target;
        if let Some(variables) = self.watched.get(&at) {
            let known = self.states.entry(at).or_default();
            if known.len() < STATES {
                let mut values = Assignment::new();
                for (term, variable, width) in variables {
                    if let Some(value) = state.scalar(*variable) {
                        let mask = (1u128 << width) - 1;
                        values.set(*term, Value::Bits { width: *width, value: value & mask });
                    }
                }
                known.push(values);
            }
        }
        ControlFlow::Continue(())
    }
}
