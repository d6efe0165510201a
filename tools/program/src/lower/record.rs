//! Structures, unions and enumerations.

use rustc_hash::FxHashSet;

use super::declarator::Attributes;
use super::scope::{Entity, Tag};
use super::{Lowered, Lowerer};
use crate::ast::{self, BaseType, Member, RecordKind};
use crate::layout::{FieldSpec, RecordSpec, SizeError, lay_out};
use crate::source::Span;
use crate::types::{ArrayLength, EnumDefinition, EnumId, IntRank, QualType, Record, RecordId, Type, TypeId, VARIABLE_MEMBER};

impl Lowerer<'_> {
    /// The record that a specifier names or defines.
    pub(super) fn record(&mut self, id: ast::RecordId, alone: bool) -> Lowered<RecordId> {
        let ast = self.ast;
        let specifier = &ast[id];
        let is_union = specifier.kind == RecordKind::Union;
        if let Some(known) = self.records.get(&id).copied() {
            if let (Some(tag), Some(_)) = (specifier.tag, &specifier.members) {
                self.scopes.declare_tag(tag.name, Tag::Record(known));
            }
            return Ok(known);
        }
        let Some(members) = &specifier.members else {
            let Some(tag) = specifier.tag else {
                return Err(self.error(specifier.span, "a structure without tag and members", "here"));
            };
            return self.named_record(tag, is_union, alone, specifier.span);
        };
        let record = match self.shared_record(id) {
            Some(known) => {
                if let Some(tag) = specifier.tag {
                    self.scopes.declare_tag(tag.name, Tag::Record(known));
                }
                known
            }
            None => self.record_to_define(specifier.tag, is_union, specifier.span)?,
        };
        let again = self.types.record(record).complete;
        self.records.insert(id, record);
        self.share_record(id, record);
        let attributes = self.attributes(&specifier.attributes)?;
        let mut fields = Vec::new();
        let mut spans = Vec::new();
        let other_order = attributes.strange.as_deref() == Some(super::reversed::NAME);
        let strange_size = attributes.strange.filter(|_| !other_order);
        let mut strange = strange_size.clone();
        for member in members {
            match member {
                Member::StaticAssert(id) => self.static_assert(*id)?,
                Member::Fields(declaration) => {
                    let found = self.fields(declaration, &mut fields, &mut spans)?;
                    strange = strange.or(found);
                }
            }
        }
        self.refuse_twins(&fields, &spans)?;
        self.refuse_open_arrays(&fields, &spans, is_union)?;
        self.account(attributes.demands);
        if again {
            return Ok(record);
        }
        if let Some(construct) = &strange_size {
            // Its size is that of another layout, wherever it counts.
            self.before_entry.push((construct.clone(), specifier.span));
        }
        let pack = specifier.pack.map(u64::from);
        let spec = RecordSpec { is_union, fields, packed: attributes.packed, align: attributes.type_align, pack };
        self.refuse_atomic_members(&spec, specifier.span);
        self.complete_record(record, spec, &spans, strange)?;
        if other_order && !self.reverse(record) {
            self.types.record_mut(record).unsupported.get_or_insert_with(|| super::reversed::NAME.into());
        }
        self.types.record_mut(record).span = specifier.span;
        Ok(record)
    }

    /// Members of one structure have names of their own.
    fn refuse_twins(&self, fields: &[FieldSpec], spans: &[Span]) -> Lowered<()> {
        let mut known = FxHashSet::default();
        let mut twins = fields.iter().zip(spans).filter(|(field, _)| field.name.as_ref().is_some_and(|name| !known.insert(name)));
        match twins.next() {
            Some((_, span)) => Err(self.error(*span, "a member of this name is there already", "second member")),
            None => Ok(()),
        }
    }

    /// An array without a length is the last one of several members.
    fn refuse_open_arrays(&self, fields: &[FieldSpec], spans: &[Span], is_union: bool) -> Lowered<()> {
        let is_open =
            |field: &FieldSpec| matches!(self.types.get(field.ty.ty), Type::Array { length: ArrayLength::Incomplete, .. });
        let is_alone = fields.iter().filter(|field| field.name.is_some() || field.width.is_none()).count() == 1;
        let mut wrong = fields.iter().enumerate().filter(|(at, field)| is_open(field) && (at + 1 < fields.len() || is_alone));
        match wrong.next().filter(|_| !is_union) {
            Some((at, _)) => {
                let span = spans.get(at).copied().unwrap_or_default();
                Err(self.error(span, "an array without a length is the last of several members", "in this structure"))
            }
            None => Ok(()),
        }
    }

    fn complete_record(&mut self, record: RecordId, spec: RecordSpec, spans: &[Span], strange: Option<Box<str>>) -> Lowered<()> {
        let variable = spec.fields.iter().any(|field| self.size_of(field.ty.ty) == Err(SizeError::Variable));
        let layout = match lay_out(&self.types, self.machine, spec) {
            Ok(layout) => layout,
            Err((index, why)) => {
                let span = spans.get(index).copied().unwrap_or_default();
                return Err(match why {
                    SizeError::TooLarge => {
                        self.error(span, "a structure that is larger than the address space", "with this member")
                    }
                    SizeError::Incomplete | SizeError::Variable => {
                        self.error(span, "this member has no size", "its type is incomplete")
                    }
                });
            }
        };
        let unsupported = if variable { Some(VARIABLE_MEMBER.into()) } else { strange };
        let entry = self.types.record_mut(record);
        entry.fields = layout.fields;
        entry.size = layout.size;
        entry.align = layout.align;
        entry.complete = true;
        entry.unsupported = unsupported;
        Ok(())
    }

    fn named_record(&mut self, tag: ast::Ident, is_union: bool, alone: bool, span: Span) -> Lowered<RecordId> {
        let found = if alone { self.scopes.tag_here(tag.name) } else { self.scopes.tag(tag.name) };
        match found {
            Some(Tag::Record(record)) if self.types.record(record).is_union == is_union => Ok(record),
            Some(_) if !alone || self.scopes.tag_here(tag.name).is_some() => Err(self.wrong_tag(tag)),
            _ => Ok(self.new_record(Some(tag), is_union, span)),
        }
    }

    fn wrong_tag(&self, tag: ast::Ident) -> crate::diagnostic::Diagnostic {
        let message = format!("`{}` is the tag of another kind of type", self.ast.name(tag.name));
        self.error(tag.span, message, "wrong kind of tag")
    }

    fn record_to_define(&mut self, tag: Option<ast::Ident>, is_union: bool, span: Span) -> Lowered<RecordId> {
        if let Some(tag) = tag {
            match self.scopes.tag_here(tag.name) {
                Some(Tag::Record(record)) => {
                    let known = self.types.record(record);
                    if known.is_union != is_union {
                        return Err(self.wrong_tag(tag));
                    }
                    if known.complete {
                        let message = format!("`{}` is defined twice", self.ast.name(tag.name));
                        return Err(self.error(tag.span, message, "second definition"));
                    }
                    return Ok(record);
                }
                Some(Tag::Enum(_)) => return Err(self.wrong_tag(tag)),
                None => {}
            }
        }
        Ok(self.new_record(tag, is_union, span))
    }

    fn new_record(&mut self, tag: Option<ast::Ident>, is_union: bool, span: Span) -> RecordId {
        if let Some(tag) = tag
            && let Some(Tag::Record(known)) = self.shared_tag(tag.name)
        {
            self.scopes.declare_tag(tag.name, Tag::Record(known));
            return known;
        }
        let record = self.types.add_record(Record {
            tag: tag.map(|tag| self.ast.name(tag.name).into()),
            is_union,
            fields: Vec::new(),
            size: 0,
            align: 1,
            complete: false,
            unsupported: None,
            span,
        });
        if let Some(tag) = tag {
            self.share_tag(tag.name, Tag::Record(record));
            self.scopes.declare_tag(tag.name, Tag::Record(record));
        }
        record
    }

    /// The members of one declaration.
    fn fields(
        &mut self,
        declaration: &ast::FieldDeclaration,
        fields: &mut Vec<FieldSpec>,
        spans: &mut Vec<Span>,
    ) -> Lowered<Option<Box<str>>> {
        let mut strange = None;
        let ast = self.ast;
        let base = self.base_type(&declaration.specifiers, false)?;
        let common = self.attributes(&declaration.specifiers.attributes)?;
        if declaration.fields.is_empty() {
            let unnamed = match declaration.specifiers.base {
                BaseType::Record(id) => ast[id].tag.is_none(),
                _ => false,
            };
            if unnamed {
                fields.push(FieldSpec {
                    name: None,
                    ty: base.ty,
                    type_align: None,
                    own_align: base.align,
                    packed: common.packed,
                    width: None,
                });
                spans.push(declaration.span);
            }
            return Ok(None);
        }
        for field in &declaration.fields {
            let declared = self.declarator_type(base, &field.declarator)?;
            let own = self.attributes(field.attributes.iter().chain(&field.declarator.attributes))?;
            strange = strange.or_else(|| own.strange.clone()).or_else(|| common.strange.clone());
            self.account(own.demands.iter().chain(&common.demands).copied());
            let declared = {
                let typed = Attributes { align: None, type_align: None, ..own.clone() };
                self.apply_attributes(declared, &typed, field.span)?
            };
            if matches!(self.types.get(declared.ty.ty), Type::Function(_)) {
                return Err(self.error(field.span, "a member cannot be a function", "in this structure"));
            }
            let width = match field.width {
                None => None,
                Some(expr) => Some(self.bit_width(expr, declared.ty.ty)?),
            };
            self.check_bits(width, field, &declaration.specifiers)?;
            self.refuse_unsure_alignment(declaration.specifiers.base, declared.ty.ty, field.span);
            // That is said of the member, also where it is a pointer.
            let alignas = self.alignas(&declaration.specifiers)?;
            let alignas = alignas.map(|align| declared.align.map_or(align, |of_type| of_type.max(align)));
            fields.push(FieldSpec {
                name: field.declarator.name.map(|name| ast.name(name.name).into()),
                ty: declared.ty,
                type_align: self.typedef_align(declaration.specifiers.base, &field.declarator.derived)?,
                own_align: own.align.max(common.align).max(alignas),
                packed: own.packed || common.packed,
                width,
            });
            spans.push(field.span);
        }
        Ok(strange)
    }

    /// gcc aligns structures and unions of 8 bytes less strictly than their atomic members, and larger ones as strictly.
    fn refuse_atomic_members(&mut self, spec: &RecordSpec, span: Span) {
        let is_strict = |mut ty: QualType| {
            while let Type::Array { element, .. } = self.types.get(ty.ty) {
                ty = *element;
            }
            self.atomic_align(ty).is_some()
        };
        if spec.fields.iter().any(|field| is_strict(field.ty)) {
            self.before_entry.push(("alignment of an atomic member".into(), span));
        }
    }

    /// The alignment that a typedef gives the type of a member; a pointer or function type does not inherit it.
    fn typedef_align(&mut self, base: BaseType, derived: &[ast::Derived]) -> Lowered<Option<u64>> {
        let inherits = derived.iter().all(|step| matches!(step, ast::Derived::Array { .. }));
        Ok(match base {
            BaseType::Typedef(name) if inherits => match self.scopes.lookup(name) {
                Some(Entity::Typedef(_, align)) => align,
                _ => None,
            },
            BaseType::TypeofType(name) | BaseType::Atomic(name) if inherits => self.type_name(name)?.align,
            _ => None,
        })
    }

    /// A bit-field without bits has no name, and none has an alignment of its own.
    fn check_bits(&self, width: Option<u32>, field: &ast::Field, specifiers: &ast::Specifiers) -> Lowered<()> {
        if width == Some(0) && field.declarator.name.is_some() {
            return Err(self.error(field.span, "a bit-field without bits has no name", "in this structure"));
        }
        if width.is_some() && !specifiers.alignas.is_empty() {
            return Err(self.error(field.span, "a bit-field has no alignment of its own", "in this structure"));
        }
        Ok(())
    }

    fn bit_width(&mut self, expr: ast::ExprId, ty: TypeId) -> Lowered<u32> {
        let span = self.ast[expr].span;
        let Some(format) = self.format(ty).filter(|_| !matches!(self.types.get(ty), Type::Pointer(_))) else {
            return Err(self.error(span, "a bit-field must have an integer type", "not an integer"));
        };
        let widest = if matches!(self.types.get(ty), Type::Bool) { 1 } else { format.bits };
        let width = self.integer_constant(expr)?.0;
        u32::try_from(width)
            .ok()
            .filter(|width| *width <= widest)
            .ok_or_else(|| self.error(span, "this width does not fit the type of the bit-field", "bad width"))
    }

    /// The enumeration that a specifier names or defines.
    pub(super) fn enumeration(&mut self, id: ast::EnumId, alone: bool) -> Lowered<EnumId> {
        let ast = self.ast;
        let specifier = &ast[id];
        if let Some(known) = self.enums.get(&id).copied() {
            self.redeclare_enum(specifier, known);
            return Ok(known);
        }
        let Some(enumerators) = &specifier.enumerators else {
            let Some(tag) = specifier.tag else {
                return Err(self.error(specifier.span, "an enumeration without tag and constants", "here"));
            };
            let found = if alone { self.scopes.tag_here(tag.name) } else { self.scopes.tag(tag.name) };
            return match found {
                Some(Tag::Enum(known)) => Ok(known),
                Some(Tag::Record(_)) => Err(self.wrong_tag(tag)),
                None => Ok(self.new_enum(Some(tag), specifier.span)),
            };
        };
        if let Some(known) = self.shared_enum(id).filter(|known| self.types.enumeration(*known).complete) {
            self.attributes(&specifier.attributes)?;
            self.enums.insert(id, known);
            self.redeclare_enum(specifier, known);
            return Ok(known);
        }
        let definition = match specifier.tag.and_then(|tag| self.scopes.tag_here(tag.name)) {
            Some(Tag::Enum(known)) if !self.types.enumeration(known).complete => known,
            Some(_) => {
                return Err(self.error(specifier.span, "this enumeration is defined twice", "second definition"));
            }
            None => self.new_enum(specifier.tag, specifier.span),
        };
        let attributes = self.attributes(&specifier.attributes)?;
        if attributes.mode.is_some() {
            self.before_entry.push(("attribute mode of an enumeration".into(), specifier.span));
        }
        let mut next = 0i128;
        let mut values = Vec::with_capacity(enumerators.len());
        for enumerator in enumerators {
            if let Some(expr) = enumerator.value {
                next = self.integer_constant(expr)?.0;
            }
            let ty = self.enumerator_type(next);
            if let Some(Entity::Constant(..)) = self.scopes.lookup_here(enumerator.name.name) {
                let message = format!("`{}` is declared twice", ast.name(enumerator.name.name));
                return Err(self.error(enumerator.span, message, "second declaration"));
            }
            self.scopes.declare(enumerator.name.name, Entity::Constant(next, ty));
            values.push((Box::from(ast.name(enumerator.name.name)), next));
            next += 1;
        }
        let underlying = self.underlying(&values, attributes.packed);
        let entry = self.types.enumeration_mut(definition);
        entry.underlying = underlying;
        entry.enumerators = values;
        entry.complete = true;
        entry.span = specifier.span;
        self.enums.insert(id, definition);
        self.share_enum(id, definition);
        self.redeclare_enum(specifier, definition);
        Ok(definition)
    }

    /// Declares tag and constants in the current scope, with the types they have outside of the braces.
    fn redeclare_enum(&mut self, specifier: &ast::Enum, definition: EnumId) {
        let Some(enumerators) = &specifier.enumerators else { return };
        if let Some(tag) = specifier.tag {
            self.scopes.declare_tag(tag.name, Tag::Enum(definition));
        }
        let entry = self.types.enumeration(definition);
        let underlying = entry.underlying;
        let values: Vec<i128> = entry.enumerators.iter().map(|(_, value)| *value).collect();
        let fits_int = self.format(self.basic.int);
        for (enumerator, value) in enumerators.iter().zip(values) {
            let int = fits_int.is_some_and(|format| format.holds(value));
            let ty = if int { self.basic.int } else { underlying };
            self.scopes.declare(enumerator.name.name, Entity::Constant(value, ty));
        }
    }

    fn new_enum(&mut self, tag: Option<ast::Ident>, span: Span) -> EnumId {
        if let Some(tag) = tag
            && let Some(Tag::Enum(known)) = self.shared_tag(tag.name)
        {
            self.scopes.declare_tag(tag.name, Tag::Enum(known));
            return known;
        }
        let definition = self.types.add_enum(EnumDefinition {
            tag: tag.map(|tag| self.ast.name(tag.name).into()),
            underlying: self.basic.uint,
            enumerators: Vec::new(),
            complete: false,
            span,
        });
        if let Some(tag) = tag {
            self.share_tag(tag.name, Tag::Enum(definition));
            self.scopes.declare_tag(tag.name, Tag::Enum(definition));
        }
        definition
    }

    /// The type of an enumeration constant inside the braces.
    fn enumerator_type(&mut self, value: i128) -> TypeId {
        for (rank, signed) in [
            (IntRank::Int, true),
            (IntRank::Int, false),
            (IntRank::Long, true),
            (IntRank::Long, false),
            (IntRank::LongLong, true),
            (IntRank::LongLong, false),
        ] {
            let ty = self.types.intern(Type::Int { rank, signed });
            if self.format(ty).is_some_and(|format| format.holds(value)) {
                return ty;
            }
        }
        self.types.intern(Type::Int { rank: IntRank::Int128, signed: true })
    }

    /// The integer type that represents an enumeration: unsigned unless a constant is negative.
    fn underlying(&mut self, values: &[(Box<str>, i128)], packed: bool) -> TypeId {
        let signed = values.iter().any(|(_, value)| *value < 0);
        let small: &[IntRank] = if packed { &[IntRank::Char, IntRank::Short] } else { &[] };
        let ranks = small.iter().chain(&[IntRank::Int, IntRank::Long, IntRank::LongLong]);
        for rank in ranks {
            let ty = self.types.intern(Type::Int { rank: *rank, signed });
            let holds = |value: i128| self.format(ty).is_some_and(|format| format.holds(value));
            if values.iter().all(|(_, value)| holds(*value)) {
                return ty;
            }
        }
        self.types.intern(Type::Int { rank: IntRank::LongLong, signed })
    }
}
