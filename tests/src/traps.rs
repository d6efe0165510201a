//! The trap pairs of the detectors as texts: changes that look harmless and are not, each for one rule.

/// Every program starts with these.
const PRELUDE: &str = "extern void reach_error(void); extern void abort(void); extern void exit(int);\n\
    extern int __VERIFIER_nondet_int(void); extern unsigned int __VERIFIER_nondet_uint(void);\n";

/// What a trap is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The modified program violates the property, and the original does not.
    Regression,
    /// As that, but what differs is beyond the interpreter.
    Checked,
    /// Nothing that a run shows.
    Sound,
}

/// A pair of programs.
#[derive(Clone, Debug)]
pub struct Trap {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// The program before the change.
    pub original: String,
    /// The program after the change.
    pub modified: String,
}

macro_rules! traps {
    ($($(#[$_meta:meta])* $name:ident: $kind:ident, $fixture:literal;)*) => {
        const FIXTURES: &[(&str, Kind, &str)] = &[$((stringify!($name), Kind::$kind, $fixture)),*];
    };
}

include!("../../tools/diffdp/traps.rs");

/// All of them, in the order of the rules they are about.
#[must_use]
pub fn traps() -> Vec<Trap> {
    let trap = |(name, kind, fixture): &(&'static str, Kind, &str)| {
        let (common, rest) = fixture.split_once("//- original.c")?;
        let (original, modified) = rest.split_once("//- modified.c")?;
        let program = |own: &str| format!("{PRELUDE}{common}{own}");
        Some(Trap { name, kind: *kind, original: program(original), modified: program(modified) })
    };
    FIXTURES.iter().filter_map(trap).collect()
}
