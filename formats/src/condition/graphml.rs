//! Conditions in GraphML, in the style of violation witnesses 1.0.
//!
//! An accepting state is a node with `sink`, an indicator a node with a self-loop without guards. Unlike in a witness,
//! an automaton does not stay in a state when no edge matches: the path is uncovered then. A loop with `stay` says that
//! none but the other listed edges leaves the state, and how many these are: where a filter has removed one, the state does not stay.
//! That is new in version 2, and version 1 is written where no state stays.
//! Keys are resolved by identifier, then by `attr.name`; unknown keys are ignored.

mod reader;

use super::{Condition, StateKind};
use crate::Provenance;
use crate::graphml::{self, Key};
use crate::witness::creation_time;
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(super) use reader::read;

/// Own keys, beside those of witnesses.
const KEYS: &[Key] = &[
    ("condition-format-version", "int", "graph", None),
    ("condition-type", "string", "graph", None),
    ("originalfile", "string", "graph", None),
    ("originalhash", "string", "graph", None),
    ("cfa-fingerprint", "string", "graph", None),
    ("original-cfa-fingerprint", "string", "graph", None),
    ("entry-function", "string", "graph", None),
    ("preprocessor", "string", "graph", None),
    ("caller", "string", "graph", None),
    ("library", "string", "graph", None),
    ("detector", "string", "graph", None),
    ("detector-options", "string", "graph", None),
    ("producer-options", "string", "graph", None),
    ("degraded", "string", "graph", None),
    ("function", "string", "edge", None),
    ("startcolumn", "int", "edge", None),
    ("endcolumn", "int", "edge", None),
    ("edge-kind", "string", "edge", None),
    ("edge-ordinal", "int", "edge", Some("0")),
];

/// Keys of states that stay, which are declared only where there are any.
const STAY_KEYS: &[Key] = &[("stay", "int", "edge", None)];

/// Keys of programs of several files, which are declared only where there are any.
const FILES_KEYS: &[Key] = &[("originalfiles", "string", "graph", None), ("programfiles", "string", "graph", None)];

/// The value of `condition-type`.
const CONDITION_TYPE: &str = "difference";

/// Writes `condition`; equal conditions give equal bytes.
pub(super) fn write(condition: &Condition, out: impl Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    let Provenance { original, modified, .. } = condition.provenance();
    let several = if original.files.is_empty() && modified.files.is_empty() { &[] } else { FILES_KEYS };
    let staying = if condition.format_version() == 1 { &[] } else { STAY_KEYS };
    graphml::begin(&mut out, &[graphml::GRAPH_KEYS, graphml::NODE_KEYS, graphml::EDGE_KEYS, KEYS, several, staying])?;
    write_header(condition, &mut out)?;
    for (state, kind) in (0..).zip(condition.states()) {
        write!(out, "<node id=\"N{state}\">")?;
        if state == 0 {
            graphml::data(&mut out, "entry", "true")?;
        }
        match kind {
            StateKind::Open => {}
            StateKind::Accepting => graphml::data(&mut out, "sink", "true")?,
            StateKind::Indicator => graphml::data(&mut out, "violation", "false")?,
        }
        writeln!(out, "</node>")?;
        if *kind == StateKind::Indicator {
            writeln!(out, "<edge source=\"N{state}\" target=\"N{state}\"/>")?;
        }
        if condition.stays(state) {
            write!(out, "<edge source=\"N{state}\" target=\"N{state}\">")?;
            graphml::data(&mut out, "stay", &condition.edges_from(state).len().to_string())?;
            writeln!(out, "</edge>")?;
        }
    }
    for (from, edge) in condition.edges() {
        let Some(info) = condition.cfa_edges().get(edge.edge as usize) else { continue };
        write!(out, "<edge source=\"N{from}\" target=\"N{}\">", edge.to)?;
        graphml::edge_guards(&mut out, info)?;
        graphml::data(&mut out, "function", &info.key.function)?;
        graphml::data(&mut out, "startcolumn", &info.key.column.to_string())?;
        graphml::data(&mut out, "endcolumn", &info.key.end_column.to_string())?;
        graphml::data(&mut out, "edge-kind", info.key.kind.name())?;
        if info.key.ordinal != 0 {
            graphml::data(&mut out, "edge-ordinal", &info.key.ordinal.to_string())?;
        }
        writeln!(out, "</edge>")?;
    }
    graphml::end(&mut out)?;
    out.flush()
}

fn write_header(condition: &Condition, out: &mut impl Write) -> io::Result<()> {
    let provenance = condition.provenance();
    let options = &provenance.options;
    let data = [
        ("witness-format-version", "1.0"),
        ("witness-type", "violation_witness"),
        ("sourcecodelang", "C"),
        ("producer", &condition.producer().to_string()),
        ("specification", &options.specification()),
        ("programfile", &provenance.modified.path),
        ("programhash", &provenance.modified.sha256),
        ("architecture", options.data_model.architecture()),
        ("creationtime", &creation_time()),
        ("condition-format-version", &condition.format_version().to_string()),
        ("condition-type", CONDITION_TYPE),
        ("originalfile", &provenance.original.path),
        ("originalhash", &provenance.original.sha256),
        ("cfa-fingerprint", &provenance.modified.cfa),
        ("original-cfa-fingerprint", &provenance.original.cfa),
        ("entry-function", &options.entry),
        ("preprocessor", &json(&options.preprocessor)?),
        ("detector", &provenance.producer.to_string()),
        ("detector-options", &json(&provenance.producer.options)?),
    ];
    for (key, value) in data {
        graphml::graph_data(out, key, value)?;
    }
    if !options.caller.is_default() {
        graphml::graph_data(out, "caller", &json(&options.caller)?)?;
    }
    if !options.library.is_own() {
        graphml::graph_data(out, "library", &json(&options.library)?)?;
    }
    for (key, program) in [("originalfiles", &provenance.original), ("programfiles", &provenance.modified)] {
        if !program.files.is_empty() {
            graphml::graph_data(out, key, &json(&program.files)?)?;
        }
    }
    if condition.producer().options != BTreeMap::new() {
        graphml::graph_data(out, "producer-options", &json(&condition.producer().options)?)?;
    }
    match &provenance.degraded {
        Some(degraded) => graphml::graph_data(out, "degraded", &json(degraded)?),
        None => Ok(()),
    }
}

fn json<T: serde::Serialize>(value: &T) -> io::Result<String> {
    Ok(serde_json::to_string(value)?)
}
