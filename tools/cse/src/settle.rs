//! Proofs: both versions as one program, with a boundary that grows from what changed to the entry function.
//!
//! Every boundary is asked in turn with shares of steps that grow. What fails inside says nothing about the client: the
//! boundary grows. What fails at the entry function is a difference, if the untouched programs show it.

#![allow(clippy::wildcard_enum_match_arm, reason = "errors of other crates may become more")]

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use console::{Budget, Deadline};
use engine::analyses::candidates::Candidate;
use engine::control::Cause;
use engine::evidence::counterexample::Counterexample;
use engine::evidence::recheck::Gap;
use engine::evidence::replay::replay;
use engine::goal::{Goal, GoalId, Goals, Referee, Replay, Ruling, Status, Until};
use engine::portfolio::{self, Kind, Lead, Plan as Work, Recheck};
use engine::session::{Clock, Memory, Session, Sessions};
use formats::Reason;
use program::cfa::{Cfa, FunctionId, LocationId};
use program::expr::ExprId;
use semantics::interpreter::Run;
use smt::z3::{Z3Error, interruptible};
use transform::pair::{Pair, PairError, Pairing, Plan, Relation, pair, recursions};

use crate::couplings::couplings;
use crate::trials::{Difference, Stimulus, Trials};

/// Steps for the first boundary before more inputs are tried.
const QUICK: u64 = 10_000;
/// Steps of the round after that for each boundary; later rounds have four times as many.
const FIRST: u64 = 150_000;
/// Rounds without a limit of steps or time.
const MOST_ROUNDS: u32 = 5;
/// Steps for what may hold between both versions, before anything else is tried.
const HEAD_START: u64 = 20_000;
/// Most questions have few paths, which are soon enumerated.
const LEAD: Lead = Lead { kind: Kind::Bounded, steps: 8_000, others: 500 };
/// Claims of one question that are tried on the untouched programs although they do not replay.
const RETRIALS: usize = 6;

/// What was found out.
#[derive(Debug)]
pub(crate) enum Settled {
    /// No call comes to what differs.
    Inactive,
    /// Both versions return the same for each of the few arguments that are ever passed.
    Run,
    /// Nobody notices: what was proved, for this boundary.
    Equal(Proved),
    /// These inputs show it.
    Different(Box<Difference>),
    /// Code outside may call this function, which is not known to do the same.
    Handed(String),
    /// Nobody knows.
    Open(Reason),
}

/// A proof.
#[derive(Debug)]
pub(crate) struct Proved {
    /// The boundary: names of the functions that are called from outside of it, with the calls.
    pub(crate) calls: Vec<(Option<program::cfa::EdgeId>, program::cfa::FunctionId)>,
    /// The functions inside.
    pub(crate) plan: Plan,
    pub(crate) by: &'static str,
    /// The number of the question whose programs calls and plan are of.
    pub(crate) question: usize,
}

/// What proofs may take.
#[derive(Clone, Copy)]
pub(crate) struct Means<'a> {
    pub(crate) budget: &'a Budget,
    pub(crate) steps: Option<u64>,
    /// Both versions run one after the other from the entry function on, and never together.
    pub(crate) is_apart: bool,
}

impl Means<'_> {
    /// Asks about goals of a program made for the question, with so many steps; whether a second look agrees with all proofs.
    pub(crate) fn ask(&self, cfa: &Cfa, goals: &mut Goals, steps: u64, numbers: &mut Numbers) -> Result<bool, Z3Error> {
        self.ask_led(LEAD, cfa, goals, steps, numbers)
    }

    /// The same for a program without loops, all of whose paths are looked at before anything else is tried.
    pub(crate) fn ask_paths(&self, cfa: &Cfa, goals: &mut Goals, steps: u64, numbers: &mut Numbers) -> Result<bool, Z3Error> {
        self.ask_led(Lead { steps, ..LEAD }, cfa, goals, steps, numbers)
    }

    fn ask_led(&self, lead: Lead, cfa: &Cfa, goals: &mut Goals, steps: u64, numbers: &mut Numbers) -> Result<bool, Z3Error> {
        let stop = self.budget.stop_flag();
        let clock = if self.steps.is_some() { Clock::None } else { Clock::Seconds };
        let mut sessions = Sessions::open(cfa, None, &stop, clock)?.deciding_orders();
        let work =
            Work { steps: Some(steps), recheck: Recheck::Always, proposals: &[], head_start: 0, lead: Some(lead), ..Work::FULL };
        let done = portfolio::run(&mut sessions, (goals, &mut Replay), work, (stop.as_ref(), &mut ()));
        numbers.queries += done.queries;
        numbers.steps += done.steps.max(1);
        Ok(done.rechecks.iter().all(Result::is_ok))
    }
}

