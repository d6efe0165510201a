//! Sizes and depths that recursion without care does not survive.

use super::super::parse;
use super::tree;
use crate::ast::{ExprKind, StmtKind};
use crate::source::SourceFile;

/// `prefix`, `count` times `open`, `inner`, `count` times `close`, `suffix`.
fn nest(prefix: &str, open: &str, inner: &str, close: &str, suffix: &str, count: usize) -> String {
    format!("{prefix}{}{inner}{}{suffix}", open.repeat(count), close.repeat(count))
}

#[test]
fn long_else_if_chain() {
    let branches: String = (0..20_000).map(|i| format!("if (x == {i}) y = {i}; else ")).collect();
    let ast = tree(&format!("void f(void) {{ {branches} ; }}"));
    let ifs = ast.stmts.iter().filter(|stmt| matches!(stmt.kind, StmtKind::If { .. })).count();
    assert_eq!(ifs, 20_000);
}

#[test]
fn long_chains_of_operators() {
    for (separator, name) in
        [(" + ", "sum"), (" = ", "assignment"), (" , ", "comma"), (" ? b : ", "conditional"), (" ?: ", "elvis"), (" && ", "and")]
    {
        let terms = vec!["a"; 20_000].join(separator);
        let ast = tree(&format!("void f(void) {{ {terms}; }}"));
        let operators = ast.exprs.iter().filter(|expr| !matches!(expr.kind, ExprKind::Name(_))).count();
        assert_eq!(operators, 19_999, "{name}");
    }
}

#[test]
fn many_labels() {
    let cases: String = (0..20_000).map(|i| format!("case {i}: l{i}: ")).collect();
    tree(&format!("void f(void) {{ switch (x) {{ {cases} ; }} }}"));
}

#[test]
#[allow(clippy::too_many_lines, reason = "one line per construct that nests")]
fn deep_nesting() {
    let texts = [
        nest("int a = ", "(", "1", ")", ";", 20_000),
        nest("void f(void) ", "{", "", "}", "", 20_000),
        nest("void f(void) { ", "if (x) {", ";", "}", " }", 5_000),
        nest("void f(void) { ", "while (1) ", ";", "", " }", 20_000),
        nest("int ", "(", "x", ")", ";", 20_000),
        nest("int ", "(*", "x", ")[1]", ";", 20_000),
        nest("int ", "*", "x", "", ";", 20_000),
        nest("int ", "(*", "x", ")(void)", ";", 5_000),
        nest("int x", "[1]", "", "", ";", 20_000),
        nest("int f(", "int (*)(", "void", ")", ");", 5_000),
        nest("int a = ", "-", "1", "", ";", 20_000),
        nest("int a = ", "- -", "1", "", ";", 20_000),
        nest("int a = ", "(int)", "1", "", ";", 20_000),
        nest("int a = ", "sizeof ", "1", "", ";", 20_000),
        nest("int a = ", "f(", "1", ")", ";", 20_000),
        nest("int a = ", "x[", "1", "]", ";", 20_000),
        nest("int a = ", "x ? ", "1", ": 2", ";", 20_000),
        nest("void f(void) { ", "({", "1;", "});", " }", 5_000),
        nest("int a = ", "{", "1", "}", ";", 20_000),
        nest("", "struct {", "int a;", "} x;", "", 5_000),
        nest("int a = sizeof(", "struct { int a[sizeof(", "int", ")]; }", ");", 5_000),
        nest("", "typeof(", "int", ")", " x;", 5_000),
        nest("", "_Atomic(", "int", ")", " x;", 5_000),
        nest("int a = ", "(1 + ", "1", ")", ";", 20_000),
        nest("int x = p", "->q.r", "", "", ";", 20_000),
        nest("int x __attribute__((aligned(", "(", "8", ")", ")));", 5_000),
        nest("int a = ", "_Generic(1, default: ", "1", ")", ";", 5_000),
        nest("int a = ", "sizeof(int[", "1", "])", ";", 5_000),
        nest("int a = ", "(int){", "1", "}", ";", 5_000),
        nest("void f(void) { ", "void g(void) {", "", "}", " }", 5_000),
        nest("void f(void) { ", "do ", ";", " while (1);", " }", 5_000),
        nest("void f(void) { ", "switch (1) case 1: ", ";", "", " }", 5_000),
        nest("void f(void) { ", "for (;;) ", ";", "", " }", 5_000),
        nest("void f(void) { ", "if (1) ; else { ", ";", "}", " }", 5_000),
        nest("int a = ", "__builtin_choose_expr(1, ", "1", ", 1)", ";", 5_000),
    ];
    for text in texts {
        tree(&text.replace("- -", "- - ").replace("--", "- -"));
    }
}

#[test]
fn deep_nesting_that_is_never_closed() {
    for open in ["(", "{", "[", "int (", "x(", "f({", "if (1) ", "- ", "struct {", "typeof(", "a ? "] {
        let text = format!("void f(void) {{ int a = {}", open.repeat(20_000));
        assert!(parse(&SourceFile::new("t.c", text)).is_err());
        let text = open.repeat(20_000);
        assert!(parse(&SourceFile::new("t.c", text)).is_err());
    }
}
