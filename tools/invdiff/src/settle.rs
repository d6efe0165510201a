//! Answers for many versions at once: the versions are woven into one program, and each question is a goal of it.
//!
//! A condition of some versions at a place of the weave is checked if its question is looked at and one of these versions
//! runs. A claimed violation counts if the version itself, on its own, falsifies the condition on the same inputs; then the
//! goal goes on for the others. A goal that nothing reaches is proved for every version that is left.
//! Does not know what is asked.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use console::{Budget, Deadline};
use engine::analyses::candidates::Candidate;
use engine::control::Cause;
use engine::evidence::counterexample::Counterexample;
use engine::goal::{Goal, GoalId, Goals, Referee, Replay, Ruling, Status, Until};
use engine::portfolio::{self, Plan};
use engine::session::{Clock, Memory, Session, Sessions};
use program::cfa::{Cfa, FunctionId, LocationId, VarId};
use program::expr::{BinaryOp, Expr, ExprId};
use program::source::Span;
use program::types::{IntRank, Type};
use semantics::interpreter::{Limits, Origin, Request, Run, ValueRead};
use semantics::loops::Loops;
use smt::z3::{Z3Error, interruptible};
use transform::Editor;
use transform::weave::{Weave, weave};

use crate::judge::Judges;
use crate::obstacles::without_obstacles;
use crate::prepare::Prepared;
use crate::question::{Answer, Questions};

/// What a run of a version on inputs that violate the weave may take.
const LIMITS: Limits = Limits { steps: 5_000_000, memory: 1 << 30, skips_library: false };

/// Steps for the facts as invariants of loops, before anything else is tried.
const HEAD_START: u64 = 40_000;
/// Proposals that are made of facts.
const MOST_PROPOSALS: usize = 64;

/// The means of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Means<'a> {
    pub(crate) budget: &'a Budget,
    /// Steps of one program.
    pub(crate) steps: u64,
    /// Whether a clock may end a question.
    pub(crate) clock: Clock,
}

/// What it took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Numbers {
    pub(crate) queries: u64,
    pub(crate) steps: u64,
    /// Programs that were looked at.
    pub(crate) programs: u64,
    /// Edges of the largest weave that come from versions.
    pub(crate) woven: u64,
}

/// How much of what several versions could share they may have apart, in hundredths. What shares less is quicker apart: each
/// difference is a branch on the version, and proofs of the whole need a case for each.
const MOST_APART: usize = 10;

/// Answers what is open of some versions. Whether they could be one program, and share something.
pub(crate) fn settle(
    group: &[usize],
    prepared: &[Option<Prepared>],
    (questions, judges): (&mut Questions, &mut Judges),
    means: Means<'_>,
    numbers: &mut Numbers,
) -> Result<bool, Z3Error> {
    let cfas: Vec<&Cfa> = group.iter().filter_map(|at| prepared[*at].as_ref()).map(|one| &one.cfa).collect();
    let Ok(weave) = weave(&cfas) else { return Ok(false) };
    let all: usize = cfas.iter().map(|cfa| cfa.edges.len()).sum();
    // The weave of equal versions has as many edges as one of them, that of versions that share nothing as many as all.
    let count = group.len();
    if count > 1 && weave.woven_edges() * 100 * count > all * (100 + MOST_APART * (count - 1)) {
        return Ok(false);
    }
    let asked = Asked::new(&weave, group, questions);
    if asked.of.is_empty() {
        return Ok(true);
    }
    numbers.programs += 1;
    numbers.woven = numbers.woven.max(weave.woven_edges() as u64);
    let stop = means.budget.stop_flag();
    let deadline = Deadline::start(means.budget);
    interruptible(&stop, || {
        let mut sessions = Sessions::open(&asked.cfa, None, &stop, means.clock)?;
        let mut goals = Goals::new(asked.goals.clone(), Until::Each);
        let proposals = asked.proposals(&mut sessions);
        let behind = asked.behind_obstacles(&weave.recast.cfa, questions);
        let mut left = means.steps;
        let mut judge = Judge { weave: &weave, asked: &asked, group, prepared, questions, judges };
        // Behind what cannot be treated nothing is decided where runs come: that is asked first.
        behind.keys().for_each(|goal| goals.settle(GoalId(*goal), Status::Unknown(Cause::NoProgress)));
        for is_last in [behind.is_empty(), true] {
            let plan = Plan { proposals: &proposals, head_start: HEAD_START, steps: Some(left), ..Plan::FULL };
            let done = portfolio::run(&mut sessions, (&mut goals, &mut judge), plan, (stop.as_ref(), &mut ()));
            numbers.queries += done.queries;
            numbers.steps += done.steps;
            left = left.saturating_sub(done.steps);
            if is_last || !reopen(&mut goals, &behind) {
                break;
            }
        }
        for (goal, question) in goals.all().iter().zip(&asked.of) {
            let answer = match &goal.status {
                Status::Safe(proof) => Answer::Proved { by: proof.by, inductive: proof.inductive },
                Status::Unknown(cause) => {
                    let exhausted = deadline.exhaustion().map(console::Exhaustion::reason);
                    Answer::Unknown(cause.reason(&weave.recast.cfa, exhausted).to_string())
                }
                Status::Unsafe(_) | Status::Open => Answer::Unknown(formats::Reason::NoProgress.to_string()),
            };
            for version in group.iter().copied().filter(|version| asked.covers(*question, *version)) {
                if questions.is_open(*question, version) {
                    questions.answers.insert((*question, version), answer.clone());
                }
            }
        }
        Ok(true)
    })
}

