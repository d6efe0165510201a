//! Verifiers that are not ours: a fake one for everything that can go wrong, and two real ones.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use residue_tests::{Ran, root, skip, verifier};

const SAFE: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nextern void abort(void);\n\
    int main(void)\n{\n  int x = __VERIFIER_nondet_int();\n  if (x < 3)\n    abort();\n  if (x == 2)\n    reach_error();\n  return 0;\n}\n";

/// The change makes `x == 2`, and so the error, possible.
fn faulty() -> String {
    SAFE.replace("x < 3", "x < 2")
}

/// What the fake verifier does with each option.
const OPTIONS: &str = r#"case $1 in
true) echo TRUE ;;
unknown) echo UNKNOWN ;;
replays) witness 2 ;;
replays-not) witness 7 ;;
no-inputs) echo FALSE ;;
crash) echo TRUE; kill -SEGV $$ ;;
fails) echo TRUE; exit 3 ;;
garbage) head -c 100000 /dev/urandom ;;
stubborn) echo TRUE; (trap '' TERM; while :; do :; done) & echo $! > "$FAKE_PID"; trap '' TERM; wait; wait ;;
orphan) echo TRUE; setsid sh -c 'trap "" TERM; echo $$ > "$FAKE_PID"; while :; do sleep 1; done' & sleep 1 ;;
spins) while :; do :; done ;;
syntax) echo "unknown option $1" >&2; exit 64 ;;
esac
"#;

/// A folder with a pair, the fake verifier and its module.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("safe.c"), SAFE).unwrap();
    fs::write(here.join("faulty.c"), faulty()).unwrap();
    fs::write(here.join("same.c"), SAFE.replace("x == 2", "x == 2 && x > -9")).unwrap();
    verifier::fake(here, OPTIONS);
    folder
}

/// `residue check` with a verifier, or `None` (recorded as skipped) where BenchExec is missing.
fn check(verifier: &str, arguments: &[&str], here: &Path) -> Option<Ran> {
    if !root().join("third-party/external/venv/bin/python3").exists() {
        skip("BenchExec is missing: make external");
        return None;
    }
    let path =
        std::env::join_paths([here.to_path_buf()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())))
            .unwrap();
    let mut words = vec!["check".to_owned(), format!("--verifier={verifier}")];
    words.extend(arguments.iter().map(|argument| (*argument).to_owned()));
    let output = duct::cmd(residue_tests::tool("residue"), words)
        .dir(here)
        .env("PATH", path)
        .env("PYTHONPATH", here)
        .env("FAKE_PID", here.join("pid"))
        .env("RESIDUE_EXTERNAL", root().join("third-party/external"))
        .stdin_null()
        .stdout_capture()
        .stderr_capture()
        .unchecked()
        .run()
        .unwrap();
    Some(Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// What is said of a verifier that decides nothing.
const UNDECIDED: &str = "not decided: the verifier gave nothing to rely on: give it more with --budget, or name another one as \
                         well (--verifier)";

#[test]
fn what_a_verifier_says_and_what_it_is_worth() {
    let folder = workplace();
    let here = folder.path();
    for (option, code, about, verdict) in [
        ("true", 0, "no regression", "TRUE"),
        ("unknown", 3, UNDECIDED, "UNKNOWN(verifier: Fake: it does not know)"),
        ("replays", 1, "regression at faulty.c:10 (the original passes on these inputs)", "FALSE(unreach-call)"),
        (
            "replays-not",
            3,
            UNDECIDED,
            "UNKNOWN(verifier: Fake says false(unreach-call), but its inputs do not replay: the run ends without a violation)",
        ),
        ("no-inputs", 3, UNDECIDED, "UNKNOWN(verifier: Fake says false(unreach-call), but it names no inputs)"),
        ("crash", 3, UNDECIDED, "UNKNOWN(verifier: Fake: it was ended by signal 11)"),
        ("fails", 3, UNDECIDED, "UNKNOWN(verifier: Fake: it printed TRUE but failed with exit code 3)"),
        ("garbage", 3, UNDECIDED, "UNKNOWN(verifier: Fake: it gave no verdict (ERROR))"),
        ("syntax", 3, UNDECIDED, "UNKNOWN(verifier: Fake: it gave no verdict (ERROR, exit code 64))"),
    ] {
        let Some(ran) = check(&format!("fakes.fake:{option}"), &["-q", "safe.c", "faulty.c"], here) else { return };
        let lines: Vec<&str> = ran.stdout.lines().collect();
        let about = format!("{about}; property: unreach-call");
        assert_eq!((ran.code, lines.as_slice()), (code, [about.as_str(), verdict].as_slice()), "{option}: {}", ran.stderr);
    }
}

#[test]
fn a_verifier_that_uses_up_the_budget_takes_nothing_of_what_was_found_before_it() {
    let folder = workplace();
    let arguments = ["-q", "--json", "--budget", "4", "safe.c", "faulty.c"];
    let Some(ran) = check("fakes.fake:spins", &arguments, folder.path()) else { return };
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, report["verdict"].as_str()), (3, Some("UNKNOWN(budget)")), "{}", ran.stderr);
    let stages = report["outcomes"][0]["stages"].as_array().unwrap();
    let names: Vec<&str> = stages.iter().filter_map(|stage| stage["stage"].as_str()).collect();
    assert_eq!(names, ["diffdp", "condgen", "reduce", "fakes.fake"], "{}", ran.stdout);
}

