//! Syntactic difference detection [DiffCond20].
//!
//! Architecture invariant: no solver, no data flow; what differs is an indicator, and everything behind it is checked.

mod command;
mod detect;

pub use command::{Options, run};
pub use detect::detect;
