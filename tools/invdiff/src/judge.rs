//! Runs of versions on inputs, and what they falsify.
//!
//! Does not know the solver: inputs come from claims of the engine, or are tried.

use std::collections::{BTreeMap, BTreeSet};

use formats::verdict::InputValue;
use program::cfa::Cfa;
use program::expr::Expr;
use semantics::interpreter::{Inputs, Limits, Origin, Outcome, Recorded, Request};

use crate::prepare::Prepared;
use crate::question::{Question, Questions};
use crate::watch::{Seen, Watched};

/// Bounds of a run on inputs that another version violated something with, or that are tried.
const TRY: Limits = Limits { steps: 200_000, memory: 64 << 20, skips_library: false };
const SHORT: Limits = Limits { steps: 20_000, memory: 64 << 20, skips_library: false };
/// Runs of a version that are tried.
const TRIES: u64 = 120;

/// Versions that can be watched, each made when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct Judges {
    /// With all questions whose evaluation ends no run.
    quiet: BTreeMap<usize, Watched>,
    /// With one that may.
    single: BTreeMap<(usize, usize), Watched>,
    /// Versions of which a run came to what has no defined effect, or no treatment.
    obstructed: BTreeSet<usize>,
}

impl Judges {
    fn quiet(&mut self, prepared: &Prepared, version: usize, questions: &Questions) -> &Watched {
        self.quiet.entry(version).or_insert_with(|| {
            let asked: Vec<(usize, &Question)> = questions.all.iter().enumerate().filter(|(_, one)| !one.traps).collect();
            Watched::new(prepared, version, &asked)
        })
    }

    fn single(&mut self, prepared: &Prepared, version: usize, question: usize, questions: &Questions) -> &Watched {
        let make = || Watched::new(prepared, version, &[(question, &questions.all[question])]);
        self.single.entry((version, question)).or_insert_with(make)
    }

    /// Runs a version until a question is falsified.
    pub(crate) fn run(
        &mut self,
        prepared: &Prepared,
        version: usize,
        (question, questions): (usize, &Questions),
        inputs: &mut dyn Inputs,
        limits: Limits,
    ) -> Seen {
        let watched = if questions.all[question].traps {
            self.single(prepared, version, question, questions)
        } else {
            self.quiet(prepared, version, questions)
        };
        watched.run(inputs, Some(question), limits)
    }

    /// Runs a version on inputs and notes what they falsify, each with what is read up to there.
    fn note(
        &mut self,
        prepared: &Prepared,
        version: usize,
        questions: &mut Questions,
        give: &dyn Fn(&Watched, Option<usize>) -> Seen,
    ) {
        let mut found: Vec<(usize, Vec<InputValue>)> = Vec::new();
        let watched = self.quiet(prepared, version, questions);
        let seen = give(watched, None);
        let is_obstructed = matches!(seen.run.outcome, Outcome::Undefined { .. } | Outcome::Unsupported { .. });
        for question in seen.falsified {
            if questions.is_open(question, version) {
                found.push((question, give(watched, Some(question)).inputs(watched.cfa())));
            }
        }
        let trapping = (0..questions.all.len()).filter(|at| questions.all[*at].traps && questions.is_open(*at, version));
        for question in trapping {
            let watched = self.single(prepared, version, question, questions);
            let seen = give(watched, Some(question));
            if seen.falsified.contains(&question) {
                found.push((question, seen.inputs(watched.cfa())));
            }
        }
        for (question, inputs) in found {
            questions.falsified(question, version, &inputs);
        }
        if is_obstructed {
            self.obstructed.insert(version);
        }
    }

    /// The groups that versions are looked at in: those of which some run came to an obstacle by themselves, since behind obstacles
    /// nothing is proved of the whole.
    pub(crate) fn groups(&self, versions: &[usize]) -> Vec<Vec<usize>> {
        let (obstructed, free): (Vec<usize>, Vec<usize>) =
            versions.iter().copied().partition(|version| self.obstructed.contains(version));
        [free, obstructed].into_iter().filter(|group| !group.is_empty()).collect()
    }

    /// Runs a version on recorded inputs, as far as it asks for the same.
    pub(crate) fn replay(&mut self, prepared: &Prepared, version: usize, questions: &mut Questions, inputs: &[InputValue]) {
        if (0..questions.all.len()).any(|question| questions.is_open(question, version)) {
            self.note(prepared, version, questions, &|watched, until| {
                watched.run(&mut Recorded::new(watched.cfa(), inputs), until, TRY)
            });
        }
    }

    /// Tries inputs on a version: small ones, those near constants of the program, and any.
    pub(crate) fn sample(&mut self, prepared: &Prepared, version: usize, questions: &mut Questions, go_on: &dyn Fn() -> bool) {
        let constants = constants(&prepared.cfa);
        for seed in 0..TRIES {
            if !go_on() || (0..questions.all.len()).all(|question| !questions.is_open(question, version)) {
                break;
            }
            self.note(prepared, version, questions, &|watched, until| {
                watched.run(&mut Tried::new(seed, &constants), until, SHORT)
            });
        }
    }
}

/// The constants of a program and their neighbours.
pub(crate) fn constants(cfa: &Cfa) -> Vec<u128> {
    let mut all: BTreeSet<u128> = BTreeSet::new();
    for id in cfa.exprs.ids() {
        if let Expr::Int(bits) = *cfa.exprs.get(id) {
            all.extend([bits, bits.wrapping_add(1), bits.wrapping_sub(1), bits.wrapping_neg()]);
        }
    }
    all.into_iter().take(400).collect()
}

/// Inputs by chance, always the same for a seed.
pub(crate) struct Tried<'a> {
    state: u64,
    seed: u64,
    constants: &'a [u128],
}

impl<'a> Tried<'a> {
    pub(crate) fn new(seed: u64, constants: &'a [u128]) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d, seed, constants }
    }

    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl Inputs for Tried<'_> {
    fn value(&mut self, request: &Request) -> Option<u128> {
        if matches!(request.origin, Origin::Allocation(_)) {
            return Some(0);
        }
        // First all inputs are one small number each; then they are mixed.
        if self.seed < 4 {
            return Some([0, 1, u128::MAX, 2][usize::try_from(self.seed).unwrap_or_default()]);
        }
        let (kind, value) = (self.draw() % 8, self.draw());
        Some(match kind {
            0..=2 => u128::from(value % 4),
            3 => u128::from(value % 256),
            4 => (value % 16) as u128 | !0xf,
            5 | 6 if !self.constants.is_empty() => {
                self.constants[usize::try_from(value).unwrap_or_default() % self.constants.len()]
            }
            _ => u128::from(value) | u128::from(self.draw()) << 64,
        })
    }
}
