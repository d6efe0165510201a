/* One function per construct; each returns a number that depends on it. No undefined behaviour, no input. */
struct P { int x, y; };
struct B { unsigned a : 3; int b : 5; unsigned long long c : 33; _Bool d : 1; signed char e; };
union U { int i; unsigned char c[4]; struct P p; };
typedef int (*fn)(int, int);
static int g, h[10], calls;
static int next(void) { return ++calls; }
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static long id(long v) { calls++; return v; }
static struct P make(int x, int y) { struct P p = { x, y }; return p; }
static int sum(struct P p) { p.x += 100; return p.x + p.y; }
static int kr(a, b, c) int a; char b; { return a * 100 + b * 10 + c; }
static int counter(void) { static int n = 5; return n++; }
static int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }

long post_and_pre(void) { int i = 3; int a = i++ * 10, b = ++i, c = i-- - 1, d = --i; return a * 1000 + b * 100 + c * 10 + d; }
long post_pointer(void) { int a[4] = { 1, 2, 3, 4 }, *p = a; int x = *p++; int y = *++p; int z = (*p)++; return x * 1000 + y * 100 + z * 10 + a[2] + (p - a); }
long narrow_step(void) { unsigned char c = 255; signed char s = 127; c++; s++; return c * 1000 + s; }
long bool_step(void) { _Bool b = 0; b++; b++; int x = b; b = b - 1; return x * 10 + b; }
long compound_types(void) { char c = 100; c += 100; unsigned char u = 3; u -= 5; short s = 300; s *= 300; int i = 7; i /= 2.0; i <<= 3; i ^= 5; i %= 7; return c + u * 1000L + s * 1000000L + i; }
long compound_float(void) { int i = 10; i *= 1.5; i += 0.9; float f = 1; f /= 3; return i * 1000 + (int) (f * 100); }
long bit_fields(void) { struct B v = { 9, -3, 1ull << 32, 2, 200 }; v.a += 5; v.b -= 20; v.c |= v.c >> 31; v.d = 4; return v.a + v.b * 10 + (long) (v.c >> 30) * 1000 + v.d * 100000 + v.e; }
long bit_field_value(void) { struct B v = { 0 }; int x = (v.a = 13); int y = (v.b = 31); int z = v.a++; z += ++v.b; return x * 10000 + y * 100 + z + v.a + v.b; }
long bit_field_promotion(void) { struct B v = { .a = 7, .b = -1 }; return (v.a - 8 < 0) + 2 * (v.b < 0u) + 4 * ((v.a << 30) < 0) + 8 * (-v.a < 0); }
long unsigned_wrap(void) { unsigned u = 0; u--; unsigned long l = u; l++; return l + (u > -1) + (u == -1); }
long signed_unsigned(void) { int i = -1; unsigned u = 1; long l = -1; return (i < u) + 2 * (l < u) + 4 * (i < (long) u) + 8 * (i > sizeof(int)); }
long char_sign(void) { char c = '\xff'; unsigned char u = '\xff'; return c * 1000 + u; }
long shifts(void) { int n = -16; unsigned u = n; return (n >> 2) * 1000 + (u >> 28) + (1 << 4) + (long) (1ul << 40) + ((char) 1 << 10); }
long division(void) { return (-7 / 2) * 1000 + (-7 % 2) * 100 + (7 / -2) * 10 + 7 % -2; }
long comma(void) { int a = 1, b; b = (a++, a += 5, a * 2); for (a = 0, b++; a < 3; a++, b += 2) ; return b * 10 + a; }
long conditional(void) { int a = 5; long l = a > 3 ? a : 1ul; int *p = 0; int v = p ? *p : -1; return l * 10 + v + (a ? 1.5 : 2) * 2; }
long conditional_effects(void) { int a = 1, b = 2; int c = a > b ? a++ : b++; int d = (a < b) ? (a = 10) : (b = 20); return a * 1000 + b * 100 + c * 10 + d; }
long elvis(void) { int a = 0, b = 7; calls = 0; int c = next() ?: 100; int d = a ?: b; int e = (a++) ?: 9; return c * 1000 + d * 100 + e * 10 + a + calls; }
long conditional_struct(void) { struct P p = { 1, 2 }, q = { 3, 4 }; g = 1; struct P r = g ? p : q; g = 0; return r.x * 1000 + (g ? p : q).y * 100 + sum(g ? p : q); }
long nested_conditional(void) { int r = 0; for (int i = 0; i < 6; i++) r = r * 10 + (i < 2 ? i == 0 ? 1 : 2 : i < 4 ? next() && 0 ? 9 : 3 : 4); return r; }
long logical_value(void) { int *p = 0, a[2] = { 1, 0 }; int i = 0; int x = p && *p; int y = !p || *p; int z = (i++ && i++); z += (i++ || i++); int w = a[0] && a[1]; return x * 1000 + y * 100 + z * 10 + i + w * 10000; }
long logical_condition(void) { int r = 0, i; for (i = 0; i < 8; i++) if ((i & 1 && i & 2) || !(i & 4 || i == 1)) r |= 1 << i; return r; }
long not_not(void) { int x = 5; double d = 0.5; char *s = "a"; return !x + 2 * !!x + 4 * !d + 8 * !!s + 16 * !0; }
long switch_fall(void) { int r = 0; for (int i = -1; i < 9; i++) switch (i) { case 0: r += 1; case 1: r += 10; break; case 2 ... 4: r += 100; continue; default: r += 1000; break; case 7: r += 10000; { case 8: r += 100000; } } return r; }
long switch_narrow(void) { unsigned char c = 200; switch (c) { case 200: return 1; case (unsigned char) -56 + 256: return 2; } return 3; }
long switch_long(void) { switch (1l << 40) { case 0: return 0; case 1l << 40: return 5; default: return 6; } }
long switch_unsigned(void) { unsigned u = -1; switch (u) { case -1: return 4; default: return 7; } }
long switch_declared(void) { int r = 0; switch (3) { int k; case 3: k = 9; r = k; case 4: k = r + 1; r += k; } return r; }
long duff(void) { int n = 13, c = 0, k = (n + 3) / 4; switch (n % 4) { case 0: do { c++; case 3: c++; case 2: c++; case 1: c++; } while (--k > 0); } return c; }
long loops(void) { int r = 0, i = 0; while (1) { if (++i > 20) break; if (i % 3) continue; r += i; } do { r++; if (r > 1000) break; } while (i-- > 10); for (;;) { if (r++ > 90) break; } return r * 100 + i; }
long do_continue(void) { int i = 0, r = 0; do { i++; if (i == 2) continue; r += i; } while (i < 5); return r; }
long gotos(void) { int i = 0, r = 0; again: if (i >= 3) goto out; r = r * 10 + i; i++; goto again; out: if (r < 100) { r += 1000; goto again; } return r; }
long goto_into_loop(void) { int i = 5, r = 0; goto middle; while (i > 0) { r += 10; middle: r++; i--; } return r; }
long computed_goto(void) { static void *table[] = { &&a, &&b, &&c }; int r = 0, i = 0; next: goto *table[i]; a: r += 1; i = 2; goto next; b: r += 10; return r; c: r += 100; i = 1; goto next; }
long local_label(void) { int r = 0; for (int i = 0; i < 3; i++) { __label__ skip; if (i == 1) goto skip; r += 10; skip: r++; } return r; }
long statement_expression(void) { int a = ({ int t = 3; t *= 2; t + 1; }); int b = ({ int s = 0; for (int i = 0; i < 4; i++) s += i; s; }); b += ({ a += 10; a; }); return a * 1000 + b; }
long nested_statement_expression(void) { int x = 2; return ({ int y = ({ int x = 5; x + 1; }) * x; ({ y + x; }); }); }
long shadowing(void) { int x = 1; { int x = 2; { extern int g; int x = 3; g = x; } g += x; } for (int x = 7; x < 8; x++) g += x; return g * 10 + x; }
long struct_copy(void) { struct P a = { 1, 2 }, b = a, c; a.x = 9; c = b; c.y += a.x; struct P *p = &c; *p = (b.x = 4, b); return a.x * 1000 + b.x * 100 + c.x * 10 + c.y; }
long struct_call(void) { struct P p = make(3, 4); int s = sum(p); return s * 100 + p.x * 10 + make(5, 6).y + sum(make(1, 1)); }
long struct_chain(void) { struct P a, b, c; a = b = c = make(7, 8); return a.x * 100 + b.y * 10 + c.x; }
long compound_literal(void) { struct P *p = &(struct P) { 3, .y = 4 }; int *a = (int[]) { 1, 2, 3 }; p->x += a[2]; int s = sum((struct P) { 5 }); int n = (int) { 6 }; return p->x * 10 + p->y + s + n; }
long compound_literal_loop(void) { int r = 0; for (int i = 0; i < 3; i++) { int *p = (int[2]) { i }; p[1] += 5; r = r * 100 + p[0] * 10 + p[1]; } return r; }
long unions(void) { union U u; u.i = 0x01020304; int r = u.c[0] * 1000 + u.c[3]; u.c[1] = 9; u.p.y = 5; return r * 100000L + u.i + u.p.y; }
long pointers(void) { int a[5] = { 1, 2, 3, 4, 5 }, *p = a + 4, *q = &a[1]; int **pp = &p; **pp = 50; *pp -= 2; return (p - q) * 1000 + *p * 100 + p[-1] * 10 + q[2] + 2[a] + (p > q) + (p != &a[2]); }
long pointer_unsigned(void) { int a[4] = { 1, 2, 3, 4 }, *p = a + 3; unsigned u = 2; p -= u; p = p + 1u - u; return *p * 10 + p[u]; }
long char_pointer(void) { int v = 0x11223344; char *p = (char *) &v; unsigned char *q = (unsigned char *) &v + 1; *q = 0xff; return p[0] * 1000L + (v >> 8 & 0xff); }
long arrays(void) { int m[3][4] = { { 1, 2 }, [2] = { [3] = 9 } }; int (*r)[4] = m + 1; (*r)[2] = 5; r[1][0] = 6; int s = 0; for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) s = s * 3 + m[i][j]; return s; }
long initialisers(void) { struct { struct P p[2]; char s[4]; int t[3]; } v = { { 1, 2, 3 }, "ab", { [1] = 7 } }; struct P z = { }; int a[] = { 1, [3] = 4, 5 }; return v.p[1].x * 10000 + v.p[1].y + v.s[1] * 10 + v.s[3] + v.t[1] + v.t[2] + z.y + sizeof a; }
long initialiser_order(void) { calls = 0; int a[3] = { next(), next(), next() }; struct P p = { .x = next(), .y = next() }; return a[0] * 10000 + a[1] * 1000 + a[2] * 100 + p.x * 10 + p.y; }
long string_initialisers(void) { char a[] = "hello", b[3] = "abc", c[8] = { "xy" }, *d = "pq" "rs"; a[0]++; return sizeof a * 100000 + a[0] + b[2] * 10 + c[1] + c[5] + d[3] * 100; }
long wide_strings(void) { unsigned short u[] = u"a\u00e9"; return sizeof u * 1000 + u[1] + L"xyz"[2] + U"q"[0]; }
long function_pointers(void) { fn table[2] = { add, &sub }; fn f = table[1]; int r = f(9, 4) * 100 + table[0](1, 2) * 10 + (*f)(3, 1) + (**table)(1, 1); f = g >= 0 ? add : sub; return r + f(10, 20); }
long function_compare(void) { fn f = add; return (f == add) + 2 * (f == sub) + 4 * (f != 0) + 8 * (add ? 1 : 0); }
long kr_call(void) { return kr(1, 'a' - 95, 3) + kr(4, 5, 6); }
long static_local(void) { int a = counter(), b = counter(); return a * 10 + b + fact(6); }
long argument_effects(void) { int i = 1; int a = add(i, 5); calls = 0; a = a * 100 + add(next(), 10) * 10; return a + sub(id(7), 3); }
long saved_operands(void) { int i = 2, a[5] = { 10, 20, 30, 40, 50 }; calls = 3; int x = a[i] + next(); int y = a[next() - 3] + i; a[next() - 3] = next(); return x * 10000 + y * 100 + a[3]; }
long assign_chain(void) { int a, b; char c; a = b = c = 300; return a * 10000 + b * 10 + c; }
long assign_value(void) { int a[3], i = 0; int r = (a[i++] = 5); r += (a[i] = 7); struct P p, *q = &p; int x = (q->x = 9); r += x + (q->y = r); return r * 100 + p.y + i; }
long compound_place(void) { int a[3] = { 1, 2, 3 }, i = 0; a[i++] += 10; a[i++] *= 5; a[next() > 0] -= 1; return a[0] * 100 + a[1] * 10 + i; }
long casts(void) { int i = 0x12345; return (char) i + (short) i * 2 + (unsigned char) -1 + (_Bool) i + (_Bool) 256 + (long) (int) 0xffffffffu + (int) 3.99 + (int) -3.99; }
long int_pointer(void) { long v = 0x1234; void *p = (void *) v; return (long) p + ((char *) p + 4 - (char *) 4 == (char *) p); }
long enums(void) { enum { A, B = 5, C } e = C; enum N { M = -1, K } n = M; return e * 10 + (n < 0) + sizeof e + (e > -1) * 100; }
long sizes(void) { int a[7]; int i = 1; unsigned long n = sizeof(i++) + sizeof a / sizeof *a + sizeof(struct B) + _Alignof(long) + sizeof "abc" + sizeof(char[2][3]); return n * 10 + i; }
long offsets(void) { return __builtin_offsetof(struct B, e) * 10 + (long) &((struct P *) 0)->y + __builtin_offsetof(union U, c[2]); }
long typeofs(void) { int x = 3; typeof(x) y = 4; typeof(int *) p = &y; __typeof__(*p + 1.0) d = 2.5; __auto_type z = d * 2; return *p * 100 + (int) (z * 10); }
long generics(void) { short s = 1; return _Generic(s, int: 1, short: 2, default: 3) * 100 + _Generic(s + 1, int: 1, default: 2) * 10 + _Generic("a", char *: 5, default: 6); }
long floats(void) { double d = 0.1 + 0.2; float f = 16777216; f += 1; return (d == 0.3) + 2 * (f == 16777216) + 4 * (d > 0.3) + (long) (d * 1e6) * 10; }
long float_compare(void) { double z = 0.0, n = z / z; return (n == n) + 2 * (n != n) + 4 * (n < 1) + 8 * !(n >= 1) + 16 * (-z == z) + 32 * !!n; }
long int128(void) { __int128 a = (__int128) 1 << 100; a -= 1; unsigned __int128 b = a; return (long) (a >> 60) % 1000000007 + (b > 5) + (int) (a % 1000); }
long bit_builtins(void) { g = 40; return __builtin_clz(g) + __builtin_ctz(g) * 100 + __builtin_popcountll(0xff00ffull * g) * 10000 + __builtin_ffs(g) + __builtin_parity(g) * 7 + (__builtin_bswap32(0x01020304) & 0xff) * 1000000L; }
long overflow_builtins(void) { int r; unsigned char c; long l; int f = __builtin_add_overflow(2147483647, g = 1, &r); f += 2 * __builtin_mul_overflow(20, 13, &c); f += 4 * __builtin_sub_overflow(5, 3l, &l); return f + r % 1000 + c + l; }
long expect(void) { g = 3; if (__builtin_expect(!!(g == 3), 1)) return 5 + __builtin_constant_p(4) + 2 * __builtin_constant_p(g); return 0; }
long choose(void) { return __builtin_choose_expr(sizeof(int) == 4, 5, "x") + 10 * __builtin_types_compatible_p(int, typeof(g)) + 100 * __builtin_types_compatible_p(int, unsigned); }
long globals(void) { for (int i = 0; i < 10; i++) h[i] = i * i; g = h[3] + h[9]; h[g % 10] = 77; return g * 100 + h[0]; }
long anonymous(void) { struct { int t; union { struct { int a, b; }; long l; }; } v = { 1, { { 2, 3 } } }; v.b += 10; return v.l / (1l << 32) * 100 + v.a * 10 + v.t; }
long volatile_object(void) { volatile int v = 3; volatile int *p = &v; int a = *p + *p * 10; *p = 7; v++; return a * 10 + v; }
long recursion(void) { int f(int); return fact(5) + fact(fact(3)); }
long void_expressions(void) { (void) next(); g = 1; g ? (void) (g = 5) : (void) 0; (void) ({ g++; }); (g++, (void) 0); return g; }
long do_while_zero(void) { int r = 0; do { r++; if (r) break; r += 100; } while (0); while (0) r = 55; for (; 0;) r = 66; if (0) { dead: r += 7; } if (r == 1) goto dead; return r; }
long renewed(void) { int r = 0; for (int i = 0; i < 3; i++) { int k = i; k *= 2; r += k; } return r; }
long null_pointer(void) { int *p = (void *) 0; char *q = 0; return (p == 0) + 2 * !q + 4 * (p ? 1 : 0) + 8 * (q == (void *) 0); }
long string_compare(void) { char *s = "abc"; int n = 0; while (*s) n += *s++; return n; }
long literals(void) { return 0x1F + 017 + 0b101 + 'ab' % 1000 + '\0' + '\x41' + 10u + 1e2 + 0x1p3; }
long transparent(void) { return __extension__ 5 + ({ 3; }) + (1, 2); }
long logic_in_arguments(void) { int x = 3, *p = &x; return add(x > 2 && *p == 3, x < 2 || *p == 4) * 10 + add(p ? *p : 0, !p ? 1 : *p); }
long array_of_struct(void) { struct P a[3] = { { 1, 2 }, { 3 } }; struct P *p = a; p++; p->y = 4; (p + 1)->x = 5; a[2].y = (*p).x; struct P b = p[1]; return a[1].y * 1000 + b.x * 100 + b.y * 10 + a[2].y; }
long multi_assign(void) { struct P a = { 1, 2 }; a = (struct P) { a.y, a.x }; return a.x * 10 + a.y; }
long sync_builtins(void) { int v = 5, *p = &v; int a = __sync_fetch_and_add(p, 3), b = __sync_sub_and_fetch(p, 1); _Bool c = __sync_bool_compare_and_swap(&v, 7, 9); int d = __sync_val_compare_and_swap(&v, 1, 2); a = a * 1000 + b * 100 + c * 10 + d + v * 10000; a += __sync_lock_test_and_set(&v, 4); a += __sync_fetch_and_nand(&v, 6); return a + v; }
long atomic_builtins(void) { short s = 7; int e = 3, v = 3, r; unsigned char f = 0; int a = __atomic_load_n(&s, 5), b = __atomic_exchange_n(&s, 70000, 5); _Bool c = __atomic_compare_exchange_n(&v, &e, 8, 0, 5, 5), d = __atomic_compare_exchange_n(&v, &e, 9, 0, 5, 5); __atomic_store_n(&g, 6, 5); __atomic_load(&g, &r, 5); a += b * 10 + s + c * 100000 + d + e + v * 7 + r; a += __atomic_test_and_set(&f, 5); a += __atomic_test_and_set(&f, 5) * 2; a += __atomic_or_fetch(&g, 9, 5); return a + f; }
extern long __builtin_expect(long, long);
long declared_builtin(void) { return __builtin_expect(g + 4, 1); }
long odd_bit_counts(void) { g = 0x10; return __builtin_ctzl(g) + __builtin_clzll(g) * 10 + __builtin_bswap16(0x1234) + __builtin_ffsll(0) + __builtin_clzl(1ul << 35); }

