//! Terms, encoding of typed expressions and the solver.
//!
//! [`encode`] turns operations of a CFA into terms; [`terms`] holds hash-consed formulas over bit vectors and arrays that know nothing of a solver;
//! [`solver`] asks questions about them through a small trait; [`z3`] is the one back end;
//! [`queries`] combines solver answers into cores and models; [`orders`] answers questions about order alone without any.
//!
//! Architecture invariant: nothing outside [`z3`] names a type of the Z3 crates, and nothing
//! above this crate links Z3.

pub mod cases;
pub mod encode;
pub mod horn;
mod intervals;
pub mod orders;
pub mod queries;
pub mod solver;
pub mod terms;
pub mod z3;

pub use encode::{Encoder, Implications, Origin, PointsTo, SsaState, State, Targets, Unsupported};
pub use queries::{AllSat, PredicateQuery, Queries, QueryError};
pub use solver::{Answer, Backend, Core, Limits, Meter, Mode, Model, Reason, Solver, Statistics, Wanted};
pub use terms::{Op, Sort, TermId, TermStore, Value};
