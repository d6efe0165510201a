//! Arithmetic on bit patterns: what C's operators and conversions do to values of at most 128 bits.
//!
//! A value is zero-extended from the width of its type. Does not know memory or expressions.

#![allow(
    clippy::wildcard_enum_match_arm,
    clippy::fn_params_excessive_bools,
    reason = "types and expressions are asked for one shape here; every other one, new ones included, is the rest"
)]

use program::expr::{BinaryOp, UnaryOp};

use super::UndefinedKind;
use super::fault::Fault;
use super::kind::Kind;

/// Keeps the lowest `bits` bits.
pub(super) const fn truncate(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1u128 << bits) - 1) }
}

/// The number that a zero-extended two's complement pattern of `bits` bits stands for.
pub(super) const fn sign_extend(value: u128, bits: u32) -> i128 {
    if bits == 0 {
        return 0;
    }
    let shift = 128 - bits;
    ((value << shift) as i128) >> shift
}

/// The pattern extended to 128 bits as its type says.
pub(super) const fn extend(value: u128, bits: u32, signed: bool) -> u128 {
    if signed { sign_extend(value, bits) as u128 } else { value }
}

fn f32_of(value: u128) -> f32 {
    f32::from_bits(value as u32)
}

fn f64_of(value: u128) -> f64 {
    f64::from_bits(value as u64)
}

fn unsupported(kind: Kind) -> Fault {
    match kind {
        Kind::Unsupported(construct) => Fault::Unsupported(construct.into()),
        Kind::Int { .. } | Kind::F32 | Kind::F64 | Kind::Aggregate | Kind::Void => {
            Fault::Unsupported("arithmetic on an aggregate".into())
        }
    }
}

/// Whether a scalar compares unequal to zero.
pub(super) fn is_true(value: u128, kind: Kind) -> Result<bool, Fault> {
    match kind {
        Kind::Int { .. } => Ok(value != 0),
        Kind::F32 => Ok(f32_of(value) != 0.0),
        Kind::F64 => Ok(f64_of(value) != 0.0),
        Kind::Aggregate | Kind::Void | Kind::Unsupported(_) => Err(unsupported(kind)),
    }
}

/// Converts a value between scalar types as a cast does.
pub(super) fn convert(value: u128, from: Kind, to: Kind) -> Result<u128, Fault> {
    match (from, to) {
        (_, Kind::Int { boolean: true, .. }) => Ok(u128::from(is_true(value, from)?)),
        (Kind::Int { bits, signed, .. }, Kind::Int { bits: width, .. }) => Ok(truncate(extend(value, bits, signed), width)),
        (Kind::Int { bits, signed, .. }, Kind::F32) => Ok(u128::from(int_to_f32(value, bits, signed).to_bits())),
        (Kind::Int { bits, signed, .. }, Kind::F64) => Ok(u128::from(int_to_f64(value, bits, signed).to_bits())),
        (Kind::F32, Kind::Int { bits, signed, .. }) => float_to_int(f64::from(f32_of(value)), bits, signed),
        (Kind::F64, Kind::Int { bits, signed, .. }) => float_to_int(f64_of(value), bits, signed),
        (Kind::F32, Kind::F32) | (Kind::F64, Kind::F64) => Ok(value),
        (Kind::F32, Kind::F64) => Ok(u128::from(f64::from(f32_of(value)).to_bits())),
        (Kind::F64, Kind::F32) => Ok(u128::from((f64_of(value) as f32).to_bits())),
        (_, Kind::Void) => Ok(0),
        (Kind::Unsupported(_), _) => Err(unsupported(from)),
        (_, other) => Err(unsupported(other)),
    }
}

fn int_to_f32(value: u128, bits: u32, signed: bool) -> f32 {
    if signed { sign_extend(value, bits) as f32 } else { value as f32 }
}

fn int_to_f64(value: u128, bits: u32, signed: bool) -> f64 {
    if signed { sign_extend(value, bits) as f64 } else { value as f64 }
}

fn float_to_int(value: f64, bits: u32, signed: bool) -> Result<u128, Fault> {
    let whole = value.trunc();
    let (low, high) =
        if signed { (-(2f64.powi(bits as i32 - 1)), 2f64.powi(bits as i32 - 1)) } else { (0.0, 2f64.powi(bits as i32)) };
    if !(whole >= low && whole < high) {
        return Err(Fault::Undefined(UndefinedKind::FloatConversion));
    }
    Ok(if signed { truncate(whole as i128 as u128, bits) } else { truncate(whole as u128, bits) })
}

