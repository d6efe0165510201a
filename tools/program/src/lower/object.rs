//! Objects that are declared: those with linkage, static ones of blocks, and those that each activation has anew.
//!
//! Does not know how initialisers are read (`init`), nor temporaries.

use super::build::Class;
use super::declarator::Attributes;
use super::place::Place;
use super::scope::Entity;
use super::{Lowered, Lowerer};
use crate::ast::{self, InitializerKind, Storage};
use crate::cfa::{Linkage, Operation, StaticInitializer, VarId, VarKind};
use crate::source::Span;
use crate::types::{ArrayLength, QualType, Type, TypeId};

/// What a declarator declares, as far as objects are concerned.
pub(super) struct Object<'b> {
    pub(super) name: ast::Ident,
    pub(super) ty: QualType,
    pub(super) storage: Option<Storage>,
    pub(super) thread_local: bool,
    pub(super) initializer: Option<ast::InitializerId>,
    pub(super) attributes: &'b Attributes,
    /// The alignment that is asked for.
    pub(super) align: Option<u64>,
    /// The alignment that the name of its type has, if any.
    pub(super) type_align: Option<u64>,
    pub(super) span: Span,
}

impl Lowerer<'_> {
    /// An object with linkage.
    pub(super) fn global(&mut self, object: &Object<'_>) -> Lowered<()> {
        let name = object.name;
        let dropped = self.linking.dropped.contains(&object.name.span);
        let is_extern = dropped || (object.storage == Some(Storage::Extern) && object.initializer.is_none());
        self.need_linkage(object)?;
        let linkage = if object.storage == Some(Storage::Static) { Linkage::Internal } else { Linkage::External };
        let key = self.links.key(name.name);
        let shared = self.links.is_shared(name.name);
        if shared && self.function_ids.contains_key(&key) {
            self.misfit(name);
        }
        let fits = |this: &Self, known: VarId| !shared || this.compatible(this.variables[known.index()].ty.ty, object.ty.ty);
        let again = self.globals.contains_key(&key);
        let variable = match self.globals.get(&key).copied() {
            Some(known) if fits(self, known) => {
                self.redeclare_global(known, object)?;
                known
            }
            found => {
                if found.is_some() {
                    self.misfit(name);
                }
                if self.scopes.depth() == 0 && self.scopes.lookup_here(name.name).is_some() {
                    return Err(self.declared_twice(name));
                }
                let kind = VarKind::Global { linkage, defined: false };
                let text: Box<str> = self.links.name(self.ast, name.name).into();
                let variable = self.new_variable(text, kind, object.ty, object.span);
                let entry = &mut self.variables[variable.index()];
                entry.function = None;
                entry.ordinal = 0;
                self.globals.insert(key, variable);
                variable
            }
        };
        self.align(variable, object, again);
        let entry = &mut self.variables[variable.index()];
        entry.thread_local |= object.thread_local;
        if !is_extern && let VarKind::Global { defined, .. } = &mut entry.kind {
            *defined = true;
        }
        self.scopes.declare(name.name, Entity::Variable(variable, object.ty.qualifiers));
        if let Some(construct) = &object.attributes.strange
            && object.initializer.is_none()
        {
            let unsupported = Some(construct.clone());
            self.variables[variable.index()].initializer = Some(StaticInitializer { scalars: Vec::new(), unsupported });
        }
        if let Some(initializer) = object.initializer.filter(|_| !dropped) {
            if self.variables[variable.index()].initializer.is_some() {
                return Err(self.error(object.span, "this object is initialised twice", "second initialiser"));
            }
            self.variables[variable.index()].span = object.span;
            self.initialize_static(variable, initializer)?;
        } else if !is_extern && self.variables[variable.index()].initializer.is_none() {
            self.variables[variable.index()].span = object.span;
        }
        Ok(())
    }

    /// Gives an object the alignment it is declared with, else the one that the name of its type has. gcc lets an attribute
    /// of a variable lower that of its type.
    fn align(&mut self, variable: VarId, object: &Object<'_>, again: bool) {
        let again_said = self.is_said_again(&self.variables[variable.index()].identity, &object.attributes.identity);
        let entry = &mut self.variables[variable.index()];
        if !again_said {
            entry.identity = format!("{}{}", entry.identity, object.attributes.identity).into();
        }
        let natural = self.align_of_object(object.ty.ty);
        let asked = object.align.or(object.type_align);
        // A declaration that asks for nothing asks for what the type says; only where it is the only one, the type may still
        // be incomplete.
        let known = self.variables[variable.index()].align;
        let first = if again && known == 0 { natural } else { known };
        let align = match asked {
            None if !again => return,
            None => natural.max(first),
            Some(align) => align.max(first),
        };
        let entry = &mut self.variables[variable.index()];
        entry.align = align;
    }

    fn redeclare_global(&mut self, variable: VarId, object: &Object<'_>) -> Lowered<()> {
        let old = self.variables[variable.index()].ty;
        // A typedef may have qualified an array, or the declaration its elements.
        let (was, is) = (self.qualified(old).ty, self.qualified(object.ty).ty);
        let fits = self.compatible(was, is) || (self.linking.several && self.agree(was, is));
        if !fits {
            return Err(self.declared_twice(object.name));
        }
        let incomplete = matches!(self.types.get(old.ty), Type::Array { length: ArrayLength::Incomplete, .. });
        if incomplete {
            self.variables[variable.index()].ty.ty = object.ty.ty;
        }
        Ok(())
    }

    /// What has linkage has a constant size, and is nothing that its block has declared without.
    fn need_linkage(&self, object: &Object<'_>) -> Lowered<()> {
        self.need_object_type(object.ty.ty, object.span)?;
        if self.is_variable_length(object.ty.ty) {
            return Err(self.error(object.span, "the length of an array must be constant here", "has linkage"));
        }
        match self.scopes.lookup_here(object.name.name) {
            Some(Entity::Variable(known, _)) if !matches!(self.variables[known.index()].kind, VarKind::Global { .. }) => {
                Err(self.declared_twice(object.name))
            }
            _ => Ok(()),
        }
    }

    fn need_object_type(&self, ty: TypeId, span: Span) -> Lowered<()> {
        if self.class(ty) == Class::Void {
            return Err(self.error(span, "an object cannot be `void`", "in this declaration"));
        }
        Ok(())
    }

    /// An object in a block must have a size.
    fn need_size(&self, ty: TypeId, initialized: bool, span: Span) -> Lowered<()> {
        self.need_object_type(ty, span)?;
        let open = matches!(self.types.get(ty), Type::Array { length: ArrayLength::Incomplete, .. });
        if open && initialized {
            return Ok(());
        }
        match self.size_of(ty) {
            Err(crate::layout::SizeError::Incomplete) => {
                Err(self.error(span, "the type of this object is incomplete", "has no size"))
            }
            _ => Ok(()),
        }
    }

    fn new_local(&mut self, object: &Object<'_>, kind: VarKind) -> Lowered<VarId> {
        let name = object.name;
        match self.scopes.lookup_here(name.name) {
            Some(Entity::Variable(..) | Entity::Typedef(..) | Entity::Constant(..)) if self.quiet == 0 => {
                return Err(self.declared_twice(name));
            }
            _ => {}
        }
        if let Some(Entity::Variable(known, _)) = self.scopes.lookup_around(name.name)
            && matches!(self.variables[known.index()].kind, VarKind::Parameter(_))
            && self.variables[known.index()].function == self.body.function
            && self.quiet == 0
        {
            return Err(self.declared_twice(name));
        }
        let text: Box<str> = self.ast.name(name.name).into();
        let variable = self.new_variable(text, kind, object.ty, object.span);
        self.variables[variable.index()].thread_local = object.thread_local;
        self.align(variable, object, false);
        self.scopes.declare(name.name, Entity::Variable(variable, object.ty.qualifiers));
        Ok(variable)
    }

    pub(super) fn static_local(&mut self, object: &Object<'_>) -> Lowered<()> {
        self.need_size(object.ty.ty, object.initializer.is_some(), object.span)?;
        if self.is_variable_length(object.ty.ty) {
            return Err(self.error(object.span, "the length of an array must be constant here", "lives as long as the program"));
        }
        let variable = self.new_local(object, VarKind::StaticLocal)?;
        match object.initializer {
            Some(initializer) => self.initialize_static(variable, initializer)?,
            None => self.variables[variable.index()].initializer = Some(StaticInitializer::default()),
        }
        if let Some(construct) = &object.attributes.strange {
            self.unsupported(construct, object.span);
        }
        Ok(())
    }

    pub(super) fn local(&mut self, object: &Object<'_>) -> Lowered<()> {
        self.need_size(object.ty.ty, object.initializer.is_some(), object.span)?;
        self.start_expression();
        let variable = self.new_local(object, VarKind::Local)?;
        self.fence_type(object.ty.ty);
        if self.is_variable_length(object.ty.ty) && (self.quiet > 0 || self.bounded_array(variable, object.span).is_none()) {
            self.unsupported("variable length array", object.span);
        }
        let cleanup = self.cleanup_function(&object.attributes.cleanup, variable);
        if cleanup.is_none() && !object.attributes.cleanup.is_empty() {
            self.unsupported("attribute cleanup", object.span);
        }
        if let Some(construct) = &object.attributes.strange {
            self.unsupported(construct, object.span);
        }
        if self.arrays.contains_key(&variable) && object.initializer.is_some() {
            self.unsupported("variable length array with an initialiser", object.span);
            return Ok(());
        }
        if let Some(initializer) = object.initializer {
            self.complete_array(variable, initializer)?;
        }
        self.emit(Operation::Declare { variable }, object.span);
        self.initialize_local(variable, object)?;
        if let Some(function) = cleanup {
            self.clean_up(variable, function, object.span);
        }
        Ok(())
    }

    fn initialize_local(&mut self, variable: VarId, object: &Object<'_>) -> Lowered<()> {
        let Some(initializer) = object.initializer else { return Ok(()) };
        let place = Place { expr: self.variable(variable), qualifiers: object.ty.qualifiers, bits: None };
        if let InitializerKind::Expr(expr) = self.ast[initializer].kind
            && self.is_scalar(object.ty.ty)
            && self.initialize_by_call(place, expr)?
        {
            return Ok(());
        }
        if let InitializerKind::Expr(expr) = self.ast[initializer].kind
            && self.then_steps(&[expr], |this| this.initialize_dynamic(place.expr, initializer, object.span))?.is_some()
        {
            return Ok(());
        }
        self.initialize_dynamic(place.expr, initializer, object.span)
    }
}
