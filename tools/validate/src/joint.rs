//! What may differ behind a step that both programs make together.
//!
//! Each rule takes the objects that may differ before the step and returns those that may behind it, or the reason why the two
//! operations must not be taken together. What it says: whatever the modified program does along its edge, the original, from
//! a state that agrees outside the objects before, *can* do something along its own that agrees outside the objects behind.
//! "Can": inputs, declarations and results of unknown functions are the original's to choose.

use program::cfa::{Cfa, EdgeId, Known, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::outside::is_outside;
use program::types::Type;
use semantics::object_set::ObjectSet;
use smt::encode::Implications;
use smt::queries::Queries;

use crate::access::Access;
use crate::held::{Executor, Held};
use crate::kept::Kept;
use crate::same::Same;
use crate::touch::Touch;

/// Answers whether an assume of the modified program implies one of the original.
pub(crate) struct Solver<'a> {
    pub(crate) implications: Implications<'a>,
    pub(crate) queries: Queries,
}

/// Everything the rules need.
pub(crate) struct Joint<'a> {
    pub(crate) same: Same<'a>,
    pub(crate) touch: Touch<'a>,
    /// None if there is no solver: then nothing is implied.
    pub(crate) solver: Option<Solver<'a>>,
    /// What variables hold before the step.
    pub(crate) held: Held,
    pub(crate) executor: [Executor; 2],
    /// Of which variables that is known even where they agree.
    pub(crate) kept: Kept,
    /// The solver is asked about values that are not the same.
    pub(crate) compares_values: bool,
}

/// Objects that may differ, or why a step cannot be.
pub(crate) type Outcome = Result<ObjectSet, String>;

/// An edge of the modified and one of the original program.
type Edges = (EdgeId, EdgeId);

fn refuse<T>(why: &str) -> Result<T, String> {
    Err(why.to_owned())
}

