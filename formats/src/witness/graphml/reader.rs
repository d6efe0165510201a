//! The reader of witnesses in GraphML.

use super::automaton::{Automaton, AutomatonEdge, DataSet, Lines};
use super::{Finding, Severity, rules};
use crate::witness::{
    Action, CorrectnessWitness, FORMAT, Format, Invariant, InvariantKind, Mention, Metadata, Place, Reading, Step,
    ViolationWitness, Witness,
};
use crate::{ArtifactError, DataModel};
use std::collections::{BTreeMap, VecDeque};
use std::str::FromStr;

/// Reads a witness; `file` is its name in messages.
///
/// # Errors
/// As [`Witness::read`].
pub(in crate::witness) fn read(text: &str, file: &str) -> Result<Reading, ArtifactError> {
    let mut automaton = Automaton::parse(text, file)?;
    let expected = FORMAT.to_owned();
    if automaton.graph.get("condition-type").is_some() {
        return Err(ArtifactError::OtherFormat { file: file.to_owned(), expected, found: "a condition".to_owned() });
    }
    if let Some(version) = automaton.graph.get("witness-format-version").filter(|version| !version.starts_with("1.")) {
        let found = format!("version {version} of the format in GraphML, of which 1.0 is the last");
        return Err(ArtifactError::OtherFormat { file: file.to_owned(), expected, found });
    }
    rules::check(&mut automaton);
    automaton.place_findings(text);
    if let Some((_, fault)) = automaton.findings.iter().find(|(_, finding)| finding.severity == Severity::Fault) {
        let message = fault.message.clone();
        return Err(ArtifactError::Malformed { file: file.to_owned(), expected, line: fault.line as usize, column: 1, message });
    }
    let witness = witness(&automaton, file)?;
    let version = automaton.graph.get("witness-format-version").unwrap_or("1.0").to_owned();
    let mentions = mentions(&automaton, text);
    let deviations: Vec<Finding> = automaton.findings.into_iter().map(|(_, finding)| finding).collect();
    Ok(Reading { witness, format: Format::Graphml, version, deviations, mentions })
}

fn witness(automaton: &Automaton, file: &str) -> Result<Witness, ArtifactError> {
    let metadata = metadata(&automaton.graph);
    if automaton.graph.get("witness-type") == Some("correctness_witness") {
        let invariants = invariants(automaton);
        return Ok(Witness::Correctness(CorrectnessWitness { metadata, invariants }));
    }
    let Some(steps) = shortest_path(automaton) else {
        let (place, message) = ("graph".to_owned(), "no path leads from the entry to a violation".to_owned());
        return Err(ArtifactError::Inconsistent { file: file.to_owned(), expected: FORMAT.to_owned(), place, message });
    };
    Ok(Witness::Violation(ViolationWitness { metadata, steps }))
}

/// The places of all edges, in the order of the file.
fn mentions(automaton: &Automaton, text: &str) -> Vec<Mention> {
    let mut lines = Lines::new(text);
    automaton.edges.iter().map(|edge| Mention { place: place(&edge.data), line: lines.line(edge.offset) }).collect()
}

fn metadata(graph: &DataSet) -> Metadata {
    let get = |key: &str| graph.get(key).unwrap_or_default().to_owned();
    let producer = get("producer");
    let (producer, producer_version) = producer.split_once(' ').unwrap_or((&producer, ""));
    Metadata {
        producer: producer.to_owned(),
        producer_version: producer_version.to_owned(),
        description: graph.get("description").map(str::to_owned),
        program: get("programfile"),
        program_hash: get("programhash"),
        specification: get("specification"),
        data_model: graph.get("architecture").and_then(DataModel::from_architecture),
        creation_time: graph.get("creationtime").map(str::to_owned),
    }
}

/// The steps of a shortest path from the entry to a violation that passes no sink.
fn shortest_path(automaton: &Automaton) -> Option<Vec<Step>> {
    let is_true = |data: &DataSet, key: &str| data.get(key) == Some("true");
    let numbers: BTreeMap<&str, usize> =
        automaton.nodes.iter().zip(0..).map(|(node, number)| (node.id.as_str(), number)).collect();
    let mut outgoing: Vec<Vec<(&AutomatonEdge, usize)>> = vec![Vec::new(); automaton.nodes.len()];
    for edge in &automaton.edges {
        let ends = (numbers.get(edge.source.as_str()), numbers.get(edge.target.as_str()));
        if let (Some(&source), Some(&target)) = ends {
            outgoing.get_mut(source)?.push((edge, target));
        }
    }
    let start = automaton.nodes.iter().position(|node| is_true(&node.data, "entry"))?;
    let mut reached: Vec<Option<(&AutomatonEdge, usize)>> = vec![None; automaton.nodes.len()];
    let mut queue = VecDeque::from([start]);
    while let Some(number) = queue.pop_front() {
        let node = automaton.nodes.get(number)?;
        if is_true(&node.data, "violation") {
            return Some(steps_to(number, start, &reached));
        }
        if is_true(&node.data, "sink") {
            continue;
        }
        for &(edge, target) in outgoing.get(number)? {
            let before = reached.get_mut(target)?;
            if before.is_none() && target != start {
                *before = Some((edge, number));
                queue.push_back(target);
            }
        }
    }
    None
}

fn steps_to(violation: usize, start: usize, reached: &[Option<(&AutomatonEdge, usize)>]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = violation;
    while at != start {
        let Some(&Some((edge, before))) = reached.get(at) else { break };
        steps.push(step(&edge.data));
        at = before;
    }
    if let Some(last) = steps.first_mut() {
        last.is_violation = true;
    }
    steps.reverse();
    steps
}

fn step(data: &DataSet) -> Step {
    let text = |key: &str| data.get(key).map(str::to_owned);
    Step {
        place: place(data),
        action: Action::Follow,
        branch: data.get("control").map(|value| value == "condition-true"),
        label: None,
        enters_callee: false,
        enters: text("enterFunction"),
        returns_from: text("returnFromFunction"),
        assumption: text("assumption"),
        scope: text("assumption.scope"),
        result_function: text("assumption.resultfunction"),
        text: text("sourcecode").unwrap_or_default(),
        is_violation: false,
    }
}

fn place(data: &DataSet) -> Place {
    Place {
        file: data.get("originfile").map(str::to_owned),
        function: None,
        line: number(data, "startline").unwrap_or(0),
        column: None,
        end_line: number(data, "endline"),
        start_offset: number(data, "startoffset"),
        end_offset: number(data, "endoffset"),
    }
}

fn number<T: FromStr>(data: &DataSet, key: &str) -> Option<T> {
    data.get(key).and_then(|text| text.parse().ok())
}

/// The invariants of all nodes, each at the places of the edges that lead there.
fn invariants(automaton: &Automaton) -> Vec<Invariant> {
    let mut incoming: BTreeMap<&str, Vec<&AutomatonEdge>> = BTreeMap::new();
    for edge in &automaton.edges {
        incoming.entry(&edge.target).or_default().push(edge);
    }
    let mut invariants = Vec::new();
    for node in &automaton.nodes {
        let Some(expression) = node.data.get("invariant") else { continue };
        for edge in incoming.get(node.id.as_str()).into_iter().flatten() {
            let kind = match edge.data.get("enterLoopHead") {
                Some("true") => InvariantKind::Loop,
                Some(_) | None => InvariantKind::Location,
            };
            let place = Place { function: node.data.get("invariant.scope").map(str::to_owned), ..place(&edge.data) };
            invariants.push(Invariant { place, kind, expression: expression.to_owned() });
        }
    }
    invariants
}
