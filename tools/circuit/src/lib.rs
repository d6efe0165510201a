//! A program with its property as a sequential circuit.
//!
//! The blocks between loop heads become steps of a transition system over bit vectors, these are made of bits, what is
//! constant or equal is left out, and the rest is written for hardware model checkers. What they find comes back: a
//! counterexample is replayed by the interpreter, an invariant is proved again with the solver.
//! What has no circuit is UNKNOWN with its reason.

pub mod aiger;
mod arguments;
pub mod btor2;
pub mod invariant;
pub mod mapping;
mod run;
pub mod trace;

pub use arguments::{Arguments, Format};
pub use run::run;
