//! Condition generation from a difference graph.
