//! Line markers: what `#line` and `# n "file"` of a preprocessed text say about the lines behind them.
//!
//! Knows how they are written and which files they name, without detours. Does not know where the text comes from.

use formats::dense;

/// The name of the program itself in the line markers of a preprocessed text.
pub(crate) const PROGRAM_FILE: &str = "<program>";

/// A `#line N "file"` or `# N "file"` of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marker {
    /// Physical line (from 1) that the marker describes: the one after it.
    pub(super) physical_line: u32,
    /// Presumed number of that line.
    pub(super) line: u32,
    /// Index into `files`.
    pub(super) file: u32,
}

/// Whether a line of a text is a line marker: `#line 7`, `# 7 "a.c"`.
#[must_use]
pub fn is_line_marker(line: &str) -> bool {
    line.trim_start().strip_prefix('#').is_some_and(|rest| names_line(rest.trim_start().as_bytes()))
}

/// Whether what follows the `#` of a directive names a line: `line 7`, `7 "a.c"`.
pub(super) fn names_line(directive: &[u8]) -> bool {
    directive.starts_with(b"line") || directive.first().is_some_and(u8::is_ascii_digit)
}

/// The line markers of a text; names of files that are not yet in `files` are added. The first one is the program.
pub(super) fn markers(text: &[u8], files: &mut Vec<String>) -> Vec<Marker> {
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
pub(super) fn line_starts(text: &[u8]) -> Vec<u32> {
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
