//! Abstract values of terms: ranges of floats and of bit vectors, and three truth values.
//!
//! Rounding to nearest is monotone, so the result of an operator on ranges is bounded by its
//! rounded results on their ends: no outward rounding is needed and the bounds are tight.

#![expect(clippy::wildcard_enum_match_arm, reason = "callers pass only the operators named")]

use crate::terms::{Op, mask, to_signed};

/// A set of floats: those between two ends, and perhaps NaN. Both zeros count as one number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Floats {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) nan: bool,
}

/// A set of values of a term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Range {
    /// A truth value, if it is known.
    Bool(Option<bool>),
    /// A bit vector in both readings; `None` where nothing is known.
    Bits {
        /// Unsigned ends.
        bits: Option<(u128, u128)>,
        /// As a float.
        float: Option<Floats>,
    },
}

pub(super) const ANY: Range = Range::Bits { bits: None, float: None };

impl Floats {
    pub(super) const ALL: Floats = Floats { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true };

    pub(super) fn point(value: f64) -> Floats {
        if value.is_nan() {
            Floats { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: true }
        } else {
            Floats { low: value, high: value, nan: false }
        }
    }

    pub(super) fn has_numbers(self) -> bool {
        self.low <= self.high
    }

    fn is_finite(self) -> bool {
        self.has_numbers() && self.low.is_finite() && self.high.is_finite()
    }

    fn negated(self) -> Floats {
        Floats { low: -self.high, high: -self.low, nan: self.nan }
    }

    fn union(self, other: Floats) -> Floats {
        Floats { low: self.low.min(other.low), high: self.high.max(other.high), nan: self.nan || other.nan }
    }
}

impl Range {
    /// Exactly this bit vector.
    pub(super) fn constant(width: u32, value: u128) -> Range {
        Range::Bits { bits: Some((value, value)), float: read(width, value).map(Floats::point) }
    }

    /// These floats, of a width. A single one has known bits, but for zeros and NaN.
    pub(super) fn floats(width: u32, floats: Floats) -> Range {
        let single = floats.low == floats.high && !floats.nan && floats.low != 0.0;
        let bits = single.then(|| write(width, floats.low)).map(|bits| (bits, bits));
        Range::Bits { bits, float: Some(floats) }
    }

    /// These bit vectors.
    pub(super) fn between(width: u32, low: u128, high: u128) -> Range {
        if low == high { Range::constant(width, low) } else { Range::Bits { bits: Some((low, high)), float: None } }
    }

    pub(super) fn truth(self) -> Option<bool> {
        if let Range::Bool(truth) = self { truth } else { None }
    }

    pub(super) fn bits(self) -> Option<(u128, u128)> {
        if let Range::Bits { bits, .. } = self { bits } else { None }
    }

    /// The one bit vector it is.
    pub(super) fn single(self) -> Option<u128> {
        self.bits().filter(|(low, high)| low == high).map(|(low, _)| low)
    }

    pub(super) fn float(self) -> Floats {
        if let Range::Bits { float: Some(float), .. } = self { float } else { Floats::ALL }
    }

    pub(super) fn union(self, other: Range) -> Range {
        match (self, other) {
            (Range::Bool(a), Range::Bool(b)) => Range::Bool(if a == b { a } else { None }),
            (Range::Bits { bits: a, float: f }, Range::Bits { bits: b, float: g }) => Range::Bits {
                bits: a.zip(b).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))),
                float: f.zip(g).map(|(f, g)| f.union(g)),
            },
            _ => ANY,
        }
    }

    /// Whether two values are equal as bit vectors.
    pub(super) fn equal(self, other: Range) -> Option<bool> {
        if let (Range::Bool(a), Range::Bool(b)) = (self, other) {
            return a.zip(b).map(|(a, b)| a == b);
        }
        if let (Some(a), Some(b)) = (self.bits(), other.bits()) {
            if a.0 > b.1 || b.0 > a.1 {
                return Some(false);
            }
            if a.0 == a.1 && b.0 == b.1 {
                return Some(true);
            }
        }
        let (f, g) = (self.float(), other.float());
        let apart = f.low > g.high || g.low > f.high;
        (apart && !(f.nan && g.nan)).then_some(false)
    }
}

/// The float of a bit pattern.
pub(super) fn read(width: u32, bits: u128) -> Option<f64> {
    match width {
        32 => Some(f64::from(f32::from_bits(bits as u32))),
        64 => Some(f64::from_bits(bits as u64)),
        _ => None,
    }
}

