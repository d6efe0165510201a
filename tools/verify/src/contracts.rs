//! Proofs about recursive functions by their contracts: what every call sees to and leaves, and the property with it.
//!
//! The claims are clauses; they are goals of a program in which no function calls itself ([`transform::contracts`]).

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::analysis::Observer;
use engine::control::Position;
use engine::evidence::invariant::Invariant;
use engine::session::{Clock, Memory, Sessions};
use formats::Property;
use program::cfa::{Cfa, LocationId};
use semantics::facts::Facts;
use semantics::interpreter::{self, EdgeObserver, Inputs, Limits, Origin, Request};
use smt::z3::Z3Error;
use smt::{TermId, TermStore};
use transform::contracts::{
    Clause, Contracted, Depth, Observed, Setting, as_clauses, behind_calls, contracted, guesses, observed, texts,
};
use transform::focus::Blame;

use crate::claims::{self, Asked, Claims, Effort, Search};
use crate::tables::tabled;

/// What a proof by contracts is called.
pub(crate) const NAME: &str = "contracts";

/// Steps of one round.
const ROUND: u64 = 200_000;

/// Clauses that are asked for at most.
const MOST: usize = 300;

/// Runs that are watched with the same small number for every input, with small ones besides, and in all.
const SAME: u64 = 16;
const SMALL: u64 = 40;
const TRIALS: u64 = 48;

/// How long each is.
const LIMITS: Limits = Limits { steps: 10_000, memory: 1 << 20, skips_library: true };

/// Where clauses come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The text.
    Text(Depth),
    /// Calls that were executed, besides what callers ask for.
    Tables,
}

/// All, cheap ones first.
const SOURCES: [Source; 5] = [
    Source::Text(Depth::Asked),
    Source::Text(Depth::Related),
    Source::Tables,
    Source::Text(Depth::Numbers),
    Source::Text(Depth::Cases),
];

/// Whether a property is one of single runs at single places, which is what contracts carry over.
fn is_carried(property: Property) -> bool {
    match property {
        Property::UnreachCall | Property::Assert | Property::DivZero | Property::Shift | Property::NoOverflow => true,
        Property::ValidDeref | Property::ValidFree | Property::ValidMemtrack => false,
    }
}

/// Whether a program may have such functions.
pub(crate) fn may_be_there(facts: &Facts<'_>) -> bool {
    is_carried(facts.cfa().options.property) && facts.cfa().function_ids().any(|function| facts.calls().is_recursive(function))
}

/// Looks for a proof by contracts and by nothing else, in so many steps: the clauses, in words.
///
/// # Errors
/// [`Z3Error`] if the linked solver cannot be used.
pub fn prove_by_contracts(cfa: &Cfa, steps: u64) -> Result<Option<Vec<String>>, Z3Error> {
    let facts = Facts::new(cfa);
    let mut search = Search::default();
    if may_be_there(&facts) {
        let stop = Arc::new(AtomicBool::new(false));
        for source in SOURCES {
            prove(&facts, source, (&stop, Clock::None), steps, &mut (), &mut search)?;
        }
    }
    Ok(search.found.map(|found| found.claims))
}

/// Looks for a proof, with so many steps at most.
///
/// # Errors
/// [`Z3Error`] if the linked solver cannot be used.
pub(crate) fn prove(
    facts: &Facts<'_>,
    source: Source,
    of_run: (&Arc<AtomicBool>, Clock),
    limit: u64,
    observer: &mut dyn Observer,
    search: &mut Search,
) -> Result<(), Z3Error> {
    if search.found.is_some() {
        return Ok(());
    }
    let depth = if let Source::Text(depth) = source { depth } else { Depth::Asked };
    let Some((mut setting, mut clauses)) = guesses(facts, depth) else { return Ok(()) };
    watch(&setting, &mut clauses);
    if source == Source::Tables {
        let (claimed, steps) = tabled(&setting, of_run.0);
        search.steps += steps;
        if claimed.is_empty() {
            return Ok(());
        }
        let (with, known) = as_clauses(setting, &claimed);
        setting = with;
        clauses.splice(0..0, known);
    }
    clauses.truncate(MOST);
    let mut contracts = Contracts { setting, clauses };
    claims::prove(&mut contracts, of_run, Effort { limit, round: ROUND }, observer, search)
}

