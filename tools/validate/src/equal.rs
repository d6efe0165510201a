//! Whether values that are computed differently are equal when only some objects may differ, as the solver sees it.
//!
//! A variable is one symbol for both programs if nothing of it may differ, else one for each; what is read through a pointer
//! is taken from one memory, so that nothing read there may differ at all. What has a floating point is not compared: which
//! bits a result has that is no number is left open by its operands.

use program::cfa::{Cfa, EdgeId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::types::Type;
use rustc_hash::FxHashSet;
use semantics::object_set::ObjectSet;
use smt::encode::{Claim, Question};

use crate::access::Program;
use crate::joint::Joint;

impl Joint<'_> {
    /// Whether a value of the modified program, computed on its edge, is that of the original on its own.
    pub(crate) fn equal(&mut self, mine: (EdgeId, ExprId), theirs: (EdgeId, ExprId), affected: &ObjectSet) -> bool {
        self.holds(Claim::Equal(mine, theirs), (mine.1, theirs.1), affected)
    }

    /// Whether the condition of the modified program implies that of the original though both read what may differ.
    pub(crate) fn implies_apart(&mut self, mine: EdgeId, theirs: EdgeId, affected: &ObjectSet) -> bool {
        let condition = |cfa: &Cfa, edge: EdgeId| match cfa.edge(edge).operation {
            Operation::Assume { condition, .. } => Some(condition),
            Operation::Declare { .. }
            | Operation::Assign { .. }
            | Operation::Havoc { .. }
            | Operation::Call { .. }
            | Operation::Return { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => None,
        };
        let conditions = (condition(self.touch.modified.cfa, mine), condition(self.touch.original.cfa, theirs));
        let (Some(x), Some(y)) = conditions else { return false };
        self.holds(Claim::Implied(mine, theirs), (x, y), affected)
    }

    fn holds(&mut self, claim: Claim, (mine, theirs): (ExprId, ExprId), affected: &ObjectSet) -> bool {
        if !self.compares_values
            || !is_comparable(&self.touch.modified, mine, affected)
            || !is_comparable(&self.touch.original, theirs, affected)
        {
            return false;
        }
        let (map, touch) = (self.same.map, &self.touch);
        let agrees = |variable: VarId| {
            if matches!(touch.modified.cfa.variable(variable).kind, VarKind::StringLiteral(_)) {
                return true;
            }
            let Some(other) = map.content(variable) else { return false };
            let (objects, others) = (touch.modified.variable(variable), touch.original.variable(other));
            // What is foreign is in no set.
            !objects.is_empty() && objects == others && objects.is_disjoint(affected)
        };
        let Some(solver) = &mut self.solver else { return false };
        solver.implications.prove(&mut solver.queries, &Question { claim, agrees: &agrees }).unwrap_or(false)
    }
}

/// Whether an expression reads through pointers only what agrees, and knows no floating point.
fn is_comparable(program: &Program, expr: ExprId, affected: &ObjectSet) -> bool {
    let cfa = program.cfa;
    let mut open = vec![expr];
    let mut met = FxHashSet::default();
    while let Some(expr) = open.pop() {
        if !met.insert(expr) {
            continue;
        }
        match cfa.types.get(cfa.exprs.ty(expr)) {
            Type::Float(_) | Type::Complex(_) | Type::Vector { .. } => return false,
            Type::Void
            | Type::Bool
            | Type::Int { .. }
            | Type::Pointer(_)
            | Type::Array { .. }
            | Type::Function(_)
            | Type::Record(_)
            | Type::Enum(_)
            | Type::VaList => {}
        }
        if let Expr::Load(place) = *cfa.exprs.get(expr)
            && follows_pointer(cfa, place)
        {
            let (reads, foreign) = program.reads(expr);
            if foreign || reads.intersects(affected) {
                return false;
            }
        }
        open.extend(cfa.exprs.get(expr).operands());
    }
    true
}

/// Whether a place is anywhere but in a variable, by name.
fn follows_pointer(cfa: &Cfa, place: ExprId) -> bool {
    let mut at = place;
    while let Expr::Field(outer, _) | Expr::Index(outer, _) = *cfa.exprs.get(at) {
        at = outer;
    }
    !matches!(cfa.exprs.get(at), Expr::Variable(_))
}
