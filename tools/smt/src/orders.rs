//! Questions about nothing but the order of a few numbers, answered without a solver.
//!
//! A formula whose numbers are variables, constants and choices among them, and that only compares them, depends on how its
//! variables lie among its constants and among each other. So if it holds anywhere it holds where each variable is a constant or
//! lies at most as many steps above one as there are variables: within each half of the range (its ends count as constants, and
//! in a half signed and unsigned order are one) the values between two neighbouring constants can be moved down to the first
//! places there, in their order. All such places are tried, so both answers are exact. Of a question that is about more, the part
//! about order may already say that it does not hold.
//!
//! Knows terms. Does not know who asks, or what else may answer.

#![allow(clippy::wildcard_enum_match_arm, reason = "a question has a few of many operators")]

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::solver::{Answer, Model};
use crate::terms::{Op, Sort, TermId, TermStore, Value, fold};

/// Distinct terms of a question at most.
const TERMS: usize = 300;

/// Variables at most.
const VARIABLES: usize = 4;

/// Evaluations of a term for one question at most.
const EVALUATIONS: usize = 400_000;

/// Places of which it is tried whether what is about more than order holds there, too.
const TRIED: usize = 8;

/// Whether the formulas hold together, with the number of terms that were evaluated; `None` if nobody knows. They do not if those
/// about order alone do not; they do if the others hold, too, in one of the first few places where those do.
#[must_use]
pub fn decide(store: &TermStore, formulas: &[TermId]) -> Option<(Answer, usize)> {
    let conjuncts: Vec<TermId> = formulas.iter().flat_map(|formula| store.conjuncts(*formula)).collect();
    let (ordered, others): (Vec<TermId>, Vec<TermId>) = conjuncts.into_iter().partition(|conjunct| is_ordered(store, *conjunct));
    let question = Question::new(store, &ordered)?;
    let places: Vec<Vec<u128>> = question.variables.iter().map(|at| question.places(*at)).collect();
    let all = places.iter().try_fold(question.order.len(), |all, own| all.checked_mul(own.len()))?;
    if all > EVALUATIONS {
        return None;
    }
    let mut chosen = vec![0_usize; places.len()];
    let mut values = vec![0_u128; question.order.len()];
    let (mut evaluated, mut tried) = (0, 0);
    let size = store.dag_size(&others);
    loop {
        for ((at, own), place) in question.variables.iter().zip(&places).zip(&chosen) {
            values[*at] = own[*place];
        }
        evaluated += question.order.len();
        if question.holds(&mut values) {
            let mut model = question.model(&values);
            evaluated += size;
            if others.is_empty() || hold(store, &others, &mut model) {
                return Some((Answer::Sat(model), evaluated));
            }
            tried += 1;
            if size > TERMS || tried == TRIED {
                return None;
            }
        }
        // The next choice of places, the last variable first.
        let Some(at) = (0..chosen.len()).rev().find(|at| chosen[*at] + 1 < places[*at].len()) else {
            // Where some places were found, it is the others that did not hold there.
            return (tried == 0).then_some((Answer::Unsat(Vec::new()), evaluated));
        };
        chosen[at] += 1;
        chosen[at + 1..].fill(0);
    }
}

/// Whether formulas hold where some of their variables have these values, and the others are zero, which they are given. What
/// is not plain arithmetic does not.
fn hold(store: &TermStore, formulas: &[TermId], model: &mut Model) -> bool {
    let is_plain = |formula: &TermId| !store.features(*formula).floats && !store.features(*formula).arrays;
    if !formulas.iter().all(is_plain) || store.dag_size(formulas) > TERMS {
        return false;
    }
    for variable in store.variables_of(formulas) {
        let Some(zero) = Value::zero(store.sort(variable)) else { return false };
        if model.get(variable).is_none() {
            model.set(variable, zero);
        }
    }
    formulas.iter().all(|formula| store.eval(*formula, model) == Ok(Value::Bool(true)))
}

struct Question<'s> {
    store: &'s TermStore,
    /// All terms, arguments first.
    order: Vec<TermId>,
    /// For each the positions of its arguments.
    arguments: Vec<Vec<usize>>,
    /// Positions of the formulas.
    roots: Vec<usize>,
    /// Positions of the variables.
    variables: Vec<usize>,
    /// Constants of a width.
    constants: BTreeMap<u32, Vec<u128>>,
}

