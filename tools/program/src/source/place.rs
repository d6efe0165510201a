//! Places: ranges of bytes of a text, and what people call where they are.
//!
//! Does not know the text; see [`SourceFile`](super::SourceFile).

use std::fmt;

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
    /// Byte column, from 1; for people ([`SourceFile::shown`](super::SourceFile::shown)) the one that a terminal shows.
    pub column: u32,
}

impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
