//! The correctness witness of a proof: invariants of its loops as C expressions, and what holds where statements begin.
//!
//! An invariant is given for a `while` or `for` loop, of whenever its condition is about to be evaluated. What cannot be said
//! in C at that place is left out; a weaker invariant is one still, and so is `1` of a loop that a proof needs to know nothing of. A proof that looked at uncovered paths only
//! says nothing about loops: its witness has no invariants and says why.

use std::collections::{BTreeMap, BTreeSet};

use formats::witness::{CorrectnessWitness, Invariant, InvariantKind, Metadata, Place};
use formats::{Producer, ProgramFile};
use program::cfa::{Cfa, FunctionId, LocationId};
use program::source::Span;
use semantics::facts::Facts;
use semantics::loops::Loops;
use semantics::reach::Assembly;
use smt::encode::numbers_of_addresses;
use smt::{Op, TermId, TermStore};

use super::place::{around, place};
use super::statements::statement;
use crate::Claim;
use crate::c_expression::{Scope, implied};

/// Why the witness of a proof under a condition has no invariants.
const PARTIAL: &str = "proved for the paths that a condition leaves uncovered, taking the original program to be safe; \
                       invariants of such a proof need not hold in the whole program and are left out";

/// What was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All paths.
    Whole,
    /// Those that a condition leaves uncovered.
    Uncovered,
}

/// The witness of a proof.
#[must_use]
pub fn correctness(
    cfa: &Cfa,
    program: &ProgramFile,
    producer: &Producer,
    (invariants, store): (&[Claim], &TermStore),
    extent: Extent,
) -> CorrectnessWitness {
    let mut metadata = Metadata::new(producer, program, &cfa.options);
    let invariants = match extent {
        Extent::Whole => program_invariants(cfa, invariants, store),
        Extent::Uncovered => {
            metadata.description = Some(PARTIAL.to_owned());
            Vec::new()
        }
    };
    CorrectnessWitness { metadata, invariants }
}

fn program_invariants(cfa: &Cfa, invariants: &[Claim], store: &TermStore) -> Vec<Invariant> {
    let mut by_location: BTreeMap<LocationId, Vec<TermId>> = BTreeMap::new();
    for invariant in invariants {
        by_location.entry(invariant.at).or_default().push(invariant.formula);
    }
    let facts = Facts::new(cfa);
    let (loops, addresses) = (facts.loops(), numbers_of_addresses(cfa));
    let seen = Seen { facts: &facts, live: facts.calls().reachable_from(cfa.location(cfa.entry_location()).function) };
    let mut found = Vec::new();
    for (location, formulas) in by_location {
        let function = cfa.location(location).function;
        // In a recursive function a name may mean the variable of another activation.
        if facts.calls().is_recursive(function) || !seen.is_always_looked_at(location) {
            continue;
        }
        let (kind, told) = if loops.is_head(location) {
            (InvariantKind::Loop, keyword(cfa, location).filter(|&keyword| is_told(cfa, keyword)))
        } else {
            (InvariantKind::Location, statement(cfa, location))
        };
        let Some(at) = told else { continue };
        let scope = Scope::new(cfa, &addresses, function, at.lo);
        // Control may be there in any of several calls: one of the formulas holds.
        let parts: Option<Vec<String>> = formulas.iter().map(|&formula| said(store, &scope, formula)).collect();
        let Some(mut parts) = parts else { continue };
        parts.sort();
        parts.dedup();
        let expression = match parts.as_slice() {
            [one] => one.clone(),
            several => several.iter().map(|part| format!("({part})")).collect::<Vec<_>>().join(" || "),
        };
        if kind == InvariantKind::Location && expression == "1" {
            continue;
        }
        let place = place(cfa, at);
        if place.file.is_none() {
            let function = Some(cfa.function(function).name.to_string());
            let place = Place { function, start_offset: None, end_offset: None, end_line: None, ..place };
            found.push(Invariant { place, kind, expression });
        }
    }
    found
}

/// Where proofs look: at locations that control may come to an error from.
struct Seen<'a, 'p> {
    facts: &'a Facts<'p>,
    /// The functions that may be called, ascending.
    live: Vec<FunctionId>,
}

impl Seen<'_, '_> {
    /// Whether a proof looks at a location in whatever calls control may be there: otherwise what it says of it holds in some only.
    fn is_always_looked_at(&self, location: LocationId) -> bool {
        let reach = self.facts.reach(Assembly::Understood);
        let function = |location: LocationId| self.facts.cfa().location(location).function;
        let (mut open, mut known) = (vec![location], BTreeSet::new());
        while let Some(location) = open.pop() {
            if reach.can_reach_in_frame(location) {
                continue;
            }
            let here = function(location);
            if here == function(self.facts.cfa().entry_location()) {
                return false;
            }
            // What is behind a call goes on with what is behind that of its function.
            let calls = self.facts.calls().call_sites(here).iter().map(|call| self.facts.cfa().edge(*call));
            let live = calls.filter(|call| self.live.binary_search(&function(call.source)).is_ok());
            open.extend(live.map(|call| call.target).filter(|behind| known.insert(*behind)));
        }
        true
    }
}

/// What is said of a loop in one of the calls that control may be in; `1` where the proof needs to know nothing there.
fn said(store: &TermStore, scope: &Scope<'_>, formula: TermId) -> Option<String> {
    if store.op(formula) == Op::True { Some("1".to_owned()) } else { implied(store, scope, formula) }
}

