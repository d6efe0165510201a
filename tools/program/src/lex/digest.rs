//! The digest of a text's tokens: equal for texts that differ in comments, blanks, lines, spans and the names of labels only.

use sha2::{Digest as _, Sha256};

use super::token::{T, Token};
use crate::ast::Interner;

/// The names that occur as labels only, numbered as they first occur: by symbol, `None` for all others. Generated programs count
/// theirs through a whole file, so that one statement more renames all labels behind it.
#[derive(Debug, Default)]
pub(crate) struct Labels(Vec<Option<u32>>);

impl Labels {
    /// Finds them in the tokens of a text. What a name means otherwise is declared somewhere, where it looks like no label; so do
    /// labels whose address is taken and those of assembly, whose names may stand in strings.
    pub(crate) fn of(tokens: &[Token], symbols: &Interner) -> Self {
        // Whether a name occurs, and always as a label.
        let mut found: Vec<Option<bool>> = vec![None; symbols.len()];
        let kind = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map(|token| token.kind);
        for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == T::Ident) {
            let Some(known) = found.get_mut(token.symbol().index()) else { continue };
            let (before, after) = (kind(at.checked_sub(1)), kind(Some(at + 1)));
            let begins =
                matches!(before, Some(T::Semicolon | T::LBrace | T::RBrace | T::Colon | T::RParen | T::KwElse | T::KwDo));
            let here = before == Some(T::KwGoto) || begins && after == Some(T::Colon);
            *known = Some(here && *known != Some(false));
        }
        // Symbols are numbered as they first occur.
        let mut next = 0..;
        Self(found.into_iter().map(|known| if known == Some(true) { next.next() } else { None }).collect())
    }
}

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
    pub(crate) fn token(&mut self, token: Token, text: &[u8], symbols: &Interner, labels: &Labels) {
        if token.kind == T::Ident {
            if let Some(Some(number)) = labels.0.get(token.symbol().index()) {
                return self.piece(0xfd, &number.to_le_bytes());
            }
            return self.piece(token.kind as u8, symbols.name(token.symbol()).as_bytes());
        }
        let spelled = matches!(token.kind, T::Integer | T::Float | T::Char | T::String) || token.kind.is_keyword();
        let span = if spelled { token.span.lo as usize..token.span.hi as usize } else { 0..0 };
        self.piece(token.kind as u8, text.get(span).unwrap_or_default());
    }

    fn piece(&mut self, kind: u8, bytes: &[u8]) {
        let mut head = [kind; 9];
        head[1..].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.0.update(head);
        self.0.update(bytes);
    }

    /// The finished digest.
    pub(crate) fn finish(&self) -> [u8; 32] {
        self.0.clone().finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Joining, lex};
    use crate::ast::Interner;

    fn digest(text: &str) -> [u8; 32] {
        lex(text.as_bytes(), Joining::Lines, &mut Interner::default()).unwrap().digest.finish()
    }

    #[test]
    fn names_of_labels_are_no_difference() {
        let with = |a: &str, b: &str| format!("int {{ if (x) goto {a}; else {{ goto {b}; }} {a}: ; {b}: x = 1; }}");
        assert_eq!(digest(&with("l1", "l2")), digest(&with("l7", "again")));
        assert_ne!(digest(&with("l1", "l2")), digest(&with("l1", "l1")));
        assert_ne!(digest("{ goto a; a: ; b: ; }"), digest("{ goto b; a: ; b: ; }"));
    }

    #[test]
    fn other_names_are_a_difference() {
        for text in [
            "int NAME; {{ NAME: goto NAME; }}",
            "{{ void *p = &&NAME; NAME: ; }}",
            "{{ asm goto (\"jmp %l[a]\" : : : : NAME); NAME: ; }}",
            "{{ __label__ NAME; goto NAME; NAME: ; }}",
            "{{ x = y ? (int)NAME : 0; }} int NAME;",
            "typedef int NAME; struct {{ NAME : 3; }};",
            "{{ switch (x) {{ case NAME: ; }} }}",
        ] {
            assert_ne!(digest(&text.replace("NAME", "a")), digest(&text.replace("NAME", "b")), "{text}");
        }
    }
}
