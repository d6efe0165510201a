//! `residue explain`: why paths have to be checked again.

use std::path::PathBuf;

use clap::Args;
use console::{Exit, Input, Output};
use formats::DifferenceGraph;
use miette::IntoDiagnostic;

use crate::check::GRAPH;

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
    Output::new(None).write_text(&text(&graph))?;
    Ok(Exit::Success)
}

fn text(graph: &DifferenceGraph) -> String {
    let mut lines: Vec<String> = graph
        .reasons
        .iter()
        .map(|reason| {
            let rule = if reason.detail.is_empty() { reason.rule.clone() } else { format!("{}: {}", reason.rule, reason.detail) };
            match reason.edge.and_then(|edge| graph.cfa_edges.get(&edge)) {
                Some(edge) => {
                    let key = &edge.key;
                    format!("{}:{}: in {}: {}: {rule}", graph.provenance.modified.path, key.line, key.function, edge.text)
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
