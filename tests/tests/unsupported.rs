//! A construct without sound treatment is never the reason of a TRUE: it may itself reach the error, even where nothing
//! behind it can.

use std::fs;

use residue_tests::run;

const ORIGINAL_CALLS_NOTHING: [(&str, &str, &str); 2] = [
    (
        "a function of another type, called through a pointer",
        "void h(long x) { BODY } void k(int x) { }\nint main(void) { void (*p)(int) = k; p = (void (*)(int))h; p(3); return 0; }\n",
        "unsupported",
    ),
    (
        "a function that runs at the end of the program",
        "extern int atexit(void (*)(void));\nvoid h(void) { BODY }\nint main(void) { atexit(h); return 0; }\n",
        "unsupported: atexit",
    ),
];

#[test]
fn what_is_not_understood_may_reach_the_error() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    for (name, text, reason) in ORIGINAL_CALLS_NOTHING {
        let program = |body: &str| format!("extern void reach_error(void);\n{}", text.replace("BODY", body));
        fs::write(here.join("original.c"), program("")).unwrap();
        fs::write(here.join("modified.c"), program("reach_error();")).unwrap();
        let ran = run("verify", ["-q", "modified.c"], here).unwrap();
        assert!(ran.last_line().contains(reason), "{name}: {}{}", ran.stdout, ran.stderr);
        for detector in ["diffcond", "diffdp"] {
            for via in ["native", "reduce"] {
                let arguments = ["check", "-q", "--detector", detector, "--via", via, "original.c", "modified.c"];
                let ran = run("residue", arguments, here).unwrap();
                assert_eq!(ran.code, 3, "{name}, {detector}, {via}: {}{}", ran.stdout, ran.stderr);
            }
        }
    }
}

#[test]
fn a_function_without_a_body_may_write_what_it_is_given_pointers_to() {
    let folder = tempfile::tempdir().unwrap();
    let text = "extern void reach_error(void);\nextern int unknown(int *);\nint main(void) { int x = 0; unknown(&x); if (x == 7) reach_error(); return 0; }\n";
    fs::write(folder.path().join("program.c"), text).unwrap();
    let ran = run("verify", ["-q", "program.c"], folder.path()).unwrap();
    assert_ne!(ran.last_line(), "TRUE", "{}{}", ran.stdout, ran.stderr);
}