/// What a proof says of a loop.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AtLoop {
    /// The function.
    pub function: String,
    /// The position of the loop among those of its function, in the order of the text.
    pub number: usize,
    /// What holds whenever its condition is evaluated.
    pub expression: String,
}

/// What invariants say of loops, each conjunct on its own, so that some may be kept where others no longer hold. What cannot be
/// said in C is left out.
#[must_use]
pub fn at_loops(cfa: &Cfa, invariants: &[Claim], store: &TermStore) -> Vec<AtLoop> {
    let mut by_location: BTreeMap<LocationId, Vec<TermId>> = BTreeMap::new();
    for invariant in invariants {
        by_location.entry(invariant.at).or_default().push(invariant.formula);
    }
    let (facts, addresses) = (Facts::new(cfa), numbers_of_addresses(cfa));
    let mut found = Vec::new();
    for (function, keywords) in keywords(cfa, facts.loops()) {
        for (number, (keyword, head)) in keywords.iter().enumerate() {
            let Some(formulas) = by_location.get(head).filter(|_| !facts.calls().is_recursive(function)) else { continue };
            let scope = Scope::new(cfa, &addresses, function, keyword.lo);
            let texts: Vec<String> = match formulas.as_slice() {
                [one] => conjuncts(store, *one).into_iter().filter_map(|part| implied(store, &scope, part)).collect(),
                // Control may be there in any of several calls: what is said of all of them holds.
                several => {
                    let each: Vec<BTreeSet<TermId>> =
                        several.iter().map(|formula| conjuncts(store, *formula).into_iter().collect()).collect();
                    let common = |part: &&TermId| each.iter().all(|parts| parts.contains(part));
                    each[0].iter().filter(common).filter_map(|part| implied(store, &scope, *part)).collect()
                }
            };
            let function = cfa.function(function).name.to_string();
            found.extend(texts.into_iter().map(|expression| AtLoop { function: function.clone(), number, expression }));
        }
    }
    found
}

/// The places of the loops of each function, in the order of the text, each with where its keyword is in the text.
#[must_use]
pub fn loop_places(cfa: &Cfa) -> BTreeMap<String, Vec<(Span, Place)>> {
    let place = |(keyword, _): &(Span, LocationId)| (*keyword, place(cfa, *keyword));
    let named = |(function, keywords): (FunctionId, Vec<(Span, LocationId)>)| {
        (cfa.function(function).name.to_string(), keywords.iter().map(place).collect())
    };
    keywords(cfa, &Loops::new(cfa)).into_iter().map(named).collect()
}

/// The loops of each function that begin with a word of the text, in the order of these.
fn keywords(cfa: &Cfa, loops: &Loops) -> BTreeMap<FunctionId, Vec<(Span, LocationId)>> {
    let mut found: BTreeMap<FunctionId, Vec<(Span, LocationId)>> = BTreeMap::new();
    for head in loops.all().iter().map(|one| one.head) {
        if let Some(keyword) = keyword(cfa, head) {
            found.entry(cfa.location(head).function).or_default().push((keyword, head));
        }
    }
    for places in found.values_mut() {
        places.sort_by_key(|(keyword, head)| (keyword.lo, *head));
    }
    found
}

fn conjuncts(store: &TermStore, formula: TermId) -> Vec<TermId> {
    let mut parts = Vec::new();
    let mut pending = vec![formula];
    while let Some(term) = pending.pop() {
        if store.op(term) == Op::And { pending.extend(store.args(term).iter().copied()) } else { parts.push(term) }
    }
    parts
}

/// The lines by which control can enter a loop other than the one at a given line: an automaton that knows lines only
/// could take one for the other.
#[must_use]
pub fn with_unique_lines(cfa: &Cfa, witness: CorrectnessWitness) -> CorrectnessWitness {
    let loops = Loops::new(cfa);
    let mut heads_by_line: BTreeMap<u32, BTreeSet<LocationId>> = BTreeMap::new();
    for head in loops.all().iter().map(|one| one.head) {
        let keyword = keyword(cfa, head).into_iter();
        let entering = cfa.in_edges(head).iter().map(|&edge| cfa.edge(edge).span);
        let leaving = cfa.out_edges(head).iter().map(|&edge| cfa.edge(edge).statement);
        for span in keyword.chain(entering).chain(leaving) {
            heads_by_line.entry(place(cfa, span).line).or_default().insert(head);
        }
    }
    let is_alone = |line: u32| heads_by_line.get(&line).is_some_and(|heads| heads.len() == 1);
    let is_unique = |invariant: &Invariant| invariant.kind == InvariantKind::Loop && is_alone(invariant.place.line);
    CorrectnessWitness { invariants: witness.invariants.into_iter().filter(is_unique).collect(), ..witness }
}

fn keyword(cfa: &Cfa, head: LocationId) -> Option<Span> {
    cfa.location(head).loop_word
}

/// Whether the place of a keyword tells which loop is meant; without columns it does for the first on its line.
fn is_told(cfa: &Cfa, keyword: Span) -> bool {
    let (before, _) = around(cfa, keyword);
    let before = String::from_utf8_lossy(before);
    let mut words = before.split(|c: char| !c.is_alphanumeric() && c != '_');
    !cfa.source.is_preprocessed() || !words.any(|word| ["for", "while", "do"].contains(&word))
}