/// Applies an operator with one operand; `kind` is the operand's.
pub(super) fn unary(op: UnaryOp, value: u128, kind: Kind) -> Result<u128, Fault> {
    match (op, kind) {
        (UnaryOp::Not, _) => Ok(u128::from(!is_true(value, kind)?)),
        (UnaryOp::Negate, Kind::Int { bits, .. }) => Ok(truncate(value.wrapping_neg(), bits)),
        (UnaryOp::Complement, Kind::Int { bits, .. }) => Ok(truncate(!value, bits)),
        (UnaryOp::Negate, Kind::F32) => Ok(u128::from((-f32_of(value)).to_bits())),
        (UnaryOp::Negate, Kind::F64) => Ok(u128::from((-f64_of(value)).to_bits())),
        (UnaryOp::Negate | UnaryOp::Complement, _) => Err(unsupported(kind)),
    }
}

/// Applies an operator with two operands of the kinds `left` and `right`; they differ for shifts only.
pub(super) fn binary(op: BinaryOp, a: u128, left: Kind, b: u128, right: Kind) -> Result<u128, Fault> {
    match op {
        BinaryOp::LogicalAnd => return Ok(u128::from(is_true(a, left)? && is_true(b, right)?)),
        BinaryOp::LogicalOr => return Ok(u128::from(is_true(a, left)? || is_true(b, right)?)),
        _ => {}
    }
    if a != b && !op.is_predicate() && is_no_number(a, left) && is_no_number(b, left) {
        // It is one of the two, and compilers exchange operands.
        return Err(Fault::Unsupported("arithmetic on two operands that are no numbers".into()));
    }
    match left {
        Kind::Int { bits, signed, .. } => match op {
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => shift(op, a, bits, signed, b, right),
            _ if signed => signed_operation(op, sign_extend(a, bits), sign_extend(b, bits), bits),
            _ => unsigned_operation(op, a, b, bits),
        },
        Kind::F32 => float_operation(op, &f32_of(a), &f32_of(b)).map(|r| match r {
            FloatResult::Value(v) => u128::from(v.to_bits()),
            FloatResult::Truth(t) => u128::from(t),
        }),
        Kind::F64 => float_operation(op, &f64_of(a), &f64_of(b)).map(|r| match r {
            FloatResult::Value(v) => u128::from(v.to_bits()),
            FloatResult::Truth(t) => u128::from(t),
        }),
        Kind::Aggregate | Kind::Void | Kind::Unsupported(_) => Err(unsupported(left)),
    }
}

fn is_no_number(value: u128, kind: Kind) -> bool {
    match kind {
        Kind::F32 => f32_of(value).is_nan(),
        Kind::F64 => f64_of(value).is_nan(),
        Kind::Int { .. } | Kind::Aggregate | Kind::Void | Kind::Unsupported(_) => false,
    }
}

fn shift(op: BinaryOp, a: u128, bits: u32, signed: bool, b: u128, right: Kind) -> Result<u128, Fault> {
    let Kind::Int { bits: width, signed: amount_signed, .. } = right else {
        return Err(unsupported(right));
    };
    let amount = extend(b, width, amount_signed);
    if amount >= u128::from(bits) {
        return Err(Fault::Undefined(UndefinedKind::Shift));
    }
    let amount = amount as u32;
    Ok(match op {
        BinaryOp::ShiftLeft => truncate(a << amount, bits),
        _ if signed => truncate((sign_extend(a, bits) >> amount) as u128, bits),
        _ => a >> amount,
    })
}

fn signed_operation(op: BinaryOp, a: i128, b: i128, bits: u32) -> Result<u128, Fault> {
    let smallest = sign_extend(1u128 << (bits - 1), bits);
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Subtract => a.wrapping_sub(b),
        BinaryOp::Multiply => a.wrapping_mul(b),
        BinaryOp::Divide | BinaryOp::Remainder if b == 0 || (b == -1 && a == smallest) => {
            return Err(Fault::Undefined(UndefinedKind::Division));
        }
        BinaryOp::Divide => a / b,
        BinaryOp::Remainder => a % b,
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        _ => return Ok(u128::from(compare(op, &a, &b))),
    };
    Ok(truncate(value as u128, bits))
}

