//! What operations of an automaton speak of: objects with a name of their own, what static ones hold at first, and functions.
//!
//! Does not know what is done with them, nor how locations and edges are connected.

use super::{FunctionId, Known, LocationId, VarId};
use crate::source::Span;
use crate::types::{QualType, TypeId};

/// Whether a name is seen by other translation units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// `extern` or a plain file-scope definition.
    External,
    /// `static` at file scope.
    Internal,
}

/// What kind of object a variable is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum VarKind {
    /// A file-scope object. `defined` is false for a mere `extern` declaration: its value is an input.
    Global {
        /// Linkage.
        linkage: Linkage,
        /// Has a definition, a tentative one included.
        defined: bool,
    },
    /// A `static` local, lifted: lives as long as the program.
    StaticLocal,
    /// An automatic local.
    Local,
    /// Parameter number `.0` of its function.
    Parameter(u32),
    /// A temporary of lowering: number `.0` within the outermost statement. One variable serves all statements of a
    /// function that need a temporary of this number and type, so that an edit upstream renames none.
    Temporary(u32),
    /// A string literal: its bytes with the terminating zero, of array type; constant.
    StringLiteral(Box<[u8]>),
    /// A compound literal; at file scope it is initialised like a global, in a function by assignments.
    CompoundLiteral,
}

/// A constant in an initialiser.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConstantValue {
    /// Bit pattern of an integer, `_Bool`, enumeration or pointer, zero-extended.
    Int(u128),
    /// Bit pattern of a float.
    Float(u128),
    /// Address of a variable plus bytes.
    Address {
        /// Whose address.
        variable: VarId,
        /// Byte offset.
        offset: i64,
    },
    /// Address of a function.
    Function(FunctionId),
}

/// One scalar of a static initialiser.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InitialScalar {
    /// First bit from the start of the object.
    pub first_bit: u64,
    /// Width in bits (less than the type's for a bit-field).
    pub width: u32,
    /// Type of the scalar.
    pub ty: TypeId,
    /// Its value.
    pub value: ConstantValue,
}

/// The initial value of a static object: the given scalars in order of position, every other bit zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StaticInitializer {
    /// Sorted by `first_bit`, without overlaps.
    pub scalars: Vec<InitialScalar>,
    /// The construct that kept the initialiser from being understood: the object is then an unsupported one.
    pub unsupported: Option<Box<str>>,
}

/// An object of the program that has a name of its own.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name in the source (`x`), or a made one (`__t0`, `__str3`).
    pub name: Box<str>,
    /// Its number among the variables of the same name and kind in the same function (globals: 0), in source order; of a string
    /// literal [`Self::LITERAL_OF_UNITS`] or 0.
    pub ordinal: u32,
    /// What it is.
    pub kind: VarKind,
    /// The function it belongs to, if any.
    pub function: Option<FunctionId>,
    /// Its type.
    pub ty: QualType,
    /// Initial value of globals and static locals, string literals and file-scope compound literals; all zero if defined
    /// without one. `None` for automatic objects and for undefined globals.
    pub initializer: Option<StaticInitializer>,
    /// Its address is taken somewhere (or it is an array that decays).
    pub address_taken: bool,
    /// Thread-local.
    pub thread_local: bool,
    /// The alignment of its address in bytes.
    pub align: u64,
    /// Attributes that change no value but make it another object; the word for the name of a function (`__func__`) that it is.
    pub identity: Box<str>,
    /// The declarator in the source.
    pub span: Span,
}

impl Variable {
    /// The ordinal of a string literal that several translation units have.
    pub const LITERAL_OF_UNITS: u32 = 1;

    /// Whether a tool has added it, which no text declares: those have no place there.
    #[must_use]
    pub fn is_ghost(&self) -> bool {
        matches!(self.kind, VarKind::Global { .. }) && self.span == Span::default()
    }

    /// Whether every activation of its function has an object of its own: not static locals, string literals and what else
    /// belongs to a function but lives as long as the program.
    #[must_use]
    pub fn is_automatic(&self) -> bool {
        match self.kind {
            VarKind::Local | VarKind::Parameter(_) | VarKind::Temporary(_) => true,
            VarKind::CompoundLiteral => self.function.is_some() && self.initializer.is_none(),
            VarKind::Global { .. } | VarKind::StaticLocal | VarKind::StringLiteral(_) => false,
        }
    }
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Box<str>,
    /// Linkage.
    pub linkage: Linkage,
    /// Its type: [`crate::types::Type::Function`].
    pub ty: TypeId,
    /// Parameters, if it has a body.
    pub parameters: Vec<VarId>,
    /// Entry location, if it has a body.
    pub entry: Option<LocationId>,
    /// Exit location, if it has a body.
    pub exit: Option<LocationId>,
    /// What is known of it by name or attribute.
    pub known: Option<Known>,
    /// Its address is taken: every indirect call may reach it.
    pub address_taken: bool,
    /// Attributes that change no value but make it another function.
    pub identity: Box<str>,
    /// The definition (or first declaration) in the source.
    pub span: Span,
}

impl Function {
    /// A function without a body of which nothing is known.
    #[must_use]
    pub fn new(name: &str, linkage: Linkage, ty: TypeId, span: Span) -> Self {
        Self {
            name: name.into(),
            linkage,
            ty,
            parameters: Vec::new(),
            entry: None,
            exit: None,
            known: None,
            address_taken: false,
            identity: Box::default(),
            span,
        }
    }

    /// An error function that the text does not have: what a guard calls.
    pub(crate) fn error(name: &str, ty: TypeId) -> Self {
        Self { known: Some(Known::Error), ..Self::new(name, Linkage::External, ty, Span::default()) }
    }
}
