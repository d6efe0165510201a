//! Checking units: the stages as processes, in a row and at once, and what came out.
//!
//! Knows units, artifacts and outcomes. Does not know where programs come from (`sources`) or what is printed (`commands`).

pub(crate) mod artifacts;
pub(crate) mod cache;
pub(crate) mod chain;
pub(crate) mod essence;
pub(crate) mod facts;
pub(crate) mod folder;
pub(crate) mod foreign;
pub(crate) mod identity;
mod judgement;
pub mod outcome;
pub(crate) mod proofs;
pub(crate) mod replay;
mod residual;
pub(crate) mod schedule;
pub(crate) mod stage;
pub(crate) mod unit;
pub(crate) mod validated;
pub(crate) mod words;
mod written;
