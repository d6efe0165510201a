//! Two versions of a program on the inputs that tell them apart, as one C file that gcc builds.
//!
//! Each version is there with names of its own, down to those the linker sees, and runs in a process of its own; what it shows
//! is compared line by line. Inputs are those that each version's run read.
//! Does not know which runs differ: whoever calls has seen it.

#![expect(clippy::wildcard_enum_match_arm, reason = "a few types have a value that can be shown")]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use formats::DataModel;
use program::cfa::{Cfa, FunctionId, Known, VarId, Variable};
use program::known::{ALLOCATION_INPUT, is_assumption};
use program::source::Span;
use program::types::{ArrayLength, FloatKind, FunctionType, Type, TypeId};
use semantics::interpreter::Run;

use super::text::{Patch, body, without_promises};
use super::types::{result, result_type, scalar, writable};
use super::values::{self, Values};
use super::{called_functions, check, external, has_failing_memory, input_body, sanitizer, undefined_objects, units};

const RUNTIME: &str = include_str!("beside.c");
/// Functions that the C library of the machine does, as the run did; of the second line nothing is left but operations.
const GIVEN: &[&str] = &[
    "exit", "_exit", "_Exit", "quick_exit", "atexit", "at_quick_exit", "on_exit", "alloca", "abs", "labs", "llabs", "div",
    "ldiv", "lldiv", "imaxdiv",
];
/// What yields null where the run's memory ran out, with the parameters, and the call of what the machine has.
const FAILING: &[(&str, &str, &str)] = &[
    ("malloc", "__residue_size n", "__builtin_malloc(n)"),
    ("calloc", "__residue_size n, __residue_size m", "__builtin_calloc(n, m)"),
    ("realloc", "void *old, __residue_size n", "__builtin_realloc(old, n)"),
];
/// Objects of the C library.
const STREAMS: &[&str] = &["stdin", "stdout", "stderr", "environ", "__environ"];
/// Scalars of one version that are shown.
const MOST: usize = 4096;

/// One of the versions.
#[derive(Debug)]
pub struct Version<'a> {
    /// The program.
    pub cfa: &'a Cfa,
    /// The run, and the program it is a run of, whose functions and variables have the same numbers.
    pub run: (&'a Cfa, &'a Run),
    /// Variables that are seen at the end, the same ones in both versions.
    pub places: Vec<VarId>,
    /// Functions without a body whose calls are seen.
    pub events: BTreeSet<FunctionId>,
}

/// What is shown, and how the versions are built.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// The result of the entry function is seen.
    pub returned: bool,
    /// Signed arithmetic wraps.
    pub wraps: bool,
    /// What one version does that has no meaning is an access to memory.
    pub memory: bool,
}

/// The command that builds the file.
#[must_use]
pub fn command(model: DataModel, manner: Manner, file: &str) -> String {
    let word = if model == DataModel::ILP32 { " -m32" } else { "" };
    let wraps = if manner.wraps { " -fwrapv" } else { "" };
    let memory = if manner.memory { ",address" } else { "" };
    format!(
        "gcc -std=gnu11 -w -O0{word}{wraps} -fsanitize=undefined,float-cast-overflow{memory} -fno-sanitize=alignment \
         -fsanitize-undefined-trap-on-error {file} -lm"
    )
}

