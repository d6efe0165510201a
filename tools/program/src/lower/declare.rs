//! Declarations and function definitions.

use super::build::Class;
use super::declarator::{Attributes, Declared, ParameterInfo};
use super::flow::{Body, Cursor};
use super::place::Place;
use super::scope::Entity;
use super::{Lowered, Lowerer};
use crate::ast::{self, BaseType, Derived, InitializerKind, ParametersKind, Storage, Symbol};
use crate::cfa::{FunctionId, Known, Linkage, Operation, StaticInitializer, VarId, VarKind};
use crate::source::Span;
use crate::types::{ArrayLength, QualType, Type, TypeId};

/// What a declarator declares, as far as objects are concerned.
struct Object<'b> {
    name: ast::Ident,
    ty: QualType,
    storage: Option<Storage>,
    thread_local: bool,
    initializer: Option<ast::InitializerId>,
    attributes: &'b Attributes,
    span: Span,
}

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
            base.ty.ty = self.ty(value);
        }
        let own = self.attributes(declarator.attributes.iter())?;
        let declared = self.declarator_type(base, &declarator.declarator)?;
        let declared = self.apply_attributes(declared, &own, declarator.span)?;
        let attributes = merge(common, &own);
        if attributes.weak {
            self.weak.insert(name.name);
        }
        if specifiers.storage == Some(Storage::Typedef) {
            self.scopes.declare(name.name, Entity::Typedef(declared.ty, declared.align));
            return Ok(());
        }
        if self.class(declared.ty.ty) == Class::Function {
            if declarator.initializer.is_some() {
                return Err(self.error(declarator.span, "a function cannot be initialised", "this is a function"));
            }
            let noreturn = specifiers.noreturn || attributes.noreturn;
            self.declare_function(name, declared.ty.ty, specifiers.storage, &attributes, noreturn)?;
            return Ok(());
        }
        let object = Object {
            name,
            ty: declared.ty,
            storage: specifiers.storage,
            thread_local: specifiers.thread_local,
            initializer: declarator.initializer,
            attributes: &attributes,
            span: declarator.span,
        };
        let local = self.scopes.depth() > 0;
        match specifiers.storage {
            Some(Storage::Extern) => self.global(&object),
            Some(Storage::Static) if local => self.static_local(&object),
            _ if local => self.local(&object),
            _ => self.global(&object),
        }
    }

    /// Declares a function, once more perhaps.
    fn declare_function(
        &mut self,
        name: ast::Ident,
        ty: TypeId,
        storage: Option<Storage>,
        attributes: &Attributes,
        noreturn: bool,
    ) -> Lowered<FunctionId> {
        let linkage = if storage == Some(Storage::Static) { Linkage::Internal } else { Linkage::External };
        let function = match self.function_ids.get(&name.name).copied() {
            Some(known) => {
                self.redeclare_function(known, ty, name)?;
                known
            }
            None => {
                if let Some(Entity::Variable(..) | Entity::Typedef(..)) = self.scopes.lookup_here(name.name) {
                    return Err(self.declared_twice(name));
                }
                self.new_function(name.name, ty, linkage, name.span)
            }
        };
        let defined = self.defined.contains(&name.name);
        let entry = &mut self.functions[function.index()];
        if linkage == Linkage::Internal {
            entry.linkage = linkage;
        }
        if !defined && noreturn && entry.known.is_none_or(|known| known == Known::Pure) {
            entry.known = Some(Known::NoReturn);
        }
        if !defined && attributes.strange.is_some() {
            entry.known = Some(Known::Unsupported);
        }
        if let Some(hook) = attributes.hook {
            self.before_entry.push((hook.into(), name.span));
        }
        self.scopes.declare(name.name, Entity::Function(function));
        Ok(function)
    }

    fn declared_twice(&self, name: ast::Ident) -> crate::diagnostic::Diagnostic {
        let message = format!("`{}` is declared differently before", self.ast.name(name.name));
        self.error(name.span, message, "conflicting declaration")
    }

    fn redeclare_function(&mut self, function: FunctionId, ty: TypeId, name: ast::Ident) -> Lowered<()> {
        let old = self.functions[function.index()].ty;
        let unprototyped = |this: &Self, ty| match this.types.get(ty) {
            Type::Function(ty) => ty.unprototyped,
            _ => false,
        };
        if old == ty {
            return Ok(());
        }
        if unprototyped(self, old) {
            // A call before the declaration gave it this type, or `int f()` did.
            let text = self.ast.name(name.name);
            if self.functions[function.index()].known == self.known(text, old) {
                self.functions[function.index()].known = self.known(text, ty);
            }
            self.functions[function.index()].ty = ty;
            return Ok(());
        }
        if !self.compatible(old, ty) {
            return Err(self.declared_twice(name));
        }
        if !unprototyped(self, ty) {
            self.functions[function.index()].ty = ty;
        }
        Ok(())
    }

    /// An object with linkage.
    fn global(&mut self, object: &Object<'_>) -> Lowered<()> {
        let name = object.name;
        let is_extern = object.storage == Some(Storage::Extern) && object.initializer.is_none();
        self.need_object_type(object.ty.ty, object.span)?;
        let linkage = if object.storage == Some(Storage::Static) { Linkage::Internal } else { Linkage::External };
        let variable = match self.globals.get(&name.name).copied() {
            Some(known) => {
                self.redeclare_global(known, object)?;
                known
            }
            None => {
                if self.scopes.depth() == 0 && self.scopes.lookup_here(name.name).is_some() {
                    return Err(self.declared_twice(name));
                }
                let kind = VarKind::Global { linkage, defined: false };
                let text: Box<str> = self.ast.name(name.name).into();
                let variable = self.new_variable(text, kind, object.ty, object.span);
                let entry = &mut self.variables[variable.index()];
                entry.function = None;
                entry.ordinal = 0;
                self.globals.insert(name.name, variable);
                variable
            }
        };
        let entry = &mut self.variables[variable.index()];
        entry.thread_local |= object.thread_local;
        if !is_extern && let VarKind::Global { defined, .. } = &mut entry.kind {
            *defined = true;
        }
        self.scopes.declare(name.name, Entity::Variable(variable, object.ty.qualifiers));
        if let Some(construct) = object.attributes.strange {
            let unsupported = Some(construct.into());
            self.variables[variable.index()].initializer = Some(StaticInitializer { scalars: Vec::new(), unsupported });
        }
        if let Some(initializer) = object.initializer {
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

    fn redeclare_global(&mut self, variable: VarId, object: &Object<'_>) -> Lowered<()> {
        let old = self.variables[variable.index()].ty;
        if !self.compatible(old.ty, object.ty.ty) {
            return Err(self.declared_twice(object.name));
        }
        let incomplete = matches!(self.types.get(old.ty), Type::Array { length: ArrayLength::Incomplete, .. });
        if incomplete {
            self.variables[variable.index()].ty.ty = object.ty.ty;
        }
        Ok(())
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
        let text: Box<str> = self.ast.name(name.name).into();
        let variable = self.new_variable(text, kind, object.ty, object.span);
        self.variables[variable.index()].thread_local = object.thread_local;
        self.scopes.declare(name.name, Entity::Variable(variable, object.ty.qualifiers));
        Ok(variable)
    }

    fn static_local(&mut self, object: &Object<'_>) -> Lowered<()> {
        self.need_size(object.ty.ty, object.initializer.is_some(), object.span)?;
        let variable = self.new_local(object, VarKind::StaticLocal)?;
        match object.initializer {
            Some(initializer) => self.initialize_static(variable, initializer)?,
            None => self.variables[variable.index()].initializer = Some(StaticInitializer::default()),
        }
        Ok(())
    }

    fn local(&mut self, object: &Object<'_>) -> Lowered<()> {
        self.need_size(object.ty.ty, object.initializer.is_some(), object.span)?;
        self.start_expression();
        let variable = self.new_local(object, VarKind::Local)?;
        if self.is_variable_length(object.ty.ty) {
            self.unsupported("variable length array", object.span);
        }
        if object.attributes.cleanup {
            self.unsupported("attribute cleanup", object.span);
        }
        if let Some(initializer) = object.initializer {
            self.complete_array(variable, initializer)?;
        }
        self.emit(Operation::Declare { variable }, object.span);
        let Some(initializer) = object.initializer else { return Ok(()) };
        let place = Place { expr: self.variable(variable), qualifiers: object.ty.qualifiers, bits: None };
        if let InitializerKind::Expr(expr) = self.ast[initializer].kind
            && self.is_scalar(object.ty.ty)
            && self.initialize_by_call(place, expr)?
        {
            return Ok(());
        }
        self.initialize_dynamic(place.expr, initializer, object.span)
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

    /// A function with its body.
    pub(super) fn function_definition(&mut self, id: ast::FunctionId) -> Lowered<()> {
        let ast = self.ast;
        let definition = &ast[id];
        let Some(name) = definition.declarator.name else { return Ok(()) };
        let base = self.base_type(&definition.specifiers, false)?;
        let attributes = self.attributes(&definition.specifiers.attributes)?;
        let declared = self.declarator_type(base, &definition.declarator)?;
        let Some(Derived::Function(list)) = definition.declarator.derived.first() else {
            return Err(self.error(definition.declarator.span, "a body without a parameter list", "no function"));
        };
        self.scopes.enter();
        let (parameters, ty) = self.defined_parameters(list, &definition.old_style, declared.ty.ty)?;
        self.scopes.leave();
        let storage = definition.specifiers.storage;
        let function = self.declare_function(name, ty, storage, &attributes, false)?;
        if self.functions[function.index()].entry.is_some() {
            return Err(self.error(name.span, "this function is defined twice", "second definition"));
        }
        self.functions[function.index()].ty = ty;
        self.functions[function.index()].span = definition.span;
        self.body_of(function, &parameters, definition.body)
    }

    /// The parameters of a definition, and the type of the function.
    fn defined_parameters(
        &mut self,
        list: &ast::Parameters,
        old_style: &[ast::DeclarationId],
        ty: TypeId,
    ) -> Lowered<(Vec<ParameterInfo>, TypeId)> {
        let ast = self.ast;
        let names = match &list.kind {
            ParametersKind::Prototype { .. } => return Ok((self.parameters(list)?.0, ty)),
            ParametersKind::OldStyle(names) => names,
        };
        let int = QualType::plain(self.basic.int);
        let mut parameters: Vec<ParameterInfo> =
            names.iter().map(|name| ParameterInfo { name: Some(*name), ty: int, span: name.span }).collect();
        for declaration in old_style {
            let base = self.base_type(&ast[*declaration].specifiers, false)?;
            for declarator in &ast[*declaration].declarators {
                let declarator = &ast[*declarator];
                let declared = self.declarator_type(base, &declarator.declarator)?;
                let Some(name) = declarator.declarator.name else { continue };
                let ty = self.adjusted(declared.ty);
                let found = parameters.iter_mut().find(|p| p.name.is_some_and(|known| known.name == name.name));
                match found {
                    Some(parameter) => {
                        parameter.ty = ty;
                        parameter.span = declarator.span;
                    }
                    None => return Err(self.error(name.span, "this is not the name of a parameter", "unknown")),
                }
            }
        }
        let Type::Function(mut function) = self.types.get(ty).clone() else { return Ok((parameters, ty)) };
        function.parameters = parameters.iter().map(|parameter| parameter.ty).collect();
        function.unprototyped = true;
        let ty = self.types.intern(Type::Function(function));
        Ok((parameters, ty))
    }

    fn body_of(&mut self, function: FunctionId, parameters: &[ParameterInfo], body: ast::StmtId) -> Lowered<()> {
        let ast = self.ast;
        let Type::Function(ty) = self.types.get(self.functions[function.index()].ty).clone() else { return Ok(()) };
        let outer = std::mem::replace(&mut self.body, Body::file_level());
        self.body.function = Some(function);
        self.body.result = Some(ty.result);
        let entry = self.new_location();
        self.body.exit = self.new_location();
        self.body.cursor = Cursor::At(entry);
        self.functions[function.index()].entry = Some(entry);
        self.functions[function.index()].exit = Some(self.body.exit);
        self.scopes.enter();
        for (index, parameter) in parameters.iter().enumerate() {
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            let name = match parameter.name {
                Some(name) => Box::from(ast.name(name.name)),
                None => format!("__p{index}").into(),
            };
            let variable = self.new_variable(name, VarKind::Parameter(number), parameter.ty, parameter.span);
            self.functions[function.index()].parameters.push(variable);
            if let Some(name) = parameter.name {
                self.scopes.declare(name.name, Entity::Variable(variable, parameter.ty.qualifiers));
            }
        }
        self.add_list_parameter(function);
        self.statement(body)?;
        self.end_of_function(function, ty.result.ty, ast[body].span);
        self.link_computed_jumps();
        self.scopes.leave();
        self.check_labels()?;
        self.body = outer;
        Ok(())
    }

    /// Running off the end: `main` returns 0, others nothing that could be used.
    fn end_of_function(&mut self, function: FunctionId, result: TypeId, body: Span) {
        if self.body.cursor == Cursor::Dead {
            return;
        }
        let span = Span::new(body.hi.saturating_sub(1), body.hi);
        self.body.statement = span;
        let is_main = &*self.functions[function.index()].name == "main" && result == self.basic.int;
        let value = is_main.then(|| self.int(result, 0));
        let exit = self.body.exit;
        self.emit_last(Operation::Return { value }, span, exit);
    }

    /// A nested function: calling it is not supported.
    pub(super) fn nested_function(&mut self, id: ast::FunctionId) -> Lowered<()> {
        let ast = self.ast;
        let definition = &ast[id];
        let Some(name) = definition.declarator.name else { return Ok(()) };
        let base = self.base_type(&definition.specifiers, false)?;
        let declared = self.declarator_type(base, &definition.declarator)?;
        let outer: Option<FunctionId> = self.function_ids.get(&name.name).copied();
        let function = self.new_function(name.name, declared.ty.ty, Linkage::Internal, definition.span);
        restore(&mut self.function_ids, name.name, outer);
        self.functions[function.index()].known = Some(Known::Unsupported);
        self.scopes.declare(name.name, Entity::Function(function));
        Ok(())
    }
}

fn restore(ids: &mut rustc_hash::FxHashMap<Symbol, FunctionId>, name: Symbol, outer: Option<FunctionId>) {
    match outer {
        Some(outer) => ids.insert(name, outer),
        None => ids.remove(&name),
    };
}

fn merge(a: &Attributes, b: &Attributes) -> Attributes {
    let mut merged = b.clone();
    merged.packed |= a.packed;
    merged.noreturn |= a.noreturn;
    merged.cleanup |= a.cleanup;
    merged.weak |= a.weak;
    merged.strange = merged.strange.or(a.strange);
    merged.hook = merged.hook.or(a.hook);
    merged
}
