//! Calls with few arguments, which the versions are simply run on.
//!
//! Where what changed depends on its arguments only, and a client passes few, each is run on both versions, and it is proved that
//! there are no others: in the client, whose calls are tables of what the runs returned.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for one of many forms of origins")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use engine::goal::{Goals, Status, Until};
use program::cfa::{EdgeId, FunctionId, LocationId, VarId};
use semantics::interpreter::{DataState, Limits, Observer, Origin, Request};
use smt::z3::Z3Error;
use transform::pair::{End, Entry, Observed, Pairing, Relation, Table, alone, goes_around, is_closed, tabled};

use crate::settle::{Means, Numbers};
use crate::trials::Trials;

/// Different arguments at most.
const MOST: usize = 48;
/// Steps for the questions whether there are others.
const STEPS: u64 = 20_000;
/// Bounds of one run of a function.
const LIMITS: Limits = Limits { steps: 2_000_000, memory: 64 << 20, skips_library: false };

/// Whether both versions return the same for all arguments that are ever passed.
pub(crate) fn agree(
    pairing: &Pairing<'_>,
    calls: &[(EdgeId, FunctionId)],
    (trials, relation): (Option<&Trials>, Relation),
    means: Means<'_>,
    numbers: &mut Numbers,
) -> Result<bool, Z3Error> {
    let Some(trials) = trials.filter(|_| !calls.is_empty()) else { return Ok(false) };
    let mut tables: BTreeMap<FunctionId, Table> = BTreeMap::new();
    let mut both: BTreeMap<FunctionId, [Observed; 2]> = BTreeMap::new();
    for (_, callee) in calls {
        if !both.contains_key(callee) {
            let versions = [alone(pairing, 0, *callee), alone(pairing, 1, *callee)];
            let [Some(original), Some(modified)] = versions else { return Ok(false) };
            if !is_closed(pairing, *callee) {
                return Ok(false);
            }
            both.insert(*callee, [original, modified]);
        }
    }
    // Without loops there is nothing that a proof would go through again and again.
    if !both.keys().any(|callee| goes_around(pairing, *callee)) {
        return Ok(false);
    }
    let limit = means.steps.map_or(STEPS, |all| STEPS.min(all / 8));
    let before = numbers.steps;
    for _ in 0..MOST {
        let Some(asked) = tabled(pairing, calls, &tables) else { return Ok(false) };
        let cfa = &asked.recast.cfa;
        let at: Vec<LocationId> = asked.missing.iter().map(|(at, ..)| *at).collect();
        if at.is_empty() {
            return Ok(true);
        }
        let mut goals = Goals::new(vec![at], Until::First);
        let steps = limit.saturating_sub(numbers.steps - before);
        if steps == 0 {
            return Ok(false);
        }
        let is_sound = means.ask(cfa, &mut goals, steps, numbers)?;
        let found = match goals.all().first().map(|goal| &goal.status) {
            Some(Status::Safe(_)) => return Ok(is_sound),
            Some(Status::Unsafe(run)) => {
                let mut watch = Watch { missing: &asked.missing, cfa, found: None };
                trials.again(cfa, run, &mut watch);
                watch.found
            }
            _ => None,
        };
        let Some((callee, given)) = found else { return Ok(false) };
        let Some(entry) = both.get(&callee).and_then(|versions| entry(versions, &given, relation)) else { return Ok(false) };
        if tables.entry(callee).or_default().insert(given, entry).is_some() {
            return Ok(false);
        }
    }
    Ok(false)
}

/// What both versions do with some arguments; nothing if that is not the same, or not known.
fn entry(versions: &[Observed; 2], given: &[u128], relation: Relation) -> Option<Entry> {
    let ends = versions.each_ref().map(|version| {
        let own = |request: &Request| parameter(&version.recast.cfa, request.origin).and_then(|at| given.get(at).copied());
        let (seen, _) = version.run(&mut { own }, LIMITS);
        (!seen.is_indeterminate).then_some(seen.end)
    });
    match ends {
        [Some(End::Undefined(_)), _] => Some(Entry::Excluded),
        [Some(End::Returned(..)), Some(End::Undefined(_))] if !relation.preserve => Some(Entry::Excluded),
        [Some(End::Returned(a, _)), Some(End::Returned(b, _))] if a == b => Some(Entry::Returns(a)),
        _ => None,
    }
}

/// Which argument is asked for.
fn parameter(cfa: &program::cfa::Cfa, origin: Origin) -> Option<usize> {
    match origin {
        Origin::Parameter(number) => usize::try_from(number).ok(),
        Origin::Object { variable: Some(variable), offset: 0, .. } => {
            cfa.function(cfa.entry).parameters.iter().position(|parameter| *parameter == variable)
        }
        _ => None,
    }
}

/// Reads the arguments that no table has.
struct Watch<'a> {
    missing: &'a [(LocationId, FunctionId, Vec<VarId>)],
    cfa: &'a program::cfa::Cfa,
    found: Option<(FunctionId, Vec<u128>)>,
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        let target = self.cfa.edge(edge).target;
        let Some((_, callee, held)) = self.missing.iter().find(|(at, ..)| *at == target) else {
            return ControlFlow::Continue(());
        };
        let given: Option<Vec<u128>> = held.iter().map(|variable| state.scalar(*variable)).collect();
        self.found = given.map(|given| (*callee, given));
        ControlFlow::Break(())
    }
}
