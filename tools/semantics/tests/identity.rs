//! Which objects and functions of two programs are the same ones although attributes differ.

use formats::ProgramOptions;
use program::cfa::Cfa;
use program::load::load_source;
use program::source::SourceFile;
use semantics::compare::Comparison;

fn cfa(text: &str) -> Cfa {
    #[allow(clippy::expect_used, reason = "a test helper")]
    load_source(SourceFile::new("test.c", text), &ProgramOptions::default()).expect("a C program")
}

/// Whether the first variable and the first function of two programs are the same.
fn same(original: &str, modified: &str) -> (bool, bool) {
    let (original, modified) = (cfa(original), cfa(modified));
    let comparison = Comparison::new(&original, &modified);
    let map = comparison.correspondence();
    let variable = modified.variable_ids().next().is_some_and(|id| map.identity(id).is_some());
    let function = modified.function_ids().next().is_some_and(|id| map.strict_function(id).is_some());
    (variable, function)
}

#[test]
fn an_object_of_another_alignment_is_another_object_where_its_address_is_seen() {
    let seen = "int f(void) { return 0; } int main(void) { return (long)&x % 64; }";
    let unseen = "int f(void) { return 0; } int main(void) { return x; }";
    let (plain, aligned) = ("char x;", "_Alignas(64) char x;");
    assert!(same(&format!("{plain}{seen}"), &format!("{plain}{seen}")).0);
    assert!(!same(&format!("{aligned}{seen}"), &format!("{plain}{seen}")).0);
    assert!(!same(&format!("{plain}{seen}"), &format!("{aligned}{seen}")).0);
    assert!(same(&format!("{plain}{unseen}"), &format!("{aligned}{unseen}")).0);
}

#[test]
fn attributes_that_are_part_of_the_identity_are_compared() {
    let rest = "int main(void) { return f() + x; }";
    let (plain, fast) = ("int f(void) { return 0; }", "__attribute__((optimize(\"O3\"))) int f(void) { return 0; }");
    assert_eq!(same(&format!("int x; {plain} {rest}"), &format!("int x; {plain} {rest}")), (true, true));
    assert_eq!(same(&format!("int x; {plain} {rest}"), &format!("int x; {fast} {rest}")), (true, false));
    let moved = "int x __attribute__((section(\".data.x\")));";
    assert_eq!(same(&format!("int x; {plain} {rest}"), &format!("{moved} {plain} {rest}")), (false, true));
    let cold = "__attribute__((cold)) int f(void) { return 0; }";
    assert_eq!(same(&format!("int x; {plain} {rest}"), &format!("int x; {cold} {rest}")), (true, true));
}

#[test]
fn every_temporary_of_a_program_is_one_of_the_same_program() {
    // `long` and `long long` are of one class, and each has temporaries of its own.
    let text = "long f(void); long long g(void); int main(void) { long a = f() + f(); long long b = g() + g(); return a < b; }";
    let (one, other) = (cfa(text), cfa(text));
    let comparison = Comparison::new(&one, &other);
    let map = comparison.correspondence();
    let lost: Vec<_> = other.variable_ids().filter(|id| map.identity(*id).is_none()).map(|id| &other.variable(id).name).collect();
    assert!(lost.is_empty(), "{lost:?}");
}
