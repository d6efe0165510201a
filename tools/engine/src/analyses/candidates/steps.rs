//! Which variables of a loop run side by side: `y == k * x + d`, read off what a round adds to each and what both begin with.
//!
//! Executions show the same where they come to the loop; this is for loops behind long ones. A sum over an array runs beside its
//! index as well, if a number is put in for the cells: it lies between the lines for the least and the greatest of them.
//! Used for proposals only, so nothing rests on it.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use program::cfa::LocationId;
use smt::terms::Substitution;
use smt::{Op, Sort, TermId, TermStore};

use super::blocks::Entry;
use super::constants::Constants;
use crate::control::{Position, Target};

/// Variables of one loop that are compared.
const VARIABLES: usize = 8;

/// The largest factor.
const FACTOR: i128 = 64;

/// Formulas for the heads of loops.
pub(super) type Lines = IndexMap<LocationId, IndexSet<TermId>>;

/// What variables are at positions.
pub(super) type Known = IndexMap<Position, Constants>;

/// A loop as it is seen here.
#[derive(Debug, Default)]
struct Round {
    /// What each round adds.
    steps: BTreeMap<TermId, i128>,
    changed: IndexSet<TermId>,
    /// What variables are before the first round, by the way that leads there.
    beginnings: Vec<BTreeMap<TermId, TermId>>,
}

/// Equations for the heads of loops.
pub(super) fn lines(store: &mut TermStore, entries: &[Entry], known: &Known) -> Lines {
    let mut found = Lines::new();
    let mut moving: IndexSet<TermId> = IndexSet::new();
    for (position, _, _) in entries {
        let round = round(store, entries, *position, (known, None));
        moving.extend(round.changed.iter().copied().filter(|variable| is_number(store, *variable)).take(VARIABLES));
        let here = found.entry(position.location).or_default();
        for (y, sum) in sums(store, &round) {
            here.insert(store.eq(y, sum));
        }
    }
    // What loops change begins with something, which has to be known up to there.
    for (position, values) in known {
        for (variable, value) in values.iter().filter(|(variable, _)| moving.contains(*variable)) {
            let said = store.eq(*variable, *value);
            found.entry(position.location).or_default().insert(said);
        }
    }
    found
}

/// Equations and bounds for the heads of loops if all cells that they read hold one of these numbers.
pub(super) fn lines_with_cells(store: &mut TermStore, entries: &[Entry], known: &Known, numbers: &[u128]) -> Lines {
    let mut found = Lines::new();
    for (position, _, _) in entries {
        for number in numbers {
            let round = round(store, entries, *position, (known, Some(*number)));
            let here = found.entry(position.location).or_default();
            for (y, sum) in sums(store, &round) {
                let said = [store.eq(y, sum), store.sle(y, sum), store.sle(sum, y)];
                here.extend(said);
            }
        }
    }
    found
}

/// The rounds of the loop at a position, with a number in the place of cells if there is one.
fn round(store: &mut TermStore, entries: &[Entry], position: Position, (known, cells): (&Known, Option<u128>)) -> Round {
    let mut round = Round::default();
    let mut rounds = 0;
    for (from, _, block) in entries {
        for exit in block.exits.iter().filter(|exit| matches!(exit.target, Target::Head(to) if to == position)) {
            let constants = known.get(from).into_iter().flatten().map(|(variable, value)| (*variable, *value));
            let mut pairs: Vec<(TermId, TermId)> = constants.collect();
            let mut beginning: BTreeMap<TermId, TermId> = pairs.iter().copied().collect();
            let values: Vec<TermId> = exit.state.iter().map(|(_, value)| value).collect();
            if *from == position {
                // Constants are what rounds do not change.
                pairs.retain(|(variable, _)| store.width(*variable) > 32);
                pairs.extend(cells.into_iter().flat_map(|number| with_cells(store, &values, number)).collect::<Vec<_>>());
            }
            let mut put = Substitution::of(store, &pairs);
            let state: Vec<(TermId, TermId)> = exit.state.iter().map(|(of, value)| (of, put.apply(store, value))).collect();
            if *from == position {
                round.changed.extend(state.iter().filter(|(of, value)| of != value).map(|(variable, _)| *variable));
                note_round(store, &state, rounds, &mut round.steps);
                rounds += 1;
            } else {
                beginning.extend(state);
                round.beginnings.push(beginning);
            }
        }
    }
    round
}

