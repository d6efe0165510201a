//! Shapes: how the value of a C type is spread over scalar leaves.

#![expect(clippy::wildcard_enum_match_arm, reason = "only records have members")]

use program::cfa::Cfa;
use program::types::{ArrayLength, RecordId, Type, TypeId};
use rustc_hash::FxHashMap;

/// Arrays with at most this many scalars become one leaf per scalar; longer ones SMT arrays.
const SCALARISED: u64 = 16;

/// Elements of the longest array that is modelled, those of arrays in it counted one by one: flattened, they must have indices
/// that fit.
const MOST_ELEMENTS: u64 = 1 << 31;

/// Bits of the longest array that is modelled where addresses are narrow.
const MOST_BITS_NARROW: u64 = 1 << 34;

/// Unions up to this size are one leaf; wider bit vectors could not be evaluated.
const WIDEST_UNION: u64 = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ShapeId(u32);

/// How elements in a row are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// Few of them one by one.
    AsFit,
    /// Any number of them in SMT arrays, so that rows of different length are held alike.
    OneArray,
}

/// A member of a record or union.
#[derive(Clone, Debug)]
pub(super) struct FieldShape {
    pub(super) first_bit: u64,
    pub(super) shape: ShapeId,
    /// Position of its first leaf among those of the record.
    pub(super) first_leaf: u32,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// One leaf.
    Scalar,
    /// The leaves of the members in turn.
    Record(Vec<FieldShape>),
    /// One leaf that holds all bits; members are slices of it.
    Union(Vec<FieldShape>),
    /// The leaves of the elements in turn.
    Fixed { count: u64, element: ShapeId },
    /// The leaves of one element, each an SMT array. No count: unknown.
    Array { count: Option<u64>, element: ShapeId },
    /// No leaves: what is held is not modelled.
    Opaque,
}

#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) ty: TypeId,
    /// Size in memory.
    pub(super) bits: u64,
    /// Width of the leaf of a scalar or union: less than `bits` for bit-fields and `_Bool`.
    pub(super) leaf_width: u32,
    pub(super) leaves: u32,
    /// Elements of one kind in it, of arrays in arrays all: at least as many as indices of any of its leaves.
    rows: u64,
    pub(super) kind: Kind,
}

/// A leaf of a shape.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// How it is named below the object: `.f`, `[3]`, `[].f`.
    pub(super) path: String,
    /// First bit of the first of them.
    pub(super) first_bit: u64,
    pub(super) width: u32,
    /// How many array dimensions of the shape it is under.
    pub(super) dimensions: u32,
}

/// All shapes of a program, made on demand.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    shapes: Vec<Shape>,
    known: FxHashMap<(TypeId, Option<u32>), ShapeId>,
}

impl Shapes {
    pub(super) fn get(&self, id: ShapeId) -> &Shape {
        &self.shapes[id.0 as usize]
    }

    /// The shape of a type.
    pub(super) fn of(&mut self, cfa: &Cfa, ty: TypeId) -> ShapeId {
        self.with_width(cfa, ty, None)
    }

    fn with_width(&mut self, cfa: &Cfa, ty: TypeId, bit_field: Option<u32>) -> ShapeId {
        if let Some(known) = self.known.get(&(ty, bit_field)) {
            return *known;
        }
        // Types nest as deeply as their text; a pathological one must not end the process.
        let shape = stacker::maybe_grow(64 << 10, 1 << 20, || self.build(cfa, ty, bit_field));
        let id = ShapeId(formats::dense(self.shapes.len()));
        self.shapes.push(shape);
        self.known.insert((ty, bit_field), id);
        id
    }

    fn build(&mut self, cfa: &Cfa, ty: TypeId, bit_field: Option<u32>) -> Shape {
        if let Some(scalar) = Scalar::of(cfa, ty) {
            let leaf_width = bit_field.unwrap_or(scalar.stored);
            let bits = u64::from(bit_field.unwrap_or(scalar.width));
            return Shape { ty, bits, leaf_width, leaves: 1, rows: 1, kind: Kind::Scalar };
        }
        match cfa.types.get(ty) {
            Type::Array { element, length } => self.array(cfa, ty, element.ty, *length),
            Type::Record(record) => self.record(cfa, ty, *record),
            Type::Void
            | Type::Bool
            | Type::Int { .. }
            | Type::Float(_)
            | Type::Complex(_)
            | Type::Pointer(_)
            | Type::Function(_)
            | Type::Enum(_)
            | Type::Vector { .. }
            | Type::VaList => {
                let bytes = program::layout::size_of(&cfa.types, cfa.machine, ty).unwrap_or(0);
                opaque(ty, bytes.saturating_mul(8))
            }
        }
    }

    fn array(&mut self, cfa: &Cfa, ty: TypeId, element: TypeId, length: ArrayLength) -> Shape {
        let element = self.of(cfa, element);
        let Shape { leaves, rows, .. } = *self.get(element);
        match length {
            ArrayLength::Variable(_) => opaque(ty, 0),
            ArrayLength::Incomplete => {
                Shape { ty, bits: 0, leaf_width: 0, leaves, rows, kind: Kind::Array { count: None, element } }
            }
            ArrayLength::Constant(count) => self.elements(cfa, ty, element, count),
        }
    }

