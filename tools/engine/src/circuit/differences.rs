//! Counters that are only compared with each other, as one counter and a distance from it.
//!
//! Where a guard asks whether `x = y + c`, `x` becomes `d + y`: sums cancel, `y` may be read by nobody any more, and what were
//! two numbers of 32 bits and a relation between them is a small number. A change of the variables of a transition system, exact
//! in both directions; whoever wants it looks whether the circuit became smaller.
//! Does not know bits.

#![allow(clippy::wildcard_enum_match_arm, reason = "sums are made of few of many operators")]

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use smt::terms::Substitution;
use smt::{Op, Sort, TermId, TermStore};

use super::system::{Distance, System};

/// Choices that are looked at in one value.
const CHOICES: usize = 4_000;

/// Choices of what a distance is measured from.
const ANCHORS: usize = 4;

/// Pairs that are replaced.
const PAIRS: usize = 4;

/// The system with distances in the place of variables; `None` if there are no such pairs.
#[must_use]
pub fn introduced(store: &mut TermStore, system: &System) -> Option<System> {
    let mut changed = system.clone();
    let mut taken = BTreeSet::new();
    for (one, other) in compared(store, system) {
        let Sort::BitVec(width) = store.sort(one) else { continue };
        if changed.distances.len() == PAIRS || taken.contains(&one) || taken.contains(&other) {
            continue;
        }
        taken.extend([one, other]);
        let distance = store.variable(&format!("distance!{}!{}", one.number(), other.number()), Sort::BitVec(width));
        replace(store, &mut changed, &Distance { distance, of: one, from: other });
    }
    (!taken.is_empty()).then_some(changed)
}

/// Pairs of variables of which guards ask whether they have some distance.
fn compared(store: &TermStore, system: &System) -> BTreeSet<(TermId, TermId)> {
    let states = system.variables();
    let roots: Vec<TermId> = system.steps.iter().map(|step| step.guard).collect();
    let mut found = BTreeSet::new();
    store.visit(&roots, |term, op| {
        if op == Op::Eq {
            let mut leaves = BTreeSet::new();
            if store.args(term).iter().all(|side| summands(store, *side, &mut leaves)) {
                let leaves: Vec<TermId> = leaves.into_iter().collect();
                if let [one, other] = leaves.as_slice()
                    && states.contains(one)
                    && states.contains(other)
                {
                    found.insert((*one, *other));
                }
            }
        }
        true
    });
    found
}

/// Collects the variables that a sum is made of, whichever way is chosen in it; `false` if it is made of anything else.
fn summands(store: &TermStore, term: TermId, found: &mut BTreeSet<TermId>) -> bool {
    let mut open = vec![term];
    while let Some(part) = open.pop() {
        let args = store.args(part);
        match store.op(part) {
            Op::Variable { .. } if matches!(store.sort(part), Sort::BitVec(width) if width > 8) => {
                found.insert(part);
            }
            Op::Ite => open.extend(&args[1..]),
            Op::Add => open.extend(args),
            Op::Mul | Op::Neg if args.iter().any(|arg| store.as_bits(*arg).is_some()) || args.len() == 1 => open.extend(args),
            Op::Bits(_) => {}
            _ => return false,
        }
        if found.len() > 2 {
            return false;
        }
    }
    true
}

/// How far a value is from another: where the other is chosen, the first is looked at once for each choice.
fn apart(store: &mut TermStore, first: TermId, second: TermId, depth: usize) -> TermId {
    if depth > 0
        && let (Op::Ite, [condition, yes, no]) = (store.op(second), store.args(second))
    {
        let (condition, yes, no) = (*condition, *yes, *no);
        let (truth, falsity) = (store.tt(), store.ff());
        let mut holds = vec![(condition, truth)];
        if store.op(condition) == Op::And {
            holds.extend(store.args(condition).iter().map(|part| (*part, truth)));
        }
        let if_yes = Substitution::of(store, &holds).apply(store, first);
        let if_no = Substitution::of(store, &[(condition, falsity)]).apply(store, first);
        let (yes, no) = (apart(store, if_yes, yes, depth - 1), apart(store, if_no, no, depth - 1));
        return store.ite(condition, yes, no);
    }
    let sum = store.sub(first, second);
    Arms::default().of(store, sum)
}

/// Sums with the choices in them outermost, so that what is chosen cancels.
#[derive(Default)]
struct Arms {
    done: FxHashMap<TermId, TermId>,
    looked: usize,
}

