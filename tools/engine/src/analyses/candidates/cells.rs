//! Proposals about all cells of an array: for every index in a range, something holds of the cells there.
//!
//! What may hold of a cell is read off the violations that are asked about, off what blocks write, and off what has to hold
//! before a write so that the rest holds behind it. The ranges are those between the places that a loop reads and writes and
//! the bounds that conditions compare these places with. For a second round there are statements under a condition: a flag
//! says whether something held of all cells.
//! Knows blocks. Does not know which proposals hold.

mod ranges;

use indexmap::{IndexMap, IndexSet};
use program::cfa::LocationId;
use smt::terms::Substitution;
use smt::{Op, Sort, TermId, TermStore};

use super::Candidate;
use super::blocks::blocks;
use super::constants::{Constants, constants};
use super::steps::lines_with_cells;
use crate::control::{Cause, Position, Target};
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

/// Proposals of one location that are likely less often: sums, and what was written because of a condition.
const UNLIKELY: usize = 150;

/// Conditions that a statement may depend on, and proposals of one location with such a condition.
const FLAGS: usize = 3;
const CONDITIONAL: usize = 900;

/// Numbers that cells may hold.
const NUMBERS: usize = 4;

/// Writes of one block to an array, and conditions of one of them.
const WRITES: usize = 32;
const CONDITIONS: usize = 6;

/// How many cells apart places of one loop may lie.
const STRIDES: std::ops::RangeInclusive<u128> = 2..=8;

/// Equations between variables that are put into the blocks of one position.
const EQUATIONS: usize = 4;

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
    /// More of that, if there is room.
    less: IndexSet<TermId>,
    /// What may hold everywhere, and says nothing of all cells.
    plain: IndexSet<TermId>,
    /// What loops and branches depend on besides cells and their places.
    flags: IndexSet<TermId>,
    /// What is written, where that is a number.
    numbers: IndexSet<u128>,
    /// What variables may be in terms of others at a location.
    lines: IndexMap<LocationId, IndexSet<TermId>>,
    /// What variables may be wherever control is at a location.
    constants: IndexMap<LocationId, IndexSet<TermId>>,
}

/// Whether a program has arrays that proposals would speak of.
pub(super) fn are_there(session: &mut Session) -> Result<bool, Cause> {
    let entries = blocks(session)?;
    let mut exits = entries.iter().flat_map(|(_, _, block)| &block.exits);
    Ok(exits.any(|exit| {
        let values = exit.state.iter().map(|(_, value)| value);
        let roots: Vec<TermId> = values.chain([exit.guard]).collect();
        let open = |index: &TermId| session.store.as_bits(*index).is_none();
        instances::indices(&session.store, &roots).iter().any(open)
    }))
}

/// Proposals for the loop heads of a program, and those for a second round; none for a program without long arrays.
pub(super) fn propose(session: &mut Session) -> Result<(Vec<Candidate>, Vec<Candidate>), Cause> {
    let entries = blocks(session)?;
    let known = constants(session, &entries)?;
    let mut found = Found::default();
    let mut ends = Vec::new();
    for (position, start, block) in &entries {
        let constants = known.get(position).filter(|_| *start == Start::Anywhere);
        let pairs = match start {
            Start::Program => Vec::new(),
            Start::Anywhere => put_in(session, *position, constants),
        };
        let store = &mut session.store;
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
        return Ok((Vec::new(), Vec::new()));
    }
    let Session { store, explorer, .. } = session;
    for (position, values) in &known {
        let live = values.iter().filter(|(variable, _)| explorer.is_live_at(store, *position, **variable));
        let live: Vec<(TermId, TermId)> = live.map(|(variable, value)| (*variable, *value)).collect();
        let said = live.into_iter().map(|(variable, value)| store.eq(variable, value)).collect::<Vec<_>>();
        found.constants.entry(position.location).or_default().extend(said);
    }
    for end in &ends {
        found.note_end(store, end);
        found.note_flags(store, end);
        found.note_last_writes(store, end);
        if end.start == Start::Program {
            found.note_kept(store, end);
        }
    }
    let numbers: Vec<u128> = found.numbers.iter().copied().collect();
    for (at, said) in lines_with_cells(store, &entries, &known, &numbers) {
        found.lines.entry(at).or_default().extend(said);
    }
    found.close(store);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for (at, places) in &found.places {
        let candidate = |formula| Candidate { at: *at, formula, versions: u64::MAX };
        first.extend(found.formulas(store, *at, places).into_iter().map(candidate));
        second.extend(found.under_conditions(store, places).into_iter().map(candidate));
    }
    Ok((first, second))
}

