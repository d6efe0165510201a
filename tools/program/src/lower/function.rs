//! Functions: their declarations, which may come more than once, and their definitions with parameters and body.
//!
//! Does not know statements, nor what calls of functions without a body do.

use super::cursor::Cursor;
use super::declarator::{Attributes, ParameterInfo};
use super::declare::merge;
use super::flow::Body;
use super::scope::{Declared, Entity};
use super::{Lowered, Lowerer};
use crate::ast::{self, Derived, ParametersKind, Storage, Symbol};
use crate::cfa::{FunctionId, Known, Linkage, Operation, VarId, VarKind};
use crate::source::Span;
use crate::types::{QualType, Type, TypeId};

impl Lowerer<'_> {
    /// Declares a function, once more perhaps.
    pub(super) fn declare_function(
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
        if noreturn {
            self.declared.endless.insert(function);
        }
        let entry = &mut self.functions[function.index()];
        if !defined && noreturn && entry.known.is_none_or(|known| known == Known::Pure) {
            entry.known = Some(Known::NoReturn);
        }
        if attributes.cleanup.is_empty() {
            self.accounted.extend(attributes.demands.iter().copied());
        }
        match &attributes.strange {
            Some(construct) if defined => self.beginnings.strange.push((function, construct.clone())),
            Some(_) => self.functions[function.index()].known = Some(Known::Unsupported),
            None => {}
        }
        self.add_hooks(function, &attributes.hooks, shared, name.span)?;
        self.scopes.declare(name.name, Entity::Function(function));
        Ok(function)
    }

    /// Takes note of the alignment of a function, which counts where its address is seen.
    fn align_function(&mut self, function: FunctionId, align: u64) {
        let said = format!("aligned({align})");
        let again = self.is_said_again(&self.functions[function.index()].identity, &said);
        let known = self.declared.aligns.entry(function).or_insert(1);
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
        let found = self.defined_parameters(list, &definition.old_style, declared.ty.ty);
        let names = self.scopes.leave_to_go_on();
        let (parameters, ty) = found?;
        let storage = definition.specifiers.storage;
        let noreturn = definition.specifiers.noreturn || attributes.noreturn;
        let function = self.declare_function(name, ty, storage, &attributes, noreturn)?;
        if self.linking.scanning || self.linking.dropped.contains(&name.span) || self.is_inline_version(id) {
            return Ok(());
        }
        if self.functions[function.index()].entry.is_some() {
            return Err(self.error(name.span, "this function is defined twice", "second definition"));
        }
        self.functions[function.index()].ty = ty;
        self.functions[function.index()].span = definition.span;
        let is_bool = |parameter: &ParameterInfo| matches!(self.types.get(parameter.ty.ty), Type::Bool);
        if matches!(list.kind, ParametersKind::OldStyle(_)) && parameters.iter().any(is_bool) {
            // gcc takes a byte of the number that is passed, and does not convert it.
            self.beginnings.strange.push((function, "`_Bool` parameter without a prototype".into()));
        }
        self.body_of((function, name.name), (&parameters, &names), list, definition.body)
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
            ParametersKind::Prototype { .. } => {
                let parameters = self.parameters_here(list)?.0;
                let ty = self.with_parameters(ty, &parameters, false);
                return Ok((parameters, ty));
            }
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
        let ty = self.with_parameters(ty, &parameters, true);
        Ok((parameters, ty))
    }

    /// The type of a function with these parameters, whose types may be declared in its list.
    fn with_parameters(&mut self, ty: TypeId, parameters: &[ParameterInfo], unprototyped: bool) -> TypeId {
        let Type::Function(mut function) = self.types.get(ty).clone() else { return ty };
        function.parameters = parameters.iter().map(|parameter| parameter.ty).collect();
        function.unprototyped |= unprototyped;
        self.types.intern(Type::Function(function))
    }

    fn body_of(
        &mut self,
        (function, name): (FunctionId, Symbol),
        (parameters, names): (&[ParameterInfo], &Declared),
        list: &ast::Parameters,
        body: ast::StmtId,
    ) -> Lowered<()> {
        let ast = self.ast;
        let Type::Function(ty) = self.types.get(self.functions[function.index()].ty).clone() else { return Ok(()) };
        let outer = std::mem::replace(&mut self.body, Body::file_level());
        (self.body.function, self.body.name) = (Some(function), Some(name));
        self.body.result = Some(ty.result);
        let entry = self.new_location();
        self.body.exit = self.new_location();
        self.body.cursor = Cursor::At(entry);
        self.functions[function.index()].entry = Some(entry);
        self.functions[function.index()].exit = Some(self.body.exit);
        self.scopes.enter_with(names);
        for (index, parameter) in parameters.iter().enumerate() {
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            let name = match parameter.name {
                Some(name) => Box::from(ast.name(name.name)),
                None => format!("__p{index}").into(),
            };
            let variable = self.new_variable(name, VarKind::Parameter(number), parameter.ty, parameter.span);
            self.functions[function.index()].parameters.push(variable);
        }
        self.add_list_parameter(function);
        self.declare_parameters(function, parameters, list)?;
        self.statement(body)?;
        self.end_of_function(function, ty.result.ty, ast[body].span);
        self.link_jumps();
        self.link_computed_jumps();
        self.meet_labels();
        self.scopes.leave();
        self.check_labels()?;
        self.check_fences()?;
        self.body = outer;
        Ok(())
    }

    /// Declares the parameters, each behind the lengths in its type, which gcc evaluates on entry; those in declarations of the
    /// old style it does not.
    fn declare_parameters(&mut self, function: FunctionId, parameters: &[ParameterInfo], list: &ast::Parameters) -> Lowered<()> {
        let ast = self.ast;
        for (index, parameter) in parameters.iter().enumerate() {
            let Some(variable) = self.functions[function.index()].parameters.get(index).copied() else { continue };
            if let ParametersKind::Prototype { parameters: written, .. } = &list.kind
                && let Some(written) = written.get(index)
            {
                self.parameter_lengths(&ast[*written], variable)?;
                self.note_promise(&ast[*written], variable)?;
            }
            if let Some(name) = parameter.name {
                self.scopes.declare(name.name, Entity::Variable(variable, parameter.ty.qualifiers));
            }
        }
        Ok(())
    }

    /// Takes note of how many elements callers promise, where that is a constant.
    fn note_promise(&mut self, parameter: &ast::Parameter, variable: VarId) -> Lowered<()> {
        if let Some(Derived::Array { is_static: true, size: ast::ArraySize::Expr(bound), .. }) =
            parameter.declarator.derived.first()
            && let Some((count, _)) = self.try_integer_constant(*bound)?
            && let Ok(count) = u64::try_from(count)
        {
            self.declared.promised.push((variable, count));
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
        self.comes_back(span);
        let is_main = &*self.functions[function.index()].name == "main" && result == self.basic.int;
        let value = is_main.then(|| self.int(result, 0));
        let exit = self.body.exit;
        self.emit_last(Operation::Return { value }, span, exit);
    }

    /// The function that is being lowered returns. Compilers put no code behind calls of functions that never do.
    pub(super) fn comes_back(&mut self, span: Span) {
        if self.body.function.is_some_and(|function| self.declared.endless.contains(&function)) {
            self.unsupported("return of a function that never returns", span);
        }
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