impl Joint<'_> {
    fn operations(&self, (mine, theirs): Edges) -> (Operation, Operation) {
        let (modified, original) = (self.touch.modified.cfa, self.touch.original.cfa);
        (modified.edge(mine).operation.clone(), original.edge(theirs).operation.clone())
    }

    /// Whether the operations are the same and read nothing that may differ.
    fn does_the_same(&mut self, (mine, theirs): Edges, affected: &ObjectSet) -> bool {
        self.same.operations(mine, theirs)
            && [self.touch.modified.of(mine), self.touch.original.of(theirs)]
                .iter()
                .all(|access| !access.reads_foreign && !access.reads.intersects(affected))
    }

    /// Whether two values, computed on these edges, are the same and read nothing that may differ, or are equal anyway.
    fn same_value(&mut self, edges: Edges, (mine, theirs): (ExprId, ExprId), affected: &ObjectSet) -> bool {
        self.same.values(mine, theirs) && self.is_unaffected((mine, theirs), affected)
            || self.equal_anyway(edges, (mine, theirs), affected)
    }

    /// Whether two values are equal that are not the same: because of what variables hold, or as the solver says.
    fn equal_anyway(&mut self, edges: Edges, (mine, theirs): (ExprId, ExprId), affected: &ObjectSet) -> bool {
        self.holds_the_same((mine, theirs), affected) || self.equal((edges.0, mine), (edges.1, theirs), affected)
    }

    /// Whether two expressions read nothing that may differ; of places, their addresses.
    fn is_unaffected(&self, (mine, theirs): (ExprId, ExprId), affected: &ObjectSet) -> bool {
        let unaffected = |(reads, foreign): (ObjectSet, bool)| !foreign && !reads.intersects(affected);
        unaffected(self.touch.modified.reads(mine)) && unaffected(self.touch.original.reads(theirs))
    }

    /// Whether equal values are assigned at the same address.
    fn assigns_equals(&mut self, edges: Edges, affected: &ObjectSet) -> bool {
        let (Operation::Assign { place: p, value: x }, Operation::Assign { place: q, value: y }) = self.operations(edges) else {
            return false;
        };
        self.same.places(p, q) && self.is_unaffected((p, q), affected) && self.equal_anyway(edges, (x, y), affected)
    }

    /// Both do the same: what both certainly overwrite agrees.
    fn agree(&mut self, (mine, theirs): Edges, affected: &ObjectSet) -> ObjectSet {
        let (m, o) = (self.touch.modified.of(mine), self.touch.original.of(theirs));
        affected.difference(&m.kills.intersection(&o.kills))
    }

    /// What only one of them may write: an object whose address was given away in one program only.
    fn written_by_one(&mut self, (mine, theirs): Edges) -> ObjectSet {
        let (m, o) = (self.touch.modified.of(mine), self.touch.original.of(theirs));
        m.writes.difference(&o.writes).union(&o.writes.difference(&m.writes))
    }

    /// Each does its own.
    fn each(&mut self, (mine, theirs): Edges, affected: &ObjectSet) -> ObjectSet {
        let (m, o) = (self.touch.modified.of(mine), self.touch.original.of(theirs));
        affected.union(&m.writes).union(&o.writes)
    }

    /// Operations within a function: no assumes, no calls that enter a body, no returns.
    pub(crate) fn within(&mut self, edges: Edges, affected: &ObjectSet) -> Outcome {
        use Operation::{Asm, Assign, Blank, Call, Declare, Havoc};
        if self.leaves_elsewhere(edges, affected) {
            return refuse("the original calls what a pointer leads to outside, and the modified program does not call the same");
        }
        match self.operations(edges) {
            (Blank, Blank) => Ok(affected.clone()),
            (Asm(_), Asm(_)) if self.does_the_same(edges, affected) => Ok(affected.union(&self.written_by_one(edges))),
            (Asm(_), _) | (_, Asm(_)) => refuse("inline assembly is taken together with what is not the same"),
            (Assign { .. }, Assign { .. }) if self.does_the_same(edges, affected) || self.assigns_equals(edges, affected) => {
                Ok(self.agree(edges, affected))
            }
            (Declare { .. } | Assign { .. } | Havoc { .. }, Assign { .. }) => Ok(self.each(edges, affected)),
            (Call { callee: f, .. }, Call { callee: g, .. }) => {
                let known = (self.without_body_in_modified(f)?, self.without_body_in_original(g)?);
                self.calls(edges, known, affected)
            }
            (Call { callee, .. }, Assign { .. }) => {
                self.without_body_in_modified(callee)?;
                Ok(self.each(edges, affected))
            }
            (Call { callee, .. }, Declare { .. } | Havoc { .. }) => {
                self.without_body_in_modified(callee)?;
                Ok(self.choose(edges, affected))
            }
            (Declare { .. } | Assign { .. } | Havoc { .. }, Declare { .. } | Havoc { .. }) => Ok(self.choose(edges, affected)),
            (Declare { .. } | Assign { .. } | Havoc { .. }, Call { callee, .. }) => {
                match self.without_body_in_original(callee)? {
                    None => Ok(self.choose(edges, affected)),
                    Some(_) => refuse("the original calls what is not free to yield any result"),
                }
            }
            (_, _) => refuse("the two operations are not of a kind that can be taken together"),
        }
    }

    /// What is known of a function that has no body.
    fn without_body_in_modified(&self, function: program::cfa::FunctionId) -> Result<Option<Known>, String> {
        without_body(self.touch.modified.cfa, function)
    }

    fn without_body_in_original(&self, function: program::cfa::FunctionId) -> Result<Option<Known>, String> {
        without_body(self.touch.original.cfa, function)
    }

    /// The original may write any value to a whole variable: also the one that the modified program writes there.
    fn choose(&mut self, (mine, theirs): Edges, affected: &ObjectSet) -> ObjectSet {
        let (operation, other) = self.operations((mine, theirs));
        let chosen = if let Operation::Declare { variable } = other { Some(variable) } else { other.result() };
        let mut after = affected.union(&self.touch.modified.of(mine).writes);
        if let Operation::Call { .. } = other {
            after.union_with(&self.touch.original.memory_writes(theirs));
        }
        let Some(chosen) = chosen else { return after };
        let whole = self.touch.original.whole(chosen);
        let overwritten = self.touch.modified.of(mine);
        // A pointer may lead to what only one program has, unless it is chosen in both.
        let choosable = is_number(self.touch.original.cfa, chosen) || self.is_chosen(&operation);
        if choosable && !whole.is_empty() && whole.is_subset(&overwritten.kills) {
            after.subtract(&whole);
        } else {
            after.union_with(&self.touch.original.variable(chosen));
        }
        after
    }

    /// Whether what the modified program's operation writes to its variable is arbitrary as well.
    fn is_chosen(&self, operation: &Operation) -> bool {
        match operation {
            Operation::Declare { .. } | Operation::Havoc { .. } => true,
            Operation::Call { callee, .. } => self.without_body_in_modified(*callee) == Ok(None),
            Operation::Assume { .. }
            | Operation::Assign { .. }
            | Operation::Return { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => false,
        }
    }

    /// Calls of functions without a body.
    fn calls(&mut self, edges: Edges, known: (Option<Known>, Option<Known>), affected: &ObjectSet) -> Outcome {
        let returns = |known: Known| match known {
            Known::Input | Known::Allocate | Known::Free | Known::Memory | Known::Pure => true,
            Known::Error | Known::NoReturn | Known::Unsupported => false,
        };
        match known {
            (Some(Known::Error), Some(Known::Error)) => Ok(affected.clone()),
            (None, None) => Ok(self.unknown_calls(edges, affected)),
            (Some(Known::Allocate), Some(Known::Allocate)) if !self.allocates_the_same(edges) => Ok(self.each(edges, affected)),
            (Some(a), Some(b)) if returns(a) && returns(b) => {
                let same = self.does_the_same(edges, affected);
                Ok(if same { self.agree(edges, affected) } else { self.each(edges, affected) })
            }
            (Some(a), None) if returns(a) => Ok(self.each(edges, affected)),
            (None, Some(b)) if returns(b) => Ok(self.each(edges, affected)),
            (_, _) => refuse("one of the two calls may not return"),
        }
    }

    /// Whether the original calls what a pointer leads to outside, which need not be a function, and the modified program not the same.
    fn leaves_elsewhere(&mut self, edges: Edges, affected: &ObjectSet) -> bool {
        let (operation, other) = self.operations(edges);
        let Some(theirs) = other.call().filter(|call| is_outside(&self.touch.original.cfa.function(call.callee).name)) else {
            return false;
        };
        let mine = operation.call().filter(|call| is_outside(&self.touch.modified.cfa.function(call.callee).name));
        let pointers = mine.and_then(|mine| Some((*mine.arguments.first()?, *theirs.arguments.first()?)));
        pointers.is_none_or(|pointers| !self.same_value(edges, pointers, affected))
    }

    fn allocates_the_same(&self, (mine, theirs): Edges) -> bool {
        let (a, b) = (self.touch.modified.allocated(mine), self.touch.original.allocated(theirs));
        a.is_some() && a == b
    }

    /// Two calls of functions of which nothing is known: what they write and yield is an input, where they write it is not.
    fn unknown_calls(&mut self, edges: Edges, affected: &ObjectSet) -> ObjectSet {
        let (mine, theirs) = edges;
        let (operation, other) = self.operations(edges);
        let (Some(call), Some(called)) = (operation.call(), other.call()) else { return self.each(edges, affected) };
        let mut after = affected.clone();
        after.union_with(&self.touch.writes_beyond(mine, theirs));
        let mut elsewhere = self.touch.outside_is_led_elsewhere(affected);
        for position in 0..call.arguments.len().max(called.arguments.len()) {
            let (x, y) = (call.arguments.get(position), called.arguments.get(position));
            let leads = x.is_some_and(|x| self.touch.modified.leads_inside(*x))
                || y.is_some_and(|y| self.touch.original.leads_inside(*y));
            let same = matches!((x, y), (Some(x), Some(y)) if self.same_value(edges, (*x, *y), affected));
            elsewhere |= leads && !same;
        }
        if elsewhere {
            after.union_with(&self.touch.modified.memory_writes(mine));
            after.union_with(&self.touch.original.memory_writes(theirs));
        }
        let chosen = match (call.result, called.result) {
            (Some(r), Some(s)) => {
                let free = is_number(self.touch.original.cfa, s) || self.same.callees(call.callee, called.callee);
                free && self.same.map.content(r) == Some(s)
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        self.add_results((call.result, called.result), chosen, &mut after);
        after
    }

    /// Results are written to these variables; whether the original's agrees with the modified program's.
    #[allow(clippy::fn_params_excessive_bools, reason = "the flag is the answer to a question with a name")]
    fn add_results(&self, (mine, theirs): (Option<VarId>, Option<VarId>), agrees: bool, after: &mut ObjectSet) {
        if let (true, Some(r), Some(s)) = (agrees, mine, theirs) {
            after.subtract(&self.touch.modified.whole(r).intersection(&self.touch.original.whole(s)));
            return;
        }
        if let Some(r) = mine {
            after.union_with(&self.touch.modified.variable(r));
        }
        if let Some(s) = theirs {
            after.union_with(&self.touch.original.variable(s));
        }
    }

    /// Calls that enter the functions of the same name.
    pub(crate) fn enter(&mut self, edges: Edges, affected: &ObjectSet) -> Outcome {
        let (modified, original) = (self.touch.modified.cfa, self.touch.original.cfa);
        let (operation, other) = self.operations(edges);
        let (Some(call), Some(called)) = (operation.call(), other.call()) else { return refuse("one of the two is no call") };
        if self.same.map.function(call.callee) != Some(called.callee) {
            return refuse("the two calls enter functions of different names");
        }
        let (mine, theirs) = (&modified.function(call.callee).parameters, &original.function(called.callee).parameters);
        let surplus = (call.arguments.get(mine.len()..), called.arguments.get(theirs.len()..));
        let surplus = (surplus.0.unwrap_or_default(), surplus.1.unwrap_or_default());
        if !self.same_surplus(edges, surplus, affected) {
            return refuse("the arguments behind the parameters may differ");
        }
        let mut after = affected.clone();
        theirs.iter().for_each(|parameter| {
            after.union_with(&self.touch.original.variable(*parameter));
        });
        for (position, parameter) in mine.iter().enumerate() {
            let other = self.same.map.content(*parameter).and_then(|p| theirs.iter().position(|t| *t == p));
            let arguments = (call.arguments.get(position), other.and_then(|p| called.arguments.get(p)));
            let agrees = matches!(arguments, (Some(x), Some(y)) if self.same_value(edges, (*x, *y), affected));
            let bound = self.touch.modified.variable(*parameter);
            if agrees {
                after.subtract(&bound);
            } else {
                after.union_with(&bound);
            }
        }
        Ok(after)
    }

    /// Whether arguments that are no parameters agree with everything they lead to.
    fn same_surplus(&mut self, edges: Edges, (mine, theirs): (&[ExprId], &[ExprId]), affected: &ObjectSet) -> bool {
        let modified = self.touch.modified.cfa;
        let leads_nowhere = |expr: ExprId| {
            !matches!(modified.types.get(modified.exprs.ty(expr)), Type::Pointer(_)) || leads_to_text(modified, expr)
        };
        mine.len() == theirs.len()
            && mine.iter().zip(theirs).all(|(x, y)| leads_nowhere(*x) && self.same_value(edges, (*x, *y), affected))
    }

    /// Both return, each to the call that entered its function; the original perhaps at the exit, with a value unknown.
    pub(crate) fn leave(
        &mut self,
        (mine, theirs): (EdgeId, Option<EdgeId>),
        (call, called): Edges,
        affected: &ObjectSet,
    ) -> Outcome {
        let (modified, original) = (self.touch.modified.cfa, self.touch.original.cfa);
        let (Some(f), Some(g)) = (modified.entered_callee(call), original.entered_callee(called)) else {
            return refuse("one of the two returns from nowhere");
        };
        if self.same.map.function(f) != Some(g) {
            return refuse("the two return from functions of different names");
        }
        let results = (modified.edge(call).operation.result(), original.edge(called).operation.result());
        let corresponds = match results {
            (Some(r), Some(s)) => self.same.map.content(r) == Some(s),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        let agrees = match theirs {
            None => false,
            Some(theirs) => match self.operations((mine, theirs)) {
                (Operation::Return { value: x }, Operation::Return { value: y }) => match (x, y) {
                    (Some(x), Some(y)) => self.same_value((mine, theirs), (x, y), affected),
                    (None, None) => true,
                    // An arbitrary value may be any.
                    (Some(_), None) => results.1.is_some_and(|s| is_number(original, s)),
                    (None, Some(_)) => false,
                },
                (_, _) => return refuse("one of the two is no return"),
            },
        };
        let mut after = self.touch.without_ended(affected, self.same.map, [f, g]);
        self.add_results(results, corresponds && agrees, &mut after);
        Ok(after)
    }

    /// Assumes: the original can follow if the modified program's condition implies its own, and one of them reads nothing that
    /// may differ, or it does so whatever differs.
    pub(crate) fn assume(&mut self, edges: Edges, affected: &ObjectSet) -> Outcome {
        let (mine, theirs) = edges;
        if !matches!(self.operations(edges), (Operation::Assume { .. }, Operation::Assume { .. })) {
            return refuse("one of the two is no condition");
        }
        if self.has_an_implied_condition(edges, affected) {
            return Ok(affected.clone());
        }
        let (m, o) = (self.touch.modified.of(mine), self.touch.original.of(theirs));
        let differs = |access: &Access| access.reads_foreign || access.reads.intersects(affected);
        if differs(&m) && differs(&o) {
            if self.implies_apart(mine, theirs, affected) {
                return Ok(affected.clone());
            }
            return refuse("both conditions read what may differ");
        }
        if self.same.operations(mine, theirs) || self.implies(mine, theirs) {
            return Ok(affected.clone());
        }
        refuse("the condition does not imply that of the original")
    }

    fn implies(&mut self, mine: EdgeId, theirs: EdgeId) -> bool {
        self.solver.as_mut().is_some_and(|s| s.implications.implies(&mut s.queries, mine, theirs).unwrap_or(false))
    }
}

fn without_body(cfa: &Cfa, function: program::cfa::FunctionId) -> Result<Option<Known>, String> {
    if cfa.enters(function) {
        return Err("a call that enters a body is taken together with an operation that does not".to_owned());
    }
    Ok(cfa.function(function).known)
}

/// Whether a variable holds a number, which can be any.
fn is_number(cfa: &Cfa, variable: VarId) -> bool {
    match cfa.types.get(cfa.variable(variable).ty.ty) {
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

/// Whether a pointer leads into a string literal.
fn leads_to_text(cfa: &Cfa, pointer: ExprId) -> bool {
    let Expr::AddressOf(mut place) = *cfa.exprs.get(pointer) else { return false };
    while let Expr::Field(outer, _) | Expr::Index(outer, _) = *cfa.exprs.get(place) {
        place = outer;
    }
    let Expr::Variable(variable) = *cfa.exprs.get(place) else { return false };
    matches!(cfa.variable(variable).kind, VarKind::StringLiteral(_))
}
