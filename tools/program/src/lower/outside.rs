//! What a call through a pointer does where the pointer leads to no function whose address the program takes.
//!
//! It is the call of a function without a body, which gets the pointer before the arguments: such a function returns any value
//! and writes nothing, as every function that nobody knows. One function stands for all of them that yield the same type.
//! Does not know which functions of the program the pointer may lead to: `fitting` does.

use rustc_hash::FxHashMap;

use super::Lowerer;
use super::build::Class;
use super::indirect::IndirectCall;
use crate::cfa::{Function, FunctionId, Linkage, Operation};
use crate::outside::OUTSIDE;
use crate::types::{FloatKind, FunctionType, QualType, Type, TypeId};

impl Lowerer<'_> {
    /// What stands behind "none of the functions of the program".
    pub(super) fn leave(&mut self, call: &IndirectCall, known: &mut FxHashMap<TypeId, FunctionId>) -> Operation {
        // A pointer that leads to no function is an invalid one, too.
        if self.options.property == formats::Property::ValidDeref {
            return Operation::Unsupported { construct: "call of a function that is not known".into() };
        }
        let callee = *known.entry(call.result).or_insert_with(|| self.outside(call));
        let arguments = call.operands().collect();
        Operation::Call { callee, arguments, result: call.variable }
    }

    fn outside(&mut self, call: &IndirectCall) -> FunctionId {
        let mut name = format!("{OUTSIDE}{}", self.word(call.result));
        while let Some(index) = self.functions.iter().position(|function| *function.name == *name) {
            let Type::Function(ty) = self.types.get(self.functions[index].ty) else { break };
            if self.functions[index].entry.is_none() && ty.result.ty == call.result {
                return FunctionId::new(index);
            }
            name.push('_');
        }
        let result = QualType::plain(call.result);
        let ty = FunctionType { result, parameters: Vec::new(), variadic: false, unprototyped: true };
        self.functions.push(Function {
            name: name.into(),
            linkage: Linkage::External,
            ty: self.types.intern(Type::Function(ty)),
            parameters: Vec::new(),
            entry: None,
            exit: None,
            known: None,
            address_taken: false,
            identity: Box::default(),
            span: call.span,
        });
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
