//! The program as a transition system over bit vectors: positions, variables, and one step per way through a block.
//!
//! A step begins at a position and ends at another or at a violation; the ways of a block exclude each other, and where none is
//! taken the run has ended. Calls are followed, so that a position has its call stack; the state of the condition is part of it.
//! What cannot be said in bits ends the construction with a reason: nothing is left out.
//! Does not know bits.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::control::{Cause, Position, Target};
use crate::session::{Session, Start};
use formats::Reason;
use program::cfa::{Cfa, EdgeId, VarId};
use program::source::Span;
use rustc_hash::FxHashMap;
use smt::terms::{Symbol, Which};
use smt::{Answer, Sort, TermId, TermStore};

use super::arrays::{Apart, Element, Whole};

/// Terms of the largest system that can be made.
pub const LARGEST: usize = 30_000_000;

/// Bits of an array variable at most.
const WIDEST_ARRAY: u64 = 1 << 17;

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The position where it begins, by its place in [`System::positions`].
    pub from: usize,
    /// Where it ends; `Err`: at a violation.
    pub to: Result<usize, Position>,
    /// When it is taken.
    pub guard: TermId,
    /// What the variables are behind it that may be read there.
    pub values: Vec<(TermId, TermId)>,
}

/// A variable that stands for how far one is from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    /// The variable.
    pub distance: TermId,
    /// Which variable it is that it stands for.
    pub of: TermId,
    /// What it is measured from.
    pub from: TermId,
}

/// A transition system.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// Where steps begin; the first is where the program does. None: no run can violate anything.
    pub positions: Vec<Position>,
    /// The steps.
    pub steps: Vec<Step>,
    /// For each position the variables that may be read from there on.
    pub live: Vec<BTreeSet<TermId>>,
    /// Values that come up, each with the position.
    pub inputs: Vec<(TermId, usize)>,
    /// Elements of arrays.
    pub elements: BTreeMap<TermId, Element>,
    /// Inputs that are what a variable holds before the first operation.
    pub initial: BTreeMap<TermId, TermId>,
    /// Distances in the place of variables.
    pub distances: Vec<Distance>,
    /// Positions at which what a distance is measured from is 0 here, whatever it is in the program: nothing read it there.
    pub anchored: BTreeSet<(usize, TermId)>,
    /// Where only a part of the meaning is in the terms.
    pub approximations: Vec<(EdgeId, &'static str)>,
}

impl System {
    /// The system of a program, along the condition of the session, if it takes no more than so many terms.
    ///
    /// # Errors
    /// The reason for which there is none.
    pub fn of(session: &mut Session<'_>, largest: usize) -> Result<System, Reason> {
        let Some(start) = session.explorer.start() else { return Ok(System::default()) };
        let largest = session.store.len().saturating_add(largest);
        let mut build =
            Build { session, largest, apart: Apart::default(), system: System::default(), variables: FxHashMap::default() };
        let exits = build.blocks(start)?;
        build.lengths(&exits)?;
        build.steps(&exits)?;
        build.start();
        build.inputs();
        build.system.elements = build.apart.elements;
        Ok(build.system)
    }

    /// Leaves out violations that nobody asks about: a run that comes to one has ended.
    pub fn keep(&mut self, wanted: impl Fn(&Position) -> bool) {
        self.steps.retain(|step| step.to.as_ref().err().is_none_or(&wanted));
    }

    /// What elements of arrays are to the program, each with the array at its index.
    pub fn elements_of_program(&self, store: &mut TermStore) -> Vec<(TermId, TermId)> {
        let mut pairs = Vec::with_capacity(self.elements.len());
        for (own, element) in &self.elements {
            if let Sort::Array { index, .. } = store.sort(element.array) {
                let at = store.bits(index, u128::from(element.at));
                pairs.push((*own, store.select(element.array, at)));
            }
        }
        pairs
    }

    /// All variables that are kept from step to step.
    #[must_use]
    pub fn variables(&self) -> BTreeSet<TermId> {
        self.live.iter().flatten().copied().collect()
    }
}

/// A way through a block as the engine encodes it.
struct Way {
    from: usize,
    to: Result<usize, Position>,
    guard: TermId,
    state: crate::control::SymbolicState,
}

struct Build<'s, 'p> {
    session: &'s mut Session<'p>,
    /// Terms at most, with those that were there before.
    largest: usize,
    apart: Apart,
    system: System,
    /// The variables of terms, once asked for.
    variables: FxHashMap<TermId, Rc<[TermId]>>,
}

/// A reason that names a place.
fn unsupported(cfa: &Cfa, construct: &str, span: Span) -> Reason {
    let place = cfa.source.location(span.lo);
    Reason::Unsupported { construct: construct.to_owned(), file: place.file.to_owned(), line: place.line }
}

impl Build<'_, '_> {
    fn cfa(&self) -> &Cfa {
        self.session.explorer.cfa
    }