/* A variable beside an operand that changes it. */
static int beside_i;
static int change_i(void) { beside_i = 50; return 3; }
static long beside_l;
static long change_l(void) { beside_l = 50; return 3; }
static unsigned beside_u;
static unsigned change_u(void) { beside_u = 50; return 3; }
static short beside_s;
static short change_s(void) { beside_s = 50; return 3; }
static char beside_c;
static char change_c(void) { beside_c = 50; return 3; }
static unsigned char beside_uc;
static unsigned char change_uc(void) { beside_uc = 50; return 3; }
static double beside_d;
static double change_d(void) { beside_d = 50; return 3; }
static _Bool beside_b;
static _Bool change_b(void) { beside_b = 50; return 3; }
static int change_i_too(void) { beside_s = 50; return 3; }
static long change_i_long(void) { beside_i = 50; return 3; }
static double change_i_double(void) { beside_i = 50; return 3; }
static int change_at(int *at) { *at = 50; return 3; }
static int *beside_p, beside_a[9];
static int *change_p(void) { beside_p = beside_a + 5; return beside_a + 5; }
long order_add_i(void) { beside_i = 4; return (long)(beside_i + change_i()); }
long order_times_i(void) { beside_i = 4; return (long)(beside_i * change_i()); }
long order_or_i(void) { beside_i = 4; return (long)(beside_i | change_i()); }
long order_xor_i(void) { beside_i = 4; return (long)(beside_i ^ change_i()); }
long order_and_i(void) { beside_i = 4; return (long)(beside_i & change_i()); }
long order_minus_i(void) { beside_i = 4; return (long)(beside_i - change_i()); }
long order_divided_i(void) { beside_i = 4; return (long)(beside_i / change_i()); }
long order_modulo_i(void) { beside_i = 4; return (long)(beside_i % change_i()); }
long order_left_i(void) { beside_i = 4; return (long)(beside_i << change_i()); }
long order_right_i(void) { beside_i = 4; return (long)(beside_i >> change_i()); }
long order_less_i(void) { beside_i = 4; return (long)(beside_i < change_i()); }
long order_more_i(void) { beside_i = 4; return (long)(beside_i > change_i()); }
long order_equal_i(void) { beside_i = 4; return (long)(beside_i == change_i()); }
long order_unequal_i(void) { beside_i = 4; return (long)(beside_i != change_i()); }
long order_add_l(void) { beside_l = 4; return (long)(beside_l + change_l()); }
long order_times_l(void) { beside_l = 4; return (long)(beside_l * change_l()); }
long order_or_l(void) { beside_l = 4; return (long)(beside_l | change_l()); }
long order_xor_l(void) { beside_l = 4; return (long)(beside_l ^ change_l()); }
long order_and_l(void) { beside_l = 4; return (long)(beside_l & change_l()); }
long order_minus_l(void) { beside_l = 4; return (long)(beside_l - change_l()); }
long order_divided_l(void) { beside_l = 4; return (long)(beside_l / change_l()); }
long order_modulo_l(void) { beside_l = 4; return (long)(beside_l % change_l()); }
long order_left_l(void) { beside_l = 4; return (long)(beside_l << change_l()); }
long order_right_l(void) { beside_l = 4; return (long)(beside_l >> change_l()); }
long order_less_l(void) { beside_l = 4; return (long)(beside_l < change_l()); }
long order_more_l(void) { beside_l = 4; return (long)(beside_l > change_l()); }
long order_equal_l(void) { beside_l = 4; return (long)(beside_l == change_l()); }
long order_unequal_l(void) { beside_l = 4; return (long)(beside_l != change_l()); }
long order_add_u(void) { beside_u = 4; return (long)(beside_u + change_u()); }
long order_times_u(void) { beside_u = 4; return (long)(beside_u * change_u()); }
long order_or_u(void) { beside_u = 4; return (long)(beside_u | change_u()); }
long order_xor_u(void) { beside_u = 4; return (long)(beside_u ^ change_u()); }
long order_and_u(void) { beside_u = 4; return (long)(beside_u & change_u()); }
long order_minus_u(void) { beside_u = 4; return (long)(beside_u - change_u()); }
long order_divided_u(void) { beside_u = 4; return (long)(beside_u / change_u()); }
long order_modulo_u(void) { beside_u = 4; return (long)(beside_u % change_u()); }
long order_left_u(void) { beside_u = 4; return (long)(beside_u << change_u()); }
long order_right_u(void) { beside_u = 4; return (long)(beside_u >> change_u()); }
long order_less_u(void) { beside_u = 4; return (long)(beside_u < change_u()); }
long order_more_u(void) { beside_u = 4; return (long)(beside_u > change_u()); }
long order_equal_u(void) { beside_u = 4; return (long)(beside_u == change_u()); }
long order_unequal_u(void) { beside_u = 4; return (long)(beside_u != change_u()); }
long order_or_s(void) { beside_s = 4; return beside_s | change_s(); }
long order_and_s(void) { beside_s = 4; return beside_s & change_s(); }
long order_xor_s(void) { beside_s = 4; return beside_s ^ change_s(); }
long order_less_s(void) { beside_s = 4; return beside_s < change_s(); }
long order_equal_s(void) { beside_s = 4; return beside_s == change_s(); }
long order_minus_s(void) { beside_s = 4; return beside_s - change_s(); }
long order_or_c(void) { beside_c = 4; return beside_c | change_c(); }
long order_and_c(void) { beside_c = 4; return beside_c & change_c(); }
long order_xor_c(void) { beside_c = 4; return beside_c ^ change_c(); }
long order_less_c(void) { beside_c = 4; return beside_c < change_c(); }
long order_equal_c(void) { beside_c = 4; return beside_c == change_c(); }
long order_minus_c(void) { beside_c = 4; return beside_c - change_c(); }
long order_or_uc(void) { beside_uc = 4; return beside_uc | change_uc(); }
long order_and_uc(void) { beside_uc = 4; return beside_uc & change_uc(); }
long order_xor_uc(void) { beside_uc = 4; return beside_uc ^ change_uc(); }
long order_less_uc(void) { beside_uc = 4; return beside_uc < change_uc(); }
long order_equal_uc(void) { beside_uc = 4; return beside_uc == change_uc(); }
long order_minus_uc(void) { beside_uc = 4; return beside_uc - change_uc(); }
long order_or_b(void) { beside_b = 4; return beside_b | change_b(); }
long order_and_b(void) { beside_b = 4; return beside_b & change_b(); }
long order_xor_b(void) { beside_b = 4; return beside_b ^ change_b(); }
long order_less_b(void) { beside_b = 4; return beside_b < change_b(); }
long order_equal_b(void) { beside_b = 4; return beside_b == change_b(); }
long order_add_d(void) { beside_d = 4; return (long)(beside_d + change_d()); }
long order_times_d(void) { beside_d = 4; return (long)(beside_d * change_d()); }
long order_minus_d(void) { beside_d = 4; return (long)(beside_d - change_d()); }
long order_divided_d(void) { beside_d = 4; return (long)(beside_d / change_d()); }
long order_less_d(void) { beside_d = 4; return (long)(beside_d < change_d()); }
long order_equal_d(void) { beside_d = 4; return (long)(beside_d == change_d()); }
long order_short_and_int(void) { beside_s = 4; return beside_s == 50 && (beside_s = 4, beside_s == change_i_too() + 47); }
long order_int_and_long(void) { beside_i = 4; return beside_i + change_i_long(); }
long order_int_and_double(void) { beside_i = 4; return (long)(beside_i + change_i_double()); }
long order_int_and_unsigned(void) { beside_i = 4; return beside_i + (unsigned)change_i(); }
long order_cast(void) { beside_i = 4; return (unsigned)beside_i + (unsigned)change_i(); }
long order_local(void) { int x = 4; return x + change_at(&x); }
static long order_parameter_of(int x) { return x * change_at(&x); }
long order_parameter(void) { return order_parameter_of(4); }
long order_element(void) { int a[2] = { 4, 4 }; return a[1] + change_at(&a[1]); }
long order_member(void) { struct { int x; } s = { 4 }; return s.x + change_at(&s.x); }
long order_behind(void) { int x = 4, *p = &x; return *p + change_at(&x); }
long order_sum_last(void) { beside_i = 4; return beside_i + (1 + change_i()); }
long order_both(void) { beside_i = 4; return beside_i + change_i() + beside_i; }
long order_pointers(void) { beside_p = beside_a; return beside_p == change_p(); }
long order_pointer_and_number(void) { beside_p = beside_a; return beside_p + (change_p() != 0) - beside_a; }
long order_condition(void) { beside_i = 4; if (beside_i < change_i()) return 1; return 2; }
long order_comma(void) { beside_i = 4; return beside_i + (change_i(), 1); }
long order_chosen(void) { beside_i = 4; return beside_i + (change_i() ? 1 : 2); }
long order_statements(void) { beside_i = 4; return beside_i + ({ change_i(); 1; }); }
long order_assigned(void) { int x = 4; return (x = 5) + change_at(&x); }
long order_stepped(void) { int x = 4; return ++x + change_at(&x); }
long order_stepped_back(void) { int x = 4; return x-- * change_at(&x); }
long order_added_to(void) { int x = 4; return (unsigned)(x += 1) + change_at(&x); }
long order_assigned_in_comma(void) { int x = 4; return (g = 1, x = 5) + change_at(&x); }
long order_named_in_comma(void) { int x = 4; return (g = 1, x) + change_at(&x); }
long order_assigned_pointer(void) { beside_p = beside_a + 3; return (beside_p = beside_a) == change_p(); }
long order_cut(void) { beside_l = 4; int r = beside_l + change_l(); return r; }
long order_cut_by_cast(void) { beside_l = 4; return (int)(beside_l * change_l()); }
long order_cut_to_short(void) { beside_i = 4; short r = beside_i | change_i(); return r; }
long order_short_stays(void) { beside_s = 4; short r = beside_s + change_s(); return r; }
long order_char_stays(void) { beside_c = 4; return (char)(beside_c + change_c()); }
long order_cut_difference(void) { beside_l = 4; int r = beside_l - change_l(); return r; }
long order_widened(void) { beside_i = 4; long r = beside_i + change_i(); return r; }
long order_to_bool(void) { beside_i = -3; _Bool r = beside_i + change_i(); return r; }
long order_wide(void) { __int128 x = 4; __int128 r = x + ({ x = 50; (__int128)3; }); return (long)r; }
long order_wide_cut(void) { __int128 x = 4; return (long)(x + ({ x = 50; (__int128)3; })); }

