//! Whether a condition implies another one, both terms: whatever their leaves hold, where the first has its truth value, so has
//! the second.
//!
//! Conjunctions and disjunctions are taken apart until comparisons of one term with constants are left, which are sets of
//! numbers. "No" is always a right answer. Does not know a solver.
//! Source: ALGORITHM.md 4.8, 4.13.

use program::expr::BinaryOp;

use super::{Head, Node, Number, TermId, Terms};
use crate::implication::{Set, mirrored};

/// Questions that one answer may take.
const MOST: u32 = 2_000;

/// A condition with its truth value.
type Literal = (TermId, bool);

/// What a condition is made of.
enum Shape {
    Both(Literal, Literal),
    Either(Literal, Literal),
    Alone,
}

impl Terms<'_> {
    /// Whether the first holds only where the second does.
    pub(crate) fn implies(&self, premise: Literal, conclusion: Literal) -> bool {
        let mut left = MOST;
        self.entails(premise, conclusion, &mut left)
    }

    /// Whether a condition never has a truth value, whatever its leaves hold: numbers are what they are, and no object lies at 0.
    pub(crate) fn never(&self, literal: Literal) -> bool {
        let mut left = MOST;
        self.is_impossible(literal, &mut left)
    }

    fn is_impossible(&self, literal: Literal, left: &mut u32) -> bool {
        let Some(fewer) = left.checked_sub(1) else { return false };
        *left = fewer;
        let at = self.decider(literal.0, literal.1);
        match self.shape(at) {
            Shape::Both(x, y) => self.is_impossible(x, left) || self.is_impossible(y, left),
            Shape::Either(x, y) => self.is_impossible(x, left) && self.is_impossible(y, left),
            Shape::Alone => self.constant_truth(at.0).is_some_and(|truth| truth != at.1),
        }
    }

    /// Whether a condition holds, if that is known: of a number, an address, or a comparison of two numbers.
    fn constant_truth(&self, condition: TermId) -> Option<bool> {
        let nodes = self.nodes.borrow();
        let node = |id: TermId| nodes.get_index(id.0 as usize);
        let number = |id: TermId| match node(id)? {
            Node { head: Head::Int(bits), number: Some(number), .. } => number.whole(*bits),
            _ => None,
        };
        if let Some(value) = number(condition) {
            return Some(value != 0);
        }
        let Node { head, operands, .. } = node(condition)?;
        match (head, operands.as_slice()) {
            (Head::AddressOf, &[mut place]) => loop {
                let Node { head, operands, .. } = node(place)?;
                if matches!(head, Head::Leaf(_)) {
                    return Some(true);
                }
                if !matches!(head, Head::Member(_) | Head::Element(_)) {
                    return None;
                }
                place = *operands.first()?;
            },
            (Head::Binary(op), &[x, y]) => {
                let (value, bound) = (number(x)?, number(y)?);
                Some(Set::Interval(value, value).is_within(&Set::new(*op, bound, true)?))
            }
            (_, _) => None,
        }
    }

    fn entails(&self, premise: Literal, conclusion: Literal, left: &mut u32) -> bool {
        let Some(fewer) = left.checked_sub(1) else { return false };
        *left = fewer;
        let (a, b) = (self.decider(premise.0, premise.1), self.decider(conclusion.0, conclusion.1));
        if a == b {
            return true;
        }
        match (self.shape(a), self.shape(b)) {
            (Shape::Either(x, y), _) => self.entails(x, b, left) && self.entails(y, b, left),
            (_, Shape::Both(x, y)) => self.entails(a, x, left) && self.entails(a, y, left),
            (Shape::Both(x, y), Shape::Alone) => self.entails(x, b, left) || self.entails(y, b, left),
            (Shape::Alone, Shape::Either(x, y)) => self.entails(a, x, left) || self.entails(a, y, left),
            (Shape::Both(x, y), Shape::Either(z, w)) => {
                [x, y].into_iter().any(|part| self.entails(part, b, left))
                    || [z, w].into_iter().any(|part| self.entails(a, part, left))
            }
            (Shape::Alone, Shape::Alone) => self.is_within(a, b),
        }
    }

    fn shape(&self, (condition, truth): Literal) -> Shape {
        let nodes = self.nodes.borrow();
        let Some(Node { head: Head::Binary(op), operands, .. }) = nodes.get_index(condition.0 as usize) else {
            return Shape::Alone;
        };
        match (op, operands.as_slice(), truth) {
            (BinaryOp::LogicalAnd, &[x, y], true) | (BinaryOp::LogicalOr, &[x, y], false) => Shape::Both((x, truth), (y, truth)),
            (BinaryOp::LogicalAnd, &[x, y], false) | (BinaryOp::LogicalOr, &[x, y], true) => {
                Shape::Either((x, truth), (y, truth))
            }
            (_, _, _) => Shape::Alone,
        }
    }

    fn is_within(&self, premise: Literal, conclusion: Literal) -> bool {
        match (self.values(premise), self.values(conclusion)) {
            (Some((x, Values::Whole(p))), Some((y, Values::Whole(q)))) => x == y && p.is_within(&q),
            (Some((x, Values::Real(p))), Some((y, Values::Real(q)))) => x == y && p.is_within(&q),
            (_, _) => false,
        }
    }

    /// The values of a term for which a condition has its truth value: a comparison with a constant, or with zero if it says
    /// nothing else.
    fn values(&self, (condition, truth): Literal) -> Option<(TermId, Values)> {
        let nodes = self.nodes.borrow();
        let node = |id: TermId| nodes.get_index(id.0 as usize);
        let constant = |id: TermId| match node(id)? {
            Node { head: Head::Int(bits), number: Some(number), .. } => number.whole(*bits).map(Constant::Whole),
            Node { head: Head::Float(bits), number: Some(number), .. } => number.real(*bits).map(Constant::Real),
            _ => None,
        };
        let at = node(condition)?;
        if let (Head::Binary(op), &[x, y]) = (&at.head, at.operands.as_slice())
            && let Some((op, term, bound)) = match (constant(x), constant(y)) {
                (None, Some(bound)) => Some((*op, x, bound)),
                (Some(bound), None) => Some((mirrored(*op), y, bound)),
                (None, None) | (Some(_), Some(_)) => None,
            }
        {
            let values = match bound {
                Constant::Whole(bound) => Set::new(op, bound, truth).map(Values::Whole),
                Constant::Real(bound) => Reals::new(op, bound, truth).map(Values::Real),
            };
            if let Some(values) = values {
                // Signed and unsigned numbers are told apart by the type of the term, of which there is one.
                return Some((term, values));
            }
        }
        matches!(at.number, Some(Number::Whole { .. }))
            .then(|| Some((condition, Values::Whole(Set::new(BinaryOp::NotEqual, 0, truth)?))))?
    }
}