/// Takes over why nobody can say whether places behind obstacles are reached, for what is asked there; opens what is asked where
/// none was met. Whether there is any.
fn reopen(goals: &mut Goals, behind: &BTreeMap<usize, usize>) -> bool {
    let mut any = false;
    for (fact, point) in behind {
        if !matches!(goals.get(GoalId(*fact)).status, Status::Unknown(Cause::NoProgress)) {
            continue;
        }
        let met = match &goals.get(GoalId(*point)).status {
            Status::Unknown(cause @ Cause::Obstacle(_)) => Some(cause.clone()),
            Status::Unknown(_) | Status::Open | Status::Safe(_) | Status::Unsafe(_) => None,
        };
        any |= met.is_none();
        goals.settle(GoalId(*fact), met.map_or(Status::Open, Status::Unknown));
    }
    any
}

/// The weave with its goals.
pub(crate) struct Asked {
    pub(crate) cfa: Cfa,
    /// The question of each goal.
    pub(crate) of: Vec<usize>,
    pub(crate) goals: Vec<Vec<LocationId>>,
    /// Where in the weave each goal is checked.
    places: Vec<BTreeSet<LocationId>>,
    pub(crate) choice: VarId,
    /// For each version of the group whether it runs.
    runs: Vec<ExprId>,
    /// Which versions each question was asked of.
    covered: BTreeSet<(usize, usize)>,
    /// Facts that may be invariants of loops of their functions, for the versions in which nothing falsified them.
    proposed: Vec<(LocationId, ExprId)>,
}

/// Where conditions are checked: location, condition, the versions that have it there.
type Checks = BTreeMap<(LocationId, ExprId), u64>;

