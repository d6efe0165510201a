//! Initialisers and designators.

use super::{Parse, Parser};
use crate::ast::{Designator, Ident, Initializer, InitializerId, InitializerItem, InitializerKind};
use crate::lex::T;

impl Parser<'_> {
    /// An expression or a list in braces.
    pub(super) fn initializer(&mut self) -> Parse<InitializerId> {
        let lo = self.lo();
        let kind = if self.peek() == T::LBrace {
            InitializerKind::List(self.nested(Self::initializer_items)?)
        } else {
            InitializerKind::Expr(self.assignment()?)
        };
        let span = self.since(lo);
        Ok(self.add(Initializer { kind, span }))
    }

    fn initializer_items(&mut self) -> Parse<Box<[InitializerItem]>> {
        self.advance();
        let mut items = Vec::new();
        while self.peek() != T::RBrace {
            let lo = self.lo();
            let designators = self.designators()?;
            let value = self.initializer()?;
            items.push(InitializerItem { designators, value, span: self.since(lo) });
            if !self.accept(T::Comma) {
                break;
            }
        }
        self.expect(T::RBrace, "after the initialiser")?;
        Ok(items.into())
    }

    fn designators(&mut self) -> Parse<Box<[Designator]>> {
        if self.peek() == T::Ident && self.peek_at(1) == T::Colon {
            let token = self.advance();
            self.advance();
            let member = Ident { name: token.symbol(), span: token.span };
            return Ok(Box::new([Designator::Member(member)]));
        }
        let mut designators = Vec::new();
        loop {
            match self.peek() {
                T::Dot => {
                    self.advance();
                    designators.push(Designator::Member(self.identifier("as designated member")?));
                }
                T::LBracket => designators.push(self.index_designator()?),
                _ => break,
            }
        }
        // `[1] value` without `=` is an obsolete form that gcc still reads.
        let equals = match designators.as_slice() {
            [] => false,
            [Designator::Index(_) | Designator::Range(..)] => self.peek() == T::Eq,
            _ => true,
        };
        if equals {
            self.expect(T::Eq, "after the designator")?;
        }
        Ok(designators.into())
    }

    fn index_designator(&mut self) -> Parse<Designator> {
        self.advance();
        let first = self.conditional()?;
        let designator = match self.accept(T::Ellipsis) {
            true => Designator::Range(first, self.conditional()?),
            false => Designator::Index(first),
        };
        self.expect(T::RBracket, "after the index")?;
        Ok(designator)
    }
}
