//! Declarations, at file level and in blocks: which of them declare types, functions or objects, and what else stands there.
//!
//! Does not know what becomes of a function (`function`) or of an object (`object`) that is declared.

use super::build::Class;
use super::declarator::{Attributes, Declared};
use super::object::Object;
use super::scope::Entity;
use super::{Lowered, Lowerer};
use crate::ast::{self, BaseType, InitializerKind, Storage, Symbol};
use crate::outside::is_outside;
use crate::types::Type;

impl Lowerer<'_> {
    /// A declaration at file level or in a block.
    pub(super) fn declaration(&mut self, id: ast::DeclarationId) -> Lowered<()> {
        let ast = self.ast;
        let specifiers = &ast[id].specifiers;
        let base = self.base_type(specifiers, ast[id].declarators.is_empty())?;
        let common = self.attributes(&specifiers.attributes)?;
        for declarator in &ast[id].declarators {
            self.body.statement = ast[id].span;
            self.init_declarator(*declarator, specifiers, base, &common)?;
        }
        Ok(())
    }

    fn init_declarator(
        &mut self,
        id: ast::DeclId,
        specifiers: &ast::Specifiers,
        base: Declared,
        common: &Attributes,
    ) -> Lowered<()> {
        let ast = self.ast;
        let declarator = &ast[id];
        let Some(name) = declarator.declarator.name else { return Ok(()) };
        let mut base = base;
        if specifiers.base == BaseType::Auto
            && let Some(initializer) = declarator.initializer
            && let InitializerKind::Expr(expr) = ast[initializer].kind
        {
            let value = self.quietly(|this| this.value(expr))?.0;
            if self.odd(value).is_some() {
                return Err(self.error(ast[expr].span, "a variable with the type of a bit-field", "has as many bits"));
            }
            base.ty.ty = self.ty(value);
        }
        let own = self.attributes(declarator.attributes.iter())?;
        let declared = self.declared_here(base, &declarator.declarator)?;
        let declared = self.apply_attributes(declared, &own, declarator.span)?;
        let mut attributes = merge(common, &own);
        self.note_weak(name.name, specifiers.storage, &mut attributes);
        self.check_specifiers(specifiers, self.class(declared.ty.ty), &declarator.declarator)?;
        if specifiers.storage == Some(Storage::Typedef) {
            // What stands before the name is said of the name, also where that is of a pointer.
            let declared = Declared { align: own.type_align.or(common.type_align).or(declared.align), ..declared };
            self.refuse_unsure_alignment(specifiers.base, declared.ty.ty, declarator.span);
            return self.declare_typedef(name, declared, &attributes);
        }
        if self.class(declared.ty.ty) == Class::Function {
            if declarator.initializer.is_some() {
                return Err(self.error(declarator.span, "a function cannot be initialised", "this is a function"));
            }
            let noreturn = specifiers.noreturn || attributes.noreturn;
            self.declare_function(name, declared.ty.ty, specifiers.storage, &attributes, noreturn)?;
            return Ok(());
        }
        let align = attributes.align.max(self.alignas(specifiers)?);
        let object = Object {
            align,
            type_align: declared.align,
            name,
            ty: declared.ty,
            storage: specifiers.storage,
            thread_local: specifiers.thread_local,
            initializer: declarator.initializer,
            attributes: &attributes,
            span: declarator.span,
        };
        let local = self.scopes.depth() > 0;
        // An object of a block is unsupported where it is declared; any other one from the beginning.
        let outside = !local || object.storage == Some(Storage::Extern);
        let automatic = !outside && object.storage != Some(Storage::Static);
        let runs = !attributes.hooks.is_empty()
            || (!attributes.cleanup.is_empty() && !automatic)
            || (attributes.strange.is_some() && outside);
        if !runs {
            self.account(attributes.demands.iter().copied());
        }
        match specifiers.storage {
            Some(Storage::Extern) => self.global(&object),
            Some(Storage::Static) if local => self.static_local(&object),
            _ if local => self.local(&object),
            _ => self.global(&object),
        }
    }

    /// What specifiers say fits what is declared, and where.
    fn check_specifiers(&self, specifiers: &ast::Specifiers, class: Class, declarator: &ast::Declarator) -> Lowered<()> {
        self.refuse_parameter_arrays(declarator)?;
        let span = declarator.span;
        let (storage, local) = (specifiers.storage, self.scopes.depth() > 0);
        if !specifiers.alignas.is_empty() && (storage == Some(Storage::Typedef) || class == Class::Function) {
            return Err(self.error(span, "`_Alignas` is for objects", "a type or a function"));
        }
        if !local && storage == Some(Storage::Auto) && specifiers.base != BaseType::Auto {
            return Err(self.error(span, "`auto` outside of a function", "lives as long as the program"));
        }
        if local && storage == Some(Storage::Static) && class == Class::Function {
            return Err(self.error(span, "a function that a block declares is not `static`", "in this block"));
        }
        Ok(())
    }

    /// The type of what is declared, whose lengths are evaluated here.
    fn declared_here(&mut self, base: Declared, declarator: &ast::Declarator) -> Lowered<Declared> {
        self.start_expression();
        let outer = std::mem::replace(&mut self.declares, true);
        let declared = self.declarator_type(base, declarator);
        self.declares = outer;
        declared
    }

    /// Takes note of a name that need not be defined, by an attribute or a pragma.
    fn note_weak(&mut self, name: Symbol, storage: Option<Storage>, attributes: &mut Attributes) {
        if !attributes.weak && self.links.weak.contains(&name) && self.has_linkage(storage) {
            attributes.weak = true;
            attributes.identity.push_str("weak");
        }
        // What stands for functions outside is weak in residual programs, so that they can be linked: it is never absent.
        if attributes.weak && !is_outside(self.ast.name(name)) {
            self.weak.insert(name);
        }
    }

    /// Whether what is declared here is a function or object with linkage, if it is no type.
    fn has_linkage(&self, storage: Option<Storage>) -> bool {
        storage == Some(Storage::Extern) || (self.scopes.depth() == 0 && storage != Some(Storage::Typedef))
    }

    /// A name for a type; an attribute that is not followed makes the structure behind it unsupported.
    fn declare_typedef(&mut self, name: ast::Ident, declared: Declared, attributes: &Attributes) -> Lowered<()> {
        if let Some(Entity::Typedef(known, _)) = self.scopes.lookup_here(name.name) {
            let [is_number, was_number] =
                [declared.ty.ty, known.ty].map(|ty| matches!(self.types.get(ty), Type::Bool | Type::Int { .. } | Type::Float(_)));
            if is_number && was_number && known.ty != declared.ty.ty {
                return Err(self.declared_twice(name));
            }
        }
        if let (Some(construct), Type::Record(record)) = (&attributes.strange, self.types.get(declared.ty.ty)) {
            let record = *record;
            self.types.record_mut(record).unsupported.get_or_insert_with(|| construct.clone());
            self.account(attributes.demands.iter().copied());
        }
        if let Type::Record(record) = self.types.get(declared.ty.ty)
            && self.types.record(*record).is_union
        {
            self.account(attributes.transparent);
        }
        self.note_aligned(declared.ty.ty, declared.align);
        self.fence_type(declared.ty.ty);
        self.scopes.declare(name.name, Entity::Typedef(declared.ty, declared.align));
        Ok(())
    }

    /// Whether a declaration only repeats attributes: a header is read once for every unit that includes it.
    pub(super) fn is_said_again(&self, known: &str, said: &str) -> bool {
        self.linking.several && known.contains(said)
    }

    /// Two names of one thing are declared so that they cannot be. One that is only declared, as the tables of devices are that a
    /// kernel's module exports, is used by nothing here.
    pub(super) fn misfit(&mut self, name: ast::Ident) {
        let is_used =
            (0..self.ast.exprs()).any(|index| self.ast[ast::ExprId::from_index(index)].kind == ast::ExprKind::Name(name.name));
        if !is_used {
            return;
        }
        let construct = format!("`{}` under an assembler name of something else", self.ast.name(name.name));
        self.before_entry.push((construct.into(), name.span));
    }

    pub(super) fn declared_twice(&self, name: ast::Ident) -> crate::diagnostic::Diagnostic {
        let message = format!("`{}` is declared differently before", self.ast.name(name.name));
        self.error(name.span, message, "conflicting declaration")
    }

    /// `_Static_assert`
    pub(super) fn static_assert(&mut self, id: ast::StaticAssertId) -> Lowered<()> {
        let ast = self.ast;
        let assertion = &ast[id];
        if self.integer_constant(assertion.condition)?.0 != 0 {
            return Ok(());
        }
        let text = assertion.message.map_or_else(String::new, |message| ast[message].to_text());
        Err(self.error(assertion.span, format!("static assertion failed: {text}"), "this does not hold"))
    }

    /// `asm` outside of functions may define what the program uses.
    pub(super) fn file_level_asm(&mut self, id: ast::AsmId) {
        let ast = self.ast;
        let text = ast[ast[id].template].to_text();
        if !text.trim().is_empty() {
            self.before_entry.push(("asm outside of functions".into(), ast[id].span));
        }
    }
}

pub(super) fn merge(a: &Attributes, b: &Attributes) -> Attributes {
    let mut merged = b.clone();
    merged.packed |= a.packed;
    merged.noreturn |= a.noreturn;
    merged.cleanup.extend(&a.cleanup);
    merged.weak |= a.weak;
    merged.strange = merged.strange.or_else(|| a.strange.clone());
    merged.hooks.extend(a.hooks.iter().copied());
    merged.align = merged.align.max(a.align);
    merged.identity.push_str(&a.identity);
    merged.demands.extend(&a.demands);
    merged
}
