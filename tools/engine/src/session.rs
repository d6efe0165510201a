//! What all analyses of one program share: its steps, the terms, the solvers, the blocks, and what is proved already.
//!
//! Knows blocks and invariants. Does not know goals, or which analyses there are.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use indexmap::IndexMap;
use program::cfa::{Cfa, LocationId};
use program::expr::ExprId;
use semantics::cursor::ConditionCursor;
use semantics::facts::Facts;
use smt::cases::{Cases, cases, completed};
use smt::encode::{Analysed, Encoder};
use smt::horn::{self, Arithmetic, Clauses};
use smt::z3::{Z3, Z3Error};
use smt::{Answer, Backend, Limits, Meter, Mode, Op, Queries, Reason, Sort, TermId, TermStore, Value};

use crate::block::Block;
use crate::block::build::build;
use crate::control::condition::{Condition, Covered};
use crate::control::{Cause, Explorer, Obstacle, Position, Stop, SymbolicState};
use crate::evidence::invariant::Invariant;

/// Pieces of memory per call that allocates which are told apart where paths are followed one by one.
const EXPLORED_PIECES: u32 = 32;

/// The same where pointers are variables, each of which may lead to all of them.
const ABSTRACTED_PIECES: u32 = 3;

/// What one question may cost, in units of the [`Meter`].
pub const QUESTION: u32 = 100_000_000;

/// Time for one question if clocks decide anything.
const QUESTION_TIME: Duration = Duration::from_secs(10);

/// Writes to arrays in one question, as far as it is open where they go. What they cost grows with their number squared, and
/// a solver does not look at its limit before it has put them in order.
const WRITES: usize = 8_000;

/// Numbers, besides the first, that factors of products are told apart from in one question.
const CASES: usize = 2;

/// Terms that are evaluated for a unit of the [`Meter`].
const EVALUATED: u64 = 50;

/// How much was asked and computed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Solver queries.
    pub queries: u64,
    /// Of these, for abstract posts.
    pub post_queries: u64,
    /// Abstract posts computed.
    pub posts: u64,
    /// Abstract posts that needed no query.
    pub posts_without_query: u64,
    /// Valuations taken from models of earlier queries.
    pub reused_models: u64,
    /// Posts with too many valuations, computed as a conjunction of literals and lemmas.
    pub products: u64,
}

impl Counts {
    fn with(self, other: Self) -> Self {
        Self {
            queries: self.queries + other.queries,
            post_queries: self.post_queries + other.post_queries,
            posts: self.posts + other.posts,
            posts_without_query: self.posts_without_query + other.posts_without_query,
            reused_models: self.reused_models + other.reused_models,
            products: self.products + other.products,
        }
    }
}

/// Whether a clock may end a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// A question also ends after some seconds.
    Seconds,
    /// Only resources count: two runs ask the same and get the same answers.
    None,
}

/// Where a block starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Start {
    /// Where the program does, with its initial values.
    Program,
    /// Anywhere, with any values.
    Anywhere,
}

/// What an analysis with a precision may track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// Whatever refinement finds.
    Refined,
    /// What it was offered: whether that is enough is all that is asked.
    Offered,
}

/// The tools of one verification.
#[derive(Debug)]
pub struct Session<'p> {
    /// The program, step by step.
    pub explorer: Explorer<'p>,
    /// All terms.
    pub store: TermStore,
    /// Long questions, each to a fresh solver.
    pub queries: Queries,
    /// Source of incremental solvers.
    pub backend: Z3,
    /// Limits of incremental queries.
    pub limits: Limits,
    /// What was asked.
    pub counts: Counts,
    /// How memory is modelled.
    pub memory: Memory,
    facts: IndexMap<Position, TermId>,
    facts_version: u64,
    seeds: Vec<(LocationId, TermId)>,
    blocks: IndexMap<(Position, Start), Rc<Block>>,
    /// How far precisions may grow.
    pub growth: Growth,
    /// Questions about nothing but an order are answered without a solver.
    decides_orders: bool,
}

impl<'p> Session<'p> {
    /// A session for a program.
    #[must_use]
    pub fn new(mut explorer: Explorer<'p>, backend: Z3, limits: Limits, memory: Memory) -> Self {
        let queries = Queries::new(Box::new(backend.clone()), limits.clone());
        explorer.set_meter(Rc::clone(backend.meter()));
        Self {
            explorer,
            store: TermStore::new(),
            queries,
            backend,
            limits,
            counts: Counts::default(),
            memory,
            facts: IndexMap::new(),
            facts_version: 0,
            seeds: Vec::new(),
            blocks: IndexMap::new(),
            growth: Growth::Refined,
            decides_orders: false,
        }
    }

