//! Elimination of inputs from a conjunction of literals.
//!
//! Exact where an equation or a pair of bounds defines the input; otherwise the literals that mention it are dropped, or,
//! on request, the input is replaced by its value in a model (then the conjunction stays strong enough, but is special).

use std::collections::BTreeSet;

use smt::{Op, Sort, TermId, TermStore, Value};

use super::implicant::Values;
use crate::explore::is_input;

/// A literal and the literals of the next border it stems from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sourced {
    /// The literal.
    pub literal: TermId,
    /// Positions of its origins at the next border.
    pub origins: BTreeSet<usize>,
}

/// What happens to inputs that no equation or bound defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// Literals that mention them are dropped.
    Drop,
    /// They get their value in the model.
    Instantiate,
}

/// The literals without inputs.
pub fn project(store: &mut TermStore, mut literals: Vec<Sourced>, values: &mut Values, leftover: Leftover) -> Vec<Sourced> {
    loop {
        let Some(input) = literals.iter().flat_map(|l| store.variables(l.literal)).find(|v| is_input(store, *v)) else {
            break;
        };
        literals = eliminate(store, literals, input, values, leftover);
    }
    let mut kept: Vec<Sourced> = Vec::with_capacity(literals.len());
    for literal in literals {
        if store.as_bool(literal.literal).is_some() {
            continue;
        }
        match kept.iter_mut().find(|k| k.literal == literal.literal) {
            Some(known) => known.origins.extend(literal.origins),
            None => kept.push(literal),
        }
    }
    kept
}

fn eliminate(
    store: &mut TermStore,
    literals: Vec<Sourced>,
    input: TermId,
    values: &mut Values,
    leftover: Leftover,
) -> Vec<Sourced> {
    let (with, mut rest): (Vec<Sourced>, Vec<Sourced>) =
        literals.into_iter().partition(|l| store.variables(l.literal).contains(&input));
    let definition = with.iter().enumerate().find_map(|(at, l)| Some((at, solve(store, l.literal, input)?)));
    if let Some((at, value)) = definition {
        let origins = with[at].origins.clone();
        for (other, mut literal) in with.into_iter().enumerate() {
            if other != at {
                literal.literal = store.substitute(literal.literal, &[(input, value)]);
                literal.origins.extend(origins.iter().copied());
                rest.push(literal);
            }
        }
        return rest;
    }
    if leftover == Leftover::Instantiate
        && let Some(value) = constant(store, input, values)
    {
        for mut literal in with {
            literal.literal = store.substitute(literal.literal, &[(input, value)]);
            rest.push(literal);
        }
        return rest;
    }
    rest.extend(resolve_bounds(store, &with, input));
    rest
}

/// The value of an input in the model as a term.
fn constant(store: &mut TermStore, input: TermId, values: &mut Values) -> Option<TermId> {
    match values.of(store, input)? {
        Value::Bool(value) => Some(store.bool(value)),
        Value::Bits { width, value } => Some(store.bits(width, value)),
        Value::Array(_) => None,
    }
}

/// The term that an equation makes an input equal to.
fn solve(store: &mut TermStore, literal: TermId, input: TermId) -> Option<TermId> {
    if literal == input {
        return Some(store.tt());
    }
    if store.not(literal) == input {
        return Some(store.ff());
    }
    if store.op(literal) != Op::Eq {
        return None;
    }
    let args = store.args(literal).to_vec();
    let mentions = |store: &TermStore, term: TermId| store.variables(term).contains(&input);
    for (side, other) in [(args[0], args[1]), (args[1], args[0])] {
        if mentions(store, other) {
            continue;
        }
        if side == input {
            return Some(other);
        }
        if store.op(side) == Op::Add {
            let parts = store.args(side).to_vec();
            let rest: Vec<TermId> = parts.iter().copied().filter(|p| *p != input).collect();
            if rest.len() + 1 == parts.len() && !rest.iter().any(|p| mentions(store, *p)) {
                return Some(rest.into_iter().fold(other, |value, part| store.sub(value, part)));
            }
        }
    }
    None
}

/// `a <= c` for each pair `a <= input`, `input <= c`; strict if one of the two is.
fn resolve_bounds(store: &mut TermStore, with: &[Sourced], input: TermId) -> Vec<Sourced> {
    let mut below = Vec::new();
    let mut above = Vec::new();
    for sourced in with {
        let (atom, negated) = store.without_not(sourced.literal);
        let signed = match store.op(atom) {
            Op::SLt => true,
            Op::ULt => false,
            _ => continue,
        };
        let (left, right) = (store.args(atom)[0], store.args(atom)[1]);
        // `not (l < r)` is `r <= l`.
        let (low, high, strict) = if negated { (right, left, false) } else { (left, right, true) };
        let inside = |store: &TermStore, t: TermId| store.variables(t).contains(&input);
        if high == input && !inside(store, low) {
            below.push((low, strict, signed, sourced.origins.clone()));
        } else if low == input && !inside(store, high) {
            above.push((high, strict, signed, sourced.origins.clone()));
        }
    }
    let mut resolved = Vec::new();
    for (low, low_strict, low_signed, low_origins) in &below {
        for (high, high_strict, high_signed, high_origins) in &above {
            if low_signed != high_signed || !matches!(store.sort(*low), Sort::BitVec(_)) {
                continue;
            }
            let strict = *low_strict || *high_strict;
            let literal = match (strict, *low_signed) {
                (true, true) => store.slt(*low, *high),
                (true, false) => store.ult(*low, *high),
                (false, true) => store.sle(*low, *high),
                (false, false) => store.ule(*low, *high),
            };
            let origins = low_origins.union(high_origins).copied().collect();
            resolved.push(Sourced { literal, origins });
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::terms::Assignment;

    #[test]
    fn an_equation_defines_the_input() {
        let mut store = TermStore::new();
        let input = store.variable("in!1", Sort::BitVec(8));
        let x = store.variable("x", Sort::BitVec(8));
        let y = store.variable("y", Sort::BitVec(8));
        let sum = store.add(input, y);
        let first = store.eq(sum, x);
        let three = store.bits(8, 3);
        let second = store.eq(input, three);
        let none = Assignment::new();
        let literals = [first, second].map(|literal| Sourced { literal, origins: BTreeSet::new() }).to_vec();
        let projected = project(&mut store, literals, &mut Values::new(&none), Leftover::Drop);
        assert_eq!(projected.len(), 1);
        assert_eq!(store.variables(projected[0].literal), vec![x, y]);
    }

    #[test]
    fn bounds_meet() {
        let mut store = TermStore::new();
        let input = store.variable("in!1", Sort::BitVec(8));
        let x = store.variable("x", Sort::BitVec(8));
        let y = store.variable("y", Sort::BitVec(8));
        let low = store.sle(x, input);
        let high = store.sle(input, y);
        let none = Assignment::new();
        let literals = [low, high].map(|literal| Sourced { literal, origins: BTreeSet::new() }).to_vec();
        let projected = project(&mut store, literals, &mut Values::new(&none), Leftover::Drop);
        let expected = store.sle(x, y);
        assert_eq!(projected.iter().map(|p| p.literal).collect::<Vec<_>>(), vec![expected]);
    }
}
