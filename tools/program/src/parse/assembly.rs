//! Inline assembly.

use super::{Parse, Parser};
use crate::ast::{Asm, AsmId, AsmOperand, AsmQualifiers, Ident, StringId};
use crate::lex::T;

impl Parser<'_> {
    /// `asm("…");` outside of functions, where it has neither qualifiers nor operands.
    pub(super) fn external_assembly(&mut self) -> Parse<AsmId> {
        let id = self.assembly()?;
        let Asm { qualifiers, extended, span, .. } = self.ast[id];
        if extended || qualifiers != AsmQualifiers::default() {
            let message = "`asm` with qualifiers or operands outside of a function";
            return Err(self.wrong(span, message, "keep only the template"));
        }
        Ok(id)
    }

    /// `asm … ;` as a statement.
    pub(super) fn assembly(&mut self) -> Parse<AsmId> {
        let lo = self.lo();
        self.advance();
        let mut qualifiers = AsmQualifiers::default();
        loop {
            match self.peek() {
                T::KwVolatile => qualifiers.volatile = true,
                T::KwInline => qualifiers.inline = true,
                T::KwGoto => qualifiers.goto = true,
                _ => break,
            }
            self.advance();
        }
        self.expect(T::LParen, "after `asm`")?;
        let template = self.string("as assembler template")?;
        let extended = self.peek() == T::Colon;
        let outputs = self.operands()?;
        let inputs = self.operands()?;
        let clobbers = self.clobbers()?;
        let labels = self.asm_labels()?;
        self.expect(T::RParen, "after the operands of `asm`")?;
        self.expect(T::Semicolon, "after `asm`")?;
        let span = self.since(lo);
        Ok(self.add(Asm { qualifiers, extended, template, outputs, inputs, clobbers, labels, span }))
    }

    /// `: [name] "constraint" (value), …`
    fn operands(&mut self) -> Parse<Box<[AsmOperand]>> {
        let mut operands = Vec::new();
        if !self.accept(T::Colon) || matches!(self.peek(), T::Colon | T::RParen) {
            return Ok(Box::default());
        }
        loop {
            let mut name = None;
            if self.accept(T::LBracket) {
                name = Some(self.asm_name()?);
                self.expect(T::RBracket, "after the name of the operand")?;
            }
            let constraint = self.string("as constraint of an operand")?;
            self.expect(T::LParen, "after the constraint")?;
            let value = self.nested(Self::expression)?;
            self.expect(T::RParen, "after the operand")?;
            operands.push(AsmOperand { name, constraint, value });
            if !self.accept(T::Comma) {
                return Ok(operands.into());
            }
        }
    }

    /// The name of an operand may be any word.
    fn asm_name(&mut self) -> Parse<Ident> {
        if !self.peek().is_keyword() {
            return self.identifier("as name of the operand");
        }
        let token = self.advance();
        Ok(Ident { name: token.symbol(), span: token.span })
    }

    fn clobbers(&mut self) -> Parse<Box<[StringId]>> {
        let mut clobbers = Vec::new();
        if !self.accept(T::Colon) || matches!(self.peek(), T::Colon | T::RParen) {
            return Ok(Box::default());
        }
        loop {
            clobbers.push(self.string("as clobbered register")?);
            if !self.accept(T::Comma) {
                return Ok(clobbers.into());
            }
        }
    }

    fn asm_labels(&mut self) -> Parse<Box<[Ident]>> {
        let mut labels = Vec::new();
        if !self.accept(T::Colon) || self.peek() == T::RParen {
            return Ok(Box::default());
        }
        loop {
            labels.push(self.identifier("as label of `asm goto`")?);
            if !self.accept(T::Comma) {
                return Ok(labels.into());
            }
        }
    }
}
