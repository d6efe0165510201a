//! Bit vectors read as whole numbers, as guesses need it.
//!
//! Each variable is a number in the range of its type, with a sign if it is compared as one. Sums do not wrap, a shorter number
//! is the number itself, and what is no linear arithmetic may be anything. Nothing here is exact, and nothing has to be.

use rustc_hash::{FxHashMap, FxHashSet};
use z3::ast::{Bool, Dynamic, Int};

use crate::horn::Clauses;
use crate::terms::{Op, Sort, TermId, TermStore, to_signed};

/// Bits of the widest numbers that are no more than any number.
const WIDEST: u32 = 120;

/// Which number a bit vector is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// Two's complement.
    Signed,
    /// Without sign.
    Unsigned,
    /// Both are the same number.
    Either,
}

/// Translated terms.
#[derive(Debug, Default)]
pub(super) struct Whole {
    done: FxHashMap<TermId, Dynamic>,
    signs: FxHashMap<TermId, Sign>,
    /// Variables that are compared without sign.
    unsigned: FxHashSet<TermId>,
    /// Terms that may be anything.
    open: FxHashSet<TermId>,
}

impl Whole {
    /// With what comparisons say of the signs of variables.
    pub(super) fn of(store: &TermStore, clauses: &Clauses) -> Self {
        let mut roots: Vec<TermId> = clauses.predicates.iter().flatten().copied().collect();
        for clause in &clauses.clauses {
            roots.push(clause.guard);
            roots.extend(clause.to.iter().flat_map(|(_, values)| values));
        }
        let mut votes: FxHashMap<TermId, i64> = FxHashMap::default();
        for part in store.post_order(&roots, |_| false) {
            let op = store.op(part);
            let vote = i64::from(matches!(op, Op::ULt | Op::UDiv | Op::URem | Op::ZeroExtend | Op::LShr))
                - i64::from(matches!(op, Op::SLt | Op::SDiv | Op::SRem | Op::SignExtend | Op::AShr));
            if vote == 0 {
                continue;
            }
            for variable in summands(store, store.args(part)) {
                *votes.entry(variable).or_default() += vote;
            }
        }
        let unsigned = votes.into_iter().filter(|(_, vote)| *vote > 0).map(|(variable, _)| variable).collect();
        Self { unsigned, ..Self::default() }
    }

    /// How a variable is read.
    pub(super) fn reading(&self, variable: TermId) -> Sign {
        if self.unsigned.contains(&variable) { Sign::Unsigned } else { Sign::Signed }
    }

    pub(super) fn sort(&self, store: &TermStore, variable: TermId) -> z3::Sort {
        if store.sort(variable) == Sort::Bool { z3::Sort::bool() } else { z3::Sort::int() }
    }

    /// Whether a term may be anything; known once it was translated.
    pub(super) fn is_open(&self, term: TermId) -> bool {
        self.open.contains(&term)
    }

    /// A term as a number or a truth value.
    pub(super) fn term(&mut self, store: &TermStore, term: TermId) -> Dynamic {
        for part in store.post_order(&[term], |part| self.done.contains_key(&part)) {
            let (ast, sign) = match self.translated(store, part) {
                Some(known) => known,
                None => {
                    self.open.insert(part);
                    let name = format!("open!{}", part.index());
                    match store.sort(part) {
                        Sort::Bool => (Bool::new_const(name).into(), Sign::Either),
                        Sort::BitVec(_) | Sort::Array { .. } => (Int::new_const(name).into(), Sign::Unsigned),
                    }
                }
            };
            self.done.insert(part, ast);
            self.signs.insert(part, sign);
        }
        self.done.get(&term).cloned().unwrap_or_else(|| Bool::from_bool(true).into())
    }

    /// The value of a variable as it is read.
    pub(super) fn value(&mut self, store: &TermStore, variable: TermId, value: TermId) -> Dynamic {
        let translated = self.term(store, value);
        if store.sort(variable) == Sort::Bool {
            return translated;
        }
        self.number(store, value, self.reading(variable)).into()
    }

    /// That values lie in the ranges of the variables that get them.
    pub(super) fn in_range(&mut self, store: &TermStore, variables: &[TermId], values: &[TermId]) -> Vec<Bool> {
        let mut found = Vec::new();
        for (variable, value) in variables.iter().zip(values) {
            let is_simple = variable == value || store.as_bits(*value).is_some();
            if let (Sort::BitVec(width), false) = (store.sort(*variable), is_simple)
                && let Some(number) = self.value(store, *variable, *value).as_int()
            {
                found.extend(range(&number, width, self.reading(*variable)));
            }
        }
        found
    }

    /// The range of a variable, or of what may be anything.
    pub(super) fn ranges(&mut self, store: &TermStore, term: TermId) -> Vec<Bool> {
        let Sort::BitVec(width) = store.sort(term) else { return Vec::new() };
        let sign = if self.is_open(term) { Sign::Unsigned } else { self.reading(term) };
        self.term(store, term).as_int().map_or_else(Vec::new, |number| range(&number, width, sign))
    }

