//! The lexer: text to tokens.
//!
//! Works on the preprocessed bytes, which need not be UTF-8 outside of identifiers. Names are
//! interned, numbers and characters are read; string pieces are joined by the parser, which
//! knows which ones are neighbours.
//! Invariant: the last token, and only it, is [`T::End`]; spans ascend.
//! Does not know typedef names or any grammar.

#[cfg(test)]
mod agreement;
mod digest;
mod directive;
pub(crate) mod number;
mod splice;
mod text;
mod token;

use formats::dense;
use std::borrow::Cow;

use self::digest::{Digest, Labels};
use self::directive::{Directive, PackState};
use self::number::Number;
use self::splice::Splices;
pub(crate) use self::token::{T, Token};
use crate::ast::{CharLiteral, Encoding, FloatLiteral, IntegerLiteral, Interner, Pragma, Symbol};
use crate::source::Span;

/// The tokens of a text with the tables their values point into.
#[derive(Debug, Default)]
pub(crate) struct Tokens<'s> {
    /// All tokens, the end included.
    pub(crate) list: Vec<Token>,
    /// Values of [`T::Integer`].
    pub(crate) integers: Vec<IntegerLiteral>,
    /// Values of [`T::Float`].
    pub(crate) floats: Vec<FloatLiteral>,
    /// Values of [`T::Char`].
    pub(crate) chars: Vec<CharLiteral>,
    /// Pragmas that change meaning.
    pub(crate) pragmas: Vec<Pragma>,
    /// Some pragma makes it another program.
    pub(crate) has_identity: bool,
    /// What the whole text is, whatever its comments, blanks and lines.
    pub(crate) digest: Digest,
    /// Values of [`T::String`]: ranges of `text`.
    strings: Vec<Span>,
    pack: PackState,
    text: Cow<'s, [u8]>,
}

impl Tokens<'_> {
    /// Joins neighbouring string pieces, given by the values of their tokens.
    pub(crate) fn join(&self, first: u32, count: usize) -> Result<(Encoding, Box<[u32]>), String> {
        let pieces = self.strings.iter().skip(first as usize).take(count);
        let pieces: Vec<&[u8]> = pieces.map(|piece| &self.text[piece.lo as usize..piece.hi as usize]).collect();
        text::string_literal(&pieces)
    }

    /// Moves all tokens behind `base` bytes of other text.
    pub(crate) fn shift(&mut self, base: u32) {
        if base > 0 {
            self.list.iter_mut().for_each(|token| token.span = token.span.shifted(base));
            self.pragmas.iter_mut().for_each(|pragma| pragma.span = pragma.span.shifted(base));
        }
    }

    /// The alignment limit of `#pragma pack` at a token.
    pub(crate) fn pack_at(&self, token: usize) -> Option<u32> {
        self.pack.at(dense(token))
    }
}

/// Why a text has no tokens.
#[derive(Debug)]
pub(crate) struct LexError {
    /// Where.
    pub(crate) span: Span,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do.
    pub(crate) help: &'static str,
}

/// Whether a backslash at the end of a line joins it with the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joining {
    /// As the preprocessor does.
    Lines,
    /// Not in a text that gcc takes for preprocessed.
    Nothing,
}

/// Splits a text into tokens.
pub(crate) fn lex<'s>(source: &'s [u8], joining: Joining, symbols: &mut Interner) -> Result<Tokens<'s>, LexError> {
    token::intern_keywords(symbols);
    let (text, splices) = match joining {
        Joining::Lines => Splices::remove(source),
        Joining::Nothing => (Cow::Borrowed(source), Splices::default()),
    };
    let mut lexer = Lexer { text: &text, at: 0, at_line_start: true, symbols, tokens: Tokens::default() };
    let lexed = lexer.run();
    let mut tokens = std::mem::take(&mut lexer.tokens);
    lexed.map_err(|error| LexError { span: splices.restore(error.span), ..error })?;
    let labels = Labels::of(&tokens.list, symbols);
    for token in &tokens.list {
        tokens.digest.token(*token, &text, symbols, &labels);
    }
    for token in &mut tokens.list {
        token.span = splices.restore(token.span);
    }
    for pragma in &mut tokens.pragmas {
        pragma.span = splices.restore(pragma.span);
    }
    tokens.text = text;
    Ok(tokens)
}

struct Lexer<'a, 's> {
    text: &'a [u8],
    at: usize,
    at_line_start: bool,
    symbols: &'a mut Interner,
    tokens: Tokens<'s>,
}

