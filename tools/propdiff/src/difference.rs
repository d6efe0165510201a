//! What changed in the assertions: which is which, and what need not be checked again.
//!
//! Stage S0: a clause that the original has at the same place, with the same operations, keeps its TRUE. Stage S1: so does one
//! that follows from clauses that hold there. Both only where the code without the assertions is the same. A FALSE is never
//! handed on: inputs may not violate an assertion that says less. Nor is anything concluded from UNKNOWN.
//! Source: rules R1, R2, R4 of the corrected method [iProperty, ICSE 2014].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::goal::{Goals, Replay, Status, Until};
use engine::portfolio::{self, Kind, Plan, Recheck};
use engine::session::{Clock, Sessions};
use formats::Verdict;
use formats::assertions::{AssertionVerdicts, ClauseStatus, Code, Relation};
use program::cfa::{Cfa, LocationId};
use program::expr::ExprId;
use semantics::compare::{Comparison, Side};
use smt::z3::Z3Error;
use transform::Editor;
use transform::assertions::{ClauseId, Site, Style, strip};
use transform::lockstep::lockstep;
use transform::question::question;
use transform::weave::{Weave, weave};

use crate::clauses::{holds, is_plain, ways};

/// Steps for all questions about one place: they have no loops.
const STEPS: u64 = 2_000_000;
/// Assertions at one place that are compared with each other at most.
const MOST_PAIRS: usize = 400;

/// One of the programs.
pub(crate) struct Program<'a> {
    pub(crate) cfa: &'a Cfa,
    pub(crate) sites: &'a [Site],
}

/// What became of an assertion of the modified program.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// Its counterpart.
    pub(crate) original: Option<usize>,
    pub(crate) relation: Relation,
    /// For each clause what became of it, and why.
    pub(crate) clauses: Vec<(ClauseStatus, String)>,
}

/// What changed.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) code: Code,
    pub(crate) changes: Vec<Change>,
    /// Assertions of the original without counterpart.
    pub(crate) removed: Vec<usize>,
    pub(crate) questions: u64,
}

