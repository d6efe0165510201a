//! The shape of small automata, what becomes unsupported, and what is rejected as gcc rejects it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::wildcard_enum_match_arm,
    clippy::fn_params_excessive_bools,
    reason = "a test stops at the first surprise and says how far it came"
)]

mod gcc;

use formats::{DataModel, ProgramOptions, Property};
use program::cfa::{Cfa, Operation};
use program::source::SourceFile;

fn cfa(text: &str) -> Cfa {
    gcc::cfa(text, DataModel::LP64).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The automaton of the statements of a function with some objects at hand.
fn shape(statements: &str) -> String {
    let text = format!(
        "int x, y, a[4], *p; int f(int, ...); int __VERIFIER_nondet_int(void); void reach_error(void); void abort(void);\n\
         void __VERIFIER_assume(int);\nint main(void) {{\n{statements}\n}}\n"
    );
    let text = cfa(&text).to_text();
    text.lines().skip(1).map(|line| line.trim_start().replace("main.c:", "") + "\n").collect()
}

fn unsupported(text: &str) -> Vec<String> {
    let constructs = cfa(text).edges.into_iter().filter_map(|edge| match edge.operation {
        Operation::Unsupported { construct } => Some(construct.to_string()),
        Operation::Asm(_) => Some("asm".to_owned()),
        _ => None,
    });
    constructs.collect()
}

#[test]
fn conditions_become_branches() {
    insta::assert_snapshot!(shape("if ((x && !y) || *p) x = 1; else y = 2; return 0;"), @r#"
    l0 -> l2  assume test.c:4:6  [x]
    l0 -> l3  assume test.c:4:6  [!(x)]
    l2 -> l3  assume test.c:4:12  [y]
    l2 -> l4  assume test.c:4:12  [!(y)]
    l3 -> l4  assume test.c:4:18  [*p]
    l3 -> l5  assume test.c:4:18  [!(*p)]
    l4 -> l6  assign test.c:4:22  x = 1
    l5 -> l6  assign test.c:4:34  y = 2
    l6 -> l1  return test.c:4:41  return 0;
    "#);
}

#[test]
fn loops_and_jumps_need_no_edges_of_their_own() {
    insta::assert_snapshot!(shape("for (x = 0; x < 3; x++) { if (y) continue; if (*p) break; goto out; }\nwhile (1) { y++; } out: return x;"), @r#"
    l0 -> l2  assign test.c:4:6  x = 0
    l2 -> l3  assume test.c:4:13  [x < 3]
    l2 -> l7  assume test.c:4:13  [!(x < 3)]
    l3 -> l6  assume test.c:4:31  [y]
    l3 -> l4  assume test.c:4:31  [!(y)]
    l4 -> l7  assume test.c:4:48  [*p]
    l4 -> l5  assume test.c:4:48  [!(*p)]
    l6 -> l2  assign test.c:4:20  x++
    l7 -> l7  assign test.c:5:13  y++
    l5 -> l1  return test.c:5:25  return x;
    "#);
}

#[test]
fn effects_are_pulled_out_in_the_order_of_gcc() {
    insta::assert_snapshot!(shape("int *q = p; a[x++] = f(y, x--) + *q++; x = f(1); y += f(2); return x ? f(3) : y;"), @r#"
    l0 -> l2  declare test.c:4:5  *q = p
    l2 -> l3  assign test.c:4:10  *q = p
    l3 -> l4  assign test.c:4:27  x--
    l4 -> l5  assign test.c:4:27  x--
    l5 -> l6  call test.c:4:22  f(y, x--)
    l6 -> l7  assign test.c:4:35  q++
    l7 -> l8  assign test.c:4:35  q++
    l8 -> l9  assign test.c:4:22  f(y, x--) + *q++
    l9 -> l10  assign test.c:4:15  x++
    l10 -> l11  assign test.c:4:15  x++
    l11 -> l12  assign test.c:4:13  a[x++] = f(y, x--) + *q++
    l12 -> l13  call test.c:4:44  f(1)
    l13 -> l14  call test.c:4:55  f(2)
    l14 -> l15  assign test.c:4:50  y += f(2)
    l15 -> l16  assume test.c:4:68  [x]
    l15 -> l17  assume test.c:4:68  [!(x)]
    l16 -> l18  call test.c:4:72  f(3)
    l17 -> l19  assign test.c:4:68  x ? f(3) : y
    l18 -> l19  assign test.c:4:68  x ? f(3) : y
    l19 -> l1  return test.c:4:61  return x ? f(3) : y;
    "#);
}

#[test]
fn switch_compares_in_the_order_of_its_labels() {
    insta::assert_snapshot!(shape("switch (x) { case 1: y = 1; default: y = 2; break; case 3 ... 5: y = 3; } return 0;"), @r#"
    l2 -> l3  assign test.c:4:22  y = 1
    l3 -> l6  assign test.c:4:38  y = 2
    l4 -> l6  assign test.c:4:66  y = 3
    l0 -> l2  assume test.c:4:14  [case 1:]
    l0 -> l5  assume test.c:4:14  [!(case 1:)]
    l5 -> l4  assume test.c:4:52  [case 3 ... 5:]
    l5 -> l3  assume test.c:4:52  [!(case 3 ... 5:)]
    l6 -> l1  return test.c:4:75  return 0;
    "#);
}

/// What `f` declares before it does anything else.
fn declared_first(f: &str) -> Vec<String> {
    let cfa = cfa(&format!("int seen(int); {f}\nint main(void) {{ return f(1, 2); }}"));
    let f = cfa.function_ids().find(|id| &*cfa.function(*id).name == "f").unwrap();
    let mut names = Vec::new();
    let mut at = cfa.function(f).entry.unwrap();
    while let [edge] = cfa.out_edges(at) {
        let Operation::Declare { variable } = cfa.edge(*edge).operation else { break };
        names.push(cfa.variable(variable).name.to_string());
        at = cfa.edge(*edge).target;
    }
    names.sort();
    names
}

#[test]
fn what_a_jump_reaches_past_its_declaration_is_declared_at_the_entry() {
    for (f, names) in [
        ("int f(int k, int v) { switch (k) { int x; case 0: x = v; return 0; case 1: return x; } return 0; }", "x"),
        ("int f(int k, int v) { switch (k) { case 0:; int x; x = v; return 0; case 1: return x; } return 0; }", "x"),
        ("int f(int k, int v) { if (k) goto in; { int x, y; y = v; x = y; in: return x; } }", "x"),
        ("int f(int k, int v) { if (k) goto in; { struct { int a, b; } x; x.a = v; in: return x.a; } }", "x"),
        ("int f(int k, int v) { void *to = &&in; if (k) goto *to; { int x = v; in: return seen((long)&x); } }", "to x"),
        ("int f(int k, int v) { again:; int x; if (v > 3) x = 1; v++; goto again; }", "x"),
        ("int f(int k, int v) { switch (k) { int x; case 0: x = v; return x; case 1: x = k; return x; } return 0; }", ""),
        ("int f(int k, int v) { if (k) goto out; { int x = v; v = x + 1; } out: return v; }", ""),
        (
            "int f(int k, int v) { switch (k) { case 0: { int x = v; return x; } case 1: { int y = k; return y; } } return 0; }",
            "",
        ),
    ] {
        assert_eq!(declared_first(f).join(" "), names, "{f}");
    }
}

#[test]
fn inputs_assumptions_errors_and_ends() {
    insta::assert_snapshot!(shape("x = __VERIFIER_nondet_int(); a[1] = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 0);\nif (x == 7) reach_error(); if (x == 8) abort(); return 0;"), @r#"
    l0 -> l2  havoc test.c:4:5  __VERIFIER_nondet_int()
    l2 -> l3  havoc test.c:4:37  __VERIFIER_nondet_int()
    l3 -> l4  assign test.c:4:30  a[1] = __VERIFIER_nondet_int()
    l4 -> l6  assume test.c:4:80  [x > 0]
    l4 -> l5  assume test.c:4:80  [!(x > 0)]
    l6 -> l7  assume test.c:5:5  [x == 7]
    l6 -> l9  assume test.c:5:5  [!(x == 7)]
    l7 -> l8 error  call test.c:5:13  reach_error()
    l9 -> l10  assume test.c:5:32  [x == 8]
    l9 -> l11  assume test.c:5:32  [!(x == 8)]
    l10 -> l5  call test.c:5:40  abort()
    l11 -> l1  return test.c:5:49  return 0;
    "#);
}

#[test]
fn indirect_calls_try_every_function_whose_address_is_taken() {
    let text = "int g(int x) { return x; } void h(char *s) {} long k(long a, long b) { return a; } void unused(void) {}\n\
                int main(void) { int (*t[])(int) = { g, (int (*)(int)) h, (int (*)(int)) k }; return t[1](2); }\n";
    let program = cfa(text);
    let calls: Vec<&str> = program
        .edges
        .iter()
        .filter_map(|edge| match &edge.operation {
            Operation::Call { callee, .. } => Some(&*program.function(*callee).name),
            _ => None,
        })
        .collect();
    assert_eq!(calls, ["g", "__residue_outside_signed32"]);
    assert_eq!(unsupported(text), ["indirect call with arguments of other types", "indirect call with arguments of other types"]);
}

/// What calls through `p` may lead to, of `f` (another type) and `g` (its own).
fn called(more: &str) -> Vec<String> {
    let text = format!(
        "extern void *ask(int *); extern int value(void); long f(int a) {{ return a; }} int g(int x) {{ return x; }}\n\
         struct table {{ int (*p)(int); long (*q)(int); }}; static struct table t = {{ g, f }};\n\
         union mixed {{ int (*p)(int); void *v; }};\n\
         int main(void) {{ int (*p)(int) = t.p; int n = 0; {more} return p(1); }}\n"
    );
    let program = cfa(&text);
    let calls = program.edges.iter().filter_map(|edge| edge.operation.call());
    let names = calls.map(|call| program.function(call.callee).name.to_string());
    names.filter(|name| !matches!(&**name, "ask" | "value" | "memcpy")).collect()
}

#[test]
fn a_program_that_is_whole_may_call_any_function_through_any_pointer() {
    for more in ["", "n = value();"] {
        assert_eq!(called(more), ["f", "g", "__residue_outside_signed32"], "{more}");
    }
}

#[test]
fn what_comes_from_functions_that_nobody_knows_leads_to_functions_of_its_own_type() {
    for more in [
        "ask(&n);",
        "struct table *s = ask(0); p = s->p;",
        "ask(0); if ((int (*)(int))g == p) n = 1;",
        "ask(0); struct base { int (*p)(int); } *b = (struct base *)&t; p = b->p;",
        "ask(0); struct longer { struct table t; long more; } l, *k = (struct longer *)&l.t; p = k->t.p;",
    ] {
        assert_eq!(called(more), ["g", "__residue_outside_signed32"], "{more}");
    }
}

#[test]
fn a_function_that_was_given_another_type_may_be_called_as_any() {
    for more in [
        "ask(0); p = (int (*)(int))f;",
        "ask(0); void *v = (void *)f; p = v;",
        "ask(0); long v = (long)f; p = (int (*)(int))v;",
        "ask(0); p = (int (*)(int))t.q;",
        "ask(0); int (*k)() = (int (*)())f; p = k;",
        "ask(0); union { int (*p)(int); long (*q)(int); } u; u.q = f; p = u.p;",
        "ask(0); union { struct { long (*q[2])(int); } s; long w; } u; u.s.q[0] = f; p = (int (*)(int))u.w;",
        "ask(0); static void *v = f; p = v;",
        "ask(0); long (*q)(int) = f; p = *(int (**)(int))&q;",
        "ask(0); long (*q[2])(int) = { f, f }; __builtin_memcpy(&p, q, sizeof p);",
        "ask(0); struct other { long (*o)(int); int (*p)(int); } *o = (struct other *)&t; p = o->p;",
        "ask(0); struct other { char o[8]; int (*p)(int); } *o = (struct other *)&t; p = o->p;",
        "ask(0); struct other { int (*o)(int), (*p)(int); } o; struct table *k = (struct table *)&o; k->q = f; p = o.p;",
        "ask(0); static long v = (long)f; p = (int (*)(int))v;",
        "ask(0); __asm__(\"\" : \"=r\"(p) : \"0\"(f));",
        "ask(0); long (*h)(int) = t.q; __asm__(\"\" : \"=r\"(p) : \"0\"(h));",
    ] {
        assert_eq!(called(more), ["f", "g", "__residue_outside_signed32"], "{more}");
    }
}

/// A function that is only named by assembly has its address taken, too.
#[test]
fn assembly_may_take_the_address_of_what_it_names() {
    let text = "void f(void) {} int main(void) { void (*p)(void); __asm__(\"lea f(%%rip), %0\" : \"=r\"(p)); p(); return 0; }";
    let program = cfa(text);
    assert!(program.functions.iter().any(|function| &*function.name == "f" && function.address_taken));
}

#[test]
fn a_failing_assertion_is_the_error_of_the_property_assert() {
    let text = "void __assert_fail(const char *, const char *, unsigned, const char *); void reach_error(void) {}\n\
                int main(int c) { reach_error(); if (!c) __assert_fail(\"c\", \"f\", 1, \"main\"); return 0; }\n";
    let errors = |property| {
        let options = ProgramOptions { property, ..ProgramOptions::default() };
        let cfa = program::load_source(SourceFile::new("a.c", text), &options).unwrap();
        let errors = cfa.edges.iter().filter(|edge| cfa.location(edge.target).is_error);
        errors.map(|edge| cfa.source.snippet(edge.span).into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(errors(Property::UnreachCall), ["reach_error()"]);
    assert_eq!(errors(Property::Assert), ["__assert_fail(\"c\", \"f\", 1, \"main\")"]);
}

#[test]
fn a_body_of_its_own_beats_what_a_name_is_known_for() {
    let ends = |text: &str| {
        let cfa = cfa(text);
        cfa.edges.iter().any(|edge| matches!(edge.operation, Operation::Call { .. }) && cfa.out_edges(edge.target).is_empty())
    };
    assert!(ends("void exit(int); int main(void) { exit(1); return 0; }"));
    assert!(!ends("void exit(int); int main(void) { exit(1); return 0; } void exit(int c) {}"));
    assert!(ends("void done(void) __attribute__((noreturn)); int main(void) { done(); return 0; }"));
    assert!(ends("_Noreturn void done(void); int main(void) { done(); return 0; }"));
}

#[test]
fn what_has_no_treatment_is_named() {
    let check = |body: &str, expected: &[&str]| {
        let text = format!("int n, g(); struct S {{ int x; }}; int main(void) {{ {body} return 0; }}\n");
        assert_eq!(unsupported(&text), expected, "{body}");
    };
    check("int a[n]; a[0] = 1;", &["variable length array of more than 1 MiB"]);
    check("struct { int a[n]; } s; s.a[0] = 1;", &["variable length array", "structure with a member of variable length"]);
    check("int a = sizeof(int[n++]);", &["side effect in the length of an array", "sizeof a variable length array"]);
    check("int f(void) { return 1; } f();", &["f"]);
    check("__builtin_va_list l; __builtin_va_arg(l, _Complex double);", &["va_arg"]);
    check("__builtin_va_list l; __builtin_va_start(l, n); __builtin_va_arg(l, int);", &["va_start"]);
    check("_Complex double z, w; z = w;", &["complex arithmetic", "complex arithmetic"]);
    check("typedef int v4 __attribute__((vector_size(16))); v4 a, b; a = b;", &["vector type", "vector type"]);
    check("asm volatile (\"nop\"); asm(\"\" : : : \"memory\");", &["asm"]);
    check("long m; asm(\" \" : \"+r\"(n), \"=r\"(m) : \"1\"(7L));", &[]);
    check(
        "long m; asm(\"\" : \"=r\"(m) : \"0\"(7)); asm(\"\" : \"=m\"(n)); asm(\"# unsupported\" : : : \"memory\");",
        &["asm", "asm", "asm"],
    );
    check("struct S x __attribute__((cleanup(g)));", &["attribute cleanup"]);
    check("static int x __attribute__((cleanup(g)));", &["attribute cleanup"]);
    check("int setjmp(void *); setjmp(0);", &["setjmp"]);
    check("void *q = &&l; goto *q; l: n = 1;", &["computed goto to a label that is not known"]);
    check("__builtin_apply_args();", &["__builtin_apply_args"]);
    check("if (0) { int a[n]; }", &[]);
    check("void w(void) __attribute__((weak)); if (w) n = 1;", &["weak function without a body"]);
    check("extern int w __attribute__((weak)); if (&w) n = 1;", &["weak object without a definition"]);
    assert_eq!(unsupported("asm(\"nop\"); int main(void) { return 0; }"), ["asm outside of functions"]);
}

/// What runs before `main` and behind it is followed where its order is clear.
#[test]
fn hooks_without_a_clear_order_are_unsupported() {
    let check = |text: &str, expected: &[&str]| assert_eq!(unsupported(text), expected, "{text}");
    let main = "int main(void) { return 0; }";
    check(&format!("void f(void) __attribute__((constructor)); void f(void) {{}} {main}"), &[]);
    check(&format!("void f(void) __attribute__((constructor)); {main}"), &["constructor"]);
    check(&format!("__attribute__((constructor)) void f(int n) {{}} {main}"), &["constructor"]);
    check(
        &format!("__attribute__((constructor(101))) void f(void); __attribute__((constructor(102))) void f(void) {{}} {main}"),
        &["constructor"],
    );
    check(
        "__attribute__((constructor)) void f(void) {} int main(int n, char **v) { return n ? main(0, v) : 1; }",
        &["constructor"],
    );
    check("__attribute__((constructor)) int main(void) { return 0; }", &["constructor"]);
    let end = "__attribute__((destructor)) void f(void) { DOES } void exit(int);";
    check(&format!("{} {main}", end.replace("DOES", "")), &[]);
    check(&format!("{} {main}", end.replace("DOES", "exit(1);")), &["destructor that ends the program, or may"]);
    let done = "void done(void) __attribute__((noreturn)); int main(int n, char **v) { if (n) done(); return 0; }";
    check(&format!("{} {done}", end.replace("DOES", "")), &["end of the program by `done`"]);
    let pointer = "int main(void) { void (*p)(int) = exit; p(1); return 0; }";
    check(&format!("{} {pointer}", end.replace("DOES", "")), &["address of `exit` in a program where something runs at its end"]);
    let text = "int atexit(void (*)(void)); void f(void) {} int main(void) { return atexit(f); }";
    check(text, &["more functions than `atexit` has to take"]);
    let options = ProgramOptions { entry: "g".into(), ..ProgramOptions::default() };
    let text = text.replace("int main", "int g");
    let cfa = program::load_source(SourceFile::new("a.c", text), &options).unwrap();
    assert!(
        cfa.edges.iter().any(|edge| matches!(&edge.operation, Operation::Unsupported { construct } if &**construct == "atexit"))
    );
}

/// Scopes with cleanups that are not entered at their beginning, or left by a way that is not known.
#[test]
fn jumps_past_the_declaration_of_a_cleanup_are_unsupported() {
    let check = |body: &str, expected: &[&str]| {
        let text = format!("void c(int *p) {{}} int n; int main(void) {{ {body} return 0; }}\n");
        assert_eq!(unsupported(&text), expected, "{body}");
    };
    let object = "int x __attribute__((cleanup(c))) = 1;";
    check(&format!("{{ {object} if (n) goto out; n = 1; }} out: n = 2;"), &[]);
    check(&format!("if (n) goto in; {{ {object} in: n = 1; }}"), &["jump into the scope of an object with cleanup"]);
    check(&format!("switch (n) {{ case 1:; {object} default: n = 1; }}"), &["`case` in the scope of an object with cleanup"]);
    check(&format!("switch (n) {{ case 1: {{ {object} break; }} default: n = 1; }}"), &[]);
    check(
        &format!("void *q = &&l; {{ {object} goto *q; }} l: n = 1;"),
        &["computed goto in a program with cleanups", "computed goto to a label that is not known"],
    );
}

/// Bodies that gcc 12 rejects.
const REJECTED: &[&str] = &[
    "undeclared = 1;",
    "return undeclared;",
    "struct T t;",
    "int i = sizeof(struct T);",
    "s.none = 1;",
    "n.x = 1;",
    "p->x = 1;",
    "n();",
    "g2(1);",
    "g2(1, 2, 3);",
    "5 = n;",
    "n + 1 = 2;",
    "&5;",
    "&s.b;",
    "*n;",
    "s = 1;",
    "n = s;",
    "s + 1;",
    "!s;",
    "if (s) ;",
    "s ? 1 : 2;",
    "goto nowhere;",
    "l: l: ;",
    "break;",
    "continue;",
    "case 1: ;",
    "default: ;",
    "switch (n) { case 1: case 1: ; }",
    "switch (n) { case n: ; }",
    "switch (1.5) { }",
    "int a[-1];",
    "c = 1;",
    "int v; int v;",
    "int v; char v;",
    "_Static_assert(0, \"no\");",
    "void v;",
    "n = vf();",
    "1.5 % 2;",
    "~1.5;",
    "1.5 << 2;",
    "p * 2;",
    "p + p;",
    "int i = { .x = 1 }; struct S t = { .none = 1 };",
    "int a[2] = { [5] = 1 };",
    "_Generic(1, default: 0, default: 1);",
    "_Generic(n, int: 0, int: 1, default: 2);",
    "_Generic(1.0, int: 0, typeof(c): 1, typeof(n): 1, default: 2);",
    "_Generic(1, int (void): 0, default: 1);",
    "_Generic(1, struct U: 0, default: 1);",
    "_Generic(1, int[n]: 0, default: 1);",
    "goto l; int a[n]; l: ;",
    "goto l; { int a[n]; l: ; }",
    "goto l; { int (*a)[n] = 0; l: ; }",
    "goto l; { typedef int a[n]; l: ; }",
    "{ int a[n]; l: ; } goto l;",
    "switch (n) { int a[n]; case 1: ; }",
    "switch (n) { case 0: ; int a[n]; default: ; }",
    "goto l; ({ l: 2; });",
    "switch (n) { case 0: ({ case 1: 2; }); }",
    "int x; extern int x;",
    "struct { const int i; } x = { 1 }, y = { 2 }; x = y;",
    "struct { struct { const int i; } a[2]; } x = {{{ 1 }}}, y = x; x = y;",
    "static int a[n];",
    "extern int a[n];",
    "_Alignas(3) int x;",
    "_Alignas(8) typedef int x;",
    "_Alignas(8) int x(void);",
    "static int x(void);",
    "int x[const 3];",
    "int x[static 3];",
    "int x[*];",
    "{ __label__ l; goto l; }",
    "goto *1.0;",
    "goto *n;",
    "__builtin_offsetof(struct S, b);",
    "struct { int a : 0; } x;",
    "struct { _Alignas(8) int a : 3; } x;",
    "struct { int n; int a[]; int m; } x;",
    "struct { int a[]; } x;",
];

const DECLARATIONS: &str = "struct S { int x; int b : 3; } s; int n, *p, g2(int, int); void vf(void); const int c = 1;\n";

#[test]
fn what_gcc_rejects_is_a_diagnostic_with_its_place() {
    let with_gcc = gcc::available();
    for body in REJECTED {
        let text = format!("{DECLARATIONS}int main(void) {{\n  {body}\n  return 0; }}\n");
        if with_gcc {
            assert!(gcc::gcc(&["-fsyntax-only"], &text).is_err(), "gcc accepts {body}");
        }
        let error = gcc::cfa(&text, DataModel::LP64).err().unwrap_or_else(|| panic!("accepted: {body}"));
        let place = error.place().unwrap().to_owned();
        assert!(place.starts_with("test.c:3:") || place.starts_with("test.c:4:"), "{body}: {place}");
    }
}

#[test]
fn files_that_gcc_rejects_are_rejected() {
    let with_gcc = gcc::available();
    for text in [
        "int f(void); double f(void);",
        "int x; double x;",
        "int f(void) { return 0; } int f(void) { return 1; }",
        "struct S { int x; }; struct S { int y; };",
        "enum E { A }; enum E { B };",
        "struct T { struct T t; };",
        "int a[n];",
        "int x = 1; int x = 2;",
        "struct S { int b : 40; };",
        "struct S { int f(void); };",
        "enum { A, A };",
        "union U; struct U { int x; };",
        "int x; void x(void);",
        "unknown_type x;",
        "int f(void)[3];",
        "void a[3];",
        "int x; static int x;",
        "extern int x; static int x;",
        "int f(void); static int f(void) { return 0; }",
        "int f(void) { return 0; } static int f(void);",
        "int a[][];",
        "struct U; struct U a[2];",
        "auto int x;",
        "int f(int a) { int a; return 0; }",
        "int f(int x[static]);",
        "int f(int n, int a[n][]);",
        "_Alignas(8) typedef int x;",
    ] {
        let whole = format!("{text}\nint main(void) {{ return 0; }}\n");
        if with_gcc {
            assert!(gcc::gcc(&["-fsyntax-only"], &whole).is_err(), "gcc accepts {text}");
        }
        assert!(gcc::cfa(&whole, DataModel::LP64).is_err(), "accepted: {text}");
    }
    let error = gcc::cfa("int f(void) { return 0; }", DataModel::LP64).unwrap_err();
    assert!(error.to_string().contains("no function `main`"), "{error}");
}

/// Programs that gcc 12 accepts, warnings aside, and that are easily rejected.
const ACCEPTED: &str = r#"
struct fwd; struct fwd *fp; extern struct fwd later; struct fwd { int x; };
typedef struct fwd fwd; enum early; enum early { E1, E2 = E1 + 5, };
extern int arr[]; int use(void) { return arr[1]; } int arr[5];
int tentative; int tentative; int tentative = 3; static int s1; static int s1;
int old(); int old(int a) { return a; } int twice(int); int twice(int x); typeof(twice) twice;
int params(int a[], int b[3], int f(int), int (*g)(int), int n, int m[n][n]) { return f(a[0]) + g(b[1]) + n; }
static inline int inl(void) { return 1; } extern inline __attribute__((gnu_inline)) int inl2(void) { return 2; }
void vret(void) { return; } void vret2(void) { return vret(); } int noret(void) { }
int implicit_call(void) { return undeclared_function(1, "a"); }
int mismatch(void) { int *p = 5; char *c = p; p = c; int i = p; void *v = c; v++; return *(int *) v + i; }
struct { int a; struct { int b; }; } anon; struct empty {}; union empty_union {} eu;
int zero[0]; struct flex { int n; char d[]; }; struct flex fl = { 3, "abc" };
int *const cp = &tentative; const volatile int cv = 1; int *const *cpp = &cp; int nested[2][3][4];
int labels(int x) { switch (x) { case 0 ... 3: case 'a': ; default: ; } goto end; end: ; return x; }
int scopes(int x) { struct fwd { char c; } l; l.c = x; { enum { E1 = 9 }; int fwd = E1; return fwd; } }
typedef int T; int typedef_shadow(void) { T T = 3; return T; } void T_param(T T) { }
_Bool bools[] = { 1, 2, 0.5 }; double dbl = 1; float flt = 1.5; long long ll = 1ull << 63; char ch = 300;
char str3[3] = "abc", str0[] = "", *ptr = "x" "y"; unsigned char ustr[] = "u";
void (*fptr)(void) = vret, (*fptrs[2])(void) = { vret, &vret2 }; int (*pa)[3] = &nested[1][0][0];
long addr = (long) &tentative; char *off = (char *) &nested[1][2][3] + 5; int diff = &nested[1][0][0] - &nested[0][0][0];
int cond(int x) { return x ? 0 : (int *) 0 == 0; } void *condp(int x, int *p) { return x ? p : (void *) 0; }
const char *fn(void) { return __func__; } int se = sizeof(struct { int a, b; }); int al = _Alignof(double);
int variadic(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); __builtin_va_end(ap); return n; }
int va_pass(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); int r = __builtin_vprintf("", ap); return r; }
__attribute__((aligned(16))) int aligned; __thread int tls; register int reg asm("ebx"); int asmname asm("other");
int bits(void) { struct { int a : 3; unsigned : 0; long long b : 40; } v = { 1, 2 }; return v.a + (v.b != 3); }
int stmt(void) { return ({ int x = 1; x; }) + ({ ; 2; }); } int chain(int a) { int b, c; return a = b = c = 1, a; }
int cast_union(void) { union u { int i; double d; } v = (union u) 3; return v.i; } int neg = -2147483647 - 1;
struct P { int x, y; } pts[] = { { 1, 2 }, { .y = 3 }, [4] = { 5 } }; struct P ptcopy = (struct P) { 1 };
int knr(a, b) char a; { return a + b; } int callknr(void) { return knr('a', 2) + knr(1); }
extern void weakf(void) __attribute__((weak)); int useweak(void) { if (weakf) weakf(); return 0; }
int types_of(int a, typeof(a) b, typeof(b) *c, int d[sizeof(a)]) { return a + b + *c + d[0]; }
int back(int n) { l: ; int a[n]; a[0] = n; { int b[n]; b[0] = 1; if (n--) goto l; } goto m; m: { int c[2]; k: c[0] = 1; } return n; }
int inside(int n) { int a[n + 1]; goto l; l: a[0] = ({ int x = 1; goto k; k: x; }); switch (n) { case 0: { int b[n + 1]; b[0] = 1; } case 1: ; } return a[0]; }
static int hidden(void); int hidden(void) { return 0; } static int hidden_too; extern int hidden_too; typedef int plain_name;
int chosen(int *p) { return _Generic(*p, const int: 0, int: 1, default: 2) + _Generic(p, int *: 1, const int *: 2, void *: 3); }
int promised(int n, int a[static 2][n], int b[const static 3]) { return a[1][0] + b[2] + n; } int promises(int a[static 3], int b[const], int c[*], int d[restrict static sizeof(int[2])]); struct { int n; int a[]; } open_array;
int old_for(void) { for (int i = 0, *p = &i; *p < 3; i++) ; for (;;) break; do ; while (0); return 0; }
main(argc, argv) char **argv; { static int n = 3; auto x = 5; register y = 6; return n + x + y + argc; }
"#;

#[test]
fn what_gcc_accepts_is_accepted() {
    for model in gcc::MODELS {
        if gcc::available() {
            gcc::gcc(&["-fsyntax-only", gcc::flag(model)], ACCEPTED).unwrap();
        }
        gcc::cfa(ACCEPTED, model).unwrap_or_else(|error| panic!("{model}: {error}"));
    }
}

#[test]
fn deep_and_long_programs_pass() {
    let count = 20_000;
    let repeat = |piece: &str, count: usize, between: &str| vec![piece; count].join(between);
    let bodies = [
        (0..count).map(|i| format!("if (x == {i}) x = {i} + 1;")).collect::<Vec<_>>().join(" else "),
        format!("x = {};", repeat("x", count, " + ")),
        format!("x = {};", repeat("f()", count, " + ")),
        format!("x = {}x{};", "(".repeat(1000), ")".repeat(1000)),
        format!("if ({}) x = 1;", repeat("x", count, " && ")),
        format!("x = {};", repeat("a[x]", count, " || ")),
        format!("x = {}0;", repeat("x == 1 ? f() : ", count, "")),
        format!("{};{}", "{".repeat(5000), "}".repeat(5000)),
        format!("x = {}x;", "-~".repeat(10_000)),
        format!("switch (x) {{ {} }}", (0..count).map(|i| format!("case {i}: x++;")).collect::<String>()),
        format!("x = {}x{};", "id(".repeat(3000), ")".repeat(3000)),
        format!("x = {}x;{};", "({".repeat(1000), "});".repeat(999) + "})"),
        format!("int b[] = {{ {} }};", repeat("1", count, ", ")),
        (0..count).map(|i| format!("goto l{i}; l{i}: x++;")).collect(),
    ];
    for body in bodies {
        let text = format!("int x, a[9], f(), id(int); int main(void) {{ {body} return 0; }}\n");
        let start = std::time::Instant::now();
        let cfa = cfa(&text);
        assert!(start.elapsed().as_secs() < 20, "{} edges take too long: {}", cfa.edges.len(), &body[..60]);
    }
}

#[test]
fn moved_lines_do_not_change_the_fingerprint_but_meaning_does() {
    let print = |text: &str| cfa(text).fingerprint();
    let base = print("struct S { int a; }; int g = 1; int main(void) { struct S s = { g }; return s.a; }");
    let same = "/* moved */\n\nstruct Renamed { int a; };\nint g = 1;\nint main(void)\n{\n  struct Renamed s = { g };\n  return s.a; // x\n}\n";
    assert_eq!(base, print(same));
    for other in [
        "struct S { char a; }; int g = 1; int main(void) { struct S s = { g }; return s.a; }",
        "struct S { int a; }; int g = 2; int main(void) { struct S s = { g }; return s.a; }",
        "struct S { int a; }; extern int g; int main(void) { struct S s = { g }; return s.a; }",
        "struct S { int a; }; volatile int g = 1; int main(void) { struct S s = { g }; return s.a; }",
        "struct S { int a; }; int g = 1; int main(void) { struct S s = { g }; return s.a + 0; }",
    ] {
        assert_ne!(base, print(other), "{other}");
    }
}

#[test]
fn an_edit_upstream_renames_no_temporary() {
    let temporaries = |text: &str| {
        let cfa = cfa(text);
        let edges = cfa.edges.iter().filter_map(|edge| match &edge.operation {
            Operation::Call { result: Some(variable), .. } => {
                let variable = cfa.variable(*variable);
                Some((cfa.source.snippet(edge.span).into_owned(), variable.name.clone(), variable.ordinal))
            }
            _ => None,
        });
        edges.collect::<Vec<_>>()
    };
    let before = temporaries("int f(int), x; int main(void) { x = f(1) + f(2); return f(3) + f(4); }");
    let after = temporaries("int f(int), x; int main(void) { x = f(0) + f(9) + f(8); x = f(1) + f(2); return f(3) + f(4); }");
    assert_eq!(before, after[3..]);
}

#[test]
fn every_task_program_builds_an_automaton() {
    let mut folders = Vec::from_iter(gate::shared("tasks/programs"));
    let mut programs = gate::own_programs();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some("c" | "i") => programs.push(path),
                _ => {}
            }
        }
    }
    for path in programs {
        let driver = path.components().any(|part| part.as_os_str() == "regression");
        let data_model = if driver { DataModel::LP64 } else { DataModel::ILP32 };
        let options = ProgramOptions { data_model, ..ProgramOptions::default() };
        let cfa = program::load(&path, &options).unwrap_or_else(|error| panic!("{error}"));
        for location in cfa.location_ids() {
            // Deterministic: at most one way on, or two assumes that exclude each other.
            let out: Vec<_> = cfa.out_edges(location).iter().map(|edge| &cfa.edge(*edge).operation).collect();
            let fits = match out[..] {
                [] => true,
                [operation] => !matches!(operation, Operation::Assume { .. }),
                [Operation::Assume { condition: a, truth: true }, Operation::Assume { condition: b, truth: false }] => a == b,
                _ => false,
            };
            assert!(fits, "{}: {location:?}: {out:?}", path.display());
        }
    }
}
