//! What people read when a text is not C.

use super::super::parse;
use crate::source::SourceFile;

fn message(text: &str) -> String {
    match parse(&SourceFile::new("t.c", text)) {
        Ok(_) => "accepted".to_owned(),
        Err(diagnostic) => diagnostic.to_string(),
    }
}

#[test]
fn messages() {
    let texts = [
        "int f(void) { return 1 }",
        "int f(void) {\n  if (x) {\n    y();\n",
        "int a = (1 + 2;",
        "size_t n;",
        "void f(void) { size_t n; }",
        "void f(void) { foo *p q; }",
        "int f(size_t n);",
        "int f(int a, size_t *n);",
        "struct s { u32 x; };",
        "int a = sizeof(u32 *) + (u32) b;",
        "/* never closed",
        "char *s = \"abc",
        "char c = 'a",
        "char c = '';",
        "int a = 1 @ 2;",
        "int a = `x`;",
        "int a = 08;",
        "}",
        "else x;",
        "void f(void) { else x; }",
        "int char x;",
        "static extern int x;",
        "long long long x;",
        "struct s { int a; } int b;",
        "typedef int T; int x = T + 1;",
        "int f(static int x);",
        "void f(void) { 1 + 2 = 3; }",
        "int a = ;",
        "#include <stdio.h>",
        "int a = L\"x\" U\"y\";",
        "int a",
        "int",
        "int f(int x",
        "void f(void) { asm(1); }",
        "enum { 1 };",
        "struct;",
        "\x01",
        "int a = 1.2.3;",
        "void f(void) { case: ; }",
        "__attribute__((x",
        "void f(int a) { if (a) __attribute__((unused)) f(1); }",
        "asm volatile (\"nop\");",
        "int f(void, int);",
    ];
    let lines: Vec<String> = texts.iter().map(|text| format!("{}\n    {}", text.escape_debug(), message(text))).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_rendered_diagnostic() {
    let source = SourceFile::new("t.c", "# 40 \"dir/u.c\"\nint f(void)\n{\n  return g(1, 2;\n}\n");
    let mut out = String::new();
    miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor())
        .render_report(&mut out, &parse(&source).unwrap_err())
        .unwrap();
    insta::assert_snapshot!(out);
}

fn places(text: &str) -> Vec<String> {
    use miette::Diagnostic as _;
    let error = parse(&SourceFile::new("t.c", text)).unwrap_err();
    let further: Vec<String> = error.related().into_iter().flatten().map(ToString::to_string).collect();
    std::iter::once(error.to_string()).chain(further).collect()
}

#[test]
fn one_error_for_each_faulty_declaration() {
    let text = "int x = ;\nint ok(void) { return 0; }\nint f(void) { if (1 { return 2; } }\nstruct s { int a b; } v;\nint y = 1 +;\n\
                typedef int * * 3 num;\nnum z;\nsize_t n;\nsize_t m;\nint g(void)\n{\n  return 1\n}\nint end = )";
    let expected = [
        "t.c:1:9: expected an expression, found `;`",
        "t.c:3:21: expected `)` after the condition, found `{`",
        "t.c:4:18: expected `;` after the member, found `b`",
        "t.c:5:12: expected an expression, found `;`",
        "t.c:6:17: expected a name to declare, found integer constant",
        "t.c:8:1: unknown type name `size_t`",
        "t.c:13:1: expected `;` after `return`, found `}`",
        "t.c:14:11: expected an expression, found `)`",
    ];
    assert_eq!(places(text), expected);
}

#[test]
fn a_thousand_errors_are_not_all_told() {
    let errors = places(&"int x = ;\n".repeat(1000));
    assert_eq!(errors.len(), 10);
    assert_eq!(errors[9], "t.c:10:9: expected an expression, found `;`");
    assert_eq!(places(&"int f(int a, size_t *b) { size_t c; }\n".repeat(1000)).len(), 1, "said once of a name");
}

#[test]
fn reading_goes_on_behind_a_mistake() {
    for (text, expected) in [
        ("int f(void) { int x = ; int y = ; return; }", &["1:23:", "1:33:"] as &[&str]),
        ("int f(int a) { if (a > ) a++; else a--; a = ; }", &["1:24:", "1:45:"]),
        ("int f(int a) { for (a = ; a; a++) a--; a = ; }", &["1:25:", "1:44:"]),
        ("int f(int a) { while (a { a--; }\n a = ; }", &["1:25:", "2:6:"]),
        ("int f(int a) { { { a = ; } } a = 1 }", &["1:24:", "1:36:"]),
        // What is left open is told where it is the mistake, and not where it follows from one.
        ("int f(int a) { a = ; { a = 1;", &["1:20:"]),
        ("int f(int a) { a = 1; { a = 1;", &["1:31:"]),
        ("int f(void) { int a[] = { 1, 2 3 }; return ; ) }", &["1:32:", "1:46:"]),
        // A type that is missing is told once, and names of inner scopes are forgotten.
        ("void f(void) { u8 a; u8 b; { typedef int T; T c = ; } T d; T e; }\nu8 g;", &["1:16:", "1:51:", "1:55:"]),
        ("int x = ({ int y = ; y; });", &["1:20:"]),
        // Each initialiser of a declaration is looked at, as far as brackets tell where it ends.
        ("int x = 3 +, y = *, *z = { 1, ; }, a[2] = { 1, + }, b = 2 3;", &["1:12:", "1:19:", "1:31:"]),
        ("int f(void) { int a[2] = { 1, + }, b = , c = 4 }", &["1:33:", "1:40:", "1:48:"]),
        ("int x = (1, y = *; int z = ;", &["1:18:", "1:28:"]),
    ] {
        let told = places(text);
        let told: Vec<&str> = told.iter().map(|line| line.split(' ').next().unwrap().trim_start_matches("t.c:")).collect();
        assert_eq!(told, expected, "{text}");
    }
    let many = "int f(void) {".to_owned() + &"{ int x = ;\n".repeat(50);
    assert_eq!(places(&many).len(), 10);
}

#[test]
fn cplusplus_is_recognised() {
    for text in [
        "class Point { public: int x; };",
        "int ok; using namespace std;",
        "template <typename T> T most(T a, T b) { return a > b ? a : b; }",
        "namespace a { int f(void); }",
        "int f(int &x) { return x; }",
        "extern \"C\" int f(void);",
        "int f(void) { return std::max(1, 2); }",
        "int f(void) { int *p = new int; return *p; }",
        "int f(double d) { return static_cast<int>(d); }",
        "struct s { int x; private: int y; };",
    ] {
        let told = places(text);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].ends_with(": the program is C++, which is not read"), "{told:?}");
    }
    // Words of C++ are names in C, and another mistake is one.
    for text in ["int class, new, namespace; int f(int a) { return a == new ? class : ; }", "int f(int a) { return a : : 1; }"] {
        assert!(places(text).iter().all(|line| !line.contains("C++")), "{text}");
    }
}
