//! Names of operands of inline assembly, as the numbers that mean the same: an operation knows its operands by their place.

use super::Lowerer;
use crate::ast::{self, Ident};

/// The names of operands, outputs first, in the order of their numbers.
pub(super) struct OperandNames<'a>(Vec<Option<&'a str>>);

impl<'a> OperandNames<'a> {
    pub(super) fn of(lowerer: &Lowerer<'a>, asm: &ast::Asm) -> Self {
        let name = |name: &Ident| lowerer.ast.name(name.name);
        Self(asm.outputs.iter().chain(&*asm.inputs).map(|operand| operand.name.as_ref().map(name)).collect())
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|known| *known == Some(name))
    }

    /// A constraint; that of an input may be the name of an output.
    pub(super) fn constraint(&self, text: &str) -> String {
        let name = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        name.and_then(|name| self.number(name)).map_or_else(|| text.to_owned(), |number| number.to_string())
    }

    /// A template: `%[name]` and `%k[name]` with numbers. What is no name of an operand stays.
    pub(super) fn template(&self, text: &str) -> String {
        let (mut out, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(at) = rest.find('%') {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            let modified = from[1..].trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let found = modified.strip_prefix('[').and_then(|inside| inside.split_once(']'));
            // A digit behind the bracket would become one of the number.
            let found = found.filter(|(_, behind)| !behind.starts_with(|c: char| c.is_ascii_digit()));
            let number = found.and_then(|(name, behind)| Some((self.number(name)?, behind)));
            if let Some((number, behind)) = number {
                out.push_str(&from[..from.len() - modified.len()]);
                out.push_str(&number.to_string());
                rest = behind;
            } else {
                // `%%` is one sign.
                let length = if from[1..].starts_with('%') { 2 } else { 1 };
                out.push_str(&from[..length]);
                rest = &from[length..];
            }
        }
        out + rest
    }
}

#[cfg(test)]
mod tests {
    use super::OperandNames;

    #[test]
    fn names_become_numbers() {
        let names = OperandNames(vec![Some("out"), None, Some("in")]);
        assert_eq!(names.template("mov %[in],%k[out] %1 %%[in] %[other] %"), "mov %2,%k0 %1 %%[in] %[other] %");
        assert_eq!((names.constraint("[out]"), names.constraint("=&r")), ("0".to_owned(), "=&r".to_owned()));
    }
}
