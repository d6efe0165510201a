//! What `cse --to c` prints: gcc compiles it, and a verifier answers it as `cse` does.

use std::path::Path;

use duct::cmd;
use residue_tests::libraries::SAMPLES;
use residue_tests::run;

/// The question about a client and two versions, and what a verifier says of it.
fn answer(folder: &Path, texts: [&str; 3], flags: &[&str]) -> Option<String> {
    for (name, text) in ["client.c", "old.c", "new.c"].iter().zip(texts) {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let files = ["--to", "c", "-o", "both.c", "--client", "client.c", "old.c", "new.c"];
    let asked = run("cse", flags.iter().chain(&files), folder).unwrap();
    if asked.code == 2 && asked.stderr.contains("cannot be written as one program") {
        return None;
    }
    assert_eq!((asked.code, asked.stdout.as_str()), (0, ""), "{texts:?} {}", asked.stderr);
    let gcc = cmd!("gcc", "-std=gnu11", "-w", "-c", "-o", "both.o", "both.c").dir(folder).stderr_to_stdout().stdout_capture();
    let gcc = gcc.unchecked().run().unwrap();
    assert!(gcc.status.success(), "{}\n{texts:?}", String::from_utf8_lossy(&gcc.stdout));
    let verified = run("verify", ["--steps", "200000", "both.c"], folder).unwrap();
    assert_ne!(verified.code, 2, "{texts:?} {}", verified.stderr);
    Some(verified.last_line().to_owned())
}

#[test]
fn verifiers_answer_as_cse_does() {
    let (mut all, mut decided) = (0, 0);
    let mut wrong = Vec::new();
    for (what, texts, expected) in SAMPLES {
        for (flags, expected) in [["--undefined", "preserve"], ["--undefined", "both"]].iter().zip(expected) {
            let folder = tempfile::tempdir().unwrap();
            let found = answer(folder.path(), *texts, flags).unwrap_or_default();
            // Accesses to memory are no part of the question.
            let right = match *expected {
                "EQ" => "TRUE",
                "NEQ" if *what == "an access that is new" => "TRUE",
                "NEQ" => "FALSE(unreach-call)",
                _ => "",
            };
            let is_decided = found == "TRUE" || found.starts_with("FALSE");
            if is_decided && found != right && *expected != "?" {
                wrong.push(format!("{what} {flags:?}: {found}"));
            }
            (all, decided) = (all + i32::from(*expected != "?"), decided + i32::from(is_decided));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(5 * decided >= 3 * all, "{decided} of {all}");
}

#[test]
fn nothing_to_ask_is_a_program_too() {
    let folder = tempfile::tempdir().unwrap();
    let same = "int lib(int v) { return v; }";
    let found = answer(folder.path(), ["int lib(int); int main(void) { return lib(1); }", same, same], &[]);
    assert_eq!(found.as_deref(), Some("TRUE"));
    let changed = "int lib(int v) { return v + 1; }";
    let found = answer(folder.path(), ["int lib(int); int main(void) { return lib(1); }", same, changed], &[]);
    assert_eq!(found.as_deref(), Some("FALSE(unreach-call)"));
}
