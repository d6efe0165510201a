//! What of the change is behind a failure: both assertions with both codes, run on the failing inputs (rule R12).
//!
//! Exact for these inputs: every run is one of the interpreter, to its end, on inputs that both programs read alike. The
//! modified assertion gets into the original code, and the other way round, as text; where that is no program, where the
//! modified assertion has no place in the original, or where a run does not end, nothing is said.

#![expect(clippy::wildcard_enum_match_arm, reason = "a few operations are statements to put another in front of")]

use std::collections::BTreeSet;

use console::Budget;
use evidence::harness::text::Patch;
use formats::assertions::{Attribution, Code, Relation};
use formats::verdict::InputValue;
use program::cfa::{LocationId, Operation};
use program::source::Span;
use semantics::compare::{Alignment, Comparison};
use transform::assertions::{Style, ids};

use crate::Loaded;
use crate::difference::Difference;
use crate::replay::{LONGEST, Observed, Seen, similar};
use crate::statements::{as_statement, in_place, patched, read, statement};

/// Steps that a run may take besides, before nobody waits for its end.
const PATIENCE: u64 = 100_000;

/// Attributes failures of the modified program.
pub(crate) struct Attributing<'a> {
    original: &'a Loaded,
    modified: &'a Loaded,
    difference: &'a Difference,
    budget: &'a Budget,
    observed: Observed,
    /// The modified program.
    here: Observed,
    /// Made when it is needed.
    places: Option<Vec<Option<LocationId>>>,
}

/// What a run says of an assertion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ran {
    Passes,
    Fails,
    /// It did not come to its end, or reads other inputs.
    Unclear,
}

impl<'a> Attributing<'a> {
    pub(crate) fn new(original: &'a Loaded, modified: &'a Loaded, difference: &'a Difference, budget: &'a Budget) -> Self {
        let [observed, here] = [original, modified].map(|loaded| Observed::new(&loaded.cfa, &loaded.sites));
        Self { original, modified, difference, budget, observed, here, places: None }
    }

    /// What is behind the failure of an assertion, if that is so whichever assertion of the original is its counterpart.
    pub(crate) fn of_any(&self, site: usize, inputs: &[InputValue]) -> Option<Attribution> {
        let change = &self.difference.changes[site];
        let both_old = match (change.relation, change.original) {
            (Relation::Same, Some(other)) => passed(ran(&self.original_on(site, inputs), |id| id == other, inputs)),
            (Relation::New, None) if self.difference.code == Code::Equal => {
                let others = |id: usize| !self.difference.has_counterpart(id);
                passed(ran(&self.original_on(site, inputs), others, inputs)).filter(|passes| *passes)
            }
            _ => return None,
        };
        match (both_old, self.difference.code, change.relation) {
            (Some(both_old), Code::Equal, _) => Some(Attribution::of(false, both_old, both_old)),
            (Some(both_old), Code::Changed, Relation::Same) => Some(Attribution::of(both_old, false, both_old)),
            _ => None,
        }
    }

    /// The original on inputs on which an assertion of the modified program fails.
    fn original_on(&self, site: usize, inputs: &[InputValue]) -> Seen {
        self.observed.on_and_on(inputs, self.most(site, inputs), self.budget)
    }

    /// How long a run may be that is compared with one that violates an assertion.
    fn most(&self, site: usize, inputs: &[InputValue]) -> u64 {
        let run = |id| self.here.until(inputs, (LONGEST, Some(&BTreeSet::from([id]))), self.budget);
        let violating = ids(&self.modified.sites).filter(|id| id.site == site).map(|id| (id, run(id)));
        let length = violating.filter(|(id, seen)| seen.violated.contains(id)).map(|(_, seen)| seen.length).min();
        length.map_or(LONGEST, |length| similar(length).saturating_add(PATIENCE).min(LONGEST))
    }

    /// What is behind the failure of an assertion of the modified program on some inputs.
    pub(crate) fn of(&mut self, site: usize, inputs: &[InputValue]) -> Attribution {
        self.attribution(site, inputs).unwrap_or(Attribution::NotAttributable)
    }

    fn attribution(&mut self, site: usize, inputs: &[InputValue]) -> Option<Attribution> {
        let change = &self.difference.changes[site];
        let (relation, counterpart) = (change.relation, change.original);
        let both_old = match counterpart {
            Some(other) => passed(ran(&self.original_on(site, inputs), |id| id == other, inputs))?,
            // What it follows from stands for it, e.g. one assertion that has become two.
            None if relation == Relation::Implied => {
                let originals = self.difference.originals(site);
                passed(ran(&self.original_on(site, inputs), |id| originals.contains(&id), inputs))?
            }
            None => true,
        };
        if self.difference.code == Code::Equal {
            // With the same code the modified assertion fails in the original as it does here.
            return Some(Attribution::of(false, both_old, both_old));
        }
        if relation == Relation::Same {
            return Some(Attribution::of(both_old, false, both_old));
        }
        let old_code = self.modified_assertion_in_original(site, counterpart, inputs)?;
        let old_property = match counterpart {
            Some(other) => self.original_assertion_in_modified(site, other, inputs)?,
            // Where it fails, what implies it does.
            None => relation != Relation::Implied,
        };
        Some(Attribution::of(old_code, old_property, both_old))
    }

