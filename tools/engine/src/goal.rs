//! Goals: which violations are asked about, what is known of each, and who judges a claimed one.
//!
//! Knows error locations and evidence. Does not know how a goal is settled.

use std::rc::Rc;

use program::cfa::{Cfa, EdgeId, LocationId};
use program::expr::ExprId;
use rustc_hash::FxHashMap;
use semantics::interpreter::{DECIDED_BY_THE_MACHINE, Outcome, Run};
use smt::TermId;

use crate::control::Cause;
use crate::evidence::counterexample::Counterexample;
use crate::evidence::invariant::Invariant;
use crate::evidence::replay::{reaches_error, replay};
use crate::session::{Memory, Session};

/// The place of a goal among those of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GoalId(pub usize);

/// One question: can these error locations be reached?
#[derive(Clone, Debug)]
pub struct Goal {
    /// Its error locations.
    pub at: Vec<LocationId>,
    /// The runs that still count, as a formula over objects that no edge writes, in the terms of the session that works on it;
    /// `None`: all.
    pub only: Option<TermId>,
    /// Which runs no longer count: those of which one of these conditions holds. They speak of objects that no edge writes.
    pub except: Vec<ExprId>,
    /// What is known.
    pub status: Status,
}

/// What is known of a goal.
#[derive(Clone, Debug, Default)]
pub enum Status {
    /// Nothing yet.
    #[default]
    Open,
    /// No run that counts reaches it.
    Safe(Rc<Proof>),
    /// This run of the program, by the concrete interpreter, does.
    Unsafe(Rc<Run>),
    /// Nobody found out.
    Unknown(Cause),
}

/// What a proof rests on.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Formulas that hold whenever control is at their positions, over the terms of the session of `memory`.
    pub invariants: Vec<Invariant>,
    /// Whether they are inductive and exclude the violation by themselves, so that a second look can confirm it.
    pub inductive: bool,
    /// Whose terms they are.
    pub memory: Memory,
    /// The analysis.
    pub by: &'static str,
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// With the first violation, or when everything is settled.
    First,
    /// When everything is settled.
    Each,
}

/// Which goals an analysis looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// All open ones.
    All,
    /// This one.
    One(GoalId),
}

/// The goals of a run.
#[derive(Clone, Debug)]
pub struct Goals {
    goals: Vec<Goal>,
    of: FxHashMap<LocationId, GoalId>,
    focus: Focus,
    /// When the run ends.
    pub until: Until,
}

impl Goals {
    /// One goal for each group of error locations.
    #[must_use]
    pub fn new(groups: Vec<Vec<LocationId>>, until: Until) -> Self {
        let mut of = FxHashMap::default();
        for (number, group) in groups.iter().enumerate() {
            for at in group {
                of.insert(*at, GoalId(number));
            }
        }
        let goals = groups.into_iter().map(|at| Goal { at, only: None, except: Vec::new(), status: Status::Open }).collect();
        Self { goals, of, focus: Focus::All, until }
    }

    /// One goal with all error locations of a program: can any be reached?
    #[must_use]
    pub fn every_error(cfa: &Cfa) -> Self {
        Self::new(vec![cfa.location_ids().filter(|at| cfa.location(*at).is_error).collect()], Until::First)
    }

    /// A goal for each of these error locations.
    #[must_use]
    pub fn each(at: impl IntoIterator<Item = LocationId>) -> Self {
        Self::new(at.into_iter().map(|at| vec![at]).collect(), Until::Each)
    }

    /// Turns to all goals or to one.
    pub fn focus(&mut self, on: Focus) {
        self.focus = on;
    }

    /// The goal of an error location, if it is open and looked at, with the runs that still count.
    #[must_use]
    pub fn open(&self, at: LocationId) -> Option<(GoalId, Option<TermId>)> {
        let id = *self.of.get(&at)?;
        self.is_open(id).then(|| (id, self.goals[id.0].only))
    }

    /// Whether a goal is open and looked at.
    #[must_use]
    pub fn is_open(&self, id: GoalId) -> bool {
        let focused = match self.focus {
            Focus::All => true,
            Focus::One(one) => one == id,
        };
        focused && matches!(self.goals[id.0].status, Status::Open)
    }

