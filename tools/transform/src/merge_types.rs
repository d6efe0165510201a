//! The types of several programs in one table.
//!
//! A record of another program becomes one that is there iff tag, layout, names and types of all members agree; the same
//! for enumerations. What is doubtful stays apart: that costs sharing and nothing else. `const` is dropped; nothing here
//! prints or compares it.

use std::collections::VecDeque;

use program::cfa::Cfa;
use program::types::{
    ArrayLength, BitField, EnumDefinition, EnumId, Field, FunctionType, QualType, Qualifiers, Record, RecordId, Type, TypeId,
    TypeTable,
};
use rustc_hash::FxHashMap;

/// The counterparts of the types of one program in the common table, by [`TypeId`].
pub(crate) fn merge(common: &mut TypeTable, program: &Cfa) -> Vec<TypeId> {
    let mut same = Same::guess(common, program);
    // A trial interns types that may be of no use.
    let mut trial = common.clone();
    loop {
        let types = known(&mut trial, program, &same);
        if !same.refute(common, program, &types) {
            break;
        }
    }
    let records: Vec<RecordId> = program
        .types
        .records()
        .map(|(id, record)| {
            same.records[id.index()].unwrap_or_else(|| common.add_record(Record { fields: Vec::new(), ..record.clone() }))
        })
        .collect();
    let enums: Vec<EnumId> = program
        .types
        .enums()
        .map(|(id, definition)| same.enums[id.index()].unwrap_or_else(|| common.add_enum(definition.clone())))
        .collect();
    let mut types: Vec<TypeId> = Vec::new();
    for (_, ty) in program.types.types() {
        let of = |inner: TypeId| types.get(inner.index()).copied();
        let new = translated(ty, &of, &|id| Some(records[id.index()]), &|id| Some(enums[id.index()]));
        // What a type is made of is before it in the table.
        let new = new.unwrap_or(Type::Void);
        types.push(common.intern(new));
    }
    for (id, record) in program.types.records() {
        if same.records[id.index()].is_none() {
            let field = |field: &Field| Field { ty: moved(field.ty, types[field.ty.ty.index()]), ..field.clone() };
            common.record_mut(records[id.index()]).fields = record.fields.iter().map(field).collect();
        }
    }
    for (id, definition) in program.types.enums() {
        if same.enums[id.index()].is_none() {
            common.enumeration_mut(enums[id.index()]).underlying = types[definition.underlying.index()];
        }
    }
    types
}

/// Which records and enumerations of a program may be which of the common table.
struct Same {
    records: Vec<Option<RecordId>>,
    enums: Vec<Option<EnumId>>,
}

/// What is the same of two records whatever their members' types are.
type RecordKey<'a> = (Option<&'a str>, bool, u64, u64, bool, Option<&'a str>, Vec<FieldKey<'a>>);
type FieldKey<'a> = (Option<&'a str>, (u64, Option<(u64, u32)>, u64, Qualifiers));

fn record_key(record: &Record) -> RecordKey<'_> {
    let field = |field: &'_ Field| {
        let bits = field.bits.map(|BitField { first_bit, width }| (first_bit, width));
        (field.offset, bits, field.align, plain(field.ty.qualifiers))
    };
    let fields = record.fields.iter().map(|one| (one.name.as_deref(), field(one))).collect();
    let Record { tag, is_union, size, align, complete, unsupported, .. } = record;
    (tag.as_deref(), *is_union, *size, *align, *complete, unsupported.as_deref(), fields)
}

type EnumKey<'a> = (Option<&'a str>, bool, &'a [(Box<str>, i128)]);

fn enum_key(definition: &EnumDefinition) -> EnumKey<'_> {
    (definition.tag.as_deref(), definition.complete, &definition.enumerators)
}

impl Same {
    /// The k-th of each key is the k-th of that key.
    fn guess(common: &TypeTable, program: &Cfa) -> Self {
        let mut records: FxHashMap<RecordKey<'_>, VecDeque<RecordId>> = FxHashMap::default();
        for (id, record) in common.records() {
            records.entry(record_key(record)).or_default().push_back(id);
        }
        let mut enums: FxHashMap<_, VecDeque<EnumId>> = FxHashMap::default();
        for (id, definition) in common.enums() {
            enums.entry(enum_key(definition)).or_default().push_back(id);
        }
        let mine = program.types.records().map(|(_, record)| records.get_mut(&record_key(record))?.pop_front()).collect();
        let enums = program.types.enums().map(|(_, definition)| enums.get_mut(&enum_key(definition))?.pop_front()).collect();
        Self { records: mine, enums }
    }

    /// Takes back what the types of members contradict; whether anything was.
    fn refute(&mut self, common: &TypeTable, program: &Cfa, types: &[Option<TypeId>]) -> bool {
        let mut changed = false;
        for (id, record) in program.types.records() {
            let Some(other) = self.records[id.index()] else { continue };
            let mut fields = record.fields.iter().zip(&common.record(other).fields);
            if !fields.all(|(mine, theirs)| types[mine.ty.ty.index()] == Some(theirs.ty.ty)) {
                self.records[id.index()] = None;
                changed = true;
            }
        }
        for (id, definition) in program.types.enums() {
            let Some(other) = self.enums[id.index()] else { continue };
            if types[definition.underlying.index()] != Some(common.enumeration(other).underlying) {
                self.enums[id.index()] = None;
                changed = true;
            }
        }
        changed
    }
}

/// The counterparts of types as far as what they name has one.
fn known(trial: &mut TypeTable, program: &Cfa, same: &Same) -> Vec<Option<TypeId>> {
    let mut types: Vec<Option<TypeId>> = Vec::new();
    for (_, ty) in program.types.types() {
        let of = |inner: TypeId| types.get(inner.index()).copied().flatten();
        let new = translated(ty, &of, &|id| same.records[id.index()], &|id| same.enums[id.index()]);
        types.push(new.map(|new| trial.intern(new)));
    }
    types
}

fn plain(qualifiers: Qualifiers) -> Qualifiers {
    Qualifiers { is_const: false, ..qualifiers }
}

fn moved(ty: QualType, to: TypeId) -> QualType {
    QualType { ty: to, qualifiers: plain(ty.qualifiers) }
}

fn translated(
    ty: &Type,
    of: &dyn Fn(TypeId) -> Option<TypeId>,
    record: &dyn Fn(RecordId) -> Option<RecordId>,
    enumeration: &dyn Fn(EnumId) -> Option<EnumId>,
) -> Option<Type> {
    let qualified = |ty: QualType| Some(moved(ty, of(ty.ty)?));
    Some(match ty {
        Type::Void | Type::Bool | Type::Int { .. } | Type::Float(_) | Type::Complex(_) | Type::VaList => ty.clone(),
        Type::Pointer(target) => Type::Pointer(qualified(*target)?),
        Type::Array { element, length } => {
            // A length of variable size is known by a number that means something in one program only.
            let length = if let ArrayLength::Variable(_) = length { ArrayLength::Variable(0) } else { *length };
            Type::Array { element: qualified(*element)?, length }
        }
        Type::Function(function) => Type::Function(FunctionType {
            result: qualified(function.result)?,
            parameters: function.parameters.iter().map(|parameter| qualified(*parameter)).collect::<Option<_>>()?,
            ..function.clone()
        }),
        Type::Record(id) => Type::Record(record(*id)?),
        Type::Enum(id) => Type::Enum(enumeration(*id)?),
        Type::Vector { element, bytes } => Type::Vector { element: of(*element)?, bytes: *bytes },
    })
}
