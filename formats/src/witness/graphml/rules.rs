//! What the published linter demands of a witness as a whole.
//!
//! Source: `witnesslint` of the sv-witnesses collection, version 1; its strict mode is left out, because it needs the program.

use super::Severity::{Deviation, Fault};
use super::automaton::{Automaton, Data};
use std::collections::{BTreeMap, BTreeSet};

/// What a graph has to say about itself, once.
const COMPULSORY: &[&str] = &[
    "witness-type", "sourcecodelang", "producer", "specification", "programfile", "programhash", "architecture", "creationtime",
];

/// A witness without them is evidence of nothing.
const INDISPENSABLE: &[&str] = &["witness-type", "specification"];

/// Keys that mean something in a violation witness only.
const VIOLATION_ONLY: &[&str] = &["sink", "violation", "assumption", "assumption.scope", "assumption.resultfunction"];

/// Keys that mean something in a correctness witness only (and in witnesses of non-termination).
const CORRECTNESS_ONLY: &[&str] = &["invariant", "invariant.scope"];

/// Appends what is wrong to the findings.
pub(super) fn check(automaton: &mut Automaton) {
    let mut found = Vec::new();
    graph(automaton, &mut found);
    nodes(automaton, &mut found);
    edges(automaton, &mut found);
    kinds(automaton, &mut found);
    for (severity, offset, message) in found {
        automaton.note(severity, offset, message);
    }
}

/// Severity, offset and message of what was found.
type Found = Vec<(super::Severity, usize, String)>;

fn graph(automaton: &Automaton, found: &mut Found) {
    for key in COMPULSORY {
        let count = automaton.graph.0.iter().filter(|data| data.key == *key).count();
        let severity = if INDISPENSABLE.contains(key) { Fault } else { Deviation };
        if count == 0 {
            found.push((severity, automaton.offset, format!("`{key}` is missing")));
        } else if count > 1 && *key != "specification" {
            found.push((severity, automaton.offset, format!("`{key}` is given more than once")));
        }
    }
    for data in &automaton.graph.0 {
        let value = data.value.as_str();
        if data.key == "specification" && value.is_empty() {
            found.push((Fault, data.offset, "the specification is empty".to_owned()));
        }
        let expected = match data.key.as_str() {
            "witness-type" => one_of(value, &["violation_witness", "correctness_witness"]),
            "sourcecodelang" => one_of(value, &["C"]),
            "architecture" => one_of(value, &["32bit", "64bit"]),
            _ => None,
        };
        if let Some(expected) = expected {
            found.push((Fault, data.offset, format!("`{}` is {value}, expected {expected}", data.key)));
        }
        if data.key == "creationtime" && !is_time(value) {
            found.push((Deviation, data.offset, format!("`creationtime` is no ISO 8601 time with a zone: {value}")));
        }
        if data.key == "programhash" && !is_sha256(value) {
            found.push((Deviation, data.offset, "`programhash` is no SHA-256".to_owned()));
        }
    }
}

fn nodes(automaton: &Automaton, found: &mut Found) {
    let mut entries = 0;
    let mut ids = BTreeSet::new();
    for node in &automaton.nodes {
        if !ids.insert(node.id.as_str()) {
            found.push((Fault, node.offset, format!("there is more than one node {}", node.id)));
        }
        for data in &node.data.0 {
            if ["entry", "sink", "violation", "cyclehead"].contains(&data.key.as_str()) {
                flag(data, found);
            }
        }
        if node.data.get("entry") == Some("true") {
            entries += 1;
            if entries > 1 {
                found.push((Fault, node.offset, format!("node {} is another entry", node.id)));
            }
        }
    }
    if entries == 0 {
        found.push((Fault, automaton.offset, "there is no entry node".to_owned()));
    }
}

