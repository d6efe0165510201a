//! Earlier verdicts of the original, as far as they can be relied on.
//!
//! A file is refused if it is of another program, was edited, or contradicts the program: inputs that it says violate a clause
//! must do so, and must violate none that it says holds. A TRUE is a claim until stage S3 has proved it again.

use std::collections::BTreeSet;
use std::path::Path;

use console::{Budget, Input};
use evidence::witness::loop_places;
use formats::assertions::{AssertionVerdicts, ClauseVerdict, LoopInvariant, Violating};
use formats::verdict::InputValue;
use formats::{ProgramOptions, Verdict};
use program::cfa::{Cfa, LocationId};
use program::expr::ExprId;
use program::load_with;
use program::probe::{Probe, ProbePlace};
use program::source::SourceFile;
use transform::assertions::{ClauseId, Site, ids, sites};

use crate::replay::{LONGEST, Observed};
use crate::{Loaded, PropdiffError};

/// Proposals that are looked at.
const MOST_PROPOSALS: usize = 200;

/// Earlier verdicts.
pub(crate) struct Known {
    verdicts: AssertionVerdicts,
    /// The file, for messages.
    pub(crate) file: String,
    /// Clauses that the file says are FALSE without inputs that show it: nobody knows.
    unfounded: BTreeSet<ClauseId>,
    /// How long the runs of its inputs are.
    lengths: Vec<u64>,
}

impl Known {
    /// Reads verdicts, if they are those of this program.
    pub(crate) fn read(original: &Loaded, file: &Path, budget: &Budget) -> miette::Result<Self> {
        let input = Input::read(file)?;
        let verdicts = AssertionVerdicts::read(&input.bytes, &input.name)?;
        let own = original.cfa.program_file(&original.name);
        let stale = |why| PropdiffError::Stale { file: input.name.clone(), program: original.name.clone(), why };
        if verdicts.program.sha256 != own.sha256 {
            let why = format!("their program had SHA-256 {}, this one has {}", verdicts.program.sha256, own.sha256);
            return Err(stale(why).into());
        }
        if verdicts.sites.is_empty() && original.sites.is_empty() {
            // Without an assertion it was not clear what the program is about.
            return Ok(Self { verdicts, file: input.name, unfounded: BTreeSet::new(), lengths: Vec::new() });
        }
        if verdicts.program.cfa != own.cfa {
            let what = if verdicts.options == original.cfa.options { "an included file or the compiler" } else { "an option" };
            let why = format!("{what} differs: the CFA fingerprint was {}, it is {}", verdicts.program.cfa, own.cfa);
            return Err(stale(why).into());
        }
        let same = verdicts.sites.len() == original.sites.len()
            && verdicts
                .sites
                .iter()
                .zip(&original.sites)
                .all(|(one, site)| one.edge == original.key(site) && one.clauses.len() == site.clauses.len())
            && verdicts.options == original.cfa.options;
        if !same {
            return Err(PropdiffError::OtherAssertions { file: input.name, program: original.name.clone() }.into());
        }
        let mut known = Self { verdicts, file: input.name, unfounded: BTreeSet::new(), lengths: Vec::new() };
        known.check_inputs(original, budget)?;
        Ok(known)
    }

    /// Runs the original on all inputs of the file.
    fn check_inputs(&mut self, original: &Loaded, budget: &Budget) -> Result<(), PropdiffError> {
        let observed = Observed::new(&original.cfa, &original.sites);
        let run = |(at, one): (usize, &Violating)| {
            let is_shown = |id: &ClauseId| self.clause(*id).is_some_and(|clause| clause.counterexample == Some(at));
            let shown: BTreeSet<ClauseId> = ids(&original.sites).filter(is_shown).collect();
            observed.until(&one.inputs, (LONGEST, Some(&shown)), budget)
        };
        let runs: Vec<_> = self.verdicts.counterexamples.iter().enumerate().map(run).collect();
        self.lengths = runs.iter().map(|run| run.length).collect();
        for id in ids(&original.sites) {
            let Some(clause) = self.clause(id) else { continue };
            let contradicted = match (&clause.verdict, clause.counterexample.and_then(|at| runs.get(at))) {
                (Verdict::False(_), Some(run)) if run.violated.contains(&id) => false,
                (Verdict::False(_), Some(run)) if run.complete => true,
                (Verdict::False(_), _) => {
                    self.unfounded.insert(id);
                    false
                }
                (Verdict::True, _) => runs.iter().any(|run| run.violated.contains(&id)),
                (Verdict::Unknown(_), _) => false,
            };
            if contradicted {
                return Err(self.contradicted(original, id));
            }
        }
        Ok(())
    }

