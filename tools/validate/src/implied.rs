//! Whether a condition of the modified program implies one of the original, both taken apart into terms.
//!
//! Each side is a tree of "and" and "or" over literals. A literal of a comparison with a constant is a set of numbers: ranges of
//! integers, or of floating-point numbers counted in their order, and perhaps what is no number.
//! Does not know whether what the terms read agrees.

use program::cfa::Cfa;
use program::expr::{BinaryOp, Expr, ExprId};
use program::types::{FloatKind, Type};

use crate::same::Same;
use crate::terms::{Term, decider};

/// Pairs of parts that are looked at.
const MOST: u32 = 20_000;

/// A term with the truth value that it has.
type Literal<'t> = (&'t Term, bool);

/// Asks about two programs.
pub(crate) struct Implied<'s, 'a> {
    same: &'s mut Same<'a>,
    left: u32,
}

impl<'s, 'a> Implied<'s, 'a> {
    pub(crate) fn new(same: &'s mut Same<'a>) -> Self {
        Self { same, left: MOST }
    }

    /// Whether the second literal holds wherever the first does.
    pub(crate) fn implies(&mut self, mine: Literal<'_>, theirs: Literal<'_>) -> bool {
        let (modified, original) = (self.same.modified, self.same.original);
        let (a, b) = (decider(modified, mine.0, mine.1), decider(original, theirs.0, theirs.1));
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        if a.1 == b.1 && is_same(self.same, a.0, b.0) {
            return true;
        }
        if let Some(alternatives) = parts(modified, a, false) {
            return alternatives.into_iter().all(|part| self.implies(part, b));
        }
        if let Some(conjuncts) = parts(original, b, true) {
            return conjuncts.into_iter().all(|part| self.implies(a, part));
        }
        let (conjuncts, alternatives) = (parts(modified, a, true), parts(original, b, false));
        conjuncts.into_iter().flatten().any(|part| self.implies(part, b))
            || alternatives.into_iter().flatten().any(|part| self.implies(a, part))
            || self.lies_within(a, b)
    }

    /// Whether both are comparisons of one term with constants, and the numbers of the first are among those of the second.
    fn lies_within(&mut self, mine: Literal<'_>, theirs: Literal<'_>) -> bool {
        let (modified, original) = (self.same.modified, self.same.original);
        let readings = |cfa: &Cfa, literal| [compared(cfa, literal), tested(cfa, literal)];
        for (term, numbers) in readings(modified, mine).into_iter().flatten() {
            for (other, others) in readings(original, theirs).into_iter().flatten() {
                if numbers.are_among(&others) && is_same(self.same, term, other) {
                    return true;
                }
            }
        }
        false
    }
}

/// Whether a literal of one program never holds, whatever its leaves are: numbers are what they are, and no object lies at 0.
pub(crate) fn is_impossible(cfa: &Cfa, literal: Literal<'_>) -> bool {
    let at = decider(cfa, literal.0, literal.1);
    if let Some(conjuncts) = parts(cfa, at, true) {
        return conjuncts.into_iter().any(|part| is_impossible(cfa, part));
    }
    if let Some(alternatives) = parts(cfa, at, false) {
        return alternatives.into_iter().all(|part| is_impossible(cfa, part));
    }
    settled(cfa, at.0).is_some_and(|truth| truth != at.1)
}

/// What a condition is that reads nothing.
fn settled(cfa: &Cfa, condition: &Term) -> Option<bool> {
    if let Expr::AddressOf(_) = cfa.exprs.get(condition.head) {
        return is_of_object(cfa, condition.operands.first()?).then_some(true);
    }
    let whole = |term: &Term| place(cfa, term.head).and_then(|(real, at)| (!real).then_some(at));
    if let Some(number) = whole(condition) {
        return Some(number != 0);
    }
    let (Expr::Binary(op, ..), [x, y]) = (*cfa.exprs.get(condition.head), condition.operands.as_slice()) else { return None };
    let (a, b) = (whole(x)?, whole(y)?);
    let one = Numbers { real: false, ranges: vec![(a, a)], nan: false };
    Some(one.are_among(&passing(op, (false, b), false)?))
}

/// Whether a place is an object of the program or a part of one, not what a pointer leads to.
fn is_of_object(cfa: &Cfa, place: &Term) -> bool {
    let at = cfa.exprs.get(place.head);
    let is_part = matches!(at, Expr::Field(..) | Expr::Index(..));
    matches!(at, Expr::Variable(_)) || is_part && place.operands.first().is_some_and(|outer| is_of_object(cfa, outer))
}

/// Whether two terms are the same tree over what is the same in both programs.
pub(crate) fn is_same(same: &mut Same, mine: &Term, theirs: &Term) -> bool {
    same.same_heads(mine.head, theirs.head)
        && mine.operands.len() == theirs.operands.len()
        && mine.operands.iter().zip(&theirs.operands).all(|(x, y)| is_same(same, x, y))
}

/// The parts of a conjunction, or of a disjunction, if the literal is one.
#[allow(clippy::fn_params_excessive_bools, reason = "which of the two is asked for")]
fn parts<'t>(cfa: &Cfa, (term, truth): Literal<'t>, conjunction: bool) -> Option<[Literal<'t>; 2]> {
    let Expr::Binary(op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), ..) = *cfa.exprs.get(term.head) else { return None };
    let [x, y] = term.operands.as_slice() else { return None };
    // A disjunction that is false is a conjunction of what is false.
    ((op == BinaryOp::LogicalAnd) == truth).eq(&conjunction).then_some([(x, truth), (y, truth)])
}

