//! Every construct of C that is lowered computes what gcc computes.

use std::collections::BTreeMap;
use std::process::Command;

use formats::ProgramOptions;
use program::source::SourceFile;
use semantics::interpreter::{Limits, Outcome, ValueList, run};

const CONSTRUCTS: &str = include_str!("lowering/constructs.c");

/// The functions that stand for a construct.
fn constructs() -> Vec<&'static str> {
    let lines = CONSTRUCTS.lines().filter_map(|line| line.strip_prefix("long "));
    lines.filter_map(|line| line.split_once('(')).map(|(name, _)| name).collect()
}

/// What gcc makes of each function.
fn expected() -> BTreeMap<String, i64> {
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("all.c"), folder.path().join("all"));
    let calls: String =
        constructs().iter().map(|name| format!("g = 0; calls = 0; printf(\"{name} %ld\\n\", {name}());\n")).collect();
    let text = format!("{CONSTRUCTS}\nextern int printf(const char *, ...);\nint main(void) {{ {calls} return 0; }}\n");
    std::fs::write(&source, text).unwrap();
    let built =
        Command::new("gcc").args(["-w", "-O0", "-std=gnu11", "-fwrapv", "-o"]).arg(&binary).arg(&source).arg("-lm").output();
    let built = built.unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let output = Command::new(&binary).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.split_once(' ').unwrap()).map(|(n, v)| (n.to_owned(), v.parse().unwrap())).collect()
}

