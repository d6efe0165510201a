//! Folding of floating operations on bit patterns in the formats of the target, rounding to nearest even.

use std::cmp::Ordering;

use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::{IntFormat, int_format};
use crate::cfa::ConstantValue;
use crate::expr::BinaryOp;
use crate::machine::MachineModel;
use crate::types::{FloatKind, Type, TypeId, TypeTable};

/// Arithmetic on floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

/// Evaluates `$body` with `$F` bound to the format of `$kind`.
macro_rules! in_format {
    ($kind:expr, $F:ident => $body:expr) => {
        match $kind {
            FloatKind::Float => {
                type $F = Single;
                $body
            }
            FloatKind::Double => {
                type $F = Double;
                $body
            }
            FloatKind::LongDouble => {
                type $F = X87DoubleExtended;
                $body
            }
            FloatKind::Float128 => {
                type $F = Quad;
                $body
            }
        }
    };
}

/// Reads the digits of a floating constant, decimal or hexadecimal.
#[must_use]
pub fn parse(kind: FloatKind, digits: &str) -> Option<u128> {
    in_format!(kind, F => F::from_str_r(digits, Round::NearestTiesToEven).ok().map(|read| read.value.to_bits()))
}

/// `a op b`
#[must_use]
pub fn operate(op: FloatOp, kind: FloatKind, a: u128, b: u128) -> u128 {
    in_format!(kind, F => {
        let (a, b) = (F::from_bits(a), F::from_bits(b));
        match op {
            FloatOp::Add => a + b,
            FloatOp::Subtract => a - b,
            FloatOp::Multiply => a * b,
            FloatOp::Divide => a / b,
        }.value.to_bits()
    })
}

/// `-a`
#[must_use]
pub fn negate(kind: FloatKind, a: u128) -> u128 {
    in_format!(kind, F => (-F::from_bits(a)).to_bits())
}

/// The order of two floats; `None` if one is not a number.
#[must_use]
pub fn compare(kind: FloatKind, a: u128, b: u128) -> Option<Ordering> {
    in_format!(kind, F => F::from_bits(a).partial_cmp(&F::from_bits(b)))
}

/// Whether a float compares equal to zero.
#[must_use]
pub fn is_zero(kind: FloatKind, a: u128) -> bool {
    in_format!(kind, F => F::from_bits(a).is_zero())
}

/// Conversion between formats.
#[must_use]
pub fn convert(from: FloatKind, to: FloatKind, a: u128) -> u128 {
    fn step<F: Float + FloatConvert<T>, T: Float>(a: u128) -> u128 {
        F::from_bits(a).convert(&mut false).value.to_bits()
    }
    if from == to {
        return a;
    }
    in_format!(from, F => in_format!(to, T => step::<F, T>(a)))
}

/// Conversion of an integer, rounding to nearest.
#[must_use]
pub fn from_integer(to: FloatKind, format: IntFormat, pattern: u128) -> u128 {
    in_format!(to, F => if format.signed {
        F::from_i128(format.value(pattern)).value.to_bits()
    } else {
        F::from_u128(format.wrap(pattern)).value.to_bits()
    })
}

/// Conversion to an integer, towards zero; `None` if the value does not fit, which C leaves undefined.
#[must_use]
pub fn to_integer(from: FloatKind, format: IntFormat, a: u128) -> Option<u128> {
    let width = format.bits as usize;
    let mut exact = false;
    in_format!(from, F => {
        let value = F::from_bits(a);
        if format.signed {
            let read = value.to_i128_r(width, Round::TowardZero, &mut exact);
            (!read.status.contains(rustc_apfloat::Status::INVALID_OP)).then(|| format.wrap(read.value as u128))
        } else {
            let read = value.to_u128_r(width, Round::TowardZero, &mut exact);
            (!read.status.contains(rustc_apfloat::Status::INVALID_OP)).then(|| format.wrap(read.value))
        }
    })
}

/// An operator on two floats of one format, comparisons included.
#[must_use]
pub fn binary(op: BinaryOp, kind: FloatKind, a: u128, b: u128) -> Option<ConstantValue> {
    let arithmetic = |op| Some(ConstantValue::Float(operate(op, kind, a, b)));
    let order = compare(kind, a, b);
    let truth = |holds: bool| Some(ConstantValue::Int(u128::from(holds)));
    match op {
        BinaryOp::Add => arithmetic(FloatOp::Add),
        BinaryOp::Subtract => arithmetic(FloatOp::Subtract),
        BinaryOp::Multiply => arithmetic(FloatOp::Multiply),
        BinaryOp::Divide => arithmetic(FloatOp::Divide),
        BinaryOp::Equal => truth(order == Some(Ordering::Equal)),
        BinaryOp::NotEqual => truth(order != Some(Ordering::Equal)),
        BinaryOp::Less => truth(order == Some(Ordering::Less)),
        BinaryOp::LessEqual => truth(order.is_some_and(Ordering::is_le)),
        BinaryOp::Greater => truth(order == Some(Ordering::Greater)),
        BinaryOp::GreaterEqual => truth(order.is_some_and(Ordering::is_ge)),
        BinaryOp::LogicalAnd => truth(!is_zero(kind, a) && !is_zero(kind, b)),
        BinaryOp::LogicalOr => truth(!is_zero(kind, a) || !is_zero(kind, b)),
        BinaryOp::Remainder
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor => None,
    }
}

/// Whether the machine and gcc agree on every bit of what arithmetic gives: on the sign of what is no number they do only where
/// it is that of the one operand which is none. gcc leaves an invalid operation to the machine, which yields a negative one.
#[must_use]
pub(super) fn has_one_sign(kind: FloatKind, (a, b): (u128, u128), value: &ConstantValue) -> bool {
    let is_nan = |bits: u128| in_format!(kind, F => F::from_bits(bits).is_nan());
    let ConstantValue::Float(value) = *value else { return true };
    !is_nan(value) || is_nan(a) != is_nan(b)
}

/// Conversion of an integer constant to an arithmetic or pointer type other than `_Bool`.
#[must_use]
pub fn convert_integer(types: &TypeTable, machine: MachineModel, from: TypeId, to: TypeId, bits: u128) -> Option<ConstantValue> {
    let source = int_format(types, machine, from)?;
    match types.get(to) {
        Type::Float(kind) => Some(ConstantValue::Float(from_integer(*kind, source, bits))),
        Type::Bool => Some(ConstantValue::Int(u128::from(bits != 0))),
        _ => Some(ConstantValue::Int(int_format(types, machine, to)?.wrap(source.extend(bits)))),
    }
}

/// Conversion of a floating constant to an arithmetic type.
#[must_use]
pub fn convert_float(types: &TypeTable, machine: MachineModel, from: TypeId, to: TypeId, bits: u128) -> Option<ConstantValue> {
    let Type::Float(source) = types.get(from) else { return None };
    match types.get(to) {
        Type::Float(kind) => Some(ConstantValue::Float(convert(*source, *kind, bits))),
        Type::Bool => Some(ConstantValue::Int(u128::from(!is_zero(*source, bits)))),
        Type::Pointer(_) => None,
        _ => to_integer(*source, int_format(types, machine, to)?, bits).map(ConstantValue::Int),
    }
}
