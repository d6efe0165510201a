//! Typed expressions without side effects and without calls.
//!
//! An [`ExprArena`] hash-conses the expressions of one program: equal expressions have equal [`ExprId`]s, and an
//! operand's identity is always smaller than that of the expression it stands in, so a pass over increasing identities
//! meets operands first and nothing recurses. Every implicit conversion of C is explicit here.
//!
//! *Places* (lvalues) are expressions too: [`Expr::Variable`], [`Expr::Dereference`], [`Expr::Field`], [`Expr::Index`].
//! A place becomes a value by [`Expr::Load`] and a pointer by [`Expr::AddressOf`].

use indexmap::IndexSet;

use crate::index::{FunctionId, VarId, define_index};
use crate::types::TypeId;

define_index!(
    /// An expression of one program.
    ExprId, "e"
);

/// Operators with one operand. Operand and result have the same type, except [`UnaryOp::Not`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnaryOp {
    /// `-e` on a promoted operand; wraps.
    Negate,
    /// `~e`.
    Complement,
    /// `!e`: any scalar operand, result `int` 0 or 1.
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BinaryOp {
    /// `+` on arithmetic operands of the result type.
    Add,
    /// `-` on arithmetic operands of the result type.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `%`.
    Remainder,
    /// `<<`: the result has the type of the left operand, the right one its own promoted type.
    ShiftLeft,
    /// `>>`: arithmetic for signed left operands.
    ShiftRight,
    /// `&`.
    BitAnd,
    /// `|`.
    BitOr,
    /// `^`.
    BitXor,
    /// `==`: operands of one type (arithmetic or pointer), result `int`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`: signedness is that of the operands' type; pointers compare unsigned.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
    /// `&&` of two scalar operands that neither trap nor have effects; result `int`.
    LogicalAnd,
    /// `||`, as [`BinaryOp::LogicalAnd`].
    LogicalOr,
}

impl BinaryOp {
    /// Whether the result is the `int` 0 or 1.
    #[must_use]
    pub fn is_predicate(self) -> bool {
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, LogicalAnd, LogicalOr, NotEqual};
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | LogicalAnd | LogicalOr)
    }

    /// The comparison of integers or pointers that holds exactly where this one does not; `None` if it is none.
    #[must_use]
    pub fn opposite(self) -> Option<Self> {
        match self {
            Self::Equal => Some(Self::NotEqual),
            Self::NotEqual => Some(Self::Equal),
            Self::Less => Some(Self::GreaterEqual),
            Self::LessEqual => Some(Self::Greater),
            Self::Greater => Some(Self::LessEqual),
            Self::GreaterEqual => Some(Self::Less),
            Self::Add
            | Self::Subtract
            | Self::Multiply
            | Self::Divide
            | Self::Remainder
            | Self::ShiftLeft
            | Self::ShiftRight
            | Self::BitAnd
            | Self::BitOr
            | Self::BitXor
            | Self::LogicalAnd
            | Self::LogicalOr => None,
        }
    }

    /// How C writes it.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::LogicalAnd => "&&",
            Self::LogicalOr => "||",
        }
    }
}

