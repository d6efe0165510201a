//! Proposals of families that nobody gets unasked: one of a few values, fixed bits, a line, a sign.
//!
//! Like all proposals they are guesses from what runs show. Does not know programs.

use std::collections::BTreeSet;

/// Values of a variable that are told one by one.
const MOST_VALUES: usize = 4;
/// Points that a line has to pass before it is worth a question: any two are on one.
const LEAST_POINTS: usize = 3;
/// How steep a line is at most, and how far from zero it passes the axis.
const STEEPEST: i128 = 1_000;
const FARTHEST: i128 = 1_000_000;

/// A number as C has it.
pub(crate) fn literal(value: i128) -> String {
    if value < -(1 << 62) {
        format!("({} - 1)", value + 1)
    } else if value >= 1 << 63 {
        format!("{value}ull")
    } else {
        value.to_string()
    }
}

/// `x == 1 || x == 4`.
pub(crate) fn one_of(name: &str, values: &BTreeSet<i128>) -> Option<String> {
    if !(2..=MOST_VALUES).contains(&values.len()) {
        return None;
    }
    let all: Vec<String> = values.iter().map(|value| format!("{name} == {}", literal(*value))).collect();
    Some(all.join(" || "))
}

/// `(x & 6) == 4`: the bits, below the highest that is ever set, that are the same in all values.
pub(crate) fn fixed_bits(name: &str, values: &BTreeSet<i128>) -> Option<String> {
    let (least, most) = (*values.first()?, *values.last()?);
    if values.len() < 2 {
        return None;
    }
    // Above the highest bit zeros say no more than a bound; a negative number has ones there.
    let width = if least < 0 { 8 } else { 128 - most.leading_zeros() };
    let below = 1_i128.checked_shl(width).filter(|one| *one > 0)? - 1;
    let set = values.iter().fold(below, |bits, value| bits & value);
    let ever = values.iter().fold(0, |bits, value| bits | value);
    let fixed = below & !(set ^ ever);
    (fixed != 0).then(|| format!("({name} & {}) == {}", literal(fixed), literal(set)))
}

/// `y == 3 * x + 1`, of which `y` is the second.
pub(crate) fn line((first, second): (&str, &str), pairs: &BTreeSet<(i128, i128)>) -> Option<String> {
    let (a, b) = pairs.first()?;
    let (c, d) = pairs.last()?;
    let slope = (d - b).checked_div(c - a)?;
    let offset = b.checked_sub(slope.checked_mul(*a)?)?;
    // A distance that is always the same, or a constant, is said by other families.
    let is_plain = slope == 0 || slope == 1 || slope.abs() > STEEPEST || offset.abs() > FARTHEST;
    let passes = |(x, y): &(i128, i128)| slope.checked_mul(*x).and_then(|x| x.checked_add(offset)) == Some(*y);
    if is_plain || pairs.len() < LEAST_POINTS || !pairs.iter().all(passes) {
        return None;
    }
    let rest = match offset {
        0 => String::new(),
        1.. => format!(" + {offset}"),
        _ => format!(" - {}", -offset),
    };
    Some(format!("{second} == {slope} * {first}{rest}"))
}

/// `__builtin_signbit(x) == 0`: what tells `-0.0` from `0.0`. Of NaN the sign is nothing that C computes.
pub(crate) fn sign(name: &str, values: &[f64]) -> Option<String> {
    let first = values.first()?.is_sign_negative();
    let is_same = values.iter().all(|value| !value.is_nan() && value.is_sign_negative() == first);
    is_same.then(|| format!("__builtin_signbit({name}) {} 0", if first { "!=" } else { "==" }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;

    fn set<T: Ord>(values: impl IntoIterator<Item = T>) -> BTreeSet<T> {
        values.into_iter().collect()
    }

    #[test]
    fn few_values_are_told() {
        assert_eq!(one_of("x", &set([4, -1])).unwrap(), "x == -1 || x == 4");
        assert!(one_of("x", &set([1])).is_none() && one_of("x", &set(0..5)).is_none());
    }

    #[test]
    fn bits_that_never_change_are_told() {
        assert_eq!(fixed_bits("x", &set([4, 12, 44])).unwrap(), "(x & 23) == 4");
        assert_eq!(fixed_bits("x", &set([-4, 8])).unwrap(), "(x & 11) == 8");
        assert!(fixed_bits("x", &set([1, 2])).is_none() && fixed_bits("x", &set([5])).is_none());
    }

    #[test]
    fn lines_pass_all_points() {
        assert_eq!(line(("x", "y"), &set([(0, 1), (1, 4), (7, 22)])).unwrap(), "y == 3 * x + 1");
        assert_eq!(line(("x", "y"), &set([(-1, 2), (1, -2), (2, -4)])).unwrap(), "y == -2 * x");
        for pairs in
            [set([(0, 1), (1, 4)]), set([(0, 0), (1, 2), (2, 5)]), set([(0, 5), (1, 6), (2, 7)]), set([(1, 1), (1, 2), (1, 3)])]
        {
            assert!(line(("x", "y"), &pairs).is_none(), "{pairs:?}");
        }
    }

    #[test]
    fn signs_are_those_of_zeros_too() {
        assert_eq!(sign("x", &[0.0, 2.0]).unwrap(), "__builtin_signbit(x) == 0");
        assert_eq!(sign("x", &[-0.0, -2.0]).unwrap(), "__builtin_signbit(x) != 0");
        assert!(sign("x", &[0.0, -0.0]).is_none() && sign("x", &[f64::NAN]).is_none() && sign("x", &[]).is_none());
    }
}
