//! What `residue properties` found, as `--json` prints it and reports are made of it.
//!
//! Does not know how it was found or what a report looks like.

use formats::assertions::{AssertionVerdicts, PropertyDifference};
use formats::{Producer, Verdict};
use serde::Serialize;

use crate::run::outcome::{Failure, Skipped};

/// What `--json` prints and a report has.
#[derive(Serialize)]
pub(super) struct Listing {
    pub(super) format: &'static str,
    pub(super) version: u32,
    pub(super) producer: Producer,
    pub(super) verdict: String,
    pub(super) units: Vec<Told>,
    pub(super) failures: Vec<Failure>,
    pub(super) not_checked: Vec<String>,
    /// What of it has changed, so that nothing is known of the whole.
    #[serde(skip)]
    pub(super) missing: Vec<Skipped>,
}

/// A unit.
#[derive(Serialize)]
pub(super) struct Told {
    pub(super) path: String,
    pub(super) entry: String,
    pub(super) verdict: String,
    /// Nothing where there is no original.
    pub(super) difference: Option<PropertyDifference>,
    pub(super) verdicts: AssertionVerdicts,
    /// The name of the original.
    #[serde(skip)]
    pub(super) original: Option<String>,
    #[serde(skip)]
    pub(super) worst: Verdict,
    #[serde(skip)]
    pub(super) lines: String,
    #[serde(skip)]
    pub(super) messages: String,
    #[serde(skip)]
    pub(super) denied: bool,
    /// Where the verdicts go, as they were written.
    #[serde(skip)]
    pub(super) saved: Option<(std::path::PathBuf, Vec<u8>)>,
}
