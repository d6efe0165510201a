//! Replacing pieces of a program's text by span.

use program::source::Span;

/// A replacement; an empty span inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// What is replaced.
    pub span: Span,
    /// What stands there then.
    pub text: String,
}

/// The text with all patches applied. Line numbers do not change: replaced line ends are kept.
pub fn apply(text: &[u8], mut patches: Vec<Patch>) -> String {
    patches.sort_by_key(|patch| (patch.span.lo, patch.span.hi));
    let mut out: Vec<u8> = Vec::with_capacity(text.len() + 1024);
    let mut at = 0usize;
    for patch in patches {
        let (lo, hi) = (patch.span.lo as usize, patch.span.hi as usize);
        if lo < at || hi > text.len() {
            continue;
        }
        out.extend_from_slice(&text[at..lo]);
        out.extend_from_slice(patch.text.as_bytes());
        out.extend(text[lo..hi].iter().filter(|byte| **byte == b'\n'));
        at = hi;
    }
    out.extend_from_slice(&text[at..]);
    if out.last() != Some(&b'\n') {
        out.push(b'\n');
    }
    as_ascii(&out)
}

/// The text with bytes that are no UTF-8 as escapes: they mean the same in literals, and nothing in comments.
fn as_ascii(text: &[u8]) -> String {
    text.utf8_chunks().fold(String::with_capacity(text.len()), |mut out, chunk| {
        out.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\{byte:03o}")));
        out
    })
}

/// The span of the body of a function definition: from its first brace behind the parameter list to its last.
pub fn body(text: &[u8], definition: Span) -> Option<Span> {
    let bytes = text.get(definition.lo as usize..definition.hi as usize)?;
    let (mut depth, mut closed, mut at) = (0i32, false, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                closed = depth == 0;
            }
            b'{' if depth == 0 && closed => {
                let end = bytes.iter().rposition(|b| *b == b'}')?;
                let offset = |at: usize| u32::try_from(at).ok().map(|at| definition.lo + at);
                return Some(Span::new(offset(at)?, offset(end + 1)?));
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at += 2;
                while at + 1 < bytes.len() && (bytes[at] != b'*' || bytes[at + 1] != b'/') {
                    at += 1;
                }
                at += 1;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
            }
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// What a function is said to leave undone: a compiler leaves out its calls where nobody uses their results, and with them the
/// violation of a counterexample.
const PROMISES: [&[u8]; 5] = [b"pure", b"__pure__", b"const", b"__const__", b"__const"];

/// Patches that take promises out of the attributes of a text.
pub fn without_promises(text: &[u8]) -> Vec<Patch> {
    let (mut found, mut at) = (Vec::new(), 0usize);
    // How deep the parentheses of an attribute are.
    let mut depth: Option<usize> = None;
    while at < text.len() {
        let end = token(text, at);
        match (&text[at..end], depth) {
            (b"__attribute__" | b"__attribute", _) => depth = Some(0),
            (b"(", Some(open)) => depth = Some(open + 1),
            (b")", Some(open)) => depth = open.checked_sub(1).filter(|open| *open > 0),
            (word, Some(1..)) if PROMISES.contains(&word) => {
                if let (Ok(lo), Ok(hi)) = (u32::try_from(at), u32::try_from(end)) {
                    found.push(Patch { span: Span::new(lo, hi), text: String::new() });
                }
            }
            _ => {}
        }
        at = end;
    }
    found
}

/// Where the word, literal, comment or single character ends that begins at a place.
fn token(text: &[u8], at: usize) -> usize {
    let rest = &text[at..];
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let behind = |end: &[u8]| rest.windows(end.len()).skip(2).position(|part| part == end).map(|found| found + 2 + end.len());
    let length = match rest {
        [b'/', b'*', ..] => behind(b"*/"),
        [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n'),
        [quote @ (b'"' | b'\''), ..] => {
            let mut escaped = false;
            let ends = |byte: &u8| {
                let is_end = byte == quote && !escaped;
                escaped = *byte == b'\\' && !escaped;
                is_end
            };
            rest[1..].iter().position(ends).map(|found| found + 2)
        }
        [first, ..] if is_word(first) => rest.iter().position(|byte| !is_word(byte)),
        _ => Some(1),
    };
    at + length.unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_are_taken_out_of_attributes_alone() {
        let text = b"const int *pure(void) __attribute__((pure, aligned(4), __const__)); /* __attribute__((pure)) */\n\
            char *s = \"__attribute__((pure)) \\\" \", c = '\"'; const int k = 1; int f(void) __attribute((const));\n";
        let kept = "const int *pure(void) __attribute__((, aligned(4), )); /* __attribute__((pure)) */\n\
            char *s = \"__attribute__((pure)) \\\" \", c = '\"'; const int k = 1; int f(void) __attribute(());\n";
        assert_eq!(apply(text, without_promises(text)), kept);
    }

    fn span(text: &str, part: &str) -> Span {
        let lo = text.find(part).unwrap();
        Span::new(u32::try_from(lo).unwrap(), u32::try_from(lo + part.len()).unwrap())
    }

    #[test]
    fn bytes_without_a_character_stay_the_bytes_they_are() {
        assert_eq!(apply(b"char c = '\xff'; // \xc3\xa4\n", Vec::new()), "char c = '\\377'; // ä\n");
    }

    #[test]
    fn the_body_is_found_behind_the_parameters() {
        let text = "struct s { int a; } f(int x /* ) { */, const char *s) { return g(); }";
        let found = body(text.as_bytes(), Span::new(0, u32::try_from(text.len()).unwrap())).unwrap();
        assert_eq!(found, span(text, "{ return g(); }"));
    }

    #[test]
    fn a_declaration_has_no_body() {
        let text = "extern int f(void);";
        assert_eq!(body(text.as_bytes(), Span::new(0, 19)), None);
    }

    #[test]
    fn patches_keep_line_numbers() {
        let text = "int f(void) {\n  return 1;\n}\nint x;";
        let patch = Patch { span: span(text, "{\n  return 1;\n}"), text: "{ return 2; }".to_owned() };
        assert_eq!(apply(text.as_bytes(), vec![patch]), "int f(void) { return 2; }\n\n\nint x;\n");
    }
}
