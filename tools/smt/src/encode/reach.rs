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