#[test]
fn verifiers_are_asked_in_turn_until_one_decides() {
    let folder = workplace();
    let here = folder.path();
    let fake = |option: &str| format!("--verifier=fakes.fake:{option}");
    for (options, code, about, verdict) in [
        (["unknown", "true"].as_slice(), 0, "no regression; property: unreach-call; verifier: fakes.fake:true", "TRUE"),
        (&["crash", "garbage", "true"], 0, "no regression; property: unreach-call; verifier: fakes.fake:true", "TRUE"),
        (&["true", "crash"], 0, "no regression; property: unreach-call; verifier: fakes.fake:true", "TRUE"),
        (
            &["unknown", "replays"],
            1,
            "regression at faulty.c:10 (the original passes on these inputs); property: unreach-call; verifier: fakes.fake:replays",
            "FALSE(unreach-call)",
        ),
        (
            &["unknown", "no-inputs"],
            3,
            "not decided, neither by fakes.fake:unknown (verifier: Fake: it does not know) nor by fakes.fake:no-inputs: the \
             verifier gave nothing to rely on: give it more with --budget, or name another one as well (--verifier); property: \
             unreach-call",
            "UNKNOWN(verifier: Fake says false(unreach-call), but it names no inputs)",
        ),
    ] {
        let others: Vec<String> = options[1..].iter().map(|option| fake(option)).collect();
        let mut arguments: Vec<&str> = others.iter().map(String::as_str).collect();
        arguments.extend(["-q", "--budget", "60", "--out", "artifacts", "safe.c", "faulty.c"]);
        let Some(ran) = check(&format!("fakes.fake:{}", options[0]), &arguments, here) else { return };
        let lines: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!((ran.code, lines.as_slice()), (code, [about, verdict].as_slice()), "{options:?}: {}", ran.stderr);
        let asked = (0..4).take_while(|number| {
            here.join(if *number == 0 { "artifacts/verifier".to_owned() } else { format!("artifacts/verifier-{}", number + 1) })
                .is_dir()
        });
        let decides = options.iter().position(|option| ["true", "replays"].contains(option)).unwrap_or(options.len() - 1);
        assert_eq!(asked.count(), decides + 1, "{options:?}: each has a folder of its own, and nobody is asked in vain");
    }
}

#[test]
fn who_decided_is_in_the_report() {
    let folder = workplace();
    let here = folder.path();
    let arguments = ["--verifier=verify", "-q", "--json", "--fallback", "safe.c", "same.c"];
    let Some(ran) = check("fakes.fake:unknown", &arguments, here) else { return };
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let outcome = &report["outcomes"][0];
    assert_eq!((ran.code, &outcome["verifier"]["kind"]), (0, &serde_json::json!("native")), "{}", ran.stdout);
    let turns = outcome["turns"].as_array().unwrap();
    let verdicts: Vec<&str> = turns.iter().map(|turn| turn["verdict"].as_str().unwrap_or("not asked")).collect();
    assert_eq!(verdicts, ["UNKNOWN(verifier: Fake: it does not know)", "TRUE", "not asked"]);
    assert_eq!((&turns[0]["about"], &turns[2]["about"]), (&serde_json::json!("change"), &serde_json::json!("program")));
}

