//! Constants: objects of static storage that keep their initial value.
//!
//! String literals and tables that nothing writes to need no variable: what they hold is known wherever they are read, and no
//! analysis has to find a predicate about it. Knows which objects operations may write to. Does not know where values are kept.
//!
//! Soundness: an object counts only if no operation may write to it, whatever the points-to analysis leaves open. A string
//! literal counts in any case: to write to it is undefined, as the interpreter sees it too.

#![expect(clippy::wildcard_enum_match_arm, reason = "few operations write, and few expressions are places")]

use std::collections::BTreeSet;

use program::cfa::{Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use rustc_hash::FxHashMap;

use super::{Encoder, Origin, State};
use crate::terms::{Sort, TermId, TermStore};

/// Scalars of an initialiser that is still worth being told to the solver wherever the object is read.
const LARGEST: usize = 256;

/// Scalars of one whose elements are few runs, so that the solver is told these.
const LARGEST_TABLE: usize = 1024;

impl Encoder<'_> {
    /// The leaves of objects that always hold their initial value, with it.
    pub fn constants(&mut self, store: &mut TermStore) -> FxHashMap<TermId, TermId> {
        let candidates: Vec<VarId> = self.cfa.variable_ids().filter(|variable| self.has_constant_form(*variable)).collect();
        if candidates.is_empty() {
            return FxHashMap::default();
        }
        let written = self.written();
        let mut constants = Constants::default();
        for variable in candidates {
            let fixed = written.as_ref().is_some_and(|written| !written.contains(&variable));
            if self.is_literal(variable) || fixed {
                let mut held = Constants::default();
                self.initialise_variable(store, &mut held, variable);
                if self.scalars(variable) > LARGEST {
                    held.0.retain(|_, value| store.is_table(*value));
                }
                constants.0.extend(held.0);
            }
        }
        constants.0
    }

    fn scalars(&self, variable: VarId) -> usize {
        self.cfa.variable(variable).initializer.as_ref().map_or(0, |initializer| initializer.scalars.len())
    }

    /// Whether an object is a string literal.
    pub(super) fn is_literal(&self, variable: VarId) -> bool {
        matches!(self.cfa.variable(variable).kind, VarKind::StringLiteral(_))
    }

    fn has_constant_form(&self, id: VarId) -> bool {
        let variable = self.cfa.variable(id);
        let known = |initializer: &program::cfa::StaticInitializer| {
            initializer.unsupported.is_none() && initializer.scalars.len() <= LARGEST_TABLE
        };
        !variable.ty.qualifiers.is_volatile && !variable.is_automatic() && variable.initializer.as_ref().is_some_and(known)
    }

    /// The objects that some operation may write to; `None` if that is not known.
    fn written(&self) -> Option<BTreeSet<VarId>> {
        let mut written: BTreeSet<VarId> = self.points_to.escaped().into_iter().collect();
        for edge in self.cfa.edge_ids() {
            match &self.cfa.edge(edge).operation {
                Operation::Assign { place, .. } => self.writes_to(*place, &mut written),
                Operation::Havoc { variable, .. } => written.extend(*variable),
                Operation::Call { callee, arguments, result } => {
                    written.extend(*result);
                    if !self.cfa.enters(*callee) {
                        written.extend(arguments.iter().flat_map(|argument| self.points_to.targets(*argument).variables));
                    }
                }
                Operation::Asm(_) => return None,
                _ => {}
            }
        }
        Some(written)
    }

    fn writes_to(&self, place: ExprId, written: &mut BTreeSet<VarId>) {
        let mut at = place;
        loop {
            match *self.cfa.exprs.get(at) {
                Expr::Field(outer, _) | Expr::Index(outer, _) => at = outer,
                Expr::Dereference { pointer, .. } => return written.extend(self.points_to.targets(pointer).variables),
                Expr::Variable(variable) => {
                    written.insert(variable);
                    return;
                }
                _ => return,
            }
        }
    }
}

/// Notes the initial values of leaves.
#[derive(Default)]
struct Constants(FxHashMap<TermId, TermId>);

impl State for Constants {
    fn get(&mut self, _store: &mut TermStore, variable: TermId) -> TermId {
        self.0.get(&variable).copied().unwrap_or(variable)
    }

    fn set(&mut self, _store: &mut TermStore, variable: TermId, value: TermId) {
        self.0.insert(variable, value);
    }

    /// An initial value that is known asks for nothing.
    fn fresh(&mut self, store: &mut TermStore, _origin: Origin, sort: Sort) -> TermId {
        super::value::zero(store, sort)
    }
}
