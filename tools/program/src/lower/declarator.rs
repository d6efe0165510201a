//! Types as declarations write them: specifiers, declarators, attributes.

use super::build::Class;
use super::exit::Moment;
use super::scope::Entity;
use super::{Lowered, Lowerer};
use crate::ast::{self, ArraySize, Attribute, AttributeKind, BaseType, Declarator, Derived, IntKind, ParametersKind, Specifiers};
use crate::source::Span;
use crate::types::{ArrayLength, FloatKind, FunctionType, IntRank, QualType, Qualifiers, Type, TypeId};

/// A type with the alignment that attributes gave it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub(super) ty: QualType,
    pub(super) align: Option<u64>,
}

/// A parameter of a function declarator.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParameterInfo {
    pub(super) name: Option<ast::Ident>,
    pub(super) ty: QualType,
    pub(super) span: Span,
}

/// What a list of attributes says.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    pub(super) packed: bool,
    /// The strictest alignment asked for: what counts for objects and members.
    pub(super) align: Option<u64>,
    /// The last alignment asked for: what counts for types.
    pub(super) type_align: Option<u64>,
    pub(super) noreturn: bool,
    /// An attribute that changes what is declared in a way that is not followed.
    pub(super) strange: Option<Box<str>>,
    /// Whether it runs before or behind the entry function, and the priority.
    pub(super) hooks: Vec<(Moment, Option<ast::ExprId>)>,
    /// The functions called where the scope is left.
    pub(super) cleanup: Vec<ast::Ident>,
    /// Need not be defined.
    pub(super) weak: bool,
    pub(super) mode: Option<ast::Symbol>,
    pub(super) vector: Option<ast::ExprId>,
    /// What makes it another object or function though nothing else says so.
    pub(super) identity: String,
    /// Attributes that mean something only for some kinds of things: what they stand at says whether it is one.
    pub(super) demands: Vec<Span>,
    /// `transparent_union`
    pub(super) transparent: Option<Span>,
}

