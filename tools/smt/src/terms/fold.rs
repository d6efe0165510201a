//! The value of every bit-vector operator on constants of at most 128 bits.
//!
//! One definition for the smart constructors and for evaluation. Values are kept reduced modulo
//! 2 to the width. Follows SMT-LIB, also for division by zero.

use super::Op;

/// All ones in the lowest `width` bits.
#[must_use]
pub fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1u128 << width) - 1 }
}

/// The two's complement reading of a value of `width` bits.
#[must_use]
pub fn to_signed(width: u32, value: u128) -> i128 {
    let unused = 128 - width.min(128);
    ((value << unused) as i128) >> unused
}

/// The value of a binary operator whose arguments and result have `width` bits.
/// `None` for operators of another shape.
pub(super) fn binary(op: Op, width: u32, a: u128, b: u128) -> Option<u128> {
    let signed = |value| to_signed(width, value);
    let value = match op {
        Op::Add => a.wrapping_add(b),
        Op::Mul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::URem => a.checked_rem(b).unwrap_or(a),
        Op::SDiv if b == 0 => {
            if signed(a) < 0 {
                1
            } else {
                u128::MAX
            }
        }
        Op::SDiv => signed(a).wrapping_div(signed(b)) as u128,
        Op::SRem if b == 0 => a,
        Op::SRem => signed(a).wrapping_rem(signed(b)) as u128,
        Op::BitAnd => a & b,
        Op::BitOr => a | b,
        Op::BitXor => a ^ b,
        Op::Shl if b >= u128::from(width) => 0,
        Op::Shl => a << b,
        Op::LShr if b >= u128::from(width) => 0,
        Op::LShr => a >> b,
        Op::AShr => (signed(a) >> b.min(127)) as u128,
        Op::True
        | Op::False
        | Op::Bits(_)
        | Op::Variable { .. }
        | Op::Not
        | Op::And
        | Op::Or
        | Op::Ite
        | Op::Eq
        | Op::Neg
        | Op::BitNot
        | Op::ULt
        | Op::SLt
        | Op::Concat
        | Op::Extract { .. }
        | Op::ZeroExtend
        | Op::SignExtend
        | Op::FAdd
        | Op::FSub
        | Op::FMul
        | Op::FDiv
        | Op::FEq
        | Op::FLt
        | Op::FLe
        | Op::FConvert
        | Op::FFromSigned
        | Op::FFromUnsigned
        | Op::FToSigned
        | Op::FToUnsigned
        | Op::Select
        | Op::Store
        | Op::ConstArray => return None,
    };
    Some(value & mask(width))
}

/// The inverse of an odd number modulo 2 to the `width`.
pub(super) fn inverse(width: u32, odd: u128) -> u128 {
    // Newton iteration doubles the number of correct low bits; 3 are correct at the start.
    let mut inverse = odd;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse & mask(width)
}
