//! What every object on the heap keeps: proofs for lists of any length, and programs in which an invariant that looks kept is not.
//!
//! `verify` finds most violations before it looks at objects. So whatever is violated is also put to that proof alone, which
//! must not succeed.

use std::fs;

use residue_tests::oracle::load;
use residue_tests::programs::Rng;
use residue_tests::proofs::{judge, number};
use residue_tests::run;
use semantics::interpreter::{Limits, Tried};
use verify::prove_by_objects;

/// Steps for a proof about objects by itself.
const STEPS: u64 = 800_000;

/// Random programs that are tried; `RESIDUE_OBJECTS` changes it, `RESIDUE_SEED` the first.
const PROGRAMS_TRIED: u64 = 150;

const HEAD: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nextern void *malloc(unsigned long);\n\
                    extern void *calloc(unsigned long, unsigned long);\nextern void free(void *);\nextern void abort(void);\n\
                    extern void *memset(void *, int, unsigned long);\nextern void *elsewhere(void *);\n\
                    struct node { int a, b; struct node *next; };\nstruct other { long first; int a; struct other *next; };\n\
                    struct cell { int *data; struct cell *next; };\nstatic int one = 1, two = 2;\nstatic struct node spare;\n";

/// The answer of `verify` and the invariants it names.
fn answer(body: &str) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{HEAD}{body}");
    fs::write(folder.path().join("program.c"), &text).unwrap();
    let ran = run("verify", ["--steps", "1500000", "--json", "program.c"], folder.path()).unwrap();
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr));
    let named = report["object_invariants"].as_array().cloned().unwrap_or_default();
    let named = named.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect();
    (report["verdict"].as_str().unwrap().to_owned(), named)
}

/// What is proved of all objects by itself.
fn proved(body: &str) -> Option<Vec<String>> {
    prove_by_objects(&load("program.c", &format!("{HEAD}{body}")), STEPS).unwrap()
}

/// A list is built, with something done to each new node, and then looked at.
fn list(each: &str, check: &str) -> String {
    format!(
        "int main(void) {{\n  struct node *head = 0;\n  while (__VERIFIER_nondet_int()) {{\n    int x = __VERIFIER_nondet_int();\n    \
         struct node *p = malloc(sizeof *p);\n    {each}\n    p->next = head;\n    head = p;\n  }}\n  \
         for (struct node *p = head; p; p = p->next)\n    if (!({check})) reach_error();\n}}\n"
    )
}

/// Something done to each new node, what holds of all, and one of the invariants behind it.
const KEPT: &[(&str, &str, &str)] = &[
    ("p->a = 1; p->b = 0;", "p->a == 1", "struct node: a == 1"),
    ("p->a = 1; p->b = 2; p->a += 1; p->b++; --p->a;", "p->a == 1 && p->b == 3", "struct node: a <= 1"),
    ("p->a = x; p->b = x; if (x > 5) p->b = 5;", "p->b <= p->a && p->b <= 5", "struct node: b <= 5"),
    ("if (x < 0) abort(); p->a = x; p->b = x / 2;", "p->a >= 0", "struct node: a >= 0"),
    ("p->a = p->b = 7; if (head) head->b = 8;", "p->b >= 7 && p->b <= 8", "struct node: b == 7 || b == 8"),
    ("p->a = 1; p->b = 2; *(x ? &p->a : &p->b) = x ? 1 : 2;", "p->a == 1 && p->b == 2", "struct node: b == 2"),
];

#[test]
fn lists_of_any_length_are_proved() {
    for (each, check, invariant) in KEPT {
        let (verdict, named) = answer(&list(each, check));
        assert_eq!(verdict, "TRUE", "{each} {check}");
        assert!(named.iter().any(|one| one == invariant), "{each}: {named:?}");
        assert!(proved(&list(each, check)).is_some(), "{each} {check}");
    }
    let zeroed = list("p->b = 1;", "p->a == 0").replace("malloc(sizeof *p)", "calloc(1, sizeof *p)");
    assert_eq!(answer(&zeroed).0, "TRUE");
    let two = "int main(void) {\n  struct node *n = 0;\n  struct other *o = 0;\n  while (__VERIFIER_nondet_int()) {\n    struct node *p = malloc(sizeof *p);\n    \
               struct other *q = malloc(sizeof *q);\n    p->a = 1; p->next = n; n = p;\n    q->a = 2; q->first = 0; q->next = o; o = q;\n  }\n  \
               for (; n; n = n->next)\n    if (n->a != 1) reach_error();\n  for (; o; o = o->next)\n    if (o->a != 2) reach_error();\n}\n";
    assert_eq!(answer(two).0, "TRUE");
    // Numbers and pointers come out of the same objects; a number that is counted up from zero is above it.
    let stack = |least: u32| {
        format!(
            "int main(void) {{\n  struct node *top = 0;\n  int height = 0;\n  while (__VERIFIER_nondet_int()) {{\n    \
             if (__VERIFIER_nondet_int() && height < 1000) {{\n      struct node *p = malloc(sizeof *p);\n      p->next = top; p->a = ++height; top = p;\n    \
             }} else if (top) {{\n      struct node *p = top;\n      top = p->next; height = p->a - {least};\n      free(p);\n    }}\n    \
             if (height < 0) reach_error();\n  }}\n}}\n"
        )
    };
    let named = prove_by_objects(&load("program.c", &format!("{HEAD}{}", stack(1))), 4 * STEPS).unwrap();
    assert!(named.is_some_and(|named| named.iter().any(|one| one == "struct node: a >= 1")));
    assert_eq!(proved(&stack(2)), None);
}

