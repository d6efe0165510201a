//! A condition as a picture for Graphviz.
//!
//! A state that stays has a loop for every edge that it does not list.

use super::{Condition, StateKind};
use std::io::{self, Write};

/// Writes `condition` as a directed graph: accepting states are double circles, indicators red boxes.
pub(super) fn write(condition: &Condition, out: impl Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    writeln!(out, "digraph condition {{")?;
    writeln!(out, "  node [shape=circle, fontname=monospace]; edge [fontname=monospace];")?;
    writeln!(out, "  start [shape=point]; start -> N0;")?;
    for (state, kind) in (0..).zip(condition.states()) {
        let attributes = match kind {
            StateKind::Open => "",
            StateKind::Accepting => " [shape=doublecircle, color=darkgreen]",
            StateKind::Indicator => " [shape=box, color=red]",
        };
        writeln!(out, "  N{state}{attributes};")?;
        if condition.stays(state) {
            writeln!(out, "  N{state} -> N{state} [label=\"every other edge\", style=dashed];")?;
        }
    }
    for (from, edge) in condition.edges() {
        let Some(info) = condition.cfa_edges().get(edge.edge as usize) else { continue };
        writeln!(out, "  N{from} -> N{} [label=\"{}: {}\"];", edge.to, info.key.line, escape(&info.text))?;
    }
    writeln!(out, "}}")?;
    out.flush()
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
