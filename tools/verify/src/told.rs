//! What a witness says of loops about which the proof says nothing: because they were followed to their end, because a proof of
//! another kind needed no formula, or because its formulas cannot be said in C.
//!
//! Such an invariant is none that the proof rests on. It holds, and whoever reads the witness has something to begin with.
//! Does not know how the proof was found.

use std::collections::BTreeSet;

use console::Budget;
use engine::analyses::candidates;
use engine::analysis::Share;
use engine::evidence::invariant::Invariant;
use engine::session::{Clock, Memory, Sessions};
use evidence::Claim;
use program::cfa::{Cfa, LocationId};
use smt::z3::interruptible;
use smt::{Op, TermStore};

/// Steps that are spent on it.
const STEPS: u64 = 100_000;

/// Invariants of the loops of a program that was proved, as far as they are found with little work.
pub(crate) fn of_loops(cfa: &Cfa, budget: &Budget) -> (Vec<Claim>, TermStore) {
    let stop = budget.stop_flag();
    interruptible(&stop, || {
        let Ok(mut sessions) = Sessions::open(cfa, None, &stop, Clock::None) else { return (Vec::new(), TermStore::new()) };
        let session = sessions.of(Memory::Abstracted);
        // What is not found in time is not said.
        let found = candidates::of_loops(session, &mut Share { steps: STEPS, observer: &mut () }).unwrap_or_default();
        let store = std::mem::take(&mut session.store);
        let Some(found) = found else { return (Vec::new(), store) };
        let claim = |one: &Invariant| Claim { at: one.location(), formula: one.formula };
        let mut claims: Vec<Claim> = found.iter().map(claim).collect();
        // A loop that several calls come to is left out if nothing is known of it in one of them.
        let says_nothing = |claim: &&Claim| store.op(claim.formula) == Op::True;
        let open: BTreeSet<LocationId> = claims.iter().filter(says_nothing).map(|claim| claim.at).collect();
        claims.retain(|claim| !open.contains(&claim.at));
        (claims, store)
    })
}
