//! Expressions and literals.

use super::{Ident, InitializerId, StmtId, StringId, Symbol, TypeNameId};
use crate::ast::ExprId;
use crate::source::Span;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// From its first to its last token, enclosing parentheses included.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An identifier that is not a typedef name: object, function or enumerator.
    Name(Symbol),
    /// `42`, `0x2aUL`, `0b101`
    Integer(IntegerLiteral),
    /// `1.5e3f`, `0x1p-3`
    Float(FloatLiteral),
    /// `'a'`, `L'\x20ac'`
    Char(CharLiteral),
    /// `"a" "b"`, already joined.
    String(StringId),
    /// A prefix or postfix operator.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: ExprId,
    },
    /// An infix operator, logical ones included; chains of them are deep on the left.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: ExprId,
        /// Right operand.
        right: ExprId,
    },
    /// `a = b`, or `a op= b` with an operator.
    Assign {
        /// The operator of a compound assignment.
        op: Option<BinaryOp>,
        /// What is assigned to.
        target: ExprId,
        /// The right-hand side.
        value: ExprId,
    },
    /// `c ? a : b`; `c ?: b` has no `then` and evaluates `c` once.
    Conditional {
        /// The condition.
        condition: ExprId,
        /// Value if the condition holds; the condition itself if missing.
        then: Option<ExprId>,
        /// Value if it does not hold.
        otherwise: ExprId,
    },
    /// `a, b`
    Comma {
        /// Evaluated first, value dropped.
        left: ExprId,
        /// The value.
        right: ExprId,
    },
    /// `f(a, b)`, of builtins with ordinary arguments too.
    Call {
        /// What is called.
        callee: ExprId,
        /// The arguments in order.
        arguments: Box<[ExprId]>,
    },
    /// `a[i]` (or `i[a]`).
    Index {
        /// Left of the bracket.
        base: ExprId,
        /// Inside the brackets.
        index: ExprId,
    },
    /// `s.f` or `p->f`.
    Member {
        /// Left of the operator.
        base: ExprId,
        /// Whether the operator is `->`.
        arrow: bool,
        /// The member.
        member: Ident,
    },
    /// `(T) a`
    Cast {
        /// The type.
        ty: TypeNameId,
        /// What is converted.
        operand: ExprId,
    },
    /// `(T) { … }`
    CompoundLiteral {
        /// The type.
        ty: TypeNameId,
        /// Always a list.
        initializer: InitializerId,
    },
    /// `sizeof a`
    SizeofExpr(ExprId),
    /// `sizeof (T)`
    SizeofType(TypeNameId),
    /// `_Alignof a` (GNU) or `__alignof__ a`: the same
    AlignofExpr(ExprId),
    /// `_Alignof (T)` or `__alignof__ (T)`
    AlignofType {
        /// The type.
        ty: TypeNameId,
        /// Whether it is `_Alignof`: as a member, not as an object of its own.
        standard: bool,
    },
    /// `_Generic(c, T: a, default: b)`
    Generic {
        /// Only its type counts; it is not evaluated.
        control: ExprId,
        /// The associations in order.
        associations: Box<[GenericAssociation]>,
    },
    /// `({ … })`: the statement is a compound statement.
    Statement(StmtId),
    /// `&&label`
    LabelAddress(Ident),
    /// `__builtin_offsetof(T, a.b[i])`
    Offsetof {
        /// The record type.
        ty: TypeNameId,
        /// The way to the member; begins with a member.
        path: Box<[OffsetofStep]>,
    },
    /// `__builtin_types_compatible_p(T, U)`
    TypesCompatible(TypeNameId, TypeNameId),
    /// `__builtin_choose_expr(c, a, b)`
    Choose {
        /// Constant condition.
        condition: ExprId,
        /// The expression if it is not zero.
        then: ExprId,
        /// The expression if it is zero.
        otherwise: ExprId,
    },
    /// `__builtin_va_arg(list, T)`
    VaArg {
        /// The argument list.
        list: ExprId,
        /// Type of the next argument.
        ty: TypeNameId,
    },
    /// `__builtin_convertvector(a, T)`
    ConvertVector {
        /// The vector.
        operand: ExprId,
        /// The type.
        ty: TypeNameId,
    },
}

