//! Whether two values are the same once what variables hold is put in for them.
//!
//! Two terms are the same if their trees are; what they read then must not differ.

use std::rc::Rc;

use program::cfa::{EdgeId, Operation, VarId};
use program::expr::ExprId;
use semantics::object_set::ObjectSet;

use crate::access::Program;
use crate::implied::{Implied, is_impossible, is_same};
use crate::joint::Joint;
use crate::terms::{Fact, Facts};

impl Joint<'_> {
    /// Whether two values are the same, as far as it is known what variables hold.
    pub(crate) fn holds_the_same(&mut self, values: (ExprId, ExprId), affected: &ObjectSet) -> bool {
        self.facts_of(values, affected)
            .into_iter()
            .any(|(mine, theirs)| is_same(&mut self.same, &mine.term, &theirs.term) && self.facts_agree(&mine, &theirs, affected))
    }

    /// Whether the condition of an assume implies that of another, as far as it is known what variables hold.
    pub(crate) fn has_an_implied_condition(&mut self, (mine, theirs): (EdgeId, EdgeId), affected: &ObjectSet) -> bool {
        let (modified, original) = (self.touch.modified.cfa, self.touch.original.cfa);
        let (&Operation::Assume { condition: x, truth: p }, &Operation::Assume { condition: y, truth: q }) =
            (&modified.edge(mine).operation, &original.edge(theirs).operation)
        else {
            return false;
        };
        self.facts_of((x, y), affected).into_iter().any(|(mine, theirs)| {
            let implied = Implied::new(&mut self.same).implies((&mine.term, p), (&theirs.term, q));
            implied && self.facts_agree(&mine, &theirs, affected)
        })
    }

    /// Whether the modified program cannot pass an assume, as far as it is known what its variables hold.
    pub(crate) fn cannot_pass(&mut self, edge: EdgeId) -> bool {
        let modified = &self.touch.modified;
        let Operation::Assume { condition, truth } = modified.cfa.edge(edge).operation else { return false };
        let executor = &mut self.executor[0];
        self.held.mine.all().any(|facts| {
            let fact = executor.value(modified, facts, condition);
            fact.is_some_and(|fact| is_impossible(modified.cfa, (&fact.term, truth)))
        })
    }

    /// Both values when all that is known of variables is put in for them, and when only that of variables that may differ is.
    fn facts_of(&mut self, (mine, theirs): (ExprId, ExprId), affected: &ObjectSet) -> Vec<(Fact, Fact)> {
        if self.held.mine.is_empty() && self.held.theirs.is_empty() {
            return Vec::new();
        }
        let [executor, other] = &mut self.executor;
        let (modified, original) = (&self.touch.modified, &self.touch.original);
        let differing = |program: &Program, facts: &Facts| -> Facts {
            let differs = |variable: VarId| {
                let objects = program.variable(variable);
                objects.is_empty() || objects.intersects(affected)
            };
            facts.iter().filter(|(variable, _)| differs(**variable)).map(|(v, fact)| (*v, Rc::clone(fact))).collect()
        };
        let mut values = Vec::new();
        for (here, there) in self.held.mine.pairs(&self.held.theirs) {
            let few = (differing(modified, here), differing(original, there));
            for (a, b) in [(here, there), (&few.0, &few.1)] {
                values.extend(executor.value(modified, a, mine).zip(other.value(original, b, theirs)));
            }
        }
        values
    }

    /// Whether neither depends on what may differ.
    fn facts_agree(&self, mine: &Fact, theirs: &Fact, affected: &ObjectSet) -> bool {
        let unaffected = |(reads, foreign): (ObjectSet, bool)| !foreign && !reads.intersects(affected);
        unaffected(self.touch.modified.translate(&mine.reads)) && unaffected(self.touch.original.translate(&theirs.reads))
    }

    /// What may differ less the variables that are known to hold the same in both programs.
    pub(crate) fn reconciled(&mut self, mut affected: ObjectSet) -> ObjectSet {
        let held = std::mem::take(&mut self.held);
        for (mine, theirs) in held.mine.pairs(&held.theirs) {
            affected = self.reconciled_by(mine, theirs, affected);
        }
        self.held = held;
        affected
    }

    fn reconciled_by(&mut self, mine: &Facts, theirs: &Facts, mut affected: ObjectSet) -> ObjectSet {
        loop {
            let before = affected.len();
            for (&variable, here) in mine {
                let Some(other) = self.same.map.content(variable) else { continue };
                let Some(there) = theirs.get(&other) else { continue };
                let whole = self.touch.modified.whole(variable).intersection(&self.touch.original.whole(other));
                if whole.intersects(&affected)
                    && self.facts_agree(here, there, &affected)
                    && is_same(&mut self.same, &here.term, &there.term)
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
