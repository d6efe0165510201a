//! `residue explain`: why paths have to be checked again.

use std::path::{Path, PathBuf};

use clap::Args;
use console::{Exit, Input, Output};
use formats::{DifferenceGraph, EdgeInfo};
use miette::IntoDiagnostic;
use program::preprocess::read_source;
use program::source::SourceFile;

use crate::chain::GRAPH;

/// Say which changes a check could not dismiss, and why.
#[derive(Args, Debug)]
pub(crate) struct ExplainArguments {
    /// The folder that `residue check --out` filled
    dir: PathBuf,
}

/// Prints one line per indicator: the modified edge with its source line and the rule that failed.
pub(crate) fn explain(arguments: &ExplainArguments) -> miette::Result<Exit> {
    let input = Input::read(&arguments.dir.join(GRAPH))?;
    let graph = DifferenceGraph::read(&input.bytes, &input.name).into_diagnostic()?;
    let source = modified_source(&graph);
    Output::new(None).write_text(&text(&graph, source.as_ref()))?;
    Ok(Exit::Success)
}

/// The modified program, if it still is the one the graph is about: people count lines of the file, while edges are named
/// by lines of the preprocessed text.
fn modified_source(graph: &DifferenceGraph) -> Option<SourceFile> {
    let modified = &graph.provenance.modified;
    let source = read_source(Path::new(&modified.path), &graph.provenance.options).ok()?;
    (source.sha256_hex() == modified.sha256).then_some(source)
}

/// FILE:LINE of an edge.
fn place(graph: &DifferenceGraph, edge: &EdgeInfo, source: Option<&SourceFile>) -> String {
    match (source, u32::try_from(edge.start_offset)) {
        (Some(source), Ok(offset)) => {
            let location = source.location(offset);
            format!("{}:{}", location.file, location.line)
        }
        _ => format!("{}:{}", graph.provenance.modified.path, edge.key.line),
    }
}

fn text(graph: &DifferenceGraph, source: Option<&SourceFile>) -> String {
    let mut lines: Vec<String> = graph
        .reasons
        .iter()
        .map(|reason| {
            let rule = if reason.detail.is_empty() { reason.rule.clone() } else { format!("{}: {}", reason.rule, reason.detail) };
            match reason.edge.and_then(|edge| graph.cfa_edges.get(&edge)) {
                Some(edge) => {
                    format!("{}: in {}: {}: {rule}", place(graph, edge, source), edge.key.function, edge.text)
                }
                None => format!("{}: {rule}", graph.provenance.modified.path),
            }
        })
        .collect();
    if lines.is_empty() {
        lines.push("nothing has to be checked again: no path of the modified program can violate the property newly".to_owned());
    }
    for construct in graph.provenance.degraded.iter().flatten() {
        lines.push(format!("not understood, so everything behind it is checked again: {construct}"));
    }
    lines.join("\n") + "\n"
}
