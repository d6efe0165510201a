//! Attacks by artifacts, programs, names of files and the current folder; SECURITY.md names these tests.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use residue_tests::{Ran, run, tool};

const GOOD: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n#define LIMIT 2\nint main(void) { int x = __VERIFIER_nondet_int() & 1; if (x == LIMIT) reach_error(); return 0; }\n";

fn other() -> String {
    GOOD.replace("& 1", "& 3")
}

/// A folder with a pair and what each stage makes of it.
fn pipeline() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("good.c"), GOOD).unwrap();
    fs::write(folder.path().join("other.c"), other()).unwrap();
    for (tool, arguments) in [
        ("diffcond", "--explain-json explanation.json -o graph.json good.c other.c"),
        ("condgen", "-o condition.graphml graph.json"),
        ("reduce", "-o residual.c condition.graphml"),
    ] {
        let ran = run(tool, arguments.split(' '), folder.path()).unwrap();
        assert_eq!(ran.code, 0, "{tool}: {}", ran.stderr);
    }
    folder
}

/// Runs a tool with the words of a line.
fn words(name: &str, line: &str, folder: &Path) -> Ran {
    run(name, line.split(' '), folder).unwrap()
}

/// Runs a shell command line with changes of the environment; `$BIN` is where the tools are.
fn shell(line: &str, folder: &Path, environment: &[(&str, &str)]) -> Ran {
    let bin = tool("verify").parent().unwrap().to_owned();
    let mut command = duct::cmd!("/bin/sh", "-c", line).dir(folder).env("BIN", bin);
    for (name, value) in environment {
        command = command.env(name, value);
    }
    let output = command.stdin_null().stdout_capture().stderr_capture().unchecked().run().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Whether a text can be shown: no control characters but line ends and tabs, nothing that reorders it.
fn is_escaped(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '\n' | '\t') || formats::shown::is_harmless(c))
}

#[test]
fn preprocessor_arguments_of_artifacts_are_refused() {
    let folder = pipeline();
    let here = folder.path();
    let graph = fs::read_to_string(here.join("graph.json")).unwrap();
    let condition = fs::read_to_string(here.join("condition.graphml")).unwrap();
    assert!(graph.contains("\"preprocessor\":[]"), "{graph}");
    let key = "<data key=\"preprocessor\">";
    for flags in [
        &["-fplugin=./evil.so"][..],
        &["-wrapper", "touch,owned"],
        &["-o", "owned"],
        &["-MD", "-MF", "owned"],
        &["-Wp,-MD,owned"],
        &["@owned"],
        &["-Xpreprocessor", "-MD"],
        &["-specs=owned"],
        &["-B."],
        &["-dumpdir", "x"],
        &["-save-temps"],
        &["-include", "@x"],
        &["-D", "@x"],
        &["-DX", "-U@x"],
        &["-I-"],
        &["-I"],
    ] {
        let list = serde_json::to_string(flags).unwrap();
        fs::write(here.join("bad.json"), graph.replace("\"preprocessor\":[]", &format!("\"preprocessor\":{list}"))).unwrap();
        let (before, rest) = condition.split_once(key).unwrap_or_else(|| panic!("{condition}"));
        let rest = rest.split_once("</data>").unwrap().1;
        let quoted = list.replace('"', "&quot;");
        fs::write(here.join("bad.graphml"), format!("{before}{key}{quoted}</data>{rest}")).unwrap();
        for (tool, line, artifact) in [
            ("condgen", "bad.json", "bad.json"),
            ("reduce", "bad.graphml", "bad.graphml"),
            ("verify", "--condition bad.graphml other.c", "bad.graphml"),
        ] {
            let ran = words(tool, line, here);
            assert_eq!(ran.code, 2, "{tool} {flags:?}: {}{}", ran.stdout, ran.stderr);
            assert!(
                ran.stderr.contains(artifact) && ran.stderr.contains("preprocessor argument"),
                "{tool} {flags:?}: {}",
                ran.stderr
            );
        }
        let artifacts = here.join("artifacts");
        fs::create_dir_all(&artifacts).unwrap();
        fs::copy(here.join("bad.json"), artifacts.join("difference-graph.json")).unwrap();
        words("residue", "explain artifacts", here);
        assert!(!here.join("owned").exists() && !here.join("owned.d").exists(), "{flags:?}");
    }
}