    pub(crate) fn contradicted(&self, original: &Loaded, id: ClauseId) -> PropdiffError {
        let line = original.cfa.source.location(original.sites[id.site].span.lo).line;
        let verdict = self.verdict(id);
        PropdiffError::Contradicted { file: self.file.clone(), program: original.name.clone(), line, verdict }
    }

    fn clause(&self, id: ClauseId) -> Option<&ClauseVerdict> {
        self.verdicts.sites.get(id.site)?.clauses.get(id.clause)
    }

    /// Whether the file says that a clause holds.
    pub(crate) fn is_true(&self, id: ClauseId) -> bool {
        self.clause(id).is_some_and(|clause| clause.verdict == Verdict::True)
    }

    /// Whether the file says that a clause was proved of this program, not of one before it.
    pub(crate) fn is_proved(&self, id: ClauseId) -> bool {
        self.clause(id).is_some_and(|clause| clause.verdict == Verdict::True && !clause.rests_on_file)
    }

    /// What the file says of a clause, for people.
    pub(crate) fn verdict(&self, id: ClauseId) -> String {
        match self.clause(id) {
            Some(clause) if !self.unfounded.contains(&id) => clause.verdict.to_string(),
            _ => "not known".to_owned(),
        }
    }

    /// All inputs of the file, with how long their runs are.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = (&[InputValue], u64)> {
        self.verdicts.counterexamples.iter().map(|one| one.inputs.as_slice()).zip(self.lengths.iter().copied())
    }

    /// What the file says of loops.
    pub(crate) fn invariants(&self) -> &[LoopInvariant] {
        &self.verdicts.invariants
    }
}

/// A program read together with what is proposed of its loops.
pub(crate) struct Proposed {
    pub(crate) cfa: Cfa,
    pub(crate) sites: Vec<Site>,
    /// Each proposal with one of its places.
    pub(crate) formulas: Vec<(LocationId, ExprId)>,
}

/// Places invariants of the original at the loops of the modified program. `None` if there is nothing to place, or the program
/// is not read alike with them.
pub(crate) fn propose(
    invariants: &[LoopInvariant],
    modified: &Loaded,
    source: SourceFile,
    options: &ProgramOptions,
) -> Option<Proposed> {
    if invariants.is_empty() {
        return None;
    }
    let places = loop_places(&modified.cfa);
    let probe = |one: &LoopInvariant| {
        let (keyword, place) = places.get(&one.function)?.get(one.number)?;
        let end = keyword.hi as usize;
        let same_text = source.text().get(..end).is_some_and(|text| modified.cfa.source.text().get(..end) == Some(text));
        let is_own = place.line > 0 && place.file.is_none();
        let at = match same_text {
            true => ProbePlace::LoopAt(keyword.lo),
            false if is_own => ProbePlace::Loop { line: place.line, column: place.column.unwrap_or(0) },
            false => return None,
        };
        Some(Probe { at, text: one.expression.clone() })
    };
    let probes: Vec<Probe> = invariants.iter().filter_map(probe).take(MOST_PROPOSALS).collect();
    let (cfa, found) = load_with(source, options, &probes).ok()?;
    let found = found.into_iter().flatten();
    let formulas = found.flat_map(|one| one.locations.into_iter().map(move |at| (at, one.expr))).collect();
    let sites = sites(&cfa);
    let alike = sites.len() == modified.sites.len()
        && sites
            .iter()
            .zip(&modified.sites)
            .all(|(one, other)| (one.span, one.style, one.clauses.len()) == (other.span, other.style, other.clauses.len()));
    alike.then_some(Proposed { cfa, sites, formulas })
}
