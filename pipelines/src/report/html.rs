//! The report for people: one HTML file without any other file.
//!
//! Style sheet, script and pictures are inside; the content security policy of the page forbids everything else. What
//! matters is readable without the script, which adds stepping, zoom and folding.
//! Invariant: text of programs reaches the page only through the escaping of the template engine.
//! Does not know how anything was found.

use std::collections::BTreeMap;

use formats::report::{Report, Unit};
use formats::{Validation, shown};
use miette::IntoDiagnostic;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, escape_formatter};
use serde::Serialize;

use super::page::{self, Block, Counts};
use super::picture::Picture;
use super::places::Shown;
use super::unit::View;

/// What the template sees of a unit.
#[derive(Serialize)]
struct PageUnit<'a> {
    unit: &'a Unit,
    /// The program and the headers that the change touches; what is changed comes first.
    files: Vec<PageFile<'a>>,
    /// What the identifiers of the rows of a file begin with, by its name.
    prefixes: BTreeMap<&'a str, String>,
    /// Over all files.
    counts: Counts,
    preprocessed: bool,
    /// The row of each step, as the end of its identifier.
    step_rows: Vec<Option<String>>,
    pictures: &'a [Picture],
    /// What the verdict does not know, and the end of the identifier of its row.
    open: Option<(String, String)>,
    /// What a check of the condition has found.
    validation: Option<String>,
    total_seconds: f64,
    slowest_seconds: f64,
}

/// What the template sees of a file.
#[derive(Serialize)]
struct PageFile<'a> {
    path: &'a str,
    original: Option<&'a str>,
    /// What the identifiers of its rows begin with: nothing for the program itself.
    prefix: String,
    blocks: Vec<Block>,
    counts: Counts,
    strip: Vec<(&'static str, u32, u32)>,
}

/// What the template sees.
#[derive(Serialize)]
struct Page<'a> {
    report: &'a Report,
    /// The worst first.
    units: Vec<PageUnit<'a>>,
    /// The classes that there are, with how many units have them in words.
    classes: Vec<(&'static str, String)>,
    /// All units start with the same function.
    same_entry: bool,
}

/// The classes of units, the worst first, and what is said of how many have them.
const CLASSES: [(&str, &str); 6] = [
    ("regression", "with a regression"),
    ("not-compared", "violated, not compared"),
    ("violation-in-both", "violated before, too"),
    ("undecided", "undecided"),
    ("no-regression", "without a regression"),
    ("vacuous", "with nothing to violate"),
];

/// How bad a class is: 0 is the worst.
fn rank(class: &str) -> usize {
    CLASSES.iter().position(|(known, _)| *known == class).unwrap_or(CLASSES.len())
}

/// Writes the page; the rows of the views are used up.
///
/// # Errors
/// If the template is wrong, which is a bug.
pub(crate) fn render(report: &Report, views: &mut [View]) -> miette::Result<String> {
    let mut views: Vec<&mut View> = views.iter_mut().collect();
    views.sort_by_key(|view| rank(&view.unit.class));
    let parts: Vec<_> = views.iter_mut().map(|view| (note_open_place(view), blocks(view))).collect();
    let units = views.iter().zip(parts).map(|(view, (open, blocks))| {
        let seconds = || view.unit.stages.iter().map(|stage| stage.cpu_seconds);
        let counts = blocks.iter().fold(Counts::default(), |sum, (_, counts)| sum.plus(*counts));
        let mut files: Vec<PageFile<'_>> = view
            .files
            .iter()
            .zip(blocks)
            .enumerate()
            .map(|(number, (file, (blocks, counts)))| PageFile {
                path: &file.path,
                original: file.original.as_deref(),
                prefix: prefix(number),
                blocks,
                counts,
                strip: page::strip(file),
            })
            .collect();
        if view.unit.changed.is_empty() && view.unit.removed.is_empty() {
            // Nothing is to be seen in the program itself.
            files.rotate_left(1);
        }
        let row = |row: &Option<(usize, u32)>| row.map(|(file, line)| format!("{}L{line}", prefix(file)));
        PageUnit {
            unit: &view.unit,
            files,
            prefixes: view.files.iter().enumerate().map(|(number, file)| (file.path.as_str(), prefix(number))).collect(),
            counts,
            preprocessed: view.shown == Shown::Preprocessed,
            step_rows: view.step_rows.iter().map(row).collect(),
            pictures: &view.pictures,
            open,
            validation: view.unit.validation.as_ref().map(validated),
            total_seconds: seconds().sum(),
            slowest_seconds: seconds().fold(0.0, f64::max),
        }
    });
    print(&page(report, units.collect()))
}

