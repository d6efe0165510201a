//! The counterexample as one C file that gcc builds and that reaches the error.
//!
//! The file is the text of the program with a few pieces replaced by span: the bodies of the error function and of input
//! functions, and behind declarations of objects whose arbitrary initial value matters a call that fills them. Functions
//! and objects without a definition get one under their assembler name, so that no C declaration of the program can
//! contradict. Of several files the text is made one, see `units`. For ILP32 the file needs no library. Its first line says how it is built.
//! Ends with status 1 and the line `reach_error` on stdout iff the error is reached.

#![expect(clippy::wildcard_enum_match_arm, reason = "a record and a pointer are the types that are written in their own way")]

pub mod beside;
mod sanitizer;
pub mod text;
mod types;
mod units;
mod values;

use std::fmt::Write as _;

use formats::DataModel;
use program::cfa::{Cfa, FunctionId, Known, Operation, VarKind};
use program::known::{ALLOCATION_INPUT, DEFINED, is_assertion, is_assumption, is_gap};
use program::layout::{AlignedAs, align_of, size_of};
use program::source::Span;
use program::types::{FloatKind, Type};
use semantics::interpreter::{self, Origin, Run};

use self::text::{Patch, body, without_promises};
use self::types::{parameter_type, result, result_type};
use self::values::Values;

/// Functions the runtime part of the file defines.
const RUNTIME: &[&str] = &[
    "memcpy", "memmove", "memset", "memcmp", "strlen", "strcmp", "abort", "exit", "_exit", "_Exit", "malloc", "calloc",
    "realloc", "free", "alloca",
];

const RUNTIME_TEXT: &str = include_str!("runtime.c");

/// How the names of the harness' own begin, unless the program has such names.
const PREFIX: &str = "__residue_";
const PREFIX_OF_MACROS: &str = "__RESIDUE_";

/// Objects of the C library, which a definition would replace where it is linked.
const LIBRARY_OBJECTS: &[&str] = &[
    "stdin", "stdout", "stderr", "environ", "__environ", "optarg", "optind", "opterr", "optopt", "timezone", "tzname",
    "daylight", "program_invocation_name", "program_invocation_short_name", "signgam",
];

/// The harness of a run that reaches the error.
#[must_use]
pub fn harness(cfa: &Cfa, run: &Run) -> String {
    let values = Values::of(cfa, run);
    let mut patches = without_promises(cfa.source.text());
    let mut epilogue = String::new();
    let called = called_functions(cfa);
    for id in cfa.function_ids() {
        let function = cfa.function(id);
        if sanitizer::is_guard(function) {
            continue;
        }
        let replaced = match function.known {
            Some(Known::Error) => Some(" { __residue_reached_error(); }".to_owned()),
            Some(Known::Input) => Some(format!(" {{ {} }}", input_body(cfa, id))),
            _ => None,
        };
        let Some(replaced) = replaced else {
            if function.entry.is_none() && is_assumption(&function.name) {
                check(cfa, id, "__residue_end(134)", &mut epilogue);
            } else if function.entry.is_none() && called.contains(&id) && !RUNTIME.contains(&&*function.name) {
                external(cfa, id, &mut epilogue);
            }
            continue;
        };
        match body(cfa.source.text(), function.span) {
            Some(span) => patches.push(Patch { span, text: replaced }),
            None if function.known == Some(Known::Error) => {
                define(&mut epilogue, "void", &function.name, id, "__residue_reached();")
            }
            None => input(cfa, id, &mut epilogue),
        }
    }
    undefined_objects(cfa, run, &mut epilogue);
    values.tables(cfa, &mut epilogue);
    values.objects(cfa, &mut patches, &mut epilogue);
    start(cfa, run, &mut epilogue);
    epilogue.push_str(sanitizer::handlers(cfa));
    let own = prologue(cfa, &units::text(cfa, patches), &(runtime(cfa) + &epilogue));
    own.0 + &own.1
}

/// Functions that a compiler may call for what the program calls or what is a builtin, and which are not linked unless asked for.
const ROUNDING: &str = include_str!("rounding.c");

