//! Functions of the C library whose result follows from their arguments, as far as it is exact.
//!
//! Invariant: a value is the only one that the C standard and IEEE 754 allow, `true` of `is…` excepted, which is 1 of
//! many. Where the library has a choice, or the types are not those of the library, there is none.
//! Others are computed as the library of this machine does ([`real`]), for who asks for that.
//! Does not know memory.

use super::arithmetic::{sign_extend, truncate};
use super::kind::Kind;

/// The result of a function as its bits.
pub(super) fn value(name: &str, arguments: &[(Kind, u128)], result: Kind) -> Option<u128> {
    match (arguments, result) {
        ([(Kind::F64, a)], Kind::F64) => unary(name, double(*a)).map(bits_of_double),
        ([(Kind::F32, a)], Kind::F32) => {
            // Each of these is exact, or rounds to the same `float` by way of `double`.
            unary(name.strip_suffix('f')?, f64::from(float(*a))).map(bits_of_float)
        }
        ([(Kind::F64, a), (Kind::F64, b)], Kind::F64) => binary(name, double(*a), double(*b)).map(bits_of_double),
        ([(Kind::F32, a), (Kind::F32, b)], Kind::F32) => {
            binary(name.strip_suffix('f')?, f64::from(float(*a)), f64::from(float(*b))).map(bits_of_float)
        }
        ([(Kind::F64, a)], Kind::Int { bits, .. }) if name == "isinf" => Some(infinity(double(*a), bits)),
        ([(Kind::F32, a)], Kind::Int { bits, .. }) if name == "isinff" => Some(infinity(f64::from(float(*a)), bits)),
        ([(Kind::F64, a)], Kind::Int { .. }) => class(name, double(*a)).map(u128::from),
        ([(Kind::Int { bits, .. }, a)], Kind::Int { bits: wanted, .. }) => integers(name, sign_extend(*a, *bits), *bits, wanted),
        _ => None,
    }
}

/// The number at the start of a text, as `atoi` reads it.
pub(super) fn integer(text: &[u8], result: Kind) -> Option<u128> {
    let Kind::Int { bits, .. } = result else { return None };
    let start = text.iter().take_while(|byte| **byte == b' ' || (9..=13).contains(*byte)).count();
    let (negative, digits) = match &text[start..] {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] | rest => (false, rest),
    };
    let mut number = 0i128;
    for digit in digits.iter().take_while(|byte| byte.is_ascii_digit()) {
        number = number.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    let number = if negative { -number } else { number };
    (sign_extend(truncate(number.cast_unsigned(), bits), bits) == number).then(|| truncate(number.cast_unsigned(), bits))
}

fn unary(name: &str, a: f64) -> Option<f64> {
    Some(match name {
        "fabs" => a.abs(),
        "floor" => a.floor(),
        "ceil" => a.ceil(),
        "trunc" => a.trunc(),
        "round" => a.round(),
        "sqrt" => a.sqrt(),
        _ => return None,
    })
}

fn binary(name: &str, a: f64, b: f64) -> Option<f64> {
    // Of two zeros the library may take either.
    let zeros = a == 0.0 && b == 0.0 && a.is_sign_negative() != b.is_sign_negative();
    Some(match name {
        "fmod" => a % b,
        "fmin" if !zeros => a.min(b),
        "fmax" if !zeros => a.max(b),
        "copysign" => a.copysign(b),
        _ => return None,
    })
}

/// The library says with the sign which infinity it is.
fn infinity(a: f64, bits: u32) -> u128 {
    let sign = i128::from(a.is_infinite()) * if a < 0.0 { -1 } else { 1 };
    truncate(sign.cast_unsigned(), bits)
}

fn class(name: &str, a: f64) -> Option<bool> {
    match name {
        "isnan" => Some(a.is_nan()),
        "finite" => Some(a.is_finite()),
        _ => None,
    }
}

