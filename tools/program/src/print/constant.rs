//! Constants: integers with suffix or cast, floats in hexadecimal, string literals.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "types and expressions are asked for one shape here; every other one, new ones included, is the rest"
)]

use super::Printer;
use super::types::{IntKind, int_words};
use crate::types::{FloatKind, IntRank, Type, TypeId};

/// How tightly a text binds: what may stand beside it without parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Conditional expression.
    Conditional,
    /// Binary operator; the number is C's precedence.
    Binary(u8),
    /// Cast or prefix operator.
    Prefix,
    /// Name, constant, parenthesised or postfix expression.
    Primary,
}

impl Printer<'_> {
    /// An integer constant of a type, given by its bit pattern.
    pub(super) fn int_constant(&self, bits: u128, ty: TypeId) -> (String, Level) {
        match self.cfa.types.get(ty) {
            Type::Int { rank, signed } => self.plain_int(bits, IntKind { rank: *rank, signed: *signed }),
            Type::Enum(id) => {
                let underlying = self.cfa.types.enumeration(*id).underlying;
                let (text, level) = self.int_constant(bits, underlying);
                (self.cast_text(ty, &text, level), Level::Prefix)
            }
            Type::Pointer(_) if bits == 0 => (self.cast_text(ty, "0", Level::Primary), Level::Prefix),
            Type::Pointer(_) => (self.cast_text(ty, &format!("{bits:#x}UL"), Level::Primary), Level::Prefix),
            _ => (self.cast_text(ty, &bits.to_string(), Level::Primary), Level::Prefix),
        }
    }

    /// A cast of a text.
    pub(super) fn cast_text(&self, ty: TypeId, text: &str, level: Level) -> String {
        let name = self.type_name(ty);
        if level >= Level::Primary || (level == Level::Prefix && text.starts_with('(')) {
            format!("({name}){text}")
        } else {
            format!("({name})({text})")
        }
    }

    fn plain_int(&self, bits: u128, kind: IntKind) -> (String, Level) {
        let IntKind { rank, signed } = kind;
        let suffix = match (rank, signed) {
            (IntRank::Int, true) => "",
            (IntRank::Int, false) => "U",
            (IntRank::Long, true) => "L",
            (IntRank::Long, false) => "UL",
            (IntRank::LongLong, true) => "LL",
            (IntRank::LongLong, false) => "ULL",
            (IntRank::PlainChar | IntRank::Char | IntRank::Short | IntRank::Int128, _) => {
                return (self.cast_int(bits, kind), Level::Prefix);
            }
        };
        if !signed {
            return (format!("{bits}{suffix}"), Level::Primary);
        }
        let width = self.cfa.machine.int_size(rank) * 8;
        let value = signed_value(bits, width);
        if value >= 0 {
            (format!("{value}{suffix}"), Level::Primary)
        } else if value == -(1i128 << (width - 1)) {
            (format!("(-{}{suffix} - 1)", -(value + 1)), Level::Primary)
        } else {
            (format!("(-{}{suffix})", -value), Level::Primary)
        }
    }

    fn cast_int(&self, bits: u128, kind: IntKind) -> String {
        let IntKind { rank, signed } = kind;
        let name = int_words(kind);
        if rank == IntRank::Int128 {
            let (high, low) = (bits >> 64, bits & u128::from(u64::MAX));
            if high == 0 {
                return format!("({name}){low}ULL");
            }
            return format!("({name})((unsigned __int128){high}ULL << 64 | {low}ULL)");
        }
        let width = self.cfa.machine.int_size(rank) * 8;
        let value = if signed { signed_value(bits, width) } else { bits.cast_signed() };
        if value < 0 { format!("({name})({value})") } else { format!("({name}){value}") }
    }

    /// A floating constant, given by its bit pattern.
    pub(super) fn float_constant(&self, bits: u128, ty: TypeId) -> (String, Level) {
        let kind = match self.cfa.types.get(ty) {
            Type::Float(kind) => *kind,
            _ => FloatKind::Double,
        };
        let (text, suffix) = float_text(bits, kind);
        match text {
            FloatText::Finite(text) if text.starts_with('-') => (format!("({text}{suffix})"), Level::Primary),
            FloatText::Finite(text) => (format!("{text}{suffix}"), Level::Primary),
            FloatText::Infinite(negative) => {
                (format!("({}1.0{suffix} / 0.0{suffix})", if negative { "-" } else { "" }), Level::Primary)
            }
            FloatText::NotANumber(negative) => {
                (format!("{}(0.0{suffix} / 0.0{suffix})", if negative { "-" } else { "" }), Level::Prefix)
            }
        }
    }
}