/// Numbers of the work.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) queries: u64,
    pub(crate) steps: u64,
    /// Questions whether both versions differ.
    pub(crate) boundaries: u64,
    /// Questions whether both come to where they part.
    pub(crate) reaches: u64,
}

/// Both programs with what changed in them, as one question. What answers one of several answers all.
#[derive(Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) pairing: &'a Pairing<'a>,
    pub(crate) start: &'a Plan,
}

/// A boundary with what became of it.
struct Level {
    /// The number of the question.
    question: usize,
    plan: Plan,
    /// Loops of both versions are side by side.
    in_turns: bool,
    pair: Option<Pair>,
    couplings: Vec<(LocationId, ExprId)>,
    is_over: bool,
}

/// What one boundary said.
enum Said {
    Safe(&'static str),
    Failed(Rc<Run>),
    Open(Cause),
    /// A second look does not agree with the proof.
    Doubtful(Reason),
}

/// Decides whether anybody notices, from the smallest boundary on. The first question is the one that is asked; a proof of any
/// other must be one of it, too ([`crate::wrapped`]), and what fails there says nothing unless the untouched programs show it.
pub(crate) fn settle(
    questions: &[Question<'_>],
    (relation, trials): (Relation, Option<&Trials>),
    means: Means<'_>,
    numbers: &mut Numbers,
) -> Result<Settled, Z3Error> {
    Settling { questions, relation, trials, means, stop: means.budget.stop_flag(), numbers }.run()
}

struct Settling<'a, 'n> {
    questions: &'a [Question<'a>],
    relation: Relation,
    trials: Option<&'a Trials>,
    means: Means<'a>,
    stop: Arc<AtomicBool>,
    numbers: &'n mut Numbers,
}

impl Settling<'_, '_> {
    fn run(&mut self) -> Result<Settled, Z3Error> {
        let mut levels = Vec::new();
        for (number, question) in self.questions.iter().enumerate() {
            for (depth, own) in self.levels(number, question)?.into_iter().enumerate() {
                levels.push((depth, own));
            }
        }
        // Boundaries of all questions grow together.
        levels.sort_by_key(|(depth, _)| *depth);
        let mut levels: Vec<Level> = levels.into_iter().map(|(_, level)| level).collect();
        let deadline = Deadline::start(self.means.budget);
        let mut open = Reason::NoProgress;
        let mut share = QUICK;
        for round in 0.. {
            let stop = Arc::clone(&self.stop);
            let mut ask = || self.round(&mut levels, share, &mut open, &deadline);
            // Most are settled at once, with few questions or none.
            let settled = if round == 0 { ask()? } else { interruptible(&stop, ask)? };
            let found = || self.trials.filter(|_| round == 0).and_then(|trials| trials.go_on(self.means.budget));
            if let Some(settled) = settled.or_else(|| found().map(|found| Settled::Different(Box::new(found)))) {
                return Ok(settled);
            }
            let exhausted = self.means.budget.exhausted();
            let out_of_steps = self.means.steps.is_some_and(|steps| self.numbers.steps >= steps);
            let unlimited = self.means.steps.is_none() && self.means.budget.remaining().is_none();
            if exhausted || out_of_steps || levels.iter().all(|level| level.is_over) || (unlimited && round > MOST_ROUNDS) {
                break;
            }
            share = if round == 0 { FIRST } else { share.saturating_mul(4) };
        }
        let exhaustion = deadline.exhaustion().map(console::Exhaustion::reason);
        // That time ran out excuses no mistake.
        Ok(Settled::Open(exhaustion.filter(|_| open != Reason::Internal).unwrap_or(open)))
    }

    /// Asks about all boundaries that are left, with so many steps each; in the first round about one.
    fn round(
        &mut self,
        levels: &mut [Level],
        share: u64,
        open: &mut Reason,
        deadline: &Deadline,
    ) -> Result<Option<Settled>, Z3Error> {
        for level in levels {
            let left = self.means.steps.map_or(u64::MAX, |steps| steps.saturating_sub(self.numbers.steps));
            let is_quick = share == QUICK;
            if level.is_over || left == 0 {
                continue;
            }
            if self.means.budget.exhausted() {
                break;
            }
            let before = self.numbers.boundaries;
            if let Some(settled) = self.level(level, share.min(left), open, deadline)? {
                return Ok(Some(settled));
            }
            if is_quick && self.numbers.boundaries > before {
                break;
            }
        }
        Ok(None)
    }