    /// The program.
    #[must_use]
    pub fn cfa(&self) -> &'p Cfa {
        self.explorer.cfa
    }

    /// What may still be done in this session before it counts as interrupted.
    #[must_use]
    pub fn meter(&self) -> &Meter {
        self.backend.meter()
    }

    /// All questions so far.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.counts.queries + self.queries.statistics().queries
    }

    /// Does some work that must come to its end once it is begun, whatever the share.
    pub fn unmetered<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let (left, spent) = (self.meter().left(), self.meter().spent());
        self.meter().grant(u64::MAX);
        let result = work(self);
        let used = self.meter().spent() - spent;
        self.meter().grant(if left == u64::MAX { left } else { left.saturating_sub(used) });
        result
    }

    /// The block from a position; it is encoded once.
    ///
    /// # Errors
    /// [`Cause::Stopped`], or an initialiser without treatment.
    pub fn block(&mut self, at: Position, start: Start) -> Result<Rc<Block>, Cause> {
        if let Some(known) = self.blocks.get(&(at, start)) {
            return Ok(Rc::clone(known));
        }
        let block = Rc::new(self.new_block(at, start)?);
        self.blocks.insert((at, start), Rc::clone(&block));
        Ok(block)
    }

    /// The block from a position, encoded anew.
    ///
    /// # Errors
    /// As [`Self::block`].
    pub fn new_block(&mut self, at: Position, start: Start) -> Result<Block, Cause> {
        let state = match start {
            Start::Program => self.explorer.initial_state(&mut self.store).map_err(|unsupported| {
                Cause::Obstacle(Obstacle::Initializer { construct: unsupported.construct, span: unsupported.span })
            })?,
            Start::Anywhere => SymbolicState::unchanged(),
        };
        self.block_from(at, state)
    }

    /// The block from a position in a state, encoded anew.
    ///
    /// # Errors
    /// As [`Self::block`].
    pub fn block_from(&mut self, at: Position, state: SymbolicState) -> Result<Block, Cause> {
        Ok(build(&mut self.explorer, &mut self.store, at, state)?)
    }

    /// Takes invariants for granted from now on: they are proved, by themselves or with those taken before.
    ///
    /// Soundness: each must hold whenever control is at its position on a path that no obstacle and no violation has ended,
    /// and all facts together must be inductive; they are conjoined to what every proof gives out.
    pub fn assume(&mut self, facts: &[Invariant]) {
        for fact in facts {
            let known = self.facts.get(&fact.position).copied().unwrap_or_else(|| self.store.tt());
            let both = self.store.and(&[known, fact.formula]);
            if both != known {
                self.facts.insert(fact.position, both);
                self.facts_version += 1;
            }
        }
    }

    /// What is proved of a position.
    #[must_use]
    pub fn fact(&self, position: Position) -> Option<TermId> {
        self.facts.get(&position).copied()
    }

    /// Grows with every new fact.
    #[must_use]
    pub fn facts_version(&self) -> u64 {
        self.facts_version
    }

    /// All facts, in order of discovery.
    #[must_use]
    pub fn facts(&self) -> Vec<Invariant> {
        self.facts.iter().map(|(position, formula)| Invariant { position: *position, formula: *formula }).collect()
    }

    /// What an expression of the program's arena says as a condition at a location; `None` if it speaks of what is not modelled.
    pub fn formula(&mut self, expr: ExprId, at: LocationId) -> Option<TermId> {
        self.explorer.formula(&mut self.store, at, expr)
    }

    /// Offers atoms as predicates of a location.
    pub fn seed(&mut self, at: LocationId, atoms: &[TermId]) {
        self.seeds.extend(atoms.iter().map(|atom| (at, *atom)));
    }

    /// The predicates offered so far.
    #[must_use]
    pub fn seeds(&self) -> &[(LocationId, TermId)] {
        &self.seeds
    }

    /// Asks a fresh solver for a model of some formulas. Nobody knows of one where they write to arrays too often.
    ///
    /// # Errors
    /// [`Stop::Interrupted`].
    pub fn check(&mut self, formulas: &[TermId]) -> Result<Answer, Stop> {
        let mut writes = 0_usize;
        self.store.visit(formulas, |_, op| {
            writes += usize::from(op == Op::Store);
            writes <= WRITES
        });
        if writes > WRITES {
            return Ok(Answer::Unknown(Reason::ResourceLimit));
        }
        if self.decides_orders
            && !self.meter().is_empty()
            && let Some((answer, evaluated)) = smt::orders::decide(&self.store, formulas)
        {
            self.meter().charge(evaluated as u64 / EVALUATED);
            return Ok(answer);
        }
        if let Some(cases) = cases(&mut self.store, formulas) {
            return self.check_cases(formulas, &cases, CASES);
        }
        self.check_whole(formulas)
    }

    fn check_whole(&mut self, formulas: &[TermId]) -> Result<Answer, Stop> {
        match self.queries.check(&self.store, formulas) {
            Answer::Unknown(Reason::Interrupted) => Err(Stop::Interrupted),
            answer @ (Answer::Sat(_) | Answer::Unsat(_) | Answer::Unknown(_)) => Ok(answer),
        }
    }

    /// Asks about a question that has cases, of which the second may have cases, too.
    fn check_cases(&mut self, formulas: &[TermId], cases: &Cases, left: usize) -> Result<Answer, Stop> {
        let [first, second] = &cases.formulas;
        let second_cases = if left > 0 { smt::cases::cases(&mut self.store, second) } else { None };
        let answers = [
            self.check_whole(first)?,
            match &second_cases {
                Some(inner) => self.check_cases(second, inner, left - 1)?,
                None => self.check_whole(second)?,
            },
        ];
        let [first, second] = answers;
        match (first, second) {
            (Answer::Unsat(_), Answer::Unsat(_)) => Ok(Answer::Unsat(Vec::new())),
            (Answer::Sat(mut model), _) => {
                if let (Sort::BitVec(width), Some(value)) = (self.store.sort(cases.factor), self.store.as_bits(cases.number)) {
                    model.set(cases.factor, Value::Bits { width, value });
                }
                match completed(&self.store, formulas, model) {
                    Some(model) => Ok(Answer::Sat(model)),
                    None => self.check_whole(formulas),
                }
            }
            (_, Answer::Sat(model)) => match completed(&self.store, formulas, model) {
                Some(model) => Ok(Answer::Sat(model)),
                None => self.check_whole(formulas),
            },
            (unknown @ Answer::Unknown(_), _) | (_, unknown @ Answer::Unknown(_)) => Ok(unknown),
        }
    }

    /// Looks for a solution of Horn clauses.
    pub fn solve_clauses(&mut self, clauses: &Clauses, arithmetic: Arithmetic, limits: &Limits) -> horn::Answer {
        self.counts.queries += 1;
        self.backend.clone().solve_clauses(&mut self.store, clauses, arithmetic, limits)
    }

    /// Positions in `soft` of a subset that contradicts `hard` and loses that with any element; later elements are
    /// given up first, and those behind a position of `tiers` (ascending) are looked at only if those before it do not
    /// contradict `hard` by themselves. `None` if `hard` and `soft` hold together, or nobody knows.
    ///
    /// # Errors
    /// [`Stop::Interrupted`].
    pub fn core(&mut self, hard: TermId, soft: &[TermId], tiers: &[usize]) -> Result<Option<Vec<usize>>, Stop> {
        if let Some(at) = soft.iter().position(|s| *s == self.store.ff()) {
            return Ok(Some(vec![at]));
        }
        let mut roots = soft.to_vec();
        roots.push(hard);
        let mut solver = self.backend.solver(&self.store, Mode::Incremental, &roots);
        solver.set_limits(&self.limits);
        solver.assert(&self.store, hard);
        let mut found = None;
        let mut asked = 0;
        for tier in tiers.iter().copied().filter(|tier| *tier < soft.len()).chain([soft.len()]) {
            if tier == asked {
                continue;
            }
            asked = tier;
            self.counts.queries += 1;
            match solver.check_assuming(&self.store, &soft[..tier]) {
                Answer::Sat(_) => {}
                Answer::Unknown(Reason::Interrupted) => return Err(Stop::Interrupted),
                Answer::Unknown(_) if tier < soft.len() => {}
                Answer::Unknown(_) => found = Some((0..soft.len()).collect()),
                Answer::Unsat(core) => {
                    found = Some((0..tier).filter(|at| core.contains(&soft[*at])).collect::<Vec<usize>>());
                    break;
                }
            }
        }
        let Some(mut core) = found else { return Ok(None) };
        let mut at = core.len();
        while at > 0 {
            at -= 1;
            if at >= core.len() {
                continue;
            }
            let rest: Vec<TermId> =
                core.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, position)| soft[*position]).collect();
            self.counts.queries += 1;
            match solver.check_assuming(&self.store, &rest) {
                Answer::Unsat(smaller) => core.retain(|position| smaller.contains(&soft[*position])),
                Answer::Unknown(Reason::Interrupted) => return Err(Stop::Interrupted),
                Answer::Sat(_) | Answer::Unknown(_) => {}
            }
        }
        Ok(Some(core))
    }
}

