//! What a compiler sees of a preprocessed text: its words without comments, line markers and blanks that separate nothing.
//!
//! Precise enough to say that two texts are the same for the compiler, not to say that they differ.
//! Does not know C beyond comments, literals and names.

use std::borrow::Cow;

/// The words of a text. Directives keep their lines: what stands behind one on its line belongs to it.
pub(crate) fn essence(text: &[u8]) -> Vec<u8> {
    let text = &*plain(text);
    let (mut out, mut at, mut gap) = (Vec::with_capacity(text.len() / 2), 0, false);
    // Nothing but blanks and comments so far on this line; in the line of a directive.
    let (mut is_start, mut is_directive) = (true, false);
    while let Some(&byte) = text.get(at) {
        let line_starts = at == 0 || text[at - 1] == b'\n';
        let end = match byte {
            b'#' if line_starts && is_marker(&text[at..]) => find(text, at, b"\n"),
            b'/' if text[at..].starts_with(b"/*") => find(text, at + 2, b"*/").saturating_add(2),
            b'/' if text[at..].starts_with(b"//") => find(text, at, b"\n"),
            b'\n' => {
                if is_directive {
                    out.push(b'\n');
                }
                (is_start, is_directive) = (true, false);
                at + 1
            }
            _ if byte.is_ascii_whitespace() => at + 1,
            _ => {
                if is_start && (byte == b'#' || text[at..].starts_with(b"%:")) {
                    (is_directive, gap) = (true, false);
                    out.push(b'\n');
                }
                if gap && out.last().is_some_and(|last| is_word(*last) == is_word(byte)) {
                    out.push(b' ');
                }
                let end = if byte == b'"' || byte == b'\'' { literal(text, at) } else { at + 1 };
                out.extend_from_slice(&text[at..end]);
                (gap, at, is_start) = (false, end, false);
                continue;
            }
        };
        (gap, at) = (true, end);
    }
    if is_directive {
        out.push(b'\n');
    }
    out
}

/// A text without line splices, and with characters themselves instead of their numbers in names.
pub(crate) fn plain(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'\\') {
        return Cow::Borrowed(text);
    }
    let text = joined(text);
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    while let Some(&byte) = text.get(at) {
        let end = match byte {
            b'/' if text[at..].starts_with(b"/*") => find(&text, at + 2, b"*/").saturating_add(2).min(text.len()),
            b'/' if text[at..].starts_with(b"//") => find(&text, at, b"\n"),
            b'"' | b'\'' => literal(&text, at),
            b'\\' => match numbered(&text[at + 1..]).filter(|(character, _)| *character == '$' || !character.is_ascii()) {
                Some((character, length)) => {
                    out.extend_from_slice(character.to_string().as_bytes());
                    at += 1 + length;
                    continue;
                }
                None => at + 1,
            },
            _ => at + 1,
        };
        out.extend_from_slice(&text[at..end]);
        at = end;
    }
    Cow::Owned(out)
}