/// All reads of cells, with a number for each.
fn with_cells(store: &mut TermStore, values: &[TermId], number: u128) -> Vec<(TermId, TermId)> {
    let mut reads = Vec::new();
    store.visit(values, |term, op| {
        if op == Op::Select {
            reads.push(term);
        }
        op != Op::Select
    });
    let mut pairs = Vec::with_capacity(reads.len());
    for read in reads {
        let width = store.width(read);
        if width <= 64 {
            pairs.push((read, store.bits(width, number & ((1 << width) - 1))));
        }
    }
    pairs
}

/// Keeps of the variables those that every round adds the same number to.
fn note_round(store: &mut TermStore, state: &[(TermId, TermId)], rounds: usize, steps: &mut BTreeMap<TermId, i128>) {
    let mut here = BTreeMap::new();
    for (variable, value) in state {
        if !is_number(store, *variable) {
            continue;
        }
        let step = store.sub(*value, *variable);
        if let Some(bits) = store.as_bits(step) {
            here.insert(*variable, signed(bits, store.width(*variable)));
        }
    }
    if rounds == 0 {
        *steps = here;
    } else {
        steps.retain(|variable, step| here.get(variable) == Some(step));
    }
}

pub(super) fn is_number(store: &TermStore, variable: TermId) -> bool {
    matches!(store.sort(variable), Sort::BitVec(1..=64)) && !store.is_input(variable)
}

pub(super) fn signed(bits: u128, width: u32) -> i128 {
    let most = (1_u128 << (width - 1)) - 1;
    if bits > most { bits.cast_signed() - (1_i128 << width) } else { bits.cast_signed() }
}

/// Variables with what they are in terms of others that are no wider.
fn sums(store: &mut TermStore, round: &Round) -> Vec<(TermId, TermId)> {
    let steps: Vec<(TermId, i128)> = round.steps.iter().map(|(variable, step)| (*variable, *step)).collect();
    let moving: Vec<(TermId, i128)> = steps.iter().copied().filter(|(_, step)| *step != 0).take(VARIABLES).collect();
    let mut found = Vec::new();
    for beginning in &round.beginnings {
        let mut held = Substitution::of(store, &holders(store, beginning, &round.changed));
        for (x, dx) in &moving {
            for (y, dy) in steps.iter().filter(|(y, _)| y != x).take(VARIABLES) {
                found.extend(line(store, (*x, *dx), (*y, *dy), (beginning, &mut held), &round.changed).map(|sum| (*y, sum)));
            }
        }
    }
    found
}

/// What loops begin with is often an input, of which nothing can be said later: the variables that still hold it then.
pub(super) fn holders(
    store: &TermStore,
    beginning: &BTreeMap<TermId, TermId>,
    changed: &IndexSet<TermId>,
) -> Vec<(TermId, TermId)> {
    let is_held = |variable: &TermId, value: &TermId| {
        is_number(store, *variable)
            && !changed.contains(variable)
            && store.variables(*value).into_iter().any(|part| store.is_input(part))
    };
    beginning.iter().filter(|(variable, value)| is_held(variable, value)).map(|(variable, value)| (*value, *variable)).collect()
}

/// `k * x + d`, which `y` is, where `d` is something that the loop does not change.
fn line(
    store: &mut TermStore,
    (x, dx): (TermId, i128),
    (y, dy): (TermId, i128),
    (beginning, held): (&BTreeMap<TermId, TermId>, &mut Substitution),
    changed: &IndexSet<TermId>,
) -> Option<TermId> {
    let width = store.width(y);
    if store.width(x) > width || dy % dx != 0 || (dy / dx).abs() > FACTOR {
        return None;
    }
    let mask = (1_u128 << width) - 1;
    let factor = store.bits(width, (dy / dx).cast_unsigned() & mask);
    let (x0, y0) = (*beginning.get(&x).unwrap_or(&x), *beginning.get(&y).unwrap_or(&y));
    let (x0, y0) = (held.apply(store, x0), held.apply(store, y0));
    let x0 = store.sign_extend(x0, width);
    let before = store.mul(factor, x0);
    let distance = store.sub(y0, before);
    if store.variables(distance).into_iter().any(|variable| store.is_input(variable) || changed.contains(&variable)) {
        return None;
    }
    let x = store.sign_extend(x, width);
    let product = store.mul(factor, x);
    Some(store.add(product, distance))
}
