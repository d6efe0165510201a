//! The names in a C text, line by line, comments and literals left out.
//!
//! Does not know macros: it reads the text as people wrote it.

/// The lines of a text with what is no comment and no literal.
pub(crate) struct Lines {
    lines: Vec<String>,
}

impl Lines {
    /// Reads a text.
    pub(crate) fn new(text: &str) -> Self {
        Self { lines: code_only(text).lines().map(str::to_owned).collect() }
    }

    /// The code of a line, from 1.
    pub(crate) fn line(&self, line: u32) -> &str {
        let index = (line as usize).checked_sub(1);
        index.and_then(|index| self.lines.get(index)).map_or("", String::as_str)
    }

    /// The last line of what begins on `line` and has parentheses that are closed later.
    pub(crate) fn closing(&self, line: u32) -> u32 {
        let mut open = 0_i32;
        for number in line..line.saturating_add(MOST_LINES) {
            for byte in self.line(number).bytes() {
                open += i32::from(byte == b'(') - i32::from(byte == b')');
            }
            if open <= 0 {
                return number;
            }
        }
        line
    }

    /// The last line of a directive that begins on `line`.
    pub(crate) fn directive_end(&self, line: u32) -> u32 {
        (line..).find(|number| !self.line(*number).trim_end().ends_with('\\')).unwrap_or(line)
    }
}

/// Lines of one use of a macro at most.
const MOST_LINES: u32 = 100;

/// The names in a piece of code.
pub(crate) fn names(code: &str) -> impl Iterator<Item = &str> {
    let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    words.filter(|word| word.starts_with(|c: char| !c.is_ascii_digit()))
}

/// The text with comments and literals blanked; lines stay.
fn code_only(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('/', Some('/')) => while rest.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                rest.next();
                out.push(' ');
                let mut last = ' ';
                for c in rest.by_ref() {
                    if c == '\n' {
                        out.push('\n');
                    }
                    if (last, c) == ('*', '/') {
                        break;
                    }
                    last = c;
                }
            }
            ('"' | '\'', _) => {
                out.push(' ');
                while let Some(inner) = rest.next_if(|c| *c != '\n') {
                    if inner == c {
                        break;
                    }
                    if inner == '\\' && rest.next() == Some('\n') {
                        out.push('\n');
                    }
                }
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_hold_no_names() {
        let text = "a(b, /* c\n ) d */ \"e(\\\"\", '(',\n f); // g\nh\n#define X \\\n  1\ny";
        let lines = Lines::new(text);
        let found: Vec<Vec<&str>> = (1..=4).map(|line| names(lines.line(line)).collect()).collect();
        assert_eq!(found, [vec!["a", "b"], vec![], vec!["f"], vec!["h"]]);
        assert_eq!((lines.closing(1), lines.closing(4), lines.closing(99)), (3, 4, 99));
        assert_eq!((lines.directive_end(5), lines.directive_end(7)), (6, 7));
        assert_eq!(names("0x1f 2u _a1 b$").collect::<Vec<_>>(), ["_a1", "b$"]);
    }
}
