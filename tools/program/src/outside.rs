//! Calls through pointers that lead out of the program: how the functions that stand for what is called there are named, and
//! what a verdict about a program with such calls takes for granted.
//!
//! Does not know which calls these are: `lower::fitting` and `lower::outside` do.

use crate::cfa::{Cfa, FunctionId, Operation};

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
    let called: Vec<FunctionId> = cfa.edges.iter().filter_map(|edge| edge.operation.call()).map(|call| call.callee).collect();
    if called.iter().any(|callee| is_outside(&cfa.function(*callee).name)) {
        found.push("pointers that lead to no function whose address the program takes lead to functions without a body");
        if exchanges_pointers(cfa) {
            found.push("functions outside the program hand back pointers under the type they got them with");
        }
    }
    found
}

/// Whether a function that nobody knows is called that takes or yields a pointer: then calls through pointers lead to functions of
/// their own type only, as far as the program itself does not convert them.
fn exchanges_pointers(cfa: &Cfa) -> bool {
    let is_pointer = |ty| matches!(cfa.types.get(ty), crate::types::Type::Pointer(_));
    cfa.edges.iter().any(|edge| {
        let Operation::Call { callee, arguments, result } = &edge.operation else { return false };
        let function = cfa.function(*callee);
        let takes = || arguments.iter().any(|argument| is_pointer(cfa.exprs.ty(*argument)));
        let yields = || result.is_some_and(|result| is_pointer(cfa.variable(result).ty.ty));
        function.entry.is_none() && function.known.is_none() && !is_outside(&function.name) && (takes() || yields())
    })
}
