//! What a compiler sees of a preprocessed text: its words without comments, line markers and blanks that separate nothing.
//!
//! Precise enough to say that two texts are the same for the compiler, not to say that they differ.
//! Does not know C beyond comments, literals and names.

/// The words of a text.
pub(crate) fn essence(text: &[u8]) -> Vec<u8> {
    let (mut out, mut at, mut gap) = (Vec::with_capacity(text.len() / 2), 0, false);
    while let Some(&byte) = text.get(at) {
        let line_starts = at == 0 || text[at - 1] == b'\n';
        let end = match byte {
            b'#' if line_starts && is_marker(&text[at..]) => find(text, at, b"\n"),
            b'/' if text[at..].starts_with(b"/*") => find(text, at + 2, b"*/").saturating_add(2),
            b'/' if text[at..].starts_with(b"//") => find(text, at, b"\n"),
            _ if byte.is_ascii_whitespace() => at + 1,
            _ => {
                if gap && out.last().is_some_and(|last| is_word(*last) == is_word(byte)) {
                    out.push(b' ');
                }
                let end = if byte == b'"' || byte == b'\'' { literal(text, at) } else { at + 1 };
                out.extend_from_slice(&text[at..end.min(text.len())]);
                (gap, at) = (false, end);
                continue;
            }
        };
        (gap, at) = (true, end);
    }
    out
}

/// The names of a text.
pub(crate) fn names(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !is_word(*byte)).filter(|word| word.first().is_some_and(|byte| !byte.is_ascii_digit()))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Whether the line is `# 12 "name"`.
fn is_marker(line: &[u8]) -> bool {
    let digits = line.strip_prefix(b"# ").or_else(|| line.strip_prefix(b"#line "));
    digits.and_then(<[u8]>::first).is_some_and(u8::is_ascii_digit)
}

/// Where `wanted` begins, or the end.
fn find(text: &[u8], from: usize, wanted: &[u8]) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.windows(wanted.len()).position(|window| window == wanted).map_or(text.len(), |at| from + at)
}

/// Where the literal that begins at `at` ends.
fn literal(text: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < text.len() && text[end] != text[at] && text[end] != b'\n' {
        end += if text[end] == b'\\' { 2 } else { 1 };
    }
    end + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_separates_nothing_is_left_out() {
        let same = |one: &str, other: &str| essence(one.as_bytes()) == essence(other.as_bytes());
        assert!(same("int  x = 1; // one\n", "# 3 \"a.c\"\nint x=1;/* two */\n"));
        assert!(same("f (x, \"a // b\");", "f(x,/**/ \"a // b\");"));
        assert!(same("a ", "a"));
        for (one, other) in [
            ("a + +b", "a ++b"),
            ("intx;", "int x;"),
            ("\"a  b\"", "\"a b\""),
            ("'\\'' /* ' */", "'\\''' '"),
            ("#pragma pack(1)\n", ""),
            ("a /* open", "a"),
        ] {
            let is_open = one.ends_with("open");
            assert_eq!(same(one, other), is_open, "{one} | {other}");
        }
        assert_eq!(names(b"ab1 + 2c(_d)").collect::<Vec<_>>(), [b"ab1".as_slice(), b"_d"]);
    }
}
