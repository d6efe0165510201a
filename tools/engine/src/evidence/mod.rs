//! Evidence: what a verdict rests on, and how it is looked at again.
//!
//! Knows invariants, claimed paths and the concrete interpreter. Does not know how either was found.

pub mod counterexample;
pub mod deciding;
pub mod instances;
pub mod invariant;
pub mod recheck;
pub mod replay;
