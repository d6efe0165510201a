//! The counterexample as one C file that gcc builds and that reaches the error.
//!
//! The file is the text of the program with a few pieces replaced by span: the bodies of the error function and of input
//! functions, and behind declarations of objects whose arbitrary initial value matters a call that fills them. Functions
//! without a body get one under their assembler name, so that no C declaration of the program can contradict. For ILP32
//! the file needs no library: `gcc -m32 -nostdlib -static`.
//! Ends with status 1 and the line `reach_error` on stdout iff the error is reached.

mod text;
mod types;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use program::cfa::{Cfa, FunctionId, Known, Operation, VarId};
use semantics::interpreter::{self, Origin, Run};

use self::text::{Patch, apply, body};
use self::types::{result_type, scalar};

/// Functions the runtime part of the file defines.
const RUNTIME: &[&str] = &[
    "memcpy", "memmove", "memset", "memcmp", "strlen", "strcmp", "abort", "exit", "_exit", "_Exit", "malloc", "calloc",
    "realloc", "free", "alloca",
];

const RUNTIME_TEXT: &str = include_str!("runtime.c");

/// The harness of a run that reaches the error.
#[must_use]
pub fn harness(cfa: &Cfa, run: &Run) -> String {
    let values = Values::of(cfa, run);
    let mut patches = Vec::new();
    let mut prologue = String::from("/* Counterexample: built and run, this file reaches reach_error (status 1). */\n");
    // The verdict is about integers that wrap; the option need not be given.
    prologue.push_str("#pragma GCC optimize (\"wrapv\")\n");
    let mut epilogue = runtime(cfa);
    declare_helpers(&mut prologue);
    let called = called_functions(cfa);
    for id in cfa.function_ids() {
        let function = cfa.function(id);
        let replaced = match function.known {
            Some(Known::Error) => Some(" { __residue_reached_error(); }".to_owned()),
            Some(Known::Input) => Some(format!(" {{ {} }}", input_body(cfa, id))),
            _ => None,
        };
        let Some(replaced) = replaced else {
            if function.entry.is_none() && called.contains(&id) && !RUNTIME.contains(&&*function.name) {
                external(cfa, id, &mut epilogue);
            }
            continue;
        };
        match body(cfa.source.text(), function.span) {
            Some(span) => patches.push(Patch { span, text: replaced }),
            None if function.known == Some(Known::Error) => {
                define(&mut epilogue, "void", &function.name, id, "__residue_reached();")
            }
            None => {
                let body = input_body(cfa, id);
                define(&mut epilogue, &result_type(cfa, id), &function.name, id, &body);
            }
        }
    }
    values.tables(&mut epilogue);
    values.objects(cfa, &mut patches, &mut epilogue);
    start(cfa, run, &mut epilogue);
    prologue + &apply(cfa.source.text(), patches) + &epilogue
}

/// The runtime part; a function that the program defines itself loses its assembler name there.
fn runtime(cfa: &Cfa) -> String {
    let own = cfa.function_ids().map(|id| cfa.function(id)).filter(|function| function.entry.is_some());
    own.filter(|function| RUNTIME.contains(&&*function.name))
        .fold(RUNTIME_TEXT.to_owned(), |text, function| text.replace(&format!(" __asm__(\"{}\")", function.name), ""))
}

/// What a run asked values for.
struct Values {
    /// Per function without a body: what each of its calls yields.
    calls: BTreeMap<FunctionId, Vec<u128>>,
    /// Per object: the number of the declaration passed, offset, bytes and value.
    objects: BTreeMap<VarId, Vec<(usize, u64, u32, u128)>>,
}

