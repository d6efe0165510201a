//! From a model to the values that drive the program along the path.
//!
//! A counterexample is a claim: `semantics::interpreter` is the judge that replays it.

use std::collections::{BTreeMap, BTreeSet};

use program::cfa::{EdgeId, VarId};
use smt::encode::Origin;
use smt::terms::Assignment;
use smt::{TermStore, Value};

use crate::block::trace::trace;
use crate::control::{Position, Stop, SymbolicState, Target};
use crate::session::Session;

/// A value that the program does not determine, as it came up on a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Number of edges passed before.
    pub step: usize,
    /// What it is.
    pub origin: Origin,
    /// Its bits.
    pub value: u128,
    /// Its width.
    pub width: u32,
}

/// A path with the values that select it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counterexample {
    /// The edges from the entry to the error.
    pub edges: Vec<EdgeId>,
    /// The values, in order.
    pub choices: Vec<Choice>,
    /// Objects whose value at the start the program does not say, each with its leaves in order of position.
    pub initial: Vec<(VarId, Vec<(u128, u32)>)>,
}

/// Adds an edge with the choices that come up on it.
pub(crate) fn choices_on(session: &Session, found: &mut Counterexample, position: Position, edge: EdgeId, values: &Assignment) {
    let step = found.edges.len();
    found.edges.push(edge);
    for &(input, origin) in session.explorer.inputs_of(position, edge) {
        let (value, width) = bits(&session.store, values, input);
        found.choices.push(Choice { step, origin, value, width });
    }
}

/// The values that variables have before the first edge.
pub(crate) fn initial_values(session: &mut Session, values: &Assignment) -> Vec<(VarId, Vec<(u128, u32)>)> {
    let named: Vec<smt::TermId> = values.iter().map(|(term, _)| term).collect();
    let variables: BTreeSet<VarId> =
        named.into_iter().filter_map(|term| session.explorer.encoder.variable_of(&session.store, term)).collect();
    variables
        .into_iter()
        .map(|variable| {
            let leaves = session.explorer.encoder.terms_of(&mut session.store, variable, 0);
            (variable, leaves.into_iter().map(|leaf| bits(&session.store, values, leaf)).collect())
        })
        .collect()
}

fn bits(store: &TermStore, values: &Assignment, input: smt::TermId) -> (u128, u32) {
    let width = match store.sort(input) {
        smt::Sort::BitVec(width) => width,
        smt::Sort::Bool => 1,
        smt::Sort::Array { .. } => 0,
    };
    let value = match values.get(input) {
        Some(Value::Bits { value, .. }) => *value,
        Some(Value::Bool(value)) => u128::from(*value),
        Some(Value::Array(_)) | None => 0,
    };
    (value, width)
}

/// The path that a model selects, from the start on, each loop head passed in a round of its own.
///
/// # Errors
/// [`Stop`] if the run was interrupted.
pub fn follow(session: &mut Session, start: Position, model: &Assignment) -> Result<Counterexample, Stop> {
    let mut found = Counterexample { initial: initial_values(session, model), ..Counterexample::default() };
    let mut state: SymbolicState = session.explorer.initial_state(&mut session.store).unwrap_or_default();
    let mut cache = rustc_hash::FxHashMap::default();
    let (mut round, mut position) = (0, start);
    'path: loop {
        session.explorer.check_limits(0)?;
        session.explorer.set_round(round);
        for edge in session.explorer.out_edges(position) {
            let Some(successor) = session.explorer.successors(&mut session.store, position, edge, &state) else { continue };
            let store = &session.store;
            let holds = successor.conditions.iter().all(|condition| {
                store.eval_with(*condition, model, &mut cache).ok().and_then(|value| value.as_bool()) == Some(true)
            });
            if !holds {
                continue;
            }
            choices_on(session, &mut found, position, edge, model);
            state = successor.state;
            match successor.target {
                Ok(next) => position = next,
                Err(Target::Head(next)) => (round, position) = (round + 1, next),
                Err(Target::Error(_) | Target::Obstacle(..)) => return Ok(found),
            }
            continue 'path;
        }
        return Ok(found);
    }
}

/// The path through one block after the other. `inputs` says what comes up in each, and in the first also what variables hold
/// before the first edge that the program does not say; with `None` the path ends.
///
/// # Errors
/// [`Stop`] if the run was interrupted.
pub fn along(
    session: &mut Session,
    start: Position,
    mut inputs: impl FnMut(usize) -> Option<Assignment>,
) -> Result<Counterexample, Stop> {
    let mut found = Counterexample::default();
    let (mut position, mut held): (Position, BTreeMap<smt::TermId, Value>) = (start, BTreeMap::new());
    let mut state = session.explorer.initial_state(&mut session.store).unwrap_or_default();
    session.explorer.set_round(0);
    for number in 0.. {
        let Some(mut values) = inputs(number) else { break };
        if number == 0 {
            found.initial = initial_values(session, &values);
            held = values
                .iter()
                .filter(|(term, _)| !session.store.is_input(*term))
                .map(|(term, value)| (term, value.clone()))
                .collect();
        }
        held.iter().for_each(|(variable, value)| values.set(*variable, value.clone()));
        let way = trace(&mut session.explorer, &mut session.store, position, std::mem::take(&mut state), &values)?;
        for (at, edge) in way.steps {
            choices_on(session, &mut found, at, edge, &values);
        }
        let mut cache = rustc_hash::FxHashMap::default();
        for (variable, term) in way.state.iter() {
            if let Ok(value) = session.store.eval_with(term, &values, &mut cache) {
                held.insert(variable, value);
            }
        }
        match way.target {
            Some(Target::Head(next)) => position = next,
            Some(Target::Error(_) | Target::Obstacle(..)) | None => break,
        }
    }
    Ok(found)
}