#[test]
fn constructs_compute_what_gcc_computes() {
    if !residue_tests::has("gcc") {
        return;
    }
    let expected = expected();
    let (mut wrong, mut left) = (Vec::new(), Vec::new());
    for name in constructs() {
        let value = expected[name];
        let text = format!(
            "{CONSTRUCTS}\nvoid reach_error(void);\nint main(void) {{ if ({name}() != {value}l) reach_error(); return 0; }}\n"
        );
        let cfa = program::load_source(SourceFile::new("constructs.c", text), &ProgramOptions::default());
        let cfa = cfa.unwrap_or_else(|error| panic!("{name}: {error}"));
        let run = run(&cfa, &mut ValueList::new(Vec::new()), &mut (), Limits::default());
        let open = |construct: &str| construct.starts_with("order of operands");
        if matches!(&run.outcome, Outcome::Unsupported { construct, .. } if open(construct)) && name.starts_with("order_") {
            left.push(name);
        } else if !matches!(run.outcome, Outcome::Finished) {
            let last = run.trace.last().map_or(String::new(), |edge| cfa.edge_text(*edge));
            wrong.push(format!("{name}: not {value}: {:?} at {last}", run.outcome));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let ordered = constructs().iter().filter(|name| name.starts_with("order_")).count();
    assert!(ordered - left.len() >= 176, "{} of {ordered} are left open: {left:?}", left.len());
}

/// What gcc takes apart in a way that its options decide ends where nobody may go on; where the order does not show, it is computed.
#[test]
fn an_order_that_compilers_choose_is_unsupported() {
    let found = |statement: &str| {
        let text = format!(
            "extern int in(void); int i, j, *p; static int f(void) {{ i = 1; p = &j; return 4; }} static int h(void) {{ i += 5; return 1; }}
             static long lf(void) {{ return f(); }} static int id(int x) {{ return x; }} static int plain(void) {{ return 2; }}
             static int put(void) {{ *p = 3; return 1; }}
             static struct S {{ int b : 5; }} s; static int *where(void) {{ i++; return p; }} static struct S *mine(void) {{ i++; return &s; }}
             int main(void) {{ int own = in(), lent = 3, a[3] = {{ 1 }}; long l = 0; int *q = &lent; p = a; {statement}; return l + own + *q; }}"
        );
        let cfa = program::load_source(SourceFile::new("order.c", text), &ProgramOptions::default()).unwrap();
        cfa.edges.iter().any(|edge| {
            matches!(&edge.operation, program::cfa::Operation::Unsupported { construct } if construct.starts_with("order of operands"))
        })
    };
    for open in [
        "l = -i + f()", "l = ~i + f()", "l = 5 - i + f()", "l = -(i + 1) + f()", "l = i + 1 + f()", "l = i * 1 + f()",
        "l = i + -f()", "l = i + (5 - f())", "l = i - -f()", "l = -h() + f()", "l = 5 - h() + f()", "l = ~i ^ f()",
        "l = (i ^ 1) ^ f()", "l = i * 2 * f()", "l = -(i * 3) * f()", "l = -i * -f()", "l = -i == -f()", "l = (long)-i + lf()",
        "l = -lent + put()", "l = -h() + i", "l = -*p + f()", "p[f() & 1] += 2", "l = -i * f()", "l = -i < f()",
        "l = (i << 1) + f()", "l = -(i - f())", "l = i - f() == 0", "l = !(i - f())", "l = i < f() + 1", "l = (i = 5) + h()",
        "l = f() / ((h() == 1) | 1)", "l = (char)(i - (h() << 8))", "l = i++ + h()", "l = (*p = 2) + *q++", "l = -(h() - f())",
    ] {
        assert!(found(open), "{open}");
    }
    for decided in [
        "l = i + f()", "l = i - f()", "l = -own + f()", "l = own + 1 + id(own)", "l = f() << 8 | h()", "l = h() * 10 + f()",
        "l = i + h() == 5", "l = -i + id(own)", "l = own++ - plain()", "l = *q++ - *p", "l = (own = 5) - id(lent)", "*q++ = own",
        "*where() = i", "*where() = h()", "s.b = own + plain()", "*q++ += own", "l = i + h() + f()", "l = 5 - own + f()",
        "l = -3 + f()", "l = h() + 1 + f()", "l = h() - f()", "l = (own << 1) + f()", "l = a[0] + 1 + f()", "l = -i + j",
        "a[f() & 1] += 2", "p[1] += f()",
    ] {
        assert!(!found(decided), "{decided}");
    }
}

/// Two members of one object have nothing in common; what two pointers lead to may lie across each other.
#[test]
fn an_order_does_not_show_where_other_members_change() {
    let found = |value: &str| {
        let text = format!(
            "struct q {{ int head, count; struct {{ int inner; }}; int ring[8]; }} g, *lent; struct q **kept = &lent; union {{ int a, b; }} u;
             int of(struct q *p, struct q *q, int i) {{ return {value}; }} int main(void) {{ struct q one = {{ 1 }}; return of(&one, &one, 0); }}"
        );
        let cfa = program::load_source(SourceFile::new("order.c", text), &ProgramOptions::default()).unwrap();
        cfa.edges.iter().any(|edge| {
            matches!(&edge.operation, program::cfa::Operation::Unsupported { construct } if construct.starts_with("order of operands"))
        })
    };
    for decided in [
        "(q->head + q->count++) % 8", "q->head - q->count--", "-q->head + q->count++", "q->ring[(q->head + q->count++) % 8]",
        "-g.head + g.count++", "-q->head + (q->count += 3)",
    ] {
        assert!(!found(decided), "{decided}");
    }
    for open in [
        "-p->head + q->count++", "p->head + 1 + q->count++", "-q->count + q->count++", "-q->head + q->inner++",
        "-q->head + ++*(&q->count)", "-lent->head + lent->count++", "-u.a + u.b++", "-p[i].head + (p->count = 3)",
        "i * q->head + q->head++",
    ] {
        assert!(found(open), "{open}");
    }
}

/// What calls change is read off the bodies, where nothing else can be meant by a name.
#[test]
fn an_order_does_not_show_where_bodies_change_something_else() {
    let found = |functions: &str, statement: &str| {
        let text = format!(
            "extern int in(void); int i, j, arr[4], *p = arr, *rows[3]; struct {{ int a[2]; int b; }} s;\n{functions}\n
             static int h(void) {{ i += 5; return 1; }} int main(void) {{ long l = 0; {statement}; return l; }}"
        );
        let cfa = program::load_source(SourceFile::new("order.c", text), &ProgramOptions::default()).unwrap();
        cfa.edges.iter().any(|edge| {
            matches!(&edge.operation, program::cfa::Operation::Unsupported { construct } if construct.starts_with("order of operands"))
        })
    };
    for (is_open, functions, statement) in CHANGES {
        assert_eq!(found(functions, statement), *is_open, "{functions} {statement}");
    }
}

/// Whether an order shows: functions, and a statement behind them.
const CHANGES: &[(bool, &str, &str)] = &[
    (false, "static int c(void) { j++; return 1; }", "l = i * 2 + c()"),
    (true, "static int c(void) { j++; return 1; }", "l = j * 2 + c()"),
    (false, "static int d(void) { j++; return 1; } static int c(void) { return d(); }", "l = i * 2 + c()"),
    (true, "static int d(void) { j++; return 1; } static int c(void) { return d(); }", "l = j * 2 + c()"),
    (false, "static int c(void) { arr[i] = 1; return 1; }", "l = i * 2 + c()"),
    (true, "static int c(void) { arr[i] = 1; return 1; }", "l = arr[1] * 2 + c()"),
    (false, "static int c(void) { s.b = 1; return 1; }", "l = i * 2 + c()"),
    (true, "static int c(void) { s.b = 1; return 1; }", "l = s.a[0] * 2 + c()"),
    (false, "static int c(void) { int a[3]; a[1] = 2; return a[1]; }", "l = i * 2 + c()"),
    (false, "static int c(void) { static int n; return n++; }", "l = i * 2 + c()"),
    (true, "static int c(void) { static int n; return n++; }", "l = c() * 2 + c() * i"),
    (true, "static int c(void) { static int n; p = &n; return n++; }", "l = *p * 2 + c()"),
    (true, "static int c(void) { static int n; p = &n; return n++; }", "l = i * 2 + c()"),
    (true, "static int c(int k) { static int n; n++; return k ? n * 2 + c(k - 1) : 0; }", "c(3)"),
    (true, "static int c(void) { static struct { int b[2]; } n; p = n.b; n.b[0]++; return 0; }", "l = *p * 2 + c()"),
    (true, "static int c(void) { *p = 1; return 1; }", "l = i * 2 + c()"),
    (true, "static int c(void) { p[1] = 1; return 1; }", "l = i * 2 + c()"),
    (true, "static int c(void) { rows[1][0] = 1; return 1; }", "l = i * 2 + c()"),
    (true, "static int c(int a[]) { a[0] = 1; return 1; }", "l = i * 2 + c(&i)"),
    (true, "static int c(a) int a[2]; { a[0] = 1; return 1; }", "l = i * 2 + c(&i)"),
    (true, "static int c(void) { j++; return in(); }", "l = i * 2 + c()"),
    // The name is that of something else, too.
    (true, "static int c(void) { j++; { int j = 1; j++; } return 0; }", "l = j * 2 + c()"),
    (true, "static int c(void) { i++; { int i = 1; i++; } return 0; }", "l = i * 2 + c()"),
    (true, "static int c(void) { return 0; }", "int (*c)(void) = h; l = i * 2 + c()"),
    (true, "static int c(void) { return 0; }", "int c(void) { return ++i; } l = i * 2 + c()"),
    (true, "extern int k __attribute__((alias(\"i\"))); static int c(void) { k++; return 0; }", "l = i * 2 + c()"),
    (true, "extern int k asm(\"i\"); static int c(void) { k++; return 0; }", "l = i * 2 + c()"),
    // Addresses and names in other clothes.
    (true, "static int c(void) { *p += 5; return 1; }", "int x = 1; p = &_Generic(0, default: x); l = -x + c()"),
    (true, "static int c(void) { *p += 5; return 1; }", "int x = 1; p = &__builtin_choose_expr(1, x, 0); l = -x + c()"),
    (true, "static int c(void) { *p += 5; return 1; }", "int x = 1; p = &__extension__ x; l = -x + c()"),
    (true, "static int c(void) { j += 5; return 1; }", "int *q = &_Generic(0, default: j); l = -*q + c()"),
    (true, "static int c(void) { static int n; p = &__extension__ n; n++; return 1; }", "l = -i + c()"),
    (true, "extern int k;\n#pragma weak k = i\nstatic int c(void) { k += 5; return 1; }", "l = -i + c()"),
    // Who does not come back is noticed beside who ends a run.
    (true, "static int c(int n) { while (n) ; return 0; } static int d(void) { in(); return 0; }", "l = c(1) / 2 + d()"),
    (false, "static int c(int n) { return n * 2; } static int d(void) { in(); return 0; }", "l = c(1) / 2 + d()"),
    // Statements in expressions.
    (false, "", "l = ({ int t = 2; t; }) - ({ int u = 1; u; })"),
    (false, "", "l = ({ int t = i; if (t > 3) t; else 1; t; }) - ({ typeof(i) u = j; u; })"),
    (false, "struct big { int a, b; };", "l = ({ struct big t; t.a = 2; t; }).a - ({ struct big u; u.a = 1; u; }).a"),
    (true, "", "l = ({ int a[h()]; 1; }) - i * 2"),
    (true, "static int c(void);", "l = ({ static int k; k++; k; }) - c() * 2"),
    (true, "", "l = i * 2 - ({ i++; 1; })"),
    (true, "", "l = i * 2 - ({ int t = h(); t; })"),
    (true, "", "l = h() * 2 - ({ if (l) return 1; 2; })"),
    (true, "", "for (;;) l = h() * 2 + ({ if (l) break; 2; })"),
    // Whom a pointer may lead to.
    (false, "", "static int k; l = *p == k++"),
    (true, "", "static int k; int *q = &k; l = *p * 2 == k++"),
    (true, "", "static struct { int a[2], b; } k, m; int *q = k.a; l = *p * 2 == (k = m).b"),
    // Nobody else writes to constants, and to static locals only under their own name or where they are pointed to.
    (false, "", "static int u, w; l = u++ - w * 2"),
    (false, "", "static int u, w[2]; l = u++ - w[1] * 2"),
    (true, "", "static int w[2]; l = w[i]++ - w[1] * 2"),
    (true, "", "static int w; int *q = &w; l = (*q)++ - w * 2"),
    (true, "static int c(void) { static int n; return n++; }", "static int w; l = w * 2 - ({ static int w; w++; w; })"),
    (true, "", "int a[2] = { 1 }, *q = a; l = (*q)++ - a[0] * 2"),
    (false, "", "int a[2] = { 1 }; l = i++ - a[0] * 2"),
    (false, "static const struct { int (*f)(void), k; } t[2];", "l = t[1].f() - t[1].k * 2"),
    (true, "static struct { int (*f)(void), k; } t[2];", "l = t[1].f() - t[1].k * 2"),
    (true, "extern const volatile int k;", "l = (*p)++ - k * 2"),
    // What runs where a scope is left.
    (
        false,
        "static void z(int *x) { i++; } static void w(void) { int x __attribute__((cleanup(z))) = 1; }
         static int c(void) { j++; return 1; }",
        "w(); l = i * 2 + c()",
    ),
    (
        true,
        "static void z(int *x) { i++; } static int c(void) { int x __attribute__((cleanup(z))) = 1; return 1; }",
        "l = i * 2 + c()",
    ),
    // Places that change what is assigned.
    (true, "static int *c(void) { j++; return &i; }", "*c() += j * 2"),
    (false, "static int *c(void) { j++; return &i; }", "*c() += i * 2"),
    (true, "static int *c(void) { j++; return &i; }", "*c() = (long)j"),
    (true, "static short k; static int *c(void) { k++; return &i; }", "*c() = k"),
    (
        false,
        "void v(int n, ...) { __builtin_va_list a; double d = 1; p = (int *)&d; *__builtin_va_arg(a, float *) = (float)d; }",
        "v(1)",
    ),
    (false, "static int *c(void) { j++; return &i; }", "*c() = (long)i"),
    (false, "struct o { int n, a[4]; };", "struct o o, *q = &o; q->a[q->n++] = q->a[2] * 2"),
    (false, "static int *c(void) { j++; return &i; }", "*c() += j"),
    (true, "static int *c(void) { j++; return &i; }", "*c() = (h(), j)"),
    (true, "static int *c(void) { j++; return &i; }", "*c() = j = 3"),
    (true, "static int *c(void) { j++; return &i; }", "*c() = s.b = j"),
    (true, "static int *c(void) { j++; return &i; }", "*c() = *p = 3, p = &j"),
    (false, "static int *c(void) { j++; return &i; }", "*c() = *p = 3"),
    (true, "static int *c(void) { s.b++; return &i; }", "*c() = s.b = 3"),
    (false, "static int *c(void) { j++; return &i; }", "*c() = s.b = 3"),
    (true, "static struct { int f : 5; } t; static typeof(t) *c(void) { j++; return &t; }", "c()->f = j"),
    (false, "static struct { int f : 5; } t; static typeof(t) *c(void) { j++; return &t; }", "c()->f = i"),
    (true, "static struct { int f : 5; } t;", "t.f = i + h()"),
    (true, "static struct { int f : 5; } t; static int c(void) { t.f++; return 1; }", "p[c()] = t.f"),
    (false, "static struct { int f; } t; static int c(void) { t.f++; return 1; }", "p[c()] = t.f"),
];

/// Undefined in C, but gcc takes the step first: what was there is written over it.
#[test]
fn a_step_of_what_a_union_names_twice_does_not_wait() {
    for (statement, expected) in [
        ("u.p = 5; u.q = u.p++; r = u.p;", 5),
        ("n.v = 1; n.w = n.v--; r = n.w;", 1),
        ("t->v = 1; n.w = t->v++; r = n.v;", 1),
        ("o.in.a = 4; o.same = o.in.a++; r = o.same;", 4),
    ] {
        let text = format!(
            "void reach_error(void); union U {{ int p, q; }} u; struct N {{ union {{ int v, w; }}; int d; }} n, *t = &n;
             union {{ struct {{ int a, b; }} in; int same; }} o; int r;
             int main(void) {{ {statement} if (r != {expected}) reach_error(); return 0; }}"
        );
        let cfa = program::load_source(SourceFile::new("union.c", text), &ProgramOptions::default()).unwrap();
        let run = run(&cfa, &mut ValueList::new(Vec::new()), &mut (), Limits::default());
        assert!(matches!(run.outcome, Outcome::Finished), "{statement}: {:?}", run.outcome);
    }
}

#[test]
fn conditions_of_choices_are_shown_as_they_are_written() {
    let text =
        "extern int in(void); int main(void) { int a = in(), b = in(); int m = a > 0 && b < 5 ? a : !b ? 3 : b; return m; }";
    let cfa = program::load_source(SourceFile::new("choice.c", text.to_owned()), &ProgramOptions::default()).unwrap();
    let conditions =
        cfa.edge_ids().filter(|id| matches!(cfa.edge(*id).operation, program::cfa::Operation::Assume { truth: true, .. }));
    let mut shown: Vec<String> = conditions.map(|id| cfa.edge_text(id)).collect();
    shown.sort();
    assert_eq!(shown.len(), 3, "{shown:?}");
    for (text, condition) in shown.iter().zip(["[!b]", "[a > 0]", "[b < 5]"]) {
        assert!(text.ends_with(condition), "{text}");
    }
}
