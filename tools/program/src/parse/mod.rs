//! The parser: tokens to the syntax tree of GNU C11.
//!
//! Recursive descent with one token of look-ahead (two for labels and casts), precedence climbing
//! for operators, and the table of typedef names that C needs. Chains that programs make long
//! (left-deep operators, else-if, `?:`, assignments, labels) are loops; other nesting recurses
//! on a stack that grows.
//! Invariant: every token of the text is consumed by some node or is an error; nothing is skipped
//! except `;` at file level, `__extension__` before declarations, and attribute arguments that
//! the tree names by their attribute.
//! Does not know types, linkage, or whether a name is declared.

#![allow(clippy::wildcard_enum_match_arm, reason = "a parser asks for a few of a hundred kinds of tokens")]

mod assembly;
mod attribute;
mod declaration;
mod declarator;
mod expression;
mod foreign;
mod initializer;
mod names;
mod primary;
mod record;
mod recovery;
mod specifier;
mod statement;
#[cfg(test)]
mod tests;

use sha2::{Digest as _, Sha256};

use self::names::{NameKind, Names};
use crate::ast::{Allocate, Ast, Expr, ExprId, ExprKind, Ident, Stmt, StmtId, StmtKind, StringId, StringLiteral, Symbol, Unit};
use crate::diagnostic::Diagnostic;
use crate::lex::{self, LexError, T, Token, Tokens};
use crate::source::{SourceFile, Span, UnitText};

/// Stack that must be left before another level of nesting.
const RED_ZONE: usize = 128 * 1024;
/// Stack that is added when it is not.
const STACK_PIECE: usize = 4 * 1024 * 1024;

/// Reads the translation units of a program.
///
/// A text without any declaration is a translation unit too.
///
/// # Errors
/// [`Diagnostic::Text`] for the first place at which the text is not GNU C11, with further ones.
pub fn parse(source: &SourceFile) -> Result<Ast, Diagnostic> {
    let mut ast = Ast::default();
    parse_more(source, &mut ast)?;
    Ok(ast)
}

/// Reads the translation units that `ast` does not have yet.
///
/// # Errors
/// As [`parse`].
pub(crate) fn parse_more(source: &SourceFile, ast: &mut Ast) -> Result<(), Diagnostic> {
    for unit in source.units().iter().skip(ast.units.len()) {
        *ast = parse_unit(source, unit, std::mem::take(ast))?;
    }
    Ok(())
}

/// Reads a text as one expression, with some names of types; it belongs to no unit.
///
/// # Errors
/// As [`parse`].
pub(crate) fn parse_expression(source: &SourceFile, span: Span, types: &[Symbol], ast: &mut Ast) -> Result<ExprId, Diagnostic> {
    let mut tokens = lex::lex(source.slice(span), lex::Joining::Lines, &mut ast.symbols).map_err(|error| {
        let LexError { span: at, message, help } = error;
        Diagnostic::at(source, at.shifted(span.lo), "program::lexical", message, "here", help)
    })?;
    tokens.shift(span.lo);
    let mut names = Names::predefined(&mut ast.symbols);
    types.iter().for_each(|name| names.declare(*name, NameKind::Typedef));
    let mut parser = Parser::new(source, tokens, std::mem::take(ast), names);
    let read = parser.expression().and_then(|expr| parser.expect(T::End, "behind the expression").map(|_| expr));
    *ast = parser.ast;
    match (parser.faults.into_iter().next(), read) {
        // One of a block in the expression, behind which reading went on.
        (Some(fault), _) => Err(fault.diagnostic(source)),
        (None, read) => read.map_err(|error| error.diagnostic(source)),
    }
}

fn parse_unit(source: &SourceFile, unit: &UnitText, mut ast: Ast) -> Result<Ast, Diagnostic> {
    // gcc, too, goes by the name.
    let is_taken_so = unit.path.ends_with(".i") && !unit.preprocessed;
    let joining = if is_taken_so { lex::Joining::Nothing } else { lex::Joining::Lines };
    let base = unit.span.lo;
    let mut tokens = lex::lex(source.slice(unit.span), joining, &mut ast.symbols).map_err(|error| {
        let LexError { span, message, help } = error;
        Diagnostic::at(source, span.shifted(base), "program::lexical", message, "here", help)
    })?;
    tokens.shift(base);
    ast.pragmas.extend_from_slice(&tokens.pragmas);
    ast.has_identity |= tokens.has_identity;
    let digest = tokens.digest.finish();
    ast.digest = if ast.units.is_empty() { digest } else { Sha256::digest([ast.digest, digest].concat()).into() };
    let (items, declarators, exprs) = (ast.items.len(), ast.init_declarators(), ast.exprs());
    let names = Names::predefined(&mut ast.symbols);
    let mut parser = Parser::new(source, tokens, ast, names);
    if let Some(errors) = Diagnostic::together(parser.errors()) {
        return Err(errors);
    }
    let mut ast = parser.ast;
    ast.units.push(Unit {
        role: unit.role,
        items: items..ast.items.len(),
        declarators: declarators..ast.init_declarators(),
        exprs: exprs..ast.exprs(),
    });
    Ok(ast)
}

/// A thing that is wrong.
#[derive(Debug)]
struct SyntaxError {
    span: Span,
    message: String,
    label: String,
    help: String,
    /// The name that is no type, if that is it.
    unknown: Option<Symbol>,
}