impl Asked {
    pub(crate) fn new(weave: &Weave, group: &[usize], questions: &Questions) -> Self {
        let mut editor = Editor::new(&weave.recast.cfa);
        let unsigned = editor.ty(Type::Int { rank: IntRank::Int, signed: false });
        let choice = editor.choice("goal", unsigned);
        let (mut of, mut covered, mut helping, mut known) = (Vec::new(), BTreeSet::new(), Vec::new(), Vec::new());
        let mut by_place: BTreeMap<LocationId, Vec<(usize, ExprId, u64)>> = BTreeMap::new();
        for (question, one) in questions.all.iter().enumerate() {
            let [checks, proved] = checks_of(weave, group, (question, questions), &mut covered);
            known.extend(proved.into_iter().map(|((at, condition), set)| (at, condition, set)));
            if checks.is_empty() {
                continue;
            }
            if one.helps {
                helping.extend(checks.into_iter().map(|((at, condition), set)| (at, condition, set)));
                continue;
            }
            for ((at, condition), set) in checks {
                by_place.entry(at).or_default().push((of.len(), condition, set));
            }
            of.push(question);
        }
        let (present, loops) = (present(weave, group.len()), Loops::new(&weave.recast.cfa));
        let mut writer = Writer { editor, choice, version: weave.version, versions: group.len(), errors: BTreeMap::new() };
        let mut goals: Vec<Vec<LocationId>> = vec![Vec::new(); of.len()];
        let mut places = vec![BTreeSet::new(); of.len()];
        let mut proposed = Vec::new();
        let function_of = |at: LocationId| weave.recast.cfa.location(at).function;
        let heads_near = |at: LocationId| {
            let heads = loops.all().iter().map(|one| one.head);
            heads.filter(move |head| function_of(*head) == function_of(at))
        };
        for (at, checks) in by_place {
            let function = function_of(at);
            checks.iter().for_each(|(goal, ..)| _ = places[*goal].insert(at));
            for head in heads_near(at) {
                for (goal, condition, set) in checks.iter() {
                    if questions.is_point(of[*goal]) {
                        continue;
                    }
                    proposed.push((head, writer.within(*set, *condition)));
                }
            }
            writer.place((at, function), &checks, present[at.index()], &mut goals);
        }
        for (at, condition, set) in known.into_iter().chain(helping) {
            proposed.extend(heads_near(at).map(|head| (head, writer.within(set, condition))));
        }
        let runs = (0..group.len()).map(|number| writer.is_version(number)).collect();
        Self { cfa: writer.editor.finish().cfa, of, goals, places, choice, runs, covered, proposed }
    }

    /// Goals about facts at places behind obstacles alone, each with the goal that says whether control comes to these places.
    fn behind_obstacles(&self, woven: &Cfa, questions: &Questions) -> BTreeMap<usize, usize> {
        let free = without_obstacles(woven);
        let is_behind = |goal: &usize| self.places[*goal].iter().all(|at| !free[at.index()]);
        let (points, facts): (Vec<usize>, Vec<usize>) =
            (0..self.of.len()).filter(is_behind).partition(|goal| questions.is_point(self.of[*goal]));
        let point = |fact: &usize| points.iter().copied().find(|point| self.places[*point] == self.places[*fact]);
        facts.into_iter().filter_map(|fact| Some((fact, point(&fact)?))).collect()
    }

    fn proposals(&self, sessions: &mut Sessions<'_>) -> Vec<Candidate> {
        let session = sessions.of(Memory::Abstracted);
        let candidate = |(at, expr): &(LocationId, ExprId)| {
            Some(Candidate { at: *at, formula: session.formula(*expr, *at)?, versions: u64::MAX })
        };
        self.proposed.iter().take(MOST_PROPOSALS).filter_map(candidate).collect()
    }

    /// Whether a question is asked of a version.
    pub(crate) fn covers(&self, question: usize, version: usize) -> bool {
        self.covered.contains(&(question, version))
    }
}

/// What is asked of a question, and what is proved of it. Versions of which it is asked are covered.
///
/// What is proved helps to prove the rest: of several versions as a proposal, of one as it was asked, so that the facts which its
/// proof found are there again.
fn checks_of(
    weave: &Weave,
    group: &[usize],
    (question, questions): (usize, &Questions),
    covered: &mut BTreeSet<(usize, usize)>,
) -> [Checks; 2] {
    let one = &questions.all[question];
    let is_fact = !one.is_value && !questions.is_point(question);
    let [mut checks, mut proved] = [Checks::new(), Checks::new()];
    for (number, version) in group.iter().enumerate() {
        let is_open = questions.is_open(question, *version);
        let is_proved = is_fact && matches!(questions.answer(question, *version), Some(Answer::Proved { .. }));
        if is_open && !one.helps {
            covered.insert((question, *version));
        }
        let into = match () {
            () if is_open || group.len() == 1 && is_proved => &mut checks,
            () if is_proved => &mut proved,
            () => continue,
        };
        for (at, condition) in one.of[*version].iter().flatten() {
            let key = (weave.at[number][at.index()], weave.expr(number, *condition));
            *into.entry(key).or_default() |= 1 << number;
        }
    }
    [checks, proved]
}

