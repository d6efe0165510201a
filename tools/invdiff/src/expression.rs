//! Texts of facts: C with `old(E)` and `in(N)`, which are given names of their own before a program is read with them.
//!
//! Does not know programs.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

/// A value that is remembered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ghost {
    /// The n-th value of an input function; of the only one if none is named.
    Input(Option<String>, u64),
    /// What an expression was at the entry of the function.
    Old(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Plain(String),
    Ghost(Ghost),
}

/// The text of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text(Vec<Piece>);

impl Text {
    /// Reads a text. The error says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (mut pieces, mut plain) = (Vec::new(), String::new());
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err("an expression is empty".to_owned());
        }
        while let Some(first) = rest.chars().next() {
            let length = if is_word(first) {
                let word = word(rest);
                if let Some((ghost, length)) = ghost(word, rest, &plain)? {
                    pieces.push(Piece::Plain(std::mem::take(&mut plain)));
                    pieces.push(Piece::Ghost(ghost));
                    rest = &rest[length..];
                    continue;
                }
                word.len()
            } else if first == '\'' || first == '"' {
                quoted(rest)
            } else {
                first.len_utf8()
            };
            plain.push_str(&rest[..length]);
            rest = &rest[length..];
        }
        pieces.push(Piece::Plain(plain));
        Ok(Self(pieces))
    }

    /// The text with other names for variables.
    pub(crate) fn renamed(&self, names: &BTreeMap<String, String>) -> Self {
        let piece = |piece: &Piece| match piece {
            Piece::Plain(text) => Piece::Plain(renamed(text, names)),
            Piece::Ghost(Ghost::Old(text)) => Piece::Ghost(Ghost::Old(renamed(text, names))),
            Piece::Ghost(other) => Piece::Ghost(other.clone()),
        };
        Self(self.0.iter().map(piece).collect())
    }

    /// What it remembers.
    pub(crate) fn ghosts(&self) -> impl Iterator<Item = &Ghost> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Ghost(ghost) => Some(ghost),
            Piece::Plain(_) => None,
        })
    }

    /// The text without calls, with a name for what is remembered: the sign bit of a `float` or `double` is one of its bytes.
    pub(crate) fn in_c(&self, name: &dyn Fn(&Ghost) -> String) -> String {
        let mut text = self.named(name);
        let mut from = 0;
        while let Some(found) = text[from..].find(SIGN_BIT) {
            let (at, open) = (from + found, from + found + SIGN_BIT.len());
            from = open;
            if text[..at].ends_with(is_word) || !text[open..].starts_with('(') {
                continue;
            }
            let Some(close) = closing(&text[open..]) else { break };
            let place = &text[open..=open + close];
            let said = format!(
                "(sizeof{place} == 4 ? *(unsigned int *)&{place} >> 31 : sizeof{place} == 8 ? *(unsigned long long *)&{place} >> 63 : 1 / 0)"
            );
            text.replace_range(at..=open + close, &said);
            from = at;
        }
        text
    }

    /// The text, with a name for what is remembered.
    fn named(&self, name: &dyn Fn(&Ghost) -> String) -> String {
        self.0
            .iter()
            .map(|piece| match piece {
                Piece::Plain(text) => text.clone(),
                Piece::Ghost(ghost) => name(ghost),
            })
            .collect()
    }
}

impl Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |ghost: &Ghost| match ghost {
            Ghost::Input(None, number) => format!("in({number})"),
            Ghost::Input(Some(function), number) => format!("in({function}, {number})"),
            Ghost::Old(text) => format!("old({text})"),
        };
        f.write_str(&self.named(&name))
    }
}

const SIGN_BIT: &str = "__builtin_signbit";

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn word(text: &str) -> &str {
    &text[..text.find(|c| !is_word(c)).unwrap_or(text.len())]
}

/// A text with other names for variables: words that are no members.
fn renamed(text: &str, names: &BTreeMap<String, String>) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if is_word(first) => word(rest).len(),
            '\'' | '"' => quoted(rest),
            _ => first.len_utf8(),
        };
        let is_member = out.trim_end().ends_with('.') || out.trim_end().ends_with("->");
        let one = &rest[..length];
        out += names.get(one).filter(|_| !is_member).map_or(one, String::as_str);
        rest = &rest[length..];
    }
    out
}

