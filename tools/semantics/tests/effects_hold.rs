//! Whatever a concrete run changes, the effects of the operation say it may change.
#![allow(clippy::expect_used, reason = "test helpers")]

use std::ops::ControlFlow;

use formats::ProgramOptions;
use program::cfa::{Cfa, EdgeId, FunctionId, Operation, VarId};
use program::load::load_source;
use program::source::SourceFile;
use semantics::callgraph::CallGraph;
use semantics::effects::Effects;
use semantics::interpreter::{DataState, Limits, Observer, Origin, Request, run};
use semantics::loops::Loops;
use semantics::objects::Objects;
use semantics::pointsto::PointsTo;

/// Compares the scalars before and after every step.
struct Watch<'a> {
    cfa: &'a Cfa,
    objects: &'a Objects,
    effects: &'a Effects,
    calls: Vec<EdgeId>,
    before: Vec<(VarId, Option<u128>)>,
    changes: usize,
}

impl Watch<'_> {
    fn visible(&self, function: Option<FunctionId>, state: &DataState<'_>) -> Vec<(VarId, Option<u128>)> {
        let of = |v: &VarId| self.cfa.variable(*v).function;
        let lasting = |v: &VarId| self.cfa.variable(*v).initializer.is_some();
        let seen = self.cfa.variable_ids().filter(|v| lasting(v) || (of(v).is_some() && of(v) == function));
        seen.map(|v| (v, state.scalar(v))).collect()
    }
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, state: &DataState<'_>) -> ControlFlow<()> {
        let mut moved = true;
        let mut function = Some(self.cfa.location(self.cfa.edge(edge).source).function);
        let mut defs = self.effects.of(edge).defs.clone();
        if let Some(callee) = self.cfa.entered_callee(edge) {
            self.calls.push(edge);
            function = Some(callee);
        } else if let Operation::Return { .. } = self.cfa.edge(edge).operation {
            let Some(call) = self.calls.pop() else { return ControlFlow::Break(()) };
            defs = self.effects.returning(self.cfa, edge, call).defs.clone();
            function = Some(self.cfa.location(self.cfa.edge(call).source).function);
        } else {
            moved = false;
        }
        let now = self.visible(function, state);
        for &(variable, value) in &self.before {
            let Ok(at) = now.binary_search_by_key(&variable, |n| n.0) else { continue };
            // The locals of another activation are other objects.
            if moved && self.cfa.variable(variable).initializer.is_none() {
                continue;
            }
            if value.is_some() && now[at].1 != value {
                self.changes += 1;
                let own = self.objects.of_variable(variable).set();
                assert!(
                    own.intersects(&defs),
                    "{:?} `{}` changes {}",
                    self.cfa.edge(edge).operation,
                    self.cfa.edge_text(edge),
                    self.cfa.variable(variable).name
                );
            }
        }
        self.before = now;
        ControlFlow::Continue(())
    }
}

/// Runs a program with a few sequences of inputs; how many changes were seen.
fn check(text: &str) -> usize {
    let cfa = load_source(SourceFile::new("test.c", text), &ProgramOptions::default()).expect("a C program");
    let calls = CallGraph::new(&cfa, &Loops::new(&cfa));
    let objects = Objects::new(&cfa, &calls);
    let points_to = PointsTo::new(&cfa, &calls, &objects);
    let effects = Effects::new(&cfa, &calls, &objects, &points_to);
    let mut changes = 0;
    for seed in 1u128..6 {
        let mut watch = Watch { cfa: &cfa, objects: &objects, effects: &effects, calls: vec![], before: vec![], changes: 0 };
        let mut next = seed;
        let mut inputs = |request: &Request| {
            next = next * 6_364_136_223_846_793_005 % 1_000_003;
            let fails = matches!(request.origin, Origin::Allocation(_));
            Some(if fails { 0 } else { next % 4 })
        };
        run(&cfa, &mut inputs, &mut watch, Limits { steps: 2000, ..Limits::default() });
        changes += watch.changes;
    }
    assert!(changes > 5, "nothing happened");
    changes
}

#[test]
fn pointers_to_locals_globals_and_members() {
    check(
        "int __VERIFIER_nondet_int(void);
         int g; struct s { int a; int *p; } s; struct s t;
         void set(int *p, int v) { *p = v; }
         int main(void) {
           int x = 1, y = 2, *p = &x, **pp = &p;
           for (int i = 0; i < 20; i++) {
             if (__VERIFIER_nondet_int()) p = &y; else *pp = &g;
             set(p, i);
             s.p = &x; t = s; *t.p = i + 7;
             struct s *q = &s; q->a = i; (*q).p = &s.a; *q->p = 3 * i;
           }
           return x + y; }",
    );
}

#[test]
fn pointers_through_integers_memory_functions_and_unions() {
    check(
        "void *malloc(unsigned long); void *memcpy(void *, const void *, unsigned long);
         void *realloc(void *, unsigned long); void *memset(void *, int, unsigned long);
         union u { int *p; unsigned long n; char bytes[8]; };
         int main(void) {
           int x = 1, y = 2, z = 3, w = 4; union u u, v;
           int **cell = malloc(sizeof(int *)), **other;
           if (!cell) return 0;
           for (int i = 1; i < 9; i++) {
             u.p = &x; v.n = u.n; *v.p = i;
             *cell = &y; cell = realloc(cell, 16); if (!cell) return 0; **cell = 2 * i;
             int *copy; memcpy(&copy, &u, sizeof copy); *copy = 3 * i;
             for (int k = 0; k < 8; k++) v.bytes[k] = ((char *)cell)[k];
             *v.p = 5 * i;
             unsigned long n = (unsigned long)&z; n ^= 1; n ^= 1; *(int *)n = i;
             memset(&w, i, sizeof w);
             other = cell; *(&z + (&w - &w)) = 9 + i; **(other + 0) = i;
           }
           return x + y + z; }",
    );
}

#[test]
fn functions_behind_pointers_recursion_and_static_locals() {
    check(
        "int __VERIFIER_nondet_int(void);
         int total; static int *where = &total;
         void add(int n) { static int calls; calls++; total += n; }
         void sub(int n) { *where -= n; }
         void (*table[2])(int) = { add, sub };
         int depth(int n) { int m = n; if (n) m = depth(n - 1) + 1; return m; }
         int *pick(int *a, int *b) { return __VERIFIER_nondet_int() ? a : b; }
         int main(void) {
           int x = 0, y = 0, r;
           for (int i = 0; i < 12; i++) {
             table[__VERIFIER_nondet_int() & 1](i);
             r = depth(3);
             *pick(&x, &y) = i + r;
             where = pick(&total, &x);
           }
           return total; }",
    );
}

#[test]
fn aggregates_by_value_and_bit_fields() {
    check(
        "struct pair { int a, b; }; struct nest { struct pair p; int c[3]; unsigned f : 3, g : 5; };
         struct pair swap(struct pair p) { int t = p.a; p.a = p.b; p.b = t; return p; }
         int main(void) {
           struct nest n = { { 1, 2 }, { 3 }, 4, 5 }, m; int x = 0, i;
           for (i = 0; i < 6; i++) {
             n.p = swap(n.p); m = n; m.c[i % 3] = i; m.f = i; m.g = m.f + 1;
             x = m.p.a + m.c[0] + m.g;
             struct pair *q = &n.p; q->b = i; x += q->a;
           }
           return x; }",
    );
}
