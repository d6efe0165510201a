//! What crosses a process boundary, as plain data with readers and writers.
//!
//! Does not know: C text, solvers, clocks, threads, processes.

pub mod data_model;
pub mod options;
pub mod property;

pub use data_model::DataModel;
pub use options::ProgramOptions;
pub use property::Property;
