//! Every construct that real programs use and parsers forget, as a snapshot.

use super::print;

/// Prints each snippet under its text.
fn report(snippets: &[&str]) -> String {
    let each = snippets.iter().map(|text| format!("{text}\n    {}", print(text).replace('\n', "\n    ")));
    each.collect::<Vec<_>>().join("\n")
}

#[test]
fn declarations() {
    insta::assert_snapshot!(report(&[
        "int a, *b = &a, c[3], (*d)(void), *e(int), (*(*f)[2])(char);",
        "x; *y; f();",
        "main() { return 0; }",
        "static unsigned long int long const z = 1; long unsigned l; short signed s; char unsigned c;",
        "int typedef T; T t; const T u; unsigned T; int v = sizeof(T);",
        "typedef int T; void f(void) { int T = 1; T * T; { typedef char T; T c; } }",
        "typedef int T; void f(T, T x, int T, int (T)); T g;",
        "extern int e asm(\"other\") __attribute__((unused)), g __attribute__((weak)) = 2;",
        "static __thread int a; _Thread_local extern int b; _Atomic int c; _Atomic(int) d;",
        "__int128 a; unsigned __int128 b; __int128_t c; __uint128_t d; __builtin_va_list e;",
        "_Complex double a; float _Complex b; _Complex c; _Complex int d;",
        "_Float128 a; __float128 b; _Float64x c; _Complex _Float32 d; _Decimal64 e; __float80 f;",
        "_Alignas(16) int a; _Alignas(double) char b; _Noreturn void f(void); inline int g(void);",
        "void f(int a[static const 3], int b[*], int c[restrict], int d[], int n, int e[n][n + 1]);",
        "void f(int n; int a[n], int n) { }",
        "int f(char *, ...), g(void), h(), i(register int x);",
        "int f(a, b, c) int a; char *b; { return a; }",
        "struct s *f(g) int (*g)(); { }",
        "int $a$ = 1, \\u00e9 = 2, é3 = 3;",
        "__extension__ typedef struct { int x; } T; __extension__ T t;",
        "typeof(1 + 2) a; __typeof__(int *) b; typeof(a) *c; __auto_type d = 1;",
        "int a = 1;;; ; int b;",
        "int x<:3:>; void f(void) <% %>",
        "void __seg_gs *p; int __seg_fs q;",
    ]));
}

#[test]
fn records_and_enums() {
    insta::assert_snapshot!(report(&[
        "struct s; struct s { int a, *b; unsigned c : 3, : 0, d : 5; } x;",
        "struct { struct { int a; }; union { int b; char c[0]; } u; int tail[]; } x;",
        "struct e {}; union f { __extension__ struct { int a; }; }; struct g { int a; ; int b };",
        "struct __attribute__((packed)) p { char a; int b __attribute__((aligned(8))); } __attribute__((aligned(4)));",
        "struct s { int x : 3 __attribute__((packed)), (*f)(void); _Static_assert(1, \"m\"); const int; };",
        "union __attribute__((transparent_union)) u { int *a; long *b; };",
        "#pragma pack(push, 1)\nstruct a { int x; };\n#pragma pack(4)\nstruct b { struct c { int y; } z; };\n#pragma pack(pop)\nstruct d { int w; };",
        "_Pragma(\"pack(2)\") struct a { int x; };",
        "enum e { A, B = 3, C = B + 1, } x; enum f { D __attribute__((deprecated)) = 1 } __attribute__((packed)); enum e y;",
        "typedef int T; struct T { T T; unsigned T2 : 2; }; struct T x = { .T = 1 };",
        "typedef int A; void f(void) { enum { A }; int x = A * 2; }",
    ]));
}

