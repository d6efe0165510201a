//! What the front end tells people when it cannot read a program.
//!
//! A [`Diagnostic`] about C text names the presumed file, line and column, shows the physical
//! lines around the place, and says what to do. It owns its excerpt, so it outlives the source.
//! Does not know where it is printed or which exit code follows.

use formats::dense;
use std::fmt;
use std::path::PathBuf;

use formats::inputs::InputsError;
use formats::shown::name;
use miette::{LabeledSpan, MietteError, MietteSpanContents, Severity, SourceCode, SourceSpan};

use crate::columns;
use crate::source::{SourceFile, Span};

/// Lines shown before the line of the problem.
const LINES_BEFORE: u32 = 1;
/// Longest piece of one physical line that is shown, in bytes.
const LONGEST_LINE: u32 = 160;

/// Why a program could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Diagnostic {
    /// The name of the file cannot be shown, nor written into a line marker.
    #[error("the name of {} has control characters or is not UTF-8", name(path))]
    Name {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be opened or read.
    #[error("cannot read {}: {error}", name(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The file is not C text.
    #[error("{}: not a C source file: {reason}", name(path))]
    NotText {
        /// The file.
        path: PathBuf,
        /// How this is known.
        reason: String,
    },
    /// Standard input has no text.
    #[error("-: not a C source file: it is empty: the stage that should have written it probably failed")]
    NoInput,
    /// What is named is no program of several files.
    #[error("{}: no program: {reason}", name(path))]
    Files {
        /// The folder or list.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The preprocessor could not be started.
    #[error("{}: cannot run the preprocessor `{command}`: {error}", name(path))]
    NoPreprocessor {
        /// The file.
        path: PathBuf,
        /// The command line.
        command: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The preprocessor ended with an error.
    #[error("{}: the preprocessor `{command}` failed:\n{message}", name(path))]
    Preprocessor {
        /// The file.
        path: PathBuf,
        /// The command line.
        command: String,
        /// Its own message.
        message: String,
        /// Whether the headers of the 32-bit C library are missing.
        missing_32_bit: bool,
    },
    /// The text is not C that we read, or means something we must refuse.
    #[error("{0}")]
    Text(Box<TextDiagnostic>),
}

/// A diagnostic about a place in C text.
#[derive(Debug)]
pub struct TextDiagnostic {
    code: &'static str,
    message: String,
    label: String,
    help: String,
    place: String,
    excerpt: Excerpt,
    /// What else is wrong with the text.
    further: Vec<Diagnostic>,
}

/// Whether the preprocessor misses a header whose name has no ending, as those of the C++ library.
fn names_cplusplus(message: &str) -> bool {
    let missing = |line: &str| {
        let (_, rest) = line.split_once("fatal error: ")?;
        let (name, _) = rest.split_once(": No such file or directory")?;
        Some(!name.contains(['.', '/']))
    };
    message.lines().any(|line| missing(line) == Some(true))
}

impl Diagnostic {
    /// A diagnostic about a span of the program: `code` names its class (`program::syntax`),
    /// `message` the problem, `label` stands under the excerpt, `help` says what to do.
    pub fn at(
        source: &SourceFile,
        span: Span,
        code: &'static str,
        message: impl Into<String>,
        label: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self::Text(Box::new(TextDiagnostic {
            code,
            message: message.into(),
            label: label.into(),
            help: help.into(),
            place: source.shown(span.lo).to_string(),
            excerpt: Excerpt::new(source, span),
            further: Vec::new(),
        }))
    }

    /// The first of several diagnostics about one text, with the others; `None` if there is none.
    pub(crate) fn together(mut all: Vec<Self>) -> Option<Self> {
        let further = all.split_off(all.len().min(1));
        let mut first = all.pop()?;
        if let Self::Text(text) = &mut first {
            text.further = further;
        }
        Some(first)
    }

    /// The texts of a program are together longer than offsets can address.
    #[must_use]
    pub fn too_long(path: &std::path::Path) -> Self {
        Self::NotText { path: path.to_owned(), reason: "its program is longer than 4 GiB".to_owned() }
    }

    /// `file:line:column` as people see it ([`SourceFile::shown`]), of a diagnostic about C text.
    pub fn place(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.place),
            Self::Name { .. }
            | Self::Read { .. }
            | Self::NotText { .. }
            | Self::NoInput
            | Self::Files { .. }
            | Self::NoPreprocessor { .. }
            | Self::Preprocessor { .. } => None,
        }
    }
}

