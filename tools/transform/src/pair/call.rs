//! What is to be known of a call from outside of the boundary, until both versions are called in its place.

use program::cfa::{EdgeId, FunctionId, LocationId, Operation, VarId};
use program::expr::ExprId;
use program::source::Span;

/// A call of a function inside the boundary from outside of it.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) edge: Option<EdgeId>,
    pub(super) callee: FunctionId,
    pub(super) source: LocationId,
    pub(super) target: LocationId,
    pub(super) at: (Span, Span),
    pub(super) arguments: Vec<ExprId>,
    pub(super) result: Option<VarId>,
}

impl Site {
    pub(super) fn of(
        edge: EdgeId,
        callee: FunctionId,
        (source, target): (LocationId, LocationId),
        at: (Span, Span),
        operation: &Operation,
    ) -> Self {
        let (arguments, result) = match operation {
            Operation::Call { arguments, result, .. } => (arguments.clone(), *result),
            _ => (Vec::new(), None),
        };
        Self { edge: Some(edge), callee, source, target, at, arguments, result }
    }
}