/// The file: how it is built, the text of the program, and what the harness adds; its names are none of the program's.
fn prologue(cfa: &Cfa, text: &str, added: &str) -> (String, String) {
    let flags = match cfa.options.data_model {
        DataModel::ILP32 => "-m32 -nostdlib -static ",
        DataModel::LP64 => "",
    };
    let sanitizer = sanitizer::flags(cfa).map(|flags| format!("{flags} ")).unwrap_or_default();
    let runs_out = has_failing_memory(cfa);
    // The sanitizer has an allocator of its own.
    let replaced = if runs_out && !sanitizer.is_empty() { "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc " } else { "" };
    let wraps = sanitizer::wraps(cfa);
    let wrapv = if wraps { "-fwrapv " } else { "" };
    let mut first = format!(
        "/* Counterexample: `gcc -std=gnu11 -w {wrapv}{sanitizer}{replaced}{flags}FILE && ./a.out` reaches reach_error (status 1). */\n"
    );
    if wraps {
        // The verdict is about integers that wrap, also where the option is forgotten.
        first.push_str("#pragma GCC optimize (\"wrapv\")\n");
    }
    if runs_out {
        first.push_str("#define __RESIDUE_MEMORY_RUNS_OUT 1\n");
    }
    // What old programs may do is an error for new compilers.
    first.push_str("#pragma GCC diagnostic ignored \"-Wpragmas\"\n");
    for warning in
        ["implicit-function-declaration", "implicit-int", "int-conversion", "incompatible-pointer-types", "return-mismatch"]
    {
        let _ = writeln!(first, "#pragma GCC diagnostic warning \"-W{warning}\"");
    }
    first.push_str("__attribute__((noreturn)) void __residue_reached_error(void);\n");
    first.push_str("void *__residue_fill(void *, unsigned);\n");
    first.push_str("void __residue_input(unsigned, void *, unsigned);\n");
    let mut last = added.to_owned();
    if has_other_main(cfa) {
        first.push_str("#define main __residue_main\n");
        last.insert_str(0, "\n#undef main\n");
    }
    // Functions of the program itself may have names such as ours.
    let source = String::from_utf8_lossy(cfa.source.text());
    let is_taken =
        |number: &u32| source.contains(&format!("__residue{number}_")) || source.contains(&format!("__RESIDUE{number}_"));
    let mut all = (first, text.to_owned() + &last);
    if source.contains(PREFIX) || source.contains(PREFIX_OF_MACROS) {
        let number = (1u32..).find(|number| !is_taken(number)).unwrap_or_default();
        // The text of the program is kept: its own names are those with another number or none.
        let rename = |text: &str| {
            let text = text.replace(PREFIX, &format!("__residue{number}_"));
            text.replace(PREFIX_OF_MACROS, &format!("__RESIDUE{number}_"))
        };
        let kept = rename_patches(text, &source, rename);
        all = (rename(&all.0), kept + &rename(&last));
    }
    all
}

/// Renames in the pieces of the patched text that are not of the program.
fn rename_patches(text: &str, source: &str, rename: impl Fn(&str) -> String) -> String {
    let mut own: Vec<&str> = source.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    own.retain(|word| word.starts_with(PREFIX) || word.starts_with(PREFIX_OF_MACROS));
    own.sort_unstable();
    own.dedup();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(is_word) {
        let end = rest[at..].find(|c| !is_word(c)).map_or(rest.len(), |length| at + length);
        let word = &rest[at..end];
        out.push_str(&rest[..at]);
        match own.binary_search(&word) {
            Ok(_) => out.push_str(word),
            Err(_) => out.push_str(&rename(word)),
        }
        rest = &rest[end..];
    }
    out + rest
}

/// Whether memory may run out where the text of the program does not say so.
fn has_failing_memory(cfa: &Cfa) -> bool {
    let asks = |function: &program::cfa::Function| *function.name == *ALLOCATION_INPUT && function.span == Span::default();
    cfa.options.caller.malloc_may_fail && cfa.functions.iter().any(asks)
}

/// Whether the program has a `main` that is not where it starts.
fn has_other_main(cfa: &Cfa) -> bool {
    &*cfa.function(cfa.entry).name != "main"
        && (cfa.functions.iter().any(|function| &*function.name == "main")
            || cfa.variables.iter().any(|variable| variable.function.is_none() && &*variable.name == "main"))
}

/// The runtime part; what the program defines itself loses its assembler name there.
fn runtime(cfa: &Cfa) -> String {
    let functions = cfa.function_ids().map(|id| cfa.function(id)).filter(|function| function.entry.is_some());
    let objects = cfa.variables.iter().filter(|variable| variable.function.is_none());
    let names = functions.map(|function| &*function.name).chain(objects.map(|variable| &*variable.name));
    let mut text = RUNTIME_TEXT.to_owned();
    if cfa.source.text().windows(5).any(|text| matches!(text, b"floor" | b"trunc" | b"round") || text.starts_with(b"ceil")) {
        text.push_str(ROUNDING);
    }
    names.fold(text, |text, name| text.replace(&format!(" __asm__(\"{name}\")"), ""))
}

