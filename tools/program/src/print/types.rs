//! Types: declarators, records with their layout, enumerations.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "types and expressions are asked for one shape here; every other one, new ones included, is the rest"
)]

use std::fmt::Write as _;

use super::{PrintError, Printer};
use crate::layout::{FieldSpec, RecordLayout, RecordSpec, lay_out};
use crate::types::{
    ArrayLength, EnumDefinition, EnumId, Field, FloatKind, FunctionType, IntRank, QualType, Qualifiers, Record, RecordId, Type,
    TypeId,
};

impl Printer<'_> {
    /// A type as it stands in a cast.
    #[must_use]
    pub fn type_name(&self, ty: TypeId) -> String {
        self.declarator(QualType::plain(ty), String::new())
    }

    /// The declaration of `name` with a type; top-level `const` (also of array elements) is dropped.
    #[must_use]
    pub fn declaration(&self, ty: QualType, name: &str) -> String {
        let mut array = ty.ty;
        let mut suffix = name.to_owned();
        let mut qualifiers = ty.qualifiers;
        while let Type::Array { element, length } = self.cfa.types.get(array) {
            suffix.push_str(&object_length(*length));
            qualifiers.is_volatile |= element.qualifiers.is_volatile;
            qualifiers.is_atomic |= element.qualifiers.is_atomic;
            array = element.ty;
        }
        qualifiers.is_const = false;
        self.declarator(QualType { ty: array, qualifiers }, suffix)
    }

    /// The declaration of `inner` with a type, qualifiers as they are.
    pub(super) fn declarator(&self, ty: QualType, inner: String) -> String {
        let mut ty = ty;
        let mut inner = inner;
        let mut after_pointer = false;
        loop {
            match self.cfa.types.get(ty.ty) {
                Type::Pointer(target) => {
                    let words = qualifier_words(ty.qualifiers);
                    let space = if words.is_empty() || inner.is_empty() { "" } else { " " };
                    inner = format!("*{words}{space}{inner}");
                    after_pointer = true;
                    ty = *target;
                }
                Type::Array { element, length } => {
                    inner = if after_pointer { format!("({inner})") } else { inner };
                    inner.push_str(&length_text(*length));
                    after_pointer = false;
                    ty = *element;
                }
                Type::Function(function) => {
                    inner = if after_pointer { format!("({inner})") } else { inner };
                    inner.push_str(&self.parameters(function));
                    after_pointer = false;
                    ty = function.result;
                }
                _ => break,
            }
        }
        let words = qualifier_words(ty.qualifiers);
        let mut text = words;
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&self.base(ty.ty));
        if !inner.is_empty() {
            text.push(' ');
            text.push_str(&inner);
        }
        text
    }

    fn parameters(&self, function: &FunctionType) -> String {
        if function.unprototyped {
            return "()".to_owned();
        }
        if function.parameters.is_empty() && !function.variadic {
            return "(void)".to_owned();
        }
        let mut list: Vec<String> = function.parameters.iter().map(|ty| self.declarator(*ty, String::new())).collect();
        if function.variadic {
            list.push("...".to_owned());
        }
        format!("({})", list.join(", "))
    }

    fn base(&self, ty: TypeId) -> String {
        match self.cfa.types.get(ty) {
            Type::Void | Type::Pointer(_) | Type::Array { .. } | Type::Function(_) => "void".to_owned(),
            Type::Bool => "_Bool".to_owned(),
            Type::Int { rank, signed } => int_words(IntKind { rank: *rank, signed: *signed }).to_owned(),
            Type::Float(kind) => float_words(*kind).to_owned(),
            Type::Complex(kind) => format!("_Complex {}", float_words(*kind)),
            Type::Record(id) => self.record_name(*id),
            Type::Enum(id) => match self.names.enumeration(*id) {
                Some(name) => format!("enum {name}"),
                None => self.base(self.cfa.types.enumeration(*id).underlying),
            },
            // What is smaller than its elements is a number that is not followed.
            Type::Vector { element, bytes: bytes @ (2 | 4) }
                if self.cfa.types.get(*element) == &Type::Float(FloatKind::Double) =>
            {
                if *bytes == 2 { "_Float16" } else { "_Decimal32" }.to_owned()
            }
            Type::Vector { element, bytes } => {
                format!("__attribute__((vector_size({bytes}))) {}", self.base(*element))
            }
            Type::VaList => "__builtin_va_list".to_owned(),
        }
    }

    fn record_name(&self, id: RecordId) -> String {
        let record = self.cfa.types.record(id);
        format!("{} {}", keyword(record), self.names.record(id))
    }

    /// Forward declarations of all records, so that their tags have file scope.
    pub(super) fn forward_declarations(&self, out: &mut Vec<String>) {
        for (id, _) in self.cfa.types.records() {
            if !self.names.is_nested(id) {
                out.push(format!("{};", self.record_name(id)));
            }
        }
    }

    /// Definitions of all enumerations, then of all records, each after what it contains.
    pub(super) fn type_definitions(&self, out: &mut Vec<String>) -> Result<(), PrintError> {
        for (id, definition) in self.cfa.types.enums() {
            if definition.complete {
                out.push(self.enum_definition(id, definition));
            }
        }
        for id in self.record_order() {
            if self.names.is_nested(id) || !self.cfa.types.record(id).complete {
                continue;
            }
            let mut text = format!("{} {} ", keyword(self.cfa.types.record(id)), self.names.record(id));
            self.record_body(id, 0, &mut text)?;
            text.push(';');
            out.extend(text.lines().map(str::to_owned));
        }
        for ty in self.names.arrays() {
            if let Type::Array { length: ArrayLength::Constant(_), .. } = self.cfa.types.get(ty) {
                let member = self.declaration(QualType::plain(ty), "elements");
                out.push(format!("struct {} {{ {member}; }};", self.array_wrapper(ty)));
            }
        }
        Ok(())
    }

    /// The tag of the struct through which arrays of a type are copied as a whole.
    pub(super) fn array_wrapper(&self, ty: TypeId) -> String {
        format!("__array_{}", ty.index())
    }

    /// Records in such an order that each comes after the records it contains.
    fn record_order(&self) -> Vec<RecordId> {
        let count = self.cfa.types.records().count();
        let mut order = Vec::with_capacity(count);
        let mut state = vec![0u8; count];
        for root in 0..count {
            let mut stack = vec![RecordId::new(root)];
            while let Some(&top) = stack.last() {
                if state[top.index()] == 2 {
                    stack.pop();
                    continue;
                }
                if state[top.index()] == 1 {
                    state[top.index()] = 2;
                    order.push(top);
                    stack.pop();
                    continue;
                }
                state[top.index()] = 1;
                let fields = self.cfa.types.record(top).fields.iter().rev();
                let contained = fields.filter_map(|field| self.contained_record(field.ty.ty));
                stack.extend(contained.filter(|id| state[id.index()] == 0));
            }
        }
        order
    }

    fn contained_record(&self, ty: TypeId) -> Option<RecordId> {
        let mut ty = ty;
        loop {
            match self.cfa.types.get(ty) {
                Type::Array { element, .. } => ty = element.ty,
                Type::Record(id) => return Some(*id),
                _ => return None,
            }
        }
    }

    fn record_body(&self, id: RecordId, depth: usize, text: &mut String) -> Result<(), PrintError> {
        let record = self.cfa.types.record(id);
        let plain = plain_spec(record);
        let packed = self.packed_spec(record);
        let (spec, attribute) = if self.gives_layout(plain.clone(), record) {
            (plain, String::new())
        } else if self.gives_layout(packed.clone(), record) {
            (packed, format!(" __attribute__((packed, aligned({})))", record.align))
        } else {
            return Err(PrintError::Layout(self.record_name(id).into()));
        };
        let _ = writeln!(text, "{{");
        for field in &spec.fields {
            let _ = write!(text, "{}", "  ".repeat(depth + 1));
            self.member(field, depth + 1, text)?;
        }
        let _ = write!(text, "{}}}{attribute}", "  ".repeat(depth));
        Ok(())
    }

    fn member(&self, field: &FieldSpec, depth: usize, text: &mut String) -> Result<(), PrintError> {
        let name = field.name.as_deref().unwrap_or("");
        match (field.width, self.cfa.types.get(field.ty.ty)) {
            (Some(width), _) => {
                let _ = writeln!(text, "{} : {width};", self.declaration(field.ty, name));
            }
            (None, Type::Record(id)) if self.names.is_nested(*id) && name.is_empty() => {
                let _ = write!(text, "{} ", keyword(self.cfa.types.record(*id)));
                self.record_body(*id, depth, text)?;
                text.push_str(";\n");
            }
            _ => {
                let _ = writeln!(text, "{};", self.declaration(field.ty, name));
            }
        }
        Ok(())
    }

    /// Whether a declaration has the layout of `record`.
    fn gives_layout(&self, spec: RecordSpec, record: &Record) -> bool {
        let named = |fields: &[Field]| -> Vec<(u64, Option<crate::types::BitField>)> {
            fields.iter().map(|f| (f.offset, f.bits)).collect()
        };
        match lay_out(&self.cfa.types, self.cfa.machine, spec) {
            Ok(RecordLayout { fields, size, align }) => {
                size == record.size && align == record.align && named(&fields) == named(&record.fields)
            }
            Err(_) => false,
        }
    }

    /// The record packed, with unnamed bit-fields and members of its own where there is padding.
    fn packed_spec(&self, record: &Record) -> RecordSpec {
        let mut fields = Vec::new();
        let mut bit = 0;
        let byte = self.cfa.types.types().find(|(_, ty)| matches!(ty, Type::Int { rank: IntRank::PlainChar, .. }));
        for field in &record.fields {
            let first = field.bits.map_or(field.offset * 8, |bits| bits.first_bit);
            if let (false, Some((byte, _))) = (record.is_union, byte) {
                let mut gap = first.saturating_sub(bit);
                while gap > 0 {
                    // A padding bit-field must not cross into the next byte-aligned member unnoticed: at most 8 bits.
                    let width = gap.min(8 - bit % 8);
                    fields.push(padding(QualType::plain(byte), width));
                    bit += width;
                    gap -= width;
                }
            }
            let size = crate::layout::size_of(&self.cfa.types, self.cfa.machine, field.ty.ty).unwrap_or(0);
            bit = first + field.bits.map_or(size * 8, |bits| u64::from(bits.width));
            fields.push(field_spec(field));
        }
        if let (false, Some((byte, _))) = (record.is_union, byte) {
            while bit < record.size * 8 {
                let width = (record.size * 8 - bit).min(8 - bit % 8);
                fields.push(padding(QualType::plain(byte), width));
                bit += width;
            }
        }
        RecordSpec { is_union: record.is_union, fields, packed: true, align: Some(record.align), pack: None }
    }

    fn enum_definition(&self, id: EnumId, definition: &EnumDefinition) -> String {
        let names = self.names.enumerators(id);
        let items = names.iter().zip(&definition.enumerators);
        let list: Vec<String> = items.map(|(name, (_, value))| format!("{name} = {}", enumerator_value(*value))).collect();
        let tag = self.names.enumeration(id).unwrap_or_default();
        let small = matches!(
            self.cfa.types.get(definition.underlying),
            Type::Int { rank: IntRank::PlainChar | IntRank::Char | IntRank::Short, .. }
        );
        let attribute = if small { " __attribute__((packed))" } else { "" };
        if list.is_empty() {
            return format!("enum {tag} {{ __{tag}_none }}{attribute};");
        }
        format!("enum {tag} {{ {} }}{attribute};", list.join(", "))
    }
}

