//! The writers against the rules and the reader, and one broken witness per rule.

use super::*;
use crate::ArtifactError;
use crate::witness::{
    Action, CorrectnessWitness, DataModel, Format, Invariant, InvariantKind, Metadata, Place, Reading, Step, ViolationWitness,
    Witness,
};

fn metadata() -> Metadata {
    Metadata {
        producer: "verify".to_owned(),
        producer_version: "0.1.0".to_owned(),
        description: None,
        program: "a.c".to_owned(),
        program_hash: "0123456789abcdef".repeat(4),
        specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )".to_owned(),
        data_model: Some(DataModel::ILP32),
        creation_time: Some("1970-01-01T00:00:00Z".to_owned()),
    }
}

fn place(line: u32) -> Place {
    Place { line, end_line: Some(line), start_offset: Some(10), end_offset: Some(16), ..Place::default() }
}

fn violation() -> ViolationWitness {
    let steps = vec![
        Step {
            place: place(3),
            assumption: Some("\\result == -1".to_owned()),
            scope: Some("main".to_owned()),
            result_function: Some("__VERIFIER_nondet_int".to_owned()),
            text: "x = __VERIFIER_nondet_int();".to_owned(),
            ..Step::default()
        },
        Step { place: place(4), branch: Some(true), text: "[x < 5 && y]".to_owned(), ..Step::default() },
        Step {
            place: place(5),
            enters: Some("reach_error".to_owned()),
            text: "reach_error();".to_owned(),
            is_violation: true,
            ..Step::default()
        },
    ];
    ViolationWitness { metadata: metadata(), steps }
}

fn correctness() -> CorrectnessWitness {
    let invariant = |line, scope: &str, expression: &str| Invariant {
        place: Place { function: Some(scope.to_owned()), ..place(line) },
        kind: InvariantKind::Loop,
        expression: expression.to_owned(),
    };
    let invariants = vec![invariant(3, "main", "x < 5"), invariant(9, "f", "1 <= y && y < 7"), invariant(11, "main", "x < 5")];
    CorrectnessWitness { metadata: metadata(), invariants }
}

