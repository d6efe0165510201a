//! The traps of difference detection that objects, effects and reachability must not fall into, on C text.
#![allow(clippy::expect_used, reason = "test helpers")]

use formats::ProgramOptions;
use program::cfa::{Cfa, EdgeId};
use program::load::load_source;
use program::source::SourceFile;
use semantics::callgraph::CallGraph;
use semantics::effects::{Effect, Effects};
use semantics::loops::Loops;
use semantics::object_set::ObjectSet;
use semantics::objects::Objects;
use semantics::pointsto::PointsTo;
use semantics::reach::{Assembly, ErrorReach};

struct Facts {
    cfa: Cfa,
    calls: CallGraph,
    objects: Objects,
    effects: Effects,
    reach: ErrorReach,
}

impl Facts {
    fn new(text: &str) -> Self {
        // What is known of library functions by name is asked here, not what their bodies do.
        let options = ProgramOptions { library: formats::Library::None, ..ProgramOptions::default() };
        let cfa = load_source(SourceFile::new("test.c", text), &options).expect("a C program");
        let calls = CallGraph::new(&cfa, &Loops::new(&cfa));
        let objects = Objects::new(&cfa, &calls);
        let points_to = PointsTo::new(&cfa, &calls, &objects);
        let effects = Effects::new(&cfa, &calls, &objects, &points_to);
        let reach = ErrorReach::new(&cfa, &calls, Assembly::Opaque);
        Self { cfa, calls, objects, effects, reach }
    }

    /// The edges with this text.
    fn edges(&self, text: &str) -> Vec<EdgeId> {
        let found: Vec<_> = self.cfa.edge_ids().filter(|&e| self.cfa.edge_text(e) == text).collect();
        assert!(
            !found.is_empty(),
            "no `{text}` among {:?}",
            self.cfa.edge_ids().map(|e| self.cfa.edge_text(e)).collect::<Vec<_>>()
        );
        found
    }

    fn names(&self, set: &ObjectSet) -> String {
        let names: Vec<_> = set.iter().map(|o| self.objects.name(&self.cfa, o).replace("main::", "")).collect();
        names.join(" ")
    }

    fn show(&self, effect: Effect<'_>) -> String {
        [effect.uses, effect.defs, effect.kills].map(|s| self.names(s)).join(" / ")
    }

    /// `uses / defs / kills` of the edges with this text, one per line.
    fn effects(&self, text: &str) -> String {
        let lines: Vec<_> = self.edges(text).into_iter().map(|e| self.show(self.effects.of(e))).collect();
        lines.join("\n")
    }

    fn may_not_return(&self, name: &str) -> bool {
        let function = self.cfa.function_ids().find(|&f| &*self.cfa.function(f).name == name);
        self.calls.may_not_return(function.expect("is there"))
    }

    fn can_fail(&self) -> bool {
        self.reach.from_start(&self.cfa)
    }
}

#[test]
fn p03_the_index_is_a_dependency_of_the_store() {
    let f = Facts::new("int main(void) { int a[3], i = 0, x = 0; a[i] = x; return a[1]; }");
    assert_eq!(f.effects("a[i] = x"), "i x / a / ");
}

#[test]
fn p04_a_store_through_a_pointer_writes_its_targets() {
    let f =
        Facts::new("int c; int main(void) { int x = 0, y = 0, *p = &x; if (c) p = &y; *p = 1; int *q = &x; *q = 2; return x; }");
    assert_eq!(f.effects("*p = 1"), "p / x y / ");
    assert_eq!(f.effects("*q = 2"), "q / x / x");
}

#[test]
fn p05_members_behind_pointers() {
    let f = Facts::new(
        "struct n { int v; struct n *next; }; int main(void) { struct n a, b; a.next = &b; b.next = &a; struct n *p = &a;
         p->next->v = 1; p->v = 2; return b.v; }",
    );
    assert_eq!(f.effects("p->next->v = 1"), "a p / b / ");
    assert_eq!(f.effects("p->v = 2"), "p / a / ");
}

#[test]
fn p29_a_store_to_a_member_is_no_store_to_the_whole() {
    let f = Facts::new(
        "struct s { int a, b; }; void take(struct s *); int main(void) { struct s t; struct s *p = &t; take(p);
         t.a = 1; *p = t; return t.b; }",
    );
    assert_eq!(f.effects("t.a = 1"), " / t / ");
    assert_eq!(f.effects("*p = t"), "t p / t / t");
}

