//! The report for people: one HTML file without any other file.
//!
//! Style sheet, script and pictures are inside; the content security policy of the page forbids everything else. What
//! matters is readable without the script, which adds stepping, zoom and folding.
//! Invariant: text of programs reaches the page only through the escaping of the template engine.
//! Does not know how anything was found.

use formats::report::{Report, Unit};
use miette::IntoDiagnostic;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment};
use serde::Serialize;

use super::page::{self, Block, Counts};
use super::picture::Picture;
use super::places::Shown;
use super::unit::View;

/// What the template sees of a unit.
#[derive(Serialize)]
struct PageUnit<'a> {
    unit: &'a Unit,
    blocks: Vec<Block>,
    counts: Counts,
    strip: Vec<(&'static str, u32, u32)>,
    preprocessed: bool,
    step_rows: &'a [Option<u32>],
    pictures: &'a [Picture],
    total_seconds: f64,
    slowest_seconds: f64,
}

/// What the template sees.
#[derive(Serialize)]
struct Page<'a> {
    report: &'a Report,
    units: Vec<PageUnit<'a>>,
}

/// Writes the page; the rows of the views are used up.
///
/// # Errors
/// If the template is wrong, which is a bug.
pub(crate) fn render(report: &Report, views: &mut [View]) -> miette::Result<String> {
    let blocks: Vec<(Vec<Block>, Counts)> = views
        .iter_mut()
        .map(|view| {
            let counts = page::counts(view);
            (page::blocks(view), counts)
        })
        .collect();
    let units = views.iter().zip(blocks).map(|(view, (blocks, counts))| {
        let seconds = || view.unit.stages.iter().map(|stage| stage.cpu_seconds);
        PageUnit {
            unit: &view.unit,
            blocks,
            strip: page::strip(view),
            counts,
            preprocessed: view.shown == Shown::Preprocessed,
            step_rows: &view.step_rows,
            pictures: &view.pictures,
            total_seconds: seconds().sum(),
            slowest_seconds: seconds().fold(0.0, f64::max),
        }
    });
    let page = Page { report, units: units.collect() };
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().into_diagnostic()?);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("report.html", include_str!("report.html")).into_diagnostic()?;
    environment.add_template("unit.html", include_str!("unit.html")).into_diagnostic()?;
    environment.add_template("at.html", include_str!("at.html")).into_diagnostic()?;
    environment.add_template("graph.html", include_str!("graph.html")).into_diagnostic()?;
    environment.add_global("style", minijinja::Value::from_safe_string(include_str!("report.css").to_owned()));
    environment.add_global("script", minijinja::Value::from_safe_string(include_str!("report.js").to_owned()));
    let template = environment.get_template("report.html").into_diagnostic()?;
    template.render(Serde(page)).into_diagnostic()
}