/// The versions that have each location of a weave.
fn present(weave: &Weave, versions: usize) -> Vec<u64> {
    let mut present = vec![0; weave.recast.cfa.locations.len()];
    for version in 0..versions {
        for at in &weave.at[version] {
            present[at.index()] |= 1 << version;
        }
    }
    present
}

/// Writes checks into a weave.
struct Writer {
    editor: Editor,
    choice: VarId,
    version: VarId,
    versions: usize,
    errors: BTreeMap<(usize, FunctionId), LocationId>,
}

impl Writer {
    fn place(
        &mut self,
        (at, function): (LocationId, FunctionId),
        checks: &[(usize, ExprId, u64)],
        present: u64,
        goals: &mut [Vec<LocationId>],
    ) {
        let place = (Span::default(), Span::default());
        let behind = self.editor.before(at);
        let mut here = at;
        for (position, (goal, condition, set)) in checks.iter().enumerate() {
            let next = if position + 1 == checks.len() { behind } else { self.editor.location_beside(at) };
            let fails = self.editor.location_beside(at);
            let mut asked = self.is_goal(*goal);
            if present & !set != 0 {
                let runs = self.is_in(*set);
                asked = self.both(asked, runs);
            }
            let condition = self.editor.truth(*condition);
            let (int, yes) = (self.editor.int(), self.number(1));
            let holds = self.editor.expr(Expr::Conditional(asked, condition, yes), int);
            let holds = self.editor.truth(holds);
            self.editor.branch(here, holds, (next, fails), place);
            let known = self.errors.get(&(*goal, function)).copied();
            let error = self.editor.error_behind(fails, known, place);
            if self.errors.insert((*goal, function), error).is_none() {
                goals[*goal].push(error);
            }
            here = next;
        }
    }

    /// A condition, if one of some versions runs.
    fn within(&mut self, set: u64, condition: ExprId) -> ExprId {
        let (runs, condition) = (self.is_in(set), self.editor.truth(condition));
        let (int, yes) = (self.editor.int(), self.number(1));
        let holds = self.editor.expr(Expr::Conditional(runs, condition, yes), int);
        self.editor.truth(holds)
    }

    fn number(&mut self, value: u128) -> ExprId {
        let int = self.editor.int();
        self.editor.number(int, value)
    }

    fn is_goal(&mut self, goal: usize) -> ExprId {
        let value = self.editor.load(self.choice);
        let ty = self.editor.type_of(value);
        let number = self.editor.number(ty, goal as u128);
        self.editor.equal(value, number)
    }

    fn is_version(&mut self, number: usize) -> ExprId {
        let value = self.editor.load(self.version);
        let ty = self.editor.type_of(value);
        let number = self.editor.number(ty, number as u128);
        self.editor.equal(value, number)
    }

    /// Whether the version that runs is one of a set: as the weave says it where versions part.
    fn is_in(&mut self, set: u64) -> ExprId {
        let rank = if self.versions > 32 { IntRank::LongLong } else { IntRank::Int };
        let ty = self.editor.ty(Type::Int { rank, signed: false });
        let (version, all) = (self.editor.load(self.version), self.editor.number(ty, u128::from(set)));
        let shifted = self.editor.expr(Expr::Binary(BinaryOp::ShiftRight, all, version), ty);
        let one = self.editor.number(ty, 1);
        let bit = self.editor.expr(Expr::Binary(BinaryOp::BitAnd, shifted, one), ty);
        self.editor.truth(bit)
    }

    fn both(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let int = self.editor.int();
        self.editor.expr(Expr::Binary(BinaryOp::LogicalAnd, a, b), int)
    }
}

/// Judges by the versions themselves.
struct Judge<'a> {
    weave: &'a Weave,
    asked: &'a Asked,
    group: &'a [usize],
    prepared: &'a [Option<Prepared>],
    questions: &'a mut Questions,
    judges: &'a mut Judges,
}

