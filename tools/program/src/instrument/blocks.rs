//! What is known of the memory that functions without a body give out and take, by their names.

use super::builder::Builder;
use crate::cfa::{FunctionId, Known};

/// How a function allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allocation {
    /// `malloc(size)`
    Size,
    /// `calloc(count, size)`
    Product,
    /// `realloc(old, size)`
    Again,
    /// `aligned_alloc(alignment, size)`
    Aligned,
}

impl Allocation {
    /// How a function without a body allocates, if the blocks are like those of `malloc`.
    pub(super) fn of(builder: &Builder<'_>, callee: FunctionId) -> Option<Self> {
        let function = &builder.parts.functions[callee.index()];
        if function.known != Some(Known::Allocate) || function.entry.is_some() {
            return None;
        }
        Some(match &*function.name {
            "malloc" | "valloc" => Self::Size,
            "calloc" => Self::Product,
            "realloc" => Self::Again,
            "aligned_alloc" | "memalign" => Self::Aligned,
            _ => return None,
        })
    }
}

/// Functions that yield a pointer into what their first argument points to.
pub(super) fn yields_argument(name: &str) -> bool {
    ["memcpy", "memmove", "memset", "mempcpy", "memchr", "memrchr", "strcpy", "strncpy", "strcat", "strncat", "strchr", "strrchr"]
        .contains(&name)
        || ["strstr", "strpbrk", "stpcpy", "stpncpy", "index", "rindex", "strchrnul"].contains(&name)
}

/// Functions that store no pointers but those that they copy.
pub(super) fn copies_only(name: &str) -> bool {
    name.starts_with("mem") || name.starts_with("str") && !name.starts_with("strto") || matches!(name, "bzero" | "bcmp" | "time")
}
