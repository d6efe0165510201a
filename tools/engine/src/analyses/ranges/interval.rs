//! Intervals of signed numbers: what a term can be where its variables lie in intervals, and what a condition says of them.
//!
//! Soundness: whatever values the variables have within their intervals, the value of a term is in the interval that is given
//! for it, a condition has the truth value that is given for it, and no values under which a condition holds are lost where it is
//! assumed. Floats, arrays, numbers of more than 64 bits and what lies too deep can be anything.
//! Does not know programs.

#![expect(clippy::wildcard_enum_match_arm, reason = "of what is not here anything can come")]
#![expect(clippy::fn_params_excessive_bools, reason = "a condition holds or does not")]

use std::collections::BTreeMap;
use std::rc::Rc;

use smt::{Op, Sort, TermId, TermStore};

/// The widest numbers with intervals.
const WIDEST: u32 = 64;

/// How deep a term is looked into.
const DEPTH: u32 = 40;

/// Parts of a term that are looked at.
const PARTS: u32 = 4_000;

/// All numbers from the lowest to the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    /// The lowest.
    pub low: i128,
    /// The highest.
    pub high: i128,
}

impl Interval {
    /// All numbers of a width.
    #[must_use]
    pub const fn full(width: u32) -> Self {
        let half = 1_i128 << (width - 1);
        Self { low: -half, high: half - 1 }
    }

    /// One number.
    #[must_use]
    pub const fn one(value: i128) -> Self {
        Self { low: value, high: value }
    }

    /// The number, if it is one.
    #[must_use]
    pub fn single(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    const fn is_natural(self) -> bool {
        self.low >= 0
    }

    const fn contains(self, value: i128) -> bool {
        self.low <= value && value <= self.high
    }

    /// What is in both.
    #[must_use]
    pub fn meet(self, other: Self) -> Option<Self> {
        let met = Self { low: self.low.max(other.low), high: self.high.min(other.high) };
        (met.low <= met.high).then_some(met)
    }

    fn hull(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The numbers of a width that these are, modulo its power of two.
    fn wrapped(self, width: u32) -> Self {
        let (modulus, full) = (1_i128 << width, Self::full(width));
        let turns = |value: i128| (value - full.low).div_euclid(modulus);
        if turns(self.low) != turns(self.high) {
            return full;
        }
        let shift = turns(self.low) * modulus;
        Self { low: self.low - shift, high: self.high - shift }
    }

    /// What an operation that is monotone in each operand makes of two intervals.
    fn corners(self, other: Self, of: impl Fn(i128, i128) -> i128) -> Self {
        let all = [of(self.low, other.low), of(self.low, other.high), of(self.high, other.low), of(self.high, other.high)];
        all.into_iter().map(Self::one).reduce(Self::hull).unwrap_or(self)
    }

    /// The remainders, of the sign of the dividend.
    fn remainder(self, by: Self) -> Self {
        if let Some(by) = by.single()
            && by != 0
            && self.low / by == self.high / by
            && (self.low >= 0 || self.high <= 0)
        {
            return Self { low: (self.low % by).min(self.high % by), high: (self.low % by).max(self.high % by) };
        }
        let signed = Self { low: self.low.min(0), high: self.high.max(0) };
        if by.contains(0) {
            return signed;
        }
        let most = by.low.abs().max(by.high.abs()) - 1;
        signed.meet(Self { low: -most, high: most }).unwrap_or(signed)
    }

    /// The same bits read without a sign, if they are one interval then.
    fn unsigned(self, width: u32) -> Option<Self> {
        if self.is_natural() {
            return Some(self);
        }
        let modulus = 1_i128 << width;
        (self.high < 0).then_some(Self { low: self.low + modulus, high: self.high + modulus })
    }
}

/// Where variables lie. One without an interval can be anything.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    known: Rc<BTreeMap<TermId, Interval>>,
}

/// How much of a term may still be looked at.
struct Look {
    depth: u32,
    parts: u32,
}

impl Look {
    /// One part more, if there may be.
    fn enter(&mut self) -> Option<()> {
        self.depth = self.depth.checked_sub(1)?;
        self.parts = self.parts.checked_sub(1)?;
        Some(())
    }
}

impl Ranges {
    /// Says where a variable lies.
    pub fn set(&mut self, variable: TermId, interval: Interval) {
        Rc::make_mut(&mut self.known).insert(variable, interval);
    }

