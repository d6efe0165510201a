//! The predicate domain: predicates per location, regions of their valuations, and abstract post over blocks.

pub mod abstraction;
pub mod precision;
pub mod region;
