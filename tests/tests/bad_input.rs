//! Bad input: exit code 2, one clear diagnostic, no output file, no panic.

use std::fs;
use std::path::Path;

use residue_tests::run;

const GOOD: &str = "extern void reach_error(void);\nint main(void) { int x = 1; if (x == 2) reach_error(); return 0; }\n";
const OTHER: &str = "extern void reach_error(void);\nint main(void) { int x = 3; if (x == 2) reach_error(); return 0; }\n";

/// A folder with a good pair and what each stage makes of it.
fn pipeline() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("good.c"), GOOD).unwrap();
    fs::write(folder.path().join("other.c"), OTHER).unwrap();
    for (tool, arguments) in [
        ("diffcond", "-o graph.json good.c other.c"),
        ("condgen", "-o condition.graphml graph.json"),
        ("reduce", "-o residual.c condition.graphml"),
    ] {
        let ran = run(tool, arguments.split(' '), folder.path()).unwrap();
        assert_eq!(ran.code, 0, "{tool}: {}", ran.stderr);
    }
    folder
}

/// Runs `tool arguments -o out.graphml` and checks that it refuses its input and says `word`.
fn refuses(folder: &Path, tool: &str, arguments: &str, word: &str) {
    let out = folder.join("out.graphml");
    let with_output = if tool == "verify" { "--witness out.graphml" } else { "-o out.graphml" };
    let line = format!("{arguments} {with_output}");
    let ran = run(tool, line.split(' '), folder).unwrap();
    let told = format!("{tool} {line}\nstdout: {}\nstderr: {}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, 2, "{told}");
    assert!(ran.stdout.is_empty(), "{told}");
    assert!(!out.exists(), "an output file was left behind\n{told}");
    assert!(!ran.stderr.contains("panicked"), "{told}");
    assert!(ran.stderr.contains(word), "the message does not mention `{word}`\n{told}");
    let errors = ran.stderr.matches("error").count();
    assert!(ran.stderr.lines().count() <= 14 && errors <= 4, "more than one diagnostic\n{told}");
}

#[test]
fn c_input_that_cannot_be_read() {
    let folder = pipeline();
    let here = folder.path();
    fs::create_dir(here.join("folder.c")).unwrap();
    fs::write(here.join("binary.c"), [0x7fu8, b'E', b'L', b'F', 0, 1, 2, 0xff, 0xfe]).unwrap();
    fs::write(here.join("empty.c"), "").unwrap();
    fs::write(here.join("truncated.c"), &GOOD[..GOOD.len() - 20]).unwrap();
    fs::write(here.join("syntax.c"), "int main(void) { int x = ; return 0; }\n").unwrap();
    for bad in ["missing.c", "folder.c", "binary.c", "empty.c", "truncated.c", "syntax.c"] {
        for detector in ["diffcond", "diffdp"] {
            refuses(here, detector, &format!("good.c {bad}"), bad);
            refuses(here, detector, &format!("{bad} good.c"), bad);
        }
        refuses(here, "verify", bad, bad);
        let ran = run("residue", ["check", "good.c", bad], here).unwrap();
        assert_eq!(ran.code, 2, "residue check good.c {bad}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(bad), "{}", ran.stderr);
    }
}

#[test]
fn a_syntax_error_is_reported_at_its_place() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("syntax.c"), "int main(void) {\n  int x = ;\n  return 0;\n}\n").unwrap();
    refuses(folder.path(), "verify", "syntax.c", "syntax.c:2:11");
}

