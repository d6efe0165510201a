//! Expressions: dispatch over their forms.

use formats::Property;

use super::cursor::Cursor;
use super::flags::{EDGES, EFFECT};
use super::narrow::FieldType;
use super::order::Cut;
use super::place::{Operand, Place};
use super::{Lowered, Lowerer, RED_ZONE, STACK_STEP};
use crate::ast::{self, ExprKind, UnaryOp as Op};
use crate::cfa::{ConstantValue, Linkage, Operation, VarKind};
use crate::expr::{Expr, ExprId};
use crate::layout::{AlignedAs, SizeError, align_of};
use crate::source::Span;
use crate::types::{QualType, Qualifiers, Type, TypeId};

use super::scope::Entity;

impl Lowerer<'_> {
    pub(super) fn has_effect(&self, expr: ast::ExprId) -> bool {
        self.flags[expr.index()] & EFFECT != 0
    }

    /// Whether somebody may notice when an expression is evaluated: it changes something, or reads an input.
    pub(super) fn is_noticed(&self, expr: ast::ExprId) -> bool {
        self.flags[expr.index()] & (EFFECT | EDGES) != 0
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expr: ast::ExprId) -> Lowered<ExprId> {
        let operand = self.operand(expr)?;
        self.rvalue(operand, self.ast[expr].span)
    }

    /// The value of an expression that must be scalar.
    pub(super) fn scalar(&mut self, expr: ast::ExprId) -> Lowered<ExprId> {
        let value = self.value(expr)?;
        if self.is_scalar(self.ty(value)) {
            return Ok(value);
        }
        self.not_scalar(value, self.ast[expr].span)
    }

    fn not_scalar(&mut self, value: ExprId, span: Span) -> Lowered<ExprId> {
        let ty = self.ty(value);
        match self.types.get(ty) {
            Type::Complex(_) | Type::Vector { .. } | Type::VaList => {
                let int = self.basic.int;
                let name = self.strange_name(ty);
                Ok(self.unsupported_value(name, span, int))
            }
            _ => Err(self.error(span, "a number or pointer is needed here", "not a scalar")),
        }
    }

    /// Evaluates an expression and drops its value.
    pub(super) fn discard(&mut self, expr: ast::ExprId) -> Lowered<()> {
        stacker::maybe_grow(RED_ZONE, STACK_STEP, || self.discard_here(expr))
    }

    fn discard_here(&mut self, expr: ast::ExprId) -> Lowered<()> {
        let ast = self.ast;
        let span = ast[expr].span;
        match &ast[expr].kind {
            ExprKind::Comma { left, right } => {
                self.discard(*left)?;
                self.discard(*right)
            }
            ExprKind::Assign { op, target, value } => self.assign(*op, *target, *value, span, false).map(drop),
            ExprKind::Unary {
                op: op @ (Op::PreIncrement | Op::PreDecrement | Op::PostIncrement | Op::PostDecrement),
                operand,
            } => self.step(*op, *operand, span, false).map(drop),
            ExprKind::Unary { op: Op::Extension, operand } => self.discard(*operand),
            ExprKind::Call { callee, arguments } => self.call_discarded(*callee, arguments, span),
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                self.discard_conditional(*condition, *then, *otherwise, span)
            }
            ExprKind::Binary { op: ast::BinaryOp::LogicalAnd | ast::BinaryOp::LogicalOr, .. } if self.has_effect(expr) => {
                let (holds, fails) = self.condition(expr)?;
                self.body.cursor = self.merge(holds, fails, span);
                Ok(())
            }
            ExprKind::Cast { ty, operand } => {
                let target = self.type_name(*ty)?.ty;
                if target.ty == self.basic.void {
                    return self.discard(*operand);
                }
                let cast = self.cast(target.ty, *operand, span)?;
                self.evaluated(cast, span)
            }
            ExprKind::Statement(statement) => self.statement_expression(*statement, false).map(drop),
            _ => {
                let operand = self.operand(expr)?;
                self.evaluated(operand, span)
            }
        }
    }

    /// Has what is dropped evaluated all the same, where somebody asks whether that is defined: it may read what is not there.
    pub(super) fn evaluated(&mut self, operand: Operand, span: Span) -> Lowered<()> {
        let asks = self.options.property == Property::ValidDeref || self.manner.guards.promises;
        if !asks || self.quiet > 0 || self.body.cursor == Cursor::Dead {
            return Ok(());
        }
        let value = match operand {
            Operand::Value(value) if self.is_scalar(self.ty(value)) => value,
            Operand::Place(place) if self.is_scalar(self.ty(place.expr)) => self.rvalue(operand, span)?,
            Operand::Void | Operand::Value(_) | Operand::Place(_) | Operand::Function(_) => return Ok(()),
        };
        if self.may_go_wrong(value) {
            self.save_always(value, span);
        }
        Ok(())
    }

    /// Whether the evaluation of a value may not be defined, or is seen: it is read through a pointer, from an element of an array,
    /// from a local, or from a volatile object, or is a float that becomes an integer.
    fn may_go_wrong(&self, value: ExprId) -> bool {
        let mut pending = vec![value];
        while let Some(id) = pending.pop() {
            let expr = self.exprs.get(id);
            let is_odd = match *expr {
                Expr::Dereference { .. } | Expr::Index(..) => true,
                Expr::Variable(variable) => {
                    let variable = &self.variables[variable.index()];
                    variable.ty.qualifiers.is_volatile || self.manner.guards.promises && variable.kind == VarKind::Local
                }
                Expr::Cast(inner) => {
                    matches!(self.types.get(self.ty(inner)), Type::Float(_)) && self.format(self.ty(id)).is_some()
                }
                _ => false,
            };
            if is_odd {
                return true;
            }
            pending.extend(expr.operands());
        }
        false
    }

    /// What an expression denotes.
    pub(super) fn operand(&mut self, expr: ast::ExprId) -> Lowered<Operand> {
        stacker::maybe_grow(RED_ZONE, STACK_STEP, || self.operand_here(expr))
    }

    fn operand_here(&mut self, expr: ast::ExprId) -> Lowered<Operand> {
        let ast = self.ast;
        let span = ast[expr].span;
        match &ast[expr].kind {
            ExprKind::Unary { operand, .. } if self.body.stepped.contains(&expr) => self.value(*operand).map(Operand::Value),
            ExprKind::Name(name) => self.name(*name, span),
            ExprKind::Integer(literal) => Ok(Operand::Value(self.integer_literal(literal, span))),
            ExprKind::Float(literal) => self.float_literal(literal, span).map(Operand::Value),
            ExprKind::Char(literal) => Ok(Operand::Value(self.char_literal(*literal))),
            ExprKind::String(id) => Ok(self.string_literal(*id)),
            ExprKind::Unary { op, operand } => self.unary_operator(*op, *operand, span),
            ExprKind::Binary { op: ast::BinaryOp::LogicalAnd | ast::BinaryOp::LogicalOr, left, right } => {
                self.logical(expr, *left, *right).map(Operand::Value)
            }
            ExprKind::Binary { op, left, right } => self.binary_operator(*op, *left, *right, span).map(Operand::Value),
            ExprKind::Assign { op, target, value } => self.assign(*op, *target, *value, span, true),
            ExprKind::Conditional { condition, then, otherwise } => self.conditional(*condition, *then, *otherwise, span),
            ExprKind::Comma { left, right } => {
                self.discard(*left)?;
                let right_span = ast[*right].span;
                match self.operand(*right)? {
                    Operand::Void => Ok(Operand::Void),
                    operand => self.rvalue(operand, right_span).map(Operand::Value),
                }
            }
            ExprKind::Call { callee, arguments } => self.call(*callee, arguments, span),
            ExprKind::Index { base, index } => self.index(*base, *index, span),
            ExprKind::Member { base, arrow, member } => self.member(*base, *arrow, *member),
            ExprKind::Cast { ty, operand } => {
                let target = self.type_name(*ty)?.ty;
                self.cast(target.ty, *operand, span)
            }
            ExprKind::CompoundLiteral { ty, initializer } => self.compound_literal(*ty, *initializer, span),
            ExprKind::Statement(statement) => self.statement_expression(*statement, true),
            _ => self.rare(expr, span),
        }
    }

    /// `sizeof` of an expression, which is evaluated for the lengths of its type only.
    fn size_of_expression(&mut self, inner: ast::ExprId, span: Span) -> Lowered<Operand> {
        if let Some(field) = self.field_type(inner)? {
            if let ExprKind::Member { .. } = self.ast[inner].kind {
                return Err(self.error(span, "`sizeof` of a bit-field", "has no size in bytes"));
            }
            let holder = self.holder(field);
            return self.size_value(holder, span);
        }
        let ty = self.type_of(inner)?;
        if self.is_variable_length(ty.ty) && self.has_effect(inner) {
            // C evaluates an operand of such a type.
            let size = self.size_type();
            return Ok(Operand::Value(self.unsupported_value("sizeof a variable length array", span, size)));
        }
        self.size_value(ty.ty, span)
    }

    /// The forms that programs use less often.
    fn rare(&mut self, expr: ast::ExprId, span: Span) -> Lowered<Operand> {
        let ast = self.ast;
        match &ast[expr].kind {
            ExprKind::SizeofExpr(inner) => self.size_of_expression(*inner, span),
            ExprKind::SizeofType(name) => {
                let ty = self.type_name(*name)?;
                self.size_value(ty.ty.ty, span)
            }
            ExprKind::AlignofExpr(inner) => {
                let operand = self.quietly(|this| this.operand(*inner))?.0;
                let declared = self.declared_align(operand);
                self.refuse_unsure_alignof(operand, declared, span);
                let ty = match self.field_type(*inner)? {
                    Some(field) => self.holder(field),
                    None => self.operand_type(operand).ty,
                };
                Ok(self.align_value(ty, declared, AlignedAs::Object))
            }
            ExprKind::AlignofType { ty: name, standard } => {
                let ty = self.type_name(*name)?;
                self.refuse_unsure_alignment(ast[*name].specifiers.base, ty.ty.ty, span);
                let aligned = if *standard { AlignedAs::Member } else { AlignedAs::Object };
                Ok(self.align_value(ty.ty.ty, ty.align, aligned))
            }
            ExprKind::Generic { control, associations } => {
                let chosen = self.association(*control, associations, span)?;
                self.operand(chosen)
            }
            ExprKind::LabelAddress(label) => self.label_address(*label).map(Operand::Value),
            ExprKind::Offsetof { ty, path } => self.offset_of(*ty, path, span).map(Operand::Value),
            ExprKind::TypesCompatible(a, b) => {
                let (a, b) = (self.type_name(*a)?.ty, self.type_name(*b)?.ty);
                let equal = self.compatible_when_asked(a.ty, b.ty);
                Ok(Operand::Value(self.int(self.basic.int, i128::from(equal))))
            }
            ExprKind::Choose { condition, then, otherwise } => {
                let chosen = self.integer_constant(*condition)?;
                self.operand(if chosen.0 != 0 { *then } else { *otherwise })
            }
            ExprKind::VaArg { list, ty } => {
                let ty = self.type_name(*ty)?.ty.ty;
                if self.lists.read && ty != self.basic.void {
                    return self.list_argument(*list, ty, span);
                }
                self.discard(*list)?;
                if ty == self.basic.void {
                    self.unsupported("va_arg", span);
                    return Ok(Operand::Void);
                }
                Ok(Operand::Value(self.unsupported_value("va_arg", span, ty)))
            }
            ExprKind::ConvertVector { operand, ty } => {
                self.discard(*operand)?;
                let ty = self.type_name(*ty)?.ty.ty;
                Ok(Operand::Value(self.unsupported_value("vector type", span, ty)))
            }
            _ => Err(self.error(span, "an expression of unknown form", "here")),
        }
    }

    /// An ordinary identifier.
    fn name(&mut self, name: ast::Symbol, span: Span) -> Lowered<Operand> {
        match self.scopes.lookup(name) {
            Some(Entity::Variable(variable, qualifiers)) => {
                let global = matches!(self.variables[variable.index()].kind, VarKind::Global { .. });
                if global && self.weak.contains(&name) && !self.links.is_defined(name) {
                    if !self.is_absent(name, "weak object without a definition", span) {
                        self.unsupported("weak object without a definition", span);
                        return Ok(self.variable_place(variable, qualifiers));
                    }
                    let ty = self.variables[variable.index()].ty;
                    let pointer = self.pointer_to(QualType { ty: ty.ty, qualifiers });
                    let nowhere = self.zero(pointer);
                    return self.dereference(nowhere, span);
                }
                Ok(self.variable_place(variable, qualifiers))
            }
            Some(Entity::Function(function)) => {
                let address = self.function_address(function);
                if self.weak.contains(&name) && !self.defined.contains(&name) {
                    let ty = self.ty(address);
                    let nowhere = self.zero(ty);
                    let absent = self.is_absent(name, "weak function without a body", span);
                    let other = |this: &mut Self| this.unsupported_value("weak function without a body", span, ty);
                    return Ok(Operand::Function(if absent { nowhere } else { other(self) }));
                }
                Ok(Operand::Function(address))
            }
            Some(Entity::Constant(value, ty)) => Ok(Operand::Value(self.int(ty, value))),
            Some(Entity::Typedef(..)) => Err(self.error(span, "a type name is no expression", "this is a type")),
            // What is only asked for its type needs no object.
            Some(Entity::Parameter(ty)) if self.quiet > 0 && !self.is_variably_modified(ty.ty) => {
                let pointer = self.pointer_to(ty);
                let nowhere = self.zero(pointer);
                self.dereference(nowhere, span)
            }
            Some(Entity::Parameter(_)) => {
                Err(self.error(span, "a type in a parameter list that depends on another parameter is not followed", "here"))
            }
            None => {
                let text = self.ast.name(name);
                if matches!(text, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
                    return Ok(self.function_name(name, span));
                }
                if text.starts_with("__builtin_") || text.starts_with("__sync_") || text.starts_with("__atomic_") {
                    let ty = self.basic.void_pointer;
                    return Ok(Operand::Value(self.unsupported_value(text, span, ty)));
                }
                Err(self.error(span, format!("`{text}` {}", crate::probe::UNDECLARED), "unknown name"))
            }
        }
    }

    /// Lets only those paths go on where nothing defines a weak name, which is unsupported on the others: another file may
    /// define it. `false` where no path can part.
    fn is_absent(&mut self, name: ast::Symbol, construct: &str, span: Span) -> bool {
        if self.quiet > 0 || self.body.function.is_none() {
            return false;
        }
        let state = match self.absent.get(&name).copied() {
            Some(known) => known,
            None => {
                let kind = VarKind::Global { linkage: Linkage::External, defined: false };
                let text = format!("{}{}", crate::known::DEFINED, self.links.name(self.ast, name)).into();
                let variable = self.new_variable(text, kind, QualType::plain(self.basic.int), Span::default());
                self.absent.insert(name, variable);
                variable
            }
        };
        let value = self.load_variable(state);
        let condition = self.truth(value);
        let (elsewhere, nowhere) = self.fork(condition, span);
        self.body.cursor = elsewhere;
        let end = self.dead_end();
        self.emit_last(Operation::Unsupported { construct: construct.into() }, span, end);
        self.body.cursor = nowhere;
        true
    }

    /// `base[index]`
    fn index(&mut self, base: ast::ExprId, index: ast::ExprId, span: Span) -> Lowered<Operand> {
        let (base_span, index_span) = (self.ast[base].span, self.ast[index].span);
        let operand = self.operand(base)?;
        let index_effects = self.has_effect(index);
        if let Operand::Place(place) = operand
            && matches!(self.types.get(self.ty(place.expr)), Type::Array { .. })
            && !self.is_variable_length(self.ty(place.expr))
        {
            let place = if index_effects { Place { expr: self.freeze(place.expr, base_span), ..place } } else { place };
            let index = self.value(index)?;
            self.need_integer(self.ty(index), index_span)?;
            let index = self.promote(index);
            return match self.element(place, index) {
                Some(element) => Ok(Operand::Place(element)),
                None => Err(self.error(span, "an index into something that is no array", "here")),
            };
        }
        if let Type::Vector { element, .. } = *self.types.get(self.operand_type(operand).ty) {
            self.discard(index)?;
            return Ok(self.part_of_strange("vector type", element, span));
        }
        let mut left = self.rvalue(operand, base_span)?;
        if index_effects {
            left = self.save(left, base_span);
        }
        let right = self.value(index)?;
        let pointer = self.add(ast::BinaryOp::Add, left, right, span)?;
        self.dereference(pointer, span)
    }

    fn need_integer(&self, ty: TypeId, span: Span) -> Lowered<()> {
        if self.class(ty) == super::build::Class::Integer {
            Ok(())
        } else {
            Err(self.error(span, "an integer is needed here", "not an integer"))
        }
    }

    /// `(T) operand`
    pub(super) fn cast(&mut self, target: TypeId, operand: ast::ExprId, span: Span) -> Lowered<Operand> {
        use super::build::Class;
        if target == self.basic.void {
            self.discard(operand)?;
            return Ok(Operand::Void);
        }
        let value = self.value(operand)?;
        let from = self.ty(value);
        match (self.class(from), self.class(target)) {
            (Class::Strange | Class::VaList, _) | (_, Class::Strange | Class::VaList) if from != target => {
                let strange = if self.class(from) == Class::Strange { from } else { target };
                let name = self.strange_name(strange);
                Ok(Operand::Value(self.unsupported_value(name, span, target)))
            }
            (Class::Integer, Class::Integer | Class::Pointer | Class::Float)
            | (Class::Pointer, Class::Integer | Class::Pointer)
            | (Class::Float, Class::Integer | Class::Float) => {
                let value = self.in_order(value, target, Cut::Written);
                Ok(Operand::Value(self.convert(value, target)))
            }
            (Class::Record | Class::Strange | Class::VaList, _) if from == target => Ok(Operand::Value(value)),
            (_, Class::Record) => self.cast_to_union(value, target, span),
            _ => Err(self.error(span, "this value cannot be converted to that type", "invalid cast")),
        }
    }

    /// GNU: `(union U) value` is a union whose member of the value's type has that value.
    pub(super) fn cast_to_union(&mut self, value: ExprId, target: TypeId, span: Span) -> Lowered<Operand> {
        let from = self.ty(value);
        let Type::Record(id) = *self.types.get(target) else { return Ok(Operand::Value(value)) };
        let record = self.types.record(id);
        let member = record.fields.iter().position(|field| field.ty.ty == from).filter(|_| record.is_union);
        let Some(member) = member else {
            return Err(self.error(span, "this value cannot be converted to that type", "invalid cast"));
        };
        let temporary = self.temporary(target);
        let expr = self.variable(temporary);
        let whole = Place { expr, qualifiers: Qualifiers::default(), bits: None };
        let zero = self.zero(target);
        self.store(whole, zero, span);
        if let Some(place) = self.field(whole, member) {
            self.store(place, value, span);
        }
        Ok(Operand::Value(self.load_variable(temporary)))
    }

    /// The type of an expression that is not evaluated, before decay.
    pub(super) fn type_of(&mut self, expr: ast::ExprId) -> Lowered<QualType> {
        let operand = self.quietly(|this| this.operand(expr))?.0;
        Ok(self.operand_type(operand))
    }

    pub(super) fn is_bit_field(&mut self, expr: ast::ExprId) -> Lowered<bool> {
        Ok(matches!(self.operand(expr)?, Operand::Place(Place { bits: Some(_), .. })))
    }

    fn size_value(&mut self, ty: TypeId, span: Span) -> Lowered<Operand> {
        match self.size_of(ty) {
            Ok(bytes) => Ok(Operand::Value(self.size_constant(bytes))),
            Err(SizeError::Variable) => {
                if let Some(bytes) = self.variable_size(ty) {
                    return Ok(Operand::Value(bytes));
                }
                let size = self.size_type();
                Ok(Operand::Value(self.unsupported_value("sizeof a variable length array", span, size)))
            }
            Err(_) => Err(self.error(span, "`sizeof` of an incomplete type", "has no size yet")),
        }
    }

    /// The alignment of what is itself declared with one: a variable, a member or a function.
    fn declared_align(&self, operand: Operand) -> Option<u64> {
        let place = match operand {
            Operand::Place(place) => place,
            Operand::Function(address) => match self.exprs.get(address) {
                Expr::FunctionAddress(function) => return self.declared.aligns.get(function).copied(),
                _ => return None,
            },
            _ => return None,
        };
        match *self.exprs.get(place.expr) {
            Expr::Variable(variable) => Some(self.variables[variable.index()].align).filter(|align| *align > 0),
            Expr::Field(outer, number) => match self.types.get(self.ty(outer)) {
                Type::Record(record) => self.types.record(*record).fields.get(number as usize).map(|field| field.align),
                _ => None,
            },
            Expr::Dereference { pointer, .. } => {
                let room = self.exprs.beginning_of(pointer).filter(|_| self.is_variable_length(self.ty(place.expr)))?;
                Some(self.variables[room.index()].align).filter(|align| *align > 0)
            }
            _ => None,
        }
    }

    /// `_Alignof` of a type is the alignment as a member; `__alignof__`, and both of an expression, that of an object of its own.
    fn align_value(&mut self, ty: TypeId, asked: Option<u64>, aligned: AlignedAs) -> Operand {
        let bytes = asked.unwrap_or_else(|| align_of(&self.types, self.machine, ty, aligned));
        Operand::Value(self.size_constant(bytes))
    }

    /// What `_Generic` chooses.
    pub(super) fn association(
        &mut self,
        control: ast::ExprId,
        associations: &[ast::GenericAssociation],
        span: Span,
    ) -> Lowered<ast::ExprId> {
        let ty = self.type_of_control(control)?;
        let (mut default, mut found) = (None, None);
        let mut seen: Vec<QualType> = Vec::new();
        for association in associations {
            let Some(name) = association.ty else {
                if default.replace(association.value).is_some() {
                    return Err(self.error(association.span, "a second `default` of `_Generic`", "second one"));
                }
                continue;
            };
            let named = self.type_name(name)?.ty;
            self.check_association(named, association.span)?;
            let is_same =
                |other: &QualType| other.qualifiers == named.qualifiers && self.compatible_when_asked(other.ty, named.ty);
            if seen.iter().any(is_same) {
                return Err(self.error(association.span, "two compatible types in `_Generic`", "second one"));
            }
            seen.push(named);
            let plain = named.qualifiers == Qualifiers::default();
            if plain
                && ty.is_some_and(|ty| self.compatible_when_asked(named.ty, ty))
                && found.replace(association.value).is_some()
            {
                return Err(self.error(association.span, "a second association of `_Generic` fits", "second one"));
            }
        }
        match found.or(default) {
            Some(chosen) => Ok(chosen),
            None => Err(self.error(span, "no association of `_Generic` fits", "for the type of the first operand")),
        }
    }

    /// The type of an association is a complete object type of known size (C17 6.5.1.1p2).
    fn check_association(&self, named: QualType, span: Span) -> Lowered<()> {
        let is_function = matches!(self.types.get(named.ty), Type::Function(_));
        let is_incomplete = named.ty != self.basic.void && self.size_of(named.ty) == Err(crate::layout::SizeError::Incomplete);
        if is_function || is_incomplete || self.is_variably_modified(named.ty) {
            let message = "a type of `_Generic` is a function, incomplete or of variable length";
            return Err(self.error(span, message, "in this association"));
        }
        Ok(())
    }

    /// The type that `_Generic` looks for; `None` if no name means it.
    fn type_of_control(&mut self, control: ast::ExprId) -> Lowered<Option<TypeId>> {
        match self.field_type(control)? {
            Some(FieldType::Named(ty)) => return Ok(Some(ty)),
            Some(FieldType::Nameless { .. }) => return Ok(None),
            None => {}
        }
        let span = self.ast[control].span;
        let value = self.quietly(|this| {
            let operand = this.operand(control)?;
            match operand {
                // The type after lvalue conversion.
                Operand::Place(place) if !matches!(this.types.get(this.ty(place.expr)), Type::Array { .. }) => {
                    Ok(this.ty(place.expr))
                }
                other => this.rvalue(other, span).map(|value| this.ty(value)),
            }
        })?;
        Ok(Some(value.0))
    }

    /// An integer constant expression: its value and type.
    pub(super) fn integer_constant(&mut self, expr: ast::ExprId) -> Lowered<(i128, TypeId)> {
        match self.try_integer_constant(expr)? {
            Some(found) => Ok(found),
            None => {
                let span = self.ast[expr].span;
                Err(self.error(span, "an integer constant is needed here", "not a constant"))
            }
        }
    }

    /// The value of an expression if it is an integer constant.
    pub(super) fn try_integer_constant(&mut self, expr: ast::ExprId) -> Lowered<Option<(i128, TypeId)>> {
        let (value, effects) = self.quietly(|this| this.value(expr))?;
        let ty = self.ty(value);
        if effects || self.class(ty) != super::build::Class::Integer {
            return Ok(None);
        }
        let Some(ConstantValue::Int(bits)) = self.evaluate(value) else { return Ok(None) };
        Ok(self.format(ty).map(|format| (format.value(bits), ty)))
    }
}