impl Lowerer<'_> {
    /// The type of a type name.
    pub(super) fn type_name(&mut self, id: ast::TypeNameId) -> Lowered<Declared> {
        let ast = self.ast;
        let base = self.base_type(&ast[id].specifiers, false)?;
        self.declarator_type(base, &ast[id].declarator)
    }

    /// Reads attributes.
    pub(super) fn attributes<'b>(&mut self, list: impl IntoIterator<Item = &'b Attribute>) -> Lowered<Attributes> {
        let mut found = Attributes::default();
        for attribute in list {
            match &attribute.kind {
                // gcc passes over those that no function or no record is declared with.
                AttributeKind::Packed | AttributeKind::NoReturn | AttributeKind::Aligned(_) => self.account([attribute.span]),
                AttributeKind::Mode(_) | AttributeKind::VectorSize(_) => self.account([attribute.span]),
                AttributeKind::Ignored(_) | AttributeKind::Identity(_) => {}
                AttributeKind::Alias(_) | AttributeKind::Weakref(Some(_)) if self.links.followed.contains(&attribute.span) => {
                    self.account([attribute.span]);
                    continue;
                }
                _ => found.demands.push(attribute.span),
            }
            match &attribute.kind {
                AttributeKind::Packed => found.packed = true,
                AttributeKind::Aligned(None) => {
                    found.type_align = Some(16);
                    found.align = found.align.max(found.type_align);
                }
                AttributeKind::Aligned(Some(expr)) => {
                    let bytes = self.integer_constant(*expr)?.0;
                    found.type_align = u64::try_from(bytes).ok().filter(|bytes| bytes.is_power_of_two());
                    found.align = found.align.max(found.type_align);
                }
                AttributeKind::Mode(name) => found.mode = Some(*name),
                AttributeKind::VectorSize(expr) => found.vector = Some(*expr),
                // Values become unions where one is wanted, see `Lowerer::assign_convert`.
                AttributeKind::TransparentUnion => found.transparent = Some(attribute.span),
                // The order of this machine.
                AttributeKind::ScalarStorageOrder(order) if self.ast[*order].to_text() == "little-endian" => {}
                AttributeKind::ScalarStorageOrder(_) => found.strange = Some(super::reversed::NAME.into()),
                AttributeKind::NoReturn => found.noreturn = true,
                AttributeKind::Constructor(priority) => found.hooks.push((Moment::Before, *priority)),
                AttributeKind::Destructor(priority) => found.hooks.push((Moment::Behind, *priority)),
                AttributeKind::Cleanup(name) => found.cleanup.push(*name),
                AttributeKind::Alias(_) => found.strange = Some("alias".into()),
                AttributeKind::Ifunc(_) => found.strange = Some("ifunc".into()),
                AttributeKind::Weakref(_) => found.strange = Some("weakref".into()),
                AttributeKind::Weak => {
                    found.weak = true;
                    found.identity.push_str("weak");
                }
                AttributeKind::Ignored(_) => {}
                AttributeKind::Identity(_) => found.identity.push_str(&self.source.snippet(attribute.span)),
                AttributeKind::Unknown(name) => {
                    let name = self.ast.name(*name).trim_matches('_');
                    found.strange = Some(format!("attribute {name}").into());
                }
            }
        }
        Ok(found)
    }

    /// Takes note that what the attributes say is followed, or unsupported, where they stand.
    pub(super) fn account(&mut self, spans: impl IntoIterator<Item = Span>) {
        self.accounted.extend(spans);
    }

    /// The strictest alignment that `_Alignas` asks for.
    pub(super) fn alignas(&mut self, specifiers: &Specifiers) -> Lowered<Option<u64>> {
        let mut align = None;
        for alignas in &specifiers.alignas {
            let bytes = match alignas {
                ast::Alignas::Type(name) => {
                    let ty = self.type_name(*name)?;
                    self.refuse_unsure_alignment(self.ast[*name].specifiers.base, ty.ty.ty, specifiers.span);
                    ty.align.unwrap_or_else(|| self.align_in_record(ty.ty.ty))
                }
                ast::Alignas::Expr(expr) => {
                    let bytes = u64::try_from(self.integer_constant(*expr)?.0).ok();
                    let bytes = bytes.filter(|bytes| *bytes == 0 || bytes.is_power_of_two());
                    bytes.ok_or_else(|| self.error(self.ast[*expr].span, "this is no alignment", "not a power of two"))?
                }
            };
            align = align.max(Some(bytes).filter(|bytes| *bytes > 0));
        }
        Ok(align)
    }

    /// The type that specifiers name. A tag that stands `alone` is declared anew in its scope.
    pub(super) fn base_type(&mut self, specifiers: &Specifiers, alone: bool) -> Lowered<Declared> {
        let mut align = None;
        let mut ty = match specifiers.base {
            BaseType::Void => QualType::plain(self.basic.void),
            BaseType::Bool => QualType::plain(self.basic.bool_),
            BaseType::Int(kind) => QualType::plain(self.int_type(kind)),
            BaseType::Float(kind) => QualType::plain(self.float_type(kind)),
            BaseType::Complex(kind) => {
                let kind = match self.float_type(kind) {
                    ty if matches!(self.types.get(ty), Type::Float(_)) => match self.types.get(ty) {
                        Type::Float(kind) => *kind,
                        _ => FloatKind::Double,
                    },
                    _ => FloatKind::Double,
                };
                QualType::plain(self.types.intern(Type::Complex(kind)))
            }
            BaseType::ComplexInt(_) => QualType::plain(self.types.intern(Type::Complex(FloatKind::Float))),
            BaseType::VaList => QualType::plain(self.list_type()),
            BaseType::Implicit | BaseType::Auto => QualType::plain(self.basic.int),
            BaseType::Typedef(name) => match self.scopes.lookup(name) {
                Some(Entity::Typedef(ty, asked)) => {
                    align = asked;
                    ty
                }
                _ => {
                    let message = format!("`{}` is not a type here", self.ast.name(name));
                    return Err(self.error(specifiers.span, message, "unknown type"));
                }
            },
            BaseType::Record(id) => {
                let record = self.record(id, alone)?;
                QualType::plain(self.types.intern(Type::Record(record)))
            }
            BaseType::Enum(id) => {
                let definition = self.enumeration(id, alone)?;
                QualType::plain(self.types.intern(Type::Enum(definition)))
            }
            BaseType::TypeofExpr(expr) => {
                let ty = self.named_type_of(expr)?;
                if self.is_variably_modified(ty.ty) {
                    self.bound_effects(expr);
                }
                ty
            }
            BaseType::TypeofType(name) | BaseType::Atomic(name) => {
                let mut named = self.type_name(name)?;
                named.ty.qualifiers.is_atomic |= matches!(specifiers.base, BaseType::Atomic(_));
                align = named.align;
                named.ty
            }
        };
        ty.qualifiers = ty.qualifiers.and(qualifiers(specifiers.qualifiers));
        self.refuse_atomic_record(ty, specifiers.span);
        align = align.max(self.atomic_align(ty)).max(self.alignas(specifiers)?);
        let attributes = self.attributes(&specifiers.attributes)?;
        self.apply_attributes(Declared { ty, align }, &attributes, specifiers.span)
    }

    /// gcc aligns what is atomic as strictly as a number of its size; here that is followed for numbers.
    fn refuse_atomic_record(&mut self, ty: QualType, span: Span) {
        if self.atomic_align(ty).is_some() && !self.is_scalar(ty.ty) {
            self.before_entry.push(("alignment of an atomic structure".into(), span));
        }
    }

    /// The alignment of an atomic type that has a stricter one than the type without `_Atomic`, as members of 8 bytes on i386.
    pub(super) fn atomic_align(&self, ty: QualType) -> Option<u64> {
        let size = self.size_of(ty.ty).ok().filter(|size| ty.qualifiers.is_atomic && matches!(size, 2 | 4 | 8 | 16))?;
        (self.align_in_record(ty.ty) < size).then_some(size)
    }

    pub(super) fn align_in_record(&self, ty: TypeId) -> u64 {
        crate::layout::align_of(&self.types, self.machine, ty, crate::layout::AlignedAs::Member)
    }

    /// The attributes that make another type of a type.
    pub(super) fn apply_attributes(&mut self, mut declared: Declared, attributes: &Attributes, span: Span) -> Lowered<Declared> {
        if attributes.type_align.is_some() {
            declared.align = attributes.type_align;
        }
        if let Some(mode) = attributes.mode {
            declared.ty.ty = self.with_mode(declared.ty.ty, mode, span)?;
        }
        if let Some(expr) = attributes.vector {
            let bytes = u64::try_from(self.integer_constant(expr)?.0).unwrap_or(0);
            let element = declared.ty.ty;
            declared.ty.ty = self.types.intern(Type::Vector { element, bytes });
        }
        Ok(declared)
    }

    /// `__attribute__((mode(…)))`: another width.
    fn with_mode(&mut self, ty: TypeId, mode: ast::Symbol, span: Span) -> Lowered<TypeId> {
        let text = self.ast.name(mode).trim_matches('_').to_owned();
        let signed = self.format(ty).is_none_or(|format| format.signed);
        let rank = match text.as_str() {
            "QI" | "byte" => IntRank::Char,
            "HI" => IntRank::Short,
            "SI" => IntRank::Int,
            "DI" if self.machine.word() == 4 => IntRank::LongLong,
            "DI" | "word" | "pointer" | "unwind_word" => IntRank::Long,
            "TI" => IntRank::Int128,
            "SF" => return Ok(self.types.intern(Type::Float(FloatKind::Float))),
            "DF" => return Ok(self.types.intern(Type::Float(FloatKind::Double))),
            "XF" => return Ok(self.types.intern(Type::Float(FloatKind::LongDouble))),
            "TF" => return Ok(self.types.intern(Type::Float(FloatKind::Float128))),
            _ => return Err(self.error(span, format!("unknown machine mode `{text}`"), "in this declaration")),
        };
        Ok(self.types.intern(Type::Int { rank, signed }))
    }

    fn int_type(&mut self, kind: IntKind) -> TypeId {
        let (rank, signed) = match kind {
            IntKind::Char => (IntRank::PlainChar, true),
            IntKind::SignedChar => (IntRank::Char, true),
            IntKind::UnsignedChar => (IntRank::Char, false),
            IntKind::Short => (IntRank::Short, true),
            IntKind::UnsignedShort => (IntRank::Short, false),
            IntKind::Int => (IntRank::Int, true),
            IntKind::UnsignedInt => (IntRank::Int, false),
            IntKind::Long => (IntRank::Long, true),
            IntKind::UnsignedLong => (IntRank::Long, false),
            IntKind::LongLong => (IntRank::LongLong, true),
            IntKind::UnsignedLongLong => (IntRank::LongLong, false),
            IntKind::Int128 => (IntRank::Int128, true),
            IntKind::UnsignedInt128 => (IntRank::Int128, false),
        };
        self.types.intern(Type::Int { rank, signed })
    }

    /// A floating type; those that are not followed are opaque like vectors.
    fn float_type(&mut self, kind: ast::FloatKind) -> TypeId {
        let opaque = |bytes| Err(bytes);
        let kind = match kind {
            ast::FloatKind::Float | ast::FloatKind::Float32 => Ok(FloatKind::Float),
            ast::FloatKind::Double | ast::FloatKind::Float64 | ast::FloatKind::Float32x => Ok(FloatKind::Double),
            ast::FloatKind::LongDouble | ast::FloatKind::Float80 | ast::FloatKind::Float64x => Ok(FloatKind::LongDouble),
            ast::FloatKind::Float128 => Ok(FloatKind::Float128),
            ast::FloatKind::Float16 => opaque(2),
            ast::FloatKind::Decimal32 => opaque(4),
            ast::FloatKind::Decimal64 => opaque(8),
            ast::FloatKind::Decimal128 => opaque(16),
        };
        match kind {
            Ok(kind) => self.types.intern(Type::Float(kind)),
            Err(bytes) => {
                let element = self.basic.double;
                self.types.intern(Type::Vector { element, bytes })
            }
        }
    }

    /// The type a declarator derives from a base type.
    pub(super) fn declarator_type(&mut self, base: Declared, declarator: &Declarator) -> Lowered<Declared> {
        let attributes = self.attributes(&declarator.attributes)?;
        let mut declared = self.apply_attributes(base, &attributes, declarator.span)?;
        for step in declarator.derived.iter().rev() {
            declared.ty = match step {
                Derived::Pointer { qualifiers: own, .. } => {
                    declared.align = None;
                    QualType { ty: self.pointer_to(declared.ty), qualifiers: qualifiers(*own) }
                }
                Derived::Array { size, .. } => self.array_type(declared.ty, *size, declarator.span)?,
                Derived::Function(parameters) => {
                    declared.align = None;
                    let result = declared.ty;
                    if matches!(self.class(result.ty), Class::Array | Class::Function) {
                        let message = "a function cannot return an array or a function";
                        return Err(self.error(declarator.span, message, "in this declarator"));
                    }
                    let (list, variadic, unprototyped) = self.parameters(parameters)?;
                    let parameters = list.iter().map(|parameter| parameter.ty).collect();
                    let ty = FunctionType { result, parameters, variadic, unprototyped };
                    QualType::plain(self.types.intern(Type::Function(ty)))
                }
            };
        }
        Ok(declared)
    }

    /// `static`, `*` and qualifiers stand in the outermost array of a parameter only.
    pub(super) fn refuse_parameter_arrays(&self, declarator: &Declarator) -> Lowered<()> {
        let is_bare = |step: &Derived| match step {
            Derived::Array { size, is_static, qualifiers } => {
                !is_static && *qualifiers == ast::Qualifiers::default() && *size != ArraySize::Star
            }
            Derived::Pointer { .. } | Derived::Function(_) => true,
        };
        if declarator.derived.iter().all(is_bare) {
            return Ok(());
        }
        let message = "`static`, `*` and qualifiers are for the arrays of a parameter list";
        Err(self.error(declarator.span, message, "in this declarator"))
    }

    fn array_type(&mut self, element: QualType, size: ArraySize, span: Span) -> Lowered<QualType> {
        if matches!(self.class(element.ty), Class::Void | Class::Function) {
            return Err(self.error(span, "an array of functions or of `void`", "in this declarator"));
        }
        let is_open = match self.types.get(element.ty) {
            Type::Array { length, .. } => *length == ArrayLength::Incomplete,
            Type::Record(record) => !self.types.record(*record).complete,
            _ => false,
        };
        if is_open {
            return Err(self.error(span, "an array of elements whose type is incomplete", "in this declarator"));
        }
        let length = match size {
            ArraySize::Unspecified => ArrayLength::Incomplete,
            ArraySize::Star => ArrayLength::Variable(0),
            ArraySize::Expr(expr) => {
                let found = match self.try_integer_constant(expr) {
                    // A bound may mention parameters, which have no meaning in a mere prototype.
                    Err(_) if self.in_prototype > 0 => None,
                    found => found?,
                };
                match found {
                    Some((count, _)) => match u64::try_from(count) {
                        Ok(count) => ArrayLength::Constant(count),
                        Err(_) => {
                            let span = self.ast[expr].span;
                            return Err(self.error(span, "an array of negative length", "this is negative"));
                        }
                    },
                    None if self.body.function.is_some() || self.in_prototype > 0 => self.variable_length(expr)?,
                    None => {
                        let span = self.ast[expr].span;
                        return Err(self.error(span, "the length of an array must be constant here", "not a constant"));
                    }
                }
            }
        };
        let ty = self.types.intern(Type::Array { element, length });
        if self.size_of(ty) == Err(crate::layout::SizeError::TooLarge) {
            return Err(self.error(span, "an array that is larger than the address space", "in this declarator"));
        }
        Ok(QualType::plain(ty))
    }

    /// The length of an array of variable length is evaluated where its type is; what that changes is not followed, but for
    /// parameters, see [`Lowerer::parameter_bounds`].
    fn bound_effects(&mut self, bound: ast::ExprId) {
        if self.in_prototype == 0 && self.quiet == 0 && self.has_effect(bound) {
            self.unsupported("side effect in the length of an array", self.ast[bound].span);
        }
    }

    /// Whether a length that is known at run time only is part of a type.
    pub(super) fn is_variably_modified(&self, mut ty: TypeId) -> bool {
        loop {
            ty = match self.types.get(ty) {
                Type::Array { length: ArrayLength::Variable(_), .. } => return true,
                Type::Record(id) => return self.types.record(*id).has_variable_size(),
                Type::Array { element: inner, .. } | Type::Pointer(inner) => inner.ty,
                Type::Function(function) => function.result.ty,
                _ => return false,
            };
        }
    }

    /// Evaluates the lengths in the declarator of a parameter for their side effects, as a function does on entry.
    pub(super) fn parameter_bounds(&mut self, declarator: &Declarator) -> Lowered<()> {
        for step in declarator.derived.iter().rev() {
            if let Derived::Array { size: ArraySize::Expr(bound), .. } = step
                && self.has_effect(*bound)
            {
                self.start_expression();
                self.body.statement = self.ast[*bound].span;
                self.discard(*bound)?;
            }
        }
        Ok(())
    }

    /// The parameters of a function declarator, adjusted; whether they end in `...`; whether there is no prototype.
    pub(super) fn parameters(&mut self, list: &ast::Parameters) -> Lowered<(Vec<ParameterInfo>, bool, bool)> {
        self.scopes.enter();
        let result = self.parameters_here(list);
        self.scopes.leave();
        result
    }

    /// The same in the scope that is open, where their names, tags and constants are declared.
    pub(super) fn parameters_here(&mut self, list: &ast::Parameters) -> Lowered<(Vec<ParameterInfo>, bool, bool)> {
        let ast = self.ast;
        let ParametersKind::Prototype { parameters, variadic, .. } = &list.kind else {
            return Ok((Vec::new(), false, true));
        };
        self.in_prototype += 1;
        let result = parameters
            .iter()
            .map(|id| {
                let parameter = &ast[*id];
                let base = self.base_type(&parameter.specifiers, false)?;
                let declared = self.declarator_type(base, &parameter.declarator)?;
                let ty = self.adjusted(declared.ty);
                if let Some(name) = parameter.declarator.name {
                    if let Some(Entity::Parameter(_)) = self.scopes.lookup_here(name.name) {
                        return Err(self.declared_twice(name));
                    }
                    // It hides what has its name outside.
                    self.scopes.declare(name.name, Entity::Parameter(ty));
                }
                Ok(ParameterInfo { name: parameter.declarator.name, ty, span: parameter.span })
            })
            .collect::<Lowered<Vec<_>>>();
        self.in_prototype -= 1;
        let mut parameters = result?;
        if parameters.len() == 1 && parameters[0].ty.ty == self.basic.void {
            parameters.clear();
        }
        Ok((parameters, *variadic, false))
    }

    /// The type of a parameter: arrays and functions are pointers.
    pub(super) fn adjusted(&mut self, ty: QualType) -> QualType {
        match *self.types.get(ty.ty) {
            Type::Array { element, .. } => {
                let qualifiers = element.qualifiers.and(ty.qualifiers);
                QualType::plain(self.pointer_to(QualType { ty: element.ty, qualifiers }))
            }
            Type::Function(_) => QualType::plain(self.pointer_to(QualType::plain(ty.ty))),
            _ => ty,
        }
    }
}

/// Qualifiers without `restrict`, which is not kept.
pub(super) fn qualifiers(written: ast::Qualifiers) -> Qualifiers {
    Qualifiers { is_const: written.is_const, is_volatile: written.is_volatile, is_atomic: written.is_atomic }
}
