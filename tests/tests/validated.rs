//! `residue check --validated`: nothing is TRUE by a condition that was not found right.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use diffdp::{Config, Detected, Rules, Wanted, detect_with};
use formats::{Certificate, DifferenceGraph, ProgramOptions, sha256_hex};
use program::cfa::Cfa;
use residue_tests::traps::{Kind, traps};
use residue_tests::{Ran, root, run, target, tool};
use serde_json::{Value, json};

/// The tools, with stages of one's own in their place.
struct Tools {
    folder: tempfile::TempDir,
}

impl Tools {
    fn new(own: &[&str]) -> Self {
        // Beside the built tools, so that files can be linked.
        let folder = tempfile::tempdir_in(target()).unwrap();
        for name in ["residue", "diffdp", "diffcond", "condgen", "reduce", "verify"].iter().filter(|name| !own.contains(name)) {
            let place = folder.path().join(name);
            fs::hard_link(tool(name), &place).or_else(|_| fs::copy(tool(name), &place).map(drop)).unwrap();
        }
        Self { folder }
    }

    /// A stage that writes what lies here under these names, for its options.
    fn stage(&self, name: &str, options: &[(&str, &str)]) {
        let mut script = "#!/bin/sh\nwhile [ $# -gt 0 ]; do\n".to_owned();
        for (option, file) in options {
            let file = self.path(file);
            let _ = writeln!(script, "if [ \"$1\" = {option} ] && [ -f '{0}' ]; then cp '{0}' \"$2\"; fi", file.display());
        }
        script += "shift\ndone\n";
        let place = self.path(name);
        fs::write(&place, script).unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A detector that says what it is told.
    fn detector(&self, graph: &DifferenceGraph, certificate: Option<&Certificate>) {
        let mut bytes = Vec::new();
        graph.write(&mut bytes).unwrap();
        fs::write(self.path("graph.json"), bytes).unwrap();
        let _ = fs::remove_file(self.path("told.json"));
        if let Some(certificate) = certificate {
            let mut bytes = Vec::new();
            certificate.write(&mut bytes).unwrap();
            fs::write(self.path("told.json"), bytes).unwrap();
        }
        self.stage("diffdp", &[("-o", "graph.json"), ("--certificate", "told.json")]);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn check(&self, arguments: &str, here: &Path) -> Ran {
        let arguments = std::iter::once("check").chain(arguments.split(' ').filter(|word| !word.is_empty()));
        let output = duct::cmd(self.path("residue"), arguments).dir(here).stdin_null().stdout_capture().stderr_capture();
        let output = output.unchecked().run().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { code: output.status.code().unwrap(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

/// The pair in a folder, as the detector finds it with some rules.
fn detected(here: &Path, rules: Rules) -> (DifferenceGraph, Certificate) {
    let load = |name: &str| -> Cfa { program::load(&here.join(name), &ProgramOptions::default()).unwrap() };
    let config = Config { rules, ..Config::default() };
    let wanted = Wanted { certificate: true, ..Wanted::default() };
    let Detected { graph, certificate, .. } =
        detect_with(&load("original.c"), &load("modified.c"), &config, wanted, &mut || false);
    (graph, certificate.unwrap())
}

fn write(here: &Path, original: &str, modified: &str) {
    fs::write(here.join("original.c"), original).unwrap();
    fs::write(here.join("modified.c"), modified).unwrap();
}

/// The pair of the demonstration, with a regression or without.
fn demo(modified: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = |name: &str| fs::read_to_string(root().join("pipelines/demo").join(name)).unwrap();
    write(folder.path(), &text("original.c"), &text(modified));
    folder
}

const PAIR: &str = "original.c modified.c";

/// What lacks a rule says TRUE of a regression; with its certificate it no longer does.
#[test]
fn a_detector_that_lacks_a_rule_proves_nothing() {
    let tools = Tools::new(&["diffdp"]);
    let mut refused = 0;
    for name in Rules::ABLATIONS {
        let mut found = 0;
        for trap in traps().iter().filter(|trap| trap.kind == Kind::Regression) {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), &trap.original, &trap.modified);
            let (graph, certificate) = detected(folder.path(), Rules::without(name).unwrap());
            // It says that nothing is left to check.
            if !graph.indicators.is_empty() || found == 2 {
                continue;
            }
            found += 1;
            tools.detector(&graph, Some(&certificate));
            assert_eq!(tools.check(PAIR, folder.path()).last_line(), "TRUE", "{name}, {}", trap.name);
            for more in ["", "--via reduce", "--json"] {
                let ran = tools.check(&format!("--validated {more} {PAIR}"), folder.path());
                let is_refused = ran.stdout.contains("UNKNOWN(certificate refused: ") && !ran.stdout.contains("TRUE");
                assert!(ran.code == 3 && is_refused, "{name}, {} {more}: {}{}", trap.name, ran.stdout, ran.stderr);
            }
            let ran = tools.check(&format!("--validated --fallback {PAIR}"), folder.path());
            assert_eq!(ran.last_line(), "FALSE(unreach-call)", "the whole program says it: {}{}", ran.stdout, ran.stderr);
            refused += 1;
        }
    }
    assert!(refused >= 8, "{refused}");
}

/// The refusal names node, edge and line, for people and for programs; a FALSE needs no condition and stays.
#[test]
fn the_refusal_says_where() {
    let tools = Tools::new(&["diffdp"]);
    let folder = tempfile::tempdir().unwrap();
    let program = |bound: u32| {
        format!(
            "extern void reach_error(void);\nextern int input(void);\nint main(void) {{\n  int x = input();\n  if (x > {bound})\n    reach_error();\n}}\n"
        )
    };
    write(folder.path(), &program(20), &program(10));
    let (graph, certificate) = detected(folder.path(), Rules::SOUND);
    assert!(!graph.indicators.is_empty());
    tools.detector(&graph, Some(&certificate));
    let ran = tools.check(&format!("--validated {PAIR}"), folder.path());
    assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{}", ran.stderr);
    let harmless = DifferenceGraph { indicators: Vec::new(), reasons: Vec::new(), ..graph.clone() };
    tools.detector(&harmless, Some(&certificate));
    let ran = tools.check(&format!("--validated --report r.html --report r.sarif --report r.json {PAIR}"), folder.path());
    let line = ran.last_line().to_owned();
    let places = [": node ", ", edge ", "modified.c:6)"];
    assert!(places.iter().all(|place| line.contains(place)) && ran.code == 3, "{line}{}", ran.stderr);
    assert!(ran.stdout.contains("nothing may rest on the condition"), "{}", ran.stdout);
    for report in ["r.html", "r.sarif", "r.json"] {
        let text = fs::read_to_string(folder.path().join(report)).unwrap();
        assert!(text.contains("node ") && text.contains("refused"), "{report}");
    }
    let ran = tools.check(&format!("--validated --json {PAIR}"), folder.path());
    let outcome = &serde_json::from_str::<Value>(&ran.stdout).unwrap()["outcomes"][0];
    let told = &outcome["validation"];
    assert_eq!((&told["result"], &told["subject"], &told["line"]), (&json!("refused"), &json!("graph"), &json!(6)), "{told}");
    assert!(told["node"].is_u64() && told["edge"].is_u64(), "{told}");
}

/// Whatever is wrong with what the stages leave, it is no TRUE.
#[test]
fn what_does_not_fit_together_is_no_proof() {
    let folder = demo("refactored.c");
    let here = folder.path();
    let (graph, certificate) = detected(here, Rules::SOUND);
    let tools = Tools::new(&["diffdp", "condgen"]);
    let condgen = |graph: &DifferenceGraph| {
        let condition = condgen::condition(graph, condgen::Size::Folded, &console::Budget::unlimited()).unwrap().0;
        let mut bytes = Vec::new();
        condition.write(&mut bytes).unwrap();
        fs::write(tools.path("condition.graphml"), bytes).unwrap();
        tools.stage("condgen", &[("-o", "condition.graphml")]);
    };
    let answer = |what: &str| -> String {
        let ran = tools.check(&format!("--validated {PAIR}"), here);
        assert!(!ran.stdout.contains("TRUE") || what == "right", "{what}: {}", ran.stdout);
        ran.stdout + &ran.stderr
    };
    condgen(&graph);
    tools.detector(&graph, Some(&certificate));
    assert!(answer("right").ends_with("; condition validated; property: unreach-call\nTRUE\n"));
    tools.detector(&graph, None);
    assert!(answer("no certificate").contains("diffdp has written no certificate"));
    tools.detector(&graph, Some(&certificate));
    fs::write(tools.path("told.json"), "{}").unwrap();
    assert!(answer("no certificate at all").contains("certificate refused: "));
    // A condition that covers more.
    tools.detector(&graph, Some(&certificate));
    condgen(&DifferenceGraph { indicators: Vec::new(), reasons: Vec::new(), ..graph.clone() });
    assert!(answer("another condition").contains("certificate refused: condition: node "));
    // All is right, of programs that are read in another way.
    let mut other = graph.clone();
    other.provenance.options.property = formats::Property::Assert;
    let load = |name: &str| program::load(&here.join(name), &other.provenance.options).unwrap();
    let [first, second] = ["original.c", "modified.c"].map(load);
    let wanted = Wanted { certificate: true, ..Wanted::default() };
    let Detected { graph: other, certificate: of_other, .. } =
        detect_with(&first, &second, &Config::default(), wanted, &mut || false);
    condgen(&other);
    tools.detector(&other, of_other.as_ref());
    assert!(answer("another property").contains("read in another way"));
    // A graph of other programs.
    fs::write(here.join("modified.c"), fs::read_to_string(here.join("modified.c")).unwrap() + "int more;\n").unwrap();
    condgen(&graph);
    tools.detector(&graph, Some(&certificate));
    answer("another program");
}

/// An entry of the cache is looked at like what a detector says.
#[test]
fn an_entry_of_the_cache_that_was_tampered_with_is_left_out() {
    let folder = demo("regression.c");
    let here = folder.path();
    let check = |more: &str| run("residue", format!("check --cache kept {more}{PAIR}").split(' '), here).unwrap();
    let graph = detected(here, Rules::SOUND).0;
    let harmless = DifferenceGraph { indicators: Vec::new(), reasons: Vec::new(), ..graph };
    let mut covers = Vec::new();
    condgen::condition(&harmless, condgen::Size::Folded, &console::Budget::unlimited()).unwrap().0.write(&mut covers).unwrap();
    let mut bytes = Vec::new();
    harmless.write(&mut bytes).unwrap();
    for more in ["", "--validated "] {
        assert_eq!(check(more).last_line(), "FALSE(unreach-call)");
        for entry in entries(&here.join("kept")) {
            tamper(&entry, &[("difference-graph.json", &bytes), ("condition.graphml", &covers)]);
        }
        let ran = check(more);
        if more.is_empty() {
            assert_eq!(ran.last_line(), "TRUE", "whoever writes to a cache chooses: {}", ran.stderr);
        } else {
            assert_eq!(ran.last_line(), "FALSE(unreach-call)", "{}", ran.stderr);
            assert!(ran.stderr.contains("an outcome of the cache is left out, its condition is refused: graph: node "));
        }
        fs::remove_dir_all(here.join("kept")).unwrap();
    }
}

/// The files of outcomes in a cache.
fn entries(cache: &Path) -> Vec<PathBuf> {
    let inside = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let folders = inside(cache).into_iter().filter(|path| path.file_name().unwrap().len() == 2);
    let found: Vec<PathBuf> = folders.flat_map(|folder| inside(&folder)).flat_map(|folder| inside(&folder)).collect();
    assert!(!found.is_empty());
    found
}

/// Makes a FALSE of the cache a TRUE by other artifacts, as who knows how entries are written can.
fn tamper(entry: &Path, artifacts: &[(&str, &Vec<u8>)]) {
    let text = fs::read_to_string(entry).unwrap();
    let (head, content) = text.split_once('\n').unwrap();
    let mut content: Value = serde_json::from_str(content).unwrap();
    let outcome = &mut content["outcome"];
    (outcome["verdict"], outcome["class"]) = (json!("TRUE"), json!("no-regression"));
    outcome["turns"][0]["verdict"] = json!("TRUE");
    outcome["validation"] = json!({"result": "valid", "subject": "condition", "nodes": 1, "edges": 0, "indicators": 0});
    outcome.as_object_mut().unwrap().remove("violation");
    for (name, bytes) in artifacts {
        content["files"][name] = json!(String::from_utf8_lossy(bytes));
    }
    let content = content.to_string();
    let format = head.split_once(' ').unwrap().0;
    fs::write(entry, format!("{format} {}\n{content}", sha256_hex(content.as_bytes()))).unwrap();
}

/// What is right is TRUE, in every way in which programs are named, and from the cache.
#[test]
fn what_is_right_is_true() {
    let folder = demo("refactored.c");
    let here = folder.path();
    let check = |arguments: &str| run("residue", std::iter::once("check").chain(arguments.split(' ')), here).unwrap();
    for arguments in [
        format!("--validated {PAIR}"),
        format!("--validated --via reduce {PAIR}"),
        format!("--validated --property no-overflow,div-zero {PAIR}"),
        format!("--validated -DSIZE=1 {PAIR}"),
        format!("--validated --cache kept {PAIR}"),
        format!("--validated --cache kept {PAIR}"),
        format!("--validated --cache kept --report r.html {PAIR}"),
    ] {
        let ran = check(&arguments);
        assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{arguments}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("; condition validated"), "{arguments}: {}", ran.stdout);
    }
    assert!(fs::read_to_string(here.join("r.html")).unwrap().contains("validated: graph and condition: "));
    let ran = check(&format!("--validated --json --out kept-artifacts {PAIR}"));
    let outcome = &serde_json::from_str::<Value>(&ran.stdout).unwrap()["outcomes"][0];
    assert_eq!(outcome["validation"]["result"], "valid");
    assert!(outcome["stages"].as_array().unwrap().iter().any(|stage| stage["stage"] == "validate"), "{outcome}");
    let told = outcome["verification"]["assumptions"].to_string();
    assert!(told.contains("checked edge by edge"), "{told}");
    assert!(here.join("kept-artifacts/certificate.json").is_file());
    // Without a condition there is nothing to validate.
    let ran = check(&format!("--validated --detector none {PAIR}"));
    assert!(ran.last_line() == "TRUE" && !ran.stdout.contains("validated"), "{}", ran.stdout);
}

/// Programs of a repository, alone and linked, and folders.
#[test]
fn revisions_and_linked_programs_are_validated() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let git = |arguments: &str| {
        let own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
        let ran = duct::cmd("git", own.into_iter().chain(arguments.split(' '))).dir(here).stdout_null().stderr_null();
        ran.run().unwrap();
    };
    let other = "int limit(int x) { return x > 100 ? 100 : x; }\n";
    let main = "int limit(int); void reach_error(void); int input(void);\nint main(void) {\n  int n = input();\n  if (limit(n) > 100)\n    reach_error();\n}\n";
    fs::write(here.join("limit.c"), other).unwrap();
    fs::write(here.join("main.c"), main).unwrap();
    ["init --quiet .", "add .", "commit --quiet -m one"].iter().for_each(|command| git(command));
    fs::create_dir(here.join("before")).unwrap();
    let copy = |folder: &str| {
        for name in ["limit.c", "main.c"] {
            fs::copy(here.join(name), here.join(folder).join(name)).unwrap();
        }
    };
    copy("before");
    fs::create_dir(here.join("after")).unwrap();
    fs::write(here.join("limit.c"), other.replace("x > 100", "x >= 101")).unwrap();
    fs::write(here.join("main.c"), main.replace("int n = input();", "int unused = 0;\n  int n = input();")).unwrap();
    copy("after");
    for arguments in [
        "--git HEAD --entry limit limit.c",
        "--git HEAD --link main.c,limit.c main.c limit.c",
        "--git HEAD --jobs 2 --cache kept --link main.c,limit.c main.c limit.c",
        "--git HEAD --jobs 2 --cache kept --link main.c,limit.c main.c limit.c",
        "before after",
        "--link *.c before after",
    ] {
        let ran = run("residue", ["check", "--validated"].into_iter().chain(arguments.split(' ')), here).unwrap();
        assert_eq!(ran.last_line(), "TRUE", "{arguments}: {}{}", ran.stdout, ran.stderr);
        let is_vacuous = ran.stdout.contains("nothing to violate");
        assert!(is_vacuous || ran.stdout.contains("; condition validated"), "{arguments}: {}", ran.stdout);
    }
}

/// A graph of somebody else does not choose how the preprocessor is called.
#[test]
fn flags_of_a_graph_are_not_run() {
    let folder = demo("refactored.c");
    let here = folder.path();
    let (mut graph, certificate) = detected(here, Rules::SOUND);
    graph.provenance.options.preprocessor = vec!["-fplugin=evil.so".to_owned()];
    let mut bytes = Vec::new();
    graph.write(&mut bytes).unwrap();
    fs::write(here.join("graph.json"), bytes).unwrap();
    let mut bytes = Vec::new();
    certificate.write(&mut bytes).unwrap();
    fs::write(here.join("certificate.json"), bytes).unwrap();
    let ran = run("residue", "validate --json --certificate certificate.json graph.json".split(' '), here).unwrap();
    assert!(ran.code == 2 && ran.stderr.contains("-fplugin=evil.so") && ran.stderr.contains("--cpp-arg"), "{}", ran.stderr);
}
