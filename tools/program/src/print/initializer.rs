//! Initialisers of static objects.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "types and expressions are asked for one shape here; every other one, new ones included, is the rest"
)]

use super::constant::string_literal;
use super::{PrintError, Printer};
use crate::cfa::{ConstantValue, InitialScalar, VarId, VarKind};
use crate::layout::size_of;
use crate::types::{ArrayLength, Field, IntRank, RecordId, Type, TypeId};

/// The scalars of one object that lie in a range of bits, in order.
type Scalars<'s> = &'s [InitialScalar];

impl Printer<'_> {
    /// The initialiser of a static object, `None` if all its bytes are zero.
    ///
    /// # Errors
    /// [`PrintError::Initializer`] if no initialiser gives these bytes.
    pub(super) fn initializer(&self, id: VarId) -> Result<Option<String>, PrintError> {
        let variable = self.cfa.variable(id);
        let failed = || PrintError::Initializer(variable.name.clone());
        if let (VarKind::StringLiteral(bytes), Type::Array { element, .. }) = (&variable.kind, self.cfa.types.get(variable.ty.ty))
            && self.is_char(element.ty)
        {
            return Ok(Some(string_literal(bytes)));
        }
        let Some(initializer) = &variable.initializer else { return Ok(None) };
        if initializer.scalars.is_empty() || initializer.unsupported.is_some() {
            return Ok(None);
        }
        self.initial(variable.ty.ty, 0, &initializer.scalars).map(Some).ok_or_else(failed)
    }

    /// The initialiser of a part of type `ty` that starts at bit `base`; it must account for all of `scalars`.
    fn initial(&self, ty: TypeId, base: u64, scalars: Scalars<'_>) -> Option<String> {
        match self.cfa.types.get(ty) {
            Type::Array { element, length } => self.initial_array(element.ty, *length, base, scalars),
            Type::Record(id) => {
                let mut items = Vec::new();
                self.initial_record(*id, base, scalars, &mut items)?;
                Some(format!("{{ {} }}", items.join(", ")))
            }
            _ => match scalars {
                [] => Some("0".to_owned()),
                [scalar] if scalar.first_bit == base => Some(self.initial_scalar(scalar)),
                _ => None,
            },
        }
    }

    fn initial_array(&self, element: TypeId, length: ArrayLength, base: u64, scalars: Scalars<'_>) -> Option<String> {
        let size = size_of(&self.cfa.types, self.cfa.machine, element).ok()? * 8;
        if size == 0 {
            return scalars.is_empty().then(|| "{}".to_owned());
        }
        let limit = match length {
            ArrayLength::Constant(length) => length,
            ArrayLength::Incomplete | ArrayLength::Variable(_) => u64::MAX,
        };
        if let Some(text) = self.initial_string(element, base, limit, scalars) {
            return Some(text);
        }
        let mut items = Vec::new();
        let mut next = 0;
        let mut rest = scalars;
        while let Some(first) = rest.first() {
            let index = first.first_bit.checked_sub(base)? / size;
            if index >= limit {
                return None;
            }
            let end = base + (index + 1) * size;
            let (here, after) = rest.split_at(rest.partition_point(|s| s.first_bit < end));
            let text = self.initial(element, base + index * size, here)?;
            items.push(if index == next { text } else { format!("[{index}] = {text}") });
            next = index + 1;
            rest = after;
        }
        Some(format!("{{ {} }}", items.join(", ")))
    }

    /// Characters as a string literal, if all of them up to the last are printable and some are letters of a text.
    fn initial_string(&self, element: TypeId, base: u64, limit: u64, scalars: Scalars<'_>) -> Option<String> {
        if !self.is_char(element) || scalars.len() < 2 {
            return None;
        }
        let mut bytes = Vec::new();
        for scalar in scalars {
            let index = usize::try_from((scalar.first_bit.checked_sub(base)?) / 8).ok()?;
            let ConstantValue::Int(bits) = scalar.value else { return None };
            let byte = u8::try_from(bits & 0xff).ok()?;
            if index > bytes.len() + 16 {
                return None;
            }
            bytes.resize(index, 0);
            bytes.push(byte);
        }
        let text = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
        let printable = text.iter().all(|b| matches!(b, 0x20..=0x7e | b'\n' | b'\t' | b'\r'));
        if !printable || bytes.len() as u64 > limit {
            return None;
        }
        let mut terminated = text.to_vec();
        terminated.push(0);
        Some(string_literal(&terminated))
    }

    fn initial_record(&self, id: RecordId, base: u64, scalars: Scalars<'_>, items: &mut Vec<String>) -> Option<()> {
        let record = self.cfa.types.record(id);
        if record.is_union {
            return self.initial_union(id, base, scalars, items);
        }
        let mut rest = scalars;
        for field in &record.fields {
            let start = base + first_bit(field);
            let end = match (field.bits, size_of(&self.cfa.types, self.cfa.machine, field.ty.ty)) {
                (Some(bits), _) => start + u64::from(bits.width),
                (None, Ok(size)) => start + size * 8,
                (None, Err(_)) => u64::MAX,
            };
            let (here, after) = rest.split_at(rest.partition_point(|s| s.first_bit < end));
            rest = after;
            if !here.is_empty() {
                self.initial_member(field, start, here, items)?;
            }
        }
        rest.is_empty().then_some(())
    }

    fn initial_member(&self, field: &Field, start: u64, scalars: Scalars<'_>, items: &mut Vec<String>) -> Option<()> {
        match (&field.name, self.cfa.types.get(field.ty.ty)) {
            (Some(name), _) => {
                let text = self.initial(field.ty.ty, start, scalars)?;
                items.push(format!(".{name} = {text}"));
                Some(())
            }
            (None, Type::Record(id)) => self.initial_record(*id, start, scalars, items),
            (None, _) => None,
        }
    }

    /// The first member whose initialiser gives exactly these scalars, of the same types if possible.
    fn initial_union(&self, id: RecordId, base: u64, scalars: Scalars<'_>, items: &mut Vec<String>) -> Option<()> {
        if scalars.is_empty() {
            return Some(());
        }
        let fields = &self.cfa.types.record(id).fields;
        for exact in [true, false] {
            for field in fields {
                if exact && !scalars.iter().all(|s| self.has_scalar(field.ty.ty, base, s)) {
                    continue;
                }
                if !exact && !scalars.iter().all(|s| self.same_width(field, base, s)) {
                    continue;
                }
                let mut found = Vec::new();
                if self.initial_member(field, base + first_bit(field), scalars, &mut found).is_some() {
                    items.append(&mut found);
                    return Some(());
                }
            }
        }
        None
    }

    /// Whether a part of type `ty` at bit `base` has a scalar of the type and place of `wanted`.
    fn has_scalar(&self, ty: TypeId, base: u64, wanted: &InitialScalar) -> bool {
        match self.cfa.types.get(ty) {
            Type::Array { element, .. } => {
                let size = size_of(&self.cfa.types, self.cfa.machine, element.ty).unwrap_or(0) * 8;
                if size == 0 || wanted.first_bit < base {
                    return false;
                }
                let index = (wanted.first_bit - base) / size;
                self.has_scalar(element.ty, base + index * size, wanted)
            }
            Type::Record(id) => self.cfa.types.record(*id).fields.iter().any(|field| match field.bits {
                Some(bits) => base + bits.first_bit == wanted.first_bit && bits.width == wanted.width,
                None => self.has_scalar(field.ty.ty, base + field.offset * 8, wanted),
            }),
            _ => ty == wanted.ty && base == wanted.first_bit,
        }
    }

    fn same_width(&self, field: &Field, base: u64, scalar: &InitialScalar) -> bool {
        match (field.bits, size_of(&self.cfa.types, self.cfa.machine, field.ty.ty)) {
            (Some(bits), _) => bits.width == scalar.width,
            (None, Ok(size)) => scalar.first_bit + u64::from(scalar.width) <= base + (field.offset + size) * 8,
            (None, Err(_)) => true,
        }
    }

    fn initial_scalar(&self, scalar: &InitialScalar) -> String {
        match scalar.value {
            ConstantValue::Int(bits) => self.int_constant(self.widened(bits, scalar), scalar.ty).0,
            ConstantValue::Float(bits) => self.float_constant(bits, scalar.ty).0,
            ConstantValue::Function(function) => {
                let name = super::names::function_name(self.cfa, function);
                match self.cfa.types.get(scalar.ty) {
                    Type::Pointer(target) if target.ty == self.cfa.function(function).ty => name.to_owned(),
                    _ => format!("({}){name}", self.type_name(scalar.ty)),
                }
            }
            ConstantValue::Address { variable, offset } => self.initial_address(variable, offset, scalar.ty),
        }
    }

    /// The pattern of a bit-field extended to the width of its type.
    fn widened(&self, bits: u128, scalar: &InitialScalar) -> u128 {
        let signed = matches!(self.cfa.types.get(scalar.ty), Type::Int { signed: true, .. });
        let full = size_of(&self.cfa.types, self.cfa.machine, scalar.ty).unwrap_or(16) * 8;
        let width = u64::from(scalar.width);
        if !signed || width == 0 || width >= full || (bits >> (width - 1)) & 1 == 0 {
            return bits;
        }
        let ones = |width: u64| if width >= 128 { u128::MAX } else { (1u128 << width) - 1 };
        bits | (ones(full) & !ones(width))
    }

    fn initial_address(&self, variable: VarId, offset: i64, ty: TypeId) -> String {
        let cast = self.type_name(ty);
        let object = self.cfa.variable(variable);
        let text = match &object.kind {
            VarKind::StringLiteral(bytes) if self.names.is_inline(variable) => string_literal(bytes),
            _ => format!("(char *)&{}", self.names.variable(variable)),
        };
        match offset {
            0 if text.starts_with('"') => format!("({cast}){text}"),
            0 => format!("({cast})&{}", self.names.variable(variable)),
            _ => format!("({cast})({text} + {offset})"),
        }
    }

    fn is_char(&self, ty: TypeId) -> bool {
        matches!(self.cfa.types.get(ty), Type::Int { rank: IntRank::PlainChar | IntRank::Char, .. })
    }
}

fn first_bit(field: &Field) -> u64 {
    field.bits.map_or(field.offset * 8, |bits| bits.first_bit)
}