    /// A translated bit vector, as the number that is asked for.
    fn number(&self, store: &TermStore, term: TermId, wanted: Sign) -> Int {
        let width = store.width(term);
        if let Some(value) = store.as_bits(term) {
            return match wanted {
                Sign::Unsigned => Int::from_u128(value),
                Sign::Signed | Sign::Either => Int::from_i128(to_signed(width, value)),
            };
        }
        let number = self.done.get(&term).and_then(Dynamic::as_int).unwrap_or_else(|| Int::from_i64(0));
        let sign = self.signs.get(&term).copied().unwrap_or(Sign::Signed);
        match (sign, wanted) {
            _ if width > WIDEST => number,
            (Sign::Signed, Sign::Unsigned) => number.lt(0).ite(&(&number + power(width)), &number),
            (Sign::Unsigned, Sign::Signed) => number.ge(power(width - 1)).ite(&(&number - power(width)), &number),
            (Sign::Either, _) | (_, Sign::Either) | (Sign::Signed, Sign::Signed) | (Sign::Unsigned, Sign::Unsigned) => number,
        }
    }

    /// How some terms are best read together.
    fn common(&self, store: &TermStore, terms: &[TermId]) -> Sign {
        let signs = terms.iter().filter(|term| store.as_bits(**term).is_none()).filter_map(|term| self.signs.get(term));
        let mut found = Sign::Either;
        for sign in signs.copied().filter(|sign| *sign != Sign::Either) {
            found = if found == Sign::Either || found == sign { sign } else { Sign::Signed };
        }
        if found == Sign::Either { Sign::Signed } else { found }
    }

    fn truth(&self, term: TermId) -> Option<Bool> {
        self.done.get(&term)?.as_bool()
    }

    fn translated(&self, store: &TermStore, term: TermId) -> Option<(Dynamic, Sign)> {
        let args = store.args(term);
        match (store.op(term), store.sort(term)) {
            (Op::Variable { variable, instance }, sort) => {
                let name = format!("{}!whole", store.instance_name(variable, instance));
                match sort {
                    Sort::Bool => Some((Bool::new_const(name).into(), Sign::Either)),
                    Sort::BitVec(_) => Some((Int::new_const(name).into(), self.reading(term))),
                    Sort::Array { .. } => None,
                }
            }
            (_, Sort::Bool) => Some((self.translated_truth(store, term, args)?.into(), Sign::Either)),
            (_, Sort::BitVec(_)) => self.translated_number(store, term, args).map(|(int, sign)| (int.into(), sign)),
            (_, Sort::Array { .. }) => None,
        }
    }

    fn translated_truth(&self, store: &TermStore, term: TermId, args: &[TermId]) -> Option<Bool> {
        let all = || args.iter().map(|arg| self.truth(*arg)).collect::<Option<Vec<Bool>>>();
        let both = |sign: Sign| (self.number(store, args[0], sign), self.number(store, args[1], sign));
        match (store.op(term), args) {
            (Op::True, _) => Some(Bool::from_bool(true)),
            (Op::False, _) => Some(Bool::from_bool(false)),
            (Op::Not, [a]) => Some(self.truth(*a)?.not()),
            (Op::And, _) => Some(Bool::and(&all()?)),
            (Op::Or, _) => Some(Bool::or(&all()?)),
            (Op::Ite, [c, a, b]) => Some(self.truth(*c)?.ite(&self.truth(*a)?, &self.truth(*b)?)),
            (Op::Eq, [a, b]) => match store.sort(*a) {
                Sort::Bool => Some(self.truth(*a)?.eq(self.truth(*b)?)),
                Sort::BitVec(_) => {
                    let (a, b) = both(self.common(store, args));
                    Some(a.eq(b))
                }
                Sort::Array { .. } => None,
            },
            (Op::ULt, [_, _]) => {
                let (a, b) = both(Sign::Unsigned);
                Some(a.lt(b))
            }
            (Op::SLt, [_, _]) => {
                let (a, b) = both(Sign::Signed);
                Some(a.lt(b))
            }
            _ => None,
        }
    }

    fn translated_number(&self, store: &TermStore, term: TermId, args: &[TermId]) -> Option<(Int, Sign)> {
        (store.width(term) <= WIDEST).then_some(())?;
        self.arithmetic(store, term, args).or_else(|| self.bitwise(store, term, args))
    }

    /// A translated argument as it is read.
    fn raw(&self, args: &[TermId], at: usize) -> Option<Int> {
        self.done.get(&args[at]).and_then(Dynamic::as_int)
    }

    fn sign(&self, args: &[TermId], at: usize) -> Sign {
        self.signs.get(&args[at]).copied().unwrap_or(Sign::Signed)
    }

