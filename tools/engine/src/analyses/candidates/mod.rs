//! Candidates: which of many proposed formulas are invariants, and what follows from those.
//!
//! [`settle`] finds the greatest subset of the proposals that is inductive over blocks (Houdini: Flanagan, Leino, FME 2001):
//! a model of a violated proposal drops every proposal that it refutes, until none is violated. What is left holds, whoever
//! proposed it, so a wrong proposal costs time only. [`Candidates`] does that with proposals of its own: atoms of conditions,
//! and templates over the variables that a loop reads which the interpreter has seen no exception to.
//! Knows blocks and the interpreter. Does not know what the goals are good for; a goal that no fact leads to is settled.

mod blocks;
mod cells;
mod constants;
mod definitions;
mod steps;
mod sums;
pub mod templates;
pub mod told;

use std::collections::BTreeSet;
use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};
use program::cfa::LocationId;
use rustc_hash::FxHashMap;
use smt::terms::Assignment;
use smt::{Answer, TermId};

use crate::analysis::{Analysis, Pause, STEP, Share};
use crate::block::{Block, Exit};
use crate::control::{Cause, Position, Stop, Target};
use crate::evidence::counterexample::follow;
use crate::evidence::instances;
use crate::evidence::invariant::Invariant;
use crate::goal::{GoalId, Goals, Proof, Referee};
use crate::session::{Memory, Session, Start};

/// More positions than this are not told apart: a proposal is asked at each.
const POSITIONS: usize = 120;
/// Into how many questions claims are cut that are too much for one.
const PARTS: usize = 8;

/// A formula that may hold whenever control is at a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Candidate {
    /// Where: all positions of the location count.
    pub at: LocationId,
    /// What, over variables without instance.
    pub formula: TermId,
    /// For which values of a selector, as a bit set; all ones without a selector.
    pub versions: u64,
}

/// What became of the proposals.
#[derive(Clone, Debug, Default)]
pub struct Settled {
    /// Invariants, each the conjunction of what holds at a position. Together they are inductive.
    pub facts: Vec<Invariant>,
    /// Proposals that were dropped, by their place, with a counterexample to their induction each.
    pub lost: Vec<(usize, Assignment)>,
}

/// Finds the greatest subset of proposals that is inductive. With a selector, a proposal is dropped for the value only that the
/// counterexample is about.
///
/// Soundness: relies on no proposal. The facts that the session has are taken for granted.
///
/// # Errors
/// [`Stop::Interrupted`] if the share is used up: nothing is known then.
pub fn settle(
    session: &mut Session<'_>,
    offered: Vec<Candidate>,
    selector: Option<TermId>,
    share: &mut Share<'_>,
) -> Result<Settled, Stop> {
    session.meter().grant(share.steps.saturating_mul(STEP));
    let mut search = Greatest::new(offered, selector);
    let finished = search.run(session);
    session.meter().grant(u64::MAX);
    match finished {
        Ok(_) => Ok(Settled { facts: search.facts(session), lost: search.lost }),
        Err(Cause::Stopped(stop)) => Err(stop),
        // Nothing is reached, or nothing can be said of what is.
        Err(_) => Ok(Settled::default()),
    }
}

/// Finds the greatest subset of formulas that is inductive, each where it is said to hold.
///
/// Soundness: as [`settle`].
///
/// # Errors
/// [`Stop::Interrupted`] if the share is used up: nothing is known then.
pub fn settle_at(session: &mut Session<'_>, offered: Vec<Invariant>) -> Result<Vec<Invariant>, Stop> {
    let candidate = |one: &Invariant| Candidate { at: one.location(), formula: one.formula, versions: u64::MAX };
    let mut search = Greatest::new(offered.iter().map(candidate).collect(), None);
    search.only = Some(offered.iter().map(|one| one.position).collect());
    match search.run(session) {
        Ok(()) => Ok(search.facts(session)),
        Err(Cause::Stopped(stop)) => Err(stop),
        Err(_) => Ok(Vec::new()),
    }
}

