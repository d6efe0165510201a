//! What every object on the heap keeps: proofs for lists of any length, and programs in which an invariant that looks kept is not.

use std::fs;

use residue_tests::run;

const HEAD: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nextern void *malloc(unsigned long);\n\
                    extern void *calloc(unsigned long, unsigned long);\nextern void free(void *);\nextern void abort(void);\n\
                    extern void *memset(void *, int, unsigned long);\nextern void *elsewhere(void *);\n\
                    struct node { int a, b; struct node *next; };\nstruct other { long first; int a; struct other *next; };\n";

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
];

#[test]
fn lists_of_any_length_are_proved() {
    for (each, check, invariant) in KEPT {
        let (verdict, named) = answer(&list(each, check));
        assert_eq!(verdict, "TRUE", "{each} {check}");
        assert!(named.iter().any(|one| one == invariant), "{each}: {named:?}");
    }
    let zeroed = list("p->b = 1;", "p->a == 0").replace("malloc(sizeof *p)", "calloc(1, sizeof *p)");
    assert_eq!(answer(&zeroed).0, "TRUE");
    let two = "int main(void) {\n  struct node *n = 0;\n  struct other *o = 0;\n  while (__VERIFIER_nondet_int()) {\n    struct node *p = malloc(sizeof *p);\n    \
               struct other *q = malloc(sizeof *q);\n    p->a = 1; p->next = n; n = p;\n    q->a = 2; q->first = 0; q->next = o; o = q;\n  }\n  \
               for (; n; n = n->next)\n    if (n->a != 1) reach_error();\n  for (; o; o = o->next)\n    if (o->a != 2) reach_error();\n}\n";
    assert_eq!(answer(two).0, "TRUE");
}

/// Something done to each new node that breaks what is checked: for some nodes, later, or behind the back.
const BROKEN: &[(&str, &str)] = &[
    ("p->b = 0;", "p->a == 1"),
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
];

#[test]
fn what_some_object_does_not_keep_is_no_invariant() {
    for (each, check) in BROKEN {
        let (verdict, named) = answer(&list(each, check));
        assert!(verdict != "TRUE" && named.is_empty(), "{each} {check}: {verdict} {named:?}");
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
    // A variable of the same statement holds the address of one member or the other.
    "int main(void) {\n  struct node *head = 0;\n  while (__VERIFIER_nondet_int()) {\n    struct node *p = malloc(sizeof *p);\n    p->a = 1; p->b = 1; p->next = head;\n    p->a += __VERIFIER_nondet_int() == 4;\n    p->b += 0 * __VERIFIER_nondet_int();\n    head = p;\n  }\n  \
     for (; head; head = head->next)\n    if (head->a != 1) reach_error();\n}\n",
    // A null pointer is read: the program goes on with anything.
    "int main(void) {\n  struct node *head = 0;\n  while (__VERIFIER_nondet_int()) {\n    struct node *p = malloc(sizeof *p);\n    p->a = 1; p->b = 1; p->next = head;\n    head = p;\n  }\n  \
     while (head) head = head->next;\n  int x = __VERIFIER_nondet_int();\n  struct node **late = &head;\n  if (x == 7) { struct node *q = malloc(sizeof *q); q->b = 1; *late = q; }\n  if (head && head->a != 1) reach_error();\n}\n",
    // An object loses its invariant for good while it is worked on, and the program ends with it.
    "int main(void) {\n  struct node *p = 0;\n  while (__VERIFIER_nondet_int()) {\n    struct node *n = malloc(sizeof *n);\n    n->a = 1; n->b = 1; n->next = p;\n    p = n;\n  }\n  \
     if (p && p->next) { p->a = 3; if (p->next->a + p->a == 4) reach_error(); }\n}\n",
];

#[test]
fn nothing_is_lost_between_objects() {
    for program in PROGRAMS {
        let (verdict, named) = answer(program);
        assert!(verdict != "TRUE" && named.is_empty(), "{program}\n{verdict} {named:?}");
    }
}