    fn arithmetic(&self, store: &TermStore, term: TermId, args: &[TermId]) -> Option<(Int, Sign)> {
        let constant = |at: usize| store.as_bits(args[at]);
        let read = |at: usize, wanted: Sign| self.number(store, args[at], wanted);
        match (store.op(term), args.len()) {
            (Op::Bits(value), _) => Some((Int::from_i128(to_signed(store.width(term), value)), Sign::Signed)),
            (Op::Add, _) => {
                let common = self.common(store, args);
                let wanted = |arg: TermId| if store.as_bits(arg).is_some() { Sign::Signed } else { common };
                let parts: Vec<Int> = args.iter().map(|arg| self.number(store, *arg, wanted(*arg))).collect();
                Some((Int::add(&parts), common))
            }
            (Op::Neg, 1) => Some((self.raw(args, 0)?.unary_minus(), self.common(store, args))),
            (Op::Mul, 2) => {
                constant(0)?;
                Some((read(0, Sign::Signed) * self.raw(args, 1)?, self.common(store, args)))
            }
            (Op::UDiv, 2) => {
                let by = constant(1).filter(|by| *by > 0)?;
                Some((read(0, Sign::Unsigned).div(Int::from_u128(by)), Sign::Either))
            }
            (Op::URem, 2) => {
                let by = constant(1).filter(|by| *by > 0)?;
                Some((read(0, Sign::Unsigned).rem(Int::from_u128(by)), Sign::Either))
            }
            (Op::SDiv, 2) => Some((quotient(&read(0, Sign::Signed), store.as_signed(args[1])?)?, Sign::Signed)),
            (Op::SRem, 2) => {
                let (number, by) = (read(0, Sign::Signed), store.as_signed(args[1])?);
                Some((&number - quotient(&number, by)? * Int::from_i128(by), Sign::Signed))
            }
            (Op::BitNot, 1) => Some((read(0, Sign::Signed).unary_minus() - 1, Sign::Signed)),
            _ => None,
        }
    }

    fn bitwise(&self, store: &TermStore, term: TermId, args: &[TermId]) -> Option<(Int, Sign)> {
        let width = store.width(term);
        let constant = |at: usize| store.as_bits(args[at]);
        let read = |at: usize, wanted: Sign| self.number(store, args[at], wanted);
        let by = || constant(1).and_then(|by| u32::try_from(by).ok()).filter(|by| *by < width);
        match (store.op(term), args.len()) {
            (Op::BitAnd, 2) => {
                let (mask, other) = if let Some(mask) = constant(0) { (mask, 1) } else { (constant(1)?, 0) };
                (mask + 1).is_power_of_two().then_some(())?;
                Some((self.raw(args, other)?.modulo(Int::from_u128(mask + 1)), Sign::Either))
            }
            (Op::Shl, 2) => Some((self.raw(args, 0)? * power(by()?), self.sign(args, 0))),
            (Op::LShr, 2) => Some((read(0, Sign::Unsigned).div(power(by()?)), Sign::Unsigned)),
            (Op::AShr, 2) => Some((read(0, Sign::Signed).div(power(by()?)), Sign::Signed)),
            (Op::Concat, 2) => {
                let low = store.width(args[1]);
                Some((self.raw(args, 0)? * power(low) + read(1, Sign::Unsigned), self.sign(args, 0)))
            }
            (Op::Extract { low: 0 }, 1) if width == 1 => Some((self.raw(args, 0)?.modulo(2), Sign::Either)),
            (Op::Extract { low: 0 }, 1) => Some((self.raw(args, 0)?, self.sign(args, 0))),
            (Op::Extract { low }, 1) if width == 1 && low + 1 == store.width(args[0]) => {
                Some((read(0, Sign::Signed).lt(0).ite(&Int::from_i64(1), &Int::from_i64(0)), Sign::Either))
            }
            (Op::ZeroExtend, 1) => Some((read(0, Sign::Unsigned), Sign::Either)),
            (Op::SignExtend, 1) => Some((read(0, Sign::Signed), Sign::Signed)),
            (Op::Ite, 3) => {
                let common = self.common(store, &args[1..]);
                Some((self.truth(args[0])?.ite(&read(1, common), &read(2, common)), common))
            }
            _ => None,
        }
    }
}

/// The variables that some terms are sums of.
fn summands(store: &TermStore, terms: &[TermId]) -> Vec<TermId> {
    let (mut found, mut open) = (Vec::new(), terms.to_vec());
    while let Some(term) = open.pop() {
        let op = store.op(term);
        if matches!(op, Op::Variable { .. }) {
            found.push(term);
        } else if matches!(op, Op::Add | Op::Neg | Op::Mul) {
            open.extend(store.args(term));
        }
    }
    found
}

/// Truncated division by a constant.
fn quotient(number: &Int, by: i128) -> Option<Int> {
    let size = Int::from_i128(by.checked_abs().filter(|size| *size > 0)?);
    let up = number.ge(0).ite(&number.div(&size), &number.unary_minus().div(&size).unary_minus());
    Some(if by < 0 { up.unary_minus() } else { up })
}

fn power(exponent: u32) -> Int {
    Int::from_u128(1 << exponent)
}

/// The range of a type.
fn range(number: &Int, width: u32, sign: Sign) -> Vec<Bool> {
    if width > WIDEST {
        return Vec::new();
    }
    match sign {
        Sign::Signed => vec![number.ge(power(width - 1).unary_minus()), number.lt(power(width - 1))],
        Sign::Unsigned | Sign::Either => vec![number.ge(0), number.lt(power(width))],
    }
}
