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

#[cfg(test)]
mod tests {
    use super::*;

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
