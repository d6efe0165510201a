//! `__attribute__((…))` and `[[…]]`.

use super::{Parse, Parser};
use crate::ast::{Attribute, AttributeKind, Ident, Symbol};
use crate::lex::T;
use crate::source::Span;
use crate::treatment::{self, Treatment, attributes};

impl Parser<'_> {
    /// Whether attributes, in either notation, begin at this distance.
    pub(super) fn at_attributes(&self, distance: usize) -> bool {
        match self.peek_at(distance) {
            T::KwAttribute => true,
            T::LBracket => self.peek_at(distance + 1) == T::LBracket,
            _ => false,
        }
    }

    /// All attributes that stand here, perhaps none.
    pub(super) fn attributes(&mut self) -> Parse<Vec<Attribute>> {
        let mut attributes = Vec::new();
        while self.at_attributes(0) {
            if self.accept(T::KwAttribute) {
                self.expect(T::LParen, "after `__attribute__`")?;
                self.expect(T::LParen, "after `__attribute__(`")?;
                self.attribute_list(T::RParen, &mut attributes)?;
            } else {
                self.advance();
                self.advance();
                self.attribute_list(T::RBracket, &mut attributes)?;
            }
        }
        Ok(attributes)
    }

    /// Attributes up to two closing brackets of the kind.
    fn attribute_list(&mut self, close: T, attributes: &mut Vec<Attribute>) -> Parse<()> {
        loop {
            while self.accept(T::Comma) {}
            if self.peek() == close {
                break;
            }
            let attribute = match close {
                T::RBracket => self.standard_attribute()?,
                _ => self.attribute()?,
            };
            match attribute.kind {
                AttributeKind::Ignored(_) => {}
                AttributeKind::Identity(_) => self.ast.has_identity = true,
                _ => self.ast.attributes.push(attribute.clone()),
            }
            attributes.push(attribute);
            if self.peek() != T::Comma && self.peek() != close {
                let what = format!("`,` or {} after the attribute", close.describe());
                return Err(self.expected(&what));
            }
        }
        self.expect(close, "after the attributes")?;
        self.expect(close, "after the attributes")?;
        Ok(())
    }

    /// An attribute of C2x: `name` or `prefix::name`; only the prefix `gnu` is known.
    fn standard_attribute(&mut self) -> Parse<Attribute> {
        let prefixed = self.peek_at(1) == T::Colon && self.peek_at(2) == T::Colon;
        if !prefixed {
            let attribute = self.attribute()?;
            return Ok(match attribute.kind {
                AttributeKind::Ignored(_) | AttributeKind::Identity(_) | AttributeKind::NoReturn => attribute,
                _ => self.unknown_attribute(attribute.span),
            });
        }
        let lo = self.lo();
        let prefix = self.advance();
        let is_name = prefix.kind == T::Ident || prefix.kind.is_keyword();
        let prefix = if is_name { self.plain_name(prefix.symbol()) } else { prefix.symbol() };
        let gnu = is_name && self.name(prefix) == "gnu";
        self.advance();
        self.advance();
        let attribute = self.attribute()?;
        Ok(match gnu {
            true => attribute,
            false => self.unknown_attribute(self.since(lo)),
        })
    }

    /// An attribute that is known only by its text.
    fn unknown_attribute(&mut self, span: Span) -> Attribute {
        let text = self.source.snippet(span).into_owned();
        let kind = AttributeKind::Unknown(self.ast.symbols.intern(&text));
        Attribute { kind, span }
    }

    /// Number of tokens of the attributes that begin at this distance.
    pub(super) fn attributes_length(&self, distance: usize) -> usize {
        let mut at = distance;
        while self.at_attributes(at) {
            at += usize::from(self.peek_at(at) == T::KwAttribute);
            let mut depth = 0_u32;
            loop {
                match self.peek_at(at) {
                    T::LParen | T::LBracket => depth += 1,
                    T::RParen | T::RBracket => depth = depth.saturating_sub(1),
                    T::End => return at - distance,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        at - distance
    }

    fn attribute(&mut self) -> Parse<Attribute> {
        let token = self.token();
        if token.kind != T::Ident && !token.kind.is_keyword() {
            return Err(self.expected("the name of an attribute"));
        }
        self.advance();
        let name = self.plain_name(token.symbol());
        let kind = self.attribute_kind(name)?;
        Ok(Attribute { kind, span: self.since(token.span.lo) })
    }

    /// `name` for `__name__`.
    fn plain_name(&mut self, symbol: Symbol) -> Symbol {
        let name = self.name(symbol);
        let plain = name.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"));
        match plain.filter(|plain| !plain.is_empty()).map(str::to_owned) {
            Some(plain) => self.ast.symbols.intern(&plain),
            None => symbol,
        }
    }

    /// The meaning of an attribute; its arguments, if any, stand here.
    fn attribute_kind(&mut self, symbol: Symbol) -> Parse<AttributeKind> {
        let name = self.name(symbol).to_owned();
        let has_arguments = self.peek() == T::LParen;
        let kind = match (name.as_str(), has_arguments) {
            ("packed", false) => AttributeKind::Packed,
            ("noreturn", false) => AttributeKind::NoReturn,
            ("weak", false) => AttributeKind::Weak,
            ("weakref", false) => AttributeKind::Weakref(None),
            ("transparent_union", false) => AttributeKind::TransparentUnion,
            ("aligned", false) => AttributeKind::Aligned(None),
            ("constructor", false) => AttributeKind::Constructor(None),
            ("destructor", false) => AttributeKind::Destructor(None),
            ("aligned" | "vector_size" | "constructor" | "destructor", true) => {
                return self.attribute_with_value(&name);
            }
            ("alias" | "ifunc" | "weakref" | "scalar_storage_order", true) if self.peek_at(1) == T::String => {
                return self.attribute_with_text(&name);
            }
            ("mode" | "cleanup", true) if self.peek_at(2) == T::RParen => {
                return self.attribute_with_name(symbol, &name);
            }
            _ => match treatment::of(attributes::ROWS, &name) {
                Treatment::Harmless => AttributeKind::Ignored(symbol),
                Treatment::Identity if self.keeps_meaning(&name) => AttributeKind::Identity(symbol),
                Treatment::Identity | Treatment::Modelled | Treatment::Unsupported => AttributeKind::Unknown(symbol),
            },
        };
        if has_arguments {
            self.skip_parenthesis()?;
        }
        Ok(kind)
    }

    /// Whether the arguments that stand here leave an attribute what its row says.
    fn keeps_meaning(&self, name: &str) -> bool {
        let ends = (0..).find(|at| matches!(self.peek_at(*at), T::RParen | T::End)).unwrap_or(0);
        let end = self.tokens.list.get(self.at + ends).map_or(self.lo(), |token| token.span.hi);
        let arguments = self.source.snippet(Span::new(self.lo(), end));
        match name {
            "optimize" => attributes::keeps_values(&arguments),
            "target" | "target_clones" => attributes::keeps_floats(&arguments),
            "section" => {
                let name = arguments.trim_matches(['(', ')', ' ']).strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                name.is_some_and(|name| attributes::is_plain_section(name) && !self.is_iterated(name))
            }
            _ => true,
        }
    }

    /// Whether the program may walk over a section: the linker gives it the symbols of its ends.
    fn is_iterated(&self, section: &str) -> bool {
        ["__start_", "__stop_"].iter().any(|start| {
            let symbol = format!("{start}{section}");
            // Names are interned as they are read: all of them are there.
            self.ast.symbols.get(&symbol).is_some()
        })
    }

    fn attribute_with_value(&mut self, name: &str) -> Parse<AttributeKind> {
        self.advance();
        let value = self.nested(Self::assignment)?;
        self.expect(T::RParen, "after the argument of the attribute")?;
        Ok(match name {
            "aligned" => AttributeKind::Aligned(Some(value)),
            "vector_size" => AttributeKind::VectorSize(value),
            "constructor" => AttributeKind::Constructor(Some(value)),
            _ => AttributeKind::Destructor(Some(value)),
        })
    }

    fn attribute_with_text(&mut self, name: &str) -> Parse<AttributeKind> {
        self.advance();
        let text = self.string("as argument of the attribute")?;
        self.expect(T::RParen, "after the argument of the attribute")?;
        Ok(match name {
            "alias" => AttributeKind::Alias(text),
            "ifunc" => AttributeKind::Ifunc(text),
            "weakref" => AttributeKind::Weakref(Some(text)),
            _ => AttributeKind::ScalarStorageOrder(text),
        })
    }

    fn attribute_with_name(&mut self, symbol: Symbol, name: &str) -> Parse<AttributeKind> {
        self.advance();
        let token = self.advance();
        self.expect(T::RParen, "after the argument of the attribute")?;
        if token.kind != T::Ident {
            return Ok(AttributeKind::Unknown(symbol));
        }
        Ok(match name {
            "mode" => AttributeKind::Mode(self.plain_name(token.symbol())),
            _ => AttributeKind::Cleanup(Ident { name: token.symbol(), span: token.span }),
        })
    }

    /// Skips the arguments of an attribute whose name says all there is to know.
    fn skip_parenthesis(&mut self) -> Parse<()> {
        let mut depth = 0_u32;
        loop {
            match self.peek() {
                T::LParen => depth += 1,
                T::RParen => depth -= 1,
                T::End => return Err(self.expected("`)` after the arguments of the attribute")),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
