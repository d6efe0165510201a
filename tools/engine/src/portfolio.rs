//! The portfolio: all analyses on one program, round by round, with shares of steps that double.
//!
//! A round gives each analysis that has not ended one share, cheap analyses first, but localized predicates before those that
//! join late; what an analysis does not use is lost to it. Whatever is easy for one of them is settled before any other has
//! burnt much more than that. No clock decides anything: two runs with the same limit of steps do the same.
//! Knows the contract and the names of the analyses. Does not know how any of them works.

use std::sync::atomic::{AtomicBool, Ordering};

use smt::TermStore;

use self::features::{Features, has_rules, is_acyclic};
use self::table::part;
use crate::analyses::bounded::Bounded;
use crate::analyses::candidates::{Candidate, Candidates};
use crate::analyses::circuit::Circuits;
use crate::analyses::execution;
pub use crate::analyses::execution::Executions;
use crate::analyses::horn::Horn;
use crate::analyses::induction::Induction;
use crate::analyses::predicate::goals::Predicates;
use crate::analyses::ranges::RangeStates;
use crate::analyses::values::ExplicitValues;
use crate::analysis::{Analysis, Observer, Pause, STEP, Share, run_share};
use crate::control::{Cause, Stop};
use crate::evidence::recheck::{Gap, check};
use crate::goal::{Goals, Proof, Referee, Status};
use crate::session::{Counts, Growth, Memory, Sessions};

mod features;
mod table;

/// Steps of the first share.
const FIRST_SHARE: u64 = 10_000;

/// The share from which on the analyses take part that small programs do not need.
const LATE: u64 = 40_000;

/// The share up to which others go on when the most thorough analysis has ended without an answer, and the bounded search when
/// it is alone: that only ends where loops do.
const AFTERWARDS: u64 = 2_000_000;

/// Proposals get one in so many steps.
const SHARE_OF_PROPOSALS: u64 = 12;

/// One of the analyses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The execution with all inputs zero.
    Execution,
    /// Constants of live variables, from loop head to loop head.
    Values,
    /// Constants and parts of values between thresholds, from loop head to loop head.
    Ranges,
    /// All paths from the start, as far as they are short.
    Bounded,
    /// The greatest inductive subset of templates and atoms.
    Candidates,
    /// The same of formulas that are said of all cells of an array.
    Cells,
    /// Induction over several blocks.
    Induction,
    /// Horn clauses about positions, over bit vectors and over whole numbers.
    Horn,
    /// Induction and property-directed reachability on the program as a circuit.
    Circuit,
    /// Predicate abstraction with refinement, of what no pointer writes without saying where.
    Localized,
    /// Predicate abstraction with refinement.
    Predicates,
}

impl Kind {
    /// All, cheap ones first.
    pub const ALL: &'static [Self] = &[
        Self::Execution,
        Self::Values,
        Self::Ranges,
        Self::Bounded,
        Self::Candidates,
        Self::Cells,
        Self::Induction,
        Self::Horn,
        Self::Circuit,
        Self::Localized,
        Self::Predicates,
    ];

    /// Whether it waits until the program is known not to be simple.
    const fn is_late(self) -> bool {
        matches!(self, Self::Ranges | Self::Candidates | Self::Cells | Self::Induction | Self::Horn | Self::Circuit)
    }

    /// With how many pieces of memory it works.
    const fn memory(self) -> Memory {
        match self {
            Self::Execution | Self::Values | Self::Ranges | Self::Bounded | Self::Horn | Self::Circuit => Memory::Exact,
            Self::Candidates | Self::Cells | Self::Induction | Self::Predicates => Memory::Abstracted,
            Self::Localized => Memory::Localized,
        }
    }

    /// What the analysis calls itself.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.analysis().map_or(execution::NAME, |analysis| analysis.name())
    }

    /// The analysis that calls itself so.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The analysis behind a proof.
    #[must_use]
    pub fn behind(proof: &Proof) -> Option<Self> {
        if proof.memory == Memory::Localized { Some(Self::Localized) } else { Self::named(proof.by) }
    }

    fn analysis<'p>(self) -> Option<Box<dyn Analysis<'p>>> {
        Some(match self {
            Self::Execution => return None,
            Self::Values => Box::<ExplicitValues>::default(),
            Self::Ranges => Box::<RangeStates>::default(),
            Self::Bounded => Box::<Bounded>::default(),
            Self::Candidates => Box::<Candidates>::default(),
            Self::Cells => Box::new(Candidates::of_cells()),
            Self::Induction => Box::<Induction>::default(),
            Self::Horn => Box::<Horn>::default(),
            Self::Circuit => Box::<Circuits>::default(),
            Self::Localized => Box::new(Predicates::named("localized predicates")),
            Self::Predicates => Box::new(Predicates::named("predicates")),
        })
    }
}