#[test]
fn what_a_verifier_may_not_see_is_not_proved_by_it() {
    let folder = workplace();
    let here = folder.path();
    let declared = "extern int setjmp(int *);\nint buffer[64];\n";
    for (name, before) in [("jump", "setjmp(buffer);"), ("assembly", "int y; __asm__(\"mov $1, %0\" : \"=r\"(y)); if (y) x = 2;")]
    {
        let text = format!(
            "{declared}{}",
            SAFE.replace("x == 2)", "x == 2 && x)").replace("  if (x < 3)", &format!("  {before}\n  if (x < 3)"))
        );
        fs::write(here.join(format!("{name}.c")), text).unwrap();
        let Some(ran) = check("fakes.fake:true", &["-q", "--detector", "none", "safe.c", &format!("{name}.c")], here) else {
            return;
        };
        assert!(ran.stdout.contains("may not see what is unsupported"), "{name}: {}{}", ran.stdout, ran.stderr);
    }
}

/// Whether the process whose id the fake verifier left is gone, or soon will be: who has ended waits for init.
fn is_gone(here: &Path) -> bool {
    let pid = fs::read_to_string(here.join("pid")).unwrap();
    let process = Path::new("/proc").join(pid.trim());
    (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        !process.exists()
    })
}

#[test]
fn a_verifier_that_does_not_end_is_ended_with_its_children() {
    let folder = workplace();
    let here = folder.path();
    let began = Instant::now();
    let Some(ran) = check("fakes.fake:stubborn", &["-q", "--budget", "2", "safe.c", "faulty.c"], here) else { return };
    assert_eq!((ran.code, ran.last_line()), (3, "UNKNOWN(budget)"), "{}", ran.stderr);
    assert!(is_gone(here), "a child is left after {:?}", began.elapsed());
    let Some(ran) = check("fakes.fake:orphan", &["-q", "safe.c", "faulty.c"], here) else { return };
    assert_eq!((ran.code, ran.last_line()), (0, "TRUE"), "{}", ran.stderr);
    assert!(is_gone(here), "an orphan is left");
}

#[test]
fn an_interruption_ends_the_verifier_too() {
    let folder = workplace();
    let here = folder.path();
    if !root().join("third-party/external/venv/bin/python3").exists() {
        skip("BenchExec is missing: make external");
        return;
    }
    let path = format!("{}:{}", here.display(), std::env::var("PATH").unwrap());
    let handle = duct::cmd(residue_tests::tool("residue"), ["check", "--verifier=fakes.fake:stubborn", "safe.c", "faulty.c"])
        .dir(here)
        .env("PATH", path)
        .env("PYTHONPATH", here)
        .env("FAKE_PID", here.join("pid"))
        .env("RESIDUE_EXTERNAL", root().join("third-party/external"))
        .stdin_null()
        .stdout_capture()
        .stderr_capture()
        .unchecked()
        .start()
        .unwrap();
    while fs::read_to_string(here.join("pid")).map_or(true, |pid| !pid.ends_with('\n')) {
        assert!(handle.try_wait().unwrap().is_none(), "it ended early");
        std::thread::sleep(Duration::from_millis(50));
    }
    duct::cmd!("kill", "-TERM", handle.pids()[0].to_string()).run().unwrap();
    let output = handle.into_output().unwrap();
    assert_eq!(output.status.code(), Some(143), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(is_gone(here), "a child is left");
}

#[test]
fn a_verifier_that_is_not_there_is_bad_usage() {
    let folder = workplace();
    let here = folder.path();
    for (verifier, word) in [("no_such_module", "no_such_module"), ("cpachecker", "not installed"), ("../x", "no name")] {
        let Some(ran) = check(verifier, &["safe.c", "faulty.c"], here) else { return };
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{verifier}: {}", ran.stderr);
        assert!(ran.stderr.contains(word), "{verifier}: {}", ran.stderr);
    }
    let Some(ran) = check("fakes.fake:true", &["--via", "native", "safe.c", "faulty.c"], here) else { return };
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("--via reduce"), "{}", ran.stderr);
}

/// A real verifier, or `None` (recorded as skipped) where it is missing.
fn real(verifier: &str, arguments: &[&str], here: &Path) -> Option<Ran> {
    let ran = check(verifier, arguments, here)?;
    if ran.code == 2 && ran.stderr.contains("not installed") {
        skip(&format!("{verifier} is missing: make external"));
        return None;
    }
    Some(ran)
}

