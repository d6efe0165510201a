//! A room of analyses over one program: which errors can be reached?
//!
//! A question is a goal ([`goal`]); an analysis ([`analysis`]) settles goals as far as its share of steps goes; the portfolio
//! ([`portfolio`]) hands out shares that double round by round, until every goal is settled. All analyses work on the same
//! session ([`session`]): the program step by step ([`control`]), its loop-free parts ([`block`]), the terms, the solvers and
//! what is proved already. What a verdict rests on is in [`evidence`].
//!
//! Architecture invariant: does not know command lines, files, clocks or processes; who stops it raises a flag, and what
//! decides how far anyone goes are steps. Names no type of a solver's own crates. No analysis knows another.

pub mod analyses;
pub mod analysis;
pub mod assumed;
pub mod block;
pub mod circuit;
pub mod control;
pub mod evidence;
pub mod goal;
pub mod portfolio;
pub mod session;

#[cfg(test)]
mod tests;