/// Whether a proof by invariants is looked at a second time: encoded anew, every question put to a fresh solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recheck {
    /// The proof is believed.
    Never,
    /// It is, and [`Numbers::rechecks`] says what came out.
    Always,
}

/// The analysis that settled another version of the program: it goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lead {
    /// Which one.
    pub kind: Kind,
    /// Steps for it. Later shares pay them back: it works ahead, and no more.
    pub steps: u64,
    /// Steps for each of those that usually go before it, for what is easy. They are paid back too.
    pub others: u64,
}

/// What is done.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The analyses.
    pub analyses: &'a [Kind],
    /// Formulas that may be invariants, over the terms of the session for [`Memory::Abstracted`]: a wrong one costs time only.
    pub proposals: &'a [Candidate],
    /// Steps for the proposals before anything else is tried. They get a tenth of all steps besides, so that useless ones cost
    /// no more.
    pub head_start: u64,
    /// Who goes before everything else.
    pub lead: Option<Lead>,
    /// Steps after which everything ends; `None`: only the stop flag ends a run.
    pub steps: Option<u64>,
    /// Whether proofs are looked at twice.
    pub recheck: Recheck,
    /// Which executions come first.
    pub executions: Executions,
}

impl Plan<'_> {
    /// Everything, until it is settled.
    pub const FULL: Self = Self {
        analyses: Kind::ALL,
        proposals: &[],
        head_start: 0,
        lead: None,
        steps: None,
        recheck: Recheck::Never,
        executions: Executions::Single,
    };
}

/// Numbers of a run.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Questions to solvers.
    pub queries: u64,
    /// Rounds begun.
    pub rounds: u64,
    /// Steps done.
    pub steps: u64,
    /// Of these, by each analysis that did any.
    pub by: Vec<(&'static str, u64)>,
    /// What the analyses say of their work.
    pub work: Vec<(&'static str, u64)>,
    /// Which of the proposals hold, by their place in [`Plan::proposals`].
    pub held: Vec<usize>,
    /// What the second look at each proof said.
    pub rechecks: Vec<Result<(), Gap>>,
    /// How much was asked and computed.
    pub counts: Counts,
}

/// An analysis with what has become of it.
struct Player<'p> {
    kind: Kind,
    analysis: Box<dyn Analysis<'p>>,
    steps: u64,
    /// What it was given; a question that is begun may take more, which later shares pay back.
    granted: u64,
    /// Why it ended, once it has.
    ended: Option<Option<Cause>>,
    /// It looks at what was proposed, before anything else is tried.
    early: bool,
}

impl<'p> Player<'p> {
    /// Lets it work for so many steps.
    fn work(
        &mut self,
        sessions: &mut Sessions<'p>,
        (goals, referee): (&mut Goals, &mut dyn Referee),
        own: u64,
        observer: &mut dyn Observer,
    ) {
        let before = steps(sessions);
        let mut share = Share { steps: own, observer };
        let paused = run_share(self.analysis.as_mut(), sessions.of(self.kind.memory()), goals, referee, &mut share);
        self.steps += steps(sessions) - before;
        if let Pause::Done(cause) = paused {
            self.ended = Some(cause);
        }
    }

