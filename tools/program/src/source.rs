//! Source map: the preprocessed text of one program and where each byte of it comes from.
//!
//! A [`Span`] is a pair of byte offsets into [`SourceFile::text`]. An offset has two places:
//! the *physical* one (line and column of the preprocessed text, which identify CFA edges in
//! artifacts) and the *presumed* one (what `#line` and `# n "file"` say, which people read).
//! Invariant: the text is at most `u32::MAX` bytes long and is never changed after reading.
//! Does not know C beyond line markers, and does not know how the text was preprocessed.

use std::borrow::Cow;
use std::fmt;

use sha2::{Digest, Sha256};

/// The name of the program itself in the line markers of a preprocessed text.
pub(crate) const PROGRAM_FILE: &str = "<program>";

/// A half-open range of bytes of the preprocessed text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub lo: u32,
    /// Offset after the last byte.
    pub hi: u32,
}

impl Span {
    /// The range from `lo` to before `hi`.
    pub const fn new(lo: u32, hi: u32) -> Self {
        Self { lo, hi }
    }

    /// The smallest span that contains both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Whether `other` lies within this span.
    pub fn contains(self, other: Self) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// Number of bytes.
    pub fn len(self) -> u32 {
        self.hi.saturating_sub(self.lo)
    }

    /// Whether the span has no bytes.
    pub fn is_empty(self) -> bool {
        self.hi <= self.lo
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.lo, self.hi)
    }
}

/// A physical place in the preprocessed text; both numbers start at 1, columns count bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Byte column, from 1.
    pub column: u32,
}

/// A presumed place: what the line markers of the text say about an offset.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location<'a> {
    /// File named by the last marker, or the path of the source file.
    pub file: &'a str,
    /// Line in that file, from 1.
    pub line: u32,
    /// Byte column, from 1.
    pub column: u32,
}

impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A `#line N "file"` or `# N "file"` of the text.
#[derive(Clone, Copy, Debug)]
struct Marker {
    /// Physical line (from 1) that the marker describes: the one after it.
    physical_line: u32,
    /// Presumed number of that line.
    line: u32,
    /// Index into `files`.
    file: u32,
}

/// The text of one program, ready for the lexer, with its identity and its places.
#[derive(Clone, Debug)]
pub struct SourceFile {
    path: String,
    sha256: [u8; 32],
    text: Vec<u8>,
    preprocessed: bool,
    line_starts: Vec<u32>,
    files: Vec<String>,
    markers: Vec<Marker>,
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
        file
    }

    fn assemble(path: String, sha256: [u8; 32], text: Vec<u8>) -> Self {
        let mut file = Self {
            files: vec![without_detours(&path)],
            path,
            sha256,
            preprocessed: false,
            line_starts: line_starts(&text),
            text,
            markers: Vec::new(),
        };
        file.markers = markers(&file.text, &mut file.files);
        file
    }

    /// The same text, with the names of files from the markers of `named`: a text with the same lines, whose markers may
    /// say more than those that are part of the program.
    #[must_use]
    pub(crate) fn named_by(mut self, named: &[u8]) -> Self {
        self.files.truncate(1);
        self.markers = markers(named, &mut self.files);
        self
    }

    /// The text with lines behind it that come from elsewhere; `name` stands for their file. The hash stays that of the
    /// program's own bytes.
    #[must_use]
    pub(crate) fn extended(&self, name: &str, lines: &str) -> Self {
        let mut extended = self.clone();
        if extended.text.last() != Some(&b'\n') {
            extended.text.push(b'\n');
        }
        let start = extended.text.len() as u32;
        extended.text.extend_from_slice(lines.as_bytes());
        extended.line_starts = line_starts(&extended.text);
        let first = extended.position(start).line;
        extended.files.push(name.to_owned());
        extended.markers.push(Marker { physical_line: first, line: 1, file: extended.files.len() as u32 - 1 });
        extended
    }

    /// The path the user gave (`-` for standard input).
    pub fn path(&self) -> &str {
        &self.path
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
        self.sha256.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The text all spans point into.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Whether a preprocessor made the text.
    pub fn is_preprocessed(&self) -> bool {
        self.preprocessed
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
        Position { line: line as u32, column: offset - start + 1 }
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

    /// Offsets of the first byte of a physical line (from 1) and after its last, without the
    /// line end; `None` outside the text.
    pub fn line(&self, line: u32) -> Option<Span> {
        let index = (line as usize).checked_sub(1)?;
        let lo = *self.line_starts.get(index)?;
        let next = self.line_starts.get(index + 1).map_or(self.text.len(), |end| *end as usize);
        let bytes = self.text.get(lo as usize..next)?;
        let end = bytes.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r'));
        Some(Span::new(lo, lo + end.map_or(0, |last| last as u32 + 1)))
    }
}

/// The line markers of a text; names of files that are not yet in `files` are added. The first one is the program.
fn markers(text: &[u8], files: &mut Vec<String>) -> Vec<Marker> {
    let mut markers: Vec<Marker> = Vec::new();
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let skipped = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let Some(directive) = line.get(skipped..).and_then(|rest| rest.strip_prefix(b"#")) else {
            continue;
        };
        let Some((line, name)) = parse_marker(directive) else {
            continue;
        };
        let current = markers.last().map_or(0, |marker| marker.file);
        let file = match name.map(|name| without_detours(&name)) {
            None => current,
            Some(name) if name == PROGRAM_FILE => 0,
            Some(name) => match files.iter().rposition(|known| *known == name) {
                Some(known) => known as u32,
                None => {
                    files.push(name);
                    files.len() as u32 - 1
                }
            },
        };
        markers.push(Marker { physical_line: index as u32 + 2, line, file });
    }
    markers
}

/// A path without `.` and without `folder/..`, as people want to see it.
#[must_use]
pub fn without_detours(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, ".." | "")) => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

/// The offsets at which lines begin.
fn line_starts(text: &[u8]) -> Vec<u32> {
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    std::iter::once(0).chain(ends.map(|(index, _)| index as u32 + 1)).collect()
}

/// Reads what follows the `#` of a line marker: `line 12 "f.c"`, `12 "f.c" 1 3`, `line 12`.
fn parse_marker(directive: &[u8]) -> Option<(u32, Option<String>)> {
    let text = String::from_utf8_lossy(directive);
    let text = text.trim();
    let text = text.strip_prefix("line").map_or(text, str::trim_start);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let line = text.get(..digits)?.parse().ok()?;
    let rest = text.get(digits..)?.trim_start();
    let Some(quoted) = rest.strip_prefix('"') else {
        return Some((line, None));
    };
    let mut name = String::new();
    let mut characters = quoted.chars();
    loop {
        match characters.next()? {
            '"' => return Some((line, Some(name))),
            '\\' => name.push(characters.next()?),
            other => name.push(other),
        }
    }
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
