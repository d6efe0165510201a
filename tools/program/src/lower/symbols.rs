//! Inline assembly that uses what the program defines, or defines what the program uses, by name.
//!
//! The contract of extended assembly (GCC manual, "Extended Asm") is about operands. What a template does to functions and
//! objects that it names, to functions that it calls through operands, and to symbols that it defines is in no operand, so such
//! a statement is unsupported: where it stands, or, for definitions, in the whole program.
//! Does not know what instructions compute; see [`crate::assembly`].

use rustc_hash::FxHashSet;

use super::Lowerer;
use crate::ast::DeclId;
use crate::cfa::{InlineAsm, Operation, VarKind};

/// What becomes of assembly that uses names.
const USES: &str = "inline assembly that uses functions or objects of the program";
/// What becomes of a program with assembly that defines names.
const DEFINES: &str = "inline assembly that defines symbols";

/// Directives that define symbols, or connect them.
const DEFINING: &[&str] = &[
    ".globl", ".global", ".set", ".equ", ".equiv", ".eqv", ".comm", ".lcomm", ".weak", ".weakref", ".symver", ".macro",
    ".include", ".incbin",
];

/// Sections whose contents the start-up code runs, wherever the assembly stands that fills them.
const OBEYED: &[&str] = &[".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors"];

/// Words before the name of an instruction.
const PREFIXES: &[&str] = &["lock", "rep", "repe", "repz", "repne", "repnz", "notrack", "bnd", "data16", "addr32", "rex64"];

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$' || c == '.' || !c.is_ascii()
}

/// The statements of a template, without the labels in front of them; the labels.
fn statements(template: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut found, mut labels) = (Vec::new(), Vec::new());
    for statement in template.split(['\n', ';', '{', '|', '}']) {
        let mut statement = statement.trim();
        while let Some((label, rest)) = statement.split_once(':')
            && !label.is_empty()
            && label.trim().chars().all(|c| is_part(c) || c == '"')
        {
            labels.push(label.trim());
            statement = rest.trim();
        }
        found.push(statement);
    }
    (found, labels)
}

/// The name of an instruction or directive, and its operands.
fn instruction(statement: &str) -> (&str, &str) {
    let (mut name, mut operands) = statement.split_once(|c: char| c.is_whitespace()).unwrap_or((statement, ""));
    while PREFIXES.contains(&name) && !operands.is_empty() {
        let rest = operands.trim_start();
        (name, operands) = rest.split_once(|c: char| c.is_whitespace()).unwrap_or((rest, ""));
    }
    (name, operands.trim())
}

/// Whether a template defines or connects symbols that C may name.
fn defines(template: &str) -> bool {
    let (statements, labels) = statements(template);
    let is_local = |label: &&str| label.starts_with(".L") || label.chars().all(|c| c.is_ascii_digit());
    let is_assignment = |statement: &str| {
        let name = statement.split_once('=').map_or("", |(name, _)| name.trim());
        !name.is_empty() && name != "." && name.chars().all(is_part)
    };
    labels.iter().any(|label| !is_local(label))
        || statements.iter().any(|statement| DEFINING.contains(&instruction(statement).0) || is_assignment(statement))
}

/// Whether control may go where an operand, a register or the stack says.
fn leaves(asm: &InlineAsm) -> bool {
    let (statements, _) = statements(&asm.template);
    statements.iter().any(|statement| {
        let (name, operands) = instruction(statement);
        let goes = name.contains("call") || name.contains("jmp") || name.starts_with('%');
        let away = operands.contains(['*', '%']) && !(asm.has_labels && operands.starts_with("%l"));
        name.starts_with("ret") || name.starts_with("lret") || goes && away
    })
}

/// The names in the operands of a statement.
fn words(statement: &str) -> impl Iterator<Item = &str> {
    let words = instruction(statement).1.split(|c: char| !is_part(c) && c != '%').map(|word| word.trim_start_matches('$'));
    words.filter(|word| !word.is_empty() && !word.starts_with('%'))
}

/// The names in the operands of a template.
fn names(template: &str) -> impl Iterator<Item = &str> {
    statements(template).0.into_iter().flat_map(words)
}

