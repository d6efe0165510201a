//! What code outside may call: functions of the program whose addresses get there.
//!
//! No run of the program shows what they do there. So a verdict needs that each does the same with any arguments in any state.

use program::cfa::FunctionId;
use smt::z3::Z3Error;
use transform::pair::{Pairing, Plan, Relation};

use crate::known::prove;
use crate::settle::{Means, Proved, Settled};

/// What is left of what was found out, when code outside calls what it can.
pub(crate) fn checked(
    settled: Settled,
    pairing: &Pairing<'_>,
    (changes, relation): (&Plan, Relation),
    means: Means<'_>,
) -> Result<Settled, Z3Error> {
    if changes.handed().is_empty() || matches!(settled, Settled::Different(_) | Settled::Open(_) | Settled::Handed(_)) {
        return Ok(settled);
    }
    Ok(match all_same(pairing, (changes, relation), means)? {
        Ok(_) => settled,
        Err(name) => Settled::Handed(name),
    })
}

/// Decides where the program itself comes to nothing that changed.
pub(crate) fn settle(
    pairing: &Pairing<'_>,
    (changes, relation): (&Plan, Relation),
    means: Means<'_>,
) -> Result<Settled, Z3Error> {
    Ok(match all_same(pairing, (changes, relation), means)? {
        Ok(by) => {
            let calls = changes.handed().functions.iter().map(|function| (None, *function)).collect();
            Settled::Equal(Proved { calls, plan: changes.clone(), by, question: 0 })
        }
        Err(name) => Settled::Handed(name),
    })
}

/// The analysis behind the last proof, or the name of a function that has none.
fn all_same(
    pairing: &Pairing<'_>,
    (changes, relation): (&Plan, Relation),
    means: Means<'_>,
) -> Result<Result<&'static str, String>, Z3Error> {
    let handed = changes.handed();
    let name = |function: &FunctionId| pairing.original.function(*function).name.to_string();
    if let Some(alone) = handed.alone.first() {
        return Ok(Err(alone.clone()));
    }
    // Whatever is not observed of the whole program, code outside sees of what it calls.
    let relation = Relation { returned: true, globals: true, memory: true, events: true, ..relation };
    let mut by = "comparison";
    let keeps = pairing.keeps_variables(changes);
    for function in &handed.functions {
        let proved = if keeps { prove(pairing, changes, *function, relation, means)? } else { None };
        let Some(proved) = proved else { return Ok(Err(name(function))) };
        by = proved;
    }
    Ok(Ok(by))
}