#[test]
fn esbmc_proves_and_refutes() {
    let folder = workplace();
    let here = folder.path();
    let Some(ran) = real("esbmc", &["-q", "safe.c", "same.c"], here) else { return };
    assert_eq!(ran.last_line(), "TRUE", "{}{}", ran.stdout, ran.stderr);
    let Some(ran) = real("esbmc", &["-q", "safe.c", "faulty.c"], here) else { return };
    assert_eq!(
        ran.stdout,
        "regression at faulty.c:10 (the original passes on these inputs); property: unreach-call\nFALSE(unreach-call)\n",
        "{}",
        ran.stderr
    );
    let Some(ran) = real("esbmc:--unwind 1 --no-unwinding-assertions", &["-q", "safe.c", "same.c"], here) else { return };
    assert_eq!(ran.last_line(), "UNKNOWN(verifier: ESBMC: TRUE is not relied on with the option --unwind)");
}

/// ESBMC writes floating-point inputs as decimal fractions.
#[test]
fn inputs_of_esbmc_may_be_fractions() {
    let folder = workplace();
    let here = folder.path();
    let program = |condition: &str| {
        format!(
            "extern void reach_error(void);\nextern float __VERIFIER_nondet_float(void);\nextern double __VERIFIER_nondet_double(void);\n\
             int main(void)\n{{\n  float x = __VERIFIER_nondet_float();\n  double y = __VERIFIER_nondet_double();\n  \
             if ({condition}x > 0.5f && x < 0.75f && y < -1e10 && y > -2e10)\n    reach_error();\n  return 0;\n}}\n"
        )
    };
    fs::write(here.join("old.c"), program("0 && ")).unwrap();
    fs::write(here.join("new.c"), program("")).unwrap();
    let Some(ran) = real("esbmc", &["-q", "old.c", "new.c"], here) else { return };
    assert_eq!(
        ran.stdout, "regression at new.c:9 (the original passes on these inputs); property: unreach-call\nFALSE(unreach-call)\n",
        "{}",
        ran.stderr
    );
}

/// Programs that one of the verifiers takes for safe if it is asked in the usual way.
const TRAPS: [&str; 7] = [
    "int x = 0; int *p = &x; int i = 0; while (i < 1000) { *p = *p + 1; i = i + 1; } if (x == 1000) { reach_error(); }",
    "int x; if (x == 7) { reach_error(); }",
    "int x = __VERIFIER_nondet_int(); if (x > 0) { if (x + 1 < 0) { reach_error(); } }",
    "int x = 0; __asm__ volatile (\"movl $1, %0\" : \"=r\"(x)); if (x == 1) { reach_error(); }",
    "int *p = get(); *p = 1; reach_error();",
    "int x = 0; set(&x); if (x == 3) { reach_error(); }",
    "double x = 1e308; x = x * 10.0; if (x > 1e308) { reach_error(); }",
];

#[test]
fn traps_are_not_proved() {
    let folder = workplace();
    let here = folder.path();
    for body in TRAPS {
        let text = format!(
            "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nextern int *get(void);\nextern void set(int *p);\n\
             int main(void)\n{{\n  {body}\n  return 0;\n}}\n"
        );
        fs::write(here.join("trap.c"), text).unwrap();
        for verifier in ["esbmc", "frama-c"] {
            let arguments = ["-q", "--detector", "none", "--budget", "2", "trap.c", "trap.c"];
            let Some(ran) = real(verifier, &arguments, here) else { continue };
            assert!(ran.code == 1 || ran.code == 3, "{verifier}: {body}\n{}{}", ran.stdout, ran.stderr);
        }
    }
}

#[test]
fn frama_c_proves_only() {
    let folder = workplace();
    let here = folder.path();
    let Some(ran) = real("frama-c", &["-q", "safe.c", "same.c"], here) else { return };
    assert_eq!(ran.last_line(), "TRUE", "{}{}", ran.stdout, ran.stderr);
    let Some(ran) = real("frama-c", &["-q", "safe.c", "faulty.c"], here) else { return };
    assert_eq!(ran.last_line(), "UNKNOWN(verifier: Frama-C: it does not know)", "{}", ran.stderr);
}
