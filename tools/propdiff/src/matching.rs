//! Which assertion of the modified program is which of the original, and how they relate, place by place.
//!
//! Does not know which assertions are at one place.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use formats::assertions::{ClauseStatus, Code, Relation};
use program::cfa::{Cfa, VarId, VarKind};
use program::expr::ExprId;
use program::source::{SourceFile, Span};
use semantics::compare::{Comparison, Side};
use smt::z3::Z3Error;
use transform::Editor;
use transform::assertions::{ClauseId, Site, Style, ids};
use transform::fold::Guards;
use transform::weave::{Weave, weave};

use crate::clauses::{Step, Wrong, holds, ways};
use crate::defined::{is_fixed, met, needs, variables};
use crate::implication::{Followed, Question, follow};
use crate::known::Known;

/// Assertions at one place that are compared with each other at most.
const MOST_PAIRS: usize = 400;

/// Marks places that stand for functions that no run comes to.
pub(crate) const UNREACHED: u32 = 1 << 31;

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
    /// For those that follow from clauses of the original, which these are, if it was asked.
    pub(crate) facts: BTreeMap<usize, Vec<ClauseId>>,
}

/// Says which clauses of the modified program known inputs violate, given whether its code is that of the original.
pub(crate) type Replays<'a> = &'a mut dyn FnMut(Code, &[ClauseId]) -> BTreeSet<ClauseId>;

pub(crate) struct Matching<'a> {
    pub(crate) original: &'a Program<'a>,
    pub(crate) modified: &'a Program<'a>,
    pub(crate) guards: &'a [Vec<Guards>; 2],
    pub(crate) full: &'a Comparison<'a>,
    pub(crate) weave: Option<Weave>,
    pub(crate) known: Option<&'a Known>,
    pub(crate) code: Code,
    pub(crate) changes: &'a mut Vec<Change>,
    /// Assertions of the original that have a counterpart, or were put to use.
    pub(crate) taken: BTreeSet<usize>,
}

/// A clause by classes of conditions, equal in both programs iff they are identical.
type Form = Vec<Vec<(u32, bool)>>;

