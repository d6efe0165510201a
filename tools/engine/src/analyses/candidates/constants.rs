//! Which variables have one value whenever control is at a position, as far as blocks show it.
//!
//! Constant propagation over blocks: optimistic, from the start on. What a choice depends on is asked of a solver where the
//! first block makes it: an allocation yields one address for all sizes that were let through. Used for proposals only, so
//! nothing rests on it.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use smt::terms::Substitution;
use smt::{Answer, Op, Sort, TermId, TermStore};

use super::blocks::Entry;
use crate::control::{Cause, Position, Target};
use crate::session::{Session, Start};

/// The values of variables, of those that have one.
pub(super) type Constants = BTreeMap<TermId, TermId>;

/// Rounds after which a position is left as it is: a constant is lost in each.
const ROUNDS: usize = 40;

/// Choices of the first block that are looked at.
const CHOICES: usize = 12;

/// Conditions with their truth.
type Decisions = Vec<(TermId, TermId)>;

/// The constants of each position.
///
/// # Errors
/// [`Cause`] if a question is interrupted.
pub(super) fn constants(session: &mut Session, entries: &[Entry]) -> Result<IndexMap<Position, Constants>, Cause> {
    let choices = choices(session, entries)?;
    Ok(propagate(&mut session.store, entries, &choices))
}

/// What the guards of the first block decide of the choices it makes, by guard.
fn choices(session: &mut Session, entries: &[Entry]) -> Result<IndexMap<TermId, Decisions>, Cause> {
    let mut found: IndexMap<TermId, Decisions> = IndexMap::new();
    let mut asked = 0;
    for (_, _, block) in entries.iter().filter(|(_, start, _)| *start == Start::Program) {
        for exit in block.exits.iter().filter(|exit| matches!(exit.target, Target::Head(_))) {
            let mut conditions: IndexSet<TermId> = IndexSet::new();
            for (_, mut value) in exit.state.iter() {
                let store = &session.store;
                while let (Sort::BitVec(_), Op::Ite, &[condition, one, other]) =
                    (store.sort(value), store.op(value), store.args(value))
                {
                    conditions.insert(condition);
                    value = if store.op(one) == Op::Ite { one } else { other };
                }
            }
            for condition in conditions {
                if asked >= CHOICES {
                    return Ok(found);
                }
                asked += 1;
                let not = session.store.not(condition);
                let truth = match session.check(&[exit.guard, not])? {
                    Answer::Unsat(_) => session.store.tt(),
                    Answer::Sat(_) | Answer::Unknown(_) => continue,
                };
                found.entry(exit.guard).or_default().push((condition, truth));
            }
        }
    }
    Ok(found)
}

fn propagate(store: &mut TermStore, entries: &[Entry], choices: &IndexMap<TermId, Decisions>) -> IndexMap<Position, Constants> {
    let mut known: IndexMap<Position, Constants> = IndexMap::new();
    for _ in 0..ROUNDS {
        let mut changed = false;
        for (position, start, block) in entries {
            let before = match start {
                Start::Program => Constants::new(),
                Start::Anywhere => match known.get(position) {
                    Some(before) => before.clone(),
                    None => continue,
                },
            };
            for exit in &block.exits {
                let Target::Head(next) = exit.target else { continue };
                let mut pairs = decided(store, exit.guard);
                pairs.extend(choices.get(&exit.guard).into_iter().flatten());
                pairs.extend(before.iter().map(|(variable, value)| (*variable, *value)));
                let mut values = Substitution::of(store, &pairs);
                let mut after = before.clone();
                for (variable, value) in exit.state.iter() {
                    let value = values.apply(store, value);
                    match store.as_bits(value) {
                        Some(_) => _ = after.insert(variable, value),
                        None => _ = after.remove(&variable),
                    }
                }
                match known.get_mut(&next) {
                    None => {
                        known.insert(next, after);
                        changed = true;
                    }
                    Some(here) => {
                        let count = here.len();
                        here.retain(|variable, value| after.get(variable) == Some(value));
                        changed |= here.len() != count;
                    }
                }
            }
        }
        if !changed {
            break;
        }
    }
    known
}

/// What a guard says of the conditions that it is the conjunction of.
fn decided(store: &TermStore, guard: TermId) -> Vec<(TermId, TermId)> {
    let parts = if store.op(guard) == Op::And { store.args(guard) } else { std::slice::from_ref(&guard) };
    let says = |part: &TermId| match (store.op(*part), store.args(*part)) {
        (Op::Not, &[inner]) => (inner, store.ff()),
        _ => (*part, store.tt()),
    };
    parts.iter().filter(|part| store.as_bool(**part).is_none()).map(says).collect()
}