impl Judge<'_> {
    fn judged(&mut self, goal: GoalId, found: Rc<Run>) -> Ruling {
        let unconfirmed = Ruling::Unconfirmed(Cause::Unconfirmed(None));
        let question = self.asked.of[goal.0];
        let is = |read: &&ValueRead, variable: VarId| is_of(read.request.origin, variable);
        let Some(version) = found.reads.iter().find(|read| is(read, self.weave.version)).map(|read| read.value) else {
            return unconfirmed;
        };
        let Some(number) = usize::try_from(version).ok().filter(|number| *number < self.group.len()) else { return unconfirmed };
        if !self.falsifies(question, number, &found) {
            return unconfirmed;
        }
        let known = |number: &usize| matches!(self.questions.answer(question, self.group[*number]), Some(Answer::Falsified(_)));
        let except: Vec<ExprId> = (0..self.group.len()).filter(known).map(|number| self.asked.runs[number]).collect();
        let left =
            self.group.iter().any(|version| self.asked.covers(question, *version) && self.questions.is_open(question, *version));
        if left { Ruling::ConfirmedFor { run: found, except } } else { Ruling::Confirmed(found) }
    }

    /// Whether a version falsifies a question on the inputs of a run of the weave. The other versions are run on them too.
    fn falsifies(&mut self, question: usize, number: usize, found: &Run) -> bool {
        let version = self.group[number];
        if matches!(self.questions.answer(question, version), Some(Answer::Falsified(_))) {
            return true;
        }
        let mut inputs = self.projected(number, found);
        let Some(prepared) = &self.prepared[version] else { return false };
        let seen = self.judges.run(prepared, version, (question, self.questions), &mut inputs, LIMITS);
        if !seen.falsified.contains(&question) {
            return false;
        }
        let inputs = seen.inputs(&prepared.cfa);
        self.questions.falsified(question, version, &inputs);
        for other in self.group {
            if let Some(prepared) = &self.prepared[*other] {
                self.judges.replay(prepared, *other, self.questions, &inputs);
            }
        }
        matches!(self.questions.answer(question, version), Some(Answer::Falsified(_)))
    }

    /// The inputs of a run of the weave for a version: the same things are asked for in the same order.
    fn projected(&self, number: usize, found: &Run) -> impl FnMut(&Request) -> Option<u128> + use<> {
        let choices = [self.weave.version, self.asked.choice];
        let is_choice = |origin: Origin| choices.iter().any(|choice| is_of(origin, *choice));
        let counts = |read: &&ValueRead| !read.decided && !is_choice(read.request.origin);
        let mut left: VecDeque<ValueRead> = found.reads.iter().filter(counts).copied().collect();
        let maps = (self.weave.functions(number), self.weave.variables(number));
        move |request: &Request| {
            let origin = woven(request.origin, (&maps.0, &maps.1));
            // What other conditions look at may be asked for earlier.
            let next = left.iter().position(|next| next.request.origin.is_same_thing(origin))?;
            left.remove(next).map(|read| read.value)
        }
    }
}

fn is_of(origin: Origin, variable: VarId) -> bool {
    matches!(origin, Origin::Object { variable: Some(other), .. } if other == variable)
}

/// What a version asks for, as the weave does.
fn woven(origin: Origin, (functions, variables): (&[FunctionId], &[VarId])) -> Origin {
    let function = |id: FunctionId| functions.get(id.index()).copied().unwrap_or(id);
    match origin {
        Origin::Input(id) => Origin::Input(function(id)),
        Origin::External(id) => Origin::External(function(id)),
        Origin::MissingResult(id) => Origin::MissingResult(function(id)),
        Origin::Allocation(id) => Origin::Allocation(function(id)),
        Origin::Comparison(id) => Origin::Comparison(function(id)),
        Origin::Object { variable: Some(variable), offset, born } => {
            Origin::Object { variable: Some(variables.get(variable.index()).copied().unwrap_or(variable)), offset, born }
        }
        other @ (Origin::Object { variable: None, .. } | Origin::Parameter(_) | Origin::Volatile(_)) => other,
    }
}

impl Referee for Judge<'_> {
    fn claim(&mut self, session: &mut Session<'_>, goal: (GoalId, &Goal), path: &Counterexample) -> Ruling {
        match Replay.claim(session, goal, path) {
            Ruling::Confirmed(found) => self.judged(goal.0, found),
            other @ (Ruling::ConfirmedFor { .. } | Ruling::Unconfirmed(_)) => other,
        }
    }

    fn execution(&mut self, goal: GoalId, run: Run) -> Ruling {
        self.judged(goal, Rc::new(run))
    }
}
