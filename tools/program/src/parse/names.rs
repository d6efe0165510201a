//! The typedef names in force: all that a parser of C needs to know about names.
//!
//! Does not know what anything is declared as, only whether it is a typedef name.

use crate::ast::{BaseType, IntKind, Interner, Symbol};

/// What the parser knows about a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NameKind {
    /// Not declared, or declared as object, function, parameter or enumerator.
    #[default]
    Ordinary,
    /// A typedef name.
    Typedef,
    /// A type name that the compiler predefines.
    Predefined(BaseType),
}

/// The kinds of all names in the present scope.
#[derive(Debug, Default)]
pub(super) struct Names {
    kinds: Vec<NameKind>,
    /// What the open scopes have hidden.
    hidden: Vec<(Symbol, NameKind)>,
    /// Length of `hidden` at the beginning of each open scope.
    scopes: Vec<usize>,
}

impl Names {
    /// The names that gcc predefines.
    pub(super) fn predefined(symbols: &mut Interner) -> Self {
        let mut names = Self { kinds: vec![NameKind::Ordinary; symbols.len() + 3], ..Self::default() };
        for (name, ty) in [
            ("__builtin_va_list", BaseType::VaList),
            ("__int128_t", BaseType::Int(IntKind::Int128)),
            ("__uint128_t", BaseType::Int(IntKind::UnsignedInt128)),
        ] {
            let symbol = symbols.intern(name);
            names.declare(symbol, NameKind::Predefined(ty));
        }
        names
    }

    /// The kind of a name here.
    pub(super) fn kind(&self, name: Symbol) -> NameKind {
        self.kinds.get(name.index()).copied().unwrap_or_default()
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: Symbol, kind: NameKind) {
        if name.index() >= self.kinds.len() {
            self.kinds.resize(name.index() + 1, NameKind::Ordinary);
        }
        let known = std::mem::replace(&mut self.kinds[name.index()], kind);
        if known != kind {
            self.hidden.push((name, known));
        }
    }

    /// Opens a scope.
    pub(super) fn open(&mut self) {
        self.scopes.push(self.hidden.len());
    }

    /// How many scopes are open.
    pub(super) const fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// Closes scopes until so many are open; with none, what follows stands at file level.
    pub(super) fn close_to(&mut self, depth: usize) {
        while self.scopes.len() > depth {
            self.close();
        }
    }

    /// Closes the innermost scope.
    pub(super) fn close(&mut self) {
        let Some(first) = self.scopes.pop() else {
            return;
        };
        for (name, kind) in self.hidden.drain(first..).rev() {
            self.kinds[name.index()] = kind;
        }
    }
}
