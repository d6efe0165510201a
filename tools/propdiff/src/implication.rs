//! Which conditions follow from which, whatever the variables are.
//!
//! All questions are asked together: "is any of them wrong?" A model shows which, and is looked for by trying values before a
//! solver is asked; what is left when there is no model follows. So a few queries answer any number of questions.
//! Exact for conditions on variables and their parts, with what evaluation needs said in them; callers ask of no others.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use engine::session::{Clock, Memory, Session, Sessions};
use program::cfa::LocationId;
use program::expr::ExprId;
use rustc_hash::FxHashMap;
use smt::terms::Assignment;
use smt::z3::Z3Error;
use smt::{Answer, Sort, TermId, Value};
use transform::Editor;
use transform::question::question;

/// Values of all variables that are tried.
const TRIES: u64 = 900;

/// A claim with its facts.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub(crate) facts: Vec<ExprId>,
    pub(crate) claim: ExprId,
    /// Somebody will read which of the facts are needed.
    pub(crate) names_facts: bool,
}

/// What became of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    /// The claim follows. The positions of the facts that are needed, if that was asked.
    Follows(Vec<usize>),
    /// There are values with which all facts hold and the claim does not.
    Refuted,
    /// Nobody knows.
    Unknown,
}

/// Asks which claims follow from their facts; and how many queries that took.
pub(crate) fn follow(editor: Editor, asked: &[Question], stop: &Arc<AtomicBool>) -> Result<(Vec<Followed>, u64), Z3Error> {
    if asked.is_empty() {
        return Ok((Vec::new(), 0));
    }
    // A program with the expressions, in which every variable has any value.
    let program = question(editor, &[]).cfa;
    let mut sessions = Sessions::open(&program, None, stop, Clock::None)?;
    let session = sessions.of(Memory::Abstracted);
    let at = program.entry_location();
    let mut open: Vec<Open> = Vec::with_capacity(asked.len());
    let mut found = vec![Followed::Unknown; asked.len()];
    for (number, question) in asked.iter().enumerate() {
        if let Some(wrong) = refuted(session, at, &question.facts, question.claim) {
            open.push(Open { number, wrong });
            // What a model takes away before anything else is known of it.
            found[number] = Followed::Refuted;
        }
    }
    try_values(session, &mut open);
    while !open.is_empty() {
        let all: Vec<TermId> = open.iter().map(|one| one.wrong).collect();
        let any = session.store.or(&all);
        match session.check(&[any]) {
            Ok(Answer::Unsat(_)) => {
                open.drain(..).for_each(|one| found[one.number] = Followed::Follows(Vec::new()));
            }
            Ok(Answer::Sat(model)) if retain(session, &mut open, &model) => {}
            Ok(Answer::Sat(_) | Answer::Unknown(_)) => {
                for one in std::mem::take(&mut open) {
                    found[one.number] = match session.check(&[one.wrong]) {
                        Ok(Answer::Unsat(_)) => Followed::Follows(Vec::new()),
                        Ok(Answer::Sat(_)) => Followed::Refuted,
                        Ok(Answer::Unknown(_)) | Err(_) => Followed::Unknown,
                    };
                }
            }
            Err(_) => open.drain(..).for_each(|one| found[one.number] = Followed::Unknown),
        }
    }
    for (found, question) in found.iter_mut().zip(asked) {
        if let Followed::Follows(facts) = found {
            *facts = needed(session, at, question);
        }
    }
    Ok((found, sessions.asked()))
}

/// Positions of facts that a claim follows from, none of which can be spared; all of them if nobody knows.
fn needed(session: &mut Session<'_>, at: LocationId, question: &Question) -> Vec<usize> {
    if !question.names_facts {
        return Vec::new();
    }
    let all = (0..question.facts.len()).collect();
    let facts: Option<Vec<TermId>> = question.facts.iter().map(|fact| session.formula(*fact, at)).collect();
    let (Some(facts), Some(claim)) = (facts, session.formula(question.claim, at)) else { return all };
    let wrong = session.store.not(claim);
    session.core(wrong, &facts, &[]).ok().flatten().unwrap_or(all)
}

/// A question without an answer yet.
struct Open {
    number: usize,
    /// All facts hold and the claim does not.
    wrong: TermId,
}

/// All facts hold and the claim does not.
fn refuted(session: &mut Session<'_>, at: LocationId, facts: &[ExprId], claim: ExprId) -> Option<TermId> {
    let claim = session.formula(claim, at)?;
    let mut parts = vec![session.store.not(claim)];
    for fact in facts {
        parts.push(session.formula(*fact, at)?);
    }
    Some(session.store.and(&parts))
}

/// Takes away what a model refutes; whether that is anything.
fn retain(session: &Session<'_>, open: &mut Vec<Open>, model: &Assignment) -> bool {
    let (before, mut cache) = (open.len(), FxHashMap::default());
    open.retain(|one| {
        let value = session.store.eval_with(one.wrong, model, &mut cache).ok().and_then(|value| value.as_bool());
        value != Some(true)
    });
    open.len() < before
}

/// Takes away what values refute that are likely to.
fn try_values(session: &Session<'_>, open: &mut Vec<Open>) {
    let terms: Vec<TermId> = open.iter().map(|one| one.wrong).collect();
    let variables = session.store.variables_of(&terms);
    // What tells conditions apart is near the numbers in them.
    let mut numbers: BTreeSet<u128> = BTreeSet::new();
    session.store.visit(&terms, |term, _| {
        numbers.extend(session.store.as_bits(term));
        true
    });
    let numbers: Vec<u128> = numbers.into_iter().collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for number in 0..TRIES {
        let mut values = Assignment::new();
        for variable in &variables {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = match session.store.sort(*variable) {
                Sort::Bool => Value::Bool(state >> 63 == 1),
                Sort::BitVec(width) if width <= 128 => Value::Bits { width, value: likely(state >> 16, number, width, &numbers) },
                Sort::BitVec(_) | Sort::Array { .. } => continue,
            };
            values.set(*variable, value);
        }
        retain(session, open, &values);
    }
}

/// Mostly values near numbers of the conditions, or so small that some are equal, and any, and bounds.
fn likely(random: u64, number: u64, width: u32, numbers: &[u128]) -> u128 {
    let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
    let spread = [3, 5, 9, 40, 1000][(number % 5) as usize];
    let small = (u128::from(random >> 8) % spread).wrapping_sub(spread / 2);
    let near = |at: u64| {
        numbers.get(at as usize % numbers.len().max(1)).map(|one| one.wrapping_add(u128::from(random >> 40) % 3).wrapping_sub(1))
    };
    if let (1, Some(value)) = (number % 3, near(random >> 20)) {
        return value & mask;
    }
    let value = match (number % 4, random % 8) {
        (0..=2, 0..=6) | (3, 0..=1) => small,
        (3, 2) => mask >> 1,
        (3, 3) => (mask >> 1) + 1,
        (_, 4) => mask,
        _ => u128::from(random) | u128::from(random) << 64,
    };
    value & mask
}
