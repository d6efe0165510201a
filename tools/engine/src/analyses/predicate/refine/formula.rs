//! The formula of an abstract path: one part per block, over SSA instances of the variables that matter.
//!
//! A variable keeps its instance across blocks that do not change it. Only variables that later parts read are connected,
//! so the formula is sliced by construction. Inputs of a block get an instance of their own per block.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smt::terms::Assignment;
use smt::terms::Substitution;
use smt::{TermId, TermStore};

use crate::block::trace::trace;
use crate::block::{Block, Exit};
use crate::control::{Stop, SymbolicState};
use crate::evidence::counterexample::{Counterexample, choices_on, initial_values};
use crate::session::Session;

/// The instance of variables that do not matter at a border.
const OTHERS: u32 = 1;

/// A block of an abstract path.
#[derive(Clone, Debug)]
pub struct Leg {
    /// The block.
    pub block: Rc<Block>,
    /// The exit that the path takes.
    pub exit: usize,
    /// What is taken for granted at its start: facts, and at the end which runs count.
    pub given: TermId,
    /// What the abstraction knows there, over variables without instance.
    pub region: TermId,
}

/// An abstract path with its formula.
#[derive(Clone, Debug)]
pub struct PathFormula {
    /// Its blocks.
    pub blocks: Vec<Rc<Block>>,
    /// Which exit of each block it takes.
    pub exits: Vec<usize>,
    /// The formula of each block. Any suffix is the formula of the path's suffix from arbitrary values.
    pub parts: Vec<TermId>,
    /// What the abstraction knows at the start of each block, over variables without instance.
    pub regions: Vec<TermId>,
    /// What is taken for granted there.
    pub given: Vec<TermId>,
    /// The instance of each variable that matters at each border; the others do not matter there.
    instances: Vec<FxHashMap<TermId, u32>>,
}

impl PathFormula {
    /// The formula of the path through these blocks.
    #[must_use]
    pub fn new(store: &mut TermStore, legs: Vec<Leg>) -> Self {
        let needed = needed_variables(store, &legs);
        let mut instances: Vec<FxHashMap<TermId, u32>> = Vec::with_capacity(legs.len() + 1);
        instances.push(needed[0].iter().map(|v| (*v, 1)).collect());
        let mut parts = Vec::with_capacity(legs.len());
        for (at, leg) in legs.iter().enumerate() {
            let exit = &leg.block.exits[leg.exit];
            let number = u32::try_from(at).unwrap_or(u32::MAX - 2) + 2;
            let mut rename = renaming(store, &instances[at], (exit, leg.given), number);
            let mut conjuncts = vec![rename.apply(store, leg.given), rename.apply(store, exit.guard)];
            let mut next = FxHashMap::default();
            for &variable in &needed[at + 1] {
                let value = exit.state.get(variable);
                if value == variable {
                    let same = instances[at].get(&variable).copied().unwrap_or(1);
                    next.insert(variable, same);
                } else {
                    let value = rename.apply(store, value);
                    let instance = store.instance(variable, number);
                    conjuncts.push(store.eq(instance, value));
                    next.insert(variable, number);
                }
            }
            instances.push(next);
            parts.push(store.and(&conjuncts));
        }
        let regions = legs.iter().map(|leg| leg.region).collect();
        let given = legs.iter().map(|leg| leg.given).collect();
        let exits = legs.iter().map(|leg| leg.exit).collect();
        let blocks = legs.into_iter().map(|leg| leg.block).collect();
        Self { blocks, exits, parts, regions, given, instances }
    }

    /// How many blocks the path has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether the path has no block.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The exit that the path takes from a block.
    #[must_use]
    pub fn exit(&self, at: usize) -> &Exit {
        &self.blocks[at].exits[self.exits[at]]
    }

    /// When the path takes its exit from a block, over variables at the start of the block.
    pub fn guard(&self, store: &mut TermStore, at: usize) -> TermId {
        store.and(&[self.given[at], self.exit(at).guard])
    }

