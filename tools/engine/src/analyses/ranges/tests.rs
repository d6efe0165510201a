//! Whether intervals hold all values, and states all runs.

use smt::terms::Assignment;
use smt::{Sort, TermId, TermStore, Value};

use super::RangeStates;
use super::interval::{Interval, Ranges};
use crate::analysis::{Share, run_share};
use crate::goal::{GoalId, Goals, Replay, Status};
use crate::portfolio::Kind;
use crate::session::Memory;
use crate::tests::random::{Draw, Loops, Program};
use crate::tests::{answer, contains_all_states, load, sessions};

const WIDTH: u32 = 6;

/// A number over variables, of all operators.
fn number(draw: &mut Draw, store: &mut TermStore, variables: &[TermId], depth: usize) -> TermId {
    if depth == 0 || draw.below(6) == 0 {
        return if draw.below(3) == 0 {
            store.bits(WIDTH, draw.below(64) as u128)
        } else {
            variables[draw.below(variables.len())]
        };
    }
    let operator = draw.below(20);
    let condition = condition(draw, store, variables, depth - 1);
    let a = number(draw, store, variables, depth - 1);
    let b = number(draw, store, variables, depth - 1);
    let amount = store.bits(WIDTH, draw.below(8) as u128);
    match operator {
        0 | 1 => store.add(a, b),
        2 => store.sub(a, b),
        3 => store.neg(a),
        4 => store.mul(a, b),
        5 => store.udiv(a, b),
        6 => store.sdiv(a, b),
        7 => store.urem(a, b),
        8 => store.srem(a, b),
        9 => store.bit_not(a),
        10 => store.bit_and(a, b),
        11 => store.bit_or(a, b),
        12 => store.bit_xor(a, b),
        13 => store.shl(a, amount),
        14 => store.lshr(a, amount),
        15 => store.ashr(a, amount),
        16 => {
            let low = u32::try_from(draw.below(3)).unwrap();
            let part = store.extract(a, low + 3, low);
            store.sign_extend(part, WIDTH)
        }
        17 => {
            let part = store.extract(a, 3, 0);
            store.zero_extend(part, WIDTH)
        }
        18 => {
            let wide = store.zero_extend(a, 2 * WIDTH);
            let other = store.sign_extend(b, 2 * WIDTH);
            let sum = store.add(wide, other);
            store.extract(sum, WIDTH, 1)
        }
        _ => store.ite(condition, a, b),
    }
}

fn condition(draw: &mut Draw, store: &mut TermStore, variables: &[TermId], depth: usize) -> TermId {
    let a = number(draw, store, variables, depth);
    let b = number(draw, store, variables, depth);
    let (wide_a, wide_b) = (store.zero_extend(a, 2 * WIDTH), store.sign_extend(b, 2 * WIDTH));
    match draw.below(if depth == 0 { 5 } else { 10 }) {
        0 => store.eq(a, b),
        1 => store.slt(a, b),
        2 => store.ult(a, b),
        3 => store.slt(wide_a, wide_b),
        4 => store.eq(wide_b, wide_a),
        5 | 6 => {
            let parts = [condition(draw, store, variables, depth - 1), condition(draw, store, variables, depth - 1)];
            store.and(&parts)
        }
        7 => {
            let parts = [condition(draw, store, variables, depth - 1), condition(draw, store, variables, depth - 1)];
            store.or(&parts)
        }
        8 => {
            let part = condition(draw, store, variables, depth - 1);
            store.not(part)
        }
        _ => {
            let [a, b] = [condition(draw, store, variables, depth - 1), condition(draw, store, variables, depth - 1)];
            store.eq(a, b)
        }
    }
}

fn signed(value: &Value) -> i128 {
    let bits = i128::try_from(value.as_bits().unwrap()).unwrap();
    if bits >= 32 { bits - 64 } else { bits }
}

