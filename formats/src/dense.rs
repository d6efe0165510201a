//! Numbers that are 32 bits wide: those of entries of tables, and sizes that went through `usize` or `u64`.
//!
//! What does not fit is never cut off. A table is in memory, and no table of ours can be that long before memory ends; if
//! one is, the run ends here and not with a wrong verdict.

/// The number of the entry at a position of a table, or how many entries it has.
///
/// Panics if it does not fit.
#[must_use]
pub const fn dense(index: usize) -> u32 {
    assert!(index <= u32::MAX as usize, "more than 2^32 entries in a table");
    index as u32
}

/// A number that must be less than 2^32 for what it counts: bits of an access, bytes of a small object.
///
/// Panics if it does not fit.
#[must_use]
pub const fn small(number: u64) -> u32 {
    assert!(number <= u32::MAX as u64, "a number that must fit into 32 bits does not");
    number as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_what_it_is() {
        assert_eq!([dense(0), dense(7), dense(u32::MAX as usize)], [0, 7, u32::MAX]);
        assert_eq!([small(0), small(u64::from(u32::MAX))], [0, u32::MAX]);
    }

    #[test]
    fn what_does_not_fit_is_not_cut_off() {
        assert!(std::panic::catch_unwind(|| dense(1 << 32)).is_err());
        assert!(std::panic::catch_unwind(|| small(1 << 32)).is_err());
    }
}