fn integers(name: &str, a: i128, bits: u32, wanted: u32) -> Option<u128> {
    match name {
        "abs" | "labs" | "llabs" | "imaxabs" => Some(truncate(a.unsigned_abs(), wanted)),
        "ffs" | "ffsl" | "ffsll" => Some(if a == 0 { 0 } else { u128::from(a.trailing_zeros()) + 1 }),
        _ => {
            let end_of_file = a == -1;
            let byte = u8::try_from(if end_of_file { 0x80 } else { a }).ok()?;
            let same = truncate(a.cast_unsigned(), bits);
            let of_class = |is: bool| Some(u128::from(is));
            match name {
                "isalpha" => of_class(byte.is_ascii_alphabetic()),
                "isdigit" => of_class(byte.is_ascii_digit()),
                "isalnum" => of_class(byte.is_ascii_alphanumeric()),
                "isspace" => of_class(byte == b' ' || (9..=13).contains(&byte)),
                "isblank" => of_class(byte == b' ' || byte == b'\t'),
                "isupper" => of_class(byte.is_ascii_uppercase()),
                "islower" => of_class(byte.is_ascii_lowercase()),
                "isxdigit" => of_class(byte.is_ascii_hexdigit()),
                "isprint" => of_class(byte == b' ' || byte.is_ascii_graphic()),
                "isgraph" => of_class(byte.is_ascii_graphic()),
                "ispunct" => of_class(byte.is_ascii_punctuation()),
                "iscntrl" => of_class(byte.is_ascii_control()),
                "toupper" => Some(if byte.is_ascii() { byte.to_ascii_uppercase().into() } else { same }),
                "tolower" => Some(if byte.is_ascii() { byte.to_ascii_lowercase().into() } else { same }),
                _ => None,
            }
        }
    }
}

/// Whether the library of the machine computes a real function of this name with numbers that are real.
#[must_use]
pub fn is_real(name: &str) -> bool {
    let plain = name.strip_suffix('f').filter(|_| name != "erf").unwrap_or(name);
    let is_exact = unary(plain, 1.0).is_some() || binary(plain, 1.0, 1.0).is_some();
    let is_known = (1..=2).any(|arguments| real(name, &[1.0, 1.0][..arguments]).is_some());
    is_exact || is_known
}

/// What the C library of this machine yields for a function without an exact result; functions of `float` have an `f` at the end of
/// their names. Two libraries may differ in the last bit, so nothing follows from a value but what this machine does.
#[must_use]
pub fn real(name: &str, arguments: &[f64]) -> Option<f64> {
    match (name, arguments) {
        ("sin", [a]) => Some(a.sin()),
        ("cos", [a]) => Some(a.cos()),
        ("tan", [a]) => Some(a.tan()),
        ("asin", [a]) => Some(a.asin()),
        ("acos", [a]) => Some(a.acos()),
        ("atan", [a]) => Some(a.atan()),
        ("sinh", [a]) => Some(a.sinh()),
        ("cosh", [a]) => Some(a.cosh()),
        ("tanh", [a]) => Some(a.tanh()),
        ("exp", [a]) => Some(a.exp()),
        ("exp2", [a]) => Some(a.exp2()),
        ("expm1", [a]) => Some(a.exp_m1()),
        ("log", [a]) => Some(a.ln()),
        ("log2", [a]) => Some(a.log2()),
        ("log10", [a]) => Some(a.log10()),
        ("log1p", [a]) => Some(a.ln_1p()),
        ("cbrt", [a]) => Some(a.cbrt()),
        ("rint" | "nearbyint", [a]) => Some(a.round_ties_even()),
        ("pow", [a, b]) => Some(a.powf(*b)),
        ("atan2", [a, b]) => Some(a.atan2(*b)),
        ("hypot", [a, b]) => Some(a.hypot(*b)),
        _ => single(name, arguments),
    }
}

/// The same for functions of `float`.
fn single(name: &str, arguments: &[f64]) -> Option<f64> {
    let given = |at: usize| arguments.get(at).map(|value| *value as f32);
    let value = match (name, arguments.len()) {
        ("sinf", 1) => given(0)?.sin(),
        ("cosf", 1) => given(0)?.cos(),
        ("tanf", 1) => given(0)?.tan(),
        ("asinf", 1) => given(0)?.asin(),
        ("acosf", 1) => given(0)?.acos(),
        ("atanf", 1) => given(0)?.atan(),
        ("expf", 1) => given(0)?.exp(),
        ("logf", 1) => given(0)?.ln(),
        ("log10f", 1) => given(0)?.log10(),
        ("cbrtf", 1) => given(0)?.cbrt(),
        ("rintf" | "nearbyintf", 1) => given(0)?.round_ties_even(),
        ("powf", 2) => given(0)?.powf(given(1)?),
        ("atan2f", 2) => given(0)?.atan2(given(1)?),
        ("hypotf", 2) => given(0)?.hypot(given(1)?),
        _ => return None,
    };
    Some(f64::from(value))
}