/// The file; nothing if the text of a version cannot be read again.
#[must_use]
pub fn beside(versions: [&Version<'_>; 2], manner: Manner) -> Option<String> {
    let command = command(versions[0].cfa.options.data_model, manner, "FILE");
    let mut out = format!(
        "/* Both versions on the inputs that tell them apart: `{command} && ./a.out` prints what each does\n   \
         and the first difference; status 0 if there is one, 1 if there is none. */\n"
    );
    out.push_str("#pragma GCC diagnostic ignored \"-Wpragmas\"\n");
    for warning in
        ["implicit-function-declaration", "implicit-int", "int-conversion", "incompatible-pointer-types", "return-mismatch"]
    {
        let _ = writeln!(out, "#pragma GCC diagnostic warning \"-W{warning}\"");
    }
    out.push_str(
        "void __both_say(const char *, ...);\nvoid __both_integer(const char *, long long);\nvoid __both_real(double);\n\
         void __both_text(const void *);\nvoid __both_format(const char *, __builtin_va_list);\n\
         __attribute__((noreturn)) void __both_abort(void);\n__attribute__((noreturn)) void __both_stop(void);\n\
         typedef __SIZE_TYPE__ __residue_size;\n#define __RESIDUE_WEAK __attribute__((weak, unused))\n\
         #define __builtin_trap __both_abort\n#define __builtin_abort __both_abort\n",
    );
    for (version, name) in versions.into_iter().zip(["original", "modified"]) {
        let _ = writeln!(out, "\n/* ---- {name} {:-<1$} */", "", 100 - name.len());
        out.push_str(&of_version(version, name, manner)?);
    }
    out.push_str("#undef __builtin_trap\n#undef __builtin_abort\n#pragma pack()\n");
    out.push_str(RUNTIME);
    Some(out)
}

fn of_version(version: &Version<'_>, name: &str, manner: Manner) -> Option<String> {
    let cfa = version.cfa;
    let values = Values::of(version.run.0, version.run.1);
    let mut units = vec![String::new(); cfa.source.units().len().max(1)];
    let (mut patches, mut behind) = (without_promises(cfa.source.text()), String::new());
    let called = called_functions(cfa);
    for id in cfa.function_ids() {
        if called.contains(&id) {
            stub(version, id, (&mut units, &mut behind));
        } else if cfa.function(id).entry.is_none() && is_assumption(&cfa.function(id).name) {
            // No operation calls it.
            check(cfa, id, "__residue_end(134)", &mut behind);
        }
    }
    for id in cfa.function_ids() {
        let function = cfa.function(id);
        let replaced = match function.known {
            _ if sanitizer::is_guard(function) => continue,
            Some(Known::Error) => " { __both_abort(); }".to_owned(),
            Some(Known::Input) => format!(" {{ {} }}", input_body(cfa, id)),
            _ => continue,
        };
        patches.extend(body(cfa.source.text(), function.span).map(|span| Patch { span, text: replaced }));
    }
    values.objects(version.run.0, zeroed(cfa, &mut patches), &mut behind);
    undefined_objects(cfa, version.run.1, &mut behind);
    values.tables(version.run.0, &mut behind);
    behind.push_str("void __residue_reached_error(void) { __both_abort(); }\n");
    seen(version, &mut units, &mut behind);
    start(version, manner, &mut units, &mut patches)?;
    let own = |text: &str| own_names(text, name);
    let mut ahead = "void *__residue_fill(void *, unsigned);\nvoid __residue_input(unsigned, void *, unsigned);\n\
                     void __residue_seen(void);\n__attribute__((noreturn)) void __residue_reached_error(void);\n"
        .to_owned();
    ahead.push_str("#define __residue_end(status) __both_stop()\n#define __residue_reached() __both_abort()\n");
    patches.iter_mut().for_each(|patch| patch.text = own(&patch.text));
    let units: Vec<String> = units.iter().map(|unit| own(unit)).collect();
    let is_given = |name: &str| is_given(cfa, name);
    let text = units::apart(cfa, (patches, &units), name, &is_given)?;
    Some(own(&ahead) + &text.replace("__residue_reached_error()", "__both_abort()") + &own(&behind))
}

/// Our own names as those of one version: those of C and those of the linker.
fn own_names(text: &str, version: &str) -> String {
    let text = text.replace("__residue_", &format!("__residue_{version}_"));
    let mut pieces = text.split("__asm__(\"");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (linked, rest) = piece.split_once("\")").unwrap_or((piece, ""));
        let _ = write!(out, "__asm__(\"{linked}__{version}\"){rest}");
    }
    // The size of a type is one thing for all.
    out.replace(&format!("__residue_{version}_size"), "__residue_size")
}

/// What the machine has under that name.
fn is_given(cfa: &Cfa, name: &str) -> bool {
    if failing(cfa, name).is_some() {
        return false;
    }
    if STREAMS.contains(&name) {
        return !cfa.variables.iter().any(|variable| *variable.name == *name && is_defined(variable));
    }
    let known = cfa.functions.iter().find(|function| *function.name == *name && function.entry.is_none());
    known.is_some_and(|function| {
        let is_modelled = matches!(function.known, Some(Known::Allocate | Known::Free | Known::Memory));
        // The run computed what these do, and others it took for inputs.
        let is_computed = function.known != Some(Known::Memory) || semantics::interpreter::is_computed(name);
        let is_real = function.known == Some(Known::Pure) && semantics::interpreter::is_real(name);
        is_modelled && is_computed || is_real || GIVEN.contains(&name)
    })
}