/// The length of a literal in quotes.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    let mut chars = text.char_indices();
    let Some((_, quote)) = chars.next() else { return 0 };
    for (at, c) in chars {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A ghost at the beginning of a text that begins with a word, with its length.
fn ghost(word: &str, text: &str, before: &str) -> Result<Option<(Ghost, usize)>, String> {
    let behind = text[word.len()..].trim_start();
    let is_member = before.trim_end().ends_with('.') || before.trim_end().ends_with("->");
    if !matches!(word, "in" | "old") || !behind.starts_with('(') || is_member {
        return Ok(None);
    }
    let open = text.len() - behind.len();
    let close = closing(&text[open..]).ok_or_else(|| format!("`{text}` lacks a `)`"))?;
    let inside = text[open + 1..open + close].trim();
    let ghost = if word == "old" {
        if inside.is_empty() || Text::parse(inside)?.ghosts().next().is_some() {
            return Err(format!("old({inside}) is not the old value of an expression"));
        }
        Ghost::Old(inside.to_owned())
    } else {
        let (function, number) = match inside.split_once(',') {
            Some((function, number)) => (Some(function.trim()), number.trim()),
            None => (None, inside),
        };
        let is_name = |name: &str| !name.is_empty() && name.chars().all(is_word);
        let number = number.parse().ok().filter(|number| *number < 1 << 20 && function.is_none_or(is_name));
        let number = number.ok_or_else(|| format!("in({inside}) is no input: write in(0), or in(FUNCTION, 0)"))?;
        Ghost::Input(function.map(str::to_owned), number)
    };
    Ok(Some((ghost, open + close + 1)))
}

/// Where the parenthesis closes that a text begins with.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0usize, 0);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at),
            ')' => depth -= 1,
            '\'' | '"' => {
                at += quoted(&text[at..]);
                continue;
            }
            _ => {}
        }
        at += c.len_utf8();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (String, Vec<Ghost>) {
        let text = Text::parse(text).unwrap();
        (text.named(&|_| "g".to_owned()), text.ghosts().cloned().collect())
    }

    #[test]
    fn what_is_remembered_gets_a_name() {
        let old = |text: &str| Ghost::Old(text.to_owned());
        assert_eq!(parsed("x == in(0) + old(y[f(1)])"), ("x == g + g".to_owned(), vec![Ghost::Input(None, 0), old("y[f(1)]")]));
        assert_eq!(parsed("in ( f , 12 ) > 0").1, vec![Ghost::Input(Some("f".to_owned()), 12)]);
        let sign = Text::parse("__builtin_signbit(x) == my__builtin_signbit(y)").unwrap().in_c(&|_| String::new());
        assert!(sign.starts_with("(sizeof(x) == 4 ? *(unsigned int *)&(x)") && sign.ends_with("== my__builtin_signbit(y)"));
        // Members, longer names and literals are what they are.
        for text in ["s.in (0)", "p->old(1)", "begin(0)", "c == '(' && min(old)", "\"in(0)\"[0]", "in"] {
            assert_eq!(parsed(text), (text.to_owned(), Vec::new()));
        }
        assert_eq!(Text::parse("in(f,1)+old( x )").unwrap().to_string(), "in(f, 1)+old(x)");
    }

    #[test]
    fn variables_get_other_names() {
        let names = BTreeMap::from([("x".to_owned(), "y".to_owned()), ("y".to_owned(), "z".to_owned())]);
        let text = Text::parse("x + s.x * p->x - old(x + y) + xx + in(0) + 'x'").unwrap();
        assert_eq!(text.renamed(&names).to_string(), "y + s.x * p->x - old(y + z) + xx + in(0) + 'x'");
    }

    #[test]
    fn what_remembers_nothing_is_refused() {
        for text in ["", " ", "in(x)", "in()", "in(0", "old()", "old(in(0))", "in(-1)", "in(f g, 1)", "in(99999999)"] {
            assert!(Text::parse(text).is_err(), "{text}");
        }
    }
}
