//! Searches on circuits with a SAT solver: violations by unrolling, proofs by induction over several steps, and by clauses that
//! hold step by step.
//!
//! All latches start with 0. What is found is a claim: inputs step by step, or cubes of latches that no run comes to, for
//! others to replay and to prove again. All effort is counted in units that no clock decides.
//! Knows circuits. Does not know programs.

pub mod clauses;
pub mod directed;
pub mod forwards;
pub mod induction;
pub mod large;
pub mod sat;
pub mod unrolling;

use super::aig::{Aig, Lit, Node};
use super::sequential::Circuit;

/// The value of each input, step by step: the output is 1 in the last.
pub type Trace = Vec<Vec<bool>>;

/// Latches, by their place in the circuit, with the values that they do not have together in any run.
pub type Cube = Vec<(u32, bool)>;

/// Runs a circuit: whether the output is 1 in the last step, and in none before.
#[must_use]
pub fn violates(circuit: &Circuit, trace: &Trace) -> bool {
    let mut state = vec![false; circuit.latches.len()];
    for (at, inputs) in trace.iter().enumerate() {
        let values = evaluate(circuit, &state, inputs);
        let value = |lit: Lit| values[lit.node()] != lit.is_complement();
        if value(circuit.bad) {
            return at + 1 == trace.len();
        }
        state = circuit.latches.iter().map(|latch| value(latch.next)).collect();
    }
    false
}

/// The values of all nodes.
fn evaluate(circuit: &Circuit, state: &[bool], inputs: &[bool]) -> Vec<bool> {
    let aig: &Aig = &circuit.aig;
    let mut values = vec![false; aig.len()];
    for (latch, value) in circuit.latches.iter().zip(state) {
        values[latch.now.node()] = *value;
    }
    for ((.., lit), value) in circuit.inputs.iter().zip(inputs) {
        values[lit.node()] = *value;
    }
    for at in 0..aig.len() {
        if let Node::And(a, b) = aig.node(at) {
            values[at] = (values[a.node()] != a.is_complement()) && (values[b.node()] != b.is_complement());
        }
    }
    values
}

#[cfg(test)]
mod tests;