/// Compares the assertions of two programs, given what is known of the original's.
pub(crate) fn difference(
    original: &Program<'_>,
    modified: &Program<'_>,
    known: Option<&AssertionVerdicts>,
    stop: &Arc<AtomicBool>,
) -> Result<Difference, Z3Error> {
    let stripped = [strip(original.cfa, original.sites), strip(modified.cfa, modified.sites)];
    let comparison = Comparison::new(&stripped[0].recast.cfa, &stripped[1].recast.cfa);
    let same = lockstep(&comparison);
    let code = if same.is_some() { Code::Equal } else { Code::Changed };
    // Where the code is not the same, assertions are matched by function only, and nothing is concluded from it.
    let place = |location: LocationId| same.as_ref().and_then(|same| same[location.index()]);
    let full = Comparison::new(original.cfa, modified.cfa);
    let function = |side: &Program<'_>, site: usize| side.cfa.location(side.sites[site].at).function;
    let key_o = |site: usize| match code {
        Code::Equal => Some(stripped[0].at[site].0),
        Code::Changed => Some(function(original, site).0),
    };
    let key_m = |site: usize| match code {
        Code::Equal => place(stripped[1].at[site]).map(|location| location.0),
        Code::Changed => full.correspondence().function(function(modified, site)).map(|function| function.0),
    };
    let mut places: BTreeMap<u32, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    let mut changes: Vec<Change> = modified
        .sites
        .iter()
        .map(|site| Change {
            original: None,
            relation: Relation::New,
            clauses: vec![(ClauseStatus::Goal, "new here".to_owned()); site.clauses.len()],
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
    let mut matching = Matching {
        original,
        modified,
        full: &full,
        weave: weave(&[original.cfa, modified.cfa]).ok(),
        known,
        code,
        stop,
        changes: &mut changes,
        taken: BTreeSet::new(),
        questions: 0,
    };
    for (old, new) in places.values() {
        matching.same(old, new);
        matching.related(old, new)?;
    }
    matching.moved();
    let (taken, questions) = (matching.taken, matching.questions);
    let removed = (0..original.sites.len()).filter(|site| !taken.contains(site)).collect();
    Ok(Difference { code, changes, removed, questions })
}

struct Matching<'a> {
    original: &'a Program<'a>,
    modified: &'a Program<'a>,
    full: &'a Comparison<'a>,
    weave: Option<Weave>,
    known: Option<&'a AssertionVerdicts>,
    code: Code,
    stop: &'a Arc<AtomicBool>,
    changes: &'a mut Vec<Change>,
    /// Assertions of the original that have a counterpart, or were put to use.
    taken: BTreeSet<usize>,
    questions: u64,
}

/// A clause by classes of conditions, equal in both programs iff they are identical.
type Form = Vec<Vec<(u32, bool)>>;

impl Matching<'_> {
    fn form(&self, side: Side, site: usize, clause: usize) -> Option<Form> {
        let program = self.program(side);
        let ways = ways(program.cfa, &program.sites[site], clause)?;
        let class = |(condition, truth): &(ExprId, bool)| (self.full.value(side, *condition).number(), *truth);
        let mut form: Form = ways.iter().map(|way| way.iter().map(class).collect()).collect();
        form.sort_unstable();
        Some(form)
    }

    fn forms(&self, side: Side, site: usize) -> Option<Vec<Form>> {
        let one = &self.program(side).sites[site];
        if one.style == Style::Bare {
            // All of them say "never".
            return Some(vec![Vec::new()]);
        }
        (0..one.clauses.len()).map(|clause| self.form(side, site, clause)).collect()
    }

    fn program(&self, side: Side) -> &Program<'_> {
        match side {
            Side::Original => self.original,
            Side::Modified => self.modified,
        }
    }

    fn is_true(&self, site: usize, clause: usize) -> bool {
        let verdict = self.known.and_then(|known| Some(&known.sites.get(site)?.clauses.get(clause)?.verdict));
        verdict == Some(&Verdict::True)
    }

    fn verdict(&self, site: usize, clause: usize) -> String {
        let verdict = self.known.and_then(|known| Some(&known.sites.get(site)?.clauses.get(clause)?.verdict));
        verdict.map_or_else(|| "not known".to_owned(), ToString::to_string)
    }

    /// Stage S0.
    fn same(&mut self, old: &[usize], new: &[usize]) {
        for site in new {
            let forms = self.forms(Side::Modified, *site);
            let style = self.modified.sites[*site].style;
            let fits = |other: &&usize| {
                !self.taken.contains(other)
                    && forms.is_some()
                    && self.forms(Side::Original, **other) == forms
                    && (style == Style::Bare) == (self.original.sites[**other].style == Style::Bare)
            };
            if let Some(other) = old.iter().find(fits).copied() {
                self.taken.insert(other);
                let change = |clause: usize| match self.code {
                    Code::Equal if self.is_true(other, clause) => {
                        (ClauseStatus::Inherited, "the same clause holds in the original, whose code is the same".to_owned())
                    }
                    Code::Equal => {
                        (ClauseStatus::Goal, format!("the same clause is {} in the original", self.verdict(other, clause)))
                    }
                    Code::Changed => (ClauseStatus::Goal, "the code has changed".to_owned()),
                };
                let clauses = (0..self.modified.sites[*site].clauses.len()).map(change).collect();
                self.changes[*site] = Change { original: Some(other), relation: Relation::Same, clauses };
            }
        }
    }

    /// An assertion, or one clause, as an expression of the weave; `None` if it is more than a condition on plain variables.
    fn holds(&self, editor: &mut Editor, side: Side, site: usize, clause: Option<usize>) -> Option<ExprId> {
        let (program, version) = (self.program(side), usize::from(side == Side::Modified));
        let weave = self.weave.as_ref()?;
        let clauses = clause.map_or(0..program.sites[site].clauses.len(), |clause| clause..clause + 1);
        let mut all = Vec::new();
        for clause in clauses {
            for way in ways(program.cfa, &program.sites[site], clause)? {
                if !way.iter().all(|(condition, _)| is_plain(program.cfa, *condition)) {
                    return None;
                }
                all.push(way.iter().map(|(condition, truth)| (weave.expr(version, *condition), *truth)).collect());
            }
        }
        Some(holds(editor, &all))
    }

    /// Stage S1, and how assertions at one place relate.
    fn related(&mut self, old: &[usize], new: &[usize]) -> Result<(), Z3Error> {
        let rest: Vec<usize> = new.iter().copied().filter(|site| self.changes[*site].relation == Relation::New).collect();
        let free: Vec<usize> = old.iter().copied().filter(|site| !self.taken.contains(site)).collect();
        let open: Vec<ClauseId> = new
            .iter()
            .flat_map(|site| (0..self.changes[*site].clauses.len()).map(move |clause| ClauseId { site: *site, clause }))
            .filter(|id| self.changes[id.site].clauses[id.clause].0 == ClauseStatus::Goal)
            .collect();
        let Some(weave) = self.weave.as_ref().filter(|_| !old.is_empty() && !open.is_empty()) else {
            return Ok(());
        };
        let mut editor = Editor::new(&weave.recast.cfa);
        let mut asked: Vec<(Vec<ExprId>, ExprId)> = Vec::new();
        let mut meant: Vec<Meant> = Vec::new();
        let every: Vec<ExprId> = old.iter().filter_map(|site| self.holds(&mut editor, Side::Original, *site, None)).collect();
        let mut facts = Vec::new();
        for site in old {
            for clause in 0..self.original.sites[*site].clauses.len() {
                if self.code == Code::Equal && self.is_true(*site, clause) {
                    facts.extend(self.holds(&mut editor, Side::Original, *site, Some(clause)));
                }
            }
        }
        for site in &rest {
            let Some(claim) = self.holds(&mut editor, Side::Modified, *site, None) else { continue };
            asked.push((every.clone(), claim));
            meant.push(Meant::Implied(*site));
            for other in free.iter().take(MOST_PAIRS / rest.len().max(1)) {
                let Some(before) = self.holds(&mut editor, Side::Original, *other, None) else { continue };
                asked.extend([(vec![before], claim), (vec![claim], before)]);
                meant.extend([Meant::Weaker(*site, *other), Meant::Stronger(*site, *other)]);
            }
        }
        if !facts.is_empty() {
            for id in &open {
                let Some(claim) = self.holds(&mut editor, Side::Modified, id.site, Some(id.clause)) else { continue };
                asked.push((facts.clone(), claim));
                meant.push(Meant::Clause(*id));
            }
        }
        let answers = self.ask(editor, &asked)?;
        let said: BTreeSet<Meant> =
            meant.into_iter().zip(answers).filter(|(_, follows)| *follows).map(|(meant, _)| meant).collect();
        self.relate(&rest, &free, &said);
        for id in open {
            if said.contains(&Meant::Clause(id)) {
                let reason = "it follows from clauses that hold at this place in the original, whose code is the same";
                self.changes[id.site].clauses[id.clause] = (ClauseStatus::Implied, reason.to_owned());
            }
        }
        Ok(())
    }

    /// Gives each assertion its counterpart.
    fn relate(&mut self, rest: &[usize], free: &[usize], said: &BTreeSet<Meant>) {
        let of = |site: usize, other: usize| match (
            said.contains(&Meant::Weaker(site, other)),
            said.contains(&Meant::Stronger(site, other)),
        ) {
            (true, true) => Some(Relation::Equivalent),
            (true, false) => Some(Relation::Weaker),
            (false, true) => Some(Relation::Stronger),
            (false, false) => None,
        };
        let weaker = |other: usize| rest.iter().filter(|site| of(**site, other) == Some(Relation::Weaker)).count();
        for wanted in [Relation::Equivalent, Relation::Weaker, Relation::Implied, Relation::Stronger] {
            for site in rest.iter().copied() {
                if self.changes[site].relation != Relation::New {
                    continue;
                }
                if wanted == Relation::Implied {
                    if said.contains(&Meant::Implied(site)) {
                        // What it follows from is put to use, whatever else becomes of it.
                        self.taken.extend(free.iter().copied().filter(|other| of(site, *other).is_some()));
                        self.set(site, None, Relation::Implied);
                    }
                    continue;
                }
                // One that several others say less than has been taken apart.
                let fits = |other: &&usize| {
                    !self.taken.contains(other)
                        && of(site, **other) == Some(wanted)
                        && (wanted != Relation::Weaker || weaker(**other) == 1)
                };
                if let Some(other) = free.iter().find(fits).copied() {
                    self.set(site, Some(other), wanted);
                }
            }
        }
        // What is left is matched in order where an assertion stands for another: as many are gone as are new.
        let left: Vec<usize> = rest.iter().copied().filter(|site| self.changes[*site].relation == Relation::New).collect();
        let gone: Vec<usize> = free.iter().copied().filter(|site| !self.taken.contains(site)).collect();
        for (site, other) in left.iter().zip(&gone) {
            self.set(*site, Some(*other), Relation::Incomparable);
        }
    }

    fn set(&mut self, site: usize, other: Option<usize>, relation: Relation) {
        self.taken.extend(other);
        let change = &mut self.changes[site];
        (change.original, change.relation) = (other, relation);
        for clause in &mut change.clauses {
            clause.1 = match self.code {
                Code::Equal => "nothing that is known to hold at this place implies it".to_owned(),
                Code::Changed => "the code has changed".to_owned(),
            };
        }
    }

    /// Assertions of one function that have no counterpart at their place have moved, if one at another place has none either.
    fn moved(&mut self) {
        for site in 0..self.modified.sites.len() {
            let function = |side: &Program<'_>, site: usize| side.cfa.location(side.sites[site].at).function;
            if self.changes[site].relation != Relation::New {
                continue;
            }
            let own = self.full.correspondence().function(function(self.modified, site));
            let mut free = (0..self.original.sites.len()).filter(|other| !self.taken.contains(other));
            let found = free.find(|other| own == Some(function(self.original, *other)));
            if let Some(other) = found {
                self.set(site, Some(other), Relation::Moved);
            }
        }
    }

    fn ask(&mut self, editor: Editor, asked: &[(Vec<ExprId>, ExprId)]) -> Result<Vec<bool>, Z3Error> {
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let question = question(editor, asked);
        let mut goals = Goals::new(question.goals.clone(), Until::Each);
        let mut sessions = Sessions::open(&question.cfa, None, self.stop, Clock::None)?;
        let plan =
            Plan { analyses: &[Kind::Bounded, Kind::Predicates], proposals: &[], steps: Some(STEPS), recheck: Recheck::Never };
        let numbers = portfolio::run(&mut sessions, (&mut goals, &mut Replay), plan, (self.stop.as_ref(), &mut ()));
        self.questions += numbers.queries;
        Ok(goals.all().iter().map(|goal| matches!(goal.status, Status::Safe(_))).collect())
    }
}

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Meant {
    /// All assertions of the original at the place imply this one.
    Implied(usize),
    /// That of the original implies this one.
    Weaker(usize, usize),
    /// This one implies that of the original.
    Stronger(usize, usize),
    /// What holds in the original implies this clause.
    Clause(ClauseId),
}
