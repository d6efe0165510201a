//! Calls: arguments, known functions, and where results go.

use super::build::Class;
use super::expanded::is_expanded;
use super::place::{Operand, Place};
use super::{Lowered, Lowerer};
use crate::ast::{self, ExprKind, Symbol};
use crate::cfa::{Function, FunctionId, Known, Linkage, Operation, RefusedCall, VarId};
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::known::{self, Signature};
use crate::source::Span;
use crate::types::{FloatKind, FunctionType, IntRank, QualType, Qualifiers, Type, TypeId};

use super::scope::Entity;

/// Where the result of a call goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// Nowhere.
    Nowhere,
    /// Into a temporary.
    Temporary,
    /// Into this whole variable if it has exactly the type of the result, else into a temporary.
    Variable(VarId),
}

/// A call whose operands are evaluated.
pub(super) struct Prepared {
    pub(super) pointer: ExprId,
    pub(super) values: Vec<ExprId>,
    pub(super) result: TypeId,
}

impl Lowerer<'_> {
    /// A call whose value is used.
    pub(super) fn call(&mut self, callee: ast::ExprId, arguments: &[ast::ExprId], span: Span) -> Lowered<Operand> {
        let result = self.call_into(callee, arguments, span, Destination::Temporary)?;
        Ok(result.unwrap_or(Operand::Void))
    }

    /// A call whose value, if any, is dropped.
    pub(super) fn call_discarded(&mut self, callee: ast::ExprId, arguments: &[ast::ExprId], span: Span) -> Lowered<()> {
        match self.call_into(callee, arguments, span, Destination::Nowhere)? {
            Some(operand) => self.evaluated(operand, span),
            None => Ok(()),
        }
    }

    /// A call; nothing is returned if the result has been put into the destination variable.
    pub(super) fn call_into(
        &mut self,
        callee: ast::ExprId,
        arguments: &[ast::ExprId],
        span: Span,
        destination: Destination,
    ) -> Lowered<Option<Operand>> {
        if let ExprKind::Name(name) = self.ast[callee].kind {
            if let Some(length) = self.folded_length(name, arguments) {
                return Ok(Some(Operand::Value(length)));
            }
            if self.names_builtin(name)
                && let Some(result) = self.builtin(name, arguments, span)?
            {
                return Ok(Some(result));
            }
            if self.scopes.lookup(name).is_none() {
                self.declare_implicitly(name, self.ast[callee].span);
            }
            if let Some(result) = self.special(name, arguments, span)? {
                return Ok(Some(result));
            }
        }
        let prepared = self.prepare_call(callee, arguments, span)?;
        Ok(self.call_prepared(prepared, span, destination))
    }

    /// `strlen` of a literal where a static object gets its value: gcc knows it.
    fn folded_length(&mut self, name: Symbol, arguments: &[ast::ExprId]) -> Option<ExprId> {
        let is_strlen = matches!(self.ast.name(name), "strlen" | "__builtin_strlen") && !self.defined.contains(&name);
        let [text] = arguments else { return None };
        let ExprKind::String(id) = self.ast[*text].kind else { return None };
        let literal = &self.ast[id];
        if !self.reading.is_static_value || !is_strlen || !matches!(literal.encoding, ast::Encoding::Plain | ast::Encoding::Utf8)
        {
            return None;
        }
        let length = literal.units.iter().position(|unit| *unit == 0).unwrap_or(literal.units.len());
        Some(self.size_constant(u64::try_from(length).ok()?))
    }

    /// Evaluates the function and the arguments of a call that stands for itself.
    pub(super) fn prepare_call(&mut self, callee: ast::ExprId, arguments: &[ast::ExprId], span: Span) -> Lowered<Prepared> {
        let callee_span = self.ast[callee].span;
        let operand = self.operand(callee)?;
        let mut pointer = self.rvalue(operand, callee_span)?;
        let ty = match self.pointee(self.ty(pointer)).map(|pointee| self.types.get(pointee.ty)) {
            Some(Type::Function(ty)) => ty.clone(),
            _ => return Err(self.error(callee_span, "only a function can be called", "not a function")),
        };
        if arguments.iter().any(|argument| self.has_effect(*argument)) {
            pointer = self.save(pointer, callee_span);
        }
        let values = self.arguments(&ty, arguments, span)?;
        Ok(Prepared { pointer, values, result: ty.result.ty })
    }

    /// Calls what is prepared.
    pub(super) fn call_prepared(&mut self, prepared: Prepared, span: Span, destination: Destination) -> Option<Operand> {
        let Prepared { pointer, values, result } = prepared;
        match *self.exprs.get(pointer) {
            Expr::FunctionAddress(function) => self.call_function(function, values, result, span, destination),
            _ => self.call_pointer(pointer, values, result, span, destination),
        }
    }

    /// The values of the arguments, converted to the parameters' types.
    fn arguments(&mut self, ty: &FunctionType, arguments: &[ast::ExprId], span: Span) -> Lowered<Vec<ExprId>> {
        if !ty.unprototyped {
            if arguments.len() < ty.parameters.len() {
                return Err(self.error(span, "too few arguments for this function", "in this call"));
            }
            if arguments.len() > ty.parameters.len() && !ty.variadic {
                return Err(self.error(span, "too many arguments for this function", "in this call"));
            }
        }
        let count = arguments.len();
        let first_effect = arguments.iter().position(|argument| self.has_effect(*argument));
        // As gcc does: the last argument first. Where nobody can tell, in the order of the text.
        let is_reversed = arguments.iter().any(|argument| self.is_noticed(*argument));
        let mut values = Vec::with_capacity(count);
        for turn in 0..count {
            let index = if is_reversed { count - 1 - turn } else { turn };
            let argument = &arguments[index];
            let argument_span = self.ast[*argument].span;
            let value = self.value(*argument)?;
            let parameter = ty.parameters.get(index).filter(|_| !ty.unprototyped);
            let value = match parameter {
                Some(parameter) => self.assign_convert(value, parameter.ty, argument_span)?,
                None => self.promote_argument(value),
            };
            let save = first_effect.is_some_and(|first| first < index);
            values.push(if save { self.save(value, argument_span) } else { value });
        }
        if is_reversed {
            values.reverse();
        }
        Ok(values)
    }

    /// Whether a call of a name may be something else than a call: a builtin, or a function of the library that is computed.
    pub(super) fn is_lowered_by_name(&self, name: Symbol) -> bool {
        let text = self.ast.name(name);
        let is_special = matches!(text, "abs" | "labs" | "llabs" | "div" | "ldiv" | "lldiv" | "imaxdiv" | "atexit");
        let is_check = known::is_assumption(text) || known::is_assertion(text);
        let is_special = is_special || is_expanded(text);
        self.names_builtin(name) || is_special || is_check || self.scopes.lookup(name).is_none()
    }

    /// Functions that are control flow rather than calls.
    fn special(&mut self, name: Symbol, arguments: &[ast::ExprId], span: Span) -> Lowered<Option<Operand>> {
        let text = self.ast.name(name);
        if matches!(text, "abs" | "labs" | "llabs")
            && let [argument] = arguments
            && let Some(ty) = self.is_absolute(name)
        {
            return self.absolute(*argument, ty, span).map(|value| Some(Operand::Value(value)));
        }
        if let Some(value) = self.expanded(name, arguments, span)? {
            return Ok(Some(Operand::Value(value)));
        }
        if let ("div" | "ldiv" | "lldiv" | "imaxdiv", [left, right]) = (text, arguments)
            && let Some((record, ty)) = self.is_division(name)
        {
            return self.divide(record, ty, (*left, *right), span).map(Some);
        }
        if let ("atexit", [argument]) = (text, arguments)
            && let Some(ty) = self.is_at_exit(name)
        {
            return self.register_at_exit(*argument, ty, span).map(|value| Some(Operand::Value(value)));
        }
        let (assume, assert) = (known::is_assumption(text), known::is_assertion(text));
        if !(assume || assert) || arguments.len() != 1 || self.defined.contains(&name) {
            return Ok(None);
        }
        let Some(Entity::Function(function)) = self.scopes.lookup(name) else { return Ok(None) };
        let (holds, fails) = self.condition(arguments[0])?;
        self.body.cursor = fails;
        let error = assert && self.options.property == formats::Property::Assert;
        if self.quiet == 0 && self.body.cursor != super::cursor::Cursor::Dead {
            if assert {
                let target = if error { self.error_location() } else { self.dead_end() };
                let zero = self.int(self.basic.int, 0);
                let operation = Operation::Call { callee: function, arguments: vec![zero], result: None };
                self.emit_last(operation, span, target);
            } else {
                let target = self.dead_end();
                self.jump(target, span);
            }
        }
        self.body.cursor = holds;
        Ok(Some(Operand::Void))
    }

    /// The type of `abs` or one of its relatives, if the name stands for the function of the library.
    fn is_absolute(&mut self, name: Symbol) -> Option<TypeId> {
        let Some(Entity::Function(function)) = self.scopes.lookup(name) else { return None };
        let function = &self.functions[function.index()];
        let library = function.known == Some(Known::Pure);
        let Type::Function(declared) = self.types.get(function.ty).clone() else { return None };
        let ty = self.absolute_type(self.ast.name(name));
        let fits = declared.result.ty == ty && matches!(declared.parameters[..], [parameter] if parameter.ty == ty);
        (library && fits && !declared.unprototyped).then_some(ty)
    }

    /// The types of the result and of the operands of `div` or one of its relatives, if the name stands for the function of
    /// the library.
    fn is_division(&self, name: Symbol) -> Option<(TypeId, TypeId)> {
        let Some(Entity::Function(function)) = self.scopes.lookup(name) else { return None };
        let Type::Function(declared) = self.types.get(self.functions[function.index()].ty) else { return None };
        let Type::Record(record) = self.types.get(declared.result.ty) else { return None };
        let [quotient, remainder] = &self.types.record(*record).fields[..] else { return None };
        let [left, right] = declared.parameters[..] else { return None };
        let named = quotient.name.as_deref() == Some("quot") && remainder.name.as_deref() == Some("rem");
        let ty = quotient.ty.ty;
        let same = [remainder.ty.ty, left.ty, right.ty].iter().all(|other| *other == ty) && self.class(ty) == Class::Integer;
        let library = !self.defined.contains(&name) && !declared.unprototyped;
        (library && named && same).then_some((declared.result.ty, ty))
    }

    /// `div(left, right)`: quotient and remainder in a structure.
    fn divide(&mut self, record: TypeId, ty: TypeId, (left, right): (ast::ExprId, ast::ExprId), span: Span) -> Lowered<Operand> {
        let mut operands = [left, right];
        let mut values = Vec::with_capacity(2);
        for operand in &mut operands {
            let operand_span = self.ast[*operand].span;
            let value = self.value(*operand)?;
            let value = self.assign_convert(value, ty, operand_span)?;
            values.push(self.save(value, operand_span));
        }
        let temporary = self.temporary(record);
        let place = Place { expr: self.variable(temporary), qualifiers: Qualifiers::default(), bits: None };
        self.guard_binary(BinaryOp::Divide, values[0], values[1], span);
        for (index, op) in [BinaryOp::Divide, BinaryOp::Remainder].into_iter().enumerate() {
            let value = self.binary(op, values[0], values[1]);
            if let Some(member) = self.field(place, index) {
                self.store(member, value, span);
            }
        }
        Ok(Operand::Place(place))
    }

    /// What `realloc` frees without yielding memory: the saved operands, unless the size is a constant other than 0.
    fn may_only_free(&mut self, function: FunctionId, arguments: &[ExprId], span: Span) -> Option<(ExprId, ExprId)> {
        let &[old, size] = arguments else { return None };
        let is_realloc = &*self.functions[function.index()].name == "realloc";
        let constant = matches!(*self.exprs.get(size), Expr::Int(bits) if bits != 0);
        if !is_realloc || constant || self.quiet > 0 {
            return None;
        }
        Some((self.save(old, span), self.save(size, span)))
    }

    /// The result of a `realloc` in glibc: null if it only frees.
    fn null_if_freed(&mut self, result: VarId, (old, size): (ExprId, ExprId), span: Span) {
        let (none, zero) = (self.zero(self.ty(old)), self.zero(self.ty(size)));
        let had = self.binary(BinaryOp::NotEqual, old, none);
        let nothing = self.binary(BinaryOp::Equal, size, zero);
        let freed = self.binary(BinaryOp::LogicalAnd, nothing, had);
        let given = self.load_variable(result);
        let ty = self.ty(given);
        let null = self.zero(ty);
        let value = self.exprs.intern(Expr::Conditional(freed, null, given), ty);
        let place = self.variable(result);
        self.emit(Operation::Assign { place, value }, span);
    }

    /// A direct call.
    pub(super) fn call_function(
        &mut self,
        function: FunctionId,
        arguments: Vec<ExprId>,
        result: TypeId,
        span: Span,
        destination: Destination,
    ) -> Option<Operand> {
        match self.functions[function.index()].known {
            Some(known @ (Known::Error | Known::NoReturn)) => {
                if self.quiet > 0 {
                    self.impure = true;
                } else if self.here().is_some() {
                    let target = if known == Known::Error { self.error_location() } else { self.dead_end() };
                    self.emit_last(Operation::Call { callee: function, arguments, result: None }, span, target);
                }
                if result == self.basic.void { Some(Operand::Void) } else { Some(Operand::Value(self.zero(result))) }
            }
            known if known == Some(Known::Unsupported) || self.loses_list(function, &arguments) => {
                let name: Box<str> = known::construct(&self.functions[function.index()].name).into();
                if let Some(caller) = self.body.function.filter(|_| self.here().is_some()) {
                    self.refused.push(RefusedCall { caller, callee: function, arguments });
                }
                if result == self.basic.void {
                    self.unsupported(&name, span);
                    return Some(Operand::Void);
                }
                Some(Operand::Value(self.unsupported_value(&name, span, result)))
            }
            Some(Known::Input) => {
                let (variable, value) = self.result_variable(result, destination);
                self.emit(Operation::Havoc { variable, input: function }, span);
                value
            }
            Some(Known::Allocate | Known::Free | Known::Memory | Known::Pure | Known::Unsupported) | None => {
                let freed = self.may_only_free(function, &arguments, span);
                let (variable, value) = self.result_variable(result, destination);
                self.read_texts((function, &arguments), variable, span);
                self.emit(Operation::Call { callee: function, arguments, result: variable }, span);
                if let (Some(variable), Some(freed)) = (variable, freed) {
                    self.null_if_freed(variable, freed, span);
                }
                value
            }
        }
    }

    /// Whether a call gives a list to a function without a body whose effect may depend on what the list leads to.
    fn loses_list(&self, function: FunctionId, arguments: &[ExprId]) -> bool {
        let function = &self.functions[function.index()];
        let has_body = self.ast.symbols.get(&function.name).is_some_and(|name| self.defined.contains(&name))
            || self.linking.renamed.contains(&function.name);
        let is_lost = !has_body && matches!(function.known, None | Some(Known::Memory));
        is_lost && arguments.iter().any(|argument| self.is_list(self.ty(*argument)))
    }

    /// The variable that gets a result, and what the call then denotes.
    pub(super) fn result_variable(&mut self, result: TypeId, destination: Destination) -> (Option<VarId>, Option<Operand>) {
        if result == self.basic.void {
            return (None, Some(Operand::Void));
        }
        match destination {
            Destination::Nowhere => (None, Some(Operand::Void)),
            Destination::Variable(variable) if self.variables[variable.index()].ty.ty == result => (Some(variable), None),
            Destination::Temporary | Destination::Variable(_) => {
                let temporary = self.temporary(result);
                (Some(temporary), Some(Operand::Value(self.load_variable(temporary))))
            }
        }
    }

    /// Declares a function that is called without a declaration, with the type gcc gives it.
    fn declare_implicitly(&mut self, name: Symbol, span: Span) {
        if let Some(function) = self.function_ids.get(&self.links.key(name)) {
            self.scopes.declare(name, Entity::Function(*function));
            return;
        }
        let text = self.ast.name(name);
        let ty = self.implicit_function_type(text);
        let function = self.new_function(name, ty, Linkage::External, span);
        self.scopes.declare(name, Entity::Function(function));
    }

    /// The type of a library function by its name, else `int ()`.
    pub(super) fn implicit_function_type(&mut self, name: &str) -> TypeId {
        let plain = QualType::plain;
        let Some(code) = known::implicit_type(name) else {
            let result = plain(self.basic.int);
            let ty = FunctionType { result, parameters: Vec::new(), variadic: false, unprototyped: true };
            return self.types.intern(Type::Function(ty));
        };
        let mut types = Vec::new();
        let mut variadic = false;
        for letter in code.chars() {
            let ty = match letter {
                'v' => self.basic.void,
                'z' => self.size_type(),
                'l' => self.basic.long,
                'L' => self.types.intern(Type::Int { rank: IntRank::LongLong, signed: true }),
                'd' => self.types.intern(Type::Float(FloatKind::Double)),
                'f' => self.types.intern(Type::Float(FloatKind::Float)),
                'p' => self.basic.void_pointer,
                's' | 'q' | 'c' => {
                    let ty = if letter == 'q' { self.basic.void } else { self.basic.char_ };
                    let qualifiers = Qualifiers { is_const: letter != 's', ..Qualifiers::default() };
                    self.pointer_to(QualType { ty, qualifiers })
                }
                '.' => {
                    variadic = true;
                    continue;
                }
                _ => self.basic.int,
            };
            types.push(plain(ty));
        }
        let result = types.first().copied().unwrap_or(plain(self.basic.void));
        let parameters = types.split_off(1.min(types.len()));
        self.types.intern(Type::Function(FunctionType { result, parameters, variadic, unprototyped: false }))
    }

    /// What is known of a function of this name and type if it has no body.
    pub(super) fn known(&self, name: &str, ty: TypeId) -> Option<Known> {
        if self.counts
            && let Some(known) = known::with_counts(name)
        {
            return Some(known);
        }
        let Type::Function(ty) = self.types.get(ty) else { return known::by_name(name) };
        if known::may_end(name, ty) {
            return Some(Known::Unsupported);
        }
        if known::sets_errno(name) && self.ast.symbols.get("__errno_location").is_some() {
            // Two programs that call it with other values may find another number there.
            return known::by_name(name).map(|_| Known::Memory);
        }
        let written = |parameter: &QualType| match self.pointee(parameter.ty) {
            Some(to) => !to.qualifiers.is_const && !matches!(self.types.get(to.ty), Type::Function(_)),
            None => false,
        };
        let signature = match (ty.parameters.iter().any(written), ty.result.ty != self.basic.void) {
            (false, false) => Signature::Plain,
            (true, false) => Signature::Writes,
            (false, true) => Signature::Yields,
            (true, true) => Signature::WritesAndYields,
        };
        known::by_type(name, signature)
    }

    /// Adds a function of this name to the program.
    pub(super) fn new_function(&mut self, name: Symbol, ty: TypeId, linkage: Linkage, span: Span) -> FunctionId {
        let text: Box<str> = self.links.name(self.ast, name).into();
        let text = &*text;
        let known = if known::is_error_function(text, self.options.property) {
            Some(Known::Error)
        } else if self.defined.contains(&name) {
            None
        } else {
            self.known(text, ty)
        };
        self.functions.push(Function { known, ..Function::new(text, linkage, ty, span) });
        let id = FunctionId::new(self.functions.len() - 1);
        self.function_ids.insert(self.links.key(name), id);
        id
    }
}
