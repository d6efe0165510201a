//! The encoding against the concrete interpreter: along an executed path, with the values the
//! execution read, every condition must come out true.
//!
//! With `RESIDUE_CORPUS` naming a directory, all C programs below it are tried as well.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test stops at the first surprise and says how far it came"
)]

use std::path::{Path, PathBuf};
use std::rc::Rc;

use formats::{DataModel, ProgramOptions};
use program::cfa::{Cfa, EdgeId, Operation};
use program::source::SourceFile;
use rustc_hash::FxHashMap;
use semantics::facts::Facts;
use semantics::interpreter::{self, Inputs, Request};
use smt::encode::{Analysed, EveryAddressTaken};
use smt::{Encoder, Implications, Limits, Origin, Queries, Sort, State, TermId, TermStore};

/// Small pseudo-random inputs; everything else is zero.
struct Random {
    seed: u64,
    values: Vec<u128>,
}

impl Random {
    fn next(&mut self) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.seed
    }
}

impl Inputs for Random {
    fn value(&mut self, request: &Request) -> Option<u128> {
        if !matches!(request.origin, interpreter::Origin::Input(_)) {
            return Some(0);
        }
        let shape = self.next() % 4;
        let raw = self.next();
        let value = match shape {
            0 => u128::from(raw % 3),
            1 => u128::from(raw % 40),
            2 => u128::MAX - u128::from(raw % 5),
            _ => u128::from(raw),
        };
        self.values.push(value);
        Some(value)
    }
}

/// A state of constants that hands out the inputs of a run.
struct Concrete {
    values: FxHashMap<TermId, TermId>,
    inputs: std::vec::IntoIter<u128>,
    guessed: bool,
}

impl State for Concrete {
    fn get(&mut self, store: &mut TermStore, variable: TermId) -> TermId {
        match self.values.get(&variable) {
            Some(value) => *value,
            None => zero(store, variable),
        }
    }

    fn set(&mut self, _: &mut TermStore, variable: TermId, value: TermId) {
        self.values.insert(variable, value);
    }

    fn fresh(&mut self, store: &mut TermStore, origin: Origin, sort: Sort) -> TermId {
        if let (Origin::Input(_), Sort::BitVec(width)) = (origin, sort) {
            let value = self.inputs.next().unwrap_or(0);
            return store.bits(width, value);
        }
        self.guessed |= matches!(origin, Origin::Unknown(_));
        match sort {
            Sort::Bool => store.ff(),
            Sort::BitVec(width) => store.bits(width, 0),
            Sort::Array { index, element } => {
                let zero = store.bits(element, 0);
                store.const_array(index, zero)
            }
        }
    }
}

fn zero(store: &mut TermStore, variable: TermId) -> TermId {
    match store.sort(variable) {
        Sort::Bool => store.ff(),
        Sort::BitVec(width) => store.bits(width, 0),
        Sort::Array { index, element } => {
            let zero = store.bits(element, 0);
            store.const_array(index, zero)
        }
    }
}

/// Pieces of memory per call that allocates.
const PIECES: u32 = 3;

/// How far a run was followed.
#[derive(Debug, Default)]
struct Followed {
    edges: usize,
    conditions: usize,
    /// Followed to its end.
    complete: bool,
}

/// Runs a program and follows the run in the encoding; the error names the first edge they
/// disagree about.
fn follow(cfa: &Cfa, seed: u64, steps: usize) -> Result<Followed, String> {
    let mut random = Random { seed: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, values: vec![] };
    let limits = interpreter::Limits { steps, ..interpreter::Limits::default() };
    let run = interpreter::run(cfa, &mut random, &mut (), limits);
    let inputs: Vec<u128> = run.inputs().map(|(_, value)| value).collect();
    let mut store = TermStore::new();
    let mut encoder = if seed.is_multiple_of(2) {
        Encoder::new(cfa, EveryAddressTaken::new(cfa))
    } else {
        Encoder::new(cfa, Analysed::new(Rc::new(Facts::new(cfa)), PIECES))
    };
    let mut state = Concrete { values: FxHashMap::default(), inputs: inputs.into_iter(), guessed: false };
    encoder.initialise(&mut store, &mut state);
    let mut stack: Vec<EdgeId> = Vec::new();
    let mut followed = Followed::default();
    for &edge in &run.trace {
        if stack.len() > 30 {
            return Ok(followed);
        }
        let depth = 0;
        let recursive = |callee| stack.iter().any(|call| cfa.entered_callee(*call) == Some(callee)) || callee == cfa.entry;
        let guard = if let Some(callee) = cfa.entered_callee(edge) {
            if recursive(callee) {
                return Ok(followed);
            }
            stack.push(edge);
            encoder.enter(&mut store, &mut state, edge, depth, depth)
        } else if matches!(cfa.edge(edge).operation, Operation::Return { .. }) {
            match stack.pop() {
                Some(call) => encoder.leave(&mut store, &mut state, edge, depth, call, depth),
                None => encoder.pass(&mut store, &mut state, edge, depth),
            }
        } else {
            encoder.pass(&mut store, &mut state, edge, depth)
        };
        let Ok(guard) = guard else { return Ok(followed) };
        if state.guessed {
            return Ok(followed);
        }
        followed.edges += 1;
        if store.as_bool(guard) == Some(true) {
            followed.conditions += usize::from(matches!(cfa.edge(edge).operation, Operation::Assume { .. }));
            continue;
        }
        let at = cfa.edge(edge).span;
        let text = String::from_utf8_lossy(&cfa.source.text()[at.lo as usize..at.hi as usize]).into_owned();
        return Err(format!("`{text}` gives {} after {} edges", store.print(guard), followed.edges));
    }
    followed.complete = true;
    Ok(followed)
}

