//! The weave of the versions for Graphviz: what all have is grey, what some have is coloured and says which.

use std::fmt::Write as _;

use program::cfa::{Cfa, LocationId};
use transform::weave::{Weave, WeaveError, weave};

use crate::points::Point;
use crate::prepare::{Meaning, Prepared};

/// The picture.
///
/// # Errors
/// If the versions cannot be one program.
pub(crate) fn dot(prepared: &[Option<Prepared>], points: &[Point]) -> Result<String, WeaveError> {
    let read: Vec<(usize, &Prepared)> = prepared.iter().enumerate().filter_map(|(at, one)| Some((at, one.as_ref()?))).collect();
    let cfas: Vec<&Cfa> = read.iter().map(|(_, one)| &one.cfa).collect();
    let woven = weave(&cfas)?;
    let cfa = &woven.recast.cfa;
    let mut out = String::from("digraph versions {\n  node [shape=circle, fontsize=10];\n  edge [fontsize=10, color=grey50];\n");
    for (number, function) in cfa.function_ids().enumerate() {
        let edges = cfa.edge_ids().filter(|edge| cfa.location(cfa.edge(*edge).source).function == function);
        let edges: Vec<_> = edges.collect();
        if edges.is_empty() || cfa.source.is_library(cfa.function(function).span) {
            continue;
        }
        _ = writeln!(out, "  subgraph cluster_{number} {{\n    label=\"{}\";", escaped(&cfa.function(function).name));
        for edge in edges {
            let set = woven.edges[edge.index()];
            let of: Vec<String> = read
                .iter()
                .enumerate()
                .filter(|(at, _)| set >> at & 1 == 1)
                .map(|(_, (version, _))| (version + 1).to_string())
                .collect();
            let (from, to) = (cfa.edge(edge).source, cfa.edge(edge).target);
            let text = escaped(&cfa.edge_text(edge));
            if of.len() == read.len() {
                _ = writeln!(out, "    {from:?} -> {to:?} [label=\"{text}\"];");
            } else {
                let of = of.join(",");
                _ = writeln!(out, "    {from:?} -> {to:?} [label=\"{of}: {text}\", style=bold, color=blue3, fontcolor=blue3];");
            }
        }
        for (at, name) in boxes(&woven, &read, points).into_iter().filter(|(at, _)| cfa.location(*at).function == function) {
            _ = writeln!(out, "    {at:?} [shape=box, xlabel=\"{}\"];", escaped(&name));
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    Ok(out)
}

/// Where points are.
fn boxes(woven: &Weave, read: &[(usize, &Prepared)], points: &[Point]) -> Vec<(LocationId, String)> {
    let mut found = Vec::new();
    for (number, point) in points.iter().enumerate() {
        for (at, (_, prepared)) in read.iter().enumerate() {
            let Meaning::Says { holds, .. } = &prepared.points[number] else { continue };
            let places = holds.iter().map(|(own, _)| (woven.at[at][own.index()], point.name.clone()));
            let new: Vec<_> = places.filter(|place| !found.contains(place)).collect();
            found.extend(new);
        }
    }
    found
}

fn escaped(text: &str) -> String {
    formats::shown::one_line(text).replace('\\', "\\\\").replace('"', "\\\"")
}
