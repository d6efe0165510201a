//! From terms to bits: each operator on bit vectors as a function of the bits of its arguments.
//!
//! Bits stand lowest first; a truth value is one bit. The meaning of every operator is that of `smt::terms`: division by zero
//! yields all ones, and so on. Arrays are taken apart before; floating-point operators have no bits here.

use rustc_hash::FxHashMap;
use smt::{Op, Sort, TermId, TermStore};

use super::aig::{Aig, Lit};

/// The operator of a term that cannot be made of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotOfBits(pub Op);

/// The bits of terms.
#[derive(Debug, Default)]
pub struct Blaster {
    /// The graph.
    pub aig: Aig,
    done: FxHashMap<TermId, Vec<Lit>>,
}

impl Blaster {
    /// The bits of a term. A variable gets free bits when it first comes up.
    ///
    /// # Errors
    /// [`NotOfBits`].
    pub fn bits(&mut self, store: &TermStore, term: TermId) -> Result<&[Lit], NotOfBits> {
        for part in store.post_order(&[term], |part| self.done.contains_key(&part)) {
            let bits = self.one(store, part)?;
            self.done.insert(part, bits);
        }
        Ok(self.done.get(&term).map_or(&[], Vec::as_slice))
    }

    /// The only bit of a truth value.
    ///
    /// # Errors
    /// [`NotOfBits`].
    pub fn bit(&mut self, store: &TermStore, term: TermId) -> Result<Lit, NotOfBits> {
        Ok(self.bits(store, term)?.first().copied().unwrap_or(Lit::FALSE))
    }

    fn one(&mut self, store: &TermStore, term: TermId) -> Result<Vec<Lit>, NotOfBits> {
        let args: Vec<Vec<Lit>> = store.args(term).iter().map(|arg| self.done.get(arg).cloned().unwrap_or_default()).collect();
        let width = match store.sort(term) {
            Sort::Bool => 1,
            Sort::BitVec(width) => width as usize,
            Sort::Array { .. } => return Err(NotOfBits(store.op(term))),
        };
        let aig = &mut self.aig;
        Ok(match (store.op(term), args.as_slice()) {
            (Op::True, _) => vec![Lit::TRUE],
            (Op::False, _) => vec![Lit::FALSE],
            (Op::Bits(value), _) => {
                (0..width).map(|at| Lit::constant(value.checked_shr(formats::dense(at)).unwrap_or(0))).collect()
            }
            (Op::Variable { .. }, _) => (0..width).map(|_| aig.input()).collect(),
            (Op::Not | Op::BitNot, [a]) => a.iter().map(|bit| !*bit).collect(),
            (Op::And, all) => vec![aig.all(&all.iter().flatten().copied().collect::<Vec<_>>())],
            (Op::Or, all) => vec![aig.any(&all.iter().flatten().copied().collect::<Vec<_>>())],
            (Op::Ite, [condition, yes, no]) => choose(aig, condition[0], yes, no),
            (Op::Eq, [a, b]) => vec![equal(aig, a, b)],
            (Op::Add, [first, rest @ ..]) => rest.iter().fold(first.clone(), |sum, next| add(aig, &sum, next, Lit::FALSE).0),
            (Op::Mul, [a, b]) => multiply(aig, a, b),
            (Op::Neg, [a]) => negate(aig, a),
            (Op::UDiv, [a, b]) => divide(aig, a, b).0,
            (Op::URem, [a, b]) => divide(aig, a, b).1,
            (Op::SDiv, [a, b]) => signed_divide(aig, a, b).0,
            (Op::SRem, [a, b]) => signed_divide(aig, a, b).1,
            (Op::BitAnd, [a, b]) => pairwise(a, b, |a, b| aig.and(a, b)),
            (Op::BitOr, [a, b]) => pairwise(a, b, |a, b| aig.or(a, b)),
            (Op::BitXor, [a, b]) => pairwise(a, b, |a, b| aig.xor(a, b)),
            (Op::Shl, [a, by]) => {
                let reversed: Vec<Lit> = a.iter().rev().copied().collect();
                let mut moved = shift_down(aig, &reversed, by, Lit::FALSE);
                moved.reverse();
                moved
            }
            (Op::LShr, [a, by]) => shift_down(aig, a, by, Lit::FALSE),
            (Op::AShr, [a, by]) => shift_down(aig, a, by, a[a.len() - 1]),
            (Op::ULt, [a, b]) => vec![less(aig, a, b)],
            (Op::SLt, [a, b]) => {
                let (a, b) = (with_top_complemented(a), with_top_complemented(b));
                vec![less(aig, &a, &b)]
            }
            (Op::Concat, [top, bottom]) => bottom.iter().chain(top).copied().collect(),
            (Op::Extract { low }, [a]) => a[low as usize..low as usize + width].to_vec(),
            (Op::ZeroExtend, [a]) => extended(a, width, Lit::FALSE),
            (Op::SignExtend, [a]) => extended(a, width, a[a.len() - 1]),
            (op, _) => return Err(NotOfBits(op)),
        })
    }
}