/// A set of numbers by ranges of their places in the order, and whether what is no number belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Numbers {
    real: bool,
    ranges: Vec<(i128, i128)>,
    nan: bool,
}

impl Numbers {
    fn are_among(&self, others: &Self) -> bool {
        let inside =
            |&(low, high): &(i128, i128)| low > high || others.ranges.iter().any(|(from, to)| *from <= low && high <= *to);
        self.real == others.real && self.ranges.iter().all(inside) && (others.nan || !self.nan)
    }
}

/// Beyond all places.
const END: i128 = i128::MAX / 2;

/// A comparison with a constant: the term and its numbers.
fn compared<'t>(cfa: &Cfa, (term, truth): Literal<'t>) -> Option<(&'t Term, Numbers)> {
    let Expr::Binary(op, ..) = *cfa.exprs.get(term.head) else { return None };
    let [x, y] = term.operands.as_slice() else { return None };
    let (value, (real, at), swapped) = match (place(cfa, x.head), place(cfa, y.head)) {
        (None, Some(constant)) => (x, constant, false),
        (Some(constant), None) => (y, constant, true),
        (_, _) => return None,
    };
    let numbers = passing(op, (real, at), swapped)?;
    Some((value, if truth { numbers } else { numbers.others() }))
}

/// The numbers that a comparison with a constant holds for, which stands on the right, or on the left where they are swapped.
#[allow(clippy::fn_params_excessive_bools, reason = "one says what the constant is, one where it stands")]
fn passing(op: BinaryOp, (real, at): (bool, i128), swapped: bool) -> Option<Numbers> {
    let (below, above) = ((-END, at - 1), (at + 1, END));
    let (ranges, nan) = match op {
        BinaryOp::Equal => (vec![(at, at)], false),
        BinaryOp::NotEqual => (vec![below, above], true),
        BinaryOp::Less if swapped => (vec![above], false),
        BinaryOp::Less => (vec![below], false),
        BinaryOp::LessEqual if swapped => (vec![(at, END)], false),
        BinaryOp::LessEqual => (vec![(-END, at)], false),
        BinaryOp::Greater if swapped => (vec![below], false),
        BinaryOp::Greater => (vec![above], false),
        BinaryOp::GreaterEqual if swapped => (vec![(-END, at)], false),
        BinaryOp::GreaterEqual => (vec![(at, END)], false),
        BinaryOp::Add
        | BinaryOp::Subtract
        | BinaryOp::Multiply
        | BinaryOp::Divide
        | BinaryOp::Remainder
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::LogicalAnd
        | BinaryOp::LogicalOr => return None,
    };
    Some(Numbers { real, ranges, nan: nan && real })
}

impl Numbers {
    /// All that are not in the set.
    fn others(&self) -> Self {
        let mut ranges = Vec::new();
        let mut from = -END;
        for &(low, high) in &self.ranges {
            if low > from {
                ranges.push((from, low - 1));
            }
            from = high + 1;
        }
        if from <= END {
            ranges.push((from, END));
        }
        Self { real: self.real, ranges, nan: self.real && !self.nan }
    }
}

/// A term that is an integer, as a comparison with zero.
fn tested<'t>(cfa: &Cfa, (term, truth): Literal<'t>) -> Option<(&'t Term, Numbers)> {
    let is_integer = matches!(cfa.types.get(cfa.exprs.ty(term.head)), Type::Int { .. } | Type::Bool);
    let zero = Numbers { real: false, ranges: vec![(0, 0)], nan: false };
    is_integer.then(|| (term, if truth { zero.others() } else { zero }))
}

/// The place of a constant in the order of the numbers of its type, and whether it has a floating point.
fn place(cfa: &Cfa, constant: ExprId) -> Option<(bool, i128)> {
    match (*cfa.exprs.get(constant), cfa.types.get(cfa.exprs.ty(constant))) {
        (Expr::Int(bits), Type::Int { rank, signed }) => {
            let width = u32::try_from(cfa.machine.int_size(*rank) * 8).ok().filter(|width| *width <= 64)?;
            let value = i128::try_from(bits).ok()?;
            let is_negative = *signed && value >> (width - 1) & 1 == 1;
            Some((false, if is_negative { value - (1 << width) } else { value }))
        }
        (Expr::Int(bits), Type::Bool) => Some((false, i128::try_from(bits).ok()?)),
        (Expr::Float(bits), Type::Float(kind)) => {
            let value = match kind {
                FloatKind::Float => f64::from(f32::from_bits(u32::try_from(bits).ok()?)),
                FloatKind::Double => f64::from_bits(u64::try_from(bits).ok()?),
                FloatKind::LongDouble | FloatKind::Float128 => return None,
            };
            // Both zeros are one place; the sign and the rest of the pattern are the order of all others.
            let size = i128::from(value.abs().to_bits());
            (!value.is_nan()).then_some((true, if value < 0.0 { -size } else { size }))
        }
        (_, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{END, Numbers};

    #[test]
    fn the_others_of_the_others_are_the_numbers() {
        for ranges in [vec![(3, 3)], vec![(-END, 2)], vec![(4, END)], vec![(-END, 2), (4, END)], vec![(-END, END)]] {
            let numbers = Numbers { real: true, ranges, nan: true };
            assert_eq!(numbers.others().others(), numbers);
            assert!(!numbers.others().nan && !numbers.are_among(&numbers.others()));
        }
    }
}