/// Whether a template leaves something in the program that counts without being executed: code or addresses for the start-up
/// code, or what the program defines in a table.
fn leaves_behind(template: &str, is_defined: impl Fn(&str) -> bool) -> bool {
    let directives = statements(template).0.into_iter().filter(|statement| statement.starts_with('.'));
    let is_obeyed = |word: &str| OBEYED.iter().any(|section| word.starts_with(section)) || matches!(word, ".init" | ".fini");
    directives.flat_map(words).any(|word| is_obeyed(word) || is_defined(word))
}

impl Lowerer<'_> {
    /// Takes such assembly for what it is: unsupported.
    pub(super) fn refuse_symbols(&mut self) {
        if !self.edges.iter().any(|edge| matches!(edge.operation, Operation::Asm(_))) {
            return;
        }
        let defined = self.defined_names();
        for index in 0..self.edges.len() {
            let Operation::Asm(asm) = &self.edges[index].operation else { continue };
            if defines(&asm.template) || leaves_behind(&asm.template, |name| defined.contains(name)) {
                let span = self.edges[index].span;
                self.before_entry.push((DEFINES.into(), span));
            } else if leaves(asm) || names(&asm.template).any(|name| defined.contains(name)) {
                self.edges[index].operation = Operation::Unsupported { construct: USES.into() };
            }
        }
    }

    /// The functions with bodies and the global objects, those of several files also by the names that they have there; and what
    /// anything is called for the assembler.
    fn defined_names(&self) -> FxHashSet<String> {
        let functions = self.functions.iter().filter(|function| function.entry.is_some()).map(|function| &*function.name);
        let is_global = |kind: &VarKind| matches!(kind, VarKind::Global { .. });
        let objects = self.variables.iter().filter(|variable| is_global(&variable.kind)).map(|variable| &*variable.name);
        let names: Vec<&str> = functions.chain(objects).collect();
        let own = names.iter().filter_map(|name| name.split_once("___").map(|(own, _)| own));
        let labels = (0..self.ast.init_declarators()).filter_map(|index| self.ast[DeclId::from_index(index)].asm_label);
        let labels: Vec<String> = labels.map(|label| self.ast[label].to_text()).collect();
        own.chain(names.iter().copied()).map(str::to_owned).chain(labels).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(template: &str) -> bool {
        let asm = InlineAsm { template: template.into(), outputs: vec![], inputs: vec![], clobbers: vec![], has_labels: false };
        leaves(&asm) || names(template).any(|name| matches!(name, "g" | "add"))
    }

    #[test]
    fn what_goes_beyond_operands_is_told_apart() {
        for template in [
            "movl g(%%rip), %0", "call g", "call *%1", "1: lock; incl g", "call %P1", "push %0\n\tret", "mov $g, %0",
            "jmp *%%rax", "leaq g+4(%%rip), %0", "notrack call *%1", "movl %0, g", "%1 %2",
        ] {
            assert!(uses(template), "{template}");
        }
        for template in [
            "add %1, %0",
            "lock; addl $1, %0",
            "call __get_user_4",
            "jmp 1f\n1:",
            "je 2f; nop; 2:",
            "mov %%gs:%P1, %0",
            "rep; movsb",
            "movl %g, %0",
            ".section .x, \"a\"\n .long 1b\n .previous",
            "cpuid",
            "",
            "lock add %1, %0",
        ] {
            assert!(!uses(template) && !defines(template), "{template}");
        }
        for template in [".globl cfg\ncfg: .long 0", "f: ret", ".set a, b", "a = b", "nop\n .weak g"] {
            assert!(defines(template), "{template}");
        }
        for template in [".pushsection .init_array, \"aw\"\n.quad 1b", ".section \".init\"", ".quad g\n.previous"] {
            assert!(leaves_behind(template, |name| name == "g"), "{template}");
        }
        for template in [".section .init.text, \"ax\"", ".long 1b - .", "movl g, %0", ".pushsection .smp_locks,\"a\"\n.balign 4"]
        {
            assert!(!leaves_behind(template, |name| name == "g"), "{template}");
        }
        for template in ["1: jmp 1b", ".Lx%=: nop", ".Lhere: nop", ". = . + 4"] {
            assert!(!defines(template), "{template}");
        }
    }
}
