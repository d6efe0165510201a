//! Proofs about all objects of a class at once: the greatest set of claims that every object keeps, and the property with it.
//!
//! The program in focus ([`transform::focus`]) is verified with a goal for each claim. A claim that is not proved there is given
//! up, and the rest is asked about anew with less taken for granted: what was violated once stays so, hence the end is the
//! greatest set that the analyses can prove. A proof counts only if its second look agrees; a violation of the property
//! says nothing of the program, and ends the search.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::analyses::candidates::Candidate as Invariant;
use engine::analysis::Observer;
use engine::evidence::counterexample::Counterexample;
use engine::evidence::replay::replay;
use engine::goal::{Goal, GoalId, Goals, Referee, Ruling, Status, Until};
use engine::portfolio::{self, Plan, Recheck};
use engine::session::{Clock, Memory, Session, Sessions};
use formats::Property;
use program::cfa::Cfa;
use program::expr::ExprId;
use semantics::facts::Facts;
use smt::z3::Z3Error;
use transform::focus::{self, Blame, Candidate, Class, Focused};

/// Steps of one round.
const ROUND: u64 = 400_000;

/// Rounds at most.
const ROUNDS: usize = 8;

/// Steps for the claims themselves as invariants of loops, before anything else is tried.
const HEAD_START: u64 = 20_000;

/// What was proved.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// What every object keeps, in words.
    pub(crate) claims: Vec<String>,
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

/// Takes every claimed violation for one: what is not proved is given up.
struct Doubt;

impl Referee for Doubt {
    fn claim(&mut self, session: &mut Session<'_>, _goal: (GoalId, &Goal), path: &Counterexample) -> Ruling {
        Ruling::Confirmed(Rc::new(replay(session.cfa(), path)))
    }
}

/// Whether a program may have such objects.
pub(crate) fn may_be_there(cfa: &Cfa) -> bool {
    let allocates = |function: &program::cfa::Function| function.known == Some(program::cfa::Known::Allocate);
    matches!(cfa.options.property, Property::UnreachCall | Property::Assert) && cfa.functions.iter().any(allocates)
}

/// Looks for a proof by what all objects keep and by nothing else, in so many steps: the invariants, in words.
///
/// # Errors
/// [`Z3Error`] if the linked solver cannot be used.
pub fn prove_by_objects(cfa: &Cfa, steps: u64) -> Result<Option<Vec<String>>, Z3Error> {
    if !may_be_there(cfa) {
        return Ok(None);
    }
    let split = focus::split(cfa);
    let facts = Facts::new(&split.cfa);
    let classes = focus::classes(&facts);
    let mut search = Search::default();
    if !classes.is_empty() {
        let stop = Arc::new(AtomicBool::new(false));
        prove((&facts, &classes), (&stop, Clock::None), steps, &mut (), &mut search)?;
    }
    Ok(search.found.map(|found| found.claims))
}

/// Looks for a proof, with so many steps at most.
///
/// # Errors
/// [`Z3Error`] if the linked solver cannot be used.
pub(crate) fn prove(
    (facts, classes): (&Facts<'_>, &[Class]),
    (stop, clock): (&Arc<AtomicBool>, Clock),
    limit: u64,
    observer: &mut dyn Observer,
    search: &mut Search,
) -> Result<(), Z3Error> {
    let limit = search.steps.saturating_add(limit);
    let mut candidates = focus::claims(facts, classes);
    // What some run violates goes first, many at a time; then what nobody proves.
    let mut blame = Blame::Each;
    for _ in 0..ROUNDS {
        let left = limit.saturating_sub(search.steps).min(ROUND);
        if left == 0 || stop.load(Ordering::Relaxed) {
            break;
        }
        let made = focus::focused(facts, classes, &candidates, blame);
        let round = round(&made, (stop, clock), left, observer, search)?;
        let all = |known: Known| round.claims.iter().all(|claim| *claim == known);
        match (blame, round.property) {
            (_, Known::Violated) => break,
            (_, Known::Proved) if all(Known::Proved) => {
                search.found = Some(Found { claims: texts(facts, classes, &candidates), rechecked: round.rechecked });
                break;
            }
            (Blame::Each, _) => {
                let mut known = round.claims.iter();
                candidates.retain(|_| known.next() != Some(&Known::Violated));
                blame = if round.claims.contains(&Known::Violated) { Blame::Each } else { Blame::First };
            }
            (Blame::First, _) if all(Known::Proved) => break,
            (Blame::First, _) => {
                let mut known = round.claims.iter();
                candidates.retain(|_| known.next() == Some(&Known::Proved));
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
    /// A run of the program in focus violates it.
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
    made: &Focused,
    (stop, clock): (&Arc<AtomicBool>, Clock),
    steps: u64,
    observer: &mut dyn Observer,
    search: &mut Search,
) -> Result<Round, Z3Error> {
    let mut sessions = Sessions::open(&made.recast.cfa, None, stop, clock)?;
    let proposals = proposals(&mut sessions, &made.kept);
    let asked: Vec<usize> = (0..made.goals.len()).filter(|number| !made.goals[*number].is_empty()).collect();
    let groups = std::iter::once(made.property.clone()).chain(asked.iter().map(|number| made.goals[*number].clone()));
    let mut goals = Goals::new(groups.collect(), Until::Each);
    let plan = Plan { steps: Some(steps), recheck: Recheck::Always, proposals: &proposals, head_start: HEAD_START, ..Plan::FULL };
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

/// That the object in focus has what is claimed, at every loop.
fn proposals(sessions: &mut Sessions<'_>, kept: &[ExprId]) -> Vec<Invariant> {
    let facts = Rc::clone(sessions.facts());
    let session = sessions.of(Memory::Abstracted);
    let mut found = Vec::new();
    for at in facts.loops().all().iter().map(|one| one.head) {
        for condition in kept {
            if let Some(formula) = session.formula(*condition, at) {
                found.push(Invariant { at, formula, versions: u64::MAX });
            }
        }
    }
    found
}

fn texts(facts: &Facts<'_>, classes: &[Class], candidates: &[Candidate]) -> Vec<String> {
    candidates.iter().map(|candidate| focus::text(facts.cfa(), &classes[candidate.class], &candidate.claim)).collect()
}