impl From<InputsError> for Diagnostic {
    fn from(error: InputsError) -> Self {
        match error {
            InputsError::Name { path } => Self::Name { path },
            InputsError::Read { path, error } => Self::Read { path, error },
            InputsError::NoProgram { path, reason } => Self::Files { path, reason },
            other => Self::Files { path: PathBuf::new(), reason: other.to_string() },
        }
    }
}

impl fmt::Display for TextDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl miette::Diagnostic for Diagnostic {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(match self {
            Self::Name { .. } => "program::name",
            Self::Read { .. } => "program::read",
            Self::NotText { .. } => "program::not_text",
            Self::NoInput => "program::empty_stdin",
            Self::Files { .. } => "program::files",
            Self::NoPreprocessor { .. } | Self::Preprocessor { .. } => "program::preprocess",
            Self::Text(text) => text.code,
        }))
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity::Error)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(match self {
            Self::Name { .. } => "give the file another name",
            Self::Read { .. } => "give the path of a readable C file, or `-` for standard input",
            Self::NotText { .. } | Self::NoInput => "give a C source file, preprocessed or not",
            Self::Files { .. } => {
                "give a C file, a folder with the C files of one program, or `@` and a file whose name ends with `.list`, \
                 with the path of one of them on each line"
            }
            Self::NoPreprocessor { .. } => "install gcc, or give the output of `cc -x c -E`",
            Self::Preprocessor { missing_32_bit: true, .. } => {
                "the headers of the 32-bit C library are missing: install the package gcc-multilib, \
                 or use the data model LP64 (--64) if the program is written for it"
            }
            Self::Preprocessor { message, .. } if names_cplusplus(message) => {
                "a header without an ending is one of C++, which is not read: give a program in C"
            }
            Self::Preprocessor { missing_32_bit: false, .. } => "check the file and the options -I, -D, -U, --cpp-arg",
            Self::Text(text) => &text.help,
        }))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        match self {
            Self::Text(text) => Some(&text.excerpt),
            Self::Name { .. }
            | Self::Read { .. }
            | Self::NotText { .. }
            | Self::NoInput
            | Self::Files { .. }
            | Self::NoPreprocessor { .. }
            | Self::Preprocessor { .. } => None,
        }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let Self::Text(text) = self else { return None };
        let label = LabeledSpan::new_with_span(Some(text.label.clone()), text.excerpt.marked);
        Some(Box::new(std::iter::once(label)))
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn miette::Diagnostic> + 'a>> {
        let Self::Text(text) = self else { return None };
        let further = text.further.iter().map(|one| -> &dyn miette::Diagnostic { one });
        (!text.further.is_empty()).then(|| -> Box<dyn Iterator<Item = _>> { Box::new(further) })
    }
}

/// The lines around a place, cut out of a program that may be large or not UTF-8.
#[derive(Debug)]
struct Excerpt {
    file: String,
    /// Presumed number of the first line, from 0.
    line: usize,
    /// Column of the first character of `text`, from 0.
    column: usize,
    text: String,
    marked: SourceSpan,
}

