//! Localization: a program of which the memory is forgotten that pointers write to without saying where.
//!
//! A write through a pointer that may lead to many objects is a choice for each leaf of each of them, and code full of such
//! writes (drivers) often keeps what its property depends on in variables no pointer leads to. Knows which objects those writes
//! may touch. Does not know what a property depends on.
//!
//! Soundness: of a forgotten object every read is arbitrary, so whatever set is forgotten the terms describe at least the
//! behaviours of the program. [Kurshan, localization reduction]

#![expect(clippy::wildcard_enum_match_arm, reason = "few operations write through pointers, and few expressions are places")]

use std::collections::BTreeSet;

use program::cfa::{Operation, VarId};
use program::expr::{Expr, ExprId};

use super::{Encoder, Targets};

impl Encoder<'_> {
    /// Forgets what is written through pointers that may lead to several objects. Says whether that is anything. To be called
    /// before anything is encoded.
    pub fn localize(&mut self) -> bool {
        let mut forgotten: BTreeSet<VarId> = BTreeSet::new();
        for edge in self.cfa.edge_ids() {
            let operands = match &self.cfa.edge(edge).operation {
                Operation::Assign { place, .. } => self.pointer_of(*place).into_iter().collect(),
                Operation::Call { callee, arguments, .. } if !self.cfa.enters(*callee) => arguments.clone(),
                _ => Vec::new(),
            };
            for pointer in operands {
                let targets = self.points_to.targets(pointer);
                if is_ambiguous(&targets) {
                    forgotten.extend(targets.variables.into_iter().filter(|variable| !self.is_literal(*variable)));
                }
            }
        }
        let any = !forgotten.is_empty();
        self.objects.forget(forgotten);
        any
    }

    /// The pointer that a place is reached through.
    fn pointer_of(&self, place: ExprId) -> Option<ExprId> {
        let mut at = place;
        loop {
            match *self.cfa.exprs.get(at) {
                Expr::Field(outer, _) | Expr::Index(outer, _) => at = outer,
                Expr::Dereference { pointer, .. } => return Some(pointer),
                _ => return None,
            }
        }
    }
}

fn is_ambiguous(targets: &Targets) -> bool {
    targets.variables.len() + usize::from(targets.elsewhere || !targets.sites.is_empty()) > 1
}