    /// The boundaries of a question, each in all ways.
    fn levels(&mut self, number: usize, question: &Question<'_>) -> Result<Vec<Level>, Z3Error> {
        let level =
            |(plan, in_turns)| Level { question: number, plan, in_turns, pair: None, couplings: Vec::new(), is_over: false };
        if self.means.is_apart {
            return Ok(vec![level((question.pairing.whole(question.start), false))]);
        }
        let mut plans = vec![question.start.clone()];
        while let Some(larger) = plans.last().and_then(|last| question.pairing.grown(last)) {
            plans.push(larger);
        }
        let agreeing = self.agreeing(question.pairing, &plans)?;
        let ways = |plan: Plan| {
            let knowing = (!agreeing.is_empty()).then(|| (plan.knowing(&agreeing), false));
            knowing.into_iter().chain([(plan.in_turns(), true), (plan, false)])
        };
        Ok(plans.into_iter().flat_map(ways).map(level).collect())
    }

    /// Functions that call themselves and do the same in both versions wherever they are given the same.
    fn agreeing(&mut self, pairing: &Pairing<'_>, levels: &[Plan]) -> Result<BTreeSet<FunctionId>, Z3Error> {
        let mut agreeing = BTreeSet::new();
        let Some(largest) = levels.last() else { return Ok(agreeing) };
        for group in recursions(pairing, largest) {
            let all: BTreeSet<FunctionId> = agreeing.union(&group).copied().collect();
            let mut holds = true;
            for function in &group {
                holds = holds
                    && match pair(pairing, &largest.lemma(*function, &all), self.relation) {
                        Ok(lemma) => matches!(self.ask(&lemma, &[], FIRST)?, Said::Safe(_)),
                        Err(_) => false,
                    };
            }
            if holds {
                agreeing = all;
            }
        }
        Ok(agreeing)
    }

    /// Asks about one boundary.
    fn level(
        &mut self,
        level: &mut Level,
        steps: u64,
        open: &mut Reason,
        deadline: &Deadline,
    ) -> Result<Option<Settled>, Z3Error> {
        let pairing = self.questions[level.question].pairing;
        // Of what stays open only the first question has a reason that is about the programs.
        let is_asked = level.question == 0;
        if level.pair.is_none() {
            match pair(pairing, &level.plan, self.relation) {
                // Where nothing has loops it is the same as without.
                Ok(made) if level.in_turns && !made.is_in_turns => level.is_over = true,
                Ok(mut made) => {
                    level.couplings = couplings(&mut made);
                    level.pair = Some(made);
                }
                Err(_) if level.in_turns || !is_asked => level.is_over = true,
                Err(error) => {
                    level.is_over = true;
                    *open = match error {
                        PairError::Unsupported(what) => self.unsupported(what),
                        _ => Reason::NoProgress,
                    };
                    return Ok(None);
                }
            }
        }
        let Some(pair) = &level.pair else { return Ok(None) };
        match self.ask(pair, &level.couplings, steps)? {
            Said::Safe(by) => {
                let calls = pair.calls.iter().map(|call| (call.edge, call.callee)).collect();
                let (plan, question) = (level.plan.clone(), level.question);
                return Ok(Some(Settled::Equal(Proved { calls, plan, by, question })));
            }
            Said::Failed(run) => {
                level.is_over = true;
                let stimulus = Stimulus::of_run(&pair.recast.cfa, &run);
                if let Some(found) = self.trials.and_then(|trials| trials.replay(&stimulus)) {
                    return Ok(Some(Settled::Different(Box::new(found))));
                }
                if pair.is_outermost && is_asked {
                    *open = Reason::NoProgress;
                }
            }
            Said::Open(cause) => {
                let reason = cause.reason(&pair.recast.cfa, deadline.exhaustion().map(console::Exhaustion::reason));
                let is_interrupted = matches!(cause, Cause::Stopped(_) | Cause::NoProgress);
                level.is_over |= !is_interrupted;
                if is_asked {
                    *open = reason;
                }
            }
            Said::Doubtful(reason) => {
                level.is_over = true;
                if is_asked {
                    *open = reason;
                }
            }
        }
        Ok(None)
    }

