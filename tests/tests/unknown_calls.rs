//! Calls through pointers that lead to no function of the program: for detectors, certificates and the verifier they are calls of
//! a function without a body. What the program itself may do behind the pointer stays part of the comparison. And what every
//! such function may write: what its arguments point to, wherever that lies.

use diffdp::{Config, Detected, Wanted, detect_with};
use formats::ProgramOptions;
use program::cfa::Cfa;
use program::source::SourceFile;

/// `CODE` stands for what differs.
const PROGRAM: &str = "
    extern void reach_error(void); extern int in(void); extern void give(int *);
    extern int ask(int); extern void tell(void);
    struct operations { int (*ask)(int); void (*tell)(void); };
    extern struct operations *find(void);
    static int hidden, count; int *shown; static int given;
    static int next(int x) { return x + 1; }
    int main(void) {
        struct operations *o = find();
        int x = in(), r = 0, own = 0;
        CODE
        if (r > 3) count = next(2);
        if (count > 100 || given > 5) reach_error();
        return 0;
    }";

fn load(code: &str) -> Cfa {
    let source = SourceFile::new("program.c", PROGRAM.replace("CODE", code));
    program::load_source(source, &ProgramOptions::default()).expect("a program")
}

fn detect(original: &Cfa, modified: &Cfa) -> Detected {
    let wanted = Wanted { certificate: true, ..Wanted::default() };
    detect_with(original, modified, &Config::default(), wanted, &mut || false)
}

/// Whether something is left to check.
fn is_left(original: &str, modified: &str) -> bool {
    let (original, modified) = (load(original), load(modified));
    let Detected { graph, certificate, .. } = detect(&original, &modified);
    let checked = validate::validate(&original, &modified, &graph, &certificate.unwrap());
    assert!(checked.is_ok(), "{}", checked.unwrap_err());
    !graph.indicators.is_empty()
}

const CALLS: &str = "r = o->ask(x); o->tell();";

#[test]
fn the_same_call_is_a_step() {
    for (what, original, modified) in [
        ("nothing has changed", CALLS, CALLS),
        ("another statement before it", CALLS, "hidden = 1; r = o->ask(x); o->tell();"),
        ("a local variable that nobody else sees", CALLS, "own = 7; r = o->ask(x); own = 8; o->tell();"),
        ("what is affected is not passed on", "count = 1; o->tell(); count = 0;", "count = 2; o->tell(); count = 0;"),
        ("the pointer in a variable of another name", "int (*f)(int) = o->ask; r = f(x);", "int (*g)(int) = o->ask; r = g(x);"),
        (
            "a function of the program may be meant",
            "int (*f)(int) = x ? next : o->ask; r = f(1);",
            "int (*f)(int) = x ? next : o->ask; hidden = 3; r = f(1);",
        ),
    ] {
        assert!(!is_left(original, modified), "{what}");
    }
}

/// Whatever is said of a call by name is said of the same call through a pointer, as long as the modified program makes each.
#[test]
fn a_call_that_leads_outside_is_one_of_a_function_without_a_body() {
    let mut left = 0;
    for (original, modified) in [
        (CALLS, "r = o->ask(x + 1); o->tell();"),
        (CALLS, "r = o->ask(x); o->tell(); o->tell();"),
        ("r = 4;", "r = o->ask(x);"),
        ("if (o->ask(x) == 5) count = 101;", "if (o->ask(x) >= 5) count = 101;"),
        ("o->tell(); give(&own); count = own;", "give(&own); o->tell(); count = own;"),
        ("give(&own); o->tell(); count = own;", "give(&own); own = 200; o->tell(); count = own;"),
        ("r = o->ask(x);", "o->ask(x);"),
        ("r = 0; own = o->ask(x);", "own = 0; r = o->ask(x);"),
    ] {
        let named = |text: &str| text.replace("o->", "");
        let pointer = is_left(original, modified);
        assert_eq!(pointer, is_left(&named(original), &named(modified)), "{original} | {modified}");
        left += usize::from(pointer);
    }
    assert!((2..8).contains(&left), "{left}");
}

/// What a pointer leads to need not be a function: the original does not certainly get past a call that the modified program
/// does not make.
#[test]
fn a_call_that_only_the_original_makes_is_left_to_check() {
    for (original, modified) in [
        (CALLS, "r = o->ask(x);"),
        ("r = o->ask(x);", "r = 4;"),
        ("o->tell(); o->ask(1);", "o->ask(1);"),
        ("o->tell(); r = 7;", "r = 7;"),
        ("o->tell();", "o->ask(1);"),
        ("if (x) r = o->ask(x);", "if (!x) r = o->ask(x);"),
        ("void (*f)(void) = o->tell; f();", "void (*f)(void) = (void (*)(void))o->ask; f();"),
        ("int (*f)(int) = x ? next : 0; r = f(1); count = x;", "r = next(1); count = x;"),
    ] {
        assert!(is_left(original, modified), "{original} | {modified}");
    }
}

