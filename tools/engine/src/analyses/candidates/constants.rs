//! Which variables have one value whenever control is at a position, as far as blocks show it.
//!
//! Constant propagation over blocks: optimistic, from the start on. Used for proposals only, so nothing rests on it.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use smt::terms::Substitution;
use smt::{Op, TermId, TermStore};

use super::blocks::Entry;
use crate::control::{Position, Target};
use crate::session::Start;

/// The values of variables, of those that have one.
pub(super) type Constants = BTreeMap<TermId, TermId>;

/// Rounds after which a position is left as it is: a constant is lost in each.
const ROUNDS: usize = 40;

/// The constants of each position.
pub(super) fn constants(store: &mut TermStore, entries: &[Entry]) -> IndexMap<Position, Constants> {
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
