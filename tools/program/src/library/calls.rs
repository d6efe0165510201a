//! Which functions a program calls without a body although the library has one.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a few of many forms of types and expressions matter; the default is the cautious case"
)]

use std::collections::{BTreeMap, BTreeSet};

use ::formats::Property;

use super::formats::{self, Dialect};
use super::{Bodies, STREAM, Wanted, described, record};
use crate::cfa::{Cfa, Function, FunctionId, Known, Linkage, Operation, VarKind};
use crate::expr::{Expr, ExprId};
use crate::known::{self, Yield};
use crate::types::{IntRank, Type, TypeId};

/// What the bodies of a function need of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// Nothing more than its type says.
    Nothing,
    /// Those of these numbers, counted from 0, point to elements of one type that can be named.
    Elements(&'static [usize]),
    /// Those of these numbers point to characters.
    Characters(&'static [usize]),
    /// That of this number is a format whose conversions have bodies.
    Format(Dialect, usize),
}

fn need(name: &str) -> Need {
    match name {
        "memcpy" | "mempcpy" | "memmove" | "bcopy" => Need::Elements(&[0, 1]),
        "qsort" => Need::Elements(&[0]),
        "memset" | "bzero" | "memchr" | "memrchr" | "rawmemchr" => Need::Characters(&[0]),
        "memcmp" | "bcmp" | "memccpy" => Need::Characters(&[0, 1]),
        "sprintf" | "vsprintf" => Need::Format(Dialect::Print, 1),
        "snprintf" | "vsnprintf" => Need::Format(Dialect::Print, 2),
        "__sprintf_chk" => Need::Format(Dialect::Print, 3),
        "__snprintf_chk" => Need::Format(Dialect::Print, 4),
        "sscanf" | "__isoc99_sscanf" | "__isoc23_sscanf" | "vsscanf" => Need::Format(Dialect::Scan, 1),
        "scanf" | "__isoc99_scanf" | "__isoc23_scanf" => Need::Format(Dialect::Input, 0),
        "fscanf" | "__isoc99_fscanf" | "__isoc23_fscanf" => Need::Format(Dialect::Input, 1),
        "read" => Need::Characters(&[1]),
        "fread" => Need::Characters(&[0]),
        _ => Need::Nothing,
    }
}

/// The functions whose bodies the program lacks and the library has, by name.
///
/// Only functions count that the entry function may come to call.
#[must_use]
pub fn wanted(cfa: &Cfa, bodies: &Bodies) -> Vec<Wanted> {
    let missing = cfa.functions.iter().filter(|function| is_missing(function));
    let types = bodies.types(missing.map(|function| &*function.name));
    let candidates: BTreeMap<FunctionId, &str> = cfa
        .function_ids()
        .filter_map(|id| {
            let function = cfa.function(id);
            let ty = types.get(&function.name)?;
            let own = described(&cfa.types, function.ty);
            let fits =
                *ty == own || stream(cfa, function).is_some_and(|stream| *ty == own.replace(&record(stream), &record(STREAM)));
            (is_missing(function) && fits).then_some((id, &*function.name))
        })
        .collect();
    let readers = readers(cfa).into_iter().filter(|name| bodies.offered.contains_key(*name)).map(Wanted::new);
    if candidates.is_empty() {
        return readers.collect();
    }
    // What a body does not set, somebody may look at.
    let errno = cfa.edges.iter().any(|edge| match &edge.operation {
        Operation::Call { callee, .. } => &*cfa.function(*callee).name == "__errno_location",
        _ => false,
    });
    let shared = reads_input_otherwise(cfa);
    let wanted = calls(cfa, &candidates).into_iter().filter_map(|(id, calls)| {
        let name = *candidates.get(&id).filter(|name| !(errno && sets_errno(name)))?;
        if let Need::Format(Dialect::Input, format) = need(name)
            && (shared || (format > 0 && !are_of_input(cfa, id, &calls)))
        {
            return None;
        }
        let element = element(cfa, cfa.function(id), name, &calls)?;
        let stream = stream(cfa, cfa.function(id)).unwrap_or(STREAM);
        let open = has_open_format(cfa, cfa.function(id), name, &calls);
        Some(Wanted { name: name.into(), element: element.into(), stream: stream.into(), open })
    });
    let mut wanted: Vec<Wanted> = wanted.chain(readers).collect();
    wanted.sort();
    wanted
}

/// Whether accesses are checked, and a function may read texts that only its calls tell.
pub(super) fn reads_texts(cfa: &Cfa, name: &str) -> bool {
    cfa.options.property == Property::ValidDeref && known::prints_texts(name)
}

/// The bodies that read what functions without one read of their texts.
fn readers(cfa: &Cfa) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    for call in cfa.edges.iter().filter_map(|edge| edge.operation.call()) {
        let function = cfa.function(call.callee);
        if !is_missing(function) || !reads_texts(cfa, &function.name) {
            continue;
        }
        let literal = |number: usize| formats::literal(cfa, *call.arguments.get(number)?);
        let texts = known::texts(&function.name, literal, call.arguments.len(), Yield::of(call.result.is_some()));
        let read = texts.unwrap_or_default().into_iter().filter(|text| literal(text.argument).is_none());
        found.extend(read.map(|text| text.extent.reader()));
    }
    found
}

