//! Lines that begin with `#` in preprocessed text, and the state of `#pragma pack`.
//!
//! Line markers belong to the source map; here they are only recognised. Pragmas that change
//! what a program means and have no place in the tree are reported as [`Directive::Meaning`]; the table says which.

use crate::treatment::{self, Treatment, pragmas};

/// What a directive is to the lexer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Directive {
    /// Line markers, `#ident`, and pragmas without influence on meaning.
    Nothing,
    /// `#pragma pack`
    Pack(Pack),
    /// A pragma that changes the meaning of the program, or may.
    Meaning(String),
    /// A pragma that makes it another program, though one that does the same.
    Identity(String),
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
                // gcc warns of a name that was not pushed, and pops the last one.
                let named = self.stack.iter().rposition(|(pushed, _)| *pushed == name);
                if let Some(index) = named.or_else(|| self.stack.len().checked_sub(1)) {
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

/// Length of a directive that begins at the start of `text`, up to the end of its line: a comment may go on behind that, but
/// not one whose beginning stands in a string, and a quote without its counterpart takes the rest of the line.
pub(crate) fn length(text: &[u8]) -> Result<usize, Broken> {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        at += match byte {
            b'\n' => break,
            _ => piece(text, at)?.1,
        };
    }
    Ok(at)
}

/// What cannot be read in a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// A comment that begins here and does not end.
    Comment(usize),
    /// A raw string, which has rules of its own.
    Raw(usize),
}

/// Whether the piece at `at` is a comment, and its length.
fn piece(text: &[u8], at: usize) -> Result<(bool, usize), Broken> {
    let rest = &text[at..];
    // Looked for only where it counts: a directive is read piece by piece, and most pieces are one byte.
    let line = || rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    match rest {
        [b'"', ..] if is_raw(&text[..at]) => Err(Broken::Raw(at)),
        [b'"' | b'\'', ..] => Ok((false, super::text::quoted_length(rest).unwrap_or_else(line))),
        [b'/', b'/', ..] => Ok((true, line())),
        [b'/', b'*', inside @ ..] => match inside.windows(2).position(|end| end == b"*/") {
            Some(length) => Ok((true, length + 4)),
            None => Err(Broken::Comment(at)),
        },
        _ => Ok((false, 1)),
    }
}

/// Whether what stands before a quote makes a raw string of it.
pub(crate) fn is_raw(before: &[u8]) -> bool {
    let length = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    matches!(&before[before.len() - length..], b"R" | b"LR" | b"uR" | b"UR" | b"u8R")
}

/// A directive without its comments.
fn without_comments(text: &[u8]) -> String {
    let mut kept = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        // What cannot be read has been refused before.
        let (comment, length) = piece(text, at).unwrap_or((false, 1));
        match comment {
            true => kept.push(b' '),
            false => kept.extend_from_slice(&text[at..at + length]),
        }
        at += length;
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// Reads a directive; `line` begins after the `#`.
pub(crate) fn directive(line: &[u8]) -> Directive {
    let text = without_comments(line);
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    match name {
        "" if text.is_empty() => Directive::Nothing,
        "line" | "ident" | "sccs" | "warning" => Directive::Nothing,
        "pragma" => clean_pragma(rest),
        _ if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) => Directive::Nothing,
        _ => Directive::Unprocessed(name.to_owned()),
    }
}

/// Reads what stands in `_Pragma("…")`.
pub(crate) fn pragma(text: &[u8]) -> Directive {
    match length(text) {
        Ok(_) => clean_pragma(&without_comments(text)),
        Err(_) => Directive::Meaning(String::from_utf8_lossy(text).into_owned()),
    }
}

