//! `residue validate`: whether a difference graph, and a condition made from it, cover nothing that has to be checked.

use std::path::{Path, PathBuf};

use clap::Args;
use console::{Exit, Input, InputError, Output};
use formats::shown::{name, one_line};
use formats::{Certificate, Condition, DifferenceGraph, ProgramFile, ProgramOptions};
use miette::miette;
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
}

/// Says what is right, or what is not and where.
pub(crate) fn validate(arguments: &ValidateArguments) -> miette::Result<Exit> {
    let input = Input::read(&arguments.graph)?;
    let graph = DifferenceGraph::read(&input.bytes, &input.name)?;
    let input = Input::read(&arguments.certificate)?;
    let certificate = Certificate::read(&input.bytes, &input.name)?;
    let provenance = &graph.provenance;
    let read =
        |file: &Option<PathBuf>, named: &ProgramFile| program(file.as_deref(), named, &provenance.options, &arguments.graph);
    let original = read(&arguments.original, &provenance.original)?;
    let modified = read(&arguments.modified, &provenance.modified)?;
    let condition = arguments.condition.as_deref().map(|path| cursor(path, &graph, &modified)).transpose()?;
    let checked = validate::validate(&original, &modified, &graph, &certificate);
    if let Err(refusal) = &checked {
        return refused("graph", refusal, &modified);
    }
    if let Some(condition) = &condition
        && let Err(refusal) = validate::validate_condition(&graph, condition)
    {
        return refused("condition", &refusal, &modified);
    }
    let what = if condition.is_some() { "graph and condition" } else { "graph" };
    let (nodes, edges, open) = (graph.nodes, graph.edges.len(), graph.indicators.len());
    answer(&format!("VALID: {what}: {nodes} nodes, {edges} edges, {open} indicators"))?;
    Ok(Exit::Success)
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

/// The condition, which must have been made from this graph's programs.
fn cursor(path: &Path, graph: &DifferenceGraph, modified: &Cfa) -> miette::Result<ConditionCursor> {
    let input = Input::read(path)?;
    let condition = Condition::read(&input.bytes, &input.name)?;
    if condition.provenance().original.cfa != graph.provenance.original.cfa {
        return Err(miette!(
            help = "make it from this graph with condgen",
            "{}: the condition is about another original program",
            input.name
        ));
    }
    Ok(ConditionCursor::new(condition, &input.name, modified)?)
}

fn answer(line: &str) -> miette::Result<()> {
    Ok(Output::new(None).write_text(&format!("{line}\n"))?)
}

fn refused(what: &str, refusal: &Refusal, modified: &Cfa) -> miette::Result<Exit> {
    let known = refusal.edge.filter(|edge| edge.index() < modified.edges.len());
    let place = known.map(|edge| {
        let place = modified.source.location(modified.edge(edge).span.lo);
        format!(" ({}:{})", one_line(place.file), place.line)
    });
    answer(&format!("REFUSED: {what}: {}{}", one_line(&refusal.to_string()), place.unwrap_or_default()))?;
    Ok(Exit::Negative)
}
