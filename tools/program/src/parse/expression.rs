//! Operators: commas, assignments, conditionals, infix operators, casts and prefixes.

use super::{Parse, Parser};
use crate::ast::{BinaryOp, ExprId, ExprKind, Ident, UnaryOp};
use crate::lex::T;

impl Parser<'_> {
    /// An expression with commas.
    pub(super) fn expression(&mut self) -> Parse<ExprId> {
        let mut left = self.assignment()?;
        while self.accept(T::Comma) {
            let right = self.assignment()?;
            left = self.joined(left, ExprKind::Comma { left, right });
        }
        Ok(left)
    }

    /// An expression without commas; `a = b = c` is a loop.
    pub(super) fn assignment(&mut self) -> Parse<ExprId> {
        let mut targets = Vec::new();
        let mut value = self.conditional()?;
        while let Some(op) = assignment_operator(self.peek()) {
            self.check_target(value)?;
            self.advance();
            targets.push((value, op));
            value = self.conditional()?;
        }
        for (target, op) in targets.into_iter().rev() {
            value = self.joined(target, ExprKind::Assign { op, target, value });
        }
        Ok(value)
    }

    /// The grammar has only unary expressions on the left of an assignment.
    fn check_target(&self, target: ExprId) -> Parse<()> {
        match self.ast[target].kind {
            ExprKind::Binary { .. }
            | ExprKind::Conditional { .. }
            | ExprKind::Assign { .. }
            | ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Char(_)
            | ExprKind::String(_)
            | ExprKind::SizeofExpr(_)
            | ExprKind::SizeofType(_)
            | ExprKind::AlignofExpr(_)
            | ExprKind::AlignofType { .. }
            | ExprKind::LabelAddress(_) => {
                let message = "this cannot be assigned to";
                Err(self.wrong(self.ast[target].span, message, "assign to an object"))
            }
            _ => Ok(()),
        }
    }

    /// `c ? a : b` and everything that binds tighter; chains are a loop.
    pub(super) fn conditional(&mut self) -> Parse<ExprId> {
        let mut pending = Vec::new();
        let mut value = self.binary(1)?;
        while self.accept(T::Question) {
            let then = match self.peek() {
                T::Colon => None,
                _ => Some(self.nested(Self::expression)?),
            };
            self.expect(T::Colon, "of the conditional expression")?;
            pending.push((value, then));
            value = self.binary(1)?;
        }
        for (condition, then) in pending.into_iter().rev() {
            let kind = ExprKind::Conditional { condition, then, otherwise: value };
            value = self.joined(condition, kind);
        }
        Ok(value)
    }

    /// Infix operators of at least this precedence.
    fn binary(&mut self, minimum: u8) -> Parse<ExprId> {
        let mut left = self.cast()?;
        while let Some((op, precedence)) = binary_operator(self.peek()) {
            if precedence < minimum {
                break;
            }
            self.advance();
            let right = self.binary(precedence + 1)?;
            left = self.joined(left, ExprKind::Binary { op, left, right });
        }
        Ok(left)
    }

    /// A node from the beginning of its first operand to here.
    fn joined(&mut self, first: ExprId, kind: ExprKind) -> ExprId {
        let span = self.since(self.ast[first].span.lo);
        self.expr(kind, span)
    }

    /// A cast, a prefix operator, or what binds tighter.
    pub(super) fn cast(&mut self) -> Parse<ExprId> {
        match self.peek() {
            T::LParen if self.starts_type(1) => self.nested(Self::cast_or_literal),
            kind => match prefix_operator(kind) {
                Some(op) => self.nested(|parser| parser.prefixed(op)),
                None => self.unary(),
            },
        }
    }

    /// `(T) e` or `(T) { … }`
    fn cast_or_literal(&mut self) -> Parse<ExprId> {
        let lo = self.advance().span.lo;
        let ty = self.type_name()?;
        self.expect(T::RParen, "after the type")?;
        if self.peek() == T::LBrace {
            let initializer = self.initializer()?;
            let literal = self.expr(ExprKind::CompoundLiteral { ty, initializer }, self.since(lo));
            return self.postfix(literal);
        }
        let operand = self.cast()?;
        Ok(self.expr(ExprKind::Cast { ty, operand }, self.since(lo)))
    }

    fn prefixed(&mut self, op: UnaryOp) -> Parse<ExprId> {
        let lo = self.advance().span.lo;
        let operand = self.cast()?;
        Ok(self.expr(ExprKind::Unary { op, operand }, self.since(lo)))
    }

    /// `sizeof`, `_Alignof`, `&&label`, or a postfix expression.
    fn unary(&mut self) -> Parse<ExprId> {
        match self.peek() {
            T::KwSizeof => self.size_operator(ExprKind::SizeofExpr, ExprKind::SizeofType),
            T::KwAlignof => self.size_operator(ExprKind::AlignofExpr, |ty| ExprKind::AlignofType { ty, standard: true }),
            T::KwGnuAlignof => self.size_operator(ExprKind::AlignofExpr, |ty| ExprKind::AlignofType { ty, standard: false }),
            T::AmpAmp => {
                let lo = self.advance().span.lo;
                let label: Ident = self.identifier("as label after `&&`")?;
                Ok(self.expr(ExprKind::LabelAddress(label), self.since(lo)))
            }
            _ => {
                let primary = self.primary()?;
                self.postfix(primary)
            }
        }
    }

    /// `sizeof e`, `sizeof (T)`, `sizeof (T) { … }`
    fn size_operator(
        &mut self,
        of_expr: fn(ExprId) -> ExprKind,
        of_type: fn(crate::ast::TypeNameId) -> ExprKind,
    ) -> Parse<ExprId> {
        let lo = self.advance().span.lo;
        let kind = if self.peek() == T::LParen && (self.starts_type(1)) {
            let open = self.advance().span.lo;
            let ty = self.nested(Self::type_name)?;
            self.expect(T::RParen, "after the type")?;
            if self.peek() == T::LBrace {
                let initializer = self.initializer()?;
                let kind = ExprKind::CompoundLiteral { ty, initializer };
                let literal = self.expr(kind, self.since(open));
                of_expr(self.postfix(literal)?)
            } else {
                of_type(ty)
            }
        } else {
            // The operand is a unary expression: a cast cannot begin here.
            of_expr(self.nested(Self::cast)?)
        };
        Ok(self.expr(kind, self.since(lo)))
    }
}