    /// A reason that is about the programs as a whole.
    fn unsupported(&self, construct: String) -> Reason {
        let cfa = self.questions[0].pairing.modified;
        let place = cfa.source.location(cfa.function(cfa.entry).span.lo);
        Reason::Unsupported { construct, file: place.file.to_owned(), line: place.line }
    }

    fn ask(&mut self, pair: &Pair, couplings: &[(LocationId, ExprId)], steps: u64) -> Result<Said, Z3Error> {
        self.numbers.boundaries += 1;
        if pair.goals.is_empty() {
            return Ok(Said::Safe("mutual summaries"));
        }
        let clock = if self.means.steps.is_some() { Clock::None } else { Clock::Seconds };
        let mut sessions = Sessions::open(&pair.recast.cfa, None, &self.stop, clock)?.deciding_orders();
        let at: Vec<_> = pair.goals.iter().map(|(_, at)| *at).collect();
        let mut goals = Goals::new(vec![at], Until::First);
        let session = sessions.of(Memory::Abstracted);
        let proposal = |(at, expr): &(LocationId, ExprId)| {
            Some(Candidate { at: *at, formula: session.formula(*expr, *at)?, versions: u64::MAX })
        };
        let proposals: Vec<Candidate> = couplings.iter().filter_map(proposal).collect();
        let head_start = if proposals.is_empty() { 0 } else { HEAD_START };
        let lead = proposals.is_empty().then_some(LEAD);
        let work = Work { steps: Some(steps), recheck: Recheck::Always, proposals: &proposals, head_start, lead, ..Work::FULL };
        let mut referee = Retrial { trials: self.trials, left: RETRIALS };
        let done = portfolio::run(&mut sessions, (&mut goals, &mut referee), work, (self.stop.as_ref(), &mut ()));
        self.numbers.queries += done.queries;
        self.numbers.steps += done.steps.max(1);
        Ok(match goals.all().first().map(|goal| &goal.status) {
            // What was found by invariants is looked at twice.
            Some(Status::Safe(_)) if done.rechecks.iter().any(Result::is_err) => Said::Doubtful(doubt(&done.rechecks)),
            Some(Status::Safe(proof)) => Said::Safe(proof.by),
            Some(Status::Unsafe(run)) => Said::Failed(Rc::clone(run)),
            Some(Status::Unknown(cause)) => Said::Open(cause.clone()),
            Some(Status::Open) | None => Said::Open(Cause::NoProgress),
        })
    }
}

/// Why a second look does not agree: it did not come to an end, or the proof is none. What ran out instead is known to who asks.
fn doubt(rechecks: &[Result<(), Gap>]) -> Reason {
    let is_unfinished = rechecks.iter().all(|one| matches!(one, Ok(()) | Err(Gap::Undecided)));
    if is_unfinished { Reason::NoProgress } else { Reason::Internal }
}

/// Judges claims by replaying them, and those that do not replay by their inputs: on a path that is none of the question's
/// program, with results of functions that nobody knows or that are others, the inputs may still tell the programs apart.
struct Retrial<'a> {
    trials: Option<&'a Trials>,
    left: usize,
}

impl Referee for Retrial<'_> {
    fn claim(&mut self, session: &mut Session<'_>, goal: (GoalId, &Goal), path: &Counterexample) -> Ruling {
        let ruling = Replay.claim(session, goal, path);
        if !matches!(ruling, Ruling::Unconfirmed(_)) || self.left == 0 {
            return ruling;
        }
        self.left -= 1;
        let cfa = session.cfa();
        let run = replay(cfa, path);
        // Whoever takes it for a failure runs the untouched programs again.
        let differs = self.trials.is_some_and(|trials| trials.replay(&Stimulus::of_run(cfa, &run)).is_some());
        if differs { Ruling::Confirmed(Rc::new(run)) } else { ruling }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_look_that_does_not_end_is_no_mistake() {
        assert_eq!(doubt(&[Ok(()), Err(Gap::Undecided)]), Reason::NoProgress);
        assert_eq!(doubt(&[Err(Gap::Undecided), Err(Gap::Error(None))]), Reason::Internal);
        assert_eq!(doubt(&[Err(Gap::Obstacle(None))]), Reason::Internal);
    }
}
