//! Literals: their types and values, and the objects behind strings.

use super::place::{Operand, Place};
use super::{Lowered, Lowerer};
use crate::ast::{self, Encoding, FloatSuffix, IntegerLength, Symbol};
use crate::cfa::{FunctionId, InitialScalar, StaticInitializer, VarId, VarKind, Variable};
use crate::expr::{Expr, ExprId};
use crate::fold;
use crate::source::Span;
use crate::types::{ArrayLength, FloatKind, IntRank, QualType, Qualifiers, Type, TypeId};

/// What a string says, the type of its object, and whose name it is.
pub(super) type Text = (Box<[u8]>, TypeId, NameOf);

/// The function that a string is the name of, and the word for it; `None` if the string is a literal.
pub(super) type NameOf = Option<(Option<FunctionId>, Symbol)>;

impl Lowerer<'_> {
    /// An integer constant: the first type of the standard's list that can hold it.
    pub(super) fn integer_literal(&mut self, literal: &ast::IntegerLiteral, span: Span) -> ExprId {
        let start = match literal.length {
            IntegerLength::Int => IntRank::Int,
            IntegerLength::Long => IntRank::Long,
            IntegerLength::LongLong => IntRank::LongLong,
        };
        let ranks = [IntRank::Int, IntRank::Long, IntRank::LongLong, IntRank::Int128];
        let mut chosen = (IntRank::Int128, false);
        'search: for rank in ranks.into_iter().filter(|rank| *rank >= start) {
            let bits = 8 * self.machine.int_size(rank);
            let bits = u32::try_from(bits).unwrap_or(128);
            let significant = 128 - literal.value.leading_zeros();
            if !literal.unsigned && significant < bits {
                chosen = (rank, true);
                break 'search;
            }
            if (literal.unsigned || !literal.decimal) && significant <= bits {
                chosen = (rank, false);
                break 'search;
            }
        }
        if literal.value > u128::from(u64::MAX) {
            return self.unsupported_value("integer constant of more than 64 bits", span, self.basic.int);
        }
        if chosen.0 == IntRank::Int128 && self.machine.word() < 8 {
            // There is no such type.
            chosen.0 = IntRank::LongLong;
        }
        let ty = self.types.intern(Type::Int { rank: chosen.0, signed: chosen.1 });
        let value = self.exprs.intern(Expr::Int(literal.value), ty);
        if literal.imaginary {
            let ty = self.types.intern(Type::Complex(FloatKind::Double));
            return self.unsupported_value("complex arithmetic", span, ty);
        }
        value
    }

    /// A floating constant.
    pub(super) fn float_literal(&mut self, literal: &ast::FloatLiteral, span: Span) -> Lowered<ExprId> {
        let kind = match literal.suffix {
            FloatSuffix::Float | FloatSuffix::Float32 => FloatKind::Float,
            FloatSuffix::Double | FloatSuffix::Float64 | FloatSuffix::Float32x => FloatKind::Double,
            FloatSuffix::LongDouble | FloatSuffix::Float80 | FloatSuffix::Float64x => FloatKind::LongDouble,
            FloatSuffix::Float128 => FloatKind::Float128,
            FloatSuffix::Float16 | FloatSuffix::Decimal32 | FloatSuffix::Decimal64 | FloatSuffix::Decimal128 => {
                let double = self.basic.double;
                return Ok(self.unsupported_value("decimal or half-precision floating constant", span, double));
            }
        };
        if literal.imaginary {
            let ty = self.types.intern(Type::Complex(kind));
            return Ok(self.unsupported_value("complex arithmetic", span, ty));
        }
        let ty = self.types.intern(Type::Float(kind));
        let digits = self.ast.name(literal.digits);
        match fold::parse(kind, digits) {
            Some(bits) => Ok(self.exprs.intern(Expr::Float(bits), ty)),
            None => Err(self.error(span, "a floating constant that cannot be read", "malformed number")),
        }
    }

    /// A character constant.
    pub(super) fn char_literal(&mut self, literal: ast::CharLiteral) -> ExprId {
        let (ty, value) = match literal.encoding {
            Encoding::Plain if literal.units == 1 => (self.basic.int, i128::from(literal.value as u8 as i8)),
            Encoding::Plain => (self.basic.int, i128::from(literal.value)),
            encoding => (self.unit_type(encoding), i128::from(literal.value)),
        };
        self.int(ty, value)
    }

    /// The type of the elements of a string.
    fn unit_type(&mut self, encoding: Encoding) -> TypeId {
        match encoding {
            Encoding::Plain | Encoding::Utf8 => self.basic.char_,
            Encoding::Char16 => self.types.intern(Type::Int { rank: IntRank::Short, signed: false }),
            Encoding::Char32 => self.basic.uint,
            // `wchar_t` is `long` for i386.
            Encoding::Wide if self.machine.word() == 4 => self.basic.long,
            Encoding::Wide => self.basic.int,
        }
    }

    /// A string literal as an expression.
    pub(super) fn string_literal(&mut self, id: ast::StringId) -> Operand {
        let literal = &self.ast[id];
        let element = self.unit_type(literal.encoding);
        let variable = self.string_object(&literal.units, element, literal.units.len() as u64 + 1, literal.span);
        let expr = self.variable(variable);
        Operand::Place(Place { expr, qualifiers: Qualifiers::default(), bits: None })
    }

    /// The constant object with these units, cut or filled with zeros to `count` elements. Equal ones are one object, as far as
    /// [`crate::cfa::Cfa::overlap`] says.
    pub(super) fn string_object(&mut self, units: &[u32], element: TypeId, count: u64, span: Span) -> VarId {
        self.string_object_of(units, element, (count, None), span)
    }

    /// The same for a string that may be the name of a function, which no other string is one object with.
    fn string_object_of(&mut self, units: &[u32], element: TypeId, (count, name_of): (u64, NameOf), span: Span) -> VarId {
        let width = self.size_of(element).unwrap_or(1);
        let count = usize::try_from(count).unwrap_or(0);
        let mut bytes = Vec::with_capacity(count * usize::try_from(width).unwrap_or(1));
        for index in 0..count {
            let unit = units.get(index).copied().unwrap_or(0);
            bytes.extend_from_slice(unit.to_le_bytes().get(..usize::try_from(width).unwrap_or(1)).unwrap_or_default());
        }
        let length = ArrayLength::Constant(count as u64);
        let ty = self.types.intern(Type::Array { element: QualType::plain(element), length });
        let key = (bytes.into_boxed_slice(), ty, name_of);
        let unit = self.linking.sharing.unit;
        if let Some((known, first)) = self.strings.get(&key).copied() {
            if first != unit {
                self.variables[known.index()].ordinal = Variable::LITERAL_OF_UNITS;
            }
            return known;
        }
        let name: Box<str> = format!("__str{}", self.strings.len()).into();
        let kind = VarKind::StringLiteral(key.0.clone());
        let variable = self.new_variable(name, kind, QualType::plain(ty), span);
        self.variables[variable.index()].ordinal = 0;
        let scalars = self.unit_scalars(units, element, count as u64, 0);
        self.variables[variable.index()].initializer = Some(StaticInitializer { scalars, unsupported: None });
        if let Some((_, word)) = name_of {
            let alike = self.strings.keys().filter(|(bytes, _, other)| *bytes == key.0 && other.is_some_and(|(_, w)| w == word));
            self.variables[variable.index()].identity = format!("{} {}", self.ast.name(word), alike.count()).into();
        }
        self.strings.insert(key, (variable, unit));
        variable
    }

    /// The units of a string as scalars of an initialiser; zeros are left out.
    pub(super) fn unit_scalars(&self, units: &[u32], element: TypeId, count: u64, first_bit: u64) -> Vec<InitialScalar> {
        let width = 8 * u32::try_from(self.size_of(element).unwrap_or(1)).unwrap_or(1);
        let given = units.iter().zip(0..count).filter(|(unit, _)| **unit != 0);
        given
            .map(|(unit, index)| InitialScalar {
                first_bit: first_bit + index * u64::from(width),
                width,
                ty: element,
                value: crate::cfa::ConstantValue::Int(u128::from(*unit)),
            })
            .collect()
    }

    /// `__func__` and the other words for it: an object each.
    pub(super) fn function_name(&mut self, word: Symbol, span: Span) -> Operand {
        let outside = if self.ast.name(word) == "__PRETTY_FUNCTION__" { "top level" } else { "" };
        let name = self.body.name.map_or(outside, |name| self.ast.name(name));
        let units: Vec<u32> = name.bytes().map(u32::from).collect();
        let element = self.basic.char_;
        let name_of = Some((self.body.function, word));
        let variable = self.string_object_of(&units, element, (units.len() as u64 + 1, name_of), span);
        let expr = self.variable(variable);
        let qualifiers = Qualifiers { is_const: true, ..Qualifiers::default() };
        Operand::Place(Place { expr, qualifiers, bits: None })
    }
}
