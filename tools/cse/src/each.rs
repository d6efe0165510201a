//! Which calls a client that notices the change is affected by: each call by itself, with all others left to the original.
//!
//! A call in which no run of the original shows a difference is *digested* there; one that a run of both untouched programs shows
//! is *different*, with its arguments, and with a condition on them that is proved where one is found. Of the others nothing is
//! known: what differs in them may be hidden by the client.

use std::collections::{BTreeMap, BTreeSet};

use engine::goal::{Goals, Status, Until};
use program::cfa::EdgeId;
use smt::z3::Z3Error;
use transform::pair::{Condition, Pairing, Plan, Relation, pair};

use crate::arrivals::Arrivals;
use crate::only::{Without, only};
use crate::settle::{Means, Numbers};
use crate::telling::{TellingCall, calls_into};
use crate::trials::{Difference, Stimulus, Trials};

/// Calls that are asked about; there is a program for each.
const MOST_CALLS: usize = 16;
/// Steps for each.
const STEPS: u64 = 30_000;
/// Steps for each question about a condition.
const FEW_STEPS: u64 = 8_000;

/// What is known of each call.
#[derive(Debug, Default)]
pub(crate) struct Each {
    /// Calls in which both versions do the same, whatever the others do.
    pub(crate) same: BTreeSet<EdgeId>,
    /// Calls in which they do not, and somebody notices.
    pub(crate) different: BTreeMap<EdgeId, TellingCall>,
    /// The one that the counterexample is about.
    pub(crate) shown: Option<EdgeId>,
    /// What arguments satisfy for which both versions do not do the same in a call.
    pub(crate) only: BTreeMap<EdgeId, Condition>,
}

/// Both programs with what changed in them.
pub(crate) type Asked<'a> = (&'a Pairing<'a>, &'a Plan);

/// Looks at calls of one client, each by itself. `guarded` are the programs whose memory accesses are looked at, too: where
/// somebody calls what may access memory, both versions do the same only if that holds for them as well.
#[derive(Clone, Copy)]
pub(crate) struct Looking<'a> {
    pub(crate) asked: Asked<'a>,
    pub(crate) guarded: &'a [Asked<'a>],
    pub(crate) relation: Relation,
    pub(crate) means: Means<'a>,
}

/// Looks at all calls of a client that notices the change.
pub(crate) fn each(
    looking: Looking<'_>,
    (trials, difference): (&Trials, &Difference),
    arrivals: &Arrivals,
    numbers: &mut Numbers,
) -> Result<Each, Z3Error> {
    let calls = calls(looking.asked);
    let mut each = Each::default();
    let mut shown = Vec::new();
    if calls.len() > 1 {
        for (number, edge) in calls.iter().enumerate().filter(|(_, edge)| !arrivals.inactive.contains(edge)).take(MOST_CALLS) {
            match looking.alone(number, None, STEPS, numbers)? {
                Alone::Same => _ = each.same.insert(*edge),
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
    for (edge, call) in each.different.iter().take(MOST_CALLS) {
        let Some(number) = calls.iter().position(|own| own == edge) else { continue };
        let ask = |condition: Condition, numbers: &mut Numbers| {
            Ok(match looking.alone(number, Some(&condition), FEW_STEPS, numbers)? {
                Alone::Same => Without::Same,
                Alone::Differs(stimulus) => Without::Differs(trials.telling_call(&stimulus, &excluded)),
                Alone::Open => Without::Open,
            })
        };
        if let Some(condition) = only(call, ask, numbers)? {
            each.only.insert(*edge, condition);
        }
    }
    Ok(each)
}

impl Looking<'_> {
    /// Asks about a call by its number: whether both versions do the same in it, but where its arguments satisfy a condition.
    fn alone(&self, number: usize, unless: Option<&Condition>, steps: u64, numbers: &mut Numbers) -> Result<Alone, Z3Error> {
        let own = calls(self.asked);
        let steps = self.means.steps.map_or(steps, |all| steps.min(all / 16));
        let asking = (self.relation, self.means, steps);
        let found = alone(self.asked, (own[number], unless), asking, numbers)?;
        if !matches!(found, Alone::Same) {
            return Ok(found);
        }
        for guarded in self.guarded {
            let others = calls(*guarded);
            let Some(other) = others.get(number).filter(|_| others.len() == own.len()) else { return Ok(Alone::Open) };
            if !matches!(alone(*guarded, (*other, unless), asking, numbers)?, Alone::Same) {
                return Ok(Alone::Open);
            }
        }
        Ok(found)
    }
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

/// Asks whether both versions do the same in one call, wherever the original makes it with arguments that do not satisfy a condition.
fn alone(
    (pairing, plan): Asked<'_>,
    (edge, unless): (EdgeId, Option<&Condition>),
    (relation, means, steps): (Relation, Means<'_>, u64),
    numbers: &mut Numbers,
) -> Result<Alone, Z3Error> {
    let mut plan = plan.only_at(edge);
    if let Some(condition) = unless {
        plan = plan.unless(condition.clone());
    }
    let Ok(both) = pair(pairing, &plan, relation) else { return Ok(Alone::Open) };
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
