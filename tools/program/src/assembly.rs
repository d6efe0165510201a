//! What inline assembly may write, where that can be told.
//!
//! A template is understood if each of its instructions is in the lists below: they compute, move data, serve ports or
//! order memory accesses, write nothing but operands they name, and stay within the template. Then, by the contract of
//! extended assembly (GCC manual, "Extended Asm"), the statement writes its outputs, what its instructions name as a
//! destination, and nothing else. Calls, jumps out of the template, memory addressed through registers, string
//! instructions, stack instructions, data between instructions and everything unknown are not understood.
//! Does not know which values are written: they count as arbitrary.

use crate::cfa::{Cfa, InlineAsm};
use crate::expr::ExprId;
use crate::layout::size_of;

/// Something that inline assembly may give any value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// A place.
    Place(ExprId),
    /// The whole object of which the place is a part: an instruction such as `bts` reaches beyond its operand.
    Object(ExprId),
}

/// Everything a statement may write; `None` if it may do something else.
#[must_use]
pub fn writes(cfa: &Cfa, asm: &InlineAsm) -> Option<Vec<Write>> {
    let text = without_fences(&asm.template);
    let parts: Vec<&str> = text.split(['\n', ';']).map(str::trim).collect();
    // Alternatives, comments, addresses in registers, names; strings anywhere but in the flags of sections.
    let is_plain =
        |part: &&str| !part.contains(['{', '|', '}', '#', '(', '[', '/']) && (part.starts_with('.') || !part.contains('"'));
    if asm.has_labels || !parts.iter().all(is_plain) {
        return None;
    }
    let mut written: Vec<Write> = asm.outputs.iter().map(|output| Write::Place(output.expr)).collect();
    let labels: Vec<&str> = parts.iter().map(|part| part.split_once(':').map_or("", |(label, _)| label)).collect();
    let sections = vec![Section::Code];
    let mut reader = Reader { cfa, asm, labels, at: 0, sections, previous: None, repeated: false };
    for (at, part) in parts.iter().enumerate() {
        reader.at = at;
        reader.statement(part, &mut written)?;
    }
    (!reader.repeated).then_some(written)
}

/// `addl $0,0(%%esp)` adds nothing: a fence.
fn without_fences(template: &str) -> String {
    let mut text = template.replace('\t', " ");
    for fence in ["addl $0,0(%%esp)", "addl $0, 0(%%esp)", "addl $0,0(%%rsp)", "addl $0, 0(%%rsp)"] {
        text = text.replace(fence, "mfence");
    }
    text
}

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    /// Instructions that are executed, or that a fault leads to.
    Code,
    /// Tables for linker and kernel.
    Data,
}

/// How an instruction uses its operands, in the order of the assembler: the destination is the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Reads its operands, if it has any.
    Reads,
    /// Writes the last one.
    Last,
    /// Writes both.
    Both,
    /// Writes the last one or, with an offset in a register, memory around it.
    Bit,
    /// Jumps to the label that is its operand.
    Jump,
}

const READS: &[&str] = &[
    "nop", "pause", "mfence", "lfence", "sfence", "ud2", "cli", "sti", "hlt", "clc", "stc", "cmc", "cld", "wbinvd", "clts",
    "rdtsc", "rdtscp", "cpuid", "cmp", "test", "bt", "out", "prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta", "prefetchw",
];
const LAST: &[&str] = &[
    "mov", "add", "adc", "sub", "sbb", "and", "or", "xor", "not", "neg", "inc", "dec", "shl", "shr", "sar", "sal", "rol", "ror",
    "bsf", "bsr", "bswap", "popcnt", "lzcnt", "tzcnt", "imul", "in", "movzb", "movzw", "movsb", "movsw", "movsl", "movz",
    "cmpxchg",
];
const BOTH: &[&str] = &["xchg", "xadd"];
const BIT: &[&str] = &["bts", "btr", "btc"];
const CONDITIONS: &[&str] = &[
    "a", "ae", "b", "be", "c", "e", "g", "ge", "l", "le", "na", "nae", "nb", "nbe", "nc", "ne", "ng", "nge", "nl", "nle", "no",
    "np", "ns", "nz", "o", "p", "pe", "po", "s", "z",
];

