//! Floating-point operators on IEEE bit patterns of 32 and 64 bits.
//!
//! Rounding is to nearest, ties to even; conversion to an integer truncates. Constants fold with
//! the arithmetic of the machine, which is IEEE for both formats; which NaN results is left open,
//! so an operation that yields one is not folded.

#![expect(clippy::wildcard_enum_match_arm, reason = "an operator for something else is no float operator")]

use super::fold::{mask, to_signed};
use super::{Op, Sort, TermId, TermStore};

impl TermStore {
    /// Sum, difference, product or quotient of two floats: [`Op::FAdd`], [`Op::FSub`],
    /// [`Op::FMul`] or [`Op::FDiv`].
    pub fn float_arithmetic(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let width = self.float_width(a);
        self.same_width(a, b);
        if let (Some(left), Some(right)) = (self.as_bits(a), self.as_bits(b))
            && let Some(value) = arithmetic(op, width, left, right)
            && !is_nan(width, value)
        {
            return self.bits(width, value);
        }
        let sort = Sort::BitVec(width);
        if matches!(op, Op::FAdd | Op::FMul) { self.intern_sorted(op, sort, a, b) } else { self.intern(op, sort, &[a, b]) }
    }

    /// A comparison of two floats: [`Op::FEq`], [`Op::FLt`] or [`Op::FLe`].
    pub fn float_compare(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let width = self.float_width(a);
        self.same_width(a, b);
        if let (Some(left), Some(right)) = (self.as_bits(a), self.as_bits(b))
            && let Some(holds) = compare(op, width, left, right)
        {
            return self.bool(holds);
        }
        if op == Op::FLt && a == b {
            return self.ff();
        }
        if op == Op::FEq { self.intern_sorted(op, Sort::Bool, a, b) } else { self.intern(op, Sort::Bool, &[a, b]) }
    }

    /// A conversion from or to a float of the given result width: [`Op::FConvert`],
    /// [`Op::FFromSigned`], [`Op::FFromUnsigned`], [`Op::FToSigned`] or [`Op::FToUnsigned`].
    pub fn float_conversion(&mut self, op: Op, a: TermId, width: u32) -> TermId {
        let from = self.width(a);
        if op == Op::FConvert && from == width {
            return a;
        }
        if let Some(value) = self.as_bits(a)
            && let Some(result) = convert(op, from, value, width)
            && !(op == Op::FConvert && is_nan(width, result))
        {
            return self.bits(width, result);
        }
        self.intern(op, Sort::BitVec(width), &[a])
    }

    fn float_width(&self, a: TermId) -> u32 {
        let width = self.width(a);
        assert!(width == 32 || width == 64, "ill-sorted: no float has {width} bits");
        width
    }
}

/// Exponent and significand width (with the hidden bit) of the float of a width.
pub(crate) fn format(width: u32) -> (u32, u32) {
    if width == 32 { (8, 24) } else { (11, 53) }
}

fn is_nan(width: u32, bits: u128) -> bool {
    if width == 32 { f32::from_bits(bits as u32).is_nan() } else { f64::from_bits(bits as u64).is_nan() }
}

/// `None` for another operator or format.
pub(super) fn arithmetic(op: Op, width: u32, a: u128, b: u128) -> Option<u128> {
    macro_rules! apply {
        ($float:ty, $bits:ty) => {{
            let (a, b) = (<$float>::from_bits(a as $bits), <$float>::from_bits(b as $bits));
            let value = match op {
                Op::FAdd => a + b,
                Op::FSub => a - b,
                Op::FMul => a * b,
                Op::FDiv => a / b,
                _ => return None,
            };
            Some(u128::from(value.to_bits()))
        }};
    }
    match width {
        32 => apply!(f32, u32),
        64 => apply!(f64, u64),
        _ => None,
    }
}

/// `None` for another operator or format.
pub(super) fn compare(op: Op, width: u32, a: u128, b: u128) -> Option<bool> {
    // Widening to double is exact.
    let double = |bits: u128| match width {
        32 => Some(f64::from(f32::from_bits(bits as u32))),
        64 => Some(f64::from_bits(bits as u64)),
        _ => None,
    };
    let (a, b) = (double(a)?, double(b)?);
    match op {
        Op::FEq => Some(a == b),
        Op::FLt => Some(a < b),
        Op::FLe => Some(a <= b),
        _ => None,
    }
}

/// `None` for another operator or format, and for a float that does not fit the integer.
pub(super) fn convert(op: Op, from: u32, value: u128, to: u32) -> Option<u128> {
    let pattern = |single: f32, double: f64| match to {
        32 => Some(u128::from(single.to_bits())),
        64 => Some(u128::from(double.to_bits())),
        _ => None,
    };
    if op == Op::FFromSigned {
        let number = to_signed(from, value);
        return pattern(number as f32, number as f64);
    }
    if op == Op::FFromUnsigned {
        return pattern(value as f32, value as f64);
    }
    let float = match from {
        32 => f64::from(f32::from_bits(value as u32)),
        64 => f64::from_bits(value as u64),
        _ => return None,
    };
    if op == Op::FConvert {
        return pattern(float as f32, float);
    }
    let number = float.trunc();
    if !number.is_finite() || number.abs() > 1e38 || to > 126 {
        return None;
    }
    let number = number as i128;
    let fits = match op {
        Op::FToSigned => to_signed(to, number as u128 & mask(to)) == number,
        Op::FToUnsigned => number >= 0 && number as u128 <= mask(to),
        _ => false,
    };
    fits.then_some(number as u128 & mask(to))
}