/// The bit pattern of a float, rounded to the width.
pub(super) fn write(width: u32, value: f64) -> u128 {
    if width == 32 { u128::from((value as f32).to_bits()) } else { u128::from(value.to_bits()) }
}

/// Sum, difference, product or quotient. `same`: both operands are one term.
pub(super) fn arithmetic(op: Op, width: u32, a: Floats, b: Floats, same: Same) -> Floats {
    let nan = a.nan || b.nan;
    if !a.has_numbers() || !b.has_numbers() {
        return Floats { nan: true, ..Floats::point(f64::NAN) };
    }
    let through_zero = op == Op::FDiv && b.low <= 0.0 && b.high >= 0.0;
    if !a.is_finite() || !b.is_finite() || through_zero {
        return Floats::ALL;
    }
    let apply = |x: f64, y: f64| match (op, width) {
        (Op::FAdd, 32) => f64::from(x as f32 + y as f32),
        (Op::FSub, 32) => f64::from(x as f32 - y as f32),
        (Op::FMul, 32) => f64::from(x as f32 * y as f32),
        (Op::FDiv, 32) => f64::from(x as f32 / y as f32),
        (Op::FAdd, _) => x + y,
        (Op::FSub, _) => x - y,
        (Op::FMul, _) => x * y,
        _ => x / y,
    };
    let ends = match (op, same) {
        (Op::FAdd, _) => [apply(a.low, b.low), apply(a.high, b.high)].to_vec(),
        (Op::FSub, Same::Yes) => vec![0.0],
        (Op::FSub, Same::No) => [apply(a.low, b.high), apply(a.high, b.low)].to_vec(),
        (Op::FDiv, Same::Yes) => vec![1.0],
        (Op::FMul, Same::Yes) => {
            let mut ends = [apply(a.low, a.low), apply(a.high, a.high)].to_vec();
            if a.low <= 0.0 && a.high >= 0.0 {
                ends.push(0.0);
            }
            ends
        }
        _ => {
            let pairs = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
            pairs.into_iter().map(|(x, y)| apply(x, y)).collect()
        }
    };
    let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Floats { low, high, nan }
}

/// Whether both operands of an operator are the same term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Same {
    /// They are.
    Yes,
    /// They may differ.
    No,
}

/// A comparison of floats.
pub(super) fn compare(op: Op, a: Floats, b: Floats) -> Option<bool> {
    let numbers = a.has_numbers() && b.has_numbers();
    let (never, always) = match op {
        Op::FLt => (a.low >= b.high, a.high < b.low),
        Op::FLe => (a.low > b.high, a.high <= b.low),
        _ => {
            let single = a.low == a.high && b.low == b.high && a.low == b.low;
            (a.low > b.high || b.low > a.high, single)
        }
    };
    if !numbers || never {
        return Some(false);
    }
    (always && !a.nan && !b.nan).then_some(true)
}

/// A conversion.
pub(super) fn convert(op: Op, from: u32, value: Range, to: u32) -> Range {
    let rounded = |value: f64| if to == 32 { f64::from(value as f32) } else { value };
    match op {
        Op::FConvert => {
            let float = value.float();
            let (low, high) = (rounded(float.low), rounded(float.high));
            Range::floats(to, Floats { low, high, nan: float.nan })
        }
        Op::FFromUnsigned | Op::FFromSigned => {
            let Some((low, high)) = value.bits() else { return Range::floats(to, numbers(to)) };
            let number = |bits: u128| match (op, to) {
                (Op::FFromSigned, 32) => f64::from(to_signed(from, bits) as f32),
                (Op::FFromSigned, _) => to_signed(from, bits) as f64,
                (_, 32) => f64::from(bits as f32),
                (_, _) => bits as f64,
            };
            let sign = |bits: u128| bits >> (from - 1) & 1;
            if op == Op::FFromSigned && sign(low) != sign(high) {
                return Range::floats(to, numbers(to));
            }
            Range::floats(to, Floats { low: number(low), high: number(high), nan: false })
        }
        _ => truncated(op, value.float(), to),
    }
}

/// Any number of a width.
fn numbers(width: u32) -> Floats {
    let largest = if width == 32 { f64::from(f32::MAX) } else { f64::MAX };
    Floats { low: -largest, high: largest, nan: false }
}

