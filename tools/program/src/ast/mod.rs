//! The syntax tree of the translation units of a program: what was written, before names and types mean
//! anything.
//!
//! All nodes live in arenas inside [`Ast`] and refer to each other by small indices, so the
//! tree has no recursive `Drop` and copies of references are free; `ast[id]` is the node.
//! Every node carries its [`Span`]. Parentheses leave no node of their own: they widen the span
//! of the expression they enclose.
//! Invariant: every id in a node points into the arenas of the same `Ast`; children are created
//! before their parents.
//! Does not know name spaces, types, layout or values; a construct that cannot be treated later
//! is in the tree all the same.

mod declaration;
mod expression;
mod statement;
mod symbol;
mod unit;

use formats::dense;
use std::ops::Index;

pub use self::declaration::*;
pub use self::expression::*;
pub use self::statement::*;
pub use self::symbol::*;
pub use self::unit::*;
use crate::source::Span;

/// Defines an index type and its arena access.
macro_rules! arena {
    ($($(#[$doc:meta])* $id:ident => $node:ident in $field:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $id(u32);

            impl $id {
                /// The number of the node in its arena.
                pub fn index(self) -> usize {
                    self.0 as usize
                }

                /// The id with this number; only for tables that are parallel to an arena.
                pub fn from_index(index: usize) -> Self {
                    Self(dense(index))
                }
            }

            impl Index<$id> for Ast {
                type Output = $node;
                fn index(&self, id: $id) -> &$node {
                    &self.$field[id.index()]
                }
            }

            impl Allocate for $node {
                type Id = $id;
                fn allocate(self, ast: &mut Ast) -> $id {
                    ast.$field.push(self);
                    $id(dense(ast.$field.len() - 1))
                }
            }
        )*

        /// The translation units of one program, nearly always a single one.
        #[derive(Clone, Debug, Default)]
        pub struct Ast {
            /// The external declarations in source order.
            pub items: Vec<Item>,
            /// For each of `items` how many expressions there are up to its end.
            pub(crate) item_ends: Vec<usize>,
            /// The translation units in source order.
            pub units: Vec<Unit>,
            /// All names that occur.
            pub symbols: Interner,
            /// Pragmas that change the meaning of the program and have no other place in the
            /// tree: not to be skipped without thought.
            pub pragmas: Vec<Pragma>,
            /// Attributes that lowering has to treat, wherever they stand.
            pub attributes: Vec<Attribute>,
            /// Something makes it another program, though one that does the same.
            pub has_identity: bool,
            /// What the text is, whatever its comments, blanks and lines.
            pub digest: [u8; 32],
            $(pub(crate) $field: Vec<$node>,)*
        }

        impl Ast {
            $(
                #[doc = concat!("How many nodes of type [`", stringify!($node), "`] there are.")]
                pub fn $field(&self) -> usize {
                    self.$field.len()
                }
            )*
        }
    };
}

arena! {
    /// Names an [`Expr`].
    ExprId => Expr in exprs;
    /// Names a [`Stmt`].
    StmtId => Stmt in stmts;
    /// Names a [`Declaration`].
    DeclarationId => Declaration in declarations;
    /// Names an [`InitDeclarator`]: one declared object, function or typedef name.
    DeclId => InitDeclarator in init_declarators;
    /// Names a [`Function`] definition.
    FunctionId => Function in functions;
    /// Names a [`Parameter`].
    ParameterId => Parameter in parameters;
    /// Names a [`TypeName`].
    TypeNameId => TypeName in type_names;
    /// Names a [`Record`] specifier.
    RecordId => Record in records;
    /// Names an [`Enum`] specifier.
    EnumId => Enum in enums;
    /// Names an [`Initializer`].
    InitializerId => Initializer in initializers;
    /// Names an [`Asm`].
    AsmId => Asm in asms;
    /// Names a [`StaticAssert`].
    StaticAssertId => StaticAssert in static_asserts;
    /// Names a [`StringLiteral`].
    StringId => StringLiteral in strings;
}

impl Ast {
    /// The spelling of a name.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.symbols.name(symbol)
    }

    /// Puts a node into its arena.
    pub(crate) fn add<N: Allocate>(&mut self, node: N) -> N::Id {
        node.allocate(self)
    }
}

/// A node type that has an arena.
pub(crate) trait Allocate {
    /// The index type of the arena.
    type Id;
    /// Moves the node into its arena.
    fn allocate(self, ast: &mut Ast) -> Self::Id;
}

/// An external declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Objects, functions, typedefs, or only a tag.
    Declaration(DeclarationId),
    /// A function with its body.
    Function(FunctionId),
    /// `_Static_assert(…);`
    StaticAssert(StaticAssertId),
    /// `asm("…");` outside of functions.
    Asm(AsmId),
}

/// A name at the place where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: Symbol,
    /// Where it stands.
    pub span: Span,
}

/// A pragma that changes what the program means: `weak`, `redefine_extname`,
/// `scalar_storage_order`, `STDC FLOAT_CONST_DECIMAL64 …`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pragma {
    /// Its name.
    pub name: Symbol,
    /// The whole directive.
    pub span: Span,
}
