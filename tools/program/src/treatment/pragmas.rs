//! Pragmas, by their first word, or by their first two for `GCC` and `STDC`. The row `other` stands for all that gcc does not
//! know and passes over; unknown ones of `GCC` and `STDC` are unsupported.

use super::Row;
use super::Treatment::{Harmless, Identity, Modelled, Unsupported};

/// The table.
pub const ROWS: &[Row] = &[
    Row::new("GCC dependency", Unsupported),
    Row::new("GCC diagnostic", Harmless),
    Row::unshown("GCC error", Harmless, "gcc stops there"),
    Row::new("GCC ivdep", Harmless),
    Row::new("GCC optimize", Identity),
    Row::new("GCC poison", Harmless),
    Row::new("GCC pop_options", Identity),
    Row::new("GCC push_options", Identity),
    Row::new("GCC reset_options", Identity),
    Row::unshown("GCC system_header", Harmless, "it silences warnings in headers, and is ignored elsewhere"),
    Row::new("GCC target", Identity),
    Row::new("GCC unroll", Harmless),
    Row::new("GCC visibility", Harmless),
    Row::new("GCC warning", Harmless),
    Row::new("STDC CX_LIMITED_RANGE", Harmless),
    Row::new("STDC FENV_ACCESS", Identity),
    Row::new("STDC FENV_ROUND", Identity),
    Row::new("STDC FLOAT_CONST_DECIMAL64", Unsupported),
    Row::new("STDC FP_CONTRACT", Identity),
    Row::new("message", Harmless),
    Row::new("omp", Identity),
    Row::unshown("once", Harmless, "gcc warns of it in a main file"),
    Row::new("other", Identity),
    Row::new("pack", Modelled),
    Row::new("pop_macro", Harmless),
    Row::new("push_macro", Harmless),
    Row::new("redefine_extname", Unsupported),
    Row::new("scalar_storage_order", Unsupported),
    Row::new("weak", Modelled),
];
