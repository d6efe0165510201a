//! Blocks: the loop-free parts of a program between two positions where abstractions are computed.
//!
//! A block starts at a position and ends at loop heads, at the error, or at an obstacle. It depends on its first position
//! alone, so one encoding serves every abstract state there: each [`Exit`] says under which condition over the values at
//! the start (and over inputs) it is reached, and what the variables are then.
//! Invariant: the guards of the exits of a block exclude each other.

pub mod build;
pub mod guard;
pub mod trace;

use smt::TermId;

use crate::control::{Position, SymbolicState, Target};

/// One end of a block.
#[derive(Clone, Debug)]
pub struct Exit {
    /// What is there.
    pub target: Target,
    /// When it is reached, over the values at the start and over inputs.
    pub guard: TermId,
    /// The values of the variables there.
    pub state: SymbolicState,
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Where it starts.
    pub entry: Position,
    /// Its ends: obstacles and errors first.
    pub exits: Vec<Exit>,
    /// How many CFA edges were encoded, copies counted.
    pub edges: usize,
}
