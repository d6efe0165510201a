//! Allocation that may fail, where the user asks for it: in front of each call that allocates, a branch on an input to a null
//! result.
//!
//! The input is one of the library's own (`known::ALLOCATION_INPUT`), so that replays, witnesses and harnesses feed it as they
//! feed others. Memory on the stack is always there. Does not know which calls have a body: the library's `strdup` is one.

use crate::cfa::{Edge, Function, FunctionId, Known, Operation, VarId};
use crate::expr::BinaryOp;
use crate::known::ALLOCATION_INPUT;
use crate::types::{FunctionType, QualType, Type};

use super::builder::Builder;

/// Lets every allocation fail.
pub(super) fn let_fail(builder: &mut Builder<'_>) {
    let calls: Vec<usize> = (0..builder.parts.edges.len()).filter(|index| allocates(builder, *index)).collect();
    if calls.is_empty() {
        return;
    }
    let (input, answer) = (input(builder), builder.ghost("allocation", builder.int));
    for index in calls {
        branch(builder, index, input, answer);
    }
}

fn allocates(builder: &Builder<'_>, index: usize) -> bool {
    let Operation::Call { callee, .. } = builder.parts.edges[index].operation else { return false };
    let function = &builder.parts.functions[callee.index()];
    function.known == Some(Known::Allocate) && !function.name.contains("alloca") && !function.name.starts_with("__VERIFIER")
}

/// `answer = input(); if (answer < 0) result = 0; else result = allocate(...);`
fn branch(builder: &mut Builder<'_>, index: usize, input: FunctionId, answer: VarId) {
    let call = builder.parts.edges[index].clone();
    let Operation::Call { result, .. } = call.operation else { return };
    let [asked, fails, works] = [(); 3].map(|()| builder.location_beside(call.source));
    builder.parts.edges[index] =
        Edge { target: asked, operation: Operation::Havoc { variable: Some(answer), input }, ..call.clone() };
    let (value, zero) = (builder.load(answer), builder.number(builder.int, 0));
    let negative = builder.compare(BinaryOp::Less, value, zero);
    builder.branch(asked, negative, (fails, works), &call);
    // A result that nobody looks at is null as well.
    let variable = result.unwrap_or(answer);
    builder.null_or_call(variable, (fails, works), &call);
}

/// The input function, which the library may have declared.
fn input(builder: &mut Builder<'_>) -> FunctionId {
    if let Some(known) = builder.parts.functions.iter().position(|function| *function.name == *ALLOCATION_INPUT) {
        return FunctionId::new(known);
    }
    let result = QualType::plain(builder.int);
    let ty = FunctionType { result, parameters: Vec::new(), variadic: false, unprototyped: false };
    let ty = builder.parts.types.intern(Type::Function(ty));
    builder.parts.functions.push(Function { known: Some(Known::Input), ..Function::error(ALLOCATION_INPUT, ty) });
    FunctionId::new(builder.parts.functions.len() - 1)
}