#[test]
fn p42_members_are_told_apart_where_nothing_points() {
    let f = Facts::new(
        "struct s { int a, b[2]; struct { int c : 3; } d; union { int e; char f[4]; } u; };
         int main(void) { struct s s, t; s.a = 1; s.b[1] = 2; s.d.c = 3; s.u.e = 4; t = s; return t.a; }",
    );
    assert_eq!(f.effects("s.a = 1"), " / s.a / s.a");
    assert_eq!(f.effects("s.b[1] = 2"), " / s.b / ");
    assert_eq!(f.effects("s.d.c = 3"), " / s.d.c / s.d.c");
    assert_eq!(f.effects("s.u.e = 4"), " / s.u / ");
    assert_eq!(f.effects("t = s"), "s.a s.b s.d.c s.u / t.a t.b t.d.c t.u / t.a t.b t.d.c t.u");
    assert_eq!(f.effects("return t.a;"), "t.a /  / ");
}

#[test]
fn p30_the_error_is_reached_behind_pointers_and_through_what_is_not_understood() {
    let behind = "extern void reach_error(void); void bad(long n) { if (n) reach_error(); }
                  void (*volatile f)(int) = (void (*)(int))bad; int main(void) { f(1); return 0; }";
    assert!(Facts::new(behind).can_fail());
    let asm = "extern void reach_error(void); int main(void) { asm volatile (\"call reach_error\"); return 0; }";
    assert!(Facts::new(asm).can_fail());
    let jump = "int setjmp(long *); int main(void) { long b[20]; return setjmp(b); }";
    assert!(Facts::new(jump).can_fail());
    let safe = "extern void reach_error(void); void bad(void) { reach_error(); } int main(void) { return 0; }";
    assert!(!Facts::new(safe).can_fail());
    let shielded = "extern void reach_error(void); extern void abort(void); void stop(void) { abort(); }
                    int main(void) { stop(); reach_error(); return 0; }";
    assert!(!Facts::new(shielded).can_fail());
}

#[test]
fn p32_what_may_not_return() {
    let f = Facts::new(
        "extern void abort(void); extern void __VERIFIER_assume(int); extern int printf(const char *, ...); int g;
         void plain(void) { g++; } void branch(void) { if (g) g = 2; else g = 3; } void prints(void) { printf(\"x\"); }
         void spins(void) { while (g) g--; } void jumps(void) { again: g++; goto again; }
         void aborts(void) { if (g) abort(); } void assumes(void) { __VERIFIER_assume(g); }
         void recurses(void) { if (g) recurses(); } void calls(void) { spins(); }
         int main(void) { plain(); branch(); prints(); spins(); jumps(); aborts(); assumes(); recurses(); calls(); return 0; }",
    );
    for name in ["plain", "branch", "prints"] {
        assert!(!f.may_not_return(name), "{name}");
    }
    for name in ["spins", "jumps", "aborts", "assumes", "recurses", "calls"] {
        assert!(f.may_not_return(name), "{name}");
    }
}

#[test]
fn p35_several_pieces_of_memory_are_never_overwritten_as_one() {
    let f = Facts::new(
        "void *malloc(unsigned long); int main(void) { int *p = 0, *q = 0; for (int i = 0; i < 2; i++) { q = p;
         p = malloc(sizeof(int)); *p = i; } return *q; }",
    );
    let shown = f.effects("*p = i");
    assert!(shown.starts_with("p i / what main allocates") && shown.ends_with(" / "), "{shown}");
}

#[test]
fn p36_locals_of_recursive_functions_stand_for_several() {
    let f = Facts::new(
        "int walk(int n, int *up) { int x = n; *up = n; x = n + 1; return n ? walk(n - 1, &x) + x : x; }
         int main(void) { int r = 0; return walk(3, &r); }",
    );
    assert!(f.effects("x = n + 1").ends_with(" / walk::x / "), "{}", f.effects("x = n + 1"));
    assert!(f.effects("*up = n").ends_with(" / walk::x r / "), "{}", f.effects("*up = n"));
}