fn enumerator_value(value: i128) -> String {
    let (smallest, largest) = (i128::from(i32::MIN), i128::from(i32::MAX));
    match value {
        _ if value == i128::from(i64::MIN) => "-0x7fffffffffffffffLL - 1".to_owned(),
        _ if value == smallest => "-0x7fffffff - 1".to_owned(),
        _ if value > i128::from(i64::MAX) => format!("{value}ULL"),
        _ if value > largest && value <= i128::from(u32::MAX) => format!("{value}U"),
        _ if value > largest || value < smallest => format!("{value}LL"),
        _ => value.to_string(),
    }
}

fn keyword(record: &Record) -> &'static str {
    if record.is_union { "union" } else { "struct" }
}

fn plain_spec(record: &Record) -> RecordSpec {
    let fields = record.fields.iter().map(field_spec).collect();
    RecordSpec { is_union: record.is_union, fields, packed: false, align: None, pack: None }
}

fn field_spec(field: &Field) -> FieldSpec {
    FieldSpec {
        name: field.name.clone(),
        ty: field.ty,
        type_align: None,
        own_align: None,
        packed: false,
        width: field.bits.map(|bits| bits.width),
    }
}

fn padding(ty: QualType, width: u64) -> FieldSpec {
    let width = u32::try_from(width).ok();
    FieldSpec { name: None, ty, type_align: None, own_align: None, packed: false, width }
}