#[test]
fn graphs_and_conditions_that_cannot_be_read() {
    let folder = pipeline();
    let here = folder.path();
    let graph = fs::read_to_string(here.join("graph.json")).unwrap();
    let condition = fs::read_to_string(here.join("condition.graphml")).unwrap();
    let write = |name: &str, text: &str| fs::write(here.join(name), text).unwrap();

    write("cut.json", &graph[..graph.len() / 2]);
    write("foreign.json", "{\"format\": \"residual-map\", \"version\": 1}");
    let newer = graph.replacen("\"version\":2", "\"version\":99", 1);
    assert_ne!(newer, graph);
    write("newer.json", &newer);
    write("empty.json", "");
    for bad in ["missing.json", "cut.json", "foreign.json", "newer.json", "empty.json", "condition.graphml"] {
        refuses(here, "condgen", bad, bad);
    }
    write("cut.graphml", &condition[..condition.len() / 2]);
    write("foreign.graphml", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    write("empty.graphml", "");
    for bad in ["missing.graphml", "cut.graphml", "foreign.graphml", "empty.graphml", "graph.json"] {
        refuses(here, "reduce", bad, bad);
        refuses(here, "verify", &format!("--condition {bad} other.c"), bad);
    }
}

/// What is given by mistake for a program is called by its name.
#[test]
fn declarations_that_say_two_things_are_refused() {
    let folder = pipeline();
    for (text, says) in [
        ("struct s { int a; char a; }; int main(void) { return 0; }", "1:24: a member of this name is there already"),
        ("int f(int a, int a) { return a; } int main(void) { return f(1, 2); }", "1:18: `a` is declared differently before"),
        ("typedef int t; typedef long t; int main(void) { return 0; }", "1:29: `t` is declared differently before"),
        ("int main(void) { int a[3] = {[2 ... 1] = 5}; return a[0]; }", "a range of elements that ends before it begins"),
    ] {
        fs::write(folder.path().join("twice.c"), text).unwrap();
        refuses(folder.path(), "verify", "twice.c", says);
    }
}

#[test]
fn what_is_no_program_is_recognised() {
    let folder = pipeline();
    let here = folder.path();
    fs::write(here.join("class.cpp"), "class A { int x; };\nint main() { return 0; }\n").unwrap();
    fs::write(here.join("witness.yml"), "- entry_type: violation_sequence\n").unwrap();
    for (file, word) in [
        ("graph.json", "it is a difference-graph"),
        ("condition.graphml", "it is a condition or a witness"),
        ("witness.yml", "it is a witness"),
        ("class.cpp", "it is C++"),
    ] {
        refuses(here, "verify", file, word);
        refuses(here, "diffdp", &format!("good.c {file}"), word);
    }
    let ran = duct::cmd(residue_tests::tool("verify"), ["-"]).dir(here).stdin_bytes("\n").stderr_capture().stdout_capture();
    let ran = ran.unchecked().run().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("it is empty: the stage"));
    // A block is no JSON, and a macro may have any name.
    fs::write(here.join("block.c"), "{ 1 }\n").unwrap();
    refuses(here, "verify", "block.c", "expected a declaration");
}

