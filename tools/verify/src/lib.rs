//! Predicate-abstraction conditional verifier.