impl Matching<'_> {
    /// The ways in which a clause fails, from the place on where its assertion stands.
    fn ways(&self, side: Side, site: usize, clause: usize) -> Option<Vec<Vec<(ExprId, bool)>>> {
        let program = self.program(side);
        let guards = &self.guards[usize::from(side == Side::Modified)][site];
        let mut ways = match program.sites[site].style {
            // It says "never".
            Style::Bare => vec![Vec::new()],
            Style::Assert | Style::Wrapper | Style::Branch | Style::Guard(_) => ways(program.cfa, &program.sites[site], clause)?,
        };
        ways.iter_mut().for_each(|way| _ = way.splice(0..0, guards.iter().copied()));
        Some(ways)
    }

    fn form(&self, side: Side, site: usize, clause: usize) -> Option<Form> {
        let ways = self.ways(side, site, clause)?;
        let class = |(condition, truth): &(ExprId, bool)| (self.full.value(side, *condition).number(), *truth);
        let mut form: Form = ways.iter().map(|way| way.iter().map(class).collect()).collect();
        form.sort_unstable();
        Some(form)
    }

    fn forms(&self, side: Side, site: usize) -> Option<Vec<Form>> {
        let one = &self.program(side).sites[site];
        if one.style == Style::Bare {
            // All of them say "never".
            return Some(vec![Form::new()]);
        }
        (0..one.clauses.len()).map(|clause| self.form(side, site, clause)).collect()
    }

    /// Whether what two assertions say is all in their conditions, or is written the same: where something is called to evaluate
    /// them, a condition is only what came of that.
    fn is_whole(&self, site: usize, other: usize) -> bool {
        let text = |side: Side, site: usize| essence(&self.program(side).cfa.source, self.program(side).sites[site].span);
        let is_made = |side: Side, site: usize| {
            // Of an `assert` whose condition is made by code, the call that fails has the text.
            self.program(side).sites[site].style == Style::Bare || self.is_made(side, site)
        };
        !(is_made(Side::Modified, site) || is_made(Side::Original, other))
            || text(Side::Modified, site) == text(Side::Original, other)
    }

    /// Whether something is called to evaluate an assertion.
    fn is_made(&self, side: Side, site: usize) -> bool {
        let program = self.program(side);
        let ways = (0..program.sites[site].clauses.len()).filter_map(|clause| self.ways(side, site, clause));
        let mut read = ways.flatten().flatten().flat_map(|(condition, _)| variables(program.cfa, condition));
        read.any(|variable| matches!(program.cfa.variable(variable).kind, VarKind::Temporary(_)))
    }

    fn program(&self, side: Side) -> &Program<'_> {
        match side {
            Side::Original => self.original,
            Side::Modified => self.modified,
        }
    }

    fn is_true(&self, site: usize, clause: usize) -> bool {
        self.known.is_some_and(|known| known.is_true(ClauseId { site, clause }))
    }

    fn verdict(&self, site: usize, clause: usize) -> String {
        self.known.map_or_else(|| "not known".to_owned(), |known| known.verdict(ClauseId { site, clause }))
    }

    /// Stage S0.
    #[expect(clippy::fn_params_excessive_bools, reason = "whether they are at one place")]
    pub(crate) fn same(&mut self, old: &[usize], new: &[usize], inherits: bool) {
        for site in new {
            let forms = self.forms(Side::Modified, *site);
            let style = self.modified.sites[*site].style;
            let fits = |other: &&usize| {
                !self.taken.contains(other)
                    && forms.is_some()
                    && (self.code == Code::Equal || self.is_whole(*site, **other))
                    && self.forms(Side::Original, **other) == forms
                    && (style == Style::Bare) == (self.original.sites[**other].style == Style::Bare)
            };
            if let Some(other) = old.iter().find(fits).copied() {
                self.taken.insert(other);
                let change = |clause: usize| match self.code {
                    Code::Equal if inherits && self.is_true(other, clause) => {
                        (ClauseStatus::Inherited, "the same clause holds in the original, whose code is the same".to_owned())
                    }
                    Code::Equal => {
                        (ClauseStatus::Goal, format!("the same clause is {} in the original", self.verdict(other, clause)))
                    }
                    Code::Changed => (ClauseStatus::Goal, "the code has changed".to_owned()),
                };
                let clauses: Vec<(ClauseStatus, String)> = (0..self.modified.sites[*site].clauses.len()).map(change).collect();
                let inherited = clauses.iter().enumerate().filter(|(_, one)| one.0 == ClauseStatus::Inherited);
                let facts = inherited.map(|(clause, _)| (clause, vec![ClauseId { site: other, clause }])).collect();
                self.changes[*site] = Change { original: Some(other), relation: Relation::Same, clauses, facts };
            }
        }
    }

    /// An assertion, or one clause, as an expression of the weave; `None` if it is more than a condition on variables.
    fn holds(&self, editor: &mut Editor, (side, wrong): (Side, Wrong), site: usize, clause: Option<usize>) -> Option<ExprId> {
        let (program, version) = (self.program(side), usize::from(side == Side::Modified));
        let weave = self.weave.as_ref()?;
        // One says "never" of a place, and places are not the same; another is about what came of code that may have changed.
        if self.code == Code::Changed && (program.sites[site].style == Style::Bare || self.is_made(side, site)) {
            return None;
        }
        let name = |value: ExprId| weave.expr(version, value);
        let clauses = clause.map_or(0..program.sites[site].clauses.len(), |clause| clause..clause + 1);
        let mut all = Vec::new();
        for clause in clauses {
            for way in self.ways(side, site, clause)? {
                let mut steps = Vec::with_capacity(way.len());
                for (condition, truth) in way {
                    let needs = needs(program.cfa, condition)?;
                    let defined = (!needs.is_empty()).then(|| met(editor, &needs, &name));
                    steps.push(Step { condition: name(condition), truth, defined });
                }
                all.push(steps);
            }
        }
        Some(holds(editor, &all, wrong))
    }

    /// Whether values of all variables refute something about an assertion: they are in both programs, and may have any value. One
    /// that has another name or type now is not known to be another one.
    fn is_about_any(&self, side: Side, site: usize, shared: &BTreeSet<VarId>) -> bool {
        let (program, version) = (self.program(side), usize::from(side == Side::Modified));
        let ways = (0..program.sites[site].clauses.len()).filter_map(|clause| self.ways(side, site, clause));
        let read = ways.flatten().flatten().flat_map(|(condition, _)| variables(program.cfa, condition));
        let is_shared = |variable| self.weave.as_ref().is_some_and(|weave| shared.contains(&weave.variable(version, variable)));
        read.into_iter().all(|variable| is_shared(variable) && !is_fixed(program.cfa, variable))
    }

    /// The variables of the weave that both programs have.
    fn shared(&self) -> BTreeSet<VarId> {
        let Some(weave) = &self.weave else { return BTreeSet::new() };
        let original: BTreeSet<VarId> = weave.variables(0).into_iter().collect();
        weave.variables(1).into_iter().filter(|variable| original.contains(variable)).collect()
    }

    /// Stage S2.
    pub(crate) fn replayed(&mut self, replays: Replays<'_>) {
        let inherited: Vec<ClauseId> =
            ids(self.modified.sites).filter(|id| self.changes[id.site].clauses[id.clause].0 == ClauseStatus::Inherited).collect();
        for id in replays(self.code, &inherited) {
            let reason = "inputs that are known violate it";
            self.changes[id.site].clauses[id.clause] = (ClauseStatus::Replayed, reason.to_owned());
        }
    }

    /// Stage S1, and how assertions at one place relate if that is wanted: all questions are asked together.
    #[expect(clippy::fn_params_excessive_bools, reason = "whether half of it is wanted")]
    pub(crate) fn related(
        &mut self,
        places: &Places,
        relations: bool,
        of: Option<&BTreeSet<ClauseId>>,
        stop: &Arc<AtomicBool>,
    ) -> Result<u64, Z3Error> {
        let mut places: Vec<Place<'_>> =
            places.iter().map(|(key, (old, new))| self.place(old, new, key & UNREACHED == 0)).collect();
        if let Some(of) = of {
            places.iter_mut().for_each(|place| place.open.retain(|id| of.contains(id)));
        }
        if !relations {
            places.iter_mut().for_each(|place| place.rest.clear());
        }
        let mut places: Vec<Place<'_>> = places.into_iter().filter(Place::has_questions).collect();
        if places.is_empty() {
            return Ok(0);
        }
        self.weave = weave(&[self.original.cfa, self.modified.cfa]).ok();
        let mut said = Said::new();
        let mut questions = 0;
        if let Some(weave) = &self.weave {
            let mut editor = Editor::new(&weave.recast.cfa);
            let mut asked: Vec<(Meant, Question)> = Vec::new();
            for place in &mut places {
                // Positions of facts are those of expressions.
                place.facts.retain(|id| self.holds(&mut editor, FACT, id.site, Some(id.clause)).is_some());
                self.questions(&mut editor, (place, relations), &mut asked);
            }
            let (meant, asked): (Vec<Meant>, Vec<Question>) = asked.into_iter().unzip();
            let (answers, queries) = follow(editor, &asked, stop)?;
            questions = queries;
            said = meant.into_iter().zip(answers).collect();
        }
        let shared = if relations { self.shared() } else { BTreeSet::new() };
        for place in &places {
            self.relate(&place.rest, &place.free, &said, &shared);
            for id in &place.open {
                if let Some(Followed::Follows(needed)) = said.get(&Meant::Clause(*id)) {
                    let reason = "it follows from clauses that hold at this place in the original, whose code is the same";
                    let change = &mut self.changes[id.site];
                    change.clauses[id.clause] = (ClauseStatus::Implied, reason.to_owned());
                    let facts = needed.iter().filter_map(|at| place.facts.get(*at).copied()).collect();
                    change.facts.insert(id.clause, facts);
                }
            }
        }
        Ok(questions)
    }

    #[expect(clippy::fn_params_excessive_bools, reason = "whether they are at one place")]
    fn place<'p>(&self, old: &'p [usize], new: &[usize], inherits: bool) -> Place<'p> {
        let rest: Vec<usize> = new.iter().copied().filter(|site| self.changes[*site].relation == Relation::New).collect();
        let free: Vec<usize> = old.iter().copied().filter(|site| !self.taken.contains(site)).collect();
        let mut facts = Vec::new();
        // That a place is not reached says nothing about values.
        for site in old.iter().filter(|site| self.original.sites[**site].style != Style::Bare) {
            for clause in 0..self.original.sites[*site].clauses.len() {
                if inherits && self.code == Code::Equal && self.is_true(*site, clause) {
                    facts.push(ClauseId { site: *site, clause });
                }
            }
        }
        let clauses = |site: &usize| {
            (0..self.changes[*site].clauses.len()).map(|clause| ClauseId { site: *site, clause }).collect::<Vec<_>>()
        };
        let is_open = |id: &ClauseId| self.changes[id.site].clauses[id.clause].0 == ClauseStatus::Goal;
        let open = if facts.is_empty() { Vec::new() } else { new.iter().flat_map(clauses).filter(is_open).collect() };
        Place { old, new: new.to_vec(), rest, free, facts, open }
    }

    fn questions(&self, editor: &mut Editor, (place, names_facts): (&Place<'_>, bool), asked: &mut Vec<(Meant, Question)>) {
        let plain = |facts, claim| Question { facts, claim, names_facts: false };
        let (before, now) = ((Side::Original, Wrong::Fails), (Side::Modified, Wrong::Fails));
        let every: Vec<ExprId> = place.old.iter().filter_map(|site| self.holds(editor, before, *site, None)).collect();
        if place.rest.len() > 1 {
            let all: Vec<ExprId> = place.new.iter().filter_map(|site| self.holds(editor, now, *site, None)).collect();
            for other in place.free.iter().take(MOST_PAIRS) {
                let Some(claim) = self.holds(editor, before, *other, None) else { continue };
                asked.push((Meant::Kept(*other), plain(all.clone(), claim)));
            }
        }
        for site in &place.rest {
            let Some(claim) = self.holds(editor, now, *site, None) else { continue };
            // Where the code is not the same, the assertions of a function stand at different places.
            if self.code == Code::Equal {
                asked.push((Meant::Implied(*site), plain(every.clone(), claim)));
            }
            for other in place.free.iter().take(MOST_PAIRS / place.rest.len().max(1)) {
                let Some(before) = self.holds(editor, before, *other, None) else { continue };
                asked.push((Meant::Weaker(*site, *other), plain(vec![before], claim)));
                asked.push((Meant::Stronger(*site, *other), plain(vec![claim], before)));
            }
        }
        let facts = place.facts.iter().filter_map(|id| self.holds(editor, FACT, id.site, Some(id.clause)));
        let facts: Vec<ExprId> = facts.collect();
        if facts.is_empty() {
            return;
        }
        for id in &place.open {
            if let Some(claim) = self.holds(editor, now, id.site, Some(id.clause)) {
                asked.push((Meant::Clause(*id), Question { facts: facts.clone(), claim, names_facts }));
            }
        }
    }

    /// Gives each assertion its counterpart.
    fn relate(&mut self, rest: &[usize], free: &[usize], said: &Said, shared: &BTreeSet<VarId>) {
        let follows = |meant: Meant| matches!(said.get(&meant), Some(Followed::Follows(_)));
        let of = |site: usize, other: usize| match (follows(Meant::Weaker(site, other)), follows(Meant::Stronger(site, other))) {
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
                    let weakens = |other: &usize| of(site, *other) == Some(Relation::Weaker);
                    if follows(Meant::Implied(site)) || self.code == Code::Changed && free.iter().any(weakens) {
                        // What it follows from is put to use, whatever else becomes of it.
                        self.taken.extend(free.iter().copied().filter(|other| of(site, *other).is_some()));
                        self.set(site, None, Relation::Implied);
                    }
                    continue;
                }
                // One that several others say less than has been taken apart, if together they say as much.
                let fits = |other: &&usize| {
                    !self.taken.contains(other)
                        && of(site, **other) == Some(wanted)
                        && (wanted != Relation::Weaker || weaker(**other) == 1 || !follows(Meant::Kept(**other)))
                };
                if let Some(other) = free.iter().find(fits).copied() {
                    self.set(site, Some(other), wanted);
                }
            }
        }
        // What is left is matched in order where an assertion stands for another: as many are gone as are new.
        let left: Vec<usize> = rest.iter().copied().filter(|site| self.changes[*site].relation == Relation::New).collect();
        let gone: Vec<usize> = free.iter().copied().filter(|site| !self.taken.contains(site)).collect();
        let refuted = |meant: Meant| said.get(&meant) == Some(&Followed::Refuted);
        for (site, other) in left.iter().zip(&gone) {
            let are_any = [(Side::Original, *other), (Side::Modified, *site)];
            let are_any = are_any.iter().all(|(side, site)| self.is_about_any(*side, *site, shared));
            let neither = refuted(Meant::Weaker(*site, *other)) && refuted(Meant::Stronger(*site, *other));
            let relation = if are_any && neither { Relation::Incomparable } else { Relation::Unknown };
            self.set(*site, Some(*other), relation);
        }
    }

    fn set(&mut self, site: usize, other: Option<usize>, relation: Relation) {
        self.taken.extend(other);
        let change = &mut self.changes[site];
        (change.original, change.relation) = (other, relation);
        // What was found out about a clause before stays.
        for clause in change.clauses.iter_mut().filter(|clause| clause.0 == ClauseStatus::Goal) {
            clause.1 = match self.code {
                Code::Equal => "nothing that is known to hold at this place implies it".to_owned(),
                Code::Changed => "the code has changed".to_owned(),
            };
        }
    }

    /// Assertions of one function that have no counterpart at their place have moved, if one at another place has none either.
    pub(crate) fn moved(&mut self) {
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
}

