//! Source map: the preprocessed text of one program and where each byte of it comes from.
//!
//! A [`Span`] is a pair of byte offsets into [`SourceFile::text`]. An offset has two places:
//! the *physical* one (line and column of the preprocessed text, which identify CFA edges in
//! artifacts) and the *presumed* one (what `#line` and `# n "file"` say, which people read).
//! Invariant: the text is at most `u32::MAX` bytes long and is never changed after reading.
//! Does not know C, how line markers are written (`markers`), how a text is made of others (`compose`), nor how it was
//! preprocessed.

mod compose;
mod markers;
mod place;

use formats::dense;
use std::borrow::Cow;
use std::sync::Arc;

use sha2::{Digest, Sha256};

pub(crate) use self::markers::PROGRAM_FILE;
use self::markers::{Marker, line_starts, markers, names_line};
pub use self::markers::{is_line_marker, without_detours};
pub use self::place::{Location, Position, Span};
use crate::columns;

/// What a translation unit is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Its text is the program's own.
    #[default]
    Program,
    /// Only what the program uses of it and does not define itself belongs to the program.
    Library,
}

/// The text of one translation unit within that of its program. Where it begins and ends is known from nothing in the text.
#[derive(Clone, Debug)]
pub struct UnitText {
    /// The path of its file.
    pub path: String,
    /// How a folder or list names the file; empty for a program of a single file.
    pub(crate) listed: String,
    /// SHA-256 of the original bytes of the file.
    pub sha256: [u8; 32],
    /// Whether a preprocessor made the text.
    pub preprocessed: bool,
    /// What it is for.
    pub role: Role,
    /// Where it is.
    pub span: Span,
}

/// The text of one program, ready for the lexer, with its identity and its places.
#[derive(Clone, Debug)]
pub struct SourceFile {
    path: String,
    sha256: [u8; 32],
    text: Vec<u8>,
    preprocessed: bool,
    units: Vec<UnitText>,
    line_starts: Vec<u32>,
    files: Vec<String>,
    markers: Vec<Marker>,
    /// Where the text of the C library begins.
    library: u32,
    /// The files of the program as they were written, by their names in `files`, where they were preprocessed.
    written: Vec<Written>,
}

/// A file as it was written.
#[derive(Clone, Debug)]
struct Written {
    file: String,
    text: Arc<[u8]>,
    line_starts: Arc<[u32]>,
}

impl SourceFile {
    /// A file whose text needs no preprocessing.
    pub fn new(path: impl Into<String>, text: impl Into<Vec<u8>>) -> Self {
        let text = text.into();
        let sha256 = Sha256::digest(&text).into();
        Self::assemble(path.into(), sha256, text)
    }

    /// A file whose `text` was made from the bytes `original` by the preprocessor.
    pub fn preprocessed(path: impl Into<String>, original: &[u8], text: Vec<u8>) -> Self {
        let mut file = Self::assemble(path.into(), Sha256::digest(original).into(), text);
        file.preprocessed = true;
        // With line markers of its own, a file says where its text comes from, which is nowhere at hand.
        let is_marked =
            |line: &[u8]| line.trim_ascii_start().strip_prefix(b"#").is_some_and(|rest| names_line(rest.trim_ascii_start()));
        if !original.split(|byte| *byte == b'\n').any(is_marked) {
            let line_starts = line_starts(original).into();
            file.written = vec![Written { file: file.name().to_owned(), text: original.into(), line_starts }];
        }
        file.units.iter_mut().for_each(|unit| unit.preprocessed = true);
        file
    }

    fn assemble(path: String, sha256: [u8; 32], text: Vec<u8>) -> Self {
        let span = Span::new(0, dense(text.len()));
        let mut file = Self {
            files: vec![without_detours(&path)],
            units: vec![UnitText {
                path: path.clone(),
                listed: String::new(),
                sha256,
                preprocessed: false,
                role: Role::Program,
                span,
            }],
            path,
            sha256,
            preprocessed: false,
            line_starts: line_starts(&text),
            library: u32::MAX,
            text,
            markers: Vec::new(),
            written: Vec::new(),
        };
        file.markers = markers(&file.text, &mut file.files);
        file
    }

