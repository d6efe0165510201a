//! Proposals about all cells of an array: for every index in a range, something holds of the cells there.
//!
//! What may hold of a cell is read off the violations that are asked about, off what blocks write, and off what has to hold
//! before a write so that the rest holds behind it. The ranges are those between the places that a loop reads and writes and
//! the bounds that conditions compare these places with.
//! Knows blocks. Does not know which proposals hold.

use indexmap::{IndexMap, IndexSet};
use program::cfa::LocationId;
use smt::terms::Substitution;
use smt::{Op, Sort, TermId, TermStore};

use super::Candidate;
use super::blocks::blocks;
use super::constants::constants;
use crate::control::{Cause, Target};
use crate::evidence::instances::{self, is_of_each};
use crate::session::{Session, Start};

/// Statements about a cell.
const STATEMENTS: usize = 24;

/// Writes in a row that a statement is carried back over.
const COPIES: usize = 3;

/// Bounds of ranges.
const BOUNDS: usize = 6;

/// Places of one loop.
const PLACES: usize = 4;

/// Proposals of one location.
const MOST: usize = 300;

/// Nodes of the largest statement.
const LARGEST: u32 = 120;

/// A way to speak of any index where a block speaks of one: the symbol for it, and what its variable is then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Way {
    index: TermId,
    /// A variable that the index is a shift of, and what to put in its place.
    variable: Option<(TermId, TermId)>,
}

/// A block's end as it is seen here, with constants put in.
struct Seen {
    start: Start,
    target: Target,
    guard: TermId,
    state: Vec<(TermId, TermId)>,
}

/// What the blocks say of cells, in the order in which it was found.
#[derive(Debug, Default)]
struct Found {
    /// The indices that blocks from a location read and write at.
    places: IndexMap<LocationId, IndexSet<TermId>>,
    ways: IndexSet<Way>,
    /// Arrays with an index and what is written there.
    writes: IndexSet<(TermId, TermId, TermId)>,
    /// Formulas with the symbol that compare it with what conditions compare an index with.
    bounds: IndexSet<TermId>,
    /// What may hold of a cell, or of all.
    statements: IndexSet<TermId>,
    /// What may hold everywhere, and says nothing of all cells.
    plain: IndexSet<TermId>,
    /// What variables may be wherever control is at a location.
    constants: IndexMap<LocationId, IndexSet<TermId>>,
}

/// Proposals for the loop heads of a program; none for a program without long arrays.
pub(super) fn propose(session: &mut Session) -> Result<Vec<Candidate>, Cause> {
    let entries = blocks(session)?;
    let Session { store, explorer, .. } = session;
    let known = constants(store, &entries);
    let mut found = Found::default();
    let mut ends = Vec::new();
    for (position, start, block) in &entries {
        let here = known.get(position).filter(|_| *start == Start::Anywhere);
        let pairs: Vec<(TermId, TermId)> = here.into_iter().flatten().map(|(variable, value)| (*variable, *value)).collect();
        let mut values = Substitution::of(store, &pairs);
        let first = ends.len();
        for exit in &block.exits {
            let guard = values.apply(store, exit.guard);
            let state = exit.state.iter().map(|(variable, value)| (variable, values.apply(store, value))).collect();
            ends.push(Seen { start: *start, target: exit.target.clone(), guard, state });
        }
        found.note_places(store, position.location, &ends[first..]);
    }
    if found.places.values().all(IndexSet::is_empty) {
        return Ok(Vec::new());
    }
    for (position, values) in &known {
        let live = values.iter().filter(|(variable, _)| explorer.is_live_at(store, *position, **variable));
        let live: Vec<(TermId, TermId)> = live.map(|(variable, value)| (*variable, *value)).collect();
        let said = live.into_iter().map(|(variable, value)| store.eq(variable, value)).collect::<Vec<_>>();
        found.constants.entry(position.location).or_default().extend(said);
    }
    for end in &ends {
        found.note_end(store, end);
        if end.start == Start::Program {
            found.note_checks(store, end);
        }
    }
    found.close(store);
    let mut candidates = Vec::new();
    for (at, places) in &found.places {
        let formulas = found.formulas(store, *at, places);
        candidates.extend(formulas.into_iter().map(|formula| Candidate { at: *at, formula, versions: u64::MAX }));
    }
    Ok(candidates)
}

