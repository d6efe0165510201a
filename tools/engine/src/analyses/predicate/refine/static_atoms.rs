//! Refinement by the atoms of the program text: the conditions on the path itself, at every border.
//!
//! Last resort when weakest preconditions find nothing new: every condition of the paths that a model of each single block
//! selects becomes a predicate wherever its variables may matter.

use std::collections::BTreeSet;

use smt::{Answer, TermId};

use super::implicant::{Values, implicant};
use super::{Candidate, PathFormula, Precision, Refinement, Refiner};
use crate::block::trace::trace;
use crate::control::{Stop, SymbolicState};
use crate::session::Session;

/// More atoms than this from one path are too many to enumerate over.
const MOST: usize = 24;

/// Atoms of the conditions of single blocks.
#[derive(Debug, Default)]
pub struct StaticAtoms;

impl Refiner for StaticAtoms {
    fn name(&self) -> &'static str {
        "static"
    }

    fn refine(&mut self, session: &mut Session, path: &PathFormula, _: &Precision) -> Result<Refinement, Stop> {
        let mut atoms: BTreeSet<TermId> = BTreeSet::new();
        for at in (1..path.len()).rev() {
            let Answer::Sat(model) = session.check(&[path.parts[at]])? else { continue };
            let values = path.values_at(&mut session.store, at, &model);
            let entry = path.blocks[at].entry;
            let trace = trace(&mut session.explorer, &mut session.store, entry, SymbolicState::unchanged(), &values)?;
            let mut values = Values::new(&values);
            for condition in trace.conditions {
                for literal in implicant(&mut session.store, condition, &mut values) {
                    let (atom, _) = session.store.without_not(literal);
                    let plain = session.store.variables(atom).iter().all(|v| !session.store.is_input(*v));
                    if plain && atoms.len() < MOST {
                        atoms.insert(atom);
                    }
                }
            }
        }
        let candidates: Vec<Candidate> =
            (1..path.len()).flat_map(|border| atoms.iter().map(move |atom| Candidate { border, atom: *atom })).collect();
        Ok(if candidates.is_empty() { Refinement::Nothing } else { Refinement::Candidates(candidates, Vec::new()) })
    }
}
