//! Predicate abstraction with adjustable blocks and counterexample-guided refinement.
//!
//! [`cegar`] is the loop; [`arg`] the abstract reachability graph; [`abstraction`] computes abstract posts over blocks
//! ([ABE10, §3]: a block ends where an abstraction is computed); [`precision`] and [`region`] are the domain; [`refine`] finds
//! predicates. [`goals`] gives each goal a loop of its own.
//! Coverage is by regions per position, as with reached sets; there is no forced covering and no summary edge as in IMPACT.

pub mod abstraction;
pub mod arg;
pub mod cegar;
pub mod goals;
pub mod precision;
pub mod refine;
pub mod region;
