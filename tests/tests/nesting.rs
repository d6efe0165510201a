//! Text that nests a hundred thousand levels deep is read, or refused with a message, by every tool: no stack overflows.

use std::fs;

use residue_tests::run;

const DEEP: usize = 100_000;

/// A name and a program with this many levels; `change` stands at the end of `main`.
type Kind = (&'static str, fn(usize, &str) -> String);

fn main_with(body: &str, change: &str) -> String {
    format!(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
         int main(void) {{ int x = __VERIFIER_nondet_int(), y = 0; {body} {change} return 0; }}\n"
    )
}

fn around(open: &str, inner: &str, close: &str, levels: usize) -> String {
    format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
}

const KINDS: [Kind; 20] = [
    ("parentheses", |n, c| main_with(&format!("if ({} == 7) y = 1;", around("(", "x", ")", n)), c)),
    ("assignments of calls", |n, c| {
        format!(
            "int f(int, int);\nint g(void);\nint a[9];\n{}",
            main_with(&format!("y = {};", around("f(a[g()] = ", "g()", ", 1)", n)), c)
        )
    }),
    ("places of assignments", |n, c| {
        format!("int g(void);\nint a[9];\n{}", main_with(&format!("{};", around("a[", "g()", "] = g()", n)), c))
    }),
    ("else if", |n, c| {
        let tests: String = (0..n).map(|i| format!(" else if (x == {i}) y = 1;")).collect();
        main_with(&format!("if (x == -1) y = 2;{tests}"), c)
    }),
    ("if", |n, c| main_with(&format!("{}y = 3;", "if (x) ".repeat(n)), c)),
    ("braces of initialisers", |n, c| format!("int a = {};\n{}", around("{", "1", "}", n), main_with("", c))),
    ("elements of initialisers", |n, c| format!("int a[] = {{ {} }};\n{}", "1, ".repeat(n), main_with("", c))),
    ("prefix operators", |n, c| main_with(&format!("y = {}x;", "- ".repeat(n)), c)),
    ("negations", |n, c| main_with(&format!("y = {}x;", "!".repeat(n)), c)),
    ("casts", |n, c| main_with(&format!("y = {}x;", "(int)".repeat(n)), c)),
    ("sums", |n, c| main_with(&format!("y = {}x;", "x + ".repeat(n)), c)),
    ("sums to the right", |n, c| main_with(&format!("y = {};", around("x + (", "x", ")", n)), c)),
    ("conditional operators", |n, c| main_with(&format!("y = {}2;", "x ? 1 : ".repeat(n)), c)),
    ("conjunctions", |n, c| main_with(&format!("if ({}x) y = 1;", "x && ".repeat(n)), c)),
    ("pointers", |n, c| format!("int {}p;\n{}", "*".repeat(n), main_with("", c))),
    ("declarators", |n, c| format!("int {};\n{}", around("(*", "p", ")", n), main_with("", c))),
    ("structures", |n, c| format!("{};\n{}", around("struct { ", "int x;", "} a;", n).trim_end_matches(';'), main_with("", c))),
    ("blocks", |n, c| main_with(&around("{ ", "y = 1;", "}", n), c)),
    ("labels", |n, c| main_with(&format!("{};", (0..n).map(|i| format!("l{i}:")).collect::<String>()), c)),
    ("loops", |n, c| main_with(&format!("{}y = 3;", "while (x) ".repeat(n)), c)),
];

/// Runs the tools on programs of these kinds; none may end in another way than a verdict or a message.
fn judge(kinds: &[Kind]) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, program) in kinds {
        fs::write(here.join("original.c"), program(DEEP, "")).unwrap();
        fs::write(here.join("modified.c"), program(DEEP, "if (y == 9) reach_error();")).unwrap();
        let budget = ["-q", "--budget", "3"];
        let ran = run("verify", budget.into_iter().chain(["modified.c"]), here).unwrap();
        assert!(matches!(ran.code, 0..=3), "{name}: {} {}", ran.code, ran.stderr);
        for (detector, via) in [("diffcond", "native"), ("diffdp", "reduce")] {
            let options = ["--detector", detector, "--via", via, "original.c", "modified.c"];
            let ran = run("residue", ["check"].into_iter().chain(budget).chain(options), here).unwrap();
            assert!(matches!(ran.code, 0..=3), "{name}, {detector}, {via}: {} {}", ran.code, ran.stderr);
        }
    }
}

#[test]
fn deep_text_is_read_or_refused() {
    judge(&KINDS[..KINDS.len() / 2]);
}

#[test]
fn more_deep_text_is_read_or_refused() {
    judge(&KINDS[KINDS.len() / 2..]);
}
