//! What is known of the memory that functions without a body give out.

use super::builder::Builder;
use crate::cfa::{FunctionId, Known};
use crate::known::{Allocation, special};

/// How a function without a body allocates, if the blocks are like those of `malloc`.
pub(super) fn followed(builder: &Builder<'_>, callee: FunctionId) -> Option<Allocation> {
    let function = &builder.parts.functions[callee.index()];
    if function.known != Some(Known::Allocate) || function.entry.is_some() {
        return None;
    }
    let is_like_malloc = |allocation: &Allocation| {
        matches!(allocation, Allocation::Size | Allocation::Product | Allocation::Again | Allocation::Aligned)
    };
    special(&function.name)?.allocation.filter(is_like_malloc)
}
