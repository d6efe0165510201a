//! Names as small numbers.
//!
//! Does not know what a name denotes.

use formats::dense;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// An interned name: equal symbols of one [`Interner`] are equal names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

impl Symbol {
    /// The number of the symbol, dense from 0 in order of first occurrence.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The symbol with this number.
    pub(crate) fn from_index(index: usize) -> Self {
        Self(dense(index))
    }
}

/// The table of all names.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    names: IndexSet<Box<str>, FxBuildHasher>,
}

impl Interner {
    /// The symbol of a name, new or known.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(index) = self.names.get_index_of(name) {
            return Symbol(dense(index));
        }
        Symbol(dense(self.names.insert_full(name.into()).0))
    }

    /// The symbol of a name that occurs in the program.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.names.get_index_of(name).map(|index| Symbol(dense(index)))
    }

    /// The spelling of a symbol; empty for a symbol of another table.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.get_index(symbol.index()).map_or("", AsRef::as_ref)
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no name at all.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
