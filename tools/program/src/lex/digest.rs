//! The digest of a text's tokens: equal for texts that differ in comments, blanks, lines and spans only.

use sha2::{Digest as _, Sha256};

use super::token::{T, Token};
use crate::ast::Interner;

/// The digest in the making. Pragmas come first, each with the number of tokens before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Digest(Sha256);

impl Digest {
    /// Adds a pragma that stands before token number `at`.
    pub(crate) fn pragma(&mut self, at: usize, text: &str) {
        self.piece(0xff, &(at as u64).to_le_bytes());
        self.piece(0xfe, text.as_bytes());
    }

    /// Adds a token of a text without splices.
    pub(crate) fn token(&mut self, token: Token, text: &[u8], symbols: &Interner) {
        if token.kind == T::Ident {
            return self.piece(token.kind as u8, symbols.name(token.symbol()).as_bytes());
        }
        let spelled = matches!(token.kind, T::Integer | T::Float | T::Char | T::String) || token.kind.is_keyword();
        let span = if spelled { token.span.lo as usize..token.span.hi as usize } else { 0..0 };
        self.piece(token.kind as u8, text.get(span).unwrap_or_default());
    }

    fn piece(&mut self, kind: u8, bytes: &[u8]) {
        self.0.update([kind]);
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// The finished digest.
    pub(crate) fn finish(&self) -> [u8; 32] {
        self.0.clone().finalize().into()
    }
}
