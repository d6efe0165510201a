//! Bounded search: symbolic execution from the start of the program, all paths at once, loop by loop.
//!
//! Control passes loop heads in *rounds*: everything that is reached through equally many heads is joined per position.
//! Known values fold conditions on the way, so programs with few inputs are executed rather than solved. Finds short
//! counterexamples, and proves programs whose loops all end within the bound.
//! Does not abstract: where the bound is reached nothing is known. Facts would add nothing: every path is exact.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use smt::terms::Assignment;
use smt::{Answer, TermId};

use crate::analysis::{Analysis, Pause, Share};
use crate::block::build::{Arrival, join};
use crate::block::guard::{GuardId, Guards};
use crate::control::{Position, Stop, Target};
use crate::evidence::counterexample::follow;
use crate::goal::{GoalId, Goals, Proof, Referee};
use crate::session::{Memory, Session};

/// Copies of edges.
const EDGES: usize = 400_000;

/// Terms built.
const TERMS: usize = 4_000_000;

/// Claims about one goal that did not replay before the search leaves it to others.
const UNCONFIRMED: usize = 1;

/// The bounded search.
#[derive(Debug, Default)]
pub struct Bounded {
    search: Option<Search>,
}

impl<'p> Analysis<'p> for Bounded {
    fn name(&self) -> &'static str {
        "bounded search"
    }

    fn run(
        &mut self,
        session: &mut Session<'p>,
        goals: &mut Goals,
        referee: &mut dyn Referee,
        _share: &mut Share<'_>,
    ) -> Result<Pause, Stop> {
        session.explorer.encoder.follow_from_start();
        let paused = self.go_on(session, goals, referee);
        session.explorer.encoder.follow_from_anywhere();
        session.explorer.set_round(0);
        paused
    }

    fn numbers(&self) -> Vec<(&'static str, u64)> {
        let Some(search) = &self.search else { return Vec::new() };
        vec![("rounds of the bounded search", u64::from(search.round)), ("edges of the bounded search", search.edges as u64)]
    }
}

impl Bounded {
    fn go_on(&mut self, session: &mut Session, goals: &mut Goals, referee: &mut dyn Referee) -> Result<Pause, Stop> {
        let Some(start) = session.explorer.start() else {
            goals.settle_safe(&proof(), |_| false);
            return Ok(Pause::Done(None));
        };
        if self.search.is_none() {
            let Ok(state) = session.explorer.initial_state(&mut session.store) else { return Ok(Pause::Done(None)) };
            self.search = Some(Search::new(session, start, Arrival { guard: GuardId::ROOT, state }));
        }
        let Some(search) = &mut self.search else { return Ok(Pause::Done(None)) };
        loop {
            search.answer_questions(session, goals, referee)?;
            if goals.done() || goals.all_open().all(|goal| search.is_lost(goal)) {
                return Ok(Pause::Done(None));
            }
            session.explorer.check_limits(0)?;
            if search.edges > EDGES || search.terms > TERMS {
                return Ok(Pause::Done(None));
            }
            if !search.step(session)? {
                break;
            }
        }
        if !search.obstacle {
            goals.settle_safe(&proof(), |goal| search.is_lost(goal) || search.unanswered.contains(&goal));
        }
        Ok(Pause::Done(None))
    }
}

fn proof() -> Rc<Proof> {
    Rc::new(Proof { invariants: Vec::new(), inductive: false, memory: Memory::Exact, by: "bounded search" })
}

/// Where control stands next, and when it is taken up.
type Key = (u32, Vec<u32>, Position);

/// Something to be asked before the search goes on.
#[derive(Debug)]
enum Question {
    /// Whether the error is reached.
    Error(Position, GuardId),
    /// Whether what has no treatment is: where paths were joined, one that is none may lead there.
    Obstacle(GuardId),
}

/// The state of a search. Whatever is interrupted leaves it as it was before.
#[derive(Debug)]
struct Search {
    start: Position,
    guards: Guards,
    pending: BTreeMap<Key, Vec<Arrival>>,
    /// A position whose ways have been joined, not yet left.
    here: Option<(u32, Position, Arrival)>,
    questions: VecDeque<Question>,
    edges: usize,
    terms: usize,
    round: u32,
    /// Something without treatment may be reached.
    obstacle: bool,
    /// Goals with a question that has no answer: they are not proved here.
    unanswered: BTreeSet<GoalId>,
    /// How many claims about a goal failed.
    unconfirmed: BTreeMap<GoalId, usize>,
}

impl Search {
    fn new(session: &Session, start: Position, first: Arrival) -> Self {
        Self {
            start,
            guards: Guards::new(&session.store),
            pending: BTreeMap::from([((0, Vec::new(), start), vec![first])]),
            here: None,
            questions: VecDeque::new(),
            edges: 0,
            terms: 0,
            round: 0,
            obstacle: false,
            unanswered: BTreeSet::new(),
            unconfirmed: BTreeMap::new(),
        }
    }

    /// Whether a goal is left to others: what is found of it does not replay.
    fn is_lost(&self, goal: GoalId) -> bool {
        self.unconfirmed.get(&goal).is_some_and(|times| *times >= UNCONFIRMED)
    }

