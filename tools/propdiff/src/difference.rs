//! What changed in the assertions: which is which, and what need not be checked again.
//!
//! Stage S0: a clause that the original has at the same place, with the same operations, keeps its TRUE. Stage S2: a clause that
//! known inputs violate is FALSE. Stage S1: a clause that follows from clauses that hold at its place is TRUE. S0 and S1 only
//! where the code without the assertions is the same. A FALSE is never handed on: inputs may not violate an assertion that says
//! less. Nor is anything concluded from UNKNOWN. What S0 and S1 say is as good as the earlier verdicts: S3 looks at it again.
//! Source: rules R1, R2, R4 of the corrected method [iProperty, ICSE 2014].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use formats::assertions::{ClauseStatus, Code, Relation};
use program::cfa::LocationId;
use semantics::compare::Comparison;
use smt::z3::Z3Error;
use transform::assertions::{ClauseId, strip};
use transform::fold::Guards;
use transform::lockstep::lockstep;

use crate::arguments::Stage;
use crate::clauses::is_plain;
use crate::known::Known;
use crate::matching::{Change, Matching, Places, Program, Replays, UNREACHED};

/// What changed.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) code: Code,
    pub(crate) changes: Vec<Change>,
    /// Assertions of the original without counterpart.
    pub(crate) removed: Vec<usize>,
    pub(crate) questions: u64,
    /// How assertions relate was asked.
    related: bool,
    places: Places,
    taken: BTreeSet<usize>,
    /// For both programs what holds at each assertion besides.
    guards: [Vec<Guards>; 2],
}

impl Difference {
    /// What became of a clause.
    pub(crate) fn status(&self, id: ClauseId) -> ClauseStatus {
        self.changes[id.site].clauses[id.clause].0
    }
}

