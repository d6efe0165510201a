//! Names that assembly within C gives to things, and those it mentions.
//!
//! Invariant: a symbol that a template defines for other files is among what it defines, unless an operand names it.
//! Does not know what instructions do, nor on which machine.

use std::collections::BTreeSet;

/// Directives after which any word may become a symbol.
const MACROS: [&str; 6] = [".macro", ".include", ".irp", ".rept", ".altmacro", ".incbin"];

/// Parts of templates that put something where the program finds it without naming it.
const UNNAMED: [&str; 3] = ["section", ".init", ".fini"];

/// The names of a template.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Assembly {
    /// What may be a symbol from here on: labels, and operands of directives.
    pub(super) defines: BTreeSet<String>,
    /// All words.
    pub(super) mentions: BTreeSet<String>,
    /// It may run, or be found, although nothing names it.
    pub(super) runs: bool,
    /// It may make names of parts: any may be among what it mentions.
    pub(super) makes_names: bool,
}

impl Assembly {
    /// Reads a template.
    pub(super) fn of(template: &str) -> Self {
        let mut found = Self { runs: UNNAMED.iter().any(|part| template.contains(part)), ..Self::default() };
        found.mentions.extend(words(template).map(str::to_owned));
        found.makes_names = joins_operands(template);
        if MACROS.iter().any(|word| template.contains(word)) {
            found.makes_names = true;
            found.defines.clone_from(&found.mentions);
            return found;
        }
        for statement in template.split(['\n', '\r', ';']) {
            let mut rest = statement.trim();
            while let Some((label, behind)) = rest.split_once(':').filter(|(label, _)| words(label).count() <= 1) {
                found.defines.extend(words(label).map(str::to_owned));
                rest = behind.trim();
            }
            let named = if rest.starts_with('.') { rest } else { rest.split_once('=').map_or("", |(name, _)| name) };
            found.defines.extend(words(named).map(str::to_owned));
        }
        found
    }
}

/// Whether an operand stands directly beside a part of a name. In assembly without operands a percent sign begins a register,
/// and none stands behind a name.
fn joins_operands(template: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut parts = template.split('%');
    let mut before = parts.next().unwrap_or_default();
    while let Some(part) = parts.next() {
        // Two signs are one that is meant, and begin a register.
        if part.is_empty() {
            before = parts.next().unwrap_or_default();
            continue;
        }
        let operand = part.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let behind = if let Some(behind) = part.strip_prefix('=') {
            behind
        } else if operand.starts_with('[') {
            operand.split_once(']').map_or("", |(_, behind)| behind)
        } else {
            operand
                .strip_prefix(|c: char| c.is_ascii_digit())
                .unwrap_or_default()
                .trim_start_matches(|c: char| c.is_ascii_digit())
        };
        if before.ends_with(is_part) || behind.starts_with(is_part) {
            return true;
        }
        before = part;
    }
    false
}

/// The words of a text that C can name; not registers and types of symbols, which a sign marks.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '%' | '@') || !c.is_ascii();
    let names = text.split(move |c| !is_part(c)).map(|word| word.trim_start_matches('$'));
    let names = names.map(|word| word.split(['@', '%']).next().unwrap_or_default());
    names.filter(|word| word.starts_with(|c: char| !c.is_ascii_digit() && c != '.') && !word.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_operands_of_directives_are_names() {
        let defines = |template: &str| Assembly::of(template).defines.into_iter().collect::<Vec<_>>();
        assert_eq!(defines(".globl k\nk: mov $1,%eax\n ret\n"), ["k"]);
        assert_eq!(defines("one: \"two\": mov x, r0; .type k, @function; .set k, l; m = n"), ["k", "l", "m", "one", "two"]);
        assert_eq!(defines("rdtsc\n1: jmp 1b"), Vec::<String>::new());
        assert_eq!(defines(".macro DEF n\n\\n: .long 1\n.endm\nDEF k"), ["DEF", "k", "n"]);
        for (template, makes_names) in [
            ("call g%c0", true),
            ("call %c0b", true),
            ("call g%[n]", true),
            ("call %[n]b", true),
            ("f%=: nop", true),
            (".macro m n\n call g\\n\n.endm", true),
            ("mov %1, %0\n add $4, %%eax; lea 4(%%rsp), %[out]; jmp %l2", false),
            ("mov %eax,%ebx", false),
            ("1: jmp 1b", false),
        ] {
            assert_eq!(Assembly::of(template).makes_names, makes_names, "{template}");
        }
        let found = Assembly::of("jmp one@plt\n.pushsection .init_array");
        assert!(found.runs && found.mentions.contains("one"), "{found:?}");
    }
}
