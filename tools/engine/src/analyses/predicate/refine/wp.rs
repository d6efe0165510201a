//! Refinement by weakest preconditions over the core of a path.
//!
//! The shortest infeasible suffix of the path starts with the region of some block; what follows is feasible by itself.
//! For each border behind that block, *lemmas* are found that hold there and exclude the rest of the path: a model of the
//! rest selects one path through each later block; its weakest precondition, as literals, contradicts what is known
//! before; a minimal core of it, negated, is a lemma. The next model satisfies all lemmas, until there is none. The atoms
//! of the lemmas are the predicates: with all of them, the abstraction excludes the path.
//! Source: the measurements of refinement techniques in the design notes; weakest preconditions need no quantifiers here
//! because assignments are substitutions and inputs are projected away.

use std::collections::BTreeSet;
use std::time::Duration;

use smt::terms::Assignment;
use smt::{Answer, Backend, Limits, Mode, Reason, Solver, TermId};

use super::implicant::{Values, implicant};
use super::project::{Leftover, project};
use super::{Candidate, Lemma, PathFormula, Precision, Refinement, Refiner, counters};
use crate::block::trace::{Trace, trace};
use crate::control::{Stop, SymbolicState};
use crate::session::Session;

/// Time for an incremental question about the rest of a path before fresh solvers take over, if clocks decide anything.
const PATIENCE: Duration = Duration::from_secs(2);

/// The same in units of the [`smt::Meter`].
const RESOURCES: u32 = 20_000_000;

/// Weakest preconditions over the core.
#[derive(Debug)]
pub struct WeakestPreconditions {
    /// Lemmas per border before the candidates are tried.
    pub lemmas: usize,
}

impl Refiner for WeakestPreconditions {
    fn name(&self) -> &'static str {
        "wp"
    }

    fn refine(&mut self, session: &mut Session, path: &PathFormula, known: &Precision) -> Result<Refinement, Stop> {
        let taste = Taste { known, counters: counters(session, path) };
        let Some((first, model)) = shortest_suffix(session, path)? else { return Ok(Refinement::Nothing) };
        let mut region = path.regions[first];
        let mut model = Some(model);
        let mut candidates = BTreeSet::new();
        let mut clauses = Vec::new();
        for border in first + 1..path.len() {
            let guard = path.guard(&mut session.store, border - 1);
            let hard = session.store.and(&[region, guard]);
            let lemmas = self.lemmas_at(session, (path, &taste), border, hard, model.take())?;
            region = path.regions[border];
            for core in &lemmas {
                let mut literals = Vec::with_capacity(core.len());
                for literal in core {
                    let (atom, negated) = session.store.without_not(*literal);
                    candidates.insert(Candidate { border, atom });
                    literals.push((atom, negated));
                }
                clauses.push(Lemma { border, literals });
                let clause = negation(session, core);
                region = session.store.and(&[region, clause]);
            }
        }
        if candidates.is_empty() {
            return Ok(Refinement::Nothing);
        }
        Ok(Refinement::Candidates(candidates.into_iter().collect(), clauses))
    }
}