/* What is read before and what behind a call that changes it. */
static int order_i, order_j, order_k, order_b, order_a[6], order_c[6], *order_p, *order_p2, *order_q2;
static unsigned order_ua[6]; static long order_la[6], order_l; static double order_da[6], order_d; static char order_ca[6];
static short order_s1; static int *order_pa[6];
static struct order_s { int m, n; int b : 5; } order_sa[6], order_sg, *order_q;
static int (*order_fp)(void);
static int order_f(void)
{
  order_i = 1; order_j = 5; order_l = 7; order_d = 3; order_s1 = 9; order_k += 2; order_p = order_c; order_q = &order_sa[3];
  order_a[0] += 16; order_sg.m += 8; order_q2 = order_c + 2;
  return 4;
}
static long order_lf(void) { return order_f(); }
static unsigned order_uf(void) { return order_f(); }
static char order_cf(void) { return order_f(); }
static double order_df(void) { return order_f(); }
static struct order_s order_sf(void) { struct order_s r = { order_f(), 6, 1 }; return r; }
static struct order_s *order_sp(void) { order_f(); return &order_sg; }
static int *order_pf(void) { order_f(); return order_c; }
static void *order_vpf(void) { order_f(); return order_c + 1; }
static int *order_pp(void) { order_f(); return order_c + 1; }
static int order_id(int x) { return x; }
static int order_n(void) { order_f(); return 2; }
static int order_g(void) { order_i = 3; return 11; }
static void order_reset(void)
{
  order_i = 0; order_j = 2; order_k = 1; order_b = 0; order_l = 100; order_d = 50; order_s1 = 30;
  order_p = order_p2 = order_a; order_q2 = order_c; order_q = &order_sa[1]; order_fp = order_g;
  for (int n = 0; n < 6; n++) {
    order_a[n] = n + 20; order_c[n] = n + 40; order_ua[n] = n; order_la[n] = n; order_da[n] = n; order_ca[n] = n;
    order_sa[n].m = n; order_sa[n].n = n; order_sa[n].b = n; order_pa[n] = 0;
  }
  order_sg.m = 70; order_sg.n = 71; order_sg.b = 2;
}
static long order_seen(void)
{
  long seen = order_i + 3 * order_k + 5 * order_b + 7 * (order_p - order_a == 1) + 9 * (order_p2 == order_a);
  for (int n = 0; n < 6; n++) {
    seen = seen * 3 + order_a[n] * (n + 1) + order_c[n] * (n + 2);
    seen = seen * 3 + order_ua[n] * (n + 1) + order_la[n] * (n + 2) + (long)order_da[n] * (n + 3) + order_ca[n] * (n + 4);
    seen = seen * 3 + order_sa[n].m * (n + 1) + order_sa[n].n * (n + 2) + order_sa[n].b * (n + 3) + (order_pa[n] != 0) * (n + 5);
  }
  return seen;
}
long order_000(void) { order_reset(); order_a[order_i] = order_f(); return order_seen(); }
long order_001(void) { order_reset(); order_a[order_i] = order_f() + 1; return order_seen(); }
long order_002(void) { order_reset(); order_a[order_i] += order_f(); return order_seen(); }
long order_003(void) { order_reset(); order_a[order_i] = order_lf(); return order_seen(); }
long order_004(void) { order_reset(); order_a[order_i] = (unsigned)order_f(); return order_seen(); }
long order_005(void) { order_reset(); order_a[order_i] = (int)order_uf(); return order_seen(); }
long order_006(void) { order_reset(); order_ua[order_i] = order_f(); return order_seen(); }
long order_007(void) { order_reset(); order_ua[order_i] = (unsigned)order_f(); return order_seen(); }
long order_008(void) { order_reset(); order_a[order_i] = (order_k++, order_f()); return order_seen(); }
long order_009(void) { order_reset(); order_a[order_i] = (order_i = 2, order_f()); return order_seen(); }
long order_010(void) { order_reset(); order_a[order_i] = (order_k++, order_f() + 1); return order_seen(); }
long order_011(void) { order_reset(); order_a[order_i] = order_k ? 3 : order_f(); return order_seen(); }
long order_012(void) { order_reset(); order_a[order_i] = !order_k ? 3 : order_f(); return order_seen(); }
long order_013(void) { order_reset(); order_a[order_i] = ({ order_f(); }); return order_seen(); }
long order_014(void) { order_reset(); order_a[order_i] = ({ order_f() + 1; }); return order_seen(); }
long order_015(void) { order_reset(); order_a[order_i] = ({ order_k = 2; order_f(); }); return order_seen(); }
long order_016(void) { order_reset(); order_sa[order_i] = order_sf(); return order_seen(); }
long order_017(void) { order_reset(); order_sa[order_i] = order_k ? order_sf() : order_sg; return order_seen(); }
long order_018(void) { order_reset(); order_sa[order_i] = ({ order_sf(); }); return order_seen(); }
long order_019(void) { order_reset(); order_sa[order_i] = (struct order_s){ order_f(), 2 }; return order_seen(); }
long order_020(void) { order_reset(); order_sa[order_i] = *order_sp(); return order_seen(); }
long order_021(void) { order_reset(); order_sa[order_i].m = order_f(); return order_seen(); }
long order_022(void) { order_reset(); order_sa[order_i].b = order_f(); return order_seen(); }
long order_023(void) { order_reset(); order_p[0] = order_f(); return order_seen(); }
long order_024(void) { order_reset(); *order_p = order_f(); return order_seen(); }
long order_025(void) { order_reset(); *order_p = order_f() + 1; return order_seen(); }
long order_026(void) { order_reset(); order_p[0] += order_f(); return order_seen(); }
long order_027(void) { order_reset(); order_q->m = order_f(); return order_seen(); }
long order_028(void) { order_reset(); order_q->m = order_f() + 1; return order_seen(); }
long order_029(void) { order_reset(); order_q->m += order_f(); return order_seen(); }
long order_030(void) { order_reset(); order_a[order_i] = order_id(order_f()); return order_seen(); }
long order_031(void) { order_reset(); order_a[order_i] = order_id(order_i); return order_seen(); }
long order_032(void) { order_reset(); order_a[order_n()] = order_id(order_i); return order_seen(); }
long order_033(void) { order_reset(); order_a[order_n()] = order_i; return order_seen(); }
long order_034(void) { order_reset(); order_a[order_n()] = order_i + 5; return order_seen(); }
long order_035(void) { order_reset(); order_a[order_n()] = order_a[order_i]; return order_seen(); }
long order_036(void) { order_reset(); order_a[order_n()] = *order_p; return order_seen(); }
long order_037(void) { order_reset(); order_a[order_n()] = order_q->m; return order_seen(); }
long order_038(void) { order_reset(); order_a[order_n()] = order_sg.m; return order_seen(); }
long order_039(void) { order_reset(); order_a[order_n()] += order_i; return order_seen(); }
long order_040(void) { order_reset(); order_a[order_n()] += order_f(); return order_seen(); }
long order_041(void) { order_reset(); order_a[order_n()] = order_f(); return order_seen(); }
long order_042(void) { order_reset(); order_a[order_n()] = order_f() + 1; return order_seen(); }
long order_043(void) { order_reset(); order_a[order_i] = !order_f(); return order_seen(); }
long order_044(void) { order_reset(); order_a[order_i] = -order_f(); return order_seen(); }
long order_045(void) { order_reset(); order_a[order_i] = (int)(long)order_f(); return order_seen(); }
long order_046(void) { order_reset(); order_a[order_i] = (int)(char)order_f(); return order_seen(); }
long order_047(void) { order_reset(); order_a[order_i] = order_b = order_f(); return order_seen(); }
long order_048(void) { order_reset(); order_a[order_i] = order_a[order_i] + order_f(); return order_seen(); }
long order_049(void) { order_reset(); order_a[order_i] = order_fp(); return order_seen(); }
long order_050(void) { order_reset(); order_a[order_n()] = order_fp(); return order_seen(); }
long order_051(void) { order_reset(); order_a[order_i] = __builtin_expect(order_f(), 1); return order_seen(); }
long order_052(void) { order_reset(); order_a[order_i] = order_k && order_f(); return order_seen(); }
long order_053(void) { order_reset(); order_a[order_i] = order_k || order_f(); return order_seen(); }
long order_054(void) { order_reset(); order_pa[order_i] = order_pf(); return order_seen(); }
long order_055(void) { order_reset(); order_pa[order_i] = (int *)order_vpf(); return order_seen(); }
long order_056(void) { order_reset(); order_pa[order_i] = order_vpf(); return order_seen(); }
long order_057(void) { order_reset(); *order_pp() = order_f(); return order_seen(); }
long order_058(void) { order_reset(); *order_pp() = order_i; return order_seen(); }
long order_059(void) { order_reset(); *order_pp() += order_i; return order_seen(); }
long order_060(void) { order_reset(); order_la[order_i] = order_f(); return order_seen(); }
long order_061(void) { order_reset(); order_da[order_i] = order_df(); return order_seen(); }
long order_062(void) { order_reset(); order_da[order_i] = order_f(); return order_seen(); }
long order_063(void) { order_reset(); order_ca[order_i] = order_cf(); return order_seen(); }
long order_064(void) { order_reset(); order_a[order_i] = order_cf(); return order_seen(); }
long order_065(void) { order_reset(); order_a[order_id(order_i)] = order_id(order_n()); return order_seen(); }
long order_066(void) { order_reset(); order_a[order_i++] = order_k; return order_seen(); }
long order_067(void) { order_reset(); order_a[order_i++] = order_i + 3; return order_seen(); }
long order_068(void) { order_reset(); order_a[++order_i] = order_i + 3; return order_seen(); }
long order_069(void) { order_reset(); order_a[order_i] = order_i++; return order_seen(); }
long order_070(void) { order_reset(); order_a[order_i] = ++order_i; return order_seen(); }
long order_071(void) { order_reset(); order_a[order_i] = (order_i = 2); return order_seen(); }
long order_072(void) { order_reset(); *order_p++ = (order_p == order_a); return order_seen(); }
long order_073(void) { order_reset(); *order_p++ = *order_q2++; return order_seen(); }
long order_074(void) { order_reset(); order_p2 = order_p = order_f() ? order_a : order_p; return order_seen(); }
long order_075(void) { order_reset(); order_a[order_i++] += order_f() + 3; return order_seen(); }
long order_076(void) { order_reset(); order_a[order_id(order_i)] += order_f(); return order_seen(); }
long order_087(void) { order_reset(); order_k = order_i * 3 + order_f(); return order_seen(); }
long order_092(void) { order_reset(); order_k = (order_i ^ 1) + order_f(); return order_seen(); }
long order_095(void) { order_reset(); order_k = order_i + (order_f() - 3); return order_seen(); }
long order_096(void) { order_reset(); order_k = order_i + (1 + order_f()); return order_seen(); }
long order_099(void) { order_reset(); order_k = order_s1 + 1 + order_f(); return order_seen(); }
long order_101(void) { order_reset(); order_k = order_a[0] + order_f(); return order_seen(); }
long order_102(void) { order_reset(); order_k = order_a[0] + 1 + order_f(); return order_seen(); }
long order_103(void) { order_reset(); order_k = (long)order_i + order_f(); return order_seen(); }
long order_104(void) { order_reset(); order_k = (unsigned)order_i + order_f(); return order_seen(); }
long order_105(void) { order_reset(); order_k = (char)order_i + order_f(); return order_seen(); }
long order_106(void) { order_reset(); order_k = order_i + order_lf(); return order_seen(); }
long order_107(void) { order_reset(); order_k = order_l + order_f(); return order_seen(); }
long order_110(void) { order_reset(); order_k = order_i + 1 - order_f(); return order_seen(); }
long order_112(void) { order_reset(); order_k = order_i + 1 < order_f(); return order_seen(); }
long order_113(void) { order_reset(); order_k = -order_i == order_f(); return order_seen(); }
long order_115(void) { order_reset(); order_k = order_d + 1 + order_df(); return order_seen(); }
long order_116(void) { order_reset(); order_k = -order_d * order_df(); return order_seen(); }
long order_117(void) { order_reset(); order_k = order_d * 2 * order_df(); return order_seen(); }
long order_118(void) { order_reset(); order_k = order_i + order_f() + order_i; return order_seen(); }
long order_119(void) { order_reset(); order_k = order_i + (order_j + order_f()); return order_seen(); }
long order_120(void) { order_reset(); order_k = order_i + order_j + order_f(); return order_seen(); }
long order_121(void) { order_reset(); order_k = order_sg.m + order_f(); return order_seen(); }
long order_122(void) { order_reset(); order_k = !order_i + order_f(); return order_seen(); }
long order_123(void) { order_reset(); order_k = (order_i << 1) + order_f(); return order_seen(); }
long order_125(void) { order_reset(); order_k = (order_i, order_i) + order_f(); return order_seen(); }

