//! C types, hash-consed per program, and the layout of records.
//!
//! A [`TypeId`] is equal to another of the same [`TypeTable`] iff the types are the same C type with the same
//! qualifiers inside. Records and enumerations are nominal: each definition is its own [`RecordId`] or [`EnumId`];
//! equality across two programs is structural and lives in `semantics` (ALGORITHM.md 2.4 of `diffdp`).
//! Typedefs are resolved and not kept.

use indexmap::IndexSet;

use crate::index::define_index;
use crate::source::Span;

define_index!(
    /// A type of one program.
    TypeId, "t"
);
define_index!(
    /// A struct or union definition (or incomplete declaration) of one program.
    RecordId, "r"
);
define_index!(
    /// An enumeration of one program.
    EnumId, "n"
);

/// Qualifiers of an object or of what a pointer points to. `restrict` is not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Qualifiers {
    /// Printed, never compared between programs.
    pub is_const: bool,
    /// Counts in comparisons (ALGORITHM.md 2.4 of `diffdp`).
    pub is_volatile: bool,
    /// Counts in comparisons.
    pub is_atomic: bool,
}

impl Qualifiers {
    /// Those of two together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
            is_atomic: self.is_atomic || other.is_atomic,
        }
    }
}

/// A type with its qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QualType {
    /// The unqualified type.
    pub ty: TypeId,
    /// Its qualifiers.
    pub qualifiers: Qualifiers,
}

impl QualType {
    /// `ty` without qualifiers.
    #[must_use]
    pub fn plain(ty: TypeId) -> Self {
        Self { ty, qualifiers: Qualifiers::default() }
    }
}

/// Conversion rank of an integer type. Plain `char` is its own type, distinct from both signed and unsigned `char`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntRank {
    /// `char` whose signedness was not written.
    PlainChar,
    /// `signed char`, `unsigned char`.
    Char,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `long long`.
    LongLong,
    /// `__int128`.
    Int128,
}

/// Format of a floating type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatKind {
    /// IEEE binary32.
    Float,
    /// IEEE binary64.
    Double,
    /// x87 extended precision.
    LongDouble,
    /// IEEE binary128 (`__float128`, `_Float128`).
    Float128,
}

/// The number of elements of an array type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArrayLength {
    /// A constant number of elements, zero included.
    Constant(u64),
    /// `[]`: incomplete, or a flexible array member.
    Incomplete,
    /// The length is known at run time only. The number says which one it is among those that the program evaluates; 0 is
    /// one that is not kept. No object has such a type, pointers to it may.
    Variable(u32),
}

/// A function type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// What a call yields.
    pub result: QualType,
    /// The parameters after adjustment (arrays and functions became pointers).
    pub parameters: Vec<QualType>,
    /// `...` is present.
    pub variadic: bool,
    /// No prototype: `int f()` or a K&R definition.
    pub unprototyped: bool,
}

/// A C type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`.
    Void,
    /// `_Bool`.
    Bool,
    /// An integer type other than `_Bool` and enumerations. `signed` is the effective signedness (for plain `char`, that
    /// of the machine model).
    Int {
        /// The rank.
        rank: IntRank,
        /// Whether values are signed.
        signed: bool,
    },
    /// A real floating type.
    Float(FloatKind),
    /// A complex type: unsupported where used.
    Complex(FloatKind),
    /// A pointer.
    Pointer(QualType),
    /// An array.
    Array {
        /// Element type.
        element: QualType,
        /// Number of elements.
        length: ArrayLength,
    },
    /// A function.
    Function(FunctionType),
    /// A struct or union.
    Record(RecordId),
    /// An enumeration; its integer type is in [`EnumDefinition`].
    Enum(EnumId),
    /// A GNU vector type: unsupported where used.
    Vector {
        /// Element type.
        element: TypeId,
        /// Total bytes.
        bytes: u64,
    },
    /// `__builtin_va_list`.
    VaList,
}

