//! The reader of witnesses in YAML.

use super::VERSIONS;
use super::wire::{self, Entry, Location, Preamble, SequenceElement, SetElement};
use crate::artifact::Inconsistency;
use crate::witness::{
    Action, CorrectnessWitness, FORMAT, Invariant, InvariantKind, Metadata, Place, Step, ViolationWitness, Witness,
};
use crate::{ArtifactError, DataModel};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a witness; `file` is its name in messages.
///
/// # Errors
/// As [`Witness::read`].
pub(in crate::witness) fn read(text: &str, file: &str) -> Result<Witness, ArtifactError> {
    let entries: Vec<Value> = serde_saphyr::from_str(text).map_err(|error| yaml_error(&error, text, file))?;
    let mut violations = Vec::new();
    let mut correctness: Option<CorrectnessWitness> = None;
    for (entry, number) in entries.into_iter().zip(1..) {
        let place = format!("entry {number}");
        let preamble: Preamble = typed(&entry, &place).map_err(|error| error.in_file(file, FORMAT))?;
        check_version(&preamble, file)?;
        match preamble.entry_type.as_str() {
            "violation_sequence" => {
                violations.push(violation(&entry, &place).map_err(|error| error.in_file(file, FORMAT))?);
            }
            "invariant_set" => {
                let witness = invariant_set(&entry, &place).map_err(|error| error.in_file(file, FORMAT))?;
                match &mut correctness {
                    Some(all) => all.invariants.extend(witness.invariants),
                    None => correctness = Some(witness),
                }
            }
            // Every consumer takes the types that it knows.
            _ => {}
        }
    }
    let inconsistent = |message: &str| Inconsistency::new("entries", message).in_file(file, FORMAT);
    match (violations.len(), correctness) {
        (0, Some(witness)) => Ok(Witness::Correctness(witness)),
        (1, None) => violations.pop().map(Witness::Violation).ok_or_else(|| inconsistent("no entry")),
        (0, None) => Err(inconsistent("neither a violation_sequence nor an invariant_set")),
        (_, None) => Err(inconsistent("more than one violation_sequence")),
        (_, Some(_)) => Err(inconsistent("both a violation_sequence and an invariant_set")),
    }
}

fn check_version(preamble: &Preamble, file: &str) -> Result<(), ArtifactError> {
    let version = wire::text_of(&preamble.metadata.format_version).unwrap_or_default();
    if VERSIONS.contains(&version.as_str()) {
        return Ok(());
    }
    let found = format!("a {} of format version {version} (read are {})", preamble.entry_type, VERSIONS.join(" and "));
    Err(ArtifactError::OtherFormat { file: file.to_owned(), expected: FORMAT.to_owned(), found })
}

fn typed<T: DeserializeOwned>(entry: &Value, place: &str) -> Result<T, Inconsistency> {
    T::deserialize(entry).map_err(|error| Inconsistency::new(place, error.to_string()))
}

fn violation(entry: &Value, place: &str) -> Result<ViolationWitness, Inconsistency> {
    let entry: Entry<SequenceElement> = typed(entry, place)?;
    let metadata = metadata(entry.metadata, place)?;
    let mut steps = Vec::new();
    let last = entry.content.len();
    for (element, number) in entry.content.into_iter().zip(1..) {
        let place = format!("{place}, segment {number}");
        let count = element.segment.len();
        let mut is_closed = false;
        for (waypoint, index) in element.segment.into_iter().map(|element| element.waypoint).zip(1..) {
            let step = step(waypoint, &place)?;
            is_closed = step.action == Action::Follow;
            if is_closed != (index == count) {
                return Err(Inconsistency::new(place, "a segment has one waypoint to follow, the last"));
            }
            if step.is_violation != (number == last && index == count) {
                return Err(Inconsistency::new(place, "the target is the last waypoint of the last segment, and no other"));
            }
            steps.push(step);
        }
        if !is_closed {
            return Err(Inconsistency::new(place, "the segment is empty"));
        }
    }
    if steps.is_empty() {
        return Err(Inconsistency::new(place, "the violation sequence is empty"));
    }
    Ok(ViolationWitness { metadata, steps })
}