/* Functions of the library that gcc expands, or that yield what its library says. */
extern int isdigit(int), isinf(double), isinff(float), isnan(double), isnanf(float), finite(double), finitef(float);
extern int strcmp(const char *, const char *), memcmp(const void *, const void *, unsigned long);
extern double fabs(double), floor(double), ceil(double), trunc(double), round(double);
extern float fabsf(float), floorf(float), ceilf(float), truncf(float), roundf(float);
static double library_of[] = { -1e300, -2.5, -2.4, -1, -0.5, -0.3, -0.0, 0.0, 0.3, 0.5, 0.7, 1, 1.5, 2.5, 4503599627370495.5, 1e300 };
static long library_near(double y, double x) { return (y < 1e9 && y > -1e9 ? (long)(y * 8) : y == x) + (y == 0 && 1 / y < 0 ? 5 : 0); }
long library_fabs(void) { long total = 0; for (int i = 0; i < 16; i++) { double x = (double)library_of[i]; total = total * 7 + library_near(fabs(x), x); } return total; }
long library_floor(void) { long total = 0; for (int i = 0; i < 16; i++) { double x = (double)library_of[i]; total = total * 7 + library_near(floor(x), x); } return total; }
long library_ceil(void) { long total = 0; for (int i = 0; i < 16; i++) { double x = (double)library_of[i]; total = total * 7 + library_near(ceil(x), x); } return total; }
long library_trunc(void) { long total = 0; for (int i = 0; i < 16; i++) { double x = (double)library_of[i]; total = total * 7 + library_near(trunc(x), x); } return total; }
long library_round(void) { long total = 0; for (int i = 0; i < 16; i++) { double x = (double)library_of[i]; total = total * 7 + library_near(round(x), x); } return total; }
long library_fabsf(void) { long total = 0; for (int i = 0; i < 16; i++) { float x = (float)library_of[i]; total = total * 7 + library_near(fabsf(x), x); } return total; }
long library_floorf(void) { long total = 0; for (int i = 0; i < 16; i++) { float x = (float)library_of[i]; total = total * 7 + library_near(floorf(x), x); } return total; }
long library_ceilf(void) { long total = 0; for (int i = 0; i < 16; i++) { float x = (float)library_of[i]; total = total * 7 + library_near(ceilf(x), x); } return total; }
long library_truncf(void) { long total = 0; for (int i = 0; i < 16; i++) { float x = (float)library_of[i]; total = total * 7 + library_near(truncf(x), x); } return total; }
long library_roundf(void) { long total = 0; for (int i = 0; i < 16; i++) { float x = (float)library_of[i]; total = total * 7 + library_near(roundf(x), x); } return total; }
long library_isdigit(void) { long total = 0; for (int c = -1; c < 130; c++) total += isdigit(c) * (c + 3); return total; }
long library_classes(void) {
  double zero = 0, down = -1 / zero, nan = zero / zero; float small = (float)down;
  return isinf(down) + 3 * isinf(-down) + 9 * isinff(small) + 27 * isnan(nan) + 81 * finite(down) + 243 * finitef(1.0f) + 729 * isinf(nan) + 2187 * isnanf(small);
}
static const char library_a[] = "a", library_c[] = { 'c', 0 };
long library_compared(void) {
  char own[] = "a";
  return strcmp("a", "c") + 7 * strcmp(library_a, library_c) + 49 * strcmp(own, "c") + 343 * memcmp("abx", "acx", 3) + 2401 * strcmp("xa" + 1, "a") +
    16807 * __builtin_strcmp(library_c, "a") + 117649 * memcmp("ab", "ac", 1);
}
long library_constants(void) { int v = 3; return __builtin_constant_p((v, 3)) + 2 * __builtin_constant_p(3); }
static struct { char a[4], b[6]; } library_object;
long library_sizes(void) {
  return (long)(__builtin_object_size(library_object.a + 1, 1) + 3 * __builtin_object_size(&library_object.a[1], 1) +
    9 * __builtin_object_size(library_object.a + 1, 0) + 27 * __builtin_object_size(library_object.a + 1, 3));
}
long sign_of_double(void) { double a = -2.5, b = 0.0, c = -b, d = -1.0 / 0.0; return __builtin_signbit(a) + 10 * __builtin_signbit(b) + 100 * __builtin_signbit(c) + 1000 * __builtin_signbit(d); }
long sign_of_float(void) { float a = -2.5f, b = 0.0f, c = -b; return __builtin_signbit(a) + 3 * __builtin_signbit(b) + 5L * __builtin_signbit(c) + 7L * __builtin_signbitf(a); }
long sign_of_constants(void) { return __builtin_signbit(-2.5) + 10 * __builtin_signbit(-2.5f) + 100 * __builtin_signbit(2.5) + 1000 * __builtin_signbit(-0.0); }
long sign_in_condition(void) { long total = 0; for (double x = -1; x <= 1; x += 0.5) if (__builtin_signbit(x)) total = total * 10 + 1; else total = total * 10 + 2; return total; }
extern double sqrt(double), fmod(double, double), remainder(double, double), rint(double), nearbyint(double), copysign(double, double);
extern double fmin(double, double), fmax(double, double), fdim(double, double), frexp(double, int *), ldexp(double, int), modf(double, double *);
extern float sqrtf(float), fmodf(float, float), fminf(float, float), copysignf(float, float);
extern long lrint(double), lround(double);
extern int fesetround(int), fegetround(void);
long library_of_numbers(void) { double a = 2.5, b = -7.25, whole; int e; long total = 0;
  total = total * 7 + (long)(sqrt(a) * 1e9); total = total * 7 + (long)(fmod(b, a) * 1e6); total = total * 7 + (long)(remainder(b, a) * 1e6);
  total = total * 7 + (long)rint(a); total = total * 7 + (long)nearbyint(b); total = total * 7 + (long)(copysign(a, b) * 4);
  total = total * 7 + (long)(fmin(a, b) * 4); total = total * 7 + (long)(fmax(a, b) * 4); total = total * 7 + (long)(fdim(a, b) * 4);
  total = total * 7 + (long)(frexp(b, &e) * 1e6); total += e; total = total * 7 + (long)(ldexp(b, 5) * 4); total = total * 7 + (long)(modf(b, &whole) * 8); total += (long)whole;
  return total; }
