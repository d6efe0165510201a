//! What of a program decides how the work is shared.
//!
//! Knows what the text of a program shows without any analysis of it. A feature changes how long something takes, never what comes
//! out.

#![expect(clippy::wildcard_enum_match_arm, reason = "a condition of any other form is not a simple one")]

use program::cfa::{Cfa, Operation};
use program::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use semantics::facts::Facts;
use semantics::loops::Loops;

use super::table::Class;

/// Conditions for each loop from which on a program counts as a table of rules. Protocols and schedulers have some ten for
/// each of their loops, event-condition-action programs some hundreds for one.
const RULES: usize = 120;

/// What the shares depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Features {
    /// Memory is followed better than it is abstracted.
    pub(super) follows_memory: bool,
    /// There may still be a localized proof.
    pub(super) localizes: bool,
    /// Loops consist of conditions that compare variables with constants.
    pub(super) has_rules: bool,
    /// Every path ends.
    pub(super) is_acyclic: bool,
}

impl Features {
    /// The column of the table of shares.
    pub(super) const fn class(self) -> Class {
        match self {
            Self { is_acyclic: true, .. } => Class::Acyclic,
            Self { has_rules: true, .. } => Class::Rules,
            Self { localizes: true, .. } => Class::Localizable,
            Self { follows_memory: true, .. } => Class::Memory,
            Self { .. } => Class::Plain,
        }
    }

    /// As numbers of a run.
    pub(super) fn shown(self) -> [(&'static str, u64); 4] {
        [
            ("feature acyclic", self.is_acyclic.into()),
            ("feature rules", self.has_rules.into()),
            ("feature localizable", self.localizes.into()),
            ("feature memory", self.follows_memory.into()),
        ]
    }
}

/// Whether no function that the program comes to has a loop or calls itself: one formula says everything, and what is made to find
/// invariants puts it together once more.
pub(super) fn is_acyclic(facts: &Facts<'_>) -> bool {
    let calls = facts.calls();
    let runs_once = |function| facts.loops().of_function(function).next().is_none() && !calls.is_recursive(function);
    calls.reachable_from(facts.cfa().entry).into_iter().all(runs_once)
}

/// Whether a program is a loop over many rules whose conditions compare variables with constants: what explicit values and ranges
/// are made for, and predicates are not, for which every path of the body is a case.
pub(super) fn has_rules(cfa: &Cfa, loops: &Loops) -> bool {
    let (mut all, mut simple) = (0_usize, 0_usize);
    for edge in cfa.edge_ids() {
        let edge = cfa.edge(edge);
        if let Operation::Assume { condition, truth: true } = edge.operation
            && loops.is_reachable(edge.source)
        {
            all += 1;
            simple += usize::from(compares_with_constant(cfa, condition));
        }
    }
    let heads = loops.all().iter().filter(|one| loops.is_reachable(one.head)).count();
    heads > 0 && all >= RULES * heads && simple * 10 >= all * 9
}

/// Whether a condition compares a variable with a constant, or is a variable.
fn compares_with_constant(cfa: &Cfa, condition: ExprId) -> bool {
    match *cfa.exprs.get(condition) {
        Expr::Unary(UnaryOp::Not, inner) | Expr::Cast(inner) => compares_with_constant(cfa, inner),
        Expr::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr, a, b) => {
            compares_with_constant(cfa, a) && compares_with_constant(cfa, b)
        }
        Expr::Binary(
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual,
            a,
            b,
        ) => is_simple(cfa, a) && is_simple(cfa, b) && !(is_variable(cfa, a) && is_variable(cfa, b)),
        _ => is_variable(cfa, condition),
    }
}

fn is_simple(cfa: &Cfa, expr: ExprId) -> bool {
    let expr = below_casts(cfa, expr);
    matches!(cfa.exprs.get(expr), Expr::Int(_)) || is_variable(cfa, expr) || compares_with_constant(cfa, expr)
}

fn is_variable(cfa: &Cfa, expr: ExprId) -> bool {
    let expr = below_casts(cfa, expr);
    matches!(*cfa.exprs.get(expr), Expr::Load(place) if matches!(cfa.exprs.get(place), Expr::Variable(_)))
}

fn below_casts(cfa: &Cfa, mut expr: ExprId) -> ExprId {
    while let Expr::Cast(inner) = *cfa.exprs.get(expr) {
        expr = inner;
    }
    expr
}

#[cfg(test)]
mod tests {
    use semantics::facts::Facts;

    use super::is_acyclic;
    use crate::portfolio::Kind;
    use crate::tests::{answer, load};

    const INPUT: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n";

    fn runs_once(text: &str) -> bool {
        is_acyclic(&Facts::new(&load(&format!("{INPUT}{text}"))))
    }

    #[test]
    fn cycles_are_loops_jumps_back_and_calls_that_come_back() {
        assert!(runs_once("int f(int x) { return x + 1; } int main(void) { if (f(f(1)) == 2) reach_error(); return 0; }"));
        assert!(runs_once("int f(int x) { while (x) x--; return x; } int main(void) { return 0; }"), "nobody calls it");
        assert!(!runs_once("int f(int x) { while (x) x--; return x; } int main(void) { return f(3); }"));
        assert!(!runs_once("int main(void) { int x = 3; again: x--; if (x) goto again; return x; }"));
        assert!(!runs_once("int f(int x) { return x ? f(x - 1) : 0; } int main(void) { return f(3); }"));
        assert!(!runs_once(
            "int g(int); int f(int x) { return x ? g(x - 1) : 0; } int g(int x) { return f(x); } int main(void) { return g(3); }"
        ));
        assert!(
            !runs_once("int f(int x) { while (x) x--; return x; } int (*p)(int) = f; int main(void) { return p(3); }"),
            "by a pointer"
        );
    }

    /// Whoever is asked answers the same.
    #[test]
    fn programs_without_loops_are_decided_with_little_of_what_is_for_loops() {
        let text = |wrong: &str| {
            format!(
                "{INPUT}int main(void) {{ unsigned x = (unsigned)__VERIFIER_nondet_int(), y = (unsigned)__VERIFIER_nondet_int();\n\
                 if (x > 7 || y > 7) return 0; if ((x ^ y) + 2u * (x & y) {wrong} x + y) reach_error(); return 0; }}"
            )
        };
        assert_eq!(answer(&text("!="), Kind::ALL, 4_000_000), Some(true));
        assert_eq!(answer(&text("=="), Kind::ALL, 4_000_000), Some(false));
        assert_eq!(answer(&text("!="), &[Kind::Candidates], 4_000_000), Some(true));
    }
}