    fn modified_assertion_in_original(&mut self, site: usize, counterpart: Option<usize>, inputs: &[InputValue]) -> Option<bool> {
        let (original, modified) = (self.original, self.modified);
        let text = as_statement(&modified.cfa, statement(&modified.cfa, &modified.sites[site])?)?;
        let aligned = counterpart.filter(|_| self.difference.changes[site].relation != Relation::Moved);
        let patches = match aligned {
            Some(other) => {
                let span = statement(&original.cfa, &original.sites[other])?;
                vec![in_place(&original.cfa, span, &text)]
            }
            None => insertion(original, self.place(site)?, &text)?,
        };
        run_patched(original, patches, inputs, (self.most(site, inputs), self.budget))
    }

    fn original_assertion_in_modified(&self, site: usize, other: usize, inputs: &[InputValue]) -> Option<bool> {
        let (original, modified) = (self.original, self.modified);
        let text = as_statement(&original.cfa, statement(&original.cfa, &original.sites[other])?)?;
        let span = statement(&modified.cfa, &modified.sites[site])?;
        run_patched(modified, vec![in_place(&modified.cfa, span, &text)], inputs, (self.most(site, inputs), self.budget))
    }

    /// The location of the original where an assertion would be.
    fn place(&mut self, site: usize) -> Option<LocationId> {
        let places = self.places.get_or_insert_with(|| {
            let comparison = Comparison::new(&self.original.cfa, &self.modified.cfa);
            let alignment = Alignment::new(&comparison);
            let sites = &self.modified.sites;
            let place = |after: Option<LocationId>| {
                let mut after = after?;
                // Other assertions that follow are nothing to go by.
                for _ in sites {
                    after = sites.iter().find(|site| site.at == after).and_then(|site| site.after).unwrap_or(after);
                }
                let next = self.modified.cfa.out_edges(after).iter().copied();
                let kept =
                    |edge: &program::cfa::EdgeId| alignment.of(*edge).is_some_and(|other| comparison.identical(*edge, other));
                next.filter(kept).find_map(|edge| Some(self.original.cfa.edge(alignment.of(edge)?).source))
            };
            // A call that says "never" says it of its place, behind conditions that are code.
            self.modified.sites.iter().map(|site| place(site.after.filter(|_| site.style != Style::Bare))).collect()
        });
        *places.get(site)?
    }
}

/// Puts a statement in front of the one that begins at a location.
fn insertion(original: &Loaded, at: LocationId, text: &str) -> Option<Vec<Patch>> {
    let edge = original.cfa.edge(*original.cfa.out_edges(at).first()?);
    let span = edge.statement;
    let begins = |at: u32| Span::new(at, at);
    match edge.operation {
        // A declaration is never the whole of a branch.
        Operation::Declare { .. } => Some(vec![Patch { span: begins(span.lo), text: format!("{text} ") }]),
        Operation::Assign { .. } | Operation::Call { .. } | Operation::Return { .. } => {
            let ended = original.cfa.source.snippet(span).trim_end().ends_with(';');
            // A statement of its own: with the assertion before it, it stays one.
            let around = [(span.lo, format!("{{ {text} ")), (span.hi, " }".to_owned())];
            ended.then(|| around.map(|(at, text)| Patch { span: begins(at), text }).to_vec())
        }
        _ => None,
    }
}

/// Whether the assertion that a patch put into a program holds on some inputs.
fn run_patched(of: &Loaded, patches: Vec<Patch>, inputs: &[InputValue], (steps, budget): (u64, &Budget)) -> Option<bool> {
    let patched = patched(&of.cfa, patches);
    let loaded = read(of, &patched.text, &of.cfa.options)?;
    let is_inside = |span: Span| patched.places.iter().any(|place| place.lo <= span.lo && span.lo < place.hi);
    let inside: BTreeSet<usize> = (0..loaded.sites.len()).filter(|site| is_inside(loaded.sites[*site].span)).collect();
    if inside.is_empty() {
        return None;
    }
    let seen = Observed::new(&loaded.cfa, &loaded.sites).on(inputs, steps, budget);
    passed(ran(&seen, |site| inside.contains(&site), inputs))
}

fn passed(ran: Ran) -> Option<bool> {
    match ran {
        Ran::Passes => Some(true),
        Ran::Fails => Some(false),
        Ran::Unclear => None,
    }
}

fn ran(seen: &Seen, is_it: impl Fn(usize) -> bool, inputs: &[InputValue]) -> Ran {
    if !alike(&seen.inputs, inputs) {
        return Ran::Unclear;
    }
    match (seen.violated.iter().any(|id| is_it(id.site)), seen.complete) {
        (true, _) => Ran::Fails,
        (false, true) => Ran::Passes,
        (false, false) => Ran::Unclear,
    }
}

/// Whether one run read the inputs of the other in their order, as far as the shorter one went.
fn alike(read: &[InputValue], recorded: &[InputValue]) -> bool {
    let calls = |inputs: &[InputValue]| -> Vec<String> {
        inputs.iter().filter(|one| one.source.ends_with("()")).map(|one| one.source.clone()).collect()
    };
    calls(read).iter().zip(calls(recorded)).all(|(a, b)| *a == b)
}
