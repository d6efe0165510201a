//! What a witness says of loops about which the proof says nothing: because they were followed to their end, because a proof of
//! another kind needed no formula, or because its formulas cannot be said in C. Where there is no loop of which anything can be
//! said, it is what holds at the statements before errors.
//!
//! Such an invariant is none that the proof rests on. It holds, and whoever reads the witness has something to begin with.
//! Does not know how the proof was found.

use std::collections::BTreeSet;

use console::Budget;
use engine::analyses::candidates::told;
use engine::analysis::Share;
use engine::evidence::invariant::Invariant;
use engine::session::{Clock, Memory, Session, Sessions};
use evidence::Claim;
use evidence::witness::statements_before_errors;
use program::cfa::{Cfa, LocationId};
use smt::z3::interruptible;
use smt::{Op, TermStore};

/// Steps that are spent on it.
const STEPS: u64 = 100_000;
/// So often statements are looked for that are further away from errors.
const ROUNDS: usize = 4;

/// Invariants of the loops of a program that was proved, as far as they are found with little work.
pub(crate) fn of_loops(cfa: &Cfa, budget: &Budget) -> (Vec<Claim>, TermStore) {
    found(cfa, budget, |session| {
        told::of_loops(session, &mut Share { steps: STEPS, observer: &mut () }).unwrap_or_default().unwrap_or_default()
    })
}

/// What holds at the statements before the errors of a program that was proved: because no run comes to one, and what else is
/// found with little work.
pub(crate) fn before_errors(cfa: &Cfa, budget: &Budget) -> (Vec<Claim>, TermStore) {
    let mut lost = BTreeSet::new();
    for _ in 0..ROUNDS {
        let statements = statements_before_errors(cfa, &lost);
        if statements.is_empty() {
            break;
        }
        let (claims, store) = found(cfa, budget, |session| {
            let mut share = Share { steps: STEPS, observer: &mut () };
            told::before_errors(session, &statements, &mut share).unwrap_or_default()
        });
        let says = |claim: &&Claim| store.op(claim.formula) != Op::False;
        if claims.iter().any(|claim| says(&claim)) {
            return (claims.iter().filter(says).copied().collect(), store);
        }
        // From there errors cannot be avoided: what leads there is looked at.
        let before = lost.len();
        lost.extend(claims.iter().map(|claim| claim.at));
        if lost.len() == before {
            break;
        }
    }
    (Vec::new(), TermStore::new())
}

/// What is found in a session of its own; what is not found in time is not said.
fn found(cfa: &Cfa, budget: &Budget, find: impl FnOnce(&mut Session<'_>) -> Vec<Invariant>) -> (Vec<Claim>, TermStore) {
    let stop = budget.stop_flag();
    interruptible(&stop, || {
        let Ok(mut sessions) = Sessions::open(cfa, None, &stop, Clock::None) else { return (Vec::new(), TermStore::new()) };
        let session = sessions.of(Memory::Abstracted);
        let found = find(session);
        let store = std::mem::take(&mut session.store);
        let claim = |one: &Invariant| Claim { at: one.location(), formula: one.formula };
        let mut claims: Vec<Claim> = found.iter().map(claim).collect();
        // A place that several calls come to is left out if nothing is known of it in one of them.
        let says_nothing = |claim: &&Claim| store.op(claim.formula) == Op::True;
        let open: BTreeSet<LocationId> = claims.iter().filter(says_nothing).map(|claim| claim.at).collect();
        claims.retain(|claim| !open.contains(&claim.at));
        (claims, store)
    })
}
