//! What the text of a version assigns to its variables, as facts: `x = E` proposes `x == E`, of a floating-point variable
//! `x == E || x != x`, for NaN is not equal to itself.
//!
//! Nobody says that such a fact is so anywhere: `E` may be something else by then, and other code may assign `x`.

use program::cfa::{Cfa, Operation};
use program::expr::Expr;
use program::types::{FloatKind, Type};

use crate::prepare::c_type;

/// Proposals of a version.
const MOST: usize = 12;

/// Of these about floating-point variables: what is not refuted by a run is hard for the solver.
const MOST_REAL: usize = 4;

/// Equations of variables and what is assigned to them, in the order of the text.
pub(crate) fn definitions(cfa: &Cfa) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut reals = 0;
    for edge in &cfa.edges {
        let Operation::Assign { place, value } = edge.operation else { continue };
        let Expr::Variable(variable) = *cfa.exprs.get(place) else { continue };
        let variable = cfa.variable(variable);
        if cfa.source.is_library(edge.span) || found.len() >= MOST {
            continue;
        }
        let text = String::from_utf8_lossy(cfa.source.slice(edge.statement)).into_owned();
        let (Some(ty), Some(right)) = (c_type(cfa, variable.ty.ty), assigned(&text, &variable.name)) else { continue };
        let of = cfa.types.get(variable.ty.ty);
        let is_real = matches!(of, Type::Float(FloatKind::Float | FloatKind::Double)) && reals < MOST_REAL;
        if matches!(of, Type::Float(_)) && !is_real {
            continue;
        }
        let is_converted = matches!(cfa.exprs.get(value), Expr::Cast(_));
        let right = if is_converted { format!("({ty})({right})") } else { right };
        let name = &variable.name;
        let fact = if is_real { format!("{name} == {right} || {name} != {name}") } else { format!("{name} == {right}") };
        if !found.contains(&fact) {
            found.push(fact);
            reals += usize::from(is_real);
        }
    }
    found
}

/// What the statement `NAME = E;` or `TYPE NAME = E;` assigns, if that has no effect and names something else than `NAME`.
fn assigned(statement: &str, name: &str) -> Option<String> {
    let (left, right) = statement.split_once('=')?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let right = right.trim().trim_end_matches(';').split_whitespace().collect::<Vec<_>>().join(" ");
    let words = || right.split(|c| !is_word(c)).filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
    let is_plain = left.split_whitespace().all(|word| word.chars().all(is_word)) && left.split_whitespace().last() == Some(name);
    let has_effect = ["=", "++", "--", ",", "\"", "{", ";", "#"].iter().any(|mark| right.contains(mark));
    // A call, or a cast, in which no name is followed by a parenthesis.
    let calls = right.match_indices('(').any(|(at, _)| right[..at].trim_end().ends_with(is_word));
    let names_other = words().next().is_some() && words().all(|word| word != name);
    (is_plain && !has_effect && !calls && names_other).then_some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_no_effect_is_said_again() {
        for (statement, expected) in [
            ("x = a + b;", Some("a + b")),
            ("double x = (a -\n   b) / 2;", Some("(a - b) / 2")),
            ("x = x + 1;", None),
            ("x = 3;", None),
            ("x = f(a);", None),
            ("x = a = b;", None),
            ("x += a;", None),
            ("x = a++;", None),
            ("int x = a, y = b;", None),
            ("*x = a;", None),
            ("s.x = a;", None),
            ("y = a;", None),
        ] {
            assert_eq!(assigned(statement, "x").as_deref(), expected, "{statement}");
        }
    }
}