fn length_text(length: ArrayLength) -> String {
    match length {
        ArrayLength::Constant(count) => format!("[{count}]"),
        ArrayLength::Incomplete => "[]".to_owned(),
        // What is behind a member or a dimension of such a length is an unsupported operation; the text must be C.
        ArrayLength::Variable(_) => "[0]".to_owned(),
    }
}

/// As [`length_text`] for an object. The length of a variable length array is not known here; the operation that makes
/// one is unsupported, so no verdict rests on this number.
fn object_length(length: ArrayLength) -> String {
    if matches!(length, ArrayLength::Variable(_)) { "[65536]".to_owned() } else { length_text(length) }
}

fn qualifier_words(qualifiers: Qualifiers) -> String {
    let mut words = Vec::new();
    if qualifiers.is_const {
        words.push("const");
    }
    if qualifiers.is_volatile {
        words.push("volatile");
    }
    if qualifiers.is_atomic {
        words.push("_Atomic");
    }
    words.join(" ")
}

/// An integer type.
#[derive(Clone, Copy)]
pub(super) struct IntKind {
    pub(super) rank: IntRank,
    pub(super) signed: bool,
}

pub(super) const fn int_words(kind: IntKind) -> &'static str {
    match (kind.rank, kind.signed) {
        (IntRank::PlainChar, _) => "char",
        (IntRank::Char, true) => "signed char",
        (IntRank::Char, false) => "unsigned char",
        (IntRank::Short, true) => "short",
        (IntRank::Short, false) => "unsigned short",
        (IntRank::Int, true) => "int",
        (IntRank::Int, false) => "unsigned int",
        (IntRank::Long, true) => "long",
        (IntRank::Long, false) => "unsigned long",
        (IntRank::LongLong, true) => "long long",
        (IntRank::LongLong, false) => "unsigned long long",
        (IntRank::Int128, true) => "__int128",
        (IntRank::Int128, false) => "unsigned __int128",
    }
}

const fn float_words(kind: FloatKind) -> &'static str {
    match kind {
        FloatKind::Float => "float",
        FloatKind::Double => "double",
        FloatKind::LongDouble => "long double",
        FloatKind::Float128 => "__float128",
    }
}