/// The sessions of one program: paths are followed with many pieces of memory per allocation, abstracted with few. Each is
/// opened when it is first needed.
#[derive(Debug)]
pub struct Sessions<'p> {
    facts: Rc<Facts<'p>>,
    cursor: Option<ConditionCursor>,
    limits: Limits,
    solvers: [Z3; 3],
    exact: Option<Session<'p>>,
    abstracted: Option<Session<'p>>,
    localized: Option<Option<Session<'p>>>,
    decides_orders: bool,
}

fn session_with<'p>(
    (facts, encoder): (&Rc<Facts<'p>>, Encoder<'p>),
    cursor: Option<&ConditionCursor>,
    limits: &Limits,
    solver: &Z3,
    memory: Memory,
) -> Session<'p> {
    let condition = cursor.cloned().map(|cursor| Box::new(Covered(cursor)) as Box<dyn Condition + 'p>);
    let stop = limits.stop.clone().unwrap_or_default();
    Session::new(Explorer::new(Rc::clone(facts), encoder, condition, stop), solver.clone(), limits.clone(), memory)
}

/// Which of the sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// With many pieces of memory per allocation.
    Exact,
    /// With few.
    Abstracted,
    /// None of it, and nothing of the objects that pointers write to without saying which.
    Localized,
}