    /// Whether a place is in the text of the C library.
    pub fn is_library(&self, span: Span) -> bool {
        span.lo >= self.library
    }

    /// The text without that of the C library.
    pub fn own_text(&self) -> &[u8] {
        self.text.get(..self.library as usize).unwrap_or(&self.text)
    }

    /// The path the user gave (`-` for standard input).
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The translation units of the program in order.
    pub fn units(&self) -> &[UnitText] {
        &self.units
    }

    /// The path as [`Self::location`] shows it: without detours.
    pub fn name(&self) -> &str {
        self.files.first().map_or(self.path.as_str(), String::as_str)
    }

    /// The names of the files that the text comes from; the first one is [`Self::name`].
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// SHA-256 of the original bytes, before preprocessing.
    pub fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// [`Self::sha256`] in lower-case hexadecimal.
    pub fn sha256_hex(&self) -> String {
        hexadecimal(&self.sha256)
    }

    /// The files of a program of several files with their hashes; nothing for a single file.
    pub(crate) fn files_of_program(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let listed = self.units.iter().filter(|unit| !unit.listed.is_empty());
        listed.map(|unit| (unit.listed.clone(), hexadecimal(&unit.sha256)))
    }

    /// The text all spans point into.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Whether the text is another one than that of a file: a preprocessor made it, or it is that of several files.
    pub fn is_preprocessed(&self) -> bool {
        self.preprocessed || self.units.len() > 1
    }

    /// The bytes of a span; empty for a span outside the text.
    pub fn slice(&self, span: Span) -> &[u8] {
        self.text.get(span.lo as usize..span.hi as usize).unwrap_or_default()
    }

