//! What a program is told of types, by gcc and by this library, for both data models.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::wildcard_enum_match_arm,
    reason = "as in tests of the library"
)]

mod gcc;

use program::cfa::ConstantValue;

/// Both take all of these assertions, which stand in a function behind the declarations.
fn agree(declarations: &str, assertions: &[&str]) {
    for model in gcc::MODELS {
        for assertion in assertions {
            let text = format!("{declarations} int main(void) {{ _Static_assert({assertion}, \"\"); return 0; }}\n");
            if gcc::available()
                && let Err(messages) = gcc::gcc(&["-fsyntax-only", "-w", gcc::flag(model)], &text)
            {
                panic!("gcc, {model}: {assertion}\n{messages}");
            }
            gcc::cfa(&text, model).unwrap_or_else(|error| panic!("{model}: {assertion}\n{error}"));
        }
    }
}

#[test]
fn alignment_does_not_depend_on_how_it_is_written() {
    agree(
        "long long x, *p; struct { char c; long long m; } s;",
        &[
            "_Alignof(long long) == sizeof(long) && (_Alignof(long long)) == sizeof(long)",
            "__alignof__(long long) == 8 && (__alignof(long long)) == 8 && ((__alignof__(double))) == 8",
            "_Alignof(x) == 8 && (_Alignof(*p)) == 8 && _Alignof +x == 8 && (_Alignof(1ll)) == 8",
            "(_Alignof(s.m)) == sizeof(long) && (__alignof__(s.m)) == sizeof(long)",
        ],
    );
}

#[test]
fn atomic_numbers_are_aligned_as_strictly_as_their_size() {
    agree(
        "typedef _Atomic long long wide; typedef _Atomic double real; struct { char c; _Atomic int i; _Atomic short s; } s;",
        &[
            "_Alignof(wide) == 8 && _Alignof(real) == 8 && _Alignof(_Atomic long long) == 8 && _Alignof(_Atomic(double)) == 8",
            "sizeof(s) == 12 && _Alignof(_Atomic int) == 4 && _Alignof(wide *) == sizeof(void *)",
        ],
    );
}

#[test]
fn a_bit_field_has_the_standard_type_of_so_many_bits() {
    agree(
        "struct { unsigned b : 8; int h : 16; long long w : 32; long l : 32; unsigned f : 5; long long g : 40; } s; int a;",
        &[
            "_Generic(s.b, unsigned char: 1, default: 0) && _Generic(s.h, short: 1, default: 0)",
            "_Generic(s.w, int: 1, default: 0) && _Generic(s.f, unsigned: 0, default: 1)",
            "_Generic(s.l, int: sizeof(long) == 8, long: sizeof(long) == 4, default: 0)",
            "_Generic(({ s.b; }), unsigned char: 1, default: 0) && sizeof(({ s.f; })) == 1 && sizeof(s.g = 1) == 8",
            "_Generic((a ? s.g : 0), long long: 0, default: 1) && _Generic((a ? s.g : 0ll), long long: 1, default: 0)",
            "_Generic(-s.g, long long: 0, default: 1) && _Generic(s.g << 1, long long: 0, default: 1)",
            "_Generic(s.g * 1.0, double: 1, default: 0) && _Generic(1 << s.g, int: 1, default: 0) && sizeof(s.g + 1) == 8",
            "(__alignof__(s.g = 1)) == 8 && __alignof__(s.f = 1) == 1",
        ],
    );
}

#[test]
fn qualifiers_of_an_array_are_those_of_its_elements() {
    agree(
        "typedef int A[3]; const struct { int a[3]; A b[2]; } s; const A c; volatile int v; _Atomic int t;",
        &[
            "_Generic(&s.a, const int (*)[3]: 1, default: 0) && _Generic(&c, const int (*)[3]: 1, default: 0)",
            "_Generic(&s.b, const int (*)[2][3]: 1, default: 0) && _Generic(&c, const A *: 1, default: 0)",
            "_Generic((__typeof__(s.a) *)0, const int (*)[3]: 1, default: 0)",
            "_Generic((__typeof__(v++) *)0, volatile int *: 1, default: 0)",
            "_Generic((__typeof__(--v) *)0, volatile int *: 1, default: 0)",
            "_Generic((__typeof__(v = 1) *)0, int *: 1, default: 0) && _Generic((__typeof__(t++) *)0, int *: 1, default: 0)",
        ],
    );
}

#[test]
fn builtins_yield_the_types_of_gcc() {
    agree(
        "",
        &[
            "_Generic(__builtin_bswap64(1), unsigned long: 8, unsigned long long: 4) == sizeof(long)",
            "_Generic(__builtin_imaxabs(1), long: 8, long long: 4) == sizeof(long)",
            "_Generic(__builtin_lround(1.0), long: 1, default: 0) && _Generic(__builtin_llrintl(1.0L), long long: 1, default: 0)",
            "_Generic(__builtin_fabsl(1.0L), long double: 1, default: 0) && _Generic(__builtin_ceilf(1.0f), float: 1, default: 0)",
            "_Generic(__builtin_FILE(), const char *: 1, default: 0) && _Generic(__builtin_FUNCTION()[0], char: 1, default: 0)",
        ],
    );
}

#[test]
fn the_step_of_a_loop_declares_for_its_body() {
    let text = "int main(void) { int n = 0; for (int i = 0; i < 8; i += sizeof(enum <% ONE = 1 %>)) n += ONE; return n; }";
    for model in gcc::MODELS {
        gcc::cfa(text, model).unwrap_or_else(|error| panic!("{model}: {error}"));
    }
}

#[test]
fn the_length_of_a_literal_is_a_constant() {
    let text = "unsigned a = __builtin_strlen(\"a\\0b\"), b[] = { 2 * __builtin_strlen(\"abc\") + 1 };\n\
                int main(void) { return 0; }";
    for model in gcc::MODELS {
        let cfa = gcc::cfa(text, model).unwrap_or_else(|error| panic!("{model}: {error}"));
        let values: Vec<u128> = cfa
            .variables
            .iter()
            .flat_map(|variable| variable.initializer.iter().flat_map(|initializer| &initializer.scalars))
            .filter_map(|scalar| if let ConstantValue::Int(value) = scalar.value { Some(value) } else { None })
            .collect();
        assert_eq!(values, [1, 7]);
    }
}