/// Objects that the program declares only: bytes of their size, with the values the run read there at the start.
fn undefined_objects(cfa: &Cfa, run: &Run, out: &mut String) {
    for (number, variable) in cfa.variables.iter().enumerate() {
        let VarKind::Global { defined: false, .. } = variable.kind else { continue };
        if is_left_out(cfa, run, &variable.name) {
            continue;
        }
        // What has no size is an array of unknown length, or a struct that is declared only.
        let size = size_of(&cfa.types, cfa.machine, variable.ty.ty).unwrap_or(4096).clamp(1, 1 << 24);
        let align = align_of(&cfa.types, cfa.machine, variable.ty.ty, AlignedAs::Object).max(1);
        let mut bytes = String::new();
        for read in &run.reads {
            let Origin::Object { variable: Some(read_of), offset, .. } = read.request.origin else { continue };
            if read_of.index() == number {
                for byte in 0..u64::from(read.request.bits.div_ceil(8)).min(size.saturating_sub(offset)).min(16) {
                    let _ = write!(bytes, "[{}] = {}, ", offset + byte, read.value >> (8 * byte) & 0xff);
                }
            }
        }
        let (thread, name) = (if variable.thread_local { "__thread " } else { "" }, &variable.name);
        let is_library = LIBRARY_OBJECTS.contains(&&**name);
        if is_library {
            out.push_str("#if defined(__i386__)\n");
        }
        let declared = format!("{thread}unsigned char __residue_object_bytes{number}[{size}]");
        let _ = writeln!(
            out,
            "extern {declared} __asm__(\"{name}\") __attribute__((weak, aligned({align})));\n{declared} = {{{bytes}0}};"
        );
        if is_library {
            out.push_str("#endif\n");
        }
    }
}

/// Whether an object stays without a definition: a weak one that the run found to have none, and what says whether it has one.
fn is_left_out(cfa: &Cfa, run: &Run, name: &str) -> bool {
    if name.starts_with(DEFINED) {
        return true;
    }
    let question = cfa.variables.iter().position(|variable| variable.name.strip_prefix(DEFINED) == Some(name));
    let Some(question) = question else { return false };
    run.reads.iter().any(|read| match read.request.origin {
        Origin::Object { variable: Some(variable), .. } => variable.index() == question && read.value == 0,
        _ => false,
    })
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
    called.extend(cfa.function_ids().filter(|f| cfa.function(*f).address_taken || is_gap(&cfa.function(*f).name)));
    called.sort_unstable();
    called.dedup();
    called
}

/// Takes the next value of a function; the bits of a float are copied, not converted.
fn input_body(cfa: &Cfa, function: FunctionId) -> String {
    let result = result_type(cfa, function);
    if result == "void" {
        return match cfa.types.get(types::result(cfa, function)) {
            // The program's own body, whose result type has a name of the program's.
            Type::Record(_) => {
                let size = size_of(&cfa.types, cfa.machine, types::result(cfa, function)).unwrap_or(1);
                let name = &cfa.function(function).name;
                format!(
                    "static __typeof__({name}({})) __residue_value; __residue_input({}, &__residue_value, {size}); \
                     return __residue_value;",
                    types::arguments(cfa, function),
                    function.0
                )
            }
            _ => format!("__residue_input({}, 0, 0);", function.0),
        };
    }
    let boolean = if result == "_Bool" { "__residue_value = __residue_bits & 1;" } else { "" };
    if boolean.is_empty() {
        format!(
            "{result} __residue_value; __residue_input({}, &__residue_value, sizeof __residue_value); return __residue_value;",
            function.0
        )
    } else {
        format!(
            "_Bool __residue_value; unsigned char __residue_bits; __residue_input({}, &__residue_bits, 1); {boolean} \
             return __residue_value;",
            function.0
        )
    }
}