fn load(text: &str, data_model: DataModel) -> Cfa {
    let options = ProgramOptions { data_model, ..ProgramOptions::default() };
    let source = SourceFile::new("test.c", text.to_owned());
    program::load_source(source, &options).unwrap()
}

fn check(body: &str) {
    let text = format!(
        "int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void);
         char __VERIFIER_nondet_char(void); _Bool __VERIFIER_nondet_bool(void);
         long long __VERIFIER_nondet_longlong(void); double __VERIFIER_nondet_double(void);
         unsigned char __VERIFIER_nondet_uchar(void); short __VERIFIER_nondet_short(void);
         void reach_error(void) {{}}
         {body}"
    );
    for data_model in [DataModel::ILP32, DataModel::LP64] {
        let cfa = load(&text, data_model);
        for seed in 1..200 {
            let followed = follow(&cfa, seed, 5000).unwrap_or_else(|error| panic!("{error}\n{body}"));
            assert!(followed.complete, "{followed:?}\n{body}");
        }
    }
}

/// Compares a value bit by bit, so that its computation shows in conditions.
const SHOW: &str = "
    static void show(unsigned long long v) { int n = 0;
        for (int i = 0; i < 64; i++) if (v >> i & 1) n++; }
    ";

#[test]
fn integers() {
    check(&format!(
        "{SHOW} int main(void) {{
            int a = __VERIFIER_nondet_int(); unsigned u = __VERIFIER_nondet_uint();
            char c = __VERIFIER_nondet_char(); long long l = __VERIFIER_nondet_longlong();
            unsigned char uc = __VERIFIER_nondet_uchar(); short s = __VERIFIER_nondet_short();
            _Bool b = __VERIFIER_nondet_bool();
            show(a + u); show(c * l); show(uc - s); show(b + a); show((char)a); show((short)l);
            show((_Bool)u); show(a < u); show(c > uc); show(-l); show(~u); show(!c);
            show(u >> 3); show(a >> 3); show(u << 5); show(l >> (s & 31));
            if (u) show(l % (long long)u); if (s != 0 && s != -1) {{ show(a / s); show(a % s); }}
            show(a & u | c ^ l); b = l; show(b); c += 200; show(c); show(a ? u : c);
            uc++; show(uc); s *= 3; show(s); show((unsigned short)s * (unsigned short)s);
            return 0; }}"
    ));
}

#[test]
fn structs_arrays_and_unions() {
    check(&format!(
        "{SHOW} struct p {{ int x; char y; struct {{ short a, b; }} in; int arr[3]; }};
         struct f {{ unsigned a : 3; int b : 5; unsigned c : 12; _Bool d : 1; }};
         union w {{ unsigned u; unsigned char b[4]; struct {{ short l, h; }} s; }};
         struct p g[2] = {{ {{1, 2, {{3, 4}}, {{5, 6}}}} }};
         int big[100] = {{ [3] = 7 }}; struct p many[40]; int two[5][6];
         int main(void) {{
            int a = __VERIFIER_nondet_int(); unsigned i = __VERIFIER_nondet_uint();
            struct p s = g[0], t; t = s; t.in.b = a; s = t; show(s.in.b + s.x + s.arr[1]);
            g[i % 2] = s; g[1 - i % 2].arr[i % 3] = a; show(g[0].arr[i % 3] + g[1].in.b);
            struct f f = {{0}}; f.a = a; f.b = a; f.c = a; f.d = a; show(f.a + f.b + f.c + f.d);
            union w w; w.u = a; show(w.b[1]); show(w.s.h); w.b[2] = 7; show(w.u); w.s.l = i; show(w.u);
            union w v = w; show(v.s.l);
            big[i % 100] = a; show(big[3] + big[i % 100]); big[big[3] & 63]++; show(big[(7 & 63)]);
            many[i % 40].in.a = a; many[i % 40].arr[2] = i; show(many[i % 40].in.a + many[5].arr[2]);
            two[i % 5][i % 6] = a; show(two[i % 5][i % 6] + two[1][2]);
            return 0; }}"
    ));
}

