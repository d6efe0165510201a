//! What the reader accepts, what it refuses and how, and what the builder makes of a graph.

use super::*;
use crate::{EdgeKey, OperationKind};

pub(crate) fn info(number: u32) -> EdgeInfo {
    let line = number + 1;
    EdgeInfo {
        key: EdgeKey {
            function: "main".to_owned(),
            line,
            column: 3,
            end_line: line,
            end_column: 9,
            kind: if number.is_multiple_of(2) { OperationKind::Assign } else { OperationKind::Assume },
            branch: (!number.is_multiple_of(2)).then_some(true),
            ordinal: 0,
        },
        start_offset: u64::from(number) * 10,
        end_offset: u64::from(number) * 10 + 6,
        enters: None,
        text: format!("x < \"{number}\" && y;"),
        leaves: None,
    }
}

pub(crate) fn provenance() -> Provenance {
    let file = |path: &str| ProgramFile {
        path: path.to_owned(),
        sha256: sha(path),
        cfa: sha(&format!("{path} cfa")),
        files: Vec::new(),
    };
    let options = ProgramOptions { preprocessor: vec!["-DX=\"<\"".to_owned()], ..ProgramOptions::default() };
    Provenance {
        producer: Producer::new("diffdp", "0.1.0").with_option("match", "implied"),
        original: file("old.c"),
        modified: file("new.c"),
        options,
        degraded: Some(vec!["inline asm at new.c:3".to_owned()]),
    }
}

fn sha(text: &str) -> String {
    crate::sha256_hex(text.as_bytes())
}

fn graph() -> DifferenceGraph {
    let mut builder = DifferenceGraphBuilder::new();
    builder.add_edge(7, 4, 9);
    builder.add_edge(7, 1, 3);
    builder.add_edge(9, 6, 5);
    builder.add_edge(9, 6, 5);
    builder.add_edge(5, 8, 7);
    builder.add_edge(11, 2, 7);
    builder.add_indicator(5, Some(6), "affected assume", "x depends on the change");
    builder.add_indicator(5, Some(6), "affected assume", "x depends on the change");
    builder.add_indicator(11, None, "unreachable", "");
    builder.finish(provenance(), 7, info)
}

fn json() -> String {
    let mut bytes = Vec::new();
    graph().write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_builder_numbers_breadth_first_and_drops_the_rest() {
    let graph = graph();
    let edge = |from, edge, to| GraphEdge { from, to, edge };
    // 7 is 0, 3 is 1 (behind the smaller CFA edge), 9 is 2, 5 is 3; nothing leaves the indicator; 11 is unreachable.
    assert_eq!(graph.edges, [edge(0, 1, 1), edge(0, 4, 2), edge(2, 6, 3)]);
    assert_eq!((graph.nodes, graph.indicators.as_slice()), (4, &[3][..]));
    assert_eq!(graph.reasons.len(), 1);
    assert_eq!(graph.cfa_edges.keys().copied().collect::<Vec<_>>(), [1, 4, 6]);
    assert_eq!(graph.check(), Ok(()));
}

#[test]
fn round_trip() {
    let text = json();
    assert_eq!(DifferenceGraph::read(text.as_bytes(), "g.json"), Ok(graph()));
    insta::assert_snapshot!(text);
}

#[test]
fn what_is_no_difference_graph_is_refused() {
    let text = json();
    let read = |text: &str| DifferenceGraph::read(text.as_bytes(), "g.json").unwrap_err().to_string();
    let truncated = read(&text[..text.len() / 2]);
    assert!(truncated.contains("the difference-graph ends in the middle"), "{truncated}");
    assert_eq!(read(" \n"), "g.json: the file is empty, expected a difference-graph");
    assert_eq!(read("int main;"), "g.json: expected a difference-graph, found another file (a C program?)");
    assert_eq!(read("<?xml ?><graphml/>"), "g.json: expected a difference-graph, found an XML file");
    assert_eq!(read("{}"), "g.json: expected a difference-graph, found JSON without a format name");
    let other = text.replacen("difference-graph", "residual-map", 1);
    assert_eq!(read(&other), "g.json: expected a difference-graph, found format `residual-map`");
    let newer = text.replacen("\"version\":1", "\"version\":2", 1);
    let message = "version 2 of the difference-graph format is newer than version 1, the newest this tool reads";
    assert_eq!(read(&newer), format!("g.json: {message}"));
    let malformed = read(&text.replacen("\"nodes\":4", "\"nodes\":\"four\"", 1));
    assert!(malformed.starts_with("g.json:1:") && malformed.contains("malformed difference-graph"), "{malformed}");
    let binary = DifferenceGraph::read(b"{\"format\"\xff", "g.json").unwrap_err();
    assert_eq!(binary, ArtifactError::NotText { file: "g.json".to_owned(), expected: FORMAT.to_owned(), offset: 9 });
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let text = json();
    for (from, to, part) in [
        ("\"nodes\":4", "\"nodes\":3", "indicators[0]: node 3 does not exist"),
        ("\"nodes\":4", "\"nodes\":0", "nodes: there is no initial node"),
        ("\"initial\":0", "\"initial\":1", "initial: the initial node is not 0"),
        ("\"to\":2,\"edge\":4", "\"to\":9,\"edge\":4", "node 9 does not exist"),
        ("\"to\":2,\"edge\":4", "\"to\":2,\"edge\":5", "CFA edge 5 is not listed"),
        ("\"to\":2,\"edge\":4", "\"to\":2,\"edge\":1", "node 0 has two edges with CFA edge 1"),
        ("\"from\":2,\"to\":3", "\"from\":3,\"to\":2", "an edge leaves indicator 3"),
        ("\"indicator\":3", "\"indicator\":1", "reasons[0]: node 1 is no indicator"),
        ("\"entry\":\"main\"", "\"entry\":\"f\"", "the property starts at `main`, the program at `f`"),
        ("reach_error", "overflow", "unknown property"),
        ("\"line\":7,\"column\":3,\"end_line\":7", "\"line\":5,\"column\":3,\"end_line\":5", "another CFA edge has the same key"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = DifferenceGraph::read(text.replacen(from, to, 1).as_bytes(), "g.json").unwrap_err();
        assert!(error.to_string().contains(part), "{from} -> {to}: {error}");
        assert!(matches!(error, ArtifactError::Inconsistent { .. }), "{error:?}");
    }
}

#[test]
fn programs_are_checked_by_hash_and_fingerprint() {
    let file = provenance().modified;
    assert_eq!(file.check_sha256("g.json", "a.c", &sha("new.c")), Ok(()));
    let error = file.check_sha256("g.json", "a.c", "0").unwrap_err().to_string();
    assert!(error.starts_with("g.json: computed for new.c with SHA-256 ") && error.ends_with(", but a.c has 0"), "{error}");
    assert_eq!(file.check_fingerprint("g.json", "a.c", &sha("new.c cfa")), Ok(()));
    let error = file.check_fingerprint("g.json", "a.c", "0").unwrap_err();
    assert!(matches!(error, ArtifactError::FingerprintMismatch { .. }) && error.to_string().ends_with(", but that of a.c is 0"));
}
