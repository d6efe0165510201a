//! Floats as C expressions: variables, constants, conversions and comparisons.
//!
//! Arithmetic is left out: with the registers of an x87 its results have more digits than the formula speaks of. Comparisons
//! that do not hold are written as such, since of two comparisons with a NaN none holds.

#![allow(clippy::wildcard_enum_match_arm, reason = "an operator that is not named here is one that is not translated")]

use program::types::{FloatKind, Type};
use smt::terms::Symbol;
use smt::{Op, TermId};

use super::{Polarity, Scope, Writer};

impl Scope<'_> {
    /// The C name and width of a variable, member or element that is a float.
    fn float(&self, symbol: &Symbol) -> Option<(String, u32)> {
        let (name, ty) = self.scalar(symbol)?;
        let width = match ty {
            Type::Float(FloatKind::Float) => 32,
            Type::Float(FloatKind::Double) => 64,
            _ => return None,
        };
        Some((name, width))
    }
}

impl Writer<'_> {
    /// A comparison of floats that holds or fails.
    pub(super) fn compared_floats(&self, term: TermId, polarity: Polarity) -> Option<String> {
        let &[a, b] = self.store.args(term) else { return None };
        let operator = match self.store.op(term) {
            Op::FEq => "==",
            Op::FLt => "<",
            Op::FLe => "<=",
            _ => return None,
        };
        let text = format!("({} {operator} {})", self.float(a)?, self.float(b)?);
        Some(if polarity == Polarity::Holds { text } else { format!("!{text}") })
    }

    /// An expression whose value is that of the bits read as a float of the term's width.
    fn float(&self, term: TermId) -> Option<String> {
        let width = self.store.width(term);
        let argument = self.store.args(term).first().copied();
        match self.store.op(term) {
            Op::Bits(value) => float_constant(width, value),
            Op::Variable { variable, instance: 0 } => {
                let (name, own) = self.scope.float(self.store.symbol(variable))?;
                (own == width).then_some(name)
            }
            Op::FConvert => Some(format!("({}){}", float_type(width), self.float(argument?)?)),
            Op::FFromSigned => Some(format!("({}){}", float_type(width), self.signed(argument?)?)),
            Op::FFromUnsigned => Some(format!("({}){}", float_type(width), self.unsigned(argument?)?)),
            _ => None,
        }
    }
}

fn float_type(width: u32) -> &'static str {
    if width == 32 { "float" } else { "double" }
}

/// The shortest decimal number that is read as a float; infinities and NaN have none.
fn float_constant(width: u32, bits: u128) -> Option<String> {
    let (is_finite, text) = match width {
        32 => {
            let value = f32::from_bits(u32::try_from(bits).ok()?);
            (value.is_finite(), format!("{value:e}f"))
        }
        64 => {
            let value = f64::from_bits(u64::try_from(bits).ok()?);
            (value.is_finite(), format!("{value:e}"))
        }
        _ => return None,
    };
    is_finite.then(|| if text.starts_with('-') { format!("({text})") } else { text })
}
