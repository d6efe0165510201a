//! Path guards: under which condition control stands at a point of a block.
//!
//! A block's automaton is deterministic, so its paths form a tree of decisions. A [`GuardId`] is a node of that tree: the
//! conjunction of the conditions from the root. Where paths meet again, the two decisions that separated them cancel
//! ([`Guards::join`]), so that a guard stays as short as the nesting of the program.
//! Invariant: two guards of which neither is an ancestor of the other exclude each other.
//! Does not know edges or states.

use rustc_hash::FxHashMap;
use smt::{Op, TermId, TermStore};

/// A node of the decision tree of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GuardId(u32);

impl GuardId {
    /// The guard that always holds.
    pub const ROOT: GuardId = GuardId(0);
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: GuardId,
    condition: TermId,
    depth: u32,
}

/// Decisions that are looked at together to find where two paths part.
const LONGEST_PREFIX: usize = 24;

/// Decisions above that are looked at to settle a condition.
const LOOK_BACK: usize = 400;

/// The decision tree of one block.
#[derive(Debug)]
pub struct Guards {
    nodes: Vec<Node>,
    terms: FxHashMap<GuardId, TermId>,
}

/// Two guards made into one.
#[derive(Clone, Copy, Debug)]
pub struct Join {
    /// Holds iff one of the two does.
    pub guard: GuardId,
    /// Under `guard`, holds iff the first of the two does.
    pub first: TermId,
}

impl Guards {
    /// A tree with a root only.
    #[must_use]
    pub fn new(store: &TermStore) -> Self {
        let root = Node { parent: GuardId::ROOT, condition: store.tt(), depth: 0 };
        Self { nodes: vec![root], terms: FxHashMap::default() }
    }

    /// The guard `guard` and `condition`; `None` if that is visibly false.
    pub fn child(&mut self, store: &mut TermStore, guard: GuardId, condition: TermId) -> Option<GuardId> {
        match store.as_bool(condition) {
            Some(true) => return Some(guard),
            Some(false) => return None,
            None => {}
        }
        match self.known(store, guard, condition) {
            Some(true) => Some(guard),
            Some(false) => None,
            None => Some(self.push(guard, condition)),
        }
    }

    /// The guard `guard` and all of `conditions`; `None` if that is visibly false.
    pub fn passing(&mut self, store: &mut TermStore, guard: GuardId, conditions: &[TermId]) -> Option<GuardId> {
        conditions.iter().try_fold(guard, |guard, condition| self.child(store, guard, *condition))
    }

    /// The whole condition of a guard.
    pub fn term(&mut self, store: &mut TermStore, guard: GuardId) -> TermId {
        let mut path = Vec::new();
        let mut at = guard;
        let mut term = loop {
            if let Some(&known) = self.terms.get(&at) {
                break known;
            }
            if at == GuardId::ROOT {
                break store.tt();
            }
            path.push(at);
            at = self.node(at).parent;
        };
        for id in path.into_iter().rev() {
            let condition = self.node(id).condition;
            term = store.and(&[term, condition]);
            self.terms.insert(id, term);
        }
        term
    }

    /// The conditions of a guard from the root on.
    #[must_use]
    pub fn conditions(&self, guard: GuardId) -> Vec<TermId> {
        let mut found = Vec::new();
        let mut at = guard;
        while at != GuardId::ROOT {
            found.push(self.node(at).condition);
            at = self.node(at).parent;
        }
        found.reverse();
        found
    }

    /// How many decisions lie above a guard.
    #[must_use]
    pub fn depth(&self, guard: GuardId) -> u32 {
        self.node(guard).depth
    }

    /// The decision before this one.
    #[must_use]
    pub fn parent(&self, guard: GuardId) -> GuardId {
        self.node(guard).parent
    }

