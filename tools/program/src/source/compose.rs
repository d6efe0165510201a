//! Texts made of others: the units of a program in one text, and lines that are put in front of or behind those of a unit.
//!
//! Invariant: what a line of a unit is presumed to be stays the same, whatever is put around it, and so do the hashes of
//! files. A text that offsets of 32 bits cannot address is none.
//! Does not know why lines are added, nor what they say.

use formats::dense;
use sha2::{Digest, Sha256};

use super::markers::{Marker, line_starts, markers};
use super::{Role, SourceFile, Span, UnitText};

impl SourceFile {
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
}
