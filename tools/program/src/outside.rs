//! Calls through pointers that lead out of the program: how the functions that stand for what is called there are named, and
//! what a verdict about a program with such calls takes for granted.
//!
//! Does not know which calls these are: `lower::fitting` and `lower::outside` do.

use crate::cfa::{Cfa, Edge, Function, VarId};
use crate::expr::ExprId;
use crate::types::{Type, TypeId};

/// How the names of functions begin that stand for every function outside with a result of one type.
pub const OUTSIDE: &str = "__residue_outside_";

/// Whether a function without a body stands for those that calls through pointers lead to outside the program: no run that calls
/// it can be told from one that ends there.
#[must_use]
pub fn is_outside(name: &str) -> bool {
    name.starts_with(OUTSIDE)
}

/// What is taken for granted of calls through pointers.
#[must_use]
pub fn assumptions(cfa: &Cfa) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut calls = cfa.edges.iter().filter_map(|edge| edge.operation.call());
    if calls.any(|call| is_outside(&cfa.function(call.callee).name)) {
        found.push("pointers that lead to no function whose address the program takes lead to functions without a body");
        let is_pointer = |ty: TypeId| matches!(cfa.types.get(ty), Type::Pointer(_));
        let in_expression = |expr: ExprId| is_pointer(cfa.exprs.ty(expr));
        if exchanges_pointers((&cfa.edges, &cfa.functions), in_expression, |variable| is_pointer(cfa.variable(variable).ty.ty)) {
            found.push("functions outside the program hand back pointers under the type they got them with");
        }
    }
    found
}

/// Whether a function that nobody knows is called that takes or yields a pointer: then calls through pointers lead to functions of
/// their own type only, as far as the program itself does not convert them.
pub(crate) fn exchanges_pointers(
    (edges, functions): (&[Edge], &[Function]),
    is_pointer: impl Fn(ExprId) -> bool,
    holds_pointer: impl Fn(VarId) -> bool,
) -> bool {
    edges.iter().filter_map(|edge| edge.operation.call()).any(|call| {
        let function = &functions[call.callee.index()];
        let is_unknown = function.entry.is_none() && function.known.is_none() && !is_outside(&function.name);
        is_unknown && (call.arguments.iter().any(|argument| is_pointer(*argument)) || call.result.is_some_and(&holds_pointer))
    })
}