    /// One guard for the paths of two that exclude each other.
    pub fn join(&mut self, store: &mut TermStore, a: GuardId, b: GuardId) -> Join {
        let ancestor = self.common_ancestor(a, b);
        let above_a = self.above(a, ancestor);
        let above_b = self.above(b, ancestor);
        let (Some((&top_a, rest_a)), Some((&top_b, rest_b))) = (above_a.split_last(), above_b.split_last()) else {
            // One is an ancestor of the other: only after an inexact join; keep both readings.
            let first = self.conjunction(store, &above_a);
            return Join { guard: ancestor, first };
        };
        // The decision at which the two part: what leads to one excludes the first decision of the other.
        let split = if let Some(at) = prefix_equal(store, &above_a, top_b) {
            let rest_a = self.conjunction(store, &above_a[..above_a.len() - at]);
            let rest_b = self.conjunction(store, rest_b);
            Some((store.not(top_b), rest_a, rest_b))
        } else if let Some(at) = prefix_equal(store, &above_b, top_a) {
            let rest_a = self.conjunction(store, rest_a);
            let rest_b = self.conjunction(store, &above_b[..above_b.len() - at]);
            Some((top_a, rest_a, rest_b))
        } else {
            None
        };
        if let Some((first, rest_a, rest_b)) = split {
            let condition = choice(store, first, rest_a, rest_b);
            let guard = if condition == store.tt() { ancestor } else { self.push(ancestor, condition) };
            return Join { guard, first };
        }
        let whole_a = self.conjunction(store, &above_a);
        let whole_b = self.conjunction(store, &above_b);
        let condition = store.or(&[whole_a, whole_b]);
        let guard = if condition == store.tt() { ancestor } else { self.push(ancestor, condition) };
        let first = if store.tree_size(whole_b) < store.tree_size(whole_a) { store.not(whole_b) } else { whole_a };
        Join { guard, first }
    }

    fn push(&mut self, parent: GuardId, condition: TermId) -> GuardId {
        let depth = self.node(parent).depth + 1;
        self.nodes.push(Node { parent, condition, depth });
        GuardId(u32::try_from(self.nodes.len() - 1).unwrap_or(u32::MAX))
    }

    fn node(&self, guard: GuardId) -> Node {
        self.nodes[guard.0 as usize]
    }

    fn common_ancestor(&self, mut a: GuardId, mut b: GuardId) -> GuardId {
        while a != b {
            if self.node(a).depth >= self.node(b).depth {
                a = self.node(a).parent;
            } else {
                b = self.node(b).parent;
            }
        }
        a
    }

    /// The conditions between a guard and its ancestor, the topmost last.
    fn above(&self, guard: GuardId, ancestor: GuardId) -> Vec<TermId> {
        let mut found = Vec::new();
        let mut at = guard;
        while at != ancestor {
            found.push(self.node(at).condition);
            at = self.node(at).parent;
        }
        found
    }

    fn conjunction(&self, store: &mut TermStore, conditions: &[TermId]) -> TermId {
        let mut whole = store.tt();
        for &condition in conditions.iter().rev() {
            whole = store.and(&[whole, condition]);
        }
        whole
    }

    /// Whether the decisions above already settle a condition: it or its opposite was taken, or its subject was found
    /// equal to a constant.
    fn known(&self, store: &mut TermStore, guard: GuardId, condition: TermId) -> Option<bool> {
        let negation = store.not(condition);
        let subject = compared_with_constant(store, condition);
        let mut at = guard;
        for _ in 0..LOOK_BACK {
            if at == GuardId::ROOT {
                return None;
            }
            let node = self.node(at);
            if node.condition == condition {
                return Some(true);
            }
            if node.condition == negation {
                return Some(false);
            }
            if let Some(subject) = subject
                && let Some((same, constant)) = equal_to_constant(store, node.condition)
                && same == subject
            {
                let value = store.substitute(condition, &[(subject, constant)]);
                return store.as_bool(value);
            }
            at = node.parent;
        }
        None
    }
}

/// How many decisions of a path, from the top, together are the opposite of `decision`. The topmost stands last.
fn prefix_equal(store: &mut TermStore, above: &[TermId], decision: TermId) -> Option<usize> {
    let opposite = store.not(decision);
    let mut prefix = store.tt();
    for (at, condition) in above.iter().rev().take(LONGEST_PREFIX).enumerate() {
        prefix = store.and(&[prefix, *condition]);
        if prefix == opposite {
            return Some(at + 1);
        }
    }
    None
}

/// `if condition then yes else no`, as a negated conjunction where one branch always holds, so that the opposite of a
/// chain of decisions is the negation of their conjunction.
fn choice(store: &mut TermStore, condition: TermId, yes: TermId, no: TermId) -> TermId {
    let truth = store.tt();
    let (decision, rest) = if no == truth {
        (condition, yes)
    } else if yes == truth {
        (store.not(condition), no)
    } else {
        return store.ite(condition, yes, no);
    };
    let fails = store.not(rest);
    let both = store.and(&[decision, fails]);
    store.not(both)
}

