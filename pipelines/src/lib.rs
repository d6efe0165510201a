//! The driver that runs the chain for people and for CI.
