//! `residue cfa`: the control-flow automaton of a program, for people and for stages that others write.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use console::{Exit, Output, SharedOptions};
use formats::{EdgeInfo, ProgramFile, ProgramOptions, shown};
use miette::{IntoDiagnostic, miette};
use program::cfa::{Cfa, Operation};

const EXAMPLES: &str = "\
Examples:
  residue cfa queue.c
  residue cfa --to dot queue.c | dot -Tsvg -o queue.svg

Exit codes: 0 it is shown, 2 unusable input or output, 101 a bug of ours; after signal n 128 + n.";

/// Show the control-flow automaton of a program.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CfaArguments {
    /// The program
    #[arg(required_unless_present = "task")]
    file: Option<PathBuf>,
    /// How it is shown
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    to: Format,
    /// Write to FILE instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    shared: SharedOptions,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// One line per edge
    #[default]
    Text,
    /// For Graphviz
    Dot,
    /// For programs: what a detector needs to write a difference graph
    Json,
}

/// The automaton as JSON; formats/docs/cfa.md.
#[derive(serde::Serialize)]
struct Automaton<'a> {
    format: &'static str,
    version: u32,
    program: ProgramFile,
    data_model: formats::DataModel,
    entry: &'a str,
    property: String,
    preprocessor: &'a [String],
    #[serde(skip_serializing_if = "is_own")]
    library: &'a formats::Library,
    functions: BTreeMap<&'a str, Ends>,
    edges: Vec<NumberedEdge>,
    text: String,
}

/// As serde asks.
fn is_own(library: &&formats::Library) -> bool {
    library.is_own()
}

/// The locations where a function begins and ends.
#[derive(serde::Serialize)]
struct Ends {
    entry: usize,
    exit: usize,
}

#[derive(serde::Serialize)]
struct NumberedEdge {
    edge: usize,
    from: usize,
    to: usize,
    #[serde(flatten)]
    info: EdgeInfo,
}

pub(crate) fn cfa(arguments: &CfaArguments) -> miette::Result<Exit> {
    let shared = &arguments.shared;
    let task = shared.load_task()?;
    let options = shared.program_options(task.as_ref())?;
    let named = arguments.file.clone().or_else(|| task.as_ref().map(|task| task.modified.clone()));
    let file = named.ok_or_else(|| miette!("no program is given"))?;
    let inputs = std::iter::once(&file).chain(&shared.task).map(std::path::PathBuf::as_path);
    console::keep_apart(inputs, arguments.output.as_deref())?;
    let choice = if shared.names_property(task.as_ref()) { program::Choice::Named } else { program::Choice::Implied };
    let cfa = program::load_about(&file, &options, choice)?;
    let options = cfa.options.clone();
    warn_of_unsupported(&cfa, &shared.console());
    let text = match arguments.to {
        Format::Text => shown::lines(&text(&cfa)).into_owned(),
        Format::Dot => shown::lines(&cfa.to_dot()).into_owned(),
        Format::Json => serde_json::to_string(&automaton(&cfa, &file, &options)).into_diagnostic()? + "\n",
    };
    Output::new(arguments.output.as_deref()).write_text(&text)?;
    Ok(Exit::Success)
}

/// One paragraph per function with a body, one line per edge, with the numbers and words of the JSON format.
fn text(cfa: &Cfa) -> String {
    use std::fmt::Write as _;
    let mut edges = vec![String::new(); cfa.functions.len()];
    for id in cfa.edge_ids() {
        let (edge, info) = (cfa.edge(id), cfa.edge_info(id));
        let place = cfa.source.location(edge.span.lo);
        let branch = info.key.branch.map(|branch| format!(" {branch}")).unwrap_or_default();
        let enters = info.enters.map(|function| format!(", enters {function}")).unwrap_or_default();
        let error = if cfa.location(edge.target).is_error { ", an error location" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            edges[cfa.location(edge.source).function.index()],
            "  edge {} from {} to {}: {}{branch} at {}:{}:{}  {}{enters}{error}",
            id.index(),
            edge.source.index(),
            edge.target.index(),
            info.key.kind,
            place.file,
            place.line,
            place.column,
            info.text,
        );
    }
    let mut out = String::new();
    for (function, edges) in cfa.functions.iter().zip(&edges) {
        if let (Some(entry), Some(exit)) = (function.entry, function.exit) {
            let _ = write!(out, "{}: entry {}, exit {}\n{edges}", function.name, entry.index(), exit.index());
        }
    }
    out
}

fn automaton<'a>(cfa: &'a Cfa, file: &Path, options: &'a ProgramOptions) -> Automaton<'a> {
    let functions = cfa.functions.iter().filter_map(|function| {
        let ends = Ends { entry: function.entry?.index(), exit: function.exit?.index() };
        Some((&*function.name, ends))
    });
    let edges = cfa.edge_ids().map(|id| {
        let edge = cfa.edge(id);
        NumberedEdge { edge: id.index(), from: edge.source.index(), to: edge.target.index(), info: cfa.edge_info(id) }
    });
    Automaton {
        format: "cfa",
        version: 1,
        program: cfa.program_file(file.display().to_string()),
        data_model: options.data_model,
        entry: &options.entry,
        property: options.specification(),
        preprocessor: &options.preprocessor,
        library: &options.library,
        functions: functions.collect(),
        edges: edges.collect(),
        text: String::from_utf8_lossy(cfa.source.text()).into_owned(),
    }
}

/// Names every construct without sound treatment; analyses answer UNKNOWN when they reach one.
fn warn_of_unsupported(cfa: &Cfa, console: &console::Console) {
    for edge in &cfa.edges {
        if let Operation::Unsupported { construct } = &edge.operation {
            let place = cfa.source.location(edge.span.lo);
            console.warning(format!("{}:{}: unsupported: {construct}", place.file, place.line));
        }
    }
}
