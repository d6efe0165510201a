//! Declarations and function definitions.

use super::build::Class;
use super::cursor::Cursor;
use super::declarator::{Attributes, Declared, ParameterInfo};
use super::flow::Body;
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
    /// The alignment that is asked for.
    align: Option<u64>,
    /// The alignment that the name of its type has, if any.
    type_align: Option<u64>,
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
        let declared = self.declared_here(base, &declarator.declarator)?;
        let declared = self.apply_attributes(declared, &own, declarator.span)?;
        let mut attributes = merge(common, &own);
        self.note_weak(name.name, specifiers.storage, &mut attributes);
        if specifiers.storage == Some(Storage::Typedef) {
            self.declare_typedef(name.name, declared, &attributes);
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
        if attributes.weak {
            self.weak.insert(name);
        }
    }

    /// Whether what is declared here is a function or object with linkage, if it is no type.
    fn has_linkage(&self, storage: Option<Storage>) -> bool {
        storage == Some(Storage::Extern) || (self.scopes.depth() == 0 && storage != Some(Storage::Typedef))
    }

    /// A name for a type; an attribute that is not followed makes the structure behind it unsupported.
    fn declare_typedef(&mut self, name: Symbol, declared: Declared, attributes: &Attributes) {
        if let (Some(construct), Type::Record(record)) = (&attributes.strange, self.types.get(declared.ty.ty)) {
            let record = *record;
            self.types.record_mut(record).unsupported.get_or_insert_with(|| construct.clone());
            self.account(attributes.demands.iter().copied());
        }
        self.scopes.declare(name, Entity::Typedef(declared.ty, declared.align));
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
        let key = self.links.key(name.name);
        let shared = self.links.is_shared(name.name);
        let function = match self.function_ids.get(&key).copied() {
            Some(known) if shared && !self.compatible(self.functions[known.index()].ty, ty) => {
                self.misfit(name);
                let own = self.new_function(name.name, ty, linkage, name.span);
                self.function_ids.insert(key, known);
                own
            }
            Some(known) => {
                self.redeclare_function(known, ty, name)?;
                known
            }
            None => {
                if shared && self.globals.contains_key(&key) {
                    self.misfit(name);
                }
                if let Some(Entity::Variable(..) | Entity::Typedef(..)) = self.scopes.lookup_here(name.name) {
                    return Err(self.declared_twice(name));
                }
                self.new_function(name.name, ty, linkage, name.span)
            }
        };
        let defined = self.defined.contains(&name.name);
        let again = self.is_said_again(&self.functions[function.index()].identity, &attributes.identity);
        let entry = &mut self.functions[function.index()];
        if linkage == Linkage::Internal && (!shared || key == name.name) {
            entry.linkage = linkage;
        }
        if !again {
            entry.identity = format!("{}{}", entry.identity, attributes.identity).into();
        }
        if let Some(align) = attributes.align {
            self.align_function(function, align);
        }
        let entry = &mut self.functions[function.index()];
        if !defined && noreturn && entry.known.is_none_or(|known| known == Known::Pure) {
            entry.known = Some(Known::NoReturn);
        }
        if attributes.cleanup.is_empty() {
            self.accounted.extend(attributes.demands.iter().copied());
        }
        match &attributes.strange {
            Some(construct) if defined => self.strange.push((function, construct.clone())),
            Some(_) => self.functions[function.index()].known = Some(Known::Unsupported),
            None => {}
        }
        self.add_hooks(function, &attributes.hooks, shared, name.span)?;
        self.scopes.declare(name.name, Entity::Function(function));
        Ok(function)
    }

    /// Whether a declaration only repeats attributes: a header is read once for every unit that includes it.
    fn is_said_again(&self, known: &str, said: &str) -> bool {
        self.linking.several && known.contains(said)
    }

    /// Takes note of the alignment of a function, which counts where its address is seen.
    fn align_function(&mut self, function: FunctionId, align: u64) {
        let said = format!("aligned({align})");
        let again = self.is_said_again(&self.functions[function.index()].identity, &said);
        let known = self.function_aligns.entry(function).or_insert(1);
        *known = align.max(*known);
        if again {
            return;
        }
        let entry = &mut self.functions[function.index()];
        entry.identity = format!("{}{said}", entry.identity).into();
    }

    /// Whether a body is only for inlining and the text has the function itself as well.
    fn is_inline_version(&self, id: ast::FunctionId) -> bool {
        let ast = self.ast;
        let ast::Specifiers { inline, storage, attributes, .. } = &ast[id].specifiers;
        let gnu = |attribute: &ast::Attribute| match attribute.kind {
            ast::AttributeKind::Identity(name) => ast.name(name) == "gnu_inline",
            _ => false,
        };
        let name = |id: ast::FunctionId| ast[id].declarator.name.map(|name| name.name);
        let is_other = |item: &ast::Item| match item {
            ast::Item::Function(other) => *other != id && name(*other) == name(id),
            _ => false,
        };
        let one_text = !self.linking.several;
        one_text && *inline && *storage == Some(Storage::Extern) && attributes.iter().any(gnu) && ast.items.iter().any(is_other)
    }

    /// Two names of one thing are declared so that they cannot be. One that is only declared, as the tables of devices are that a
    /// kernel's module exports, is used by nothing here.
    fn misfit(&mut self, name: ast::Ident) {
        let is_used =
            (0..self.ast.exprs()).any(|index| self.ast[ast::ExprId::from_index(index)].kind == ast::ExprKind::Name(name.name));
        if !is_used {
            return;
        }
        let construct = format!("`{}` under an assembler name of something else", self.ast.name(name.name));
        self.before_entry.push((construct.into(), name.span));
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
            if self.linking.several && self.agree(old, ty) {
                return Ok(());
            }
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
        let dropped = self.linking.dropped.contains(&object.name.span);
        let is_extern = dropped || (object.storage == Some(Storage::Extern) && object.initializer.is_none());
        self.need_object_type(object.ty.ty, object.span)?;
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
        let fits = self.compatible(old.ty, object.ty.ty) || (self.linking.several && self.agree(old.ty, object.ty.ty));
        if !fits {
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
        self.align(variable, object, false);
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
        if let Some(construct) = &object.attributes.strange {
            self.unsupported(construct, object.span);
        }
        Ok(())
    }

    fn local(&mut self, object: &Object<'_>) -> Lowered<()> {
        self.need_size(object.ty.ty, object.initializer.is_some(), object.span)?;
        self.start_expression();
        let variable = self.new_local(object, VarKind::Local)?;
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
        let own = self.attributes(definition.declarator.attributes.iter())?;
        let attributes = merge(&self.attributes(&definition.specifiers.attributes)?, &own);
        let declared = self.declarator_type(base, &definition.declarator)?;
        let Some(Derived::Function(list)) = definition.declarator.derived.first() else {
            return Err(self.error(definition.declarator.span, "a body without a parameter list", "no function"));
        };
        self.scopes.enter();
        let (parameters, ty) = self.defined_parameters(list, &definition.old_style, declared.ty.ty)?;
        self.scopes.leave();
        let storage = definition.specifiers.storage;
        let function = self.declare_function(name, ty, storage, &attributes, false)?;
        if self.linking.scanning || self.linking.dropped.contains(&name.span) || self.is_inline_version(id) {
            return Ok(());
        }
        if self.functions[function.index()].entry.is_some() {
            return Err(self.error(name.span, "this function is defined twice", "second definition"));
        }
        self.functions[function.index()].ty = ty;
        self.functions[function.index()].span = definition.span;
        self.body_of(function, &parameters, list, definition.body)
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
                self.in_prototype += 1;
                let declared = self.declarator_type(base, &declarator.declarator);
                self.in_prototype -= 1;
                let declared = declared?;
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

    fn body_of(
        &mut self,
        function: FunctionId,
        parameters: &[ParameterInfo],
        list: &ast::Parameters,
        body: ast::StmtId,
    ) -> Lowered<()> {
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
        self.all_parameter_bounds(function, list)?;
        self.statement(body)?;
        self.end_of_function(function, ty.result.ty, ast[body].span);
        self.link_jumps();
        self.link_computed_jumps();
        self.scopes.leave();
        self.check_labels()?;
        self.body = outer;
        Ok(())
    }

    /// The lengths that gcc evaluates on entry; those in declarations of the old style it does not.
    fn all_parameter_bounds(&mut self, function: FunctionId, list: &ast::Parameters) -> Lowered<()> {
        let ast = self.ast;
        if let ParametersKind::Prototype { parameters, .. } = &list.kind {
            for (index, parameter) in parameters.iter().enumerate() {
                let Some(variable) = self.functions[function.index()].parameters.get(index).copied() else { continue };
                self.parameter_lengths(&ast[*parameter], variable)?;
            }
        }
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
    merged.cleanup.extend(&a.cleanup);
    merged.weak |= a.weak;
    merged.strange = merged.strange.or_else(|| a.strange.clone());
    merged.hooks.extend(a.hooks.iter().copied());
    merged.align = merged.align.max(a.align);
    merged.identity.push_str(&a.identity);
    merged.demands.extend(&a.demands);
    merged
}
