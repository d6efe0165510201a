//! Which calls come to where both versions part: the others are inactive, whatever is there.
//!
//! Runs show which calls do; of those that no run shows it is asked whether any can. No question here is about what the
//! versions do differently.

use std::collections::{BTreeMap, BTreeSet};

use engine::goal::{Goals, Status, Until};
use program::cfa::{EdgeId, LocationId};
use semantics::interpreter::{Outcome, Run};
use smt::z3::Z3Error;
use transform::pair::{Pairing, Plan, reached};

use crate::settle::{Means, Numbers};
use crate::trials::Trials;

/// Runs that may show that some call does, and that one does.
const RUNS: usize = 600;
const FEW_RUNS: usize = 100;
/// Steps for the question.
const STEPS: u64 = 30_000;
/// Steps where it is known that some call does, and only the others are asked about.
const FEW_STEPS: u64 = 8_000;

/// What is known of the calls.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    /// Calls in which no run of the original comes to where both versions part.
    pub(crate) inactive: BTreeSet<EdgeId>,
    /// No run comes there.
    pub(crate) none: bool,
}

/// Looks at all calls into what changed.
pub(crate) fn arrivals(
    pairing: &Pairing<'_>,
    (plan, calls): (&Plan, &[EdgeId]),
    trials: Option<&Trials>,
    means: Means<'_>,
    numbers: &mut Numbers,
) -> Result<Arrivals, Z3Error> {
    let Ok(Some(both)) = reached(pairing, plan, calls) else { return Ok(Arrivals::default()) };
    let cfa = &both.recast.cfa;
    let mut at: BTreeMap<LocationId, usize> = BTreeMap::new();
    for (number, (_, places)) in both.goals.iter().enumerate() {
        at.extend(places.iter().map(|place| (*place, number)));
    }
    let mut excluded: BTreeSet<usize> = (0..both.goals.len()).filter(|number| both.goals[*number].1.is_empty()).collect();
    let mut left: BTreeSet<usize> = (0..both.goals.len()).filter(|number| !excluded.contains(number)).collect();
    let open: Vec<usize> = left.iter().copied().collect();
    for number in open.into_iter().take_while(|_| trials.is_some()) {
        let given = both.choice.iter().map(|name| (format!("{name}#0 + 0"), number as u128)).collect();
        let mut see = |run: &Run| {
            let last = run.trace.last().filter(|_| run.outcome == Outcome::ErrorReached);
            let seen = last.and_then(|edge| at.get(&cfa.edge(*edge).target)) == Some(&number);
            if seen {
                left.remove(&number);
            }
            !seen
        };
        trials
            .iter()
            .for_each(|trials| trials.visit(cfa, means.budget, (&given, if number == 0 { RUNS } else { FEW_RUNS }), &mut see));
        if number == 0 && left.contains(&0) {
            // None shows any call.
            break;
        }
    }
    let mut ask = |asked: &[usize], steps: u64| -> Result<Vec<usize>, Z3Error> {
        let groups = asked.iter().map(|number| both.goals[*number].1.clone()).collect();
        let mut goals = Goals::new(groups, Until::Each);
        let steps = means.steps.map_or(steps, |all| steps.min(all / 8));
        let is_sound = means.ask(cfa, &mut goals, steps, numbers)?;
        numbers.reaches += 1;
        let safe = goals.all().iter().zip(asked).filter(|(goal, _)| is_sound && matches!(goal.status, Status::Safe(_)));
        Ok(safe.map(|(_, number)| *number).collect())
    };
    // Mostly none comes there where no run does: then there is one question, not one for each call.
    if left.remove(&0) {
        excluded.extend(ask(&[0], STEPS)?);
    }
    let others: Vec<usize> = left.into_iter().collect();
    if !others.is_empty() && !excluded.contains(&0) {
        excluded.extend(ask(&others, FEW_STEPS)?);
    }
    let none = excluded.contains(&0);
    let is_excluded = |call: &EdgeId| {
        let own = both.goals.iter().position(|(of, _)| *of == Some(*call));
        none || own.is_some_and(|own| excluded.contains(&own))
    };
    let inactive = calls.iter().copied().filter(is_excluded).collect();
    Ok(Arrivals { inactive, none })
}
