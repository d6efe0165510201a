//! What several clients of one library share: that functions of it do the same in both versions whoever calls them.
//!
//! A proof of that is about the functions with any arguments in any state ([`Pairing::regardless`]), so no client has a part in
//! it. It counts for another client only if both versions of the function, with all that they call and mention, are the same
//! text there, operation by operation. What was not proved is not tried again for the same text.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::goal::{Goals, Status, Until};
use program::cfa::{Cfa, EdgeId, FunctionId};
use semantics::compare::Comparison;
use semantics::interpreter::{Outcome, Run};
use smt::z3::Z3Error;
use transform::pair::{Pairing, Plan, Relation, goes_around, pair};

use crate::settle::{Means, Numbers, Proved};
use crate::trials::Trials;

/// Steps for one function.
const STEPS: u64 = 60_000;
/// Runs that may show that there is nothing to prove.
const RUNS: usize = 400;
/// Clients whose programs are kept for what was found out about functions in them.
const MOST: usize = 8;

/// Both programs of a client, and what was found out in them.
struct Asked {
    programs: Rc<[Cfa; 2]>,
    /// By function of the original program: its counterpart, and the analysis behind a proof, if there is one.
    functions: BTreeMap<FunctionId, (FunctionId, Option<&'static str>)>,
}

/// What was found out for the clients before.
#[derive(Default)]
pub(crate) struct Known {
    asked: Vec<Asked>,
}

impl Known {
    /// Whether all that a client calls of what changed does the same whoever calls it.
    pub(crate) fn agree(
        &mut self,
        (programs, pairing): (&Rc<[Cfa; 2]>, &Pairing<'_>),
        (changes, calls): (&Plan, &[(EdgeId, FunctionId)]),
        relation: Relation,
        means: Means<'_>,
    ) -> Result<Option<Proved>, Z3Error> {
        if calls.is_empty() || !pairing.is_kept(changes) {
            return Ok(None);
        }
        let mut found = self.carried_over(programs, pairing, calls);
        let (mut own, mut by) = (BTreeMap::new(), None);
        for (_, callee) in calls {
            let proved = match found.get(callee) {
                Some(proved) => *proved,
                None => {
                    let Some(twin) = pairing.counterpart(*callee) else { return Ok(None) };
                    let proved = prove(pairing, changes, *callee, relation, means)?;
                    own.insert(*callee, (twin, proved));
                    found.insert(*callee, proved);
                    proved
                }
            };
            by = proved;
            if by.is_none() {
                break;
            }
        }
        if !own.is_empty() && self.asked.len() < MOST {
            self.asked.push(Asked { programs: Rc::clone(programs), functions: own });
        }
        let calls = calls.iter().map(|(edge, callee)| (Some(*edge), *callee)).collect();
        Ok(by.map(|by| Proved { calls, plan: changes.clone(), by, question: 0 }))
    }

    /// What is known of functions of the original program from clients in which they are the same.
    fn carried_over(
        &self,
        programs: &Rc<[Cfa; 2]>,
        pairing: &Pairing<'_>,
        calls: &[(EdgeId, FunctionId)],
    ) -> BTreeMap<FunctionId, Option<&'static str>> {
        let mut found = BTreeMap::new();
        for asked in &self.asked {
            if calls.iter().all(|(_, callee)| found.contains_key(callee)) {
                break;
            }
            let comparisons = [0, 1].map(|version| Comparison::new(&asked.programs[version], &programs[version]));
            let versions = comparisons.each_ref().map(Pairing::new);
            for (function, (twin, proved)) in &asked.functions {
                let [Some(here), Some(modified)] = [versions[0].shared(*function), versions[1].shared(*twin)] else { continue };
                if pairing.counterpart(here) == Some(modified) {
                    found.entry(here).or_insert(*proved);
                }
            }
        }
        found
    }
}

/// Asks about one function; the analysis behind a proof.
pub(crate) fn prove(
    pairing: &Pairing<'_>,
    changes: &Plan,
    function: FunctionId,
    relation: Relation,
    means: Means<'_>,
) -> Result<Option<&'static str>, Z3Error> {
    let Some(question) = pairing.regardless(changes, function) else { return Ok(None) };
    let Ok(both) = pair(pairing, &question, relation) else { return Ok(None) };
    if let Some(trials) = Trials::new(pairing, relation, changes) {
        let mut differs = false;
        let mut see = |run: &Run| {
            differs |= run.outcome == Outcome::ErrorReached;
            !differs
        };
        trials.visit(&both.recast.cfa, means.budget, (&BTreeMap::new(), RUNS), &mut see);
        if differs {
            return Ok(None);
        }
    }
    let at = both.goals.iter().map(|(_, at)| *at).collect();
    let mut goals = Goals::new(vec![at], Until::First);
    let steps = means.steps.map_or(STEPS, |all| STEPS.min(all / 4));
    // It is nobody's work: each client gets as far as it would alone.
    let (cfa, numbers) = (&both.recast.cfa, &mut Numbers::default());
    let is_sound = if goes_around(pairing, function) {
        means.ask(cfa, &mut goals, steps, numbers)?
    } else {
        means.ask_paths(cfa, &mut goals, steps, numbers)?
    };
    Ok(match goals.all().first().map(|goal| &goal.status) {
        Some(Status::Safe(proof)) if is_sound => Some(proof.by),
        _ => None,
    })
}
