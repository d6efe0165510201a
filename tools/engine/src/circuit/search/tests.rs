//! Random circuits of a few latches, all of whose states are looked at one by one.

use std::collections::BTreeSet;
use std::sync::Arc;

use smt::Meter;

use super::super::aig::{Aig, Lit};
use super::super::sequential::{Circuit, Held, Latch};
use super::super::steps::Bit;
use super::directed::{self, Directed};
use super::forwards::Forwards;
use super::induction::{self, Induction};
use super::sat::Effort;
use super::{Cube, evaluate, violates};
use crate::control::Stop;
use crate::tests::random::Draw;

const LATCHES: u32 = 5;
const INPUTS: u32 = 2;

fn draw(seed: u64) -> Circuit {
    let mut draw = Draw::new(seed);
    let mut aig = Aig::default();
    let free: Vec<Lit> = (0..LATCHES + INPUTS).map(|_| aig.input()).collect();
    let mut known = free.clone();
    for _ in 0..8 + draw.below(30) {
        let mut one = |known: &[Lit]| {
            let lit = known[draw.below(known.len())];
            if draw.below(2) == 0 { lit } else { !lit }
        };
        let (a, b) = (one(&known), one(&known));
        let gate = if one(&known).is_complement() { aig.and(a, b) } else { aig.xor(a, b) };
        known.push(gate);
    }
    let mut any = |last: usize| known[known.len() - 1 - draw.below(last.min(known.len()))];
    let latches: Vec<Latch> =
        (0..LATCHES).map(|at| Latch { held: Held::Bit(Bit(at)), now: free[at as usize], next: any(12) }).collect();
    let (first, second, third) = (any(9), any(9), any(20));
    let both = aig.and(first, second);
    let bad = aig.and(both, third);
    // No term: nobody asks which inputs these are.
    let term = smt::TermStore::new().tt();
    let inputs = (0..INPUTS).map(|at| (term, at, free[(LATCHES + at) as usize])).collect();
    let kept = latches.iter().map(|latch| latch.held).collect();
    Circuit { aig, inputs, latches, kept, bad, codes: Vec::new(), end: 0 }
}

fn bits(value: u32, width: u32) -> Vec<bool> {
    (0..width).map(|at| value >> at & 1 == 1).collect()
}

/// All ways to leave a state: whether the output is 1, and the next state.
fn ways(circuit: &Circuit, state: u32) -> Vec<(bool, u32)> {
    let way = |inputs: u32| {
        let values = evaluate(circuit, &bits(state, LATCHES), &bits(inputs, INPUTS));
        let value = |lit: Lit| values[lit.node()] != lit.is_complement();
        let next = circuit.latches.iter().enumerate().map(|(at, latch)| u32::from(value(latch.next)) << at).sum();
        (value(circuit.bad), next)
    };
    (0..1 << INPUTS).map(way).collect()
}

