//! Integer and floating constants.

use std::borrow::Cow;

use crate::ast::{FloatLiteral, FloatSuffix, IntegerLength, IntegerLiteral, Interner};

/// A numeric constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// Without point or exponent.
    Integer(IntegerLiteral),
    /// With one of them.
    Float(FloatLiteral),
}

/// Length of the preprocessing number at the beginning of `text`.
pub(crate) fn length(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        // Separators of C23.
        if *byte == b'\'' && text.get(at + 1).is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'_') {
            at += 2;
            continue;
        }
        let sign_follows_exponent = matches!(byte, b'+' | b'-') && matches!(text[at - 1], b'e' | b'E' | b'p' | b'P');
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || sign_follows_exponent) {
            break;
        }
        at += 1;
    }
    at
}

/// Reads a whole preprocessing number.
pub(crate) fn parse(text: &[u8], symbols: &mut Interner) -> Result<Number, String> {
    let text = std::str::from_utf8(text).map_err(|_| "malformed number".to_owned())?;
    let lower = without_separators(text)?.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', ..] => (8, lower.as_str()),
        _ => (10, lower.as_str()),
    };
    let floating = match radix {
        16 => digits.contains(['.', 'p']),
        2 => false,
        _ => digits.contains(['.', 'e']),
    };
    if floating { float(&lower, radix, symbols) } else { integer(digits, radix, text) }
}

/// A number without the separators of C23, which stand between digits.
fn without_separators(text: &str) -> Result<Cow<'_, str>, String> {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_hexdigit);
    let prefix = if bytes.starts_with(b"0b") || bytes.starts_with(b"0B") { 2 } else { 0 };
    match text.match_indices('\'').find(|(at, _)| *at <= prefix || !is_digit(at.checked_sub(1)) || !is_digit(Some(at + 1))) {
        Some(_) => Err("a separator that stands between no digits".to_owned()),
        None if text.contains('\'') => Ok(text.replace('\'', "").into()),
        None => Ok(text.into()),
    }
}

/// Reads a constant without prefix, lower case; `original` is what was written.
fn integer(text: &str, radix: u32, original: &str) -> Result<Number, String> {
    let end = text.find(|c: char| !c.is_digit(radix.max(10))).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    let mut value: u128 = 0;
    for character in digits.chars() {
        let digit = character.to_digit(radix);
        let digit = digit.ok_or_else(|| format!("digit `{character}` is too large for base {radix}"))?;
        // Like gcc, keep the low 64 bits of a constant that no type can hold.
        value = (value * u128::from(radix) + u128::from(digit)) & u128::from(u64::MAX);
    }
    if digits.is_empty() {
        return Err("a number without digits".to_owned());
    }
    let mixed = original.contains("lL") || original.contains("Ll");
    let (unsigned, length, imaginary) =
        integer_suffix(suffix).filter(|_| !mixed).ok_or_else(|| format!("`{suffix}` is not a suffix of integer constants"))?;
    let decimal = radix == 10;
    Ok(Number::Integer(IntegerLiteral { value, decimal, unsigned, length, imaginary }))
}

/// Reads `u`, `l`, `ll` and `i` in any sensible order, lower case.
fn integer_suffix(mut suffix: &str) -> Option<(bool, IntegerLength, bool)> {
    let (mut unsigned, mut length, mut imaginary) = (false, IntegerLength::Int, false);
    while !suffix.is_empty() {
        if let Some(rest) = suffix.strip_prefix('u').filter(|_| !unsigned) {
            (unsigned, suffix) = (true, rest);
        } else if let Some(rest) = suffix.strip_prefix("ll").filter(|_| length == IntegerLength::Int) {
            (length, suffix) = (IntegerLength::LongLong, rest);
        } else if let Some(rest) = suffix.strip_prefix('l').filter(|_| length == IntegerLength::Int) {
            (length, suffix) = (IntegerLength::Long, rest);
        } else if let Some(rest) = suffix.strip_prefix(['i', 'j']).filter(|_| !imaginary) {
            (imaginary, suffix) = (true, rest);
        } else {
            return None;
        }
    }
    Some((unsigned, length, imaginary))
}

