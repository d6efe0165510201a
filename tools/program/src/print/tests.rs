//! Declarators and types; whole programs are checked where functions are printed (`reduce`).

use formats::{DataModel, ProgramOptions};

use super::{Names, Printer};
use crate::source::SourceFile;

/// The declarations of all global objects, after those of the types.
fn printed(text: &str) -> Vec<String> {
    let options = ProgramOptions { data_model: DataModel::ILP32, ..ProgramOptions::default() };
    let source = SourceFile::new("program.c", format!("{text}\nint main(void) {{ return 0; }}\n"));
    let cfa = crate::load_source(source, &options).unwrap();
    let names = Names::new(&cfa);
    let printer = Printer::new(&cfa, &names);
    printer.types().unwrap().into_iter().chain(printer.globals().unwrap()).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(printed(text), expected);
}

#[test]
fn declarators() {
    check("int *a[3];", &["int *a[3];"]);
    check("int (*a)[3];", &["int (*a)[3];"]);
    check("int (*f)(char, ...);", &["int (*f)(char, ...);"]);
    check("void (*(*g)(void))(int *);", &["void (*(*g)(void))(int *);"]);
    check("int *(*table[2][3])();", &["int *(*table[2][3])();"]);
    check("const char *volatile p; char *const q = 0;", &["const char *volatile p;", "char *q;"]);
    check("typedef unsigned long size; size n; static size m;", &["unsigned long n;", "static unsigned long m;"]);
}

#[test]
fn initialisers() {
    check("int a[] = { 1, [3] = 4 };", &["int a[4] = { 1, [3] = 4 };"]);
    check("char t[8] = \"a\\n\"; char *p = \"b\";", &["char t[8] = \"a\\n\";", "char *p = (char *)\"b\";"]);
    check("extern int y; int *x = &y + 1; int y = 2;", &["int y = 2;", "int *x = (int *)((char *)&y + 4);"]);
    check(
        "double d = 0.5; _Bool b = 3; long long l = -1;",
        &["double d = 0x1.0p-1;", "_Bool b = (_Bool)1;", "long long l = (-1LL);"],
    );
}

#[test]
fn records() {
    let lines =
        printed("struct p { char c; int i; } __attribute__((packed)) p = { 1, 2 }; struct { struct { int x; }; } q = { { 3 } };");
    let text = lines.join("\n");
    assert!(text.contains("} __attribute__((packed, aligned(1)));"), "{text}");
    assert!(text.contains("struct p p = { .c = (char)1, .i = 2 };"), "{text}");
    assert!(text.contains("q = { .x = 3 };"), "{text}");
}

/// A name that two objects share is given to the first; what the text uses itself is given to none.
#[test]
fn names_are_unique() {
    let lines = printed("struct abort { int x; } s; enum { main2 } e; enum f { A } g;");
    assert!(lines.iter().any(|line| line == "struct abort s;"), "{lines:?}");
    assert!(lines.iter().any(|line| line == "enum f { A = 0 };"), "{lines:?}");
}

/// A table that is declared once more under another name, and of another type, as modules of Linux do.
#[test]
fn an_alias_stays_one() {
    let lines = printed("static const int table[2] = { 1, 2 }; extern const int again __attribute__((alias(\"table\"))); int x;");
    assert!(lines.iter().any(|line| line == "extern int table__alias __attribute__((alias(\"table\")));"), "{lines:?}");
}
