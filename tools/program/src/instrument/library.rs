//! What functions of the C library access behind their arguments, by their names.
//!
//! Knows functions that work on so many bytes, and those that access one object for each parameter; a call of another function
//! stops what is checked, unless all that it gets are literals. Does not know texts that are read before ([`super::texts`]).

use super::objects::{Access, Bytes};
use super::rounds::EARLIER_ROUND;
use super::{Pass, Step};
use crate::cfa::{FunctionId, VarKind};
use crate::expr::{BinaryOp, Expr, ExprId};
use crate::known::{Behind, accesses, format_of, may_be_null, special};
use crate::source::Span;
use crate::types::{IntRank, Type, TypeId};
use crate::violation::Violation;

impl Pass<'_> {
    /// The accesses of a function of the library to what its arguments point to.
    pub(super) fn library_accesses(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        function: FunctionId,
        at: Span,
        steps: &mut Vec<Step>,
    ) {
        let counted = special(name).map_or(&[][..], |row| row.counted);
        if let ([_, _, count], false) = (arguments, counted.is_empty()) {
            let word = self.builder.word;
            let count = self.builder.converted(*count, word);
            for &(number, writes) in counted {
                let address = self.builder.address(arguments[number]);
                let access = Access { address, bytes: Bytes::Counted(count), writes, target: None, function, at };
                self.counted_access(access, count, steps);
            }
            return;
        }
        for (number, argument) in arguments.iter().enumerate() {
            if self.literal(*argument) == Some(true) && self.may_count(name, number, arguments) {
                steps.push(Step::Unsupported(construct(name)));
                return;
            }
            if !self.leads_away(name, number, *argument) {
                continue;
            }
            let Some(one) = self.one_object(name, *argument, (function, at)) else {
                steps.push(Step::Unsupported(construct(name)));
                return;
            };
            self.one_access(name, number, one, steps);
        }
    }

    /// A stream that a body of the library gets is there, as far as can be told: the body does not look at it.
    pub(super) fn streams_of_body(&mut self, callee: FunctionId, name: &str, arguments: &[ExprId], steps: &mut Vec<Step>) {
        let parts = &*self.builder.parts;
        if !parts.source.is_library(parts.functions[callee.index()].span) {
            return;
        }
        let is_stream = |argument: ExprId| match self.builder.ty(argument) {
            Type::Pointer(to) => matches!(self.builder.parts.types.get(to.ty), Type::Record(_)),
            _ => false,
        };
        if arguments.iter().any(|argument| is_stream(*argument) && !self.is_standard(*argument)) {
            steps.push(Step::Unsupported(construct(name)));
        }
    }

    fn counted_access(&mut self, access: Access, count: ExprId, steps: &mut Vec<Step>) {
        let zero = self.builder.number(self.builder.word, 0);
        let nothing = self.builder.compare(BinaryOp::Equal, count, zero);
        if let Some(needed) = self.objects.is_of_this_round(&mut self.builder, access) {
            steps.push(Step::Need(self.builder.any(&[nothing, needed]), EARLIER_ROUND.into()));
        }
        let valid = self.objects.is_valid(&mut self.builder, access);
        let ok = self.builder.any(&[nothing, valid]);
        let none = self.builder.null();
        let null = Some(self.builder.compare(BinaryOp::Equal, access.address, none));
        steps.push(Step::Guard { ok, null, violation: Violation::InvalidPointer, may_be_unknown: true });
    }

    /// Whether a function that prints may write a number behind this argument: how many characters there were.
    fn may_count(&self, name: &str, number: usize, arguments: &[ExprId]) -> bool {
        let Some(at) = format_of(name).filter(|format| number > *format) else { return false };
        let format = arguments.get(at).and_then(|format| self.bytes_of(*format));
        format.is_none_or(counts_characters)
    }

    /// Whether something may be accessed behind an argument that is no literal.
    fn leads_away(&self, name: &str, number: usize, argument: ExprId) -> bool {
        let is_harmless = self.literal(argument).is_some_and(|null| !null || may_be_null(name, number));
        matches!(self.builder.ty(argument), Type::Pointer(_)) && !is_harmless
    }

    /// The access to the one object that a function accesses behind an argument, if that is what it does.
    fn one_object(&mut self, name: &str, argument: ExprId, (function, at): (FunctionId, Span)) -> Option<Access> {
        let Type::Pointer(to) = self.builder.ty(argument) else { return None };
        let (ty, writes) = (to.ty, !to.qualifiers.is_const);
        if accesses(name) != Some(Behind::One) || !self.is_one_object(ty) {
            return None;
        }
        let bytes = Bytes::Known(self.builder.bytes_of(ty)?);
        let address = self.builder.address(argument);
        Some(Access { address, bytes, writes, target: None, function, at })
    }

    /// A character may begin a text.
    fn is_one_object(&self, ty: TypeId) -> bool {
        let ty = self.builder.parts.types.get(ty);
        !matches!(ty, Type::Void | Type::Function(_) | Type::Int { rank: IntRank::PlainChar | IntRank::Char, .. })
    }

    /// The object is there, or it is null and may be. Nothing is said of other pointers: many functions only yield an error then.
    fn one_access(&mut self, name: &str, number: usize, access: Access, steps: &mut Vec<Step>) {
        let none = self.builder.null();
        let null = self.builder.compare(BinaryOp::Equal, access.address, none);
        let nothing = may_be_null(name, number).then_some(null);
        if let Some(needed) = self.objects.is_of_this_round(&mut self.builder, access) {
            let all: Vec<ExprId> = nothing.into_iter().chain([needed]).collect();
            steps.push(Step::Need(self.builder.any(&all), EARLIER_ROUND.into()));
        }
        let valid = self.objects.is_valid(&mut self.builder, access);
        let all: Vec<ExprId> = nothing.into_iter().chain([valid]).collect();
        steps.push(Step::Need(self.builder.any(&all), construct(name)));
    }

    /// Whether a pointer that the text says is null (true) or a string literal (false).
    fn literal(&self, pointer: ExprId) -> Option<bool> {
        let mut at = pointer;
        loop {
            at = match self.builder.get(at) {
                Expr::Int(0) => return Some(true),
                Expr::Cast(inner) | Expr::AddressOf(inner) => inner,
                Expr::Index(inner, index) if self.builder.get(index) == Expr::Int(0) => inner,
                Expr::Variable(variable) => {
                    let is_text = matches!(self.builder.parts.variables[variable.index()].kind, VarKind::StringLiteral(_));
                    return is_text.then_some(false);
                }
                _ => return None,
            };
        }
    }
}

/// Whether `%n` is part of a format.
fn counts_characters(format: &[u8]) -> bool {
    let mut rest = format;
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        rest = &rest[at + 1..];
        let Some(end) = rest.iter().position(|byte| byte.is_ascii_alphabetic() && !b"hlLqjztI".contains(byte) || *byte == b'%')
        else {
            return false;
        };
        if rest[end] == b'n' {
            return true;
        }
        rest = &rest[end + 1..];
    }
    false
}

/// What is said where nothing is known of what a function accesses.
fn construct(name: &str) -> Box<str> {
    format!("accesses of {name}").into()
}
