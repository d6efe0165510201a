//! Under which condition on its arguments a call can tell the versions apart: with all others, both do the same in it, which is
//! proved by leaving the call to the original where the condition holds.
//!
//! The condition is necessary, and not sufficient: of arguments that satisfy it some are known to tell. Candidates are the branches
//! on parameters that telling calls take, and the signs of their arguments; what is not proved is not said.

#![allow(clippy::wildcard_enum_match_arm, reason = "few operators compare")]

use program::expr::BinaryOp;
use smt::z3::Z3Error;
use transform::pair::{Atom, Condition, With};

use crate::settle::Numbers;
use crate::telling::TellingCall;

/// Kinds of arguments that one condition tells.
const MOST_KINDS: usize = 4;
/// Comparisons that are asked about one by one.
const MOST_ATOMS: usize = 8;

/// What is known of a call that is left to the original where a condition holds.
pub(crate) enum Without {
    /// Both versions do the same.
    Same,
    /// They do not, in this call on some run, if it can be seen.
    Differs(Option<TellingCall>),
    /// Nobody knows.
    Open,
}

/// The condition for one call; `ask` is asked what is left of it. `None` if nothing is proved.
pub(crate) fn only(
    telling: &TellingCall,
    mut ask: impl FnMut(Condition, &mut Numbers) -> Result<Without, Z3Error>,
    numbers: &mut Numbers,
) -> Result<Option<Condition>, Z3Error> {
    let mut kinds: Vec<Vec<Atom>> = Vec::new();
    let mut next = Some(telling.clone());
    while let Some(call) = next.take().filter(|call| call.edge == telling.edge && kinds.len() < MOST_KINDS) {
        let kind = tight(&call.branches);
        if kind.is_empty() || kinds.contains(&kind) {
            break;
        }
        kinds.push(kind);
        next = match ask(Condition(kinds.clone()), numbers)? {
            Without::Same => return Ok(Some(Condition(simple(kinds)))),
            Without::Open => return Ok(None),
            Without::Differs(next) => next,
        };
    }
    // Not all that such calls have in common has to be why, and there may be more kinds of them.
    let mut needed = Vec::new();
    let all: Vec<Atom> = telling.branches.iter().chain(&telling.signs).copied().collect();
    for atom in tight(&all).into_iter().take(MOST_ATOMS) {
        match ask(Condition(vec![vec![atom]]), numbers)? {
            Without::Same => needed.push(atom),
            Without::Differs(_) => {}
            Without::Open => break,
        }
    }
    Ok((!needed.is_empty()).then(|| Condition(vec![needed])))
}

/// Comparisons that do not follow from one of the others, in the order of the parameters.
fn tight(atoms: &[Atom]) -> Vec<Atom> {
    let mut kept: Vec<Atom> = Vec::new();
    for atom in atoms {
        if !kept.iter().any(|other| implies(other, atom)) {
            kept.retain(|other| !implies(atom, other));
            kept.push(*atom);
        }
    }
    kept.sort_by_key(|atom| atom.parameter);
    kept
}

/// The same kinds in fewer words: what is not of a kind that is one comparison need not be said of others (`A || B && !A` is
/// `A || B`), and a kind of which all are of another one is left out.
fn simple(mut kinds: Vec<Vec<Atom>>) -> Vec<Vec<Atom>> {
    let single: Vec<Atom> = kinds.iter().filter_map(|kind| if let [one] = kind.as_slice() { Some(*one) } else { None }).collect();
    for kind in kinds.iter_mut().filter(|kind| kind.len() > 1) {
        let mut left = kind.clone();
        left.retain(|atom| !single.iter().any(|one| is_negation(one, atom)));
        if !left.is_empty() {
            *kind = left;
        }
    }
    let is_of = |kind: &[Atom], other: &[Atom]| other.iter().all(|atom| kind.iter().any(|own| implies(own, atom)));
    let mut kept: Vec<Vec<Atom>> = Vec::new();
    for kind in kinds {
        if !kept.iter().any(|other| is_of(&kind, other)) {
            kept.retain(|other| !is_of(other, &kind));
            kept.push(kind);
        }
    }
    kept
}

/// Whether one of two comparisons holds exactly where the other does not.
fn is_negation(one: &Atom, other: &Atom) -> bool {
    one.relation.opposite() == Some(other.relation) && (one.parameter, one.with) == (other.parameter, other.with)
}

/// Whether one comparison says all that another one does.
fn implies(one: &Atom, other: &Atom) -> bool {
    if one == other {
        return true;
    }
    let (With::Number(a), With::Number(b)) = (one.with, other.with) else { return false };
    if one.parameter != other.parameter {
        return false;
    }
    match (range(one.relation, a), range(other.relation, b)) {
        (Some((low, high)), Some((least, most))) => least <= low && high <= most,
        (Some((low, high)), None) => b < low || high < b,
        (None, _) => false,
    }
}

/// The numbers that compare so with one; `None` if they are no range.
fn range(relation: BinaryOp, number: i128) -> Option<(i128, i128)> {
    match relation {
        BinaryOp::Equal => Some((number, number)),
        BinaryOp::Less => Some((i128::MIN, number - 1)),
        BinaryOp::LessEqual => Some((i128::MIN, number)),
        BinaryOp::Greater => Some((number + 1, i128::MAX)),
        BinaryOp::GreaterEqual => Some((number, i128::MAX)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};

    use super::*;

    fn atom(parameter: usize, relation: BinaryOp, number: i128) -> Atom {
        Atom { parameter, relation, with: With::Number(number) }
    }

    #[test]
    fn kinds_are_told_in_few_words() {
        let (three, other) = (atom(0, Equal, 3), atom(0, NotEqual, 3));
        assert_eq!(simple(vec![vec![three], vec![atom(0, Greater, 0), other]]), [vec![atom(0, Greater, 0)]]);
        assert_eq!(simple(vec![vec![three], vec![other, atom(1, Less, 0)]]), [vec![three], vec![atom(1, Less, 0)]]);
        let apart = vec![vec![three, atom(1, Less, 0)], vec![other, atom(1, Greater, 5)]];
        assert_eq!(simple(apart.clone()), apart);
        // All of them together: nothing is left of the second, which is kept as it is.
        assert_eq!(simple(vec![vec![three], vec![other]]), [vec![three], vec![other]]);
        assert_eq!(simple(vec![vec![three, atom(1, Less, 0)], vec![three]]), [vec![three]]);
    }

    #[test]
    fn what_follows_from_another_comparison_is_left_out() {
        let all =
            [atom(1, Greater, 0), atom(0, NotEqual, 0), atom(1, Greater, 100), atom(0, NotEqual, 7), atom(1, NotEqual, 100)];
        assert_eq!(tight(&all), [atom(0, NotEqual, 0), atom(0, NotEqual, 7), atom(1, Greater, 100)]);
        assert_eq!(tight(&[atom(0, GreaterEqual, 3), atom(0, Equal, 3), atom(0, LessEqual, 3)]), [atom(0, Equal, 3)]);
        assert_eq!(tight(&[atom(0, Greater, 2), atom(0, GreaterEqual, 3)]), [atom(0, Greater, 2)]);
        assert_eq!(tight(&[atom(0, Less, 2), atom(1, Less, 1)]), [atom(0, Less, 2), atom(1, Less, 1)]);
    }
}
