//! Structures, unions and enumerations.

use super::names::NameKind;
use super::{Parse, Parser};
use crate::ast::{Declarator, Enum, EnumId, Enumerator, Field, FieldDeclaration, Ident, Member, Record, RecordId, RecordKind};
use crate::lex::T;
use crate::source::Span;

impl Parser<'_> {
    /// `struct …` or `union …`
    pub(super) fn record(&mut self) -> Parse<RecordId> {
        let lo = self.lo();
        let kind = match self.advance().kind {
            T::KwUnion => RecordKind::Union,
            _ => RecordKind::Struct,
        };
        let mut attributes = self.attributes()?;
        let tag = self.tag();
        let mut members = None;
        let mut pack = None;
        if self.peek() == T::LBrace {
            members = Some(self.members()?);
            pack = self.tokens.pack_at(self.at - 1);
            attributes.extend(self.attributes()?);
        } else if tag.is_none() {
            return Err(self.expected("a tag or `{`"));
        }
        let span = self.since(lo);
        let attributes = attributes.into();
        Ok(self.add(Record { kind, tag, members, attributes, pack, span }))
    }

    fn tag(&mut self) -> Option<Ident> {
        if self.peek() != T::Ident {
            return None;
        }
        let token = self.advance();
        Some(Ident { name: token.symbol(), span: token.span })
    }

    /// The members between the braces.
    fn members(&mut self) -> Parse<Box<[Member]>> {
        self.advance();
        let mut members = Vec::new();
        while self.peek() != T::RBrace {
            if self.accept(T::Semicolon) {
                continue;
            }
            let beginning = self.beginning();
            match self.member() {
                Ok(member) => members.push(member),
                Err(error) => self.recover(error, beginning)?,
            }
        }
        self.advance();
        Ok(members.into())
    }

    fn member(&mut self) -> Parse<Member> {
        match self.peek() {
            T::KwStaticAssert => Ok(Member::StaticAssert(self.static_assert()?)),
            _ => Ok(Member::Fields(self.fields()?)),
        }
    }

    /// `specifiers a, b : 3;`
    fn fields(&mut self) -> Parse<FieldDeclaration> {
        let lo = self.lo();
        self.skip_extension();
        let specifiers = self.type_specifiers("of a member or `}`")?;
        self.forbid_storage(&specifiers, "a member")?;
        let mut fields = Vec::new();
        if !matches!(self.peek(), T::Semicolon | T::RBrace) {
            fields.push(self.field()?);
            while self.accept(T::Comma) {
                fields.push(self.field()?);
            }
        }
        // gcc accepts a missing semicolon after the last member.
        if self.peek() != T::RBrace {
            self.expect(T::Semicolon, "after the member")?;
        }
        Ok(FieldDeclaration { specifiers, fields: fields.into(), span: self.since(lo) })
    }

    fn field(&mut self) -> Parse<Field> {
        let lo = self.lo();
        let mut attributes = self.attributes()?;
        let declarator = match self.peek() {
            T::Colon => Declarator { name: None, derived: Box::default(), attributes: Box::default(), span: Span::new(lo, lo) },
            _ => self.named_declarator()?,
        };
        let width = match self.accept(T::Colon) {
            true => Some(self.conditional()?),
            false => None,
        };
        attributes.extend(self.attributes()?);
        Ok(Field { declarator, width, attributes: attributes.into(), span: self.since(lo) })
    }

    /// `enum …`
    pub(super) fn enumeration(&mut self) -> Parse<EnumId> {
        let lo = self.lo();
        self.advance();
        let mut attributes = self.attributes()?;
        let tag = self.tag();
        let mut enumerators = None;
        if self.accept(T::LBrace) {
            enumerators = Some(self.enumerators()?);
            attributes.extend(self.attributes()?);
        } else if tag.is_none() {
            return Err(self.expected("a tag or `{`"));
        }
        let span = self.since(lo);
        Ok(self.add(Enum { tag, enumerators, attributes: attributes.into(), span }))
    }

    fn enumerators(&mut self) -> Parse<Box<[Enumerator]>> {
        let mut enumerators = Vec::new();
        loop {
            let lo = self.lo();
            let name = self.identifier("as enumerator")?;
            let attributes = self.attributes()?.into();
            let value = match self.accept(T::Eq) {
                true => Some(self.conditional()?),
                false => None,
            };
            self.names.declare(name.name, NameKind::Ordinary);
            enumerators.push(Enumerator { name, attributes, value, span: self.since(lo) });
            if !self.accept(T::Comma) || self.peek() == T::RBrace {
                break;
            }
        }
        self.expect(T::RBrace, "after the enumerators")?;
        Ok(enumerators.into())
    }
}
