//! Which calls a client that notices the change is affected by: each call by itself, with all others left to the original.
//!
//! A call in which no run of the original shows a difference is *digested* there; one that a run of both untouched programs shows
//! is *different*, with its arguments. Of the others nothing is known: what differs in them may be hidden by the client.

use std::collections::{BTreeMap, BTreeSet};

use engine::goal::{Goals, Status, Until};
use program::cfa::EdgeId;
use smt::z3::Z3Error;
use transform::pair::{Pairing, Plan, Relation, pair};

use crate::arrivals::Arrivals;
use crate::settle::{Means, Numbers};
use crate::telling::{TellingCall, calls_into};
use crate::trials::{Difference, Stimulus, Trials};

/// Calls that are asked about; there is a program for each.
const MOST_CALLS: usize = 16;
/// Steps for each.
const STEPS: u64 = 30_000;

/// What is known of each call.
#[derive(Debug, Default)]
pub(crate) struct Each {
    /// Calls in which both versions do the same, whatever the others do.
    pub(crate) same: BTreeSet<EdgeId>,
    /// Calls in which they do not, and somebody notices.
    pub(crate) different: BTreeMap<EdgeId, TellingCall>,
    /// The one that the counterexample is about.
    pub(crate) shown: Option<EdgeId>,
}

/// Both programs with what changed in them.
pub(crate) type Asked<'a> = (&'a Pairing<'a>, &'a Plan);

/// Looks at all calls of a client that notices the change. `guarded` are the programs whose memory accesses are looked at, too:
/// where somebody calls what may access memory, both versions do the same only if that holds for them as well.
pub(crate) fn each(
    (asked, guarded): (Asked<'_>, &[Asked<'_>]),
    (relation, trials, difference): (Relation, &Trials, &Difference),
    arrivals: &Arrivals,
    means: Means<'_>,
    numbers: &mut Numbers,
) -> Result<Each, Z3Error> {
    let calls = calls(asked);
    let mut each = Each::default();
    let mut shown = Vec::new();
    if calls.len() > 1 {
        let steps = means.steps.map_or(STEPS, |all| STEPS.min(all / 16));
        for (number, edge) in calls.iter().enumerate().filter(|(_, edge)| !arrivals.inactive.contains(edge)).take(MOST_CALLS) {
            match alone(asked, *edge, relation, (means, steps), numbers)? {
                Alone::Same => {
                    let agrees = |guarded: &Asked<'_>, numbers: &mut Numbers| {
                        let others = self::calls(*guarded);
                        let other = others.get(number).filter(|_| others.len() == calls.len());
                        let Some(other) = other else { return Ok(false) };
                        Ok(matches!(alone(*guarded, *other, relation, (means, steps), numbers)?, Alone::Same))
                    };
                    let mut agree = true;
                    for one in guarded {
                        agree = agree && agrees(one, numbers)?;
                    }
                    if agree {
                        each.same.insert(*edge);
                    }
                }
                Alone::Differs(stimulus) => shown.push(*stimulus),
                Alone::Open => {}
            }
        }
    }
    let excluded: BTreeSet<EdgeId> = each.same.union(&arrivals.inactive).copied().collect();
    let first = trials.telling_call(&difference.stimulus, &excluded);
    each.shown = first.as_ref().map(|call| call.edge);
    let others = shown.iter().filter_map(|stimulus| {
        let found = trials.replay(stimulus)?;
        trials.telling_call(&found.stimulus, &excluded)
    });
    for call in first.into_iter().chain(others) {
        each.different.entry(call.edge).or_insert(call);
    }
    Ok(each)
}

fn calls((pairing, plan): Asked<'_>) -> Vec<EdgeId> {
    calls_into(pairing.original, plan.inside()).into_iter().map(|(edge, _)| edge).collect()
}

/// What is known of one call.
enum Alone {
    Same,
    /// On a run with these inputs they do not.
    Differs(Box<Stimulus>),
    Open,
}

/// Asks whether both versions do the same in one call, wherever the original makes it.
fn alone(
    (pairing, plan): Asked<'_>,
    edge: EdgeId,
    relation: Relation,
    (means, steps): (Means<'_>, u64),
    numbers: &mut Numbers,
) -> Result<Alone, Z3Error> {
    let Ok(both) = pair(pairing, &plan.only_at(edge), relation) else { return Ok(Alone::Open) };
    let own: Vec<_> = both.calls.iter().filter(|call| call.edge == Some(edge)).map(|call| call.differs).collect();
    // What ends a run in the middle of some call would hide what comes behind.
    let others: Vec<_> = both.goals.iter().map(|(_, at)| *at).filter(|at| !own.contains(at)).collect();
    if own.is_empty() {
        return Ok(Alone::Open);
    }
    let groups: Vec<_> = [own, others].into_iter().filter(|group| !group.is_empty()).collect();
    let mut goals = Goals::new(groups, Until::Each);
    numbers.boundaries += 1;
    let is_sound = means.ask(&both.recast.cfa, &mut goals, steps, numbers)?;
    let failed = goals.all().iter().find_map(|goal| match &goal.status {
        Status::Unsafe(run) => Some(Stimulus::of_run(&both.recast.cfa, run)),
        Status::Safe(_) | Status::Unknown(_) | Status::Open => None,
    });
    if let Some(stimulus) = failed {
        return Ok(Alone::Differs(Box::new(stimulus)));
    }
    let holds = is_sound && goals.all().iter().all(|goal| matches!(goal.status, Status::Safe(_)));
    Ok(if holds { Alone::Same } else { Alone::Open })
}
