//! Literals that imply a formula, chosen by values under which it holds.
//!
//! Disjunctions keep one true part, conditionals and reads of written arrays are resolved the way the values go. The result
//! is a conjunction of literals over atoms that are free of case distinctions, which makes them usable as predicates.

use rustc_hash::FxHashMap;
use smt::terms::Assignment;
use smt::{Op, Sort, TermId, TermStore, Value};

/// Evaluation under fixed values, with memory.
pub struct Values<'a> {
    values: &'a Assignment,
    cache: FxHashMap<TermId, Value>,
}

impl<'a> Values<'a> {
    /// Evaluation under `values`.
    #[must_use]
    pub fn new(values: &'a Assignment) -> Self {
        Self { values, cache: FxHashMap::default() }
    }

    /// The value of a term, if it can be computed.
    pub fn of(&mut self, store: &TermStore, term: TermId) -> Option<Value> {
        store.eval_with(term, self.values, &mut self.cache).ok()
    }

    /// Whether a formula holds.
    pub fn holds(&mut self, store: &TermStore, term: TermId) -> bool {
        self.of(store, term).and_then(|v| v.as_bool()).unwrap_or(false)
    }
}

/// Literals, all true under `values`, whose conjunction implies `formula`, which is true under `values`.
pub fn implicant(store: &mut TermStore, formula: TermId, values: &mut Values) -> Vec<TermId> {
    let mut open = vec![formula];
    let mut literals = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(term) = open.pop() {
        if store.as_bool(term).is_some() || !seen.insert(term) {
            continue;
        }
        let (atom, negated) = store.without_not(term);
        let args = store.args(atom).to_vec();
        match (store.op(atom), negated) {
            (Op::And, false) => open.extend(args),
            (Op::Or, true) => {
                for arg in args {
                    let part = store.not(arg);
                    open.push(part);
                }
            }
            (Op::Or, false) | (Op::And, true) => {
                let parts: Vec<TermId> = args.iter().map(|arg| if negated { store.not(*arg) } else { *arg }).collect();
                if let Some(part) = cheapest_true(store, &parts, values) {
                    open.push(part);
                }
            }
            (Op::Ite, _) => {
                let taken = values.holds(store, args[0]);
                let condition = if taken { args[0] } else { store.not(args[0]) };
                let branch = if taken { args[1] } else { args[2] };
                open.push(condition);
                let branch = if negated { store.not(branch) } else { branch };
                open.push(branch);
            }
            (Op::Eq, _) if store.sort(args[0]) == Sort::Bool => {
                for arg in args {
                    let side = if values.holds(store, arg) { arg } else { store.not(arg) };
                    open.push(side);
                }
            }
            _ => match split(store, atom, values) {
                Some((condition, simpler)) => {
                    open.push(condition);
                    let simpler = if negated { store.not(simpler) } else { simpler };
                    open.push(simpler);
                }
                None => literals.push(term),
            },
        }
    }
    literals.reverse();
    literals
}

fn cheapest_true(store: &TermStore, parts: &[TermId], values: &mut Values) -> Option<TermId> {
    let mut best: Option<(u32, TermId)> = None;
    for &part in parts {
        if values.holds(store, part) {
            let size = store.tree_size(part);
            if best.is_none_or(|(known, _)| size < known) {
                best = Some((size, part));
            }
        }
    }
    best.map(|(_, part)| part)
}

/// One case distinction inside an atom resolved: the condition that holds, and the atom under it.
fn split(store: &mut TermStore, atom: TermId, values: &mut Values) -> Option<(TermId, TermId)> {
    let mut found = None;
    store.visit(&[atom], |term, op| {
        if found.is_some() {
            return false;
        }
        let args = store.args(term);
        let written = op == Op::Select && matches!(store.op(args[0]), Op::Store | Op::Ite);
        if op == Op::Ite || written {
            found = Some(term);
        }
        true
    });
    let term = found?;
    let args = store.args(term).to_vec();
    let (condition, replacement) = if store.op(term) == Op::Ite {
        let taken = values.holds(store, args[0]);
        (if taken { args[0] } else { store.not(args[0]) }, if taken { args[1] } else { args[2] })
    } else {
        let inner = store.args(args[0]).to_vec();
        if store.op(args[0]) == Op::Ite {
            let taken = values.holds(store, inner[0]);
            let array = if taken { inner[1] } else { inner[2] };
            let condition = if taken { inner[0] } else { store.not(inner[0]) };
            (condition, store.select(array, args[1]))
        } else {
            let same = store.eq(inner[1], args[1]);
            if values.holds(store, same) { (same, inner[2]) } else { (store.not(same), store.select(inner[0], args[1])) }
        }
    };
    let simpler = store.substitute(atom, &[(term, replacement)]);
    (simpler != atom).then_some((condition, simpler))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_true_branch_is_kept() {
        let mut store = TermStore::new();
        let x = store.variable("x", Sort::BitVec(8));
        let y = store.variable("y", Sort::BitVec(8));
        let (one, two) = (store.bits(8, 1), store.bits(8, 2));
        let x_is_one = store.eq(x, one);
        let choice = store.ite(x_is_one, y, two);
        let formula = store.ult(choice, two);
        let mut assignment = Assignment::new();
        assignment.set(x, Value::Bits { width: 8, value: 1 });
        assignment.set(y, Value::Bits { width: 8, value: 0 });
        let mut values = Values::new(&assignment);
        let literals = implicant(&mut store, formula, &mut values);
        let y_small = store.ult(y, two);
        assert_eq!(literals.len(), 2);
        assert!(literals.contains(&x_is_one) && literals.contains(&y_small));
    }
}
