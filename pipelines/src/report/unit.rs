//! Everything a report says about one unit, put together from its outcome and its artifacts.
//!
//! Invariant: nothing is said that the artifacts do not; without a condition nothing is covered.
//! Does not know how a report looks.

use std::collections::BTreeMap;
use std::path::Path;

use formats::explanation::Explanation;
use formats::report::{
    FileChange, FileLines, GraphSize, Input, LineRange, Mark, Path as Execution, Remark, Source, Stage, Step, Unit, Use,
};
use formats::{Condition, DifferenceGraph, StateKind};
use miette::IntoDiagnostic;
use program::cfa::{Cfa, EdgeId};
use program::preprocess::read_source;
use semantics::cursor::ConditionCursor;
use semantics::interpreter::Recorded;
use semantics::steps::{self, RunStep};

use super::causes::Causes;
use super::diff::{self, Row};
use super::files::{Files, bytes_of, program_text};
use super::lines::EdgeMarks;
use super::origin::{self, ChangedLines, Origin, line_offsets};
use super::picture::{self, Picture};
use super::places::{self, Places, Shown};
use crate::run::outcome::{CheckedProgram, Failure, Skipped, Verifier};
use crate::run::replay::LIMITS;
use crate::run::unit::{Checked, UnitOriginal};

/// A unit with what only people want to see.
pub(crate) struct View {
    /// What every report says.
    pub(crate) unit: Unit,
    /// The texts: that of the program, then those of headers that the change touches.
    pub(crate) files: Vec<FileView>,
    /// The text shown is the preprocessed one.
    pub(crate) shown: Shown,
    /// The line of the modified texts shown of each step; `None` for a step in another file.
    pub(crate) step_rows: Vec<Option<places::Row>>,
    /// Graphs as pictures.
    pub(crate) pictures: Vec<Picture>,
}

/// A file that is shown.
#[derive(Default)]
pub(crate) struct FileView {
    /// Its name.
    pub(crate) path: String,
    /// Its name in the original, if it is there.
    pub(crate) original: Option<String>,
    /// The two texts side by side.
    pub(crate) rows: Vec<Row>,
    /// Marks by line of the modified text.
    pub(crate) marks: BTreeMap<u32, Mark>,
    /// Indices into `unit.causes` by line of the modified text.
    pub(crate) causes: BTreeMap<u32, Vec<usize>>,
    /// Changed definitions that lines use whose own text is not changed.
    pub(crate) uses: BTreeMap<u32, Vec<String>>,
}

/// The artifacts a report reads.
struct Artifacts {
    graph: Option<DifferenceGraph>,
    condition: Option<ConditionCursor>,
    explanation: Option<Explanation>,
}