long library_of_floats(void) { float a = 2.5f, b = -7.25f; return (long)(sqrtf(a) * 1e6f) + 3 * (long)(fmodf(b, a) * 1e4f) + 5 * (long)(fminf(a, b) * 4) + 7 * (long)(copysignf(a, b) * 4) + 11 * lrint(a) + 13 * lround(a); }
long library_of_builtins(void) { double a = 6.25; long total = (long)__builtin_sqrt(a); total = total * 7 + (long)__builtin_fmax(a, 7.0); return total * 7 + (long)__builtin_copysign(a, -1.0); }
long library_of_rounding(void) { return fesetround(0) * 10 + fegetround(); }

/* Choices and steps that are lowered as statements of their own. */
static int choice_t[3] = { 5, 6, 7 };
static int choice_of(int c, int a) { return c > 2 && a < 9 ? a : c || a == 4 ? -a : !c ? 1 : 2; }
long choice_return(void) { long total = 0; for (int c = 0; c < 5; c++) for (int a = 3; a < 11; a++) total = total * 3 + choice_of(c, a); return total; }
long choice_types(void) { int c = 1; char d = c ? 300 : 3; unsigned u = c ? -1 : 5u; long l = !c ? 1 : -1u; _Bool b = c ? 256 : 0; double f = c ? 1 : 2.5; int i = c ? 2.9 : 1; return d + u % 97 + l % 91 + b + (long)f + i; }
long choice_of_itself(void) { int x = 3; x = x > 2 ? x + 1 : x - 1; x = x > 3 ? (x == 4 ? x * 5 : 0) : 9; return x; }
long choice_of_pointers(void) { int a[2] = { 1, 2 }, *p = a, *q; q = p ? p + 1 : 0; a[p == q ? 0 : 1] = p ? *q : 4; return *q * 10 + a[1]; }
long choice_in_bits(void) { struct B v = { 0 }; int c = 1; v.a = c ? 13 : 2; v.d = c ? 2 : 0; v.b = !c ? 3 : -20; return v.a * 100 + v.d * 10 + v.b; }
long choice_of_records(void) { struct P p = { 1, 2 }, q = { 3, 4 }, r; int c = 0; r = c ? p : q; return r.x * 10 + r.y; }
long choice_with_calls(void) { int x = calls ? 1 : next(); x = x ? x + 1 : next(); int y = next() ? x : 0; return x * 100 + y * 10 + calls; }
long choice_of_truths(void) { int a = 3, b = 0, x = a && b, y = !(a || b), z = 0; char c = a > 2 && b < 1; _Bool d = !(a && !b); if ((z = a || b)) z += 4; long l = !(a && b) ? a && 1 : 7; return x + y * 3 + z * 5 + c * 7 + d * 11 + l * 13; }
long step_copies(void) { char a[4] = "abc", b[4], *p = a, *q = b; for (int i = 0; i < 4; i++) *q++ = *p++; return b[0] + b[2] * 3L + (p - a) * 1000 + (q - b); }
long step_fills(void) { int a[4], n = 0, m = 9; a[n++] = m--; a[n++] = m--; a[n++] = -m--; int x = n--, y = (char)m++; a[3] = n; return a[0] + a[1] * 10 + a[2] * 100 + a[3] * 1000 + x * 3 + y * 7 + m; }
long step_of_members(void) { struct { int d[4], top; } s = { { 0 }, 0 }, *p = &s; p->d[p->top++] = 4; p->d[p->top++] = 5; s.d[s.top++] = 6; int last = p->d[--p->top]; return s.d[0] * 100 + s.d[1] * 10 + s.d[2] + p->top * 1000 + last; }
long step_through_pointers(void) { int i = 4, *p = &i; int x = i++; *p = x--; return x * 100 + i; }
long step_narrow(void) { unsigned char c = 255; int x = c++; signed char s = -128; long y = s--; return x * 1000 + c + y * 7 + s; }
long step_of_bits(void) { struct B v = { .a = 7, .b = 15 }; int x = v.a++, y = v.b--; return x * 100 + v.a * 10 + y + v.b; }
long step_in_a_choice(void) { int i = 0, c = 1; int x = c ? i++ : 5; x += c ? choice_t[i++] : choice_t[i--]; return x * 10 + i; }