/// Runs a line of the shell with the tools on its path.
fn shell(here: &Path, line: &str) -> (i32, String) {
    let tools = residue_tests::tool("verify").parent().unwrap().to_owned();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let command = duct::cmd("bash", ["-o", "pipefail", "-c", line]).env("PATH", path).dir(here).stdin_null();
    let output = command.stdout_capture().stderr_capture().unchecked().run().unwrap();
    assert!(output.stdout.is_empty(), "{line}: {}", String::from_utf8_lossy(&output.stdout));
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_failed_pipeline_ends_with_one_error() {
    let folder = pipeline();
    let here = folder.path();
    for (line, word) in [
        ("diffdp missing.c good.c | condgen | reduce | verify", "missing.c"),
        ("diffdp --no-such-option | condgen | verify --condition - good.c", "--no-such-option"),
        ("diffdp good.c other.c | condgen --task missing.yml | reduce | verify", "missing.yml"),
        ("cat good.c | condgen | reduce | diffdp good.c -", "difference-graph"),
        ("verify missing.c | diffdp - good.c | condgen", "missing.c"),
    ] {
        let (code, told) = shell(here, line);
        assert_eq!((code, told.matches("error: ").count()), (2, 1), "{line}\n{told}");
        assert!(told.contains(word), "{line}\n{told}");
    }
    // Whoever gets nothing from somebody who said nothing says so.
    for line in
        ["true | condgen", "printf '' | reduce", "condgen < /dev/null", "cat empty | verify", "diffdp - good.c < /dev/null"]
    {
        fs::write(here.join("empty"), "").unwrap();
        let (code, told) = shell(here, line);
        assert_eq!((code, told.matches("error: ").count()), (2, 1), "{line}\n{told}");
        assert!(told.contains("the stage that should have written it"), "{line}\n{told}");
    }
    // What is wrong beside the empty stream is told as well.
    let (_, told) =
        shell(here, "diffdp missing.c good.c | verify --condition - missing-too.c; diffdp missing.c good.c | condgen empty");
    assert!(told.contains("empty: the file is empty"), "{told}");
}

#[test]
fn what_the_graph_says_is_not_offered_as_an_option() {
    let folder = pipeline();
    for tool in ["condgen", "reduce"] {
        let help = run(tool, ["--help"], folder.path()).unwrap().stdout;
        for option in ["-I ", "-D ", "--property", "--entry", "--data-model", "--no-libc"] {
            assert!(!help.contains(option), "{tool} {option}");
        }
        assert!(help.contains("--cpp-arg") && help.contains("--budget"), "{help}");
    }
    let ran = run("condgen", ["-I", "include", "graph.json"], folder.path()).unwrap();
    assert!(ran.code == 2 && ran.stderr.contains("the preprocessor options says -Iinclude"), "{}", ran.stderr);
}

#[test]
fn several_errors_of_one_file_are_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.c"), "int x = ;\nint main(void) {\n\treturn 1 +;\n}\nint ok;\nint y = );\n").unwrap();
    let ran = run("verify", ["s.c"], folder.path()).unwrap();
    for place in ["error: s.c:1:9:", "[s.c:1:9]", "error: s.c:3:19:", "[s.c:3:19]", "error: s.c:6:9:"] {
        assert!(ran.stderr.contains(place), "{place}\n{}", ran.stderr);
    }
    fs::write(folder.path().join("s.c"), "int x = ;\n".repeat(1000)).unwrap();
    let ran = run("verify", ["s.c"], folder.path()).unwrap();
    assert_eq!(ran.stderr.matches("error: ").count(), 10, "{}", ran.stderr);
    assert!(ran.stderr.contains("the file is not read further"), "{}", ran.stderr);
}

#[test]
fn several_errors_of_one_function_are_told() {
    let text = "struct s {\n\tint a b;\n\tint c;\n\tint d e;\n};\n\
                int f(int n) {\n\tint x = ;\n\tif (n > ) {\n\t\tn++;\n\t} else\n\t\tn--;\n\
                \tfor (n = 0; n < ; n++) {\n\t\tn = n + ;\n\t}\n\treturn (n;\n}\nint good;\nint y = );\n";
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.c"), text).unwrap();
    let ran = run("verify", ["s.c"], folder.path()).unwrap();
    let lines = ran.stderr.lines().filter_map(|line| line.strip_prefix("error: s.c:")?.split(':').next()?.parse().ok());
    // What is right between them, and what only follows from a mistake, is not told.
    assert_eq!(lines.collect::<Vec<u32>>(), [2, 4, 7, 8, 12, 15, 18], "{}", ran.stderr);
}

#[test]
fn columns_are_those_of_gcc() {
    let folder = tempfile::tempdir().unwrap();
    for line in [
        "int x = ;", "\tint x = ;", "  \tint x =\t;", "\tconst char *s = \"äöü\" + ;", "\tconst char *s = \"漢字\" + ;",
        "/* é */\tint x = ;", "int x = \"e\u{301}\" + ;",
    ] {
        fs::write(folder.path().join("s.c"), format!("int main(void) {{\n{line}\n}}\n")).unwrap();
        let gcc = duct::cmd!("gcc", "-fsyntax-only", "s.c").dir(folder.path()).env("LC_ALL", "C.UTF-8");
        let gcc = gcc.unchecked().stderr_to_stdout().read().unwrap();
        let place = gcc.lines().find_map(|line| line.split_once(": error:")).unwrap().0;
        let ran = run("verify", ["s.c"], folder.path()).unwrap();
        assert!(ran.stderr.contains(&format!("error: {place}: ")), "{place}\n{}", ran.stderr);
        assert!(ran.stderr.contains(&format!("[{place}]")), "{place}\n{}", ran.stderr);
        // The mark stands below the semicolon.
        let lines: Vec<&str> = ran.stderr.lines().collect();
        let excerpt = lines.iter().position(|line| line.starts_with(" 2 |")).unwrap();
        let width =
            |text: &str| text.chars().filter(|c| *c != '\u{301}').map(|c| if c > '\u{2000}' { 2 } else { 1 }).sum::<usize>();
        let until = |line: &str, mark: char| line.find(mark).map(|at| width(&line[..at]));
        let mark = lines[excerpt + 1].rfind('|').map(|at| width(&lines[excerpt + 1][..at]));
        assert_eq!(until(lines[excerpt], ';'), mark, "{}", ran.stderr);
    }
}

