//! Variable argument lists mean what gcc makes of them: alone, along a condition and as residual programs.

use std::path::Path;

use residue_tests::{root, run};

/// What the program exits with for each input, by gcc: 1 iff the error is reached.
fn errors(flags: &[&str], folder: &Path) -> Vec<i32> {
    let text = "extern void exit(int);\nstatic int x;\nint __VERIFIER_nondet_int(void) { return x; }\n\
                void reach_error(void) { exit(1); }\nextern int program(void);\nextern int atoi(const char *);\n\
                int main(int argc, char **argv) { x = atoi(argv[1]); program(); return 0; }\n";
    std::fs::write(folder.join("runner.c"), text).unwrap();
    let program = root().join("tests/variadic/lists.c");
    let program = program.to_str().unwrap();
    duct::cmd("gcc", [&["-w", "-Dmain=program", "-c", "-o", "program.o"], flags, &[program]].concat()).dir(folder).run().unwrap();
    duct::cmd!("gcc", "-w", "-o", "runner", "program.o", "runner.c").dir(folder).run().unwrap();
    let ran = |x: i32| duct::cmd!(folder.join("runner"), x.to_string()).unchecked().run().unwrap().status.code().unwrap();
    (-1..12).map(ran).collect()
}

fn verdict(arguments: &[&str], folder: &Path) -> String {
    let ran = run("residue", arguments.iter().copied(), folder).unwrap();
    assert!(ran.code < 2, "{}", ran.stderr);
    ran.last_line().to_owned()
}

#[test]
fn lists_are_read_as_they_were_passed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert_eq!(errors(&[], folder), [0; 13]);
    assert_eq!(errors(&["-DSEVENTH=8"], folder).iter().sum::<i32>(), 2, "for 7 and for 8");
    let text = std::fs::read_to_string(root().join("tests/variadic/lists.c")).unwrap();
    std::fs::write(folder.join("original.c"), &text).unwrap();
    std::fs::write(folder.join("broken.c"), text.replace("#define SEVENTH 7", "#define SEVENTH 8")).unwrap();
    let rewritten = text.replace("r += va_arg(ap, int);\n    if", "{ int next = va_arg(ap, int); r = next + r; }\n    if");
    assert_ne!(rewritten, text);
    std::fs::write(folder.join("rewritten.c"), rewritten).unwrap();
    let plain = ["check", "-q", "--detector", "none", "original.c"];
    assert_eq!(verdict(&[&plain[..], &["original.c"]].concat(), folder), "TRUE");
    for via in ["native", "reduce"] {
        for (modified, expected) in [("broken.c", "FALSE(unreach-call)"), ("rewritten.c", "TRUE")] {
            let found = verdict(&["check", "-q", "--via", via, "original.c", modified], folder);
            assert_eq!(found, expected, "{via} {modified}");
        }
    }
}

#[test]
fn an_argument_that_differs_is_a_difference() {
    let text = |argument: &str| {
        format!(
            "extern void reach_error(void);\nstatic int last(int n, ...) {{ __builtin_va_list ap; int r = 0; \
             __builtin_va_start(ap, n); while (n--) r = __builtin_va_arg(ap, int); __builtin_va_end(ap); return r; }}\n\
             int main(void) {{ int a = 1, b = 2; if (last(2, a, {argument}) != 1) reach_error(); return 0; }}\n"
        )
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("original.c"), text("a")).unwrap();
    std::fs::write(folder.path().join("modified.c"), text("b")).unwrap();
    for detector in ["diffdp", "diffcond"] {
        let found = verdict(&["check", "-q", "--detector", detector, "original.c", "modified.c"], folder.path());
        assert_eq!(found, "FALSE(unreach-call)", "{detector}");
    }
}
