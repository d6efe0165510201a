//! The writers against the reader, and what the reader refuses.

use super::*;
use crate::witness::{CorrectnessWitness, Format, Invariant, InvariantKind, Reading, Witness};
use crate::{ArtifactError, DataModel};

fn metadata() -> Metadata {
    Metadata {
        producer: "verify".to_owned(),
        producer_version: "0.1.0".to_owned(),
        description: None,
        program: "a.c".to_owned(),
        program_hash: "0123456789abcdef".repeat(4),
        specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )".to_owned(),
        data_model: Some(DataModel::LP64),
        creation_time: Some("1970-01-01T00:00:00Z".to_owned()),
    }
}

fn place(line: u32, column: u32) -> Place {
    Place { file: Some("a.c".to_owned()), function: Some("main".to_owned()), line, column: Some(column), ..Place::default() }
}

fn sequence() -> ViolationSequence {
    let waypoint = |line, column, kind| Waypoint { kind, place: place(line, column) };
    let waypoints = vec![
        waypoint(3, 32, WaypointKind::FunctionReturn("-1".to_owned())),
        waypoint(4, 3, WaypointKind::Branching(true)),
        waypoint(5, 5, WaypointKind::Assumption("x < 5 && y != 'a'".to_owned())),
        waypoint(5, 9, WaypointKind::FunctionEnter),
        waypoint(6, 5, WaypointKind::Target),
    ];
    ViolationSequence { metadata: metadata(), waypoints }
}

