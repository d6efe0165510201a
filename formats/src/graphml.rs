//! The vocabulary that conditions and witnesses in GraphML share: key declarations, data elements, edge guards.
//!
//! Does not know what an automaton means.

use crate::EdgeInfo;
use quick_xml::escape::escape;
use std::borrow::Cow;
use std::io::{self, Write};

/// Declares keys: `(id, attr.type, for, default)`.
pub(crate) type Key = (&'static str, &'static str, &'static str, Option<&'static str>);

/// The `attr.name` of keys for which the published format has another one than the identifier. Some readers go by it.
const CUSTOMARY: &[(&str, &str)] = &[
    ("sourcecodelang", "sourcecodeLanguage"),
    ("programfile", "programFile"),
    ("programhash", "programHash"),
    ("creationtime", "creationTime"),
    ("entry", "isEntryNode"),
    ("sink", "isSinkNode"),
    ("violation", "isViolationNode"),
    ("originfile", "originFileName"),
];

/// Keys of graphs in the witness format.
pub(crate) const GRAPH_KEYS: &[Key] = &[
    ("witness-format-version", "string", "graph", None),
    ("witness-type", "string", "graph", None),
    ("sourcecodelang", "string", "graph", None),
    ("producer", "string", "graph", None),
    ("specification", "string", "graph", None),
    ("programfile", "string", "graph", None),
    ("programhash", "string", "graph", None),
    ("architecture", "string", "graph", None),
    ("creationtime", "string", "graph", None),
];

/// Keys of nodes in the witness format.
pub(crate) const NODE_KEYS: &[Key] = &[
    ("entry", "boolean", "node", Some("false")),
    ("sink", "boolean", "node", Some("false")),
    ("violation", "boolean", "node", Some("false")),
];

/// Keys of edges in the witness format that name an edge of the program.
pub(crate) const EDGE_KEYS: &[Key] = &[
    ("startline", "int", "edge", None),
    ("endline", "int", "edge", None),
    ("startoffset", "int", "edge", None),
    ("endoffset", "int", "edge", None),
    ("control", "string", "edge", None),
    ("enterFunction", "string", "edge", None),
    ("returnFromFunction", "string", "edge", None),
    ("sourcecode", "string", "edge", None),
];

/// Writes the declaration of the document, its keys, and the beginning of its graph.
pub(crate) fn begin(out: &mut impl Write, keys: &[&[Key]]) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>")?;
    writeln!(
        out,
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">"
    )?;
    for &(name, kind, place, default) in keys.iter().copied().flatten() {
        let customary = CUSTOMARY.iter().find(|(id, _)| *id == name).map_or(name, |(_, customary)| customary);
        write!(out, "<key id=\"{name}\" attr.name=\"{customary}\" attr.type=\"{kind}\" for=\"{place}\"")?;
        match default {
            Some(value) => writeln!(out, "><default>{value}</default></key>")?,
            None => writeln!(out, "/>")?,
        }
    }
    writeln!(out, "<graph edgedefault=\"directed\">")
}

/// Writes the end of the graph and of the document.
pub(crate) fn end(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "</graph>\n</graphml>")
}

/// Writes one data element.
pub(crate) fn data(out: &mut impl Write, key: &str, value: &str) -> io::Result<()> {
    write!(out, "<data key=\"{key}\">{}</data>", escape(printable(value, key)))
}

/// Writes one data element of the graph, on a line of its own.
pub(crate) fn graph_data(out: &mut impl Write, key: &str, value: &str) -> io::Result<()> {
    data(out, key, value)?;
    writeln!(out)
}

/// Writes the guards of the witness format for an edge of the program.
///
/// The end offset of a witness is that of the last byte, ours that behind it; without text both are left out.
pub(crate) fn edge_guards(out: &mut impl Write, info: &EdgeInfo) -> io::Result<()> {
    let key = &info.key;
    if key.line != 0 {
        data(out, "startline", &key.line.to_string())?;
    }
    if key.end_line != 0 {
        data(out, "endline", &key.end_line.to_string())?;
    }
    if info.end_offset > info.start_offset {
        data(out, "startoffset", &info.start_offset.to_string())?;
        data(out, "endoffset", &(info.end_offset - 1).to_string())?;
    }
    if let Some(branch) = key.branch {
        data(out, "control", if branch { "condition-true" } else { "condition-false" })?;
    }
    if let Some(function) = &info.enters {
        data(out, "enterFunction", function)?;
    }
    if key.kind == crate::OperationKind::Return {
        data(out, "returnFromFunction", &key.function)?;
    }
    data(out, "sourcecode", &info.text)
}

/// Replaces what XML cannot hold, and blanks at the ends, which readers may drop.
fn printable<'t>(text: &'t str, key: &str) -> Cow<'t, str> {
    // The name of a file may end with a blank.
    let text = if matches!(key, "programfile" | "originalfile") { text } else { text.trim() };
    let allowed = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{1_0000}'..);
    if text.chars().all(allowed) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if allowed(c) { c } else { '\u{fffd}' }).collect())
}
