//! Proofs by claims: the greatest set of them that can be proved together, and the property with it.
//!
//! A program is made in which each claim is a goal, and taken for granted elsewhere. A claim that is not proved there is given
//! up, and the rest is asked about anew with less taken for granted: what was violated once stays so, hence the end is the
//! greatest set that the analyses can prove. A proof counts only if its second look agrees; a violation of the property
//! says nothing of the program, and ends the search.
//! Does not know what is claimed, nor why it is enough.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::analyses::candidates::Candidate;
use engine::analysis::Observer;
use engine::evidence::counterexample::Counterexample;
use engine::evidence::invariant::Invariant;
use engine::evidence::replay::replay;
use engine::goal::{Goal, GoalId, Goals, Referee, Ruling, Status, Until};
use engine::portfolio::{self, Kind, Plan, Recheck};
use engine::session::{Clock, Memory, Session, Sessions};
use program::cfa::{Cfa, LocationId};
use program::expr::ExprId;
use smt::TermStore;
use smt::z3::Z3Error;
use transform::focus::Blame;

/// Rounds at most.
const ROUNDS: usize = 8;

/// Steps for the claims themselves as invariants of loops, before anything else is tried.
const HEAD_START: u64 = 20_000;
/// Who is asked. Not ranges: claims are about what every object keeps, and these programs have no states to enumerate.
const ASKED: &[Kind] = &[
    Kind::Execution,
    Kind::Values,
    Kind::Bounded,
    Kind::Candidates,
    Kind::Cells,
    Kind::Induction,
    Kind::Circuit,
    Kind::Localized,
    Kind::Predicates,
];

/// What was proved.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// What the analysis is called.
    pub(crate) by: &'static str,
    /// The claims, in words.
    pub(crate) claims: Vec<String>,
    /// What they say of the program as it is.
    pub(crate) known: Rc<(Vec<Invariant>, TermStore)>,
    /// Proofs by invariants are among those behind it, and a second look agreed with each.
    pub(crate) rechecked: bool,
}

/// What the search cost, and what it found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    /// The proof, if there is one.
    pub(crate) found: Option<Found>,
    /// Queries of all rounds.
    pub(crate) queries: u64,
    /// Steps of all rounds.
    pub(crate) steps: u64,
}

/// A program in which claims are goals.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) cfa: Cfa,
    /// For each claim the locations that say it does not hold.
    pub(crate) goals: Vec<Vec<LocationId>>,
    /// The error locations of the program itself.
    pub(crate) property: Vec<LocationId>,
    /// Conditions that may hold at every loop.
    pub(crate) kept: Vec<ExprId>,
}

/// Claims about a program.
pub(crate) trait Claims {
    /// What a proof by them is called.
    fn name(&self) -> &'static str;

    /// The program in which they are goals, and taken for granted elsewhere.
    fn asked(&self, blame: Blame) -> Asked;

    /// Gives those up for which `keep` says no.
    fn retain(&mut self, keep: &[bool]);

    /// The claims, in words.
    fn texts(&self) -> Vec<String>;

    /// What they say of the program as it is, if all are proved.
    fn known(&self, _stop: &Arc<AtomicBool>) -> Result<(Vec<Invariant>, TermStore), Z3Error> {
        Ok((Vec::new(), TermStore::new()))
    }
}

/// Takes every claimed violation for one: what is not proved is given up.
struct Doubt;

impl Referee for Doubt {
    fn claim(&mut self, session: &mut Session<'_>, _goal: (GoalId, &Goal), path: &Counterexample) -> Ruling {
        Ruling::Confirmed(Rc::new(replay(session.cfa(), path)))
    }
}

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Steps in all.
    pub(crate) limit: u64,
    /// Steps of one round.
    pub(crate) round: u64,
}

