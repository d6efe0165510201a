//! What the printer prints builds the same operations again: a program nothing of which is covered is reduced, read again,
//! and both automata are walked in lockstep.

#![allow(clippy::unwrap_used, clippy::panic, clippy::wildcard_enum_match_arm, reason = "a test stops at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use formats::{Condition, DataModel, Producer, ProgramOptions, Property, Provenance, StateKind};
use program::cfa::{Cfa, EdgeId, FunctionId, Known, LocationId, Operation, VarKind};
use program::expr::{Expr, ExprId};
use program::print::{Names, Printer};
use program::source::SourceFile;
use reduce::{Config, Fold, Style, reduce};
use semantics::cursor::ConditionCursor;

fn options(data_model: DataModel) -> ProgramOptions {
    ProgramOptions { data_model, ..ProgramOptions::default() }
}

fn load(text: &str, options: &ProgramOptions) -> Cfa {
    let source = SourceFile::new("program.c", text.to_owned());
    program::load_source(source, options).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// A condition that covers nothing.
fn uncovered(cfa: &Cfa) -> ConditionCursor {
    let program = cfa.program_file("program.c");
    let provenance = Provenance {
        producer: Producer::new("test", "0"),
        original: program.clone(),
        modified: program,
        options: cfa.options.clone(),
        degraded: None,
    };
    let states = vec![StateKind::Indicator];
    let condition = Condition::new(Producer::new("test", "0"), provenance, states, &[], &BTreeMap::new()).unwrap();
    ConditionCursor::new(condition, "condition", cfa).unwrap()
}

/// What happens next at a location, past everything without effect.
#[derive(Debug)]
enum Next {
    Stop,
    Operation(String, EdgeId),
    Branch(String, LocationId, LocationId),
}

fn next(cfa: &Cfa, settled: &[LocationId], printer: &Printer<'_>, start: LocationId) -> Next {
    let mut at = start;
    let mut zero: Option<(String, String)> = None;
    for _ in 0..cfa.locations.len() {
        let edges = cfa.out_edges(at);
        let Some(&edge) = edges.first() else { return Next::Stop };
        let operation = &cfa.edge(edge).operation;
        let text = printer.operation(operation).unwrap().join(" ");
        match operation {
            Operation::Assume { condition, truth } => {
                let (a, b) = (cfa.edge(edge).target, edges.get(1).map_or(LocationId(u32::MAX), |e| cfa.edge(*e).target));
                let (then, otherwise) = if *truth { (a, b) } else { (b, a) };
                if settled[at.index()] == at {
                    return Next::Branch(printer.expr(*condition), then, otherwise);
                }
                at = settled[at.index()];
            }
            Operation::Call { callee, .. } if cfa.function(*callee).known == Some(Known::NoReturn) => return Next::Stop,
            Operation::Blank | Operation::Declare { .. } => at = cfa.edge(edge).target,
            Operation::Assign { .. } if text.contains("= __fresh") => at = cfa.edge(edge).target,
            // `x = (T){}` is a literal first.
            Operation::Assign { place, value } if is_zero_literal(cfa, *place, *value) => {
                zero = text.strip_suffix(';').and_then(|t| t.split_once(" = ")).map(|(a, b)| (a.to_owned(), b.to_owned()));
                at = cfa.edge(edge).target;
            }
            _ => {
                let text = zero.map_or(text.clone(), |(name, value)| text.replace(&name, &value));
                return Next::Operation(text, edge);
            }
        }
    }
    Next::Stop
}

/// For each location the one behind blanks, and behind branches both ways of which lead to the same place.
fn settled(cfa: &Cfa) -> Vec<LocationId> {
    let mut result: Vec<LocationId> = cfa.location_ids().collect();
    let blank = |edge: &EdgeId| matches!(cfa.edge(*edge).operation, Operation::Blank | Operation::Assume { .. });
    let mut changed = true;
    while changed {
        changed = false;
        for at in cfa.location_ids() {
            let edges = cfa.out_edges(at);
            if edges.is_empty() || !edges.iter().all(blank) {
                continue;
            }
            let ends: BTreeSet<_> = edges.iter().map(|edge| result[cfa.edge(*edge).target.index()]).collect();
            let end = *ends.first().unwrap();
            if ends.len() == 1 && result[at.index()] == at && end != at {
                result[at.index()] = end;
                changed = true;
            }
        }
        for at in 0..result.len() {
            result[at] = result[result[at].index()];
        }
    }
    result
}

fn is_zero_literal(cfa: &Cfa, place: ExprId, value: ExprId) -> bool {
    let Expr::Variable(variable) = *cfa.exprs.get(place) else { return false };
    cfa.variable(variable).kind == VarKind::CompoundLiteral && *cfa.exprs.get(value) == Expr::Zero
}

/// Every location reachable together in both automata does the same.
fn compare(first: &Cfa, second: &Cfa) -> Result<usize, String> {
    let (a, b) = (Names::new(first), Names::new(second));
    let (a, b) = (Printer::new(first, &a), Printer::new(second, &b));
    let (settled_first, settled_second) = (settled(first), settled(second));
    let mut seen = BTreeSet::new();
    for function in &second.functions {
        let Some(entry) = function.entry.filter(|_| function.known != Some(Known::Error)) else { continue };
        let Some(same) = first.functions.iter().find(|f| f.name == function.name && f.entry.is_some()) else {
            return Err(format!("function {} is new", function.name));
        };
        if let Next::Stop = next(second, &settled_second, &b, entry) {
            // Its address is taken, but no path enters it.
            continue;
        }
        let mut work = vec![(same.entry.unwrap(), entry)];
        while let Some((x, y)) = work.pop() {
            if !seen.insert((x, y)) || x.0 == u32::MAX || y.0 == u32::MAX {
                continue;
            }
            match (next(first, &settled_first, &a, x), next(second, &settled_second, &b, y)) {
                (Next::Stop, Next::Stop) => {}
                (Next::Operation(s, e), Next::Operation(t, f)) if s == t => {
                    // Behind a call that comes back on no path the program stops.
                    if second.entered_callee(f).is_some_and(|callee| !comes_back(second, callee)) {
                        continue;
                    }
                    work.push((first.edge(e).target, second.edge(f).target));
                }
                (Next::Branch(s, a, b), Next::Branch(t, c, d)) if s == t => work.extend([(a, c), (b, d)]),
                // Dead ends are cut, so a stop may come earlier.
                (_, Next::Stop) if stops(first, x, &mut BTreeSet::new()) => {}
                (s, t) => return Err(format!("in {}: {s:?} became {t:?}", function.name)),
            }
        }
    }
    Ok(seen.len())
}

fn comes_back(cfa: &Cfa, function: FunctionId) -> bool {
    let mut seen: BTreeSet<LocationId> = cfa.function(function).entry.into_iter().collect();
    let mut work: Vec<LocationId> = seen.iter().copied().collect();
    while let Some(at) = work.pop() {
        for edge in cfa.out_edges(at).iter().map(|edge| cfa.edge(*edge)) {
            if matches!(edge.operation, Operation::Return { .. }) {
                return true;
            }
            if seen.insert(edge.target) {
                work.push(edge.target);
            }
        }
    }
    false
}

fn stops(cfa: &Cfa, at: LocationId, seen: &mut BTreeSet<LocationId>) -> bool {
    if !seen.insert(at) {
        return false;
    }
    cfa.out_edges(at).iter().all(|edge| {
        let edge = cfa.edge(*edge);
        let harmless = match edge.operation {
            Operation::Assume { .. } | Operation::Blank => true,
            Operation::Call { callee, .. } => cfa.function(callee).known == Some(Known::NoReturn),
            _ => false,
        };
        harmless && stops(cfa, edge.target, seen)
    })
}

fn check(text: &str, data_model: DataModel) {
    let options = options(data_model);
    let cfa = load(text, &options);
    for (style, max_nesting) in [(Style::Structured, 64), (Style::Structured, 1), (Style::Goto, 64)] {
        let config = Config { fold: Fold::Cfa, style, max_nesting };
        let residual = reduce(&cfa, &uncovered(&cfa), config, &[]).unwrap();
        let again = load(&residual.text, &options);
        if let Err(difference) = compare(&cfa, &again) {
            panic!("{difference}\n{}", residual.text);
        }
        assert_eq!(gcc(&residual.text, data_model), "", "{}", residual.text);
    }
}

/// The complaints of gcc, none where it is missing.
fn gcc(text: &str, data_model: DataModel) -> String {
    if !gate::has("gcc") {
        return String::new();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("residual.c");
    std::fs::write(&file, text).unwrap();
    let flag = if data_model == DataModel::ILP32 { "-m32" } else { "-m64" };
    let run = std::process::Command::new("gcc").args([flag, "-x", "c", "-fsyntax-only", "-std=gnu11"]).arg(&file).output();
    String::from_utf8_lossy(&run.unwrap().stderr).into_owned()
}

const HEAD: &str = "extern void abort(void);\nextern int __VERIFIER_nondet_int(void);\nvoid reach_error(void) { abort(); }\n";

fn check_all(body: &str) {
    for data_model in [DataModel::ILP32, DataModel::LP64] {
        check(&format!("{HEAD}{body}"), data_model);
    }
}

#[test]
fn constants_and_casts() {
    check_all(
        "unsigned char c = 200; short s = -3; long l = -2147483647L - 1; unsigned long long u = 18446744073709551615ULL;\n\
         float f = 0.1f; double d = -1e300; _Bool b = 1; enum E { A = -1, B = 70000 } e = B; enum { X = 5 } anonymous = X;\n\
         int main(void) {\n\
           c = (unsigned char)(c + 1); s = -32767 - 1; l = l >> 3; u = ~u << (c & 7); b = f > 1.5f; b = (_Bool)c; e = (enum E)s; anonymous = X;\n\
           d = f * 2 + (double)l; f = (float)d; int i = -(int)c; i = i - -i; i = -2147483647 - 1; i = !d; i = (int)1e3; c = 'a'; c = '\\xff';\n\
           i = c ? s : (int)l; i = (i & 1) == 0 && i < 5 || i > 7; i = 1 - (2 - i) - 3; i = i / (c + 1) % 3; return i + 'x';\n\
         }",
    );
}

#[test]
fn pointers_arrays_and_functions() {
    check_all(
        "int a[3] = { 1, [2] = 3 }; int m[2][3] = { { 1 }, { 0, 2 } }; int *p = &a[1]; int (*row)[3] = &m[1]; char text[] = \"a\\\"b\\n\";\n\
         const char *name = \"name\"; int inc(int x) { return x + 1; } int (*f)(int) = inc; int (*table[2])(int) = { inc, 0 };\n\
         void *v; char **argument; int (*get(int n))(int) { return table[n]; } static int *self(int *q) { return q; }\n\
         int main(void) {\n\
           int local[3]; int *q = a + 1; local[0] = 7; q[1] = *(q - 1); *self(q) = (int)(q - a); row = m; (*row)[1] = 3; row[1][2] = 4; v = q; q = (int *)v;\n\
           char *t = text; t = \"lit\"; char first = \"xyz\"[1]; t++; *t = first; name = t; argument = &t; **argument = 'c';\n\
           int r = f(2); r = get(1)(r); if (f == inc && !table[1]) r++; q = (int *)((char *)q + 4); if (q == 0) r = (int)(long)q; v = (void *)0;\n\
           for (int i = 0; i < 3; i++) { local[i] = a[i]; m[i & 1][i] = -i; } return local[r & 1];\n\
         }",
    );
}

#[test]
fn records() {
    check_all(
        "struct s { int a; struct { short x, y; } in; union { int whole; unsigned char part[4]; }; unsigned lo : 3; int hi : 5; };\n\
         typedef struct { struct s first; struct s *next; } node; union u { double d; long long l; } number = { .l = 5 };\n\
         struct __attribute__((packed)) tight { char c; int i; short s; } tight = { 1, 2, 3 };\n\
         struct gaps { char c; int : 5; int b : 4; long long l; } gaps = { 1, 2, 3 };\n\
         node n = { { 1, { 2, 3 }, { 4 }, 5, -6 }, &n.first }, other; struct flexible { int count; char data[]; } *flexible;\n\
         static struct s make(int a) { struct s r = { a, .in.y = 2 }; return r; }\n\
         int main(void) {\n\
           n.first.in.x = 3; n.next->part[1] = 7; n.next->lo = n.first.hi; n.first.hi--; other = n; other.first = make(n.first.whole);\n\
           number.d = 0.5; tight.i += tight.c; gaps.b = gaps.c; flexible = (struct flexible *)0; struct s zero = { 0 }; struct s *p = &zero;\n\
           p->in.y = (short)(p->lo + 1); int *q = &p->whole; *q = 1; struct inner { int k; } i2 = { 3 }; return i2.k + (int)sizeof(node);\n\
         }",
    );
}

#[test]
fn control_flow() {
    check_all(
        "int g; static int count(void) { static int calls; return ++calls; }\n\
         int main(void) {\n\
           int x = __VERIFIER_nondet_int(), y = 0;\n\
           switch (x) { case 1: y = 1; case 3: y += 2; break; default: y = 9; }\n\
           while (x > 0) { x--; if (x == 7) continue; if (x == 3) break; do { y++; } while (y < x); }\n\
           for (;;) { int fresh; if (fresh > count()) goto out; fresh = 1; g += fresh; if (g > 100) abort(); }\n\
           out: if (y == 5 || (x && g)) reach_error();\n\
           if (x) goto middle; for (y = 0; y < 3; y++) { middle: g = x ? y : -y; }\n\
           again: if (g++ < 10) { if (g == 4) goto again; else goto done; } else if (g == 20) return 1; goto again; done: return y;\n\
         }",
    );
}

#[test]
fn names_that_clash() {
    check_all(
        "int x = 1; int main(void) { int abs = x; { int x = 2; { int x = 3; abs += x; } abs += x; }\n\
         for (int i = 0; i < 2; i++) { for (int i = 5; i < 6; i++) abs += i; } { static int s = 1; s++; } { static int s = 2; s++; }\n\
         enum { x2 = 3 } k = x2; struct x { int x; } y = { x }; return abs + y.x + (int)k; }",
    );
}

/// Lists of arguments, names in assembly and floats of two bytes are nothing that values are copied of.
#[test]
fn what_is_not_followed() {
    let text = "int each(const char *, __builtin_va_list);\n\
         int all(const char *n, ...) { for (;;) { __builtin_va_list list; __builtin_va_start(list, n); int r = each(n, list);\n\
         __builtin_va_end(list); if (r) return r; } }\n\
         typedef _Float16 eight __attribute__((vector_size(16))); union { eight v; int i; } u; _Decimal32 decimal;\n\
         char two __attribute__((vector_size(2)));\n\
         int main(void) { int x = 1, y; __asm__ volatile (\"mov %[from], %k[to]\" : [to] \"=&r\" (y) : [from] \"r\" (x), \"[to]\" (x));\n\
         if (y == 42 || u.i) reach_error(); return all(\"a\", y); }";
    check(&format!("{HEAD}{text}"), DataModel::LP64);
}

/// A chain of branches and a long sum keep their length, without deep nesting.
#[test]
fn long_programs() {
    let mut text = String::from("int main(void) { int x = __VERIFIER_nondet_int(), y = 0;\n");
    for i in 0..3000 {
        text.push_str(&format!("if (x == {i}) y = {};\nelse ", i + 1));
    }
    text.push_str(";\ny = x");
    for i in 0..5000 {
        text.push_str(if i % 3 == 0 { " + x" } else { " - y" });
    }
    text.push_str("; return y; }");
    check(&format!("{HEAD}{text}"), DataModel::LP64);
}

#[test]
fn task_programs() {
    for file in gate::own_programs() {
        round_trip(&file, &options(DataModel::LP64));
    }
    let Some(programs) = gate::shared("tasks/programs") else { return };
    // All families take a minute; these are small and use most of C.
    let families = std::env::var("RESIDUE_FAMILIES").unwrap_or_else(|_| "upprover gcd+newton square+softflt".to_owned());
    for family in families.split_whitespace() {
        let folder = std::fs::read_dir(programs.join(family)).unwrap();
        let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let data_model = if family == "regression" { DataModel::LP64 } else { DataModel::ILP32 };
        for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "c" || e == "i")) {
            round_trip(file, &options(data_model));
        }
    }
}

