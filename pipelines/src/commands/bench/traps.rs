//! The trap pairs, and what their runs do: changes that look harmless and are not, each for one rule or hole of a detector.
//!
//! The pairs are small, so that all runs over a few values are all there is to see.
//! Does not know what judges or is judged.

use formats::ProgramOptions;
use program::cfa::{Cfa, EdgeId};
use program::source::SourceFile;
use semantics::interpreter::{Inputs, Limits, Origin, Outcome, Request, run};

/// Every program starts with these.
const PRELUDE: &str = "extern void reach_error(void); extern void abort(void); extern void exit(int);\n\
    extern int __VERIFIER_nondet_int(void); extern unsigned int __VERIFIER_nondet_uint(void);\n";

/// The values tried for each input.
const VALUES: [u128; 4] = [0, 1, 2, 5];
/// Inputs of a run at most.
const DEPTH: usize = 4;
/// Steps of a run.
const LIMITS: Limits = Limits { steps: 5_000, memory: 1 << 24, skips_library: false };

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

/// Runs a program on values; behind the last one, what is no input of the program is 0.
struct Script<'a> {
    values: &'a [u128],
    used: usize,
    short: bool,
}

impl Inputs for Script<'_> {
    fn value(&mut self, request: &Request) -> Option<u128> {
        let value = self.values.get(self.used).copied();
        self.used += 1;
        self.short |= value.is_none();
        match (value, request.origin) {
            (None, Origin::Input(_)) => None,
            (value, _) => Some(value.unwrap_or(0)),
        }
    }
}

/// All runs over the values tried that violate the property.
pub(super) fn violations(program: &Cfa) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut pending = vec![Vec::new()];
    while let Some(values) = pending.pop() {
        let mut script = Script { values: &values, used: 0, short: false };
        let done = run(program, &mut script, &mut (), LIMITS);
        if script.short && values.len() < DEPTH {
            pending.extend(VALUES.iter().map(|value| values.iter().copied().chain([*value]).collect()));
        } else if done.outcome == Outcome::ErrorReached {
            found.push(Violation { values, trace: done.trace });
        }
    }
    found
}

/// Whether a program violates the property on values.
pub(super) fn violates(program: &Cfa, values: &[u128]) -> bool {
    let mut script = Script { values, used: 0, short: false };
    run(program, &mut script, &mut (), LIMITS).outcome == Outcome::ErrorReached
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
