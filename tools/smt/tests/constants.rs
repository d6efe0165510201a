//! Which objects count as constants: those that nothing may write to, and string literals.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use formats::ProgramOptions;
use program::source::SourceFile;
use rustc_hash::FxHashSet;
use smt::encode::EveryAddressTaken;
use smt::{Encoder, TermStore};

/// The names of the variables of which some leaf is a constant.
fn constants(text: &str) -> Vec<String> {
    let source = SourceFile::new("program.c", text.to_owned());
    let cfa = program::load_source(source, &ProgramOptions::default()).unwrap();
    let mut store = TermStore::new();
    let mut encoder = Encoder::new(&cfa, EveryAddressTaken::new(&cfa));
    let terms: Vec<_> = encoder.constants(&mut store).into_keys().collect();
    let of = |term| encoder.variable_of(&store, term).map(|variable| cfa.variable(variable).name.to_string());
    let found: FxHashSet<String> = terms.into_iter().filter_map(of).filter(|name| !name.starts_with("__str")).collect();
    let mut found: Vec<String> = found.into_iter().collect();
    found.sort();
    found
}

const START: &str = "void reach_error(void);\nint in(void);\n";

#[test]
fn what_is_only_read_is_constant() {
    let text = "int table[3] = {1, 2, 3}; static int limit = 7; int count; struct s { int a, b; } pair = { 4, 5 };\n\
                int main(void) { count = in(); if (table[count % 3] + pair.b > limit) reach_error(); return 0; }\n";
    assert_eq!(constants(&format!("{START}{text}")), ["limit", "pair", "table"]);
}

#[test]
fn whatever_may_write_makes_a_variable() {
    let text = "int a = 1, b = 1, c = 1, d = 1, e = 1, f = 1; struct s { int x[2]; } g; void out(int *);\n\
                int main(int n) { int *p = n ? &a : &b; *p = 2; c++; d = in(); out(&e); g.x[1] = 3;\n\
                if (a + b + c + d + e + g.x[0] > f) reach_error(); return 0; }\n";
    assert_eq!(constants(&format!("{START}{text}")), ["f"]);
}

#[test]
fn what_is_not_known_is_no_constant() {
    let mixed: Vec<String> = (0..300).map(|n: u32| (n * n * 37 % 251).to_string()).collect();
    let text = format!(
        "extern int limit; volatile int port = 3; int big[1000] = {{ [5] = 1 }}; int mixed[300] = {{ {} }};\n\
                int main(int n) {{ if (n > limit + port + big[n] + mixed[n]) reach_error(); return 0; }}\n",
        mixed.join(", ")
    );
    assert_eq!(constants(&format!("{START}{text}")), ["big"]);
}

#[test]
fn a_long_table_of_few_runs_is_constant() {
    let text = "int filled[300] = { [0 ... 299] = 1 }; int written[300] = { [0 ... 299] = 1 };\n\
                int main(int n) { written[n] = 2; if (n > filled[n] + written[n]) reach_error(); return 0; }\n";
    assert_eq!(constants(&format!("{START}{text}")), ["filled"]);
}

#[test]
fn assembly_may_write_to_anything_but_a_literal() {
    let text = "int limit = 3; int main(int n) { __asm__ volatile (\"\" : \"=m\" (n)); if (n > limit + \"ab\"[0]) reach_error(); return 0; }\n";
    assert_eq!(constants(&format!("{START}{text}")), Vec::<String>::new());
}