impl WeakestPreconditions {
    /// Conjunctions that cannot hold at a border, given what holds before the block that leads there, and that exclude
    /// paths from it.
    fn lemmas_at(
        &self,
        session: &mut Session,
        (path, taste): (&PathFormula, &Taste<'_>),
        border: usize,
        hard: TermId,
        model: Option<Assignment>,
    ) -> Result<Vec<Vec<TermId>>, Stop> {
        let mut lemmas = Vec::new();
        let mut rest = Rest::new(session, &path.parts[border..]);
        let mut next = match model {
            Some(model) => Some(model),
            None => rest.model(session)?,
        };
        while let Some(model) = next.take() {
            let Some(core) = core_at(session, (path, taste), border, hard, &model)? else { break };
            let lemma = negation(session, &core);
            lemmas.push(core);
            if lemmas.len() >= self.lemmas || lemma == session.store.ff() {
                break;
            }
            let lemma = path.at_border(&mut session.store, border, lemma);
            rest.exclude(session, lemma);
            next = rest.model(session)?;
        }
        Ok(lemmas)
    }
}

fn negation(session: &mut Session, core: &[TermId]) -> TermId {
    let conjunction = session.store.and(core);
    session.store.not(conjunction)
}

/// The rest of a path, asked for one model after the other.
struct Rest {
    formulas: Vec<TermId>,
    solver: Option<Box<dyn Solver>>,
}

impl Rest {
    fn new(session: &mut Session, parts: &[TermId]) -> Self {
        let mut solver = session.backend.solver(&session.store, Mode::Incremental, parts);
        let timeout = session.limits.timeout.map(|_| PATIENCE);
        let limits = Limits { timeout, resources: Some(RESOURCES), ..session.limits.clone() };
        solver.set_limits(&limits);
        for part in parts {
            solver.assert(&session.store, *part);
        }
        Self { formulas: parts.to_vec(), solver: Some(solver) }
    }

    fn exclude(&mut self, session: &Session, lemma: TermId) {
        self.formulas.push(lemma);
        if let Some(solver) = &mut self.solver {
            solver.assert(&session.store, lemma);
        }
    }