    /// The variables that are said to lie somewhere, oldest first.
    pub fn variables(&self) -> impl Iterator<Item = TermId> + '_ {
        self.known.keys().copied()
    }

    /// Where a term lies; nothing for what is no number, or one that is too wide.
    #[must_use]
    pub fn of(&self, store: &TermStore, term: TermId) -> Option<Interval> {
        self.number(store, term, &mut Look { depth: DEPTH, parts: PARTS })
    }

    /// Whether a condition holds, if that is known.
    #[must_use]
    pub fn truth(&self, store: &TermStore, condition: TermId) -> Option<bool> {
        self.decide(store, condition, &mut Look { depth: DEPTH, parts: PARTS })
    }

    /// Takes it for granted that a condition holds, or that it does not. `false` if that cannot be.
    pub fn assume(&mut self, store: &TermStore, condition: TermId, holds: bool) -> bool {
        self.narrow(store, condition, holds, DEPTH)
    }

    fn number(&self, store: &TermStore, term: TermId, look: &mut Look) -> Option<Interval> {
        let Sort::BitVec(width) = store.sort(term) else { return None };
        if width > WIDEST {
            return None;
        }
        let full = Interval::full(width);
        if look.enter().is_none() {
            return Some(full);
        }
        let found = self.computed(store, term, width, look);
        look.depth += 1;
        Some(found.map_or(full, |found| found.wrapped(width)))
    }

    /// Before it is cut to the width; nothing if it can be anything.
    #[expect(clippy::too_many_lines, reason = "one line or two per operator")]
    fn computed(&self, store: &TermStore, term: TermId, width: u32, look: &mut Look) -> Option<Interval> {
        let args = store.args(term);
        let mut arg = |at: usize| self.number(store, args[at], look);
        match store.op(term) {
            Op::Bits(_) => store.as_signed(term).map(Interval::one),
            Op::Variable { .. } => self.known.get(&term).copied(),
            Op::Ite => match self.decide(store, args[0], look) {
                Some(yes) => self.number(store, args[if yes { 1 } else { 2 }], look),
                None => Some(self.number(store, args[1], look)?.hull(self.number(store, args[2], look)?)),
            },
            Op::Add => (0..args.len()).try_fold(Interval::one(0), |sum, at| {
                let next = arg(at)?;
                Some(Interval { low: sum.low + next.low, high: sum.high + next.high })
            }),
            Op::Mul => {
                let (a, b) = (arg(0)?, arg(1)?);
                // Products of 64 bits fit.
                Some(a.corners(b, |a, b| a * b))
            }
            Op::Neg => arg(0).map(|a| Interval { low: -a.high, high: -a.low }),
            Op::BitNot => arg(0).map(|a| Interval { low: -1 - a.high, high: -1 - a.low }),
            Op::SDiv => {
                let (a, b) = (arg(0)?, arg(1)?);
                (!b.contains(0)).then(|| a.corners(b, |a, b| a / b))
            }
            Op::UDiv => {
                let (a, b) = (arg(0)?, arg(1)?);
                (a.is_natural() && b.low > 0).then(|| a.corners(b, |a, b| a / b))
            }
            Op::SRem => Some(arg(0)?.remainder(arg(1)?)),
            Op::URem => {
                let (a, b) = (arg(0)?, arg(1)?);
                (a.is_natural() && b.is_natural()).then(|| a.remainder(b))
            }
            Op::BitAnd => match (arg(0)?, arg(1)?) {
                (a, b) if a.is_natural() && b.is_natural() => Some(Interval { low: 0, high: a.high.min(b.high) }),
                (a, b) if a.is_natural() || b.is_natural() => {
                    Some(Interval { low: 0, high: if a.is_natural() { a.high } else { b.high } })
                }
                _ => None,
            },
            Op::BitOr | Op::BitXor => {
                let (a, b) = (arg(0)?, arg(1)?);
                let bits = 128 - a.high.max(b.high).leading_zeros();
                (a.is_natural() && b.is_natural()).then(|| Interval { low: 0, high: (1_i128 << bits) - 1 })
            }
            Op::Shl => {
                let (a, by) = (arg(0)?, self.amount(store, args[1], width)?);
                (by < 62).then(|| Interval { low: a.low << by, high: a.high << by })
            }
            Op::AShr => {
                let (a, by) = (arg(0)?, self.amount(store, args[1], width)?);
                Some(Interval { low: a.low >> by, high: a.high >> by })
            }
            Op::LShr => {
                let (a, by) = (arg(0)?, self.amount(store, args[1], width)?);
                a.is_natural().then(|| Interval { low: a.low >> by, high: a.high >> by })
            }
            Op::Extract { low } => arg(0).map(|a| Interval { low: a.low >> low, high: a.high >> low }),
            Op::ZeroExtend => {
                let from = store.width(args[0]);
                let a = arg(0)?;
                Some(a.unsigned(from).unwrap_or(Interval { low: 0, high: (1_i128 << from) - 1 }))
            }
            Op::SignExtend => arg(0),
            _ => None,
        }
    }

