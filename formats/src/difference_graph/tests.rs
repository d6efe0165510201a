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
    graph().write_version_1(&mut bytes).unwrap();
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
    let newer = text.replacen("\"version\":1", "\"version\":3", 1);
    let message = "version 3 of the difference-graph format is newer than version 2, the newest this tool reads";
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

fn interned(graph: &DifferenceGraph) -> String {
    let mut bytes = Vec::new();
    graph.write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn the_short_form() {
    let text = interned(&graph());
    assert_eq!(DifferenceGraph::read(text.as_bytes(), "g.json"), Ok(graph()));
    let body = text.split_once("\"edges\":").unwrap().1;
    let rows = "[1,0,2,3,0,6,10,6,1,2,0,2,0,0,0],[3,0,3,3,0,6,30,6,3,0,0,4,0,0,0],[2,0,2,3,0,6,20,6,3,0,0,5,0,0,0]";
    let strings = "[\"main\",\"assume\",\"x < \\\"1\\\" && y;\",\"assign\",\"x < \\\"4\\\" && y;\",\"x < \\\"6\\\" && y;\"]";
    let edges = "[0,1,1,0,1,3,2,1,2]";
    assert_eq!(body, format!("{edges},\"strings\":{strings},\"rows\":[{rows}],\"cfa_edges\":[0,1,2]}}\n"));
}

#[test]
fn numbers_of_the_short_form_that_fit_nowhere_are_refused() {
    let text = interned(&graph());
    for (from, to, told) in [
        ("\"edges\":[0,1,1,", "\"edges\":[1,1,", "edges: there are 8 numbers, not three for each edge"),
        ("\"edges\":[0,1,1,", "\"edges\":[-1,1,1,", "edges[0]: 0 and -1 make no `from`"),
        ("\"edges\":[0,1,1,", "\"edges\":[0,4294967296,1,", "edges[1]: 0 and 4294967296 make no `to`"),
        (
            "\"edges\":[0,1,1,0,1,3,",
            "\"edges\":[0,1,1,0,1,9223372036854775807,",
            "edges[5]: 1 and 9223372036854775807 make no `edge`",
        ),
        ("\"edges\":[0,1,1,", "\"edges\":[0,1,2,", "edges[0]: CFA edge 2 is not listed"),
        ("\"cfa_edges\":[0,1,2]", "\"cfa_edges\":[0,1,3]", "cfa_edges[2]: row 3 is not listed"),
        ("\"cfa_edges\":[0,1,2]", "\"cfa_edges\":[0,1]", "edges[2]: CFA edge 6 is not listed"),
        ("[2,0,2,3,", "[0,0,2,3,", "cfa_edges[2]: CFA edge 4 is listed twice"),
        ("[1,0,2,3,", "[-1,0,2,3,", "cfa_edges[0]: 0 and -1 make no number of an edge"),
        ("[1,0,2,3,", "[1,0,-2,3,", "cfa_edges[0]: 0 and -2 make no line"),
        ("[1,0,2,3,0,6,10,", "[1,0,2,3,0,6,-10,", "cfa_edges[0]: 0 and -10 make no offset"),
        ("[1,0,2,", "[1,6,2,", "rows[0]: string 6 is not listed"),
        ("[1,0,2,", "[1,-1,2,", "rows[0]: string -1 is not listed"),
        ("10,6,1,2,0,2,0,0,0]", "10,6,0,2,0,2,0,0,0]", "rows[0]: unknown edge kind `main`"),
        ("10,6,1,2,0,2,0,0,0]", "10,6,1,3,0,2,0,0,0]", "rows[0]: 3 is no branch"),
        ("10,6,1,2,0,2,0,0,0]", "10,6,1,2,-1,2,0,0,0]", "rows[0]: -1 is no ordinal"),
        ("10,6,1,2,0,2,0,0,0]", "10,6,1,2,0,2,-5,0,0]", "rows[0]: string -6 is not listed"),
        ("10,6,1,2,0,2,0,0,0]", "10,6,1,2,0,2,0,0,-1]", "rows[0]: -2 is no number of edges"),
        ("10,6,1,2,0,2,0,0,0]", "10,6,1,2,0,2,0,-1,3]", "cfa_edges[0]: 0 and -1 make no location"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        let error = DifferenceGraph::read(text.replacen(from, to, 1).as_bytes(), "g.json").unwrap_err();
        assert!(error.to_string().contains(told), "{from} -> {to}: {error}");
        assert!(matches!(error, ArtifactError::Inconsistent { .. }), "{error:?}");
    }
    let short = text.replacen("6,10,6,1,2,0,2,0,0,0]", "6,10,6,1,2,0,2,0,0]", 1);
    let error = DifferenceGraph::read(short.as_bytes(), "g.json").unwrap_err().to_string();
    assert!(error.contains("`rows[0]"), "{error}");
}

/// A small file does not stand for any amount of memory.
#[test]
fn few_bytes_are_no_large_graph() {
    let text = interned(&graph());
    let long = "x".repeat(1 << 16);
    let many = "1,".repeat(20_000);
    let bomb = text.replacen("\"x < \\\"4\\\" && y;\"", &format!("\"{long}\""), 1);
    let bomb = bomb.replacen("\"cfa_edges\":[0,", &format!("\"cfa_edges\":[0,{many}"), 1);
    let error = DifferenceGraph::read(bomb.as_bytes(), "g.json").unwrap_err().to_string();
    assert!(error.contains("]: the edges add up to more than a file of this size may stand for"), "{error}");
}

mod any {
    use super::*;
    use proptest::prelude::*;

    fn text() -> impl Strategy<Value = String> {
        prop_oneof![Just(String::new()), Just("main".to_owned()), "[a-z\"\\\\<é]{0,6}"]
    }

    /// Small numbers, and those at the end.
    fn small() -> impl Strategy<Value = u32> {
        prop_oneof![8 => 0..40u32, 1 => u32::MAX - 2..=u32::MAX]
    }

    fn offset() -> impl Strategy<Value = u64> {
        prop_oneof![8 => 0..90u64, 1 => u64::MAX / 2 - 1..u64::MAX / 2 + 2]
    }

    prop_compose! {
        fn edge()(
            (function, text, enters) in (text(), text(), proptest::option::of(text())),
            (line, column, end_line, end_column) in (small(), small(), small(), small()),
            (start_offset, end_offset) in (offset(), offset()),
            kind in proptest::sample::select(OperationKind::ALL.to_vec()),
            (branch, ordinal) in (any::<Option<bool>>(), small()),
            leaves in proptest::option::of((small(), small())),
        ) -> EdgeInfo {
            let key = EdgeKey { function, line, column, end_line, end_column, kind, branch, ordinal };
            EdgeInfo { key, start_offset, end_offset, enters, text, leaves: leaves.map(Into::into) }
        }
    }

    proptest! {
        /// Both forms are read as what was written.
        #[test]
        fn graph_is_the_same_in_both_forms(
            edges in proptest::collection::btree_map(small(), edge(), 1..12),
            drawn in proptest::collection::btree_map((0..6u32, 0..12usize), 0..6u32, 1..12),
        ) {
            let numbers: Vec<u32> = edges.keys().copied().collect();
            let mut graph = graph();
            let mut keys = FxHashSet::default();
            let cfa_edges: BTreeMap<u32, EdgeInfo> = edges.into_iter().filter(|(_, info)| keys.insert(info.key.clone())).collect();
            let listed = |edge: &GraphEdge| cfa_edges.contains_key(&edge.edge);
            let drawn = drawn.iter().map(|((from, edge), to)| GraphEdge { from: *from, to: *to, edge: numbers[edge % numbers.len()] });
            let mut seen = FxHashSet::default();
            graph.edges = drawn.filter(listed).filter(|edge| seen.insert((edge.from, edge.edge))).collect();
            graph.edges.sort_unstable_by_key(|edge| (edge.from, edge.edge, edge.to));
            (graph.indicators, graph.reasons) = (Vec::new(), Vec::new());
            graph.nodes = graph.edges.iter().map(|edge| edge.from.max(edge.to) + 1).max().unwrap_or(1);
            prop_assume!(graph.nodes as usize <= 1 + 2 * graph.edges.len());
            graph.cfa_edges = cfa_edges;
            let mut named = Vec::new();
            graph.write_version_1(&mut named).unwrap();
            prop_assert_eq!(DifferenceGraph::read(&named, "v1"), Ok(graph.clone()));
            prop_assert_eq!(DifferenceGraph::read(interned(&graph).as_bytes(), "v2"), Ok(graph));
        }

        /// Any numbers are a graph or an error.
        #[test]
        fn numbers_end_no_reader(
            edges in proptest::collection::vec(any::<i64>(), 0..9),
            rows in proptest::collection::vec(proptest::collection::vec(prop_oneof![-2..8i64, any::<i64>()], 15..16), 0..4),
            cfa_edges in proptest::collection::vec(0..5u32, 0..6),
        ) {
            let strings = ["main", "assume", "", "call"].map(str::to_owned).to_vec();
            let rows = rows.into_iter().map(|row| row.try_into().unwrap()).collect();
            let _ = interned::expand(&Interned { edges, strings, rows, cfa_edges }, 100);
        }
    }
}
