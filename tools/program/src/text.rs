//! A CFA for people: one line per edge, or a picture for Graphviz.

use std::fmt::Write;

use crate::cfa::{Cfa, EdgeId, Function};

impl Cfa {
    /// One paragraph per function with a body, one line per edge: source and target location, kind, place and text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        for (function, edges) in self.edges_by_function() {
            let _ = writeln!(out, "{}: entry {:?}, exit {:?}", function.name, function.entry, function.exit);
            for id in edges {
                let edge = self.edge(id);
                let place = self.source.location(edge.span.lo);
                let error = if self.location(edge.target).is_error { " error" } else { "" };
                let kind = edge.operation.kind();
                let (source, target) = (edge.source, edge.target);
                let _ = writeln!(out, "  {source:?} -> {target:?}{error}  {kind} {place}  {}", self.edge_text(id));
            }
        }
        out
    }

    /// The same as a directed graph with one cluster per function; error locations are filled.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph cfa {\n  node [shape=circle, fontsize=10];\n  edge [fontsize=10];\n");
        for (number, (function, edges)) in self.edges_by_function().into_iter().enumerate() {
            let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label=\"{}\";", function.name);
            for id in edges {
                let edge = self.edge(id);
                let label = self.edge_text(id).replace('\\', "\\\\").replace('"', "\\\"");
                let _ = writeln!(out, "    {:?} -> {:?} [label=\"{label}\"];", edge.source, edge.target);
                if self.location(edge.target).is_error {
                    let _ = writeln!(out, "    {:?} [style=filled, fillcolor=red];", edge.target);
                }
            }
            out.push_str("  }\n");
        }
        out.push_str("}\n");
        out
    }

    /// The functions with a body and their edges, in order.
    fn edges_by_function(&self) -> Vec<(&Function, Vec<EdgeId>)> {
        let mut edges = vec![Vec::new(); self.functions.len()];
        for id in self.edge_ids() {
            edges[self.location(self.edge(id).source).function.index()].push(id);
        }
        let functions = self.functions.iter().zip(edges);
        functions.filter(|(function, _)| function.entry.is_some()).collect()
    }
}
