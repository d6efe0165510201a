//! Primary and postfix expressions, and the builtins with a grammar of their own.

use super::{Parse, Parser};
use crate::ast::{ExprId, ExprKind, GenericAssociation, OffsetofStep, UnaryOp};
use crate::lex::T;

impl Parser<'_> {
    /// Names, constants, parentheses and builtins.
    pub(super) fn primary(&mut self) -> Parse<ExprId> {
        let token = self.token();
        let kind = match token.kind {
            T::Ident if self.is_typedef_at(0) => {
                return Err(self.expected("an expression (this is a type)"));
            }
            T::Ident => ExprKind::Name(token.symbol()),
            T::Integer => ExprKind::Integer(self.tokens.integers[token.value as usize]),
            T::Float => ExprKind::Float(self.tokens.floats[token.value as usize]),
            T::Char => ExprKind::Char(self.tokens.chars[token.value as usize]),
            T::String => {
                let string = self.string("")?;
                return Ok(self.expr(ExprKind::String(string), self.since(token.span.lo)));
            }
            T::LParen => return self.nested(Self::parenthesis),
            _ => return self.nested(Self::builtin),
        };
        self.advance();
        Ok(self.expr(kind, token.span))
    }

    /// `( e )` or `({ … })`
    fn parenthesis(&mut self) -> Parse<ExprId> {
        let lo = self.advance().span.lo;
        if self.peek() == T::LBrace {
            let body = self.compound()?;
            self.expect(T::RParen, "after the statement expression")?;
            return Ok(self.expr(ExprKind::Statement(body), self.since(lo)));
        }
        let inner = self.expression()?;
        self.expect(T::RParen, "after the expression")?;
        self.ast.exprs[inner.index()].span = self.since(lo);
        Ok(inner)
    }

    /// What may follow a primary expression.
    pub(super) fn postfix(&mut self, mut base: ExprId) -> Parse<ExprId> {
        loop {
            let kind = match self.peek() {
                T::LBracket => {
                    self.advance();
                    let index = self.nested(Self::expression)?;
                    self.expect(T::RBracket, "after the index")?;
                    ExprKind::Index { base, index }
                }
                T::LParen => ExprKind::Call { callee: base, arguments: self.arguments()? },
                T::Dot | T::Arrow => {
                    let arrow = self.advance().kind == T::Arrow;
                    let member = self.identifier("as member")?;
                    ExprKind::Member { base, arrow, member }
                }
                T::PlusPlus => {
                    self.advance();
                    ExprKind::Unary { op: UnaryOp::PostIncrement, operand: base }
                }
                T::MinusMinus => {
                    self.advance();
                    ExprKind::Unary { op: UnaryOp::PostDecrement, operand: base }
                }
                _ => return Ok(base),
            };
            let span = self.since(self.ast[base].span.lo);
            base = self.expr(kind, span);
        }
    }

    fn arguments(&mut self) -> Parse<Box<[ExprId]>> {
        self.advance();
        let mut arguments = Vec::new();
        if self.peek() != T::RParen {
            loop {
                arguments.push(self.nested(Self::assignment)?);
                if !self.accept(T::Comma) {
                    break;
                }
            }
        }
        self.expect(T::RParen, "after the arguments")?;
        Ok(arguments.into())
    }

    /// Builtins whose arguments are not all expressions.
    fn builtin(&mut self) -> Parse<ExprId> {
        let lo = self.lo();
        let kind = match self.peek() {
            T::KwGeneric => self.generic()?,
            T::KwOffsetof => self.offsetof()?,
            T::KwTypesCompatible => {
                self.open_builtin()?;
                let first = self.type_name()?;
                self.expect(T::Comma, "after the first type")?;
                let second = self.type_name()?;
                ExprKind::TypesCompatible(first, second)
            }
            T::KwChoose => {
                self.open_builtin()?;
                let condition = self.assignment()?;
                self.expect(T::Comma, "after the condition")?;
                let then = self.assignment()?;
                self.expect(T::Comma, "after the second argument")?;
                let otherwise = self.assignment()?;
                ExprKind::Choose { condition, then, otherwise }
            }
            T::KwVaArg => {
                self.open_builtin()?;
                let list = self.assignment()?;
                self.expect(T::Comma, "after the argument list")?;
                ExprKind::VaArg { list, ty: self.type_name()? }
            }
            T::KwConvertVector => {
                self.open_builtin()?;
                let operand = self.assignment()?;
                self.expect(T::Comma, "after the vector")?;
                ExprKind::ConvertVector { operand, ty: self.type_name()? }
            }
            _ => return Err(self.expected("an expression")),
        };
        self.expect(T::RParen, "after the arguments")?;
        Ok(self.expr(kind, self.since(lo)))
    }

    fn open_builtin(&mut self) -> Parse<()> {
        let word = self.advance().kind.describe();
        self.expect(T::LParen, &format!("after {word}"))?;
        Ok(())
    }

    /// `_Generic(c, T: a, default: b`
    fn generic(&mut self) -> Parse<ExprKind> {
        self.open_builtin()?;
        let control = self.assignment()?;
        let mut associations = Vec::new();
        while self.accept(T::Comma) {
            let lo = self.lo();
            let ty = match self.accept(T::KwDefault) {
                true => None,
                false => Some(self.type_name()?),
            };
            self.expect(T::Colon, "after the type of the association")?;
            let value = self.assignment()?;
            associations.push(GenericAssociation { ty, value, span: self.since(lo) });
        }
        if associations.is_empty() {
            return Err(self.expected("`,` and an association"));
        }
        Ok(ExprKind::Generic { control, associations: associations.into() })
    }

    /// `__builtin_offsetof(T, a.b[i]`
    fn offsetof(&mut self) -> Parse<ExprKind> {
        self.open_builtin()?;
        let ty = self.type_name()?;
        self.expect(T::Comma, "after the type")?;
        let mut path = vec![OffsetofStep::Member(self.identifier("as member")?)];
        loop {
            match self.peek() {
                T::Dot => {
                    self.advance();
                    path.push(OffsetofStep::Member(self.identifier("as member")?));
                }
                T::Arrow => {
                    self.advance();
                    path.push(OffsetofStep::Arrow(self.identifier("as member")?));
                }
                T::LBracket => {
                    self.advance();
                    path.push(OffsetofStep::Index(self.expression()?));
                    self.expect(T::RBracket, "after the index")?;
                }
                _ => {
                    return Ok(ExprKind::Offsetof { ty, path: path.into() });
                }
            }
        }
    }
}
