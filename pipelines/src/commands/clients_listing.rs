//! What is said of the clients of a library: the rows that every form of the report is made from.
//!
//! Does not know how they came about, nor how they are shown.

use formats::Producer;
use formats::equivalence::{Equivalence, EquivalenceResult};
use serde::Serialize;

use crate::run::outcome::Failure;

/// What `--json` prints and a report has.
#[derive(Serialize)]
pub(super) struct Listing {
    pub(super) format: &'static str,
    pub(super) version: u32,
    pub(super) producer: Producer,
    /// The files of the library.
    pub(super) library: Vec<String>,
    /// That of the worst client.
    pub(super) verdict: Equivalence,
    pub(super) clients: Vec<Told>,
    pub(super) failures: Vec<Failure>,
}

/// A client.
#[derive(Serialize)]
pub(super) struct Told {
    pub(super) path: String,
    pub(super) verdict: Equivalence,
    /// Nothing where no file of the change can be seen in the client.
    pub(super) result: Option<EquivalenceResult>,
    /// In words.
    pub(super) summary: String,
}