/// What was said of the certificate, in words.
fn validated(validation: &Validation) -> String {
    let word = match validation {
        Validation::Valid { .. } => "validated",
        Validation::Refused { .. } => "refused",
        Validation::Unfinished { .. } => "not validated",
    };
    format!("{word}: {validation}")
}

/// What the template sees of all units.
fn page<'a>(report: &'a Report, units: Vec<PageUnit<'a>>) -> Page<'a> {
    let classes = CLASSES.iter().filter_map(|(class, words)| {
        let count = units.iter().filter(|page| page.unit.class == *class).count();
        (count > 0).then(|| (*class, format!("{count} {words}")))
    });
    let classes = classes.collect();
    let entry = units.first().map(|page| &page.unit.options.entry);
    let same_entry = units.iter().all(|page| Some(&page.unit.options.entry) == entry);
    Page { report, units, classes, same_entry }
}

/// The page as text.
fn print(page: &Page<'_>) -> miette::Result<String> {
    let mut environment = environment()?;
    environment.add_template("report.html", include_str!("report.html")).into_diagnostic()?;
    environment.add_template("unit.html", include_str!("unit.html")).into_diagnostic()?;
    environment.add_template("at.html", include_str!("at.html")).into_diagnostic()?;
    environment.add_template("graph.html", include_str!("graph.html")).into_diagnostic()?;
    environment.add_global("style", minijinja::Value::from_safe_string(include_str!("report.css").to_owned()));
    environment.add_global("script", minijinja::Value::from_safe_string(include_str!("report.js").to_owned()));
    let template = environment.get_template("report.html").into_diagnostic()?;
    template.render(Serde(page)).into_diagnostic()
}

/// What turns templates into pages.
pub(crate) fn environment() -> miette::Result<Environment<'static>> {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().into_diagnostic()?);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    // What HTML lets through could still reorder or hide text.
    environment.set_formatter(|out, state, value| match value.as_str().filter(|_| !value.is_safe()) {
        Some(text) => {
            let text: String = text.split('\n').map(shown::one_line).collect::<Vec<_>>().join("\n");
            escape_formatter(out, state, &minijinja::Value::from(text))
        }
        None => escape_formatter(out, state, value),
    });
    Ok(environment)
}

/// What the identifiers of the rows of a file begin with.
fn prefix(file: usize) -> String {
    if file == 0 { String::new() } else { format!("f{file}-") }
}

/// The rows of all files of a unit as blocks, with their counts.
fn blocks(view: &mut View) -> Vec<(Vec<Block>, Counts)> {
    let View { files, step_rows, .. } = view;
    let blocks = files.iter_mut().enumerate().map(|(number, file)| {
        let visited = step_rows.iter().flatten().filter(|row| row.0 == number).map(|row| row.1).collect();
        let counts = page::counts(file);
        (page::blocks(file, &visited), counts)
    });
    blocks.collect()
}

/// Marks the line that an UNKNOWN is about (`UNKNOWN(unsupported: inline assembly at FILE:LINE)`); what is there, and the end
/// of the identifier of its row.
fn note_open_place(view: &mut View) -> Option<(String, String)> {
    let reason = view.unit.verdict.strip_prefix("UNKNOWN(")?.strip_suffix(')')?;
    let (what, place) = reason.rsplit_once(" at ")?;
    let (name, line) = place.rsplit_once(':')?;
    let line = line.parse().ok()?;
    let number = view.files.iter().position(|file| file.path == name)?;
    let file = view.files.get_mut(number).filter(|file| file.rows.iter().any(|row| row.modified() == Some(line)))?;
    file.uses.entry(line).or_default().push(what.to_owned());
    Some((format!("{what}, {}", place), format!("{}L{line}", prefix(number))))
}
