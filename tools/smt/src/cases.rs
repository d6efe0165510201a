//! Questions with products, by cases: whether a factor is the number that the question compares it with.
//!
//! A program that treats a number of its own (`if (m == 0)`) and multiplies it elsewhere makes questions in which a product is one
//! of two things. By cases the product is another term, or none, and what is left is often decided by the forms of sums; as one
//! question it has to be worked out bit by bit.
//!
//! Knows terms. Does not know who answers.

#![expect(clippy::wildcard_enum_match_arm, reason = "few operators say something of factors")]

use crate::solver::Model;
use crate::terms::{Op, Sort, TermId, TermStore, Value};

/// Terms of a question at most that cases are looked for in.
const LARGEST: usize = 400;

/// A question as two: in the first a factor is a number, in the second it is another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cases {
    /// The factor.
    pub factor: TermId,
    /// What it is in the first.
    pub number: TermId,
    /// Conjuncts of both.
    pub formulas: [Vec<TermId>; 2],
}

/// The cases of formulas that are to hold together, if there is a product of variables one of which is compared with a number.
pub fn cases(store: &mut TermStore, formulas: &[TermId]) -> Option<Cases> {
    let (mut terms, mut products, mut equations) = (0, Vec::new(), Vec::new());
    store.visit(formulas, |term, op| {
        terms += 1;
        match op {
            Op::Mul => products.push(term),
            Op::Eq => equations.push(term),
            _ => {}
        }
        terms <= LARGEST
    });
    if terms > LARGEST {
        return None;
    }
    let is_variable = |term: TermId| matches!(store.op(term), Op::Variable { .. });
    let multiplied = |factor: TermId| {
        let has =
            |product: &TermId| store.args(*product).contains(&factor) && store.args(*product).iter().all(|arg| is_variable(*arg));
        products.iter().any(has)
    };
    let (atom, factor, number) = equations.iter().find_map(|equation| {
        let &[a, b] = store.args(*equation) else { return None };
        let (factor, number) = if store.as_bits(b).is_some() { (a, b) } else { (b, a) };
        let counts = is_variable(factor) && store.as_bits(number).is_some() && multiplied(factor);
        counts.then_some((*equation, factor, number))
    })?;
    let (no, other) = (store.ff(), store.not(atom));
    let first = formulas.iter().map(|formula| store.substitute(*formula, &[(factor, number)])).collect();
    let mut second: Vec<TermId> = formulas.iter().map(|formula| store.substitute(*formula, &[(atom, no)])).collect();
    second.push(other);
    Some(Cases { factor, number, formulas: [first, second] })
}

/// Gives a value to all variables of formulas that a model of a case has none for; `None` if one is no number.
#[must_use]
pub fn completed(store: &TermStore, formulas: &[TermId], mut model: Model) -> Option<Model> {
    for variable in store.variables_of(formulas) {
        if model.get(variable).is_some() {
            continue;
        }
        match store.sort(variable) {
            Sort::Bool => model.set(variable, Value::Bool(false)),
            Sort::BitVec(width) => model.set(variable, Value::Bits { width, value: 0 }),
            Sort::Array { .. } => return None,
        }
    }
    Some(model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::Assignment;

    fn draw(state: &mut u64, below: u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % below
    }

    fn number(store: &mut TermStore, state: &mut u64, depth: u32, of: [TermId; 3]) -> TermId {
        if depth == 0 {
            let constant = u128::from(draw(state, 16));
            return match draw(state, 4) {
                3 => store.bits(4, constant),
                variable => of[variable as usize],
            };
        }
        let [a, b] = [0, 1].map(|_| number(store, state, depth - 1, of));
        match draw(state, 4) {
            0 => store.mul(of[0], of[1]),
            1 => store.add(a, b),
            2 => store.mul(a, b),
            _ => {
                let condition = formula(store, state, 0, of);
                store.ite(condition, a, b)
            }
        }
    }

    fn formula(store: &mut TermStore, state: &mut u64, depth: u32, of: [TermId; 3]) -> TermId {
        if depth == 0 {
            let constant = store.bits(4, u128::from(draw(state, 4)));
            let [a, b] = [0, 1].map(|_| number(store, state, 1, of));
            return match draw(state, 4) {
                0 => store.eq(of[0], constant),
                1 => store.eq(of[1], constant),
                2 => store.slt(a, b),
                _ => store.eq(a, b),
            };
        }
        let [a, b] = [0, 1].map(|_| formula(store, state, depth - 1, of));
        match draw(state, 3) {
            0 => store.and(&[a, b]),
            1 => store.or(&[a, b]),
            _ => store.not(a),
        }
    }

    fn values(of: [TermId; 3], number: u128) -> Assignment {
        let mut values = Assignment::new();
        for (at, variable) in of.into_iter().enumerate() {
            values.set(variable, Value::Bits { width: 4, value: number >> (4 * at) & 15 });
        }
        values
    }

    #[test]
    fn a_question_holds_where_one_of_its_cases_does() {
        let mut state = 7;
        let mut split = 0;
        for _ in 0..150 {
            let mut store = TermStore::new();
            let of = ["m", "n", "k"].map(|name| store.variable(name, Sort::BitVec(4)));
            let formulas = [0, 1].map(|_| formula(&mut store, &mut state, 2, of));
            let Some(cases) = cases(&mut store, &formulas) else { continue };
            split += 1;
            let holds = |all: &[TermId], values: &Assignment| {
                all.iter().all(|one| store.eval(*one, values).unwrap().as_bool() == Some(true))
            };
            let chosen = store.as_bits(cases.number).unwrap();
            for number in 0..1 << 12 {
                let values = values(of, number);
                let is_first = values.get(cases.factor).unwrap().as_bits() == Some(chosen);
                let [first, second] = &cases.formulas;
                let is_held = holds(&formulas, &values);
                assert!(!holds(second, &values) || is_held && !is_first);
                assert!(!is_held || if is_first { holds(first, &values) } else { holds(second, &values) });
                // What the first says holds whatever the factor is there.
                let mut other = values.clone();
                other.set(cases.factor, Value::Bits { width: 4, value: chosen });
                assert_eq!(holds(first, &values), holds(&formulas, &other));
            }
        }
        assert!(split > 15, "{split}");
    }

    #[test]
    fn models_of_a_case_get_a_value_for_every_variable() {
        let mut store = TermStore::new();
        let (x, flag) = (store.variable("x", Sort::BitVec(8)), store.variable("flag", Sort::Bool));
        let array = store.variable("a", Sort::Array { index: 32, element: 8 });
        let mut model = Model::new();
        model.set(x, Value::Bits { width: 8, value: 3 });
        let whole = completed(&store, &[x, flag], model.clone()).unwrap();
        assert_eq!((whole.get(x).unwrap().as_bits(), whole.get(flag).unwrap().as_bool()), (Some(3), Some(false)));
        assert_eq!(completed(&store, &[x, array], model), None);
    }
}
