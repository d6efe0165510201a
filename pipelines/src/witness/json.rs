//! A witness for programs: one JSON object, formats/docs/witness.md.

use formats::DataModel;
use formats::witness::{Action, InvariantKind, Place, Step, Witness};
use miette::IntoDiagnostic;
use serde::Serialize;

use super::Checked;

#[derive(Serialize)]
struct Summary<'a> {
    format: &'static str,
    version: u32,
    file: &'a str,
    kind: &'static str,
    written_in: WrittenIn<'a>,
    producer: Producer<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    specification: &'a str,
    data_model: Option<DataModel>,
    program: Program<'a>,
    creation_time: Option<&'a str>,
    compared: Option<Compared<'a>>,
    deviations: Vec<Deviation<'a>>,
    #[serde(flatten)]
    content: Content<'a>,
}

#[derive(Serialize)]
struct WrittenIn<'a> {
    format: &'static str,
    version: &'a str,
}

#[derive(Serialize)]
struct Producer<'a> {
    name: &'a str,
    version: &'a str,
}

#[derive(Serialize)]
struct Program<'a> {
    path: &'a str,
    hash: &'a str,
}

/// The program that was given; its hash agrees, or the witness names none.
#[derive(Serialize)]
struct Compared<'a> {
    file: &'a str,
    hash: Option<&'static str>,
    places: usize,
    places_elsewhere: usize,
}

#[derive(Serialize)]
struct Deviation<'a> {
    line: u32,
    message: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Content<'a> {
    Steps(Vec<JsonStep<'a>>),
    Invariants(Vec<JsonInvariant<'a>>),
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
struct JsonStep<'a> {
    #[serde(flatten)]
    place: JsonPlace<'a>,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    enters: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    enters_callee: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    returns_from: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assumption: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_function: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    text: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_violation: bool,
}

#[derive(Serialize)]
struct JsonInvariant<'a> {
    #[serde(flatten)]
    place: JsonPlace<'a>,
    kind: &'static str,
    expression: &'a str,
}

/// Lines and columns from 1, offsets from 0; what is not told is left out.
#[derive(Serialize)]
struct JsonPlace<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_offset: Option<u64>,
}

pub(super) fn json(checked: &Checked) -> miette::Result<String> {
    let reading = &checked.reading;
    let metadata = reading.witness.metadata();
    let (kind, content) = match &reading.witness {
        Witness::Violation(witness) => ("violation", Content::Steps(witness.steps.iter().map(step).collect())),
        Witness::Correctness(witness) => {
            let invariants = witness.invariants.iter().map(|invariant| JsonInvariant {
                place: place(&invariant.place),
                kind: match invariant.kind {
                    InvariantKind::Loop => "loop_invariant",
                    InvariantKind::Location => "location_invariant",
                },
                expression: &invariant.expression,
            });
            ("correctness", Content::Invariants(invariants.collect()))
        }
    };
    let summary = Summary {
        format: "witness-summary",
        version: 1,
        file: &checked.file,
        kind,
        written_in: WrittenIn { format: reading.format.name(), version: &reading.version },
        producer: Producer { name: &metadata.producer, version: &metadata.producer_version },
        description: metadata.description.as_deref(),
        specification: &metadata.specification,
        data_model: metadata.data_model,
        program: Program { path: &metadata.program, hash: &metadata.program_hash },
        creation_time: metadata.creation_time.as_deref(),
        compared: checked.program.as_ref().map(|program| Compared {
            file: &program.file,
            hash: program.algorithm,
            places: program.places,
            places_elsewhere: program.elsewhere,
        }),
        deviations: checked
            .deviations
            .iter()
            .map(|finding| Deviation { line: finding.line, message: &finding.message })
            .collect(),
        content,
    };
    Ok(serde_json::to_string(&summary).into_diagnostic()? + "\n")
}

fn step(step: &Step) -> JsonStep<'_> {
    JsonStep {
        place: place(&step.place),
        action: match step.action {
            Action::Follow => "follow",
            Action::Avoid => "avoid",
        },
        branch: step.branch,
        label: step.label.as_deref(),
        enters: step.enters.as_deref(),
        enters_callee: step.enters_callee,
        returns_from: step.returns_from.as_deref(),
        assumption: step.assumption.as_deref(),
        scope: step.scope.as_deref(),
        result_function: step.result_function.as_deref(),
        text: &step.text,
        is_violation: step.is_violation,
    }
}

fn place(place: &Place) -> JsonPlace<'_> {
    JsonPlace {
        file: place.file.as_deref(),
        function: place.function.as_deref(),
        line: (place.line > 0).then_some(place.line),
        column: place.column,
        end_line: place.end_line,
        start_offset: place.start_offset,
        end_offset: place.end_offset,
    }
}