/// A part of a text without blanks.
fn essence(source: &SourceFile, span: Span) -> Vec<u8> {
    source.slice(span).iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
}

/// The assertions of both programs by place.
pub(crate) type Places = BTreeMap<u32, (Vec<usize>, Vec<usize>)>;

/// The assertions at one place.
struct Place<'a> {
    old: &'a [usize],
    new: Vec<usize>,
    /// Those of the modified program without a counterpart yet.
    rest: Vec<usize>,
    /// Those of the original without one.
    free: Vec<usize>,
    /// Clauses of the original that hold here.
    facts: Vec<ClauseId>,
    /// Clauses of the modified program that may follow from them.
    open: Vec<ClauseId>,
}

impl Place<'_> {
    fn has_questions(&self) -> bool {
        !self.old.is_empty() && (!self.rest.is_empty() || !self.open.is_empty())
    }
}

/// What is known of the original is known of runs on which it can be evaluated.
const FACT: (Side, Wrong) = (Side::Original, Wrong::Nothing);

/// The answers.
type Said = BTreeMap<Meant, Followed>;

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Meant {
    /// All assertions of the original at the place imply this one.
    Implied(usize),
    /// That of the original implies this one.
    Weaker(usize, usize),
    /// This one implies that of the original.
    Stronger(usize, usize),
    /// All assertions of the modified program at the place imply that of the original.
    Kept(usize),
    /// What holds in the original implies this clause.
    Clause(ClauseId),
}
