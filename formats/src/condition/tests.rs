//! What is written is read again, what is damaged is refused.

use super::*;
use crate::difference_graph::tests::{info, provenance};
use crate::{DataModel, OperationKind};
use proptest::prelude::*;

fn condition() -> Condition {
    let states = vec![StateKind::Open, StateKind::Accepting, StateKind::Indicator, StateKind::Open];
    let edges = [(0, 5, 1), (0, 4, 3), (3, 6, 2), (3, 5, 0)];
    let infos: BTreeMap<u32, EdgeInfo> = (4..8).map(|number| (number, info(number))).collect();
    Condition::new(Producer::new("condgen", "0.1.0"), provenance(), states, &edges, &infos).unwrap()
}

fn graphml(condition: &Condition) -> String {
    let mut bytes = Vec::new();
    condition.write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn structure() {
    let condition = condition();
    // The table is in the order of the keys and holds only what edges name.
    assert_eq!(condition.cfa_edges(), [info(4), info(5), info(6)]);
    assert_eq!(condition.edge_number(&info(6).key), Some(2));
    assert_eq!(condition.edge_number(&info(7).key), None);
    assert_eq!(condition.edges_from(0), [ConditionEdge { edge: 0, to: 3 }, ConditionEdge { edge: 1, to: 1 }]);
    assert_eq!(condition.edges_from(1), []);
    assert_eq!(condition.edges_from(99), []);
    assert_eq!(condition.successor(3, Some(2)), Some(2));
    assert_eq!(condition.successor(3, Some(0)), None);
    assert!(condition.covers([1]) && condition.covers([1, 0, 0]) && condition.covers([0, 1, 1]));
    assert!(!condition.covers([]) && !condition.covers([0]) && !condition.covers([0, 2, 1]) && !condition.covers([2]));
    assert!(!condition.covers_everything());
}

#[test]
fn invariants_are_checked() {
    let infos: BTreeMap<u32, EdgeInfo> = [(0, info(0)), (1, info(1)), (2, info(0))].into();
    let build = |states: &[StateKind], edges: &[(u32, u32, u32)]| {
        Condition::new(Producer::new("condgen", "0.1.0"), provenance(), states.to_vec(), edges, &infos)
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    use StateKind::{Accepting, Indicator, Open};
    assert!(build(&[], &[]).contains("no initial state"));
    assert!(build(&[Accepting, Open], &[(0, 0, 1)]).contains("an edge leaves an accepting state"));
    assert!(build(&[Indicator, Open], &[(0, 0, 1)]).contains("an edge leaves an indicator"));
    assert!(build(&[Open], &[(0, 0, 1)]).contains("state 1 does not exist"));
    assert!(build(&[Open], &[(0, 9, 0)]).contains("CFA edge 9 is not listed"));
    assert!(build(&[Open, Open], &[(0, 0, 0), (0, 0, 1)]).contains("another edge for the same CFA edge"));
    assert!(build(&[Open], &[(0, 0, 0), (0, 2, 0)]).contains("two CFA edges have the key"));
}

#[test]
fn the_written_form() {
    insta::assert_snapshot!("graphml", graphml(&condition()));
    let mut bytes = Vec::new();
    condition().write_dot(&mut bytes).unwrap();
    insta::assert_snapshot!("dot", String::from_utf8(bytes).unwrap());
}

#[test]
fn states_that_stay() {
    let staying = condition().with_staying([0, 3]).unwrap();
    assert_eq!((staying.format_version(), condition().format_version()), (2, 1));
    assert!(staying.covers([2, 1]) && staying.covers([0, 0, 1, 1]) && !staying.covers([0, 2, 1]) && !staying.covers([2]));
    assert_eq!((staying.successor(0, None), staying.successor(1, None), condition().successor(0, None)), (Some(0), None, None));
    let text = graphml(&staying);
    insta::assert_snapshot!("staying", text);
    assert_eq!(Condition::read(text.as_bytes(), "c").unwrap(), staying);
    for wrong in [1, 2, 9] {
        assert!(condition().with_staying([wrong]).is_err());
    }
    // A filter that removes an edge covers less: the state does not stay then.
    let edges: Vec<&str> = text.lines().filter(|line| line.starts_with("<edge source=\"N0\"")).collect();
    assert_eq!(edges.len(), 3);
    for edge in edges {
        let less = Condition::read(text.replace(&format!("{edge}\n"), "").as_bytes(), "c").unwrap();
        assert!(!less.stays(0) && less.stays(3), "{edge}");
    }
    for (from, to, part) in [
        ("key=\"stay\">2<", "key=\"stay\">two<", "`stay` is not a number"),
        ("source=\"N0\" target=\"N0\"", "source=\"N0\" target=\"N3\"", "`stay` leads to another state"),
        ("source=\"N0\" target=\"N0\"><data key=\"stay\">2<", "source=\"N1\" target=\"N1\"><data key=\"stay\">0<", "cannot stay"),
        ("format-version\">2<", "format-version\">1<", "is missing"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = Condition::read(text.replacen(from, to, 1).as_bytes(), "c").unwrap_err().to_string();
        assert!(error.contains(part), "{from}: {error}");
    }
}

#[test]
fn foreign_spellings_are_read() {
    let text = graphml(&condition());
    let expected = Condition::read(text.as_bytes(), "c").unwrap();
    assert_eq!(expected, condition());
    // Another identifier for a declared key, an unknown key, another order of nodes, blanks.
    let declared = "<key id=\"enterFunction\" attr.name=\"enterFunction\"";
    assert!(text.contains(declared));
    let other = text
        .replace("<key id=\"function\" attr.name=\"function\"", "<key id=\"fn\" attr.name=\"function\"")
        .replace("<data key=\"function\">", "<data key=\"fn\">")
        .replace("<node id=\"N1\">", "<node id=\"N1\"><data key=\"frontier\">true</data>")
        .replace("><data", ">\n  <data")
        .replace("id=\"N0\"", "id=\"entry point\"")
        .replace("=\"N0\"", "=\"entry point\"");
    assert_eq!(Condition::read(other.as_bytes(), "c").unwrap(), expected);
    // A comment or character data that looks like the end of an edge, in the first of two equal edges.
    for disguise in ["<!-- </edge> -->", "<data key=\"note\"><![CDATA[</edge>]]></data>"] {
        let other = text.replacen("target=\"N1\">", &format!("target=\"N1\">{disguise}"), 1);
        assert_ne!(other, text);
        assert_eq!(Condition::read(other.as_bytes(), "c").unwrap(), expected);
    }
    let entry = text.lines().find(|line| line.starts_with("<node id=\"N0\"")).unwrap();
    let moved = text.replace(&format!("{entry}\n"), "").replace("</graph>\n", &format!("{entry}\n</graph>\n"));
    assert_eq!(Condition::read(moved.as_bytes(), "c").unwrap(), expected);
}

#[test]
fn what_is_no_condition_is_refused() {
    let text = graphml(&condition());
    let read = |text: &str| Condition::read(text.as_bytes(), "c.graphml").unwrap_err().to_string();
    for cut in [text.len() / 4, text.len() / 2, text.len() * 3 / 4, text.len() - 12] {
        let error = read(&text[..cut]);
        assert!(error.contains("the condition ends in the middle"), "{error}");
    }
    assert_eq!(read(""), "c.graphml: the file is empty, expected a condition");
    assert_eq!(read("{\"format\": 1}"), "c.graphml: expected a condition, found a JSON file");
    assert_eq!(read("<svg></svg>"), "c.graphml: expected a condition, found an XML file that is no GraphML");
    let witness = text.replace("<data key=\"condition-type\">difference</data>\n", "");
    assert_eq!(read(&witness), "c.graphml: expected a condition, found a violation witness");
    let newer = text.replace("format-version\">1</data>", "format-version\">7</data>");
    assert!(read(&newer).contains("version 7 of the condition format is newer than version 2"));
    let crossed = text.replacen("</node>", "</nodes>", 1);
    assert!(read(&crossed).contains("malformed condition"), "{}", read(&crossed));
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let text = graphml(&condition());
    for (from, to, part) in [
        ("target=\"N3\"", "target=\"N9\"", "node N9 does not exist"),
        (
            "<data key=\"specification\">CHECK( init(main()), LTL(G ! call(reach_error())) )</data>\n",
            "",
            "`specification` is missing",
        ),
        ("call(reach_error())", "call(f())", "unknown property"),
        ("<data key=\"entry-function\">main<", "<data key=\"entry-function\">f<", "starts at `main`"),
        ("64bit", "16bit", "neither 32bit nor 64bit"),
        ("<data key=\"programhash\">", "<data key=\"x\">", "`programhash` is missing"),
        ("<data key=\"entry\">true</data>", "", "0 nodes are marked as entry"),
        ("<node id=\"N3\">", "<node id=\"N1\">", "two nodes of this name"),
        ("<data key=\"edge-kind\">assign</data>", "", "`edge-kind` is missing"),
        ("<data key=\"startcolumn\">3</data>", "<data key=\"startcolumn\">three</data>", "`startcolumn` is not a number: three"),
        (
            "<data key=\"sink\">true</data></node>",
            "<data key=\"sink\">true</data></node><edge source=\"N1\" target=\"N1\"/>",
            "a sink cannot",
        ),
        ("condition-true", "maybe", "neither condition-true nor condition-false"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = Condition::read(text.replacen(from, to, 1).as_bytes(), "c.graphml").unwrap_err();
        assert!(error.to_string().contains(part), "{from} -> {to}: {error}");
        assert!(matches!(error, ArtifactError::Inconsistent { .. }), "{error:?}");
    }
}

prop_compose! {
    fn edge_info()(
        (line, column, height, width) in (0..50_u32, 0..20_u32, 0..3_u32, 0..9_u32),
        kind in 0..OperationKind::ALL.len(),
        branch in any::<Option<bool>>(),
        ordinal in 0..3_u32,
        (start_offset, length) in (0..10_000_u64, 0..50_u64),
        enters in proptest::option::of("[a-z_]{1,6}"),
        function in "[a-z_][a-z0-9_]{0,4}",
        text in "\\PC{0,12}|[<>&'\"\\s\u{1}\r\n]{0,6}",
    ) -> EdgeInfo {
        let key = EdgeKey {
            function, line, column, end_line: line + height, end_column: column + width, kind: OperationKind::ALL[kind], branch, ordinal,
        };
        EdgeInfo { key, start_offset, end_offset: start_offset + length, enters, text, leaves: None }
    }
}

prop_compose! {
    fn any_condition()(
        kinds in prop::collection::vec(prop_oneof![4 => Just(StateKind::Open), 1 => Just(StateKind::Accepting), 1 => Just(StateKind::Indicator)], 1..8),
        infos in prop::collection::vec(edge_info(), 1..6),
        raw in prop::collection::btree_map((0..8_u32, 0..6_u32), 0..8_u32, 0..16),
        is_32_bit in any::<bool>(),
        degraded in proptest::option::of(prop::collection::vec("\\PC{0,8}", 0..3)),
    ) -> Condition {
        let mut unique: Vec<EdgeInfo> = infos;
        unique.sort();
        unique.dedup_by(|a, b| a.key == b.key);
        let count = kinds.len() as u32;
        let edges: Vec<(u32, u32, u32)> = raw
            .into_iter()
            .map(|((from, edge), to)| (from, edge, to))
            .filter(|&(from, edge, to)| from < count && to < count && (edge as usize) < unique.len() && kinds[from as usize] == StateKind::Open)
            .collect();
        let infos: BTreeMap<u32, EdgeInfo> = (0..).zip(unique).collect();
        let mut provenance = provenance();
        provenance.options.data_model = if is_32_bit { DataModel::ILP32 } else { DataModel::LP64 };
        provenance.degraded = degraded;
        Condition::new(Producer::new("condgen", "0.1.0"), provenance, kinds, &edges, &infos).unwrap()
    }
}

proptest! {
    #[test]
    fn write_read_write(condition in any_condition()) {
        let text = graphml(&condition);
        let read = Condition::read(text.as_bytes(), "c").unwrap();
        prop_assert_eq!(graphml(&read), text);
        prop_assert_eq!(read.states(), condition.states());
        prop_assert!(read.edges().eq(condition.edges()));
        prop_assert_eq!(read.provenance(), condition.provenance());
        prop_assert!(read.cfa_edges().iter().map(|info| &info.key).eq(condition.cfa_edges().iter().map(|info| &info.key)));
    }
}
