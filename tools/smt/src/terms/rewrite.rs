//! Walks over terms: substitution, SSA instances, variables and atoms.
//!
//! All walks keep their own stack and visit a shared term once.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Op, Sort, TermId, TermStore, VariableId};

/// A replacement of terms by terms that remembers what it has rebuilt.
///
/// Cheap to apply to many terms that share parts. Replacements are simultaneous: what is put in
/// is not rewritten again.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    done: FxHashMap<TermId, TermId>,
}

impl Substitution {
    /// The identity.
    #[must_use]
    pub fn new() -> Substitution {
        Substitution::default()
    }

    /// A substitution of these pairs.
    ///
    /// Panics on a pair of different sorts: that is a bug in the caller.
    #[must_use]
    pub fn of(store: &TermStore, pairs: &[(TermId, TermId)]) -> Substitution {
        let mut done = FxHashMap::default();
        for &(from, to) in pairs {
            assert!(store.sort(from) == store.sort(to), "ill-sorted: {} replaced by {}", store.sort(from), store.sort(to));
            done.insert(from, to);
        }
        Substitution { done }
    }

    /// The term with all replacements made.
    pub fn apply(&mut self, store: &mut TermStore, term: TermId) -> TermId {
        store.rewrite(term, &mut self.done, |_, _| None)
    }
}

impl TermStore {
    /// `term` with the pairs replaced simultaneously.
    pub fn substitute(&mut self, term: TermId, pairs: &[(TermId, TermId)]) -> TermId {
        Substitution::of(self, pairs).apply(self, term)
    }

    /// Replaces each variable without instance by the instance that `instance` names (0: none).
    pub fn instantiate(&mut self, term: TermId, mut instance: impl FnMut(VariableId) -> u32) -> TermId {
        self.rewrite(term, &mut FxHashMap::default(), |store, leaf| match store.as_variable(leaf) {
            Some((variable, 0)) => {
                let wanted = instance(variable);
                Some(store.instance_of(variable, wanted))
            }
            Some(_) | None => None,
        })
    }

    /// Replaces every SSA instance by its variable.
    pub fn uninstantiate(&mut self, term: TermId) -> TermId {
        self.rewrite(term, &mut FxHashMap::default(), |store, leaf| {
            store.as_variable(leaf).map(|(variable, _)| store.instance_of(variable, 0))
        })
    }

    /// The variables of a term (instances apart), oldest first.
    #[must_use]
    pub fn variables(&self, term: TermId) -> Vec<TermId> {
        self.variables_of(&[term])
    }

    /// The variables of several terms, oldest first.
    #[must_use]
    pub fn variables_of(&self, terms: &[TermId]) -> Vec<TermId> {
        let mut found = Vec::new();
        self.visit(terms, |term, op| {
            if matches!(op, Op::Variable { .. }) {
                found.push(term);
            }
            true
        });
        found.sort_unstable();
        found
    }

    /// The atoms of a formula: its Boolean parts that are no connective, oldest first.
    /// Conditions inside bit-vector terms are not atoms of the formula.
    #[must_use]
    pub fn atoms(&self, formula: TermId) -> Vec<TermId> {
        let mut found = Vec::new();
        self.visit(&[formula], |term, op| {
            let junction = matches!(op, Op::Not | Op::And | Op::Or | Op::Ite | Op::True | Op::False);
            let connective = junction || op == Op::Eq && self.sort(self.args(term)[0]) == Sort::Bool;
            if !connective {
                found.push(term);
            }
            connective
        });
        found.sort_unstable();
        found
    }

    /// The number of different terms below and including these.
    #[must_use]
    pub fn dag_size(&self, terms: &[TermId]) -> usize {
        let mut count = 0;
        self.visit(terms, |_, _| {
            count += 1;
            true
        });
        count
    }

    /// Calls `enter` once for each term reachable from the roots; it decides whether to go below.
    pub fn visit(&self, roots: &[TermId], mut enter: impl FnMut(TermId, Op) -> bool) {
        let mut seen = FxHashSet::default();
        let mut open = roots.to_vec();
        while let Some(term) = open.pop() {
            if seen.insert(term) && enter(term, self.op(term)) {
                open.extend_from_slice(self.args(term));
            }
        }
    }

