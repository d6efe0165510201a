//! What contracts say in callers: behind a call, of its arguments and of the variable that gets the result.
//!
//! Soundness: clauses that every call keeps (all are proved) are said of one call each, where control is only behind that call
//! and nothing that they speak of was written since. Does not know whether clauses are proved.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of expressions and operations")]

use program::cfa::{Cfa, EdgeId, FunctionId, LocationId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprArena, ExprId};
use rustc_hash::FxHashMap;

use super::frame::Setting;
use super::{Clause, When};
use crate::Editor;

/// Conditions that hold at locations of a program.
#[derive(Debug)]
pub struct Known {
    /// The program, with expressions for them; its locations and variables are those of the program that contracts are about.
    pub cfa: Cfa,
    /// What holds, and where.
    pub at: Vec<(LocationId, ExprId)>,
}

/// A call whose result a variable gets.
struct Site<'a> {
    callee: FunctionId,
    arguments: &'a [ExprId],
    result: VarId,
    /// Where control is when the variable has the result, and only then.
    behind: LocationId,
}

/// What is known behind calls from functions that have no contract themselves.
#[must_use]
pub fn behind_calls(setting: &Setting, clauses: &[Clause]) -> Known {
    let base = &setting.base;
    let mut editor = Editor::new(base);
    let mut at = Vec::new();
    let callers = base.edge_ids().filter(|edge| {
        let caller = base.location(base.edge(*edge).source).function;
        !setting.signatures.contains_key(&caller)
    });
    for site in callers.filter_map(|edge| site(base, edge)) {
        let Some(signature) = setting.signatures.get(&site.callee) else { continue };
        let mut said: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for (ghost, argument) in signature.call.arguments.iter().zip(site.arguments) {
            if let Some(ghost) = ghost.filter(|_| stays(base, *argument, site.result)) {
                said.insert(editor.load(ghost), *argument);
            }
        }
        if let Some(ghost) = signature.call.result {
            let (from, to) = (editor.load(ghost), editor.load(site.result));
            said.insert(from, to);
        }
        for clause in clauses.iter().filter(|clause| clause.function == site.callee && clause.when == When::Ensures) {
            if speaks_of(&editor.parts.exprs, clause.holds, &said) {
                at.push((site.behind, editor.substituted(clause.holds, &said)));
            }
        }
    }
    Known { cfa: editor.finish().cfa, at }
}

/// The call of an edge, if its result goes to a variable and control is at a place of its own then.
fn site(cfa: &Cfa, edge: EdgeId) -> Option<Site<'_>> {
    let Operation::Call { callee, arguments, result: Some(result) } = &cfa.edge(edge).operation else { return None };
    let (mut result, mut behind) = (*result, cfa.edge(edge).target);
    if matches!(cfa.variable(result).kind, VarKind::Temporary(_)) {
        let [next] = cfa.out_edges(behind) else { return None };
        let Operation::Assign { place, value } = cfa.edge(*next).operation else { return None };
        let (Expr::Variable(variable), Expr::Load(from)) = (*cfa.exprs.get(place), *cfa.exprs.get(value)) else { return None };
        if *cfa.exprs.get(from) != Expr::Variable(result) || cfa.in_edges(behind).len() != 1 {
            return None;
        }
        (result, behind) = (variable, cfa.edge(*next).target);
    }
    (cfa.in_edges(behind).len() == 1).then_some(Site { callee: *callee, arguments, result, behind })
}

/// Whether an argument still has its value behind the call: it is made of constants and variables that nobody else writes.
fn stays(cfa: &Cfa, argument: ExprId, result: VarId) -> bool {
    match *cfa.exprs.get(argument) {
        Expr::Int(_) | Expr::Zero => true,
        Expr::Load(place) => match *cfa.exprs.get(place) {
            Expr::Variable(id) => {
                let variable = cfa.variable(id);
                id != result && variable.is_automatic() && !variable.address_taken && !variable.ty.qualifiers.is_volatile
            }
            _ => false,
        },
        Expr::Unary(_, a) | Expr::Cast(a) => stays(cfa, a, result),
        Expr::Binary(_, a, b) => stays(cfa, a, result) && stays(cfa, b, result),
        _ => false,
    }
}

/// Whether an expression is about nothing but what some others are.
fn speaks_of(exprs: &ExprArena, expr: ExprId, known: &FxHashMap<ExprId, ExprId>) -> bool {
    if known.contains_key(&expr) {
        return true;
    }
    match *exprs.get(expr) {
        Expr::Int(_) | Expr::Zero => true,
        Expr::Unary(_, a) | Expr::Cast(a) => speaks_of(exprs, a, known),
        Expr::Binary(_, a, b) => speaks_of(exprs, a, known) && speaks_of(exprs, b, known),
        Expr::Conditional(a, b, c) => [a, b, c].into_iter().all(|part| speaks_of(exprs, part, known)),
        _ => false,
    }
}
