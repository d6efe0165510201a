//! Source map: the preprocessed text of one program and where each byte of it comes from.
//!
//! A [`Span`] is a pair of byte offsets into [`SourceFile::text`]. An offset has two places:
//! the *physical* one (line and column of the preprocessed text, which identify CFA edges in
//! artifacts) and the *presumed* one (what `#line` and `# n "file"` say, which people read).
//! Invariant: the text is at most `u32::MAX` bytes long and is never changed after reading.
//! Does not know C beyond line markers, and does not know how the text was preprocessed.

use formats::dense;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::columns;

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

    /// The same range of a text that stands behind `base` bytes of other text.
    #[must_use]
    pub(crate) fn shifted(self, base: u32) -> Self {
        Self { lo: self.lo.saturating_add(base), hi: self.hi.saturating_add(base) }
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
    /// Byte column, from 1; for people ([`SourceFile::shown`]) the one that a terminal shows.
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

    /// One program of several translation units, which has the name `path`. Each unit comes with the name that says in
    /// the hash of the program which file it is.
    ///
    /// Returns `None` for texts that are together longer than offsets of 32 bits can address.
    #[must_use]
    pub fn join(path: impl Into<String>, units: Vec<(String, Self)>) -> Option<Self> {
        let mut hash = Sha256::new();
        for (name, unit) in &units {
            hash.update(format!("{}  {name}\n", unit.sha256_hex()));
        }
        let mut joined = Self::assemble(path.into(), hash.finalize().into(), Vec::new());
        joined.units.clear();
        joined.line_starts.clear();
        for (name, unit) in units {
            joined.append(unit, Role::Program)?;
            joined.units.iter_mut().rev().take(1).for_each(|unit| unit.listed.clone_from(&name));
        }
        Some(joined)
    }

    /// The program with another translation unit, of which only belongs to it what it uses.
    ///
    /// Returns `None` if the text would be longer than offsets of 32 bits can address.
    #[must_use]
    pub fn with_library(mut self, unit: Self) -> Option<Self> {
        self.end_line();
        self.library = self.library.min(dense(self.text.len()));
        self.append(unit, Role::Library)?;
        Some(self)
    }

    /// Ends the last line, so that what follows begins a line of its own.
    fn end_line(&mut self) {
        if self.line_starts.last().is_some_and(|start| *start as usize == self.text.len()) {
            self.line_starts.pop();
        } else if self.text.last().is_some_and(|last| *last != b'\n') {
            self.text.push(b'\n');
        }
    }

    /// Appends a unit; every line of the text so far has an end.
    fn append(&mut self, mut unit: Self, role: Role) -> Option<()> {
        unit.end_line();
        let base = u32::try_from(self.text.len()).ok()?;
        u32::try_from(self.text.len() + unit.text.len()).ok()?;
        let lines = u32::try_from(self.line_starts.len()).ok()?;
        let mut numbers = Vec::with_capacity(unit.files.len());
        for name in unit.files {
            // The first name is that of the whole program, no file.
            let known = self.files.iter().skip(usize::from(role == Role::Program)).position(|known| *known == name);
            numbers.push(dense(match known {
                Some(known) => known + usize::from(role == Role::Program),
                None => {
                    self.files.push(name);
                    self.files.len() - 1
                }
            }));
        }
        self.markers.push(Marker { physical_line: lines + 1, line: 1, file: *numbers.first()? });
        self.markers.extend(unit.markers.iter().map(|marker| Marker {
            physical_line: marker.physical_line + lines,
            line: marker.line,
            file: numbers.get(marker.file as usize).copied().unwrap_or(0),
        }));
        self.line_starts.extend(unit.line_starts.iter().map(|start| start + base));
        self.text.extend_from_slice(&unit.text);
        let (span, listed) = (Span::new(base, dense(self.text.len())), String::new());
        let (path, sha256, preprocessed) = (unit.path, unit.sha256, unit.preprocessed);
        self.units.push(UnitText { path, listed, sha256, preprocessed, role, span });
        self.preprocessed |= preprocessed;
        self.written.extend(unit.written);
        Some(())
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

    /// The same text, with the names of files from the markers of `named`: a text with the same lines, whose markers may
    /// say more than those that are part of the program.
    #[must_use]
    pub(crate) fn named_by(mut self, named: &[u8]) -> Self {
        self.files.truncate(1);
        self.markers = markers(named, &mut self.files);
        self
    }

    /// The text with lines behind that of a unit that come from elsewhere; `name` stands for their file. The hash stays that
    /// of the program's own bytes.
    #[must_use]
    pub(crate) fn extended(&self, name: &str, lines: &str, unit: usize) -> Self {
        let mut extended = self.clone();
        let end = extended.units.get(unit).map_or(self.text.len(), |unit| unit.span.hi as usize);
        let (before, behind) = self.text.split_at(end.min(self.text.len()));
        let mut added = lines.as_bytes().to_vec();
        // The text of the last unit may lack the end of its last line, where nothing follows.
        let break_first = before.last() != Some(&b'\n');
        if break_first {
            added.insert(0, b'\n');
        }
        if added.last() != Some(&b'\n') {
            added.push(b'\n');
        }
        extended.text = [before, &added, behind].concat();
        extended.line_starts = line_starts(&extended.text);
        let first = extended.position(dense(end) + u32::from(break_first)).line;
        let count = dense(added.iter().filter(|byte| **byte == b'\n').count()) - u32::from(break_first);
        extended.files.push(name.to_owned());
        let at = extended.markers.partition_point(|marker| marker.physical_line < first);
        extended.markers[at..].iter_mut().for_each(|marker| marker.physical_line += count);
        let file = dense(extended.files.len()) - 1;
        extended.markers.insert(at, Marker { physical_line: first, line: 1, file });
        let length = dense(added.len());
        for (number, other) in extended.units.iter_mut().enumerate().skip(unit) {
            let lo = if number == unit { other.span.lo } else { other.span.lo + length };
            other.span = Span::new(lo, other.span.hi + length);
        }
        extended
    }

    /// The program with the same lines in front of the text of each of its own units; `name` stands for their file. Line
    /// numbers of the units stay what they are. What is to be found at an offset stands so many times the length of `lines`
    /// behind it as own units begin at or before it.
    ///
    /// Returns `None` if the text would be longer than offsets of 32 bits can address.
    #[must_use]
    pub fn with_declarations(&self, name: &str, lines: &str) -> Option<Self> {
        let mut declared = self.clone();
        if lines.is_empty() {
            return Some(declared);
        }
        let (length, count) = (u32::try_from(lines.len()).ok()?, dense(lines.lines().count()));
        declared.files.push(name.to_owned());
        let file = dense(declared.files.len()) - 1;
        let (mut text, mut markers, mut copied, mut given) = (Vec::new(), Vec::new(), 0, 0);
        let mut pending = self.markers.iter().peekable();
        let is_own = |unit: &&mut UnitText| unit.role == Role::Program;
        for unit in declared.units.iter_mut().filter(is_own) {
            let lo = unit.span.lo;
            text.extend_from_slice(self.text.get(copied..lo as usize)?);
            text.extend_from_slice(lines.as_bytes());
            copied = lo as usize;
            let first = self.position(lo).line;
            while let Some(marker) = pending.next_if(|marker| marker.physical_line < first) {
                markers.push(Marker { physical_line: marker.physical_line + given * count, ..*marker });
            }
            markers.push(Marker { physical_line: first + given * count, line: 1, file });
            unit.span.lo += given * length;
            given += 1;
            unit.span.hi += given * length;
            if pending.peek().is_none_or(|marker| marker.physical_line != first) {
                // A program of a single file begins with its first line.
                markers.push(Marker { physical_line: first + given * count, line: 1, file: 0 });
            }
        }
        markers.extend(pending.map(|marker| Marker { physical_line: marker.physical_line + given * count, ..*marker }));
        text.extend_from_slice(self.text.get(copied..)?);
        u32::try_from(text.len()).ok()?;
        for unit in declared.units.iter_mut().filter(|unit| unit.role == Role::Library) {
            unit.span = unit.span.shifted(given * length);
        }
        declared.library = declared.library.saturating_add(given * length);
        (declared.line_starts, declared.markers, declared.text) = (line_starts(&text), markers, text);
        Some(declared)
    }

    /// The program of one unit with a text behind its own, in the same unit.
    #[must_use]
    pub(crate) fn with_bodies(mut self, text: &str) -> Self {
        let end = dense(self.line_starts.len());
        self.library = dense(self.text.len());
        self.text.extend_from_slice(text.as_bytes());
        let more = markers(text.as_bytes(), &mut self.files);
        self.markers.extend(more.into_iter().map(|marker| Marker { physical_line: marker.physical_line + end - 1, ..marker }));
        self.line_starts = line_starts(&self.text);
        if let Some(unit) = self.units.last_mut() {
            unit.span.hi = dense(self.text.len());
        }
        self
    }

    /// The program with lines behind all of its text that belong to no unit, and where they begin; `name` stands for their file.
    ///
    /// Returns `None` if the text would be longer than offsets of 32 bits can address.
    #[must_use]
    pub(crate) fn annotated(mut self, name: &str, lines: &str) -> Option<(Self, u32)> {
        if self.text.last().is_some_and(|last| *last != b'\n') {
            self.text.push(b'\n');
        }
        let base = u32::try_from(self.text.len()).ok()?;
        u32::try_from(self.text.len() + lines.len()).ok()?;
        self.text.extend_from_slice(lines.as_bytes());
        self.line_starts = line_starts(&self.text);
        self.files.push(name.to_owned());
        let file = u32::try_from(self.files.len() - 1).ok()?;
        let physical_line = self.position(base).line;
        self.markers.push(Marker { physical_line, line: 1, file });
        Some((self, base))
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

/// Whether a line of a text is a line marker: `#line 7`, `# 7 "a.c"`.
#[must_use]
pub fn is_line_marker(line: &str) -> bool {
    line.trim_start().strip_prefix('#').is_some_and(|rest| names_line(rest.trim_start().as_bytes()))
}

/// Whether what follows the `#` of a directive names a line: `line 7`, `7 "a.c"`.
fn names_line(directive: &[u8]) -> bool {
    directive.starts_with(b"line") || directive.first().is_some_and(u8::is_ascii_digit)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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
                Some(known) => dense(known),
                None => {
                    files.push(name);
                    dense(files.len()) - 1
                }
            },
        };
        markers.push(Marker { physical_line: dense(index) + 2, line, file });
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
    std::iter::once(0).chain(ends.map(|(index, _)| dense(index) + 1)).collect()
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