/// Whether all calls of `fscanf` read the standard input: they pass the variable of that name, which nothing writes to.
fn are_of_input(cfa: &Cfa, function: FunctionId, calls: &[&[ExprId]]) -> bool {
    let is_input = |place: ExprId| match *cfa.exprs.get(place) {
        Expr::Variable(variable) => {
            let variable = cfa.variable(variable);
            &*variable.name == "stdin" && matches!(variable.kind, VarKind::Global { defined: false, .. })
        }
        _ => false,
    };
    let is_read = |expr: ExprId| matches!(*cfa.exprs.get(expr), Expr::Load(place) if is_input(place));
    let written = cfa.edges.iter().any(|edge| match &edge.operation {
        Operation::Assign { place, .. } => is_input(*place),
        Operation::Havoc { variable, .. } | Operation::Call { result: variable, .. } => {
            variable.is_some_and(|variable| &*cfa.variable(variable).name == "stdin")
        }
        _ => false,
    });
    let named = cfa.exprs.ids().any(|expr| matches!(*cfa.exprs.get(expr), Expr::AddressOf(inner) if is_input(inner)));
    let passed = calls.iter().all(|arguments| arguments.first().is_some_and(|stream| is_read(*stream)));
    passed && !written && !named && !cfa.function(function).address_taken
}

/// Whether a program reads or moves in streams by other functions than `scanf`: what one of them leaves in the input the other
/// finds, which the bodies do not tell each other.
fn reads_input_otherwise(cfa: &Cfa) -> bool {
    let reads = |function: &Function| {
        let name = function.name.trim_end_matches("_unlocked").trim_start_matches('_');
        let name = name.strip_prefix("isoc99_").or_else(|| name.strip_prefix("isoc23_")).unwrap_or(name);
        matches!(
            name,
            "fgets"
                | "gets"
                | "fgetc"
                | "getc"
                | "getchar"
                | "ungetc"
                | "getw"
                | "getline"
                | "getdelim"
                | "IO_getc"
                | "uflow"
                | "read"
                | "fread"
                | "pread"
                | "readv"
                | "fseek"
                | "fseeko"
                | "fsetpos"
                | "rewind"
                | "freopen"
                | "fdopen"
                | "setbuf"
                | "vscanf"
                | "vfscanf"
                | "fgets_chk"
                | "fread_chk"
                | "read_chk"
                | "feof"
                | "ferror"
                | "clearerr"
                | "fflush"
                | "dup2"
                | "close"
                | "lseek"
                | "fclose"
        )
    };
    let called = cfa.edges.iter().filter_map(|edge| match &edge.operation {
        Operation::Call { callee, .. } | Operation::Havoc { input: callee, .. } => Some(*callee),
        _ => None,
    });
    let refused = cfa.refused.iter().map(|call| call.callee);
    let taken = cfa.function_ids().filter(|id| cfa.function(*id).address_taken);
    called.chain(refused).chain(taken).any(|id| is_missing(cfa.function(id)) && reads(cfa.function(id)))
}

/// Whether a function may set `errno`, which no body does.
fn sets_errno(name: &str) -> bool {
    let name = name.strip_prefix("__isoc23_").or_else(|| name.strip_prefix("__isoc99_")).unwrap_or(name);
    known::sets_errno(name)
        || name.starts_with("strto") && !name.starts_with("strtok")
        || matches!(
            name,
            "atoi"
                | "atol"
                | "atoll"
                | "scanf"
                | "fscanf"
                | "sscanf"
                | "vsscanf"
                | "read"
                | "fread"
                | "fgets"
                | "strdup"
                | "strndup"
        )
        || name.ends_with("printf")
        || name.ends_with("printf_chk")
}

/// The tag of the structure that a stream is in the program, if the function has one as a parameter.
fn stream<'a>(cfa: &'a Cfa, function: &Function) -> Option<&'a str> {
    let Type::Function(ty) = cfa.types.get(function.ty) else { return None };
    ty.parameters.iter().find_map(|parameter| match cfa.types.get(parameter.ty) {
        Type::Pointer(to) => match cfa.types.get(to.ty) {
            Type::Record(record) => cfa.types.record(*record).tag.as_deref(),
            _ => None,
        },
        _ => None,
    })
}