/// Every value of a term is in its interval, and assuming a condition loses no values under which it holds.
#[test]
fn intervals_hold_all_values() {
    let (mut decided, mut narrower, mut impossible) = (0, 0, 0);
    for seed in 0..4_000 {
        let mut draw = Draw::new(seed);
        let mut store = TermStore::new();
        let variables: Vec<TermId> = ["a", "b", "c"].iter().map(|name| store.variable(name, Sort::BitVec(WIDTH))).collect();
        let mut ranges = Ranges::default();
        let mut within = Vec::new();
        for variable in &variables {
            let (x, y) = (draw.below(64) as i128 - 32, draw.below(64) as i128 - 32);
            let interval = Interval { low: x.min(y), high: if draw.below(2) == 0 { x.max(y) } else { (x.min(y) + 3).min(31) } };
            ranges.set(*variable, interval);
            within.push(interval);
        }
        let term = number(&mut draw, &mut store, &variables, 3);
        let said = condition(&mut draw, &mut store, &variables, 3);
        let (found, truth) = (ranges.of(&store, term).unwrap(), ranges.truth(&store, said));
        let mut assumed = ranges.clone();
        let can_be = assumed.assume(&store, said, true);
        narrower += usize::from(found != Interval::full(WIDTH));
        decided += usize::from(truth.is_some());
        impossible += usize::from(!can_be);
        for _ in 0..60 {
            let mut values = Assignment::new();
            let drawn: Vec<i128> = within
                .iter()
                .map(|one| one.low + i128::try_from(draw.below(usize::try_from(one.high - one.low + 1).unwrap())).unwrap())
                .collect();
            for (variable, value) in variables.iter().zip(&drawn) {
                values.set(*variable, Value::Bits { width: WIDTH, value: u128::try_from(value.rem_euclid(64)).unwrap() });
            }
            let value = signed(&store.eval(term, &values).unwrap());
            assert!(found.low <= value && value <= found.high, "{seed}: {value} is not in {found:?}");
            let holds = store.eval(said, &values).unwrap().as_bool().unwrap();
            assert!(truth.is_none_or(|truth| truth == holds), "{seed}: {truth:?}");
            if holds {
                assert!(can_be, "{seed}: can be");
                for (variable, value) in variables.iter().zip(&drawn) {
                    let kept = assumed.of(&store, *variable).unwrap();
                    assert!(kept.low <= *value && *value <= kept.high, "{seed}: {value} was lost by {kept:?}");
                }
            }
        }
    }
    assert!(decided > 500 && narrower > 500 && impossible > 100, "{decided} {narrower} {impossible}");
}

/// Whatever a program can do at the head of a loop is in the states of a proof.
#[test]
fn every_concrete_state_is_in_an_abstract_one() {
    let (mut proofs, mut safe, mut refined) = (0, 0, 0);
    for seed in 0..400 {
        let program = Program::draw(seed, Loops::Any);
        let (cfa, truth) = (load(&program.text()), program.truth());
        let mut sessions = sessions(&cfa);
        let session = sessions.of(Memory::Exact);
        let mut goals = Goals::every_error(&cfa);
        let mut share = Share { steps: 50_000, observer: &mut () };
        let mut ranges = RangeStates::default();
        run_share(&mut ranges, session, &mut goals, &mut Replay, &mut share);
        safe += usize::from(!truth.violated);
        if let Status::Safe(proof) = &goals.get(GoalId(0)).status {
            assert!(!truth.violated, "{seed}\n{}", program.text());
            assert!(contains_all_states(session, &proof.invariants, &truth), "{seed}\n{}", program.text());
            proofs += 1;
            refined += usize::from(ranges.refinements > 0);
        }
    }
    assert!(proofs > 60, "{proofs} proofs of {safe}");
    assert!(refined > 0, "{refined} proofs have thresholds that no comparison has");
}

/// A state machine with a number that takes more values than can be told apart one by one, and is only compared with bounds.
#[test]
fn a_number_that_is_only_compared_with_bounds_is_one_of_few_ranges() {
    let text = |last: &str| {
        format!(
            "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
             int state = 1, level = 200; int main(void) {{ while (1) {{ int in = __VERIFIER_nondet_int();\n\
             if (in == 1 && level <= 255 && 111 < level && state == 1) {{ level = level * 5 - 261072; state = 2; }}\n\
             else if (in == 2 && level <= -108 && state == 2) {{ level = level % 109 + 1; state = 3; }}\n\
             else if (in == 3 && -108 <= level && level <= 111 && state == 3) {{ level = level % 71 + 184; state = {last}; }}\n\
             if (state == 2 && -108 < level) reach_error(); if (state == 4) reach_error(); }} }}"
        )
    };
    assert_eq!(answer(&text("1"), &[Kind::Ranges], 400_000), Some(true));
    // That is between two comparisons, and no run comes there: a threshold is missing.
    assert_eq!(answer(&text("level > 186 ? 4 : 1"), &[Kind::Ranges], 400_000), Some(true));
    assert_eq!(answer(&text("level < 184 ? 4 : 1"), &[Kind::Ranges], 400_000), None);
    assert_eq!(answer(&text("level > 500 ? 4 : 1"), &[Kind::Ranges], 400_000), Some(true));
}
