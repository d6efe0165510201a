//! Reports of what is no change check: a listing as JSON, as a page, or for code hosts.
//!
//! Does not know what is listed, nor how a form says it.

use std::path::PathBuf;

use console::Output;
use formats::shown;
use miette::{IntoDiagnostic, miette};
use minijinja::value::Serde;
use serde::Serialize;

use super::html;

/// Whether each name says a form that there is.
///
/// # Errors
/// For a name that says none.
pub(crate) fn check_names(reports: &[PathBuf]) -> miette::Result<()> {
    for report in reports {
        let known = |extension: &std::ffi::OsStr| ["html", "json", "sarif"].iter().any(|known| extension == *known);
        if !report.extension().is_some_and(known) {
            return Err(miette!(help = "use .html, .sarif or .json", "{}: no such form of a report", shown::name(report)));
        }
    }
    Ok(())
}

/// Writes the reports that are wanted; `json` is the listing as it is.
///
/// # Errors
/// If one cannot be made or written.
pub(crate) fn write(
    reports: &[PathBuf],
    json: &str,
    page: impl Fn() -> miette::Result<String>,
    sarif: impl Fn() -> miette::Result<String>,
) -> miette::Result<()> {
    for report in reports {
        let is = |wanted: &str| report.extension().is_some_and(|extension| extension == wanted);
        let text = match () {
            () if is("html") => page()?,
            () if is("sarif") => sarif()?,
            () => json.to_owned(),
        };
        Output::new(Some(report)).write_text(&text)?;
    }
    Ok(())
}

/// A page made from a template with a name, whose `style` is what such pages have in common.
///
/// # Errors
/// If the template does not fit what is shown.
pub(crate) fn page(name: &str, template: &str, shown: impl Serialize) -> miette::Result<String> {
    let mut environment = html::environment()?;
    environment.add_global("style", minijinja::Value::from_safe_string(include_str!("listing.css").to_owned()));
    environment.render_named_str(name, template, Serde(shown)).into_diagnostic()
}
