//! A program with its property as a sequential circuit.
//!
//! The blocks between loop heads become steps of a transition system over bit vectors, these are made of bits, what is
//! constant or equal is left out, and the rest is written for hardware model checkers. What they find comes back: a
//! counterexample is replayed by the interpreter, an invariant is proved again with the solver.
//! What has no circuit is UNKNOWN with its reason.

pub mod aig;
pub mod aiger;
mod arguments;
pub mod arrays;
pub mod blast;
pub mod btor2;
pub mod facts;
mod floats;
pub mod invariant;
pub mod job;
pub mod mapping;
pub mod names;
mod run;
pub mod sequential;
pub mod steps;
pub mod system;
pub mod trace;

pub use arguments::{Arguments, Format};
pub use job::Job;
pub use run::run;