fn step(waypoint: wire::Waypoint, place: &str) -> Result<Step, Inconsistency> {
    let wrong = |message: String| Inconsistency::new(place, message);
    let action = match waypoint.action.as_str() {
        "follow" => Action::Follow,
        "avoid" => Action::Avoid,
        other => return Err(wrong(format!("waypoint action `{other}` is neither follow nor avoid"))),
    };
    let constraint = waypoint.constraint.map(|constraint| constraint.value.trim().to_owned());
    let needed = || constraint.clone().ok_or_else(|| wrong(format!("a {} without a constraint", waypoint.kind)));
    let mut step = Step { place: self::place(&waypoint.location, place)?, action, ..Step::default() };
    let function = waypoint.location.function;
    match waypoint.kind.as_str() {
        "assumption" => {
            step.assumption = Some(needed()?);
            step.scope = function;
        }
        "function_return" => step.assumption = Some(needed()?),
        "branching" => {
            // A switch goes to the label of a value; no step tells that.
            step.branch = match needed()?.as_str() {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            };
        }
        "function_enter" => {}
        "target" => step.is_violation = true,
        other => return Err(wrong(format!("unknown type of waypoint `{other}`"))),
    }
    Ok(step)
}

fn place(location: &Location, place: &str) -> Result<Place, Inconsistency> {
    if location.line == 0 || location.column == Some(0) {
        return Err(Inconsistency::new(place, "lines and columns count from 1"));
    }
    Ok(Place {
        file: Some(location.file_name.clone()),
        function: location.function.clone(),
        line: location.line,
        column: location.column,
        ..Place::default()
    })
}

fn invariant_set(entry: &Value, place: &str) -> Result<CorrectnessWitness, Inconsistency> {
    let entry: Entry<SetElement> = typed(entry, place)?;
    let metadata = metadata(entry.metadata, place)?;
    let mut invariants = Vec::new();
    for (element, number) in entry.content.into_iter().zip(1..) {
        let place = format!("{place}, element {number}");
        let invariant = match element {
            SetElement::Invariant(invariant) => invariant,
            SetElement::Other(other) if other.get("invariant").is_some() => {
                let invariant = other.get("invariant").unwrap_or(&other);
                typed(invariant, &place)?
            }
            SetElement::Other(_) => continue,
        };
        let kind = match invariant.kind.as_str() {
            "loop_invariant" => InvariantKind::Loop,
            "location_invariant" => InvariantKind::Location,
            "loop_transition_invariant" | "location_transition_invariant" => continue,
            other => return Err(Inconsistency::new(place, format!("unknown type of invariant `{other}`"))),
        };
        if invariant.format.as_deref().is_some_and(|format| format != "c_expression") {
            return Err(Inconsistency::new(place, "the format of an invariant is c_expression"));
        }
        if invariant.value.trim().is_empty() {
            return Err(Inconsistency::new(place, "an invariant without a value"));
        }
        invariants.push(Invariant { place: self::place(&invariant.location, &place)?, kind, expression: invariant.value });
    }
    Ok(CorrectnessWitness { metadata, invariants })
}

fn metadata(metadata: wire::Metadata, place: &str) -> Result<Metadata, Inconsistency> {
    let task = metadata.task;
    let wrong = |message: &str| Inconsistency::new(format!("{place}, metadata"), message);
    if task.language != "C" {
        return Err(wrong("the language is not C"));
    }
    let [program] = task.input_files.as_slice() else { return Err(wrong("expected one input file")) };
    let hash = task.input_file_hashes.get(program).ok_or_else(|| wrong("the input file has no hash"))?;
    let data_model = task.data_model.parse().ok().or_else(|| DataModel::from_architecture(&task.data_model));
    if data_model.is_none() {
        return Err(wrong("the data model is neither ILP32 nor LP64"));
    }
    Ok(Metadata {
        producer: metadata.producer.name,
        producer_version: metadata.producer.version,
        description: metadata.producer.description,
        program: program.clone(),
        program_hash: hash.clone(),
        specification: task.specification,
        data_model,
        creation_time: Some(metadata.creation_time),
    })
}

fn yaml_error(error: &serde_saphyr::Error, text: &str, file: &str) -> ArtifactError {
    let (file, expected) = (file.to_owned(), FORMAT.to_owned());
    let location = error.location();
    let (line, column) = location.map_or((1, 1), |place| (place.line() as usize, place.column() as usize));
    let message = error.without_snippet().to_string();
    let message = message.lines().next().unwrap_or("not YAML").to_owned();
    if line >= text.lines().count() && !text.ends_with('\n') {
        return ArtifactError::Truncated { file, expected, line, column };
    }
    ArtifactError::Malformed { file, expected, line, column, message }
}
