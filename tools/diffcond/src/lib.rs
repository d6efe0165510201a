//! Syntactic difference detection [DiffCond20].
//!
//! Architecture invariant: no solver, no data flow; what differs is an indicator, and everything behind it is checked.

mod certificate;
mod command;
mod detect;
mod explain;

pub use command::{Options, run};
pub use detect::{detect, detect_and_certify, detect_and_explain};