    /// By how much a number of a width is shifted, if that is a constant below the width.
    #[expect(clippy::unused_self, reason = "reads as one of the others")]
    fn amount(&self, store: &TermStore, amount: TermId, width: u32) -> Option<u32> {
        let by = u32::try_from(store.as_bits(amount)?).ok()?;
        (by < width).then_some(by)
    }

    fn decide(&self, store: &TermStore, condition: TermId, look: &mut Look) -> Option<bool> {
        look.enter()?;
        let found = self.decided(store, condition, look);
        look.depth += 1;
        found
    }

    fn decided(&self, store: &TermStore, condition: TermId, look: &mut Look) -> Option<bool> {
        let args = store.args(condition);
        match store.op(condition) {
            Op::True => Some(true),
            Op::False => Some(false),
            Op::Not => self.decide(store, args[0], look).map(|holds| !holds),
            op @ (Op::And | Op::Or) => {
                // One of these decides, or all together.
                let decisive = op == Op::Or;
                let mut open = false;
                for arg in args {
                    match self.decide(store, *arg, look) {
                        Some(holds) if holds == decisive => return Some(decisive),
                        Some(_) => {}
                        None => open = true,
                    }
                }
                (!open).then_some(!decisive)
            }
            Op::Ite => match self.decide(store, args[0], look) {
                Some(yes) => self.decide(store, args[if yes { 1 } else { 2 }], look),
                None => {
                    let (yes, no) = (self.decide(store, args[1], look)?, self.decide(store, args[2], look)?);
                    (yes == no).then_some(yes)
                }
            },
            Op::Eq if store.sort(args[0]) == Sort::Bool => {
                Some(self.decide(store, args[0], look)? == self.decide(store, args[1], look)?)
            }
            Op::Eq => {
                let (a, b) = (self.number(store, args[0], look)?, self.number(store, args[1], look)?);
                match a.meet(b) {
                    None => Some(false),
                    Some(_) => (a.single()? == b.single()?).then_some(true),
                }
            }
            Op::SLt => less(self.number(store, args[0], look)?, self.number(store, args[1], look)?),
            Op::ULt => {
                let width = store.width(args[0]);
                let mut side = |at: usize| self.number(store, args[at], look)?.unsigned(width);
                less(side(0)?, side(1)?)
            }
            _ => None,
        }
    }