/// The form of an instruction and, if its name says so, how many bytes it writes.
fn form(mnemonic: &str) -> Option<(Form, Option<u64>)> {
    let named = |name: &str| {
        let is_in = |list: &[&str]| list.contains(&name);
        let after = |prefix: &str| name.strip_prefix(prefix).is_some_and(|condition| CONDITIONS.contains(&condition));
        match () {
            () if is_in(READS) => Some(Form::Reads),
            () if is_in(LAST) || after("cmov") => Some(Form::Last),
            () if is_in(BOTH) => Some(Form::Both),
            () if is_in(BIT) => Some(Form::Bit),
            () if after("j") || name == "jmp" => Some(Form::Jump),
            () => None,
        }
    };
    if mnemonic.strip_prefix("set").is_some_and(|condition| CONDITIONS.contains(&condition)) {
        return Some((Form::Last, Some(1)));
    }
    if let Some(form) = named(mnemonic) {
        return Some((form, None));
    }
    let (name, suffix) = mnemonic.split_at_checked(mnemonic.len().checked_sub(1)?)?;
    let bytes = match suffix {
        "b" => 1,
        "w" => 2,
        "l" => 4,
        "q" => 8,
        _ => return None,
    };
    let form = named(name)?;
    (form != Form::Jump).then_some((form, Some(bytes)))
}

/// An operand in the text of an instruction.
enum Operand<'t> {
    /// `$…`
    Immediate,
    /// `%%eax`
    Register(&'t str),
    /// `%0` with its modifier, also behind a segment (`%%gs:%P1`).
    Placeholder { number: usize, has_segment: bool },
}

impl<'t> Operand<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let text = text.trim();
        if text.starts_with('$') {
            return Some(Self::Immediate);
        }
        let (has_segment, rest) = match text.strip_prefix("%%gs:").or_else(|| text.strip_prefix("%%fs:")) {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        if let Some(register) = rest.strip_prefix("%%") {
            let is_name = register.chars().all(|c| c.is_ascii_alphanumeric()) && !has_segment;
            return is_name.then_some(Self::Register(register));
        }
        let name = rest.strip_prefix('%')?;
        let digits = name.strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(name);
        Some(Self::Placeholder { number: digits.parse().ok()?, has_segment })
    }
}

struct Reader<'a> {
    cfa: &'a Cfa,
    asm: &'a InlineAsm,
    /// The numeric label in front of each part of the template, or some other text.
    labels: Vec<&'a str>,
    /// The part that is read.
    at: usize,
    /// The sections that are open, the current one last.
    sections: Vec<Section>,
    previous: Option<Section>,
    /// The statement before was `rep` alone, which is harmless before `nop`.
    repeated: bool,
}