fn text(witness: &ViolationWitness) -> String {
    let mut bytes = Vec::new();
    witness.write_graphml(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn correctness_text(witness: &CorrectnessWitness) -> String {
    let mut bytes = Vec::new();
    witness.write_graphml(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_short_path() {
    let text = text(&violation());
    insta::assert_snapshot!(text.split_once("<graph edge").unwrap().1);
    assert_eq!(findings(&text, "w.graphml"), Ok(Vec::new()));
    let Ok(Witness::Violation(read)) = Witness::read(text.as_bytes(), "w.graphml") else { panic!("not read") };
    assert_eq!(read, violation());
    let inputs: Vec<_> = read.inputs().map(|input| (input.function, input.place.line, input.value)).collect();
    assert_eq!(inputs, [(Some("__VERIFIER_nondet_int"), 3, "-1")]);
}

#[test]
fn invariants_of_loops() {
    let text = correctness_text(&correctness());
    insta::assert_snapshot!(text.split_once("<graph edge").unwrap().1);
    assert_eq!(findings(&text, "w.graphml"), Ok(Vec::new()));
    let Ok(Witness::Correctness(mut read)) = Witness::read(text.as_bytes(), "w.graphml") else { panic!("not read") };
    read.invariants.sort_by_key(|invariant| invariant.place.line);
    assert_eq!(read, correctness());
}

#[test]
fn a_line_with_two_claims_names_neither() {
    let mut witness = correctness();
    witness.invariants[1].place.line = 3;
    let text = correctness_text(&witness);
    assert!(!text.contains("1 &lt;= y") && text.contains("<data key=\"startline\">11</data>"), "{text}");
    assert!(!text.contains("<data key=\"startline\">3</data>"), "{text}");
}

#[test]
fn a_step_to_avoid_is_not_on_the_path() {
    let mut witness = violation();
    witness.steps[1].action = Action::Avoid;
    assert!(!text(&witness).contains("condition-true"));
}

/// Each rule: what to replace in a good witness, by what, and what the reader says; empty if it only deviates.
const BROKEN: &[(&str, &str, &str)] = &[
    ("<node id=\"N1\">", "<node>", "a node without `id`"),
    ("<node id=\"N1\">", "<node id=\"N0\">", "there is more than one node N0"),
    ("<node id=\"N1\">", "<node id=\"N1\"><data key=\"entry\">true</data>", "node N1 is another entry"),
    ("<data key=\"entry\">true</data>", "", "there is no entry node"),
    ("<data key=\"violation\">true</data>", "<data key=\"violation\">yes</data>", "`violation` is yes, expected true or false"),
    ("<data key=\"violation\">true</data>", "", "no path leads from the entry to a violation"),
    ("<node id=\"N1\">", "<node id=\"N1\"><data key=\"sink\">maybe</data>", "`sink` is maybe"),
    ("<node id=\"N1\">", "<node id=\"N1\"><data key=\"sink\">true</data>", "an edge leaves the sink N1"),
    (
        "<node id=\"N1\">",
        "<node id=\"N1\"><data key=\"invariant\">x</data>",
        "`invariant` does not belong to a violation witness",
    ),
    ("source=\"N1\" ", "", "an edge without `source`"),
    ("target=\"N2\"", "", "an edge without `target`"),
    ("target=\"N2\"", "target=\"N7\"", "node N7 does not exist"),
    (">condition-true<", ">maybe<", "`control` is maybe, expected condition-true or condition-false"),
    ("<data key=\"startline\">4<", "<data key=\"startline\">four<", "`startline` is no number: four"),
    ("<data key=\"startline\">4<", "<data>4<", "a data element without `key`"),
    (">violation_witness<", ">correctness_witness<", "does not belong to a correctness witness"),
    (">violation_witness<", ">path_witness<", "`witness-type` is path_witness"),
    ("<data key=\"witness-type\">violation_witness</data>", "", "`witness-type` is missing"),
    (">32bit<", ">13bit<", "`architecture` is 13bit, expected 32bit or 64bit"),
    (">C<", ">Java<", "`sourcecodelang` is Java, expected C"),
    ("<default>false</default>", "<default>true</default>", "the default of `entry` is not false"),
    ("</graph>", "</graph><graph edgedefault=\"directed\"/>", "there is more than one graph"),
    ("<data key=\"specification\">CHECK( init(main()), LTL(G ! call(reach_error())) )</data>", "", "`specification` is missing"),
    ("CHECK( init(main()), LTL(G ! call(reach_error())) )", " ", "the specification is empty"),
    (">1.0<", ">2.0<", "found version 2.0 of the format in GraphML"),
    ("<graphml ", "<svg ", "expected 'svg' tag"),
    // What only deviates.
    ("<data key=\"creationtime\">1970-01-01T00:00:00Z</data>", "", ""),
    (">1970-01-01T00:00:00Z<", ">1970-01-01T00:00:00<", ""),
    ("<data key=\"architecture\">32bit</data>", "", ""),
    ("<data key=\"producer\">verify 0.1.0</data>", "", ""),
    ("0123456789abcdef", "", ""),
    ("<key id=\"startline\" attr.name=\"startline\" attr.type=\"int\" for=\"edge\"/>", "", ""),
    ("for=\"edge\"/>", "for=\"node\"/>", ""),
    ("<data key=\"startline\">4<", "<data key=\"starline\">4<", ""),
    ("edgedefault=\"directed\"", "", ""),
    (" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"", "", ""),
    ("<data key=\"assumption.resultfunction\">__VERIFIER_nondet_int</data>", "", ""),
    ("</edge>\n</graph>", "</edge><edge source=\"N0\" target=\"N0\"/>\n</graph>", ""),
    ("[x &lt; 5 &amp;&amp; y]", "", ""),
    ("<node id=\"N1\">", "<node id=\"N1\" label=\"x\">", ""),
    ("<data key=\"startline\">4<", "<data key=\"startline\">0<", ""),
    ("<data key=\"endline\">4<", "<data key=\"endline\">3<", ""),
    ("<data key=\"endoffset\">16<", "<data key=\"endoffset\">9<", ""),
];

#[test]
fn every_rule_is_kept() {
    let good = text(&violation());
    for (from, to, message) in BROKEN {
        assert!(good.contains(from), "{from}");
        let broken = good.replacen(from, to, 1);
        match (Witness::read(broken.as_bytes(), "w.graphml"), message.is_empty()) {
            (Ok(_), true) => {
                let found = findings(&broken, "w.graphml").unwrap();
                assert!(
                    !found.is_empty() && found.iter().all(|finding| finding.severity == Severity::Deviation),
                    "{to}: {found:?}"
                );
                assert!(found.iter().all(|finding| finding.line > 0), "{to}: {found:?}");
            }
            (Err(error), false) => assert!(error.to_string().contains(message), "{to}: {error}"),
            (other, _) => panic!("{from} -> {to}: {other:?}"),
        }
    }
}

/// Every edge names a place, the ones that are not on the path too; deviations and places tell their lines.
#[test]
fn what_a_file_says_beside_the_witness() {
    let good = text(&violation()).replacen(
        "</graph>",
        "<edge source=\"N0\" target=\"N1\"><data key=\"startline\">7</data></edge>\n</graph>",
        1,
    );
    let good = good.replacen("1970-01-01T00:00:00Z", "yesterday", 1);
    let reading = Reading::read(good.as_bytes(), "w.graphml").unwrap();
    assert_eq!(
        (reading.format, reading.version.as_str(), &reading.witness),
        (
            Format::Graphml,
            "1.0",
            &Witness::Violation(ViolationWitness {
                metadata: Metadata { creation_time: Some("yesterday".to_owned()), ..metadata() },
                ..violation()
            })
        )
    );
    let lines: Vec<&str> = good.lines().collect();
    let line = |number: u32| lines[number as usize - 1];
    assert_eq!(reading.mentions.iter().map(|mention| mention.place.line).collect::<Vec<_>>(), [3, 4, 5, 7]);
    for mention in &reading.mentions {
        assert!(line(mention.line).contains(&format!("<data key=\"startline\">{}<", mention.place.line)), "{mention:?}");
    }
    let [deviation] = reading.deviations.as_slice() else { panic!("{:?}", reading.deviations) };
    assert!(line(deviation.line).contains("yesterday"), "{deviation:?}");
}

#[test]
fn what_is_no_witness() {
    let good = text(&violation());
    for cut in [200, good.len() / 2, good.len() - 5] {
        let error = Witness::read(&good.as_bytes()[..cut], "w.graphml").unwrap_err();
        assert!(matches!(error, ArtifactError::Truncated { .. }), "{cut}: {error}");
    }
    let condition =
        good.replacen("<data key=\"producer\">", "<data key=\"condition-type\">difference</data><data key=\"producer\">", 1);
    for (other, message) in [
        ("", "the file is empty"),
        ("int main(void) { return 0; }", "found another file"),
        ("<svg/>", "an XML file that is no GraphML"),
        ("{\"a\": 1}", "a JSON file"),
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><graphml/>", "DTD"),
        (condition.replacen("<graph ", "<key id=\"condition-type\" for=\"graph\"/><graph ", 1).as_str(), "found a condition"),
    ] {
        let error = Witness::read(other.as_bytes(), "w.graphml").unwrap_err();
        assert!(error.to_string().contains(message), "{other}: {error}");
    }
}

#[test]
fn deep_nesting_is_refused() {
    let nested = format!("<graphml>{}", "<a>".repeat(200_000));
    assert!(Witness::read(nested.as_bytes(), "w.graphml").is_err());
    let closed = format!("<graphml>{}{}</graphml>", "<a>".repeat(200_000), "</a>".repeat(200_000));
    assert!(Witness::read(closed.as_bytes(), "w.graphml").is_err());
}

#[test]
fn keys_under_other_names() {
    let other = text(&violation())
        .replace("key=\"entry\"", "key=\"d0\"")
        .replace("id=\"entry\"", "id=\"d0\"")
        .replace("\"startline\"", "\"d1\"")
        .replacen("attr.name=\"d1\"", "attr.name=\"startline\"", 1);
    assert_eq!(Witness::read(other.as_bytes(), "w.graphml"), Ok(Witness::Violation(violation())));
}

#[test]
fn the_shortest_path_without_sinks() {
    let mut good = text(&violation());
    good = good.replacen(
        "</graph>",
        "<node id=\"S\"><data key=\"sink\">true</data></node><edge source=\"N0\" target=\"S\"/></graph>",
        1,
    );
    assert_eq!(Witness::read(good.as_bytes(), "w.graphml"), Ok(Witness::Violation(violation())));
    let shortcut =
        good.replacen("</graph>", "<edge source=\"N0\" target=\"N3\"><data key=\"startline\">7</data></edge></graph>", 1);
    let Ok(Witness::Violation(read)) = Witness::read(shortcut.as_bytes(), "w.graphml") else { panic!("not read") };
    assert_eq!(read.steps.len(), 1);
}
