//! Pragmas, by their first word, or by their first two for `GCC`, `STDC` and `omp`.

use super::Row;
use super::Treatment::{Harmless, Identity, Modelled, Unsupported};

/// The table.
pub const ROWS: &[Row] = &[
    Row::new("GCC dependency", Harmless),
    Row::new("GCC diagnostic", Harmless),
    Row::new("GCC error", Harmless),
    Row::new("GCC ivdep", Harmless),
    Row::new("GCC optimize", Identity),
    Row::new("GCC poison", Harmless),
    Row::new("GCC pop_options", Identity),
    Row::new("GCC push_options", Identity),
    Row::new("GCC reset_options", Identity),
    Row::new("GCC system_header", Harmless),
    Row::new("GCC target", Identity),
    Row::new("GCC unroll", Harmless),
    Row::new("GCC visibility", Harmless),
    Row::new("GCC warning", Harmless),
    Row::new("STDC CX_LIMITED_RANGE", Harmless),
    Row::new("STDC FENV_ACCESS", Identity),
    Row::new("STDC FENV_ROUND", Unsupported),
    Row::new("STDC FLOAT_CONST_DECIMAL64", Unsupported),
    Row::new("STDC FP_CONTRACT", Identity),
    Row::new("ident", Harmless),
    Row::new("message", Harmless),
    Row::new("omp", Harmless),
    Row::new("once", Harmless),
    Row::new("pack", Modelled),
    Row::new("redefine_extname", Unsupported),
    Row::new("scalar_storage_order", Unsupported),
    Row::new("weak", Unsupported),
];
