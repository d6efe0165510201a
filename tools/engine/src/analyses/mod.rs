//! The analyses: one file or folder each, all under the contract of [`crate::analysis`].
//!
//! None knows another. What they share is in the session: blocks, terms, and what is proved.

pub mod bounded;
pub mod candidates;
pub mod circuit;
pub mod execution;
pub mod horn;
pub mod induction;
pub mod predicate;
pub mod ranges;
pub mod values;
