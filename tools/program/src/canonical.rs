//! The fingerprint of a program: a hash of everything that decides what its operations mean.
//!
//! Two programs of equal fingerprint have equal CFAs up to the places in the source, so an edge number of one is the same
//! edge of the other. It covers types with layout and qualifiers, initialisers, definedness, parameters, operations, asm
//! text, data model, entry and property; it does not cover spans, tags and the order of declarations that make no object.
//! Where something is unsupported, an operation says what kind of thing it is and not what it means: then all tokens of the
//! text count, and two programs of equal fingerprint have equal texts up to comments and blanks.

use sha2::{Digest, Sha256};
use std::fmt::{self, Write};

use crate::cfa::{Cfa, Variable};

/// Changes whenever the front end numbers or lowers anything differently, so that stale artifacts are refused.
pub const LOWERING_VERSION: u32 = 24;

impl Cfa {
    /// The fingerprint as hexadecimal text.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut hash = Buffered { hash: Sha256::new(), text: String::with_capacity(1 << 16) };
        // Writing to a hash cannot fail.
        let _ = self.write_canonical(&mut hash);
        hash.flush();
        hash.hash.finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// Whether two programs have the same fingerprint. To make it takes a tenth of the time of reading a program, and mostly
    /// their texts tell them apart.
    #[must_use]
    pub fn is_same_as(&self, other: &Cfa) -> bool {
        self.digest == other.digest && self.edges.len() == other.edges.len() && self.fingerprint() == other.fingerprint()
    }

    /// Writes the canonical text of the program.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_canonical(&self, out: &mut dyn Write) -> fmt::Result {
        let options = &self.options;
        writeln!(out, "{LOWERING_VERSION} {} {} {}", options.data_model, options.entry, options.property)?;
        self.write_types(out)?;
        for id in 0..self.exprs.len() {
            let id = crate::expr::ExprId::new(id);
            writeln!(out, "{:?} {:?}", self.exprs.get(id), self.exprs.ty(id))?;
        }
        for variable in &self.variables {
            let Variable { name, ordinal, kind, function, ty, initializer, thread_local, align, identity, .. } = variable;
            write!(out, "{name} {ordinal} {kind:?} {function:?} {ty:?} {initializer:?} {thread_local}")?;
            writeln!(out, " {align} {identity:?}")?;
        }
        for f in &self.functions {
            writeln!(out, "{} {:?} {:?} {:?} {:?} {:?}", f.name, f.linkage, f.ty, f.parameters, f.entry, f.exit)?;
            writeln!(out, "{:?} {} {:?}", f.known, f.address_taken, f.identity)?;
        }
        for location in &self.locations {
            writeln!(out, "{:?} {}", location.function, location.is_error)?;
        }
        for edge in &self.edges {
            writeln!(out, "{:?} {:?} {:?}", edge.source, edge.target, edge.operation)?;
        }
        match self.digest {
            Some(digest) => writeln!(out, "{digest:?}"),
            None => Ok(()),
        }
    }

    fn write_types(&self, out: &mut dyn Write) -> fmt::Result {
        for (_, ty) in self.types.types() {
            writeln!(out, "{ty:?}")?;
        }
        for (_, r) in self.types.records() {
            writeln!(out, "{} {:?} {} {} {} {:?}", r.is_union, r.fields, r.size, r.align, r.complete, r.unsupported)?;
        }
        for (_, e) in self.types.enums() {
            writeln!(out, "{:?} {:?} {}", e.underlying, e.enumerators, e.complete)?;
        }
        Ok(())
    }
}

/// Collects small writes before they are hashed.
struct Buffered {
    hash: Sha256,
    text: String,
}

impl Buffered {
    fn flush(&mut self) {
        self.hash.update(self.text.as_bytes());
        self.text.clear();
    }
}

impl Write for Buffered {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.push_str(text);
        if self.text.len() > (1 << 16) - 512 {
            self.flush();
        }
        Ok(())
    }
}
