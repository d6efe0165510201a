//! Clauses in words, as contracts are written in ACSL.

use program::cfa::{Cfa, CfaParts};
use program::print::{Names, Printer};

use super::frame::Setting;
use super::{Clause, When};

/// Clauses in words: `f: ensures \result >= 0 || n < 0`.
#[must_use]
pub fn texts(setting: &Setting, clauses: &[Clause]) -> Vec<String> {
    let named = named(setting);
    let names = Names::new(&named);
    let printer = Printer::new(&named, &names);
    let text = |clause: &Clause| {
        let when = match clause.when {
            When::Requires => "requires",
            When::Ensures => "ensures",
        };
        format!("{}: {when} {}", named.function(clause.function).name, printer.expr(clause.holds))
    };
    clauses.iter().map(text).collect()
}

/// The program with the names that contracts use for what they speak of.
fn named(setting: &Setting) -> Cfa {
    let base = &setting.base;
    let mut variables = base.variables.clone();
    for (function, signature) in &setting.signatures {
        let call = &signature.call;
        for (ghost, parameter) in call.arguments.iter().zip(&base.function(*function).parameters) {
            if let Some(ghost) = ghost {
                variables[ghost.index()].name = base.variable(*parameter).name.clone();
            }
        }
        for (global, ghost) in &call.before {
            variables[ghost.index()].name = format!("\\old({})", base.variable(*global).name).into();
        }
        if let Some(result) = call.result {
            variables[result.index()].name = "\\result".into();
        }
    }
    Cfa::new(CfaParts { variables, ..base.parts() })
}
