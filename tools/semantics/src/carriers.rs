//! Where values of some kind may be kept: which variables, results of functions and memory they come to.
//!
//! One look at all operations, again until nothing changes, without regard to their order. What is kept in memory is one.
//! Knows operations and places. Which expressions are such values is said by who asks.

use program::cfa::{Cfa, Edge, FunctionId, Operation, VarId};
use program::expr::{Expr, ExprId};
use rustc_hash::FxHashSet;

use crate::objects::{Root, root};

/// What may hold a value of the kind.
#[derive(Debug, Default)]
pub struct Carriers {
    /// Variables that hold one, or have one within them.
    variables: FxHashSet<VarId>,
    /// Functions that return one.
    results: FxHashSet<FunctionId>,
    /// Variables that pointers may lead to.
    pointed: FxHashSet<VarId>,
    /// What pointers lead to holds one.
    in_memory: bool,
}

impl Carriers {
    /// What holds such values if these variables do from the start; `is_one` says of an expression whether its value may be one,
    /// as far as it is known what holds them. Time linear in the program for each step that a value takes from variable to variable.
    #[must_use]
    pub fn new(cfa: &Cfa, initial: &[VarId], is_one: impl Fn(&Self, ExprId) -> bool) -> Self {
        let mut carriers = Self::default();
        for expr in (0..cfa.exprs.len()).map(ExprId::new) {
            if let Expr::AddressOf(place) = *cfa.exprs.get(expr) {
                carriers.pointed.extend(variable_of(cfa, place));
            }
        }
        for variable in initial {
            carriers.set(*variable);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for edge in cfa.edge_ids() {
                changed |= carriers.pass(cfa, cfa.edge(edge), &is_one);
            }
        }
        carriers
    }

    /// Follows one operation; whether that tells anything new.
    fn pass(&mut self, cfa: &Cfa, edge: &Edge, is_one: &impl Fn(&Self, ExprId) -> bool) -> bool {
        match &edge.operation {
            Operation::Assign { place, value } => is_one(self, *value) && self.keep(cfa, *place),
            Operation::Return { value: Some(value) } => {
                is_one(self, *value) && self.results.insert(cfa.location(edge.source).function)
            }
            Operation::Call { callee, arguments, result } => {
                let mut changed = false;
                for (parameter, argument) in cfa.function(*callee).parameters.iter().zip(arguments) {
                    changed |= is_one(self, *argument) && self.set(*parameter);
                }
                let gets = result.filter(|_| self.results.contains(callee));
                gets.is_some_and(|result| self.set(result)) || changed
            }
            Operation::Return { value: None }
            | Operation::Declare { .. }
            | Operation::Assume { .. }
            | Operation::Havoc { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => false,
        }
    }

    /// Notes that a place holds one; whether that is new.
    fn keep(&mut self, cfa: &Cfa, place: ExprId) -> bool {
        match variable_of(cfa, place) {
            Some(variable) => self.set(variable),
            None => !std::mem::replace(&mut self.in_memory, true),
        }
    }

    /// Notes that a variable holds one; whether that is new.
    fn set(&mut self, variable: VarId) -> bool {
        self.in_memory |= self.pointed.contains(&variable);
        self.variables.insert(variable)
    }

    /// Whether a variable may hold one, or have one within it.
    #[must_use]
    pub fn holds(&self, variable: VarId) -> bool {
        self.variables.contains(&variable) || self.in_memory && self.pointed.contains(&variable)
    }

    /// Whether what is read from a place may be one.
    #[must_use]
    pub fn may_load(&self, cfa: &Cfa, place: ExprId) -> bool {
        variable_of(cfa, place).map_or(self.in_memory, |variable| self.holds(variable))
    }
}

/// The variable that a place is one of or lies in, if no pointer leads there.
fn variable_of(cfa: &Cfa, place: ExprId) -> Option<VarId> {
    match root(cfa, place) {
        Some(Root::Variable(variable)) => Some(variable),
        Some(Root::Pointer { .. }) | None => None,
    }
}
