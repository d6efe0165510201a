//! The writer of witnesses in YAML.

use super::wire::{
    Constraint, Entry, Invariant, Location, Metadata, Producer, SegmentElement, SequenceElement, SetElement, Task, Waypoint,
};
use super::{VERSION, ViolationSequence, WaypointKind};
use crate::witness::{self, CorrectnessWitness, InvariantKind, Place};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use uuid::Uuid;

impl ViolationSequence {
    /// Writes the witness: one segment per waypoint.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let content = self
            .waypoints
            .iter()
            .map(|waypoint| {
                let constraint = |value: &str, format: Option<&str>| {
                    Some(Constraint { value: value.to_owned(), format: format.map(str::to_owned) })
                };
                let (kind, constraint) = match &waypoint.kind {
                    WaypointKind::Assumption(expression) => ("assumption", constraint(expression, Some("c_expression"))),
                    WaypointKind::Branching(taken) => ("branching", constraint(if *taken { "true" } else { "false" }, None)),
                    WaypointKind::FunctionEnter => ("function_enter", None),
                    WaypointKind::FunctionReturn(value) => {
                        ("function_return", constraint(&format!("\\result == {value}"), Some("acsl_expression")))
                    }
                    WaypointKind::Target => ("target", None),
                };
                let location = location(&self.metadata, &waypoint.place);
                let waypoint = Waypoint { kind: kind.to_owned(), action: "follow".to_owned(), constraint, location };
                SequenceElement { segment: vec![SegmentElement { waypoint }] }
            })
            .collect();
        write_entry("violation_sequence", &self.metadata, content, out)
    }
}

impl CorrectnessWitness {
    /// Writes the witness in YAML.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write_yaml(&self, out: impl Write) -> io::Result<()> {
        let content = self
            .invariants
            .iter()
            .map(|invariant| {
                let kind = match invariant.kind {
                    InvariantKind::Loop => "loop_invariant",
                    InvariantKind::Location => "location_invariant",
                };
                SetElement::Invariant(Invariant {
                    kind: kind.to_owned(),
                    location: location(&self.metadata, &invariant.place),
                    value: invariant.expression.clone(),
                    format: Some("c_expression".to_owned()),
                })
            })
            .collect();
        write_entry("invariant_set", &self.metadata, content, out)
    }
}

fn location(metadata: &witness::Metadata, place: &Place) -> Location {
    Location {
        file_name: place.file.clone().unwrap_or_else(|| metadata.program.clone()),
        line: place.line,
        column: place.column,
        function: place.function.clone(),
    }
}

fn write_entry<T: Serialize>(kind: &str, metadata: &witness::Metadata, content: Vec<T>, mut out: impl Write) -> io::Result<()> {
    let mut entry = Entry { entry_type: kind.to_owned(), metadata: wire_metadata(metadata), content };
    // The identifier names what the entry says, so that equal witnesses have equal ones.
    let name = serde_json::to_vec(&entry)?;
    entry.metadata.uuid = Uuid::new_v5(&Uuid::NAMESPACE_OID, &name).to_string();
    let text = serde_saphyr::to_string(&[entry]).map_err(io::Error::other)?;
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn wire_metadata(metadata: &witness::Metadata) -> Metadata {
    Metadata {
        format_version: VERSION.to_owned(),
        uuid: String::new(),
        creation_time: metadata.creation_time.clone().unwrap_or_else(witness::creation_time),
        producer: Producer {
            name: metadata.producer.clone(),
            version: metadata.producer_version.clone(),
            description: metadata.description.clone(),
        },
        task: Task {
            input_files: vec![metadata.program.clone()],
            input_file_hashes: BTreeMap::from([(metadata.program.clone(), metadata.program_hash.clone())]),
            specification: metadata.specification.clone(),
            data_model: metadata.data_model.map_or_else(String::new, |model| model.to_string()),
            language: "C".to_owned(),
        },
    }
}