/// Something done to each new node that breaks what is checked: for some nodes, later, or behind the back.
const BROKEN: &[(&str, &str)] = &[
    ("p->b = 0;", "p->a == 1"),
    ("p->a = 2;", "p->b == 0"),
    ("p->a = 2; if (x == 5) p->a = 3;", "p->a == 2"),
    ("p->a = 1; if (head) head->a = 2;", "p->a == 1"),
    ("p->a = 1; if (head && head->next) head->next->a++;", "p->a == 1"),
    ("p->a = 1; struct node *q = head ? head : p; q->a = 2;", "p->a == 1"),
    ("p->a = 1; p->b = 1; if (head) { int *i = &head->a; *i = 2; }", "p->a == 1"),
    ("p->a = 1; if (head) ((int *)head)[0] = 2;", "p->a == 1"),
    ("p->a = 1; if (head) *(int *)head = 2;", "p->a == 1"),
    ("p->a = 1; if (x == 3) memset(p, 0, sizeof *p);", "p->a == 1"),
    ("p->a = 1; if (head) { struct node other = {2, 2, head->next}; *head = other; }", "p->a == 1"),
    ("p->a = 1; if (head) { ((struct other *)head)->first = 2; }", "p->a == 1"),
    ("p->a = 1; if (x == 3) elsewhere(p);", "p->a == 1"),
    ("p->a = 1; if (x == 3) { struct node *q = elsewhere(p); q->a = 2; }", "p->a == 1"),
    ("p->a = x; p->b = x; if (head) head->a = head->b + 1;", "p->a <= p->b"),
    ("p->a = 0; p->b = 0; p->a = p->b = x;", "p->a == 0"),
    ("p->a = 1; if (x == 3) { unsigned long at = (unsigned long)p; ((struct node *)at)->a = 2; }", "p->a == 1"),
    ("p->a = 1; if (x == 3) { free(p); p = malloc(sizeof *p); }", "p->a == 1"),
    ("p->a = 1; p->b = x; p->a *= p->b;", "p->a == 1"),
    // Who takes the object behind `p` for the one that was in focus last writes 7 beside 9, not beside 5.
    ("p->a = 5; p->b = 5; if (head) { head->b = 9; head->a = 9; p->a = 7; }", "p->a <= p->b"),
    ("p->a = 5; p->b = 5; if (head) { struct node *q = head; q->b = 9; q->a = 9; q = p; q->a = 7; }", "p->a <= p->b"),
    ("p->a = 5; p->b = 5; if (head) { struct node **q = &p; head->b = 9; head->a = 9; (*q)->a = 7; }", "p->a <= p->b"),
    // Foreign code gets the address out of a variable.
    ("p->a = 1; struct node *held = p; if (x == 3) elsewhere(&held);", "p->a == 1"),
    // What is written is no object on the heap.
    ("p->a = 1; struct node *q = x == 3 ? &spare : p; q->a = 1;", "p->a == 1 && spare.a == 0"),
    // One allocation, two records.
    ("p = calloc(2, sizeof *p); p->a = 1;", "(p + 1)->a == 1"),
];

#[test]
fn what_some_object_does_not_keep_is_no_invariant() {
    for (each, check) in BROKEN {
        let (verdict, named) = answer(&list(each, check));
        assert!(verdict != "TRUE" && named.is_empty(), "{each} {check}: {verdict} {named:?}");
        assert_eq!(proved(&list(each, check)), None, "{each} {check}");
    }
}