#[test]
fn preprocessor_arguments_that_the_user_repeats_are_the_users_own() {
    let folder = pipeline();
    let here = folder.path();
    let flags = "--cpp-arg=-Wno-unused --cpp-arg=-DLIMIT=7";
    fs::write(here.join("other.c"), other().replace("#define LIMIT 2\n", "")).unwrap();
    fs::write(here.join("good.c"), GOOD.replace("#define LIMIT 2\n", "")).unwrap();
    assert_eq!(words("diffdp", &format!("{flags} -o g.json good.c other.c"), here).code, 0);
    assert_eq!(words("condgen", "-o c.graphml g.json", here).code, 2);
    assert_eq!(words("condgen", &format!("{flags} -o c.graphml g.json"), here).code, 0);
    assert_eq!(words("reduce", "c.graphml", here).code, 2);
    assert_eq!(words("reduce", &format!("{flags} c.graphml"), here).code, 0);
    let ran = words("residue", &format!("check --via reduce {flags} good.c other.c"), here);
    assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stderr);
}

#[test]
fn names_of_programs_are_never_options() {
    let folder = pipeline();
    let here = folder.path();
    // If `@x` were a file of arguments, this would write `owned`.
    fs::write(here.join("x.c"), "-MD -MF owned good.c").unwrap();
    fs::create_dir(here.join("-d")).unwrap();
    fs::write(here.join("-d/x.c"), "-MD -MF owned good.c").unwrap();
    for name in [
        "@x.c", "-x.c", "-MDowned", "trailing .c ", " leading.c", "@d.c", "--harness=owned", "-d/y.c", "-d/@x.c", "./@x.c",
        "a'b\"c\\.c", "=x.c", "ü.c",
    ] {
        fs::write(here.join(name), other()).unwrap();
        for tool in ["diffcond", "diffdp"] {
            let ran = run(tool, ["-o", "g.json", "--", "good.c", name], here).unwrap();
            assert_eq!(ran.code, 0, "{tool} {name:?}: {}", ran.stderr);
        }
        assert_eq!(words("condgen", "-o c.graphml g.json", here).code, 0, "{name:?}");
        let ran = words("reduce", "-o r.c c.graphml", here);
        assert_eq!(ran.code, 0, "reduce {name:?}: {}", ran.stderr);
        let ran = run("verify", ["--", name], here).unwrap();
        assert_eq!(ran.last_line(), "FALSE(unreach-call)", "verify {name:?}: {}", ran.stderr);
        let ran = run("residue", ["cfa", "--", name], here).unwrap();
        assert_eq!(ran.code, 0, "cfa {name:?}: {}", ran.stderr);
        for via in ["native", "reduce"] {
            let ran = run("residue", ["check", "--via", via, "--report", "r.html", "--", "good.c", name], here).unwrap();
            assert_eq!((ran.code, ran.last_line()), (1, "FALSE(unreach-call)"), "check {name:?}: {}", ran.stderr);
        }
        assert!(!here.join("owned").exists(), "{name:?}");
    }
}

#[test]
fn names_that_forge_lines_are_refused_and_shown_escaped() {
    let folder = pipeline();
    let here = folder.path();
    let bad = |ran: &Ran, what: &str| {
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(is_escaped(&all), "{what}: {all:?}");
        assert!(all.lines().all(|line| line.trim() != "TRUE" && !line.trim_start().starts_with("::")), "{what}: {all}");
        assert_eq!(ran.code, 2, "{what}: {all}");
    };
    for name in ["x\nTRUE\n", "x\n::error file=a,line=1::b.c", "x\r\u{1b}[2KTRUE.c", "\u{9b}2K.c"] {
        fs::write(here.join(name), other()).unwrap();
        for tool in ["diffcond", "diffdp"] {
            bad(&run(tool, ["--", "good.c", name], here).unwrap(), tool);
            bad(&run(tool, ["--", name, "good.c"], here).unwrap(), tool);
        }
        bad(&run("verify", ["--", name], here).unwrap(), "verify");
        bad(&run("reduce", ["--program", name, "condition.graphml"], here).unwrap(), "reduce");
        bad(&run("residue", ["check", "--", "good.c", name], here).unwrap(), "check");
        bad(&run("residue", ["check", "--", name, "good.c"], here).unwrap(), "check");
        bad(&run("residue", ["cfa", "--", name], here).unwrap(), "cfa");
        // No program, so that the name itself may stay.
        for (tool, arguments) in
            [("condgen", vec!["--", name]), ("residue", vec!["witness", "--", name]), ("residue", vec!["explain", name])]
        {
            bad(&run(tool, arguments, here).unwrap(), tool);
        }
        bad(&run("residue", ["check", "--out", name, "good.c", "other.c"], here).unwrap(), "--out");
    }
}