impl Reader<'_> {
    /// Reads a label, a directive or an instruction; `None` if it is not understood.
    fn statement(&mut self, text: &str, written: &mut Vec<Write>) -> Option<()> {
        let mut text = text.trim();
        while let Some((label, rest)) = text.split_once(':')
            && !label.is_empty()
            && label.chars().all(|c| c.is_ascii_digit())
        {
            text = rest.trim();
        }
        if text.is_empty() {
            return Some(());
        }
        if text.starts_with('.') {
            return self.directive(text);
        }
        let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
        if self.current() == Section::Data {
            return None;
        }
        let after_repeat = std::mem::take(&mut self.repeated);
        match mnemonic {
            "lock" => return self.statement(operands, written),
            "rep" if operands.is_empty() => {
                self.repeated = true;
                return Some(());
            }
            "rep" => return (operands.trim() == "nop").then_some(()),
            _ if after_repeat && mnemonic != "nop" => return None,
            _ => {}
        }
        self.instruction(mnemonic, operands, written)
    }

    fn current(&self) -> Section {
        self.sections.last().copied().unwrap_or(Section::Code)
    }

    fn directive(&mut self, text: &str) -> Option<()> {
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        // Flags with an x say that a section is executed; one without flags may be any.
        let opened = match rest.split_once(',') {
            Some((_, flags)) if flags.contains('"') && !flags.contains('x') => Section::Data,
            _ => Section::Code,
        };
        match name {
            ".section" => {
                self.previous = Some(self.current());
                *self.sections.last_mut()? = opened;
            }
            ".previous" => {
                let current = self.current();
                *self.sections.last_mut()? = self.previous.replace(current)?;
            }
            ".pushsection" => self.sections.push(opened),
            ".popsection" => {
                self.sections.pop();
                self.sections.last()?;
            }
            ".align" | ".balign" | ".p2align" => {}
            ".long" | ".quad" | ".word" | ".short" | ".byte" | ".org" if self.current() == Section::Data => {}
            _ => return None,
        }
        Some(())
    }

    fn instruction(&self, mnemonic: &str, operands: &str, written: &mut Vec<Write>) -> Option<()> {
        let (form, bytes) = form(mnemonic)?;
        if form == Form::Jump {
            return self.is_local(operands.trim()).then_some(());
        }
        let operands = match operands.trim() {
            "" => Vec::new(),
            text => text.split(',').map(Operand::parse).collect::<Option<Vec<_>>>()?,
        };
        let destinations = match (form, operands.as_slice()) {
            (Form::Reads, _) => &[][..],
            (Form::Last | Form::Bit, [.., _]) => operands.get(operands.len() - 1..)?,
            (Form::Both, [_, _]) => &operands,
            // Without operands `movsl` and the like move strings.
            (Form::Last | Form::Both | Form::Bit | Form::Jump, _) => return None,
        };
        destinations.iter().try_for_each(|operand| self.destination(operand, form, bytes, written))
    }

    /// Whether a label such as `1b` is one of the template: others of the same number may be around it.
    fn is_local(&self, label: &str) -> bool {
        let (number, known) = match (label.strip_suffix('b'), label.strip_suffix('f')) {
            (Some(number), _) => (number, self.labels.get(..=self.at)),
            (None, Some(number)) => (number, self.labels.get(self.at + 1..)),
            (None, None) => return false,
        };
        number.parse::<u32>().is_ok() && known.is_some_and(|known| known.contains(&number))
    }

    fn destination(&self, operand: &Operand<'_>, form: Form, bytes: Option<u64>, written: &mut Vec<Write>) -> Option<()> {
        let (number, has_segment) = match *operand {
            Operand::Immediate => return None,
            Operand::Register(name) => {
                let is_clobbered = self.asm.clobbers.iter().any(|clobber| clobber.trim_start_matches('%') == name);
                let is_stack = name.ends_with("sp") || name.ends_with("bp");
                return (is_clobbered && !is_stack).then_some(());
            }
            Operand::Placeholder { number, has_segment } => (number, has_segment),
        };
        let outputs = self.asm.outputs.len();
        let named = self.asm.outputs.get(number).or_else(|| self.asm.inputs.get(number.checked_sub(outputs)?))?;
        let is_output = number < outputs;
        let in_memory = named.constraint.contains(['m', 'o', 'V', 'p', 'g', 'X', '<', '>', 'A', 'i', 'n', 's']) || has_segment;
        if !in_memory {
            // A register: an output is written anyway, an input must not be.
            return is_output.then_some(());
        }
        if !self.cfa.exprs.get(named.expr).is_place() {
            return None;
        }
        let size = size_of(&self.cfa.types, self.cfa.machine, self.cfa.exprs.ty(named.expr)).ok();
        let fits = bytes.is_some_and(|bytes| size.is_some_and(|size| bytes <= size));
        written.push(if fits && form != Form::Bit && !has_segment {
            Write::Place(named.expr)
        } else {
            Write::Object(named.expr)
        });
        Some(())
    }
}

