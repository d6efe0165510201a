//! Clients with two versions of a library each, whose verdicts are known.

/// A client, two versions, and the verdict with `preserve` and with `both`.
pub const SAMPLES: &[(&str, [&str; 3], [&str; 2])] = &[
    (
        "a difference that the client hides",
        [
            "int lib(int); int client(int x) { return lib(x) > 50; }",
            "int lib(int v) { return v > 200 ? 200 : v; }",
            "int lib(int v) { return v > 90 ? 90 : v; }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "a read of what is not written, whose value does not count",
        [
            "int lib(int); int client(int x) { return lib(x); }",
            "int lib(int v) { return 1; }",
            "int lib(int v) { int r; if (v > 3) r = 1; if (r == 7) return 1; return 1; }",
        ],
        ["?", "EQ"],
    ),
    (
        "a division that is new",
        [
            "int lib(int); int client(int x) { return lib(x); }",
            "int lib(int v) { return 3; }",
            "int lib(int v) { int q = 10 / v; return 3; }",
        ],
        ["NEQ", "EQ"],
    ),
    (
        "an access that is new",
        [
            "int lib(int *); int client(int x) { int v = 3; return lib(x ? &v : (int *) 0); }",
            "int lib(int *p) { return p ? *p : 0; }",
            "int lib(int *p) { int r = *p; return p ? r : 0; }",
        ],
        ["NEQ", "EQ"],
    ),
    (
        "a float that does not fit",
        [
            "int lib(double); double __VERIFIER_nondet_double(void); int client(void) { return lib(__VERIFIER_nondet_double()); }",
            "int lib(double d) { return 0; }",
            "int lib(double d) { int i = (int) d; return 0; }",
        ],
        ["NEQ", "EQ"],
    ),
    (
        "a global that nobody reads starts with another value",
        [
            "int lib(int); int client(int x) { return lib(x); }",
            "int version = 1; int lib(int v) { return v; }",
            "int version = 2; int lib(int v) { return v; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "a private variable starts with another value that is not read",
        [
            "int lib(int); int client(int x) { return lib(x & 7); }",
            "static int n = 1; int lib(int v) { n = 3; return n + v; }",
            "static int n = 2; int lib(int v) { n = 3; return n + v; }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "a counter in the library, over calls in a loop",
        [
            "int lib(void); int client(int x) { int i, s = 0; for (i = 0; i < (x & 3); i++) s = s * 3 + lib(); return s; }",
            "int lib(void) { static int n; return n++; }",
            "int lib(void) { static int n; n = n + 1; return n - 1; }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "a callback of the client",
        [
            "int lib(int (*)(int), int); static int n; static int f(int v) { n++; return v; } int client(int x) { int r = lib(f, x & 3); return r * 10 + n; }",
            "int lib(int (*f)(int), int n) { int s = 0, i; for (i = 0; i < n; i++) s += f(i); return s; }",
            "int lib(int (*f)(int), int n) { int s = 0, i; for (i = 1; i < n; i++) s += f(i); return s; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "the same address of a function",
        [
            "typedef int (*F)(int); F get(int); int client(int x, int y) { return get(x & 1)(y & 15); }",
            "typedef int (*F)(int); static int a(int v) { return v * 2; } static int b(int v) { return v + 1; } F get(int k) { return k ? a : b; }",
            "typedef int (*F)(int); static int a(int v) { return v + v; } static int b(int v) { return 1 + v; } F get(int k) { return k ? a : b; }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "another exit code",
        [
            "int lib(int); int client(int x) { return lib(x); }",
            "void exit(int); int lib(int v) { if (v == 5) exit(3); return v & 1; }",
            "void exit(int); int lib(int v) { if (v == 5) exit(4); return v & 1; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "an event before the end",
        [
            "int lib(int); int client(int x) { return lib(x & 15); }",
            "void emit(int); void abort(void); int lib(int v) { if (v == 11) { emit(1); abort(); } return 0; }",
            "void emit(int); void abort(void); int lib(int v) { if (v == 11) { emit(2); abort(); } return 0; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "results of events in another order",
        [
            "int lib(void); int client(void) { return lib(); }",
            "int ask(int); int lib(void) { int a = ask(1), b = ask(1); return a < b; }",
            "int ask(int); int lib(void) { int b = ask(1), a = ask(1); return a < b; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "an input too many",
        [
            "int __VERIFIER_nondet_int(void); int lib(int); int client(int x) { int r = lib(x); return r + (__VERIFIER_nondet_int() & 3); }",
            "int __VERIFIER_nondet_int(void); int lib(int v) { return 1; }",
            "int __VERIFIER_nondet_int(void); int lib(int v) { __VERIFIER_nondet_int(); return 1; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "an input too many, seen rarely",
        [
            "int __VERIFIER_nondet_int(void); int lib(int); int client(int x) { int r = lib(x); return (unsigned)__VERIFIER_nondet_int() * 2654435761u == 987654321u ? r : 5; }",
            "int __VERIFIER_nondet_int(void); int lib(int v) { return 1; }",
            "int __VERIFIER_nondet_int(void); int lib(int v) { __VERIFIER_nondet_int(); return 1; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "inputs that are ignored in both versions",
        [
            "int __VERIFIER_nondet_int(void); int lib(int); int client(int x) { int r = lib(x & 7); return r + (__VERIFIER_nondet_int() & 3); }",
            "int __VERIFIER_nondet_int(void); int lib(int v) { int i = __VERIFIER_nondet_int(); return v; }",
            "int __VERIFIER_nondet_int(void); int lib(int v) { __VERIFIER_nondet_int(); return v; }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "loops of both versions, for few arguments",
        [
            "int lib(int, int); int client(int x) { return x >= 118 && x < 122 ? lib(x, 120) : 0; }",
            "int lib(int a, int b) { int c = 0; for (int i = 1; i <= b; i++) c += a; return c; }",
            "int lib(int a, int b) { int c = 0; for (int i = 1; i <= a; i++) c += b; return c; }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "loops for few arguments, one of which is another one in one version",
        [
            "int lib(int, int); int client(int x) { return (x * 2654435761u & 0xfffff) == 777777 ? lib(7, 5) : x > 38 && x < 41 ? lib(x, 40) : 0; }",
            "int lib(int a, int b) { int c = 0; for (int i = 1; i <= b; i++) c += a; return c; }",
            "int lib(int a, int b) { int c = 0; for (int i = 1; i <= a; i++) c += b; return c + (a == 7); }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "the result of a call as the argument of the next",
        [
            "int lib(int); int client(int x) { int r = lib(x & 1); r = lib(r & 3); return lib(r & 7); }",
            "int lib(int a) { int c = 0; while (a-- > 0) c += 3; return c; }",
            "int lib(int a) { return a > 0 ? 3 * a : 0; }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "few arguments of what counts its calls",
        [
            "int lib(int); int client(int x) { int r = lib(x & 1); return r + lib(x & 3); }",
            "static int n; int lib(int a) { n++; return a + n; }",
            "static int n; int lib(int a) { n++; return a + n + (n > 2); }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "few arguments, for one of which one version divides by zero",
        [
            "int lib(int); int client(int x) { return lib(x & 3); }",
            "int lib(int a) { int i, c = 0; for (i = 0; i < 9; i++) c += 2; return c; }",
            "int lib(int a) { int i, c = 0; for (i = 0; i < 9; i++) c += 2 + 0 / (a - 2); return c; }",
        ],
        ["NEQ", "EQ"],
    ),
    (
        "two pointers to one object",
        [
            "void lib(int *, int *); int client(int x, int y) { int a = 3, b = 4; lib(&a, x ? &a : &b); return a * 10 + b; }",
            "void lib(int *p, int *q) { *p = 1; *q = 2; }",
            "void lib(int *p, int *q) { *q = 2; *p = 1; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "memory that the library allocates",
        [
            "int *lib(int); int client(int x) { return *lib(x & 7); }",
            "void *malloc(unsigned long); int *lib(int v) { int *p = malloc(4); *p = v; return p; }",
            "void *malloc(unsigned long); int *lib(int v) { int *p = malloc(8); p[0] = v; return p; }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "zeros of both signs",
        [
            "void lib(double *); int client(void) { double d = 2; lib(&d); return 1.0 / d > 0; }",
            "void lib(double *p) { *p = 0.0; }",
            "void lib(double *p) { *p = -0.0; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "loops of both versions, one with a multiple of the other's counter",
        [
            "unsigned lib(unsigned n); int client(int x,int y){ return lib((unsigned)x & 0xfffffu); }",
            "unsigned lib(unsigned n){ unsigned i, s=0; for(i=0;i<n;i++) s += 3*i; return s; }",
            "unsigned lib(unsigned n){ unsigned i, t=0, s=0; for(i=0;i<n;i++){ s += t; t += 3; } return s; }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "such loops, one of which goes astray late",
        [
            "unsigned lib(unsigned n); int client(int x,int y){ return lib((unsigned)x & 0xffffu); }",
            "unsigned lib(unsigned n){ unsigned i, s=0; for(i=0;i<n;i++) s += 3*i; return s; }",
            "unsigned lib(unsigned n){ unsigned i, t=0, s=0; for(i=0;i<n;i++){ s += t; t += 3; if (i==77) t++; } return s; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "inputs read in loops, one of which counts down",
        [
            "int lib(int n); int client(int x,int y){ return lib(x); }",
            "int __VERIFIER_nondet_int(void); int lib(int n){ unsigned s=0; for(int i=0;i<n;i++) s = s*3 + __VERIFIER_nondet_int(); return s&0xff; }",
            "int __VERIFIER_nondet_int(void); int lib(int n){ unsigned s=0; while(n>0){ s = (s<<1) + s + __VERIFIER_nondet_int(); n--; } return s%256; }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "two calls of what loops",
        [
            "unsigned lib(unsigned n); int client(int x,int y){ return (lib((unsigned)x)^lib((unsigned)y))&0xffff; }",
            "unsigned lib(unsigned n){ unsigned s=0; for(unsigned i=0;i<n;i++) s+=2*i; return s; }",
            "unsigned lib(unsigned n){ unsigned s=0,k=0; for(unsigned i=0;i<n;i++) {s+=k;k+=2;} return s; }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "loops over an array of the client",
        [
            "void lib(int *a,int n); int client(int x,int y){ int a[16]; for(int i=0;i<16;i++) a[i]=x+i; lib(a,16); return a[y&15]; }",
            "void lib(int *a,int n){ for(int i=0;i<n;i++) a[i] = a[i] & 7; }",
            "void lib(int *a,int n){ int *p; for(p=a;p<a+n;p++) *p = (unsigned)*p % 8u; }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "events in loops, and one behind one of them",
        [
            "void lib(int n); int client(int x,int y){ lib(x); return 0; }",
            "void emit(int); void lib(int n){ for(int i=0;i<n;i++) emit(i*2); }",
            "void emit(int); void lib(int n){ int i=0; while(i<n){ emit(i+i); i++; } if (n>100) emit(3); }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "recursion in another order",
        [
            "unsigned lib(unsigned n); int client(int x,int y){ return (int)(lib((unsigned)x & 0xfffu) & 0x7fffffffu); }",
            "unsigned lib(unsigned n){ if (n<2) return n; return lib(n-1)+lib(n-2); }",
            "unsigned lib(unsigned n){ if (n<2) return n; unsigned b=lib(n-2); return b+lib(n-1); }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "functions that call each other",
        [
            "unsigned lib(unsigned n); int client(int x,int y){ return (int)(lib((unsigned)x & 0xfffu) & 0x7fffffffu); }",
            "unsigned odd(unsigned); unsigned lib(unsigned n){ if (n==0) return 1; return odd(n-1); } unsigned odd(unsigned n){ if (n==0) return 0; return lib(n-1); }",
            "unsigned odd(unsigned); unsigned lib(unsigned n){ if (n) return odd(n-1u); return 1; } unsigned odd(unsigned n){ if (n) return lib(n-1u); return 0; }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "functions that call each other, one of which is another one",
        [
            "unsigned lib(unsigned n); int client(int x,int y){ return (int)(lib((unsigned)x & 0xfffu) & 0x7fffffffu); }",
            "unsigned odd(unsigned); unsigned lib(unsigned n){ if (n==0) return 1; return odd(n-1); } unsigned odd(unsigned n){ if (n==0) return 0; return lib(n-1); }",
            "unsigned odd(unsigned); unsigned lib(unsigned n){ if (n) return odd(n-1u); return 1; } unsigned odd(unsigned n){ if (n==9) return 5; if (n) return lib(n-1u); return 0; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "recursion that is the same, in what differs",
        [
            "unsigned lib(unsigned n); int client(int x,int y){ return lib((unsigned)x & 0xfffu) >= 1; }",
            "unsigned f(unsigned n){ if (n==0) return 1; return n+f(n-1); } unsigned lib(unsigned n) { return f(n)|1; }",
            "unsigned f(unsigned n){ if (n==0) return 1; return f(n-1)+n; } unsigned lib(unsigned n) { return f(n)|3; }",
        ],
        ["EQ", "EQ"],
    ),
    (
        "recursion whose deep end is another one",
        [
            "unsigned lib(unsigned n); int client(int x,int y){ return (int)(lib((unsigned)x & 0xfffu) & 0x7fffffffu); }",
            "unsigned lib(unsigned n){ if (n==0) return 1; return n+lib(n-1); }",
            "unsigned lib(unsigned n){ if (n==0) return 1; if (n==3000) return 7; return lib(n-1)+n; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "recursion that counts its calls",
        [
            "unsigned lib(unsigned n); int client(int x,int y){ return (int)(lib((unsigned)x & 0xfffu) & 0x7fffffffu); }",
            "static unsigned k; unsigned lib(unsigned n){ k++; if (n==0) return k; return n+lib(n-1); }",
            "static unsigned k; unsigned lib(unsigned n){ k=k+1; if (n==0) return 1; return lib(n-1)+n; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "recursion with swapped arguments",
        [
            "int lib(int,int); int client(int x,int y){ return lib(x&7,y&7); }",
            "int lib(int a,int b){ if (a<=0) return b; return lib(a-1,b)*2; }",
            "int lib(int a,int b){ if (a<=0) return b; return 2*lib(b,a-1); }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "recursion that also goes where it is not defined",
        [
            "int lib(int); int client(int x,int y){ return lib(x&15); }",
            "int lib(int n){ if (n<=0) { return 10/(n+5); } return lib(n-1); }",
            "int lib(int n){ if (n<=0) { return 10/(n+5); } lib(n-6); return lib(n-1); }",
        ],
        ["NEQ", "EQ"],
    ),
    (
        "a write to memory that somebody watches",
        [
            "int lib(int); int client(int x) { return lib(x); }",
            "volatile int reg; int lib(int v) { reg = 1; reg = v; return 0; }",
            "volatile int reg; int lib(int v) { reg = v; return 0; }",
        ],
        ["?", "?"],
    ),
    (
        "a loop that goes around once more, for one argument",
        [
            "unsigned lib(unsigned); int client(unsigned x) { return lib(x % 9); }",
            "unsigned lib(unsigned n) { unsigned s = 1; for (unsigned i = 0; i < n; i++) s *= 3; return s; }",
            "unsigned lib(unsigned n) { unsigned s = 1; for (unsigned i = 0; i < n || (i == n && n == 8); i++) s *= 3; return s; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "a second loop behind that of both versions, for one argument",
        [
            "extern int g; void lib(int); int client(int x) { lib(x & 7); return g; }",
            "int g; void lib(int n) { for (int i = 0; i < n; i++) g += i; }",
            "int g; void lib(int n) { int i; for (i = 0; i < n; i++) g += i; for (; i == 7; i++) g++; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "an object of the client that the library remembers",
        [
            "int *lib(int *); int client(int x) { int a = 1, b = 2; int *p = lib(&a); p = lib(&b); return *p; }",
            "static int *s; int *lib(int *p) { int *r = s; s = p; return p; }",
            "static int *s; int *lib(int *p) { int *r = s ? s : p; s = p; return r; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "private variables of one name in client and library",
        [
            "static int n = 3; int lib(void); int client(int x, int y) { int r = lib(); n++; return r + lib(); }",
            "static int n = 1; int lib(void) { return n++; }",
            "static int n = 1; int lib(void) { return n == 2 ? 7 : n++; }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "recursion by way of the client",
        [
            "int lib(int); int own(int n) { return n <= 0 ? 0 : lib(n - 1) + 1; } int client(int x) { return own(x & 7); }",
            "int own(int); int lib(int n) { return own(n); }",
            "int own(int); int lib(int n) { return n == 2 ? own(n) + 1 : own(n); }",
        ],
        ["NEQ", "NEQ"],
    ),
    (
        "a global that is written before a callback instead of behind it",
        [
            "extern int g; int lib(int (*)(void)); int f(void) { return g; } int client(int x) { g = 3; return lib(f); }",
            "int g; int lib(int (*f)(void)) { int r = f(); g = 7; return r; }",
            "int g; int lib(int (*f)(void)) { g = 7; return f(); }",
        ],
        ["NEQ", "NEQ"],
    ),
];