/// Whether a term is determined by the values at the start of a block.
fn is_determined(store: &TermStore, term: TermId) -> bool {
    store.variables(term).into_iter().all(|variable| !store.is_input(variable))
}

/// Whether a term reads an array.
fn reads(store: &TermStore, term: TermId) -> bool {
    !instances::indices(store, &[term]).is_empty()
}

impl Found {
    fn note_places(&mut self, store: &mut TermStore, at: LocationId, ends: &[Seen]) {
        let mut roots: Vec<TermId> = ends.iter().map(|end| end.guard).collect();
        roots.extend(ends.iter().flat_map(|end| end.state.iter().map(|(_, value)| *value)));
        let anywhere = ends.first().is_some_and(|end| end.start == Start::Anywhere);
        if anywhere {
            // Loops that touch no array lie between those that do.
            self.places.entry(at).or_default();
        }
        let any = instances::symbol(store);
        for index in instances::indices(store, &roots) {
            if store.as_bits(index).is_some() || !is_determined(store, index) || store.tree_size(index) > LARGEST {
                continue;
            }
            if anywhere {
                self.places.entry(at).or_default().insert(index);
            }
            let mut shifts = Vec::new();
            for variable in store.variables(index) {
                if matches!(store.sort(variable), Sort::BitVec(_))
                    && let Some(instead) = store.solve(index, variable, any)
                {
                    shifts.push(Way { index, variable: Some((variable, instead)) });
                }
            }
            if shifts.is_empty() {
                shifts.push(Way { index, variable: None });
            }
            self.ways.extend(shifts);
        }
    }

    /// A term with the symbol in the place of an index, in each way that this is possible.
    fn of_any(&self, store: &mut TermStore, term: TermId) -> Vec<TermId> {
        let any = instances::symbol(store);
        let mut all = Vec::new();
        for way in &self.ways {
            let mut pairs = vec![(way.index, any)];
            pairs.extend(way.variable.filter(|(variable, _)| *variable != way.index));
            let said = store.substitute(term, &pairs);
            if said != term {
                all.push(said);
            }
        }
        all
    }

    fn note_end(&mut self, store: &mut TermStore, end: &Seen) {
        match end.target {
            Target::Error(_) => self.note_violation(store, end.guard),
            Target::Head(_) => {
                for (variable, value) in &end.state {
                    if matches!(store.sort(*variable), Sort::Array { .. }) {
                        self.note_writes(store, *variable, *value);
                    }
                }
            }
            Target::Obstacle(..) => {}
        }
        for atom in store.atoms(end.guard) {
            if matches!(store.op(atom), Op::Eq | Op::ULt | Op::SLt) && is_determined(store, atom) && !reads(store, atom) {
                for bound in self.of_any(store, atom) {
                    if self.bounds.len() < BOUNDS && is_of_each(store, bound) {
                        self.bounds.insert(bound);
                    }
                }
            }
        }
    }

    /// That a violation does not happen, here and at any index.
    fn note_violation(&mut self, store: &mut TermStore, guard: TermId) {
        if store.tree_size(guard) > LARGEST * 4 {
            return;
        }
        for atom in store.atoms(guard) {
            if is_determined(store, atom) && reads(store, atom) {
                let not = store.not(atom);
                for said in [atom, not] {
                    self.state_of_any(store, said);
                }
            }
        }
        if is_determined(store, guard) && reads(store, guard) {
            let never = store.not(guard);
            self.plain.insert(never);
            self.state_of_any(store, never);
        }
    }

    fn state_of_any(&mut self, store: &mut TermStore, said: TermId) {
        for said in self.of_any(store, said) {
            self.state(store, said);
        }
    }

    fn state(&mut self, store: &mut TermStore, said: TermId) {
        let fits = store.tree_size(said) <= LARGEST && reads(store, said) && is_determined(store, said);
        if fits && self.statements.len() < STATEMENTS && is_of_each(store, said) {
            self.statements.insert(said);
        }
    }

    fn note_writes(&mut self, store: &mut TermStore, array: TermId, value: TermId) {
        let mut writes = Vec::new();
        store.visit(&[value], |term, op| {
            if op == Op::Store {
                let args = store.args(term);
                writes.push((array, args[1], args[2]));
            }
            matches!(op, Op::Store | Op::Ite)
        });
        let any = instances::symbol(store);
        for (array, index, value) in writes {
            self.writes.insert((array, index, value));
            let cell = store.select(array, any);
            let written = store.eq(cell, value);
            self.state(store, written);
            for value in self.where_any(store, index, value) {
                let written = store.eq(cell, value);
                self.state(store, written);
            }
        }
    }

