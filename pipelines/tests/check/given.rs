//! Folders and files that the command line names: each revision has its own, whichever flag names them and however it is written.

use std::os::unix::fs::symlink;

use crate::repository::Repository;
use crate::run;

const PROGRAM: &str = "#ifndef K\n#include \"k.h\"\n#endif\nextern void reach_error(void);\n\
    int main(void) { if (K != 1) reach_error(); return 0; }\n";

/// A repository in which `K` is 1, then `number`, and something else in the working tree.
fn repository(number: u32) -> Repository {
    let repository = Repository::new();
    repository.write("src/a.c", PROGRAM);
    repository.write("inc/k.h", "#define K 1\n");
    repository
        .write("compile_commands.json", r#"[{"directory": "build", "file": "../src/a.c", "arguments": ["cc", "../src/a.c"]}]"#);
    repository.write("build/file", "");
    repository.commit("one");
    repository.write("inc/k.h", &format!("#define K {number} // {number}\n"));
    repository.commit("two");
    repository.write("inc/k.h", "#define K 3\n");
    repository
}

#[test]
fn each_revision_has_its_own_folders_and_files_whichever_flag_names_them() {
    let outside = tempfile::tempdir().unwrap();
    for (number, verdict) in [(2, "FALSE"), (1, "TRUE")] {
        let repository = repository(number);
        let absolute = format!("{}/inc", repository.path().display());
        let link = outside.path().join(format!("link{number}"));
        symlink(repository.path(), &link).unwrap();
        let linked = format!("--isystem={}/inc", link.display());
        for (from, flags) in [
            ("", vec!["-I", "inc"]),
            ("", vec!["-Iinc"]),
            ("", vec!["-isystem", "inc"]),
            ("", vec!["-isysteminc"]),
            ("", vec!["--isystem", &absolute]),
            ("", vec![&linked]),
            ("", vec!["--cpp-arg=-isystem", "--cpp-arg=inc"]),
            ("", vec!["--cpp-arg=-I", "--cpp-arg=inc"]),
            ("", vec!["--cpp-arg=-iquoteinc"]),
            ("", vec!["--cpp-arg=-iquote", "--cpp-arg=inc"]),
            ("", vec!["--cpp-arg=-idirafterinc"]),
            ("src", vec!["--cpp-arg=-idirafter", "--cpp-arg=../inc"]),
            ("src", vec!["--isystem", "../inc"]),
            ("", vec!["--include", "inc/k.h"]),
            ("src", vec!["--include", "../inc/k.h"]),
            ("src", vec!["--cpp-arg=-imacros", "--cpp-arg=../inc/k.h"]),
            ("src", vec!["--isystem", "../inc", "--include", "k.h"]),
        ] {
            let arguments = [&["check", "--git", "HEAD~1..HEAD"], &flags[..]].concat();
            let ran = run(&arguments, &repository.path().join(from));
            assert!(ran.last_line().starts_with(verdict), "{number} {from} {flags:?}: {}{}", ran.stdout, ran.stderr);
            assert!(!ran.stdout.contains("original cannot"), "{from} {flags:?}: {}{}", ran.stdout, ran.stderr);
        }
    }
}
