//! The violation witness of a replayed run.

use formats::verdict::{Counterexample, InputValue};
use formats::witness::{ViolationWitness, WitnessStep};
use formats::{EdgeInfo, Producer, ProgramFile};
use program::cfa::{Cfa, FunctionId};
use program::types::{FloatKind, Type};
use semantics::interpreter::{Origin, Run, origin_name};

/// A violation witness.
#[must_use]
pub(crate) fn witness(cfa: &Cfa, edges: &[EdgeInfo], program: ProgramFile, producer: Producer, run: &Run) -> ViolationWitness {
    let mut steps: Vec<WitnessStep> = run.trace.iter().map(|edge| WitnessStep::plain(edges[edge.index()].clone())).collect();
    for read in &run.reads {
        if let Origin::Input(function) = read.request.origin
            && let Some(step) = steps.get_mut(read.request.step)
        {
            *step = WitnessStep::input(step.edge.clone(), &cfa.function(function).name, &constant(cfa, function, read.value));
        }
    }
    ViolationWitness { producer, program, options: cfa.options.clone(), steps }
}

/// The counterexample for the report.
#[must_use]
pub(crate) fn counterexample(cfa: &Cfa, edges: &[EdgeInfo], run: &Run) -> Option<Counterexample> {
    let violation = edges[run.trace.last()?.index()].clone();
    let inputs = run
        .reads
        .iter()
        .map(|read| {
            let line = run.trace.get(read.request.step).map_or(0, |edge| edges[edge.index()].key.line);
            let value = match read.request.origin {
                Origin::Input(function) => constant(cfa, function, read.value),
                Origin::External(_) | Origin::Parameter(_) | Origin::Object { .. } => read.value.to_string(),
                Origin::MissingResult(_) | Origin::Volatile(_) | Origin::Allocation(_) => read.value.to_string(),
            };
            InputValue { source: origin_name(cfa, read.request.origin), line, value }
        })
        .collect();
    Some(Counterexample { violation, inputs })
}

/// Bits as a C constant of the result type of a function.
fn constant(cfa: &Cfa, function: FunctionId, bits: u128) -> String {
    let Type::Function(ty) = cfa.types.get(cfa.function(function).ty) else { return bits.to_string() };
    match cfa.types.get(ty.result.ty) {
        Type::Int { rank, signed: true } => {
            let width = u32::try_from(cfa.machine.int_size(*rank) * 8).unwrap_or(128);
            smt::terms::to_signed(width, bits).to_string()
        }
        Type::Float(FloatKind::Float) => float(f64::from(f32::from_bits(u32::try_from(bits).unwrap_or(0)))),
        Type::Float(FloatKind::Double) => float(f64::from_bits(u64::try_from(bits).unwrap_or(0))),
        Type::Float(FloatKind::LongDouble | FloatKind::Float128) => bits.to_string(),
        Type::Void | Type::Bool | Type::Int { .. } | Type::Complex(_) | Type::Pointer(_) => bits.to_string(),
        Type::Array { .. } | Type::Function(_) | Type::Record(_) => bits.to_string(),
        Type::Enum(_) | Type::Vector { .. } | Type::VaList => bits.to_string(),
    }
}

fn float(value: f64) -> String {
    if value.is_nan() {
        "__builtin_nan(\"\")".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "__builtin_inf()".to_owned() } else { "-__builtin_inf()".to_owned() }
    } else {
        format!("{value:?}")
    }
}
