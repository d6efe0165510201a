//! The trap pairs, and what their runs do: changes that look harmless and are not, each for one rule or hole of a detector.
//!
//! The pairs are small, so that all runs over a few values are all there is to see.
//! Does not know what judges or is judged.

use formats::ProgramOptions;
use program::cfa::{Cfa, EdgeId};
use program::source::SourceFile;
use semantics::interpreter::{Limits, Tried};

/// Every program starts with these.
const PRELUDE: &str = "extern void reach_error(void); extern void abort(void); extern void exit(int);\n\
    extern int __VERIFIER_nondet_int(void); extern unsigned int __VERIFIER_nondet_uint(void);\n";

/// The values tried for each input.
const TRIED: Tried<'_> =
    Tried { values: &[0, 1, 2, 5], depth: 4, limits: Limits { steps: 5_000, memory: 1 << 24, skips_library: false } };

/// What a trap is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The modified program violates the property, and the original does not.
    Regression,
    /// As that, but what differs is beyond the interpreter: something has to be left to check.
    Checked,
    /// Nothing that a run shows; it was answered wrongly once.
    Sound,
}

/// A pair of programs.
pub(super) struct Trap {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) original: String,
    pub(super) modified: String,
}

/// A run that violates the property: the values it read, and its way.
pub(super) struct Violation {
    pub(super) values: Vec<u128>,
    pub(super) trace: Vec<EdgeId>,
}

macro_rules! traps {
    ($($(#[$_meta:meta])* $name:ident: $kind:ident, $fixture:literal;)*) => {
        const FIXTURES: &[(&str, Kind, &str)] = &[$((stringify!($name), Kind::$kind, $fixture)),*];
    };
}

include!("../../../../tools/diffdp/traps.rs");

/// All of them, in the order of the rules they are about.
pub(super) fn traps() -> Vec<Trap> {
    let program = |common: &str, own: &str| {
        let text: Vec<&str> = common.lines().chain(own.lines()).map(str::trim).filter(|line| !line.is_empty()).collect();
        format!("{PRELUDE}{}\n", text.join("\n"))
    };
    let trap = |(name, kind, fixture): &(&'static str, Kind, &str)| {
        let (common, rest) = fixture.split_once("//- original.c")?;
        let (original, modified) = rest.split_once("//- modified.c")?;
        Some(Trap { name, kind: *kind, original: program(common, original), modified: program(common, modified) })
    };
    FIXTURES.iter().filter_map(trap).collect()
}

/// A program as a stage reads it.
pub(super) fn load(path: &str, text: &str) -> Result<Cfa, program::diagnostic::Diagnostic> {
    program::load_source(SourceFile::new(path, text), &ProgramOptions::default())
}

/// All runs over the values tried that violate the property.
pub(super) fn violations(program: &Cfa) -> Vec<Violation> {
    TRIED.violations(program).into_iter().map(|(values, run)| Violation { values, trace: run.trace }).collect()
}

/// Whether a program violates the property on values.
pub(super) fn violates(program: &Cfa, values: &[u128]) -> bool {
    TRIED.violates(program, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traps_are_what_they_say() {
        let all = traps();
        assert!(all.len() >= 60, "{} traps", all.len());
        for trap in all {
            let [original, modified] = [&trap.original, &trap.modified].map(|text| load("trap.c", text).unwrap());
            let regression = violations(&original).is_empty() && !violations(&modified).is_empty();
            assert!(trap.kind != Kind::Regression || regression, "{}", trap.name);
        }
    }
}
