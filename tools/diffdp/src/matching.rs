//! What happens when both programs make one step: the rules of Algorithm 2 for aligned operations.
//!
//! Every function takes the change-affected objects `w` before the step and returns those after it, or nothing if the two
//! operations must not be taken together. The invariant kept: outside the returned set the two data states agree.
//! Both programs *may* take any two assignments together, identical or not, as long as the original's certainly completes
//! (ALGORITHM.md 4.2); what is identical and unaffected keeps or restores agreement.
//! Source: ALGORITHM.md 4.1, 4.2, 4.4-4.8.

use std::rc::Rc;

use program::cfa::{Cfa, EdgeId, Known, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::outside::is_outside;
use program::types::Type;
use semantics::compare::{Comparison, Side};
use semantics::object_set::ObjectSet;

use crate::effects::Effects;
use crate::equations::Equations;
use crate::names::Names;
use crate::rules::Rules;
use crate::semantic::Semantic;

/// The result of taking an assume of each program together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// The original can follow.
    Follows,
    /// It would, but for these affected objects.
    Blocked(ObjectSet),
}

/// Whether two values written are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values {
    Agree,
    Differ,
}

impl Values {
    #[allow(clippy::fn_params_excessive_bools, reason = "the flag is what becomes a value with a name")]
    fn agree_if(agree: bool) -> Self {
        if agree { Self::Agree } else { Self::Differ }
    }
}

/// The rules for aligned operations.
#[derive(Clone, Debug)]
pub(crate) struct Matching<'a> {
    pub(crate) comparison: &'a Comparison<'a>,
    pub(crate) effects: &'a Effects<'a>,
    pub(crate) rules: Rules,
    pub(crate) semantic: Option<Rc<Semantic<'a>>>,
    /// Sees through what variables are known to hold, unless only identical operations match.
    pub(crate) names: Option<Rc<Names<'a>>>,
}

/// What is known before a step: what may differ, and what variables hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before<'w> {
    pub(crate) w: &'w ObjectSet,
    pub(crate) known: &'w Equations,
}

