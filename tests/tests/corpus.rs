//! The corpus of every test run: all trap pairs and the committed sample, with little time for each. No answer is wrong, and
//! every FALSE is confirmed by its harness, built with gcc and executed.

use std::fs;
use std::path::{Path, PathBuf};

use formats::DataModel;
use formats::task::TaskFile;
use residue_tests::oracle::for_seeds;
use residue_tests::{Ran, root, shared, tool};

/// CPU seconds of the detector and of the verifier.
const BUDGETS: [&str; 2] = ["3", "4"];
/// Exit code of `timeout` when it had to end a tool.
const ENDED: i32 = 124;

/// A pair, or a program alone.
struct Task {
    name: String,
    original: Option<PathBuf>,
    modified: PathBuf,
    model: DataModel,
    /// Whether TRUE is wrong.
    violated: bool,
    /// Whether FALSE is wrong.
    correct: bool,
}

fn traps(folder: &Path) -> Vec<Task> {
    let index = fs::read_to_string(folder.join("INDEX.csv")).unwrap();
    let rows = index.lines().map(|line| line.split(',').collect::<Vec<_>>()).filter(|fields| fields[0] == "pitfalls");
    rows.map(|fields| Task {
        name: fields[1].to_owned(),
        original: Some(folder.join(fields[2])),
        modified: folder.join(fields[3]),
        model: DataModel::LP64,
        violated: fields.contains(&"UNSAFE"),
        correct: fields.contains(&"SAFE"),
    })
    .collect()
}

/// The tasks that a set of the benchmarks names.
fn names(set: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("benchmarks/sets").join(set)).unwrap();
    text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(str::to_owned).collect()
}

fn pairs(tasks: &Path) -> Vec<Task> {
    let task = |name: String| {
        let file = tasks.join(&name);
        let TaskFile::Pair(pair) = TaskFile::read(&fs::read(&file).unwrap(), &name).unwrap() else {
            panic!("{name} is no pair");
        };
        let folder = file.parent().unwrap();
        Task {
            name,
            original: Some(folder.join(pair.original)),
            modified: folder.join(pair.modified),
            model: pair.data_model,
            violated: pair.expected_regression == Some(true),
            correct: pair.truth_modified == Some(true),
        }
    };
    names("sample-pairs.set").into_iter().map(task).collect()
}

fn programs(tasks: &Path) -> Vec<Task> {
    let table = fs::read_to_string(tasks.join("singles.csv")).unwrap();
    let row = |name: &String| table.lines().find(|line| line.starts_with(&format!("{name},"))).unwrap();
    let task = |name: String| {
        let fields: Vec<&str> = row(&name).split(',').collect();
        let model = if fields[2] == "ILP32" { DataModel::ILP32 } else { DataModel::LP64 };
        let modified = tasks.join(&name);
        Task { original: None, modified, model, violated: fields[1] == "false", correct: fields[1] == "true", name }
    };
    names("sample-programs.set").into_iter().map(task).collect()
}