    /// Takes up the next position; `false` if all paths have ended.
    fn step(&mut self, session: &mut Session) -> Result<bool, Stop> {
        let before = session.store.len();
        if self.here.is_none() {
            let Some(((round, _, position), arrivals)) = self.pending.pop_first() else { return Ok(false) };
            self.round = round;
            let arrival = join(&mut self.guards, &mut session.store, arrivals);
            self.here = Some((round, position, arrival));
        }
        let Some((_, position, Arrival { guard, .. })) = self.here else { return Ok(true) };
        let feasible = !session.explorer.is_head(position) || self.feasible(session, guard)?;
        if let Some((round, position, arrival)) = self.here.take()
            && feasible
        {
            self.expand(session, round, position, &arrival);
        }
        self.terms += session.store.len() - before;
        Ok(true)
    }

    /// Follows the edges of a position.
    fn expand(&mut self, session: &mut Session, round: u32, position: Position, arrival: &Arrival) {
        session.explorer.set_round(round);
        for edge in session.explorer.out_edges(position) {
            self.edges += 1;
            let Some(successor) = session.explorer.successors(&mut session.store, position, edge, &arrival.state) else {
                continue;
            };
            let passed = self.guards.passing(&mut session.store, arrival.guard, &successor.conditions);
            let Some(guard) = passed else { continue };
            let next = Arrival { guard, state: successor.state };
            match successor.target {
                Ok(target) => self.wait(session, round, target, next),
                Err(Target::Head(target)) => self.wait(session, round + 1, target, next),
                Err(Target::Error(at)) => self.questions.push_back(Question::Error(at, guard)),
                Err(Target::Obstacle(..)) => self.questions.push_back(Question::Obstacle(guard)),
            }
        }
    }

    fn wait(&mut self, session: &mut Session, round: u32, target: Position, arrival: Arrival) {
        let key = (round, session.explorer.order(target), target);
        self.pending.entry(key).or_default().push(arrival);
    }

    fn answer_questions(&mut self, session: &mut Session, goals: &mut Goals, referee: &mut dyn Referee) -> Result<(), Stop> {
        while let Some(question) = self.questions.front() {
            match *question {
                Question::Obstacle(guard) => self.obstacle = self.obstacle || self.feasible(session, guard)?,
                Question::Error(at, guard) => self.error(session, (goals, referee), at, guard)?,
            }
            self.questions.pop_front();
            if goals.done() {
                break;
            }
        }
        Ok(())
    }

    /// Whether the error is reached under a guard, for the goal it belongs to.
    fn error(
        &mut self,
        session: &mut Session,
        (goals, referee): (&mut Goals, &mut dyn Referee),
        at: Position,
        guard: GuardId,
    ) -> Result<(), Stop> {
        let formula = self.guards.term(&mut session.store, guard);
        // What counts may shrink with every violation that was found.
        while let Some((goal, only)) = goals.open(at.location) {
            if self.is_lost(goal) {
                return Ok(());
            }
            let asked = only.map_or(formula, |only| session.store.and(&[formula, only]));
            let model: Assignment = match session.check(&[asked])? {
                Answer::Sat(model) => model,
                Answer::Unsat(_) => return Ok(()),
                Answer::Unknown(_) => {
                    self.unanswered.insert(goal);
                    return Ok(());
                }
            };
            let start = self.start;
            let path = session.unmetered(|session| follow(session, start, &model))?;
            if goals.claim(goal, session, referee, &path).is_some() {
                *self.unconfirmed.entry(goal).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Whether control can come here at all; a guard that is not decided counts as feasible.
    fn feasible(&mut self, session: &mut Session, guard: GuardId) -> Result<bool, Stop> {
        let formula: TermId = self.guards.term(&mut session.store, guard);
        if session.store.as_bool(formula) == Some(true) {
            return Ok(true);
        }
        Ok(!matches!(session.check(&[formula])?, Answer::Unsat(_)))
    }
}

#[cfg(test)]
mod tests {
    use crate::portfolio::Kind;
    use crate::tests::answer;
    use crate::tests::random::{Loops, Program};

    #[test]
    fn what_has_no_loops_is_decided() {
        let mut violated = 0;
        for seed in 0..200 {
            let program = Program::draw(seed, Loops::None);
            let truth = program.truth();
            violated += usize::from(truth.violated);
            assert_eq!(answer(&program.text(), &[Kind::Bounded], 100_000), Some(!truth.violated), "{seed}\n{}", program.text());
        }
        assert!((40..160).contains(&violated), "{violated} of 200 say little");
    }

    /// A program has 64 states: what is reached at all is reached within the bound.
    #[test]
    fn every_violation_behind_loops_is_found_and_no_other() {
        for seed in 0..100 {
            let program = Program::draw(seed, Loops::Any);
            let expected = program.truth().violated;
            let found = answer(&program.text(), &[Kind::Bounded], 40_000);
            assert_eq!(found == Some(false), expected, "{seed} {found:?}\n{}", program.text());
        }
    }
}
