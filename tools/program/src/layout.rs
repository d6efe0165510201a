//! Sizes, alignments and the layout of records, as gcc computes them for x86 with the System V ABI.
//!
//! Invariant: the offsets, sizes and alignments of [`lay_out`] are those that `gcc -m32` and `gcc -m64` use, bit-fields,
//! `:0`, `packed`, `aligned` and `#pragma pack` included.
//! Does not know syntax: members come as [`FieldSpec`]s.

use crate::machine::MachineModel;
use crate::types::{ArrayLength, BitField, Field, QualType, Type, TypeId, TypeTable};

/// The largest record in bytes, so that positions in bits are numbers: more than any machine has.
const LARGEST: u64 = 1 << 58;

/// The strictest alignment gcc takes.
const STRICTEST: u64 = 1 << 28;

/// Why a type has no size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeError {
    /// The type is incomplete.
    Incomplete,
    /// The size is known at run time only.
    Variable,
    /// The object would not fit into the address space.
    TooLarge,
}

/// A member of a record before its place is known.
#[derive(Clone, Debug)]
pub struct FieldSpec {
    /// Its name; an unnamed bit-field takes part in the layout, but is no member.
    pub name: Option<Box<str>>,
    /// Its declared type.
    pub ty: QualType,
    /// Alignment that a typedef gave the type.
    pub type_align: Option<u64>,
    /// Alignment asked for by the declaration of the member itself.
    pub own_align: Option<u64>,
    /// The member itself is packed.
    pub packed: bool,
    /// Width of a bit-field.
    pub width: Option<u32>,
}

/// A record before its layout is known.
#[derive(Clone, Debug)]
pub struct RecordSpec {
    /// Union rather than structure.
    pub is_union: bool,
    /// Members and unnamed bit-fields in order.
    pub fields: Vec<FieldSpec>,
    /// Attribute `packed` of the record.
    pub packed: bool,
    /// Attribute `aligned` of the record.
    pub align: Option<u64>,
    /// `#pragma pack` in force.
    pub pack: Option<u64>,
}

/// The layout of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordLayout {
    /// The members with their places; unnamed bit-fields are gone.
    pub fields: Vec<Field>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
}

/// The size of a type in bytes; 1 for `void` and functions as GNU C says.
///
/// # Errors
/// If the type has no constant size.
pub fn size_of(types: &TypeTable, machine: MachineModel, ty: TypeId) -> Result<u64, SizeError> {
    match types.get(ty) {
        Type::Void | Type::Bool | Type::Function(_) => Ok(1),
        Type::Int { rank, .. } => Ok(machine.int_size(*rank)),
        Type::Float(kind) => Ok(machine.float_size(*kind)),
        Type::Complex(kind) => Ok(2 * machine.float_size(*kind)),
        Type::Pointer(_) => Ok(machine.word()),
        Type::Array { element, length } => {
            let element = size_of(types, machine, element.ty)?;
            match length {
                ArrayLength::Constant(count) => {
                    element.checked_mul(*count).filter(|bytes| *bytes < 1 << (8 * machine.word() - 1)).ok_or(SizeError::TooLarge)
                }
                ArrayLength::Incomplete => Err(SizeError::Incomplete),
                ArrayLength::Variable(_) => Err(SizeError::Variable),
            }
        }
        Type::Record(id) => {
            let record = types.record(*id);
            if record.has_variable_size() {
                return Err(SizeError::Variable);
            }
            if record.complete { Ok(record.size) } else { Err(SizeError::Incomplete) }
        }
        Type::Enum(id) => size_of(types, machine, types.enumeration(*id).underlying),
        Type::Vector { bytes, .. } => Ok(*bytes),
        Type::VaList => Ok(if machine.word() == 4 { 4 } else { 24 }),
    }
}

/// What stands where an alignment counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlignedAs {
    /// An object of its own.
    Object,
    /// A member of a record: ILP32 aligns some types less there.
    Member,
}

/// The alignment of a type in bytes.
#[must_use]
pub fn align_of(types: &TypeTable, machine: MachineModel, ty: TypeId, aligned: AlignedAs) -> u64 {
    let in_record = aligned == AlignedAs::Member;
    match types.get(ty) {
        Type::Void | Type::Bool | Type::Function(_) => 1,
        Type::Int { rank, .. } if in_record => machine.int_align_in_record(*rank),
        Type::Int { rank, .. } => machine.int_align(*rank),
        Type::Float(kind) | Type::Complex(kind) if in_record => machine.float_align_in_record(*kind),
        Type::Float(kind) | Type::Complex(kind) => machine.float_align(*kind),
        Type::Pointer(_) | Type::VaList => machine.word(),
        Type::Array { element, .. } => align_of(types, machine, element.ty, aligned),
        Type::Record(id) => types.record(*id).align,
        Type::Enum(id) => align_of(types, machine, types.enumeration(*id).underlying, aligned),
        Type::Vector { bytes, .. } => *bytes,
    }
}