/// What to put in for variables at a position: constants, and what facts say that they are in terms of others, so that places
/// that run side by side are places of one variable.
fn put_in(session: &mut Session, position: Position, constants: Option<&Constants>) -> Vec<(TermId, TermId)> {
    let mut pairs: Vec<(TermId, TermId)> = constants.into_iter().flatten().map(|(variable, value)| (*variable, *value)).collect();
    let Some(fact) = session.fact(position) else { return pairs };
    let store = &mut session.store;
    let parts = if store.op(fact) == Op::And { store.args(fact).to_vec() } else { vec![fact] };
    let mut equations = 0;
    for part in parts {
        if store.op(part) != Op::Eq || equations >= EQUATIONS || store.tree_size(part) > LARGEST || reads(store, part) {
            continue;
        }
        let &[a, b] = store.args(part) else { continue };
        if !matches!(store.sort(a), Sort::BitVec(_)) {
            continue;
        }
        let mut values = Substitution::of(store, &pairs);
        let (a, b) = (values.apply(store, a), values.apply(store, b));
        let (difference, zero) = (store.sub(a, b), store.bits(store.width(a), 0));
        let found = store.variables(difference).into_iter().find_map(|variable| {
            let same = store.width(variable) == store.width(zero);
            store.solve(difference, variable, zero).filter(|_| same).map(|value| (variable, value))
        });
        if let Some((variable, value)) = found {
            for pair in &mut pairs {
                pair.1 = store.substitute(pair.1, &[(variable, value)]);
            }
            pairs.push((variable, value));
            equations += 1;
        }
    }
    pairs
}

/// Whether a term is determined by the values at the start of a block.
fn is_determined(store: &TermStore, term: TermId) -> bool {
    store.variables(term).into_iter().all(|variable| !store.is_input(variable))
}

/// Whether a term reads an array.
fn reads(store: &TermStore, term: TermId) -> bool {
    !instances::indices(store, &[term]).is_empty()
}

/// Whether a formula can be one about any cell.
fn is_statement(store: &mut TermStore, said: TermId) -> bool {
    store.tree_size(said) <= LARGEST && reads(store, said) && is_determined(store, said) && is_of_each(store, said)
}

/// What was written at several times a counter, said of the cells at such places: those with the same rest.
fn of_stride(store: &mut TermStore, (index, value): (TermId, TermId), written: TermId) -> Option<TermId> {
    let (counter, factor, offset) = store.stride(index)?;
    if !STRIDES.contains(&factor) || store.variables(value).contains(&counter) {
        return None;
    }
    let any = instances::symbol(store);
    let width = store.width(any);
    let (by, rest) = (store.bits(width, factor), store.bits(width, offset % factor));
    let here = store.urem(any, by);
    let other = store.ne(here, rest);
    Some(store.or(&[other, written]))
}

/// A write: where, what, and under which conditions.
type Write = (TermId, TermId, Vec<TermId>);