/// Looks for the greatest set of claims that are proved together, and for a proof of the property by them.
///
/// # Errors
/// [`Z3Error`] if the linked solver cannot be used.
pub(crate) fn prove(
    claims: &mut dyn Claims,
    (stop, clock): (&Arc<AtomicBool>, Clock),
    effort: Effort,
    observer: &mut dyn Observer,
    search: &mut Search,
) -> Result<(), Z3Error> {
    let limit = search.steps.saturating_add(effort.limit);
    // What some run violates goes first, many at a time; then what nobody proves.
    let mut blame = Blame::Each;
    for _ in 0..ROUNDS {
        let left = limit.saturating_sub(search.steps).min(effort.round);
        if left == 0 || stop.load(Ordering::Relaxed) {
            break;
        }
        let round = round(&claims.asked(blame), (stop, clock), left, observer, search)?;
        let all = |known: Known| round.claims.iter().all(|claim| *claim == known);
        match (blame, round.property) {
            (_, Known::Violated) => break,
            (_, Known::Proved) if all(Known::Proved) => {
                let known = Rc::new(claims.known(stop)?);
                search.found = Some(Found { by: claims.name(), claims: claims.texts(), known, rechecked: round.rechecked });
                break;
            }
            (Blame::Each, _) => {
                blame = if round.claims.contains(&Known::Violated) { Blame::Each } else { Blame::First };
                claims.retain(&round.claims.iter().map(|known| *known != Known::Violated).collect::<Vec<_>>());
            }
            (Blame::First, _) if all(Known::Proved) => break,
            (Blame::First, _) => {
                claims.retain(&round.claims.iter().map(|known| *known == Known::Proved).collect::<Vec<_>>());
            }
        }
    }
    Ok(())
}

/// What a round says of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// It is not violated if the claims hold.
    Proved,
    /// A run of the program that is made violates it.
    Violated,
    /// Nobody knows.
    Nothing,
}

/// What a round says of the property and of each claim.
struct Round {
    property: Known,
    claims: Vec<Known>,
    rechecked: bool,
}

/// One round.
fn round(
    made: &Asked,
    (stop, clock): (&Arc<AtomicBool>, Clock),
    steps: u64,
    observer: &mut dyn Observer,
    search: &mut Search,
) -> Result<Round, Z3Error> {
    let mut sessions = Sessions::open(&made.cfa, None, stop, clock)?;
    let proposals = proposals(&mut sessions, &made.kept);
    let asked: Vec<usize> = (0..made.goals.len()).filter(|number| !made.goals[*number].is_empty()).collect();
    let groups = std::iter::once(made.property.clone()).chain(asked.iter().map(|number| made.goals[*number].clone()));
    let mut goals = Goals::new(groups.collect(), Until::Each);
    // Where there is no loop, all paths are soon gone.
    let analyses = if sessions.facts().loops().all().is_empty() { &[Kind::Bounded] } else { ASKED };
    let plan = Plan {
        analyses,
        steps: Some(steps),
        recheck: Recheck::Always,
        proposals: &proposals,
        head_start: HEAD_START,
        ..Plan::FULL
    };
    let numbers = portfolio::run(&mut sessions, (&mut goals, &mut Doubt), plan, (stop.as_ref(), observer));
    search.queries += numbers.queries;
    search.steps += numbers.steps;
    let is_sound = numbers.rechecks.iter().all(Result::is_ok);
    let known = |id: usize| match goals.get(GoalId(id)).status {
        Status::Unsafe(_) => Known::Violated,
        Status::Safe(_) if is_sound => Known::Proved,
        Status::Safe(_) | Status::Unknown(_) | Status::Open => Known::Nothing,
    };
    let mut claims = vec![Known::Proved; made.goals.len()];
    for (position, number) in asked.iter().enumerate() {
        claims[*number] = known(position + 1);
    }
    Ok(Round { property: known(0), claims, rechecked: !numbers.rechecks.is_empty() })
}

/// That what is kept holds at every loop.
fn proposals(sessions: &mut Sessions<'_>, kept: &[ExprId]) -> Vec<Candidate> {
    let facts = Rc::clone(sessions.facts());
    let session = sessions.of(Memory::Abstracted);
    let mut found = Vec::new();
    for at in facts.loops().all().iter().map(|one| one.head) {
        for condition in kept {
            if let Some(formula) = session.formula(*condition, at) {
                found.push(Candidate { at, formula, versions: u64::MAX });
            }
        }
    }
    found
}
