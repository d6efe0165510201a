//! Names of what a run asks values for, so that a counterexample can be handed to another program.
//!
//! A name says nothing about order: values of one name are handed out in the order in which they are asked for.

use formats::verdict::InputValue;
use program::cfa::Cfa;
use program::types::{FloatKind, Type, TypeId};

use super::arithmetic::sign_extend;
use super::{Origin, ValueRead};

/// The name of an origin: `f()` for the result of a function, otherwise a phrase that names function and object.
///
/// Equal names in two programs mean the same input, as far as names can tell.
#[must_use]
pub fn origin_name(cfa: &Cfa, origin: Origin) -> String {
    match origin {
        Origin::Input(function) | Origin::External(function) => format!("{}()", cfa.function(function).name),
        Origin::Parameter(number) => format!("parameter {number} of {}", cfa.function(cfa.entry).name),
        Origin::Object { variable: None, offset, .. } => format!("allocated memory + {offset}"),
        Origin::Object { variable: Some(variable), offset, .. } => {
            let variable = cfa.variable(variable);
            let owner = variable.function.map_or_else(String::new, |f| format!("{}::", cfa.function(f).name));
            format!("{owner}{}#{} + {offset}", variable.name, variable.ordinal)
        }
        Origin::Comparison(function) => format!("result of {} is a sign", cfa.function(function).name),
        Origin::MissingResult(function) => format!("missing result of {}", cfa.function(function).name),
        Origin::Volatile(address) => format!("volatile memory at {address}"),
        Origin::Allocation(function) => format!("success of {}", cfa.function(function).name),
    }
}

/// The value of an input as a C constant: of the result type of its function, otherwise its bits as a number.
///
/// For people and other tools: not every value has a constant of its own (the payload of a NaN is lost).
#[must_use]
pub fn origin_constant(cfa: &Cfa, origin: Origin, bits: u128) -> String {
    let (Origin::Input(function) | Origin::External(function)) = origin else { return bits.to_string() };
    let Type::Function(ty) = cfa.types.get(cfa.function(function).ty) else { return bits.to_string() };
    constant_of(cfa, ty.result.ty, bits)
}

/// The bits of a value of a type as a C constant; as a number if the type has no constants.
#[must_use]
pub fn constant_of(cfa: &Cfa, ty: TypeId, bits: u128) -> String {
    let mut result = cfa.types.get(ty);
    if let Type::Enum(definition) = result {
        result = cfa.types.get(cfa.types.enumeration(*definition).underlying);
    }
    match result {
        Type::Int { rank, signed: true } => {
            let width = u32::try_from(cfa.machine.int_size(*rank) * 8).unwrap_or(128);
            sign_extend(bits, width).to_string()
        }
        Type::Float(FloatKind::Float) => float(f64::from(f32::from_bits(u32::try_from(bits).unwrap_or(0)))),
        Type::Float(FloatKind::Double) => float(f64::from_bits(u64::try_from(bits).unwrap_or(0))),
        Type::Float(FloatKind::LongDouble | FloatKind::Float128) => bits.to_string(),
        Type::Void | Type::Bool | Type::Int { .. } | Type::Complex(_) | Type::Pointer(_) => bits.to_string(),
        Type::Array { .. } | Type::Function(_) | Type::Record(_) => bits.to_string(),
        Type::Enum(_) | Type::Vector { .. } | Type::VaList => bits.to_string(),
    }
}

/// A value that a run read, by name.
#[must_use]
pub fn input_value(cfa: &Cfa, read: &ValueRead) -> InputValue {
    let origin = read.request.origin;
    let value = origin_constant(cfa, origin, read.value);
    InputValue { source: origin_name(cfa, origin), line: 0, value, bits: read.value }
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
