//! Arithmetic on bit vectors, normalised as linear combinations.
//!
//! Sums are kept as constant coefficients times terms, ordered by age, the constant last, so that
//! `x + 1 - 1`, `2 * x - x` and `x << 0` are all `x`.

use super::fold::{self, mask, to_signed};
use super::{Op, Sort, TermId, TermStore};

/// Longer sums are not flattened.
const LONGEST: usize = 16;

/// A sum of coefficient times term plus a constant, modulo 2 to the width.
/// Invariant: terms ascend, no coefficient is zero.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    pub(super) width: u32,
    pub(super) terms: Vec<(TermId, u128)>,
    pub(super) constant: u128,
}

impl Linear {
    pub(super) fn scale(&mut self, factor: u128) {
        let mask = mask(self.width);
        for (_, coefficient) in &mut self.terms {
            *coefficient = coefficient.wrapping_mul(factor) & mask;
        }
        self.terms.retain(|(_, coefficient)| *coefficient != 0);
        self.constant = self.constant.wrapping_mul(factor) & mask;
    }

    pub(super) fn plus(&self, other: &Linear) -> Linear {
        let mask = mask(self.width);
        let mut terms: Vec<(TermId, u128)> = Vec::with_capacity(self.terms.len() + other.terms.len());
        terms.extend(&self.terms);
        terms.extend(&other.terms);
        terms.sort_by_key(|(term, _)| *term);
        let mut merged: Vec<(TermId, u128)> = Vec::with_capacity(terms.len());
        for (term, coefficient) in terms {
            match merged.last_mut() {
                Some((last, sum)) if *last == term => *sum = sum.wrapping_add(coefficient) & mask,
                _ => merged.push((term, coefficient)),
            }
        }
        merged.retain(|(_, coefficient)| *coefficient != 0);
        let constant = self.constant.wrapping_add(other.constant) & mask;
        Linear { width: self.width, terms: merged, constant }
    }

    /// Every part divided by a number that divides all of them.
    fn divided(mut self, by: u128) -> Option<Linear> {
        if by == 0 || !self.constant.is_multiple_of(by) || self.terms.iter().any(|(_, factor)| !factor.is_multiple_of(by)) {
            return None;
        }
        self.constant /= by;
        self.terms.iter_mut().for_each(|(_, factor)| *factor /= by);
        Some(self)
    }

    pub(super) fn minus(&self, other: &Linear) -> Linear {
        let mut negative = other.clone();
        negative.scale(u128::MAX);
        self.plus(&negative)
    }
}

impl TermStore {
    /// What to put in place of `variable` so that `sum` becomes `value`, as far as widths allow: a variable that the sum has
    /// extended gets the lower bits, and what is divided is divided term by term. `None` unless the sum has the variable once,
    /// with the factor 1 or -1.
    pub fn solve(&mut self, sum: TermId, variable: TermId, value: TermId) -> Option<TermId> {
        if let (Op::Extract { low: 0 }, &[inner]) = (self.op(sum), self.args(sum)) {
            let wide = self.sign_extend(value, self.width(inner));
            return self.solve(inner, variable, wide);
        }
        let width = self.width(sum);
        if width > 128 {
            return None;
        }
        let is_it = |store: &TermStore, term: TermId| {
            let extended = matches!(store.op(term), Op::SignExtend | Op::ZeroExtend) && store.args(term) == [variable];
            term == variable || extended
        };
        let mut rest = match (self.op(sum), self.args(sum)) {
            (Op::UDiv, &[inner, by]) => self.linear(inner).divided(self.as_bits(by)?)?,
            _ => self.linear(sum),
        };
        let at = rest.terms.iter().position(|(term, _)| is_it(self, *term))?;
        let (_, factor) = rest.terms.remove(at);
        let others: Vec<TermId> = rest.terms.iter().map(|(term, _)| *term).collect();
        if self.variables_of(&others).contains(&variable) || (factor != 1 && factor != mask(width)) {
            return None;
        }
        let rest = self.linear_term(&rest);
        let wide = if factor == 1 { self.sub(value, rest) } else { self.sub(rest, value) };
        Some(self.extract(wide, self.width(variable) - 1, 0))
    }