impl Excerpt {
    fn new(source: &SourceFile, span: Span) -> Self {
        let length = dense(source.text().len());
        let lo = span.lo.min(length);
        let last = source.position(lo).line;
        let place = source.location(lo);
        // A long line is cut on its left, and then stands alone.
        let lines = source.line(last).unwrap_or_default();
        let cut = lo.saturating_sub(lines.lo) > LONGEST_LINE / 2;
        let before = |count: &u32| source.location(source.line(last - *count).unwrap_or_default().lo);
        let context = (1..=LINES_BEFORE.min(last - 1))
            .take_while(|_| !cut)
            .take_while(|count| before(count).file == place.file && before(count).line + count == place.line)
            .last()
            .unwrap_or(0);
        let start = if cut { lo - LONGEST_LINE / 2 } else { source.line(last - context).unwrap_or_default().lo };
        let end = lines.hi.max(lo).min(lo.saturating_add(LONGEST_LINE));
        let from = source.shown(start).column as usize - 1;
        let (before, at) = columns::expanded(source.slice(Span::new(start, lo)), from);
        let hi = span.hi.clamp(lo, end);
        let (marked, behind) = columns::expanded(source.slice(Span::new(lo, hi)), at);
        let (after, _) = columns::expanded(source.slice(Span::new(hi, end)), behind);
        let length = marked.len().max(after.chars().next().filter(|_| marked.is_empty()).map_or(0, char::len_utf8));
        Self {
            file: place.file.to_owned(),
            line: (place.line.saturating_sub(context)).saturating_sub(1) as usize,
            column: from,
            marked: (before.len(), length).into(),
            text: before + &marked + &after,
        }
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn miette::SpanContents<'a> + 'a>, MietteError> {
        let whole = SourceSpan::from((0, self.text.len()));
        if (lines_before, lines_after) == (0, 0) {
            // Asked for the place itself, which stands above the excerpt.
            let before = self.text.get(..span.offset()).unwrap_or(&self.text);
            let (breaks, last) = (before.matches('\n').count(), before.rfind('\n').map(|at| at + 1));
            let first = if last.is_none() { self.column } else { 0 };
            let (line, (_, column)) = (self.line + breaks, columns::expanded(&before.as_bytes()[last.unwrap_or(0)..], first));
            return Ok(Box::new(MietteSpanContents::new_named(self.file.clone(), &[], *span, line, column, 1)));
        }
        let lines = self.text.lines().count();
        Ok(Box::new(MietteSpanContents::new_named(self.file.clone(), self.text.as_bytes(), whole, self.line, self.column, lines)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(text: &[u8], needle: &[u8]) -> String {
        let lo = text.windows(needle.len()).position(|window| window == needle).unwrap() as u32;
        let source = SourceFile::new("dir/a.c", text);
        let span = Span::new(lo, lo + needle.len() as u32);
        let diagnostic = Diagnostic::at(&source, span, "program::syntax", "expected `;`", "here", "add it");
        let mut out = String::new();
        let theme = miette::GraphicalTheme::unicode_nocolor();
        miette::GraphicalReportHandler::new_themed(theme).render_report(&mut out, &diagnostic).unwrap();
        out
    }

    #[test]
    fn excerpts_show_the_presumed_place() {
        insta::assert_snapshot!(render(b"int a;\n# 7 \"x.h\"\nint b;\nint c d;\nint e;\n", b"d"));
    }

    #[test]
    fn excerpts_survive_bytes_that_are_not_utf8() {
        insta::assert_snapshot!(render(b"/* \xff\xfe */ int c d;\n", b"d"));
    }

    #[test]
    fn excerpts_cut_long_lines() {
        let text = format!("{}int c d;{}\n", "int a; ".repeat(100), " int z;".repeat(100));
        insta::assert_snapshot!(render(text.as_bytes(), b"d;"));
    }

    #[test]
    fn excerpts_at_the_end_of_the_text() {
        let source = SourceFile::new("a.c", "int a\n");
        let span = Span::new(6, 6);
        let diagnostic = Diagnostic::at(&source, span, "program::syntax", "expected `;`", "here", "");
        assert_eq!(diagnostic.to_string(), "a.c:2:1: expected `;`");
        assert_eq!(diagnostic.place(), Some("a.c:2:1"));
    }
}