/// Reads what follows `#pragma`, without comments.
fn clean_pragma(text: &str) -> Directive {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.as_str();
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let name = match first {
        "GCC" | "STDC" => format!("{first} {}", words.next().unwrap_or_default()),
        _ => first.to_owned(),
    };
    let known = treatment::find(pragmas::ROWS, &name);
    let meaning = || Directive::Meaning(text.to_owned());
    match known.map(|row| row.treatment) {
        Some(Treatment::Harmless) => Directive::Nothing,
        Some(Treatment::Modelled) if name != "pack" => meaning(),
        Some(Treatment::Modelled) => pack(text[name.len()..].trim()).map_or_else(meaning, Directive::Pack),
        Some(Treatment::Unsupported) => meaning(),
        Some(Treatment::Identity) if name == "GCC optimize" && !treatment::attributes::keeps_values(text) => meaning(),
        Some(Treatment::Identity) if name == "GCC target" && !treatment::attributes::keeps_floats(text) => meaning(),
        Some(Treatment::Identity) => Directive::Identity(text.to_owned()),
        // gcc knows no others of its own, and passes over those of other compilers.
        None if matches!(first, "GCC" | "STDC") => meaning(),
        None => Directive::Identity(text.to_owned()),
    }
}

/// Reads the parenthesis of `#pragma pack`; `None` for one whose meaning is not clear, most likely because gcc ignores it.
fn pack(text: &str) -> Option<Pack> {
    let inside = text.strip_prefix('(')?.split_once(')')?.0.trim();
    if inside.is_empty() {
        return Some(Pack::Set(0));
    }
    let mut parts = inside.split(',').map(str::trim);
    let action = parts.next()?;
    if !matches!(action, "push" | "pop") {
        return match parts.next() {
            None => Some(Pack::Set(limit(action)?)),
            Some(_) => None,
        };
    }
    let (mut name, mut number) = (None, None);
    for part in parts {
        let is_name = part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if is_name && name.is_none() {
            name = Some(part.to_owned());
        } else if !is_name && number.is_none() && action == "push" {
            number = Some(limit(part)?);
        } else {
            return None;
        }
    }
    Some(if action == "push" { Pack::Push(name, number) } else { Pack::Pop(name) })
}

/// An alignment that gcc accepts, as a C constant.
fn limit(text: &str) -> Option<u32> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let number = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
        None if digits.starts_with('0') => u32::from_str_radix(digits, 8).ok()?,
        None => digits.parse().ok()?,
    };
    Some(number).filter(|limit| matches!(limit, 0 | 1 | 2 | 4 | 8 | 16))
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
        assert_eq!(read("pragma pack(push, 0x4ul, a)"), Directive::Pack(Pack::Push(Some("a".into()), Some(4))));
        assert_eq!(read("pragma pack(3)"), Directive::Meaning("pack(3)".into()));
        assert_eq!(read("pragma weak f = g"), Directive::Meaning("weak f = g".into()));
        assert_eq!(read("pragma GCC optimize(\"O2\")"), Directive::Identity("GCC optimize(\"O2\")".into()));
        assert_eq!(read("pragma GCC optimize(\"Ofast\")"), Directive::Meaning("GCC optimize(\"Ofast\")".into()));
        assert_eq!(read("pragma merger /* x */ (0)"), Directive::Identity("merger (0)".into()));
        assert_eq!(read("pragma GCC made_up"), Directive::Meaning("GCC made_up".into()));
        assert_eq!(read("include <a.h>"), Directive::Unprocessed("include".into()));
    }

    #[test]
    fn a_comment_does_not_begin_in_a_string() {
        let read = |text: &str| length(text.as_bytes());
        assert_eq!(read("pragma message(\"a/*.csv\")\nint x; /* */"), Ok(25));
        assert_eq!(read("pragma a // b/*.h\nint x; /* */"), Ok(17));
        assert_eq!(read("pragma a /* \" \n */ b\nint x;"), Ok(20));
        assert_eq!(read("pragma it's /* no\nint x; /* */"), Ok(17));
        assert_eq!(read("pragma 'a\\'/*' b\nint x; /* */"), Ok(16));
        assert_eq!(read("pragma a /* b"), Err(Broken::Comment(9)));
        assert_eq!(read("pragma R\"(/*)\""), Err(Broken::Raw(8)));
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
