//! What a call through a pointer does where the pointer leads to no function whose address the program takes.
//!
//! It is the call of a function without a body, which gets the pointer before the arguments: such a function returns any value
//! and writes nothing, as every function that nobody knows. One function stands for all of them that yield the same type.
//! Does not know which functions of the program the pointer may lead to: `fitting` does.

use rustc_hash::FxHashMap;

use super::Lowerer;
use super::build::Class;
use crate::cfa::{Function, FunctionId, Linkage, Operation, VarId};
use crate::expr::ExprId;
use crate::outside::OUTSIDE;
use crate::source::Span;
use crate::types::{FloatKind, FunctionType, QualType, Type, TypeId};

impl Lowerer<'_> {
    /// What stands behind "none of the functions of the program": `arguments` begin with the pointer, `known` are the functions made
    /// so far by the type of their result.
    pub(super) fn leave(
        &mut self,
        arguments: Vec<ExprId>,
        (ty, result): (TypeId, Option<VarId>),
        span: Span,
        known: &mut FxHashMap<TypeId, FunctionId>,
    ) -> Operation {
        // A pointer that leads to no function is an invalid one, too.
        if self.options.property == formats::Property::ValidDeref {
            return Operation::Unsupported { construct: "call of a function that is not known".into() };
        }
        let callee = *known.entry(ty).or_insert_with(|| self.outside(ty, span));
        Operation::Call { callee, arguments, result }
    }

    fn outside(&mut self, result: TypeId, span: Span) -> FunctionId {
        let mut name = format!("{OUTSIDE}{}", self.word(result));
        while let Some(index) = self.functions.iter().position(|function| *function.name == *name) {
            let Type::Function(ty) = self.types.get(self.functions[index].ty) else { break };
            if self.functions[index].entry.is_none() && ty.result.ty == result {
                return FunctionId::new(index);
            }
            name.push('_');
        }
        let ty = FunctionType { result: QualType::plain(result), parameters: Vec::new(), variadic: false, unprototyped: true };
        let ty = self.types.intern(Type::Function(ty));
        self.functions.push(Function::new(&name, Linkage::External, ty, span));
        FunctionId::new(self.functions.len() - 1)
    }

    /// A type as a part of a name, the same in every program that has it.
    fn word(&self, ty: TypeId) -> String {
        let known = match self.types.get(ty) {
            Type::Float(FloatKind::Float) => "float",
            Type::Float(FloatKind::Double) => "double",
            Type::Record(record) => match self.types.record(*record).tag.as_deref() {
                Some(tag) => return format!("record_{tag}"),
                None => "record",
            },
            Type::Pointer(_) => "pointer",
            Type::Void => "void",
            _ => match (self.class(ty), self.format(ty)) {
                (Class::Integer, Some(format)) => {
                    return format!("{}{}", if format.signed { "signed" } else { "unsigned" }, format.bits);
                }
                _ => "value",
            },
        };
        known.to_owned()
    }
}