fn float(lower: &str, radix: u32, symbols: &mut Interner) -> Result<Number, String> {
    let end = float_digits(lower, radix)?;
    let (digits, suffix) = lower.split_at(end);
    let stripped = suffix.strip_prefix(['i', 'j']).or_else(|| suffix.strip_suffix(['i', 'j']));
    let imaginary = stripped.is_some();
    let suffix = match stripped.unwrap_or(suffix) {
        "" | "d" => FloatSuffix::Double,
        "f" => FloatSuffix::Float,
        "l" => FloatSuffix::LongDouble,
        "f16" => FloatSuffix::Float16,
        "f32" => FloatSuffix::Float32,
        "f64" => FloatSuffix::Float64,
        "f128" | "q" => FloatSuffix::Float128,
        "f32x" => FloatSuffix::Float32x,
        "f64x" => FloatSuffix::Float64x,
        "w" => FloatSuffix::Float80,
        "df" => FloatSuffix::Decimal32,
        "dd" => FloatSuffix::Decimal64,
        "dl" => FloatSuffix::Decimal128,
        other => return Err(format!("`{other}` is not a suffix of floating constants")),
    };
    Ok(Number::Float(FloatLiteral { digits: symbols.intern(digits), suffix, imaginary }))
}

/// Length of mantissa and exponent.
fn float_digits(text: &str, radix: u32) -> Result<usize, String> {
    let hexadecimal = radix == 16;
    let bytes = text.as_bytes();
    let digit = |at: usize| match bytes.get(at) {
        Some(byte) if hexadecimal => byte.is_ascii_hexdigit(),
        Some(byte) => byte.is_ascii_digit(),
        None => false,
    };
    let mut at = if hexadecimal { 2 } else { 0 };
    let (mut digits, mut points) = (0, 0);
    while digit(at) || bytes.get(at) == Some(&b'.') {
        if bytes[at] == b'.' {
            points += 1
        } else {
            digits += 1
        }
        at += 1;
    }
    if digits == 0 || points > 1 {
        return Err("malformed floating constant".to_owned());
    }
    if bytes.get(at) == Some(if hexadecimal { &b'p' } else { &b'e' }) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if exponent == 0 {
            return Err("the exponent has no digits".to_owned());
        }
        at += exponent;
    } else if hexadecimal {
        return Err("a hexadecimal floating constant needs an exponent".to_owned());
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let mut symbols = Interner::default();
        assert_eq!(length(text.as_bytes()), text.len(), "{text}");
        match parse(text.as_bytes(), &mut symbols) {
            Ok(Number::Integer(i)) => format!(
                "{}{}{}{:?}{}",
                i.value,
                if i.decimal { "" } else { " other" },
                if i.unsigned { " unsigned " } else { " " },
                i.length,
                if i.imaginary { " imaginary" } else { "" }
            ),
            Ok(Number::Float(f)) => {
                format!("{} {:?}{}", symbols.name(f.digits), f.suffix, if f.imaginary { " imaginary" } else { "" })
            }
            Err(message) => format!("error: {message}"),
        }
    }

    #[test]
    fn separators_stand_between_digits() {
        let texts = ["1'000", "0x1'f'0", "0b1'0ul", "1'0.2'5e1'0", "0'17", "0x'1", "0b'1", "1.'5"];
        let report: Vec<String> = texts.iter().map(|text| format!("{text}: {}", read(text))).collect();
        insta::assert_snapshot!(report.join("\n"), @r"
        1'000: 1000 Int
        0x1'f'0: 496 other Int
        0b1'0ul: 2 other unsigned Long
        1'0.2'5e1'0: 10.25e10 Double
        0'17: 15 other Int
        0x'1: error: a separator that stands between no digits
        0b'1: error: a separator that stands between no digits
        1.'5: error: a separator that stands between no digits
        ");
        assert_eq!((length(b"1'"), length(b"1'+"), length(b"1''0'")), (1, 1, 1));
    }

    #[test]
    fn constants() {
        let texts = [
            "0", "42", "007", "0x2A", "0XffUL", "0b101", "1u", "1llU", "1LLu", "5i", "18446744073709551615u",
            "0xffffffffffffffffff", "1.5", "1.", ".5e3", "1e10f", "1E-3L", "0x1.8p+3", "0x.8p1f", "1.0i", "2.5fi", "1.0f128",
            "1.5q", "2.0w", "1.2dd", "08", "09.5", "1lul", "0x", "1.2.3", "1e", "0x1.5", "12ab", "0b12", "1e+", "0xep1",
        ];
        let report: Vec<String> = texts.iter().map(|text| format!("{text}: {}", read(text))).collect();
        insta::assert_snapshot!(report.join("\n"));
    }
}
