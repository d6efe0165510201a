//! What is found equal on steps made by hand.

use std::collections::BTreeMap;

use engine::circuit::aig::{Aig, Lit};
use engine::circuit::facts::Facts;
use engine::circuit::sequential::{Circuit, Unread};
use engine::circuit::steps::{Bit, BitStep, Steps};
use smt::{Sort, TermStore};

/// Four positions; from 0 a run goes to 2 with an input in `a`, or to 1 and from there to 3 with an input in `b`. Each step looks
/// the same to those that know neither position; a violation is `a` at 2 or `b` at 3.
fn steps() -> Steps {
    let (mut aig, mut store) = (Aig::default(), TermStore::new());
    let [a, b, way, other, i, j] = [(); 6].map(|()| aig.input());
    let inputs = ["way", "other", "i", "j"].map(|name| store.variable(name, Sort::Bool));
    let step = |from, to, guard, values: &[(Bit, Lit)]| BitStep { from, to, guard, values: values.to_vec() };
    let steps = vec![
        step(0, Some(2), way, &[(Bit(0), i)]),
        step(0, Some(1), !way, &[]),
        step(1, Some(3), other, &[(Bit(1), j)]),
        step(2, None, a, &[]),
        step(3, None, b, &[]),
    ];
    Steps {
        aig,
        positions: 4,
        steps,
        bits: vec![a, b],
        variables: BTreeMap::new(),
        inputs: inputs.into_iter().zip([way, other, i, j].map(|lit| vec![lit])).collect(),
        live: vec![vec![], vec![], vec![Bit(0)], vec![Bit(1)]],
    }
}

/// Whether inputs exist for which the output is 1 within three frames, and whether they take the way over position 1.
fn violations(circuit: &Circuit) -> (bool, bool) {
    let mut bytes = Vec::new();
    let symbols = circuit::aiger::Symbols {
        inputs: circuit.inputs.iter().map(|(term, ..)| format!("{}", term.number())).collect(),
        latches: Vec::new(),
    };
    circuit::aiger::write(circuit, &symbols, &mut bytes).unwrap();
    let file = super::aiger::Aiger::read(&bytes);
    let count = file.input_names.len();
    let (mut short, mut long) = (false, false);
    for choice in 0u32..1 << (3 * count) {
        let mut state = file.start();
        for frame in 0..3 {
            let inputs: Vec<bool> = (0..count).map(|at| choice >> (frame * count + at) & 1 == 1).collect();
            let (bad, next) = file.step(&state, &inputs);
            short |= bad && frame == 1;
            long |= bad && frame == 2;
            state = next;
        }
    }
    (short, long)
}

/// Two bits that are never held at the same time share no latch, however alike the steps look that set them.
#[test]
fn bits_of_different_positions_are_not_taken_for_equal() {
    let steps = steps();
    let facts = Facts::of(&steps);
    assert_eq!(facts.representative, [Bit(0), Bit(1)]);
    assert_eq!(violations(&Circuit::of(&steps, &facts, Unread::Kept)), (true, true));
    assert_eq!(violations(&Circuit::of(&steps, &Facts::none(&steps), Unread::Kept)), (true, true));
}