/// `=` and `op=`; the inner option is the operator.
fn assignment_operator(kind: T) -> Option<Option<BinaryOp>> {
    Some(match kind {
        T::Eq => None,
        T::PlusEq => Some(BinaryOp::Add),
        T::MinusEq => Some(BinaryOp::Subtract),
        T::StarEq => Some(BinaryOp::Multiply),
        T::SlashEq => Some(BinaryOp::Divide),
        T::PercentEq => Some(BinaryOp::Remainder),
        T::AmpEq => Some(BinaryOp::BitAnd),
        T::PipeEq => Some(BinaryOp::BitOr),
        T::CaretEq => Some(BinaryOp::BitXor),
        T::ShlEq => Some(BinaryOp::ShiftLeft),
        T::ShrEq => Some(BinaryOp::ShiftRight),
        _ => return None,
    })
}

/// Infix operators with their precedence, from 1 for `||`.
fn binary_operator(kind: T) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        T::PipePipe => (BinaryOp::LogicalOr, 1),
        T::AmpAmp => (BinaryOp::LogicalAnd, 2),
        T::Pipe => (BinaryOp::BitOr, 3),
        T::Caret => (BinaryOp::BitXor, 4),
        T::Amp => (BinaryOp::BitAnd, 5),
        T::EqEq => (BinaryOp::Equal, 6),
        T::BangEq => (BinaryOp::NotEqual, 6),
        T::Less => (BinaryOp::Less, 7),
        T::Greater => (BinaryOp::Greater, 7),
        T::LessEq => (BinaryOp::LessEqual, 7),
        T::GreaterEq => (BinaryOp::GreaterEqual, 7),
        T::Shl => (BinaryOp::ShiftLeft, 8),
        T::Shr => (BinaryOp::ShiftRight, 8),
        T::Plus => (BinaryOp::Add, 9),
        T::Minus => (BinaryOp::Subtract, 9),
        T::Star => (BinaryOp::Multiply, 10),
        T::Slash => (BinaryOp::Divide, 10),
        T::Percent => (BinaryOp::Remainder, 10),
        _ => return None,
    })
}

/// Prefix operators whose operand is a cast expression (`++` and `--` take it too, as in gcc).
fn prefix_operator(kind: T) -> Option<UnaryOp> {
    Some(match kind {
        T::Minus => UnaryOp::Minus,
        T::Plus => UnaryOp::Plus,
        T::Bang => UnaryOp::Not,
        T::Tilde => UnaryOp::BitNot,
        T::Star => UnaryOp::Deref,
        T::Amp => UnaryOp::AddressOf,
        T::PlusPlus => UnaryOp::PreIncrement,
        T::MinusMinus => UnaryOp::PreDecrement,
        T::KwExtension => UnaryOp::Extension,
        T::KwReal => UnaryOp::Real,
        T::KwImag => UnaryOp::Imag,
        _ => return None,
    })
}