/// What the string literals of a text say: escapes are read, and literals that follow each other are one.
pub(crate) fn strings(text: &[u8]) -> Vec<Vec<u8>> {
    let text = essence(text);
    let (mut found, mut at, mut is_behind): (Vec<Vec<u8>>, _, _) = (Vec::new(), 0, false);
    while let Some(&byte) = text.get(at) {
        let end = if byte == b'"' || byte == b'\'' { literal(&text, at) } else { at + 1 };
        if byte == b'"' {
            let inside = text[at + 1..end].strip_suffix(b"\"").unwrap_or(&text[at + 1..end]);
            match found.last_mut().filter(|_| is_behind) {
                Some(last) => last.extend(unescaped(inside)),
                None => found.push(unescaped(inside)),
            }
            is_behind = true;
        } else if !byte.is_ascii_whitespace() {
            // The prefix of a literal parts it from none.
            let word = text[at..].split(|byte| !is_word(*byte)).next().unwrap_or_default();
            let is_prefix = [b"L".as_slice(), b"u", b"U", b"u8"].contains(&word) && text.get(at + word.len()) == Some(&b'"');
            if is_prefix && is_behind {
                at += word.len();
                continue;
            }
            is_behind = false;
        }
        at = end;
    }
    found
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

/// Where the literal that begins at `at` ends, which is at the end of its line at the latest.
fn literal(text: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < text.len() && text[end] != text[at] && text[end] != b'\n' {
        end += if text[end] == b'\\' { 2 } else { 1 };
    }
    let is_closed = text.get(end) == Some(&text[at]);
    if is_closed { end + 1 } else { end.min(text.len()) }
}

/// A text whose lines are joined where a backslash ends one, with blanks behind it or not.
fn joined(text: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    while let Some(&byte) = text.get(at) {
        let behind = &text[at + 1..];
        let blanks = behind.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | 0x0b | 0x0c | b'\r')).count();
        if byte == b'\\' && behind.get(blanks) == Some(&b'\n') {
            at += blanks + 2;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    out
}

/// The character of `u….` or `U……..`, and the length of that.
fn numbered(text: &[u8]) -> Option<(char, usize)> {
    let length = match text.first()? {
        b'u' => 5,
        b'U' => 9,
        _ => return None,
    };
    let digits = text.get(1..length).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    let number = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some((char::from_u32(number)?, length))
}

/// The bytes that the inside of a literal stands for.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
    while let Some(&byte) = text.get(at) {
        at += 1;
        let Some(&letter) = text.get(at).filter(|_| byte == b'\\') else {
            out.push(byte);
            continue;
        };
        if let Some((character, length)) = numbered(&text[at..]) {
            out.extend_from_slice(character.to_string().as_bytes());
            at += length;
            continue;
        }
        let (skipped, base, most) = match letter {
            b'x' => (1, 16, usize::MAX),
            b'0'..=b'7' => (0, 8, 3),
            _ => (1, 0, 0),
        };
        let value = |byte: &u8| char::from(*byte).to_digit(base.max(2));
        let digits: Vec<u32> = text[at + skipped..].iter().take(most).map_while(value).collect();
        at += skipped + digits.len();
        out.push(match letter {
            b'n' | b't' | b'r' | b'a' | b'b' | b'f' | b'v' | b'e' | b'E' => b' ',
            _ if base == 0 => letter,
            // Numbers beyond a byte are cut, as the compiler does.
            _ => digits.iter().fold(0u32, |all, digit| all.wrapping_mul(base).wrapping_add(*digit)).to_le_bytes()[0],
        });
    }
    out
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
        assert!(same("#pragma  foo /* one\n */ bar \nx;", "# 3 \"a.c\"\n#pragma foo bar // two\n\n x ;"));
        assert!(same("in\\ \nt \\u00e9;", "int é;"));
        assert!(!same("\"\\u00e9\"", "\"é\""), "literals are not read");
        for (one, other) in [
            ("a + +b", "a ++b"),
            ("intx;", "int x;"),
            ("\"a  b\"", "\"a b\""),
            ("'\\'' /* ' */", "'\\''' '"),
            ("#pragma pack(1)\n", ""),
            ("#pragma foo\nx = 0;", "#pragma foo x = 0;"),
            ("/**/ # pragma foo\nx = 0;", "/**/ # pragma foo x = 0;"),
            ("%:pragma foo\nx;", "%:pragma foo x;"),
            ("#pragma it's\nx;", "#pragma it's x;"),
            ("#pragma a \\\n b\nx;", "#pragma a \\\n b x;"),
            ("a /* open", "a"),
        ] {
            let is_open = one.ends_with("open");
            assert_eq!(same(one, other), is_open, "{one} | {other}");
        }
        assert_eq!(names(b"ab1 + 2c(_d)").collect::<Vec<_>>(), [b"ab1".as_slice(), b"_d"]);
    }

    #[test]
    fn strings_are_what_the_compiler_joins() {
        let found =
            |text: &str| strings(text.as_bytes()).into_iter().map(|one| String::from_utf8(one).unwrap()).collect::<Vec<_>>();
        for (text, expected) in [
            (r#"asm("z" "z")"#, &["zz"] as &[&str]),
            ("\"a\" /* \" */\n# 3 \"x.c\"\n L\"b\" u8\"c\", \"d\"", &["abc", "d"]),
            (r#"'"', "e" f "g""#, &["e", "g"]),
            (r#""\tcall\n\x67\141" "\"\u00e9\\""#, &[" call ga\"é\\"]),
            ("\"a\\\nb\"", &["ab"]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }
}
