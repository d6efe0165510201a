//! Assembler names: `asm("name")` after a declarator, by what they stand behind, and `asm` outside of functions.

use super::Row;
use super::Treatment::{Modelled, Unsupported};

/// The table.
pub const ROWS: &[Row] = &[
    Row::new("asm outside of functions", Unsupported),
    Row::new("function", Modelled),
    Row::new("register variable", Unsupported),
    Row::new("static local", Unsupported),
    Row::new("variable", Modelled),
];