#[cfg(test)]
#[allow(clippy::wildcard_enum_match_arm, reason = "the tests ask for one operation")]
mod tests {
    use super::*;
    use crate::cfa::Operation;
    use crate::expr::Expr;
    use crate::source::SourceFile;
    use crate::types::Type;

    fn name(cfa: &Cfa, place: ExprId) -> String {
        match *cfa.exprs.get(place) {
            Expr::Variable(variable) => cfa.variable(variable).name.to_string(),
            Expr::Load(place) => name(cfa, place),
            Expr::Dereference { pointer, .. } => format!("*{}", name(cfa, pointer)),
            Expr::Field(record, number) => {
                let Type::Record(id) = cfa.types.get(cfa.exprs.ty(record)) else { panic!("a member of no record") };
                format!("{}.{}", name(cfa, record), cfa.types.record(*id).fields[number as usize].name.as_deref().unwrap())
            }
            ref other => panic!("{other:?}"),
        }
    }

    /// What the first assembly of `f` may write, by the texts of places; `!` before whole objects.
    fn told(statement: &str) -> Option<Vec<String>> {
        let text = format!(
            "struct s {{ int a, b; }};\nint f(int x, long y, char c, short *p, struct s *q, unsigned long *bits) {{\n  {statement}\n  return x;\n}}\n"
        );
        let options = formats::ProgramOptions { entry: "f".to_owned(), ..formats::ProgramOptions::default() };
        let cfa = crate::load::load_source(SourceFile::new("test.c", text), &options).unwrap();
        let asm = cfa.edges.iter().find_map(|edge| match &edge.operation {
            Operation::Asm(asm) => Some(asm.clone()),
            _ => None,
        });
        let name = |place: ExprId| name(&cfa, place);
        // What goes beyond its operands is no assembly any more.
        let asm = asm?;
        let found = writes(&cfa, &asm)?;
        Some(
            found
                .iter()
                .map(|write| match write {
                    Write::Place(place) => name(*place),
                    Write::Object(place) => format!("!{}", name(*place)),
                })
                .collect(),
        )
    }

