//! Calls with few arguments, which the versions are simply run on.
//!
//! Where what changed depends on its arguments only, and a client passes few, each is run on both versions, and it is proved that
//! there are no others: in the client, whose calls are tables of what the runs returned.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for one of many forms of origins")]

use std::collections::btree_map::Entry::Vacant;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use engine::goal::{Goals, Status, Until};
use program::cfa::{EdgeId, FunctionId, LocationId, VarId};
use program::types::Type;
use semantics::interpreter::{DataState, Limits, Observer, Origin, Outcome, Request, Run};
use smt::z3::Z3Error;
use transform::pair::{End, Entry, Observed, Pairing, Relation, Table, Tabled, alone, goes_around, is_closed, tabled};

use crate::settle::{Means, Numbers};
use crate::trials::Trials;

/// Questions whether there are other arguments, and different arguments at most.
const MOST: usize = 48;
const MOST_ENTRIES: usize = 512;
/// Runs that may show that there are too many arguments, and how many are.
const RUNS: usize = 1_000;
const MANY: usize = 160;
/// Steps for the questions: twice what a hundred arguments in a row take.
const STEPS: u64 = 200_000;
/// Bounds of one run of a function.
const LIMITS: Limits = Limits { steps: 2_000_000, memory: 64 << 20, skips_library: false };
/// The same where nobody has asked for it, and edges of all such runs.
const UNASKED: Limits = Limits { steps: 50_000, memory: 64 << 20, skips_library: false };
const MOST_EDGES: usize = 2_000_000;

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
    let mut edges = 0;
    for round in 0..MOST {
        let Some(asked) = tabled(pairing, calls, &tables) else { return Ok(false) };
        let cfa = &asked.recast.cfa;
        let at: Vec<LocationId> = asked.missing.iter().map(|(at, ..)| *at).collect();
        if at.is_empty() {
            return Ok(true);
        }
        if round == 0 && passes_many(&asked, trials, means) {
            return Ok(false);
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
        let Some(versions) = both.get(&callee) else { return Ok(false) };
        let (Some(entry), _) = entry(versions, &given, relation, LIMITS) else { return Ok(false) };
        let table = tables.entry(callee).or_default();
        if table.insert(given.clone(), entry).is_some() {
            return Ok(false);
        }
        fill(table, versions, (&given, round), relation, &mut edges);
    }
    Ok(false)
}

/// Whether runs of a client whose tables are empty pass more different arguments than tables are good for.
fn passes_many(asked: &Tabled, trials: &Trials, means: Means<'_>) -> bool {
    let mut seen: BTreeSet<(FunctionId, Vec<u128>)> = BTreeSet::new();
    let mut see = |run: &Run| {
        if run.outcome == Outcome::ErrorReached {
            let mut watch = Watch { missing: &asked.missing, cfa: &asked.recast.cfa, found: None };
            trials.again(&asked.recast.cfa, run, &mut watch);
            seen.extend(watch.found);
        }
        seen.len() <= MANY
    };
    trials.visit(&asked.recast.cfa, means.budget, (&BTreeMap::new(), RUNS), &mut see);
    seen.len() > MANY
}

/// Adds what the versions do with numbers around some that are passed, the more the more questions were asked: clients pass
/// ranges. An entry that nobody comes to says nothing, so one that cannot be had is left out.
fn fill(table: &mut Table, versions: &[Observed; 2], (given, round): (&[u128], usize), relation: Relation, edges: &mut usize) {
    let reach = 1u128 << round.min(8);
    let beside = |distance: u128| [distance, distance.wrapping_neg()];
    for (at, by) in (0..given.len()).flat_map(|at| (1..=reach).flat_map(beside).map(move |by| (at, by))) {
        if table.len() >= MOST_ENTRIES || *edges >= MOST_EDGES {
            return;
        }
        let Some(mask) = mask(&versions[0].recast.cfa, at) else { continue };
        let mut other = given.to_vec();
        other[at] = other[at].wrapping_add(by) & mask;
        if let Vacant(place) = table.entry(other) {
            let (entry, used) = entry(versions, place.key(), relation, UNASKED);
            *edges += used;
            entry.map(|entry| place.insert(entry));
        }
    }
}

/// The bits of an argument that is a number.
fn mask(cfa: &program::cfa::Cfa, at: usize) -> Option<u128> {
    let parameter = cfa.function(cfa.entry).parameters.get(at)?;
    let Type::Int { rank, .. } = *cfa.types.get(cfa.variable(*parameter).ty.ty) else { return None };
    let width = u32::try_from(cfa.machine.int_size(rank) * 8).ok()?;
    Some(u128::MAX >> (128 - width.clamp(1, 128)))
}

/// What both versions do with some arguments, with the number of edges; nothing if that is not the same, or not known.
fn entry(versions: &[Observed; 2], given: &[u128], relation: Relation, limits: Limits) -> (Option<Entry>, usize) {
    let mut edges = 0;
    let ends = versions.each_ref().map(|version| {
        let own = |request: &Request| parameter(&version.recast.cfa, request.origin).and_then(|at| given.get(at).copied());
        let (seen, run) = version.run(&mut { own }, limits);
        edges += run.trace.len();
        (!seen.is_indeterminate).then_some(seen.end)
    });
    let entry = match ends {
        [Some(End::Undefined(_)), _] => Some(Entry::Excluded),
        [Some(End::Returned(..)), Some(End::Undefined(_))] if !relation.preserve => Some(Entry::Excluded),
        [Some(End::Returned(a, _)), Some(End::Returned(b, _))] if a == b => Some(Entry::Returns(a)),
        _ => None,
    };
    (entry, edges)
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