/// Puts a unit together. The programs and the artifacts are still where the check found and left them.
///
/// # Errors
/// If a program or an artifact cannot be read any more.
pub(crate) fn collect(checked: &Checked) -> miette::Result<View> {
    let modified = &checked.unit.modified;
    let own = checked.unit.source(modified, &checked.folder);
    let bytes = program_text(&own)?;
    let cfa = program::load(&checked.unit.readable(modified, &checked.folder), &checked.unit.options)?;
    let several = texts_of_several(&own)?;
    let places = match (&several, &modified.revision) {
        (Some(texts), _) => Places::of_several(&cfa.source, &modified.shown, texts),
        (None, Some(_)) => Places::of_revision(&cfa.source, &modified.shown, &bytes),
        (None, None) => Places::new(&cfa.source, &modified.shown, &bytes),
    };
    let files = match places.shown() {
        Shown::Marked => Files::new(checked, &cfa, &modified.shown)?,
        Shown::File | Shown::Preprocessed => None,
    };
    let headers = files.as_ref().map(|files| files.headers.as_slice()).unwrap_or_default();
    let places = places.with_headers(headers.iter().map(|header| header.path.clone()).collect());
    let mut views = vec![FileView { rows: rows(checked, &cfa, &bytes, places.shown())?, ..program_view(checked) }];
    views.extend(headers.iter().map(|header| FileView {
        path: header.path.clone(),
        original: header.original.clone(),
        rows: header.rows.clone(),
        ..FileView::default()
    }));
    let artifacts = Artifacts::read(checked, &cfa)?;
    let (removed, lines): (Vec<_>, Vec<_>) = views.iter().map(|view| diff::changed_lines(&view.rows)).unzip();
    let changed = ChangedLines { names: views.iter().map(|view| view.path.clone()).collect(), lines };
    let explanation = artifacts.explanation.as_ref();
    let origins = origin::origins(&cfa, &places, &changed, files.as_ref(), explanation);
    let edge_marks = EdgeMarks::new(&cfa, artifacts.condition.as_ref(), artifacts.graph.as_ref());
    let lines = line_marks(&cfa, &places, &edge_marks, &origins, &mut views);
    let causes = Causes::new(&cfa, &places, artifacts.graph.as_ref(), explanation);
    for ((file, line), indices) in causes.by_row {
        if let Some(view) = views.get_mut(file) {
            view.causes.insert(line, indices);
        }
    }
    let execution = execution(checked, &cfa, &places, &origins);
    let (counterexample, step_rows) = execution.map_or((None, Vec::new()), |(path, rows)| (Some(path), rows));
    let pictures = artifacts.pictures();
    let mut changes = views.iter().zip(changed.lines).zip(removed).map(|((view, changed), removed)| FileChange {
        file: view.path.clone(),
        original: view.original.clone(),
        changed,
        removed,
    });
    let (changed, removed) = changes.next().map_or_else(Default::default, |own| (own.changed, own.removed));
    let headers = changes.collect();
    let unit = Unit {
        lines,
        changed,
        removed,
        headers,
        causes: causes.causes,
        difference_graph: artifacts.graph.as_ref().map(graph_size),
        condition: artifacts.condition.as_ref().map(|cursor| condition_size(cursor.condition())),
        counterexample,
        degraded: artifacts.graph.and_then(|graph| graph.provenance.degraded).unwrap_or_default(),
        ..without_details(checked)
    };
    Ok(View { unit, files: views, shown: places.shown(), step_rows, pictures })
}

/// The program itself, without its text.
fn program_view(checked: &Checked) -> FileView {
    let original = match &checked.unit.original {
        UnitOriginal::Program(program) => Some(program.shown.clone()),
        UnitOriginal::Absent(_) => None,
    };
    FileView { path: checked.unit.modified.shown.clone(), original, ..FileView::default() }
}

/// A unit that could not be checked.
pub(crate) fn failure(failure: &Failure) -> Remark {
    Remark { path: failure.path.clone(), entry: failure.entry.clone(), text: failure.message.trim().to_owned() }
}

/// A unit that need not be checked.
pub(crate) fn skipped(skipped: &Skipped) -> Remark {
    Remark { path: skipped.path.clone(), entry: skipped.entry.clone(), text: crate::run::words::note(skipped) }
}

/// What the outcome alone tells.
fn without_details(checked: &Checked) -> Unit {
    let outcome = &checked.outcome;
    let source = |program: &CheckedProgram| Source {
        path: program.path.clone(),
        sha256: program.sha256.clone(),
        revision: program.revision.clone(),
    };
    Unit {
        original: outcome.original.as_ref().map(source),
        modified: source(&outcome.modified),
        options: outcome.options.clone(),
        verdict: outcome.verdict.to_string(),
        class: outcome.class.name().to_owned(),
        about: outcome.about.clone(),
        detector: outcome.detector.to_string(),
        via: outcome.via.to_string(),
        verifier: match &outcome.verifier {
            Verifier::Native => "verify".to_owned(),
            Verifier::Foreign { name, options } => std::iter::once(name).chain(options).cloned().collect::<Vec<_>>().join(" "),
        },
        assumptions: outcome.verification.as_ref().map(|report| report.assumptions.clone()).unwrap_or_default(),
        degraded: Vec::new(),
        stages: outcome.stages.iter().map(|s| Stage { name: s.stage.clone(), cpu_seconds: s.cpu_seconds }).collect(),
        lines: Vec::new(),
        changed: Vec::new(),
        removed: Vec::new(),
        headers: Vec::new(),
        causes: Vec::new(),
        difference_graph: None,
        condition: None,
        validation: outcome.validation.clone(),
        counterexample: None,
    }
}

