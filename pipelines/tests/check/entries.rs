//! Entry functions without a caller, files that are laid over revisions, and threads.

use std::fs;

use crate::repository::Repository;
use crate::run;

const HEADER: &str = "struct queue { int items[8]; int head; int size; };\n";
const QUEUE: &str = "#include \"queue.h\"
extern void reach_error(void);
static int wrap(int x) { return x % 8; }
int push(struct queue *q, int v, int n) {
  if (q->size < 0 || q->size > 8 || q->head < 0 || q->head >= 8) return -1;
  if (q->size == 8) return 0;
  q->items[wrap(q->head + q->size)] = v;
  q->size++;
  if (q->size > 8) reach_error();
  return n;
}
";
const HARNESS: &str = "#include \"queue.c\"
extern int __VERIFIER_nondet_int(void);
int main(void) {
  struct queue q = { {0}, 0, 0 };
  int n = __VERIFIER_nondet_int();
  for (int i = 0; i < 9; i++) push(&q, n, n);
  if (q.size != 8) reach_error();
  return 0;
}
";

#[test]
fn entry_functions_are_listed_with_what_they_would_assume() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("queue.h"), HEADER).unwrap();
    fs::write(here.join("queue.c"), QUEUE).unwrap();
    let ran = run(&["entries", "queue.c"], here);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{}{}", ran.stdout, ran.stderr);
    assert!(lines[0].starts_with("wrap at queue.c:3: wrap is called once"), "{}", lines[0]);
    assert!(lines[1].starts_with("push at queue.c:4: q points to one struct, which nothing else points to; "), "{}", lines[1]);
    let ran = run(&["entries", "--json", "--entry", "push", "queue.c"], here);
    let listing: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&listing["entries"][0]["name"], listing["entries"].as_array().unwrap().len()), (&"push".into(), 1));
    let ran = run(&["entries", "--entry", "pop", "queue.c"], here);
    assert_eq!((ran.code, ran.stderr.contains("does not define pop")), (2, true), "{}", ran.stderr);
}

