//! Witnesses: the path of a replayed run, as edges or as waypoints, and the invariants of a proof.
//!
//! Whatever a witness says is true of the run or the proof; what cannot be said in its format is left out.
//! Does not know how the run or the proof was found.

mod correctness;
mod place;
mod sequence;
mod statements;

pub use correctness::{AtLoop, Extent, at_loops, correctness, loop_places, with_unique_lines};
pub use sequence::sequence;
pub use statements::statements_before_errors;

use formats::verdict::{Counterexample, InputValue};
use formats::witness::{Metadata, Place, Step, ViolationWitness};
use formats::{EdgeInfo, OperationKind, Producer, ProgramFile};
use program::cfa::{Cfa, EdgeId, FunctionId, Known};
use program::types::{FloatKind, Type};
use program::violation::Violation;
use semantics::interpreter::{Origin, Run, origin_constant, origin_name};
use semantics::own_text;

/// The path of a run: its inputs, branches, calls and returns, and the violation.
#[must_use]
pub fn witness(cfa: &Cfa, edges: &[EdgeInfo], program: &ProgramFile, producer: &Producer, run: &Run) -> ViolationWitness {
    let mut steps: Vec<Step> = run.trace.iter().map(|&edge| step(cfa, edge, &edges[edge.index()])).collect();
    for read in &run.reads {
        if let Origin::Input(function) = read.request.origin
            && let Some(step) = steps.get_mut(read.request.step)
        {
            let Some(value) = result_value(cfa, function, read.value) else { continue };
            step.assumption = Some(format!("\\result == {value}"));
            step.scope = run.trace.get(read.request.step).map(|edge| edges[edge.index()].key.function.clone());
            step.result_function = Some(cfa.function(function).name.to_string());
        }
    }
    if let Some(end) = own_text::end(cfa, run) {
        steps.truncate(end.step + 1);
        steps[end.step].is_violation = true;
    }
    let mut passed = run.trace.iter();
    steps.retain(|step| passed.next().is_some_and(|edge| step.is_violation || is_told(cfa, *edge)) && tells(step));
    ViolationWitness { metadata: Metadata::new(producer, program, &cfa.options), steps }
}

/// Whether a step says more than that a place is passed. A reader whose automaton has one edge for a declaration with its
/// initial value, or none for an assignment, would wait at such a step for ever.
fn tells(step: &Step) -> bool {
    let passes = step.branch.is_some() || step.enters.is_some() || step.returns_from.is_some();
    passes || step.assumption.is_some() || step.is_violation
}

/// Whether other tools can know of an edge: not what a body of our C library does, nor the guards of a property.
fn is_told(cfa: &Cfa, edge: EdgeId) -> bool {
    !own_text::is_library(cfa, edge) && !own_text::is_guard(cfa, edge)
}

fn step(cfa: &Cfa, edge: EdgeId, info: &EdgeInfo) -> Step {
    let key = &info.key;
    let error = cfa.called(edge).map(|callee| cfa.function(callee)).filter(|callee| callee.known == Some(Known::Error));
    let enters = match error {
        // The program calls no such function: it stands for an operation that goes wrong.
        Some(function) if Violation::of_function(&function.name).is_some() => None,
        Some(function) => Some(function.name.to_string()),
        None => info.enters.clone(),
    };
    Step {
        place: Place { column: None, ..place::place(cfa, cfa.edge(edge).span) },
        branch: key.branch,
        enters,
        returns_from: (key.kind == OperationKind::Return).then(|| key.function.clone()),
        text: info.text.clone(),
        ..Step::default()
    }
}

/// The counterexample for the report.
#[must_use]
pub fn counterexample(cfa: &Cfa, edges: &[EdgeInfo], run: &Run) -> Option<Counterexample> {
    let violation = edges[run.trace.last()?.index()].clone();
    let inputs = run
        .reads
        .iter()
        .map(|read| {
            let line = run.trace.get(read.request.step).map_or(0, |edge| edges[edge.index()].key.line);
            let origin = read.request.origin;
            InputValue {
                source: origin_name(cfa, origin),
                line,
                value: origin_constant(cfa, origin, read.value),
                bits: read.value,
            }
        })
        .collect();
    Some(Counterexample { violation, inputs })
}

/// Bits as a C constant to which the result of a function can be compared; `None` if there is none: for floats that are no
/// numbers, pointers other than null, and types whose bits are no number.
fn result_value(cfa: &Cfa, function: FunctionId, bits: u128) -> Option<String> {
    let Type::Function(ty) = cfa.types.get(cfa.function(function).ty) else { return None };
    let is_comparable = match cfa.types.get(ty.result.ty) {
        Type::Bool | Type::Int { .. } | Type::Enum(_) | Type::Float(FloatKind::Float | FloatKind::Double) => true,
        Type::Pointer(_) => bits == 0,
        Type::Float(FloatKind::LongDouble | FloatKind::Float128) | Type::Complex(_) | Type::Void | Type::Array { .. } => false,
        Type::Function(_) | Type::Record(_) | Type::Vector { .. } | Type::VaList => false,
    };
    let text = origin_constant(cfa, Origin::Input(function), bits);
    (is_comparable && !text.contains("__builtin")).then_some(text)
}