/// `T: a` or `default: a` in `_Generic`.
#[derive(Clone, Debug, PartialEq)]
pub struct GenericAssociation {
    /// The type; `None` for `default`.
    pub ty: Option<TypeNameId>,
    /// The expression chosen.
    pub value: ExprId,
    /// The whole association.
    pub span: Span,
}

/// A step of `__builtin_offsetof`.
#[derive(Clone, Debug, PartialEq)]
pub enum OffsetofStep {
    /// `.member` (the first one is written without the dot).
    Member(Ident),
    /// `->member`: GNU, the same as `[0].member`.
    Arrow(Ident),
    /// `[index]`
    Index(ExprId),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-a`
    Minus,
    /// `+a`
    Plus,
    /// `!a`
    Not,
    /// `~a`
    BitNot,
    /// `*a`
    Deref,
    /// `&a`
    AddressOf,
    /// `++a`
    PreIncrement,
    /// `--a`
    PreDecrement,
    /// `a++`
    PostIncrement,
    /// `a--`
    PostDecrement,
    /// `__extension__ a`: no meaning.
    Extension,
    /// `__real__ a`
    Real,
    /// `__imag__ a`
    Imag,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<=`
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    LogicalAnd,
    /// `||`
    LogicalOr,
}

/// An integer constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerLiteral {
    /// The value as written.
    pub value: u128,
    /// Whether it is written in decimal: such a constant never becomes unsigned by size alone.
    pub decimal: bool,
    /// `u` or `U`.
    pub unsigned: bool,
    /// `l` or `ll`.
    pub length: IntegerLength,
    /// `i` or `j` (GNU complex).
    pub imaginary: bool,
}

/// The length suffix of an integer constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IntegerLength {
    /// No suffix.
    Int,
    /// `l`
    Long,
    /// `ll`
    LongLong,
}

/// A floating constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatLiteral {
    /// Its characters without the suffix, decimal or hexadecimal.
    pub digits: Symbol,
    /// The type the suffix asks for.
    pub suffix: FloatSuffix,
    /// `i` or `j` (GNU complex).
    pub imaginary: bool,
}

/// The type suffix of a floating constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatSuffix {
    /// No suffix, or GNU `d`.
    Double,
    /// `f`
    Float,
    /// `l`
    LongDouble,
    /// `f16`
    Float16,
    /// `f32`
    Float32,
    /// `f64`
    Float64,
    /// `f128` or `q`
    Float128,
    /// `f32x`
    Float32x,
    /// `f64x`
    Float64x,
    /// `w`: the 80-bit format of x86.
    Float80,
    /// `df`
    Decimal32,
    /// `dd`
    Decimal64,
    /// `dl`
    Decimal128,
}

/// A character constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharLiteral {
    /// The prefix: decides the type (`int` without one).
    pub encoding: Encoding,
    /// The code unit, zero-extended; of several plain characters, later ones in lower bytes.
    pub value: u32,
    /// How many units were written. One plain unit is converted as a `char` (sign!).
    pub units: u32,
}

/// A string literal after joining neighbours and reading escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringLiteral {
    /// The element type.
    pub encoding: Encoding,
    /// The code units, zero-extended, without the final null.
    pub units: Box<[u32]>,
    /// From the first to the last piece.
    pub span: Span,
}

impl StringLiteral {
    /// The units as text for people and for comparisons of plain strings.
    pub fn to_text(&self) -> String {
        match self.encoding {
            Encoding::Plain | Encoding::Utf8 => {
                let bytes: Vec<u8> = self.units.iter().map(|unit| *unit as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Encoding::Char16 => {
                let units: Vec<u16> = self.units.iter().map(|unit| *unit as u16).collect();
                String::from_utf16_lossy(&units)
            }
            Encoding::Char32 | Encoding::Wide => {
                let replace = |unit: &u32| char::from_u32(*unit).unwrap_or('\u{fffd}');
                self.units.iter().map(replace).collect()
            }
        }
    }
}

/// The prefix of a character constant or string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// No prefix: `char`.
    Plain,
    /// `u8`: `char`.
    Utf8,
    /// `u`: `char16_t`.
    Char16,
    /// `U`: `char32_t`.
    Char32,
    /// `L`: `wchar_t`.
    Wide,
}
