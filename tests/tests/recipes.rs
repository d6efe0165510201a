//! The recipes for code hosts and hooks, run on a small repository.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use duct::cmd;
use residue_tests::{root, target};
use tempfile::TempDir;

/// A repository with a bare remote, whose `main` holds the tank controller.
struct Repository {
    folder: TempDir,
}

/// What a command did.
struct Ended {
    code: i32,
    /// stdout and stderr.
    text: String,
}

impl Repository {
    fn new() -> Self {
        let repository = Self { folder: tempfile::tempdir().unwrap() };
        cmd!("git", "init", "--quiet", "--bare", "--initial-branch=main", "remote.git")
            .dir(repository.folder.path())
            .run()
            .unwrap();
        cmd!("git", "init", "--quiet", "--initial-branch=main", "work").dir(repository.folder.path()).run().unwrap();
        repository.git(&["remote", "add", "origin", "../remote.git"]);
        repository.commit("original.c");
        repository.git(&["push", "--quiet", "origin", "main"]);
        repository
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn run(&self, program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Ended {
        let tools = target().join("release").display().to_string();
        let path = format!("{tools}:{}", std::env::var("PATH").unwrap_or_default());
        let mut command = cmd(program, arguments).dir(self.work()).env("PATH", path).stdin_null();
        let fixed = [("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("GITHUB_ACTIONS", "")];
        let named =
            [("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@b"), ("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@b")];
        // Of several values of a variable the first one holds.
        for (name, value) in environment.iter().chain(&fixed).chain(&named) {
            command = command.env(name, value);
        }
        let output = command.stderr_to_stdout().stdout_capture().unchecked().run().unwrap();
        Ended { code: output.status.code().unwrap(), text: String::from_utf8(output.stdout).unwrap() }
    }

    fn git(&self, arguments: &[&str]) -> String {
        let ended = self.run("git", arguments, &[]);
        assert_eq!(ended.code, 0, "git {arguments:?}: {}", ended.text);
        ended.text
    }

    /// Commits a version of the controller.
    fn commit(&self, version: &str) {
        fs::copy(root().join("pipelines/demo").join(version), self.work().join("tank.c")).unwrap();
        self.git(&["add", "tank.c"]);
        self.git(&["commit", "--quiet", "--message", version]);
    }

    /// A branch of `main` with one commit.
    fn branch(&self, name: &str, version: &str) {
        self.git(&["switch", "--quiet", "--create", name, "main"]);
        self.commit(version);
    }

    fn push(&self, arguments: &[&str]) -> Ended {
        self.run("git", &[&["push", "--quiet"], arguments].concat(), &[])
    }

    fn remote_has(&self, branch: &str) -> bool {
        !self.git(&["ls-remote", "origin", &format!("refs/heads/{branch}")]).is_empty()
    }
}

fn recipe(name: &str) -> String {
    root().join("pipelines/recipes").join(name).display().to_string()
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn a_pull_request_with_a_regression_fails_and_leaves_reports() {
    let repository = Repository::new();
    repository.branch("limit", "regression.c");
    // What happened on main meanwhile is not part of the pull request.
    repository.git(&["switch", "--quiet", "main"]);
    repository.commit("refactored.c");
    let summary = repository.folder.path().join("summary.md").display().to_string();
    let environment = [("GITHUB_ACTIONS", "true"), ("GITHUB_STEP_SUMMARY", summary.as_str())];
    let ended =
        repository.run("sh", &[&recipe("check-pull-request.sh"), "main", "limit", "--fail-on", "regression"], &environment);
    assert_eq!(ended.code, 1, "{}", ended.text);
    assert!(ended.text.contains("\nFALSE(unreach-call)\n"), "{}", ended.text);
    let annotation = "::error file=tank.c,line=123,title=Residue::regression at tank.c:123 (the original passes on these inputs)";
    assert!(ended.text.lines().any(|line| line.starts_with(annotation)), "{}", ended.text);
    assert!(fs::read_to_string(summary).unwrap().contains("regression at tank.c:123"));
    let reports = repository.work().join("residue-reports");
    let sarif: serde_json::Value = serde_json::from_str(&read(&reports, "residue.sarif")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let report: serde_json::Value = serde_json::from_str(&read(&reports, "residue.json")).unwrap();
    assert_eq!(report["class"], "regression");
    assert!(read(&reports, "residue.html").contains("tank.c"));
}

#[test]
fn violations_of_any_property_are_annotated() {
    let repository = Repository::new();
    let file = repository.work().join("sum.c");
    let text = |last: &str| {
        format!("int first(const int *a) {{ return a[0]; }}\nint sum(const int *a)\n{{\n    return a[0] + a[{last}];\n}}\n")
    };
    for (name, last) in [("sum", "3"), ("more", "4")] {
        fs::write(&file, text(last)).unwrap();
        repository.git(&["add", "sum.c"]);
        repository.git(&["commit", "--quiet", "--message", name]);
    }
    let arguments = [&recipe("check-pull-request.sh"), "HEAD~1", "HEAD", "--entry", "*", "--property", "valid-deref", "sum.c"];
    let ended = repository.run("sh", &arguments, &[("GITHUB_ACTIONS", "true")]);
    assert_eq!(ended.code, 1, "{}", ended.text);
    assert!(ended.text.contains("1 checked: 1 with a regression, 1 unaffected by the change"), "{}", ended.text);
    assert!(ended.text.contains("\n::error file=sum.c,line=4,title=Residue::regression at sum.c:4 (access"), "{}", ended.text);
}

#[test]
fn a_pull_request_that_refactors_passes() {
    let repository = Repository::new();
    repository.branch("tidy", "refactored.c");
    let ended = repository.run("sh", &[&recipe("check-pull-request.sh"), "main"], &[]);
    assert_eq!(ended.code, 0, "{}", ended.text);
    assert_eq!(ended.text, "no regression; property: unreach-call\nTRUE\n");
}

#[test]
fn a_shallow_clone_is_told_what_it_lacks() {
    let repository = Repository::new();
    let ended = repository.run("sh", &[&recipe("check-pull-request.sh"), "0123456789012345678901234567890123456789"], &[]);
    assert_eq!(ended.code, 2);
    assert!(ended.text.contains("fetch-depth"), "{}", ended.text);
}

#[test]
fn the_recipe_writes_through_no_link() {
    let repository = Repository::new();
    repository.branch("limit", "regression.c");
    let precious = repository.folder.path().join("precious");
    fs::write(&precious, "mine").unwrap();
    let reports = repository.work().join("residue-reports");
    fs::create_dir(&reports).unwrap();
    symlink(&precious, reports.join("residue.txt")).unwrap();
    let ended = repository.run("sh", &[&recipe("check-pull-request.sh"), "main"], &[]);
    assert_eq!(ended.code, 2, "{}", ended.text);
    fs::remove_dir_all(&reports).unwrap();
    symlink(repository.folder.path(), &reports).unwrap();
    let ended = repository.run("sh", &[&recipe("check-pull-request.sh"), "main"], &[]);
    assert_eq!(ended.code, 2, "{}", ended.text);
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    assert!(!repository.folder.path().join("residue.html").exists());
}

#[test]
fn the_recipe_gives_no_commands_of_others() {
    let repository = Repository::new();
    repository.branch("limit", "refactored.c");
    let text = fs::read_to_string(root().join("pipelines/demo/regression.c")).unwrap();
    for name in ["a: regression at b.c:5 (x.c", "::error::x.c", "##[error]x.c", "a,title=x.c", "```.c"] {
        fs::write(repository.work().join(name), "int main(void) { return 0; }\n").unwrap();
    }
    repository.git(&["add", "--all"]);
    repository.git(&["commit", "--quiet", "--message", "names"]);
    fs::write(repository.work().join("a,title=x.c"), text).unwrap();
    repository.git(&["add", "--all"]);
    repository.git(&["commit", "--quiet", "--message", "regression"]);
    let summary = repository.folder.path().join("summary.md").display().to_string();
    let environment = [("GITHUB_ACTIONS", "true"), ("GITHUB_STEP_SUMMARY", summary.as_str())];
    let ended = repository.run("sh", &[&recipe("check-pull-request.sh"), "main", "limit"], &environment);
    let commands: Vec<&str> =
        ended.text.lines().filter(|line| line.trim_start().starts_with("::") || line.contains("##[")).collect();
    assert_eq!(commands.len(), 1, "{}", ended.text);
    assert!(commands[0].starts_with("::error file=a%2Ctitle=x.c,line="), "{commands:?}");
    let summary = fs::read_to_string(summary).unwrap();
    assert!(summary.lines().skip(1).all(|line| line.is_empty() || line.starts_with("    ")), "{summary}");
}

#[test]
fn a_hook_refuses_a_regression_and_lets_everything_else_pass() {
    let repository = Repository::new();
    symlink(recipe("pre-push.sh"), repository.work().join(".git/hooks/pre-push")).unwrap();
    // A new branch is compared with where it left main.
    repository.branch("limit", "regression.c");
    let ended = repository.push(&["origin", "limit"]);
    assert_ne!(ended.code, 0);
    assert!(ended.text.contains("regression at tank.c:123") && ended.text.contains("is not pushed"), "{}", ended.text);
    assert!(!repository.remote_has("limit"));

    repository.branch("tidy", "refactored.c");
    let ended = repository.push(&["origin", "tidy"]);
    assert!(ended.code == 0 && ended.text.contains("no regression; property: unreach-call\nTRUE\n"), "{}", ended.text);

    // A branch the remote has is compared with what it has, also if a good one is pushed beside it.
    repository.commit("regression.c");
    repository.git(&["branch", "fine", "main"]);
    assert_ne!(repository.push(&["origin", "fine", "tidy"]).code, 0);
    assert!(!repository.remote_has("fine"));

    // Deleting a branch checks nothing, and neither does a push past the hook.
    let ended = repository.push(&["--no-verify", "origin", "limit"]);
    assert!(ended.code == 0 && repository.remote_has("limit"), "{}", ended.text);
    let ended = repository.push(&["origin", "--delete", "limit"]);
    assert!(ended.code == 0 && !ended.text.contains("TRUE"), "{}", ended.text);
}

#[test]
fn a_hook_says_so_if_there_is_nothing_to_compare_with() {
    let repository = Repository::new();
    cmd!("git", "init", "--quiet", "--bare", "empty.git").dir(repository.folder.path()).run().unwrap();
    repository.git(&["remote", "add", "empty", "../empty.git"]);
    symlink(recipe("pre-push.sh"), repository.work().join(".git/hooks/pre-push")).unwrap();
    let ended = repository.push(&["empty", "main"]);
    assert!(ended.code == 0 && ended.text.contains("nothing to compare"), "{}", ended.text);
}

#[test]
fn the_workflow_calls_the_script() {
    let workflow: serde_json::Value = serde_saphyr::from_str(&fs::read_to_string(recipe("github-actions.yml")).unwrap()).unwrap();
    let steps = workflow["jobs"]["check"]["steps"].as_array().unwrap();
    let runs: Vec<_> = steps.iter().filter_map(|step| step["run"].as_str()).collect();
    assert!(runs.iter().any(|run| run.contains("share/residue/recipes/check-pull-request.sh")), "{runs:?}");
}
