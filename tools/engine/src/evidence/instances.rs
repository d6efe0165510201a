//! Formulas that hold of every index of an array, and what they say of the indices that a question reads.
//!
//! A formula with the index symbol stands for all formulas with an index in its place [Lahiri, Bryant: Indexed Predicate
//! Discovery for Unbounded System Verification, CAV 2004]. What is to be shown of every index is shown of the symbol, of which
//! nothing is known; what holds of every index is taken for granted of those that occur.
//! Soundness: every instance follows from the formula. Leaving some out only loses strength.

use smt::encode::INDEX;
use smt::terms::Role;
use smt::{Op, Sort, TermId, TermStore};

/// Indices of one question that are put in.
const MOST: usize = 16;

/// The symbol for any index.
pub fn symbol(store: &mut TermStore) -> TermId {
    store.fresh_variable(Role::Index, 0, Sort::BitVec(INDEX))
}

/// Whether a formula is said of every index.
pub fn is_of_each(store: &mut TermStore, formula: TermId) -> bool {
    let symbol = symbol(store);
    store.variables(formula).contains(&symbol)
}

/// The indices at which arrays are read and written in some terms.
#[must_use]
pub fn indices(store: &TermStore, roots: &[TermId]) -> Vec<TermId> {
    let mut found = indexmap::IndexSet::new();
    store.visit(roots, |term, op| {
        if matches!(op, Op::Select | Op::Store) {
            found.insert(store.args(term)[1]);
        }
        true
    });
    found.into_iter().take(MOST).collect()
}

/// What a formula says where `roots` are looked at: itself, and if it is said of every index, its instances there.
pub fn premise(store: &mut TermStore, formula: TermId, roots: &[TermId]) -> TermId {
    if !is_of_each(store, formula) {
        return formula;
    }
    let symbol = symbol(store);
    let mut parts = vec![formula];
    for index in indices(store, roots) {
        parts.push(store.substitute(formula, &[(symbol, index)]));
    }
    store.and(&parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_of_every_index_is_said_of_those_that_occur() {
        let mut store = TermStore::new();
        let array = store.variable("a", Sort::Array { index: INDEX, element: 8 });
        let (i, j) = (store.variable("i", Sort::BitVec(INDEX)), store.variable("j", Sort::BitVec(INDEX)));
        let (any, seven) = (symbol(&mut store), store.bits(8, 7));
        let is_seven = |store: &mut TermStore, index| {
            let cell = store.select(array, index);
            store.eq(cell, seven)
        };
        let all = is_seven(&mut store, any);
        let at = [is_seven(&mut store, i), is_seven(&mut store, j)];
        let claim = store.and(&at);
        assert!(is_of_each(&mut store, all) && !is_of_each(&mut store, claim));
        let said = premise(&mut store, all, &[claim]);
        let wanted = store.and(&[all, at[0], at[1]]);
        assert_eq!(said, wanted);
        assert_eq!(premise(&mut store, claim, &[all]), claim);
    }
}
