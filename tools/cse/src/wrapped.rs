//! The same question with arithmetic that wraps, for runs that are defined in both versions.
//!
//! A run in which no signed arithmetic overflows is the same run where it wraps. So if both versions do the same with arithmetic
//! that wraps, they do the same wherever both are defined: a proof counts. What differs there need not differ otherwise: a
//! counterexample counts only if the untouched programs, with the arithmetic that was asked for, show it.

use program::cfa::Cfa;
use semantics::compare::Comparison;
use transform::pair::{Pairing, Relation};

use crate::CseError;
use crate::arguments::{Arguments, Overflow, Undefined};
use crate::settle::{Means, Numbers, Proved, Question, Settled, settle as settle_all};
use crate::sources::{Text, guards};
use crate::trials::Trials;

/// Whether it is enough that both versions do the same with arithmetic that wraps.
pub(crate) fn is_enough(arguments: &Arguments) -> bool {
    arguments.undefined == Undefined::Both && arguments.overflow == Overflow::Undefined
}

/// Settles a question, also by way of the one with arithmetic that wraps.
pub(crate) fn settle(
    texts: &[Text; 2],
    asked: &Question<'_>,
    (relation, trials): (Relation, Option<&Trials>),
    means: Means<'_>,
    numbers: &mut Numbers,
) -> miette::Result<Settled> {
    let wrapping = texts.each_ref().map(|text| text.load(guards(Overflow::Wrap)));
    let [original, modified] = wrapping;
    let (original, modified) = (original?, modified?);
    let comparison = Comparison::new(&original, &modified);
    let pairing = Pairing::new(&comparison);
    let changes = pairing.changes();
    let edges = |cfa: &Cfa| cfa.edge_ids().count();
    let is_other = edges(&original) != edges(asked.pairing.original) || edges(&modified) != edges(asked.pairing.modified);
    let other = changes.as_ref().filter(|_| is_other).map(|start| Question { pairing: &pairing, start });
    let questions: Vec<Question<'_>> = other.into_iter().fold(vec![*asked], |mut all, other| {
        all.push(other);
        all
    });
    let settled = settle_all(&questions, (relation, trials), means, numbers).map_err(CseError::from)?;
    let Settled::Equal(proved) = settled else { return Ok(settled) };
    if proved.question == 0 {
        return Ok(Settled::Equal(proved));
    }
    // The functions of the boundary, by their names: places are not those of the program that was asked about.
    let here = asked.pairing.original;
    let names = proved.calls.iter().map(|(_, callee)| &original.function(*callee).name);
    let named = names.filter_map(|name| here.function_ids().find(|id| here.function(*id).name == *name));
    let calls = named.map(|callee| (None, callee)).collect();
    Ok(Settled::Equal(Proved { calls, plan: asked.start.clone(), by: proved.by, question: 0 }))
}
