//! What operations mean, without a solver: memory objects and what operations do to them, who calls whom, what can reach
//! the error, call stacks, loops, and conditions stepped along a path.
//!
//! Architecture invariant: does not know a solver, a clock or a file. What is not understood is treated
//! conservatively: it may do anything, may not complete, and may reach the error.

pub mod callgraph;
pub mod compare;
pub mod interpreter;
pub mod loops;
pub mod object_set;
pub mod reach;
mod scc;
pub mod stack;
