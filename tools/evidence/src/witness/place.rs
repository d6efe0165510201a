//! Where the formats for witnesses want things to be: lines of the file the user gave, and keywords of statements.

use formats::witness::Place;
use program::cfa::{Cfa, Edge};
use program::source::Span;

/// The place of a span, in the file whose hash the witness names. After preprocessing only lines are known; the text of
/// included files is in another file.
#[must_use]
pub(super) fn place(cfa: &Cfa, span: Span) -> Place {
    let source = &cfa.source;
    if source.is_preprocessed() {
        let (start, end) = (source.location(span.lo), source.location(span.hi));
        let file = (start.file != source.name()).then(|| start.file.to_owned());
        let end_line = (end.file == start.file && end.line >= start.line).then_some(end.line);
        return Place { file, line: start.line, end_line, ..Place::default() };
    }
    let (start, end) = (source.position(span.lo), source.position(span.hi));
    Place {
        line: start.line,
        column: Some(start.column),
        end_line: Some(end.line),
        start_offset: (!span.is_empty()).then(|| u64::from(span.lo)),
        end_offset: (!span.is_empty()).then(|| u64::from(span.hi) - 1),
        ..Place::default()
    }
}

/// The text of the line before a place, and behind it. A witness for a preprocessed program names lines only, and a line
/// means the first place on it that fits.
#[must_use]
pub(super) fn around(cfa: &Cfa, span: Span) -> (&[u8], &[u8]) {
    let line = cfa.source.line(cfa.source.position(span.lo).line).unwrap_or(span);
    (cfa.source.slice(Span::new(line.lo, span.lo)), cfa.source.slice(Span::new(span.hi.min(line.hi), line.hi)))
}

/// The keyword of the `if` or `while` statement whose whole condition this edge evaluates.
#[must_use]
pub(super) fn branching_keyword(cfa: &Cfa, edge: &Edge) -> Option<Span> {
    let (keyword, header) = header(cfa, edge, &["if", "while"])?;
    let open = header.iter().filter(|&&byte| byte == b'(').count();
    if open == 0 || header.iter().any(|&byte| byte != b'(' && !byte.is_ascii_whitespace()) {
        return None;
    }
    let behind = cfa.source.slice(Span::new(edge.span.hi, edge.statement.hi));
    let mut closed = 0;
    for byte in behind {
        match byte {
            b')' => closed += 1,
            byte if byte.is_ascii_whitespace() => {}
            _ => break,
        }
        if closed == open {
            return Some(keyword);
        }
    }
    None
}

/// The keyword with which the statement of an edge begins, and what stands between it and the edge.
fn header<'a>(cfa: &'a Cfa, edge: &Edge, keywords: &[&str]) -> Option<(Span, &'a [u8])> {
    let statement = cfa.source.slice(edge.statement);
    let keyword = keywords.iter().find(|keyword| statement.starts_with(keyword.as_bytes()))?;
    let end = edge.statement.lo + u32::try_from(keyword.len()).ok()?;
    let next = *cfa.source.slice(Span::new(end, end + 1)).first()?;
    if next.is_ascii_alphanumeric() || next == b'_' || edge.span.lo < end || edge.span.hi > edge.statement.hi {
        return None;
    }
    Some((Span::new(edge.statement.lo, end), cfa.source.slice(Span::new(end, edge.span.lo))))
}
