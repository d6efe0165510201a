//! The fields of the format, as they stand in a file.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What decides whether and how an entry is read.
#[derive(Debug, Deserialize)]
pub(super) struct Preamble {
    pub(super) entry_type: String,
    pub(super) metadata: PreambleMetadata,
}

/// The part of the metadata that decides it.
#[derive(Debug, Deserialize)]
pub(super) struct PreambleMetadata {
    /// Text, but tools forget the quotes.
    pub(super) format_version: Value,
}

/// An entry with contents of one kind.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry<T> {
    pub(super) entry_type: String,
    pub(super) metadata: Metadata,
    pub(super) content: Vec<T>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Metadata {
    #[serde(deserialize_with = "scalar")]
    pub(super) format_version: String,
    pub(super) uuid: String,
    pub(super) creation_time: String,
    pub(super) producer: Producer,
    pub(super) task: Task,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Producer {
    pub(super) name: String,
    #[serde(deserialize_with = "scalar")]
    pub(super) version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) input_files: Vec<String>,
    pub(super) input_file_hashes: BTreeMap<String, String>,
    pub(super) specification: String,
    pub(super) data_model: String,
    pub(super) language: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Location {
    pub(super) file_name: String,
    pub(super) line: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) column: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) function: Option<String>,
}

/// An element of an invariant set; contracts of functions (2.1) are skipped.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SetElement {
    Invariant(Invariant),
    #[serde(untagged)]
    Other(Value),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Invariant {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) location: Location,
    #[serde(default, deserialize_with = "scalar")]
    pub(super) value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) format: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SequenceElement {
    pub(super) segment: Vec<SegmentElement>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SegmentElement {
    pub(super) waypoint: Waypoint,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Waypoint {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) action: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) constraint: Option<Constraint>,
    pub(super) location: Location,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Constraint {
    #[serde(deserialize_with = "scalar")]
    pub(super) value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) format: Option<String>,
}

/// A text that may have been written without quotes and reads as a number or truth value then.
fn scalar<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let value = Value::deserialize(deserializer)?;
    text_of(&value).ok_or_else(|| serde::de::Error::custom("expected a text"))
}

/// The text of a scalar; `2.0` without quotes is a number.
pub(super) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
