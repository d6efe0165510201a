//! Syntactic difference detection [DiffCond20].
//!
//! Architecture invariant: no solver, no data flow; what differs is an indicator, and everything behind it is checked.

mod detect;

pub use detect::detect;
