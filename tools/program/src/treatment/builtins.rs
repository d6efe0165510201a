//! What becomes of the builtins of gcc: everything that begins with `__builtin_`, `__sync_` or `__atomic_`.
//!
//! A builtin that is a function of the C library under another name (`__builtin_memcpy`) has the row of that function; see
//! [`crate::known`]. What is in neither table is an unsupported operation.

use super::Row;
use super::Treatment::{Harmless, Identity, Modelled, Unsupported};

const fn modelled(name: &'static str) -> Row {
    Row::new(name, Modelled)
}

/// Another thread or processor would be needed to see it.
const fn of_threads(name: &'static str) -> Row {
    Row::unshown(name, Identity, "orders what other threads see, and a program with threads is unsupported")
}

/// All builtins that are accepted, by their full names.
pub const ROWS: &[Row] = &[
    modelled("__atomic_add_fetch"),
    modelled("__atomic_and_fetch"),
    modelled("__atomic_clear"),
    modelled("__atomic_compare_exchange"),
    modelled("__atomic_compare_exchange_n"),
    modelled("__atomic_exchange"),
    modelled("__atomic_exchange_n"),
    modelled("__atomic_fetch_add"),
    modelled("__atomic_fetch_and"),
    modelled("__atomic_fetch_nand"),
    modelled("__atomic_fetch_or"),
    modelled("__atomic_fetch_sub"),
    modelled("__atomic_fetch_xor"),
    modelled("__atomic_load"),
    modelled("__atomic_load_n"),
    modelled("__atomic_nand_fetch"),
    modelled("__atomic_or_fetch"),
    of_threads("__atomic_signal_fence"),
    modelled("__atomic_store"),
    modelled("__atomic_store_n"),
    modelled("__atomic_sub_fetch"),
    modelled("__atomic_test_and_set"),
    of_threads("__atomic_thread_fence"),
    modelled("__atomic_xor_fetch"),
    Row::unshown("__builtin___clear_cache", Identity, "code that changes itself would be needed to see it"),
    modelled("__builtin_abs"),
    modelled("__builtin_add_overflow"),
    modelled("__builtin_add_overflow_p"),
    modelled("__builtin_assume_aligned"),
    modelled("__builtin_bswap128"),
    modelled("__builtin_bswap16"),
    modelled("__builtin_bswap32"),
    modelled("__builtin_bswap64"),
    modelled("__builtin_c23_va_start"),
    modelled("__builtin_clrsb"),
    modelled("__builtin_clrsbl"),
    modelled("__builtin_clrsbll"),
    modelled("__builtin_clz"),
    modelled("__builtin_clzl"),
    modelled("__builtin_clzll"),
    modelled("__builtin_constant_p"),
    modelled("__builtin_ctz"),
    modelled("__builtin_ctzl"),
    modelled("__builtin_ctzll"),
    modelled("__builtin_dynamic_object_size"),
    modelled("__builtin_expect"),
    modelled("__builtin_expect_with_probability"),
    Row::new("__builtin_extract_return_addr", Unsupported),
    modelled("__builtin_ffs"),
    modelled("__builtin_ffsl"),
    modelled("__builtin_ffsll"),
    modelled("__builtin_finite"),
    modelled("__builtin_finitef"),
    modelled("__builtin_fpclassify"),
    Row::new("__builtin_frame_address", Unsupported),
    modelled("__builtin_huge_val"),
    modelled("__builtin_huge_valf"),
    modelled("__builtin_huge_vall"),
    modelled("__builtin_inf"),
    modelled("__builtin_inff"),
    modelled("__builtin_infl"),
    modelled("__builtin_isfinite"),
    modelled("__builtin_isgreater"),
    modelled("__builtin_isgreaterequal"),
    modelled("__builtin_isinf"),
    modelled("__builtin_isinf_sign"),
    modelled("__builtin_isinff"),
    modelled("__builtin_isless"),
    modelled("__builtin_islessequal"),
    modelled("__builtin_islessgreater"),
    modelled("__builtin_isnan"),
    modelled("__builtin_isnanf"),
    modelled("__builtin_isnormal"),
    modelled("__builtin_isunordered"),
    modelled("__builtin_labs"),
    modelled("__builtin_llabs"),
    modelled("__builtin_mul_overflow"),
    modelled("__builtin_mul_overflow_p"),
    modelled("__builtin_nan"),
    modelled("__builtin_nanf"),
    modelled("__builtin_nanl"),
    modelled("__builtin_object_size"),
    modelled("__builtin_parity"),
    modelled("__builtin_parityl"),
    modelled("__builtin_parityll"),
    modelled("__builtin_popcount"),
    modelled("__builtin_popcountl"),
    modelled("__builtin_popcountll"),
    Row::new("__builtin_prefetch", Identity),
    Row::new("__builtin_return_address", Unsupported),
    modelled("__builtin_sadd_overflow"),
    modelled("__builtin_saddl_overflow"),
    modelled("__builtin_saddll_overflow"),
    modelled("__builtin_signbit"),
    modelled("__builtin_signbitf"),
    modelled("__builtin_smul_overflow"),
    modelled("__builtin_smull_overflow"),
    modelled("__builtin_smulll_overflow"),
    modelled("__builtin_ssub_overflow"),
    modelled("__builtin_ssubl_overflow"),
    modelled("__builtin_ssubll_overflow"),
    modelled("__builtin_sub_overflow"),
    modelled("__builtin_sub_overflow_p"),
    modelled("__builtin_trap"),
    modelled("__builtin_uadd_overflow"),
    modelled("__builtin_uaddl_overflow"),
    modelled("__builtin_uaddll_overflow"),
    modelled("__builtin_umul_overflow"),
    modelled("__builtin_umull_overflow"),
    modelled("__builtin_umulll_overflow"),
    modelled("__builtin_unreachable"),
    modelled("__builtin_usub_overflow"),
    modelled("__builtin_usubl_overflow"),
    modelled("__builtin_usubll_overflow"),
    modelled("__builtin_va_copy"),
    Row::new("__builtin_va_end", Harmless),
    modelled("__builtin_va_start"),
    modelled("__sync_add_and_fetch"),
    modelled("__sync_and_and_fetch"),
    modelled("__sync_bool_compare_and_swap"),
    modelled("__sync_fetch_and_add"),
    modelled("__sync_fetch_and_and"),
    modelled("__sync_fetch_and_nand"),
    modelled("__sync_fetch_and_or"),
    modelled("__sync_fetch_and_sub"),
    modelled("__sync_fetch_and_xor"),
    modelled("__sync_lock_release"),
    modelled("__sync_lock_test_and_set"),
    modelled("__sync_nand_and_fetch"),
    modelled("__sync_or_and_fetch"),
    modelled("__sync_sub_and_fetch"),
    of_threads("__sync_synchronize"),
    modelled("__sync_val_compare_and_swap"),
    modelled("__sync_xor_and_fetch"),
];

/// Whether a builtin has a treatment other than being unsupported.
#[must_use]
pub fn is_treated(name: &str) -> bool {
    super::of(ROWS, name) != Unsupported
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_no_row_is_not_treated() {
        assert!(is_treated("__builtin_expect") && !is_treated("__builtin_frame_address") && !is_treated("__builtin_apply"));
    }
}
