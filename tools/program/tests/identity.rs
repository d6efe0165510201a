//! What makes a program the program it is: names for the linker, alignment, and texts that operations do not say all of.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::wildcard_enum_match_arm,
    reason = "as in tests of the library"
)]

mod gcc;

use formats::DataModel;
use program::cfa::{Cfa, Operation};

fn cfa(text: &str) -> Cfa {
    gcc::cfa(text, DataModel::LP64).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The functions that the program calls, in order.
fn callees(text: &str) -> Vec<String> {
    let cfa = cfa(text);
    let calls = cfa.edges.iter().filter_map(|edge| match edge.operation {
        Operation::Call { callee, .. } => Some(cfa.function(callee).name.to_string()),
        _ => None,
    });
    calls.collect()
}

fn unsupported(text: &str) -> Vec<String> {
    let constructs = cfa(text).edges.into_iter().filter_map(|edge| match edge.operation {
        Operation::Unsupported { construct } => Some(construct.to_string()),
        _ => None,
    });
    constructs.collect()
}

#[test]
fn a_call_goes_to_the_function_of_the_assembler_name() {
    let two = "int f(void) { return 1; } int h(void) { return 0; }";
    assert_eq!(callees(&format!("{two} int g(void) __asm__(\"h\"); int main(void) {{ return g(); }}")), ["h"]);
    assert_eq!(callees(&format!("int g(void) __asm__(\"f\"); {two} int main(void) {{ return g(); }}")), ["f"]);
    assert_eq!(callees(&format!("{two} int g(void) __attribute__((alias(\"h\"))); int main(void) {{ return g(); }}")), ["h"]);
    let swapped = "int f(void) __asm__(\"g\"); int g(void) __asm__(\"f\"); int f(void) { return 0; } int g(void) { return 1; }";
    assert_eq!(callees(&format!("{swapped} int main(void) {{ return f(); }}")), ["g"]);
    assert_eq!(callees("int size(const char *) __asm__(\"strlen\"); int main(void) { return size(\"\"); }"), ["strlen"]);
    assert_eq!(cfa("int start(void) __asm__(\"main\"); int start(void) { return 0; }").functions.len(), 1);
}

#[test]
fn the_library_s_own_redirections_keep_their_names() {
    let text = "struct _IO_FILE; int fscanf(struct _IO_FILE *, const char *, ...) __asm__(\"\" \"__isoc99_fscanf\");\n\
                int main(void) { int x; return fscanf(0, \"%d\", &x); }";
    assert_eq!(unsupported(text), ["fscanf"]);
}

#[test]
fn variables_of_one_assembler_name_are_one() {
    for text in [
        "int a; extern int b __asm__(\"a\"); int main(void) { b = 1; return a; }",
        "int a; extern int b __attribute__((alias(\"a\"))); int main(void) { b = 1; return a; }",
        "extern int a __asm__(\"c\"); extern int b __asm__(\"c\"); int main(void) { b = 1; return a; }",
        "int a; int main(void) { extern int b __asm__(\"a\"); b = 1; return a; }",
    ] {
        assert_eq!(cfa(text).variables.len(), 1, "{text}");
    }
}

#[test]
fn labels_that_are_not_followed_are_unsupported() {
    for text in [
        "int main(void) { register int x __asm__(\"ebx\"); return x; }",
        "register int x __asm__(\"r12\"); int main(void) { return x; }",
        "int main(void) { static int x __asm__(\"y\"); return x; }",
        "int f(void) { return 0; } char g(void) __asm__(\"f\"); int main(void) { return g(); }",
        "int x; char g __asm__(\"x\"); int main(void) { return g; }",
        "int f(void) { return 0; } extern char g __asm__(\"f\"); int main(void) { return g + f(); }",
        "int f(void) __asm__(\"a.b\"); int main(void) { return f(); }",
        "void f(int) __asm__(\"__VERIFIER_assume\"); int main(void) { f(0); return 0; }",
    ] {
        assert_eq!(unsupported(text).len(), 1, "{text}");
    }
}

#[test]
fn alignment_is_part_of_an_object() {
    let align = |text: &str| cfa(&format!("{text} int main(void) {{ return 0; }}")).variables[0].align;
    assert_eq!(align("int x;"), 4);
    assert_eq!(align("_Alignas(64) char x;"), 64);
    assert_eq!(align("_Alignas(64) char *x;"), 64);
    assert_eq!(align("char x __attribute__((aligned(2), aligned(8)));"), 8);
    assert_eq!(align("int x __attribute__((aligned(1)));"), 1);
    assert_eq!(align("typedef char t __attribute__((aligned(32))); t x __attribute__((aligned(4)));"), 4);
    assert_eq!(align("extern int x __attribute__((aligned(64))); int x __attribute__((aligned(16)));"), 64);
    assert_eq!(align("extern int x __attribute__((aligned(2))); int x;"), 4);
    assert_eq!(align("typedef int t __attribute__((aligned(1))); t x;"), 1);
    assert_eq!(align("extern struct s x; struct s { long y; };"), 8);
    let text = "int x __attribute__((aligned(32))); struct { char a; int b; } __attribute__((packed)) s;\n\
                _Static_assert(__alignof__(x) == 32 && __alignof__(s.b) == 1 && __alignof__(s) == 1 && _Alignof(int) == 4, \"\");";
    align(text);
    let text = "void f(void) __attribute__((aligned(8))); void g(void);\n\
                _Static_assert(__alignof__(f) == 8 && __alignof__(g) == 1, \"\"); int x;";
    align(text);
    let text = "void f(void) __attribute__((aligned(256))); int main(void) { return (long)f & 255; }";
    assert_eq!(unsupported(text), ["address of an aligned function"]);
}

#[test]
fn a_body_for_inlining_gives_way_to_the_function() {
    let text = "extern inline __attribute__((gnu_inline)) int f(void) { return 1; } int f(void) { return 2; }\n\
                int main(void) { return f(); }";
    assert_eq!(cfa(text).functions.len(), 2);
}

#[test]
fn directives_swallow_no_code() {
    for directive in ["#pragma message(\"tables/*.csv\")", "# 3 \"gen/*.c\"", "#pragma made up // wire/*.h"] {
        let text = format!("int main(void) {{ int x = 0;\n{directive}\nx = 1; /* c */\nreturn x; }}");
        assert!(cfa(&text).to_text().contains("x = 1"), "{directive}");
    }
}

#[test]
fn what_operations_do_not_say_is_in_the_fingerprint() {
    let pairs = [
        (
            "int sscanf(const char *, const char *, ...); int x; int main(void) { return sscanf(\"1\", \"2\", &x); }",
            "\"1\"",
            "\"3\"",
        ),
        ("void c(int *p) { } void d(int *p) { } int main(void) { int x __attribute__((cleanup(c))); return 0; }", "(c)", "(d)"),
        (
            "__attribute__((constructor(101))) void c(void) { } __attribute__((constructor(150))) void d(void) { }\n\
             int main(void) { return 0; }",
            "101",
            "200",
        ),
        (
            "struct __attribute__((scalar_storage_order(\"big-endian\"))) s { int x; } s; int main(void) { return s.x; }",
            "big",
            "little",
        ),
        ("int f(void), h(void), g(void);\n#pragma weak g = f\nint main(void) { return g(); }", "= f", "= h"),
        ("int main(void) { double a = 1, b = 2; _Complex double z = a; return 0; }", "z = a", "z = b"),
        ("int main(void) { _Decimal64 d = 1.5dd; return 0; }", "1.5dd", "2.5dd"),
        ("int main(void) { int f(void) { return 1; } return f(); }", "return 1", "return 2"),
        ("asm(\".set x, 1\"); int main(void) { return 0; }", "x, 1", "x, 2"),
        ("int main(void) { asm goto(\"jmp %l0\" : : : : a); b: return 1; a: return 2; }", ": a)", ": b)"),
        ("__attribute__((optimize(\"O2\"))) int f(void) { return 0; } int main(void) { return f(); }", "O2", "O3"),
        ("__attribute__((weak)) int f(void) { return 0; } int main(void) { return f(); }", "weak", "noinline"),
        ("_Alignas(8) char x; int main(void) { return x; }", "8", "16"),
        ("#pragma GCC optimize(\"O2\")\nint main(void) { return 0; }", "O2", "O3"),
    ];
    for (text, old, new) in pairs {
        assert!(text.contains(old));
        assert_ne!(cfa(text).fingerprint(), cfa(&text.replace(old, new)).fingerprint(), "{text}");
        assert_eq!(cfa(text).fingerprint(), cfa(&format!("/* c */ {}", text.replace(") {", ")\n  {"))).fingerprint(), "{text}");
    }
}

#[test]
fn packing_is_what_gcc_makes_of_it() {
    let size = |pragmas: &str, size: u32| {
        let text = format!(
            "{pragmas}\nstruct s {{ char c; int i; }};\n_Static_assert(sizeof(struct s) == {size}, \"\");\nint main(void) {{ return 0; }}"
        );
        cfa(&text);
        if gcc::available() {
            gcc::gcc(&["-S", "-o", "-"], &text).unwrap();
        }
    };
    size("#pragma pack(push, 1) // wire/*.h", 5);
    size("#pragma pack(0x1)", 5);
    size("#pragma pack(2L)", 6);
    size("#pragma pack(1)\n#pragma pack(push, 4, a)\n#pragma pack(pop, b)", 5);
    size("#pragma pack(push, 1)\n#pragma pack(pop) /* x\n */", 8);
    size("_Pragma(\"pack(1) /* c */\")", 5);
}
