//! SSA form: every assignment makes a new instance of its variable and an equation for it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Origin, State};
use crate::terms::{Role, Sort, TermId, TermStore, VariableId};

/// A state whose values are SSA instances. Clones are branches: they share the supply of instance
/// numbers, so that no two branches use one instance for different values.
#[derive(Clone, Debug, Default)]
pub struct SsaState {
    current: BTreeMap<VariableId, u32>,
    supply: Rc<Cell<u32>>,
    equations: Vec<TermId>,
    fresh: Vec<(TermId, Origin)>,
}

impl SsaState {
    /// All variables at instance 0.
    #[must_use]
    pub fn new() -> SsaState {
        SsaState::default()
    }

    /// The equations since they were last taken.
    pub fn take_equations(&mut self) -> Vec<TermId> {
        std::mem::take(&mut self.equations)
    }

    /// The arbitrary values since they were last taken, in order.
    pub fn take_fresh(&mut self) -> Vec<(TermId, Origin)> {
        std::mem::take(&mut self.fresh)
    }

    /// The current instance of a variable, 0 if it was not assigned.
    #[must_use]
    pub fn instance(&self, variable: VariableId) -> u32 {
        self.current.get(&variable).copied().unwrap_or(0)
    }

    /// Joins two branches: variables whose instances differ get a new one. Returns the joined
    /// state and the equations that each branch has to add.
    #[must_use]
    pub fn join(&self, other: &SsaState, store: &mut TermStore) -> (SsaState, Vec<TermId>, Vec<TermId>) {
        let mut joined = SsaState { supply: Rc::clone(&self.supply), ..SsaState::default() };
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let variables: std::collections::BTreeSet<VariableId> =
            self.current.keys().chain(other.current.keys()).copied().collect();
        for variable in variables {
            let (here, there) = (self.instance(variable), other.instance(variable));
            if here == there {
                joined.current.insert(variable, here);
                continue;
            }
            let instance = joined.next();
            joined.current.insert(variable, instance);
            let new = store.instance_of(variable, instance);
            let here = store.instance_of(variable, here);
            left.push(store.eq(new, here));
            let there = store.instance_of(variable, there);
            right.push(store.eq(new, there));
        }
        (joined, left, right)
    }

    fn next(&self) -> u32 {
        let next = self.supply.get() + 1;
        self.supply.set(next);
        next
    }
}

impl State for SsaState {
    fn get(&mut self, store: &mut TermStore, variable: TermId) -> TermId {
        match store.as_variable(variable) {
            Some((id, _)) => store.instance_of(id, self.instance(id)),
            None => variable,
        }
    }

    fn set(&mut self, store: &mut TermStore, variable: TermId, value: TermId) {
        if let Some((id, _)) = store.as_variable(variable) {
            let instance = self.next();
            self.current.insert(id, instance);
            let new = store.instance_of(id, instance);
            let equation = store.eq(new, value);
            self.equations.push(equation);
        }
    }

    fn fresh(&mut self, store: &mut TermStore, origin: Origin, sort: Sort) -> TermId {
        let variable = store.fresh_variable(Role::Arbitrary, 0, sort);
        let value = store.instance(variable, self.next());
        self.fresh.push((value, origin));
        value
    }
}