    /// A term at the index, said of any index.
    fn where_any(&self, store: &mut TermStore, index: TermId, term: TermId) -> Vec<TermId> {
        let any = instances::symbol(store);
        let mut all = Vec::new();
        for way in self.ways.iter().filter(|way| way.index == index) {
            let mut pairs = vec![(index, any)];
            pairs.extend(way.variable.filter(|(variable, _)| *variable != index));
            all.push(store.substitute(term, &pairs));
        }
        all
    }

    /// What the first block has checked of values that variables keep.
    fn note_checks(&mut self, store: &mut TermStore, end: &Seen) {
        for atom in store.atoms(end.guard) {
            let inputs: Vec<TermId> = store.variables(atom).into_iter().filter(|variable| store.is_input(*variable)).collect();
            let [input] = inputs.as_slice() else { continue };
            for (variable, _) in end.state.iter().filter(|(_, value)| value == input) {
                let said = store.substitute(atom, &[(*input, *variable)]);
                if !reads(store, said) && store.tree_size(said) <= LARGEST && self.plain.len() < MOST {
                    let not = store.not(said);
                    self.plain.extend([said, not]);
                }
            }
        }
    }

    /// Adds what has to hold before a write so that a statement holds behind it, and so on: copies of copies.
    fn close(&mut self, store: &mut TermStore) {
        let any = instances::symbol(store);
        for _ in 0..COPIES {
            for said in self.statements.clone() {
                for (array, index, value) in self.writes.clone() {
                    let cell = store.select(array, any);
                    for value in self.where_any(store, index, value) {
                        let before = store.substitute(said, &[(cell, value)]);
                        self.state(store, before);
                    }
                }
            }
        }
    }

    /// Formulas for a location with these places.
    fn formulas(&self, store: &mut TermStore, at: LocationId, places: &IndexSet<TermId>) -> Vec<TermId> {
        let ranges = self.ranges(store, places);
        let constants = self.constants.get(&at).into_iter().flatten();
        let mut all: IndexSet<TermId> = constants.chain(&self.plain).copied().collect();
        all.extend(self.statements.iter().copied());
        for range in ranges {
            let outside = store.not(range);
            for said in &self.statements {
                all.insert(store.or(&[outside, *said]));
            }
        }
        all.into_iter().filter(|formula| store.as_bool(*formula).is_none()).take(MOST).collect()
    }

    /// Ranges of indices: before a place, behind it, between two, up to a bound.
    fn ranges(&self, store: &mut TermStore, places: &IndexSet<TermId>) -> Vec<TermId> {
        let any = instances::symbol(store);
        let zero = store.bits(store.width(any), 0);
        let negative = store.slt(any, zero);
        let natural = store.not(negative);
        let places: Vec<TermId> = places.iter().copied().filter(|place| !reads(store, *place)).take(PLACES).collect();
        let mut parts: Vec<TermId> = Vec::new();
        let (mut below, mut above) = (Vec::new(), Vec::new());
        for place in &places {
            let (before, behind) = (store.slt(any, *place), store.slt(*place, any));
            let from = store.not(before);
            parts.extend([before, behind, from]);
            below.push(before);
            above.push(behind);
        }
        for (at, before) in below.iter().enumerate() {
            for (_, behind) in above.iter().enumerate().filter(|(other, _)| *other != at) {
                parts.push(store.or(&[*before, *behind]));
            }
        }
        let mut ranges: IndexSet<TermId> = IndexSet::new();
        for part in parts.iter().copied().chain([store.tt()]) {
            ranges.insert(store.and(&[natural, part]));
        }
        for bound in &self.bounds {
            let not = store.not(*bound);
            for part in parts.iter().copied().chain([store.tt()]) {
                ranges.insert(store.and(&[natural, *bound, part]));
            }
            ranges.insert(store.and(&[natural, not]));
            for other in self.bounds.iter().filter(|other| *other != bound) {
                ranges.insert(store.and(&[natural, not, *other]));
            }
        }
        ranges.into_iter().collect()
    }
}