/// The parameters of a function whose memory may have run out, and the call of what the machine has.
fn failing(cfa: &Cfa, name: &str) -> Option<(&'static str, &'static str)> {
    let (_, parameters, given) = FAILING.iter().find(|(failing, ..)| *failing == name)?;
    let has_body = |function: &program::cfa::Function| *function.name == *name && function.entry.is_some();
    (has_failing_memory(cfa) && !cfa.functions.iter().any(has_body)).then_some((parameters, given))
}

/// A function that asks an input whether there is memory.
fn define_failing(behind: &mut String, cfa: &Cfa, (name, id): (&str, FunctionId), (parameters, given): (&str, &str)) {
    let Some(input) = cfa.function_ids().find(|id| *cfa.function(*id).name == *ALLOCATION_INPUT) else { return };
    let asked = format!("__residue_call{}", input.0);
    let _ = writeln!(behind, "__RESIDUE_WEAK signed int {asked}(void) __asm__(\"{ALLOCATION_INPUT}\");");
    define(behind, "void *", (name, id), parameters, &format!("return {asked}() < 0 ? 0 : {given};"));
}

fn is_defined(variable: &Variable) -> bool {
    matches!(variable.kind, program::cfa::VarKind::Global { defined: true, .. })
}

/// The number of the unit that a place is in.
fn unit_of(cfa: &Cfa, span: Span) -> usize {
    cfa.source.units().iter().position(|unit| unit.span.contains(span)).unwrap_or_default()
}

/// A function without a body that the program calls.
fn stub(version: &Version<'_>, id: FunctionId, (units, behind): (&mut [String], &mut String)) {
    let cfa = version.cfa;
    let function = cfa.function(id);
    let name = &*function.name;
    if function.entry.is_some() || sanitizer::is_guard(function) || is_given(cfa, name) || name.starts_with("__builtin_") {
        return;
    }
    if let Some(failing) = failing(cfa, name) {
        return define_failing(behind, cfa, (name, id), failing);
    }
    let is_record = matches!(cfa.types.get(result(cfa, id)), Type::Record(_));
    let is_event = version.events.contains(&id);
    let ends = function.known == Some(Known::NoReturn);
    if function.known == Some(Known::Error) && body(cfa.source.text(), function.span).is_none() || ends && !is_event {
        define(behind, "void", (name, id), "void", "__both_abort();");
    } else if is_assumption(name) || !is_event || is_record {
        let mut text = String::new();
        external(cfa, id, &mut text);
        if is_record { units[unit_of(cfa, function.span)].push_str(&text) } else { behind.push_str(&text) }
    } else {
        let (parameters, said) = event(cfa, id);
        let then = if ends { "__both_abort();".to_owned() } else { input_body(cfa, id) };
        define(behind, &result_type(cfa, id), (name, id), &parameters, &format!("{said}{then}"));
    }
}

fn define(out: &mut String, result: &str, (name, id): (&str, FunctionId), parameters: &str, body: &str) {
    let _ = writeln!(
        out,
        "__RESIDUE_WEAK {result} __residue_call{0}({parameters}) __asm__(\"{name}\");\n\
         __RESIDUE_WEAK {result} __residue_call{0}({parameters}) {{ {body} }}",
        id.0
    );
}

