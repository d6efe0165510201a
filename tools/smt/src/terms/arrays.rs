//! Arrays from bit vectors to bit vectors.

use super::{Op, Sort, TermId, TermStore};

/// How many stores a read looks through.
const LOOK_BACK: usize = 256;

impl TermStore {
    /// The array of the given index width whose elements are all `element`.
    pub fn const_array(&mut self, index: u32, element: TermId) -> TermId {
        let sort = Sort::Array { index, element: self.width(element) };
        self.intern(Op::ConstArray, sort, &[element])
    }

    /// The element of `array` at `index`.
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        let element = self.expect_array(array, index);
        let mut from = array;
        for _ in 0..LOOK_BACK {
            // Looking at a write is work like asking for a term.
            self.requests += 1;
            match (self.op(from), self.args(from)) {
                (Op::ConstArray, &[element]) => return element,
                (Op::Store, &[_, at, value]) if at == index => return value,
                (Op::Store, &[inner, at, _]) if self.differ(at, index) => from = inner,
                _ => break,
            }
        }
        if let Some(chosen) = self.select_from_table(from, index) {
            return chosen;
        }
        self.intern(Op::Select, Sort::BitVec(element), &[from, index])
    }

    /// `array` with the element at `index` replaced.
    pub fn store(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        let element = self.expect_array(array, index);
        assert!(self.width(value) == element, "ill-sorted: element of {} bits, not {element}", self.width(value));
        let sort = self.sort(array);
        match (self.op(array), self.args(array)) {
            (Op::Store, &[inner, at, _]) if at == index => {
                return self.intern(Op::Store, sort, &[inner, index, value]);
            }
            (Op::ConstArray, &[all]) if all == value => return array,
            _ => {}
        }
        if let (Op::Select, &[from, at]) = (self.op(value), self.args(value))
            && from == array
            && at == index
        {
            return array;
        }
        if self.as_bits(value).is_none() && self.select_from_table(array, index) == Some(value) {
            return array;
        }
        self.intern(Op::Store, sort, &[array, index, value])
    }

    /// Whether two indices differ whatever the variables are.
    #[must_use]
    pub fn differ(&self, a: TermId, b: TermId) -> bool {
        if let (Some(a), Some(b)) = (self.as_bits(a), self.as_bits(b)) {
            return a != b;
        }
        if self.width(a) > 128 {
            return false;
        }
        let difference = self.linear(a).minus(&self.linear(b));
        difference.terms.is_empty() && difference.constant != 0
    }

    /// Checks the sorts of an access; returns the element width.
    fn expect_array(&self, array: TermId, index: TermId) -> u32 {
        let sort = self.sort(array);
        let found = self.width(index);
        assert!(matches!(sort, Sort::Array { index, .. } if index == found), "ill-sorted: index of {found} bits into {sort}");
        match sort {
            Sort::Array { element, .. } => element,
            Sort::Bool | Sort::BitVec(_) => 0,
        }
    }
}
