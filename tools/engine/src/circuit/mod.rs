//! A program with its property as a sequential circuit, and what is decided on it.
//!
//! The blocks between loop heads become steps of a transition system over bit vectors ([`system`]), these are made of bits
//! ([`blast`], [`steps`]), what is constant or equal is left out ([`facts`]), and the rest is one circuit ([`sequential`]).
//! What is found on a circuit comes back: a counterexample as a path of the program ([`trace`]), an invariant as formulas over
//! its variables, proved again on the terms ([`invariant`]). What has no circuit has a reason.
//! Does not know files of circuits, goals, or how a circuit is searched.

pub mod aig;
pub mod arrays;
pub mod blast;
pub mod differences;
pub mod facts;
mod floats;
pub mod invariant;
pub mod job;
pub mod names;
pub mod search;
pub mod sequential;
pub mod steps;
pub mod system;
pub mod trace;

pub use job::Job;