/// The writes that a value of an array consists of.
fn find_writes(store: &mut TermStore, value: TermId, conditions: &mut Vec<TermId>, writes: &mut Vec<Write>) {
    if writes.len() >= WRITES || conditions.len() > CONDITIONS {
        return;
    }
    match (store.op(value), store.args(value)) {
        (Op::Store, &[inner, index, written]) => {
            writes.push((index, written, conditions.clone()));
            find_writes(store, inner, conditions, writes);
        }
        (Op::Ite, &[condition, one, other]) => {
            let not = store.not(condition);
            for (condition, value) in [(condition, one), (not, other)] {
                conditions.push(condition);
                find_writes(store, value, conditions, writes);
                conditions.pop();
            }
        }
        _ => {}
    }
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
                self.note_begin(store, end);
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
                self.note_stride(store, atom);
                for bound in self.of_any(store, atom) {
                    if self.bounds.len() < BOUNDS && is_of_each(store, bound) {
                        self.bounds.insert(bound);
                    }
                }
            }
        }
    }

    /// Places that are left out where a loop does not begin with the first.
    fn note_begin(&mut self, store: &mut TermStore, end: &Seen) {
        let any = instances::symbol(store);
        for (variable, value) in &end.state {
            if store.as_bits(*value).is_none() {
                continue;
            }
            for way in self.ways.iter().filter(|way| way.variable.is_some_and(|(of, _)| of == *variable)) {
                let first = store.substitute(way.index, &[(*variable, *value)]);
                if self.bounds.len() < BOUNDS && store.as_bits(first).is_some_and(|first| first != 0) {
                    let before = store.slt(any, first);
                    self.bounds.insert(store.not(before));
                }
            }
        }
    }

    /// What a bound of a counter says of the places at several times the counter.
    fn note_stride(&mut self, store: &mut TermStore, atom: TermId) {
        let (Op::SLt, &[counter, most]) = (store.op(atom), store.args(atom)) else { return };
        let any = instances::symbol(store);
        let indices: Vec<TermId> = self.ways.iter().map(|way| way.index).collect();
        for index in indices {
            let times = store.stride(index).filter(|(of, factor, _)| *of == counter && STRIDES.contains(factor));
            if times.is_some() && self.bounds.len() < BOUNDS {
                let end = store.substitute(index, &[(counter, most)]);
                let bound = store.slt(any, end);
                self.bounds.insert(bound);
            }
        }
    }

    /// That a violation does not happen, here and at any index.
    fn note_violation(&mut self, store: &mut TermStore, guard: TermId) {
        if store.tree_size(guard) > LARGEST * 4 {
            return;
        }
        for atom in store.atoms(guard) {
            if !is_determined(store, atom) {
                continue;
            }
            let not = store.not(atom);
            if reads(store, atom) {
                for said in [atom, not] {
                    self.state_of_any(store, said);
                }
            } else if self.plain.len() < MOST {
                self.plain.extend([atom, not]);
            }
        }
        if is_determined(store, guard) {
            let never = store.not(guard);
            self.plain.insert(never);
            if reads(store, guard) {
                self.state_of_any(store, never);
            }
        }
    }

    fn state_of_any(&mut self, store: &mut TermStore, said: TermId) {
        for said in self.of_any(store, said) {
            self.state(store, said);
        }
    }

    fn state(&mut self, store: &mut TermStore, said: TermId) {
        if self.statements.len() < STATEMENTS && is_statement(store, said) {
            self.statements.insert(said);
        }
    }

    fn state_less(&mut self, store: &mut TermStore, said: TermId) {
        if self.less.len() < STATEMENTS && is_statement(store, said) {
            self.less.insert(said);
        }
    }

    fn note_writes(&mut self, store: &mut TermStore, array: TermId, value: TermId) {
        let mut writes = Vec::new();
        find_writes(store, value, &mut Vec::new(), &mut writes);
        let any = instances::symbol(store);
        let mut one_of = IndexSet::new();
        for (index, value, conditions) in writes {
            self.writes.insert((array, index, value));
            self.note_numbers(store, value);
            let cell = store.select(array, any);
            let written = store.eq(cell, value);
            self.state(store, written);
            for value in self.where_any(store, index, value) {
                let written = store.eq(cell, value);
                self.state(store, written);
                one_of.insert(written);
            }
            if let Some(written) = of_stride(store, (index, value), written) {
                self.state(store, written);
            }
            // What was written because of something that is said of the place or of other cells there.
            let at = store.select(array, index);
            let mut said = vec![store.eq(at, value)];
            for condition in conditions {
                said.push(store.not(condition));
            }
            if said.len() > 1 {
                let said = store.or(&said);
                for said in self.where_any(store, index, said) {
                    self.state_less(store, said);
                }
            }
        }
        if (2..=CONDITIONS).contains(&one_of.len()) {
            let one_of: Vec<TermId> = one_of.into_iter().collect();
            let said = store.or(&one_of);
            self.state_less(store, said);
        }
    }

    /// The numbers that a value is chosen from.
    fn note_numbers(&mut self, store: &TermStore, value: TermId) {
        store.visit(&[value], |term, op| {
            if let Some(number) = store.as_bits(term).filter(|_| self.numbers.len() < NUMBERS) {
                self.numbers.insert(number);
            }
            op == Op::Ite
        });
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

    /// What conditions say that speak neither of cells nor of places.
    fn note_flags(&mut self, store: &TermStore, end: &Seen) {
        for atom in store.atoms(end.guard) {
            let variables = store.variables(atom);
            let is_place = |variable: &TermId| self.ways.iter().any(|way| way.variable.is_some_and(|(of, _)| of == *variable));
            let fits = is_determined(store, atom) && !reads(store, atom) && store.tree_size(atom) <= LARGEST;
            if fits && variables.len() == 1 && !variables.iter().any(is_place) && self.flags.len() < FLAGS {
                self.flags.insert(atom);
            }
        }
    }

    /// What the first block has checked of values that variables keep.
    fn note_kept(&mut self, store: &mut TermStore, end: &Seen) {
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

    /// What a block has written where variables say. Where it keeps an input in a variable, that is what was written.
    fn note_last_writes(&mut self, store: &mut TermStore, end: &Seen) {
        let keep: Vec<(TermId, TermId)> =
            end.state.iter().filter(|(_, value)| store.is_input(*value)).map(|(variable, value)| (*value, *variable)).collect();
        for (array, value) in &end.state {
            if !matches!(store.sort(*array), Sort::Array { .. }) || store.op(*value) != Op::Store {
                continue;
            }
            let &[_, index, value] = store.args(*value) else { continue };
            let (index, value) = (store.substitute(index, &keep), store.substitute(value, &keep));
            let cell = store.select(*array, index);
            let written = store.eq(cell, value);
            if is_determined(store, written) && store.tree_size(written) <= LARGEST && self.plain.len() < MOST {
                self.plain.insert(written);
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
}
