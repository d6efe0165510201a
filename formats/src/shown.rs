//! How text of others is shown to people: names of files, pieces of programs, messages of artifacts.
//!
//! Whoever chooses such a text must not move the cursor of a terminal, hide or reorder what stands there, begin a line of
//! his own, or give a code host a command.
//! Does not know where a text is shown.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// What begins a command in the log of a code host, at the beginning of a line or anywhere.
const AT_BEGINNING: [&str; 2] = ["::", "##"];
const ANYWHERE: [&str; 2] = ["##[", "##vso["];

/// A text on one line: control characters, line ends and what reorders text are escaped as in a literal.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_harmless(c) || c == '\t')
}

/// The name of a file, on one line.
#[must_use]
pub fn name(path: &Path) -> String {
    one_line(&path.to_string_lossy()).into_owned()
}

/// A text of several lines: each is escaped, and none is a command for a code host.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    let is_plain = |line: &str| !ANYWHERE.iter().any(|mark| line.contains(mark)) && !begins_command(line);
    let escaped = escaped(text, |c| is_harmless(c) || matches!(c, '\t' | '\n'));
    if escaped.lines().all(is_plain) {
        return escaped;
    }
    let mut out = String::with_capacity(escaped.len() + 8);
    for line in escaped.split_inclusive('\n') {
        if begins_command(line) {
            let blanks = line.len() - line.trim_start().len();
            out.push_str(&line[..blanks]);
            out.push('\\');
            out.push_str(&disarmed(&line[blanks..]));
        } else {
            out.push_str(&disarmed(line));
        }
    }
    Cow::Owned(out)
}

fn begins_command(line: &str) -> bool {
    AT_BEGINNING.iter().any(|mark| line.trim_start().starts_with(mark))
}

fn disarmed(line: &str) -> String {
    ANYWHERE.iter().fold(line.to_owned(), |line, mark| line.replace(mark, &format!("#\\{}", &mark[1..])))
}

/// Whether a character can be shown as it is: no control character, no line end, nothing invisible that reorders text.
#[must_use]
pub fn is_harmless(c: char) -> bool {
    !(c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'))
}

fn escaped(text: &str, keeps: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.chars().all(&keeps) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if keeps(c) {
            out.push(c);
        } else {
            // Writing to a string cannot fail.
            let _ = match c {
                '\n' | '\r' | '\t' => write!(out, "{}", c.escape_default()),
                _ => write!(out, "{}", c.escape_unicode()),
            };
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_on_one_line_stays_there() {
        assert_eq!(one_line("a b.c"), "a b.c");
        assert_eq!(one_line("x\nTRUE"), "x\\nTRUE");
        assert_eq!(one_line("\u{1b}[2K\r\u{9b}1m\u{7f}"), "\\u{1b}[2K\\r\\u{9b}1m\\u{7f}");
        assert_eq!(one_line("a\u{202e}c.b\u{2066}\u{200b}"), "a\\u{202e}c.b\\u{2066}\\u{200b}");
        assert_eq!(one_line("Grüße, 世界"), "Grüße, 世界");
        assert_eq!(name(Path::new("a\n::error::x")), "a\\n::error::x");
    }

    #[test]
    fn no_line_is_a_command() {
        assert_eq!(lines("one\n\ttwo: a::b # ## c\n"), "one\n\ttwo: a::b # ## c\n");
        assert_eq!(lines("::error file=a::b\n  ::set-env::x\n"), "\\::error file=a::b\n  \\::set-env::x\n");
        assert_eq!(lines("x ##[group]y\n##vso[task]z"), "x #\\#[group]y\n\\#\\#vso[task]z");
        assert_eq!(lines("a\r::error::b\u{85}c"), "a\\r::error::b\\u{85}c");
    }
}