impl Artifacts {
    fn read(checked: &Checked, cfa: &Cfa) -> miette::Result<Self> {
        let names = &checked.outcome.artifacts;
        let path = |name: &Option<String>| name.as_ref().map(|name| checked.folder.join(name));
        let graph = match path(&names.difference_graph) {
            Some(path) => Some(DifferenceGraph::read(&bytes_of(&path)?, &path.display().to_string()).into_diagnostic()?),
            None => None,
        };
        let condition = match path(&names.condition) {
            Some(path) => {
                let name = path.display().to_string();
                let condition = Condition::read(&bytes_of(&path)?, &name).into_diagnostic()?;
                Some(ConditionCursor::new(condition, &name, cfa).into_diagnostic()?)
            }
            None => None,
        };
        let explanation = match path(&Some("explanation.json".to_owned())).filter(|path| path.is_file()) {
            Some(path) => Some(Explanation::read(&bytes_of(&path)?, &path.display().to_string()).into_diagnostic()?),
            None => None,
        };
        Ok(Self { graph, condition, explanation })
    }

    fn pictures(&self) -> Vec<Picture> {
        let graph = self.graph.as_ref().map(picture::of_difference_graph);
        let condition = self.condition.as_ref().map(|cursor| picture::of_condition(cursor.condition()));
        graph.into_iter().chain(condition).collect()
    }
}

/// The texts of the files of a program of several files.
fn texts_of_several(path: &Path) -> miette::Result<Option<Vec<Vec<u8>>>> {
    let Some(files) = formats::inputs::files(path).into_diagnostic()? else { return Ok(None) };
    files.iter().map(|file| bytes_of(&file.path)).collect::<miette::Result<_>>().map(Some)
}

/// The texts of original and modified program side by side.
fn rows(checked: &Checked, cfa: &Cfa, bytes: &[u8], shown: Shown) -> miette::Result<Vec<Row>> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let original = match &checked.unit.original {
        UnitOriginal::Program(program) if shown == Shown::Preprocessed => {
            text(read_source(&checked.unit.readable(program, &checked.folder), &checked.unit.options)?.text())
        }
        UnitOriginal::Program(program) => text(&program_text(&checked.unit.source(program, &checked.folder))?),
        UnitOriginal::Absent(_) => String::new(),
    };
    let modified = if shown == Shown::Preprocessed { text(cfa.source.text()) } else { text(bytes) };
    Ok(diff::rows(&original, &modified))
}