/// An expression; its type is kept beside it in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// An integer, enumeration, `_Bool` or pointer constant: the bit pattern, zero-extended from the width of the type.
    Int(u128),
    /// A floating constant: the bit pattern in the format of the type.
    Float(u128),
    /// All bytes zero, of an aggregate type: what an initialiser leaves out.
    Zero,
    /// The value at a place. An aggregate type means the whole object.
    Load(ExprId),
    /// The address of a place. The address of an array's first element is `AddressOf(Index(a, 0))`.
    AddressOf(ExprId),
    /// The address of a function.
    FunctionAddress(FunctionId),
    /// An operator with one operand.
    Unary(UnaryOp, ExprId),
    /// An operator with two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// `pointer + index * scale` in bytes; `index` is an integer of its own type, sign-extended or truncated to the
    /// width of a pointer. Subtraction of an integer negates the index.
    PointerOffset {
        /// The pointer.
        pointer: ExprId,
        /// The index, in elements.
        index: ExprId,
        /// The size of an element in bytes.
        scale: u64,
    },
    /// `(left - right) / scale` as `ptrdiff_t`.
    PointerDifference {
        /// The minuend.
        left: ExprId,
        /// The subtrahend.
        right: ExprId,
        /// The size of an element in bytes.
        scale: u64,
    },
    /// Conversion to the type of this expression: between arithmetic types, enumerations and pointers as C does
    /// (to `_Bool`: comparison with zero), or between pointers.
    Cast(ExprId),
    /// `condition ? then : otherwise`; the operands neither trap nor have effects.
    Conditional(ExprId, ExprId, ExprId),
    /// A place: a variable.
    Variable(VarId),
    /// A place: what a pointer points to; the place has the type of this expression.
    Dereference {
        /// The pointer.
        pointer: ExprId,
        /// The pointed-to type is volatile.
        volatile: bool,
    },
    /// A place: member number `.1` of the record place `.0`.
    ///
    /// A bit-field has its declared type: a load extends its bits to that type (the promotion of C is a cast around it),
    /// a store keeps as many low bits of the value as the bit-field has.
    Field(ExprId, u32),
    /// A place: element `.1` (any integer type, may be out of bounds: undefined) of the array place `.0`.
    Index(ExprId, ExprId),
}

impl Expr {
    /// Whether this is a place (lvalue) rather than a value.
    #[must_use]
    pub fn is_place(&self) -> bool {
        matches!(self, Expr::Variable(_) | Expr::Dereference { .. } | Expr::Field(..) | Expr::Index(..))
    }

    /// The direct operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> {
        let (a, b, c) = match *self {
            Expr::Int(_) | Expr::Float(_) | Expr::Zero | Expr::FunctionAddress(_) | Expr::Variable(_) => (None, None, None),
            Expr::Load(e) | Expr::AddressOf(e) | Expr::Unary(_, e) | Expr::Cast(e) | Expr::Field(e, _) => (Some(e), None, None),
            Expr::Dereference { pointer, .. } => (Some(pointer), None, None),
            Expr::Binary(_, a, b) | Expr::Index(a, b) => (Some(a), Some(b), None),
            Expr::PointerOffset { pointer, index, .. } => (Some(pointer), Some(index), None),
            Expr::PointerDifference { left, right, .. } => (Some(left), Some(right), None),
            Expr::Conditional(a, b, c) => (Some(a), Some(b), Some(c)),
        };
        a.into_iter().chain(b).chain(c)
    }
}

/// The expressions of one program.
#[derive(Clone, Debug, Default)]
pub struct ExprArena {
    nodes: IndexSet<(Expr, TypeId), rustc_hash::FxBuildHasher>,
}

impl ExprArena {
    /// The identity of `expr` of type `ty`, which is added if it is new.
    pub fn intern(&mut self, expr: Expr, ty: TypeId) -> ExprId {
        ExprId::new(self.nodes.insert_full((expr, ty)).0)
    }

    /// The expression behind an identity.
    #[must_use]
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.nodes[id.index()].0
    }

    /// Its type; for a place, the type of the object there.
    #[must_use]
    pub fn ty(&self, id: ExprId) -> TypeId {
        self.nodes[id.index()].1
    }

    /// The variable whose first byte an expression is the address of, whatever type it is converted to, as far as the text says.
    #[must_use]
    pub fn beginning_of(&self, mut expr: ExprId) -> Option<VarId> {
        loop {
            expr = match *self.get(expr) {
                Expr::Cast(inner) | Expr::AddressOf(inner) => inner,
                Expr::Index(inner, index) if *self.get(index) == Expr::Int(0) => inner,
                Expr::Variable(variable) => return Some(variable),
                Expr::Int(_)
                | Expr::Float(_)
                | Expr::Zero
                | Expr::Load(_)
                | Expr::FunctionAddress(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::PointerOffset { .. }
                | Expr::PointerDifference { .. }
                | Expr::Conditional(..)
                | Expr::Dereference { .. }
                | Expr::Field(..)
                | Expr::Index(..) => return None,
            };
        }
    }

    /// All expressions, operands before what they stand in.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..self.nodes.len()).map(ExprId::new)
    }

    /// How many expressions there are; identities are dense below this.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no expression.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
