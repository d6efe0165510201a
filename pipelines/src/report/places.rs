//! Where a byte of the preprocessed text is, for people who see files.
//!
//! A report shows the file as it is on the disk. Lines of a text that needed no preprocessing are its physical ones, whatever
//! `#line` says, because editors and code hosts count these. Lines of a preprocessed text are those its markers name; where
//! the file contains markers of its own these name other files, so the preprocessed text is shown instead.
//! Does not know which bytes are of interest.

use formats::dense;
use formats::report::Place;
use program::cfa::{Cfa, EdgeId};
use program::source::{SourceFile, Span};

/// What is shown of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The file, whose lines are those of the text that was read.
    File,
    /// The file, whose lines are found by the markers of the preprocessor.
    Marked,
    /// The preprocessed text.
    Preprocessed,
}

/// A line of a shown text: number of the file, and line.
pub(crate) type Row = (usize, u32);

/// The places of one program.
pub(crate) struct Places<'a> {
    source: &'a SourceFile,
    /// The path the user knows.
    path: &'a str,
    /// The name of the file in its own markers.
    own: &'a str,
    shown: Shown,
    /// Other files that are shown.
    headers: Vec<String>,
    /// The lines of the file before preprocessing, where they are not those of the text.
    written: Vec<String>,
}

impl<'a> Places<'a> {
    /// For a program read from a file with the content `bytes`, which the user knows as `path`.
    pub(crate) fn new(source: &'a SourceFile, path: &'a str, bytes: &[u8]) -> Self {
        let shown = match (source.is_preprocessed(), has_markers(bytes)) {
            (false, _) => Shown::File,
            (true, false) => Shown::Marked,
            (true, true) => Shown::Preprocessed,
        };
        Self { source, path, own: source.name(), shown, headers: Vec::new(), written: written(shown, bytes) }
    }

    /// For a program of a revision: preprocessed in a checkout, with markers that name paths of the repository, from the
    /// file `path` with the content `bytes`.
    pub(crate) fn of_revision(source: &'a SourceFile, path: &'a str, bytes: &[u8]) -> Self {
        let shown = if has_markers(bytes) { Shown::Preprocessed } else { Shown::Marked };
        Self { source, path, own: path, shown, headers: Vec::new(), written: written(shown, bytes) }
    }

    /// For a program of several files with these texts, which are shown as headers are.
    pub(crate) fn of_several(source: &'a SourceFile, path: &'a str, texts: &[Vec<u8>]) -> Self {
        let has_own = texts.iter().any(|text| has_markers(text));
        let shown = if has_own { Shown::Preprocessed } else { Shown::Marked };
        Self { source, path, own: "", shown, headers: Vec::new(), written: Vec::new() }
    }

    /// What is shown of the program.
    pub(crate) const fn shown(&self) -> Shown {
        self.shown
    }

    /// The same with these files shown beside the program.
    #[must_use]
    pub(crate) fn with_headers(mut self, headers: Vec<String>) -> Self {
        self.headers = headers;
        self
    }

    /// The shown text and its line that an offset is on: 0 is the program, headers count from 1. `None` if its file is not
    /// shown.
    pub(crate) fn row(&self, offset: u32) -> Option<Row> {
        match self.shown {
            Shown::File | Shown::Preprocessed => Some((0, self.source.position(offset).line)),
            Shown::Marked => {
                let place = self.source.location(offset);
                Some((self.file(place.file)?, place.line))
            }
        }
    }

    /// The number of a shown file; with a preprocessed text none is known by its name.
    pub(crate) fn file(&self, name: &str) -> Option<usize> {
        if self.shown == Shown::Marked && name == self.own {
            return Some(0);
        }
        self.headers.iter().position(|header| header == name).map(|index| index + 1)
    }

    /// File, line and column of an offset. Columns count characters; where a macro before it has moved the text, it is that of
    /// the first character of the line.
    pub(crate) fn file_line(&self, offset: u32) -> (String, u32, u32) {
        let position = self.source.position(offset);
        let before = self.before(offset);
        let column = |text: &str| dense(text.chars().count()) + 1;
        if self.shown == Shown::File {
            return (self.path.to_owned(), position.line, column(&before));
        }
        let place = self.source.location(offset);
        let is_own = place.file == self.own;
        let file = if is_own { self.path } else { place.file };
        let written = if is_own { self.written.get((place.line as usize).saturating_sub(1)) } else { None };
        let line = written.map_or(before.as_str(), String::as_str);
        let is_moved = written.map_or_else(|| !before.trim().is_empty(), |line| !line.starts_with(&before));
        let indent = &line[..line.len() - line.trim_start().len()];
        (file.to_owned(), place.line, column(if is_moved { indent } else { &before }))
    }

