//! Why a state came to an error although no run does: which part of a variable was wider than what a path had left in it.
//!
//! The path is followed backwards from the error. At the first state from which the error is out of reach once its variables
//! hold no more than intervals said before they fell into parts, the bounds of these intervals become thresholds.
//! Source: counterexample-guided refinement, with thresholds as predicates.
//! Soundness: more thresholds make states smaller and lose no value; an error counts as out of reach only if a solver says so.

use smt::terms::Role;
use smt::{Answer, TermId, TermStore};

use super::interval::Interval;
use super::state::{Held, Origin, Reached, literal};
use super::thresholds::Thresholds;
use crate::control::Stop;
use crate::session::Session;

/// Steps that are followed backwards.
const STEPS: usize = 60;

/// What becomes of an error that a state comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// No value of the state comes there: intervals say too little of the way.
    OutOfReach,
    /// There are new thresholds.
    Refined,
    /// Nothing is known to be wrong with it.
    Reached,
}

/// Looks for thresholds that keep a state from an error that it comes to where `when` holds.
pub(super) fn refine(
    session: &mut Session<'_>,
    (states, at): (&[Reached], usize),
    when: TermId,
    thresholds: &mut Thresholds,
) -> Result<Word, Stop> {
    let (mut here, mut path, mut fresh) = (at, when, 0);
    for step in 0..STEPS {
        let state = &states[here];
        let held: Vec<TermId> =
            state.values.iter().map(|(variable, held)| literal(&mut session.store, *variable, *held)).collect();
        let held = session.store.and(&held);
        path = session.store.and(&[held, path]);
        if matches!(session.check(&[path])?, Answer::Unsat(_)) {
            // Behind the first step it is a relation that was lost: no threshold says that.
            return Ok(if step == 0 { Word::OutOfReach } else { Word::Reached });
        }
        let Some(origin) = &state.origin else { return Ok(Word::Reached) };
        let within =
            |(variable, interval): &(TermId, Interval), store: &mut TermStore| literal(store, *variable, Held::Within(*interval));
        let mut asked: Vec<TermId> = origin.before.iter().map(|one| within(one, &mut session.store)).collect();
        asked.push(path);
        if asked.len() > 1 && matches!(session.check(&asked)?, Answer::Unsat(_)) {
            let mut is_new = false;
            for (variable, interval) in &origin.before {
                is_new |= thresholds.split(&session.store, *variable, *interval);
            }
            if is_new {
                return Ok(Word::Refined);
            }
        }
        path = before(&mut session.store, origin, path, &mut fresh);
        here = origin.parent;
    }
    Ok(Word::Reached)
}

/// What holds before a way if something holds behind it. Inputs behind it are others than those on it.
fn before(store: &mut TermStore, origin: &Origin, path: TermId, fresh: &mut u32) -> TermId {
    let inputs: Vec<TermId> = store.variables(path).into_iter().filter(|variable| store.is_input(*variable)).collect();
    let mut others = Vec::with_capacity(inputs.len());
    for input in inputs {
        let sort = store.sort(input);
        others.push((input, store.fresh_variable(Role::Arbitrary, *fresh, sort)));
        *fresh += 1;
    }
    let renamed = smt::terms::Substitution::of(store, &others).apply(store, path);
    let moved = origin.state.substitution(store).apply(store, renamed);
    store.and(&[origin.when, moved])
}