    /// The shape of so many elements in a row.
    fn elements(&self, cfa: &Cfa, ty: TypeId, element: ShapeId, count: u64) -> Shape {
        let inner = self.get(element);
        let bits = inner.bits.saturating_mul(count);
        let scalars = count.saturating_mul(u64::from(inner.leaves));
        let rows = inner.rows.saturating_mul(count);
        let has_room = rows <= MOST_ELEMENTS && (bits <= MOST_BITS_NARROW || cfa.machine.word() >= 8);
        if inner.leaves == 0 || !has_room {
            opaque(ty, bits)
        } else if scalars <= SCALARISED && count > 0 {
            let kind = Kind::Fixed { count, element };
            Shape { ty, bits, leaf_width: 0, leaves: formats::small(scalars), rows, kind }
        } else {
            let count = (count > 0).then_some(count);
            let kind = Kind::Array { count, element };
            Shape { ty, bits, leaf_width: 0, leaves: inner.leaves, rows, kind }
        }
    }

    /// The shape of memory that holds so many elements; no access is of its type, which is `void`.
    pub(super) fn block(&mut self, cfa: &Cfa, void: TypeId, (element, count): (ShapeId, u64), rows: Rows) -> ShapeId {
        let mut shape = self.elements(cfa, void, element, count);
        if rows == Rows::OneArray
            && let Kind::Fixed { count, element } = shape.kind
        {
            let leaves = self.get(element).leaves;
            shape = Shape { leaves, kind: Kind::Array { count: Some(count), element }, ..shape };
        }
        let id = ShapeId(formats::dense(self.shapes.len()));
        self.shapes.push(shape);
        id
    }

    fn record(&mut self, cfa: &Cfa, ty: TypeId, record: RecordId) -> Shape {
        let record = cfa.types.record(record);
        let bits = record.size.saturating_mul(8);
        if !record.complete || record.unsupported.is_some() {
            return opaque(ty, bits);
        }
        let mut fields = Vec::with_capacity(record.fields.len());
        let (mut leaves, mut rows) = (0, 1);
        for field in &record.fields {
            let shape = self.with_width(cfa, field.ty.ty, field.bits.map(|bits| bits.width));
            let first_bit = field.bits.map_or(field.offset * 8, |bits| bits.first_bit);
            let first_leaf = if record.is_union { 0 } else { leaves };
            fields.push(FieldShape { first_bit, shape, first_leaf });
            leaves += self.get(shape).leaves;
            rows = rows.max(self.get(shape).rows);
        }
        if !record.is_union {
            return Shape { ty, bits, leaf_width: 0, leaves, rows, kind: Kind::Record(fields) };
        }
        if bits == 0 || bits > WIDEST_UNION {
            return opaque(ty, bits);
        }
        Shape { ty, bits, leaf_width: formats::small(bits), leaves: 1, rows: 1, kind: Kind::Union(fields) }
    }

    /// All leaves of a shape in order.
    pub(super) fn leaves(&self, cfa: &Cfa, root: ShapeId) -> Vec<Leaf> {
        let mut found = Vec::new();
        let mut open = vec![(root, String::new(), 0u64, 0u32)];
        while let Some((id, path, first_bit, dimensions)) = open.pop() {
            let shape = self.get(id);
            match &shape.kind {
                Kind::Scalar | Kind::Union(_) => {
                    let width = shape.leaf_width;
                    found.push(Leaf { path, first_bit, width, dimensions });
                }
                Kind::Record(fields) => {
                    for (number, field) in fields.iter().enumerate().rev() {
                        let path = format!("{path}.{}", field_name(cfa, shape.ty, number));
                        open.push((field.shape, path, first_bit + field.first_bit, dimensions));
                    }
                }
                Kind::Fixed { count, element } => {
                    let stride = self.get(*element).bits;
                    for at in (0..*count).rev() {
                        let path = format!("{path}[{at}]");
                        open.push((*element, path, first_bit + at * stride, dimensions));
                    }
                }
                Kind::Array { element, .. } => {
                    open.push((*element, format!("{path}[]"), first_bit, dimensions + 1));
                }
                Kind::Opaque => {}
            }
        }
        found
    }
}

/// The name of a member, its number if it has none.
fn field_name(cfa: &Cfa, ty: TypeId, number: usize) -> String {
    let named = match cfa.types.get(ty) {
        Type::Record(record) => cfa.types.record(*record).fields.get(number),
        _ => None,
    };
    match named.and_then(|field| field.name.as_deref()) {
        Some(name) => name.to_owned(),
        None => number.to_string(),
    }
}

fn opaque(ty: TypeId, bits: u64) -> Shape {
    Shape { ty, bits, leaf_width: 0, leaves: 0, rows: 1, kind: Kind::Opaque }
}

/// What a scalar C type is as a bit vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scalar {
    /// Width of a value.
    pub(super) width: u32,
    /// Width of what is stored: 1 for `_Bool`.
    pub(super) stored: u32,
    /// Values are signed.
    pub(super) signed: bool,
    pub(super) class: Class,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Integer,
    Bool,
    Pointer,
    /// The bit pattern of a float.
    Float,
}

impl Scalar {
    /// The scalar behind a type, if it is one.
    pub(super) fn of(cfa: &Cfa, ty: TypeId) -> Option<Scalar> {
        let bits = |bytes: u64| formats::small(bytes) * 8;
        let plain = |width, signed, class| Some(Scalar { width, stored: width, signed, class });
        match cfa.types.get(ty) {
            Type::Bool => Some(Scalar { width: 8, stored: 1, signed: false, class: Class::Bool }),
            Type::Int { rank, signed } => plain(bits(cfa.machine.int_size(*rank)), *signed, Class::Integer),
            Type::Enum(id) => Scalar::of(cfa, cfa.types.enumeration(*id).underlying),
            Type::Pointer(_) => plain(bits(cfa.machine.word()), false, Class::Pointer),
            Type::Float(kind) => plain(bits(cfa.machine.float_size(*kind)), true, Class::Float),
            Type::Void
            | Type::Complex(_)
            | Type::Array { .. }
            | Type::Function(_)
            | Type::Record(_)
            | Type::Vector { .. }
            | Type::VaList => None,
        }
    }
}