    /// What stands before an offset on its line of the text.
    fn before(&self, offset: u32) -> String {
        let line = self.source.line(self.source.position(offset).line);
        line.map(|line| self.source.snippet(Span::new(line.lo, offset)).into_owned()).unwrap_or_default()
    }

    /// The place of an edge.
    pub(crate) fn of_edge(&self, cfa: &Cfa, edge: EdgeId) -> Place {
        let known = cfa.edge(edge);
        let (file, line, column) = self.file_line(known.span.lo);
        let function = cfa.function(cfa.location(known.source).function).name.to_string();
        Place { file, line, column, function }
    }
}

/// The lines of a file, if its text was made by a preprocessor.
fn written(shown: Shown, bytes: &[u8]) -> Vec<String> {
    if shown != Shown::Marked {
        return Vec::new();
    }
    String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
}

/// Whether a text has `#line` or `# N` of its own.
fn has_markers(bytes: &[u8]) -> bool {
    bytes.split(|byte| *byte == b'\n').any(is_marker)
}

/// Whether a line is `#line N …` or `# N …`.
pub(crate) fn is_marker(line: &[u8]) -> bool {
    let Some(rest) = line.trim_ascii_start().strip_prefix(b"#") else { return false };
    let rest = rest.trim_ascii_start();
    let number = rest.strip_prefix(b"line").map_or(rest, <[u8]>::trim_ascii_start);
    number.first().is_some_and(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_and_place(source: &SourceFile, bytes: &str, word: &str) -> (Option<Row>, String) {
        let places = Places::new(source, "src/p.c", bytes.as_bytes());
        let offset = String::from_utf8_lossy(source.text()).find(word).unwrap() as u32;
        let (file, line, _) = places.file_line(offset);
        (places.row(offset), format!("{file}:{line}"))
    }

    #[test]
    fn a_text_as_it_is_counts_its_own_lines() {
        let text = "int a;\n#line 100 \"other.c\"\nint b;\n";
        let source = SourceFile::new("/tmp/x/p.c", text);
        assert_eq!(row_and_place(&source, text, "int b"), (Some((0, 3)), "src/p.c:3".to_owned()));
    }

    #[test]
    fn columns_are_those_of_the_file() {
        let file = "#define M(x) (x)\n  int é = M(1) + b, c;\n";
        let text = "# 1 \"<program>\"\n\n  int é = (1) + b, c;\n".as_bytes().to_vec();
        let source = SourceFile::preprocessed("p.c", file.as_bytes(), text.clone());
        let places = Places::new(&source, "p.c", file.as_bytes());
        let column = |word: &str| places.file_line(String::from_utf8_lossy(&text).find(word).unwrap() as u32).2;
        assert_eq!((column("é"), column("="), column("b,")), (7, 9, 3));
    }

    #[test]
    fn a_preprocessed_text_goes_by_its_markers() {
        let file = "#include \"h.h\"\nint b;\n";
        let text = b"# 1 \"h.h\" 1\nint a;\n# 2 \"<program>\" 2\nint b;\n".to_vec();
        let source = SourceFile::preprocessed("/tmp/x/p.c", file.as_bytes(), text);
        assert_eq!(row_and_place(&source, file, "int b"), (Some((0, 2)), "src/p.c:2".to_owned()));
        assert_eq!(row_and_place(&source, file, "int a"), (None, "h.h:1".to_owned()));
        let places = Places::new(&source, "src/p.c", file.as_bytes()).with_headers(vec!["h.h".to_owned()]);
        let offset = String::from_utf8_lossy(source.text()).find("int a").unwrap() as u32;
        assert_eq!(places.row(offset), Some((1, 1)));
    }

    #[test]
    fn markers_in_a_file_that_is_preprocessed_leave_the_preprocessed_text() {
        let file = "#define X 1\n#line 7 \"y.y\"\nint b;\n";
        let text = b"# 1 \"<program>\"\n\n# 7 \"y.y\"\nint b;\n".to_vec();
        let source = SourceFile::preprocessed("p.c", file.as_bytes(), text);
        assert_eq!(row_and_place(&source, file, "int b"), (Some((0, 4)), "y.y:7".to_owned()));
    }
}