enum Constant {
    Whole(i128),
    Real(f64),
}

enum Values {
    Whole(Set),
    Real(Reals),
}

/// Floating-point numbers: those between two bounds, the bounds included or not, or all but one; and perhaps what is no number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reals {
    from: Bound,
    to: Bound,
    /// All but the bounds, which are one number.
    outside: bool,
    nan: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Bound {
    at: f64,
    included: bool,
}

impl Reals {
    /// The numbers for which a comparison with a number has a truth value. What is no number is different from all others, and
    /// neither less nor greater.
    #[allow(clippy::fn_params_excessive_bools, reason = "the flag is the truth of a condition, as edges have it")]
    fn new(op: BinaryOp, bound: f64, truth: bool) -> Option<Self> {
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        let (low, high) = (Bound { at: f64::NEG_INFINITY, included: true }, Bound { at: f64::INFINITY, included: true });
        let (on, beside) = (Bound { at: bound, included: true }, Bound { at: bound, included: false });
        let nan = (op == NotEqual) == truth;
        Some(match (op, truth) {
            (Equal, true) | (NotEqual, false) => Self { from: on, to: on, outside: false, nan },
            (Equal, false) | (NotEqual, true) => Self { from: on, to: on, outside: true, nan },
            (Less, true) | (GreaterEqual, false) => Self { from: low, to: beside, outside: false, nan },
            (LessEqual, true) | (Greater, false) => Self { from: low, to: on, outside: false, nan },
            (Greater, true) | (LessEqual, false) => Self { from: beside, to: high, outside: false, nan },
            (GreaterEqual, true) | (Less, false) => Self { from: on, to: high, outside: false, nan },
            (_, _) => return None,
        })
    }

