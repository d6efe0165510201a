//! Declarators, parameter lists and type names.
//!
//! A declarator is read inside out and kept as a flat list from the name outwards.

use super::names::NameKind;
use super::{Parse, Parser};
use crate::ast::{
    ArraySize, Attribute, BaseType, Declarator, Derived, Ident, Parameter, ParameterId, Parameters, ParametersKind, Qualifiers,
    Specifiers, Storage, TypeName, TypeNameId,
};
use crate::lex::T;

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// It must.
    Required,
    /// It may: parameters.
    Optional,
    /// It must not: type names.
    Forbidden,
}

/// A declarator in the making.
#[derive(Default)]
struct Parts {
    name: Option<Ident>,
    derived: Vec<Derived>,
    attributes: Vec<Attribute>,
}

impl Parser<'_> {
    /// A declarator with a name.
    pub(super) fn named_declarator(&mut self) -> Parse<Declarator> {
        self.declarator(Naming::Required)
    }

    /// A type name, as between the parentheses of a cast.
    pub(super) fn type_name(&mut self) -> Parse<TypeNameId> {
        let lo = self.lo();
        let specifiers = self.type_specifiers("name")?;
        self.forbid_storage(&specifiers, "a type name")?;
        let declarator = self.declarator(Naming::Forbidden)?;
        let span = self.since(lo);
        Ok(self.add(TypeName { specifiers, declarator, span }))
    }

    fn declarator(&mut self, naming: Naming) -> Parse<Declarator> {
        let lo = self.lo();
        let mut parts = Parts::default();
        self.declarator_parts(naming, &mut parts)?;
        Ok(Declarator {
            name: parts.name,
            derived: parts.derived.into(),
            attributes: parts.attributes.into(),
            span: self.since(lo),
        })
    }

    fn declarator_parts(&mut self, naming: Naming, parts: &mut Parts) -> Parse<()> {
        let mut pointers = Vec::new();
        while self.accept(T::Star) {
            pointers.push(self.pointer()?);
        }
        match self.peek() {
            T::Ident if naming != Naming::Forbidden => {
                let token = self.advance();
                parts.name = Some(Ident { name: token.symbol(), span: token.span });
            }
            T::LParen if naming == Naming::Required || self.nested_declarator_follows() => {
                self.advance();
                parts.attributes.extend(self.attributes()?);
                self.nested(|parser| parser.declarator_parts(naming, parts))?;
                self.expect(T::RParen, "after the declarator")?;
            }
            _ if naming == Naming::Required => return Err(self.expected("a name to declare")),
            _ => {}
        }
        self.suffixes(parts)?;
        parts.derived.extend(pointers.into_iter().rev());
        Ok(())
    }

    /// Whether the parenthesis here encloses a declarator rather than parameters.
    fn nested_declarator_follows(&self) -> bool {
        let mut distance = 1;
        if self.at_attributes(distance) {
            distance += self.attributes_length(distance);
        }
        match self.peek_at(distance) {
            T::RParen => false,
            _ => !self.starts_type(distance),
        }
    }

    /// What follows a star.
    fn pointer(&mut self) -> Parse<Derived> {
        let mut qualifiers = Qualifiers::default();
        let mut attributes = Vec::new();
        loop {
            match self.peek() {
                _ if self.at_attributes(0) => attributes.extend(self.attributes()?),
                T::KwSegment => attributes.push(self.segment()),
                _ if self.qualifier(&mut qualifiers) => {}
                _ => {
                    return Ok(Derived::Pointer { qualifiers, attributes: attributes.into() });
                }
            }
        }
    }

    /// Array bounds and parameter lists.
    fn suffixes(&mut self, parts: &mut Parts) -> Parse<()> {
        loop {
            match self.peek() {
                T::LBracket if self.at_attributes(0) => {
                    parts.attributes.extend(self.attributes()?);
                }
                T::LBracket => parts.derived.push(self.array()?),
                T::LParen => {
                    let parameters = self.nested(Self::parameters)?;
                    parts.derived.push(Derived::Function(parameters));
                }
                _ => return Ok(()),
            }
        }
    }

    fn array(&mut self) -> Parse<Derived> {
        self.advance();
        let mut qualifiers = Qualifiers::default();
        let mut is_static = false;
        loop {
            if self.accept(T::KwStatic) {
                is_static = true;
            } else if !self.qualifier(&mut qualifiers) {
                break;
            }
        }
        let size = match self.peek() {
            T::RBracket if is_static => return Err(self.expected("the number of elements")),
            T::RBracket => ArraySize::Unspecified,
            T::Star if self.peek_at(1) == T::RBracket => {
                self.advance();
                ArraySize::Star
            }
            _ => ArraySize::Expr(self.nested(Self::assignment)?),
        };
        self.expect(T::RBracket, "after the array bound")?;
        Ok(Derived::Array { qualifiers, is_static, size })
    }

    fn parameters(&mut self) -> Parse<Parameters> {
        let lo = self.lo();
        self.advance();
        let kind = match self.peek() {
            T::RParen => ParametersKind::OldStyle(Box::default()),
            T::Ident if !self.is_typedef_at(0) => self.old_style_names()?,
            _ => {
                self.names.open();
                let prototype = self.prototype();
                self.names.close();
                prototype?
            }
        };
        self.expect(T::RParen, "after the parameters")?;
        Ok(Parameters { kind, span: self.since(lo) })
    }

    fn old_style_names(&mut self) -> Parse<ParametersKind> {
        let mut names = Vec::new();
        loop {
            let name = self.identifier("as parameter")?;
            if matches!(self.peek(), T::Ident | T::Star) {
                return Err(self.unknown_type(name));
            }
            names.push(name);
            if !self.accept(T::Comma) {
                return Ok(ParametersKind::OldStyle(names.into()));
            }
        }
    }

    fn prototype(&mut self) -> Parse<ParametersKind> {
        let mut forward: Vec<ParameterId> = Vec::new();
        let mut parameters: Vec<ParameterId> = Vec::new();
        let mut variadic = false;
        loop {
            if self.peek() == T::Ellipsis && !parameters.is_empty() {
                self.advance();
                variadic = true;
                break;
            }
            parameters.push(self.parameter()?);
            if self.accept(T::Semicolon) {
                forward.append(&mut parameters);
            } else if !self.accept(T::Comma) {
                break;
            }
        }
        if let ([only], false) = (parameters.as_slice(), variadic)
            && is_void(&self.ast[*only])
            && self.ast[*only].specifiers.qualifiers == Qualifiers::default()
        {
            parameters.clear();
        }
        self.check_lone_void(&parameters)?;
        Ok(ParametersKind::Prototype { forward: forward.into(), parameters: parameters.into(), variadic })
    }

    fn parameter(&mut self) -> Parse<ParameterId> {
        let lo = self.lo();
        let specifiers = self.type_specifiers("of a parameter")?;
        self.check_parameter_storage(&specifiers)?;
        let declarator = self.declarator(Naming::Optional)?;
        let attributes = self.attributes()?;
        if let Some(name) = declarator.name {
            self.names.declare(name.name, NameKind::Ordinary);
        }
        let span = self.since(lo);
        Ok(self.add(Parameter { specifiers, declarator, attributes: attributes.into(), span }))
    }

    /// `register` is the only storage class of a parameter.
    fn check_parameter_storage(&self, specifiers: &Specifiers) -> Parse<()> {
        match specifiers.storage {
            Some(Storage::Register) => Ok(()),
            _ => self.forbid_storage(specifiers, "a parameter"),
        }
    }

    /// Refuses storage classes and function specifiers where only a type may stand.
    pub(super) fn forbid_storage(&self, specifiers: &Specifiers, what: &str) -> Parse<()> {
        let Specifiers { storage, thread_local, inline, noreturn, .. } = specifiers;
        if storage.is_none() && !thread_local && !inline && !noreturn {
            return Ok(());
        }
        let message = format!("{what} with a storage class or function specifier");
        Err(self.wrong(specifiers.span, message, "remove the specifier"))
    }

    /// `void` without a name is a list of its own.
    fn check_lone_void(&self, parameters: &[ParameterId]) -> Parse<()> {
        match parameters.iter().find(|parameter| is_void(&self.ast[**parameter])) {
            Some(parameter) => {
                let message = "`void` must be the only parameter";
                Err(self.wrong(self.ast[*parameter].span, message, "remove it"))
            }
            None => Ok(()),
        }
    }
}

/// Whether a parameter is `void` without a name, as in an empty list.
fn is_void(parameter: &Parameter) -> bool {
    parameter.specifiers.base == BaseType::Void && parameter.declarator.name.is_none() && parameter.declarator.derived.is_empty()
}