/// Gives up the clauses that some runs of the program do not keep.
fn watch(setting: &Setting, clauses: &mut Vec<Clause>) {
    let Observed { recast, broken } = observed(setting, clauses);
    let mut kept = vec![true; clauses.len()];
    for trial in 0..TRIALS {
        let mut inputs = Trial { number: trial, drawn: trial };
        let mut watcher = EdgeObserver(|edge| {
            if let Some(clause) = broken.get(&edge) {
                kept[*clause] = false;
            }
            ControlFlow::Continue(())
        });
        interpreter::run(&recast.cfa, &mut inputs, &mut watcher, LIMITS);
    }
    let mut kept = kept.into_iter();
    clauses.retain(|_| kept.next() == Some(true));
}

/// Inputs of one run: the same small number each time, or any small ones, or any.
struct Trial {
    number: u64,
    drawn: u64,
}

impl Inputs for Trial {
    fn value(&mut self, request: &Request) -> Option<u128> {
        // Of what nothing was written to, the lowest byte is enough to be small; whatever is given only tells clauses apart.
        let is_asked = match request.origin {
            Origin::Input(_) | Origin::Parameter(_) => true,
            Origin::Object { variable, offset, .. } => variable.is_some() && offset == 0,
            Origin::External(_)
            | Origin::MissingResult(_)
            | Origin::Volatile(_)
            | Origin::Allocation(_)
            | Origin::Comparison(_) => false,
        };
        if !is_asked {
            return None;
        }
        // The generator of Knuth's MMIX.
        self.drawn = self.drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let drawn = u128::from(self.drawn >> 32);
        Some(match self.number {
            0..SAME => u128::from(self.number),
            SAME..SMALL => (drawn % 24).wrapping_sub(3),
            _ => drawn,
        })
    }
}

/// The contracts of the recursive functions of a program.
struct Contracts {
    setting: Setting,
    clauses: Vec<Clause>,
}

impl Claims for Contracts {
    fn name(&self) -> &'static str {
        NAME
    }

    fn asked(&self, blame: Blame) -> Asked {
        let Contracted { recast, goals, property, .. } = contracted(&self.setting, &self.clauses, blame);
        Asked { cfa: recast.cfa, goals, property, kept: Vec::new() }
    }

    fn retain(&mut self, keep: &[bool]) {
        let mut keep = keep.iter();
        self.clauses.retain(|_| keep.next() == Some(&true));
    }

    fn texts(&self) -> Vec<String> {
        texts(&self.setting, &self.clauses)
    }

    fn known(&self, stop: &Arc<AtomicBool>) -> Result<(Vec<Invariant>, TermStore), Z3Error> {
        let known = behind_calls(&self.setting, &self.clauses);
        let mut sessions = Sessions::open(&known.cfa, None, stop, Clock::None)?;
        let session = sessions.of(Memory::Abstracted);
        let Some(start) = session.explorer.start() else { return Ok((Vec::new(), TermStore::new())) };
        let mut all: BTreeMap<LocationId, Vec<TermId>> = BTreeMap::new();
        for (at, holds) in &known.at {
            all.entry(*at).or_default().extend(session.formula(*holds, *at));
        }
        let invariant = |(location, parts): (LocationId, Vec<TermId>)| Invariant {
            position: Position { location, ..start },
            formula: session.store.and(&parts),
        };
        let invariants = all.into_iter().map(invariant).collect();
        Ok((invariants, std::mem::take(&mut session.store)))
    }
}
