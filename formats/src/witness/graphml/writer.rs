//! The writer of witnesses in GraphML.

use crate::graphml::{self, Key};
use crate::witness::{Action, CorrectnessWitness, Invariant, InvariantKind, Metadata, Place, Step, ViolationWitness};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Keys of violation witnesses beyond those of every automaton.
const VIOLATION_KEYS: &[Key] = &[
    ("assumption", "string", "edge", None),
    ("assumption.scope", "string", "edge", None),
    ("assumption.resultfunction", "string", "edge", None),
    ("originfile", "string", "edge", None),
];

/// Keys of correctness witnesses beyond those of every automaton.
const CORRECTNESS_KEYS: &[Key] = &[
    ("description", "string", "graph", None),
    ("entry", "boolean", "node", Some("false")),
    ("invariant", "string", "node", None),
    ("invariant.scope", "string", "node", None),
    ("enterLoopHead", "boolean", "edge", Some("false")),
];

impl ViolationWitness {
    /// Writes the witness in GraphML: one node behind each step that is followed.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write_graphml(&self, out: impl Write) -> io::Result<()> {
        let mut out = io::BufWriter::new(out);
        graphml::begin(&mut out, &[graphml::GRAPH_KEYS, graphml::NODE_KEYS, graphml::EDGE_KEYS, VIOLATION_KEYS])?;
        header(&mut out, "violation_witness", &self.metadata)?;
        let steps: Vec<&Step> = self.steps.iter().filter(|step| step.action == Action::Follow).collect();
        for node in 0..=steps.len() {
            write!(out, "<node id=\"N{node}\">")?;
            if node == 0 {
                graphml::data(&mut out, "entry", "true")?;
            }
            if node == steps.len() {
                graphml::data(&mut out, "violation", "true")?;
            }
            writeln!(out, "</node>")?;
        }
        for (index, step) in steps.into_iter().enumerate() {
            write!(out, "<edge source=\"N{index}\" target=\"N{}\">", index + 1)?;
            guards(&mut out, &step.place)?;
            let control = step.branch.map(|taken| if taken { "condition-true" } else { "condition-false" });
            let data = [
                ("originfile", step.place.file.as_deref()),
                ("control", control),
                ("enterFunction", step.enters.as_deref()),
                ("returnFromFunction", step.returns_from.as_deref()),
                ("sourcecode", Some(step.text.as_str())),
                ("assumption", step.assumption.as_deref()),
                ("assumption.scope", step.scope.as_deref()),
                ("assumption.resultfunction", step.result_function.as_deref()),
            ];
            for (key, value) in data {
                // The published linter cannot read empty elements.
                if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
                    graphml::data(&mut out, key, value)?;
                }
            }
            writeln!(out, "</edge>")?;
        }
        graphml::end(&mut out)?;
        out.flush()
    }
}

impl CorrectnessWitness {
    /// Writes the witness in GraphML: from the entry, the hub, edges lead to one node per invariant and back.
    ///
    /// An edge to an invariant names a line by which control enters a loop. Lines that belong to several different
    /// invariants name none of them, and neither do places that are no loops: both are left out.
    ///
    /// # Errors
    /// What `out` reports.
    pub fn write_graphml(&self, out: impl Write) -> io::Result<()> {
        let mut out = io::BufWriter::new(out);
        graphml::begin(&mut out, &[graphml::GRAPH_KEYS, graphml::EDGE_KEYS, CORRECTNESS_KEYS])?;
        header(&mut out, "correctness_witness", &self.metadata)?;
        if let Some(description) = &self.metadata.description {
            graphml::graph_data(&mut out, "description", description)?;
        }
        writeln!(out, "<node id=\"N0\"><data key=\"entry\">true</data></node>")?;
        for ((scope, expression), places) in self.by_claim() {
            let number = places.0;
            write!(out, "<node id=\"N{number}\">")?;
            graphml::data(&mut out, "invariant", expression)?;
            if !scope.is_empty() {
                graphml::data(&mut out, "invariant.scope", scope)?;
            }
            writeln!(out, "</node>")?;
            for place in places.1 {
                write!(out, "<edge source=\"N0\" target=\"N{number}\"><data key=\"enterLoopHead\">true</data>")?;
                guards(&mut out, place)?;
                writeln!(out, "</edge>")?;
            }
            writeln!(out, "<edge source=\"N{number}\" target=\"N0\"/>")?;
        }
        graphml::end(&mut out)?;
        out.flush()
    }

    /// The places of each invariant (by scope and expression), with the number of its node.
    fn by_claim(&self) -> BTreeMap<(&str, &str), (usize, Vec<&Place>)> {
        let is_usable = |invariant: &&Invariant| invariant.kind == InvariantKind::Loop && invariant.place.line != 0;
        let mut claims: BTreeMap<u32, BTreeSet<(&str, &str)>> = BTreeMap::new();
        for invariant in self.invariants.iter().filter(is_usable) {
            claims.entry(invariant.place.line).or_default().insert(claim(invariant));
        }
        let mut by_claim: BTreeMap<(&str, &str), (usize, Vec<&Place>)> = BTreeMap::new();
        for invariant in self.invariants.iter().filter(is_usable) {
            if claims.get(&invariant.place.line).is_some_and(|claims| claims.len() == 1) {
                by_claim.entry(claim(invariant)).or_default().1.push(&invariant.place);
            }
        }
        for (entry, number) in by_claim.values_mut().zip(1..) {
            entry.0 = number;
        }
        by_claim
    }
}

fn claim(invariant: &Invariant) -> (&str, &str) {
    (invariant.place.function.as_deref().unwrap_or_default(), invariant.expression.as_str())
}

fn header(out: &mut impl Write, kind: &str, metadata: &Metadata) -> io::Result<()> {
    let producer = format!("{} {}", metadata.producer, metadata.producer_version);
    let data = [
        ("witness-format-version", "1.0"),
        ("witness-type", kind),
        ("sourcecodelang", "C"),
        ("producer", producer.trim_end()),
        ("specification", &metadata.specification),
        ("programfile", &metadata.program),
        ("programhash", &metadata.program_hash),
        ("architecture", metadata.data_model.map_or("", crate::DataModel::architecture)),
        ("creationtime", metadata.creation_time.as_deref().unwrap_or_default()),
    ];
    for (key, value) in data.into_iter().filter(|(_, value)| !value.is_empty()) {
        graphml::graph_data(out, key, value)?;
    }
    Ok(())
}

fn guards(out: &mut impl Write, place: &Place) -> io::Result<()> {
    let data = [
        ("startline", Some(u64::from(place.line)).filter(|line| *line != 0)),
        ("endline", place.end_line.map(u64::from)),
        ("startoffset", place.start_offset),
        ("endoffset", place.end_offset),
    ];
    for (key, value) in data {
        if let Some(value) = value {
            graphml::data(out, key, &value.to_string())?;
        }
    }
    Ok(())
}
