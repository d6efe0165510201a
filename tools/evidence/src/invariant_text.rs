//! Invariants as text: C where the formula has a C reading, SMT-LIB otherwise.

use smt::terms::to_signed;
use smt::{Op, TermId, TermStore};

/// Longest C text; longer formulas are printed with sharing.
const LONGEST: u32 = 400;

/// A formula over variables of a program.
#[must_use]
pub fn text(store: &TermStore, formula: TermId) -> String {
    if store.tree_size(formula) > LONGEST {
        return store.print(formula);
    }
    c_text(store, formula, 0).unwrap_or_else(|| store.print(formula))
}

/// The C text of a term; `None` where C has no plain expression for it. The recursion is bounded by [`LONGEST`].
#[expect(clippy::wildcard_enum_match_arm, reason = "C has an operator for few of them")]
fn c_text(store: &TermStore, term: TermId, depth: u32) -> Option<String> {
    let args = store.args(term);
    let part = |at: usize| c_text(store, args[at], depth + 1);
    let joined = |operator: &str| -> Option<String> {
        let parts: Option<Vec<String>> = (0..args.len()).map(part).collect();
        let text = parts?.join(operator);
        Some(if depth == 0 { text } else { format!("({text})") })
    };
    match store.op(term) {
        Op::True => Some("1".to_owned()),
        Op::False => Some("0".to_owned()),
        Op::Bits(value) => {
            let width = store.width(term);
            Some(if width <= 64 { to_signed(width, value).to_string() } else { return None })
        }
        Op::Variable { variable, instance: 0 } => {
            let name = store.variable_name(variable);
            let plain = name.rsplit("::").next().unwrap_or(name);
            Some(plain.split('#').next().unwrap_or(plain).to_owned())
        }
        Op::Not => negated(store, args[0], depth),
        Op::And => joined(" && "),
        Op::Or => joined(" || "),
        Op::Eq => joined(" == "),
        Op::Ite => {
            let text = format!("{} ? {} : {}", part(0)?, part(1)?, part(2)?);
            Some(if depth == 0 { text } else { format!("({text})") })
        }
        Op::SLt => joined(" < "),
        Op::ULt => joined(" < ").map(unsigned),
        Op::Add => joined(" + "),
        Op::Mul => joined(" * "),
        Op::Neg => Some(format!("-{}", part(0)?)),
        Op::BitNot => Some(format!("~{}", part(0)?)),
        Op::BitAnd => joined(" & "),
        Op::BitOr => joined(" | "),
        Op::BitXor => joined(" ^ "),
        _ => None,
    }
}

/// The C text of the negation of a term.
fn negated(store: &TermStore, term: TermId, depth: u32) -> Option<String> {
    let op = store.op(term);
    if op == Op::Eq {
        binary(store, term, " != ", depth)
    } else if op == Op::SLt {
        binary(store, term, " >= ", depth)
    } else if op == Op::ULt {
        binary(store, term, " >= ", depth).map(unsigned)
    } else {
        Some(format!("!{}", c_text(store, term, depth + 1)?))
    }
}

fn binary(store: &TermStore, term: TermId, operator: &str, depth: u32) -> Option<String> {
    let args = store.args(term);
    let text = format!("{}{operator}{}", c_text(store, args[0], depth + 1)?, c_text(store, args[1], depth + 1)?);
    Some(if depth == 0 { text } else { format!("({text})") })
}

/// C has the signedness in the types; the text says it in a comment.
fn unsigned(text: String) -> String {
    format!("{text} /* unsigned */")
}
