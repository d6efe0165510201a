//! What crosses a process boundary, as plain data with readers and writers.
//!
//! Every artifact names its inputs by path and SHA-256, its producer and its format version; a reader refuses
//! what it cannot check. The same data are always written as the same bytes.
//! Does not know: C text, solvers, clocks, threads, processes.

pub mod artifact;
pub mod assertions;
pub mod certificate;
pub mod circuit_map;
pub mod condition;
pub mod data_model;
pub mod dense;
pub mod difference_graph;
pub mod edge_key;
pub mod equivalence;
pub mod error_report;
pub mod explanation;
pub mod file_names;
pub mod flags;
mod graphml;
pub mod inputs;
pub mod invariant_table;
pub mod options;
pub mod proof;
pub mod property;
pub mod property_set;
pub mod remedy;
pub mod report;
pub mod residual_map;
pub mod shown;
pub mod task;
pub mod validation;
pub mod verdict;
pub mod witness;

pub use artifact::{ArtifactError, FileOfProgram, Producer, ProgramFile, Provenance, sha256_hex};
pub use certificate::Certificate;
pub use circuit_map::CircuitMap;
pub use condition::{Condition, ConditionEdge, StateKind};
pub use data_model::DataModel;
pub use dense::{dense, small};
pub use difference_graph::{DifferenceGraph, DifferenceGraphBuilder, GraphEdge, IndicatorReason};
pub use edge_key::{EdgeInfo, EdgeKey, Leaves, OperationKind};
pub use error_report::ErrorReport;
pub use explanation::Explanation;
pub use options::{CallerOptions, Library, ProgramOptions};
pub use property::Property;
pub use residual_map::{ResidualMap, SourceSpan};
pub use task::{PairTask, TaskDefinition, TaskFile};
pub use validation::{Validation, ValidationReport};
pub use verdict::{Reason, Verdict, VerdictReport};