/// The term that a condition compares with a constant.
fn compared_with_constant(store: &TermStore, condition: TermId) -> Option<TermId> {
    let (atom, _) = store.without_not(condition);
    match (store.op(atom), store.args(atom)) {
        (Op::Eq | Op::ULt | Op::SLt, &[a, b]) => match (store.as_bits(a), store.as_bits(b)) {
            (None, Some(_)) => Some(a),
            (Some(_), None) => Some(b),
            _ => None,
        },
        _ => None,
    }
}

/// The term and the constant of a condition `term == constant`.
fn equal_to_constant(store: &TermStore, condition: TermId) -> Option<(TermId, TermId)> {
    match (store.op(condition), store.args(condition)) {
        (Op::Eq, &[a, b]) => match (store.as_bits(a), store.as_bits(b)) {
            (None, Some(_)) => Some((a, b)),
            (Some(_), None) => Some((b, a)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::Sort;

    #[test]
    fn a_join_of_both_branches_is_the_guard_before_them() {
        let mut store = TermStore::new();
        let c = store.variable("c", Sort::Bool);
        let not_c = store.not(c);
        let mut guards = Guards::new(&store);
        let a = guards.child(&mut store, GuardId::ROOT, c).unwrap();
        let b = guards.child(&mut store, GuardId::ROOT, not_c).unwrap();
        let join = guards.join(&mut store, a, b);
        assert_eq!(join.guard, GuardId::ROOT);
        assert_eq!(join.first, c);
    }

    #[test]
    fn a_chain_of_alternatives_collapses_from_the_inside() {
        let mut store = TermStore::new();
        let conditions: Vec<TermId> = (0..5).map(|i| store.variable(&format!("c{i}"), Sort::Bool)).collect();
        let mut guards = Guards::new(&store);
        let mut rest = GuardId::ROOT;
        let mut taken = Vec::new();
        for &c in &conditions {
            taken.push(guards.child(&mut store, rest, c).unwrap());
            let not_c = store.not(c);
            rest = guards.child(&mut store, rest, not_c).unwrap();
        }
        let mut whole = rest;
        for guard in taken.into_iter().rev() {
            whole = guards.join(&mut store, guard, whole).guard;
        }
        assert_eq!(whole, GuardId::ROOT);
    }

    #[test]
    fn alternatives_with_connectives_collapse() {
        // if (a && (b || c) && d) { .. } else { .. }, as short-circuit decisions
        let mut store = TermStore::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| store.variable(name, Sort::Bool));
        let [na, nb, nc, nd] = [a, b, c, d].map(|term| store.not(term));
        let mut guards = Guards::new(&store);
        let child = |guards: &mut Guards, store: &mut TermStore, at, term| guards.child(store, at, term).unwrap();
        let with_a = child(&mut guards, &mut store, GuardId::ROOT, a);
        let without_a = child(&mut guards, &mut store, GuardId::ROOT, na);
        let with_b = child(&mut guards, &mut store, with_a, b);
        let without_b = child(&mut guards, &mut store, with_a, nb);
        let with_c = child(&mut guards, &mut store, without_b, c);
        let without_c = child(&mut guards, &mut store, without_b, nc);
        let either = guards.join(&mut store, with_b, with_c).guard;
        let taken = child(&mut guards, &mut store, either, d);
        let without_d = child(&mut guards, &mut store, either, nd);
        let inner = guards.join(&mut store, without_c, without_d).guard;
        let not_taken = guards.join(&mut store, without_a, inner).guard;
        assert_eq!(guards.join(&mut store, taken, not_taken).guard, GuardId::ROOT);
    }

    #[test]
    fn a_known_value_settles_later_comparisons() {
        let mut store = TermStore::new();
        let x = store.variable("x", Sort::BitVec(32));
        let (one, two) = (store.bits(32, 1), store.bits(32, 2));
        let (is_one, is_two) = (store.eq(x, one), store.eq(x, two));
        let mut guards = Guards::new(&store);
        let a = guards.child(&mut store, GuardId::ROOT, is_one).unwrap();
        assert_eq!(guards.child(&mut store, a, is_two), None);
        assert_eq!(guards.child(&mut store, a, is_one), Some(a));
    }
}