fn is_violated(circuit: &Circuit) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([0]), vec![0]);
    while let Some(state) = open.pop() {
        for (bad, next) in ways(circuit, state) {
            if bad {
                return true;
            }
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

/// Whether cubes keep all runs away from the output: judged on all states.
fn is_proof(circuit: &Circuit, cubes: &[Cube]) -> bool {
    let clear = |state: u32| !cubes.iter().any(|cube| cube.iter().all(|(at, value)| (state >> at & 1 == 1) == *value));
    let keeps = |state: u32| ways(circuit, state).into_iter().all(|(bad, next)| !bad && clear(next));
    clear(0) && (0..1 << LATCHES).filter(|state| clear(*state)).all(keeps)
}

#[test]
fn searches_say_what_all_states_say() {
    let stop = Arc::default();
    let (mut violated, mut deep) = (0, 0);
    for seed in 0..1500 {
        let circuit = draw(seed);
        let expected = is_violated(&circuit);
        violated += usize::from(expected);
        let meter = Meter::default();
        let effort = Effort { meter: &meter, stop: &stop };
        match Directed::new(&circuit).run(effort).unwrap() {
            directed::Answer::Violation(trace) => assert!(expected && violates(&circuit, &trace), "{seed} {trace:?}"),
            directed::Answer::Invariant(cubes) => {
                assert!(!expected && is_proof(&circuit, &cubes), "{seed} {cubes:?}");
                deep += usize::from(cubes.len() > 2);
            }
            directed::Answer::TooLarge => panic!("{seed}"),
        }
        match Induction::new(&circuit).run(&circuit, effort).unwrap() {
            induction::Answer::Violation(trace) => assert!(expected && violates(&circuit, &trace), "{seed} {trace:?}"),
            induction::Answer::Safe(_) => assert!(!expected, "{seed}"),
            induction::Answer::TooLarge => panic!("{seed}"),
        }
    }
    assert!((300..1200).contains(&violated), "{violated} of 1500 say little");
    assert!(deep > 20, "{deep} invariants of several cubes say little");
}

/// The first step in which the output can be 1.
fn first_violation(circuit: &Circuit) -> Option<usize> {
    let (mut seen, mut now) = (BTreeSet::new(), BTreeSet::from([0]));
    for at in 0.. {
        let ways: Vec<(bool, u32)> = now.iter().flat_map(|state| ways(circuit, *state)).collect();
        if ways.iter().any(|(bad, _)| *bad) {
            return Some(at);
        }
        now = ways.into_iter().map(|(_, next)| next).filter(|next| seen.insert(*next)).collect();
        if now.is_empty() {
            return None;
        }
    }
    None
}

/// With no conflict allowed ahead, most steps are open for a while, and violations are found behind open steps.
#[test]
fn no_step_that_was_left_open_is_clean_before_it_was_settled() {
    let stop = Arc::default();
    let (mut ahead, mut deep) = (0, 0);
    for seed in 0..1500 {
        let circuit = draw(seed);
        let first = first_violation(&circuit);
        let meter = Meter::default();
        let effort = Effort { meter: &meter, stop: &stop };
        let mut search = Forwards::with_conflicts(&circuit, 0);
        let mut asked = 0;
        let trace = loop {
            if let Some(trace) = search.advance(&circuit, effort).unwrap() {
                break Some(trace);
            }
            asked += 1;
            assert!(first.is_none_or(|first| search.clean() <= first), "{seed}");
            if search.clean() > 1 << LATCHES {
                break None;
            }
        };
        deep += usize::from(search.clean() > 2 && trace.is_some());
        ahead += usize::from(asked > search.clean() + 1);
        assert_eq!(trace.is_some(), first.is_some(), "{seed}");
        assert!(trace.is_none_or(|trace| violates(&circuit, &trace)), "{seed}");
    }
    assert!(ahead > 100 && deep > 20, "{ahead} searches that went ahead and {deep} deep violations say little");
}

/// Whatever is granted at a time, the answer is the same.
#[test]
fn a_search_goes_on_where_its_share_ended() {
    let stop = Arc::default();
    let mut paused = 0;
    for seed in 0..200 {
        let circuit = draw(seed);
        let expected = is_violated(&circuit);
        let meter = Meter::default();
        let (mut directed, mut induction) = (Directed::new(&circuit), Induction::new(&circuit));
        for is_directed in [true, false] {
            let said = (0..10_000).find_map(|round| {
                meter.grant(40 + round);
                let effort = Effort { meter: &meter, stop: &stop };
                let said = if is_directed {
                    directed.run(effort).map(|said| matches!(said, directed::Answer::Violation(_)))
                } else {
                    induction.run(&circuit, effort).map(|said| matches!(said, induction::Answer::Violation(_)))
                };
                paused += usize::from(said == Err(Stop::Interrupted));
                said.ok()
            });
            assert_eq!(said, Some(expected), "{seed} {is_directed}");
        }
    }
    assert!(paused > 200, "{paused} pauses say little");
}
