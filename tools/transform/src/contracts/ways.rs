//! What the ways from a call to an error ask of its arguments and its result.
//!
//! A way is followed forward, with what is known of each variable as an expression over the variables of a contract. What is
//! not known is left out of the conditions, so that what is said to lead to the error may lead elsewhere: a guess.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation, VarId};
use program::expr::{Expr, ExprArena, ExprId};
use rustc_hash::FxHashMap;

use super::frame::Opening;

/// Edges that are looked at from one call.
const EDGES: usize = 3_000;

/// Edges of one way.
const LENGTH: usize = 120;

/// Ways to the error from one call.
const WAYS: usize = 24;

/// Parts of what is known of a variable: sums of sums double with every step, and nobody's contract says that much.
const LARGEST: usize = 100;

/// Calls that a way may open.
const DEPTH: usize = 3;

/// A condition and whether it is to hold.
pub(super) type Condition = (ExprId, bool);

/// What is known on a way.
#[derive(Clone, Debug, Default)]
struct Way {
    /// Variables of the program; those that are not here have any value.
    known: FxHashMap<VarId, ExprId>,
    conditions: Vec<Condition>,
    open: Vec<(LocationId, Option<VarId>)>,
    length: usize,
}

/// The conditions of each way from behind a call to an error that is found.
pub(super) fn to_errors(cfa: &Cfa, opening: &mut Opening, call: EdgeId) -> Vec<Vec<Condition>> {
    let known = behind(cfa, opening, call);
    let mut search = Search { cfa, opening, found: Vec::new(), edges: 0 };
    search.follow(cfa.edge(call).target, Way { known, ..Way::default() });
    search.found
}

/// The variables that hold an argument of a call, or a global it depends on, before it.
pub(super) fn before(cfa: &Cfa, opening: &mut Opening, call: EdgeId) -> FxHashMap<VarId, ExprId> {
    let Operation::Call { callee, arguments, .. } = &cfa.edge(call).operation else { return FxHashMap::default() };
    let Opening { editor, signatures, .. } = opening;
    let Some(signature) = signatures.get(callee) else { return FxHashMap::default() };
    let mut known: FxHashMap<VarId, ExprId> = signature.touched.iter().map(|global| (*global, editor.load(*global))).collect();
    for (argument, ghost) in arguments.iter().zip(&signature.call.arguments) {
        if let (Some(variable), Some(ghost)) = (passed(cfa, *argument), *ghost) {
            let ghost = editor.load(ghost);
            known.entry(variable).or_insert(ghost);
        }
    }
    known
}

/// What is known of variables behind a call.
fn behind(cfa: &Cfa, opening: &mut Opening, call: EdgeId) -> FxHashMap<VarId, ExprId> {
    let mut known = before(cfa, opening, call);
    let Operation::Call { callee, result, .. } = &cfa.edge(call).operation else { return known };
    if let (Some(variable), Some(signature)) = (result, opening.signatures.get(callee))
        && let Some(ghost) = signature.call.result
    {
        known.insert(*variable, opening.editor.load(ghost));
    }
    known
}

/// The variable whose value, of the same type, an argument is.
fn passed(cfa: &Cfa, argument: ExprId) -> Option<VarId> {
    let Expr::Load(place) = *cfa.exprs.get(argument) else { return None };
    let Expr::Variable(variable) = *cfa.exprs.get(place) else { return None };
    Some(variable)
}

/// An expression of the program over what is known; `None` if it depends on anything else.
pub(super) fn said(cfa: &Cfa, opening: &mut Opening, known: &FxHashMap<VarId, ExprId>, expr: ExprId) -> Option<ExprId> {
    if !is_small(&cfa.exprs, expr, LARGEST) {
        return None;
    }
    let mut replaced = FxHashMap::default();
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        match *cfa.exprs.get(expr) {
            Expr::Load(place) => {
                replaced.insert(expr, *known.get(&opening.variable(cfa, place)?)?);
            }
            Expr::Variable(_)
            | Expr::Dereference { .. }
            | Expr::AddressOf(_)
            | Expr::Field(..)
            | Expr::Index(..)
            | Expr::FunctionAddress(_)
            | Expr::Zero => return None,
            other => pending.extend(other.operands()),
        }
    }
    let said = opening.editor.substituted(expr, &replaced);
    is_small(&opening.editor.parts.exprs, said, LARGEST).then_some(said)
}

