//! Control: where a program stands, which edges leave there, and what passing one does to the symbolic values.
//!
//! Knows the automaton, the call stack, the condition and the encoder. Does not know blocks, abstractions or solvers.

pub mod condition;
pub mod explorer;
pub mod later;
pub mod liveness;
pub mod position;
pub mod state;
pub mod target;

pub use explorer::Explorer;
pub use position::Position;
pub use state::SymbolicState;
pub use target::{Cause, Obstacle, Stop, Target};