#[test]
fn p25_volatile_objects_of_the_program_are_memory() {
    let f = Facts::new("volatile int v; int main(void) { v = 1; volatile int *p = &v; *p = 2; int x = *p; return x; }");
    assert_eq!(f.effects("v = 1"), " / v / v");
    assert_eq!(f.effects("*p = 2"), "p / v / v");
    assert!(f.effects("*p").starts_with("v p / "), "{}", f.effects("*p"));
}

#[test]
fn externals_write_what_they_were_given_and_nothing_private() {
    let f = Facts::new(
        "extern int ext(int *); static int hidden; int shared; extern int foreign; static int kept, *where = &kept;
         int main(void) { int x = 1, y = 2; ext(&x); ext(where); hidden = shared + y; foreign = 1; return ext(0); }",
    );
    assert_eq!(f.effects("ext(&x)"), "x / external memory foreign kept x / ");
}

#[test]
fn memory_functions_move_what_they_move() {
    let f = Facts::new(
        "void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);
         int strcmp(const char *, const char *); extern int printf(const char *, ...);
         int main(void) { char a[4] = \"x\", b[4] = \"y\"; int n = 2, c; memcpy(a, b, n); memset(b, n, 4);
         c = strcmp(a, b); printf(\"%s\", a); return c; }",
    );
    assert_eq!(f.effects("memcpy(a, b, n)"), "b n / a / ");
    assert_eq!(f.effects("memset(b, n, 4)"), "n / b / ");
    assert!(f.effects("strcmp(a, b)").starts_with("a b / "), "{}", f.effects("strcmp(a, b)"));
    assert!(f.effects("printf(\"%s\", a)").ends_with(" /  / "), "{}", f.effects("printf(\"%s\", a)"));
}

#[test]
fn a_summary_covers_the_whole_call() {
    let f = Facts::new(
        "int g, h; void leaf(int *p) { *p = g; } void middle(void) { leaf(&h); }
         int main(void) { middle(); return h; }",
    );
    let call = f.edges("middle()")[0];
    let whole = f.effects.whole_call(&f.cfa, call);
    assert_eq!(f.names(&whole.mods), "h leaf::p");
    assert_eq!(f.names(&whole.refs), "g leaf::p");
}

/// The objects that code outside the program may know.
fn escaped(text: &str) -> String {
    let f = Facts::new(text);
    let points_to = PointsTo::new(&f.cfa, &f.calls, &f.objects);
    f.names(points_to.anything())
}

#[test]
fn an_address_whose_bits_are_tested_escapes() {
    let head = "int x, y; int main(void) { int *p = &x; unsigned long v = 0; ";
    for test in [
        "if ((unsigned long)p >> 3 & 1) v |= 8;",
        "if (v < (unsigned long)p) v++;",
        "if ((unsigned char)(unsigned long)p == 3) v++;",
        "int t[9] = {0}; v = t[(unsigned long)p & 7];",
        "unsigned char *c = (unsigned char *)&p; if (c[0] == 3) v++;",
        "union { int *p; unsigned long n; } u; u.p = p; if (u.n & 8) v++;",
        "unsigned long n; __builtin_memcpy(&n, &p, 8); if (n & 8) v++;",
        "char *q = (char *)v; if (q < (char *)p) v++;",
    ] {
        assert!(escaped(&format!("{head}{test} return v; }}")).split(' ').any(|o| o == "x"), "{test}");
    }
}

#[test]
fn an_address_that_is_only_compared_with_constants_stays_unknown_outside() {
    let head = "struct s { int a; int *p; } x; int main(void) { struct s *p = &x; int v = 0; ";
    for test in [
        "if ((unsigned long)p >= -4095ul) v++;",
        "if (!p || (long)p == 0) v++;",
        "_Bool b = p; if (b) v++;",
        "int **m = &p->p; p = (struct s *)((char *)m - 8); v = p->a;",
        "if (p == &x) v++;",
    ] {
        assert_eq!(escaped(&format!("{head}{test} return v; }}")), "external memory", "{test}");
    }
}

#[test]
fn a_pointer_written_byte_by_byte_leads_to_what_escaped() {
    let text = "int x; char t[256]; int main(void) { int *p = &x, *q; unsigned char *c = (unsigned char *)&q; \
                for (int i = 0; i < 8; i++) c[i] = t[((unsigned char *)&p)[i]]; *q = 1; return x; }";
    assert_eq!(Facts::new(text).effects("*q = 1"), "q / external memory x / ");
}
