//! Formats: whether the bodies of the `printf` and `scanf` families have code for all of their conversions.

#![expect(clippy::wildcard_enum_match_arm, reason = "a literal is looked for behind a few kinds of expressions")]

use crate::cfa::{Cfa, VarKind};
use crate::expr::ExprId;

/// Whose formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Those of `printf`.
    Print,
    /// Those of `sscanf`.
    Scan,
    /// Those of `scanf`.
    Input,
}

/// Whether all formats that the calls of a function pass as the argument of this number are modelled. Where one is no
/// literal, or the function may be called through a pointer, all literals of the program that could be formats have to be.
pub(super) fn are_modelled(cfa: &Cfa, dialect: Dialect, number: usize, (indirect, calls): (bool, &[&[ExprId]])) -> bool {
    let literals: Option<Vec<&[u8]>> = calls.iter().map(|arguments| literal(cfa, *arguments.get(number)?)).collect();
    match literals.filter(|_| !indirect) {
        Some(literals) => literals.into_iter().all(|text| is_modelled(dialect, text)),
        None => cfa.variables.iter().all(|variable| match &variable.kind {
            VarKind::StringLiteral(bytes) => is_modelled(dialect, bytes),
            VarKind::Global { .. }
            | VarKind::Local
            | VarKind::StaticLocal
            | VarKind::Parameter(_)
            | VarKind::Temporary(_)
            | VarKind::CompoundLiteral => true,
        }),
    }
}

/// Whether all calls of a function pass a literal as the argument of this number.
pub(super) fn are_literals(cfa: &Cfa, number: usize, calls: &[&[ExprId]]) -> bool {
    calls.iter().all(|arguments| arguments.get(number).is_some_and(|argument| literal(cfa, *argument).is_some()))
}

/// The bytes of the string literal that an expression is the address of.
pub(super) fn literal(cfa: &Cfa, expr: ExprId) -> Option<&[u8]> {
    match &cfa.variable(cfa.exprs.beginning_of(expr)?).kind {
        VarKind::StringLiteral(bytes) => Some(bytes),
        _ => None,
    }
}

/// Whether all conversions of a format have code.
fn is_modelled(dialect: Dialect, format: &[u8]) -> bool {
    let text = format.split(|byte| *byte == 0).next().unwrap_or_default();
    let mut rest = text.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        let (mut wide, mut plain) = (0, true);
        let found = loop {
            match rest.next() {
                Some(b'-' | b'+' | b' ' | b'#' | b'0'..=b'9' | b'.' | b'*') => {}
                Some(b'h' | b'z' | b't' | b'j' | b'q') => plain = false,
                Some(b'l') => wide += 1,
                other => break other,
            }
        };
        match (found, dialect) {
            (Some(b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'%'), _) => {}
            (Some(b'c' | b's'), _) if wide == 0 => {}
            (Some(b'n'), Dialect::Scan) => {}
            // `%as` and `%a[` allocate in some libraries.
            (Some(b'a'), Dialect::Scan | Dialect::Input) if matches!(rest.peek(), Some(b's' | b'S' | b'[')) => return false,
            (Some(b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G'), Dialect::Scan | Dialect::Input)
                if plain && wide < 2 => {}
            (Some(b'['), Dialect::Scan | Dialect::Input) if wide == 0 => {
                rest.next_if_eq(&b'^');
                // A bracket that comes first is one of the set.
                rest.next();
                if !rest.by_ref().any(|byte| byte == b']') {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_with_addresses_and_wide_characters_have_no_code_nor_floats_that_are_printed() {
        let print = |text: &str| is_modelled(Dialect::Print, text.as_bytes());
        assert!(print("%d") && print("%-08.3lld|%%") && print("no conversion") && print("%*.*s%c"));
        assert!(!print("%f") && !print("%ls") && !print("%p") && !print("%n") && !print("%") && !print("%1$d"));
        let scan = |text: &str| is_modelled(Dialect::Scan, text.as_bytes());
        assert!(scan("%d %3s%n") && scan("%[^]]x") && scan("%*[a-z]"));
        assert!(scan("%lf,%*3e%G") && scan("%a") && scan("%A["));
        assert!(
            !scan("%[abc") && !scan("%m[a]") && !scan("%Lf") && !scan("%llf") && !scan("%hf") && !scan("%as") && !scan("%a[b]")
        );
    }
}