    /// Encodes the blocks of all positions.
    fn blocks(&mut self, start: Position) -> Result<Vec<Way>, Reason> {
        let mut codes: FxHashMap<Position, usize> = FxHashMap::default();
        let (mut ways, mut next) = (Vec::new(), 0);
        self.system.positions.push(start);
        while let Some(&at) = self.system.positions.get(next) {
            let kind = if next == 0 { Start::Program } else { Start::Anywhere };
            let block = self.session.block(at, kind).map_err(|cause| self.reason(&cause))?;
            for exit in &block.exits {
                let to = match &exit.target {
                    Target::Head(position) => {
                        let positions = &mut self.system.positions;
                        Ok(*codes.entry(*position).or_insert_with(|| {
                            positions.push(*position);
                            positions.len() - 1
                        }))
                    }
                    Target::Error(position) => Err(*position),
                    Target::Obstacle(_, obstacle) => {
                        self.check_obstacle(exit.guard, &Cause::Obstacle(obstacle.clone()))?;
                        continue;
                    }
                };
                ways.push(Way { from: next, to, guard: exit.guard, state: exit.state.clone() });
            }
            if self.session.store.len() > self.largest {
                return Err(Reason::Memory);
            }
            next += 1;
        }
        let approximations = self.session.explorer.encoder.approximations();
        self.system.approximations = approximations.iter().map(|(edge, what)| (*edge, *what)).collect();
        Ok(ways)
    }

    fn reason(&self, cause: &Cause) -> Reason {
        cause.reason(self.session.explorer.cfa, None)
    }

    /// What has no treatment may stand behind conditions that never hold.
    fn check_obstacle(&mut self, guard: TermId, cause: &Cause) -> Result<(), Reason> {
        match self.session.check(&[guard]) {
            Ok(Answer::Unsat(_)) => Ok(()),
            Ok(Answer::Sat(_) | Answer::Unknown(_)) => Err(self.reason(cause)),
            Err(stop) => Err(self.reason(&Cause::Stopped(stop))),
        }
    }

    /// Finds out how long the arrays are.
    fn lengths(&mut self, ways: &[Way]) -> Result<(), Reason> {
        let store = &self.session.store;
        let mut roots: Vec<TermId> = Vec::new();
        for way in ways {
            roots.push(way.guard);
            for (variable, value) in way.state.iter() {
                roots.extend([variable, value]);
                if matches!(store.sort(variable), Sort::Array { .. }) {
                    self.apart.lengths.join(variable, value);
                }
            }
        }
        self.apart.lengths.learn(store, &roots);
        for variable in store.variables_of(&roots) {
            self.check_variable(variable)?;
            let Sort::Array { element, .. } = self.session.store.sort(variable) else { continue };
            let Some(object) = self.session.explorer.encoder.variable_of(&self.session.store, variable) else { continue };
            if let Ok(bytes) = self.cfa().size_of_object(object) {
                let bits = bytes.saturating_mul(8);
                if bits > WIDEST_ARRAY {
                    return Err(self.too_long(object));
                }
                self.apart.lengths.at_least(variable, bits.div_ceil(u64::from(element)));
            }
        }
        Ok(())
    }

    /// Refuses what is on the heap.
    fn check_variable(&self, variable: TermId) -> Result<(), Reason> {
        let (store, cfa) = (&self.session.store, self.cfa());
        let heap = |edge: EdgeId| unsupported(cfa, "allocated memory", cfa.edge(edge).span);
        match store.symbol_of(variable) {
            Some(Symbol::Input(input)) if matches!(input.which, Which::Contents { .. }) => {
                Err(input.at.map_or(Reason::NoProgress, |at| heap(at.edge)))
            }
            Some(Symbol::Leaf(_)) if self.session.explorer.encoder.variable_of(store, variable).is_none() => {
                let calls =
                    cfa.edge_ids().find(|edge| cfa.called(*edge).is_some_and(|callee| cfa.function(callee).entry.is_none()));
                Err(calls.map_or(Reason::NoProgress, heap))
            }
            _ => Ok(()),
        }
    }

    fn too_long(&self, object: VarId) -> Reason {
        unsupported(self.cfa(), "an array of that length", self.cfa().variable(object).span)
    }

    fn whole(&self, whole: Whole) -> Reason {
        let object = match whole {
            Whole::Length(array) => self.session.explorer.encoder.variable_of(&self.session.store, array),
            Whole::Use => None,
        };
        match object {
            Some(object) => self.too_long(object),
            None => unsupported(self.cfa(), "a use of whole arrays", self.cfa().edge(EdgeId::new(0)).span),
        }
    }

    /// Makes the steps, with the values of variables that may be read behind them.
    fn steps(&mut self, ways: &[Way]) -> Result<(), Reason> {
        let mut guards = Vec::with_capacity(ways.len());
        for way in ways {
            guards.push(self.apart.scalar(&mut self.session.store, way.guard).map_err(|whole| self.whole(whole))?);
        }
        let mut states: Vec<BTreeMap<TermId, TermId>> = Vec::with_capacity(ways.len());
        for way in ways {
            states.push(self.changes(way)?);
        }
        if self.session.store.len() > self.largest {
            return Err(Reason::Memory);
        }
        self.find_live(ways, &guards, &states);
        for ((way, guard), state) in ways.iter().zip(guards).zip(states) {
            let live = way.to.ok().map(|to| self.system.live[to].clone()).unwrap_or_default();
            let value = |variable: TermId| (variable, state.get(&variable).copied().unwrap_or(variable));
            let values = live.into_iter().map(value).collect();
            self.system.steps.push(Step { from: way.from, to: way.to, guard, values });
        }
        self.check_floats()
    }

