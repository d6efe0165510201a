//! How far a sum of addresses and offsets reaches, by the forms of its parts alone.
//!
//! Sound for all values of all variables; nothing is said of what may wrap. Does not know objects.

use crate::terms::{Op, Sort, TermId, TermStore, to_signed};

/// Beyond this, up or down, nothing is said.
const FAR: i128 = 1 << 62;

/// Parts of a term that are looked at.
const MOST: u32 = 64;

/// The least and the greatest value of a bit vector of 64 bits, read as a signed number; `None` where they are far away, and for
/// other widths, in which sums of any `int` wrap.
pub(super) fn of(store: &TermStore, term: TermId) -> Option<(i128, i128)> {
    if store.sort(term) != Sort::BitVec(64) {
        return None;
    }
    within(store, term, &mut { MOST })
}

fn within(store: &TermStore, term: TermId, left: &mut u32) -> Option<(i128, i128)> {
    *left = left.checked_sub(1)?;
    let Sort::BitVec(width) = store.sort(term) else { return None };
    let found = match (store.op(term), store.args(term)) {
        (Op::Bits(value), _) => {
            let value = to_signed(width, value);
            (value, value)
        }
        (Op::SignExtend, &[inner]) => signed(store, inner, left),
        (Op::ZeroExtend, &[inner]) => match within(store, inner, left) {
            Some(range) if range.0 >= 0 => range,
            _ => (0, (1 << width_of(store, inner)?.min(63)) - 1),
        },
        (Op::Add, parts) => {
            let mut sum = (0, 0);
            for part in parts {
                let (low, high) = within(store, *part, left)?;
                sum = (sum.0 + low, sum.1 + high);
            }
            sum
        }
        (Op::Mul, &[factor, other]) => {
            let (factor, other) = (within(store, factor, left)?, within(store, other, left)?);
            // Both lie below 2^62.
            let ends = [factor.0 * other.0, factor.0 * other.1, factor.1 * other.0, factor.1 * other.1];
            (ends.into_iter().min()?, ends.into_iter().max()?)
        }
        (Op::Neg, &[inner]) => {
            let (low, high) = within(store, inner, left)?;
            (-high, -low)
        }
        (Op::Ite, &[_, yes, no]) => {
            let (yes, no) = (within(store, yes, left)?, within(store, no, left)?);
            (yes.0.min(no.0), yes.1.max(no.1))
        }
        _ => signed(store, term, left),
    };
    // In the width of the term nothing has wrapped.
    let half = 1i128 << (width - 1).min(62);
    (found.0 >= -half.min(FAR) && found.1 < half.min(FAR)).then_some(found)
}

/// All values of a width, as far as nothing better is known.
fn signed(store: &TermStore, term: TermId, left: &mut u32) -> (i128, i128) {
    let is_form = matches!(store.op(term), Op::Bits(_) | Op::SignExtend | Op::ZeroExtend | Op::Add | Op::Mul | Op::Neg | Op::Ite);
    let better = if is_form { within(store, term, left) } else { None };
    let half = 1i128 << (width_of(store, term).unwrap_or(128).min(127) - 1);
    better.unwrap_or((-half, half - 1))
}

fn width_of(store: &TermStore, term: TermId) -> Option<u32> {
    if let Sort::BitVec(width) = store.sort(term) { Some(width) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A sum as addresses are made: of variables of 8 to 64 bits, by the forms that are looked at; `values` are those of the
    /// variables, or none.
    fn built(store: &mut TermStore, steps: &[(u8, u64)], values: Option<&[u64]>) -> TermId {
        let mut sum = store.bits(64, 0x4000_0000);
        for (number, (form, constant)) in steps.iter().enumerate() {
            let width = [8, 16, 31, 32, 33, 64][usize::from(form >> 4) % 6];
            let part = match values {
                Some(values) => store.bits(width, u128::from(values[number]) & crate::terms::mask(width)),
                None => store.variable(&format!("v{number}"), Sort::BitVec(width)),
            };
            let narrow = store.bits(width, u128::from(*constant) & crate::terms::mask(width));
            let moved = store.add(part, narrow);
            let inner = if form & 4 == 0 { part } else { moved };
            let wide = if form & 1 == 0 { store.sign_extend(inner, 64) } else { store.zero_extend(inner, 64) };
            let factor = store.bits(64, u128::from(*constant));
            let part = match form & 10 {
                0 => store.mul(factor, wide),
                2 => store.neg(wide),
                8 => {
                    let (less, other) = (store.ult(wide, factor), store.add(wide, factor));
                    store.ite(less, factor, other)
                }
                _ => wide,
            };
            sum = store.add(sum, part);
        }
        sum
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn values_lie_where_sums_reach(
            steps in proptest::collection::vec((any::<u8>(), prop_oneof![0..100u64, any::<u64>(), Just(1 << 40), Just(u64::MAX - 3)]), 1..4),
            values in any::<[u64; 4]>(),
        ) {
            let mut store = TermStore::new();
            let term = built(&mut store, &steps, None);
            let value = built(&mut store, &steps, Some(&values));
            let value = to_signed(64, store.as_bits(value).unwrap());
            if let Some((low, high)) = of(&store, term) {
                prop_assert!((low..=high).contains(&value), "{value} is not between {low} and {high}: {}", store.print(term));
            }
        }
    }

    #[test]
    fn an_int_times_a_size_is_bounded_and_what_may_wrap_is_not() {
        let mut store = TermStore::new();
        let (i, l) = (store.variable("i", Sort::BitVec(32)), store.variable("l", Sort::BitVec(64)));
        let (base, four) = (store.bits(64, 1 << 40), store.bits(64, 4));
        let wide = store.sign_extend(i, 64);
        let scaled = store.mul(four, wide);
        let sum = store.add(base, scaled);
        assert_eq!(of(&store, sum), Some(((1 << 40) - (1 << 33), (1 << 40) + (1 << 33) - 4)));
        let byte = store.variable("b", Sort::BitVec(8));
        let byte = store.zero_extend(byte, 64);
        let negated = store.neg(byte);
        assert_eq!(of(&store, negated), Some((-255, 0)));
        let far = store.add(base, l);
        assert_eq!((of(&store, far), of(&store, i)), (None, None));
    }
}