    /// Grants more steps; how many it may do now.
    fn grant(&mut self, own: u64) -> u64 {
        self.granted = self.granted.saturating_add(own);
        if own == u64::MAX { own } else { self.granted.saturating_sub(self.steps) }
    }
}

impl Numbers {
    /// Takes down what was done.
    fn tell(&mut self, sessions: &Sessions<'_>, players: &[Player<'_>]) {
        self.steps = steps(sessions);
        self.queries = sessions.asked();
        self.counts = sessions.counts();
        for player in players {
            if player.steps > 0 {
                self.by.push((player.analysis.name(), player.steps));
            }
            self.work.extend(player.analysis.numbers());
            self.held.extend(player.analysis.held());
        }
    }
}

/// The analyses of a plan, in the order in which they get their shares.
fn players<'p>(plan: Plan<'_>, sessions: &mut Sessions<'p>) -> Vec<Player<'p>> {
    let localizable = plan.analyses.contains(&Kind::Localized) && sessions.is_localizable();
    let takes_part = |kind: &&Kind| plan.analyses.contains(kind) && (**kind != Kind::Localized || localizable);
    let mut kinds: Vec<&Kind> = Kind::ALL.iter().filter(takes_part).collect();
    if localizable {
        // What proves most drivers does not wait for those that small programs do not need.
        kinds.sort_by_key(|kind| (**kind == Kind::Predicates, kind.is_late()));
    }
    let player =
        |kind: &Kind| Some(Player { kind: *kind, analysis: kind.analysis()?, steps: 0, granted: 0, ended: None, early: false });
    let mut players: Vec<Player<'p>> = kinds.into_iter().filter_map(player).collect();
    if !plan.proposals.is_empty() {
        // Explicit values end soon if they are all that the program needs.
        let behind = if plan.head_start > 0 { Kind::Execution } else { Kind::Values };
        let first = players.iter().take_while(|player| player.kind <= behind).count();
        let analysis = Box::new(Candidates::given(plan.proposals.to_vec()));
        players.insert(first, Player { kind: Kind::Candidates, analysis, steps: 0, granted: 0, ended: None, early: true });
    }
    players
}

/// Settles goals with the analyses of a plan, until everything is settled, all have ended, the steps are used up, or `stop`
/// is raised. What is open then becomes [`Status::Unknown`].
pub fn run<'p>(
    sessions: &mut Sessions<'p>,
    (goals, referee): (&mut Goals, &mut dyn Referee),
    plan: Plan<'_>,
    (stop, observer): (&AtomicBool, &mut dyn Observer),
) -> Numbers {
    let limit = plan.steps.unwrap_or(u64::MAX);
    let mut rounds = Rounds::begin(sessions, (&mut *goals, &mut *referee), plan);
    rounds.work(sessions, (&mut *goals, referee), limit, (stop, observer));
    rounds.end(sessions, goals, limit, stop)
}

/// A run that goes on where it was: what others do meanwhile costs it nothing.
///
/// All calls are given the same sessions and the same goals.
pub struct Rounds<'p> {
    players: Vec<Player<'p>>,
    /// The share of the round.
    share: u64,
    /// Whose turn it is; behind the last one a round has ended.
    turn: usize,
    /// The limit ended that turn, which goes on.
    is_cut: bool,
    /// Rounds begun.
    begun: u64,
    /// Nobody has anything left to do.
    is_over: bool,
    head_start: u64,
    lead: Option<Lead>,
    recheck: Recheck,
    has_rules: bool,
    is_acyclic: bool,
    /// What decided the shares of the first round.
    shown: Option<Features>,
}