/// A proposal at a position.
#[derive(Clone, Copy, Debug)]
struct Alive {
    number: usize,
    formula: TermId,
    versions: u64,
}

/// The search for the greatest inductive subset. Whatever is interrupted is done again.
#[derive(Debug)]
struct Greatest {
    offered: Vec<Candidate>,
    /// The position that each is about, if it is not about all of its location.
    only: Option<Vec<Position>>,
    selector: Option<TermId>,
    alive: IndexMap<Position, Vec<Alive>>,
    open: BTreeSet<(Start, Position)>,
    begun: bool,
    lost: Vec<(usize, Assignment)>,
}

/// What is lost of a claim.
#[derive(Clone)]
struct Lost {
    /// The versions of which it may still be said.
    left: u64,
    /// A state that refutes it, if one is known.
    values: Assignment,
}

impl Greatest {
    fn new(offered: Vec<Candidate>, selector: Option<TermId>) -> Self {
        let (alive, open) = (IndexMap::new(), BTreeSet::new());
        Self { offered, only: None, selector, alive, open, begun: false, lost: Vec::new() }
    }

    /// Drops proposals until the rest is inductive.
    fn run(&mut self, session: &mut Session) -> Result<(), Cause> {
        if !self.begun {
            let Some(start) = session.explorer.start() else { return Ok(()) };
            self.open.insert((Start::Program, start));
            self.begun = true;
        }
        while let Some((start, position)) = self.open.first().copied() {
            session.explorer.check_limits(0)?;
            let block = session.block(position, start)?;
            let mut again = false;
            for exit in &block.exits {
                let Target::Head(next) = exit.target else { continue };
                if !self.alive.contains_key(&next) {
                    self.reach(session, next)?;
                }
                again |= self.drop_violated(session, (position, start), exit, next)?;
            }
            if !again {
                self.open.remove(&(start, position));
            }
        }
        Ok(())
    }

    /// Proposes everything of a location at a position of it.
    fn reach(&mut self, session: &mut Session, position: Position) -> Result<(), Cause> {
        if self.alive.len() >= POSITIONS {
            return Err(Cause::NoProgress);
        }
        let mut alive = Vec::new();
        for (number, candidate) in self.offered.iter().enumerate() {
            let exists = |variable| session.explorer.exists_at(&session.store, position, variable);
            let is_here = self.only.as_ref().map_or(candidate.at == position.location, |only| only[number] == position);
            if is_here && session.store.variables(candidate.formula).into_iter().all(exists) {
                alive.push(Alive { number, formula: candidate.formula, versions: candidate.versions });
            }
        }
        self.alive.insert(position, alive);
        self.open.insert((Start::Anywhere, position));
        Ok(())
    }

    /// What is taken for granted at the start of a block where `roots` are looked at.
    fn premise(&self, session: &mut Session, (position, start): (Position, Start), roots: &[TermId]) -> TermId {
        if start == Start::Program {
            return session.store.tt();
        }
        let mut parts: Vec<TermId> = session.fact(position).into_iter().collect();
        for alive in self.alive.get(&position).into_iter().flatten() {
            parts.push(self.formula(session, alive));
        }
        let all = session.store.and(&parts);
        instances::premise(&mut session.store, all, roots)
    }

    /// The proposals that are taken for granted at the start of a block, those without instances.
    fn said(&self, session: &mut Session, (position, start): (Position, Start)) -> IndexSet<TermId> {
        let alive = self.alive.get(&position).filter(|_| start == Start::Anywhere);
        alive.into_iter().flatten().map(|alive| self.formula(session, alive)).collect()
    }

    /// A proposal, for the versions it is about.
    fn formula(&self, session: &mut Session, alive: &Alive) -> TermId {
        let (Some(selector), false) = (self.selector, alive.versions == u64::MAX) else { return alive.formula };
        let width = session.store.width(selector);
        let mut parts = vec![alive.formula];
        for version in (0..64).filter(|version| alive.versions >> version & 1 == 0) {
            if width >= 7 || version < 1 << width {
                let number = session.store.bits(width, version);
                parts.push(session.store.eq(selector, number));
            }
        }
        session.store.or(&parts)
    }

