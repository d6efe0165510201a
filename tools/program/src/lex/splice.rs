//! Line splices: a backslash at the end of a line joins it with the next one.
//!
//! Texts without splices, nearly all of them, are used as they are. Otherwise the lexer works on
//! a copy without them, and [`Splices::restore`] turns its offsets into those of the source.

use formats::dense;
use std::borrow::Cow;

use crate::source::Span;

/// Where splices were removed from a text.
#[derive(Debug, Default)]
pub(crate) struct Splices {
    /// Offset in the joined text, and how many bytes were removed up to there.
    removed: Vec<(u32, u32)>,
}

impl Splices {
    /// The joined text and where it was joined.
    pub(crate) fn remove(text: &[u8]) -> (Cow<'_, [u8]>, Self) {
        let mut splices = Self::default();
        let mut joined = Vec::new();
        let mut copied = 0;
        let mut at = 0;
        while let Some(distance) = text[at..].iter().position(|byte| *byte == b'\\') {
            at += distance;
            let length = splice_length(&text[at..]);
            if length == 0 {
                at += 1;
                continue;
            }
            joined.extend_from_slice(&text[copied..at]);
            at += length;
            copied = at;
            splices.removed.push((dense(joined.len()), dense(at - joined.len())));
        }
        if splices.removed.is_empty() {
            return (Cow::Borrowed(text), splices);
        }
        joined.extend_from_slice(&text[copied..]);
        (Cow::Owned(joined), splices)
    }

    /// The span in the source text of a span in the joined text.
    pub(crate) fn restore(&self, span: Span) -> Span {
        if self.removed.is_empty() {
            return span;
        }
        // A splice exactly at the end of a token lies behind it.
        let last = self.before(span.hi.saturating_sub(1).max(span.lo)) + 1;
        let hi = if span.is_empty() { self.before(span.hi) } else { last };
        Span::new(self.before(span.lo), hi)
    }

    /// The offset in the source text of a byte of the joined text.
    fn before(&self, offset: u32) -> u32 {
        let index = self.removed.partition_point(|(at, _)| *at <= offset);
        let removed = index.checked_sub(1).and_then(|last| self.removed.get(last));
        offset + removed.map_or(0, |(_, count)| *count)
    }
}

/// Length of the splice at the beginning of `text`: backslash, blanks (as gcc allows), line end.
fn splice_length(text: &[u8]) -> usize {
    let blanks = text.iter().skip(1).take_while(|byte| matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)).count();
    match text.get(1 + blanks..).unwrap_or_default() {
        [b'\n', ..] => blanks + 2,
        [b'\r', b'\n', ..] => blanks + 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_restored() {
        let text = b"ab\\\ncd \\ \r\nef";
        let (joined, splices) = Splices::remove(text);
        assert_eq!(&joined[..], b"abcd ef");
        let restored = |lo, hi| {
            let span = splices.restore(Span::new(lo, hi));
            &text[span.lo as usize..span.hi as usize]
        };
        assert_eq!(restored(0, 4), b"ab\\\ncd");
        assert_eq!(restored(0, 2), b"ab");
        assert_eq!(restored(5, 7), b"ef");
    }
}
