//! The reader of witnesses in YAML.

use super::wire::{self, Entry, Location, Preamble, SequenceElement, SetElement};
use super::{Positions, VERSIONS};
use crate::witness::{
    Action, CorrectnessWitness, FORMAT, Format, Invariant, InvariantKind, Mention, Metadata, Place, Reading, Step,
    ViolationWitness, Witness,
};
use crate::{ArtifactError, DataModel};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;

/// A part of a witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    /// Number of the entry, from 0.
    entry: usize,
    inside: Inside,
}

/// A part of an entry; numbers count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Whole,
    Metadata,
    Element(usize),
    Segment(usize),
    Waypoint(usize, usize),
}

/// What is wrong with a part.
struct Fault {
    part: Part,
    message: String,
}

/// Places with the parts that name them.
type Named = Vec<(Place, Part)>;

impl Part {
    const fn whole(entry: usize) -> Self {
        Self { entry, inside: Inside::Whole }
    }

    const fn inside(self, inside: Inside) -> Self {
        Self { inside, ..self }
    }

    fn wrong(self, message: impl Into<String>) -> Fault {
        Fault { part: self, message: message.into() }
    }

    /// Where it stands in the file.
    fn pointer(self) -> String {
        let entry = self.entry;
        match self.inside {
            Inside::Whole => format!("/{entry}"),
            Inside::Metadata => format!("/{entry}/metadata"),
            Inside::Element(number) | Inside::Segment(number) => format!("/{entry}/content/{number}"),
            Inside::Waypoint(segment, number) => format!("/{entry}/content/{segment}/segment/{number}/waypoint"),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {}", self.entry + 1)?;
        match self.inside {
            Inside::Whole => Ok(()),
            Inside::Metadata => f.write_str(", metadata"),
            Inside::Element(number) => write!(f, ", element {}", number + 1),
            Inside::Segment(number) => write!(f, ", segment {}", number + 1),
            Inside::Waypoint(segment, number) => write!(f, ", segment {}, waypoint {}", segment + 1, number + 1),
        }
    }
}

/// Reads a witness; `file` is its name in messages.
///
/// # Errors
/// As [`Witness::read`].
pub(in crate::witness) fn read(text: &str, file: &str) -> Result<Reading, ArtifactError> {
    let entries: Vec<Value> = serde_saphyr::from_str(text).map_err(|error| yaml_error(&error, text, file))?;
    let malformed = |fault: Fault| {
        let (line, column) = Positions::of(text).place(&fault.part.pointer());
        let (file, expected) = (file.to_owned(), FORMAT.to_owned());
        ArtifactError::Malformed { file, expected, line, column, message: format!("{}: {}", fault.part, fault.message) }
    };
    let mut versions = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        let preamble: Preamble = typed(entry, Part::whole(number)).map_err(malformed)?;
        versions.push(check_version(&preamble, file)?);
    }
    let (witness, named) = witness(&entries).map_err(malformed)?;
    let positions = Positions::of(text);
    let line = |part: Part| u32::try_from(positions.place(&part.pointer()).0).unwrap_or(u32::MAX);
    let mentions = named.into_iter().map(|(place, part)| Mention { line: line(part), place }).collect();
    let version = versions.into_iter().max().unwrap_or_default();
    Ok(Reading { witness, format: Format::Yaml, version, deviations: Vec::new(), mentions })
}

fn witness(entries: &[Value]) -> Result<(Witness, Named), Fault> {
    let mut named = Named::new();
    let mut found: Option<Witness> = None;
    for (number, entry) in entries.iter().enumerate() {
        let part = Part::whole(number);
        let preamble: Preamble = typed(entry, part)?;
        match (preamble.entry_type.as_str(), &mut found) {
            ("violation_sequence", None) => found = Some(Witness::Violation(violation(entry, part, &mut named)?)),
            ("violation_sequence", Some(Witness::Violation(_))) => {
                return Err(part.wrong("there is more than one violation_sequence"));
            }
            ("invariant_set", None) => found = Some(Witness::Correctness(invariant_set(entry, part, &mut named)?)),
            ("invariant_set", Some(Witness::Correctness(all))) => {
                all.invariants.extend(invariant_set(entry, part, &mut named)?.invariants);
            }
            ("violation_sequence" | "invariant_set", Some(_)) => {
                return Err(part.wrong("there are both a violation_sequence and an invariant_set"));
            }
            // Every consumer takes the types that it knows.
            _ => {}
        }
    }
    let found = found.ok_or_else(|| Part::whole(0).wrong("neither a violation_sequence nor an invariant_set"))?;
    Ok((found, named))
}

/// The version of an entry if it is one that is read.
fn check_version(preamble: &Preamble, file: &str) -> Result<String, ArtifactError> {
    let version = wire::text_of(&preamble.metadata.format_version).unwrap_or_default();
    if VERSIONS.contains(&version.as_str()) {
        return Ok(version);
    }
    let found = format!("a {} of format version {version} (read are {})", preamble.entry_type, VERSIONS.join(" and "));
    Err(ArtifactError::OtherFormat { file: file.to_owned(), expected: FORMAT.to_owned(), found })
}

fn typed<T: DeserializeOwned>(entry: &Value, part: Part) -> Result<T, Fault> {
    T::deserialize(entry).map_err(|error| part.wrong(error.to_string()))
}