/// The marks of lines, by file for programs and by shown line for people. A changed definition has the marks of what uses it.
fn line_marks(
    cfa: &Cfa,
    places: &Places<'_>,
    marks: &EdgeMarks,
    origins: &BTreeMap<EdgeId, Origin>,
    views: &mut [FileView],
) -> Vec<FileLines> {
    let mut by_file: BTreeMap<String, BTreeMap<u32, Mark>> = BTreeMap::new();
    let raise = |marks: &mut BTreeMap<u32, Mark>, line: u32, mark: Mark| {
        let slot = marks.entry(line).or_insert(mark);
        *slot = (*slot).max(mark);
    };
    for edge in cfa.edge_ids() {
        let Some(mark) = marks.of(edge) else { continue };
        for offset in line_offsets(cfa, edge) {
            let (file, line, _) = places.file_line(offset);
            raise(by_file.entry(file).or_default(), line, mark);
            if let Some((view, line)) = places.row(offset).and_then(|(file, line)| Some((views.get_mut(file)?, line))) {
                raise(&mut view.marks, line, mark);
            }
        }
        let Some(Origin::Definition { name, place }) = origins.get(&edge) else { continue };
        raise(by_file.entry(place.file.clone()).or_default(), place.line, mark);
        if let Some(view) = places.file(&place.file).and_then(|file| views.get_mut(file)) {
            raise(&mut view.marks, place.line, mark);
        }
        if let Some((view, line)) = places.row(cfa.edge(edge).span.lo).and_then(|(file, line)| Some((views.get_mut(file)?, line)))
        {
            let note = format!("{name} has another definition: {}:{}", place.file, place.line);
            let notes = view.uses.entry(line).or_default();
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    let ranges = |lines: &BTreeMap<u32, Mark>, wanted: Mark| {
        let marked = lines.iter().filter(|(_, mark)| **mark == wanted);
        LineRange::collect(marked.map(|(line, _)| *line))
    };
    let files = by_file.iter().map(|(file, lines)| FileLines {
        file: file.clone(),
        covered: ranges(lines, Mark::Covered),
        recheck: ranges(lines, Mark::Recheck),
        cause: ranges(lines, Mark::Cause),
    });
    files.collect()
}

/// The counterexample as steps, and the shown line of each.
fn execution(
    checked: &Checked,
    cfa: &Cfa,
    places: &Places<'_>,
    origins: &BTreeMap<EdgeId, Origin>,
) -> Option<(Execution, Vec<Option<places::Row>>)> {
    let verification = checked.outcome.verification.as_ref()?;
    let counterexample = verification.counterexample.as_ref().filter(|_| checked.outcome.class.is_violation())?;
    let has_line = |edge: EdgeId| origins.get(&edge).and_then(Origin::place).is_some();
    let run = |test: &dyn Fn(EdgeId) -> bool| {
        let mut recorded = Recorded::new(cfa, &counterexample.inputs);
        steps::steps(cfa, &mut recorded, LIMITS, test)
    };
    let mut found = run(&has_line)?;
    if found.last_match.is_none() {
        found = run(&|edge| origins.contains_key(&edge))?;
    }
    let inputs = counterexample.inputs.iter().map(|input| Input { source: input.source.clone(), value: input.value.clone() });
    let violation = places.of_edge(cfa, found.violation?);
    let first = |step: &RunStep| step.edges.first().copied().unwrap_or(EdgeId(0));
    let rows: Vec<Option<places::Row>> = found.steps.iter().map(|step| places.row(cfa.edge(first(step)).span.lo)).collect();
    let steps = found.steps.iter().map(|step| Step {
        place: places.of_edge(cfa, first(step)),
        depth: step.depth,
        text: step.text(cfa),
        values: step.values.clone(),
        changed: step.edges.iter().any(|edge| has_line(*edge)),
    });
    let last = found.last_match.and_then(|edge| Some((places.of_edge(cfa, edge), origins.get(&edge)?)));
    let (change, used, unattributed) = match last {
        None => (None, None, None),
        Some((_, Origin::Text(place))) => (Some(place.clone()), None, None),
        Some((at, Origin::Definition { name, place })) => (Some(place.clone()), Some(Use { name: name.clone(), at }), None),
        Some((at, Origin::Unknown(why))) => (Some(at), None, Some(why.clone())),
    };
    let path = Execution {
        violation,
        change,
        used,
        unattributed,
        inputs: inputs.collect(),
        steps: steps.collect(),
        omitted: found.omitted,
        resumes_at: found.resumes_at,
    };
    Some((path, rows))
}

fn graph_size(graph: &DifferenceGraph) -> GraphSize {
    let mut leaves = vec![true; graph.nodes as usize];
    for node in graph.edges.iter().map(|edge| edge.from).chain(graph.indicators.iter().copied()) {
        if let Some(leaf) = leaves.get_mut(node as usize) {
            *leaf = false;
        }
    }
    GraphSize {
        nodes: graph.nodes as usize,
        edges: graph.edges.len(),
        indicators: graph.indicators.len(),
        accepting: leaves.into_iter().filter(|leaf| *leaf).count(),
    }
}

fn condition_size(condition: &Condition) -> GraphSize {
    let count = |kind: StateKind| condition.states().iter().filter(|known| **known == kind).count();
    GraphSize {
        nodes: condition.states().len(),
        edges: condition.edges().count(),
        indicators: count(StateKind::Indicator),
        accepting: count(StateKind::Accepting),
    }
}