/// Whether an expression, written out, has at most so many parts.
pub(super) fn is_small(exprs: &ExprArena, expr: ExprId, most: usize) -> bool {
    let mut pending = vec![expr];
    let mut count = 0;
    while let Some(expr) = pending.pop() {
        count += 1;
        if count > most {
            return false;
        }
        pending.extend(exprs.get(expr).operands());
    }
    true
}

struct Search<'a> {
    cfa: &'a Cfa,
    opening: &'a mut Opening,
    found: Vec<Vec<Condition>>,
    edges: usize,
}

impl Search<'_> {
    fn follow(&mut self, from: LocationId, way: Way) {
        let mut pending = vec![(from, way)];
        while let Some((at, way)) = pending.pop() {
            if self.edges >= EDGES || self.found.len() >= WAYS {
                return;
            }
            if self.cfa.location(at).is_error {
                self.found.push(way.conditions);
                continue;
            }
            if way.length >= LENGTH {
                continue;
            }
            for edge in self.cfa.out_edges(at) {
                self.edges += 1;
                let mut next = way.clone();
                next.length += 1;
                if let Some(target) = self.pass(*edge, &mut next) {
                    pending.push((target, next));
                }
            }
        }
    }

    /// Passes an edge; where the way goes on.
    fn pass(&mut self, edge: EdgeId, way: &mut Way) -> Option<LocationId> {
        let target = self.cfa.edge(edge).target;
        match &self.cfa.edge(edge).operation {
            Operation::Assume { condition, truth } => {
                if let Some(said) = self.said(way, *condition) {
                    way.conditions.push((said, *truth));
                }
            }
            Operation::Assign { place, value } => {
                if let Some(variable) = self.opening.variable(self.cfa, *place) {
                    let value = self.said(way, *value);
                    set(way, variable, value);
                }
            }
            Operation::Declare { variable } => set(way, *variable, None),
            Operation::Havoc { variable, .. } => {
                if let Some(variable) = variable {
                    set(way, *variable, None);
                }
            }
            Operation::Call { callee, arguments, result } => return self.call(way, (*callee, target), arguments, *result),
            Operation::Return { value } => {
                let (target, result) = way.open.pop()?;
                if let Some(variable) = result {
                    let value = value.and_then(|value| self.said(way, value));
                    set(way, variable, value);
                }
                return Some(target);
            }
            Operation::Blank => {}
            Operation::Asm(_) | Operation::Unsupported { .. } => return None,
        }
        Some(target)
    }

    fn call(
        &mut self,
        way: &mut Way,
        (callee, target): (FunctionId, LocationId),
        arguments: &[ExprId],
        result: Option<VarId>,
    ) -> Option<LocationId> {
        if let Some(signature) = self.opening.signatures.get(&callee) {
            for (global, _) in &signature.call.before {
                way.known.remove(global);
            }
        } else if self.cfa.enters(callee) && way.open.len() < DEPTH {
            let function = self.cfa.function(callee);
            for (parameter, argument) in function.parameters.iter().zip(arguments) {
                let value = self.said(way, *argument);
                set(way, *parameter, value);
            }
            way.open.push((target, result));
            return function.entry;
        }
        if let Some(variable) = result {
            set(way, variable, None);
        }
        Some(target)
    }

    fn said(&mut self, way: &Way, expr: ExprId) -> Option<ExprId> {
        said(self.cfa, self.opening, &way.known, expr)
    }
}

fn set(way: &mut Way, variable: VarId, value: Option<ExprId>) {
    match value {
        Some(value) => way.known.insert(variable, value),
        None => way.known.remove(&variable),
    };
}