    /// Drops what does not hold behind an exit of a block; whether the block has to be looked at again.
    fn drop_violated(
        &mut self,
        session: &mut Session,
        (position, start): (Position, Start),
        exit: &Exit,
        next: Position,
    ) -> Result<bool, Cause> {
        let mut again = false;
        loop {
            let mut substitution = exit.state.substitution(&session.store);
            let claims: Vec<(Alive, TermId)> = self.alive[&next]
                .clone()
                .into_iter()
                .map(|alive| {
                    let formula = self.formula(session, &alive);
                    (alive, substitution.apply(&mut session.store, formula))
                })
                .collect();
            // What is said before in the same words need not be asked: sums that a round does not change are such.
            let said = self.said(session, (position, start));
            let all: Vec<TermId> = claims.iter().map(|(_, after)| *after).filter(|after| !said.contains(after)).collect();
            let all = session.store.and(&all);
            let violated = session.store.not(all);
            let premise = self.premise(session, (position, start), &[exit.guard, all]);
            let lost = match session.check(&[premise, exit.guard, violated])? {
                Answer::Unsat(_) => return Ok(again),
                Answer::Sat(model) => self.refuted(session, &claims, &model),
                Answer::Unknown(_) => Vec::new(),
            };
            // Too much for one question, or a model that says nothing.
            let lost = if lost.iter().any(Option::is_some) {
                lost
            } else {
                self.lost_by_parts(session, &claims, [premise, exit.guard])?
            };
            if lost.iter().all(Option::is_none) {
                return Ok(again);
            }
            self.drop(next, &claims, lost);
            self.open.insert((Start::Anywhere, next));
            again |= next == position && start == Start::Anywhere;
        }
    }

    /// What is lost of claims if they are asked a few at a time: nothing that is not proved is kept.
    fn lost_by_parts(
        &self,
        session: &mut Session,
        claims: &[(Alive, TermId)],
        premise: [TermId; 2],
    ) -> Result<Vec<Option<Lost>>, Cause> {
        let mut lost = Vec::new();
        for part in claims.chunks(claims.len().div_ceil(PARTS).max(1)) {
            let all: Vec<TermId> = part.iter().map(|(_, after)| *after).collect();
            let all = session.store.and(&all);
            let violated = session.store.not(all);
            let unknown = Lost { left: 0, values: Assignment::new() };
            let mut of_part = match session.check(&[premise[0], premise[1], violated])? {
                Answer::Unsat(_) => vec![None; part.len()],
                Answer::Sat(model) => self.refuted(session, part, &model),
                Answer::Unknown(_) => vec![Some(unknown.clone()); part.len()],
            };
            if of_part.is_empty() {
                of_part = vec![Some(unknown); part.len()];
            }
            lost.append(&mut of_part);
        }
        Ok(lost)
    }

    /// What a model takes away of claims; nothing at all if it refutes none of them.
    fn refuted(&self, session: &Session, claims: &[(Alive, TermId)], model: &Assignment) -> Vec<Option<Lost>> {
        let mut cache = FxHashMap::default();
        let holds = |after: TermId, cache: &mut FxHashMap<_, _>| {
            session.store.eval_with(after, model, cache).ok().and_then(|value| value.as_bool()) == Some(true)
        };
        let refuted: Vec<bool> = claims.iter().map(|(_, after)| !holds(*after, &mut cache)).collect();
        if !refuted.contains(&true) {
            return Vec::new();
        }
        let version = self.selector.and_then(|selector| {
            let value = session.store.eval_with(selector, model, &mut cache).ok()?.as_bits()?;
            u32::try_from(value).ok().filter(|version| *version < 64)
        });
        let left = |alive: &Alive| version.map_or(0, |version| alive.versions & !(1 << version));
        let lost =
            |((alive, _), refuted): (&(Alive, TermId), bool)| refuted.then(|| Lost { left: left(alive), values: model.clone() });
        claims.iter().zip(refuted).map(lost).collect()
    }