impl Lexer<'_, '_> {
    fn run(&mut self) -> Result<(), LexError> {
        if self.text.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        self.tokens.list.reserve(self.text.len() / 4);
        loop {
            self.skip_blanks()?;
            let Some(byte) = self.text.get(self.at) else {
                break;
            };
            match *byte {
                b'#' if self.at_line_start => self.directive()?,
                b'%' if self.at_line_start && self.text[self.at..].starts_with(b"%:") => {
                    self.at += 1;
                    self.directive()?;
                }
                byte => self.token(byte)?,
            }
        }
        self.push(T::End, 0, self.text.len());
        Ok(())
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) -> Result<(), LexError> {
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'\n' => {
                    self.at_line_start = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'/' => match self.text.get(self.at + 1) {
                    Some(b'/') => self.at += length_until(&self.text[self.at..], b"\n"),
                    Some(b'*') => self.at += self.comment_length(self.at)?,
                    _ => return Ok(()),
                },
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Length of the block comment at `at`.
    fn comment_length(&self, at: usize) -> Result<usize, LexError> {
        let inside = length_until(&self.text[at + 2..], b"*/");
        if at + 2 + inside >= self.text.len() {
            return Err(unterminated_comment(at));
        }
        Ok(inside + 4)
    }

    fn token(&mut self, byte: u8) -> Result<(), LexError> {
        self.at_line_start = false;
        let rest = &self.text[self.at..];
        match byte {
            b'"' | b'\'' => self.quoted(0),
            b'L' | b'u' | b'U' if text::prefix(rest).is_some() => {
                let skipped = text::prefix(rest).map_or(0, |(_, length)| length);
                self.quoted(skipped)
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'\\' | 0x80.. => self.name(),
            b'0'..=b'9' => self.number(),
            b'.' if rest.get(1).is_some_and(u8::is_ascii_digit) => self.number(),
            _ => match token::punctuator(rest) {
                Some((kind, length)) => {
                    self.push(kind, 0, self.at + length as usize);
                    Ok(())
                }
                None => Err(self.stray(byte)),
            },
        }
    }

    fn name(&mut self) -> Result<(), LexError> {
        let rest = &self.text[self.at..];
        if matches!(rest, [b'R' | b'L' | b'u' | b'U', ..]) {
            self.refuse_raw()?;
        }
        let plain = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        let length = rest.iter().take_while(plain).count();
        let symbol = match rest.get(length) {
            Some(b'\\' | 0x80..) => return self.extended_name(),
            _ => match std::str::from_utf8(&rest[..length]) {
                Ok(name) => self.symbols.intern(name),
                Err(_) => return Err(self.stray(rest[0])),
            },
        };
        self.push_name(symbol, self.at + length)
    }

    /// A raw string has no splices and may contain anything.
    fn refuse_raw(&self) -> Result<(), LexError> {
        let rest = &self.text[self.at..];
        match rest.iter().take(4).position(|byte| *byte == b'"') {
            Some(length) if directive::is_raw(&rest[..length]) => Err(raw_string(self.at + length)),
            _ => Ok(()),
        }
    }

    /// A name with characters beyond ASCII, as UTF-8 or as `\u….`.
    fn extended_name(&mut self) -> Result<(), LexError> {
        let mut name = String::new();
        let mut end = self.at;
        while let Some(byte) = self.text.get(end) {
            let (character, length) = match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' => (*byte as char, 1),
                b'\\' => match text::universal_character(&self.text[end + 1..]) {
                    Some((character, length)) => (character, length + 1),
                    None => break,
                },
                0x80.. => {
                    let tail = &self.text[end..self.text.len().min(end + 4)];
                    let tail = match std::str::from_utf8(tail) {
                        Ok(valid) => valid,
                        Err(error) => std::str::from_utf8(&tail[..error.valid_up_to()]).unwrap_or_default(),
                    };
                    match tail.chars().next() {
                        Some(character) if character.is_alphanumeric() => (character, character.len_utf8()),
                        _ => break,
                    }
                }
                _ => break,
            };
            name.push(character);
            end += length;
        }
        if end == self.at {
            return Err(self.stray(self.text[end]));
        }
        let symbol = self.symbols.intern(&name);
        self.push_name(symbol, end)
    }

    fn push_name(&mut self, symbol: Symbol, end: usize) -> Result<(), LexError> {
        let kind = token::kind_of_name(symbol);
        if kind == T::KwPragma {
            self.at = end;
            return self.pragma_operator();
        }
        self.push(kind, dense(symbol.index()), end);
        Ok(())
    }

    fn number(&mut self) -> Result<(), LexError> {
        let length = number::length(&self.text[self.at..]);
        let end = self.at + length;
        match number::parse(&self.text[self.at..end], self.symbols) {
            Ok(Number::Integer(literal)) => {
                self.tokens.integers.push(literal);
                self.push(T::Integer, dense(self.tokens.integers.len()) - 1, end);
            }
            Ok(Number::Float(literal)) => {
                self.tokens.floats.push(literal);
                self.push(T::Float, dense(self.tokens.floats.len()) - 1, end);
            }
            Err(message) => {
                let span = Span::new(dense(self.at), dense(end));
                return Err(error(span, message, "correct the constant"));
            }
        }
        Ok(())
    }

    /// A character constant or string piece whose prefix has the length `skipped`.
    fn quoted(&mut self, skipped: usize) -> Result<(), LexError> {
        let start = self.at + skipped;
        let string = self.text[start] == b'"';
        let Some(length) = text::quoted_length(&self.text[start..]) else {
            let line = length_until(&self.text[start..], b"\n");
            let span = Span::new(dense(self.at), dense(start + line));
            return Err(if string {
                error(span, "unterminated string literal", "close the literal with `\"`")
            } else {
                error(span, "unterminated character constant", "close the constant with `'`")
            });
        };
        let end = start + length;
        let span = Span::new(dense(self.at), dense(end));
        if string {
            self.tokens.strings.push(span);
            self.push(T::String, dense(self.tokens.strings.len()) - 1, end);
            return Ok(());
        }
        let literal =
            text::char_constant(&self.text[self.at..end]).map_err(|message| error(span, message, "correct the constant"))?;
        self.tokens.chars.push(literal);
        self.push(T::Char, dense(self.tokens.chars.len()) - 1, end);
        Ok(())
    }

    /// A line that begins with `#`; `at` is at the last character of the mark.
    fn directive(&mut self) -> Result<(), LexError> {
        let start = self.at;
        let end = match directive::length(&self.text[start + 1..]) {
            Ok(length) => start + 1 + length,
            Err(directive::Broken::Comment(at)) => return Err(unterminated_comment(start + 1 + at)),
            Err(directive::Broken::Raw(at)) => return Err(raw_string(start + 1 + at)),
        };
        self.at = end;
        let span = Span::new(dense(start), dense(end));
        self.obey(directive::directive(&self.text[start + 1..end]), span)
    }

    /// `_Pragma("…")`; `at` is after the name.
    fn pragma_operator(&mut self) -> Result<(), LexError> {
        let start = dense(self.at);
        let malformed = |at: usize| error(Span::new(start, dense(at)), "malformed `_Pragma`", "write `_Pragma(\"…\")`");
        self.skip_blanks()?;
        if self.text.get(self.at) != Some(&b'(') {
            return Err(malformed(self.at));
        }
        self.at += 1;
        self.skip_blanks()?;
        self.at += usize::from(self.text.get(self.at) == Some(&b'L'));
        let quoted = self.text.get(self.at..).filter(|rest| rest.first() == Some(&b'"'));
        let length = quoted.and_then(text::quoted_length).ok_or_else(|| malformed(self.at))?;
        let content = unescaped(&self.text[self.at + 1..self.at + length - 1]);
        self.at += length;
        self.skip_blanks()?;
        if self.text.get(self.at) != Some(&b')') {
            return Err(malformed(self.at));
        }
        self.at += 1;
        self.obey(directive::pragma(&content), Span::new(start, dense(self.at)))
    }

    fn obey(&mut self, directive: Directive, span: Span) -> Result<(), LexError> {
        match directive {
            Directive::Nothing => {}
            Directive::Pack(pack) => {
                self.tokens.digest.pragma(self.tokens.list.len(), &format!("{pack:?}"));
                self.tokens.pack.apply(pack, dense(self.tokens.list.len()));
            }
            Directive::Meaning(name) => {
                self.tokens.digest.pragma(self.tokens.list.len(), &name);
                let name = self.symbols.intern(&name);
                self.tokens.pragmas.push(Pragma { name, span });
            }
            Directive::Identity(name) => {
                self.tokens.digest.pragma(self.tokens.list.len(), &name);
                self.tokens.has_identity = true;
            }
            Directive::Unprocessed(name) => {
                let message = format!("directive `#{name}` in preprocessed text");
                return Err(error(span, message, "preprocess the file with `cc -x c -E`"));
            }
        }
        Ok(())
    }

    fn stray(&self, byte: u8) -> LexError {
        let span = Span::new(dense(self.at), dense(self.at) + 1);
        let message = match byte {
            b'!'..=b'~' => format!("stray `{}` in program", byte as char),
            _ => format!("stray byte 0x{byte:02x} in program"),
        };
        error(span, message, "remove the character; C has no token that begins with it")
    }

    /// Appends the token from `at` to `end` and moves behind it.
    fn push(&mut self, kind: T, value: u32, end: usize) {
        let span = Span::new(dense(self.at), dense(end));
        self.tokens.list.push(Token { kind, value, span });
        self.at = end;
    }
}

fn unterminated_comment(at: usize) -> LexError {
    error(Span::new(dense(at), dense(at) + 2), "unterminated comment", "close the comment with `*/`")
}

fn raw_string(at: usize) -> LexError {
    error(Span::new(dense(at), dense(at) + 1), "a raw string", "write it as an ordinary string literal")
}

fn error(span: Span, message: impl Into<String>, help: &'static str) -> LexError {
    LexError { span, message: message.into(), help }
}

/// What stands in the string of a `_Pragma`.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = bytes.next_if(|next| byte == b'\\' && matches!(next, b'"' | b'\\'));
        plain.push(escaped.unwrap_or(byte));
    }
    plain
}

/// Distance to the first occurrence of `end`, or to the end of the text.
fn length_until(text: &[u8], end: &[u8]) -> usize {
    text.windows(end.len()).position(|window| window == end).unwrap_or(text.len())
}