/// Arguments of a real function as numbers, if all are of the type of its result.
pub(super) fn reals(arguments: &[(Kind, u128)], result: Kind) -> Option<Vec<f64>> {
    let number = |(kind, bits): &(Kind, u128)| match (kind, result) {
        (Kind::F64, Kind::F64) => Some(double(*bits)),
        (Kind::F32, Kind::F32) => Some(f64::from(float(*bits))),
        _ => None,
    };
    arguments.iter().map(number).collect()
}

/// The bits of a number as a result.
pub(super) fn bits(value: f64, result: Kind) -> u128 {
    if result == Kind::F32 { bits_of_float(value) } else { bits_of_double(value) }
}

fn double(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

fn float(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

fn bits_of_double(value: f64) -> u128 {
    u128::from(if value.is_nan() { f64::NAN } else { value }.to_bits())
}

fn bits_of_float(value: f64) -> u128 {
    u128::from(if value.is_nan() { f32::NAN } else { value as f32 }.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Kind = Kind::Int { bits: 32, signed: true, boolean: false };

    fn of_double(name: &str, arguments: &[f64]) -> Option<f64> {
        let given: Vec<(Kind, u128)> = arguments.iter().map(|a| (Kind::F64, bits_of_double(*a))).collect();
        value(name, &given, Kind::F64).map(double)
    }

    fn of_int(name: &str, argument: i32) -> Option<i32> {
        value(name, &[(INT, u128::from(argument.cast_unsigned()))], INT).and_then(|v| u32::try_from(v).ok()).map(u32::cast_signed)
    }

    #[test]
    fn exact_functions_are_computed_and_others_refused() {
        assert_eq!(of_double("fabs", &[-1.5]), Some(1.5));
        assert_eq!(of_double("round", &[-2.5]), Some(-3.0));
        assert_eq!(of_double("fmod", &[-5.0, 3.0]), Some(-2.0));
        assert_eq!(of_double("fmin", &[f64::NAN, 2.0]), Some(2.0));
        assert_eq!(of_double("fmin", &[0.0, -0.0]), None);
        assert_eq!(of_double("sin", &[0.0]), None);
        assert_eq!(real("sin", &[0.0]), Some(0.0));
        assert_eq!(real("sinf", &[0.5]), Some(f64::from(0.5f32.sin())));
        assert_eq!(real("sin", &[0.0, 0.0]), None);
        assert_eq!(["fabs", "fabsf", "pow", "powf", "hypot"].map(is_real), [true; 5]);
        assert_eq!(["isnan", "abs", "rand", "erff", "of"].map(is_real), [false; 5]);
        let half = u128::from(0.5f32.to_bits());
        assert_eq!(value("ceilf", &[(Kind::F32, half)], Kind::F32), Some(u128::from(1.0f32.to_bits())));
        assert_eq!(value("ceil", &[(Kind::F32, half)], Kind::F32), None);
    }

    #[test]
    fn characters_are_those_of_the_c_locale() {
        assert_eq!((of_int("isdigit", 53), of_int("isdigit", -1), of_int("isdigit", 300)), (Some(1), Some(0), None));
        assert_eq!((of_int("toupper", 97), of_int("toupper", -1), of_int("tolower", 200)), (Some(65), Some(-1), Some(200)));
        assert_eq!((of_int("isspace", 11), of_int("ispunct", 95), of_int("iscntrl", 127)), (Some(1), Some(1), Some(1)));
        assert_eq!((of_int("abs", -7), of_int("ffs", 8), of_int("ffs", 0)), (Some(7), Some(4), Some(0)));
    }

    #[test]
    fn numbers_are_read_up_to_the_first_other_character() {
        assert_eq!(integer(b" \t+12x", INT), Some(12));
        assert_eq!(integer(b"-1", INT), Some(0xffff_ffff));
        assert_eq!(integer(b"x", INT), Some(0));
        assert_eq!(integer(b"99999999999", INT), None);
    }
}
