//! Calls through pointers: a chain of comparisons with the functions whose address is taken and that the pointer may lead to
//! (`fitting`), and behind it the call of a function outside (`outside`).
//!
//! gcc really calls a function of another type; what then arrives in its parameters is followed where a register or
//! stack slot passes the value on unchanged, else the branch is an unsupported operation.

use rustc_hash::FxHashMap;

use super::Lowerer;
use super::build::Class;
use super::call::Destination;
use super::fitting::Fitting;
use super::place::Operand;
use crate::cfa::{Edge, EdgeId, FunctionId, Known, LocationId, Operation, VarId};
use crate::expr::{BinaryOp, ExprId};
use crate::source::Span;
use crate::types::{FloatKind, Type, TypeId};

/// A call through a pointer that waits for the list of its candidates.
#[derive(Clone, Debug)]
pub(super) struct IndirectCall {
    /// The edge that stands for it.
    pub(super) edge: EdgeId,
    pointer: ExprId,
    arguments: Vec<ExprId>,
    /// The type of the result as the call sees it.
    result: TypeId,
    variable: Option<VarId>,
    span: Span,
}

impl IndirectCall {
    /// The expressions the call mentions: the pointer, then the arguments.
    pub(super) fn operands(&self) -> impl Iterator<Item = ExprId> {
        std::iter::once(self.pointer).chain(self.arguments.iter().copied())
    }
}

/// The edges as they are written anew, with indirect calls expanded in place.
pub(super) struct Rebuilt {
    pub(super) old: Vec<Edge>,
    pub(super) edges: Vec<Edge>,
    pub(super) statement: Span,
    /// What stands for the functions outside the program, by the type of their result.
    pub(super) outside: FxHashMap<TypeId, FunctionId>,
}

impl Rebuilt {
    /// Source and target of the edge that stands for an indirect call.
    fn ends(&self, edge: EdgeId) -> (LocationId, LocationId) {
        let edge = &self.old[edge.index()];
        (edge.source, edge.target)
    }

    fn push(&mut self, source: LocationId, target: LocationId, operation: Operation, span: Span) {
        self.edges.push(Edge { source, target, operation, span, statement: self.statement, choice: None });
    }
}