#[test]
fn pointers() {
    check(&format!(
        "{SHOW} struct n {{ int v; struct n *next; char name[20]; }}; int a = 1, b = 2;
         struct n x = {{ 1, 0, \"abc\" }}, y = {{ 2, &x, \"de\" }}; int arr[50]; int small[4];
         static void swap(int *p, int *q) {{ int t = *p; *p = *q; *q = t; }}
         static int sum(struct n *l) {{ int s = 0; while (l) {{ s += l->v; l = l->next; }} return s; }}
         static int twice(int v) {{ return 2 * v; }} static int half(int v) {{ return v / 2; }}
         int main(void) {{
            int i = __VERIFIER_nondet_int(); unsigned u = __VERIFIER_nondet_uint();
            int local = i; swap(&a, &b); swap(&local, &a); show(a + b + local);
            int *p = i > 0 ? &a : &b; *p = 9; show(a * 10 + b); int **pp = &p; **pp = i; show(*p);
            x.next = u % 2 ? &y : 0; y.next = 0; show(sum(&y) + sum(u % 2 ? &y : &x));
            int *q = arr + u % 50; *q = i; q[0]++; show(arr[u % 50]); show(q - arr); show(q > arr);
            for (q = small; q < small + 4; q++) *q = i++; show(small[2] + small[3]);
            int (*f)(int) = u % 3 ? twice : half; show(f(i)); show(y.name[u % 3]);
            char *c = x.name; c[u % 20] = 'z'; show(*c + x.name[u % 20]); show(\"hello\"[u % 6]);
            struct n *r = &y; struct n z = *r; z.v = i; *r = z; show(y.v); void *v = r;
            show(((struct n *)v)->v); show(p == &a); show(p != 0); show((long)p == 0);
            return 0; }}"
    ));
}

#[test]
fn floats() {
    check(&format!(
        "{SHOW} int main(void) {{
            int i = __VERIFIER_nondet_int(); unsigned u = __VERIFIER_nondet_uint();
            double d = i * 0.5; float f = i; f /= 3; d = d * f - u; show(d > 0); show(f < d);
            show((int)(f / 4)); show(f == (float)d); show(d != d); show(!f); show(-f < 0);
            f = 16777217.0f + i; if (d > -1e9 && d < 1e9) show((long long)d); show((_Bool)f);
            d = (unsigned long long)u * 1e10; show(d > 1e15); float g = d; show(g > d);
            return 0; }}"
    ));
}

/// Whether the condition of the only `if` in the first `main` implies that of the second.
fn implied(modified: &str, original: &str) -> bool {
    let prelude = "void reach_error(void); struct s { int a; struct s *n; }; int x, y; unsigned u;
        struct s g; struct s *p; float f; _Bool b;";
    let program = |condition: &str| {
        load(&format!("{prelude} int main(void) {{ if ({condition}) reach_error(); return 0; }}"), DataModel::LP64)
    };
    let (modified, original) = (program(modified), program(original));
    let assume = |cfa: &Cfa| {
        cfa.edge_ids().find(|edge| matches!(cfa.edge(*edge).operation, Operation::Assume { truth: true, .. })).unwrap()
    };
    let (premise, conclusion) = (assume(&modified), assume(&original));
    let mut queries = Queries::z3(Limits::default()).unwrap();
    let counterpart = |variable| {
        let name = &modified.variable(variable).name;
        original.variable_ids().find(|other| original.variable(*other).name == *name)
    };
    let function = |function| {
        let name = &modified.function(function).name;
        original.function_ids().find(|other| original.function(*other).name == *name)
    };
    Implications::new(&modified, &original, counterpart, function).implies(&mut queries, premise, conclusion).unwrap()
}

#[test]
fn conditions_imply_conditions() {
    assert!(implied("x > 5", "x > 3"));
    assert!(!implied("x > 3", "x > 5"));
    assert!(implied("x == 4", "4 == x && x < 9"));
    assert!(implied("u - 1 < 3", "u != 0"));
    // Integers wrap.
    assert!(implied("x + 1 > x + 2", "x == 2147483646"));
    assert!(implied("p->a == 3", "p->a > 2"));
    assert!(!implied("p->a == 3", "p->n->a == 3"));
    assert!(implied("p == &g", "&g == p"));
    assert!(!implied("p == &g", "p == p->n"));
    assert!(implied("f > 1.5f", "f > 1.25f"));
    assert!(implied("b", "b == 1"));
}

#[test]
fn programs_of_a_corpus() {
    // Others can be added.
    let mut files = gate::own_programs();
    if let Ok(corpus) = std::env::var("RESIDUE_CORPUS") {
        collect(Path::new(&corpus), &mut files);
    }
    let (mut runs, mut complete, mut failed) = (0, 0, Vec::new());
    for file in &files {
        let options = ProgramOptions { data_model: DataModel::ILP32, ..ProgramOptions::default() };
        let Ok(cfa) = program::load(file, &options) else { continue };
        for seed in 1..4 {
            runs += 1;
            match follow(&cfa, seed, 3000) {
                Ok(followed) => complete += usize::from(followed.complete),
                Err(error) => failed.push(format!("{}: {error}", file.display())),
            }
        }
    }
    eprintln!("{} files, {runs} runs, {complete} followed to the end", files.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(complete > 0, "no run was followed to its end");
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "c" || e == "i") {
            files.push(path);
        }
    }
    files.sort();
}