    /// The goals that are open and looked at.
    pub fn all_open(&self) -> impl Iterator<Item = GoalId> + '_ {
        (0..self.goals.len()).map(GoalId).filter(|id| self.is_open(*id))
    }

    /// Whether nothing is left to do: everything looked at is settled, or the first violation is found.
    #[must_use]
    pub fn done(&self) -> bool {
        let violated = || self.goals.iter().any(|goal| matches!(goal.status, Status::Unsafe(_)));
        self.all_open().next().is_none() || (self.until == Until::First && violated())
    }

    /// The goal of an error location, whatever is known of it.
    #[must_use]
    pub fn of(&self, at: LocationId) -> Option<GoalId> {
        self.of.get(&at).copied()
    }

    /// A goal.
    #[must_use]
    pub fn get(&self, id: GoalId) -> &Goal {
        &self.goals[id.0]
    }

    /// All goals.
    #[must_use]
    pub fn all(&self) -> &[Goal] {
        &self.goals
    }

    /// Notes what was found out about a goal.
    pub fn settle(&mut self, id: GoalId, status: Status) {
        self.goals[id.0].status = status;
    }

    /// Settles everything that is open and looked at with one proof, but for some.
    pub fn settle_safe(&mut self, proof: &Rc<Proof>, but: impl Fn(GoalId) -> bool) {
        let open: Vec<GoalId> = self.all_open().filter(|id| !but(*id)).collect();
        for id in open {
            self.settle(id, Status::Safe(Rc::clone(proof)));
        }
    }

    /// Puts a claimed path before a judge. The cause if it was not confirmed.
    pub fn claim(
        &mut self,
        id: GoalId,
        session: &mut Session<'_>,
        referee: &mut dyn Referee,
        path: &Counterexample,
    ) -> Option<Cause> {
        let ruling = referee.claim(session, (id, self.get(id)), path);
        let cause = self.take(id, ruling);
        self.say_in(session, id);
        cause
    }

    /// Says in the terms of a session which runs still count: each session has terms of its own.
    pub fn enter(&mut self, session: &mut Session<'_>) {
        (0..self.goals.len()).for_each(|id| self.say_in(session, GoalId(id)));
    }

    fn say_in(&mut self, session: &mut Session<'_>, id: GoalId) {
        let goal = &mut self.goals[id.0];
        if goal.except.is_empty() || !matches!(goal.status, Status::Open) {
            return;
        }
        let at = session.cfa().entry_location();
        let said: Option<Vec<TermId>> = goal.except.iter().map(|expr| session.formula(*expr, at)).collect();
        match said {
            Some(said) => {
                let any = session.store.or(&said);
                goal.only = Some(session.store.not(any));
            }
            // Whoever cannot say what no longer counts would find it again and again.
            None => goal.status = Status::Unknown(Cause::NoProgress),
        }
    }

    /// Takes up what a judge said. The cause if the claim was not confirmed.
    pub fn take(&mut self, id: GoalId, ruling: Ruling) -> Option<Cause> {
        match ruling {
            Ruling::Confirmed(run) => self.settle(id, Status::Unsafe(run)),
            Ruling::ConfirmedFor { except, .. } => self.goals[id.0].except.extend(except),
            Ruling::Unconfirmed(cause) => return Some(cause),
        }
        None
    }
}

/// What a judge says of a claimed violation.
#[derive(Clone, Debug)]
pub enum Ruling {
    /// It is one: this run.
    Confirmed(Rc<Run>),
    /// It is one of some runs only.
    ConfirmedFor {
        /// The violating run.
        run: Rc<Run>,
        /// Which runs no longer count, `run` among them: conditions as in [`Goal::except`].
        except: Vec<ExprId>,
    },
    /// It does not replay.
    Unconfirmed(Cause),
}

/// Judges claimed violations, at once.
pub trait Referee {
    /// Replays a path that an analysis claims to violate a goal.
    fn claim(&mut self, session: &mut Session<'_>, goal: (GoalId, &Goal), path: &Counterexample) -> Ruling;

    /// Judges a run of the interpreter on the program itself, which reached the goal.
    fn execution(&mut self, _goal: GoalId, run: Run) -> Ruling {
        Ruling::Confirmed(Rc::new(run))
    }
}

/// Replays paths on the program that is analysed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Replay;

impl Referee for Replay {
    fn claim(&mut self, session: &mut Session<'_>, (_, goal): (GoalId, &Goal), path: &Counterexample) -> Ruling {
        let cfa = session.cfa();
        let run = replay(cfa, path);
        if reaches_error(&run) && run.trace.last().is_some_and(|edge| goal.at.contains(&cfa.edge(*edge).target)) {
            return Ruling::Confirmed(Rc::new(run));
        }
        // Something on its way was approximated, or is for the machine to decide.
        let approximations = session.explorer.encoder.approximations();
        let place = path.edges.iter().find_map(|edge| Some((*edge, *approximations.get(edge)?)));
        Ruling::Unconfirmed(Cause::Unconfirmed(machine(&run).or(place)))
    }
}

/// What the machine decides, and where, if this ended a run.
fn machine(run: &Run) -> Option<(EdgeId, &'static str)> {
    let Outcome::Unsupported { construct, edge } = &run.outcome else { return None };
    let name = DECIDED_BY_THE_MACHINE.into_iter().find(|name| **construct == **name)?;
    Some(((*edge)?, name))
}