impl<'p> Sessions<'p> {
    /// The sessions for a program, along a condition if there is one, until `stop` is raised.
    ///
    /// # Errors
    /// [`Z3Error`] if the linked solver cannot be used.
    pub fn open(cfa: &'p Cfa, cursor: Option<&ConditionCursor>, stop: &Arc<AtomicBool>, clock: Clock) -> Result<Self, Z3Error> {
        let timeout = (clock == Clock::Seconds).then_some(QUESTION_TIME);
        let limits = Limits { timeout, resources: Some(QUESTION), stop: Some(Arc::clone(stop)) };
        let solvers = [Z3::new()?, Z3::new()?, Z3::new()?];
        let facts = Rc::new(Facts::new(cfa));
        Ok(Self {
            facts,
            cursor: cursor.cloned(),
            limits,
            solvers,
            exact: None,
            abstracted: None,
            localized: None,
            decides_orders: false,
        })
    }

    /// The same, where questions about nothing but the order of a few numbers are answered without a solver, which need not start
    /// for them. To be said before the first session is opened.
    #[must_use]
    pub fn deciding_orders(mut self) -> Self {
        self.decides_orders = true;
        self
    }

    /// The program.
    #[must_use]
    pub fn cfa(&self) -> &'p Cfa {
        self.facts.cfa()
    }

    /// What is known of the program without a solver.
    #[must_use]
    pub fn facts(&self) -> &Rc<Facts<'p>> {
        &self.facts
    }

    /// The condition that paths are followed along.
    #[must_use]
    pub fn cursor(&self) -> Option<&ConditionCursor> {
        self.cursor.as_ref()
    }

    /// One of the sessions. A program that allocates nothing that is modelled has one for the first two uses; one with nothing to
    /// forget is not localized either.
    pub fn of(&mut self, memory: Memory) -> &mut Session<'p> {
        if memory == Memory::Localized
            && self.is_localizable()
            && let Some(Some(session)) = &mut self.localized
        {
            return session;
        }
        let Self { facts, cursor, limits, solvers: [first, second, _], exact, abstracted, decides_orders, .. } = self;
        let open = |memory: Memory, pieces: u32, solver: &Z3| {
            let encoder = Encoder::new(facts.cfa(), Analysed::new(Rc::clone(facts), pieces));
            let session = session_with((facts, encoder), cursor.as_ref(), limits, solver, memory);
            Session { decides_orders: *decides_orders, ..session }
        };
        let exact = exact.get_or_insert_with(|| open(Memory::Exact, EXPLORED_PIECES, first));
        if memory == Memory::Exact || !exact.explorer.encoder.has_pieces() {
            return exact;
        }
        abstracted.get_or_insert_with(|| open(Memory::Abstracted, ABSTRACTED_PIECES, second))
    }

    /// Whether there is something to forget.
    pub fn is_localizable(&mut self) -> bool {
        let Self { facts, cursor, limits, solvers: [.., third], localized, decides_orders, .. } = self;
        let open = || {
            let mut encoder = Encoder::new(facts.cfa(), Analysed::without_sites(Rc::clone(facts)));
            let is_localized = encoder.localize();
            let session = || session_with((facts, encoder), cursor.as_ref(), limits, third, Memory::Localized);
            is_localized.then(|| Session { decides_orders: *decides_orders, ..session() })
        };
        localized.get_or_insert_with(open).is_some()
    }

    /// Whether following and abstracting paths go by different sessions.
    pub fn are_two(&mut self) -> bool {
        self.of(Memory::Exact).explorer.encoder.has_pieces()
    }

    fn opened(&self) -> impl Iterator<Item = &Session<'p>> {
        self.exact.iter().chain(&self.abstracted).chain(self.localized.iter().flatten())
    }

    /// How much was asked and computed.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.opened().fold(Counts::default(), |all, session| all.with(session.counts))
    }

    /// All questions so far.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.opened().map(Session::asked).sum()
    }

    /// What was done so far, in units of the [`Meter`].
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.opened().map(|session| session.meter().spent()).sum()
    }
}