fn violation(entry: &Value, part: Part, named: &mut Named) -> Result<ViolationWitness, Fault> {
    let metadata = metadata(entry, part)?;
    let entry: Entry<Value> = typed(entry, part)?;
    let mut steps = Vec::new();
    let last = entry.content.len();
    for (number, element) in entry.content.into_iter().enumerate() {
        let part = part.inside(Inside::Segment(number));
        let element: SequenceElement = typed(&element, part)?;
        let count = element.segment.len();
        let mut is_closed = false;
        for (index, waypoint) in element.segment.into_iter().map(|element| element.waypoint).enumerate() {
            let step = step(waypoint, part.inside(Inside::Waypoint(number, index)))?;
            is_closed = step.action == Action::Follow;
            if is_closed != (index + 1 == count) {
                return Err(part.wrong("a segment has one waypoint to follow, the last"));
            }
            if step.is_violation != (number + 1 == last && index + 1 == count) {
                return Err(part.wrong("the target is the last waypoint of the last segment, and no other"));
            }
            named.push((step.place.clone(), part.inside(Inside::Waypoint(number, index))));
            steps.push(step);
        }
        if !is_closed {
            return Err(part.wrong("the segment is empty"));
        }
    }
    if steps.is_empty() {
        return Err(part.wrong("the violation sequence is empty"));
    }
    Ok(ViolationWitness { metadata, steps })
}

fn step(waypoint: wire::Waypoint, part: Part) -> Result<Step, Fault> {
    let wrong = |message: String| part.wrong(message);
    let action = match waypoint.action.as_str() {
        "follow" => Action::Follow,
        "avoid" => Action::Avoid,
        other => return Err(wrong(format!("waypoint action `{other}` is neither follow nor avoid"))),
    };
    let constraint = waypoint.constraint.map(|constraint| constraint.value.trim().to_owned());
    let needed = || constraint.clone().ok_or_else(|| wrong(format!("a {} without a constraint", waypoint.kind)));
    let mut step = Step { place: place(&waypoint.location, part)?, action, ..Step::default() };
    let function = waypoint.location.function;
    match waypoint.kind.as_str() {
        "assumption" => {
            step.assumption = Some(needed()?);
            step.scope = function;
        }
        "function_return" => step.assumption = Some(needed()?),
        "branching" => {
            let direction = needed()?;
            match direction.as_str() {
                "true" => step.branch = Some(true),
                "false" => step.branch = Some(false),
                "default" => step.label = Some(direction),
                number if number.parse::<i128>().is_ok() => step.label = Some(direction),
                other => return Err(wrong(format!("a branching goes to true, false, a number or default, not to `{other}`"))),
            }
        }
        "function_enter" => step.enters_callee = true,
        "target" => step.is_violation = true,
        other => return Err(wrong(format!("unknown type of waypoint `{other}`"))),
    }
    Ok(step)
}

fn place(location: &Location, part: Part) -> Result<Place, Fault> {
    if location.line == 0 || location.column == Some(0) {
        return Err(part.wrong("lines and columns count from 1"));
    }
    Ok(Place {
        file: Some(location.file_name.clone()),
        function: location.function.clone(),
        line: location.line,
        column: location.column,
        ..Place::default()
    })
}

fn invariant_set(entry: &Value, part: Part, named: &mut Named) -> Result<CorrectnessWitness, Fault> {
    let metadata = metadata(entry, part)?;
    let entry: Entry<Value> = typed(entry, part)?;
    let mut invariants = Vec::new();
    for (number, element) in entry.content.into_iter().enumerate() {
        let part = part.inside(Inside::Element(number));
        let element: SetElement = typed(&element, part)?;
        let invariant = match element {
            SetElement::Invariant(invariant) => invariant,
            SetElement::Other(other) if other.get("invariant").is_some() => {
                let invariant = other.get("invariant").unwrap_or(&other);
                typed(invariant, part)?
            }
            SetElement::Other(_) => continue,
        };
        let kind = match invariant.kind.as_str() {
            "loop_invariant" => InvariantKind::Loop,
            "location_invariant" => InvariantKind::Location,
            "loop_transition_invariant" | "location_transition_invariant" => continue,
            other => return Err(part.wrong(format!("unknown type of invariant `{other}`"))),
        };
        if invariant.format.as_deref().is_some_and(|format| format != "c_expression") {
            return Err(part.wrong("the format of an invariant is c_expression"));
        }
        if invariant.value.trim().is_empty() {
            return Err(part.wrong("an invariant without a value"));
        }
        let place = place(&invariant.location, part)?;
        named.push((place.clone(), part));
        invariants.push(Invariant { place, kind, expression: invariant.value });
    }
    Ok(CorrectnessWitness { metadata, invariants })
}

fn metadata(entry: &Value, part: Part) -> Result<Metadata, Fault> {
    let part = part.inside(Inside::Metadata);
    let metadata: wire::Metadata = typed(entry.get("metadata").unwrap_or(&Value::Null), part)?;
    let task = metadata.task;
    let wrong = |message: &str| part.wrong(message);
    if task.specification.trim().is_empty() {
        return Err(wrong("the specification is empty"));
    }
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