/// The function outside is one of several that may be meant; what the program's own ones do is compared.
#[test]
fn a_changed_function_behind_a_pointer_is_left_to_check() {
    let call = "int (*f)(int) = x ? next : o->ask; r = f(200); count = r;";
    let original = load(call);
    let source = PROGRAM.replace("CODE", call).replace("return x + 1;", "return x > 150 ? 0 : x + 1;");
    let repaired = program::load_source(SourceFile::new("program.c", source), &ProgramOptions::default()).unwrap();
    let graph = detect(&repaired, &original).graph;
    assert!(!graph.indicators.is_empty());
}

/// `diffcond` goes on behind a call that is the same, as long as nothing has changed before it.
#[test]
fn a_change_behind_the_call_is_found_where_it_is() {
    let (original, modified) = (load(CALLS), load("r = o->ask(x); o->tell(); r = r + 1;"));
    let graph = diffcond::detect(&original, &modified, &mut || false);
    let places: Vec<String> =
        graph.reasons.iter().filter_map(|reason| Some(modified.edge_text(program::cfa::EdgeId(reason.edge?)))).collect();
    assert!(!places.is_empty() && places.iter().all(|text| text.contains("r + 1")), "{places:?}");
}

/// What the verifier says of a program, by the project's own command, and what it takes for granted.
fn verdict(text: &str, more: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("program.c"), text).unwrap();
    let ran =
        residue_tests::run("verify", [&["-v", "--steps", "2000000"], more, &["program.c"]].concat(), folder.path()).unwrap();
    ran.stdout + &ran.stderr
}

/// A driver and its kernel: whatever the pointers lead to that come from outside, it is not the program's.
#[test]
fn a_verdict_about_calls_that_lead_outside_says_what_it_takes_for_granted() {
    let text = "
        extern void reach_error(void); struct operations { int (*ask)(int); }; extern struct operations *find(void);
        int main(void) { int r = find()->ask(3); if (r > 3 && r < 3) reach_error(); return 0; }";
    let answer = verdict(text, &[]);
    assert!(answer.contains("\nTRUE"), "{answer}");
    assert!(answer.contains("lead to functions without a body"), "{answer}");
    let answer = verdict(&text.replace("r > 3 && r < 3", "r > 3"), &[]);
    assert!(answer.contains("\nUNKNOWN"), "no run has such a function: {answer}");
}

/// A machine does not go on behind the call of what is no function.
#[test]
fn nothing_is_violated_behind_the_call_of_a_null_pointer() {
    let text = "
        extern void reach_error(void); extern int __VERIFIER_nondet_int(void); static void f(void) {}
        int main(void) { void (*p)(void) = __VERIFIER_nondet_int() ? f : 0; p(); CODE reach_error(); return 0; }";
    let answer = verdict(&text.replace("CODE", "if (!p)"), &[]);
    assert!(!answer.contains("\nFALSE"), "{answer}");
    let answer = verdict(&text.replace("CODE", ""), &[]);
    assert!(answer.contains("\nFALSE"), "{answer}");
    let answer = verdict(&text.replace("CODE reach_error();", ""), &["--property", "valid-deref"]);
    assert!(!answer.contains("\nTRUE"), "a null pointer is called: {answer}");
}