impl Matching<'_> {
    fn operation(&self, side: Side, edge: EdgeId) -> &Operation {
        &self.comparison.program(side).edge(edge).operation
    }

    /// Declarations, assignments, inputs, calls that enter nothing, inline assembly.
    pub(crate) fn simple(&self, modified: EdgeId, original: EdgeId, before: Before) -> Option<ObjectSet> {
        let w = before.w;
        use Operation::{Asm, Assign, Call, Declare, Havoc};
        if self.leads_elsewhere(modified, original, before) {
            return None;
        }
        let identical = self.comparison.identical(modified, original);
        match (self.operation(Side::Modified, modified), self.operation(Side::Original, original)) {
            (Asm(_), Asm(_)) => (identical && !self.reads_affected(modified, original, w))
                .then(|| w.union(&self.written_by_one(modified, original))),
            (Asm(_), _) | (_, Asm(_)) => None,
            (Call { .. }, Call { .. }) => self.external_calls(modified, original, before),
            (Declare { .. } | Assign { .. } | Havoc { .. } | Call { .. }, Declare { .. } | Havoc { .. }) => {
                self.free_choice(modified, original, w)
            }
            (Declare { .. } | Assign { .. } | Havoc { .. }, Call { callee, .. }) => {
                let program = self.comparison.original;
                let free = !program.enters(*callee) && program.function(*callee).known.is_none();
                if free { self.free_choice(modified, original, w) } else { None }
            }
            (Declare { .. } | Havoc { .. } | Call { .. }, Assign { .. }) => Some(self.both(modified, original, w)),
            (Assign { .. }, Assign { .. }) if identical && !self.reads_affected(modified, original, w) => {
                Some(self.agree(modified, original, w))
            }
            (Assign { .. }, Assign { .. }) if self.assign_equals(modified, original, before) => {
                Some(self.agree(modified, original, w))
            }
            (Assign { .. }, Assign { .. }) => Some(self.both(modified, original, w)),
            (Operation::Blank, Operation::Blank) => Some(w.clone()),
            (
                Declare { .. }
                | Assign { .. }
                | Havoc { .. }
                | Call { .. }
                | Operation::Assume { .. }
                | Operation::Return { .. }
                | Operation::Blank
                | Operation::Unsupported { .. },
                _,
            ) => None,
        }
    }

    /// Both do the same to the same objects: what is certainly overwritten agrees now.
    fn agree(&self, modified: EdgeId, original: EdgeId, w: &ObjectSet) -> ObjectSet {
        let (m, o) = (self.effects.of(Side::Modified, modified), self.effects.of(Side::Original, original));
        w.difference(&m.kills.intersection(o.kills))
    }

    /// What only one of two identical operations may write, since a pointer there was given away in one program only.
    fn written_by_one(&self, modified: EdgeId, original: EdgeId) -> ObjectSet {
        let (m, o) = (self.effects.of(Side::Modified, modified), self.effects.of(Side::Original, original));
        m.writes.difference(o.writes).union(&o.writes.difference(m.writes))
    }

    /// Each does its own.
    fn both(&self, modified: EdgeId, original: EdgeId, w: &ObjectSet) -> ObjectSet {
        let (m, o) = (self.effects.of(Side::Modified, modified), self.effects.of(Side::Original, original));
        let mut after = w.clone();
        if !self.rules.data_dependency && self.comparison.identical(modified, original) {
            return self.agree(modified, original, w);
        }
        if self.rules.new_assignments {
            after.union_with(m.writes);
        }
        if self.rules.skipped_assignments {
            after.union_with(o.writes);
        }
        after
    }

    /// Whether an operation that is identical in both programs reads what may differ.
    fn reads_affected(&self, modified: EdgeId, original: EdgeId, w: &ObjectSet) -> bool {
        [(Side::Modified, modified), (Side::Original, original)].into_iter().any(|(side, edge)| {
            let access = self.effects.of(side, edge);
            access.reads_foreign || access.reads.intersects(w)
        })
    }

    /// The original writes an arbitrary value to a whole variable: it may be the one the modified program writes there.
    fn free_choice(&self, modified: EdgeId, original: EdgeId, w: &ObjectSet) -> Option<ObjectSet> {
        let operation = self.operation(Side::Original, original);
        let chosen = if let Operation::Declare { variable } = *operation { Some(variable) } else { operation.result() };
        let arbitrary = self.is_arbitrary(modified);
        let m = self.effects.of(Side::Modified, modified);
        let mut after = w.union(m.writes);
        after.union_with(&self.effects.memory_writes(Side::Original, original));
        let Some(chosen) = chosen else { return Some(after) };
        let whole = self.effects.whole(Side::Original, chosen);
        // A pointer may lead to what the original does not have; only where both choose, it can be avoided.
        let choosable = !whole.is_empty() && whole.is_subset(m.kills) && (arbitrary || self.is_arithmetic(chosen));
        if choosable {
            after.subtract(whole);
        } else {
            after.union_with(self.effects.variable(Side::Original, chosen));
        }
        Some(after)
    }

    /// Whether what the modified operation writes to its variable is arbitrary as well.
    fn is_arbitrary(&self, modified: EdgeId) -> bool {
        match self.operation(Side::Modified, modified) {
            Operation::Declare { .. } | Operation::Havoc { .. } => true,
            Operation::Call { callee, .. } => {
                let program = self.comparison.modified;
                !program.enters(*callee) && program.function(*callee).known.is_none()
            }
            Operation::Assume { .. }
            | Operation::Assign { .. }
            | Operation::Return { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => false,
        }
    }

    fn is_arithmetic(&self, variable: VarId) -> bool {
        let program = self.comparison.original;
        match program.types.get(program.variable(variable).ty.ty) {
            Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Enum(_) => true,
            Type::Void
            | Type::Complex(_)
            | Type::Pointer(_)
            | Type::Array { .. }
            | Type::Function(_)
            | Type::Record(_)
            | Type::Vector { .. }
            | Type::VaList => false,
        }
    }

    /// Whether the original calls what a pointer leads to outside, which need not be a function, and the modified program not the same.
    fn leads_elsewhere(&self, modified: EdgeId, original: EdgeId, before: Before) -> bool {
        let outside = |side: Side, edge: EdgeId| {
            let call = self.operation(side, edge).call()?;
            is_outside(&self.comparison.program(side).function(call.callee).name).then(|| call.arguments.first().copied())?
        };
        let Some(theirs) = outside(Side::Original, original) else { return false };
        outside(Side::Modified, modified).is_none_or(|mine| !self.agree_on((modified, mine), (original, theirs), before))
    }

    /// Calls of functions without a body.
    fn external_calls(&self, modified: EdgeId, original: EdgeId, before: Before) -> Option<ObjectSet> {
        let w = before.w;
        let (Operation::Call { callee: f, result: r, .. }, Operation::Call { callee: g, result: s, .. }) =
            (self.operation(Side::Modified, modified), self.operation(Side::Original, original))
        else {
            return None;
        };
        let (program, other) = (self.comparison.modified, self.comparison.original);
        if program.enters(*f) || other.enters(*g) {
            return None;
        }
        let identical = self.comparison.identical(modified, original);
        match (program.function(*f).known, other.function(*g).known) {
            (Some(Known::Error), Some(Known::Error)) => Some(w.clone()),
            (None, None) => {
                let mut after = w.clone();
                // What only the modified program's may write, the original's cannot write as well.
                after.union_with(&self.effects.writes_beyond(modified, original));
                let (Some(x), Some(y)) = (self.arguments(Side::Modified, modified), self.arguments(Side::Original, original))
                else {
                    return None;
                };
                let same = |i: usize| match (x.get(i), y.get(i)) {
                    (Some(x), Some(y)) => self.agree_on((modified, *x), (original, *y), before),
                    (_, _) => false,
                };
                // What an external writes is an input as well; where it may write depends on where it is led.
                if self.effects.leads_elsewhere(modified, original, w, same) {
                    after.union_with(&self.effects.memory_writes(Side::Modified, modified));
                    after.union_with(&self.effects.memory_writes(Side::Original, original));
                }
                // The results are inputs: the original's may be the modified program's.
                let corresponds = match (r, s) {
                    (Some(r), Some(s)) => {
                        self.comparison.correspondence().content(*r) == Some(*s)
                            && (self.is_arithmetic(*s) || self.comparison.same_callee(*f, *g))
                    }
                    (None, None) => true,
                    (Some(_), None) | (None, Some(_)) => false,
                };
                self.write_result(*r, *s, Values::agree_if(corresponds), &mut after);
                Some(after)
            }
            (Some(Known::Allocate), Some(Known::Allocate)) if !self.effects.same_allocation(modified, original) => {
                Some(self.both(modified, original, w))
            }
            (Some(a), Some(b)) if is_transparent(a) && is_transparent(b) => {
                if identical && !self.reads_affected(modified, original, w) {
                    Some(self.agree(modified, original, w))
                } else {
                    Some(self.both(modified, original, w))
                }
            }
            (Some(a), None) if is_transparent(a) => Some(self.both(modified, original, w)),
            (None, Some(b)) if is_transparent(b) => Some(self.both(modified, original, w)),
            (_, _) => None,
        }
    }

    fn arguments(&self, side: Side, edge: EdgeId) -> Option<&[ExprId]> {
        match self.operation(side, edge) {
            Operation::Call { arguments, .. } => Some(arguments),
            Operation::Declare { .. }
            | Operation::Assume { .. }
            | Operation::Assign { .. }
            | Operation::Havoc { .. }
            | Operation::Return { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => None,
        }
    }

    fn same_value(&self, modified: ExprId, original: ExprId) -> bool {
        self.comparison.value(Side::Modified, modified) == self.comparison.value(Side::Original, original)
    }

    /// Whether two values are equal: the same of what agrees, or proved to be.
    fn agree_on(&self, modified: (EdgeId, ExprId), original: (EdgeId, ExprId), before: Before) -> bool {
        let w = before.w;
        let (x, y) = (modified.1, original.1);
        let unaffected = || !self.is_affected(Side::Modified, x, w) && !self.is_affected(Side::Original, y, w);
        self.same_value(x, y) && (!self.rules.data_dependency || unaffected()) || self.equal_anyway(modified, original, before)
    }

    /// Whether two values are equal although they are not the same expression of what agrees: the same when what variables
    /// hold is put in for them, or equal as the solver says.
    fn equal_anyway(&self, modified: (EdgeId, ExprId), original: (EdgeId, ExprId), Before { w, known }: Before) -> bool {
        self.names.as_ref().is_some_and(|names| names.same_value(modified.1, original.1, w, known))
            || self.semantic.as_ref().is_some_and(|semantic| semantic.equal(modified, original, w))
    }

    /// Whether two assignments write equal values to the same place.
    fn assign_equals(&self, modified: EdgeId, original: EdgeId, before: Before) -> bool {
        let w = before.w;
        let (&Operation::Assign { place: p, value: x }, &Operation::Assign { place: q, value: y }) =
            (self.operation(Side::Modified, modified), self.operation(Side::Original, original))
        else {
            return false;
        };
        self.same_value(p, q)
            && self.comparison.type_of(Side::Modified, p) == self.comparison.type_of(Side::Original, q)
            && !self.is_affected(Side::Modified, p, w)
            && !self.is_affected(Side::Original, q, w)
            && self.equal_anyway((modified, x), (original, y), before)
    }

    fn write_result(&self, r: Option<VarId>, s: Option<VarId>, values: Values, after: &mut ObjectSet) {
        if values == Values::Agree
            && let (Some(r), Some(s)) = (r, s)
        {
            let whole = self.effects.whole(Side::Modified, r).intersection(self.effects.whole(Side::Original, s));
            after.subtract(&whole);
            return;
        }
        if let Some(r) = r
            && self.rules.new_assignments
        {
            after.union_with(self.effects.variable(Side::Modified, r));
        }
        if let Some(s) = s
            && self.rules.skipped_assignments
        {
            after.union_with(self.effects.variable(Side::Original, s));
        }
    }

    /// Calls that enter functions of the same name: the parameters are bound one by one.
    pub(crate) fn enter(&self, modified: EdgeId, original: EdgeId, before: Before) -> Option<ObjectSet> {
        let (Operation::Call { callee: f, arguments: a, .. }, Operation::Call { callee: g, arguments: b, .. }) =
            (self.operation(Side::Modified, modified), self.operation(Side::Original, original))
        else {
            return None;
        };
        let map = self.comparison.correspondence();
        if map.function(*f) != Some(*g) || !self.comparison.modified.enters(*f) || !self.comparison.original.enters(*g) {
            return None;
        }
        if self.rules.data_dependency && !self.same_surplus((modified, a), (original, b), before.w) {
            return None;
        }
        let mut after = before.w.clone();
        let (mine, theirs) =
            (&self.comparison.modified.function(*f).parameters, &self.comparison.original.function(*g).parameters);
        for parameter in theirs {
            after.union_with(self.effects.variable(Side::Original, *parameter));
        }
        for (position, parameter) in mine.iter().enumerate() {
            let other = map.content(*parameter).and_then(|p| theirs.iter().position(|t| *t == p));
            let agrees = match (a.get(position), other.and_then(|p| b.get(p))) {
                (Some(x), Some(y)) => self.agree_on((modified, *x), (original, *y), before),
                (_, _) => false,
            };
            let bound = self.effects.variable(Side::Modified, *parameter);
            if agrees {
                after.subtract(bound);
            } else {
                after.union_with(bound);
            }
        }
        Some(after)
    }

    /// Whether the surplus arguments of two calls of variadic functions agree: what reads a `va_list` is not told apart from
    /// what does not, so the functions are only entered together if all that a list leads to agrees.
    fn same_surplus(&self, (modified, a): (EdgeId, &[ExprId]), (original, b): (EdgeId, &[ExprId]), w: &ObjectSet) -> bool {
        let (program, other) = (self.comparison.modified, self.comparison.original);
        let named = |cfa: &Cfa, edge: EdgeId| cfa.entered_callee(edge).map_or(0, |f| cfa.function(f).parameters.len());
        let (x, y) = (a.get(named(program, modified)..).unwrap_or_default(), b.get(named(other, original)..).unwrap_or_default());
        x.len() == y.len()
            && x.iter().zip(y).all(|(x, y)| {
                self.same_value(*x, *y)
                    && !self.is_affected(Side::Modified, *x, w)
                    && !self.is_affected(Side::Original, *y, w)
                    && (!matches!(program.types.get(program.exprs.ty(*x)), Type::Pointer(_)) || is_literal(program, *x))
            })
    }

    /// Returns to the given call sites.
    pub(crate) fn leave(
        &self,
        (modified, m_call): (EdgeId, EdgeId),
        (original, o_call): (EdgeId, EdgeId),
        before: Before,
    ) -> Option<ObjectSet> {
        let (Operation::Return { value: x }, Operation::Return { value: y }) =
            (self.operation(Side::Modified, modified), self.operation(Side::Original, original))
        else {
            return None;
        };
        let (r, s) = (self.effects.result(Side::Modified, m_call), self.effects.result(Side::Original, o_call));
        let corresponds = match (r, s) {
            (Some(r), Some(s)) => self.comparison.correspondence().content(r) == Some(s),
            (Some(_), None) | (None, Some(_)) => false,
            (None, None) => true,
        };
        let same = match (x, y) {
            (Some(x), Some(y)) => self.agree_on((modified, *x), (original, *y), before),
            // An arbitrary value may be any.
            (None, None) => true,
            (Some(_), None) => s.is_some_and(|s| self.is_arithmetic(s)),
            (None, Some(_)) => false,
        };
        let mut after = before.w.clone();
        self.end(m_call, &mut after);
        self.write_result(r, s, Values::agree_if(corresponds && same), &mut after);
        Some(after)
    }

    /// The functions end, and what they hold with them: it is arbitrary from here on, and the original's may be the modified one's.
    fn end(&self, m_call: EdgeId, after: &mut ObjectSet) {
        if let Some(callee) = self.comparison.modified.entered_callee(m_call) {
            after.subtract(self.effects.ending(callee));
        }
    }

    /// Returns to the given call sites with values of which nothing is known.
    pub(crate) fn leave_anyhow(&self, m_call: EdgeId, o_call: EdgeId, w: &ObjectSet) -> ObjectSet {
        let (r, s) = (self.effects.result(Side::Modified, m_call), self.effects.result(Side::Original, o_call));
        let mut after = w.clone();
        self.end(m_call, &mut after);
        self.write_result(r, s, Values::Differ, &mut after);
        after
    }

    /// Whether evaluating an expression reads what may differ.
    pub(crate) fn is_affected(&self, side: Side, expr: ExprId, w: &ObjectSet) -> bool {
        let reads = self.effects.reads(side, expr);
        reads.foreign || reads.objects.intersects(w)
    }

    /// Whether the condition of an assume implies that of another when what variables hold is put in for them.
    pub(crate) fn implied_condition(&self, modified: EdgeId, original: EdgeId, Before { w, known }: Before) -> bool {
        self.names.as_ref().is_some_and(|names| names.implied_condition(modified, original, w, known))
    }

    /// Assumes, identical or implied by the modified program's: one side unaffected suffices (ALGORITHM.md 4.8).
    pub(crate) fn assume(&self, modified: EdgeId, original: EdgeId, before: Before) -> Fit {
        let w = before.w;
        let blame = |side, edge| {
            let access = self.effects.of(side, edge);
            (access.reads_foreign || access.reads.intersects(w)).then(|| access.reads.intersection(w))
        };
        if !self.rules.executability {
            return Fit::Follows;
        }
        if self.implied_condition(modified, original, before) {
            return Fit::Follows;
        }
        match (blame(Side::Modified, modified), blame(Side::Original, original)) {
            (None, _) | (_, None) => Fit::Follows,
            (Some(_), Some(_)) if self.semantic.as_ref().is_some_and(|s| s.implied(modified, original, w)) => Fit::Follows,
            (Some(m), Some(o)) => Fit::Blocked(m.union(&o)),
        }
    }
}

/// Whether a pointer leads into a string literal.
fn is_literal(cfa: &Cfa, pointer: ExprId) -> bool {
    let Expr::AddressOf(mut place) = *cfa.exprs.get(pointer) else { return false };
    while let Expr::Field(outer, _) | Expr::Index(outer, _) = *cfa.exprs.get(place) {
        place = outer;
    }
    let Expr::Variable(variable) = *cfa.exprs.get(place) else { return false };
    matches!(cfa.variable(variable).kind, VarKind::StringLiteral(_))
}

/// Functions without a body whose effects are known and that return.
fn is_transparent(known: Known) -> bool {
    match known {
        Known::Input | Known::Allocate | Known::Free | Known::Memory | Known::Pure => true,
        Known::Error | Known::NoReturn | Known::Unsupported => false,
    }
}