    /// The terms below and including the roots that `known` does not hold, arguments first.
    #[must_use]
    pub fn post_order(&self, roots: &[TermId], mut known: impl FnMut(TermId) -> bool) -> Vec<TermId> {
        let mut order = Vec::new();
        let mut entered = FxHashSet::default();
        let mut open: Vec<(TermId, bool)> = roots.iter().rev().map(|root| (*root, false)).collect();
        while let Some((term, left)) = open.pop() {
            if left {
                order.push(term);
            } else if !known(term) && entered.insert(term) {
                open.push((term, true));
                open.extend(self.args(term).iter().rev().map(|arg| (*arg, false)));
            }
        }
        order
    }

    /// Rebuilds a term bottom-up. `done` holds finished replacements and is extended; `leaf` may
    /// replace a term without arguments.
    fn rewrite(
        &mut self,
        term: TermId,
        done: &mut FxHashMap<TermId, TermId>,
        mut leaf: impl FnMut(&mut TermStore, TermId) -> Option<TermId>,
    ) -> TermId {
        for part in self.post_order(&[term], |part| done.contains_key(&part)) {
            let args: Vec<TermId> = self.args(part).iter().map(|arg| done.get(arg).copied().unwrap_or(*arg)).collect();
            let new = if args.is_empty() {
                leaf(self, part).unwrap_or(part)
            } else if args == self.args(part) {
                part
            } else {
                self.rebuild(part, &args)
            };
            done.insert(part, new);
        }
        done.get(&term).copied().unwrap_or(term)
    }

    /// The term with the operator of `like` over other arguments, normalised.
    pub fn rebuild(&mut self, like: TermId, args: &[TermId]) -> TermId {
        let (op, sort) = (self.op(like), self.sort(like));
        match (op, args) {
            (Op::And, _) => self.and(args),
            (Op::Or, _) => self.or(args),
            (Op::Add, &[first, ref rest @ ..]) => rest.iter().fold(first, |sum, part| self.add(sum, *part)),
            (_, &[a]) => self.rebuild_unary(op, sort, a),
            (_, &[a, b]) => self.rebuild_binary(op, a, b),
            (Op::Ite, &[condition, yes, no]) => self.ite(condition, yes, no),
            (Op::Store, &[array, index, value]) => self.store(array, index, value),
            _ => like,
        }
    }

    fn rebuild_unary(&mut self, op: Op, sort: Sort, a: TermId) -> TermId {
        match (op, sort) {
            (Op::Not, _) => self.not(a),
            (Op::Neg, _) => self.neg(a),
            (Op::BitNot, _) => self.bit_not(a),
            (Op::Extract { low }, Sort::BitVec(width)) => self.extract(a, low + width - 1, low),
            (Op::ZeroExtend, Sort::BitVec(width)) => self.zero_extend(a, width),
            (Op::SignExtend, Sort::BitVec(width)) => self.sign_extend(a, width),
            (Op::ConstArray, Sort::Array { index, .. }) => self.const_array(index, a),
            (_, Sort::BitVec(width)) => self.float_conversion(op, a, width),
            _ => self.intern(op, sort, &[a]),
        }
    }

    fn rebuild_binary(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        match op {
            Op::Eq => self.eq(a, b),
            Op::Mul => self.mul(a, b),
            Op::UDiv => self.udiv(a, b),
            Op::SDiv => self.sdiv(a, b),
            Op::URem => self.urem(a, b),
            Op::SRem => self.srem(a, b),
            Op::BitAnd => self.bit_and(a, b),
            Op::BitOr => self.bit_or(a, b),
            Op::BitXor => self.bit_xor(a, b),
            Op::Shl => self.shl(a, b),
            Op::LShr => self.lshr(a, b),
            Op::AShr => self.ashr(a, b),
            Op::ULt => self.ult(a, b),
            Op::SLt => self.slt(a, b),
            Op::Concat => self.concat(a, b),
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv => self.float_arithmetic(op, a, b),
            Op::FEq | Op::FLt | Op::FLe => self.float_compare(op, a, b),
            Op::Select => self.select(a, b),
            Op::Add => self.add(a, b),
            Op::And => self.and(&[a, b]),
            Op::Or => self.or(&[a, b]),
            Op::True
            | Op::False
            | Op::Bits(_)
            | Op::Variable { .. }
            | Op::Not
            | Op::Ite
            | Op::Neg
            | Op::BitNot
            | Op::Extract { .. }
            | Op::ZeroExtend
            | Op::SignExtend
            | Op::FConvert
            | Op::FFromSigned
            | Op::FFromUnsigned
            | Op::FToSigned
            | Op::FToUnsigned
            | Op::Store
            | Op::ConstArray => unreachable!("{op:?} has no two arguments"),
        }
    }
}
