//! Lines of C text as a terminal shows them, and how far to the right that goes.
//!
//! Columns are those that gcc names: a character counts as wide as it is, a tab up to the next multiple of eight.
//! Does not know where the text is.

use formats::shown;
use unicode_width::UnicodeWidthChar;

/// Between the positions that tabs lead to.
const TAB: usize = 8;

/// Text that begins at a column (from 0), with blanks for tabs and `?` for what cannot be shown; and the column behind it.
pub(crate) fn expanded(text: &[u8], column: usize) -> (String, usize) {
    let (mut out, mut column) = (String::with_capacity(text.len()), column);
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => {
                    out.push(c);
                    column = 0;
                }
                '\t' => {
                    let width = TAB - column % TAB;
                    out.extend(std::iter::repeat_n(' ', width));
                    column += width;
                }
                _ => {
                    let shown = if shown::is_harmless(c) { c } else { '?' };
                    out.push(shown);
                    column += shown.width().unwrap_or(1);
                }
            }
        }
        out.extend(chunk.invalid().iter().map(|_| '?'));
        column += chunk.invalid().len();
    }
    (out, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_wide_as_it_looks() {
        for (text, shown, column) in [
            ("int x;", "int x;", 6),
            ("\tint\tx;", "        int     x;", 18),
            ("\"äöü\" ", "\"äöü\" ", 6),
            ("\"漢字\"", "\"漢字\"", 6),
            ("a\n\tb", "a\n        b", 9),
            ("a\u{7}\u{202e}b", "a??b", 4),
        ] {
            assert_eq!(expanded(text.as_bytes(), 0), (shown.to_owned(), column), "{text:?}");
        }
        assert_eq!(expanded(b"\t\xff\xfe;", 5), ("   ??;".to_owned(), 11));
    }
}
