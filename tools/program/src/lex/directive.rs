//! Lines that begin with `#` in preprocessed text, and the state of `#pragma pack`.
//!
//! Line markers belong to the source map; here they are only recognised. Pragmas that change
//! what a program means and have no place in the tree are reported as [`Directive::Meaning`].

/// What a directive is to the lexer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Directive {
    /// Line markers, `#ident`, and pragmas without influence on meaning.
    Nothing,
    /// `#pragma pack`
    Pack(Pack),
    /// A pragma that changes the meaning of the program, by its name.
    Meaning(String),
    /// A directive that the preprocessor should have removed, by its name.
    Unprocessed(String),
}

/// An effect of `#pragma pack`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pack {
    /// `pack(n)`; 0 and `pack()` restore natural alignment.
    Set(u32),
    /// `pack(push)`, `pack(push, n)`, `pack(push, name, n)`
    Push(Option<String>, Option<u32>),
    /// `pack(pop)`, `pack(pop, name)`
    Pop(Option<String>),
}

/// The alignment limits that `#pragma pack` has set so far.
#[derive(Debug, Default)]
pub(crate) struct PackState {
    current: Option<u32>,
    stack: Vec<(Option<String>, Option<u32>)>,
    /// Token number from which a limit holds.
    changes: Vec<(u32, Option<u32>)>,
}

impl PackState {
    /// Applies a pragma that stands before token number `token`.
    pub(crate) fn apply(&mut self, pack: Pack, token: u32) {
        match pack {
            Pack::Set(limit) => self.current = (limit != 0).then_some(limit),
            Pack::Push(name, limit) => {
                self.stack.push((name, self.current));
                if let Some(limit) = limit {
                    self.current = (limit != 0).then_some(limit);
                }
            }
            Pack::Pop(None) => {
                // gcc ignores, with a warning, a pop without a push.
                if let Some((_, limit)) = self.stack.pop() {
                    self.current = limit;
                }
            }
            Pack::Pop(name) => {
                if let Some(index) = self.stack.iter().rposition(|(pushed, _)| *pushed == name) {
                    self.current = self.stack[index].1;
                    self.stack.truncate(index);
                }
            }
        }
        self.changes.push((token, self.current));
    }

    /// The limit in force at a token.
    pub(crate) fn at(&self, token: u32) -> Option<u32> {
        let index = self.changes.partition_point(|(from, _)| *from <= token);
        index.checked_sub(1).and_then(|last| self.changes[last].1)
    }
}

/// Reads a directive; `line` begins after the `#`.
pub(crate) fn directive(line: &[u8]) -> Directive {
    let text = without_comments(&String::from_utf8_lossy(line));
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    match name {
        "" | "line" | "ident" | "sccs" | "warning" => Directive::Nothing,
        "pragma" => pragma(rest),
        _ if name.bytes().all(|byte| byte.is_ascii_digit()) => Directive::Nothing,
        _ => Directive::Unprocessed(name.to_owned()),
    }
}

/// Reads what follows `#pragma` or stands in `_Pragma("…")`.
pub(crate) fn pragma(text: &str) -> Directive {
    let text = text.trim();
    let name: String = text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    match name.as_str() {
        "pack" => pack(text[name.len()..].trim()).map_or(Directive::Nothing, Directive::Pack),
        "weak" | "redefine_extname" | "scalar_storage_order" => Directive::Meaning(name),
        "STDC" if text.contains("FLOAT_CONST_DECIMAL64") => Directive::Meaning(text.to_owned()),
        _ => Directive::Nothing,
    }
}

/// Reads the parenthesis of `#pragma pack`; `None` for one that gcc ignores with a warning.
fn pack(text: &str) -> Option<Pack> {
    let inside = text.strip_prefix('(')?.split_once(')')?.0.trim();
    if inside.is_empty() {
        return Some(Pack::Set(0));
    }
    let mut parts = inside.split(',').map(str::trim);
    let first = parts.next()?;
    let rest: Vec<&str> = parts.collect();
    let name = |part: &str| {
        let starts = part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        starts.then(|| part.to_owned())
    };
    match (first, rest.as_slice()) {
        ("push", []) => Some(Pack::Push(None, None)),
        ("push", [one]) => match name(one) {
            Some(name) => Some(Pack::Push(Some(name), None)),
            None => Some(Pack::Push(None, Some(limit(one)?))),
        },
        ("push", [id, number]) => Some(Pack::Push(Some(name(id)?), Some(limit(number)?))),
        ("pop", []) => Some(Pack::Pop(None)),
        ("pop", [id]) => Some(Pack::Pop(Some(name(id)?))),
        (number, []) => Some(Pack::Set(limit(number)?)),
        _ => None,
    }
}

/// An alignment that gcc accepts.
fn limit(text: &str) -> Option<u32> {
    text.parse().ok().filter(|limit| matches!(limit, 0 | 1 | 2 | 4 | 8 | 16))
}

/// The line without its comments.
fn without_comments(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, comment)) = rest.split_once("/*") {
        text.push_str(before);
        text.push(' ');
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    text.split("//").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives() {
        let read = |line: &str| directive(line.as_bytes());
        assert_eq!(read(" 12 \"a.h\" 1 3"), Directive::Nothing);
        assert_eq!(read("line 5"), Directive::Nothing);
        assert_eq!(read("pragma GCC diagnostic push"), Directive::Nothing);
        assert_eq!(read("pragma pack ( 2 ) // two"), Directive::Pack(Pack::Set(2)));
        assert_eq!(read("pragma pack(/* none */)"), Directive::Pack(Pack::Set(0)));
        assert_eq!(read("pragma pack(push,1)"), Directive::Pack(Pack::Push(None, Some(1))));
        assert_eq!(read("pragma pack(3)"), Directive::Nothing);
        assert_eq!(read("pragma weak f = g"), Directive::Meaning("weak".into()));
        assert_eq!(read("include <a.h>"), Directive::Unprocessed("include".into()));
    }

    #[test]
    fn pack_limits_nest() {
        let mut state = PackState::default();
        let lines = ["(1)", "(push, a, 2)", "(push)", "(4)", "(pop, a)", "(pop)", "()"];
        for (token, line) in lines.iter().enumerate() {
            state.apply(pack(line).unwrap(), token as u32 * 10 + 10);
        }
        let at: Vec<Option<u32>> = (0..8).map(|index| state.at(index * 10 + 5)).collect();
        let one = Some(1);
        assert_eq!(at, [None, one, Some(2), Some(2), Some(4), one, one, None]);
    }
}