impl Lowerer<'_> {
    /// A call of what a pointer points to.
    pub(super) fn call_pointer(
        &mut self,
        pointer: ExprId,
        arguments: Vec<ExprId>,
        result: TypeId,
        span: Span,
        destination: Destination,
    ) -> Option<Operand> {
        let (variable, value) = self.result_variable(result, destination);
        if let Some(edge) = self.emit(Operation::Blank, span) {
            self.indirect.push(IndirectCall { edge, pointer, arguments, result, variable, span });
        }
        value
    }

    /// Replaces the edge of an indirect call by comparisons and direct calls.
    pub(super) fn expand(&mut self, call: &IndirectCall, (candidates, fitting): (&[FunctionId], &Fitting), out: &mut Rebuilt) {
        let (start, end) = out.ends(call.edge);
        let mut source = start;
        for candidate in candidates {
            if !fitting.admits(self, call.pointer, *candidate) {
                continue;
            }
            let address = self.function_address(*candidate);
            let address = self.convert(address, self.ty(call.pointer));
            let condition = self.binary(BinaryOp::Equal, call.pointer, address);
            let chosen = self.sibling(start);
            let next = self.sibling(start);
            out.push(source, chosen, Operation::Assume { condition, truth: true }, call.span);
            out.push(source, next, Operation::Assume { condition, truth: false }, call.span);
            self.call_candidate(call, *candidate, chosen, end, out);
            source = next;
        }
        let operation = self.leave(call.operands().collect(), (call.result, call.variable), call.span, &mut out.outside);
        out.push(source, end, operation, call.span);
    }

    fn call_candidate(
        &mut self,
        call: &IndirectCall,
        candidate: FunctionId,
        source: LocationId,
        end: LocationId,
        out: &mut Rebuilt,
    ) {
        let mut unsupported = |construct: &str| {
            out.push(source, end, Operation::Unsupported { construct: construct.into() }, call.span);
        };
        let Type::Function(ty) = self.types.get(self.functions[candidate.index()].ty).clone() else { return };
        let known = self.functions[candidate.index()].known;
        if known == Some(Known::Unsupported) {
            let name: Box<str> = crate::known::construct(&self.functions[candidate.index()].name).into();
            return unsupported(&name);
        }
        let Some(arguments) = self.passed(&call.arguments, candidate) else {
            return unsupported("indirect call with arguments of other types");
        };
        let ends = matches!(known, Some(Known::Error | Known::NoReturn));
        let result = if ends { None } else { call.variable };
        let own = ty.result.ty;
        let (variable, converted) = match result {
            None if self.class(own) == Class::Record && self.class(call.result) != Class::Record => {
                return unsupported("indirect call with a result of another type");
            }
            None => (None, None),
            Some(_) if own == self.basic.void => return unsupported("indirect call with a result of another type"),
            Some(variable) if own == call.result => (Some(variable), None),
            Some(variable) => {
                let temporary = self.extra_temporary(own, source);
                let value = self.load_variable(temporary);
                match self.in_register(value, call.result, false) {
                    Some(value) => (Some(temporary), Some((variable, value))),
                    None => return unsupported("indirect call with a result of another type"),
                }
            }
        };
        let target = match known {
            Some(Known::Error) => self.shared_end(source, true),
            Some(Known::NoReturn) => self.shared_end(source, false),
            _ if converted.is_some() => self.sibling(source),
            _ => end,
        };
        let operation = match known {
            Some(Known::Input) => Operation::Havoc { variable, input: candidate },
            _ => Operation::Call { callee: candidate, arguments, result: variable },
        };
        out.push(source, target, operation, call.span);
        if let Some((variable, value)) = converted {
            let place = self.variable(variable);
            out.push(target, end, Operation::Assign { place, value }, call.span);
        }
    }

    /// The arguments as they arrive in the parameters of a function; `None` if that is not obvious.
    pub(super) fn passed(&mut self, arguments: &[ExprId], function: FunctionId) -> Option<Vec<ExprId>> {
        let Type::Function(ty) = self.types.get(self.functions[function.index()].ty).clone() else { return None };
        let own: Vec<TypeId> = if self.functions[function.index()].entry.is_some() {
            let parameters = &self.functions[function.index()].parameters;
            let count = if ty.variadic { self.fixed_parameters(function) } else { None };
            let parameters = &parameters[..count.unwrap_or(parameters.len())];
            parameters.iter().map(|parameter| self.variables[parameter.index()].ty.ty).collect()
        } else if ty.unprototyped {
            return Some(arguments.to_vec());
        } else {
            ty.parameters.iter().map(|parameter| parameter.ty).collect()
        };
        if arguments.len() < own.len() {
            return None;
        }
        let plain = ty.variadic || arguments.len() == own.len();
        let mut passed = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            match own.get(index) {
                Some(parameter) => passed.push(self.in_register(*argument, *parameter, ty.unprototyped)?),
                None if plain => passed.push(*argument),
                // A surplus argument is not looked at, but a record would shift the others.
                None if self.is_scalar(self.ty(*argument)) => {}
                None => return None,
            }
        }
        Some(passed)
    }

    /// A value as it is read with another type from where the ABI passes it. A K&R definition (`narrows`) reads the
    /// promoted argument and converts it.
    fn in_register(&mut self, value: ExprId, to: TypeId, narrows: bool) -> Option<ExprId> {
        let from = self.ty(value);
        if from == to {
            return Some(value);
        }
        let words = |class| matches!(class, Class::Integer | Class::Pointer);
        if words(self.class(from)) && words(self.class(to)) {
            let (have, need) = (self.format(from)?.bits, self.format(to)?.bits);
            let to_bool = matches!(self.types.get(to), Type::Bool);
            return (have >= need && (narrows || !to_bool)).then(|| self.convert(value, to));
        }
        match (self.types.get(from), self.types.get(to)) {
            (Type::Float(FloatKind::Double), Type::Float(FloatKind::Float)) if narrows => Some(self.convert(value, to)),
            _ => None,
        }
    }
}