enum FloatText {
    Finite(String),
    Infinite(bool),
    NotANumber(bool),
}

/// Exponent and fraction bits of a format; x87 keeps its leading bit.
fn float_text(bits: u128, kind: FloatKind) -> (FloatText, &'static str) {
    let (exponent_bits, fraction_bits, suffix, explicit) = match kind {
        FloatKind::Float => (8u32, 23u32, "f", false),
        FloatKind::Double => (11, 52, "", false),
        FloatKind::LongDouble => (15, 63, "L", true),
        FloatKind::Float128 => (15, 112, "Q", false),
    };
    let stored = fraction_bits + u32::from(explicit);
    let fraction = bits & ((1u128 << fraction_bits) - 1);
    let exponent = (bits >> stored) & ((1u128 << exponent_bits) - 1);
    let negative = (bits >> (stored + exponent_bits)) & 1 == 1;
    let sign = if negative { "-" } else { "" };
    let largest = (1u128 << exponent_bits) - 1;
    if exponent == largest {
        let text = if fraction == 0 { FloatText::Infinite(negative) } else { FloatText::NotANumber(negative) };
        return (text, suffix);
    }
    if exponent == 0 && fraction == 0 {
        return (FloatText::Finite(format!("{sign}0.0")), suffix);
    }
    let bias = i64::from((1i32 << (exponent_bits - 1)) - 1);
    let (leading, exponent) = if exponent == 0 { (0, 1) } else { (1, i64::try_from(exponent).unwrap_or(0)) };
    let digits = fraction_bits.div_ceil(4);
    let aligned = fraction << (digits * 4 - fraction_bits);
    let mut digits = format!("{aligned:0width$x}", width = digits as usize);
    while digits.len() > 1 && digits.ends_with('0') {
        digits.pop();
    }
    (FloatText::Finite(format!("{sign}0x{leading}.{digits}p{:+}", exponent - bias)), suffix)
}

fn signed_value(bits: u128, width: u64) -> i128 {
    let shift = 128 - width;
    (bits << shift).cast_signed() >> shift
}

/// A string literal of plain `char` with these bytes; a final zero byte is implied.
pub(super) fn string_literal(bytes: &[u8]) -> String {
    let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    let mut text = String::with_capacity(bytes.len() + 2);
    text.push('"');
    for byte in bytes {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'?' => text.push_str("\\?"),
            0x20..=0x7e => text.push(char::from(*byte)),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finite(bits: u128, kind: FloatKind) -> String {
        match float_text(bits, kind) {
            (FloatText::Finite(text), suffix) => text + suffix,
            _ => panic!("not finite"),
        }
    }

    #[test]
    fn floats_are_exact() {
        assert_eq!(finite(u128::from(1.5f64.to_bits()), FloatKind::Double), "0x1.8p+0");
        assert_eq!(finite(u128::from((-0.1f32).to_bits()), FloatKind::Float), "-0x1.99999ap-4f");
        assert_eq!(finite(1, FloatKind::Double), "0x0.0000000000001p-1022");
        assert_eq!(finite(u128::from((-0.0f64).to_bits()), FloatKind::Double), "-0.0");
    }

    #[test]
    fn strings_survive_any_byte() {
        assert_eq!(string_literal(b"a\"\\\n\x01\x31\0"), r#""a\"\\\n\0011""#);
    }
}
