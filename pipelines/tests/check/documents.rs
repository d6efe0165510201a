//! The examples of the documentation, executed as they are written.
//!
//! A block `console` holds commands after `$ ` and below each what it prints on stdout and stderr. The commands of a page
//! run one after the other in one folder that is empty at first.

use std::fs;
use std::path::{Path, PathBuf};

use crate::residue;

struct Example {
    line: usize,
    command: String,
    output: String,
}

fn examples(text: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match (line.strip_prefix("$ "), found.last_mut()) {
                (Some(command), _) => {
                    found.push(Example { line: number + 1, command: command.to_owned(), output: String::new() })
                }
                (None, Some(example)) => example.output.extend([line, "\n"]),
                (None, None) => panic!("line {}: output without a command", number + 1),
            },
        }
    }
    found
}

/// Runs the examples of a page below `pipelines`.
fn execute(page: &str) {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(crate_folder.join(page)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::join_paths(
        [residue().parent().unwrap().to_owned()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let examples = examples(&text);
    assert!(examples.len() > 5, "{page} has no examples");
    for Example { line, command, output } in examples {
        let demo: PathBuf = crate_folder.join("demo");
        let shell = duct::cmd!("bash", "-o", "pipefail", "-c", &command).dir(folder.path()).env("DEMO", demo);
        let shell = shell.env("PATH", path.as_ref().unwrap()).env("GIT_CONFIG_GLOBAL", "/dev/null").env("LC_ALL", "C");
        let ran = shell.stdin_null().stderr_to_stdout().stdout_capture().unchecked().run().unwrap();
        assert_eq!(String::from_utf8_lossy(&ran.stdout), output, "{page}:{line}: {command}");
    }
}

#[test]
fn the_page_about_check() {
    execute("docs/check.md");
}