#[test]
fn functions_of_system_headers_are_listed_by_name_only() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("swap.c"), "#include <byteswap.h>\nint swap(int x) { return bswap_32(x); }\n").unwrap();
    let ran = run(&["entries", "swap.c"], here);
    assert!(ran.stdout.starts_with("swap at swap.c:2: ") && ran.stdout.lines().count() == 1, "{}", ran.stdout);
    let ran = run(&["entries", "--entry", "__bswap_32", "swap.c"], here);
    assert!(ran.stdout.starts_with("__bswap_32 at /usr/include/"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_written_harness_compiles_and_gives_the_same_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::create_dir(here.join("src")).unwrap();
    fs::write(here.join("src/queue.h"), HEADER).unwrap();
    for (text, verdict) in [(QUEUE.to_owned(), "TRUE"), (QUEUE.replace("size == 8", "size == 9"), "FALSE(unreach-call)")] {
        fs::write(here.join("src/queue.c"), text).unwrap();
        let written = run(&["entries", "--entry", "push", "--assume", "n <= 8", "--write-harness", "own.c", "src/queue.c"], here);
        assert_eq!(written.code, 0, "{}", written.stderr);
        duct::cmd!("gcc", "-Wall", "-Werror", "-c", "-o", "/dev/null", "own.c").dir(here).run().unwrap();
        let made =
            run(&["check", "--detector", "none", "--entry", "push", "--assume", "n <= 8", "src/queue.c", "src/queue.c"], here);
        let own = run(&["check", "--detector", "none", "--entry", "harness_push", "own.c", "own.c"], here);
        assert_eq!((made.last_line(), own.last_line()), (verdict, verdict), "{}{}", made.stdout, own.stdout);
        assert!(made.stdout.starts_with("assumed: q points to one struct, which nothing else points to; "), "{}", made.stdout);
    }
}

#[test]
fn history_is_checked_with_a_harness_of_today() {
    let repository = Repository::new();
    repository.write("src/queue.h", HEADER);
    repository.write("src/queue.c", QUEUE);
    repository.commit("A queue");
    repository.write("src/queue.c", &QUEUE.replace("size == 8) return", "size >= 8) return"));
    repository.commit("Compare otherwise");
    repository.write("src/queue.c", &QUEUE.replace("size == 8) return", "size == 7) return"));
    repository.commit("Off by one");
    let harness = repository.write("src/harness.c", HARNESS);
    for (range, verdict) in
        [("HEAD~2..HEAD~1", "TRUE"), ("HEAD~1..HEAD", "FALSE(unreach-call)"), ("HEAD~1", "FALSE(unreach-call)")]
    {
        let ran = repository.check(&["--git", range, "--with", "src/harness.c"]);
        assert_eq!(ran.last_line(), verdict, "{range}: {}{}", ran.stdout, ran.stderr);
        assert!(verdict == "TRUE" || ran.stdout.starts_with("regression at src/harness.c:7"), "{}", ran.stdout);
    }
    assert_eq!(fs::read_to_string(harness).unwrap(), HARNESS);
    assert!(repository.git(&["status", "--porcelain"]).starts_with("?? src/harness.c"), "the index is as it was");
    let ran = repository.check(&["--git", "HEAD~1", "--with", "/etc/passwd"]);
    assert_eq!((ran.code, ran.stderr.contains("no file of the repository")), (2, true), "{}", ran.stderr);
}

#[test]
fn a_pattern_checks_what_other_files_can_call() {
    let repository = Repository::new();
    let two = |bound: &str, limit: &str| {
        format!(
            "extern void reach_error(void);\nstatic int in(int x) {{ return x > {bound} ? {bound} : x; }}\n\
             int low(int x) {{ if (in(x) > 9) reach_error(); return 0; }}\nint high(int x) {{ return x > {limit}; }}\n"
        )
    };
    repository.write("src/two.c", &two("9", "1"));
    repository.write("src/inner.c", "static int in(int x) { return x; }\n");
    repository.write("src/other.c", "int other(int x) { return x; }\n");
    repository.commit("Two");
    repository.write("src/two.c", &two("10", "2"));
    let ran = repository.check(&["--git", "HEAD", "--entry", "*"]);
    assert_eq!((ran.code, ran.last_line()), (1, "FALSE(unreach-call)"), "{}{}", ran.stdout, ran.stderr);
    for line in ["src/two.c low: regression at src/two.c:3 ", "src/two.c high: no regression", "2 checked: 1 with a regression, "]
    {
        assert!(ran.stdout.contains(line), "{line}: {}{}", ran.stdout, ran.stderr);
    }
    let ran = repository.check(&["--git", "HEAD", "--entry", "h*,other"]);
    assert_eq!((ran.code, ran.stdout.contains(" low")), (0, false), "{}{}", ran.stdout, ran.stderr);
    // What a file hides is asked for by its name, and a file without anything to start with is not checked.
    let ran = repository.check(&["--git", "HEAD", "--entry", "i*"]);
    let told = "src/two.c defines no function that other files can call and i* means: not checked";
    assert_eq!((ran.code, ran.last_line(), ran.stdout.contains(told)), (3, "UNKNOWN(not checked)", true), "{}", ran.stdout);
    repository.write("src/inner.c", "static int in(int x) { return x + 1; }\n");
    let ran = repository.check(&["--git", "HEAD", "--entry", "high,*oth*"]);
    let told = "src/inner.c defines no function";
    assert_eq!((ran.code, ran.stdout.contains(told)), (3, true), "{}{}", ran.stdout, ran.stderr);
    // A file that is no C stands for nothing, and is not passed over.
    repository.write("src/inner.c", "static int in(int x) { return x + ; }\n");
    let ran = repository.check(&["--git", "HEAD", "--entry", "*"]);
    assert_eq!((ran.code, ran.stderr.contains("src/inner.c:1:35")), (2, true), "{}{}", ran.stdout, ran.stderr);
    repository.git(&["checkout", "--quiet", "."]);
    let ran = repository.check(&["--git", "HEAD", "--entry", "*"]);
    assert_eq!(ran.last_line(), "TRUE", "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_pattern_reaches_through_files_that_have_not_changed() {
    let repository = Repository::new();
    repository.write("limit.c", "int limit(int x) { return x > 9 ? 9 : x; }\n");
    repository.write(
        "use.c",
        "extern void reach_error(void); int limit(int);\nint use(int x) { if (limit(x) > 9) reach_error(); return 0; }\n",
    );
    repository.commit("Use");
    repository.write("limit.c", "int limit(int x) { return x > 10 ? 10 : x; }\n");
    let ran = repository.check(&["--git", "HEAD", "--entry", "*"]);
    let told = "use.c use: it uses limit, which has changed in limit.c: not checked together";
    assert_eq!((ran.code, ran.stdout.contains(told)), (3, true), "{}{}", ran.stdout, ran.stderr);
    let ran = repository.check(&["--git", "HEAD", "--entry", "*", "--link", "*.c"]);
    assert!(ran.stdout.contains("*.c use: regression at use.c:2"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.last_line(), "FALSE(unreach-call)");
}

#[test]
fn patterns_are_for_programs_and_folders_too() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (side, bound) in [("before", 9), ("after", 10)] {
        fs::create_dir(here.join(side)).unwrap();
        fs::write(here.join(side).join("limit.c"), format!("int limit(int x) {{ return x > {bound} ? {bound} : x; }}\n"))
            .unwrap();
        let text =
            "extern void reach_error(void); int limit(int);\nint use(int x) { if (limit(x) > 9) reach_error(); return 0; }\n";
        fs::write(here.join(side).join("use.c"), text).unwrap();
    }
    for arguments in [&["before", "after"][..], &["--link", "*.c", "before", "after"]] {
        let ran = run(&[&["check", "--entry", "*"], arguments].concat(), here);
        assert!(ran.stdout.contains(" use: regression at "), "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("2 checked: 1 with a regression, 1 "), "{}{}", ran.stdout, ran.stderr);
        let ran = run(&[&["check", "--entry", "u?e"], arguments].concat(), here);
        assert!(
            ran.stdout.starts_with("regression at ") && ran.stderr.contains(" use: nothing else"),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
        let ran = run(&[&["check", "--entry", "x*"], arguments].concat(), here);
        assert_eq!((ran.code, ran.stderr.contains("matches x*")), (2, true), "{}{}", ran.stdout, ran.stderr);
    }
    let ran = run(&["entries", "--entry", "l*", "after"], here);
    assert!(ran.stdout.starts_with("limit at ") && ran.stdout.lines().count() == 1, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_harness_is_linked_with_two_programs() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let linked = HARNESS.replace(
        "#include \"queue.c\"",
        "#include \"before/queue.h\"\nint push(struct queue *, int, int);\nvoid reach_error(void);",
    );
    for (side, text) in [("before", QUEUE.to_owned()), ("after", QUEUE.replace("size == 8", "size == 7"))] {
        fs::create_dir(here.join(side)).unwrap();
        fs::write(here.join(side).join("queue.h"), HEADER).unwrap();
        fs::write(here.join(side).join("queue.c"), text).unwrap();
    }
    fs::write(here.join("harness.c"), linked).unwrap();
    for (programs, verdict) in [
        (["before", "after"], "FALSE(unreach-call)"),
        (["before/queue.c", "after/queue.c"], "FALSE(unreach-call)"),
        (["after", "before"], "TRUE"),
    ] {
        let ran = run(&["check", "--with", "harness.c", programs[0], programs[1]], here);
        assert_eq!(ran.last_line(), verdict, "{programs:?}: {}{}", ran.stdout, ran.stderr);
    }
}

/// Starts of a thread; the second argument runs in it.
const STARTS: [(&str, &str); 6] = [
    ("int pthread_create(void *, void *, void *(*)(void *), void *);", "pthread_create(&id, 0, work, 0);"),
    ("int thrd_create(void *, int (*)(void *), void *);", "thrd_create(&id, (int (*)(void *))work, 0);"),
    (
        "int pthread_create(void *, void *, void *(*)(void *), void *);",
        "int (*start)(void *, void *, void *(*)(void *), void *) = pthread_create; start(&id, 0, work, 0);",
    ),
    (
        "int pthread_create(void *, void *, void *(*)(void *), void *); struct { int (*start)(void *, void *, void *(*)(void *), void *); } \
         table = { pthread_create };",
        "table.start(&id, 0, work, 0);",
    ),
    ("int pthread_create(void *, void *, void *(*)(void *), void *);", "begin(&id);"),
    ("int clone(int (*)(void *), void *, int, void *, ...);", "clone((int (*)(void *))work, 0, 0, 0);"),
];

#[test]
fn a_program_that_starts_threads_is_never_proved() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (declared, start) in STARTS {
        let helper =
            if start.contains("begin") { "static int begin(long *id) { return pthread_create(id, 0, work, 0); }" } else { "" };
        let text = format!(
            "extern void reach_error(void);\n{declared}\nint shared; static void *work(void *a) {{ shared = 1; return 0; }}\n{helper}\n\
             int main(void) {{ long id; int unused = 0; shared = 0; {start} if (shared) reach_error(); return unused; }}\n"
        );
        fs::write(here.join("original.c"), &text).unwrap();
        for (what, modified) in [
            ("the same", text.clone()),
            ("a comment", format!("{text}/* nothing */")),
            ("another value before", text.replace("unused = 0", "unused = 3")),
            ("another value after", text.replace("return unused", "return unused + 1")),
            ("nothing to violate", text.replace("if (shared) reach_error();", "").replace("extern void reach_error(void);", "")),
        ] {
            fs::write(here.join("modified.c"), modified).unwrap();
            for more in [["--detector", "diffdp"], ["--detector", "diffcond"], ["--detector", "none"], ["--via", "reduce"]] {
                let ran = run(&[&["check"], more.as_slice(), &["original.c", "modified.c"]].concat(), here);
                let reason = ran.last_line().starts_with("UNKNOWN(unsupported: threads at modified.c:");
                assert!(reason, "{start} {what} {more:?}: {}{}", ran.stdout, ran.stderr);
                assert!(ran.stdout.contains("check the functions of each thread by themselves"), "{}", ran.stdout);
            }
        }
    }
}

#[test]
fn a_thread_in_another_file_is_seen() {
    let repository = Repository::new();
    let main = "extern void reach_error(void); void begin(void); int shared;\nint main(void) { begin(); if (shared) reach_error(); return 0; }\n";
    let other = "int pthread_create(void *, void *, void *(*)(void *), void *); extern int shared;\n\
                 static void *work(void *a) { shared = 1; return a; }\nvoid begin(void) { long id; pthread_create(&id, 0, work, 0); }\n";
    repository.write("main.c", main);
    repository.write("other.c", other);
    repository.commit("Threads");
    repository.write("main.c", &main.replace("return 0", "return 1"));
    let ran = repository.check(&["--git", "HEAD", "--link", "*.c"]);
    assert!(ran.last_line().starts_with("UNKNOWN(unsupported: threads at other.c:3"), "{}{}", ran.stdout, ran.stderr);
}
