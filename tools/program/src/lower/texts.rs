//! What functions that print read of their texts, where accesses are checked: calls of bodies that read it, before theirs.
//!
//! Knows which bodies ([`crate::known::texts`] says how much is read). Does not know what guards an access: the bodies get guards
//! as any function does, and [`crate::instrument`] looks for these calls before it takes the texts of a call for read.

use formats::Property;

use super::Lowerer;
use crate::cfa::{FunctionId, Linkage, Operation, VarId, VarKind};
use crate::expr::ExprId;
use crate::known::{self, Bound, Extent, Text, Yield};
use crate::seal;
use crate::source::Span;
use crate::types::{FunctionType, IntRank, QualType, Qualifiers, Type, TypeId};

impl Lowerer<'_> {
    /// Reads what a call of a function without a body is going to read.
    pub(super) fn read_texts(&mut self, (function, arguments): (FunctionId, &[ExprId]), result: Option<VarId>, span: Span) {
        let name = self.functions[function.index()].name.clone();
        let has_body = self.ast.symbols.get(&name).is_some_and(|name| self.defined.contains(&name));
        let is_checked = self.options.property == Property::ValidDeref && known::prints_texts(&name) && !has_body;
        // A residual program has the calls as text.
        if !is_checked || self.source.text().starts_with(seal::BEGINNING.as_bytes()) {
            return;
        }
        let literals: Vec<Option<Box<[u8]>>> = arguments.iter().map(|argument| self.text_literal(*argument)).collect();
        let literal = |number: usize| literals.get(number)?.as_deref();
        let Some(texts) = known::texts(&name, literal, arguments.len(), Yield::of(result.is_some())) else { return };
        for text in texts.into_iter().filter(|text| literal(text.argument).is_none()) {
            self.read_text(text, arguments, span);
        }
    }

    fn read_text(&mut self, text: Text, arguments: &[ExprId], span: Span) {
        let pointer = arguments[text.argument];
        let is_text = self.pointee(self.ty(pointer)).is_some_and(|to| {
            matches!(self.types.get(to.ty), Type::Void | Type::Int { rank: IntRank::PlainChar | IntRank::Char, .. })
        });
        if !is_text {
            return;
        }
        let qualifiers = Qualifiers { is_const: true, ..Qualifiers::default() };
        let ty = self.pointer_to(QualType { ty: self.basic.char_, qualifiers });
        let mut given = vec![(self.convert(pointer, ty), ty)];
        let int = self.basic.int;
        match text.extent {
            Extent::AtMost(Bound::Number(most)) => given.push((self.int(int, most.into()), int)),
            Extent::AtMost(Bound::Argument(number)) => given.push((self.convert(arguments[number], int), int)),
            Extent::Whole | Extent::Printed => {}
        }
        let Some(reader) = self.reader(text.extent.reader(), given.iter().map(|(_, ty)| *ty), span) else { return };
        let arguments = given.into_iter().map(|(value, _)| value).collect();
        self.emit(Operation::Call { callee: reader, arguments, result: None }, span);
    }

    /// A function that was taken from the library.
    fn reader(&mut self, name: &str, parameters: impl Iterator<Item = TypeId>, span: Span) -> Option<FunctionId> {
        let symbol = self.ast.symbols.get(name).filter(|name| self.defined.contains(name) && !self.own.contains(name))?;
        if let Some(known) = self.function_ids.get(&self.links.key(symbol)) {
            return Some(*known);
        }
        let result = QualType::plain(self.basic.void);
        let parameters = parameters.map(QualType::plain).collect();
        let ty = self.types.intern(Type::Function(FunctionType { result, parameters, variadic: false, unprototyped: false }));
        Some(self.new_function(symbol, ty, Linkage::External, span))
    }

    /// The bytes of the string literal that an expression is the address of.
    fn text_literal(&self, expr: ExprId) -> Option<Box<[u8]>> {
        match &self.variables[self.exprs.beginning_of(expr)?.index()].kind {
            VarKind::StringLiteral(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }
}
