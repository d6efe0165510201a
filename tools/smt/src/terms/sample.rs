//! Refutation by example: whether a few assignments already tell two formulas apart.
//!
//! Most questions about implications are answered "no", and most of these by the first values one would try. A term is evaluated
//! in microseconds, a solver is made in a millisecond. What is found is a countermodel; that none is found says nothing.

use std::collections::BTreeSet;

use super::{Assignment, Op, Sort, TermId, TermStore, Value, mask};

/// Assignments that are tried.
const ROUNDS: u64 = 64;

/// Terms of more distinct parts than this are left to the solver.
const LARGEST: usize = 2_000;

impl TermStore {
    /// Whether one of a few assignments, the same ones each time, makes the premise true and the conclusion false.
    #[must_use]
    pub fn is_refuted(&self, premise: TermId, conclusion: TermId) -> bool {
        if self.dag_size(&[premise, conclusion]) > LARGEST {
            return false;
        }
        let all = self.interesting(&[premise, conclusion]);
        let variables = self.variables_of(&[premise, conclusion]);
        let reads = self.reads(&[premise, conclusion]);
        (0..ROUNDS).any(|round| {
            let mut assignment = Assignment::new();
            // Where there are few values, what is compared is often the same.
            let pool = if round.is_multiple_of(2) { all.clone() } else { vec![pick(&all, round), pick(&all, !round)] };
            for (number, variable) in (0..).zip(&variables) {
                if let Some(value) = sample(self.sort(*variable), &pool, mixed(round, number)) {
                    assignment.set(*variable, value);
                }
            }
            for (array, index) in &reads {
                self.fill(&mut assignment, (*array, *index), &pool, round);
            }
            let is = |term, truth| self.eval(term, &assignment).is_ok_and(|value| value == Value::Bool(truth));
            is(conclusion, false) && is(premise, true)
        })
    }

    /// The reads of array variables, with their indices; those that others depend on come first.
    fn reads(&self, terms: &[TermId]) -> Vec<(TermId, TermId)> {
        let mut found = Vec::new();
        self.visit(terms, |term, op| {
            if let (Op::Select, [array, index]) = (op, self.args(term))
                && matches!(self.op(*array), Op::Variable { .. })
            {
                found.push((term, *array, *index));
            }
            true
        });
        found.sort_unstable();
        found.into_iter().map(|(_, array, index)| (array, index)).collect()
    }

    /// Gives the element that is read a value of its own.
    fn fill(&self, assignment: &mut Assignment, (array, index): (TermId, TermId), pool: &[u128], round: u64) {
        let Ok(Value::Bits { value: at, .. }) = self.eval(index, assignment) else { return };
        let Some(Value::Array(mut content)) = assignment.get(array).cloned() else { return };
        let number = u64::from(array.number()) << 16 ^ (at as u64) ^ 1 << 63;
        if let Some(Value::Bits { value, .. }) = sample(Sort::BitVec(content.element), pool, mixed(round, number)) {
            content.entries.entry(at).or_insert(value);
        }
        assignment.set(array, Value::Array(content));
    }

    /// The constants of some terms and their neighbours.
    fn interesting(&self, terms: &[TermId]) -> Vec<u128> {
        let mut found = BTreeSet::from([0, 1, u128::MAX]);
        self.visit(terms, |_, op| {
            if let Op::Bits(value) = op {
                found.extend([value, value.wrapping_add(1), value.wrapping_sub(1)]);
            }
            true
        });
        found.into_iter().collect()
    }
}

/// A value of a sort: mostly one of the pool, now and then any.
fn sample(sort: Sort, pool: &[u128], random: u64) -> Option<Value> {
    let mut value = Value::zero(sort)?;
    let any = u128::from(random) << 64 | u128::from(mixed(random, 1));
    let chosen = if random.is_multiple_of(8) { any } else { pick(pool, random) };
    match &mut value {
        Value::Bool(truth) => *truth = chosen & 1 == 1,
        Value::Bits { width, value } => *value = chosen & mask(*width),
        Value::Array(array) => array.default = chosen & mask(array.element),
    }
    Some(value)
}

fn pick(pool: &[u128], random: u64) -> u128 {
    let index = usize::try_from(mixed(random, 2) >> 8).unwrap_or(0) % pool.len();
    pool[index]
}

/// A hash of two numbers (the finaliser of splitmix64).
fn mixed(round: u64, number: u64) -> u64 {
    let mut bits = (round << 48 ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use crate::terms::{Role, Sort, TermStore};

    #[test]
    fn only_what_does_not_follow_is_refuted() {
        let mut store = TermStore::new();
        let x = store.fresh_variable(Role::Arbitrary, 0, Sort::BitVec(32));
        let [three, five] = [3, 5].map(|value| store.bits(32, value));
        let (below, equal) = (store.ult(x, three), store.eq(x, three));
        let [wider, odd] = [store.ult(x, five), store.eq(x, five)];
        for (premise, conclusion) in [(equal, below), (below, equal), (wider, below), (odd, equal), (odd, below)] {
            assert!(store.is_refuted(premise, conclusion), "{premise:?} {conclusion:?}");
        }
        let memory = store.fresh_variable(Role::Arbitrary, 1, Sort::Array { index: 32, element: 32 });
        let [here, there] = [x, three].map(|index| store.select(memory, index));
        let (a, b) = (store.eq(here, five), store.eq(there, five));
        assert!(store.is_refuted(a, b), "two elements of an array are two things");
        for (premise, conclusion) in [(equal, wider), (below, wider), (equal, equal)] {
            assert!(!store.is_refuted(premise, conclusion), "{premise:?} {conclusion:?}");
        }
    }
}
