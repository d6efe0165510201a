//! Of which variables it is worth knowing what they hold even where both programs hold the same: those that one of the programs
//! assigns a number more often than the other. The one that does not assign may hold the number already, which can only be told
//! from before.
//!
//! What such a variable starts with is known, too: the program begins at `main`, with initial values as they are written.
//! Does not know what becomes of that (`held`).

use std::collections::BTreeMap;
use std::rc::Rc;

use program::cfa::{Cfa, ConstantValue, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use rustc_hash::FxHashSet;
use semantics::object_set::ObjectSet;

use crate::held::{Held, Known};
use crate::map::Map;
use crate::terms::{Fact, Facts, Term, may_be_held};
use crate::types::Types;

/// The variables, of the modified program and of the original.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    mine: FxHashSet<VarId>,
    theirs: FxHashSet<VarId>,
}

impl Kept {
    pub(crate) fn new(modified: &Cfa, original: &Cfa, map: &Map) -> Self {
        let (here, there) = (numbers(modified), numbers(original));
        let mut kept = Self::default();
        for variable in modified.variable_ids() {
            let Some(other) = map.content(variable) else { continue };
            if here.get(&variable) != there.get(&other) {
                kept.mine.insert(variable);
                kept.theirs.insert(other);
            }
        }
        kept
    }

    /// Whether it is worth knowing that a variable of the modified program takes a value.
    pub(crate) fn has_mine(&self, cfa: &Cfa, (variable, value): (VarId, ExprId)) -> bool {
        is_number(cfa, value) && self.mine.contains(&variable)
    }

    /// The same of the original.
    pub(crate) fn has_theirs(&self, cfa: &Cfa, (variable, value): (VarId, ExprId)) -> bool {
        is_number(cfa, value) && self.theirs.contains(&variable)
    }

    /// What they hold before the first operation.
    pub(crate) fn at_start(&self, modified: &Cfa, original: &Cfa) -> Held {
        Held { mine: Known::new(initial(modified, &self.mine)), theirs: Known::new(initial(original, &self.theirs)) }
    }
}

fn is_number(cfa: &Cfa, value: ExprId) -> bool {
    matches!(cfa.exprs.get(value), Expr::Int(_))
}

/// How often each variable is assigned each number.
fn numbers(cfa: &Cfa) -> BTreeMap<VarId, BTreeMap<u128, usize>> {
    let mut found: BTreeMap<VarId, BTreeMap<u128, usize>> = BTreeMap::new();
    for edge in cfa.edge_ids() {
        let Operation::Assign { place, value } = cfa.edge(edge).operation else { continue };
        let (Expr::Variable(variable), Expr::Int(bits)) = (*cfa.exprs.get(place), *cfa.exprs.get(value)) else { continue };
        if may_be_held(cfa, variable) && !matches!(cfa.variable(variable).kind, VarKind::Temporary(_)) {
            *found.entry(variable).or_default().entry(bits).or_default() += 1;
        }
    }
    found
}

/// What variables start with, as numbers that the program has somewhere.
fn initial(cfa: &Cfa, variables: &FxHashSet<VarId>) -> Facts {
    let mut facts = Facts::new();
    if variables.is_empty() || &*cfa.function(cfa.entry).name != "main" {
        return facts;
    }
    let mut types = Types::default();
    for &variable in variables {
        let Some(number) = number(cfa, variable).filter(|_| may_be_held(cfa, variable)) else { continue };
        let is_it = |id: &ExprId| matches!(cfa.exprs.get(*id), Expr::Int(bits) if *bits == number);
        let ty = cfa.variable(variable).ty.ty;
        let found = cfa.exprs.ids().filter(is_it).find(|id| types.same(cfa, ty, cfa, cfa.exprs.ty(*id)));
        if let Some(expr) = found {
            let (reads, names) = (ObjectSet::new(), ObjectSet::new());
            facts.insert(variable, Rc::new(Fact { term: Rc::new(Term::leaf(expr)), reads, names }));
        }
    }
    facts
}

/// The number that a static variable starts with as a whole.
fn number(cfa: &Cfa, variable: VarId) -> Option<u128> {
    let known = cfa.variable(variable);
    let initializer = known.initializer.as_ref()?;
    match initializer.scalars.as_slice() {
        _ if initializer.unsupported.is_some() => None,
        [] => Some(0),
        [one] if one.first_bit == 0 && one.ty == known.ty.ty => {
            if let ConstantValue::Int(bits) = one.value {
                Some(bits)
            } else {
                None
            }
        }
        [_, ..] => None,
    }
}