impl SyntaxError {
    fn diagnostic(self, source: &SourceFile) -> Diagnostic {
        Diagnostic::at(source, self.span, "program::syntax", self.message, self.label, self.help)
    }
}

type Parse<T> = Result<T, Box<SyntaxError>>;

struct Parser<'s> {
    source: &'s SourceFile,
    tokens: Tokens<'s>,
    at: usize,
    /// The token with which the present declaration at file level begins.
    item: usize,
    ast: Ast,
    names: Names,
    /// What is wrong so far; the tree is of no use then.
    faults: Vec<SyntaxError>,
}

impl<'s> Parser<'s> {
    const fn new(source: &'s SourceFile, tokens: Tokens<'s>, ast: Ast, names: Names) -> Self {
        Self { source, tokens, at: 0, item: 0, ast, names, faults: Vec::new() }
    }
}

impl Parser<'_> {
    /// The present token.
    fn token(&self) -> Token {
        self.tokens.list[self.at]
    }

    /// The kind of the present token.
    fn peek(&self) -> T {
        self.tokens.list[self.at].kind
    }

    /// The kind of the token `distance` after the present one.
    fn peek_at(&self, distance: usize) -> T {
        self.tokens.list.get(self.at + distance).map_or(T::End, |token| token.kind)
    }

    /// Takes the present token; the end stays.
    fn advance(&mut self) -> Token {
        let token = self.token();
        if token.kind != T::End {
            self.at += 1;
        }
        token
    }

    /// Takes the present token if it is of this kind.
    fn accept(&mut self, kind: T) -> bool {
        let found = self.peek() == kind;
        if found {
            self.advance();
        }
        found
    }

    /// Takes a token of this kind; `context` says what it belongs to.
    fn expect(&mut self, kind: T, context: &str) -> Parse<Token> {
        if self.peek() == kind {
            return Ok(self.advance());
        }
        Err(self.expected(&format!("{} {context}", kind.describe())))
    }

    /// Where the present token begins.
    fn lo(&self) -> u32 {
        self.token().span.lo
    }

    /// From `lo` to the end of the last token taken.
    fn since(&self, lo: u32) -> Span {
        let hi = match self.at.checked_sub(1) {
            Some(last) => self.tokens.list[last].span.hi,
            None => 0,
        };
        Span::new(lo, hi.max(lo))
    }

    /// An identifier, typedef name or not.
    fn identifier(&mut self, context: &str) -> Parse<Ident> {
        let token = self.expect(T::Ident, context)?;
        Ok(Ident { name: token.symbol(), span: token.span })
    }

    /// A string literal of one or more pieces.
    fn string(&mut self, context: &str) -> Parse<StringId> {
        let first = self.expect(T::String, context)?;
        let mut count = 1;
        while self.accept(T::String) {
            count += 1;
        }
        let span = self.since(first.span.lo);
        match self.tokens.join(first.value, count) {
            Ok((encoding, units)) => Ok(self.ast.add(StringLiteral { encoding, units, span })),
            Err(message) => Err(self.wrong(span, message, "correct the string literal")),
        }
    }

    fn add<N: Allocate>(&mut self, node: N) -> N::Id {
        self.ast.add(node)
    }

    fn expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.ast.add(Expr { kind, span })
    }

    fn stmt(&mut self, kind: StmtKind, span: Span) -> StmtId {
        self.ast.add(Stmt { kind, span })
    }

    /// Whether the token at this distance is a typedef name.
    fn is_typedef_at(&self, distance: usize) -> bool {
        let token = self.tokens.list.get(self.at + distance);
        token.is_some_and(|token| token.kind == T::Ident && self.names.kind(token.symbol()) != NameKind::Ordinary)
    }

    /// Runs a step of recursion with enough stack.
    fn nested<R>(&mut self, step: impl FnOnce(&mut Self) -> R) -> R {
        stacker::maybe_grow(RED_ZONE, STACK_PIECE, || step(self))
    }

    /// The error that something else stands at the present token.
    fn expected(&self, what: &str) -> Box<SyntaxError> {
        let token = self.token();
        if token.kind == T::End {
            let message = format!("the file ends where {what} is expected");
            let help = "the file is truncated, or a bracket before its end is not closed";
            return self.wrong(token.span, message, help);
        }
        let found = match token.kind {
            T::Ident => format!("`{}`", self.name(token.symbol())),
            kind if kind.is_keyword() => format!("`{}`", self.name(token.symbol())),
            kind => kind.describe().to_owned(),
        };
        let message = format!("expected {what}, found {found}");
        let help = "correct the program; the mistake may be just before this place";
        self.wrong(token.span, message, help)
    }

    fn wrong(&self, span: Span, message: impl Into<String>, help: &str) -> Box<SyntaxError> {
        let label = if span.is_empty() { "the end" } else { "here" };
        let (label, help) = (label.to_owned(), help.to_owned());
        Box::new(SyntaxError { span, message: message.into(), label, help, unknown: None })
    }

    /// The error that a name is used as a type but is none.
    fn unknown_type(&self, name: Ident) -> Box<SyntaxError> {
        let message = format!("unknown type name `{}`", self.name(name.name));
        let help = "declare the type before its use; was the file preprocessed with its headers?";
        let mut error = self.wrong(name.span, message, help);
        error.unknown = Some(name.name);
        error
    }

    fn name(&self, symbol: Symbol) -> &str {
        self.ast.name(symbol)
    }
}