/// The parameters of a function whose calls are seen, and statements that say what it is called with.
fn event(cfa: &Cfa, id: FunctionId) -> (String, String) {
    let function = cfa.function(id);
    let none = (String::from("void"), format!("__both_say(\"{}()\\n\");", function.name));
    let Type::Function(FunctionType { parameters, variadic, unprototyped: false, .. }) = cfa.types.get(function.ty) else {
        return none;
    };
    let types: Option<Vec<String>> = parameters.iter().map(|parameter| scalar(cfa, parameter.ty)).collect();
    let Some(types) = types.filter(|types| !types.is_empty()) else { return none };
    let mut said = format!("__both_say(\"{}(\");", function.name);
    let mut declared = Vec::new();
    for (number, (parameter, ty)) in parameters.iter().zip(&types).enumerate() {
        if number > 0 {
            said.push_str("__both_say(\", \");");
        }
        let _ = write!(said, "{}", shown(cfa, &format!("__residue_argument{number}"), parameter.ty));
        declared.push(format!("{ty} __residue_argument{number}"));
    }
    said.push_str("__both_say(\")\");");
    let last = parameters.len() - 1;
    let is_text = |ty: TypeId| matches!(cfa.types.get(ty), Type::Pointer(to) if matches!(cfa.types.get(to.ty), Type::Int { .. }));
    if *variadic {
        if program::known::is_output(&function.name) && is_text(parameters[last].ty) {
            let _ = write!(
                said,
                "__builtin_va_list __residue_list; __builtin_va_start(__residue_list, __residue_argument{last}); \
                 __both_format(__residue_argument{last}, __residue_list); __builtin_va_end(__residue_list);"
            );
        }
        declared.push("...".to_owned());
    }
    said.push_str("__both_say(\"\\n\");");
    (declared.join(", "), said)
}

/// A statement that shows a scalar; nothing for other types.
fn shown(cfa: &Cfa, value: &str, ty: TypeId) -> String {
    match cfa.types.get(ty) {
        Type::Int { signed: true, .. } => format!("__both_integer(\"%lld\", (long long)({value}));"),
        Type::Bool | Type::Int { .. } => format!("__both_integer(\"%llu\", (long long)({value}));"),
        Type::Enum(id) => shown(cfa, value, cfa.types.enumeration(*id).underlying),
        Type::Float(FloatKind::Float | FloatKind::Double) => format!("__both_real({value});"),
        Type::Pointer(_) => format!("__both_text((const void *)({value}));"),
        _ => String::new(),
    }
}

/// A statement that shows a scalar that is left behind: of a pointer only whether it is null.
fn left(cfa: &Cfa, value: &str, ty: TypeId) -> Option<String> {
    match cfa.types.get(ty) {
        Type::Pointer(_) => Some(format!("__both_say(({value}) ? \"not null\" : \"null\");")),
        Type::Bool | Type::Int { .. } | Type::Enum(_) | Type::Float(FloatKind::Float | FloatKind::Double) => {
            Some(shown(cfa, value, ty))
        }
        _ => None,
    }
}

/// A line for each scalar of a place.
fn lines(cfa: &Cfa, place: &str, ty: TypeId, (out, count): (&mut String, &mut usize)) {
    if *count >= MOST {
        return;
    }
    if let Some(text) = left(cfa, place, ty) {
        *count += 1;
        let _ = write!(out, " __both_say(\"%s = \", \"{place}\"); {text} __both_say(\"\\n\");");
        return;
    }
    match cfa.types.get(ty) {
        Type::Record(id) if !cfa.types.record(*id).is_union => {
            for field in cfa.types.record(*id).fields.iter().filter(|field| field.bits.is_none()) {
                let inner = field.name.as_ref().map_or_else(|| place.to_owned(), |name| format!("{place}.{name}"));
                stacker::maybe_grow(64 << 10, 1 << 20, || lines(cfa, &inner, field.ty.ty, (out, count)));
            }
        }
        Type::Array { element, length: ArrayLength::Constant(length) } => {
            for index in 0..(*length).min(MOST as u64) {
                stacker::maybe_grow(64 << 10, 1 << 20, || lines(cfa, &format!("{place}[{index}]"), element.ty, (out, count)));
            }
        }
        _ => {}
    }
}

/// The function that says what is in the variables that are seen at the end.
fn seen(version: &Version<'_>, units: &mut [String], behind: &mut String) {
    let (cfa, mut count, mut calls) = (version.cfa, 0, String::new());
    for id in version.places.iter().filter(|id| !cfa.variable(**id).is_automatic()) {
        let variable = cfa.variable(*id);
        let mut text = String::new();
        lines(cfa, &variable.name, variable.ty.ty, (&mut text, &mut count));
        let number = id.0;
        let _ = writeln!(units[unit_of(cfa, variable.span)], "\nvoid __residue_seen{number}(void) {{{text} }}");
        let _ = write!(calls, " __residue_seen{number}();");
    }
    let _ = writeln!(behind, "void __residue_seen(void) {{{calls} }}");
}

