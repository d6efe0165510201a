//! Reports of a run: one file for people (HTML), for code hosts (SARIF) or for programs (JSON), over all units.
//!
//! [`unit::collect`] puts together what is known of a unit, the writers only arrange it.
//! Invariant: a report of the same run is the same bytes but for the CPU seconds; it names no file that the user does not.
//! Does not know how a unit was checked.

mod causes;
mod diff;
mod files;
mod highlight;
pub(crate) mod html;
mod lines;
pub(crate) mod listing;
mod origin;
mod page;
mod picture;
mod places;
mod rules;
pub(crate) mod sarif;
mod tokens;
mod unit;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use console::Output;
use formats::report::{FORMAT, Report, VERSION};
use miette::IntoDiagnostic;

use crate::run::outcome::CheckReport;
use crate::run::unit::Checked;
use unit::View;

/// A report that is wanted; the ending of its name says which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReportFile {
    path: PathBuf,
    format: ReportFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReportFormat {
    Html,
    Sarif,
    Json,
}

/// A name whose ending says no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name of a report ends in .html, .sarif or .json")]
pub(crate) struct UnknownFormat;

impl ReportFile {
    /// Where it goes.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl FromStr for ReportFile {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let path = PathBuf::from(text);
        let format = match path.extension().and_then(|ending| ending.to_str()) {
            Some("html" | "htm") => ReportFormat::Html,
            Some("sarif") => ReportFormat::Sarif,
            Some("json") => ReportFormat::Json,
            Some(_) | None => return Err(UnknownFormat),
        };
        Ok(Self { path, format })
    }
}

/// Writes the wanted reports of a run; why some could not be written.
pub(crate) fn write(wanted: &[ReportFile], checked: &[Checked], run: &CheckReport) -> Vec<miette::Report> {
    if wanted.is_empty() {
        return Vec::new();
    }
    match checked.iter().map(unit::collect).collect::<miette::Result<Vec<View>>>() {
        Ok(mut views) => wanted.iter().filter_map(|file| write_one(file, &mut views, run).err()).collect(),
        Err(error) => vec![error],
    }
}

/// Writes one report.
fn write_one(ReportFile { path, format }: &ReportFile, views: &mut [View], run: &CheckReport) -> miette::Result<()> {
    let report = Report {
        format: FORMAT.to_owned(),
        version: VERSION,
        producer: run.producer.clone(),
        verdict: run.verdict.to_string(),
        class: run.class.name().to_owned(),
        units: views.iter().map(|view| view.unit.clone()).collect(),
        failures: run.failures.iter().map(unit::failure).collect(),
        skipped: run.skipped.iter().map(unit::skipped).collect(),
    };
    let text = match format {
        ReportFormat::Html => html::render(&report, views)?,
        ReportFormat::Sarif => sarif::render(&report, &working_folder()),
        ReportFormat::Json => {
            let mut bytes = Vec::new();
            report.write(&mut bytes).into_diagnostic()?;
            String::from_utf8(bytes).into_diagnostic()?
        }
    };
    Ok(Output::new(Some(path)).write_text(&text)?)
}

/// The folder that relative paths start from.
fn working_folder() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| Path::new("/").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_the_format() {
        let format = |name: &str| name.parse::<ReportFile>().map(|file| file.format);
        assert_eq!(format("out/a.html"), Ok(ReportFormat::Html));
        assert_eq!(format("a.b.sarif"), Ok(ReportFormat::Sarif));
        assert_eq!(format("a.json"), Ok(ReportFormat::Json));
        assert_eq!(format("report"), Err(UnknownFormat));
        assert_eq!(format("a.pdf"), Err(UnknownFormat));
    }
}