fn round_trip(file: &Path, options: &ProgramOptions) {
    let cfa = program::load(file, options).unwrap();
    let residual = reduce(&cfa, &uncovered(&cfa), Config::default(), &[]).unwrap();
    let again = load(&residual.text, options);
    if let Err(difference) = compare(&cfa, &again) {
        panic!("{}: {difference}", file.display());
    }
}

/// The error function is defined whatever the program says about it, once, such that an assertion fails.
#[test]
fn the_error_function_is_defined() {
    let texts = [
        ("extern int reach_error(char c, ...);", "reach_error('x');"),
        ("extern void __VERIFIER_error(void) __attribute__((noreturn));", "__VERIFIER_error();"),
        ("static void reach_error() { }", "reach_error();"),
        ("void reach_error(int code) { (void)code; } void (*hook)(int) = reach_error;", "reach_error(3);"),
    ];
    for (declaration, call) in texts {
        for property in [Property::UnreachCall, Property::Assert] {
            let options = ProgramOptions { property, ..ProgramOptions::default() };
            let cfa = load(&format!("{declaration}\nint main(void) {{ {call} return 0; }}"), &options);
            let residual = reduce(&cfa, &uncovered(&cfa), Config::default(), &[]).unwrap().text;
            assert_eq!(gcc(&residual, DataModel::LP64), "", "{residual}");
            assert!(residual.contains("reach_error("), "{residual}");
            load(&residual, &options);
        }
    }
}
