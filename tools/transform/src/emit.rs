//! A program that was made from others, as C.
//!
//! Each location is a label, each edge a statement and a jump. Where control cannot go on the program aborts, and an error
//! location is behind a call of `reach_error`. Parameters of the entry function are inputs.
//! Does not know what the program asks.

#![allow(clippy::wildcard_enum_match_arm, reason = "a match looks for a few of many forms of types and variables")]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use program::cfa::{Cfa, ConstantValue, EdgeId, FunctionId, Known, LocationId, Operation, VarId, VarKind};
use program::expr::{Expr, ExprId};
use program::print::{Names, PrintError, Printer};
use program::types::{FloatKind, IntRank, QualType, Type, TypeId};

/// The error function.
const ERROR: &str = "reach_error";

/// Prints the program; `header` are the lines of its first comment.
///
/// # Errors
/// [`PrintError`] for what cannot be written down.
pub fn c_text(cfa: &mut Cfa, header: &[String]) -> Result<String, PrintError> {
    rename(cfa);
    let cfa = &*cfa;
    let names = Names::new(cfa);
    let printer = Printer::new(cfa, &names);
    let mut out = String::from("/*\n");
    for line in header {
        let _ = writeln!(out, " * {}", formats::shown::one_line(&line.replace("*/", "* /")));
    }
    out.push_str(" */\n");
    let bodies = bodies(cfa);
    let mentioned = mentioned(cfa, &bodies);
    for line in printer.types()? {
        let _ = writeln!(out, "{line}");
    }
    let wanted = cfa.function_ids().filter(|id| mentioned.contains(id) || bodies.contains(id));
    let mut declared: BTreeSet<&str> = BTreeSet::new();
    for id in wanted {
        let name = &*cfa.function(id).name;
        if declared.insert(name) {
            let _ = writeln!(out, "{}", printer.prototype(id, name).unwrap_or_default());
        }
    }
    let inputs = cfa.function(cfa.entry).parameters.iter().filter_map(|parameter| input(cfa, *parameter));
    for (name, ty) in inputs {
        if declared.insert(name) {
            let _ = writeln!(out, "extern {ty} {name}(void);");
        }
    }
    for (name, text) in [
        ("abort", "extern void abort(void) __attribute__((noreturn));"),
        (
            "__assert_fail",
            "extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));",
        ),
    ] {
        if declared.insert(name) {
            let _ = writeln!(out, "{text}");
        }
    }
    for line in printer.globals()? {
        let _ = writeln!(out, "{line}");
    }
    let _ = writeln!(out, "void {ERROR}(void) {{ __assert_fail(\"0\", \"{ERROR}\", 0, \"{ERROR}\"); }}");
    for id in &mentioned {
        let function = cfa.function(*id);
        if function.entry.is_some() && !bodies.contains(id) && *function.name != *ERROR {
            let _ = writeln!(out, "{} {{ abort(); }}", printer.header(*id, &function.name));
        }
    }
    for id in &bodies {
        body(cfa, &printer, *id, &mut out)?;
    }
    start(cfa, &printer, &mut out);
    Ok(out)
}

/// `main` is the function that calls the entry function, and the error function has the name that verifiers know.
fn rename(cfa: &mut Cfa) {
    let taken = |cfa: &Cfa, name: &str| cfa.functions.iter().any(|function| *function.name == *name);
    for name in ["main", ERROR] {
        let others: Vec<usize> = (0..cfa.functions.len())
            .filter(|at| *cfa.functions[*at].name == *name && (name == "main" || cfa.functions[*at].known != Some(Known::Error)))
            .collect();
        for at in others {
            let mut other = format!("{name}__original");
            while taken(cfa, &other) {
                other.push('_');
            }
            cfa.functions[at].name = other.into();
        }
    }
    for function in cfa.functions.iter_mut().filter(|function| function.known == Some(Known::Error)) {
        function.name = ERROR.into();
    }
}

