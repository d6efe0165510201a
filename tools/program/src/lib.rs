//! The C front end: source text to a typed control-flow automaton.

pub mod ast;
pub mod diagnostic;
pub mod source;