    /// Drops what is lost of claims.
    fn drop(&mut self, at: Position, claims: &[(Alive, TermId)], lost: Vec<Option<Lost>>) {
        let mut kept = Vec::new();
        for ((alive, _), lost) in claims.iter().zip(lost) {
            let Some(Lost { left, values }) = lost else {
                kept.push(*alive);
                continue;
            };
            self.lost.push((alive.number, values));
            if left != 0 && left != alive.versions {
                kept.push(Alive { versions: left, ..*alive });
            }
        }
        self.alive.insert(at, kept);
    }

    /// The proposals that are left somewhere.
    fn left(&self) -> impl Iterator<Item = Candidate> + '_ {
        self.alive.values().flatten().filter_map(|alive| self.offered.get(alive.number).copied())
    }

    /// What is left, position by position.
    fn facts(&self, session: &mut Session) -> Vec<Invariant> {
        let mut facts = Vec::with_capacity(self.alive.len());
        for (position, alive) in &self.alive {
            let parts: Vec<TermId> = alive.iter().map(|alive| self.formula(session, alive)).collect();
            let formula = session.store.and(&parts);
            facts.push(Invariant { position: *position, formula });
        }
        facts
    }

    /// The positions that are reached, each with how its block starts.
    fn entries(&self, session: &Session) -> Vec<(Position, Start)> {
        let mut entries: Vec<(Position, Start)> = self.alive.keys().map(|position| (*position, Start::Anywhere)).collect();
        entries.extend(session.explorer.start().map(|start| (start, Start::Program)));
        entries
    }

    /// Whether a run may come to what has no treatment, for all that is known.
    fn may_end_in_obstacle(&self, session: &mut Session) -> Result<bool, Cause> {
        for (position, start) in self.entries(session) {
            let block = session.block(position, start)?;
            let ends = block.exits.iter().filter(|exit| matches!(exit.target, Target::Obstacle(..))).map(|exit| exit.guard);
            for guard in ends.collect::<Vec<_>>() {
                let premise = self.premise(session, (position, start), &[guard]);
                if !matches!(session.check(&[premise, guard])?, Answer::Unsat(_)) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Settles goals that no fact leads to. All that a block may reach is one question while it can be answered: a model
    /// takes away the goals it reaches, and what is left when there is none is not reached. Where the block begins with the
    /// program, a model is a path from the start.
    fn conclude(
        &self,
        session: &mut Session,
        (goals, referee): (&mut Goals, &mut dyn Referee),
        by: &'static str,
    ) -> Result<(), Cause> {
        let mut entries = self.entries(session);
        // What the first block reaches is reached for certain, and need not be asked of others.
        entries.reverse();
        let mut reached: BTreeSet<GoalId> = BTreeSet::new();
        for (position, start) in entries {
            let block = session.block(position, start)?;
            let guards: Vec<TermId> = block.exits.iter().map(|exit| exit.guard).collect();
            let premise = self.premise(session, (position, start), &guards);
            if !ask_block(session, (goals, &mut *referee), (position, start, premise), &block, &mut reached)? {
                return Ok(());
            }
        }
        let mut invariants = self.facts(session);
        for invariant in &mut invariants {
            let known = session.fact(invariant.position).unwrap_or_else(|| session.store.tt());
            invariant.formula = session.store.and(&[known, invariant.formula]);
        }
        let proof = Proof { invariants, inductive: true, memory: Memory::Abstracted, by };
        goals.settle_safe(&Rc::new(proof), |goal| reached.contains(&goal));
        Ok(())
    }
}

/// Finds the goals that a block may reach. `false` if nothing can be said of goals: an obstacle may be reached, or all are.
fn ask_block(
    session: &mut Session,
    (goals, referee): (&mut Goals, &mut dyn Referee),
    (position, start, premise): (Position, Start, TermId),
    block: &Block,
    reached: &mut BTreeSet<GoalId>,
) -> Result<bool, Cause> {
    // What is reached, `None` for an obstacle, and when.
    let mut ways: Vec<(Option<GoalId>, TermId)> = Vec::new();
    for exit in &block.exits {
        match &exit.target {
            Target::Head(_) => {}
            Target::Obstacle(..) => ways.push((None, exit.guard)),
            Target::Error(at) => {
                let Some((goal, only)) = goals.open(at.location).filter(|(goal, _)| !reached.contains(goal)) else { continue };
                let only = only.unwrap_or_else(|| session.store.tt());
                ways.push((Some(goal), session.store.and(&[exit.guard, only])));
            }
        }
    }
    while !ways.is_empty() {
        let any: Vec<TermId> = ways.iter().map(|(_, way)| *way).collect();
        let any = session.store.or(&any);
        let model = match session.check(&[premise, any])? {
            Answer::Unsat(_) => return Ok(true),
            Answer::Sat(model) => model,
            Answer::Unknown(_) => return ask_each(session, goals, premise, &ways, reached),
        };
        let mut cache = FxHashMap::default();
        let store = &session.store;
        let taken = |way: TermId, cache: &mut FxHashMap<_, _>| {
            store.eval_with(way, &model, cache).ok().and_then(|value| value.as_bool()) == Some(true)
        };
        let found: BTreeSet<Option<GoalId>> =
            ways.iter().filter(|(_, way)| taken(*way, &mut cache)).map(|(what, _)| *what).collect();
        if found.is_empty() {
            // The model leaves something open that matters.
            return ask_each(session, goals, premise, &ways, reached);
        }
        if found.contains(&None) {
            return Ok(false);
        }
        for goal in found.iter().copied().flatten() {
            reached.insert(goal);
            if start == Start::Program {
                let path = follow(session, position, &model)?;
                _ = goals.claim(goal, session, referee, &path);
            }
        }
        ways.retain(|(what, _)| !found.contains(what));
        if goals.all_open().all(|goal| reached.contains(&goal)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// As [`ask_block`], with a question for each way.
fn ask_each(
    session: &mut Session,
    goals: &Goals,
    premise: TermId,
    ways: &[(Option<GoalId>, TermId)],
    reached: &mut BTreeSet<GoalId>,
) -> Result<bool, Cause> {
    for (what, way) in ways {
        if what.is_some_and(|goal| reached.contains(&goal)) || matches!(session.check(&[premise, *way])?, Answer::Unsat(_)) {
            continue;
        }
        match what {
            Some(goal) => _ = reached.insert(*goal),
            // Behind what has no treatment anything may happen.
            None => return Ok(false),
        }
        if goals.all_open().all(|goal| reached.contains(&goal)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Where proposals come from.
#[derive(Debug, Default)]
enum Source {
    /// Templates over the variables that a loop reads.
    #[default]
    Variables,
    /// Ranges of the cells of arrays that a loop reads and writes.
    Cells,
    /// Others.
    Given(Vec<Candidate>),
}

/// What is proposed next if those that hold do not settle the goals.
#[derive(Debug, Default)]
enum Round {
    /// What may hold of cells: they lie where variables say, so these have had their turn.
    Cells,
    /// These.
    Those(Vec<Candidate>),
    /// Nothing.
    #[default]
    None,
}

/// Proposals of several kinds, each settled once.
#[derive(Debug, Default)]
pub struct Candidates {
    search: Option<Greatest>,
    /// How many were offered, and how many are left.
    offered: usize,
    kept: usize,
    settled: bool,
    source: Source,
    /// What comes next. With cells, variables come first unless something is known of them.
    next: Round,
    /// What is settled now is said of all cells.
    of_cells: bool,
}

impl Candidates {
    /// An analysis that looks at these only: it settles what follows from those that hold, with few questions.
    #[must_use]
    pub fn given(proposals: Vec<Candidate>) -> Self {
        Self { source: Source::Given(proposals), ..Self::default() }
    }

    /// An analysis that looks at what may hold of all cells of an array.
    #[must_use]
    pub fn of_cells() -> Self {
        Self { source: Source::Cells, ..Self::default() }
    }
}

impl<'p> Analysis<'p> for Candidates {
    fn name(&self) -> &'static str {
        match self.source {
            Source::Variables => "candidates",
            Source::Cells => "cells",
            Source::Given(_) => "proposals",
        }
    }

    fn run(
        &mut self,
        session: &mut Session<'p>,
        goals: &mut Goals,
        referee: &mut dyn Referee,
        _share: &mut Share<'_>,
    ) -> Result<Pause, Stop> {
        let result = self.go_on(session, goals, referee);
        match result {
            Err(Cause::Stopped(Stop::Interrupted)) => Err(Stop::Interrupted),
            // It only adds to what others find.
            Ok(()) | Err(_) => Ok(Pause::Done(None)),
        }
    }

    fn numbers(&self) -> Vec<(&'static str, u64)> {
        let (all, kept) = (self.offered as u64, self.kept as u64);
        match self.source {
            Source::Given(_) => vec![("proposals", all), ("proposals that hold", kept)],
            Source::Variables => vec![("candidates", all), ("candidates that hold", kept)],
            Source::Cells => vec![("candidates of cells", all), ("candidates of cells that hold", kept)],
        }
    }

    fn held(&self) -> Vec<usize> {
        let Some(search) = self.search.as_ref().filter(|_| self.settled && matches!(self.source, Source::Given(_))) else {
            return Vec::new();
        };
        let holds = |number: &usize| {
            let at = search.offered[*number].at;
            let mut here = search.alive.iter().filter(|(position, _)| position.location == at).peekable();
            here.peek().is_some() && here.all(|(_, alive)| alive.iter().any(|alive| alive.number == *number))
        };
        (0..search.offered.len()).filter(holds).collect()
    }
}

impl Candidates {
    fn go_on(&mut self, session: &mut Session, goals: &mut Goals, referee: &mut dyn Referee) -> Result<(), Cause> {
        if self.search.is_none() {
            match &self.source {
                Source::Given(proposals) => self.begin(proposals.clone(), Round::None),
                Source::Variables => self.begin(templates::propose(session)?, Round::None),
                Source::Cells if session.facts_version() == 0 && cells::are_there(session)? => {
                    self.begin(templates::propose(session)?, Round::Cells);
                }
                Source::Cells => self.begin(Vec::new(), Round::Cells),
            }
        }
        loop {
            self.settle_and_conclude(session, goals, &mut *referee)?;
            if goals.all_open().next().is_none() {
                return Ok(());
            }
            let (offered, next) = match &self.next {
                Round::None => return Ok(()),
                Round::Those(more) if more.is_empty() => return Ok(()),
                Round::Cells => {
                    let (mut offered, more) = cells::propose(session)?;
                    if !offered.is_empty() {
                        offered.extend(templates::propose_behind(session)?);
                    }
                    if offered.is_empty() {
                        return Err(Cause::NoProgress);
                    }
                    self.of_cells = true;
                    (offered, Round::Those(more))
                }
                Round::Those(more) => {
                    // What is inductive stays so.
                    let left = self.search.iter().flat_map(Greatest::left);
                    let all: IndexSet<Candidate> = left.chain(more.iter().copied()).collect();
                    (all.into_iter().collect(), Round::None)
                }
            };
            self.begin(offered, next);
        }
    }

    fn begin(&mut self, offered: Vec<Candidate>, next: Round) {
        self.offered = offered.len();
        self.search = Some(Greatest::new(offered, None));
        self.settled = false;
        self.next = next;
    }

    fn settle_and_conclude(&mut self, session: &mut Session, goals: &mut Goals, referee: &mut dyn Referee) -> Result<(), Cause> {
        let Some(search) = &mut self.search else { return Ok(()) };
        if search.offered.is_empty() && matches!(self.next, Round::Cells) {
            // The round before that of cells is left out.
            return Ok(());
        }
        if !self.settled {
            search.run(session)?;
            let facts = search.facts(session);
            self.kept = search.alive.values().map(Vec::len).sum();
            // Others do not know what a formula about every index says.
            if !self.of_cells {
                session.assume(&facts);
            }
            self.settled = true;
        }
        let by = if self.of_cells { "cells" } else { "candidates" };
        search.conclude(session, (goals, referee), by)
    }
}