#[test]
fn standard_input_is_no_program_of_a_check() {
    let folder = pipeline();
    for arguments in ["- good.c", "good.c -", "--with - good.c good.c"] {
        let ran = run("residue", format!("check {arguments}").split(' '), folder.path()).unwrap();
        assert!(ran.code == 2 && ran.stderr.contains("`-` is no program here"), "{arguments}: {}", ran.stderr);
    }
}

#[test]
fn a_program_without_text_is_said_to_be_empty() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("empty.c"), "").unwrap();
    fs::write(here.join("blank.c"), "\n\n").unwrap();
    fs::write(here.join("comment.c"), "/* nothing yet */\n").unwrap();
    fs::write(here.join("other.c"), "int f(void);\n").unwrap();
    for (file, told) in [
        ("empty.c", "the program is empty"),
        ("blank.c", "the program is empty"),
        ("comment.c", "nothing is declared here"),
        ("other.c", "there is no function `main` to start with"),
    ] {
        for (tool, arguments) in
            [("verify", file.to_owned()), ("diffdp", format!("{file} {file}")), ("residue", format!("check {file} {file}"))]
        {
            let ran = run(tool, arguments.split(' '), here).unwrap();
            assert!(ran.code == 2 && ran.stderr.contains(&format!("error: {file}:1:1: {told}")), "{tool} {file}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_program_that_is_not_the_one_of_the_condition() {
    let folder = pipeline();
    let here = folder.path();
    refuses(here, "verify", "--condition condition.graphml good.c", "good.c");
    refuses(here, "reduce", "--program good.c condition.graphml", "good.c");
    // The same text with another meaning has another fingerprint.
    let condition = fs::read_to_string(here.join("condition.graphml")).unwrap();
    let start = condition.find("cfa-fingerprint\">").unwrap() + "cfa-fingerprint\">".len();
    let mut tampered = condition.clone().into_bytes();
    tampered[start] = if tampered[start] == b'0' { b'1' } else { b'0' };
    fs::write(here.join("tampered.graphml"), tampered).unwrap();
    refuses(here, "reduce", "tampered.graphml", "fingerprint");
    refuses(here, "verify", "--condition tampered.graphml other.c", "fingerprint");
}

#[test]
fn a_residual_program_without_its_trailer() {
    let folder = pipeline();
    let here = folder.path();
    let residual = fs::read_to_string(here.join("residual.c")).unwrap();
    let end = residual.trim_end().rfind('\n').unwrap();
    fs::write(here.join("cut.c"), &residual[..=end]).unwrap();
    refuses(here, "verify", "cut.c", "trailer");
    fs::write(here.join("changed.c"), residual.replacen("main", "mine", 1)).unwrap();
    refuses(here, "verify", "changed.c", "changed.c");
}

/// What is done to a good witness, what the diagnostic says about it, and whether it names a line.
struct Spoiled<'a> {
    from: &'a str,
    to: &'a str,
    says: &'a str,
    names_line: bool,
}

const fn spoiled<'a>(from: &'a str, to: &'a str, says: &'a str) -> Spoiled<'a> {
    Spoiled { from, to, says, names_line: true }
}

/// As a whole: no line is to blame.
const fn no_witness<'a>(from: &'a str, to: &'a str, says: &'a str) -> Spoiled<'a> {
    Spoiled { from, to, says, names_line: false }
}