impl Values {
    fn of(cfa: &Cfa, run: &Run) -> Self {
        let mut values = Self { calls: BTreeMap::new(), objects: BTreeMap::new() };
        let mut by_step: BTreeMap<usize, u128> = BTreeMap::new();
        for read in &run.reads {
            if matches!(read.request.origin, Origin::Input(_) | Origin::External(_)) {
                by_step.insert(read.request.step, read.value);
            }
        }
        let mut passes: BTreeMap<VarId, Vec<usize>> = BTreeMap::new();
        for (step, edge) in run.trace.iter().enumerate() {
            match &cfa.edge(*edge).operation {
                Operation::Havoc { input: callee, .. } | Operation::Call { callee, .. } if !cfa.enters(*callee) => {
                    let value = by_step.get(&step).copied().unwrap_or(0);
                    values.calls.entry(*callee).or_default().push(value);
                }
                Operation::Declare { variable } => passes.entry(*variable).or_default().push(step),
                Operation::Havoc { .. }
                | Operation::Call { .. }
                | Operation::Assume { .. }
                | Operation::Assign { .. }
                | Operation::Return { .. }
                | Operation::Blank
                | Operation::Asm(_)
                | Operation::Unsupported { .. } => {}
            }
        }
        for read in &run.reads {
            if let Origin::Object { variable: Some(variable), offset, born } = read.request.origin {
                let known = passes.get(&variable);
                let pass = known.and_then(|steps| steps.iter().position(|s| *s == born || s + 1 == born)).unwrap_or(0);
                let bytes = read.request.bits.div_ceil(8);
                values.objects.entry(variable).or_default().push((pass, offset, bytes, read.value));
            }
        }
        values
    }

    /// The tables the bodies of input functions read.
    fn tables(&self, out: &mut String) {
        for (function, values) in &self.calls {
            let numbers: Vec<String> = values.iter().map(|v| format!("0x{:x}ULL", v & u128::from(u64::MAX))).collect();
            let _ = writeln!(
                out,
                "static const __residue_u64 __residue_table{0}[] = {{{1}}};\n\
                 static unsigned long long __residue_next{0}(void) {{\n\
                   static unsigned long at;\n  \
                   return at < sizeof __residue_table{0} / sizeof *__residue_table{0} ? __residue_table{0}[at++] : 0;\n}}",
                function.0,
                numbers.join(", "),
            );
        }
    }

    /// Fills objects whose arbitrary initial value was read.
    fn objects(&self, cfa: &Cfa, patches: &mut Vec<Patch>, out: &mut String) {
        let mut rows = String::new();
        for (variable, reads) in &self.objects {
            let declared = cfa.variable(*variable);
            if declared.function.is_none()
                || declared.span.is_empty()
                || reads.iter().all(|(.., value)| *value == 0) && reads.is_empty()
            {
                continue;
            }
            let number = variable.0;
            let text = format!(", *__residue_object{number} = __residue_fill(&{}, {number})", declared.name);
            let end = program::source::Span::new(declared.span.hi, declared.span.hi);
            patches.push(Patch { span: end, text });
            for (pass, offset, bytes, value) in reads {
                let _ = writeln!(rows, "  {{{number}, {pass}, {offset}, {bytes}, 0x{:x}ULL}},", value & u128::from(u64::MAX));
            }
        }
        let most = cfa.variables.len().max(1);
        let _ = writeln!(
            out,
            "static const struct {{ unsigned object, pass, offset, bytes; __residue_u64 value; }} __residue_bytes[] = {{\n{rows}  {{0, 0, 0, 0, 0}}\n}};\n\
             void *__residue_fill(void *object, unsigned number) {{\n  \
               static unsigned passes[{most}];\n  \
               unsigned i, pass = passes[number]++;\n  \
               for (i = 0; i < sizeof __residue_bytes / sizeof *__residue_bytes; i++)\n    \
                 if (__residue_bytes[i].object == number && __residue_bytes[i].pass == pass)\n      \
                   __residue_memcpy((char *)object + __residue_bytes[i].offset, &__residue_bytes[i].value, __residue_bytes[i].bytes);\n  \
               return 0;\n}}"
        );
    }
}

fn declare_helpers(out: &mut String) {
    out.push_str("__attribute__((noreturn)) void __residue_reached_error(void);\n");
    out.push_str("void *__residue_fill(void *, unsigned);\n");
    out.push_str("unsigned long long __residue_input(unsigned);\n");
}

fn called_functions(cfa: &Cfa) -> Vec<FunctionId> {
    let mut called: Vec<FunctionId> = cfa
        .edges
        .iter()
        .filter_map(|edge| match &edge.operation {
            Operation::Call { callee, .. } => Some(*callee),
            Operation::Havoc { input, .. } => Some(*input),
            Operation::Declare { .. }
            | Operation::Assume { .. }
            | Operation::Assign { .. }
            | Operation::Return { .. }
            | Operation::Blank
            | Operation::Asm(_)
            | Operation::Unsupported { .. } => None,
        })
        .collect();
    called.extend(cfa.function_ids().filter(|f| cfa.function(*f).address_taken));
    called.sort_unstable();
    called.dedup();
    called
}