/// Whether a format that a function gets is no literal.
fn has_open_format(cfa: &Cfa, function: &Function, name: &str, calls: &[&[ExprId]]) -> bool {
    let Need::Format(_, number) = need(name) else { return false };
    function.address_taken || !formats::are_literals(cfa, number, calls)
}

pub(crate) fn is_missing(function: &Function) -> bool {
    function.entry.is_none() && function.linkage == Linkage::External && !matches!(function.known, Some(Known::Error))
}

/// The calls of functions by functions that the entry function may come to call: the arguments of each.
fn calls<'a>(cfa: &'a Cfa, candidates: &BTreeMap<FunctionId, &str>) -> BTreeMap<FunctionId, Vec<&'a [ExprId]>> {
    let mut callees: Vec<Vec<(FunctionId, &[ExprId])>> = vec![Vec::new(); cfa.functions.len()];
    for edge in &cfa.edges {
        let called = match &edge.operation {
            Operation::Call { callee, arguments, .. } => (*callee, arguments.as_slice()),
            Operation::Havoc { input, .. } => (*input, &[][..]),
            _ => continue,
        };
        callees[cfa.location(edge.source).function.index()].push(called);
    }
    for call in &cfa.refused {
        callees[call.caller.index()].push((call.callee, &call.arguments));
    }
    let mut found: BTreeMap<FunctionId, Vec<&[ExprId]>> = BTreeMap::new();
    let mut seen = vec![false; cfa.functions.len()];
    let mut open = vec![cfa.entry];
    while let Some(function) = open.pop() {
        if std::mem::replace(&mut seen[function.index()], true) {
            continue;
        }
        for (callee, arguments) in &callees[function.index()] {
            if candidates.contains_key(callee) {
                found.entry(*callee).or_default().push(arguments);
            } else {
                open.push(*callee);
            }
        }
    }
    found
}

/// The type of the elements that the calls of a function move, as C text; `None` if no body fits them.
fn element(cfa: &Cfa, function: &Function, name: &str, calls: &[&[ExprId]]) -> Option<String> {
    let character = || "char".to_owned();
    let numbers = match need(name) {
        Need::Nothing => return Some(character()),
        Need::Format(dialect, number) => {
            return formats::are_modelled(cfa, dialect, number, (function.address_taken, calls)).then(character);
        }
        // A call through a pointer may pass anything.
        _ if function.address_taken => return None,
        Need::Elements(numbers) | Need::Characters(numbers) => numbers,
    };
    let mut pointees = calls.iter().flat_map(|arguments| numbers.iter().map(|number| arguments.get(*number).copied()));
    let first = pointee(cfa, pointees.next()??)?;
    for argument in pointees {
        let other = pointee(cfa, argument?)?;
        if other != first && !(is_character(cfa, other) && is_character(cfa, first)) {
            return None;
        }
    }
    if is_character(cfa, first) {
        return Some(character());
    }
    if matches!(need(name), Need::Characters(_)) { None } else { named(cfa, first) }
}

/// What a pointer points to before it was converted for the call.
fn pointee(cfa: &Cfa, argument: ExprId) -> Option<TypeId> {
    let mut at = argument;
    let mut found = None;
    loop {
        if let Type::Pointer(to) = cfa.types.get(cfa.exprs.ty(at))
            && !matches!(cfa.types.get(to.ty), Type::Void)
        {
            found = Some(to.ty);
        }
        match *cfa.exprs.get(at) {
            Expr::Cast(inner) => at = inner,
            _ => return found.map(|ty| scalar_of(cfa, ty)),
        }
    }
}

/// The elements of an array of any dimensions.
fn scalar_of(cfa: &Cfa, mut ty: TypeId) -> TypeId {
    while let Type::Array { element, .. } = cfa.types.get(ty) {
        ty = element.ty;
    }
    ty
}

fn is_character(cfa: &Cfa, ty: TypeId) -> bool {
    matches!(cfa.types.get(ty), Type::Int { rank: IntRank::PlainChar | IntRank::Char, .. })
}

/// A type as C text that means the same at the end of the program.
fn named(cfa: &Cfa, ty: TypeId) -> Option<String> {
    let text = match cfa.types.get(ty) {
        Type::Int { rank, signed } => {
            let rank = match rank {
                IntRank::Short => "short",
                IntRank::Int => "int",
                IntRank::Long => "long",
                IntRank::LongLong => "long long",
                IntRank::PlainChar | IntRank::Char | IntRank::Int128 => return None,
            };
            format!("{}{rank}", if *signed { "" } else { "unsigned " })
        }
        Type::Pointer(_) => "void *".to_owned(),
        Type::Record(record) => {
            let record = cfa.types.record(*record);
            let tag = record.tag.as_deref()?;
            if !record.complete || record.size == 0 {
                return None;
            }
            format!("{} {tag}", if record.is_union { "union" } else { "struct" })
        }
        _ => return None,
    };
    Some(text)
}
