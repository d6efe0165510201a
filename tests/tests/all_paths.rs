//! Where a condition makes a program no smaller, all paths come first, and still only paths that it leaves count.
//!
//! A function is called twice, of which the change concerns the second call: what the condition says of it depends on the call,
//! so that the product of both has it twice.

use std::fs;

use residue_tests::run;

fn program(first: &str, second: &str) -> String {
    format!(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
         int y;\n\
         void f(int a, int n) {{\n\
           if (n == 6) y = y < 3 ? y + 1 : 0;\n\
           if (n == 7) y = y > 1 ? y - 1 : 0;\n\
           while (n > 3) {{ n -= 2; if (n == 17) y = 1; }}\n\
           if (a == 3) reach_error();\n\
         }}\n\
         int main(void) {{ int n = __VERIFIER_nondet_int(), x; f({first}, n); x = {second}; f(x, n); return 0; }}\n"
    )
}

/// The verdict, and whether it took a look at the paths that the condition leaves.
fn verdict(first: &str, original: &str, modified: &str) -> (String, bool) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("original.c"), program(first, original)).unwrap();
    fs::write(folder.path().join("modified.c"), program(first, modified)).unwrap();
    let step = |tool: &str, arguments: &[&str]| run(tool, arguments, folder.path()).unwrap();
    step("diffdp", &["-q", "original.c", "modified.c", "-o", "graph.json"]);
    step("condgen", &["-q", "graph.json", "-o", "condition.graphml"]);
    let ran = step("verify", &["--stats", "--steps", "600000", "--condition", "condition.graphml", "modified.c"]);
    assert!(!ran.stderr.contains("steps with the condition"), "the condition came first: {}", ran.stderr);
    (ran.last_line().to_owned(), ran.stderr.contains("steps without the condition"))
}

#[test]
fn a_proof_of_all_paths_is_enough() {
    assert_eq!(verdict("n & 4", "n & 1", "n & 2"), ("TRUE".to_owned(), false));
}

#[test]
fn a_violation_on_a_path_that_the_condition_leaves_is_enough() {
    assert_eq!(verdict("n & 4", "n & 1", "n & 3"), ("FALSE(unreach-call)".to_owned(), false));
}

#[test]
fn a_violation_on_a_covered_path_says_nothing() {
    assert_eq!(verdict("n", "n & 1", "n & 2"), ("TRUE".to_owned(), true));
    assert_eq!(verdict("n", "n & 1", "n & 3"), ("FALSE(unreach-call)".to_owned(), true));
}