    fn is_within(&self, other: &Self) -> bool {
        let has = |point: f64| {
            let behind = other.from.at < point || other.from.at == point && other.from.included;
            behind && (point < other.to.at || other.to.at == point && other.to.included)
        };
        let numbers = match (self.outside, other.outside) {
            (true, true) => self.from.at == other.from.at,
            (true, false) => false,
            (false, true) => {
                let before = self.to.at < other.from.at || self.to.at == other.from.at && !self.to.included;
                let behind = other.from.at < self.from.at || self.from.at == other.from.at && !self.from.included;
                before || behind
            }
            (false, false) => {
                let from = has(self.from.at) || self.from.at == other.from.at && !self.from.included;
                let to = has(self.to.at) || self.to.at == other.to.at && !self.to.included;
                from && to
            }
        };
        numbers && (!self.nan || other.nan)
    }
}

impl Number {
    /// The integer that a pattern stands for, if it is not too wide.
    fn whole(self, bits: u128) -> Option<i128> {
        let Self::Whole { width, signed } = self else { return None };
        let shift = 128u32.checked_sub(width).filter(|shift| *shift > 0)?;
        let value = i128::try_from(bits).ok()?;
        Some(if signed { (value << shift) >> shift } else { value })
    }

    /// The number that a pattern stands for, if it is one.
    fn real(self, bits: u128) -> Option<f64> {
        let value = match self {
            Self::Single => f64::from(f32::from_bits(u32::try_from(bits).ok()?)),
            Self::Double => f64::from_bits(u64::try_from(bits).ok()?),
            Self::Whole { .. } => return None,
        };
        (!value.is_nan()).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use program::expr::BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};

    use super::Reals;

    type Holds = fn(f64, f64) -> bool;

    /// Every comparison with every other, against all numbers that could tell them apart.
    #[test]
    fn sets_of_floating_points_are_as_comparisons_say() {
        let points = [f64::NEG_INFINITY, -1.5, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, f64::INFINITY, f64::NAN];
        let bounds = [f64::NEG_INFINITY, -1.0, 0.0, -0.0, 1.0, f64::INFINITY];
        let mut all = Vec::new();
        let comparisons: [(_, Holds); 6] = [
            (Equal, |x, y| x == y),
            (NotEqual, |x, y| x != y),
            (Less, |x, y| x < y),
            (LessEqual, |x, y| x <= y),
            (Greater, |x, y| x > y),
            (GreaterEqual, |x, y| x >= y),
        ];
        for (op, holds) in comparisons {
            for (bound, truth) in bounds.into_iter().flat_map(|bound| [(bound, true), (bound, false)]) {
                let members: Vec<bool> = points.iter().map(|x| holds(*x, bound) == truth).collect();
                all.push((Reals::new(op, bound, truth).unwrap(), members, (op, bound, truth)));
            }
        }
        let mut implied = 0;
        for (a, members, what) in &all {
            for (b, others, other) in &all {
                let is_within = members.iter().zip(others).all(|(x, y)| !x || *y);
                assert!(is_within || !a.is_within(b), "{what:?} does not imply {other:?}");
                implied += usize::from(a.is_within(b));
            }
        }
        assert!(implied > 600, "{implied}");
    }
}