#[test]
fn attributes() {
    insta::assert_snapshot!(report(&[
        "void f(void) __attribute__((noreturn, __cold__, format(printf, 1, 2), section(\".x\")));",
        "int a __attribute__((mode(DI))), b __attribute__((__mode__(__word__)));",
        "typedef int v4 __attribute__((vector_size(16))); typedef int u __attribute__((aligned));",
        "void a(void) __attribute__((constructor)); void b(void) __attribute__((destructor(101)));",
        "void f(void) { int x __attribute__((cleanup(g))) = 1; }",
        "void a(void) __attribute__((alias(\"b\"))); void c(void) __attribute__((ifunc(\"d\"), weakref(\"e\"), weakref));",
        "struct __attribute__((scalar_storage_order(\"big-endian\"))) s { int x; };",
        "__attribute__((unused)) static int a; int __attribute__((unused)) b, __attribute__((weak)) c;",
        "int (__attribute__((stdcall)) *f)(int), *__attribute__((may_alias)) const p;",
        "void f(int a __attribute__((unused)), __attribute__((unused)) int b, int (*)(int) __attribute__((unused)));",
        "int a __attribute__((returns_twice, frobnicate(1, (2)), , const)) ; int b __attribute__(());",
        "void f(void) { l: __attribute__((unused)); switch (1) { case 1: f(); __attribute__((fallthrough)); default: ; } }",
        "void f(int a) { if (a) __attribute__((unused)); }",
        "void f(void) { __attribute__((unused)) int x; int y __attribute__((unused)) = 2; }",
        "[[deprecated]] int x [[gnu::aligned(8)]]; struct [[gnu::packed]] s { int a [[maybe_unused]]; } [[]];",
        "[[noreturn]] void f [[gnu::cold]] (int a [[maybe_unused]], [[packed]] int b[3] [[my::own(1)]]) { [[fallthrough]]; l: [[maybe_unused]]; if (a) [[gnu::cold]] f(1); [[maybe_unused]] int c; }",
        "#pragma weak f\n#pragma GCC diagnostic push\n#pragma scalar_storage_order big-endian\nint x;",
    ]));
}

#[test]
fn initialisers() {
    insta::assert_snapshot!(report(&[
        "int a[] = { 1, 2, { 3 }, }; int b[3] = {}; char s[] = \"x\" \"y\"; char t[] = { \"z\" };",
        "struct s x = { .a = 1, b: 2, .c.d[1] = 3, .e = { [0 ... 2] = 4, [3] 5, [4][5] = 6 } };",
        "int *p = (int[]) { 1, 2 }; struct s *q = &(struct s) { .a = 1 };",
    ]));
}

#[test]
fn statements() {
    insta::assert_snapshot!(report(&[
        "void f(void) { if (a) if (b) c; else d; else if (e) ; else { } }",
        "void f(void) { for (;;) break; for (int i = 0, j; i < 3; i++) continue; for (i = 0; ; ) ; while (1) ; do x++; while (x < 3); }",
        "void f(void) { switch (x) { case 1: case 2 ... 5: y(); break; default: z: case 'a': ; } }",
        "void f(void) { switch (x) case 1: default: return; }",
        "void f(void) { __label__ a, b; __label__ c; goto a; a: b: c: ; }",
        "void f(void) { void *p = &&l; goto *p; l: return; m: }",
        "void f(void) { l: int x = 1; goto l; }",
        "typedef int T; void f(void) { T: goto T; }",
        "void f(void) { int g(int x) { return x; } auto int h(void); int k(a) int a; { return a; } g(1); }",
        "void f(void) { _Static_assert(1); __extension__ _Static_assert(1, \"x\"); int _Static = 1; }",
    ]));
}

#[test]
fn inline_assembly() {
    insta::assert_snapshot!(report(&[
        "asm(\".globl x\"); __asm__(\"nop\");",
        "void f(void) { asm(\"nop\"); asm volatile (\"\" ::: \"memory\"); __asm__ __volatile__ (\"a\" \"b\" : \"=r\" (x), [n] \"+m\" (*p) : \"i\" (1), [int] \"r\" (y) : \"cc\", \"eax\"); }",
        "void f(void) { asm goto (\"jmp %l0\" : : \"r\" (x) : : a, b); asm inline (\"\" : ); asm volatile inline goto (\"\" :::: a); a: b: ; }",
        "register int r asm(\"eax\"); int f(void) asm(\"g\");",
    ]));
}