impl<'p> Rounds<'p> {
    /// Does what comes before all rounds: a few executions.
    pub fn begin(sessions: &mut Sessions<'p>, (goals, referee): (&mut Goals, &mut dyn Referee), plan: Plan<'_>) -> Self {
        if plan.analyses.contains(&Kind::Execution) {
            execution::settle(sessions.cfa(), sessions.cursor(), plan.executions, goals, referee);
        }
        let has_rules = has_rules(sessions.cfa(), sessions.facts().loops());
        let is_acyclic = is_acyclic(sessions.facts());
        let Plan { head_start, lead, recheck, .. } = plan;
        let players = players(plan, sessions);
        Self {
            players,
            share: FIRST_SHARE,
            turn: 0,
            is_cut: false,
            begun: 1,
            is_over: false,
            head_start,
            lead,
            recheck,
            has_rules,
            is_acyclic,
            shown: None,
        }
    }

    /// Whether more steps bring nothing, whatever is open.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Works until the sessions have done so many steps, everything is settled or has ended, or `stop` is raised. Who goes first
    /// does so within the first of these calls.
    pub fn work(
        &mut self,
        sessions: &mut Sessions<'p>,
        (goals, referee): (&mut Goals, &mut dyn Referee),
        limit: u64,
        (stop, observer): (&AtomicBool, &mut dyn Observer),
    ) {
        if let Some(lead) = self.lead.take() {
            work_ahead(&mut self.players, lead, sessions, (&mut *goals, &mut *referee), (limit, stop, &mut *observer));
        }
        while !self.is_over {
            if self.turn == self.players.len() {
                if self.players.iter().all(|player| player.ended.is_some()) {
                    self.is_over = true;
                    break;
                }
                (self.turn, self.share, self.begun) = (0, self.share.saturating_mul(2), self.begun + 1);
            }
            let left = limit.saturating_sub(steps(sessions));
            if goals.done() || left == 0 || stop.load(Ordering::Relaxed) {
                break;
            }
            self.take_turn(sessions, (&mut *goals, &mut *referee), left, &mut *observer);
        }
    }

    /// Lets the one whose turn it is work.
    fn take_turn(
        &mut self,
        sessions: &mut Sessions<'p>,
        (goals, referee): (&mut Goals, &mut dyn Referee),
        left: u64,
        observer: &mut dyn Observer,
    ) {
        let Some(own) = self.own(sessions) else {
            self.is_over = true;
            return;
        };
        let player = &mut self.players[self.turn];
        if own > 0 {
            let before = player.steps;
            player.work(sessions, (goals, referee), own.min(left), observer);
            // One that leaves something of its own accord waits for its next turn.
            self.is_cut = own > left && player.ended.is_none() && player.steps - before >= left && player.granted > player.steps;
        }
        self.turn += usize::from(!self.is_cut);
    }

    /// Steps for the one whose turn it is; `None` if nobody should go on.
    fn own(&mut self, sessions: &mut Sessions<'p>) -> Option<u64> {
        let Self { players, share, turn, begun, .. } = self;
        let (share, turn, begun) = (*share, *turn, *begun);
        let others = players.iter().filter(|player| player.ended.is_none() && !player.early).count();
        let alone = others == 1;
        let thorough = players.last().is_some_and(|last| last.ended.as_ref().is_some_and(Option::is_some));
        let mut active = players.iter().filter(|player| player.ended.is_none() && !player.early);
        let searches = active.all(|player| player.kind == Kind::Bounded);
        if (thorough || searches) && share > AFTERWARDS || (thorough && others == 0) {
            return None;
        }
        let localizes = players.iter().any(|player| player.kind == Kind::Localized && player.ended.is_none());
        let player = &mut players[turn];
        if player.ended.is_some() || (player.kind.is_late() && !player.early && share < LATE && !alone) {
            return Some(0);
        }
        if std::mem::take(&mut self.is_cut) && player.granted > player.steps {
            return Some(player.grant(0));
        }
        let program =
            Features { follows_memory: sessions.are_two(), localizes, has_rules: self.has_rules, is_acyclic: self.is_acyclic };
        self.shown.get_or_insert(program);
        let own = if alone && !thorough && !searches { u64::MAX } else { part(player.kind, program.class()).of_share(share) };
        let own = own.saturating_mul(player.analysis.worth());
        let own = match (player.early, begun) {
            (false, _) => own,
            (true, 1) if self.head_start > 0 => self.head_start,
            (true, _) if others == 0 => share,
            (true, _) => (steps(sessions) / SHARE_OF_PROPOSALS).saturating_sub(player.granted),
        };
        Some(player.grant(own))
    }

