//! Treatments: what becomes of each thing the front end reads and that is no plain C.
//!
//! Attributes, pragmas, specifiers, assembler labels, builtins and library functions are names with a meaning of their own.
//! Each kind has one table of [`Row`]s, and what is in no table is an unsupported operation: nothing that is read is dropped.
//! A row that says "harmless" or "identity" makes a claim about gcc. `tests/treatments/KIND/NAME.c` shows it: the program with
//! and without `-DMODIFIED` differs only in the thing of the row, and both behave alike. Where gcc cannot show it, the row
//! says why.
//!
//! Does not know what the things mean: the modules that read them look names up here and nowhere else.

pub mod attributes;
pub mod builtins;
pub mod labels;
pub mod library;
pub mod pragmas;
pub mod specifiers;

/// What becomes of something that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Treatment {
    /// Types, values and operations of the automaton say what it means.
    Modelled,
    /// It does not change what one program does as far as the error is concerned, or nothing that the language defines, but
    /// two programs that differ in it are different programs: it is part of the fingerprint and of what is compared.
    Identity,
    /// What it means is not known: an unsupported operation stands where it takes effect.
    Unsupported,
    /// It changes nothing that a program of defined behaviour can see.
    Harmless,
}

/// One thing that is read, with its treatment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The name as the table's kind of thing spells it.
    pub name: &'static str,
    /// What becomes of it.
    pub treatment: Treatment,
    /// Why gcc cannot show that the claim holds; `None` where a program shows it, or where nothing is claimed.
    pub unshown: Option<&'static str>,
}

impl Row {
    /// A row whose claim, if its treatment makes one, a program shows.
    #[must_use]
    pub const fn new(name: &'static str, treatment: Treatment) -> Self {
        Self { name, treatment, unshown: None }
    }

    /// A row whose claim gcc cannot show, with the reason.
    #[must_use]
    pub const fn unshown(name: &'static str, treatment: Treatment, reason: &'static str) -> Self {
        Self { name, treatment, unshown: Some(reason) }
    }

    /// Whether a pair of programs has to show that the row is right.
    #[must_use]
    pub const fn needs_evidence(&self) -> bool {
        matches!(self.treatment, Treatment::Identity | Treatment::Harmless) && self.unshown.is_none()
    }
}

/// All tables, each with the name of its kind of thing.
#[must_use]
pub fn tables() -> Vec<(&'static str, &'static [Row])> {
    vec![
        ("attribute", attributes::ROWS),
        ("pragma", pragmas::ROWS),
        ("specifier", specifiers::ROWS),
        ("label", labels::ROWS),
        ("builtin", builtins::ROWS),
        ("library", library::ROWS),
    ]
}

/// The row of a name in a table sorted by name.
#[must_use]
pub fn find(rows: &'static [Row], name: &str) -> Option<&'static Row> {
    rows.binary_search_by(|row| row.name.cmp(name)).ok().map(|index| &rows[index])
}

/// The treatment of a name by a table: what is in none is unsupported.
#[must_use]
pub fn of(rows: &'static [Row], name: &str) -> Treatment {
    find(rows, name).map_or(Treatment::Unsupported, |row| row.treatment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_name_nothing_twice() {
        for (kind, rows) in tables() {
            let mut names = rows.iter().zip(rows.iter().skip(1));
            assert!(names.all(|(a, b)| a.name < b.name), "{kind}");
        }
    }

    #[test]
    fn a_claim_needs_evidence_or_a_reason() {
        assert!(Row::new("cold", Treatment::Harmless).needs_evidence());
        assert!(!Row::new("packed", Treatment::Modelled).needs_evidence());
        assert!(!Row::unshown("section", Treatment::Harmless, "only a linker script can tell").needs_evidence());
    }
}
