//! Bitwise operators, shifts, and the operators that change a width.

use super::fold::{mask, to_signed};
use super::{Op, Sort, TermId, TermStore};

impl TermStore {
    /// Bitwise complement.
    pub fn bit_not(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        if let Some(value) = self.as_bits(a) {
            return self.bits(width, !value);
        }
        if let Some((condition, yes, no)) = self.as_constant_ite(a) {
            return self.constant_ite(condition, width, !yes, !no);
        }
        match (self.op(a), self.args(a)) {
            (Op::BitNot, &[inner]) => inner,
            _ => self.intern(Op::BitNot, Sort::BitVec(width), &[a]),
        }
    }

    /// Bitwise and.
    pub fn bit_and(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        let (a, b) = self.constant_last(a, b);
        match self.as_bits(b) {
            Some(0) => return b,
            Some(value) if width <= 128 && value == mask(width) => return a,
            _ if a == b => return a,
            _ => {}
        }
        self.folded(Op::BitAnd, a, b)
    }

    /// Bitwise or.
    pub fn bit_or(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        let (a, b) = self.constant_last(a, b);
        match self.as_bits(b) {
            Some(0) => return a,
            Some(value) if width <= 128 && value == mask(width) => return b,
            _ if a == b => return a,
            _ => {}
        }
        self.folded(Op::BitOr, a, b)
    }

    /// Bitwise exclusive or.
    pub fn bit_xor(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.same_width(a, b);
        let (a, b) = self.constant_last(a, b);
        match self.as_bits(b) {
            Some(0) => return a,
            Some(value) if width <= 128 && value == mask(width) => return self.bit_not(a),
            _ if a == b => return self.bits(width, 0),
            _ => {}
        }
        self.folded(Op::BitXor, a, b)
    }

    /// Left shift by an amount of the same width.
    pub fn shl(&mut self, a: TermId, amount: TermId) -> TermId {
        let width = self.same_width(a, amount);
        match self.as_bits(amount) {
            Some(0) => a,
            Some(bits) if bits >= u128::from(width) => self.bits(width, 0),
            Some(bits) if width <= 128 => self.scaled(a, 1 << bits),
            _ => self.folded(Op::Shl, a, amount),
        }
    }

    /// Logical right shift.
    pub fn lshr(&mut self, a: TermId, amount: TermId) -> TermId {
        let width = self.same_width(a, amount);
        match self.as_bits(amount) {
            Some(0) => a,
            Some(bits) if bits >= u128::from(width) => self.bits(width, 0),
            _ => self.folded(Op::LShr, a, amount),
        }
    }

    /// Arithmetic right shift.
    pub fn ashr(&mut self, a: TermId, amount: TermId) -> TermId {
        self.same_width(a, amount);
        if self.as_bits(amount) == Some(0) {
            return a;
        }
        self.folded(Op::AShr, a, amount)
    }

    /// The bits `high` down to `low` of a term.
    pub fn extract(&mut self, a: TermId, high: u32, low: u32) -> TermId {
        let width = self.width(a);
        assert!(low <= high && high < width, "ill-sorted: bits {high}..{low} of {width}");
        let mut a = a;
        let (mut low, taken) = (low, high - low + 1);
        // Every step goes to a strictly smaller term.
        loop {
            let width = self.width(a);
            if low == 0 && taken == width {
                return a;
            }
            if let Some(value) = self.as_bits(a) {
                return self.bits(taken, value >> low);
            }
            match (self.op(a), self.args(a)) {
                (Op::Extract { low: below }, &[inner]) => {
                    a = inner;
                    low += below;
                }
                (Op::Concat, &[top, bottom]) => {
                    let border = self.width(bottom);
                    if low + taken <= border {
                        a = bottom;
                    } else if low >= border {
                        a = top;
                        low -= border;
                    } else {
                        break;
                    }
                }
                (Op::ZeroExtend | Op::SignExtend, &[inner]) if low + taken <= self.width(inner) => {
                    a = inner;
                }
                (Op::ZeroExtend, &[inner]) if low >= self.width(inner) => {
                    return self.bits(taken, 0);
                }
                (Op::ZeroExtend, &[inner]) => {
                    let top = self.width(inner) - 1;
                    let kept = self.extract(inner, top, low);
                    return self.zero_extend(kept, taken);
                }
                (Op::SignExtend, &[inner]) => {
                    let top = self.width(inner) - 1;
                    let kept = self.extract(inner, top, low.min(top));
                    return self.sign_extend(kept, taken);
                }
                _ => break,
            }
        }
        if let Some((condition, yes, no)) = self.as_constant_ite(a) {
            return self.constant_ite(condition, taken, yes >> low, no >> low);
        }
        self.intern(Op::Extract { low }, Sort::BitVec(taken), &[a])
    }

