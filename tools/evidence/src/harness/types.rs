//! Scalar C types by a name that needs no declaration of the program.

#![expect(clippy::wildcard_enum_match_arm, reason = "what is no scalar, and what is no pointer, has one treatment")]

use program::cfa::{Cfa, FunctionId};
use program::types::{FloatKind, IntRank, Type, TypeId};

/// The result type of a function.
pub(super) fn result(cfa: &Cfa, function: FunctionId) -> TypeId {
    let ty = cfa.function(function).ty;
    if let Type::Function(function) = cfa.types.get(ty) { function.result.ty } else { ty }
}

/// The name of the result type of a function; `void` if it is no scalar.
pub(super) fn result_type(cfa: &Cfa, function: FunctionId) -> String {
    scalar(cfa, result(cfa, function)).unwrap_or_else(|| "void".to_owned())
}

/// The name of a scalar type.
pub(super) fn scalar(cfa: &Cfa, ty: TypeId) -> Option<String> {
    match cfa.types.get(ty) {
        Type::Bool => Some("_Bool".to_owned()),
        Type::Int { rank, signed } => {
            let name = match rank {
                IntRank::PlainChar => return Some("char".to_owned()),
                IntRank::Char => "char",
                IntRank::Short => "short",
                IntRank::Int => "int",
                IntRank::Long => "long",
                IntRank::LongLong => "long long",
                IntRank::Int128 => "__int128",
            };
            Some(format!("{} {name}", if *signed { "signed" } else { "unsigned" }))
        }
        Type::Float(kind) => Some(
            match kind {
                FloatKind::Float => "float",
                FloatKind::Double => "double",
                FloatKind::LongDouble => "long double",
                FloatKind::Float128 => "__float128",
            }
            .to_owned(),
        ),
        Type::Pointer(_) => Some("void *".to_owned()),
        Type::Enum(id) => scalar(cfa, cfa.types.enumeration(*id).underlying),
        Type::Void
        | Type::Complex(_)
        | Type::Array { .. }
        | Type::Function(_)
        | Type::Record(_)
        | Type::Vector { .. }
        | Type::VaList => None,
    }
}

/// The type of the first parameter of a function that checks it, as it arrives without a prototype.
pub(super) fn parameter_type(cfa: &Cfa, function: FunctionId) -> String {
    let first = match cfa.types.get(cfa.function(function).ty) {
        Type::Function(function) => function.parameters.first().and_then(|parameter| scalar(cfa, parameter.ty)),
        _ => None,
    };
    first.unwrap_or_else(|| "int".to_owned())
}

/// Arguments with which a call of a function has the right types; it is never executed.
pub(super) fn arguments(cfa: &Cfa, function: FunctionId) -> String {
    let Type::Function(function) = cfa.types.get(cfa.function(function).ty) else { return String::new() };
    let argument = |ty: TypeId| match cfa.types.get(ty) {
        Type::Pointer(_) => "(void *)0".to_owned(),
        _ => format!("*({} *)0", writable(cfa, ty)),
    };
    function.parameters.iter().map(|parameter| argument(parameter.ty)).collect::<Vec<_>>().join(", ")
}

/// A type by a name that the harness can write: scalars, and records with a tag; `int` for others.
pub(super) fn writable(cfa: &Cfa, ty: TypeId) -> String {
    let tagged = match cfa.types.get(ty) {
        Type::Record(id) => {
            let record = cfa.types.record(*id);
            let keyword = if record.is_union { "union" } else { "struct" };
            record.tag.as_ref().map(|tag| format!("{keyword} {tag}"))
        }
        _ => None,
    };
    tagged.or_else(|| scalar(cfa, ty)).unwrap_or_else(|| "int".to_owned())
}