impl<'s> Question<'s> {
    fn new(store: &'s TermStore, formulas: &[TermId]) -> Option<Self> {
        let order = store.post_order(formulas, |_| false);
        let position: FxHashMap<TermId, usize> = order.iter().enumerate().map(|(at, term)| (*term, at)).collect();
        if order.len() > TERMS || !order.iter().all(|term| is_order(store, *term, store.op(*term))) {
            return None;
        }
        let at = |term: &TermId| position.get(term).copied();
        let arguments =
            order.iter().map(|term| store.args(*term).iter().map(at).collect()).collect::<Option<Vec<Vec<usize>>>>()?;
        let roots = formulas.iter().map(at).collect::<Option<Vec<usize>>>()?;
        let is_variable = |at: &usize| matches!(store.op(order[*at]), Op::Variable { .. });
        let variables: Vec<usize> = (0..order.len()).filter(is_variable).collect();
        if variables.len() > VARIABLES {
            return None;
        }
        let mut constants: BTreeMap<u32, Vec<u128>> = BTreeMap::new();
        for term in &order {
            if let (Op::Bits(value), Sort::BitVec(width)) = (store.op(*term), store.sort(*term)) {
                constants.entry(width).or_default().push(value);
            }
        }
        Some(Self { store, order, arguments, roots, variables, constants })
    }

    /// Where a variable may have to lie, what is nearest to zero first.
    fn places(&self, variable: usize) -> Vec<u128> {
        let Sort::BitVec(width) = self.store.sort(self.order[variable]) else { return vec![0, 1] };
        let is_alike = |at: &&usize| self.store.sort(self.order[**at]) == Sort::BitVec(width);
        let above = self.variables.iter().filter(is_alike).count() as u128;
        let mask = fold::mask(width);
        let ends = [0, mask >> 1, (mask >> 1) + 1, mask];
        let bounds = ends.into_iter().chain(self.constants.get(&width).into_iter().flatten().copied());
        let mut places: Vec<u128> =
            bounds.flat_map(|bound| (0..=above).map(move |step| bound.wrapping_add(step) & mask)).collect();
        places.sort_by_key(|place| (fold::to_signed(width, *place).unsigned_abs(), *place));
        places.dedup();
        places
    }

    /// Whether all formulas hold with these values of the variables.
    fn holds(&self, values: &mut [u128]) -> bool {
        for (at, term) in self.order.iter().enumerate() {
            let arguments = &self.arguments[at];
            let of = |number: usize| arguments.get(number).map_or(0, |at| values[*at]);
            let value = match self.store.op(*term) {
                Op::Variable { .. } => continue,
                Op::True => 1,
                Op::Bits(value) => value,
                Op::Not => 1 - of(0),
                Op::And => u128::from(arguments.iter().all(|at| values[*at] == 1)),
                Op::Or => u128::from(arguments.iter().any(|at| values[*at] == 1)),
                Op::Ite => of(if of(0) == 1 { 1 } else { 2 }),
                Op::Eq => u128::from(of(0) == of(1)),
                Op::ULt => u128::from(of(0) < of(1)),
                Op::SLt => {
                    let width = arguments.first().map_or(1, |first| self.store.width(self.order[*first]));
                    u128::from(fold::to_signed(width, of(0)) < fold::to_signed(width, of(1)))
                }
                // Falsehood: nothing else is left.
                _ => 0,
            };
            values[at] = value;
        }
        self.roots.iter().all(|root| values[*root] == 1)
    }

    fn model(&self, values: &[u128]) -> Model {
        let mut model = Model::new();
        for at in &self.variables {
            let value = match self.store.sort(self.order[*at]) {
                Sort::BitVec(width) => Value::Bits { width, value: values[*at] },
                Sort::Bool | Sort::Array { .. } => Value::Bool(values[*at] == 1),
            };
            model.set(self.order[*at], value);
        }
        model
    }
}

/// Whether a formula is about nothing but an order, as far as that is soon seen.
fn is_ordered(store: &TermStore, formula: TermId) -> bool {
    let mut left = TERMS;
    store.visit(&[formula], |term, op| {
        left = if is_order(store, term, op) { left.saturating_sub(1) } else { 0 };
        left > 0
    });
    left > 0
}

