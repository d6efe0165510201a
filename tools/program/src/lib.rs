//! The C front end: source text to a typed control-flow automaton.
