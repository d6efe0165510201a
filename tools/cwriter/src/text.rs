//! The text of a residual program: lines, `#line` directives and the map back to the modified program.
//!
//! Invariant: the presumed place of every line that stands for an operation is that of the operation's statement.

use formats::SourceSpan;
use program::source::{SourceFile, Span};

/// A growing text.
#[derive(Debug)]
pub(crate) struct Text<'a> {
    source: &'a SourceFile,
    out: String,
    /// Number of the line that comes next.
    line: u32,
    /// Presumed file and line of the line that comes next, once a directive has set it.
    presumed: Option<(&'a str, u32)>,
    map: Vec<SourceSpan>,
}

impl<'a> Text<'a> {
    /// An empty text that speaks about `source`.
    pub(crate) const fn new(source: &'a SourceFile) -> Self {
        Self { source, out: String::new(), line: 1, presumed: None, map: Vec::new() }
    }

    /// Adds a line that stands for nothing in the source.
    pub(crate) fn line(&mut self, depth: u32, text: &str) {
        for _ in 0..depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
        self.line += 1;
        if let Some((_, line)) = &mut self.presumed {
            *line += 1;
        }
    }

    /// Adds a line that stands for `span`, whose statement is `statement`.
    pub(crate) fn line_of(&mut self, depth: u32, text: &str, span: Span, statement: Span) {
        let place = self.source.location(statement.lo);
        if self.presumed != Some((place.file, place.line)) {
            // The name of the file stays in force, so it is written only where it changes.
            if self.presumed.is_some_and(|(file, _)| file == place.file) {
                self.line(0, &format!("#line {}", place.line));
            } else {
                let file = place.file.replace('\\', "\\\\").replace('"', "\\\"");
                self.line(0, &format!("#line {} \"{file}\"", place.line));
            }
            self.presumed = Some((place.file, place.line));
        }
        let (start, end) = (self.source.position(span.lo), self.source.position(span.hi));
        self.map.push(SourceSpan {
            residual_line: self.line,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        });
        self.line(depth, text);
    }

    /// The text and where its lines come from.
    pub(crate) fn finish(self) -> (String, Vec<SourceSpan>) {
        (self.out, self.map)
    }
}
