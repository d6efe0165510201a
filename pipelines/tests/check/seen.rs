//! A header that has changed is seen however a file names it. None of these changes may end as TRUE.

use std::os::unix::fs::symlink;

use crate::repository::Repository;
use crate::run;

const BODY: &str = "extern void reach_error(void);\nint fill(int level) { if (level > RIM) level = RIM; if (level > 100) reach_error(); return level; }\n";

/// A repository in which `header` lets `t.c`, which begins with `text`, violate its property in the second commit.
fn repository(text: &str, header: &str, more: &[(&str, &str)]) -> Repository {
    let repository = Repository::new();
    repository.write("t.c", &format!("{text}\n{BODY}"));
    repository.write("old.h", "");
    more.iter().for_each(|(name, text)| _ = repository.write(name, text));
    for (limit, message) in [(100, "Before"), (101, "After")] {
        repository.write(header, &format!("#define RIM {limit}\n"));
        repository.commit(message);
    }
    repository
}

fn check(repository: &Repository, more: &[&str]) -> crate::Ran {
    repository.check(&[&["--git", "HEAD~1..HEAD", "--entry", "fill", "-I", "."], more].concat())
}

#[test]
fn quotation_marks_beside_the_name_are_no_name() {
    for text in [
        "#define HDR \"cfg.h\"\n#include HDR // was \"old.h\"",
        "#define HDR \"cfg.h\"\n#include HDR /* \"old.h\" */",
        "#define HDR \"cfg.h\"\n#define F(a,b) a\n#include F(HDR,\"x\")",
        "#define HDR <cfg.h>\n#include HDR // a < b > c",
        "#define S(x) #x\n#define T(x) S(x)\n#include T(cfg.h) // see \"old.h\"",
        "#define HDR \"cfg.h\"\n#if __has_include(\"old.h\") || __has_include(HDR)\n#endif\n#include HDR",
        "#define HDR \"cfg.h\"\n/* \"a\" */ %:include HDR",
        "/* \"x\" */ #include \"cf\\\ng.h\"",
        "/* <x> */ #include <cf\\\ng.h>",
        "/* \" */ #include \"cfg.h\"",
        "/* it\"s */ #include \"cfg.h\" /* \" */",
        "/* \"old */ #include \"cfg.h\" // \"",
        "/* < */ #include <cfg.h>",
        "#define EMPTY\n#include EMPTY \"cfg.h\" // EMPTY",
        "/*\n*\\\n/ #include \"cfg.h\"",
    ] {
        let ran = check(&repository(text, "cfg.h", &[]), &[]);
        assert_eq!((ran.code, ran.last_line()), (1, "FALSE(unreach-call)"), "{text}: {}{}", ran.stdout, ran.stderr);
    }
    // The same in a header.
    let through = [("h.h", "#define HDR \"cfg.h\"\n#include HDR // was \"old.h\"\n")];
    let ran = check(&repository("#include \"h.h\"", "cfg.h", &through), &[]);
    assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn blanks_are_part_of_the_name_of_a_header() {
    for (text, header) in [("#include \"cfg.h \"", "cfg.h "), ("#include < cfg.h>", " cfg.h")] {
        let ran = check(&repository(text, header, &[]), &[]);
        assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{text}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_header_of_a_build_may_not_lead_back_to_the_working_tree() {
    for kind in ["path", "absolute", "link", "name"] {
        let repository = repository("#include \"gen.h\"", "cfg.h", &[(".gitignore", "build\nr.*\n")]);
        let absolute = format!("#include \"{}/cfg.h\"\n", repository.path().display());
        match kind {
            "path" => _ = repository.write("build/gen.h", "#include \"../cfg.h\"\n"),
            "absolute" => _ = repository.write("build/gen.h", &absolute),
            "name" => _ = repository.write("build/gen.h", "#include \"cfg.h\"\n"),
            _ => {
                std::fs::create_dir(repository.path().join("build")).unwrap();
                symlink("../cfg.h", repository.path().join("build/gen.h")).unwrap();
            }
        }
        // The working tree has the file as one of the revisions has it: that one may be read.
        let ran = check(&repository, &["-I", "build"]);
        assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{kind}: {}{}", ran.stdout, ran.stderr);
        let told = format!("{}{}", ran.stdout, ran.stderr);
        let says_so = told.contains("includes cfg.h of the working tree, which is not that of HEAD~1");
        assert_eq!(says_so, kind != "name", "{kind}: {told}");
        // Or as none has it.
        repository.write("cfg.h", "#define RIM 99\n");
        let ran = check(&repository, &["-I", "build"]);
        if kind == "name" {
            assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{kind}: {}{}", ran.stdout, ran.stderr);
            continue;
        }
        assert!(ran.code == 2 && ran.last_line().starts_with("UNKNOWN("), "{kind}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("includes cfg.h of the working tree, which is not that of HEAD"), "{kind}: {}", ran.stderr);
        let arguments = ["properties", "--git", "HEAD~1..HEAD", "--entry", "fill", "-I", "build"];
        let ran = run(&arguments, repository.path());
        assert!(
            ran.code == 2 && ran.stderr.contains("includes cfg.h of the working tree"),
            "{kind}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn an_absolute_name_leads_to_the_working_tree() {
    let repository = repository("#include \"h.h\"", "cfg.h", &[("h.h", "")]);
    repository.write("h.h", &format!("#include \"{}/cfg.h\"\n", repository.path().display()));
    repository.write("cfg.h", "#define RIM 100\n");
    repository.commit("Before");
    repository.write("cfg.h", "#define RIM 101\n");
    repository.commit("After");
    let ran = check(&repository, &[]);
    assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_header_outside_of_the_repository_may_not_lead_back() {
    let repository = repository("#include \"gen.h\"", "cfg.h", &[]);
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("gen.h"), format!("#include \"{}/cfg.h\"\n", repository.path().display())).unwrap();
    let ran = check(&repository, &["-I", outside.path().to_str().unwrap()]);
    assert!(ran.code == 2 && ran.last_line().starts_with("UNKNOWN("), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("includes cfg.h of the working tree"), "{}", ran.stderr);
}