/// A function without a body.
fn external(cfa: &Cfa, id: FunctionId, out: &mut String) {
    let function = cfa.function(id);
    match function.known {
        _ if is_assertion(&function.name) => {
            let error = match cfa.options.property {
                formats::Property::Assert => "__residue_reached()",
                _ => "__residue_end(134)",
            };
            check(cfa, id, error, out);
        }
        // The interpreter computed what these do, and the library of the machine does the same.
        Some(Known::Memory) if cfa.machine.word() == 8 && interpreter::is_computed(&function.name) => {}
        // No run that was followed comes there. Names of the harness that begin alike are changed where the program has such.
        _ if is_gap(&function.name) => {
            let name = function.name.replacen("__residue", "__res\" \"idue", 1);
            define(out, "void", &name, id, "__residue_end(134);");
        }
        Some(Known::NoReturn) => define(out, "void", &function.name, id, "__residue_end(134);"),
        Some(Known::Memory) if &*function.name == "time" => {
            let _ = writeln!(
                out,
                "__RESIDUE_WEAK long __residue_call{0}(long *) __asm__(\"time\");\n\
                 __RESIDUE_WEAK long __residue_call{0}(long *to) {{ long time; __residue_input({0}, &time, sizeof time); if (to) *to = time; return time; }}",
                id.0
            );
        }
        _ => input(cfa, id, out),
    }
}

/// A function that yields what the run got from it.
fn input(cfa: &Cfa, id: FunctionId, out: &mut String) {
    let (name, ty) = (&cfa.function(id).name, result_type(cfa, id));
    let is_record = matches!(cfa.types.get(result(cfa, id)), Type::Record(_));
    if !is_record {
        define(out, &ty, name, id, &input_body(cfa, id));
        return;
    }
    // The type may have no name that could be written here.
    let _ = writeln!(out, "typedef __typeof__({name}({})) __residue_result{};", types::arguments(cfa, id), id.0);
    let body = format!("static __residue_result{0} value; __residue_input({0}, &value, sizeof value); return value;", id.0);
    define(out, &format!("__residue_result{}", id.0), name, id, &body);
}

/// A function without a body that goes on only if its argument is not 0.
fn check(cfa: &Cfa, id: FunctionId, otherwise: &str, out: &mut String) {
    let (name, ty) = (&cfa.function(id).name, parameter_type(cfa, id));
    let _ = writeln!(
        out,
        "__RESIDUE_WEAK void __residue_call{0}({ty}) __asm__(\"{name}\");\n\
         __RESIDUE_WEAK void __residue_call{0}({ty} holds) {{ if (!holds) {otherwise}; }}",
        id.0
    );
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

/// The start of the program.
fn start(cfa: &Cfa, run: &Run, out: &mut String) {
    let _ = writeln!(out, "void __residue_reached_error(void) {{ __residue_reached(); }}");
    let entry = cfa.function(cfa.entry);
    // Behind a list of names (K&R) a `float` is passed as a `double`.
    let is_promoted = matches!(cfa.types.get(entry.ty), Type::Function(ty) if ty.unprototyped);
    let mut arguments = Vec::new();
    let mut parameters = Vec::new();
    for (at, parameter) in (0u32..).zip(&entry.parameters) {
        let declared = cfa.variable(*parameter).ty.ty;
        let bytes = values::of_parameter(run, at, *parameter);
        let ty = types::writable(cfa, declared);
        arguments.push(match cfa.types.get(declared) {
            Type::Pointer(_) if bytes.values().any(|byte| *byte != 0) => "(void *)(__residue_heap + 4096)".to_owned(),
            _ => {
                let size = size_of(&cfa.types, cfa.machine, declared).unwrap_or(1).max(1);
                let _ = writeln!(
                    out,
                    "static const unsigned char __residue_parameter{at}[{size}] __attribute__((aligned(16))) = {};",
                    values::row(&bytes, size).trim()
                );
                format!("*(const {ty} *)__residue_parameter{at}")
            }
        });
        let is_float = matches!(cfa.types.get(declared), Type::Float(FloatKind::Float));
        parameters.push(if is_promoted && is_float { "double".to_owned() } else { ty });
    }
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let call = format!("__residue_entry({})", arguments.join(", "));
    let is_main = &*entry.name == "main";
    let _ = writeln!(out, "void __residue_entry({parameters}) __asm__(\"{}\");", entry.name);
    if entry.linkage == program::cfa::Linkage::Internal {
        // A static function has a symbol only if it is used as what it is.
        let _ = writeln!(out, "void *volatile __residue_keep = (void *){};", entry.name);
    }
    let main = match is_main {
        false => format!("int main(void) {{ {call}; return 0; }}\n"),
        true if arguments.is_empty() => String::new(),
        // What starts a program of the C library passes arguments of its own: it must not come to it.
        true => format!(
            "__attribute__((constructor, used)) static void __residue_begin(void) {{ {call}; __residue_leave(); __residue_end(0); }}\n"
        ),
    };
    let _ = writeln!(
        out,
        "{main}__attribute__((force_align_arg_pointer)) __RESIDUE_WEAK void _start(void) {{ {call}; __residue_leave(); __residue_end(0); }}"
    );
}