/// A float cut to an integer, where it fits for certain.
fn truncated(op: Op, float: Floats, to: u32) -> Range {
    let limit = 2f64.powi(to.min(120) as i32 - 1);
    let fits = match op {
        Op::FToSigned => float.low > -limit && float.high < limit,
        _ => float.low > -1.0 && float.high < limit,
    };
    if float.nan || !float.has_numbers() || !fits {
        return ANY;
    }
    let (low, high) = (float.low.trunc() as i128, float.high.trunc() as i128);
    // Ends of different sign are no range of the unsigned reading.
    if (low < 0) != (high < 0) {
        return ANY;
    }
    Range::between(to, low as u128 & mask(to), high as u128 & mask(to))
}

/// A strict order of bit vectors.
pub(super) fn less(op: Op, width: u32, a: Range, b: Range) -> Option<bool> {
    let (mut a, mut b) = (a.bits()?, b.bits()?);
    if op == Op::SLt {
        let half = 1u128 << (width - 1);
        let one_sign = |(low, high): (u128, u128)| (low ^ high) & half == 0;
        if !one_sign(a) || !one_sign(b) {
            return None;
        }
        a = (a.0 ^ half, a.1 ^ half);
        b = (b.0 ^ half, b.1 ^ half);
    }
    if a.1 < b.0 {
        return Some(true);
    }
    (a.0 >= b.1).then_some(false)
}

/// A float with its sign turned: exclusive or with the sign bit.
pub(super) fn negated(width: u32, value: Range) -> Range {
    let sign = 1u128 << (width - 1);
    let bits = value.single().map(|bits| (bits ^ sign, bits ^ sign));
    Range::Bits { bits, float: Some(value.float().negated()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers that a range has an interest in: ends of formats, small ones, any.
    fn number() -> impl Strategy<Value = f64> {
        let special =
            [0.0, -0.0, 1.0, -1.0, f64::MIN_POSITIVE, f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY, 0.1, 1e-300];
        prop_oneof![prop::sample::select(special.to_vec()), -4.0..4.0f64, any::<f64>().prop_filter("a number", |x| !x.is_nan())]
    }

    /// A range with one of its members.
    fn member() -> impl Strategy<Value = (Floats, f64)> {
        (number(), number(), number()).prop_map(|(a, b, c)| {
            let mut all = [a, b, c];
            all.sort_by(f64::total_cmp);
            (Floats { low: all[0], high: all[2], nan: false }, all[1])
        })
    }

    fn has(floats: Floats, value: f64) -> bool {
        if value.is_nan() { floats.nan } else { floats.low <= value && value <= floats.high }
    }

    proptest! {
        #[test]
        fn results_lie_in_the_result((a, x) in member(), (b, y) in member()) {
            let all = [(Op::FAdd, x + y), (Op::FSub, x - y), (Op::FMul, x * y), (Op::FDiv, x / y)];
            for (op, result) in all {
                let range = arithmetic(op, 64, a, b, Same::No);
                prop_assert!(has(range, result), "{op:?} {x} {y} is {result}, not in {range:?}");
            }
            prop_assert!(has(a.negated(), -x));
            prop_assert!(has(a.union(b), x) && has(a.union(b), y));
            for (op, truth) in [(Op::FEq, x == y), (Op::FLt, x < y), (Op::FLe, x <= y)] {
                prop_assert!(compare(op, a, b).is_none_or(|known| known == truth), "{op:?} {x} {y}");
            }
        }

        #[test]
        fn bit_vectors_lie_in_their_ranges(a in any::<[u8; 3]>(), b in any::<[u8; 3]>()) {
            let range = |mut ends: [u8; 3]| {
                ends.sort_unstable();
                (Range::between(8, ends[0].into(), ends[2].into()), ends[1])
            };
            let ((r, x), (s, y)) = (range(a), range(b));
            let inside = |range: Range, value: u8| range.bits().is_none_or(|(low, high)| (low..=high).contains(&value.into()));
            prop_assert!(inside(r.union(s), x) && inside(r.union(s), y));
            prop_assert!(r.equal(s).is_none_or(|known| known == (x == y)));
            prop_assert!(less(Op::ULt, 8, r, s).is_none_or(|known| known == (x < y)));
            prop_assert!(less(Op::SLt, 8, r, s).is_none_or(|known| known == (x.cast_signed() < y.cast_signed())));
            let single = Range::constant(8, x.into());
            prop_assert!(single.single() == Some(x.into()));
            for range in [r, single] {
                prop_assert!(inside(negated(8, range), x ^ 0x80), "the sign bit is turned, the rest stays");
            }
        }
    }
}