#[test]
fn texts_of_programs_and_artifacts_are_shown_escaped() {
    let folder = pipeline();
    let here = folder.path();
    // The name in a line marker, an identifier and a string.
    let marker = "# 1 \"\u{1b}[2K::error::\u{202e}x.c\"\n";
    let hostile = other().replace("int main", &format!("{marker}char *s = \"\u{1b}]0;owned\u{7}\u{202e}\";\nint main"));
    fs::write(here.join("hostile.c"), &hostile).unwrap();
    fs::write(here.join("unsupported.c"), hostile.replace("int x =", "int \u{202e}evil = 1; __label__ l;\n::error::x\n int x ="))
        .unwrap();
    fs::write(here.join("asm.c"), hostile.replace("int x =", "asm(\"\u{1b}[2K\"); int x =")).unwrap();
    for line in [
        "check -v --report r.html --report r.sarif --report r.json good.c hostile.c",
        "check good.c unsupported.c",
        "check good.c asm.c",
        "cfa hostile.c",
        "cfa --to dot hostile.c",
        "cfa unsupported.c",
    ] {
        let ran = words("residue", line, here);
        assert!(is_escaped(&ran.stdout) && is_escaped(&ran.stderr), "{line}: {:?}{:?}", ran.stdout, ran.stderr);
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(all.lines().all(|line| !line.trim_start().starts_with("::")), "{all}");
    }
    for name in ["r.html", "r.sarif"] {
        assert!(is_escaped(&fs::read_to_string(here.join(name)).unwrap()), "{name}");
    }
    assert!(words("diffdp", "--explain -o g.json good.c hostile.c", here).stderr.lines().all(is_escaped));
    let explanation = fs::read_to_string(here.join("explanation.json")).unwrap();
    let forged = explanation.replace("\"message\":\"", "\"message\":\"x\\nTRUE\\n\\u001b[2K::error::\\u202e");
    assert_ne!(forged, explanation);
    fs::create_dir(here.join("artifacts")).unwrap();
    fs::write(here.join("artifacts/explanation.json"), forged).unwrap();
    fs::copy(here.join("graph.json"), here.join("artifacts/difference-graph.json")).unwrap();
    let ran = words("residue", "explain artifacts", here);
    assert!(
        ran.code == 0 && is_escaped(&ran.stdout) && ran.stdout.lines().all(|line| line != "TRUE"),
        "{:?}{}",
        ran.stdout,
        ran.stderr
    );
    words("verify", "--witness w.yml other.c", here);
    let witness = fs::read_to_string(here.join("w.yml")).unwrap();
    fs::write(here.join("w.yml"), witness.replace("name: verify", "name: \"x\\nTRUE\\e[2K\"")).unwrap();
    let ran = words("residue", "witness w.yml", here);
    assert!(is_escaped(&ran.stdout) && ran.stdout.lines().all(|line| line != "TRUE"), "{:?}", ran.stdout);
}

#[test]
fn a_report_shows_text_and_runs_nothing() {
    let folder = pipeline();
    let here = folder.path();
    let evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\\\" onmouseover=alert(1) ";
    let marker = format!("# 4 \"{evil}\"\n");
    fs::write(here.join("hostile.c"), other().replace("int main", &format!("char *s = \"{evil}\";\n{marker}int main"))).unwrap();
    let name = "<b onclick=x>'\"&.c";
    fs::copy(here.join("hostile.c"), here.join(name)).unwrap();
    for file in ["hostile.c", name] {
        let ran = run("residue", ["check", "--report", "r.html", "--report", "r.sarif", "--", "good.c", file], here).unwrap();
        assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{}", ran.stderr);
        let page = fs::read_to_string(here.join("r.html")).unwrap();
        assert_eq!(page.matches("<script").count(), 1, "{file}");
        assert_eq!(page.matches("</script").count(), 1, "{file}");
        assert!(!page.contains("<img") && !page.contains("<b onclick") && !page.contains("\" onmouseover"), "{file}");
        let log: serde_json::Value = serde_json::from_str(&fs::read_to_string(here.join("r.sarif")).unwrap()).unwrap();
        assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 1);
    }
}

