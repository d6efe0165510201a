//! Equality and order.
//!
//! Only `==` and strict orders exist as terms; the rest is their negation. A comparison with a
//! constant has the constant on the right, and a bound that leaves one value is an equality.

use super::fold::{self, mask, to_signed};
use super::{Op, Sort, TermId, TermStore};

/// How deep an equality with a constant is pushed into nested `ite`s.
const DEPTH: u32 = 8;

impl TermStore {
    /// Equality of two terms of one sort.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        let sort = self.sort(a);
        assert!(sort == self.sort(b), "ill-sorted: {sort} equals {}", self.sort(b));
        if a == b {
            return self.tt();
        }
        match sort {
            Sort::Bool => self.bool_eq(a, b),
            Sort::Array { .. } => self.intern_sorted(Op::Eq, Sort::Bool, a, b),
            Sort::BitVec(width) if width > 128 => self.intern_sorted(Op::Eq, Sort::Bool, a, b),
            Sort::BitVec(width) => self.bits_eq(width, a, b, DEPTH),
        }
    }

    /// Inequality.
    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// Unsigned less-than.
    pub fn ult(&mut self, a: TermId, b: TermId) -> TermId {
        self.less(Op::ULt, a, b)
    }

    /// Unsigned less-or-equal.
    pub fn ule(&mut self, a: TermId, b: TermId) -> TermId {
        let above = self.ult(b, a);
        self.not(above)
    }

    /// Signed less-than.
    pub fn slt(&mut self, a: TermId, b: TermId) -> TermId {
        self.less(Op::SLt, a, b)
    }

    /// Signed less-or-equal.
    pub fn sle(&mut self, a: TermId, b: TermId) -> TermId {
        let above = self.slt(b, a);
        self.not(above)
    }

    fn bits_eq(&mut self, width: u32, a: TermId, b: TermId, depth: u32) -> TermId {
        let linear_side = |op: Op| matches!(op, Op::Add | Op::Neg | Op::Mul);
        if linear_side(self.op(a)) || linear_side(self.op(b)) {
            let difference = self.linear(a).minus(&self.linear(b));
            match difference.terms.as_slice() {
                [] => return self.bool(difference.constant == 0),
                &[(term, coefficient)] if coefficient & 1 == 1 => {
                    let value = 0u128.wrapping_sub(difference.constant).wrapping_mul(fold::inverse(width, coefficient));
                    let value = self.bits(width, value);
                    return self.plain_eq(width, term, value, depth);
                }
                _ => {
                    let (left, right) = self.orient(difference);
                    return self.intern_sorted(Op::Eq, Sort::Bool, left, right);
                }
            }
        }
        self.plain_eq(width, a, b, depth)
    }

    /// The two sides of `linear == 0`: the youngest variable that occurs once alone on the left,
    /// or else positive coefficients left and negative ones right.
    fn orient(&mut self, mut linear: super::arith::Linear) -> (TermId, TermId) {
        let width = linear.width;
        let minus_one = mask(width);
        let alone = linear.terms.iter().rposition(|(term, coefficient)| {
            (*coefficient == 1 || *coefficient == minus_one) && self.as_variable(*term).is_some()
        });
        if let Some(at) = alone {
            let (variable, coefficient) = linear.terms.remove(at);
            if coefficient == 1 {
                linear.scale(minus_one);
            }
            return (variable, self.linear_term(&linear));
        }
        let negative = |coefficient: u128| to_signed(width, coefficient) < 0;
        if linear.terms.first().is_some_and(|(_, coefficient)| negative(*coefficient)) {
            linear.scale(minus_one);
        }
        let (left, right): (Vec<_>, Vec<_>) = linear.terms.iter().partition(|(_, coefficient)| !negative(*coefficient));
        let left = super::arith::Linear { width, terms: left, constant: 0 };
        let mut right = super::arith::Linear { width, terms: right, constant: linear.constant };
        right.scale(minus_one);
        (self.linear_term(&left), self.linear_term(&right))
    }

    /// Equality of two bit vectors that are not sums.
    fn plain_eq(&mut self, width: u32, a: TermId, b: TermId, depth: u32) -> TermId {
        if a == b {
            return self.tt();
        }
        match (self.as_bits(a), self.as_bits(b)) {
            (Some(left), Some(right)) => return self.bool(left == right),
            (Some(left), None) => return self.eq_constant(width, b, left, depth),
            (None, Some(right)) => return self.eq_constant(width, a, right, depth),
            (None, None) => {}
        }
        if let (Op::ZeroExtend, &[x], Op::ZeroExtend, &[y]) | (Op::SignExtend, &[x], Op::SignExtend, &[y]) =
            (self.op(a), self.args(a), self.op(b), self.args(b))
            && self.width(x) == self.width(y)
            && depth > 0
        {
            return self.bits_eq(self.width(x), x, y, depth - 1);
        }
        self.intern_sorted(Op::Eq, Sort::Bool, a, b)
    }

    fn eq_constant(&mut self, width: u32, term: TermId, value: u128, depth: u32) -> TermId {
        let target = self.bits(width, value);
        // Bounds the native stack: operators may nest without end.
        let Some(depth) = depth.checked_sub(1) else {
            return self.intern_sorted(Op::Eq, Sort::Bool, term, target);
        };
        match (self.op(term), self.args(term)) {
            (Op::Ite, &[condition, yes, no]) if self.as_bits(yes).is_some() || self.as_bits(no).is_some() => {
                let yes = self.bits_eq(width, yes, target, depth);
                let no = self.bits_eq(width, no, target, depth);
                self.ite(condition, yes, no)
            }
            (Op::ZeroExtend, &[inner]) => {
                let from = self.width(inner);
                if value > mask(from) {
                    return self.ff();
                }
                let target = self.bits(from, value);
                self.bits_eq(from, inner, target, depth)
            }
            (Op::SignExtend, &[inner]) => {
                let from = self.width(inner);
                if to_signed(from, value) as u128 & mask(width) != value {
                    return self.ff();
                }
                let target = self.bits(from, value);
                self.bits_eq(from, inner, target, depth)
            }
            (Op::BitNot, &[inner]) => {
                let target = self.bits(width, !value);
                self.bits_eq(width, inner, target, depth)
            }
            _ => self.intern_sorted(Op::Eq, Sort::Bool, term, target),
        }
    }

    /// A strict order.
    fn less(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        if a == b {
            return self.ff();
        }
        if width > 128 {
            return self.intern(op, Sort::Bool, &[a, b]);
        }
        let key = |value: u128| order_key(op, width, value);
        match (self.as_bits(a), self.as_bits(b)) {
            (Some(left), Some(right)) => return self.bool(key(left) < key(right)),
            (None, Some(bound)) => return self.below(op, width, a, bound),
            (Some(bound), None) => {
                // c < x is not (x < c + 1), unless there is nothing above c.
                if key(bound) == mask(width) {
                    return self.ff();
                }
                let below = self.below(op, width, b, bound.wrapping_add(1) & mask(width));
                return self.not(below);
            }
            (None, None) => {}
        }
        if let (Op::ZeroExtend, &[x], Op::ZeroExtend, &[y]) = (self.op(a), self.args(a), self.op(b), self.args(b))
            && self.width(x) == self.width(y)
        {
            return self.ult(x, y);
        }
        if let (Op::SignExtend, &[x], Op::SignExtend, &[y]) = (self.op(a), self.args(a), self.op(b), self.args(b))
            && self.width(x) == self.width(y)
        {
            return self.less(op, x, y);
        }
        self.intern(op, Sort::Bool, &[a, b])
    }

    /// `term < bound`.
    fn below(&mut self, op: Op, width: u32, term: TermId, bound: u128) -> TermId {
        let key = |value: u128| order_key(op, width, value);
        let rank = key(bound);
        if rank == 0 {
            return self.ff();
        }
        if let Some((condition, yes, no)) = self.as_constant_ite(term) {
            let yes = self.bool(key(yes) < rank);
            let no = self.bool(key(no) < rank);
            return self.ite(condition, yes, no);
        }
        if let Some(narrow) = self.narrow_below(op, width, term, bound) {
            return narrow;
        }
        if rank == 1 {
            let least = self.bits(width, bound.wrapping_sub(1));
            return self.eq(term, least);
        }
        let limit = self.bits(width, bound);
        if rank == mask(width) {
            return self.ne(term, limit);
        }
        self.intern(op, Sort::Bool, &[term, limit])
    }

    /// `extension < bound` as a comparison of what was extended.
    fn narrow_below(&mut self, op: Op, width: u32, term: TermId, bound: u128) -> Option<TermId> {
        let &[inner] = self.args(term) else { return None };
        let from = self.width_if_bits(inner)?;
        let signed_bound = to_signed(width, bound);
        match (self.op(term), op) {
            (Op::ZeroExtend, Op::ULt) if bound > mask(from) => Some(self.tt()),
            (Op::ZeroExtend, Op::SLt) if signed_bound <= 0 => Some(self.ff()),
            (Op::ZeroExtend, Op::SLt) if bound > mask(from) => Some(self.tt()),
            (Op::ZeroExtend, Op::ULt | Op::SLt) => {
                let bound = self.bits(from, bound);
                Some(self.ult(inner, bound))
            }
            (Op::SignExtend, Op::SLt) => {
                let largest = (mask(from) >> 1) as i128;
                if signed_bound > largest {
                    return Some(self.tt());
                }
                if signed_bound < -largest {
                    return Some(self.ff());
                }
                let bound = self.bits(from, bound);
                Some(self.slt(inner, bound))
            }
            _ => None,
        }
    }

    fn width_if_bits(&self, term: TermId) -> Option<u32> {
        match self.sort(term) {
            Sort::BitVec(width) => Some(width),
            Sort::Bool | Sort::Array { .. } => None,
        }
    }
}

/// Maps a value to its rank in the order, counted from the least value.
pub(super) fn order_key(op: Op, width: u32, value: u128) -> u128 {
    if op == Op::SLt { value ^ (1 << (width - 1)) } else { value }
}
