//! Small typed indices: the names of things inside one process.
//!
//! An index never crosses a process boundary; see [`formats`] for the names that do.

/// Defines a `u32` index type that orders by creation and prints as a short prefixed number.
macro_rules! define_index {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table this index belongs to.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The index of the table position `index`.
            ///
            /// Panics beyond 2^32 entries.
            #[must_use]
            pub const fn new(index: usize) -> Self {
                Self(formats::dense(index))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}
pub(crate) use define_index;

define_index!(
    /// A location, unique over all functions of a program.
    LocationId, "l"
);
define_index!(
    /// An edge, unique over all functions of a program.
    EdgeId, "g"
);
define_index!(
    /// A function, with or without a body.
    FunctionId, "f"
);
define_index!(
    /// A variable: global, local, parameter, temporary or literal.
    VarId, "v"
);
