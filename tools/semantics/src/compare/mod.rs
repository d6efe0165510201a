//! Comparison of two programs: which objects correspond, and which operations are identical.
//!
//! Everything is decided by *classes*: small numbers, shared by both programs, such that two things of any of the two
//! programs have the same class iff they are the same thing. Classes of types, functions, variables, expressions and
//! operations are interned bottom up once, in time linear in the programs, so that comparing two operations compares two
//! numbers and a difference of 10^5 edges is no matter.
//!
//! What is compared is the typed, resolved operation down to bytes: a member is an offset and a type, an element is an
//! index and a size, an access has a type and may be volatile. Names of members and tags therefore do not count, nor does
//! what lies behind a pointer: a pointer to a record is a pointer to a record, because every access through it states its
//! own offset and type. This is weaker than comparing whole record types (a driver whose kernel headers changed would have
//! nothing in common with its predecessor) and as sound: equal bytes at equal offsets of corresponding objects are all
//! that an operation can see.
//!
//! A variable has two kinds of counterpart. Its *identity* (whose address is it?) corresponds by name. Its *content*
//! corresponds only if the type is equal as well; content without counterpart is change-affected for ever.
//!
//! Which edge was which is a guess (`alignment`, by `sequence`) on which nothing rests.
//! Does not know which objects an operation reads or writes.
//! Source: ALGORITHM.md 2.4 (of `diffdp`).

mod alignment;
mod changes;
mod content;
mod correspondence;
mod expressions;
mod initial;
mod operations;
mod places;
mod provenance;
mod reading;
mod renamed;
mod renamed_functions;
pub mod sequence;
mod types;

use program::cfa::{Cfa, EdgeId, FunctionId, VarId};
use program::expr::ExprId;
use program::types::TypeId;

pub use alignment::Alignment;
pub use changes::{Changes, variables};
pub use correspondence::{Correspondence, Renames};
pub use expressions::ValueClass;
pub use operations::OperationClass;
pub use places::{edge_place, function_place, statement_place, variable_place};
pub use provenance::provenance;
pub use types::TypeClass;

/// One of the two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The program before the change.
    Original,
    /// The program after the change.
    Modified,
}

/// The classes of one program.
#[derive(Debug)]
struct Classes {
    types: Vec<TypeClass>,
    values: Vec<ValueClass>,
    operations: Vec<OperationClass>,
}

/// Two programs and what is equal in them.
#[derive(Debug)]
pub struct Comparison<'a> {
    /// The program before the change.
    pub original: &'a Cfa,
    /// The program after the change.
    pub modified: &'a Cfa,
    correspondence: Correspondence,
    original_classes: Classes,
    modified_classes: Classes,
    differing: initial::Differing,
}

impl<'a> Comparison<'a> {
    /// Compares two programs. Time linear in their sizes.
    #[must_use]
    pub fn new(original: &'a Cfa, modified: &'a Cfa) -> Self {
        Self::with_renames(original, modified, Renames::None)
    }

    /// Compares two programs whose variables may have been renamed.
    #[must_use]
    pub fn with_renames(original: &'a Cfa, modified: &'a Cfa, renames: Renames) -> Self {
        let mut interner = types::TypeInterner::default();
        let original_types = interner.classes(original);
        let modified_types = interner.classes(modified);
        let correspondence = Correspondence::new((original, &original_types), (modified, &modified_types), renames);
        let mut values = expressions::ValueInterner::default();
        let original_values = values.classes(Side::Original, (original, modified), &original_types, &correspondence);
        let modified_values = values.classes(Side::Modified, (modified, original), &modified_types, &correspondence);
        let mut operations = operations::OperationInterner::default();
        let original_operations =
            operations.classes(Side::Original, original, &original_types, &original_values, &correspondence);
        let modified_operations =
            operations.classes(Side::Modified, modified, &modified_types, &modified_values, &correspondence);
        let original_classes = Classes { types: original_types, values: original_values, operations: original_operations };
        let modified_classes = Classes { types: modified_types, values: modified_values, operations: modified_operations };
        let differing =
            initial::Differing::new((original, &original_classes.types), (modified, &modified_classes.types), &correspondence);
        Self { original, modified, correspondence, original_classes, modified_classes, differing }
    }

    /// The program on one side.
    #[must_use]
    pub fn program(&self, side: Side) -> &'a Cfa {
        match side {
            Side::Original => self.original,
            Side::Modified => self.modified,
        }
    }

    fn classes(&self, side: Side) -> &Classes {
        match side {
            Side::Original => &self.original_classes,
            Side::Modified => &self.modified_classes,
        }
    }

    /// Which functions and variables correspond.
    #[must_use]
    pub fn correspondence(&self) -> &Correspondence {
        &self.correspondence
    }

    /// Whether an operation of the modified and one of the original program are identical.
    ///
    /// For a return this compares the functions left and the value; the caller compares the call sites returned to.
    #[must_use]
    pub fn identical(&self, modified: EdgeId, original: EdgeId) -> bool {
        self.operation(Side::Modified, modified) == self.operation(Side::Original, original)
    }

    /// The class of an operation.
    #[must_use]
    pub fn operation(&self, side: Side, edge: EdgeId) -> OperationClass {
        self.classes(side).operations[edge.index()]
    }

    /// The class of a value, or of the address of a place.
    #[must_use]
    pub fn value(&self, side: Side, expr: ExprId) -> ValueClass {
        self.classes(side).values[expr.index()]
    }

    /// A number equal for two variables iff they have the same identity.
    #[must_use]
    pub fn variable(&self, side: Side, variable: VarId) -> u32 {
        self.correspondence.variable_class(side, variable)
    }

    /// The class of a type.
    #[must_use]
    pub fn type_class(&self, side: Side, ty: TypeId) -> TypeClass {
        self.classes(side).types[ty.index()]
    }

    /// The class of the type of an expression.
    #[must_use]
    pub fn type_of(&self, side: Side, expr: ExprId) -> TypeClass {
        self.type_class(side, self.program(side).exprs.ty(expr))
    }

    /// Variables of the modified and of the original program whose content is in every set of change-affected objects:
    /// they have no counterpart of equal type.
    #[must_use]
    pub fn without_counterpart(&self, side: Side) -> &[VarId] {
        self.differing.without_counterpart(side)
    }

    /// Variables of the modified program that correspond to one of the original but start with another value, and that one
    /// of the programs mentions.
    #[must_use]
    pub fn initially_different(&self) -> &[VarId] {
        self.differing.initially_different()
    }

    /// Names of globals and static locals that exist in both programs and differ in type, initial value or definedness,
    /// and that an operation of either program mentions.
    #[must_use]
    pub fn differing_globals(&self) -> &[Box<str>] {
        self.differing.globals()
    }

    /// Whether a call of `modified` and a call of `original` are calls of the same function.
    #[must_use]
    pub fn same_callee(&self, modified: FunctionId, original: FunctionId) -> bool {
        self.correspondence.strict_function(modified) == Some(original)
    }
}
