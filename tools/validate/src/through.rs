//! Whether two values are the same once what variables hold is put in for them.
//!
//! Two terms are the same if their trees are; what they read then must not differ.

use program::cfa::{EdgeId, Operation, VarId};
use program::expr::ExprId;
use semantics::object_set::ObjectSet;

use crate::joint::Joint;
use crate::same::Same;
use crate::terms::{Fact, Term, decider};

impl Joint<'_> {
    /// Whether two values are the same, as far as it is known what variables hold.
    pub(crate) fn holds_the_same(&mut self, values: (ExprId, ExprId), affected: &ObjectSet) -> bool {
        let Some((mine, theirs)) = self.facts_of(values) else { return false };
        is_same(&mut self.same, &mine.term, &theirs.term) && self.facts_agree(&mine, &theirs, affected)
    }

    /// The same of two assumes.
    pub(crate) fn has_the_same_condition(&mut self, (mine, theirs): (EdgeId, EdgeId), affected: &ObjectSet) -> bool {
        let (modified, original) = (self.touch.modified.cfa, self.touch.original.cfa);
        let (&Operation::Assume { condition: x, truth: p }, &Operation::Assume { condition: y, truth: q }) =
            (&modified.edge(mine).operation, &original.edge(theirs).operation)
        else {
            return false;
        };
        let Some((mine, theirs)) = self.facts_of((x, y)) else { return false };
        let ((a, p), (b, q)) = (decider(modified, &mine.term, p), decider(original, &theirs.term, q));
        p == q && is_same(&mut self.same, a, b) && self.facts_agree(&mine, &theirs, affected)
    }

    fn facts_of(&mut self, (mine, theirs): (ExprId, ExprId)) -> Option<(Fact, Fact)> {
        if self.held.mine.is_empty() && self.held.theirs.is_empty() {
            return None;
        }
        let [executor, other] = &mut self.executor;
        Some((
            executor.value(&self.touch.modified, &self.held.mine, mine)?,
            other.value(&self.touch.original, &self.held.theirs, theirs)?,
        ))
    }

    /// Whether neither depends on what may differ.
    fn facts_agree(&self, mine: &Fact, theirs: &Fact, affected: &ObjectSet) -> bool {
        let unaffected = |(reads, foreign): (ObjectSet, bool)| !foreign && !reads.intersects(affected);
        unaffected(self.touch.modified.translate(&mine.reads)) && unaffected(self.touch.original.translate(&theirs.reads))
    }

    /// What may differ less the variables that are known to hold the same in both programs.
    pub(crate) fn reconciled(&mut self, mut affected: ObjectSet) -> ObjectSet {
        let variables: Vec<VarId> = self.held.mine.keys().copied().collect();
        loop {
            let before = affected.len();
            for &variable in &variables {
                let Some(other) = self.same.map.content(variable) else { continue };
                let (Some(mine), Some(theirs)) = (self.held.mine.get(&variable), self.held.theirs.get(&other)) else { continue };
                let whole = self.touch.modified.whole(variable).intersection(&self.touch.original.whole(other));
                if whole.intersects(&affected)
                    && self.facts_agree(mine, theirs, &affected)
                    && is_same(&mut self.same, &mine.term, &theirs.term)
                {
                    affected.subtract(&whole);
                }
            }
            if affected.len() == before {
                return affected;
            }
        }
    }
}

/// Whether two terms are the same tree over what is the same in both programs.
fn is_same(same: &mut Same, mine: &Term, theirs: &Term) -> bool {
    same.same_heads(mine.head, theirs.head)
        && mine.operands.len() == theirs.operands.len()
        && mine.operands.iter().zip(&theirs.operands).all(|(x, y)| is_same(same, x, y))
}