    /// The variables that a way changes, without arrays.
    fn changes(&mut self, way: &Way) -> Result<BTreeMap<TermId, TermId>, Reason> {
        let mut found = BTreeMap::new();
        if way.to.is_err() {
            return Ok(found);
        }
        for (variable, value) in way.state.iter() {
            let (variables, values) = {
                let store = &mut self.session.store;
                let variables = self.apart.of(store, variable);
                (variables, self.apart.of(store, value))
            };
            let variables = variables.map_err(|whole| self.whole(whole))?;
            let values = values.map_err(|whole| self.whole(whole))?;
            found.extend(variables.into_iter().zip(values));
        }
        Ok(found)
    }

    /// Which variables may be read from each position on.
    fn find_live(&mut self, ways: &[Way], guards: &[TermId], states: &[BTreeMap<TermId, TermId>]) {
        let mut live: Vec<BTreeSet<TermId>> = vec![BTreeSet::new(); self.system.positions.len()];
        for (way, guard) in ways.iter().zip(guards) {
            let read = self.state_of(*guard);
            live[way.from].extend(read.iter());
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (way, state) in ways.iter().zip(states).rev() {
                let Ok(to) = way.to else { continue };
                let wanted: Vec<TermId> = live[to].iter().copied().collect();
                for variable in wanted {
                    let value = state.get(&variable).copied().unwrap_or(variable);
                    for read in self.state_of(value).iter() {
                        changed |= live[way.from].insert(*read);
                    }
                }
            }
        }
        self.system.live = live;
    }

    /// The variables of a term that are kept from step to step.
    fn state_of(&mut self, term: TermId) -> Rc<[TermId]> {
        if let Some(known) = self.variables.get(&term) {
            return Rc::clone(known);
        }
        let all = self.session.store.variables(term);
        let found: Rc<[TermId]> = all.into_iter().filter(|variable| self.is_state(*variable)).collect();
        self.variables.insert(term, Rc::clone(&found));
        found
    }

    fn is_state(&self, variable: TermId) -> bool {
        let of = self.apart.elements.get(&variable).map_or(variable, |element| element.array);
        !self.session.store.is_input(of) && !self.apart.outside.contains(&variable)
    }

    /// Refuses operations on floating-point numbers.
    fn check_floats(&self) -> Result<(), Reason> {
        let store = &self.session.store;
        let mut roots: Vec<TermId> = Vec::new();
        for step in &self.system.steps {
            roots.push(step.guard);
            roots.extend(step.values.iter().map(|(_, value)| *value));
        }
        if !roots.iter().any(|root| store.features(*root).floats) {
            return Ok(());
        }
        let cfa = self.cfa();
        let is_float = |edge: &EdgeId| super::floats::computes(cfa, *edge);
        let edge = cfa.edge_ids().find(is_float).unwrap_or(EdgeId::new(0));
        Err(unsupported(cfa, "floating-point arithmetic", cfa.edge(edge).span))
    }

    /// In the first steps variables hold what the program starts with, or an input where it does not say.
    fn start(&mut self) {
        let read: Vec<TermId> = self.system.live.first().into_iter().flatten().copied().collect();
        let mut pairs = Vec::new();
        for variable in read {
            let store = &mut self.session.store;
            let name = store.as_variable(variable).map(|(id, instance)| store.instance_name(id, instance)).unwrap_or_default();
            let sort = store.sort(variable);
            let input = store.variable(&format!("start!{name}"), sort);
            self.system.initial.insert(input, variable);
            pairs.push((variable, input));
        }
        let store = &mut self.session.store;
        let mut substitution = smt::terms::Substitution::of(store, &pairs);
        for step in self.system.steps.iter_mut().filter(|step| step.from == 0) {
            step.guard = substitution.apply(store, step.guard);
            for (_, value) in &mut step.values {
                *value = substitution.apply(store, *value);
            }
        }
        if let Some(first) = self.system.live.first_mut() {
            first.clear();
        }
    }

    /// Collects what is no variable of the program.
    fn inputs(&mut self) {
        let states = self.system.variables();
        let mut found = BTreeSet::new();
        for step in &self.system.steps {
            let roots: Vec<TermId> = step.values.iter().map(|(_, value)| *value).chain([step.guard]).collect();
            let all = self.session.store.variables_of(&roots);
            found.extend(all.into_iter().filter(|variable| !states.contains(variable)).map(|variable| (step.from, variable)));
        }
        self.system.inputs = found.into_iter().map(|(from, input)| (input, from)).collect();
    }
}
