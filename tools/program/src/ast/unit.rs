//! Translation units: which nodes of the arenas were read from which file.
//!
//! Does not know how units are linked.

use std::ops::Range;

pub use crate::source::Role;

/// The nodes of one translation unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// What it is for.
    pub role: Role,
    /// Its external declarations.
    pub items: Range<usize>,
    /// Its declarators, those in blocks included.
    pub declarators: Range<usize>,
    /// Its expressions.
    pub exprs: Range<usize>,
}
