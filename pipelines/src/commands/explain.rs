//! `residue explain`: which changes are behind what has to be checked again.
//!
//! The detector told the change, the chain of affected objects and the place in an explanation beside its graph. A foreign
//! detector's graph has only its reasons: then places and rules are all there is to tell.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use console::{Exit, Input, Look, Output, explanation_text};
use formats::explanation::{Finding, Place, ProgramSide};
use formats::shown::{name, one_line};
use formats::{DifferenceGraph, EdgeInfo, Explanation};
use indexmap::IndexMap;
use miette::{IntoDiagnostic, miette};
use program::preprocess::read_source;
use program::source::{SourceFile, without_detours};

use crate::run::artifacts::{EXPLANATION, GRAPH};

/// Folders below the named one that are searched for artifacts.
const DEPTH: usize = 3;

/// Columns that are indented at most where there is only a number.
const WIDEST: u32 = 400;

const EXAMPLES: &str = "\
Examples:
  residue explain artifacts
  residue explain --to json artifacts

Exit codes: 0 it is explained, 2 unusable input or output, 101 a bug of ours; after signal n 128 + n.";

/// Say which changes a check could not dismiss, and why.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExplainArguments {
    /// The folder that `residue check --out` filled
    dir: PathBuf,
    /// How it is told
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    to: Format,
    /// Write to FILE instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// With excerpts of both programs
    #[default]
    Text,
    /// One JSON object per line and pair of programs
    Json,
}

/// Tells the explanations in a folder: its own, or those of the units below it.
pub(crate) fn explain(arguments: &ExplainArguments) -> miette::Result<Exit> {
    let mut folders = Vec::new();
    collect(&arguments.dir, DEPTH, &mut folders);
    if folders.is_empty() {
        return Err(miette!(
            help = "name the folder that `residue check --out` filled; a check without a detector compares nothing",
            "{}: there is no difference graph to explain",
            name(&arguments.dir)
        ));
    }
    let mut told = Vec::new();
    for folder in &folders {
        let explanation = load(folder)?;
        match arguments.to {
            Format::Json => explanation.write(&mut told).into_diagnostic()?,
            Format::Text => {
                if folders.len() > 1 {
                    let programs = &explanation.provenance;
                    let (path, entry) = (&programs.modified.path, &programs.options.entry);
                    told.extend(format!("== {} from {}\n\n", one_line(&without_detours(path)), one_line(entry)).bytes());
                }
                let look = if arguments.output.is_none() { Look::of_stdout() } else { Look::Plain };
                told.extend(explanation_text(&explanation, look).bytes());
                if folders.len() > 1 {
                    told.push(b'\n');
                }
            }
        }
    }
    let read: Vec<PathBuf> = folders.iter().flat_map(|folder| [folder.join(GRAPH), folder.join(EXPLANATION)]).collect();
    console::keep_apart(read.iter().map(PathBuf::as_path), arguments.output.as_deref())?;
    Output::new(arguments.output.as_deref()).write(|out| out.write_all(&told))?;
    Ok(Exit::Success)
}

/// The folders with a graph: this one, else those below it.
fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    if folder.join(GRAPH).is_file() {
        found.push(folder.to_owned());
        return;
    }
    let Some(depth) = depth.checked_sub(1) else { return };
    let inner = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let mut inner: Vec<PathBuf> = inner.filter(|path| path.is_dir()).collect();
    inner.sort();
    inner.iter().for_each(|path| collect(path, depth, found));
}

/// The explanation of a graph, made from the graph alone if the detector gave none.
fn load(folder: &Path) -> miette::Result<Explanation> {
    let input = Input::read(&folder.join(GRAPH))?;
    let graph = DifferenceGraph::read(&input.bytes, &input.name).into_diagnostic()?;
    let path = folder.join(EXPLANATION);
    if !path.is_file() {
        return Ok(from_reasons(&graph));
    }
    let input = Input::read(&path)?;
    let explanation = Explanation::read(&input.bytes, &input.name).into_diagnostic()?;
    explanation.check_against(&graph).map_err(|error| miette!("{}: {error}", input.name))?;
    Ok(explanation)
}

