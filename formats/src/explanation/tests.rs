//! What is written is read again, and what does not fit is refused.

use super::*;
use crate::difference_graph::tests::provenance;

fn place(program: ProgramSide, line: u32, text: &str) -> Place {
    Place {
        program,
        file: "a.c".to_owned(),
        function: Some("main".to_owned()),
        edge: Some(line),
        line,
        column: 3,
        end_line: line,
        end_column: 3 + u32::try_from(text.len()).unwrap(),
        physical_line: line,
        start_offset: line * 10,
        end_offset: line * 10 + u32::try_from(text.len()).unwrap(),
        text: text.to_owned(),
        lines: vec![format!("  {text}")],
    }
}

pub(crate) fn explanation() -> Explanation {
    let (old, new) = (place(ProgramSide::Original, 4, "x = 1;"), place(ProgramSide::Modified, 5, "x = 2;"));
    let x = Object { name: "x".to_owned(), function: Some("main".to_owned()) };
    let y = Object { name: "y".to_owned(), function: None };
    let link = |kind, object: Option<&Object>, from: Option<&Object>, place| Link {
        kind,
        object: object.cloned(),
        from: from.cloned(),
        place,
    };
    let chain = vec![
        link(LinkKind::Affects, Some(&x), None, new.clone()),
        link(LinkKind::Carries, Some(&y), Some(&x), place(ProgramSide::Modified, 7, "y = x + 1;")),
        link(LinkKind::Decides, None, Some(&y), place(ProgramSide::Modified, 8, "y > 1")),
    ];
    Explanation {
        provenance: provenance(),
        changes: vec![Change { kind: ChangeKind::Modified, original: Some(old), modified: Some(new) }],
        findings: vec![
            Finding {
                rule: "new-violation".to_owned(),
                message: "only the modified program violates the property here".to_owned(),
                indicators: vec![3],
                edges: vec![9],
                place: Some(place(ProgramSide::Modified, 9, "reach_error();")),
                original: Some(place(ProgramSide::Original, 7, "y > 1")),
                causes: vec![Cause { change: 0, chain }],
            },
            Finding {
                rule: "recursion".to_owned(),
                message: "f is called while it is active".to_owned(),
                indicators: vec![4, 5],
                edges: vec![12, 13],
                place: None,
                original: None,
                causes: Vec::new(),
            },
        ],
    }
}

fn bytes(explanation: &Explanation) -> Vec<u8> {
    let mut bytes = Vec::new();
    explanation.write(&mut bytes).unwrap();
    bytes
}

#[test]
fn round_trip() {
    let written = bytes(&explanation());
    assert_eq!(Explanation::read(&written, "e.json"), Ok(explanation()));
    insta::assert_snapshot!(String::from_utf8(written).unwrap());
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut dangling = explanation();
    dangling.findings[0].causes[0].change = 7;
    let error = Explanation::read(&bytes(&dangling), "e.json").unwrap_err();
    assert!(error.to_string().contains("change 7 does not exist"), "{error}");
    let mut nowhere = explanation();
    nowhere.changes[0].original = None;
    assert!(nowhere.check().is_ok());
    nowhere.changes[0].modified = None;
    assert!(nowhere.check().is_err());
    let whole = bytes(&explanation());
    assert!(matches!(Explanation::read(&whole[..whole.len() / 2], "e.json"), Err(ArtifactError::Truncated { .. })));
    assert!(matches!(Explanation::read(b"{\"format\":\"difference-graph\"}", "e.json"), Err(ArtifactError::OtherFormat { .. })));
    assert!(matches!(Explanation::read(b"", "e.json"), Err(ArtifactError::Empty { .. })));
    let text = String::from_utf8(whole).unwrap();
    let newer = text.replacen("\"version\":1", "\"version\":2", 1);
    assert!(matches!(Explanation::read(newer.as_bytes(), "e.json"), Err(ArtifactError::NewerVersion { .. })));
}

#[test]
fn what_is_written_follows_the_schema() {
    let schema: serde_json::Value = serde_json::from_str(include_str!("../../schemas/explanation.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut instance: serde_json::Value = serde_json::from_slice(&bytes(&explanation())).unwrap();
    let errors: Vec<String> = validator.iter_errors(&instance).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    instance["findings"][0]["causes"][0]["chain"][0]["kind"] = "guessed".into();
    assert!(!validator.is_valid(&instance));
}