    /// The text of a span, for people: bytes that are not UTF-8 are replaced.
    pub fn snippet(&self, span: Span) -> Cow<'_, str> {
        String::from_utf8_lossy(self.slice(span))
    }

    /// Physical line and column of an offset.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        Position { line: dense(line), column: offset - start + 1 }
    }

    /// Presumed file, line and column of an offset.
    pub fn location(&self, offset: u32) -> Location<'_> {
        let Position { line, column } = self.position(offset);
        let last = self.markers.partition_point(|marker| marker.physical_line <= line);
        let Some(marker) = last.checked_sub(1).and_then(|index| self.markers.get(index)) else {
            return Location { file: self.name(), line, column };
        };
        let file = self.files.get(marker.file as usize).map_or(self.name(), String::as_str);
        Location { file, line: marker.line.saturating_add(line - marker.physical_line), column }
    }

    /// Presumed file and line of an offset, with the column that gcc names and a terminal shows: the width of the characters before,
    /// a tab up to the next multiple of eight.
    pub fn shown(&self, offset: u32) -> Location<'_> {
        let begin = offset - (self.position(offset).column - 1);
        let (_, column) = columns::expanded(self.slice(Span::new(begin, offset)), 0);
        Location { column: dense(column + 1), ..self.location(offset) }
    }

    /// A line of a file of the program as it was written, before macros were expanded; `None` for files that were not
    /// preprocessed, which are their own text, and for headers.
    #[must_use]
    pub fn written_line(&self, file: &str, line: u32) -> Option<Cow<'_, str>> {
        let written = self.written.iter().find(|written| written.file == file)?;
        let index = line.checked_sub(1)? as usize;
        let lo = *written.line_starts.get(index)? as usize;
        let hi = written.line_starts.get(index + 1).map_or(written.text.len(), |next| *next as usize);
        Some(String::from_utf8_lossy(written.text.get(lo..hi)?.trim_ascii_end()))
    }

    /// Offsets of the first byte of a physical line (from 1) and after its last, without the
    /// line end; `None` outside the text.
    pub fn line(&self, line: u32) -> Option<Span> {
        let index = (line as usize).checked_sub(1)?;
        let lo = *self.line_starts.get(index)?;
        let next = self.line_starts.get(index + 1).map_or(self.text.len(), |end| *end as usize);
        let bytes = self.text.get(lo as usize..next)?;
        let end = bytes.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r'));
        Some(Span::new(lo, lo + end.map_or(0, |last| dense(last) + 1)))
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_follow_line_markers() {
        let text = "int a;\n# 10 \"x.c\" 1 3\nint b;\n\n#line 5\nint c;\n# 7 \"y\\\\z\"\n  int d;\n";
        let file = SourceFile::new("main.c", text);
        let place = |name: &str| {
            let offset = text.find(name).unwrap() as u32;
            (file.location(offset).to_string(), file.position(offset).line)
        };
        assert_eq!(place("int a"), ("main.c:1:1".into(), 1));
        assert_eq!(place("int b"), ("x.c:10:1".into(), 3));
        assert_eq!(place("int c"), ("x.c:5:1".into(), 6));
        assert_eq!(place("int d"), ("y\\z:7:3".into(), 8));
    }

    #[test]
    fn declarations_in_front_change_no_line() {
        let unit = |name: &str, text: &str| (name.to_owned(), SourceFile::new(name, text));
        let joined =
            SourceFile::join("all", vec![unit("a.c", "int a;\n# 10 \"x.c\"\nint b;"), unit("b.c", "\nint c;\n")]).unwrap();
        for file in [SourceFile::new("m.c", "int a;\n# 10 \"x.c\"\nint b;\nint c;\n"), joined] {
            let declared = file.with_declarations("here", "int p;\nint q;\n").unwrap();
            for (number, name) in ["int a", "int b", "int c"].iter().enumerate() {
                let offset = |file: &SourceFile| String::from_utf8_lossy(file.text()).find(name).unwrap() as u32;
                let (before, after) = (offset(&file), offset(&declared));
                assert_eq!(file.location(before), declared.location(after));
                let units = if number == 2 { file.units().len() as u32 } else { 1 };
                assert_eq!(after, before + 14 * units);
            }
            assert_eq!(declared.location(0).to_string(), "here:1:1");
            for (unit, other) in file.units().iter().zip(declared.units()) {
                let text = [b"int p;\nint q;\n", file.slice(unit.span)].concat();
                assert_eq!(declared.slice(other.span), text);
            }
        }
    }

    #[test]
    fn paths_take_no_detours() {
        for (path, direct) in [
            ("pairs/x/../../programs/a.c", "programs/a.c"),
            ("../a/./b.c", "../a/b.c"),
            ("../../a.c", "../../a.c"),
            ("/a/../b.c", "/b.c"),
            ("a.c", "a.c"),
            ("./a.c", "a.c"),
            ("a//b.c", "a/b.c"),
            ("<built-in>", "<built-in>"),
        ] {
            assert_eq!(without_detours(path), direct);
        }
        let file = SourceFile::new("x/../a.c", "int a;\n# 1 \"y/../b.c\"\nint b;\n");
        assert_eq!((file.path(), file.name()), ("x/../a.c", "a.c"));
        assert_eq!(file.location(0).to_string(), "a.c:1:1");
        assert_eq!(file.location(file.text.len() as u32 - 3).file, "b.c");
    }

    #[test]
    fn lines_without_their_ends() {
        let file = SourceFile::new("a.c", "ab\r\n\ncd");
        let line = |number| file.line(number).map(|span| file.snippet(span).into_owned());
        assert_eq!(line(1).as_deref(), Some("ab"));
        assert_eq!(line(2).as_deref(), Some(""));
        assert_eq!(line(3).as_deref(), Some("cd"));
        assert_eq!(line(4), None);
        assert_eq!(line(0), None);
    }

    #[test]
    fn the_hash_is_of_the_original() {
        let file = SourceFile::preprocessed("a.c", b"abc", b"xyz".to_vec());
        assert!(file.sha256_hex().starts_with("ba7816bf8f01cfea"));
        assert!(file.is_preprocessed());
    }
}