/// Whole programs in which something is lost to whoever follows one object at a time too simply.
const PROGRAMS: &[&str] = &[
    // A function that calls itself while the place of an assignment is held.
    "static struct node *make(int n) {\n  struct node *p = malloc(sizeof *p);\n  p->a = 1; p->b = 1; p->next = 0;\n  if (n > 0) p->a = (p->next = make(n - 1))->b + (n == 2);\n  return p;\n}\n\
     int main(void) {\n  int n = __VERIFIER_nondet_int();\n  if (n < 0 || n > 3) return 0;\n  for (struct node *p = make(n); p; p = p->next)\n    if (p->a != 1) reach_error();\n}\n",
    // Another object is brought into focus by a call between two accesses.
    "static struct node *head;\nstatic int touch(void) { if (head) head->a = 5; return 1; }\n\
     int main(void) {\n  while (__VERIFIER_nondet_int()) {\n    struct node *p = malloc(sizeof *p);\n    p->a = 1; p->b = 1; p->next = head;\n    head = p;\n    p->a = touch();\n    touch();\n  }\n  \
     for (struct node *p = head; p; p = p->next)\n    if (p->a != 1) reach_error();\n}\n",
    // The same, and the other one is another object.
    "static struct node *head;\nstatic void touch(void) { if (head) { head->b = 9; head->a = 9; } }\n\
     int main(void) {\n  while (__VERIFIER_nondet_int()) {\n    struct node *p = malloc(sizeof *p);\n    p->a = 5; p->b = 5; p->next = head;\n    touch();\n    if (head) p->a = 7;\n    head = p;\n  }\n  \
     for (struct node *p = head; p; p = p->next)\n    if (p->a > p->b) reach_error();\n}\n",
    // A variable of the same statement holds the address of one member or the other.
    "int main(void) {\n  struct node *head = 0;\n  while (__VERIFIER_nondet_int()) {\n    struct node *p = malloc(sizeof *p);\n    p->a = 1; p->b = 1; p->next = head;\n    p->a += __VERIFIER_nondet_int() == 4;\n    p->b += 0 * __VERIFIER_nondet_int();\n    head = p;\n  }\n  \
     for (; head; head = head->next)\n    if (head->a != 1) reach_error();\n}\n",
    // A null pointer is read: the program goes on with anything.
    "int main(void) {\n  struct node *head = 0;\n  while (__VERIFIER_nondet_int()) {\n    struct node *p = malloc(sizeof *p);\n    p->a = 1; p->b = 1; p->next = head;\n    head = p;\n  }\n  \
     while (head) head = head->next;\n  int x = __VERIFIER_nondet_int();\n  struct node **late = &head;\n  if (x == 7) { struct node *q = malloc(sizeof *q); q->b = 1; *late = q; }\n  if (head && head->a != 1) reach_error();\n}\n",
    // What a member points to is one of two objects.
    "int main(void) {\n  struct cell *head = 0;\n  while (__VERIFIER_nondet_int()) {\n    struct cell *p = malloc(sizeof *p);\n    p->data = &one;\n    if (__VERIFIER_nondet_int() == 3) p->data = &two;\n    p->next = head;\n    head = p;\n  }\n  \
     for (struct cell *p = head; p; p = p->next) {\n    int *at = __VERIFIER_nondet_int() ? &one : p->data;\n    if (*at != 1) reach_error();\n  }\n}\n",
    // A variable that holds the address of the object in focus is changed through a pointer.
    "int main(void) {\n  struct node *head = 0, *p, **at = &p;\n  while (__VERIFIER_nondet_int()) {\n    p = malloc(sizeof *p);\n    p->a = 1; p->b = 1; p->next = head;\n    if (head) { *at = head; p->a = 2; }\n    if (p != head) head = p;\n  }\n  \
     for (; head; head = head->next)\n    if (head->a != 1) reach_error();\n}\n",
    // A number of an object is an address, once of an object and once of something else.
    "int main(void) {\n  struct other *head = 0, *q;\n  static struct other hidden;\n  while (__VERIFIER_nondet_int()) {\n    struct other *p = malloc(sizeof *p);\n    p->a = 1; p->first = (long)p; p->next = head;\n    if (__VERIFIER_nondet_int() == 3) p->first = (long)&hidden;\n    head = p;\n  }\n  \
     for (q = head; q; q = q->next) {\n    struct other *r = (struct other *)(q->first + 0 * q->a);\n    if (r->a != 1) reach_error();\n  }\n}\n",
    "int main(void) {\n  struct other *head = 0, *q;\n  while (__VERIFIER_nondet_int()) {\n    struct other *p = malloc(sizeof *p);\n    p->a = 1; p->first = (long)p; p->next = head;\n    head = p;\n  }\n  \
     for (q = head; q; q = q->next) {\n    struct other *r = (struct other *)(q->first + 0 * q->a);\n    r->a = 2;\n    if (q->a != 1) reach_error();\n  }\n}\n",
    // An object loses its invariant for good while it is worked on, and the program ends with it.
    "int main(void) {\n  struct node *p = 0;\n  while (__VERIFIER_nondet_int()) {\n    struct node *n = malloc(sizeof *n);\n    n->a = 1; n->b = 1; n->next = p;\n    p = n;\n  }\n  \
     if (p && p->next) { p->a = 3; if (p->next->a + p->a == 4) reach_error(); }\n}\n",
];

