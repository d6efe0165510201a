//! Statements.

use super::declaration::Declared;
use super::{Parse, Parser};
use crate::ast::{ExprId, ExprKind, ForInit, Ident, Label, LabelKind, StmtId, StmtKind};
use crate::lex::T;
use crate::source::Span;

impl Parser<'_> {
    /// `{ … }` with a scope of its own.
    pub(super) fn compound(&mut self) -> Parse<StmtId> {
        let open = self.expect(T::LBrace, "to begin the block")?;
        self.names.open();
        let mut labels = Vec::new();
        while self.accept(T::KwLabel) {
            loop {
                labels.push(self.identifier("as local label")?);
                if !self.accept(T::Comma) {
                    break;
                }
            }
            self.expect(T::Semicolon, "after the local labels")?;
        }
        let mut items = Vec::new();
        while self.peek() != T::RBrace {
            if self.peek() == T::End {
                return Err(self.unclosed_block(open.span));
            }
            let beginning = self.beginning();
            match self.block_item() {
                Ok(item) => items.push(item),
                Err(error) => self.recover(error, beginning)?,
            }
        }
        self.advance();
        self.names.close();
        let kind = StmtKind::Compound { labels: labels.into(), items: items.into() };
        Ok(self.stmt(kind, self.since(open.span.lo)))
    }

    fn unclosed_block(&self, open: Span) -> Box<super::SyntaxError> {
        let message = format!("the file ends inside the block that begins at {}", self.source.shown(open.lo));
        let help = "the file is truncated, or a `}` is missing";
        self.wrong(self.token().span, message, help)
    }

    /// A declaration or a statement.
    fn block_item(&mut self) -> Parse<StmtId> {
        if self.starts_declaration() { self.declaration_statement() } else { self.statement() }
    }

    /// Whether a declaration begins here (a label that is a typedef name is none).
    fn starts_declaration(&self) -> bool {
        match self.peek() {
            T::Ident => self.is_typedef_at(0) && self.peek_at(1) != T::Colon,
            T::KwExtension => {
                let markers = (0..).take_while(|at| self.peek_at(*at) == T::KwExtension).count();
                self.starts_type(markers) || self.peek_at(markers) == T::KwStaticAssert
            }
            T::KwStaticAssert => true,
            T::LBracket => self.at_attributes(0) && self.starts_type(self.attributes_length(0)),
            T::KwAttribute => {
                let after = self.attributes_length(0);
                self.peek_at(after) != T::Semicolon
            }
            _ => self.starts_type(0),
        }
    }

    fn declaration_statement(&mut self) -> Parse<StmtId> {
        let lo = self.lo();
        if matches!(self.peek(), T::KwStaticAssert | T::KwExtension) {
            self.skip_extension();
            if self.peek() == T::KwStaticAssert {
                let kind = StmtKind::StaticAssert(self.static_assert()?);
                return Ok(self.stmt(kind, self.since(lo)));
            }
        }
        let kind = match self.nested(Self::declaration)? {
            Declared::Declaration(declaration) => StmtKind::Declaration(declaration),
            Declared::Function(function) => StmtKind::Function(function),
        };
        Ok(self.stmt(kind, self.since(lo)))
    }

    /// A statement with its labels.
    pub(super) fn statement(&mut self) -> Parse<StmtId> {
        self.nested(|parser| if parser.at_label() { parser.labeled() } else { parser.unlabeled() })
    }

    fn at_label(&self) -> bool {
        match self.peek() {
            T::KwCase | T::KwDefault => true,
            T::Ident => self.peek_at(1) == T::Colon,
            _ => false,
        }
    }

    fn labeled(&mut self) -> Parse<StmtId> {
        let lo = self.lo();
        let mut labels = Vec::new();
        while self.at_label() {
            labels.push(self.label()?);
        }
        let body = if self.peek() == T::RBrace {
            let end = self.since(lo).hi;
            self.stmt(StmtKind::Empty { attributes: Box::default() }, Span::new(end, end))
        } else {
            self.block_item()?
        };
        let kind = StmtKind::Labeled { labels: labels.into(), body };
        Ok(self.stmt(kind, self.since(lo)))
    }

    fn label(&mut self) -> Parse<Label> {
        let token = self.advance();
        let kind = match token.kind {
            T::KwCase => {
                let low = self.conditional()?;
                let high = match self.accept(T::Ellipsis) {
                    true => Some(self.conditional()?),
                    false => None,
                };
                LabelKind::Case { low, high }
            }
            T::KwDefault => LabelKind::Default,
            _ => LabelKind::Name(Ident { name: token.symbol(), span: token.span }),
        };
        self.expect(T::Colon, "after the label")?;
        let span = self.since(token.span.lo);
        let mut attributes = Vec::new();
        if matches!(kind, LabelKind::Name(_)) {
            attributes = self.attributes()?;
        }
        Ok(Label { kind, attributes: attributes.into(), span })
    }

    fn unlabeled(&mut self) -> Parse<StmtId> {
        let lo = self.lo();
        let kind = match self.peek() {
            T::LBrace => return self.compound(),
            T::KwIf => return self.in_scope(Self::if_chain),
            T::KwSwitch => self.in_scope(Self::switch)?,
            T::KwWhile => self.in_scope(Self::while_loop)?,
            T::KwDo => self.in_scope(Self::do_loop)?,
            T::KwFor => self.in_scope(Self::for_loop)?,
            T::KwGoto => self.goto()?,
            T::KwContinue => self.jump(StmtKind::Continue)?,
            T::KwBreak => self.jump(StmtKind::Break)?,
            T::KwReturn => self.return_statement()?,
            T::KwAsm => StmtKind::Asm(self.assembly()?),
            T::Semicolon => {
                self.advance();
                StmtKind::Empty { attributes: Box::default() }
            }
            _ if self.at_attributes(0) => self.attributed()?,
            T::KwElse => {
                let message = "`else` without `if`";
                let help = "is a `}` missing or a `;` too many before this place?";
                return Err(self.wrong(self.token().span, message, help));
            }
            _ => self.expression_statement()?,
        };
        Ok(self.stmt(kind, self.since(lo)))
    }

    /// Attributes alone or, in the notation of C2x, before a statement: then they become an empty
    /// statement before it. GNU attributes before a statement are refused: gcc takes them for a
    /// statement of their own, so that `if (c) __attribute__((x)) f();` calls `f` always, while
    /// clang does not.
    fn attributed(&mut self) -> Parse<StmtKind> {
        let lo = self.lo();
        let gnu = self.peek() == T::KwAttribute;
        let attributes = self.attributes()?.into();
        if self.accept(T::Semicolon) {
            return Ok(StmtKind::Empty { attributes });
        }
        let span = self.since(lo);
        if gnu {
            let message = "attributes before a statement, which compilers read differently";
            return Err(self.wrong(span, message, "remove the attributes"));
        }
        let empty = self.stmt(StmtKind::Empty { attributes }, span);
        let statement = self.statement()?;
        Ok(StmtKind::Compound { labels: Box::default(), items: Box::new([empty, statement]) })
    }

    fn expression_statement(&mut self) -> Parse<StmtKind> {
        let value = self.expression()?;
        if self.peek() == T::Ident
            && let ExprKind::Name(name) = self.ast[value].kind
        {
            return Err(self.unknown_type(Ident { name, span: self.ast[value].span }));
        }
        self.expect(T::Semicolon, "after the expression")?;
        Ok(StmtKind::Expr(value))
    }

    /// What is a block of its own without braces: a selection or a loop, and each statement that it contains.
    fn in_scope<R>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<R>) -> Parse<R> {
        self.names.open();
        let found = parse(self)?;
        self.names.close();
        Ok(found)
    }

    /// `if … else if … else …`, however long.
    fn if_chain(&mut self) -> Parse<StmtId> {
        let mut heads = Vec::new();
        let mut otherwise = None;
        loop {
            let lo = self.advance().span.lo;
            let condition = self.condition("`if`")?;
            let then = self.in_scope(Self::statement)?;
            heads.push((lo, condition, then));
            if !self.accept(T::KwElse) {
                break;
            }
            if self.peek() != T::KwIf {
                otherwise = Some(self.in_scope(Self::statement)?);
                break;
            }
        }
        for (lo, condition, then) in heads.into_iter().rev() {
            let kind = StmtKind::If { condition, then, otherwise };
            otherwise = Some(self.stmt(kind, self.since(lo)));
        }
        otherwise.ok_or_else(|| self.expected("a statement"))
    }

    /// `( e )`
    fn condition(&mut self, statement: &str) -> Parse<ExprId> {
        self.expect(T::LParen, &format!("after {statement}"))?;
        let condition = self.expression()?;
        self.expect(T::RParen, "after the condition")?;
        Ok(condition)
    }

    fn switch(&mut self) -> Parse<StmtKind> {
        self.advance();
        let condition = self.condition("`switch`")?;
        let body = self.in_scope(Self::statement)?;
        Ok(StmtKind::Switch { condition, body })
    }

    fn while_loop(&mut self) -> Parse<StmtKind> {
        self.advance();
        let condition = self.condition("`while`")?;
        let body = self.in_scope(Self::statement)?;
        Ok(StmtKind::While { condition, body })
    }

    fn do_loop(&mut self) -> Parse<StmtKind> {
        self.advance();
        let body = self.in_scope(Self::statement)?;
        self.expect(T::KwWhile, "after the body of `do`")?;
        let condition = self.condition("`while`")?;
        self.expect(T::Semicolon, "after `do … while (…)`")?;
        Ok(StmtKind::DoWhile { body, condition })
    }

    fn for_loop(&mut self) -> Parse<StmtKind> {
        self.advance();
        self.expect(T::LParen, "after `for`")?;
        let init = self.for_init()?;
        let condition = match self.peek() {
            T::Semicolon => None,
            _ => Some(self.expression()?),
        };
        self.expect(T::Semicolon, "after the condition of `for`")?;
        let begin = self.at;
        let step = match self.peek() {
            T::RParen => None,
            _ => Some(self.expression()?),
        };
        let step_declares = self.tokens.list[begin..self.at].iter().any(|token| token.kind == T::LBrace);
        self.expect(T::RParen, "after the clauses of `for`")?;
        let body = self.in_scope(Self::statement)?;
        Ok(StmtKind::For { init, condition, step, step_declares, body })
    }

    fn for_init(&mut self) -> Parse<ForInit> {
        if self.accept(T::Semicolon) {
            return Ok(ForInit::None);
        }
        if self.starts_declaration() {
            self.skip_extension();
            if self.peek() == T::KwStaticAssert {
                return Ok(ForInit::StaticAssert(self.static_assert()?));
            }
            return match self.declaration()? {
                Declared::Declaration(declaration) => Ok(ForInit::Declaration(declaration)),
                Declared::Function(_) => Err(self.expected("the condition of `for`")),
            };
        }
        let value = self.expression()?;
        self.expect(T::Semicolon, "after the first clause of `for`")?;
        Ok(ForInit::Expr(value))
    }

    fn goto(&mut self) -> Parse<StmtKind> {
        self.advance();
        let kind = match self.accept(T::Star) {
            true => StmtKind::ComputedGoto(self.expression()?),
            false => StmtKind::Goto(self.identifier("or `*` after `goto`")?),
        };
        self.expect(T::Semicolon, "after `goto`")?;
        Ok(kind)
    }

    fn jump(&mut self, kind: StmtKind) -> Parse<StmtKind> {
        let word = self.advance().kind.describe();
        self.expect(T::Semicolon, &format!("after {word}"))?;
        Ok(kind)
    }

    fn return_statement(&mut self) -> Parse<StmtKind> {
        self.advance();
        let value = match self.peek() {
            T::Semicolon => None,
            _ => Some(self.expression()?),
        };
        self.expect(T::Semicolon, "after `return`")?;
        Ok(StmtKind::Return(value))
    }
}