/// Where the text of an edge begins and ends, and its function, where there is an edge.
type Text<'a> = Option<(u64, u64, &'a str)>;

/// What the reasons of a graph say: one finding per text and rule.
fn from_reasons(graph: &DifferenceGraph) -> Explanation {
    let source = modified_source(graph);
    let mut findings: IndexMap<(Text<'_>, &str), Finding> = IndexMap::new();
    for reason in &graph.reasons {
        let edge = reason.edge.and_then(|number| graph.cfa_edges.get(&number));
        let text = edge.map(|edge| (edge.start_offset, edge.end_offset, edge.key.function.as_str()));
        let finding = findings.entry((text, reason.rule.as_str())).or_insert_with(|| Finding {
            rule: reason.rule.clone(),
            message: if reason.detail.is_empty() { reason.rule.clone() } else { reason.detail.clone() },
            indicators: Vec::new(),
            edges: Vec::new(),
            place: edge.map(|edge| place(graph, edge, source.as_ref())),
            original: None,
            causes: Vec::new(),
        });
        finding.indicators.push(reason.indicator);
        finding.edges.extend(reason.edge);
    }
    for finding in findings.values_mut() {
        finding.indicators.sort_unstable();
        finding.indicators.dedup();
        finding.edges.sort_unstable();
        finding.edges.dedup();
    }
    findings.sort_by(|a, _, b, _| a.cmp(b));
    let findings = findings.into_values().collect();
    Explanation { provenance: graph.provenance.clone(), changes: Vec::new(), findings }
}

/// The modified program, if it still is the one the graph is about: people count lines of the file, while edges are named
/// by lines of the preprocessed text.
fn modified_source(graph: &DifferenceGraph) -> Option<SourceFile> {
    let modified = &graph.provenance.modified;
    // A graph of somebody else may name anything, and ask for anything.
    let path = Path::new(&modified.path);
    let list = formats::inputs::list(path);
    let is_there = path.is_file() || path.is_dir() || list.is_some_and(|list| list.is_file());
    if !is_there || formats::flags::check(&graph.provenance.options.preprocessor).is_err() {
        return None;
    }
    let source = read_source(Path::new(&modified.path), &graph.provenance.options).ok()?;
    (source.sha256_hex() == modified.sha256).then_some(source)
}

/// The text of an edge; without the program, as its key names it.
fn place(graph: &DifferenceGraph, edge: &EdgeInfo, source: Option<&SourceFile>) -> Place {
    let key = &edge.key;
    let offset = |offset: u64| u32::try_from(offset).unwrap_or(u32::MAX);
    let mut place = Place {
        program: ProgramSide::Modified,
        file: without_detours(&graph.provenance.modified.path),
        function: Some(key.function.clone()),
        edge: None,
        line: key.line.max(1),
        column: key.column.max(1),
        end_line: key.end_line.max(1),
        end_column: key.end_column.max(1),
        physical_line: key.line.max(1),
        start_offset: offset(edge.start_offset),
        end_offset: offset(edge.end_offset),
        text: edge.text.clone(),
        lines: vec![" ".repeat(key.column.saturating_sub(1).min(WIDEST) as usize) + &edge.text],
    };
    if let Some(source) = source {
        let (start, end) = (source.location(place.start_offset), source.location(place.end_offset));
        start.file.clone_into(&mut place.file);
        (place.line, place.column) = (start.line, start.column);
        (place.end_line, place.end_column) = (end.line.max(start.line), end.column);
        place.lines = source.line(key.line).map(|line| source.snippet(line).into_owned()).into_iter().collect();
        return place.as_written(|file, line| source.written_line(file, line));
    }
    place
}