/// The functions that a run comes to, and that have a body.
fn bodies(cfa: &Cfa) -> Vec<FunctionId> {
    let mut found = BTreeSet::new();
    let mut pending = vec![cfa.entry];
    while let Some(function) = pending.pop() {
        let is_plain = cfa.function(function).known != Some(Known::Error);
        if cfa.function(function).entry.is_some() && is_plain && found.insert(function) {
            pending.extend(edges(cfa, function).filter_map(|edge| cfa.entered_callee(edge)));
        }
    }
    found.into_iter().collect()
}

fn edges(cfa: &Cfa, function: FunctionId) -> impl Iterator<Item = EdgeId> + '_ {
    locations(cfa, function).into_iter().flat_map(|location| cfa.out_edges(location).to_vec())
}

/// The locations of a function that control may come to, its entry first.
fn locations(cfa: &Cfa, function: FunctionId) -> Vec<LocationId> {
    let mut order: Vec<LocationId> = cfa.function(function).entry.into_iter().collect();
    let mut seen: BTreeSet<LocationId> = order.iter().copied().collect();
    let mut at = 0;
    while let Some(location) = order.get(at).copied() {
        let targets = cfa.out_edges(location).iter().map(|edge| cfa.edge(*edge).target);
        order.extend(targets.filter(|target| seen.insert(*target)));
        at += 1;
    }
    order
}

/// Functions that are called, or whose address is taken.
fn mentioned(cfa: &Cfa, bodies: &[FunctionId]) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    let mut pending: Vec<ExprId> = Vec::new();
    for edge in bodies.iter().flat_map(|function| edges(cfa, *function)) {
        let operation = &cfa.edge(edge).operation;
        match operation {
            Operation::Call { callee, .. } => _ = found.insert(*callee),
            Operation::Havoc { input, .. } => _ = found.insert(*input),
            _ => {}
        }
        pending.extend(crate::pair::expressions(operation));
    }
    let mut seen = BTreeSet::new();
    while let Some(expr) = pending.pop() {
        if seen.insert(expr) {
            let known = cfa.exprs.get(expr);
            if let Expr::FunctionAddress(function) = known {
                found.insert(*function);
            }
            pending.extend(crate::pair::operands(known).into_iter().flatten());
        }
    }
    let initial = cfa.variables.iter().filter_map(|variable| variable.initializer.as_ref());
    for scalar in initial.flat_map(|initializer| &initializer.scalars) {
        if let ConstantValue::Function(function) = scalar.value {
            found.insert(function);
        }
    }
    found
}

fn body(cfa: &Cfa, printer: &Printer<'_>, id: FunctionId, out: &mut String) -> Result<(), PrintError> {
    let function = cfa.function(id);
    let _ = writeln!(out, "{}\n{{", printer.header(id, &function.name));
    for variable in cfa.variable_ids().filter(|variable| cfa.variable(*variable).function == Some(id)) {
        let known = cfa.variable(variable);
        let is_local = match known.kind {
            VarKind::Local | VarKind::Temporary(_) => true,
            VarKind::CompoundLiteral => known.initializer.is_none(),
            _ => false,
        };
        if is_local {
            let _ = writeln!(out, "  {}", printer.local(variable));
        }
    }
    for location in locations(cfa, id) {
        let _ = writeln!(out, "l{}: ;", location.index());
        let edges = cfa.out_edges(location);
        let is_choice = edges.iter().all(|edge| matches!(cfa.edge(*edge).operation, Operation::Assume { .. }));
        if edges.is_empty() {
            let is_end = function.exit == Some(location);
            let _ = writeln!(out, "  {}", if is_end { end(cfa, printer, id) } else { "abort();".to_owned() });
            continue;
        }
        if is_choice {
            for edge in edges {
                let edge = cfa.edge(*edge);
                let Operation::Assume { condition, truth } = edge.operation else { continue };
                let condition = printer.expr(condition);
                let condition = if truth { condition } else { format!("!({condition})") };
                let _ = writeln!(out, "  if ({condition}) goto l{};", edge.target.index());
            }
            out.push_str("  abort();\n");
            continue;
        }
        let [edge] = edges else { return Err(PrintError::Operation("a choice that no condition makes".into())) };
        let edge = cfa.edge(*edge);
        let statements = match &edge.operation {
            Operation::Declare { variable } => vec![printer.refresh(*variable)],
            operation => printer.operation(operation)?,
        };
        for statement in statements {
            let _ = writeln!(out, "  {statement}");
        }
        if !matches!(edge.operation, Operation::Return { .. }) {
            let _ = writeln!(out, "  goto l{};", edge.target.index());
        }
    }
    out.push_str("}\n");
    Ok(())
}