    #[test]
    fn what_is_understood() {
        for (statement, expected) in [
            (r#"asm volatile("outb %b0,%w1" : : "a" (c), "Nd" (x));"#, &[][..]),
            (r#"asm volatile("inb %w1,%b0" : "=a" (c) : "Nd" (x));"#, &["c"]),
            (r#"asm volatile("rep; nop" ::: "memory");"#, &[]),
            (r#"asm volatile("lock; addl $0,0(%%esp)" ::: "memory");"#, &[]),
            (r#"asm("" : "=r" (p) : "r" (q));"#, &["p"]),
            (r#"asm("movq %%gs:%P1,%0" : "=r" (y) : "p" (&x));"#, &["y"]),
            (r#"asm volatile("lock; incl %0" : "+m" (q->b));"#, &["*q.b", "*q.b"]),
            (r#"asm volatile("incq %0" : "+m" (q->b));"#, &["*q.b", "!*q.b"]),
            (r#"asm volatile("movl %0,%1" : : "r" (x), "m" (q->a) : "memory");"#, &["*q.a"]),
            (r#"asm volatile("movl %1,%0" : "=r" (x) : "m" (q->a) : "memory");"#, &["x"]),
            (r#"asm volatile("xchgw %w0,%1" : "+r" (c), "+m" (*p) :: "memory");"#, &["c", "*p", "*p"]),
            (r#"asm volatile("lock; cmpxchgl %2,%1" : "=a" (x), "+m" (q->a) : "r" (x), "0" (x));"#, &["x", "*q.a", "*q.a"]),
            (r#"asm volatile("lock; bts %1,%0" : "+m" (*bits) : "Ir" (y) : "memory");"#, &["*bits", "!*bits"]),
            (r#"asm volatile("bt %2,%1\n\tsbb %0,%0" : "=r" (x) : "m" (*bits), "Ir" (y));"#, &["x"]),
            (r#"asm volatile("decl %0; sete %1" : "+m" (q->a), "=qm" (c) :: "memory");"#, &["*q.a", "c", "*q.a", "c"]),
            (
                r#"asm volatile(".section .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.previous\n671:\n\tlock; decl %0" : "+m" (q->a));"#,
                &["*q.a", "*q.a"],
            ),
            (
                r#"asm volatile("1:\tud2\n.pushsection __bug_table,\"a\"\n2:\t.long 1b - 2b, %c0 - 2b\n\t.word %c1, 0\n\t.org 2b+%c2\n.popsection" : : "i" ("f"), "i" (1), "i" (12));"#,
                &[],
            ),
            (
                r#"asm volatile("1: movl %2,%1\n2:\n.section .fixup,\"ax\"\n3: mov %3,%0\n jmp 2b\n.previous" : "=r" (x), "=r" (c) : "m" (q->a), "i" (-14));"#,
                &["x", "c"],
            ),
            (r#"asm("movl $1,%%ecx" ::: "ecx");"#, &[]),
            (r#"asm volatile("incl %[v]" : [v] "+m" (q->a));"#, &["*q.a", "*q.a"]),
            (r#"asm volatile("movl %[from],%k[to]" : [to] "=r" (x) : [from] "m" (q->a), "[to]" (y));"#, &["x"]),
        ] {
            let expected: Vec<String> = expected.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(told(statement), Some(expected), "{statement}");
        }
    }

    #[test]
    fn what_is_not_understood() {
        for statement in [
            r#"asm volatile("call f" ::: "memory");"#,
            r#"asm volatile("call *%0" : : "r" (y));"#,
            r#"asm volatile("jmp *%0" : : "r" (y));"#,
            r#"asm volatile("jmp f");"#,
            r#"asm volatile("jmp 1f");"#,
            r#"asm volatile("jmp 1b\n1: nop");"#,
            r#"asm volatile("movl $1,(%0)" : : "r" (p) : "memory");"#,
            r#"asm volatile("movl $1,%P0" : : "i" (&x));"#,
            r#"asm volatile("movl $1,%0" : : "r" (x));"#,
            r#"asm volatile("movl $1,%%ecx");"#,
            r#"asm volatile("movq $0,%%rsp" ::: "rsp");"#,
            r#"asm volatile("movl %0,%%gs:%P1" : : "r" (x), "p" (&x));"#,
            r#"asm volatile("rep; movsb" : "+S" (p), "+D" (q), "+c" (y) :: "memory");"#,
            r#"asm volatile("movsb" : "+S" (p), "+D" (q) :: "memory");"#,
            r#"asm volatile("movsl" : "+S" (p), "+D" (q) :: "memory");"#,
            r#"asm volatile("rep" ::: "memory");"#,
            r#"asm volatile("stosl" : "+D" (q) : "a" (x) : "memory");"#,
            r#"asm volatile("push %0; pop %0" : "+r" (y));"#,
            r#"asm volatile("int $3");"#,
            r#"asm volatile("syscall" : "+a" (y));"#,
            r#"asm volatile("ret");"#,
            r#"asm volatile(".byte 0xc3");"#,
            r#"asm volatile(".section .data,\"a\"\n.previous\n.byte 0xc3");"#,
            r#"asm volatile(".section .x,\"a\"\n call f\n.previous");"#,
            r#"asm volatile(".section .fixup,\"ax\"\n.byte 0xe9\n.previous");"#,
            r#"asm volatile(".popsection\n nop");"#,
            r#"asm volatile("mov{l} {%1, %0|%0, %1}" : "=r" (x) : "r" (c));"#,
            r#"asm volatile("nop # call f" : "+r" (x));"#,
            r#"asm volatile("incl %[w]" : [v] "+m" (q->a));"#,
            r#"asm volatile("fstp %0" : "=m" (q->a));"#,
            r#"asm volatile("vmcall" : "+a" (y));"#,
        ] {
            assert_eq!(told(statement), None, "{statement}");
        }
    }
}