/// Whether a term is a number or a truth value that rests on nothing but an order.
fn is_order(store: &TermStore, term: TermId, op: Op) -> bool {
    let is_known = |sort: Sort| match sort {
        Sort::Bool => true,
        Sort::BitVec(width) => width <= 128,
        Sort::Array { .. } => false,
    };
    let is_comparing = matches!(op, Op::Variable { .. } | Op::True | Op::False | Op::Bits(_))
        || matches!(op, Op::Not | Op::And | Op::Or | Op::Ite | Op::Eq | Op::ULt | Op::SLt);
    is_comparing && is_known(store.sort(term))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator of small numbers.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap_or(0) % sides
        }
    }

    fn number(store: &mut TermStore, dice: &mut Dice, variables: &[TermId], depth: usize) -> TermId {
        match dice.roll(if depth == 0 { 3 } else { 5 }) {
            0 | 1 => variables[dice.roll(variables.len())],
            2 => {
                let value = dice.roll(64) as u128;
                store.bits(6, value)
            }
            3 => {
                let (a, b) = (number(store, dice, variables, depth - 1), number(store, dice, variables, depth - 1));
                store.add(a, b)
            }
            _ => {
                let condition = formula(store, dice, variables, depth - 1);
                let (yes, no) = (number(store, dice, variables, depth - 1), number(store, dice, variables, depth - 1));
                store.ite(condition, yes, no)
            }
        }
    }

    fn formula(store: &mut TermStore, dice: &mut Dice, variables: &[TermId], depth: usize) -> TermId {
        if depth == 0 || dice.roll(3) == 0 {
            let (a, b) = (number(store, dice, variables, depth), number(store, dice, variables, depth));
            return match dice.roll(3) {
                0 => store.eq(a, b),
                1 => store.slt(a, b),
                _ => store.ult(a, b),
            };
        }
        let (a, b) = (formula(store, dice, variables, depth - 1), formula(store, dice, variables, depth - 1));
        match dice.roll(3) {
            0 => store.and(&[a, b]),
            1 => store.or(&[a, b]),
            _ => store.not(a),
        }
    }

    /// Against all values there are.
    #[test]
    fn both_answers_are_exact() {
        let (mut held, mut failed) = (0, 0);
        for seed in 0..500 {
            let mut store = TermStore::new();
            let mut dice = Dice(seed);
            let variables: Vec<TermId> = ["x", "y"].map(|name| store.variable(name, Sort::BitVec(6))).to_vec();
            let parts: Vec<TermId> = (0..4).map(|_| formula(&mut store, &mut dice, &variables, 3)).collect();
            let Some((answer, _)) = decide(&store, &parts) else { continue };
            let holds = |x: u128, y: u128| {
                let mut model = Model::new();
                for (variable, value) in variables.iter().zip([x, y]) {
                    model.set(*variable, Value::Bits { width: 6, value });
                }
                parts.iter().all(|part| store.eval(*part, &model).unwrap() == Value::Bool(true))
            };
            match answer {
                Answer::Sat(model) => {
                    held += 1;
                    assert!(parts.iter().all(|part| store.eval(*part, &model).unwrap() == Value::Bool(true)), "seed {seed}");
                }
                Answer::Unsat(_) => {
                    failed += 1;
                    assert!(!(0..64).any(|x| (0..64).any(|y| holds(x, y))), "seed {seed}");
                }
                Answer::Unknown(_) => panic!("seed {seed}"),
            }
        }
        assert!(held > 40 && failed > 40, "{held} {failed}");
    }

    #[test]
    fn sums_hold_where_they_are_seen_to() {
        let mut store = TermStore::new();
        let x = store.variable("x", Sort::BitVec(6));
        let [one, three, five] = [1, 3, 5].map(|value| store.bits(6, value));
        let sum = store.add(x, one);
        let (wraps, less, more) = (store.slt(sum, x), store.slt(x, three), store.slt(five, x));
        // Only the largest number wraps.
        assert_eq!(decide(&store, &[wraps, less]), None);
        // Not solved for the variable, as an equation of sums would be.
        let (below, above) = (store.slt(sum, one), store.slt(one, sum));
        let (below, above) = (store.not(below), store.not(above));
        let Some((Answer::Sat(model), _)) = decide(&store, &[below, above, less]) else { panic!("x is 0") };
        assert_eq!(store.eval(x, &model), Ok(Value::Bits { width: 6, value: 0 }));
        // Whatever else is asked.
        assert!(matches!(decide(&store, &[wraps, less, more]), Some((Answer::Unsat(_), _))));
    }
}