impl Arms {
    fn of(&mut self, store: &mut TermStore, term: TermId) -> TermId {
        if let Some(known) = self.done.get(&term) {
            return *known;
        }
        // Counted when a sum is begun: those that wait for their arms are not done, and there may be many.
        self.looked += 1;
        if self.looked > CHOICES {
            return term;
        }
        let found = match chosen(store, term) {
            Some((condition, yes, no)) => {
                let mut arm = |sum: TermId| stacker::maybe_grow(64 << 10, 1 << 20, || self.of(store, sum));
                let (yes, no) = (arm(yes), arm(no));
                store.ite(condition, yes, no)
            }
            None => term,
        };
        self.done.insert(term, found);
        found
    }
}

/// The first choice in a sum: its condition, and the sum with the one and the other in its place.
fn chosen(store: &mut TermStore, sum: TermId) -> Option<(TermId, TermId, TermId)> {
    let parts: Vec<TermId> = if store.op(sum) == Op::Add { store.args(sum).to_vec() } else { vec![sum] };
    for part in parts {
        let (choice, factor) = match (store.op(part), store.args(part)) {
            (Op::Ite, _) => (part, None),
            (Op::Neg, [arg]) => (*arg, Some(u128::MAX)),
            (Op::Mul, [a, b]) => match (store.as_bits(*a), store.as_bits(*b)) {
                (Some(factor), None) => (*b, Some(factor)),
                (None, Some(factor)) => (*a, Some(factor)),
                _ => continue,
            },
            _ => continue,
        };
        let (Op::Ite, [condition, yes, no]) = (store.op(choice), store.args(choice)) else { continue };
        let (condition, yes, no) = (*condition, *yes, *no);
        let rest = store.sub(sum, part);
        if store.op(rest) == Op::Add && store.args(rest).contains(&sum) {
            // The sum is too long to be one of factors: the part is still in it, and the same choice would come again for ever.
            continue;
        }
        let mut arm = |chosen: TermId| {
            let chosen = match factor {
                Some(factor) => {
                    let factor = store.bits(store.width(chosen), factor);
                    store.mul(chosen, factor)
                }
                None => chosen,
            };
            store.add(rest, chosen)
        };
        return Some((condition, arm(yes), arm(no)));
    }
    None
}

/// Puts a sum of distance and anchor in the place of a variable. Where the anchor was not read it is 0.
fn replace(store: &mut TermStore, system: &mut System, new: &Distance) {
    let Distance { distance, of, from } = *new;
    let sum = store.add(distance, from);
    let zero = store.bits(store.width(from), 0);
    let mut substitution = Substitution::of(store, &[(of, sum)]);
    for step in &mut system.steps {
        step.guard = substitution.apply(store, step.guard);
        for (_, value) in &mut step.values {
            *value = substitution.apply(store, *value);
        }
        let value = |wanted: TermId| step.values.iter().find(|(variable, _)| *variable == wanted).map(|(_, value)| *value);
        let (Some(first), second) = (value(of), value(from)) else { continue };
        let second = second.unwrap_or(zero);
        let apart = apart(store, first, second, ANCHORS);
        step.values.retain(|(variable, _)| *variable != of && *variable != from);
        step.values.extend([(distance, apart), (from, second)]);
        step.values.sort_unstable();
    }
    for (at, live) in system.live.iter_mut().enumerate() {
        if live.remove(&of) {
            live.insert(distance);
            if live.insert(from) {
                system.anchored.insert((at, from));
            }
        }
    }
    system.distances.push(*new);
}

#[cfg(test)]
mod tests {
    use smt::Value;
    use smt::terms::Assignment;

    use super::*;

    #[test]
    fn a_sum_that_is_too_long_ends() {
        let mut store = TermStore::new();
        let width = Sort::BitVec(32);
        let named = |store: &mut TermStore, kind: &str, at: usize| store.variable(&format!("{kind}{at}"), width);
        let mut sum = named(&mut store, "start", 0);
        for at in 0..24 {
            let condition = store.variable(&format!("condition{at}"), Sort::Bool);
            let (yes, no) = (named(&mut store, "yes", at), named(&mut store, "no", at));
            let choice = store.ite(condition, yes, no);
            sum = if at % 2 == 0 { store.add(sum, choice) } else { store.sub(sum, choice) };
        }
        let other = named(&mut store, "other", 0);
        let difference = store.sub(sum, other);
        let mut arms = Arms::default();
        let found = arms.of(&mut store, difference);
        assert!(arms.looked < 2 * CHOICES);
        let mut assignment = Assignment::new();
        for (at, variable) in store.variables_of(&[difference]).into_iter().enumerate() {
            let value = match store.sort(variable) {
                Sort::Bool => Value::Bool(at % 3 == 0),
                _ => Value::Bits { width: 32, value: at as u128 * 7_919 },
            };
            assignment.set(variable, value);
        }
        assert_eq!(store.eval(found, &assignment), store.eval(difference, &assignment));
    }
}
