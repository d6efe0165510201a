//! Operations: what edges of an automaton do, each free of side effects but its own.
//!
//! Knows of an operation what its form says: which call it is, what gets its result, what it writes as a whole.
//! Does not know where an operation stands, nor what it means; see `semantics`.

use super::{FunctionId, VarId};
use crate::expr::{Expr, ExprArena, ExprId};

/// An operand of an inline assembly statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AsmOperand {
    /// The constraint string.
    pub constraint: Box<str>,
    /// A place for outputs, a value for inputs (a place where the constraint asks for memory).
    pub expr: ExprId,
}

/// An inline assembly statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InlineAsm {
    /// The template.
    pub template: Box<str>,
    /// Outputs.
    pub outputs: Vec<AsmOperand>,
    /// Inputs.
    pub inputs: Vec<AsmOperand>,
    /// Clobbers, `memory` included.
    pub clobbers: Vec<Box<str>>,
    /// `asm goto`: jumps that cannot be followed.
    pub has_labels: bool,
}

/// What an edge does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Passing a declaration of an automatic object: its value becomes arbitrary.
    Declare {
        /// The object.
        variable: VarId,
    },
    /// Goes on only if `condition` (an `int` that is 0 or 1) is 1 (`truth`) or 0.
    Assume {
        /// The condition.
        condition: ExprId,
        /// Which branch.
        truth: bool,
    },
    /// Writes `value` to `place`; both have the same type up to qualifiers. Aggregates are copied whole.
    Assign {
        /// The place.
        place: ExprId,
        /// The value.
        value: ExprId,
    },
    /// Reads an input: any value of the type of `variable` (0 or 1 for `_Bool`).
    Havoc {
        /// Where it goes, if anywhere. The type is the result type of `input`.
        variable: Option<VarId>,
        /// The input function.
        input: FunctionId,
    },
    /// A direct call. Arguments are converted to the parameter types; surplus ones are variadic.
    Call {
        /// The callee.
        callee: FunctionId,
        /// The arguments.
        arguments: Vec<ExprId>,
        /// The variable that gets the result; it has the result type.
        result: Option<VarId>,
    },
    /// Leaves the function. `None` in a function with a result: the caller gets an arbitrary value.
    Return {
        /// The value, of the function's result type.
        value: Option<ExprId>,
    },
    /// Nothing.
    Blank,
    /// Inline assembly; its EdgeKey kind is `unsupported`. An empty template without outputs is lowered to `Blank`.
    Asm(Box<InlineAsm>),
    /// A construct without sound treatment; the construct is named, the text is at the edge's span.
    Unsupported {
        /// The name of the construct.
        construct: Box<str>,
    },
}

/// A call as an operation makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// The callee.
    pub callee: FunctionId,
    /// The arguments.
    pub arguments: &'a [ExprId],
    /// The variable that gets the result.
    pub result: Option<VarId>,
}

impl Operation {
    /// The call that the operation is.
    #[must_use]
    pub fn call(&self) -> Option<Call<'_>> {
        if let Self::Call { callee, arguments, result } = self {
            Some(Call { callee: *callee, arguments, result: *result })
        } else {
            None
        }
    }

    /// The variable that gets what the program does not compute: the result of a call, or an input.
    #[must_use]
    pub const fn result(&self) -> Option<VarId> {
        match *self {
            Self::Call { result, .. } => result,
            Self::Havoc { variable, .. } => variable,
            Self::Declare { .. } | Self::Assume { .. } | Self::Assign { .. } => None,
            Self::Return { .. } | Self::Blank | Self::Asm(_) | Self::Unsupported { .. } => None,
        }
    }

    /// The variables that the operation writes as a whole; with `false` one that becomes arbitrary.
    #[must_use]
    pub fn sets(&self, exprs: &ExprArena) -> Vec<(VarId, bool)> {
        let whole = |place: ExprId| {
            if let Expr::Variable(variable) = *exprs.get(place) { Some((variable, true)) } else { None }
        };
        match self {
            Self::Declare { variable } => vec![(*variable, false)],
            Self::Assign { place, .. } => whole(*place).into_iter().collect(),
            Self::Asm(asm) => asm.outputs.iter().filter_map(|output| whole(output.expr)).collect(),
            Self::Call { .. } | Self::Havoc { .. } => self.result().map(|variable| (variable, true)).into_iter().collect(),
            Self::Assume { .. } | Self::Return { .. } | Self::Blank | Self::Unsupported { .. } => Vec::new(),
        }
    }

    /// The construct without sound treatment that the operation stands for.
    #[must_use]
    pub fn unsupported(&self) -> Option<&str> {
        if let Self::Unsupported { construct } = self { Some(construct) } else { None }
    }
}