/// What a call points to may be different behind it: of no object there is a proof that it is what it was, nor a run.
#[test]
fn a_function_without_a_body_may_write_what_it_is_given() {
    const GIVEN: [(&str, &str, &str, &str); 7] = [
        ("a variable of the file", "static int v;", "v = 1; get(&v);", "v"),
        ("a variable of the program", "int v;", "v = 1; get(&v);", "v"),
        ("a variable of the function", "", "int v = 1; get(&v);", "v"),
        ("an element", "static int v[4];", "v[2] = 1; get(v);", "v[2]"),
        ("a neighbour in a structure", "static struct { int a, b; } v;", "v.a = 1; get(&v.b);", "v.a"),
        ("through a pointer", "static int v, w; static int *p;", "v = 1; p = in() ? &v : &w; get(p);", "v"),
        ("a function of the C library that is in no table", "static int v;", "v = 1; sem_getvalue(0, &v);", "v"),
    ];
    for (what, declared, code, read) in GIVEN {
        let says = |code: &str, error: &str| {
            let answer = verdict(
                &format!(
                    "extern void reach_error(void); extern int in(void); extern void get(void *); extern void see(const int *);
                     extern int sem_getvalue(void *, int *);
                     {declared} int main(void) {{ {code} if ({error}) reach_error(); return 0; }}"
                ),
                &[],
            );
            answer.lines().find(|line| ["TRUE", "FALSE", "UNKNOWN"].iter().any(|v| line.starts_with(v))).unwrap().to_owned()
        };
        let behind = says(code, &format!("{read} != 1"));
        assert!(behind.starts_with("UNKNOWN(unsupported: memory that a function without a body may write"), "{what}: {behind}");
        assert_eq!(says(&format!("{code} {read} = 4;"), &format!("{read} != 4")), "TRUE", "{what}: written again");
        assert_eq!(says(&format!("{code} int i = in();"), "i == 7"), "FALSE(unreach-call)", "{what}: something else decides");
        if declared.is_empty() {
            // The address of a local is out for good: it may come back in any later call.
            continue;
        }
        let seen = code.replace("get(", "see((const int *) ").replace("sem_getvalue(0,", "see(");
        assert_eq!(says(&seen, &format!("{read} != 1")), "TRUE", "{what}: it is only read");
    }
}

/// Blocks of the heap are no variables of the program: whoever asks what a given block is must not look for one.
#[test]
fn a_block_whose_type_is_not_known_may_be_given_away() {
    let says = |code: &str| {
        verdict(
            &format!(
                "extern void reach_error(void); extern int in(void); extern void get(void *); extern void *malloc(unsigned long);
                 union u {{ char size[40]; long align; }}; union u *shared;
                 int main(void) {{ int x = 1; shared = (union u *)malloc(sizeof(union u)); get(shared); {code} return 0; }}"
            ),
            &[],
        )
    };
    assert!(says("if (x != 1) reach_error();").contains("\nTRUE"));
    assert!(says("if (in() == 7) reach_error();").contains("\nFALSE"));
    assert!(says("if (shared->size[3] == 7) reach_error();").contains("\nUNKNOWN(unsupported: "));
}

/// A name of the library says what a call yields, or that it does more than is known.
#[test]
fn functions_of_the_library_yield_what_they_yield() {
    for condition in
        ["lroundf(2.5f) != 3", "scalbnf(1.0f, 3) != 8", "sinhf(0) != 0", "printf(\"abc\") == 0", "putchar('a') == 'b'"]
    {
        let text = format!(
            "extern void reach_error(void); long lroundf(float); float scalbnf(float, int), sinhf(float); int putchar(int);
             int printf(const char *, ...); int main(void) {{ if ({condition}) reach_error(); return 0; }}"
        );
        let answer = verdict(&text, &[]);
        assert!(!answer.contains("\nFALSE"), "{condition}: {answer}");
    }
    let text = "
        extern void reach_error(void); int __cxa_at_quick_exit(void (*)(void *), void *); void quick_exit(int);
        static void h(void *a) { reach_error(); } int main(void) { __cxa_at_quick_exit(h, 0); quick_exit(0); }";
    assert!(!verdict(text, &[]).contains("\nTRUE"));
    let text = "
        extern void reach_error(void); static int w(void) __attribute__((weakref(\"nowhere\")));
        int main(void) { if (!w) reach_error(); return 0; }";
    assert!(!verdict(text, &[]).contains("\nTRUE"), "nobody need define it");
}

/// A process starts with no less than no argument; a function that is called, or has other parameters, with any.
#[test]
fn a_process_has_no_negative_number_of_arguments() {
    let verdict = |program: &str| verdict(&format!("extern void reach_error(void); {program}"), &[]);
    assert!(verdict("int main(int c, char **v) { if (c < 0) reach_error(); return 0; }").contains("\nTRUE"));
    for program in [
        "int main(int c, char **v) { if (c == 0) reach_error(); return 0; }",
        "int main(int c, char **v) { if (c < 0) reach_error(); return c == 0 ? 0 : main(c - 2, v); }",
        "int main(int c, char **v) { int (*f)(int, char **) = main; if (c < 0) reach_error(); return c ? 0 : f(-1, v); }",
        "int main(int x) { if (x < 0) reach_error(); return 0; }",
    ] {
        assert!(verdict(program).contains("\nFALSE"), "{program}");
    }
}
