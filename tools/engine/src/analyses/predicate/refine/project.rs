//! Elimination of inputs from a conjunction of literals.
//!
//! Exact where an equation or a pair of bounds defines the input; otherwise the literals that mention it are dropped, or,
//! on request, the input is replaced by its value in a model (then the conjunction stays strong enough, but is special).

use smt::{Op, Sort, TermId, TermStore, Value};

use super::implicant::Values;

/// What happens to inputs that no equation or bound defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// Literals that mention them are dropped.
    Drop,
    /// They get their value in the model.
    Instantiate,
}

/// The literals without inputs.
pub fn project(store: &mut TermStore, mut literals: Vec<TermId>, values: &mut Values, leftover: Leftover) -> Vec<TermId> {
    let mut inputs: Vec<TermId> = store.variables_of(&literals);
    inputs.retain(|variable| store.is_input(*variable));
    // Equations bring in no new inputs that are not in the list, so one pass over it in any order ends.
    for input in inputs {
        literals = eliminate(store, literals, input, values, leftover);
    }
    literals.retain(|literal| store.as_bool(*literal).is_none());
    literals.sort_unstable();
    literals.dedup();
    literals
}

fn eliminate(
    store: &mut TermStore,
    literals: Vec<TermId>,
    input: TermId,
    values: &mut Values,
    leftover: Leftover,
) -> Vec<TermId> {
    let (with, mut rest): (Vec<TermId>, Vec<TermId>) =
        literals.into_iter().partition(|literal| store.variables(*literal).contains(&input));
    let definition = with.iter().enumerate().find_map(|(at, literal)| Some((at, solve(store, *literal, input)?)));
    if let Some((at, value)) = definition {
        for (other, literal) in with.into_iter().enumerate() {
            if other != at {
                rest.push(store.substitute(literal, &[(input, value)]));
            }
        }
        return rest;
    }
    if leftover == Leftover::Instantiate
        && let Some(value) = constant(store, input, values)
    {
        for literal in with {
            rest.push(store.substitute(literal, &[(input, value)]));
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
fn resolve_bounds(store: &mut TermStore, with: &[TermId], input: TermId) -> Vec<TermId> {
    let mut below = Vec::new();
    let mut above = Vec::new();
    for literal in with {
        let (atom, negated) = store.without_not(*literal);
        let op = store.op(atom);
        if !matches!(op, Op::SLt | Op::ULt) {
            continue;
        }
        let signed = op == Op::SLt;
        let (left, right) = (store.args(atom)[0], store.args(atom)[1]);
        // `not (l < r)` is `r <= l`.
        let (low, high, strict) = if negated { (right, left, false) } else { (left, right, true) };
        let inside = |store: &TermStore, t: TermId| store.variables(t).contains(&input);
        if high == input && !inside(store, low) {
            below.push((low, strict, signed));
        } else if low == input && !inside(store, high) {
            above.push((high, strict, signed));
        }
    }
    let mut resolved = Vec::new();
    for (low, low_strict, low_signed) in &below {
        for (high, high_strict, high_signed) in &above {
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
            resolved.push(literal);
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::terms::{Assignment, Input, Symbol, Which};

    fn input(store: &mut TermStore) -> TermId {
        let sort = Sort::BitVec(8);
        store.symbol_variable(Symbol::Input(Input { at: None, which: Which::Counted(0), sort }), sort)
    }

    #[test]
    fn an_equation_defines_the_input() {
        let mut store = TermStore::new();
        let input = input(&mut store);
        let x = store.variable("x", Sort::BitVec(8));
        let y = store.variable("y", Sort::BitVec(8));
        let sum = store.add(input, y);
        let first = store.eq(sum, x);
        let three = store.bits(8, 3);
        let second = store.eq(input, three);
        let none = Assignment::new();
        let literals = vec![first, second];
        let projected = project(&mut store, literals, &mut Values::new(&none), Leftover::Drop);
        assert_eq!(projected.len(), 1);
        assert_eq!(store.variables(projected[0]), vec![x, y]);
    }

    #[test]
    fn bounds_meet() {
        let mut store = TermStore::new();
        let input = input(&mut store);
        let x = store.variable("x", Sort::BitVec(8));
        let y = store.variable("y", Sort::BitVec(8));
        let low = store.sle(x, input);
        let high = store.sle(input, y);
        let none = Assignment::new();
        let literals = vec![low, high];
        let projected = project(&mut store, literals, &mut Values::new(&none), Leftover::Drop);
        let expected = store.sle(x, y);
        assert_eq!(projected, vec![expected]);
    }
}