    /// Concatenation, `top` in the high bits.
    pub fn concat(&mut self, top: TermId, bottom: TermId) -> TermId {
        let (above, below) = (self.width(top), self.width(bottom));
        let width = above + below;
        match (self.as_bits(top), self.as_bits(bottom)) {
            (Some(0), _) => return self.zero_extend(bottom, width),
            (Some(high), Some(low)) if width <= 128 => return self.bits(width, high << below | low),
            _ => {}
        }
        if let (Op::Extract { low: from }, Op::Extract { low: to }) = (self.op(top), self.op(bottom))
            && self.args(top) == self.args(bottom)
            && from == to + below
        {
            return self.extract(self.args(top)[0], to + width - 1, to);
        }
        if let (Some((condition, one, other)), Some((same, yes, no))) = (self.as_constant_ite(top), self.as_constant_ite(bottom))
            && condition == same
            && width <= 128
        {
            return self.constant_ite(condition, width, one << below | yes, other << below | no);
        }
        self.intern(Op::Concat, Sort::BitVec(width), &[top, bottom])
    }

    /// Zero extension to `width` bits (at least the width of the term).
    pub fn zero_extend(&mut self, a: TermId, width: u32) -> TermId {
        let from = self.width(a);
        assert!(from <= width, "ill-sorted: {from} bits extended to {width}");
        if from == width {
            return a;
        }
        if width <= 128 {
            if let Some(value) = self.as_bits(a) {
                return self.bits(width, value);
            }
            if let Some((condition, yes, no)) = self.as_constant_ite(a) {
                return self.constant_ite(condition, width, yes, no);
            }
        }
        match (self.op(a), self.args(a)) {
            (Op::ZeroExtend, &[inner]) => self.intern(Op::ZeroExtend, Sort::BitVec(width), &[inner]),
            _ => self.intern(Op::ZeroExtend, Sort::BitVec(width), &[a]),
        }
    }

    /// Sign extension to `width` bits (at least the width of the term).
    pub fn sign_extend(&mut self, a: TermId, width: u32) -> TermId {
        let from = self.width(a);
        assert!(from <= width, "ill-sorted: {from} bits extended to {width}");
        if from == width {
            return a;
        }
        if width <= 128 {
            let extended = |value| to_signed(from, value) as u128;
            if let Some(value) = self.as_bits(a) {
                return self.bits(width, extended(value));
            }
            if let Some((condition, yes, no)) = self.as_constant_ite(a) {
                return self.constant_ite(condition, width, extended(yes), extended(no));
            }
        }
        match (self.op(a), self.args(a)) {
            (Op::ZeroExtend, &[inner]) => self.intern(Op::ZeroExtend, Sort::BitVec(width), &[inner]),
            (Op::SignExtend, &[inner]) => self.intern(Op::SignExtend, Sort::BitVec(width), &[inner]),
            _ => self.intern(Op::SignExtend, Sort::BitVec(width), &[a]),
        }
    }

    /// The term cut or sign-extended to `width` bits.
    pub fn resize_signed(&mut self, a: TermId, width: u32) -> TermId {
        if width <= self.width(a) { self.extract(a, width - 1, 0) } else { self.sign_extend(a, width) }
    }

    /// The term cut or zero-extended to `width` bits.
    pub fn resize_unsigned(&mut self, a: TermId, width: u32) -> TermId {
        if width <= self.width(a) { self.extract(a, width - 1, 0) } else { self.zero_extend(a, width) }
    }

    fn constant_last(&self, a: TermId, b: TermId) -> (TermId, TermId) {
        if self.as_bits(a).is_some() { (b, a) } else { (a, b) }
    }
}