    /// A model; `None` if there is none or the solver does not know.
    fn model(&mut self, session: &mut Session) -> Result<Option<Assignment>, Stop> {
        if let Some(solver) = &mut self.solver {
            session.counts.queries += 1;
            match solver.check(&session.store) {
                Answer::Sat(model) => return Ok(Some(model)),
                Answer::Unsat(_) => return Ok(None),
                Answer::Unknown(Reason::Interrupted) => return Err(Stop::Interrupted),
                // Long formulas are for fresh solvers.
                Answer::Unknown(_) => self.solver = None,
            }
        }
        Ok(match session.check(&self.formulas)? {
            Answer::Sat(model) => Some(model),
            Answer::Unsat(_) | Answer::Unknown(_) => None,
        })
    }
}

/// The last block from whose region on the path is infeasible, with a model of what follows it; `None` if that is the
/// last block, or the solver does not know.
fn shortest_suffix(session: &mut Session, path: &PathFormula) -> Result<Option<(usize, Assignment)>, Stop> {
    let mut ask = |at: usize| -> Result<Answer, Stop> {
        let region = path.at_border(&mut session.store, at, path.regions[at]);
        let mut formulas = vec![region];
        formulas.extend_from_slice(&path.parts[at..]);
        session.check(&formulas)
    };
    let mut feasible = None;
    let mut infeasible = 0;
    let mut step = 1;
    let mut at = path.len().saturating_sub(1);
    // Gallop backwards, then search between.
    loop {
        match ask(at)? {
            Answer::Sat(_) => feasible = Some(at),
            Answer::Unsat(_) => {
                infeasible = at;
                break;
            }
            Answer::Unknown(_) => break,
        }
        if at == 0 {
            return Ok(None);
        }
        at = at.saturating_sub(step);
        step *= 2;
    }
    let Some(mut low) = feasible else { return Ok(None) };
    while low > infeasible + 1 {
        let middle = usize::midpoint(infeasible, low);
        match ask(middle)? {
            Answer::Sat(_) => low = middle,
            Answer::Unsat(_) | Answer::Unknown(_) => infeasible = middle,
        }
    }
    match session.check(&path.parts[infeasible + 1..])? {
        Answer::Sat(model) => Ok(Some((infeasible, model))),
        Answer::Unsat(_) | Answer::Unknown(_) => Ok(None),
    }
}

/// Literals over the variables at a border that the model's path from there on needs, and of which not all can hold.
fn core_at(
    session: &mut Session,
    (path, taste): (&PathFormula, &Taste<'_>),
    border: usize,
    hard: TermId,
    model: &Assignment,
) -> Result<Option<Vec<TermId>>, Stop> {
    let Some(traces) = traces(session, path, border, model)? else { return Ok(None) };
    for leftover in [Leftover::Drop, Leftover::Instantiate] {
        let mut literals = precondition(session, &traces, leftover);
        let tiers = taste.sort(session, &mut literals);
        let mut substitution = path.exit(border - 1).state.substitution(&session.store);
        let soft: Vec<TermId> = literals.iter().map(|l| substitution.apply(&mut session.store, *l)).collect();
        if let Some(core) = session.core(hard, &soft, &tiers)? {
            return Ok(Some(core.into_iter().map(|at| literals[at]).collect()));
        }
    }
    Ok(None)
}

/// The paths through the blocks from a border on that the model selects.
fn traces(
    session: &mut Session,
    path: &PathFormula,
    border: usize,
    model: &Assignment,
) -> Result<Option<Vec<(Trace, Assignment)>>, Stop> {
    let mut found = Vec::with_capacity(path.len() - border);
    for at in border..path.len() {
        let mut values = path.values_at(&mut session.store, at, model);
        if at == border {
            // A single path through a block may depend on what the block as a whole does not; a lemma may exclude it.
            for (variable, value) in path.others_at(&mut session.store, border, model) {
                values.set(variable, value);
            }
        }
        let entry = path.blocks[at].entry;
        let mut trace = trace(&mut session.explorer, &mut session.store, entry, SymbolicState::unchanged(), &values)?;
        trace.conditions.insert(0, path.given[at]);
        if trace.target.as_ref() != Some(&path.exit(at).target) {
            return Ok(None);
        }
        found.push((trace, values));
    }
    Ok(Some(found))
}

/// The weakest precondition of consecutive traces, as literals over the variables at the start of the first.
fn precondition(session: &mut Session, traces: &[(Trace, Assignment)], leftover: Leftover) -> Vec<TermId> {
    let store = &mut session.store;
    let mut literals: Vec<TermId> = Vec::new();
    for (trace, values) in traces.iter().rev() {
        let mut values = Values::new(values);
        let mut substitution = trace.state.substitution(store);
        let mut before = Vec::new();
        for condition in &trace.conditions {
            before.extend(implicant(store, *condition, &mut values));
        }
        for later in literals {
            let pulled = substitution.apply(store, later);
            before.extend(implicant(store, pulled, &mut values));
        }
        literals = project(store, before, &mut values, leftover);
    }
    literals
}

/// Which literals make good predicates.
///
/// A path through a loop is often excluded by the loop's counter alone, once for each number of rounds: such a reason is the
/// last to be taken. What is a predicate somewhere is likely to be what the property needs everywhere.
/// [Beyer, Löwe, Wendler: Refinement Selection, SPIN 2015]
struct Taste<'a> {
    known: &'a Precision,
    counters: BTreeSet<TermId>,
}

impl Taste<'_> {
    /// Sorts good ones first: known, without counters, few variables, small, positive. Where the first two kinds end.
    fn sort(&self, session: &Session, literals: &mut [TermId]) -> Vec<usize> {
        let store = &session.store;
        let tier = |literal: TermId| {
            let (atom, _) = store.without_not(literal);
            let counts = store.variables(literal).iter().any(|variable| self.counters.contains(variable));
            u8::from(counts) * 2 + u8::from(self.known.index_of(atom).is_none())
        };
        literals.sort_by_cached_key(|literal| {
            let (_, negated) = store.without_not(*literal);
            (tier(*literal), store.variables(*literal).len(), store.tree_size(*literal), negated, *literal)
        });
        [0, 1].iter().map(|last| literals.iter().take_while(|literal| tier(**literal) <= *last).count()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Position, Target};
    use crate::session::{Memory, Start};
    use crate::tests::random::{Draw, Program, State};
    use crate::tests::{drive, load, sessions, values, variables};

    /// Inputs of two rounds.
    const INPUTS: usize = 24;

    fn traced(session: &mut Session, head: Position, state: State, inputs: &mut dyn Iterator<Item = u8>) -> (Trace, Assignment) {
        let mut values = values(variables(session), state);
        let (path, end) = drive(session, (head, SymbolicState::unchanged()), &mut values, inputs);
        let traced = trace(&mut session.explorer, &mut session.store, head, SymbolicState::unchanged(), &values).unwrap();
        assert_eq!((traced.steps.len(), &traced.target), (path.len(), &end));
        (traced, values)
    }

    /// The decisions of two rounds from a state; `None` if they end at a check.
    fn two_rounds(program: &Program, state: State, inputs: &[u8]) -> Option<(Vec<bool>, Vec<bool>, usize)> {
        let mut used = 0;
        let mut inputs = inputs.iter().copied().inspect(|_| used += 1);
        let (first, behind) = program.step(state, &mut inputs);
        let (second, end) = program.step(behind?, &mut inputs);
        end?;
        drop(inputs);
        Some((first, second, used))
    }

    fn all_states() -> impl Iterator<Item = State> {
        (0..64u8).map(|number| [number & 3, number >> 2 & 3, number >> 4])
    }

    /// The precondition of two rounds holds in the state they begin in, and only where some inputs take the same way; without
    /// inputs on the way, exactly there.
    #[test]
    fn a_precondition_says_which_states_take_the_same_way() {
        let (mut exact, mut some) = (0, 0);
        for seed in 0..120 {
            let program = Program::draw_step(seed);
            let cfa = load(&program.text());
            let mut sessions = sessions(&cfa);
            let session = sessions.of(Memory::Abstracted);
            let start = session.explorer.start().unwrap();
            let block = session.block(start, Start::Program).unwrap();
            let head = block.exits.iter().find_map(|exit| if let Target::Head(head) = exit.target { Some(head) } else { None });
            let (Some(head), mut draw) = (head, Draw::new(seed)) else { continue };
            for _ in 0..4 {
                let state: State = [0; 3].map(|_: u8| u8::try_from(draw.below(4)).unwrap());
                let inputs: Vec<u8> = (0..INPUTS).map(|_| u8::try_from(draw.below(4)).unwrap()).collect();
                let Some((first, second, used)) = two_rounds(&program, state, &inputs) else { continue };
                let mut given = inputs.iter().copied();
                let one = traced(session, head, state, &mut given);
                let (_, behind) = program.step(state, &mut inputs.iter().copied());
                let two = traced(session, head, behind.unwrap(), &mut given);
                let terms = variables(session);
                for leftover in [Leftover::Drop, Leftover::Instantiate] {
                    let literals = precondition(session, &[one.clone(), two.clone()], leftover);
                    let holds = |state: State| {
                        let values = values(terms, state);
                        literals.iter().all(|literal| session.store.eval(*literal, &values).unwrap().as_bool() == Some(true))
                    };
                    assert!(holds(state), "{seed} {state:?}\n{}", program.text());
                    if leftover == Leftover::Drop && used > 0 || used > 3 {
                        continue;
                    }
                    for other in all_states() {
                        let same = (0..1usize << (2 * used)).any(|number| {
                            let inputs: Vec<u8> =
                                (0..INPUTS).map(|at| u8::try_from(number >> (2 * at) & 3).unwrap_or(0)).collect();
                            let way = two_rounds(&program, other, &inputs);
                            way.is_some_and(|way| (&way.0, &way.1) == (&first, &second))
                        });
                        assert!(!holds(other) || same, "{seed} {state:?}: not {other:?}\n{}", program.text());
                        assert!(used > 0 || holds(other) == same, "{seed} {state:?}: {other:?} too\n{}", program.text());
                    }
                    if used == 0 { exact += 1 } else { some += 1 }
                }
            }
        }
        assert!(exact > 20 && some > 20, "{exact} without inputs, {some} with");
    }
}