/// Places the members of a record.
///
/// # Errors
/// The position of a member without size, and why it has none. A flexible array member has none and is no error.
pub fn lay_out(types: &TypeTable, machine: MachineModel, spec: RecordSpec) -> Result<RecordLayout, (usize, SizeError)> {
    let mut state = Placer { types, machine, pack: spec.pack, is_union: spec.is_union, bit: 0, end: 0, align: 1 };
    let mut fields = Vec::with_capacity(spec.fields.len());
    for (index, mut field) in spec.fields.into_iter().enumerate() {
        field.packed |= spec.packed;
        let placed = match field.width {
            Some(width) => state.place_bit_field(&field, width),
            None => state.place_field(&field).map_err(|why| (index, why))?,
        };
        if field.width.is_none() || field.name.is_some() {
            let align = state.field_align(&field);
            fields.push(Field { name: field.name, ty: field.ty, offset: placed.0, bits: placed.1, align });
        }
    }
    let align = state.align.max(spec.align.unwrap_or(1)).min(STRICTEST);
    let size = state.end.div_ceil(8).next_multiple_of(align);
    Ok(RecordLayout { fields, size, align })
}

/// The state of laying out one record. Positions are bits, alignments are bytes.
struct Placer<'a> {
    types: &'a TypeTable,
    machine: MachineModel,
    pack: Option<u64>,
    is_union: bool,
    /// Where the next member may begin.
    bit: u64,
    /// Where the longest member ends.
    end: u64,
    align: u64,
}

type Placed = (u64, Option<BitField>);

impl Placer<'_> {
    fn place_field(&mut self, field: &FieldSpec) -> Result<Placed, SizeError> {
        let size = match size_of(self.types, self.machine, field.ty.ty) {
            Err(SizeError::Incomplete) if self.is_flexible(field.ty.ty) => 0,
            // Where it ends is not known: such a record is marked, see `Record::has_variable_size`.
            Err(SizeError::Variable) => 0,
            size => size?,
        };
        let align = self.field_align(field);
        self.align = self.align.max(align);
        let start = self.start().next_multiple_of(8 * align);
        if size > LARGEST || start > 8 * LARGEST {
            return Err(SizeError::TooLarge);
        }
        self.advance(start, 8 * size);
        if self.end > 8 * LARGEST {
            return Err(SizeError::TooLarge);
        }
        Ok((start / 8, None))
    }

    fn is_flexible(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Array { length: ArrayLength::Incomplete, .. })
    }

    fn start(&self) -> u64 {
        if self.is_union { 0 } else { self.bit }
    }

    fn advance(&mut self, start: u64, bits: u64) {
        self.bit = start.saturating_add(bits);
        self.end = self.end.max(self.bit);
    }

    /// Natural alignment of the member's type, lowered for members on ILP32 unless a typedef set it.
    fn natural_align(&self, field: &FieldSpec) -> u64 {
        field.type_align.unwrap_or_else(|| align_of(self.types, self.machine, field.ty.ty, AlignedAs::Member))
    }

    fn field_align(&self, field: &FieldSpec) -> u64 {
        let align = match (field.packed, field.own_align) {
            (true, own) => own.unwrap_or(1),
            (false, Some(own)) => own.max(self.natural_align(field)),
            (false, None) => self.natural_align(field),
        };
        self.pack.map_or(align, |pack| align.min(pack)).min(STRICTEST)
    }

    fn place_bit_field(&mut self, field: &FieldSpec, width: u32) -> Placed {
        let natural = self.natural_align(field);
        if width == 0 {
            // Neither `packed` nor `#pragma pack` weakens `:0`; nor does it align the record.
            let start = self.start().next_multiple_of(8 * natural.max(field.own_align.unwrap_or(1)));
            self.advance(start, 0);
            return (start / 8, None);
        }
        let own = field.own_align.map(|own| self.pack.map_or(own, |pack| own.min(pack)).min(STRICTEST));
        // One that is a whole integer where it stands has the alignment of that integer, whatever its type asks for.
        let whole = self.whole(field, width).map(|bytes| self.pack.map_or(bytes, |pack| bytes.min(pack)));
        if field.name.is_some() {
            let implied = match (self.pack, field.packed) {
                (Some(pack), _) => natural.min(pack),
                (None, true) => 1,
                (None, false) => natural,
            };
            self.align = self.align.max(implied).max(own.unwrap_or(1)).max(whole.unwrap_or(1));
        }
        let mut start = self.start();
        if let Some(own) = own {
            start = start.next_multiple_of(8 * own);
        }
        let may_move = !field.packed && self.pack.is_none() && whole.is_none();
        if may_move && self.spans_too_many(field, start, width, natural) {
            start = start.next_multiple_of(8 * natural);
        }
        self.advance(start, u64::from(width));
        (start / 8, Some(BitField { first_bit: start, width }))
    }

    /// The bytes of the integer that a bit-field is if it is one where it stands, and its type has an alignment of its own.
    fn whole(&self, field: &FieldSpec, width: u32) -> Option<u64> {
        let most = if self.machine.word() >= 8 { 128 } else { 64 };
        let bits = u64::from(width);
        let is_integer = bits.is_power_of_two() && (8..=most).contains(&bits) && self.start().is_multiple_of(bits);
        let fits = field.type_align.is_some() && is_integer && (bits == 8 || !field.packed);
        // Members of 8 bytes are aligned to 4 where addresses are narrow.
        fits.then_some((bits / 8).min(if self.machine.word() >= 8 { 16 } else { 4 }))
    }

    /// Whether a bit-field at `start` would touch more units of its type's alignment than its type has: of one that is aligned
    /// more strictly than its size, each.
    fn spans_too_many(&self, field: &FieldSpec, start: u64, width: u32, natural: u64) -> bool {
        let unit = 8 * natural;
        let size = size_of(self.types, self.machine, field.ty.ty).unwrap_or(natural);
        (start % unit + u64::from(width)).div_ceil(unit) > 8 * size / unit
    }
}