/// The end of a function without a value of its own: in C a function with a result has to return something.
fn end(cfa: &Cfa, printer: &Printer<'_>, id: FunctionId) -> String {
    let Type::Function(ty) = cfa.types.get(cfa.function(id).ty) else { return "return;".to_owned() };
    if matches!(cfa.types.get(ty.result.ty), Type::Void) {
        return "return;".to_owned();
    }
    let name = "__residue_nothing";
    format!("{{ {}; return {name}; }}", printer.declaration(QualType::plain(ty.result.ty), name))
}

/// The input that a parameter of the entry function is, with its type.
fn input(cfa: &Cfa, parameter: VarId) -> Option<(&'static str, &'static str)> {
    named(cfa, cfa.variable(parameter).ty.ty)
}

fn named(cfa: &Cfa, ty: TypeId) -> Option<(&'static str, &'static str)> {
    Some(match *cfa.types.get(ty) {
        Type::Bool => ("__VERIFIER_nondet_bool", "_Bool"),
        Type::Enum(id) => return named(cfa, cfa.types.enumeration(id).underlying),
        Type::Float(FloatKind::Float) => ("__VERIFIER_nondet_float", "float"),
        Type::Float(FloatKind::Double) => ("__VERIFIER_nondet_double", "double"),
        Type::Int { rank, signed } => match (rank, signed) {
            (IntRank::PlainChar, _) => ("__VERIFIER_nondet_char", "char"),
            (IntRank::Char, true) => ("__VERIFIER_nondet_schar", "signed char"),
            (IntRank::Char, false) => ("__VERIFIER_nondet_uchar", "unsigned char"),
            (IntRank::Short, true) => ("__VERIFIER_nondet_short", "short"),
            (IntRank::Short, false) => ("__VERIFIER_nondet_ushort", "unsigned short"),
            (IntRank::Int, true) => ("__VERIFIER_nondet_int", "int"),
            (IntRank::Int, false) => ("__VERIFIER_nondet_uint", "unsigned int"),
            (IntRank::Long, true) => ("__VERIFIER_nondet_long", "long"),
            (IntRank::Long, false) => ("__VERIFIER_nondet_ulong", "unsigned long"),
            (IntRank::LongLong, true) => ("__VERIFIER_nondet_longlong", "long long"),
            (IntRank::LongLong, false) => ("__VERIFIER_nondet_ulonglong", "unsigned long long"),
            (IntRank::Int128, _) => return None,
        },
        _ => return None,
    })
}

fn start(cfa: &Cfa, printer: &Printer<'_>, out: &mut String) {
    let entry = cfa.function(cfa.entry);
    out.push_str("int main(void)\n{\n");
    let mut given = Vec::new();
    for (number, parameter) in entry.parameters.iter().enumerate() {
        let name = format!("argument{number}");
        let value = input(cfa, *parameter).map_or_else(String::new, |(input, _)| format!(" = {input}()"));
        let _ = writeln!(out, "  {}{value};", printer.declaration(cfa.variable(*parameter).ty, &name));
        given.push(name);
    }
    let _ = writeln!(out, "  {}({});\n  return 0;\n}}", entry.name, given.join(", "));
}
