//! Behind a mistake: where reading goes on, so that a run tells more than the first.
//!
//! A statement, a member or a declaration at file level that is wrong is passed over, as far as brackets and semicolons tell where
//! it ends. A text with a fault is refused, so what is passed over is nothing that anybody sees.
//! Does not know what is wrong, nor how it is told.

use super::names::NameKind;
use super::{Parse, Parser, SyntaxError};
use crate::diagnostic::Diagnostic;
use crate::lex::T;

/// Errors of one text that are told; it is not read further.
const MOST_ERRORS: usize = 10;

/// Where the reading of a part of a block began.
#[derive(Clone, Copy)]
pub(super) struct Beginning {
    token: usize,
    scopes: usize,
}

impl Parser<'_> {
    /// Reads the text and says what is wrong with it.
    pub(super) fn errors(&mut self) -> Vec<Diagnostic> {
        loop {
            let known = self.faults.len();
            let Err(mut error) = self.translation_unit() else { break };
            // That a block is not closed may be what comes of a mistake in it.
            let follows = self.peek() == T::End && self.faults[known..].iter().any(|fault| self.is_of_item(fault));
            let is_last = self.faults.len() + 1 == MOST_ERRORS;
            if is_last {
                error.help.push_str("; after so many errors the file is not read further");
            }
            let unknown = error.unknown;
            if !follows && !self.is_told(&error) {
                self.faults.push(*error);
            }
            if is_last {
                break;
            }
            self.names.close_to(0);
            // It is said once of each.
            unknown.into_iter().for_each(|name| self.names.declare(name, NameKind::Typedef));
            self.skip_item();
        }
        if let Some(foreign) = self.foreign() {
            return vec![foreign.diagnostic(self.source)];
        }
        std::mem::take(&mut self.faults).into_iter().map(|fault| fault.diagnostic(self.source)).collect()
    }

    fn is_of_item(&self, fault: &SyntaxError) -> bool {
        self.tokens.list.get(self.item).is_some_and(|token| fault.span.lo >= token.span.lo)
    }

    /// Whether the error is about a type that is known to be missing.
    fn is_told(&self, error: &SyntaxError) -> bool {
        error.unknown.is_some() && self.faults.iter().any(|fault| fault.unknown == error.unknown)
    }

    /// The place from which [`Self::recover`] looks for the end of a part of a block.
    pub(super) fn beginning(&self) -> Beginning {
        Beginning { token: self.at, scopes: self.names.depth() }
    }

    /// Notes an error in a part of a block and goes behind the part.
    ///
    /// # Errors
    /// The same, at the end of the text and after many.
    pub(super) fn recover(&mut self, error: Box<SyntaxError>, beginning: Beginning) -> Parse<()> {
        if self.peek() == T::End || self.faults.len() + 1 >= MOST_ERRORS {
            return Err(error);
        }
        self.names.close_to(beginning.scopes);
        error.unknown.into_iter().for_each(|name| self.names.declare(name, NameKind::Typedef));
        if !self.is_told(&error) {
            self.faults.push(*error);
        }
        self.skip_part(beginning.token);
        Ok(())
    }

    /// Notes an error in an initialiser and goes behind the initialiser, where another declarator or the end of the declaration
    /// follows.
    ///
    /// # Errors
    /// The same, where brackets do not tell where it ends, at the end of the text and after many.
    pub(super) fn recover_initializer(&mut self, error: Box<SyntaxError>, beginning: Beginning) -> Parse<()> {
        match self.end_of_initializer(beginning.token) {
            Some(end) if self.faults.len() + 1 < MOST_ERRORS => self.at = end,
            _ => return Err(error),
        }
        self.names.close_to(beginning.scopes);
        if !self.is_told(&error) {
            self.faults.push(*error);
        }
        Ok(())
    }

    /// The comma or semicolon behind an initialiser that begins at a token and is wrong at the present one.
    fn end_of_initializer(&self, start: usize) -> Option<usize> {
        let mut depth = 0_u32;
        for (at, token) in self.tokens.list.iter().enumerate().skip(start) {
            match token.kind {
                T::LParen | T::LBracket | T::LBrace => depth += 1,
                T::RParen | T::RBracket | T::RBrace => depth = depth.checked_sub(1)?,
                T::Semicolon if depth == 0 => return (at >= self.at).then_some(at),
                T::Comma if depth == 0 && at >= self.at => {
                    let next = self.tokens.list.get(at + 1)?.kind;
                    return matches!(next, T::Ident | T::Star).then_some(at);
                }
                T::Semicolon | T::End => return None,
                _ => {}
            }
        }
        None
    }

    /// Goes behind the part of a block that begins at a token, at most to the end of the block.
    fn skip_part(&mut self, start: usize) {
        let fault = self.at;
        self.at = start;
        let mut depth = 0_u32;
        // For each parenthesis that is open outside of braces, whether it is that of a `for`.
        let mut open: Vec<bool> = Vec::new();
        let mut before = T::Semicolon;
        while self.peek() != T::End && !(depth == 0 && self.peek() == T::RBrace) {
            let token = self.advance();
            match token.kind {
                T::LBrace => depth += 1,
                T::RBrace => depth -= 1,
                T::LParen if depth == 0 => open.push(before == T::KwFor),
                T::RParen if depth == 0 => drop(open.pop()),
                _ => {}
            }
            before = token.kind;
            let ends = match token.kind {
                T::Semicolon => depth == 0 && !open.contains(&true),
                T::RBrace => depth == 0 && self.ends_line(),
                _ => false,
            };
            // `else` belongs to the `if` that was passed over.
            if ends && self.at > fault && self.peek() != T::KwElse {
                break;
            }
        }
    }

    /// Whether the token before is the last one of its line: what follows in it belongs to it, as in `} name;`.
    fn ends_line(&self) -> bool {
        let before = self.at.checked_sub(1).map_or(0, |at| self.tokens.list[at].span.lo);
        self.source.position(self.lo()).line > self.source.position(before).line
    }

    /// Goes behind the present declaration at file level.
    fn skip_item(&mut self) {
        let fault = self.at;
        let mut depth = 0_u32;
        let is_typedef = (self.item..fault).any(|at| self.tokens.list[at].kind == T::KwTypedef);
        let mut name = None;
        self.at = self.item;
        while self.peek() != T::End {
            let token = self.advance();
            match token.kind {
                T::LBrace => depth += 1,
                T::RBrace => depth = depth.saturating_sub(1),
                T::Ident => name = Some(token.symbol()),
                _ => {}
            }
            let ends = match token.kind {
                T::Semicolon => depth == 0,
                T::RBrace => depth == 0 && self.ends_line(),
                _ => false,
            };
            if ends && self.at > fault {
                break;
            }
        }
        if let Some(name) = name.filter(|_| is_typedef) {
            self.names.declare(name, NameKind::Typedef);
        }
    }
}
