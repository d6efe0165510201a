//! Messages for people, on stderr.

use crate::colours::shows_colours;
use crate::explanation::{Look, explanation_text};
use formats::{Explanation, shown};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use std::fmt::{self, Display};
use std::io::{self, Write};

/// How much a tool says on stderr.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Verbosity {
    Quiet,
    #[default]
    Normal,
    Verbose,
}

/// Prints warnings and notes on stderr as far as the command line wants them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Console {
    verbosity: Verbosity,
}

impl Console {
    /// A console that prints warnings unless `quiet`, and notes if `verbose`.
    #[must_use]
    #[expect(clippy::fn_params_excessive_bools, reason = "the two flags of the command line")]
    pub fn new(quiet: bool, verbose: bool) -> Self {
        let verbosity = match (quiet, verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        };
        Self { verbosity }
    }

    /// Whether notes are printed.
    #[must_use]
    pub fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    /// Prints a warning unless quiet: the run goes on.
    pub fn warning(&self, message: impl Display) {
        if self.verbosity > Verbosity::Quiet {
            line(format_args!("warning: {message}"));
        }
    }

    /// Prints a warning with its place and excerpt unless quiet.
    pub fn warning_at(&self, diagnostic: &dyn Diagnostic) {
        if self.verbosity > Verbosity::Quiet {
            render(diagnostic);
        }
    }

    /// Prints a note if verbose.
    pub fn note(&self, message: impl Display) {
        if self.is_verbose() {
            line(format_args!("note: {message}"));
        }
    }

    /// Prints an explanation, which was asked for by a flag of its own.
    pub fn explanation(&self, explanation: &Explanation) {
        let look = if shows_colours(&io::stderr()) { Look::Coloured } else { Look::Plain };
        whole(format_args!("{}", explanation_text(explanation, look).trim_end()));
    }

    /// Prints what was asked for by a flag of its own, whatever the verbosity.
    pub fn print(&self, message: impl Display) {
        line(format_args!("{message}"));
    }
}

/// Renders a diagnostic on stderr, then those that belong to it: on a terminal its severity is coloured.
pub(crate) fn render(diagnostic: &dyn Diagnostic) {
    render_alone(diagnostic);
    diagnostic.related().into_iter().flatten().for_each(render_alone);
}

fn render_alone(diagnostic: &dyn Diagnostic) {
    if !shows_colours(&io::stderr()) {
        return whole(format_args!("{}", rendered(diagnostic, GraphicalTheme::none())));
    }
    let text = rendered(diagnostic, GraphicalTheme::unicode_nocolor());
    let word = severity(diagnostic);
    let colour = match diagnostic.severity() {
        Some(miette::Severity::Warning) => 33,
        Some(miette::Severity::Advice) => 36,
        Some(miette::Severity::Error) | None => 31,
    };
    match text.strip_prefix(word) {
        Some(rest) => whole(format_args!("\u{1b}[1;{colour}m{word}\u{1b}[0m{rest}")),
        None => whole(format_args!("{text}")),
    }
}

/// The diagnostic as text that begins with its severity. Names of files and pieces of programs are in it, so that all of it
/// is escaped; for this it has no colours of its own.
fn rendered(diagnostic: &dyn Diagnostic, mut theme: GraphicalTheme) -> String {
    theme.characters.error = "error:".to_owned();
    theme.characters.warning = "warning:".to_owned();
    theme.characters.advice = "note:".to_owned();
    let handler = GraphicalReportHandler::new_themed(theme).with_wrap_lines(false).with_links(false).with_context_lines(1);
    let severity = severity(diagnostic);
    let mut text = String::new();
    if handler.render_report(&mut text, &Alone(diagnostic)).is_err() {
        return shown::lines(&format!("{severity} {diagnostic}")).into_owned();
    }
    // The class of a diagnostic would come first; it is for programs.
    let lines = text.lines().skip_while(|line| !line.contains(severity));
    shown::lines(lines.collect::<Vec<_>>().join("\n").trim()).into_owned()
}

/// A diagnostic without those that belong to it, which would be indented below it.
#[derive(Debug)]
struct Alone<'a>(&'a dyn Diagnostic);

impl Display for Alone<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self.0, f)
    }
}

impl std::error::Error for Alone<'_> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl Diagnostic for Alone<'_> {
    fn code<'b>(&'b self) -> Option<Box<dyn Display + 'b>> {
        self.0.code()
    }

    fn severity(&self) -> Option<miette::Severity> {
        self.0.severity()
    }

    fn help<'b>(&'b self) -> Option<Box<dyn Display + 'b>> {
        self.0.help()
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.0.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        self.0.labels()
    }

    fn diagnostic_source(&self) -> Option<&dyn Diagnostic> {
        self.0.diagnostic_source()
    }
}

fn severity(diagnostic: &dyn Diagnostic) -> &'static str {
    match diagnostic.severity() {
        Some(miette::Severity::Warning) => "warning:",
        Some(miette::Severity::Advice) => "note:",
        Some(miette::Severity::Error) | None => "error:",
    }
}

/// Writes one message, escaped.
pub(crate) fn line(message: std::fmt::Arguments<'_>) {
    whole(format_args!("{}", shown::lines(&message.to_string())));
}

/// Writes a text as it is; a stderr that cannot be written to is no reason to stop.
fn whole(text: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use miette::{LabeledSpan, MietteDiagnostic, NamedSource, Report};

    #[test]
    fn a_diagnostic_begins_with_its_severity_and_shows_its_place() {
        let diagnostic = MietteDiagnostic::new("expected `;`")
            .with_code("program::syntax")
            .with_help("add it")
            .with_label(LabeledSpan::at(14..15, "here"));
        let report = Report::from(diagnostic).with_source_code(NamedSource::new("a.c", "int x;\nint y }\nint z;\n".to_owned()));
        insta::assert_snapshot!(rendered(report.as_ref(), GraphicalTheme::none()));
    }

    #[test]
    fn what_others_wrote_is_escaped() {
        let diagnostic = MietteDiagnostic::new("a\u{1b}[2Kb\u{202e}c\n::error::forged").with_help("\u{9b}1m");
        let source = NamedSource::new("\u{1b}[8mx.c", "int \u{1b}[31mx;\r\n".to_owned());
        let report = Report::from(diagnostic.with_label(LabeledSpan::at(0..3, "\u{7}"))).with_source_code(source);
        for theme in [GraphicalTheme::none(), GraphicalTheme::unicode_nocolor()] {
            let text = rendered(report.as_ref(), theme);
            assert!(text.chars().all(|c| c == '\n' || shown::is_harmless(c)), "{text:?}");
            assert!(text.lines().all(|line| !line.trim_start().starts_with("::")), "{text}");
        }
    }
}