    fn narrow(&mut self, store: &TermStore, condition: TermId, holds: bool, depth: u32) -> bool {
        match self.truth(store, condition) {
            Some(known) => return known == holds,
            None if depth == 0 => return true,
            None => {}
        }
        let args = store.args(condition);
        match (store.op(condition), holds) {
            (Op::Not, _) => self.narrow(store, args[0], !holds, depth - 1),
            (Op::And, true) | (Op::Or, false) => args.iter().all(|arg| self.narrow(store, *arg, holds, depth - 1)),
            (Op::And, false) | (Op::Or, true) => {
                let undecided = |arg: &&TermId| self.truth(store, **arg) != Some(!holds);
                let mut open = args.iter().filter(undecided);
                match (open.next().copied(), open.next()) {
                    (Some(last), None) => self.narrow(store, last, holds, depth - 1),
                    _ => true,
                }
            }
            (Op::Eq | Op::SLt | Op::ULt, _) => self.compare(store, condition, holds, depth - 1),
            _ => true,
        }
    }

    /// Takes it for granted that two numbers compare so.
    fn compare(&mut self, store: &TermStore, condition: TermId, holds: bool, depth: u32) -> bool {
        let &[left, right] = store.args(condition) else { return true };
        let (Some(mut a), Some(mut b)) = (self.of(store, left), self.of(store, right)) else { return true };
        match (store.op(condition), holds) {
            (Op::Eq, true) => match a.meet(b) {
                Some(met) => (a, b) = (met, met),
                None => return false,
            },
            (Op::Eq, false) => {
                let (was_a, was_b) = (a.single(), b.single());
                a = without(a, was_b);
                b = without(b, was_a);
            }
            // Without signs these compare like numbers that are not negative; what is below one of them is none either.
            (Op::ULt, true) if b.is_natural() => {
                a = Interval { low: a.low.max(0), high: a.high.min(b.high - 1) };
                b.low = b.low.max(a.low + 1);
            }
            (Op::SLt, true) => {
                a.high = a.high.min(b.high - 1);
                b.low = b.low.max(a.low + 1);
            }
            (Op::ULt, false) if a.is_natural() => {
                b = Interval { low: b.low.max(0), high: b.high.min(a.high) };
                a.low = a.low.max(b.low);
            }
            (Op::SLt, false) => {
                a.low = a.low.max(b.low);
                b.high = b.high.min(a.high);
            }
            _ => return true,
        }
        a.low <= a.high && b.low <= b.high && self.put(store, left, a, depth) && self.put(store, right, b, depth)
    }

    /// Takes it for granted that a number lies there.
    fn put(&mut self, store: &TermStore, term: TermId, within: Interval, depth: u32) -> bool {
        let Sort::BitVec(width) = store.sort(term) else { return true };
        if depth == 0 {
            return true;
        }
        let args = store.args(term);
        match store.op(term) {
            Op::Variable { .. } => {
                let known = self.known.get(&term).copied().unwrap_or(Interval::full(width));
                let Some(met) = known.meet(within) else { return false };
                if met != known {
                    self.set(term, met);
                }
                true
            }
            Op::SignExtend => {
                within.meet(Interval::full(store.width(args[0]))).is_some_and(|met| self.put(store, args[0], met, depth - 1))
            }
            Op::ZeroExtend => {
                let from = store.width(args[0]);
                let Some(met) = within.meet(Interval { low: 0, high: (1_i128 << from) - 1 }) else { return false };
                !Interval::full(from).contains(met.high) || self.put(store, args[0], met, depth - 1)
            }
            Op::Add if args.len() == 2 => {
                let constant = (0..2).find_map(|at| Some((store.as_signed(args[at])?, args[1 - at])));
                let Some((constant, other)) = constant else { return true };
                let before = Interval { low: within.low - constant, high: within.high - constant };
                self.put(store, other, before.wrapped(width), depth - 1)
            }
            _ => true,
        }
    }
}

fn less(a: Interval, b: Interval) -> Option<bool> {
    if a.high < b.low {
        Some(true)
    } else if a.low >= b.high {
        Some(false)
    } else {
        None
    }
}

/// An interval without a number at one of its ends.
fn without(all: Interval, value: Option<i128>) -> Interval {
    match value {
        Some(value) if value == all.low => Interval { low: value + 1, ..all },
        Some(value) if value == all.high => Interval { high: value - 1, ..all },
        _ => all,
    }
}