fn pairwise(a: &[Lit], b: &[Lit], mut function: impl FnMut(Lit, Lit) -> Lit) -> Vec<Lit> {
    a.iter().zip(b).map(|(a, b)| function(*a, *b)).collect()
}

fn choose(aig: &mut Aig, condition: Lit, yes: &[Lit], no: &[Lit]) -> Vec<Lit> {
    pairwise(yes, no, |yes, no| aig.mux(condition, yes, no))
}

fn equal(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    let different = pairwise(a, b, |a, b| aig.xor(a, b));
    !aig.any(&different)
}

/// Sum and carry.
fn add(aig: &mut Aig, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Vec<Lit>, Lit) {
    let mut sum = Vec::with_capacity(a.len());
    for (a, b) in a.iter().zip(b) {
        let half = aig.xor(*a, *b);
        sum.push(aig.xor(half, carry));
        let both = aig.and(*a, *b);
        let passed = aig.and(half, carry);
        carry = aig.or(both, passed);
    }
    (sum, carry)
}

/// `a - b`, and whether `a >= b`.
fn subtract(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Lit) {
    let complement: Vec<Lit> = b.iter().map(|bit| !*bit).collect();
    add(aig, a, &complement, Lit::TRUE)
}

fn negate(aig: &mut Aig, a: &[Lit]) -> Vec<Lit> {
    let zero = vec![Lit::FALSE; a.len()];
    subtract(aig, &zero, a).0
}

fn less(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    !subtract(aig, a, b).1
}

fn multiply(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let width = a.len();
    let mut sum = vec![Lit::FALSE; width];
    for (at, bit) in a.iter().enumerate() {
        if *bit == Lit::FALSE {
            continue;
        }
        let part: Vec<Lit> = b[..width - at].iter().map(|other| aig.and(*bit, *other)).collect();
        let above = add(aig, &sum[at..], &part, Lit::FALSE).0;
        sum.splice(at.., above);
    }
    sum
}

/// Quotient and remainder; by zero all ones and the dividend.
fn divide(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let width = a.len();
    // One bit more, so that what is doubled still fits.
    let divisor = extended(b, width + 1, Lit::FALSE);
    let (mut quotient, mut rest) = (vec![Lit::FALSE; width], vec![Lit::FALSE; width]);
    for at in (0..width).rev() {
        let mut doubled = vec![a[at]];
        doubled.extend_from_slice(&rest);
        let (less, fits) = subtract(aig, &doubled, &divisor);
        quotient[at] = fits;
        rest = choose(aig, fits, &less[..width], &doubled[..width]);
    }
    (quotient, rest)
}

/// As [`divide`], truncating, the remainder with the sign of the dividend.
fn signed_divide(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let (sign, other) = (a[a.len() - 1], b[b.len() - 1]);
    let size = |aig: &mut Aig, of: &[Lit], sign: Lit| {
        let negated = negate(aig, of);
        choose(aig, sign, &negated, of)
    };
    let (dividend, divisor) = (size(aig, a, sign), size(aig, b, other));
    let (quotient, rest) = divide(aig, &dividend, &divisor);
    let differ = aig.xor(sign, other);
    (size(aig, &quotient, differ), size(aig, &rest, sign))
}

/// Shifts towards bit 0; what comes in on top, also where the amount reaches the width, is `fill`.
fn shift_down(aig: &mut Aig, a: &[Lit], by: &[Lit], fill: Lit) -> Vec<Lit> {
    let width = a.len();
    let mut moved = a.to_vec();
    let mut too_far = Vec::new();
    for (at, bit) in by.iter().enumerate() {
        match 1usize.checked_shl(formats::dense(at)).filter(|distance| *distance < width) {
            Some(distance) => {
                let next: Vec<Lit> = (0..width).map(|to| moved.get(to + distance).copied().unwrap_or(fill)).collect();
                moved = choose(aig, *bit, &next, &moved);
            }
            None => too_far.push(*bit),
        }
    }
    let too_far = aig.any(&too_far);
    choose(aig, too_far, &vec![fill; width], &moved)
}

fn with_top_complemented(a: &[Lit]) -> Vec<Lit> {
    let mut changed = a.to_vec();
    if let Some(top) = changed.last_mut() {
        *top = !*top;
    }
    changed
}

fn extended(a: &[Lit], width: usize, by: Lit) -> Vec<Lit> {
    let mut wider = a.to_vec();
    wider.resize(width, by);
    wider
}