fn unsigned_operation(op: BinaryOp, a: u128, b: u128, bits: u32) -> Result<u128, Fault> {
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Subtract => a.wrapping_sub(b),
        BinaryOp::Multiply => a.wrapping_mul(b),
        BinaryOp::Divide | BinaryOp::Remainder if b == 0 => return Err(Fault::Undefined(UndefinedKind::Division)),
        BinaryOp::Divide => a / b,
        BinaryOp::Remainder => a % b,
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        _ => return Ok(u128::from(compare(op, &a, &b))),
    };
    Ok(truncate(value, bits))
}

/// A comparison; every other operator was handled before.
fn compare<T: PartialOrd>(op: BinaryOp, a: &T, b: &T) -> bool {
    match op {
        BinaryOp::Equal => a == b,
        BinaryOp::NotEqual => a != b,
        BinaryOp::Less => a < b,
        BinaryOp::LessEqual => a <= b,
        BinaryOp::Greater => a > b,
        _ => a >= b,
    }
}

enum FloatResult<T> {
    Value(T),
    Truth(bool),
}

fn float_operation<T>(op: BinaryOp, a: &T, b: &T) -> Result<FloatResult<T>, Fault>
where
    T: Copy
        + PartialOrd
        + std::ops::Add<Output = T>
        + std::ops::Sub<Output = T>
        + std::ops::Mul<Output = T>
        + std::ops::Div<Output = T>,
{
    Ok(match op {
        BinaryOp::Add => FloatResult::Value(*a + *b),
        BinaryOp::Subtract => FloatResult::Value(*a - *b),
        BinaryOp::Multiply => FloatResult::Value(*a * *b),
        BinaryOp::Divide => FloatResult::Value(*a / *b),
        _ if op.is_predicate() => FloatResult::Truth(compare(op, a, b)),
        _ => return Err(Fault::Unsupported("bit operation on a float".into())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Kind = Kind::Int { bits: 32, signed: true, boolean: false };
    const UCHAR: Kind = Kind::Int { bits: 8, signed: false, boolean: false };
    const BOOL: Kind = Kind::Int { bits: 8, signed: false, boolean: true };

    fn int(value: i32) -> u128 {
        truncate(value as u128, 32)
    }

    #[test]
    fn integers_wrap_and_trap_as_they_should() {
        assert_eq!(binary(BinaryOp::Add, int(i32::MAX), INT, 1, INT).unwrap(), int(i32::MIN));
        assert_eq!(binary(BinaryOp::Remainder, int(-7), INT, 3, INT).unwrap(), int(-1));
        assert_eq!(binary(BinaryOp::ShiftRight, int(-8), INT, 1, INT).unwrap(), int(-4));
        assert_eq!(binary(BinaryOp::Less, int(-1), INT, 0, INT).unwrap(), 1);
        assert!(matches!(binary(BinaryOp::Divide, 1, INT, 0, INT), Err(Fault::Undefined(UndefinedKind::Division))));
        assert!(binary(BinaryOp::Divide, int(i32::MIN), INT, int(-1), INT).is_err());
        assert!(binary(BinaryOp::ShiftLeft, 1, INT, 32, INT).is_err());
        assert!(binary(BinaryOp::ShiftLeft, 1, INT, int(-1), INT).is_err());
    }

    #[test]
    fn one_of_two_operands_that_are_no_numbers_is_the_result() {
        let (nan, other) = (u128::from(f64::NAN.to_bits()), u128::from((-f64::NAN).to_bits()));
        let of = |op, a, b| binary(op, a, Kind::F64, b, Kind::F64);
        assert_eq!(of(BinaryOp::Subtract, nan, nan).unwrap(), nan);
        assert!(of(BinaryOp::Add, nan, other).is_err());
        assert_eq!(of(BinaryOp::Less, nan, other).unwrap(), 0);
    }

    #[test]
    fn conversions_follow_c() {
        assert_eq!(convert(int(-1), INT, UCHAR).unwrap(), 255);
        assert_eq!(convert(int(256), INT, BOOL).unwrap(), 1);
        assert_eq!(convert(u128::from(0.5f64.to_bits()), Kind::F64, BOOL).unwrap(), 1);
        assert_eq!(convert(int(-3), INT, Kind::F32).unwrap(), u128::from((-3f32).to_bits()));
        assert_eq!(convert(u128::from((-3.9f64).to_bits()), Kind::F64, INT).unwrap(), int(-3));
        assert!(convert(u128::from(3e9f64.to_bits()), Kind::F64, INT).is_err());
        assert!(convert(u128::from(f64::NAN.to_bits()), Kind::F64, INT).is_err());
    }
}