fn correctness() -> CorrectnessWitness {
    let invariant = |line, kind, expression: &str| Invariant { place: place(line, 3), kind, expression: expression.to_owned() };
    let invariants = vec![
        invariant(3, InvariantKind::Loop, "x < 5 || *p == 1"),
        invariant(9, InvariantKind::Location, "!(y > 7) && z == '\\n'"),
    ];
    CorrectnessWitness { metadata: Metadata { description: Some("for people".to_owned()), ..metadata() }, invariants }
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Whether a witness satisfies the schema.
fn satisfies_schema(text: &str) -> bool {
    let schema = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let value: serde_json::Value = serde_saphyr::from_str(text).unwrap();
    validator.is_valid(&value)
}

#[test]
fn a_violation_sequence() {
    let text = text(|out| sequence().write(out));
    assert!(satisfies_schema(&text));
    insta::assert_snapshot!(text);
    let Ok(Witness::Violation(read)) = Witness::read(text.as_bytes(), "w.yml") else { panic!("not read") };
    assert_eq!(read.metadata, metadata());
    assert_eq!(read.steps.len(), 5);
    assert_eq!(read.steps[1].branch, Some(true));
    assert_eq!(read.steps[2].assumption.as_deref(), Some("x < 5 && y != 'a'"));
    assert!(read.steps[4].is_violation && !read.steps[3].is_violation);
    let inputs: Vec<_> = read.inputs().map(|input| (input.function, input.place.clone(), input.value)).collect();
    assert_eq!(inputs, [(None, place(3, 32), "-1")]);
}

#[test]
fn an_invariant_set() {
    let text = text(|out| correctness().write_yaml(out));
    assert!(satisfies_schema(&text));
    insta::assert_snapshot!(text);
    assert_eq!(Witness::read(text.as_bytes(), "w.yml"), Ok(Witness::Correctness(correctness())));
    let nothing = CorrectnessWitness { invariants: Vec::new(), ..correctness() };
    let empty = self::text(|out| nothing.write_yaml(out));
    assert!(satisfies_schema(&empty));
    assert_eq!(Witness::read(empty.as_bytes(), "w.yml"), Ok(Witness::Correctness(nothing)));
}

#[test]
fn what_the_schema_refuses() {
    let good = text(|out| sequence().write(out));
    for (from, to) in [
        ("\"2.0\"", "\"2.5\""),
        ("action: follow", "action: avoid"),
        ("type: target", "type: end"),
        ("\\result == -1", "x == -1"),
        ("\"true\"", "\"yes\""),
        ("line: 3", "line: 0"),
        ("    uuid: ", "    uid: "),
        ("language: C", "language: Java"),
        ("format: acsl_expression", "format: c_expression"),
    ] {
        assert!(good.contains(from), "{from}");
        assert!(!satisfies_schema(&good.replacen(from, to, 1)), "{from} -> {to}");
    }
}

#[test]
fn identifiers_name_the_content() {
    let uuid = |text: String| text.lines().find(|line| line.contains("uuid")).unwrap().to_owned();
    let first = uuid(text(|out| sequence().write(out)));
    assert_eq!(first, uuid(text(|out| sequence().write(out))));
    let mut other = sequence();
    other.waypoints[0].place.line = 2;
    assert_ne!(first, uuid(text(|out| other.write(out))));
}

/// What other tools write: a version without quotes, no columns, truth values without quotes, and what has to be skipped.
#[test]
fn other_styles() {
    let good = text(|out| sequence().write(out));
    let bare = good.replace("\"2.0\"", "2.1").replace("'2.0'", "2.1").replace("    - \"true\"", "true");
    let without_columns: String =
        bare.lines().filter(|line| !line.trim().starts_with("column:")).map(|line| format!("{line}\n")).collect();
    let Ok(Witness::Violation(read)) = Witness::read(without_columns.as_bytes(), "w.yml") else { panic!("{without_columns}") };
    assert_eq!((read.steps.len(), read.steps[0].place.column), (5, None));
    let both = format!("{good}- entry_type: something_new\n  metadata: {{format_version: \"2.0\"}}\n");
    assert!(Witness::read(both.as_bytes(), "w.yml").is_ok());
    let switched = good.replacen("\"true\"", "default", 1);
    let Ok(Witness::Violation(read)) = Witness::read(switched.as_bytes(), "w.yml") else { panic!("{switched}") };
    assert_eq!(
        (read.steps[1].branch, read.steps[1].label.as_deref(), read.steps[3].enters_callee),
        (None, Some("default"), true)
    );
    let avoided = good.replacen("  - segment:\n", "  - segment:\n    - waypoint: {type: branching, action: avoid, constraint: {value: false}, location: {file_name: a.c, line: 2}}\n", 1);
    match Witness::read(avoided.as_bytes(), "w.yml") {
        Ok(Witness::Violation(read)) => assert_eq!(read.steps[0].action, crate::witness::Action::Avoid),
        other => panic!("{other:?}\n{avoided}"),
    }
}

#[test]
fn places_and_faults_tell_their_lines() {
    let good = text(|out| sequence().write(out));
    let reading = Reading::read(good.as_bytes(), "w.yml").unwrap();
    assert_eq!((reading.format, reading.version.as_str()), (Format::Yaml, "2.0"));
    let lines: Vec<&str> = good.lines().collect();
    assert_eq!(reading.mentions.len(), 5);
    for mention in &reading.mentions {
        let waypoint = &lines[mention.line as usize - 1..];
        assert!(waypoint[0].contains("type:"), "{mention:?}");
        let named = waypoint.iter().find_map(|line| line.trim().strip_prefix("line: ")).unwrap();
        assert_eq!(named, mention.place.line.to_string());
    }
    for (from, to) in
        [("type: target", "type: end"), ("column: 9", "column: 0"), ("language: C", "language: D"), ("segment:", "s:")]
    {
        let broken = good.replacen(from, to, 1);
        let error = Witness::read(broken.as_bytes(), "w.yml").unwrap_err();
        assert!(matches!(error, ArtifactError::Malformed { line, .. } if line > 1), "{to}: {error}");
    }
}

#[test]
fn what_the_reader_refuses() {
    let good = text(|out| sequence().write(out));
    let hash = "0123456789abcdef".repeat(4);
    for (from, to, message) in [
        ("2.0", "3.0", "found a violation_sequence of format version 3.0 (read are 2.0 and 2.1)"),
        ("2.0", "0.1", "format version 0.1"),
        ("violation_sequence", "loop_invariant", "neither a violation_sequence nor an invariant_set"),
        ("type: target", "type: function_enter", "the target is the last waypoint of the last segment"),
        ("type: function_enter", "type: target", "the target is the last waypoint of the last segment"),
        ("type: function_enter", "type: teleport", "unknown type of waypoint `teleport`"),
        ("action: follow", "action: avoid", "a segment has one waypoint to follow, the last"),
        ("action: follow", "action: maybe", "waypoint action `maybe`"),
        (
            "specification: CHECK( init(main()), LTL(G ! call(reach_error())) )",
            "specification: \"\"",
            "the specification is empty",
        ),
        ("\"true\"", "\"yes\"", "not to `yes`"),
        ("line: 3", "line: 0", "lines and columns count from 1"),
        ("line: 3", "line: three", "invalid type"),
        ("data_model: LP64", "data_model: LP65", "neither ILP32 nor LP64"),
        ("language: C", "language: Java", "the language is not C"),
        (hash.as_str(), "00", ""),
        ("creation_time", "time_of_creation", "missing field `creation_time`"),
        ("segment:", "seqment:", "missing field `segment`"),
        ("entry_type", "  entry_type", ""),
    ] {
        assert!(good.contains(from), "{from}");
        let broken = good.replacen(from, to, 1);
        match Witness::read(broken.as_bytes(), "w.yml") {
            Err(error) => assert!(error.to_string().contains(message), "{from} -> {to}: {error}"),
            Ok(_) => assert_eq!(message, "", "{from} -> {to}"),
        }
    }
    for cut in [good.len() / 3, good.len() - 30] {
        assert!(Witness::read(&good.as_bytes()[..cut], "w.yml").is_err(), "{cut}");
    }
    let twice = format!("{good}{good}");
    assert!(Witness::read(twice.as_bytes(), "w.yml").unwrap_err().to_string().contains("more than one violation_sequence"));
    let both = format!("{good}{}", text(|out| correctness().write_yaml(out)));
    assert!(
        Witness::read(both.as_bytes(), "w.yml")
            .unwrap_err()
            .to_string()
            .contains("both a violation_sequence and an invariant_set")
    );
    // Nothing that a small file can make huge.
    let nested = format!("- {}", "[".repeat(100_000));
    let mut laughs = "- &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        laughs.push_str(&format!("- &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(", ")));
    }
    for huge in [nested, laughs] {
        assert!(Witness::read(huge.as_bytes(), "w.yml").is_err());
    }
    for other in ["- a\n- b\n", "[1, 2", "- {", "# nothing\n", "- &a [*a]\n"] {
        assert!(Witness::read(other.as_bytes(), "w.yml").is_err(), "{other}");
    }
}
