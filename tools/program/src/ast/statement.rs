//! Statements and inline assembly.

use super::{Attribute, DeclarationId, ExprId, FunctionId, Ident, StaticAssertId, StmtId, StringId};
use crate::ast::AsmId;
use crate::source::Span;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// From its first token (labels included) to its last.
    pub span: Span,
}

/// The forms of statements and block items.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `;`, with attributes perhaps (`__attribute__((fallthrough));`). It also stands after
    /// labels at the end of a block, where it has an empty span.
    Empty {
        /// Attributes before the semicolon.
        attributes: Box<[Attribute]>,
    },
    /// `e;`
    Expr(ExprId),
    /// `{ … }`
    Compound {
        /// Labels declared by `__label__`.
        labels: Box<[Ident]>,
        /// The block items in order.
        items: Box<[StmtId]>,
    },
    /// A declaration; as the body of [`StmtKind::Labeled`] too (gcc accepts it), where its scope
    /// is the enclosing block.
    Declaration(DeclarationId),
    /// A nested function (GNU).
    Function(FunctionId),
    /// `_Static_assert(…);`
    StaticAssert(StaticAssertId),
    /// One or more labels and the statement after them.
    Labeled {
        /// The labels in order, at least one.
        labels: Box<[Label]>,
        /// Never itself `Labeled`.
        body: StmtId,
    },
    /// `if (c) s else t`; else-if chains are deep in `otherwise`.
    If {
        /// The condition.
        condition: ExprId,
        /// Executed if it holds.
        then: StmtId,
        /// Executed if it does not.
        otherwise: Option<StmtId>,
    },
    /// `switch (e) s`
    Switch {
        /// The controlling expression.
        condition: ExprId,
        /// The body; case labels may be anywhere in it.
        body: StmtId,
    },
    /// `while (c) s`
    While {
        /// The condition.
        condition: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `do s while (c);`
    DoWhile {
        /// The body.
        body: StmtId,
        /// The condition.
        condition: ExprId,
    },
    /// `for (i; c; n) s`
    For {
        /// First clause.
        init: ForInit,
        /// The condition; true if missing.
        condition: Option<ExprId>,
        /// Evaluated after each round.
        step: Option<ExprId>,
        /// Whether there are braces in `step`: it may declare types and constants.
        step_declares: bool,
        /// The body.
        body: StmtId,
    },
    /// `goto l;`
    Goto(Ident),
    /// `goto *e;`
    ComputedGoto(ExprId),
    /// `continue;`
    Continue,
    /// `break;`
    Break,
    /// `return e;`
    Return(Option<ExprId>),
    /// Inline assembly.
    Asm(AsmId),
}

/// The first clause of a `for`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForInit {
    /// Nothing.
    None,
    /// An expression.
    Expr(ExprId),
    /// A declaration, whose scope is the loop.
    Declaration(DeclarationId),
    /// `_Static_assert(…);`, a declaration that declares nothing.
    StaticAssert(StaticAssertId),
}

/// A label before a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// What it is.
    pub kind: LabelKind,
    /// Attributes after the colon (named labels only).
    pub attributes: Box<[Attribute]>,
    /// From its first token to its colon.
    pub span: Span,
}

/// The forms of labels.
#[derive(Clone, Debug, PartialEq)]
pub enum LabelKind {
    /// `l:`
    Name(Ident),
    /// `case a:` or `case a ... b:`
    Case {
        /// The value, or the first one of a range.
        low: ExprId,
        /// The last value of a range.
        high: Option<ExprId>,
    },
    /// `default:`
    Default,
}

/// An `asm` statement or an `asm` outside of functions.
#[derive(Clone, Debug, PartialEq)]
pub struct Asm {
    /// The qualifiers written.
    pub qualifiers: AsmQualifiers,
    /// Whether there is a colon after the template (extended asm).
    pub extended: bool,
    /// The template.
    pub template: StringId,
    /// Operands written to.
    pub outputs: Box<[AsmOperand]>,
    /// Operands read.
    pub inputs: Box<[AsmOperand]>,
    /// Clobbered registers, `"memory"`, `"cc"`.
    pub clobbers: Box<[StringId]>,
    /// Labels of an `asm goto`.
    pub labels: Box<[Ident]>,
    /// From `asm` to the semicolon.
    pub span: Span,
}

/// Qualifiers of `asm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct AsmQualifiers {
    /// `volatile`
    pub volatile: bool,
    /// `inline`
    pub inline: bool,
    /// `goto`
    pub goto: bool,
}

/// `[name] "constraint" (expression)`
#[derive(Clone, Debug, PartialEq)]
pub struct AsmOperand {
    /// The symbolic name.
    pub name: Option<Ident>,
    /// The constraint.
    pub constraint: StringId,
    /// The operand.
    pub value: ExprId,
}