fn edges(automaton: &Automaton, found: &mut Found) {
    let nodes: BTreeMap<&str, bool> =
        automaton.nodes.iter().map(|node| (node.id.as_str(), node.data.get("sink") == Some("true"))).collect();
    for edge in &automaton.edges {
        for end in [&edge.source, &edge.target] {
            if !nodes.contains_key(end.as_str()) {
                found.push((Fault, edge.offset, format!("node {end} does not exist")));
            }
        }
        if nodes.get(edge.source.as_str()) == Some(&true) {
            found.push((Fault, edge.offset, format!("an edge leaves the sink {}", edge.source)));
        }
        if edge.source == edge.target {
            found.push((Deviation, edge.offset, format!("an edge leads from {} to itself", edge.source)));
        }
        for (start, end) in [("startline", "endline"), ("startoffset", "endoffset")] {
            let number = |key: &str| edge.data.get(key).and_then(|text| text.parse::<u64>().ok());
            if let (Some(first), Some(last)) = (number(start), number(end))
                && last < first
            {
                found.push((Deviation, edge.offset, format!("`{end}` is {last}, before `{start}` {first}")));
            }
        }
        for data in &edge.data.0 {
            match data.key.as_str() {
                "enterLoopHead" => flag(data, found),
                "control" => {
                    if let Some(expected) = one_of(&data.value, &["condition-true", "condition-false"]) {
                        found.push((Fault, data.offset, format!("`control` is {}, expected {expected}", data.value)));
                    }
                }
                "startline" | "endline" | "startoffset" | "endoffset" if data.value.parse::<u64>().is_err() => {
                    found.push((Fault, data.offset, format!("`{}` is no number: {}", data.key, data.value)));
                }
                "startline" | "endline" if data.value.parse() == Ok(0_u64) => {
                    found.push((Deviation, data.offset, format!("`{}` is 0, but lines count from 1", data.key)));
                }
                "assumption" if data.value.contains("\\result") && edge.data.get("assumption.resultfunction").is_none() => {
                    let message = "the assumption mentions \\result, but no `assumption.resultfunction` is given";
                    found.push((Deviation, data.offset, message.to_owned()));
                }
                _ => {}
            }
        }
    }
}

/// Checks that nothing belongs to the other kind of witness.
fn kinds(automaton: &Automaton, found: &mut Found) {
    let (kind, foreign) = match automaton.graph.get("witness-type") {
        Some("correctness_witness") => ("correctness", VIOLATION_ONLY),
        Some("violation_witness") => {
            let is_cyclic = automaton.nodes.iter().any(|node| node.data.get("cyclehead").is_some());
            let specification = automaton.graph.get("specification").unwrap_or_default();
            let ends = specification.split_whitespace().collect::<String>().contains("LTL(Fend)");
            if is_cyclic || ends {
                return;
            }
            ("violation", CORRECTNESS_ONLY)
        }
        Some(_) | None => return,
    };
    let sets = automaton.nodes.iter().map(|node| &node.data).chain(automaton.edges.iter().map(|edge| &edge.data));
    for data in sets.flat_map(|set| &set.0).filter(|data| foreign.contains(&data.key.as_str())) {
        let severity = if data.value == "false" { Deviation } else { Fault };
        found.push((severity, data.offset, format!("`{}` does not belong to a {kind} witness", data.key)));
    }
}

fn flag(data: &Data, found: &mut Found) {
    if let Some(expected) = one_of(&data.value, &["true", "false"]) {
        found.push((Fault, data.offset, format!("`{}` is {}, expected {expected}", data.key, data.value)));
    }
}

/// What was expected, if `value` is none of it.
fn one_of(value: &str, expected: &[&str]) -> Option<String> {
    (!expected.contains(&value)).then(|| expected.join(" or "))
}

/// Whether a text is a time as the linter wants it: `2021-10-01T08:07:01Z`, or with `+02:00`.
fn is_time(text: &str) -> bool {
    let Some((time, zone)) = text.split_at_checked(19) else { return false };
    let shape = |text: &str, pattern: &str| {
        text.len() == pattern.len()
            && text
                .bytes()
                .zip(pattern.bytes())
                .all(|(byte, wanted)| if wanted == b'0' { byte.is_ascii_digit() } else { byte == wanted })
    };
    shape(time, "0000-00-00T00:00:00") && (zone == "Z" || shape(zone, "+00:00") || shape(zone, "-00:00"))
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
