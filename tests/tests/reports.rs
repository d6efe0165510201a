//! Reports of `residue check`: what programs and code hosts read is valid, says the same as the verdict, and stays small.

use std::path::{Path, PathBuf};
use std::time::Instant;

use residue_tests::schemas::strict;
use residue_tests::{Ran, root, run, shared};
use serde_json::Value;

fn demo() -> PathBuf {
    root().join("pipelines/demo")
}

/// Runs a check with one report; its text.
fn report(arguments: &[&str], ending: &str, folder: &Path) -> (Ran, String) {
    let file = tempfile::tempdir().unwrap();
    let path = file.path().join(format!("report.{ending}"));
    let mut full = vec!["check", "--report", path.to_str().unwrap()];
    full.extend(arguments);
    let ran = run("residue", full, folder).unwrap();
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr));
    (ran, text)
}

fn check_json(text: &str) -> Value {
    let mut schema: Value = serde_json::from_str(include_str!("../../formats/schemas/report.schema.json")).unwrap();
    strict(&mut schema);
    let instance: Value = serde_json::from_str(text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(&instance).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    formats::report::Report::read(text.as_bytes(), "report.json").unwrap();
    instance
}

fn check_sarif(text: &str) -> Value {
    let instance: Value = serde_json::from_str(text).unwrap();
    let Some(schema) = shared("schemas/sarif-schema-2.1.0.json") else { return instance };
    let schema: Value = serde_json::from_slice(&std::fs::read(schema).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(&instance).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    instance
}

/// Whether a line is in one of the ranges.
fn contains(ranges: &Value, line: u64) -> bool {
    ranges.as_array().unwrap().iter().any(|range| (range[0].as_u64().unwrap()..=range[1].as_u64().unwrap()).contains(&line))
}

#[test]
fn json_of_a_regression() {
    let (ran, text) = report(&["original.c", "regression.c"], "json", &demo());
    assert_eq!(ran.code, 1);
    let report = check_json(&text);
    assert_eq!(report["class"], "regression");
    let unit = &report["units"][0];
    let (about, verdict) = (unit["about"].as_str().unwrap(), unit["verdict"].as_str().unwrap());
    assert_eq!(format!("{about}; property: unreach-call\n{verdict}\n"), ran.stdout);
    let path = &unit["counterexample"];
    assert_eq!(path["violation"]["line"], 123);
    assert_eq!(path["change"]["function"], "limit_level");
    assert!(contains(&unit["changed"], path["change"]["line"].as_u64().unwrap()));
    let lines = unit["lines"].as_array().unwrap().iter().find(|lines| lines["file"] == "regression.c").unwrap();
    assert!(contains(&lines["cause"], 123));
    // What the counterexample executes was checked again.
    for step in path["steps"].as_array().unwrap() {
        let line = step["place"]["line"].as_u64().unwrap();
        assert!(!contains(&lines["covered"], line), "step on covered line {line}");
    }
    let last = path["steps"].as_array().unwrap().last().unwrap();
    assert_eq!(last["place"]["line"], 123);
}

#[test]
fn json_of_a_proof_and_of_an_early_end() {
    let (ran, text) = report(&["original.c", "original.c"], "json", &demo());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report = check_json(&text);
    let unit = &report["units"][0];
    assert_eq!(unit["class"], "no-regression");
    let files = unit["lines"].as_array().unwrap();
    assert!(files.iter().all(|lines| lines["recheck"] == Value::Array(Vec::new())), "an unchanged program is covered");
    assert_eq!(unit["changed"], Value::Array(Vec::new()));

    let (ran, text) = report_without_condition();
    assert_eq!(ran.code, 1);
    let report = check_json(&text);
    let files = report["units"][0]["lines"].as_array().unwrap();
    assert!(files.iter().all(|lines| lines["covered"] == Value::Array(Vec::new())), "without a condition nothing is covered");
}

fn report_without_condition() -> (Ran, String) {
    report(&["--detector", "none", "original.c", "regression.c"], "json", &demo())
}

#[test]
fn sarif_points_to_the_change_and_relates_the_assertion() {
    let (_, text) = report(&["original.c", "regression.c"], "sarif", &demo());
    let log = check_sarif(&text);
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["level"], "error");
    assert_eq!(result["baselineState"], "new");
    let driver = &log["runs"][0]["tool"]["driver"];
    assert!(driver["informationUri"].as_str().unwrap().starts_with("https://"));
    let rule = &driver["rules"][usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
    assert_eq!((&rule["id"], &result["ruleId"]), (&Value::from("regression/unreach-call"), &rule["id"]));
    for text in ["fullDescription", "help"] {
        assert!(rule[text]["text"].as_str().unwrap().ends_with("The property: `reach_error` is never called."), "{rule}");
    }
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "regression.c");
    assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
    let line = place["region"]["startLine"].as_u64().unwrap();
    assert!((52..=57).contains(&line), "the primary location is on a changed line, not {line}");
    let region = &result["relatedLocations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["startColumn"]), (&Value::from(123), &Value::from(9)));
    let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    assert_eq!(flow.last().unwrap()["location"]["physicalLocation"]["region"]["startLine"], 123);
}

#[test]
fn sarif_has_a_rule_per_property() {
    let folder = tempfile::tempdir().unwrap();
    let text = "extern int input(void);\nint main(void) {\n    int n = input();\n    return LIMIT / n;\n}\n";
    std::fs::write(folder.path().join("old.c"), text.replace("LIMIT / n", "n")).unwrap();
    std::fs::write(folder.path().join("new.c"), text.replace("LIMIT", "7")).unwrap();
    let (_, text) = report(&["old.c", "new.c", "--property", "div-zero,shift"], "sarif", folder.path());
    let log = check_sarif(&text);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(results.iter().any(|result| result["ruleId"] == "regression/div-zero"), "{results:#?}");
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(rules.iter().any(|rule| rule["name"] == "RegressionShift" || rule["name"] == "RegressionDivZero"), "{rules:#?}");
}

#[test]
fn sarif_of_a_violation_in_both_is_unchanged() {
    let (ran, text) = report(&["regression.c", "regression.c", "--detector", "none"], "sarif", &demo());
    assert!(ran.stdout.contains("also in the original"), "{}", ran.stdout);
    let log = check_sarif(&text);
    assert_eq!(log["runs"][0]["results"][0]["baselineState"], "unchanged");
}

#[test]
fn sarif_of_a_proof_is_empty_and_of_unknown_is_a_note() {
    let (_, text) = report(&["original.c", "original.c"], "sarif", &demo());
    assert_eq!(check_sarif(&text)["runs"][0]["results"], Value::Array(Vec::new()));

    let folder = tempfile::tempdir().unwrap();
    let text = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n    int x = __VERIFIER_nondet_int();\n    __asm__ volatile(\"nop\" : \"=r\"(x));\n    if (x == LIMIT) reach_error();\n    return 0;\n}\n";
    std::fs::write(folder.path().join("a b.c"), text.replace("LIMIT", "1")).unwrap();
    std::fs::write(folder.path().join("c d.c"), text.replace("LIMIT", "2")).unwrap();
    let (ran, text) = report(&["a b.c", "c d.c"], "sarif", folder.path());
    assert_eq!(ran.code, 3, "{} {}", ran.stdout, ran.stderr);
    let log = check_sarif(&text);
    let run = &log["runs"][0];
    assert_eq!(run["results"][0]["level"], "note");
    assert_eq!(run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "c%20d.c");
    let notification = &run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert!(notification.as_str().unwrap().contains("UNKNOWN(unsupported"), "{notification}");
}

#[test]
fn fingerprints_survive_moved_lines() {
    let folder = tempfile::tempdir().unwrap();
    let fingerprint = |moved: &str| {
        for name in ["original.c", "regression.c"] {
            let text = std::fs::read_to_string(demo().join(name)).unwrap();
            std::fs::write(folder.path().join(name), format!("{moved}{text}")).unwrap();
        }
        let (_, text) = report(&["original.c", "regression.c"], "sarif", folder.path());
        let log: Value = serde_json::from_str(&text).unwrap();
        let result = log["runs"][0]["results"][0].clone();
        (result["partialFingerprints"].clone(), result["locations"][0]["physicalLocation"]["region"]["startLine"].clone())
    };
    let (here, line) = fingerprint("");
    let (there, moved) = fingerprint("/* one\n   two */\n");
    assert_eq!(here, there);
    assert_ne!(line, moved);
}

#[test]
fn several_units_are_in_one_report_and_programs_cannot_escape_into_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let text = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n/* </script><script>alert(1)</script> <!-- */\nint f(int a) { if (a == LIMIT) reach_error(); return a; }\nint g(int a) { return a & 1; }\nint main(void) { return f(3) < 1 && \"</style><b>\"[0]; }\n";
    std::fs::write(folder.path().join("<i>a&b.c"), text.replace("LIMIT", "1")).unwrap();
    std::fs::write(folder.path().join("c.c"), text.replace("LIMIT", "2")).unwrap();
    let arguments = ["--entry", "main,f,g", "<i>a&b.c", "c.c"];
    let (ran, page) = report(&arguments, "html", folder.path());
    assert_eq!(ran.code, 1, "{} {}", ran.stdout, ran.stderr);
    assert_eq!(page.matches("<article").count(), 3);
    assert_eq!(page.matches("<script>").count(), 1);
    assert_eq!(page.matches("</script>").count(), 1);
    assert!(!page.contains("<i>a&b.c") && page.contains("&lt;i&gt;a&amp;b.c"));
    assert!(!page.contains("<b>\"") && !page.contains("alert(1)</script>"));
    let (_, text) = report(&arguments, "json", folder.path());
    assert_eq!(check_json(&text)["units"].as_array().unwrap().len(), 3);
    let (_, text) = report(&arguments, "sarif", folder.path());
    assert_eq!(check_sarif(&text)["runs"][0]["results"].as_array().unwrap().len(), 1);
}

#[test]
fn a_report_is_the_same_again() {
    let without_times = |text: String| {
        let parts = text.split("<table class=\"times\">").map(|part| part.split_once("</table>").map_or(part, |(_, rest)| rest));
        parts.collect::<String>()
    };
    let page = || without_times(report(&["original.c", "original.c"], "html", &demo()).1);
    assert_eq!(page(), page());
}

#[test]
fn paths_take_no_detours() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let program = "#include \"../lib/fail.h\"\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n    int x = __VERIFIER_nondet_int();\n    if (x == LIMIT && x != 3)\n        fail();\n    return 0;\n}\n";
    write("programs/old.c", &program.replace("LIMIT", "3"));
    write("programs/new.c", &program.replace("LIMIT", "4"));
    write("lib/fail.h", "extern void reach_error(void);\nstatic void fail(void) { reach_error(); }\n");
    write(
        "pairs/x/t.yml",
        "id: t\noriginal: ../../programs/old.c\nmodified: ../../programs/new.c\nproperty: unreach-call\ndata_model: LP64\n",
    );
    let arguments = ["--task", "pairs/x/t.yml", "--out", "out"];
    let (ran, page) = report(&arguments, "html", folder.path());
    assert!(ran.stdout.starts_with("regression at lib/fail.h:2 "), "{}", ran.stdout);
    let page = page.replace("&#x2f;", "/");
    assert!(page.contains("programs/new.c") && !page.contains("/../"), "{page}");
    let explained = run("residue", ["explain", "out"], folder.path()).unwrap();
    assert!(explained.stdout.contains("programs/new.c:5") && !explained.stdout.contains("/../"), "{}", explained.stdout);
    let (_, text) = report(&arguments, "json", folder.path());
    assert_eq!(check_json(&text)["units"][0]["counterexample"]["violation"]["file"], "lib/fail.h");
    assert!(!text.contains("/../"), "{text}");
    let (_, text) = report(&arguments, "sarif", folder.path());
    assert!(!text.contains("/../"), "{text}");
    let place = &check_sarif(&text)["runs"][0]["results"][0]["relatedLocations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "lib/fail.h");
    let ran = run("residue", ["check", "--json", "--task", "pairs/x/t.yml"], folder.path()).unwrap();
    let mut run: Value = serde_json::from_str(&ran.stdout).unwrap();
    // What the verifier wrote names its program as it was called.
    let verification = run["outcomes"][0].as_object_mut().unwrap().remove("verification").unwrap();
    assert!(!run.to_string().contains("/../"), "{run}");
    assert!(!verification["counterexample"].to_string().contains("/../"), "{verification}");
}

#[test]
fn an_unknown_ending_is_a_usage_error() {
    let ran = run("residue", ["check", "--report", "x.pdf", "original.c", "original.c"], &demo()).unwrap();
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains(".html, .sarif or .json"), "{}", ran.stderr);
}

#[test]
fn a_driver_makes_a_small_page_in_little_time() {
    // 1.5 MB of preprocessed text.
    let Some(task) = shared("tasks/pairs/regression/regression-010.yml") else { return };
    let arguments = ["--budget", "10", "--task", task.to_str().unwrap()];
    let plain = Instant::now();
    run("residue", std::iter::once("check").chain(arguments), &demo()).unwrap();
    let plain = plain.elapsed();
    let started = Instant::now();
    let (_, page) = report(&arguments, "html", &demo());
    let more = started.elapsed().saturating_sub(plain);
    assert!(page.len() < 8 << 20, "{} bytes", page.len());
    assert!(more.as_secs() < 20, "a report took {more:?}");
}

#[test]
fn the_commands_of_the_page_about_reports_work() {
    let text = std::fs::read_to_string(root().join("pipelines/docs/reports.md")).unwrap();
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let commands: Vec<&str> = blocks.flat_map(str::lines).collect();
    assert!(commands.len() >= 6);
    let folder = tempfile::tempdir().unwrap();
    for name in ["original.c", "refactored.c", "regression.c"] {
        std::fs::copy(demo().join(name), folder.path().join(name)).unwrap();
    }
    let tools = residue_tests::tool("residue").parent().unwrap().to_owned();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    for command in commands {
        let ran =
            duct::cmd!("sh", "-c", command).dir(folder.path()).env("PATH", &path).unchecked().stdout_capture().run().unwrap();
        let code = ran.status.code().unwrap();
        assert!(code == 0 || code == 1 && command.contains("regression.c"), "{command}: {code}");
        if command.starts_with("python3") {
            let said = String::from_utf8_lossy(&ran.stdout).into_owned();
            assert!(said.starts_with("regression {'file': 'regression.c'"), "{said}");
        }
    }
    for name in ["report.html", "report.sarif", "report.json", "refactored.html", "units.html"] {
        assert!(folder.path().join(name).metadata().unwrap().len() > 500, "{name}");
    }
}
