//! Constant folding: integers over bit patterns, floats in the target's formats, addresses as object plus offset.
//!
//! Invariant: what is folded has a defined result in C (wrapping signed arithmetic excepted, which wraps at run time
//! too); a division by zero or a shift by too much is left as it is.

#![allow(clippy::wildcard_enum_match_arm, reason = "whatever is not known to be constant is not")]

mod address;
mod float;
mod integer;

pub use self::address::{ConstantContext, evaluate};
pub use self::float::{
    FloatOp, binary as binary_float, compare, convert, convert_float, convert_integer, from_integer, is_zero, negate, operate,
    parse, to_integer,
};
pub use self::integer::{IntFormat, binary, int_format};
