//! Proofs about all objects of a class at once: what every object on the heap keeps, and the property with it.
//!
//! The claims are about objects; they are goals of the program in focus ([`transform::focus`]).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::analysis::Observer;
use engine::session::Clock;
use formats::Property;
use program::cfa::Cfa;
use semantics::facts::Facts;
use smt::z3::Z3Error;
use transform::focus::{self, Blame, Candidate, Class, Focused};

use crate::claims::{self, Asked, Claims, Effort, Search};

/// Steps of one round.
const ROUND: u64 = 400_000;

/// Whether a program may have such objects.
pub(crate) fn may_be_there(cfa: &Cfa) -> bool {
    let allocates = |function: &program::cfa::Function| function.known == Some(program::cfa::Known::Allocate);
    matches!(cfa.options.property, Property::UnreachCall | Property::Assert) && cfa.functions.iter().any(allocates)
}

/// Looks for a proof by what all objects keep and by nothing else, in so many steps: the invariants, in words.
///
/// # Errors
/// [`Z3Error`] if the linked solver cannot be used.
pub fn prove_by_objects(cfa: &Cfa, steps: u64) -> Result<Option<Vec<String>>, Z3Error> {
    if !may_be_there(cfa) {
        return Ok(None);
    }
    let split = focus::split(cfa);
    let facts = Facts::new(&split.cfa);
    let classes = focus::classes(&facts);
    let mut search = Search::default();
    if !classes.is_empty() {
        let stop = Arc::new(AtomicBool::new(false));
        prove((&facts, &classes), (&stop, Clock::None), steps, &mut (), &mut search)?;
    }
    Ok(search.found.map(|found| found.claims))
}

/// Looks for a proof, with so many steps at most.
///
/// # Errors
/// [`Z3Error`] if the linked solver cannot be used.
pub(crate) fn prove(
    (facts, classes): (&Facts<'_>, &[Class]),
    of_run: (&Arc<AtomicBool>, Clock),
    limit: u64,
    observer: &mut dyn Observer,
    search: &mut Search,
) -> Result<(), Z3Error> {
    let mut kept = Kept { facts, classes, candidates: focus::claims(facts, classes) };
    claims::prove(&mut kept, of_run, Effort { limit, round: ROUND }, observer, search)
}

/// What every object of some classes keeps.
struct Kept<'a> {
    facts: &'a Facts<'a>,
    classes: &'a [Class],
    candidates: Vec<Candidate>,
}

impl Claims for Kept<'_> {
    fn name(&self) -> &'static str {
        "object invariants"
    }

    fn asked(&self, blame: Blame) -> Asked {
        let Focused { recast, goals, property, kept, .. } = focus::focused(self.facts, self.classes, &self.candidates, blame);
        Asked { cfa: recast.cfa, goals, property, kept }
    }

    fn retain(&mut self, keep: &[bool]) {
        let mut keep = keep.iter();
        self.candidates.retain(|_| keep.next() == Some(&true));
    }

    fn texts(&self) -> Vec<String> {
        let text = |one: &Candidate| focus::text(self.facts.cfa(), &self.classes[one.class], &one.claim);
        self.candidates.iter().map(text).collect()
    }
}