    /// Ends the run, after which what is open is unknown: `limit` is that of the last call of [`Self::work`].
    pub fn end(&self, sessions: &mut Sessions<'p>, goals: &mut Goals, limit: u64, stop: &AtomicBool) -> Numbers {
        let interrupted = stop.load(Ordering::Relaxed) || steps(sessions) >= limit;
        give_up(goals, &self.players, interrupted);
        let mut numbers = Numbers { rounds: self.begun, ..Numbers::default() };
        numbers.tell(sessions, &self.players);
        numbers.work.extend(self.shown.into_iter().flat_map(Features::shown));
        if self.recheck == Recheck::Always {
            numbers.rechecks = recheck(sessions, goals);
        }
        numbers
    }
}

/// Lets the analysis that settled another version work ahead, behind a short look by those that usually go before it.
fn work_ahead<'p>(
    players: &mut [Player<'p>],
    lead: Lead,
    sessions: &mut Sessions<'p>,
    (goals, referee): (&mut Goals, &mut dyn Referee),
    (limit, stop, observer): (u64, &AtomicBool, &mut dyn Observer),
) {
    if !players.iter().any(|player| player.kind == lead.kind && !player.early) {
        return;
    }
    for player in players.iter_mut().filter(|player| !player.early && player.kind <= lead.kind) {
        let is_lead = player.kind == lead.kind;
        if !is_lead && player.kind.is_late() {
            continue;
        }
        let own = if is_lead { lead.steps } else { lead.others };
        let own = own.min(limit.saturating_sub(steps(sessions)));
        if own == 0 || goals.done() || stop.load(Ordering::Relaxed) {
            return;
        }
        sessions.of(lead.kind.memory()).growth = Growth::Offered;
        player.work(sessions, (&mut *goals, &mut *referee), own, &mut *observer);
        sessions.of(lead.kind.memory()).growth = Growth::Refined;
    }
}

/// What was done so far in the sessions of a program, in steps.
#[must_use]
pub fn steps(sessions: &Sessions) -> u64 {
    sessions.spent() / STEP
}

/// Says of every open goal why it is.
#[expect(clippy::fn_params_excessive_bools, reason = "how the run ended")]
fn give_up(goals: &mut Goals, players: &[Player<'_>], interrupted: bool) {
    let open: Vec<_> = goals.all_open().collect();
    // What the most thorough analysis says counts most. As long as it has not ended, more steps may help, whatever ended the others.
    let word = |player: &Player<'_>| player.ended.clone().flatten().or_else(|| player.analysis.obstacle());
    let said = match players.last() {
        Some(thorough) if interrupted && thorough.ended.is_none() => word(thorough),
        _ => players.iter().rev().find_map(word),
    };
    let cause = said.unwrap_or(if interrupted { Cause::Stopped(Stop::Interrupted) } else { Cause::NoProgress });
    for goal in open {
        goals.settle(goal, Status::Unknown(cause.clone()));
    }
}

/// Looks at every proof by invariants again.
fn recheck(sessions: &mut Sessions, goals: &Goals) -> Vec<Result<(), Gap>> {
    let mut found = Vec::new();
    for goal in goals.all() {
        if let Status::Safe(proof) = &goal.status
            && let Proof { invariants, inductive: true, memory, .. } = &**proof
        {
            found.push(check(sessions.of(*memory), invariants, &|at| goal.at.contains(&at)));
        }
    }
    found
}

/// The terms of a proof, which take them away from its session.
pub fn take_terms(sessions: &mut Sessions, proof: &Proof) -> TermStore {
    std::mem::take(&mut sessions.of(proof.memory).store)
}