/// A folder with a program that fails and its witnesses.
fn witnesses() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                int main(void) {\n  int x = __VERIFIER_nondet_int();\n  if (x == 2)\n    reach_error();\n  return 0;\n}\n";
    fs::write(folder.path().join("p.c"), text).unwrap();
    for name in ["w.graphml", "w.yml"] {
        let ran = run("verify", ["--witness", name, "p.c"], folder.path()).unwrap();
        assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{}", ran.stderr);
        assert_eq!(run("residue", ["witness", "--strict", "--program", "p.c", name], folder.path()).unwrap().code, 0);
    }
    folder
}

/// Spoils a witness and checks that `residue witness` refuses it, and tells where and what to do.
fn refuses_witness(folder: &Path, good: &str, options: &str, what: &Spoiled<'_>) {
    let text = fs::read_to_string(folder.join(good)).unwrap();
    assert!(text.contains(what.from), "{good}: {}", what.from);
    let name = format!("bad-{good}");
    fs::write(folder.join(&name), text.replacen(what.from, what.to, 1)).unwrap();
    refuses(folder, "residue", &format!("witness {options}{name}"), what.says);
    let said = run("residue", format!("witness {options}{name}").split(' '), folder).unwrap().stderr;
    let first = said.lines().next().unwrap();
    assert!(first.starts_with(&format!("error: {name}:")) && said.contains("help: "), "{said}");
    let behind = first.trim_start_matches(&format!("error: {name}:"));
    assert_eq!(behind.starts_with(|c: char| c.is_ascii_digit()), what.names_line, "{said}");
}

#[test]
fn witnesses_in_graphml_that_cannot_be_relied_on() {
    let folder = witnesses();
    let text = fs::read_to_string(folder.path().join("w.graphml")).unwrap();
    let specification = "<data key=\"specification\">CHECK( init(main()), LTL(G ! call(reach_error())) )</data>";
    let bomb = "<!DOCTYPE g [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>\n<graphml";
    let nested = format!("{}</graph>", "<a>".repeat(100_000));
    for what in [
        spoiled(&text[text.len() / 2..], "", "truncated"),
        no_witness(&text, "", "the file is empty"),
        no_witness(&text, "int main(void) { return 0; }\n", "expected a witness"),
        no_witness(&text, "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n", "an XML file that is no GraphML"),
        no_witness(">1.0<", ">3.0<", "version 3.0"),
        spoiled(">violation_witness<", ">path_witness<", "`witness-type` is path_witness"),
        spoiled(specification, "", "`specification` is missing"),
        spoiled(">64bit<", ">65bit<", "`architecture` is 65bit"),
        spoiled("<data key=\"entry\">true</data>", "", "there is no entry node"),
        spoiled("target=\"N1\"", "target=\"N77\"", "node N77 does not exist"),
        spoiled("<data key=\"startline\">", "<data key=\"startline\">line ", "`startline` is no number"),
        no_witness("<data key=\"violation\">true</data>", "", "no path leads from the entry to a violation"),
        spoiled("<graphml", bomb, "DTD"),
        spoiled("</graph>", &nested, "graph"),
    ] {
        refuses_witness(folder.path(), "w.graphml", "", &what);
    }
    let here = folder.path();
    refuses_witness(
        here,
        "w.graphml",
        "--strict ",
        &spoiled("1970-01-01T00:00:00Z", "now", "`creationtime` is no ISO 8601 time"),
    );
    for what in [
        spoiled("<data key=\"startline\">4<", "<data key=\"startline\">40<", "there is no line 40"),
        spoiled("<data key=\"endline\">4<", "<data key=\"endline\">41<", "there is no line 41"),
        spoiled("<data key=\"endoffset\">", "<data key=\"endoffset\">9999", "there is no offset 9999"),
    ] {
        refuses_witness(here, "w.graphml", "--program p.c ", &what);
    }
}

