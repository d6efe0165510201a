//! What a tool that was asked for JSON prints when it has no result: which input it cannot use, and why.
//!
//! `formats/schemas/error.schema.json` describes what is written.

use crate::Producer;
use serde::{Deserialize, Serialize};

/// The name of the format.
const FORMAT: &str = "error";
/// Its version.
const VERSION: u64 = 1;

/// An error, as `--json` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorReport {
    format: String,
    version: u64,
    /// The tool.
    pub producer: Producer,
    /// What is wrong, as stderr says it: the place comes first.
    pub message: String,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl ErrorReport {
    /// The error that a tool has met.
    #[must_use]
    pub fn new(producer: Producer, message: String, help: Option<String>) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, producer, message, help }
    }

    /// The report as a line of JSON.
    #[must_use]
    pub fn write(&self) -> String {
        // Texts and numbers can always be written.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}