#[test]
fn nothing_is_lost_between_objects() {
    for program in PROGRAMS {
        let (verdict, named) = answer(program);
        assert!(verdict != "TRUE" && named.is_empty(), "{program}\n{verdict} {named:?}");
        assert_eq!(proved(program), None, "{program}");
    }
}

/// A random program that builds and changes a list, with a check of every node at the end.
fn random(seed: u64) -> String {
    let mut r = Rng::new(seed);
    let mut body = String::new();
    let pointers = ["p", "q", "t", "head", "second"];
    let mut statements = Vec::new();
    for _ in 0..1 + r.below(5) {
        statements.push(statement(&mut r, &pointers, 0));
    }
    let bump = ["n->a++;", "n->b = 1;", "n->a = n->b;", "if (head) head->a = 1;", "second = n;"][r.below(5)];
    let get = ["a", "b"][r.below(2)];
    body += "static struct node *head, *second;\nstatic int y;\n";
    body += &format!("static int bump(struct node *n) {{ if (n) {{ {bump} }} return 1; }}\n");
    body += &format!("static int get(struct node *n) {{ return n ? n->{get} : 1; }}\n");
    let (a, b) = (r.below(3), ["x", "1", "0", "p->a"][r.below(4)]);
    let fresh = if r.one_in(4) { "calloc(1, sizeof *p)" } else { "malloc(sizeof *p)" };
    let b = if r.one_in(8) { String::new() } else { format!("p->b = {b};") };
    let (member, op) = (["a", "b"][r.below(2)], [">=", "<=", "==", "!="][r.below(4)]);
    let other = ["0", "1", "2", "p->a", "p->b"][r.below(5)];
    body += &format!(
        "int main(void) {{\n  struct node *p = 0, *q = 0, *t = 0, **pp = &q;\n  while (__VERIFIER_nondet_int()) {{\n    \
         int x = __VERIFIER_nondet_int();\n    if (x < 0 || x > 2) break;\n    p = {fresh};\n    p->a = {a}; {b}\n    \
         p->next = head; head = p;\n    {}\n  }}\n  for (p = head; p; p = p->next) {{\n    \
         if (!(p->{member} {op} {other})) reach_error();\n    if (++y > 40) break;\n  }}\n}}\n",
        statements.join("\n    ")
    );
    body
}

fn value(r: &mut Rng, pointers: &[&str]) -> String {
    match r.below(7) {
        0 | 1 => r.below(3).to_string(),
        2 => "x".to_owned(),
        3 => "y".to_owned(),
        4 => format!("bump({})", pointers[r.below(pointers.len())]),
        5 => format!("get({})", pointers[r.below(pointers.len())]),
        _ => format!("(x + {})", r.below(2)),
    }
}

fn statement(r: &mut Rng, pointers: &[&str], depth: usize) -> String {
    let local = |r: &mut Rng| ["p", "q", "t"][r.below(3)];
    let (pointer, member) = (pointers[r.below(pointers.len())], ["a", "b"][r.below(2)]);
    match r.below(12) {
        0..3 => {
            let op = ["=", "=", "+=", "-="][r.below(4)];
            format!("if ({pointer}) {pointer}->{member} {op} {};", value(r, pointers))
        }
        3 => format!("if ({pointer}) {pointer}->{member}++;"),
        4 => format!("{} = {pointer};", local(r)),
        5 => format!("*pp = {pointer};"),
        6 => format!("pp = &{};", local(r)),
        7 => format!("if ({pointer}) {} = {pointer}->next;", local(r)),
        8 => format!("if (p && q) p->a = q->b = {};", value(r, pointers)),
        9 => format!("if (p && {pointer}) p->{member} = {pointer}->b + {};", r.below(2)),
        10 if depth < 2 => {
            format!(
                "if (x == {}) {{ {} }} else {{ {} }}",
                r.below(3),
                statement(r, pointers, depth + 1),
                statement(r, pointers, depth + 1)
            )
        }
        _ => format!("y = {};", value(r, pointers)),
    }
}

#[test]
fn nothing_that_a_run_violates_is_proved() {
    let programs = number("RESIDUE_OBJECTS", PROGRAMS_TRIED);
    let limits = Limits { steps: 2_000, ..Limits::default() };
    let tried = Tried { values: &[0, 1, 2], depth: 7, limits };
    let text = |seed| format!("{HEAD}{}", random(seed));
    let (violated, proved) = judge(programs, tried, text, |cfa| prove_by_objects(cfa, STEPS / 4).unwrap());
    assert!(6 * violated > programs && 10 * proved > programs, "{violated} violated, {proved} proved");
}