/// Objects that were made for the entry function start with zeros where nothing else is said.
fn zeroed<'p>(cfa: &Cfa, patches: &'p mut Vec<Patch>) -> &'p mut Vec<Patch> {
    for id in cfa.variable_ids() {
        let variable = cfa.variable(id);
        let is_made = variable.function == Some(cfa.entry) && variable.name.starts_with("__made_");
        let is_object = is_made && !variable.name.starts_with("__made_type_") && !variable.span.is_empty();
        if is_object && !cfa.source.slice(variable.span).contains(&b'=') {
            let (name, number) = (&variable.name, id.0);
            let text = format!(", *__residue_zero{number} = __builtin_memset((void *)&{name}, 0, sizeof {name})");
            patches.push(Patch { span: Span::new(variable.span.hi, variable.span.hi), text });
        }
    }
    patches
}

/// What calls the entry function.
fn start(version: &Version<'_>, manner: Manner, units: &mut [String], patches: &mut Vec<Patch>) -> Option<()> {
    let cfa = version.cfa;
    let entry = cfa.function(cfa.entry);
    let mut given = Vec::new();
    let mut out = String::new();
    let own = version.run.0.function(version.run.0.entry);
    for (at, (parameter, read)) in (0u32..).zip(entry.parameters.iter().zip(&own.parameters)) {
        let declared = cfa.variable(*parameter).ty.ty;
        let bytes = values::of_parameter(version.run.1, at, *read);
        let size = program::layout::size_of(&cfa.types, cfa.machine, declared).unwrap_or(1).max(1);
        let _ = writeln!(
            out,
            "\nstatic const unsigned char __residue_parameter{at}[{size}] __attribute__((aligned(16))) = {};",
            values::row(&bytes, size).trim()
        );
        given.push(match cfa.types.get(declared) {
            Type::Pointer(_) if bytes.values().any(|byte| *byte != 0) => {
                let _ = writeln!(out, "static char __residue_block{at}[8192] __attribute__((aligned(16)));");
                format!("(void *)(__residue_block{at} + 4096)")
            }
            _ => format!("*(const {} *)__residue_parameter{at}", writable(cfa, declared)),
        });
    }
    let called = format!("{}({})", entry.name, given.join(", "));
    let unit = unit_of(cfa, entry.span);
    if *entry.name == *cfa.options.entry {
        let text = format!("{} __residue_seen();", ended(cfa, cfa.entry, &called, manner));
        let _ = writeln!(out, "\nvoid __residue_start(void) {{ {text} }}");
    } else {
        // The last statement of the caller that was made is the call.
        let real = cfa.function_ids().find(|id| *cfa.function(*id).name == *cfa.options.entry)?;
        let text = cfa.source.snippet(entry.span).into_owned();
        let start = text.rfind(&format!("\n  {}(", cfa.options.entry))?;
        let length = text[start..].rfind(");")? + 1;
        let call = text[start..start + length].trim().to_owned();
        let offset = |at: usize| u32::try_from(at).ok().map(|at| entry.span.lo + at);
        let span = Span::new(offset(start)?, offset(start + length + 1)?);
        let (mut said, mut count) = (String::new(), 0);
        for id in version.places.iter().filter(|id| cfa.variable(**id).is_automatic()) {
            let variable = cfa.variable(*id);
            if !variable.name.starts_with("__made_type_") {
                lines(cfa, &variable.name, variable.ty.ty, (&mut said, &mut count));
            }
        }
        let text = format!(" {{ {}{said} __residue_seen(); }}", ended(cfa, real, &call, manner));
        patches.push(Patch { span, text });
        let _ = writeln!(out, "\nvoid __residue_start(void) {{ {called}; }}");
    }
    units[unit].push_str(&out);
    Some(())
}

/// A call of the entry function, and what is said when it is over.
fn ended(cfa: &Cfa, entry: FunctionId, call: &str, manner: Manner) -> String {
    let shown = if manner.returned { left(cfa, "__residue_value", result(cfa, entry)) } else { None };
    match shown {
        Some(shown) => {
            format!("__typeof__({call}) __residue_value = {call}; __both_say(\"returns \"); {shown} __both_say(\"\\n\");")
        }
        None => format!("{call}; __both_say(\"returns\\n\");"),
    }
}
