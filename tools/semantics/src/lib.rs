//! What operations mean, without a solver: memory objects and what operations do to them, who calls whom, what can reach
//! the error, call stacks, loops, and conditions stepped along a path.
//!
//! Architecture invariant: does not know a solver, a clock or a file. What is not understood is treated
//! conservatively: it may do anything, may not complete, and may reach the error.

/// The expressions that are values rather than places, as a pattern: matches over places stay exhaustive.
macro_rules! value {
    () => {
        program::expr::Expr::Int(_)
            | program::expr::Expr::Float(_)
            | program::expr::Expr::Zero
            | program::expr::Expr::Load(_)
            | program::expr::Expr::AddressOf(_)
            | program::expr::Expr::FunctionAddress(_)
            | program::expr::Expr::Unary(..)
            | program::expr::Expr::Binary(..)
            | program::expr::Expr::PointerOffset { .. }
            | program::expr::Expr::PointerDifference { .. }
            | program::expr::Expr::Cast(_)
            | program::expr::Expr::Conditional(..)
    };
}

pub mod callgraph;
pub mod carriers;
pub mod compare;
pub mod cursor;
pub mod effects;
pub mod facts;
pub mod float_views;
pub mod interpreter;
pub mod loops;
pub mod object_set;
pub mod objects;
pub mod own_text;
pub mod pointers;
pub mod pointsto;
pub mod product;
pub mod reach;
mod scc;
pub mod stack;
pub mod steps;
#[cfg(test)]
pub(crate) mod test_program;
pub mod views;
