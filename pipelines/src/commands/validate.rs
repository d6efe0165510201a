//! `residue validate`: whether a difference graph, and a condition made from it, cover nothing that has to be checked.

use std::path::{Path, PathBuf};

use clap::Args;
use console::{Exit, Input, InputError, Output, StageOptions};
use formats::shown::{name, one_line};
use formats::validation::Subject;
use formats::{Certificate, Condition, DifferenceGraph, Producer, ProgramFile, ProgramOptions, Validation, ValidationReport};
use miette::{IntoDiagnostic, miette};
use program::cfa::Cfa;
use semantics::cursor::ConditionCursor;
use validate::Refusal;

const EXAMPLES: &str = "\
Examples:
  diffdp --certificate certificate.json -o graph.json original.c modified.c
  residue validate --certificate certificate.json graph.json
  condgen graph.json -o condition.graphml
  residue validate --certificate certificate.json --condition condition.graphml graph.json

Exit codes: 0 it is right, 1 it is refused, 2 unusable input or output, 101 a bug of ours; after signal n 128 + n.";

/// Check a difference graph edge by edge by its certificate, and a condition by its graph.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ValidateArguments {
    /// The difference graph
    graph: PathBuf,
    /// What the detector says makes it right
    #[arg(long, value_name = "FILE")]
    certificate: PathBuf,
    /// A condition that was made from the graph
    #[arg(long, value_name = "FILE")]
    condition: Option<PathBuf>,
    /// The program before the change [default: the file that the graph names]
    #[arg(long, value_name = "FILE.c")]
    original: Option<PathBuf>,
    /// The program after the change [default: the file that the graph names]
    #[arg(long, value_name = "FILE.c")]
    modified: Option<PathBuf>,
    /// Print one JSON object instead of the line
    #[arg(long)]
    json: bool,
    /// Options of every tool.
    #[command(flatten)]
    shared: StageOptions,
}

/// Says what is right, or what is not and where.
pub(crate) fn validate(arguments: &ValidateArguments) -> miette::Result<Exit> {
    let shared = &arguments.shared;
    let _budget = shared.budget()?;
    let input = Input::read(&arguments.graph)?;
    let graph = DifferenceGraph::read(&input.bytes, &input.name)?;
    let task = shared.load_task()?;
    // A graph of somebody else may want the preprocessor to be called in any way.
    shared.check_against(task.as_ref(), &graph.provenance.options, &input.name)?;
    let input = Input::read(&arguments.certificate)?;
    let certificate = Certificate::read(&input.bytes, &input.name)?;
    let validation = look(arguments, &graph, &certificate)?;
    let exit = if matches!(validation, Validation::Valid { .. }) { Exit::Success } else { Exit::Negative };
    let line = if arguments.json {
        let report = ValidationReport::new(Producer::new("residue", env!("CARGO_PKG_VERSION")), validation);
        serde_json::to_string(&report).into_diagnostic()?
    } else {
        let word = if exit == Exit::Success { "VALID" } else { "REFUSED" };
        format!("{word}: {}", one_line(&validation.to_string()))
    };
    Output::new(None).write_text(&format!("{line}\n"))?;
    Ok(exit)
}

fn look(arguments: &ValidateArguments, graph: &DifferenceGraph, certificate: &Certificate) -> miette::Result<Validation> {
    let provenance = &graph.provenance;
    let read =
        |file: &Option<PathBuf>, named: &ProgramFile| program(file.as_deref(), named, &provenance.options, &arguments.graph);
    let original = read(&arguments.original, &provenance.original)?;
    let modified = read(&arguments.modified, &provenance.modified)?;
    let condition = arguments.condition.as_deref().map(|path| cursor(path, graph, &modified)).transpose()?;
    if let Err(refusal) = validate::validate(&original, &modified, graph, certificate) {
        return Ok(refused(Subject::Graph, &refusal, &modified));
    }
    let checked = condition.as_ref().map(|condition| validate::validate_condition(graph, condition));
    if let Some(Err(refusal)) = &checked {
        return Ok(refused(Subject::Condition, refusal, &modified));
    }
    let subject = if checked.is_some() { Subject::Condition } else { Subject::Graph };
    let (nodes, edges, indicators) = (graph.nodes, graph.edges.len(), graph.indicators.len());
    Ok(Validation::Valid { subject, nodes, edges, indicators })
}

/// The program that the graph was made for, and no other.
fn program(file: Option<&Path>, named: &ProgramFile, options: &ProgramOptions, graph: &Path) -> miette::Result<Cfa> {
    let path = file.map_or_else(|| PathBuf::from(&named.path), Path::to_owned);
    // A graph of somebody else may name anything: a device has no end.
    if file.is_none() && !(path.is_file() || path.is_dir() || formats::inputs::list(&path).is_some()) {
        let missing = InputError::Missing { name: one_line(&named.path).into_owned() };
        return Err(miette!(help = "name it with --original or --modified", "{}: {missing}", name(graph)));
    }
    let program = program::load(&path, options)?;
    named.check_sha256(&name(graph), program.source.path(), &program.source.sha256_hex())?;
    named.check_fingerprint(&name(graph), program.source.path(), &program.fingerprint())?;
    Ok(program)
}

/// The condition, which must have been made from this graph's programs, read as the graph says.
fn cursor(path: &Path, graph: &DifferenceGraph, modified: &Cfa) -> miette::Result<ConditionCursor> {
    let input = Input::read(path)?;
    let condition = Condition::read(&input.bytes, &input.name)?;
    let (own, of_graph) = (condition.provenance(), &graph.provenance);
    let is_same = |one: &ProgramFile, other: &ProgramFile| one.cfa == other.cfa && one.sha256 == other.sha256;
    let programs = is_same(&own.original, &of_graph.original) && is_same(&own.modified, &of_graph.modified);
    if !programs || own.options != of_graph.options {
        let what = if programs { "about programs that are read in another way" } else { "about other programs" };
        return Err(miette!(help = "make it from this graph with condgen", "{}: the condition is {what}", input.name));
    }
    Ok(ConditionCursor::new(condition, &input.name, modified)?)
}

fn refused(subject: Subject, refusal: &Refusal, modified: &Cfa) -> Validation {
    let known = refusal.edge.filter(|edge| edge.index() < modified.edges.len());
    let place = known.map(|edge| modified.source.location(modified.edge(edge).span.lo));
    Validation::Refused {
        subject: Some(subject),
        node: refusal.node,
        edge: refusal.edge.map(|edge| edge.0),
        file: place.as_ref().map(|place| place.file.to_owned()),
        line: place.as_ref().map(|place| place.line),
        message: refusal.message.clone(),
    }
}
