//! Abstract domains, CPA loop, blocks and CEGAR.
//!
//! [`cegar`] is the loop: it grows an abstract reachability graph ([`arg`]) over blocks ([`block`]), abstracts by
//! predicates ([`predicate`]), and refines ([`refine`]) until the error is unreachable or a path to it is feasible.
//! Two cheaper analyses may answer first: [`values`] follows constants through state machines, [`bounded`] searches for a
//! short counterexample.
//!
//! Architecture invariant: does not know command lines, files, clocks or processes; who stops it raises a flag. Names no
//! type of a solver's own crates.

pub mod aliases;
pub mod arg;
pub mod block;
pub mod bounded;
pub mod cegar;
pub mod counterexample;
pub mod explore;
pub mod invariant;
pub mod liveness;
pub mod position;
pub mod predicate;
pub mod refine;
pub mod session;
pub mod values;
