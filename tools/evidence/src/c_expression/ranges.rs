//! Formulas of too many cases to be said one by one: what all of them have in common, and which values each variable takes.

use std::collections::{BTreeMap, BTreeSet};

use smt::terms::to_signed;
use smt::{Op, TermId};

use super::{LARGEST, Polarity, Writer, extend_within, signed_constant};

/// Up to so many values of a variable are listed; of more, the least and the greatest are said.
const LISTED: usize = 4;

/// What holds in every case of a disjunction; `None` if there is nothing to say.
pub(super) fn said(writer: &Writer<'_>, formula: TermId) -> Option<String> {
    let store = writer.store;
    if store.op(formula) != Op::Or {
        return None;
    }
    let cases: Vec<BTreeSet<TermId>> = store.args(formula).iter().map(|&case| literals(writer, case)).collect();
    let first = cases.first()?;
    let (mut all, mut values) = (Vec::new(), BTreeMap::new());
    for &literal in first.iter().filter(|literal| cases.iter().all(|case| case.contains(literal))) {
        if store.tree_size(literal) <= LARGEST {
            extend_within(&mut all, writer.conjuncts(literal, Polarity::Holds)?);
        }
    }
    for (number, case) in cases.iter().enumerate() {
        for (variable, value) in case.iter().filter_map(|&literal| pinned(writer, literal)) {
            let (seen, taken) = values.entry(variable).or_insert_with(|| (0, BTreeSet::new()));
            // Each case counts once.
            if *seen == number {
                *seen += 1;
            }
            taken.insert(value);
        }
    }
    for (variable, (seen, taken)) in values {
        if seen == cases.len() && taken.len() > 1 {
            extend_within(&mut all, range(writer, variable, &taken).into_iter().collect());
        }
    }
    (!all.is_empty()).then(|| all.join(" && "))
}

/// The conjuncts of a case.
fn literals(writer: &Writer<'_>, case: TermId) -> BTreeSet<TermId> {
    let mut found = BTreeSet::new();
    let mut pending = vec![case];
    while let Some(term) = pending.pop() {
        if writer.store.op(term) == Op::And {
            pending.extend(writer.store.args(term).iter().copied());
        } else {
            found.insert(term);
        }
    }
    found
}

/// The variable that a literal gives a value, as a number of its type.
fn pinned(writer: &Writer<'_>, literal: TermId) -> Option<(TermId, i128)> {
    let store = writer.store;
    let &[a, b] = store.args(literal) else { return None };
    if store.op(literal) != Op::Eq {
        return None;
    }
    let (variable, value) = match (store.op(a), store.op(b)) {
        (Op::Variable { instance: 0, .. }, Op::Bits(value)) => (a, value),
        (Op::Bits(value), Op::Variable { instance: 0, .. }) => (b, value),
        _ => return None,
    };
    let value = if writer.is_signed(variable) { to_signed(store.width(variable), value) } else { i128::try_from(value).ok()? };
    Some((variable, value))
}

/// Which values a variable takes.
fn range(writer: &Writer<'_>, variable: TermId, taken: &BTreeSet<i128>) -> Option<String> {
    let width = writer.store.width(variable);
    let is_signed = writer.is_signed(variable);
    let name = if is_signed { writer.signed(variable)? } else { writer.unsigned(variable)? };
    let constant = |value: i128| {
        let bits = u128::try_from(value).ok();
        match is_signed {
            true => signed_constant(width, smt::terms::mask(width) & value.cast_unsigned()),
            false => Some(format!("{}{}", bits?, if width > 32 { "ULL" } else { "U" })),
        }
    };
    if taken.len() <= LISTED {
        let each: Option<Vec<String>> = taken.iter().map(|&value| Some(format!("({name} == {})", constant(value)?))).collect();
        return Some(format!("({})", each?.join(" || ")));
    }
    Some(format!("({name} >= {}) && ({name} <= {})", constant(*taken.first()?)?, constant(*taken.last()?)?))
}
