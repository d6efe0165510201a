//! Whether all that a function of the library accesses behind its arguments has been read before, by calls of bodies.
//!
//! The calls stand directly before that of the function ([`crate::lower`] puts them there); their bodies have guards of their own.

use super::Pass;
use super::mentions::{stream, uncast};
use crate::cfa::{EdgeId, Operation, VarKind};
use crate::expr::{Expr, ExprId};
use crate::known::{self, Text, Yield};
use crate::types::Type;

impl Pass<'_> {
    /// Whether a call accesses streams that are there, and texts that are literals or were read; nothing else.
    pub(super) fn texts_are_read(&self, id: EdgeId, name: &str, arguments: &[ExprId]) -> bool {
        let Operation::Call { result, .. } = &self.old[id.index()].operation else { return false };
        let literal = |number: usize| self.bytes_of(*arguments.get(number)?);
        let Some(texts) = known::texts(name, literal, arguments.len(), Yield::of(result.is_some())) else { return false };
        let read = self.read_before(id);
        let is_read = |text: &Text| {
            let reader = text.extent.reader();
            let given = uncast(&self.builder, arguments[text.argument]);
            literal(text.argument).is_some() || read.iter().any(|(name, pointer)| *name == reader && *pointer == given)
        };
        let is_text = |number: usize| texts.iter().any(|text| text.argument == number);
        let is_stream = |(number, argument): (usize, &ExprId)| {
            // What a format prints as a number may lead anywhere.
            let is_value = known::is_printed(name, number);
            is_text(number) || is_value || literal(number).is_some() || !self.is_pointer(*argument) || self.is_standard(*argument)
        };
        texts.iter().all(is_read) && arguments.iter().enumerate().all(is_stream)
    }

    fn is_pointer(&self, expr: ExprId) -> bool {
        matches!(self.builder.ty(expr), Type::Pointer(_))
    }

    /// The readers of the library with the pointers that they are called with, directly before an edge.
    fn read_before(&self, id: EdgeId) -> Vec<(&str, ExprId)> {
        let (mut found, mut at) = (Vec::new(), self.old[id.index()].source);
        loop {
            let mut arriving = self.arriving.get(&at).into_iter().flatten();
            let (Some(only), None) = (arriving.next(), arriving.next()) else { return found };
            let edge = &self.old[*only];
            let Operation::Call { callee, arguments, result: None } = &edge.operation else { return found };
            let function = &self.builder.parts.functions[callee.index()];
            if function.entry.is_none() || !self.builder.parts.source.is_library(function.span) {
                return found;
            }
            found.extend(arguments.first().map(|pointer| (&*function.name, uncast(&self.builder, *pointer))));
            at = edge.source;
        }
    }

    /// The bytes of the string literal that an expression is the address of.
    pub(super) fn bytes_of(&self, expr: ExprId) -> Option<&[u8]> {
        match &self.builder.parts.variables[self.builder.parts.exprs.beginning_of(expr)?.index()].kind {
            VarKind::StringLiteral(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Whether a pointer is one of the streams of a program, which nothing in it writes to.
    pub(super) fn is_standard(&self, pointer: ExprId) -> bool {
        let Some(stream) = stream(&self.builder, pointer) else { return false };
        let writes = |operation: &Operation| match operation {
            Operation::Assign { place, .. } => self.builder.get(*place) == Expr::Variable(stream),
            Operation::Havoc { variable, .. } | Operation::Call { result: variable, .. } => *variable == Some(stream),
            _ => false,
        };
        !self.old.iter().any(|edge| writes(&edge.operation))
    }
}
