//! Declarations, function definitions and translation units.

use super::names::NameKind;
use super::{Parse, Parser};
use crate::ast::{
    Attribute, BaseType, DeclId, Declaration, DeclarationId, Declarator, Derived, Function, FunctionId, InitDeclarator, Item,
    ParametersKind, Specifiers, StaticAssert, StaticAssertId, Storage, StringId,
};
use crate::lex::T;
use crate::source::Span;

/// What a declaration turned out to be.
pub(super) enum Declared {
    /// A declaration.
    Declaration(DeclarationId),
    /// A function with its body.
    Function(FunctionId),
}

impl Parser<'_> {
    pub(super) fn translation_unit(&mut self) -> Parse<()> {
        loop {
            self.item = self.at;
            let item = match self.peek() {
                T::End => return Ok(()),
                T::Semicolon => {
                    self.advance();
                    continue;
                }
                T::KwAsm => Item::Asm(self.external_assembly()?),
                T::KwStaticAssert => Item::StaticAssert(self.static_assert()?),
                T::KwExtension if self.external_after_extension(T::KwStaticAssert) => {
                    self.skip_extension();
                    Item::StaticAssert(self.static_assert()?)
                }
                T::KwExtension if self.external_after_extension(T::Semicolon) => {
                    self.skip_extension();
                    continue;
                }
                T::KwExtension if self.external_after_extension(T::KwAsm) => {
                    self.skip_extension();
                    Item::Asm(self.external_assembly()?)
                }
                _ => match self.declaration()? {
                    Declared::Declaration(declaration) => Item::Declaration(declaration),
                    Declared::Function(function) => Item::Function(function),
                },
            };
            self.ast.items.push(item);
            self.ast.item_ends.push(self.ast.exprs());
        }
    }

    fn external_after_extension(&self, kind: T) -> bool {
        let markers = (0..).take_while(|at| self.peek_at(*at) == T::KwExtension).count();
        self.peek_at(markers) == kind
    }

    /// `__extension__` before a declaration has no meaning.
    pub(super) fn skip_extension(&mut self) {
        while self.accept(T::KwExtension) {}
    }

    /// A declaration or function definition, at any level.
    pub(super) fn declaration(&mut self) -> Parse<Declared> {
        let lo = self.lo();
        self.skip_extension();
        let specifiers = self.specifiers()?;
        if self.peek() == T::Semicolon && !specifiers.span.is_empty() {
            self.advance();
            let span = self.since(lo);
            let declaration = Declaration { specifiers, declarators: Box::default(), span };
            return Ok(Declared::Declaration(self.add(declaration)));
        }
        if specifiers.span.is_empty() && !matches!(self.peek(), T::Ident | T::Star | T::LParen) {
            return Err(self.expected("a declaration"));
        }
        self.check_implicit_type(&specifiers)?;
        let kind = match specifiers.storage {
            Some(Storage::Typedef) => NameKind::Typedef,
            _ => NameKind::Ordinary,
        };
        let start = self.lo();
        let declarator = self.named_declarator()?;
        if self.begins_body(&declarator) {
            let head = FunctionHead { lo, specifiers, declarator };
            return Ok(Declared::Function(self.function(head)?));
        }
        let (asm_label, attributes) = self.after_declarator()?;
        let declaration = self.add(Declaration { specifiers, declarators: Box::default(), span: Span::new(lo, lo) });
        let first = InitDeclarator {
            declaration,
            declarator,
            asm_label,
            attributes: attributes.into(),
            initializer: None,
            span: Span::new(start, start),
        };
        let mut declarators = vec![self.init_declarator(first, kind)?];
        while self.accept(T::Comma) {
            declarators.push(self.next_declarator(declaration, kind)?);
        }
        self.expect(T::Semicolon, "after the declaration")?;
        let span = self.since(lo);
        let node = &mut self.ast.declarations[declaration.index()];
        node.declarators = declarators.into();
        node.span = span;
        Ok(Declared::Declaration(declaration))
    }

    /// A declarator after a comma.
    fn next_declarator(&mut self, declaration: DeclarationId, kind: NameKind) -> Parse<DeclId> {
        let start = self.lo();
        let mut attributes = self.attributes()?;
        let declarator = self.named_declarator()?;
        let (asm_label, after) = self.after_declarator()?;
        attributes.extend(after);
        let next = InitDeclarator {
            declaration,
            declarator,
            asm_label,
            attributes: attributes.into(),
            initializer: None,
            span: Span::new(start, start),
        };
        self.init_declarator(next, kind)
    }

    /// Declares the name and reads the initialiser.
    fn init_declarator(&mut self, mut node: InitDeclarator, kind: NameKind) -> Parse<DeclId> {
        if let Some(name) = node.declarator.name {
            self.names.declare(name.name, kind);
        }
        if self.accept(T::Eq) {
            let beginning = self.beginning();
            match self.initializer() {
                Ok(initializer) => node.initializer = Some(initializer),
                Err(error) => self.recover_initializer(error, beginning)?,
            }
        }
        node.span = self.since(node.span.lo);
        Ok(self.add(node))
    }

    /// `asm("…")` and attributes after a declarator.
    pub(super) fn after_declarator(&mut self) -> Parse<(Option<StringId>, Vec<Attribute>)> {
        let mut attributes = self.attributes()?;
        let mut asm_label = None;
        if self.accept(T::KwAsm) {
            self.expect(T::LParen, "after `asm`")?;
            asm_label = Some(self.string("as assembler name")?);
            self.expect(T::RParen, "after the assembler name")?;
            attributes.extend(self.attributes()?);
        }
        Ok((asm_label, attributes))
    }

    /// Refuses `name name` and `name *name`, which look like a declaration with an unknown type.
    fn check_implicit_type(&self, specifiers: &Specifiers) -> Parse<()> {
        let looks_like_type = self.peek() == T::Ident
            && (self.peek_at(1) == T::Ident || self.peek_at(1) == T::Star && matches!(self.peek_at(2), T::Ident | T::Star));
        if specifiers.base == BaseType::Implicit && looks_like_type {
            let token = self.token();
            let name = crate::ast::Ident { name: token.symbol(), span: token.span };
            return Err(self.unknown_type(name));
        }
        Ok(())
    }

    /// Whether a function body (or its K&R parameter declarations) follows the declarator.
    fn begins_body(&self, declarator: &Declarator) -> bool {
        let Some(Derived::Function(parameters)) = declarator.derived.first() else {
            return false;
        };
        match &parameters.kind {
            _ if self.peek() == T::LBrace => true,
            ParametersKind::OldStyle(names) => !names.is_empty() && !self.at_attributes(0) && self.starts_type(0),
            ParametersKind::Prototype { .. } => false,
        }
    }

    fn function(&mut self, head: FunctionHead) -> Parse<FunctionId> {
        let FunctionHead { lo, specifiers, declarator } = head;
        if let Some(name) = declarator.name {
            self.names.declare(name.name, NameKind::Ordinary);
        }
        self.names.open();
        self.declare_parameters(&declarator);
        let mut old_style = Vec::new();
        while self.peek() != T::LBrace {
            match self.declaration()? {
                Declared::Declaration(declaration) => old_style.push(declaration),
                Declared::Function(_) => return Err(self.expected("the body of the function")),
            }
        }
        let body = self.compound()?;
        self.names.close();
        let span = self.since(lo);
        Ok(self.add(Function { specifiers, declarator, old_style: old_style.into(), body, span }))
    }

    /// The names of parameters hide typedef names in the body.
    fn declare_parameters(&mut self, declarator: &Declarator) {
        let Some(Derived::Function(parameters)) = declarator.derived.first() else {
            return;
        };
        match &parameters.kind {
            ParametersKind::OldStyle(names) => {
                for name in names {
                    self.names.declare(name.name, NameKind::Ordinary);
                }
            }
            ParametersKind::Prototype { parameters, .. } => {
                for parameter in parameters {
                    if let Some(name) = self.ast[*parameter].declarator.name {
                        self.names.declare(name.name, NameKind::Ordinary);
                    }
                }
            }
        }
    }

    /// `_Static_assert(…);`
    pub(super) fn static_assert(&mut self) -> Parse<StaticAssertId> {
        let lo = self.lo();
        self.expect(T::KwStaticAssert, "")?;
        self.expect(T::LParen, "after `_Static_assert`")?;
        let condition = self.conditional()?;
        let message = match self.accept(T::Comma) {
            true => Some(self.string("as message of the assertion")?),
            false => None,
        };
        self.expect(T::RParen, "after the assertion")?;
        self.expect(T::Semicolon, "after the assertion")?;
        let span = self.since(lo);
        Ok(self.add(StaticAssert { condition, message, span }))
    }
}

/// What stands before the body of a function.
struct FunctionHead {
    lo: u32,
    specifiers: Specifiers,
    declarator: Declarator,
}