/// A residual program says in a comment where it comes from: no artifact can end the comment.
#[test]
fn an_artifact_adds_nothing_to_a_residual_program() {
    let folder = pipeline();
    let here = folder.path();
    let condition = fs::read_to_string(here.join("condition.graphml")).unwrap();
    let forged = condition.replace("good.c", "good.c*/ int main(void) { return 0; } /*&#10;*&#x2f;&#13;**/ int a;");
    assert_ne!(condition, forged);
    fs::write(here.join("forged.graphml"), forged).unwrap();
    let ran = words("reduce", "-o forged.c forged.graphml", here);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let code = |name: &str| {
        let text = fs::read_to_string(here.join(name)).unwrap();
        let rest = text.split_once("*/").unwrap().1.to_owned();
        rest.lines().filter(|line| !line.starts_with("/*")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(code("forged.c"), code("residual.c"));
}

#[test]
fn an_artifact_names_no_device() {
    let folder = pipeline();
    let here = folder.path();
    for name in ["/dev/zero", "/dev/stdin", "-", "fifo"] {
        if name == "fifo" {
            assert_eq!(shell("mkfifo fifo", here, &[]).code, 0);
        }
        let text = fs::read_to_string(here.join("condition.graphml")).unwrap().replace("other.c", name);
        fs::write(here.join("device.graphml"), text).unwrap();
        let ran = shell("ulimit -v 4000000; timeout 20 \"$BIN/reduce\" device.graphml", here, &[]);
        assert_eq!(ran.code, 2, "{name}: {}", ran.stderr);
        fs::create_dir_all(here.join("artifacts")).unwrap();
        let text = fs::read_to_string(here.join("graph.json")).unwrap().replace("other.c", name);
        fs::write(here.join("artifacts/difference-graph.json"), text).unwrap();
        let ran = shell("ulimit -v 4000000; timeout 20 \"$BIN/residue\" explain artifacts", here, &[]);
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
    }
}

/// A program that leaves a mark when it is executed, under every name that could be looked for.
fn trap(here: &Path) {
    for name in ["cc", "gcc", "git", "python3", "verify", "diffdp", "condgen", "reduce", "esbmc", "frama-c", "sh", "cc1"] {
        let file = here.join(name);
        fs::write(&file, "#!/bin/sh\n: > owned\nexec false\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn nothing_is_executed_from_the_current_folder() {
    let folder = pipeline();
    let here = folder.path();
    assert_eq!(shell("git init -q . && git add good.c && git -c user.name=a -c user.email=b commit -qm one", here, &[]).code, 0);
    fs::write(here.join("good.c"), other()).unwrap();
    trap(here);
    let before = std::env::var("PATH").unwrap();
    for path in [format!(".:{before}"), format!(":{before}"), format!("{before}:"), format!("./:../:{before}")] {
        let environment = [("PATH", path.as_str()), ("PYTHONPATH", ":.")];
        for line in [
            "verify other.c", "diffdp other.c other.c", "residue cfa other.c", "residue check --git HEAD",
            "residue check good.c other.c",
        ] {
            let ran = shell(&format!("\"$BIN\"/{line}"), here, &environment);
            assert!(ran.code < 2, "{line}: {}{}", ran.stdout, ran.stderr);
            assert!(!here.join("owned").exists(), "{line} with PATH={path}");
        }
        for verifier in ["esbmc", "frama-c", "cpachecker"] {
            shell(&format!("\"$BIN\"/residue check --verifier {verifier} --budget 5 good.c other.c"), here, &environment);
            assert!(!here.join("owned").exists(), "{verifier} with PATH={path}");
        }
    }
    // A driver without its tools beside it looks for them on the path, too.
    fs::create_dir(here.join("alone")).unwrap();
    fs::copy(tool("residue"), here.join("alone/residue")).unwrap();
    let path = format!(".:{before}");
    shell("alone/residue check good.c other.c", here, &[("PATH", path.as_str())]);
    assert!(!here.join("owned").exists());
}

#[test]
fn the_environment_of_the_compiler_writes_and_runs_nothing() {
    let folder = pipeline();
    let here = folder.path();
    trap(here);
    let prefix = format!("{}/", here.display());
    for (name, value) in [
        ("DEPENDENCIES_OUTPUT", "owned"),
        ("SUNPRO_DEPENDENCIES", "owned"),
        ("GCC_EXEC_PREFIX", &prefix),
        ("COMPILER_PATH", &prefix),
    ] {
        let ran = shell("\"$BIN\"/verify other.c", here, &[(name, value)]);
        assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{name}: {}", ran.stderr);
        assert!(!here.join("owned").exists(), "{name}");
    }
}

#[test]
fn an_output_is_never_an_input() {
    let folder = pipeline();
    let here = folder.path();
    symlink("other.c", here.join("link.c")).unwrap();
    fs::hard_link(here.join("graph.json"), here.join("hard.json")).unwrap();
    fs::write(here.join("t.yml"), "id: p\noriginal: good.c\nmodified: other.c\nproperty: unreach-call\ndata_model: LP64\n")
        .unwrap();
    words("verify", "--witness w.yml other.c", here);
    let files = ["good.c", "other.c", "graph.json", "condition.graphml", "t.yml", "w.yml", "explanation.json"];
    let content = || files.map(|name| fs::read(here.join(name)).unwrap());
    let before = content();
    for (tool, line) in [
        ("diffcond", "-o other.c good.c other.c"),
        ("diffdp", "-o link.c good.c other.c"),
        ("diffdp", "--explain-json good.c -o g.json good.c other.c"),
        ("diffdp", "-o x.json --explain-json x.json good.c other.c"),
        ("diffdp", "--task t.yml -o t.yml"),
        ("condgen", "-o hard.json graph.json"),
        ("reduce", "-o condition.graphml condition.graphml"),
        ("reduce", "-o other.c condition.graphml"),
        ("reduce", "--map ./other.c -o r.c condition.graphml"),
        ("verify", "--harness other.c other.c"),
        ("verify", "--harness link.c other.c"),
        ("verify", "--proof good.c good.c"),
        ("verify", "--proof new.json --harness new.json good.c"),
        ("verify", "--witness condition.graphml --condition condition.graphml other.c"),
        ("residue", "check --map other.c --via reduce good.c other.c"),
        ("residue", "check --proof good.c good.c other.c"),
        ("residue", "check --report t.yml.html --report t.yml.html --task t.yml"),
        ("residue", "cfa -o other.c other.c"),
        ("residue", "witness -o w.yml w.yml"),
        ("residue", "witness -o other.c --program other.c w.yml"),
        ("verify", "--harness . other.c"),
    ] {
        let ran = words(tool, line, here);
        assert_eq!(ran.code, 2, "{tool} {line}: {}{}", ran.stdout, ran.stderr);
        assert!(content() == before, "{tool} {line}");
    }
    assert_eq!(words("diffdp", "-o /dev/null good.c other.c", here).code, 0);
}

#[test]
fn a_file_that_holds_no_proof_is_never_replaced() {
    let folder = pipeline();
    let here = folder.path();
    for content in ["my notes", "", "{\"format\":\"proof\",\"version\":2}"] {
        for (tool, line) in [
            ("verify", "--proof notes.txt good.c"),
            ("residue", "check --proof notes.txt good.c good.c"),
            ("residue", "check --detector none --proof notes.txt good.c good.c"),
        ] {
            fs::write(here.join("notes.txt"), content).unwrap();
            let ran = words(tool, line, here);
            assert_eq!(ran.last_line(), "TRUE", "{tool} {line}: {}", ran.stderr);
            assert_eq!(fs::read_to_string(here.join("notes.txt")).unwrap(), content, "{tool} {line}");
            assert!(ran.stderr.contains("stays as it is: notes.txt"), "{tool} {line}: {}", ran.stderr);
        }
    }
}

#[test]
fn propdiff_fills_its_own_folders_only() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let program = |bound: u32| {
        format!(
            "void assert(int); int __VERIFIER_nondet_int(void);\n\
             int main(void) {{ int x = __VERIFIER_nondet_int();\nassert(x < {bound});\nreturn 0; }}\n"
        )
    };
    fs::create_dir(here.join("theirs")).unwrap();
    for (file, text) in [("original.c", program(5)), ("modified.c", program(6)), ("theirs/modified.c", "mine".to_owned())] {
        fs::write(here.join(file), text).unwrap();
    }
    for line in ["--to pair -o theirs", "--check --harness theirs", "--to pair -o ."] {
        let ran = words("propdiff", &format!("{line} original.c modified.c"), here);
        assert_eq!(ran.code, 2, "{line}: {}", ran.stdout);
        assert!(ran.stderr.contains("name a new or empty folder"), "{line}: {}", ran.stderr);
        assert_eq!(fs::read_to_string(here.join("theirs/modified.c")).unwrap(), "mine");
        assert_eq!(fs::read_dir(here.join("theirs")).unwrap().count(), 1);
    }
    // A new one, the same once more, and no input in it, nor a link.
    for _ in 0..2 {
        assert_eq!(words("propdiff", "--to pair -o new original.c modified.c", here).code, 0);
        assert_eq!(words("propdiff", "--check --harness found original.c modified.c", here).code, 1);
    }
    let ran = words("propdiff", "--to pair -o new new/original.c modified.c", here);
    assert!(ran.code == 2 && ran.stderr.contains("would be overwritten"), "{}", ran.stderr);
    fs::remove_file(here.join("new/goals.c")).unwrap();
    symlink("../modified.c", here.join("new/goals.c")).unwrap();
    let ran = words("propdiff", "--to pair -o new original.c modified.c", here);
    assert!(ran.code == 2 && ran.stderr.contains("is a symbolic link"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(here.join("modified.c")).unwrap(), program(6));
}

#[test]
fn a_folder_of_others_is_never_filled() {
    let folder = pipeline();
    let here = folder.path();
    fs::create_dir_all(here.join("theirs/verifier")).unwrap();
    fs::write(here.join("theirs/harness.c"), "mine").unwrap();
    fs::write(here.join("theirs/verifier/notes"), "mine").unwrap();
    let ran = words("residue", "check --out theirs good.c other.c", here);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("name a new or empty folder"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(here.join("theirs/harness.c")).unwrap(), "mine");
    assert!(here.join("theirs/verifier/notes").exists());
    // A new one, an empty one, and the same once more.
    fs::create_dir(here.join("empty")).unwrap();
    for name in ["new", "empty", "empty", "./-dash", "deep/er"] {
        let ran = words("residue", &format!("check --out={name} good.c other.c"), here);
        assert_eq!(ran.code, 1, "{name}: {}", ran.stderr);
        assert!(here.join(name).join("harness.c").exists(), "{name}");
    }
    let ran = words("residue", "check --out=-dash good.c other.c", here);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    // What is read is not replaced.
    fs::copy(here.join("other.c"), here.join("new/harness.c")).unwrap();
    assert_eq!(words("residue", "check --out new good.c new/harness.c", here).code, 2);
    assert_eq!(fs::read_to_string(here.join("new/harness.c")).unwrap(), other());
}

#[test]
fn links_in_an_output_folder_are_not_followed() {
    let folder = pipeline();
    let here = folder.path();
    assert_eq!(words("residue", "check --out out good.c other.c", here).code, 1);
    for name in ["condition.graphml", "residual.c", "verifier", "notes", "main"] {
        fs::create_dir_all(here.join("precious/verifier")).unwrap();
        fs::write(here.join("precious/file"), "mine").unwrap();
        let own = here.join("out").join(name);
        let _ = if own.is_dir() { fs::remove_dir_all(own) } else { fs::remove_file(own) };
        let target = if name.contains('.') { "../precious/file" } else { "../precious" };
        symlink(target, here.join("out").join(name)).unwrap();
        for line in [
            "check --out out good.c other.c",
            "check --via reduce --out out good.c other.c",
            "check --entry main,f --out out good.c other.c",
        ] {
            words("residue", line, here);
            assert_eq!(fs::read_to_string(here.join("precious/file")).unwrap(), "mine", "{name}: {line}");
            let count = fs::read_dir(here.join("precious")).unwrap().count();
            assert_eq!(count, 2, "{name}: {line}");
        }
        let _ = fs::remove_file(here.join("out").join(name));
    }
}
