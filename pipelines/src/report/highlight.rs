//! Colours of C text: which parts of a line are comments, literals, keywords or directives.
//!
//! Reads the text as people wrote it, line by line; a comment may go on over lines. Parts of no colour are the rest.
//! Does not know how a part is shown.

use serde::Serialize;

/// What begins a declaration or steers the flow, in C11 and as gcc has it.
const KEYWORDS: [&str; 46] = [
    "_Alignas", "_Alignof", "_Atomic", "_Bool", "_Complex", "_Generic", "_Noreturn", "_Static_assert", "_Thread_local",
    "__asm__", "__attribute__", "__extension__", "asm", "auto", "break", "case", "char", "const", "continue", "default", "do",
    "double", "else", "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return",
    "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "while",
];

/// A part of a line: `c` comment, `s` literal, `k` keyword, `p` directive, nothing for the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Part {
    /// Its kind.
    pub(crate) kind: &'static str,
    /// Its text.
    pub(crate) text: String,
}

/// Reads the lines of one text one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Highlighter {
    in_comment: bool,
}

impl Highlighter {
    /// The parts of the next line; together they are the line.
    pub(crate) fn line(&mut self, text: &str) -> Vec<Part> {
        let directive = if self.in_comment { 0 } else { directive(text) };
        let (begins, mut rest) = text.split_at(directive);
        let mut parts: Vec<Part> = Vec::new();
        if directive > 0 {
            parts.push(Part { kind: "p", text: begins.to_owned() });
        }
        while !rest.is_empty() {
            let (kind, length) = self.next(rest);
            let (piece, behind) = rest.split_at(length);
            match parts.last_mut() {
                Some(last) if last.kind == kind => last.text.push_str(piece),
                _ => parts.push(Part { kind, text: piece.to_owned() }),
            }
            rest = behind;
        }
        parts
    }

    /// Notes what a line that is not shown leaves open.
    pub(crate) fn skip(&mut self, text: &str) {
        if self.in_comment || text.contains("/*") {
            self.line(text);
        }
    }

    /// Kind and length of what `rest` begins with.
    fn next(&mut self, rest: &str) -> (&'static str, usize) {
        let first = rest.chars().next().unwrap_or_default();
        if self.in_comment {
            return self.comment(rest, 0);
        }
        if rest.starts_with("/*") {
            return self.comment(rest, 2);
        }
        if rest.starts_with("//") {
            return ("c", rest.len());
        }
        if first == '"' || first == '\'' {
            return ("s", literal(rest, first));
        }
        if first.is_alphanumeric() || first == '_' {
            let length = word(rest);
            let is_keyword = rest.get(..length).is_some_and(|word| KEYWORDS.binary_search(&word).is_ok());
            return (if is_keyword { "k" } else { "" }, length);
        }
        ("", first.len_utf8())
    }

    /// A comment from here, whose first `opened` bytes open it, to its end or that of the line.
    fn comment(&mut self, rest: &str, opened: usize) -> (&'static str, usize) {
        let end = rest.get(opened..).and_then(|inner| inner.find("*/"));
        self.in_comment = end.is_none();
        ("c", end.map_or(rest.len(), |end| opened + end + 2))
    }
}

/// The length of `# name` with which a line begins, blanks included; 0 if it is no directive.
fn directive(line: &str) -> usize {
    let Some(rest) = line.trim_start().strip_prefix('#') else { return 0 };
    let name = rest.trim_start();
    line.len() - name.len() + word(name)
}

/// The length of the name or number that a text begins with.
fn word(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())
}

/// The length of the literal that a text begins with, to the end of the line where it is not closed.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = true;
    for (at, c) in text.char_indices() {
        match (escaped, c) {
            (false, '\\') => escaped = true,
            (false, c) if c == quote => return at + c.len_utf8(),
            _ => escaped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `kind:text` of the coloured parts.
    fn coloured(lines: &str) -> Vec<String> {
        let mut highlighter = Highlighter::default();
        let parts = lines.lines().flat_map(|line| {
            let parts = highlighter.line(line);
            assert_eq!(parts.iter().map(|part| part.text.as_str()).collect::<String>(), line);
            parts
        });
        parts.filter(|part| !part.kind.is_empty()).map(|part| format!("{}:{}", part.kind, part.text)).collect()
    }

    #[test]
    fn keywords_literals_and_comments() {
        assert!(KEYWORDS.is_sorted());
        assert_eq!(
            coloured("static int x = 'a' + f(\"\\\"/*\"); // int"),
            ["k:static", "k:int", "s:'a'", "s:\"\\\"/*\"", "c:// int"]
        );
        assert_eq!(
            coloured("a /* int\nreturn\n*/ return /**/ \"open"),
            ["c:/* int", "c:return", "c:*/", "k:return", "c:/**/", "s:\"open"]
        );
        assert_eq!(coloured("# define x return\nint_x # if\nü"), ["p:# define", "k:return", "k:if"]);
    }
}
