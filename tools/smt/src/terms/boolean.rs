//! Boolean constructors: negation, n-ary conjunction and disjunction, if-then-else.

use super::{Op, Sort, TermId, TermStore};

/// Conjunctions are flattened up to this many arguments; longer ones nest, so that adding one
/// conjunct to a long path formula does not copy it.
const FLAT: usize = 24;

impl TermStore {
    /// `not a`.
    pub fn not(&mut self, a: TermId) -> TermId {
        self.expect_bool(a);
        if let Some(value) = self.as_bool(a) {
            return self.bool(!value);
        }
        match (self.op(a), self.args(a)) {
            (Op::Not, &[inner]) => inner,
            _ => self.intern(Op::Not, Sort::Bool, &[a]),
        }
    }

    /// Conjunction of any number of terms.
    pub fn and(&mut self, terms: &[TermId]) -> TermId {
        self.junction(Op::And, terms)
    }

    /// Disjunction of any number of terms.
    pub fn or(&mut self, terms: &[TermId]) -> TermId {
        self.junction(Op::Or, terms)
    }

    /// `a` implies `b`.
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or(&[not_a, b])
    }

    /// The bit vector 1 or 0 of the given width for a truth value.
    pub fn from_bool(&mut self, condition: TermId, width: u32) -> TermId {
        let one = self.bits(width, 1);
        let zero = self.bits(width, 0);
        self.ite(condition, one, zero)
    }

    /// `if condition then yes else no`.
    pub fn ite(&mut self, condition: TermId, yes: TermId, no: TermId) -> TermId {
        self.expect_bool(condition);
        let sort = self.sort(yes);
        assert!(sort == self.sort(no), "ill-sorted: ite of {sort} and {}", self.sort(no));
        if let Some(value) = self.as_bool(condition) {
            return if value { yes } else { no };
        }
        if yes == no {
            return yes;
        }
        if let (Op::Not, &[inner]) = (self.op(condition), self.args(condition)) {
            return self.ite(inner, no, yes);
        }
        if sort == Sort::Bool {
            return self.bool_ite(condition, yes, no);
        }
        let yes = self.branch_under(condition, yes, 1);
        let no = self.branch_under(condition, no, 2);
        if yes == no {
            return yes;
        }
        if let (Op::Ite, &[second, inner_yes, inner_no]) = (self.op(no), self.args(no))
            && inner_yes == yes
        {
            let either = self.or(&[condition, second]);
            return self.ite(either, yes, inner_no);
        }
        self.intern(Op::Ite, sort, &[condition, yes, no])
    }

    /// The branch of `term` that is taken when it is an `ite` over the same condition.
    fn branch_under(&self, condition: TermId, term: TermId, branch: usize) -> TermId {
        match (self.op(term), self.args(term)) {
            (Op::Ite, args) if args[0] == condition => args[branch],
            _ => term,
        }
    }

    fn bool_ite(&mut self, condition: TermId, yes: TermId, no: TermId) -> TermId {
        match (self.as_bool(yes), self.as_bool(no)) {
            (Some(true), _) => return self.or(&[condition, no]),
            (Some(false), _) => {
                let other = self.not(condition);
                return self.and(&[other, no]);
            }
            (None, Some(true)) => return self.implies(condition, yes),
            (None, Some(false)) => return self.and(&[condition, yes]),
            (None, None) => {}
        }
        if yes == condition {
            return self.or(&[condition, no]);
        }
        if no == condition {
            return self.and(&[condition, yes]);
        }
        if self.not(yes) == no {
            return self.eq(condition, yes);
        }
        self.intern(Op::Ite, Sort::Bool, &[condition, yes, no])
    }

    /// Equality of truth values.
    pub(super) fn bool_eq(&mut self, a: TermId, b: TermId) -> TermId {
        if let Some(value) = self.as_bool(a) {
            return if value { b } else { self.not(b) };
        }
        if let Some(value) = self.as_bool(b) {
            return if value { a } else { self.not(a) };
        }
        let (a, turned_a) = self.without_not(a);
        let (b, turned_b) = self.without_not(b);
        let same = if a == b { self.tt() } else { self.intern_sorted(Op::Eq, Sort::Bool, a, b) };
        if turned_a == turned_b { same } else { self.not(same) }
    }

    /// A literal split into its atom and whether it is negated.
    #[must_use]
    pub fn without_not(&self, term: TermId) -> (TermId, bool) {
        match (self.op(term), self.args(term)) {
            (Op::Not, &[inner]) => (inner, true),
            _ => (term, false),
        }
    }

    /// The conjuncts of a term, nested ones taken apart, in order.
    #[must_use]
    pub fn conjuncts(&self, term: TermId) -> Vec<TermId> {
        let mut found = Vec::new();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if self.op(term) == Op::And {
                open.extend(self.args(term).iter().rev());
            } else if term != self.tt() {
                found.push(term);
            }
        }
        found
    }

    fn expect_bool(&self, term: TermId) {
        let sort = self.sort(term);
        assert!(sort == Sort::Bool, "ill-sorted: a truth value expected, found {sort}");
    }

    fn junction(&mut self, op: Op, terms: &[TermId]) -> TermId {
        let (unit, zero) = (self.bool(op == Op::And), self.bool(op != Op::And));
        let mut flat: Vec<TermId> = Vec::with_capacity(terms.len());
        for &term in terms {
            self.expect_bool(term);
            if term == zero {
                return zero;
            }
            if term == unit {
                continue;
            }
            if self.op(term) == op && self.args(term).len() + terms.len() <= FLAT {
                flat.extend_from_slice(self.args(term));
            } else {
                flat.push(term);
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let opposed = flat.iter().any(|term| {
            let (atom, negated) = self.without_not(*term);
            negated && flat.binary_search(&atom).is_ok()
        });
        if opposed {
            return zero;
        }
        match flat.as_slice() {
            [] => unit,
            &[only] => only,
            several => self.intern(op, Sort::Bool, several),
        }
    }
}
