//! Which variables a program mentions where it runs.
//!
//! A stream that a program has from its beginning is not counted where it is only given to a function of the library that uses
//! streams: no pointer that the program follows comes of it.

use rustc_hash::FxHashSet;

use super::builder::Builder;
use crate::cfa::{ConstantValue, Edge, Known, Operation, VarId, VarKind};
use crate::expr::{Expr, ExprId};
use crate::types::Type;

/// The streams that a program has from its beginning.
const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

/// The variables that are mentioned; `unreached` are edges that no run comes to.
///
/// What no edge mentions counts as well: somebody has written it.
pub(super) fn read(builder: &Builder<'_>, unreached: &[Edge]) -> FxHashSet<VarId> {
    let parts = &*builder.parts;
    let (mut inside, mut aside) = (FxHashSet::default(), FxHashSet::default());
    for edge in &parts.edges {
        let streams = streams(builder, &edge.operation);
        for root in roots(&edge.operation) {
            add(builder, root, if streams.contains(&root) { &mut aside } else { &mut inside });
        }
    }
    unreached.iter().flat_map(|edge| roots(&edge.operation)).for_each(|root| add(builder, root, &mut aside));
    let counts = |id: &ExprId| inside.contains(id) || !aside.contains(id);
    let named = parts.exprs.ids().filter(counts).filter_map(|id| match *parts.exprs.get(id) {
        Expr::Variable(variable) => Some(variable),
        _ => None,
    });
    let scalars = parts.variables.iter().filter_map(|variable| variable.initializer.as_ref()).flat_map(|all| &all.scalars);
    let at_start = scalars.filter_map(|scalar| match scalar.value {
        ConstantValue::Address { variable, .. } => Some(variable),
        _ => None,
    });
    named.chain(at_start).collect()
}

/// Whether a pointer is one of the streams of a program, which nothing in it takes the address of.
pub(super) fn stream(builder: &Builder<'_>, pointer: ExprId) -> Option<VarId> {
    let Expr::Load(place) = builder.get(uncast(builder, pointer)) else { return None };
    let Expr::Variable(variable) = builder.get(place) else { return None };
    let stream = &builder.parts.variables[variable.index()];
    let is_outside = matches!(stream.kind, VarKind::Global { defined: false, .. }) && STREAMS.contains(&&*stream.name);
    (is_outside && !stream.address_taken).then_some(variable)
}

/// A pointer as it was before it was converted to other types of pointers.
pub(super) fn uncast(builder: &Builder<'_>, mut pointer: ExprId) -> ExprId {
    while let Expr::Cast(inner) = builder.get(pointer)
        && matches!(builder.ty(inner), Type::Pointer(_))
    {
        pointer = inner;
    }
    pointer
}

/// The arguments of a call that are streams and that the function only uses.
fn streams(builder: &Builder<'_>, operation: &Operation) -> Vec<ExprId> {
    let Operation::Call { callee, arguments, .. } = operation else { return Vec::new() };
    let parts = &*builder.parts;
    let function = &parts.functions[callee.index()];
    // No body of the library looks at a stream.
    let only_uses = match function.entry {
        Some(_) => parts.source.is_library(function.span),
        None => function.known == Some(Known::Pure),
    };
    if !only_uses {
        return Vec::new();
    }
    arguments.iter().copied().filter(|argument| stream(builder, *argument).is_some()).collect()
}

/// The expressions of an operation.
fn roots(operation: &Operation) -> Vec<ExprId> {
    match operation {
        Operation::Assign { place, value } => vec![*place, *value],
        Operation::Assume { condition, .. } => vec![*condition],
        Operation::Call { arguments, .. } => arguments.to_vec(),
        Operation::Return { value } => value.iter().copied().collect(),
        Operation::Asm(asm) => asm.inputs.iter().chain(&asm.outputs).map(|operand| operand.expr).collect(),
        Operation::Declare { .. } | Operation::Havoc { .. } | Operation::Blank | Operation::Unsupported { .. } => Vec::new(),
    }
}

fn add(builder: &Builder<'_>, root: ExprId, found: &mut FxHashSet<ExprId>) {
    let mut pending = vec![root];
    while let Some(id) = pending.pop() {
        if found.insert(id) {
            pending.extend(builder.get(id).operands());
        }
    }
}