    /// A formula over variables at a border, with the instances of the path.
    pub fn at_border(&self, store: &mut TermStore, border: usize, formula: TermId) -> TermId {
        let known = &self.instances[border];
        let pairs: Vec<(TermId, TermId)> = store
            .variables(formula)
            .into_iter()
            .map(|variable| {
                let instance = known.get(&variable).copied().unwrap_or(OTHERS);
                (variable, store.instance(variable, instance))
            })
            .collect();
        store.substitute(formula, &pairs)
    }

    /// The values that a model of (a suffix of) the formula gives to variables and inputs at the start of a block.
    #[must_use]
    pub fn values_at(&self, store: &mut TermStore, border: usize, model: &Assignment) -> Assignment {
        let number = u32::try_from(border).unwrap_or(u32::MAX - 2) + 2;
        let mut values = Assignment::new();
        let mut known: Vec<(TermId, u32)> = self.instances[border].iter().map(|(v, i)| (*v, *i)).collect();
        known.sort_unstable();
        for (variable, instance) in known {
            let term = store.instance(variable, instance);
            if let Some(value) = model.get(term) {
                values.set(variable, value.clone());
            }
        }
        let given: Vec<(TermId, smt::Value)> = model.iter().map(|(t, v)| (t, v.clone())).collect();
        for (term, value) in given {
            if let Some((id, instance)) = store.as_variable(term)
                && instance == number
            {
                let plain = store.instance_of(id, 0);
                if store.is_input(plain) {
                    values.set(plain, value);
                }
            }
        }
        values
    }
}

impl PathFormula {
    /// The values that a model gives to variables at a border that matter to no later block as a whole, but which a formula
    /// at that border speaks of.
    #[must_use]
    pub fn others_at(&self, store: &mut TermStore, border: usize, model: &Assignment) -> Vec<(TermId, smt::Value)> {
        let mut found = Vec::new();
        for (term, value) in model.iter() {
            if let Some((id, OTHERS)) = store.as_variable(term) {
                let plain = store.instance_of(id, 0);
                if !self.instances[border].contains_key(&plain) && !store.is_input(plain) {
                    found.push((plain, value.clone()));
                }
            }
        }
        found
    }
}

/// The path that a model of a path formula selects, from the start of the program on.
///
/// # Errors
/// [`Stop`] if the run was interrupted.
pub fn extract(session: &mut Session, path: &PathFormula, model: &Assignment) -> Result<Counterexample, Stop> {
    let mut found = Counterexample::default();
    for at in 0..path.len() {
        let values = path.values_at(&mut session.store, at, model);
        let state = if at == 0 {
            session.explorer.initial_state(&mut session.store).unwrap_or_default()
        } else {
            SymbolicState::unchanged()
        };
        if at == 0 {
            found.initial = initial_values(session, &values);
        }
        let entry = path.blocks[at].entry;
        let trace = trace(&mut session.explorer, &mut session.store, entry, state, &values)?;
        for (position, edge) in trace.steps {
            choices_on(session, &mut found, position, edge, &values);
        }
    }
    Ok(found)
}

/// The variables that matter at each border: those that the guard or a needed value of a later block reads.
fn needed_variables(store: &TermStore, legs: &[Leg]) -> Vec<BTreeSet<TermId>> {
    let mut needed = vec![BTreeSet::new(); legs.len() + 1];
    for (at, leg) in legs.iter().enumerate().rev() {
        let exit = &leg.block.exits[leg.exit];
        let mut roots = vec![exit.guard, leg.given];
        roots.extend(needed[at + 1].iter().map(|v| exit.state.get(*v)));
        needed[at] = store.variables_of(&roots).into_iter().filter(|v| !store.is_input(*v)).collect();
    }
    needed
}

fn renaming(
    store: &mut TermStore,
    instances: &FxHashMap<TermId, u32>,
    (exit, given): (&Exit, TermId),
    number: u32,
) -> Substitution {
    let mut roots = vec![exit.guard, given];
    roots.extend(exit.state.iter().map(|(_, value)| value));
    let pairs: Vec<(TermId, TermId)> = store
        .variables_of(&roots)
        .into_iter()
        .map(|variable| {
            let instance = if store.is_input(variable) { number } else { instances.get(&variable).copied().unwrap_or(1) };
            (variable, store.instance(variable, instance))
        })
        .collect();
    Substitution::of(store, &pairs)
}
