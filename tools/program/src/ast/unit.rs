//! Translation units: which nodes of the arenas were read from which file.
//!
//! Does not know how units are linked.

use std::ops::Range;

/// What a translation unit is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Its text is the program's own.
    #[default]
    Program,
    /// Only what the program uses of it and does not define itself belongs to the program.
    Library,
}

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