/// Takes the next value of a function; the bits of a float are copied, not converted.
fn input_body(cfa: &Cfa, function: FunctionId) -> String {
    let result = result_type(cfa, function);
    if result == "void" {
        return format!("(void)__residue_input({});", function.0);
    }
    format!(
        "unsigned long long __residue_bits = __residue_input({}); {result} __residue_value; \
         __builtin_memcpy(&__residue_value, &__residue_bits, sizeof __residue_value < 8 ? sizeof __residue_value : 8); \
         return __residue_value;",
        function.0
    )
}

/// A function without a body.
fn external(cfa: &Cfa, id: FunctionId, out: &mut String) {
    let function = cfa.function(id);
    match function.known {
        // The interpreter computed what these do, and the library of the machine does the same.
        Some(Known::Memory) if cfa.machine.word() == 8 && interpreter::is_computed(&function.name) => {}
        Some(Known::NoReturn) => define(out, "void", &function.name, id, "__residue_end(134);"),
        Some(Known::Memory) if &*function.name == "time" => {
            let _ = writeln!(
                out,
                "__RESIDUE_WEAK long __residue_call{0}(long *) __asm__(\"time\");\n\
                 __RESIDUE_WEAK long __residue_call{0}(long *to) {{ long time = (long)__residue_input({0}); if (to) *to = time; return time; }}",
                id.0
            );
        }
        _ if scalar(cfa, types::result(cfa, id)).is_some() || result_type(cfa, id) == "void" => {
            let body = input_body(cfa, id);
            define(out, &result_type(cfa, id), &function.name, id, &body);
        }
        // A struct result: the harness does without, and does not link if it is called.
        _ => {}
    }
}

/// A definition under an assembler name: it cannot contradict a declaration of the program.
fn define(out: &mut String, result: &str, name: &str, id: FunctionId, body: &str) {
    let _ = writeln!(
        out,
        "__RESIDUE_WEAK {result} __residue_call{0}(void) __asm__(\"{name}\");\n\
         __RESIDUE_WEAK {result} __residue_call{0}(void) {{ {body} }}",
        id.0
    );
}

/// The dispatcher of inputs and the start of the program.
fn start(cfa: &Cfa, run: &Run, out: &mut String) {
    let mut cases = String::new();
    let called: std::collections::BTreeSet<FunctionId> = Values::of(cfa, run).calls.keys().copied().collect();
    for id in called {
        let _ = writeln!(cases, "    case {0}: return __residue_next{0}();", id.0);
    }
    let _ = writeln!(
        out,
        "unsigned long long __residue_input(unsigned number) {{\n  switch (number) {{\n{cases}    default: return 0;\n  }}\n}}\n\
         void __residue_reached_error(void) {{ __residue_reached(); }}"
    );
    let entry = cfa.function(cfa.entry);
    let mut arguments = Vec::new();
    let mut parameters = Vec::new();
    for (at, parameter) in (0u32..).zip(&entry.parameters) {
        let ty = scalar(cfa, cfa.variable(*parameter).ty.ty).unwrap_or_else(|| "int".to_owned());
        let read = run.reads.iter().find(|read| read.request.origin == Origin::Parameter(at));
        let value = read.map_or(0, |read| read.value & u128::from(u64::MAX));
        let pointer = ty.ends_with('*');
        arguments.push(if pointer && value != 0 {
            "(void *)(__residue_heap + 4096)".to_owned()
        } else {
            format!("({ty})0x{value:x}ULL")
        });
        parameters.push(ty);
    }
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let call = format!("__residue_entry({})", arguments.join(", "));
    let _ = writeln!(out, "void __residue_entry({parameters}) __asm__(\"{}\");", entry.name);
    let main = if &*entry.name == "main" { String::new() } else { format!("int main(void) {{ {call}; return 0; }}\n") };
    let _ = writeln!(
        out,
        "{main}__attribute__((force_align_arg_pointer)) __RESIDUE_WEAK void _start(void) {{ {call}; __residue_end(0); }}"
    );
}