#[test]
fn witnesses_in_yaml_that_cannot_be_relied_on() {
    let folder = witnesses();
    let here = folder.path();
    let text = fs::read_to_string(here.join("w.yml")).unwrap();
    let nested = format!("- {}\n", "[".repeat(100_000));
    for what in [
        spoiled(&text[text.len() / 2..], "", "truncated"),
        no_witness(&text, "a: 1\n", "expected a witness"),
        no_witness("2.0", "3.0", "format version 3.0"),
        spoiled("violation_sequence", "something_else", "neither a violation_sequence nor an invariant_set"),
        spoiled("      specification:", "      spezifikation:", "missing field `specification`"),
        spoiled("data_model: LP64", "data_model: LP65", "neither ILP32 nor LP64"),
        spoiled("type: target", "type: function_enter", "the target is the last waypoint of the last segment"),
        spoiled("action: follow", "action: avoid", "a segment has one waypoint to follow"),
        spoiled("line: 6", "line: 0", "lines and columns count from 1"),
        spoiled("line: 6", "line: [", "malformed witness"),
        spoiled(&text, &nested, "malformed witness"),
    ] {
        refuses_witness(here, "w.yml", "", &what);
    }
    refuses_witness(here, "w.yml", "--strict ", &spoiled("    uuid: ", "    uuid: x", "uuid"));
    for what in [
        spoiled("line: 6", "line: 60", "there is no line 60"),
        spoiled("column: 5", "column: 50", "there is no column 50 in line 6"),
    ] {
        refuses_witness(here, "w.yml", "--program p.c ", &what);
    }
}

#[test]
fn a_witness_for_another_program() {
    let folder = witnesses();
    let here = folder.path();
    fs::write(here.join("other.c"), GOOD).unwrap();
    for name in ["w.graphml", "w.yml"] {
        refuses(here, "residue", &format!("witness --program other.c {name}"), "other.c has");
        refuses(here, "residue", &format!("witness --program missing.c {name}"), "missing.c");
        let mut bytes = fs::read(here.join(name)).unwrap();
        bytes.insert(100, 0xff);
        fs::write(here.join("latin"), &bytes).unwrap();
        refuses(here, "residue", "witness latin", "not a text file (byte 100)");
        bytes.insert(50, 0);
        fs::write(here.join("binary"), &bytes).unwrap();
        refuses(here, "residue", "witness binary", "binary");
    }
    refuses(here, "residue", "witness missing.yml", "missing.yml");
    refuses(here, "residue", "witness --program - -", "stdin");
}

#[test]
fn usage_errors() {
    let folder = pipeline();
    for (tool, arguments) in [
        ("diffdp", "--match textual good.c other.c"),
        ("diffcond", "good.c"),
        ("condgen", "--to automaton graph.json"),
        ("reduce", "--fold loop condition.graphml"),
        ("verify", "--analysis auto good.c"),
        ("verify", "--property no-such-property good.c"),
        ("residue", "check --report r.pdf good.c other.c"),
        ("residue", "check --verifier cbmc good.c other.c"),
        ("residue", "witness"),
        ("residue", "witness --to dot w.yml"),
        ("residue", "no-such-command"),
    ] {
        let ran = run(tool, arguments.split(' '), folder.path()).unwrap();
        assert_eq!(ran.code, 2, "{tool} {arguments}: {}{}", ran.stdout, ran.stderr);
    }
}

/// A residual program has the guards of its property as text. Whoever writes one may leave them out, and seal it all the same.
#[test]
fn a_residual_program_is_no_program_of_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let program = |value: &str| {
        format!(
            "extern int __VERIFIER_nondet_int(void);\nint main(void) {{ int x = __VERIFIER_nondet_int(); return {value}; }}\n"
        )
    };
    let head = format!("{}\n * data-model: LP64\n * entry: main\n * property: no-overflow\n */\n", program::seal::BEGINNING);
    fs::write(here.join("safe.c"), program("x & 1")).unwrap();
    fs::write(here.join("sealed.c"), program::seal::seal(head + &program("x + 1"))).unwrap();
    for detector in ["none", "diffcond", "diffdp"] {
        let arguments = ["check", "--property", "no-overflow", "--detector", detector, "safe.c", "sealed.c"];
        let ran = run("residue", arguments, here).unwrap();
        assert_eq!(ran.code, 2, "{detector}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("sealed.c: a residual program"), "{}", ran.stderr);
    }
    for detector in ["diffcond", "diffdp"] {
        refuses(here, detector, "--property no-overflow safe.c sealed.c", "sealed.c: a residual program");
        refuses(here, detector, "--property no-overflow sealed.c safe.c", "sealed.c: a residual program");
    }
}