    /// A term, a factor and an offset of which a sum consists: `factor * term + offset`, modulo 2 to the width; `None` of a sum
    /// of more terms.
    #[must_use]
    pub fn stride(&self, sum: TermId) -> Option<(TermId, u128, u128)> {
        if self.width(sum) > 128 {
            return None;
        }
        let linear = self.linear(sum);
        match linear.terms.as_slice() {
            [(term, factor)] => Some((*term, *factor, linear.constant)),
            _ => None,
        }
    }

    /// `a + b`.
    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if width <= 128 {
            let sum = self.linear(a).plus(&self.linear(b));
            if sum.terms.len() <= LONGEST {
                return self.linear_term(&sum);
            }
        }
        self.intern_sorted(Op::Add, Sort::BitVec(width), a, b)
    }

    /// `a - b`.
    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        let negative = self.neg(b);
        self.add(a, negative)
    }

    /// `- a`.
    pub fn neg(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        if width > 128 {
            return self.intern(Op::Neg, Sort::BitVec(width), &[a]);
        }
        self.scaled(a, u128::MAX)
    }

    /// `a * b`. Of factors that are a number times a term plus a number, the terms are multiplied and the rest is a sum, so that
    /// `(x - 1) * (x + 1)` and `x * x - 1` are the same; there are no more products than before.
    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if let Some(factor) = self.as_bits(a) {
            return self.scaled(b, factor);
        }
        if let Some(factor) = self.as_bits(b) {
            return self.scaled(a, factor);
        }
        if width <= 128 {
            let (left, right) = (self.linear(a), self.linear(b));
            if let ([(x, p)], [(y, q)]) = (left.terms.as_slice(), right.terms.as_slice())
                && (*x, *y) != (a, b)
            {
                let product = self.mul(*x, *y);
                let mut whole = self.linear(product);
                whole.scale(p.wrapping_mul(*q));
                let (mut by_x, mut by_y) = (self.linear(*x), self.linear(*y));
                by_x.scale(p.wrapping_mul(right.constant));
                by_y.scale(q.wrapping_mul(left.constant));
                let mut sum = whole.plus(&by_x).plus(&by_y);
                sum.constant = sum.constant.wrapping_add(left.constant.wrapping_mul(right.constant)) & mask(width);
                return self.linear_term(&sum);
            }
        }
        self.intern_sorted(Op::Mul, Sort::BitVec(width), a, b)
    }

    /// A term times a constant.
    pub(super) fn scaled(&mut self, term: TermId, factor: u128) -> TermId {
        let mut linear = self.linear(term);
        linear.scale(factor);
        self.linear_term(&linear)
    }

    /// Unsigned quotient.
    pub fn udiv(&mut self, a: TermId, b: TermId) -> TermId {
        if self.as_bits(b) == Some(1) {
            self.same_width(a, b);
            return a;
        }
        self.folded(Op::UDiv, a, b)
    }

    /// Signed quotient.
    pub fn sdiv(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        // With a width of one bit, 1 reads as -1.
        if self.as_bits(b) == Some(1) && width > 1 {
            return a;
        }
        self.folded(Op::SDiv, a, b)
    }

    /// Unsigned remainder.
    pub fn urem(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if self.as_bits(b) == Some(1) {
            return self.bits(width, 0);
        }
        self.folded(Op::URem, a, b)
    }

    /// Signed remainder.
    pub fn srem(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if self.as_bits(b) == Some(1) {
            return self.bits(width, 0);
        }
        self.folded(Op::SRem, a, b)
    }

    /// Quotient and remainder by a constant of a term that is known to be no more than the largest
    /// signed number. Where the coefficients of a sum allow it the quotient is a sum again, the
    /// right one if no part of the sum overflows.
    pub fn divide(&mut self, term: TermId, divisor: u128) -> (TermId, TermId) {
        let width = self.width(term);
        let by = self.bits(width, divisor);
        if width <= 128 && divisor > 0 && divisor < 1 << (width - 1).min(100) {
            let linear = self.linear(term);
            let step = divisor as i128;
            let quotient = |coefficient| to_signed(width, coefficient).div_euclid(step) as u128;
            let rest = |coefficient| to_signed(width, coefficient).rem_euclid(step) as u128;
            if linear.terms.iter().all(|(_, coefficient)| rest(*coefficient) == 0) {
                let terms = linear.terms.iter().map(|(part, c)| (*part, quotient(*c) & mask(width)));
                let whole = Linear { width, terms: terms.collect(), constant: quotient(linear.constant) & mask(width) };
                return (self.linear_term(&whole), self.bits(width, rest(linear.constant)));
            }
        }
        (self.udiv(term, by), self.urem(term, by))
    }

    /// A binary operator, folded when both arguments are constants and pushed into an `ite` of
    /// constants when the other is constant.
    pub(super) fn folded(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        match (self.as_bits(a), self.as_bits(b)) {
            (Some(left), Some(right)) => {
                if let Some(value) = fold::binary(op, width, left, right) {
                    return self.bits(width, value);
                }
            }
            (Some(left), None) => {
                if let Some((condition, yes, no)) = self.as_constant_ite(b) {
                    let (yes, no) = (fold::binary(op, width, left, yes), fold::binary(op, width, left, no));
                    if let (Some(yes), Some(no)) = (yes, no) {
                        return self.constant_ite(condition, width, yes, no);
                    }
                }
            }
            (None, Some(right)) => {
                if let Some((condition, yes, no)) = self.as_constant_ite(a) {
                    let (yes, no) = (fold::binary(op, width, yes, right), fold::binary(op, width, no, right));
                    if let (Some(yes), Some(no)) = (yes, no) {
                        return self.constant_ite(condition, width, yes, no);
                    }
                }
            }
            (None, None) => {}
        }
        if matches!(op, Op::BitAnd | Op::BitOr | Op::BitXor) {
            self.intern_sorted(op, Sort::BitVec(width), a, b)
        } else {
            self.intern(op, Sort::BitVec(width), &[a, b])
        }
    }

    /// An `ite` of two constants.
    pub(super) fn constant_ite(&mut self, condition: TermId, width: u32, yes: u128, no: u128) -> TermId {
        let yes = self.bits(width, yes);
        let no = self.bits(width, no);
        self.ite(condition, yes, no)
    }

    /// A term of at most 128 bits as a linear combination.
    pub(super) fn linear(&self, term: TermId) -> Linear {
        let mut linear = Linear { width: self.width(term), terms: Vec::new(), constant: 0 };
        let parts = if self.op(term) == Op::Add { self.args(term) } else { &[term][..] };
        for &part in parts {
            match (self.op(part), self.args(part)) {
                (Op::Bits(value), _) => linear.constant = value,
                (Op::Neg, &[inner]) => linear.terms.push((inner, mask(linear.width))),
                (Op::Mul, &[factor, inner]) if self.as_bits(factor).is_some() => {
                    linear.terms.push((inner, self.as_bits(factor).unwrap_or(1)));
                }
                _ => linear.terms.push((part, 1)),
            }
        }
        linear.terms.sort_by_key(|(term, _)| *term);
        linear
    }

    /// The term of a linear combination.
    pub(super) fn linear_term(&mut self, linear: &Linear) -> TermId {
        let width = linear.width;
        let sort = Sort::BitVec(width);
        if let &[(term, coefficient)] = linear.terms.as_slice()
            && let Some((condition, yes, no)) = self.as_constant_ite(term)
        {
            let value = |branch: u128| branch.wrapping_mul(coefficient).wrapping_add(linear.constant) & mask(width);
            return self.constant_ite(condition, width, value(yes), value(no));
        }
        let mut parts = Vec::with_capacity(linear.terms.len() + 1);
        for &(term, coefficient) in &linear.terms {
            let part = if coefficient == 1 {
                term
            } else if coefficient == mask(width) {
                self.intern(Op::Neg, sort, &[term])
            } else {
                let factor = self.bits(width, coefficient);
                self.intern(Op::Mul, sort, &[factor, term])
            };
            parts.push(part);
        }
        if linear.constant != 0 || parts.is_empty() {
            parts.push(self.bits(width, linear.constant));
        }
        match parts.as_slice() {
            &[only] => only,
            several => self.intern(Op::Add, sort, several),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::{Assignment, Value};

    #[test]
    fn products_of_sums_of_one_term_are_sums_of_one_product() {
        let mut store = TermStore::new();
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::BitVec(32)));
        let number = |store: &mut TermStore, value: u128| store.bits(32, value);
        let (one, three) = (number(&mut store, 1), number(&mut store, 3));
        let (below, above) = (store.sub(x, one), store.add(x, one));
        let (product, square) = (store.mul(below, above), store.mul(x, x));
        assert_eq!(store.sub(square, one), product);
        // (3 - x) * (3 * y + 1), modulo 2^32.
        let (turned, scaled) = (store.sub(three, x), store.mul(three, y));
        let scaled = store.add(scaled, one);
        let product = store.mul(turned, scaled);
        for (a, b) in [(0u32, 0u32), (5, 7), (0x8000_0000, 3), (u32::MAX, u32::MAX), (123_456_789, 987_654_321)] {
            let mut values = Assignment::new();
            values.set(x, Value::Bits { width: 32, value: u128::from(a) });
            values.set(y, Value::Bits { width: 32, value: u128::from(b) });
            let wanted = 3u32.wrapping_sub(a).wrapping_mul(b.wrapping_mul(3).wrapping_add(1));
            assert_eq!(store.eval(product, &values).unwrap().as_bits(), Some(u128::from(wanted)), "{a} {b}");
        }
        // A sum of two terms is no such factor.
        let both = store.add(x, y);
        let product = store.mul(both, both);
        assert_eq!(store.op(product), Op::Mul);
    }

    #[test]
    fn solving_gives_the_value_that_makes_a_sum_what_it_should_be() {
        let mut store = TermStore::new();
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::BitVec(32)));
        let wide = |store: &mut TermStore, term| store.sign_extend(term, 64);
        let (n, three, four) = (store.variable("n", Sort::BitVec(32)), store.bits(32, 3), store.bits(64, 4));
        let low = |store: &mut TermStore, term| store.extract(term, 31, 0);
        let plain = store.add(x, three);
        let turned = store.sub(y, x);
        let (wide_x, wide_y) = (wide(&mut store, x), wide(&mut store, y));
        let both = store.add(wide_x, wide_y);
        let extended = low(&mut store, both);
        let bytes = store.mul(four, both);
        let elements = store.udiv(bytes, four);
        let divided = low(&mut store, elements);
        for sum in [plain, turned, extended, divided] {
            let instead = store.solve(sum, x, n).unwrap();
            let said = store.substitute(sum, &[(x, instead)]);
            for (here, there) in [(0, 0), (7, 3), (1000, 5), (2, 90_000)] {
                let mut values = Assignment::new();
                values.set(n, Value::Bits { width: 32, value: here });
                values.set(y, Value::Bits { width: 32, value: there });
                assert_eq!(store.eval(said, &values).unwrap().as_bits(), Some(here), "{} at {here}", store.print(sum));
            }
        }
        let (twice, product) = (store.add(x, x), store.mul(x, y));
        let more = store.add(x, product);
        assert!([twice, product, more, n].into_iter().all(|sum| store.solve(sum, x, n).is_none()));
    }
}