/// A bit-field's place inside its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitField {
    /// First bit, counted from the start of the record (little endian).
    pub first_bit: u64,
    /// Width in bits.
    pub width: u32,
}

/// A member of a record. An unnamed struct or union member has no name and is searched through.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Its name, if it has one.
    pub name: Option<Box<str>>,
    /// Its type.
    pub ty: QualType,
    /// Byte offset (of the storage unit for a bit-field: `first_bit / 8`).
    pub offset: u64,
    /// Set for bit-fields.
    pub bits: Option<BitField>,
    /// What its place is a multiple of, in bytes.
    pub align: u64,
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// The tag, if written.
    pub tag: Option<Box<str>>,
    /// Whether it is a union.
    pub is_union: bool,
    /// Members in order; empty while incomplete.
    pub fields: Vec<Field>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Whether the definition was seen.
    pub complete: bool,
    /// The attribute `scalar_storage_order`, a member of variable length and other layouts that cannot be treated, by name.
    pub unsupported: Option<Box<str>>,
    /// The defining specifier in the source, for printing.
    pub span: Span,
}

/// What [`Record::unsupported`] says of a record with a member of variable length.
pub const VARIABLE_MEMBER: &str = "structure with a member of variable length";

impl Record {
    /// Whether a member has a length that is known at run time only: then neither the size nor the offsets behind that
    /// member are what the layout says.
    #[must_use]
    pub fn has_variable_size(&self) -> bool {
        self.unsupported.as_deref() == Some(VARIABLE_MEMBER)
    }
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct EnumDefinition {
    /// The tag, if written.
    pub tag: Option<Box<str>>,
    /// The integer type that represents it.
    pub underlying: TypeId,
    /// Names and values in order.
    pub enumerators: Vec<(Box<str>, i128)>,
    /// Whether the definition was seen.
    pub complete: bool,
    /// The defining specifier in the source, for printing.
    pub span: Span,
}

/// All types of one program.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    types: IndexSet<Type, rustc_hash::FxBuildHasher>,
    records: Vec<Record>,
    enums: Vec<EnumDefinition>,
}

impl TypeTable {
    /// The identity of `ty`, which is added if it is new.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        TypeId::new(self.types.insert_full(ty).0)
    }

    /// The type behind an identity.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id.index()]
    }

    /// Adds a record; incomplete ones are completed through [`Self::record_mut`].
    pub fn add_record(&mut self, record: Record) -> RecordId {
        self.records.push(record);
        RecordId::new(self.records.len() - 1)
    }

    /// The record behind an identity.
    #[must_use]
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.index()]
    }

    /// The record behind an identity, to complete it.
    pub fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.records[id.index()]
    }

    /// Adds an enumeration.
    pub fn add_enum(&mut self, definition: EnumDefinition) -> EnumId {
        self.enums.push(definition);
        EnumId::new(self.enums.len() - 1)
    }

    /// The enumeration behind an identity.
    #[must_use]
    pub fn enumeration(&self, id: EnumId) -> &EnumDefinition {
        &self.enums[id.index()]
    }

    /// The enumeration behind an identity, to complete it.
    pub fn enumeration_mut(&mut self, id: EnumId) -> &mut EnumDefinition {
        &mut self.enums[id.index()]
    }

    /// All records in order of appearance.
    pub fn records(&self) -> impl Iterator<Item = (RecordId, &Record)> {
        self.records.iter().enumerate().map(|(i, r)| (RecordId::new(i), r))
    }

    /// All enumerations in order of appearance.
    pub fn enums(&self) -> impl Iterator<Item = (EnumId, &EnumDefinition)> {
        self.enums.iter().enumerate().map(|(i, e)| (EnumId::new(i), e))
    }

    /// All types in order of appearance.
    pub fn types(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.types.iter().enumerate().map(|(i, t)| (TypeId::new(i), t))
    }
}