/// Compares the assertions of two programs, given what is known of the original's.
pub(crate) fn difference(
    original: &Program<'_>,
    modified: &Program<'_>,
    known: Option<&Known>,
    (replays, wants_relations, without): (Replays<'_>, bool, &[Stage]),
    stop: &Arc<AtomicBool>,
) -> Result<Difference, Z3Error> {
    let stripped = [original, modified].map(|program| strip(program.cfa, program.sites, &|value| is_plain(program.cfa, value)));
    let comparison = Comparison::new(&stripped[0].recast.cfa, &stripped[1].recast.cfa);
    let same = lockstep(&comparison);
    let code = if same.is_some() { Code::Equal } else { Code::Changed };
    // Where the code is not the same, assertions are matched by function only, and nothing is concluded from it.
    let place = |location: LocationId| same.as_ref().and_then(|same| same[location.index()]);
    let full = Comparison::new(original.cfa, modified.cfa);
    let function = |side: &Program<'_>, site: usize| side.cfa.location(side.sites[site].at).function;
    let reached: BTreeSet<LocationId> = same.iter().flatten().flatten().copied().collect();
    // What no run comes to has no place: it is matched by function too.
    let unreached = |function: program::cfa::FunctionId| UNREACHED | function.0;
    let own_function = |site: usize| full.correspondence().function(function(modified, site));
    let key_o = |site: usize| match code {
        Code::Equal if reached.contains(&stripped[0].at[site]) => Some(stripped[0].at[site].0),
        Code::Equal => Some(unreached(function(original, site))),
        Code::Changed => Some(function(original, site).0),
    };
    let key_m = |site: usize| match code {
        Code::Equal => place(stripped[1].at[site]).map(|location| location.0).or_else(|| own_function(site).map(unreached)),
        Code::Changed => own_function(site).map(|function| function.0),
    };
    let mut places: Places = BTreeMap::new();
    let mut changes: Vec<Change> = modified
        .sites
        .iter()
        .map(|site| Change {
            original: None,
            relation: Relation::New,
            clauses: vec![(ClauseStatus::Goal, "new here".to_owned()); site.clauses.len()],
            facts: BTreeMap::new(),
        })
        .collect();
    for site in 0..original.sites.len() {
        if let Some(key) = key_o(site) {
            places.entry(key).or_default().0.push(site);
        }
    }
    for site in 0..modified.sites.len() {
        if let Some(key) = key_m(site) {
            places.entry(key).or_default().1.push(site);
        }
    }
    let guards = match code {
        Code::Equal => stripped.map(|one| one.guards),
        // The branches are part of what changed.
        Code::Changed => [original, modified].map(|program| vec![Guards::new(); program.sites.len()]),
    };
    let (weave, taken) = (None, BTreeSet::new());
    let mut matching =
        Matching { original, modified, guards: &guards, full: &full, weave, known, code, changes: &mut changes, taken };
    for (key, (old, new)) in &places {
        matching.same(old, new, key & UNREACHED == 0 && !without.contains(&Stage::Same));
    }
    matching.replayed(replays);
    // What nobody will read is asked when something depends on it.
    let nothing = BTreeSet::new();
    let of = without.contains(&Stage::Implied).then_some(&nothing);
    let questions = if wants_relations { matching.related(&places, true, of, stop)? } else { 0 };
    let (taken, removed) = (matching.taken, Vec::new());
    let mut difference = Difference { code, changes, removed, questions, related: wants_relations, places, taken, guards };
    if wants_relations {
        difference.end(original, modified, &full);
    }
    Ok(difference)
}

impl Difference {
    /// Whether an assertion of the original is known to be the counterpart of another.
    pub(crate) fn has_counterpart(&self, site: usize) -> bool {
        self.taken.contains(&site)
    }

    /// The assertions of the original at the place of one of the modified program: what they imply is implied by them together.
    pub(crate) fn originals(&self, site: usize) -> &[usize] {
        self.places.values().find(|(_, new)| new.contains(&site)).map_or(&[], |(old, _)| old.as_slice())
    }

    /// Stage S1, where it was put off: which of some clauses follow from clauses that hold at their place.
    pub(crate) fn implied(
        &mut self,
        (original, modified): (&Program<'_>, &Program<'_>),
        known: Option<&Known>,
        of: &BTreeSet<ClauseId>,
        stop: &Arc<AtomicBool>,
    ) -> Result<BTreeSet<ClauseId>, Z3Error> {
        if self.related || known.is_none() || self.code == Code::Changed {
            return Ok(BTreeSet::new());
        }
        let full = Comparison::new(original.cfa, modified.cfa);
        let (weave, taken, code) = (None, std::mem::take(&mut self.taken), self.code);
        let (changes, guards) = (&mut self.changes, &self.guards);
        let mut matching = Matching { original, modified, guards, full: &full, weave, known, code, changes, taken };
        self.questions += matching.related(&self.places, false, Some(of), stop)?;
        self.taken = matching.taken;
        Ok(of.iter().copied().filter(|id| self.status(*id) == ClauseStatus::Implied).collect())
    }

    /// Asks how assertions relate, if nobody has.
    pub(crate) fn relate(
        &mut self,
        original: &Program<'_>,
        modified: &Program<'_>,
        stop: &Arc<AtomicBool>,
    ) -> Result<(), Z3Error> {
        if std::mem::replace(&mut self.related, true) {
            return Ok(());
        }
        let full = Comparison::new(original.cfa, modified.cfa);
        let (weave, taken, code) = (None, std::mem::take(&mut self.taken), self.code);
        let (changes, guards) = (&mut self.changes, &self.guards);
        let mut matching = Matching { original, modified, guards, full: &full, weave, known: None, code, changes, taken };
        self.questions += matching.related(&self.places, true, None, stop)?;
        self.taken = matching.taken;
        self.end(original, modified, &full);
        Ok(())
    }

    fn end(&mut self, original: &Program<'_>, modified: &Program<'_>, full: &Comparison<'_>) {
        let (code, taken) = (self.code, std::mem::take(&mut self.taken));
        let (changes, guards) = (&mut self.changes, &self.guards);
        let mut matching = Matching { original, modified, guards, full, weave: None, known: None, code, changes, taken };
        matching.moved();
        self.taken = matching.taken;
        self.removed = (0..original.sites.len()).filter(|site| !self.taken.contains(site)).collect();
    }
}