/// Runs a tool; far more time than its budget means that it does not keep it.
fn stage(name: &str, arguments: &[&str], folder: &Path) -> Ran {
    let all = ["120".as_ref(), tool(name).as_os_str().to_owned().as_os_str()]
        .into_iter()
        .map(std::ffi::OsStr::to_owned)
        .chain(arguments.iter().map(Into::into))
        .collect::<Vec<_>>();
    let output = duct::cmd("timeout", all).dir(folder).stdin_null().stdout_capture().stderr_capture().unchecked().run().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The verdict of the chain, or what went wrong.
fn verdict(task: &Task, folder: &Path) -> Result<String, String> {
    let model = task.model.to_string();
    let modified = task.modified.to_str().unwrap();
    let common = ["-q", "--data-model", &model, "--budget"];
    let checked = |name: &str, arguments: &[&str]| {
        let ran = stage(name, arguments, folder);
        match ran.code {
            0 | 1 | 3 | ENDED => Ok(ran),
            code => Err(format!("{name} exited with {code}: {}", ran.stderr)),
        }
    };
    let mut last = vec!["--harness", "harness.c"];
    if let Some(original) = &task.original {
        let arguments = [&common[..], &[BUDGETS[0], "-o", "graph.json", original.to_str().unwrap(), modified]].concat();
        let detected = checked("diffdp", &arguments)?;
        if detected.code == ENDED {
            return Ok("UNKNOWN(detector did not end)".to_owned());
        }
        checked("condgen", &["-q", "-o", "condition.graphml", "graph.json"])?;
        last.extend(["--condition", "condition.graphml"]);
    }
    last.push(modified);
    let ran = checked("verify", &[&common[..], &[BUDGETS[1]], &last].concat())?;
    Ok(if ran.code == ENDED { "UNKNOWN(verifier did not end)".to_owned() } else { ran.last_line().to_owned() })
}

/// Builds the harness and runs it: does it reach the error?
fn confirm(task: &Task, folder: &Path) -> Result<(), String> {
    let flags: &[&str] = if task.model == DataModel::ILP32 { &["-m32", "-nostdlib", "-static"] } else { &[] };
    let arguments = [&["-w", "-O0", "-std=gnu11", "-fwrapv"], flags, &["-o", "harness", "harness.c"]].concat();
    let built = duct::cmd("gcc", arguments).dir(folder).stderr_to_stdout().stdout_capture().unchecked().run().unwrap();
    if !built.status.success() {
        return Err(format!("the harness does not build: {}", String::from_utf8_lossy(&built.stdout)));
    }
    let run = duct::cmd!("timeout", "60", folder.join("harness"));
    let ran = run.dir(folder).stdin_null().stderr_to_stdout().stdout_capture().unchecked().run().unwrap();
    if ran.status.code() == Some(107) || String::from_utf8_lossy(&ran.stdout).contains("reach_error") {
        return Ok(());
    }
    Err(format!("the harness does not reach the error: {:?}", ran.status))
}

/// What the stages found out, the driver must find out as well: it replays the inputs by itself. It may run out of time.
fn replayed(task: &Task) -> Result<(), String> {
    let Some(original) = &task.original else { return Ok(()) };
    let model = task.model.to_string();
    let [original, modified] = [original, &task.modified].map(|path| path.to_str().unwrap());
    let ran = stage("residue", &["check", "-q", "--data-model", &model, "--budget", "7", original, modified], &root());
    match ran.last_line() {
        "FALSE(unreach-call)" | "UNKNOWN(budget)" => Ok(()),
        other => Err(format!("FALSE, but the driver says {other}: {}{}", ran.stdout, ran.stderr)),
    }
}

/// The verdict's first word, or a complaint.
fn judge(task: &Task) -> Result<&'static str, String> {
    let folder = tempfile::tempdir().unwrap();
    let verdict = verdict(task, folder.path())?;
    match verdict.as_str() {
        "TRUE" if task.violated => Err("TRUE is wrong".to_owned()),
        "TRUE" => Ok("TRUE"),
        text if text.starts_with("FALSE") && task.correct => Err(format!("{text} is wrong")),
        text if text.starts_with("FALSE") => confirm(task, folder.path()).and_then(|()| replayed(task)).map(|()| "FALSE"),
        text if text.starts_with("UNKNOWN(") => Ok("UNKNOWN"),
        other => Err(format!("no verdict: `{other}`")),
    }
}

fn judge_all(tasks: &[Task]) {
    let found = for_seeds(0..tasks.len() as u64, |number| judge(&tasks[number as usize]));
    let count = |word: &str| found.iter().filter(|answer| answer.as_ref() == Ok(&word)).count();
    eprintln!("TRUE {}, FALSE {} (confirmed), UNKNOWN {}", count("TRUE"), count("FALSE"), count("UNKNOWN"));
    let answers = tasks.iter().zip(&found);
    let wrong: Vec<_> = answers.filter_map(|(task, answer)| Some(format!("{}: {}", task.name, answer.as_ref().err()?))).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), tasks.len(), wrong.join("\n"));
}

/// The tasks that come with the project: a test of this kind is left where the others are missing.
fn own() -> Vec<Task> {
    let folder = root().join("benchmarks/tasks/smoke");
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "yml"));
    files.sort();
    let task = |file: PathBuf| {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let TaskFile::Definition(definition) = TaskFile::read(&fs::read(&file).unwrap(), &name).unwrap() else {
            panic!("{name} is no definition");
        };
        let modified = folder.join(&definition.input_file);
        let verdict = |property: &str| {
            definition.properties.iter().find(|p| p.property_file.ends_with(property)).and_then(|p| p.expected_verdict)
        };
        let correct = verdict("unreach-call.prp");
        let original = definition.original_input_file.map(|file| modified.parent().unwrap().join(file));
        let violated =
            original.is_some() && verdict("no-regression.prp") == Some(false) || original.is_none() && correct == Some(false);
        let model = definition.data_model.unwrap_or(DataModel::LP64);
        Task { name, original, modified, model, violated, correct: correct == Some(true) }
    };
    files.into_iter().map(task).collect()
}

#[test]
fn every_task_of_the_project() {
    let tasks = own();
    assert!(tasks.len() > 5 && tasks.iter().any(|t| t.violated) && tasks.iter().any(|t| t.correct));
    judge_all(&tasks);
}

#[test]
fn every_trap() {
    if let Some(folder) = shared("oracle") {
        judge_all(&traps(&folder));
    }
}

#[test]
fn the_sample_of_pairs() {
    if let Some(folder) = shared("tasks") {
        judge_all(&pairs(&folder));
    }
}

#[test]
fn the_sample_of_programs() {
    if let Some(folder) = shared("tasks") {
        judge_all(&programs(&folder));
    }
}