#[test]
fn expressions() {
    let wrapped: Vec<String> = [
        "a = b += c ? d : e ? f : g, h",
        "a ?: b ?: c",
        "a || b && c | d ^ e & f == g < h << i + j * k",
        "a - b - c * (d - e) % -f",
        "-a++ + ++*b-- - !~c",
        "*p->q.r[i](j, k)[2]++",
        "(int) a + (char *(*)(void)) (b) - (T) { 1 }.x - (struct s *[3]) c[0]",
        "sizeof a + sizeof(a) - sizeof(int *[3]) - sizeof (int) { 1 } - sizeof (a)->b - sizeof -x",
        "_Alignof(int) + __alignof__(a) + __alignof__ a",
        "({ int x = 1; x; }) + ({ })",
        "__builtin_offsetof(struct s, a.b[i].c) + __builtin_offsetof(struct s, a->b)",
        "__builtin_types_compatible_p(int, const char *) ? __builtin_choose_expr(1, a, b) : 0",
        "__builtin_va_arg(ap, int (*)(void))",
        "_Generic(a, int: 1, char *: 2, default: 3)(x)",
        "__extension__ a + __real__ b + __imag__ c",
        "(__extension__ (long long) a)",
        "__builtin_convertvector(v, int)",
        "1 + 0x10u + 07 + 10000000000ll + 1.5f + 0x1p3 + 'a' + L'b' + '\\n' + 'ab' + 3i",
        "\"a\\\"b\" \"c\"[0] + L\"w\" \"x\"[1] + sizeof u8\"é\"",
        "(a, b), f((c, d), e = 1)",
        "__func__[0] + __builtin_expect(!!(x), 1)",
        "(T)(a) + (a)(b) + (T)-1 + (a)-1 + (T)&x + (a)&x",
    ]
    .iter()
    .map(|text| format!("typedef int T; void f(void) {{ {text}; }}"))
    .collect();
    let bare = |printed: String| printed.lines().last().unwrap().replace("(function void f:() (block ", "(");
    let lines: Vec<String> =
        wrapped.iter().map(|text| format!("{}\n    {}", &text[30..text.len() - 3], bare(print(text)))).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn splices_comments_and_directives() {
    insta::assert_snapshot!(report(&[
        "in\\\nt a; /* x\n */ int // y \\\n z\n b; char *s = \"x\\\ny\";",
        "# 1 \"a.h\" 1\nint a;\n#line 7\nint b;\n#ident \"x\"\n#\n#pragma once\n",
        "\u{feff}int a;\r\nint b;\r\n",
        "",
        "  /* nothing */ ;",
    ]));
}

#[test]
fn spans() {
    let text = "struct s { int m : 2 ; } x = { . m = 1 } , * y ;\nvoid f ( int p ) { l : if ( ( p ) + 1 ) x . m = 2 ; else ; }";
    let ast = super::tree(text);
    let cut = |span: crate::source::Span| &text[span.lo as usize..span.hi as usize];
    let mut lines: Vec<String> = Vec::new();
    lines.extend(ast.declarations.iter().map(|node| format!("declaration |{}|", cut(node.span))));
    lines.extend(ast.init_declarators.iter().map(|node| format!("declarator |{}|", cut(node.span))));
    lines.extend(ast.functions.iter().map(|node| format!("function |{}|", cut(node.declarator.span))));
    lines.extend(ast.parameters.iter().map(|node| format!("parameter |{}|", cut(node.span))));
    lines.extend(ast.records.iter().map(|node| format!("record |{}|", cut(node.span))));
    lines.extend(ast.stmts.iter().map(|node| format!("statement |{}|", cut(node.span))));
    lines.extend(ast.exprs.iter().map(|node| format!("expression |{}|", cut(node.span))));
    insta::assert_snapshot!(lines.join("\n"));
}
