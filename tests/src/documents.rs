//! Console sessions of documents: run as they are printed, and compared with what is printed below them.
//!
//! A document that has a line `<!-- tested with PATH... -->` is tested: each named file or folder of the checkout is copied
//! into an empty folder, and there one bash runs what the ` ```console ` blocks show, from the first to the last. A line
//! that starts with `$ ` is a command, `> ` continues it, the rest up to the next command is what it prints on stdout and
//! stderr. A line `...` stands for any lines and `...` within a line for any text.
//! Does not know which documents there are.

use std::fs;
use std::io;
use std::path::Path;

use duct::cmd;

use crate::{root, target};

/// Separates in the output of bash what the commands print.
const SEPARATOR: char = '\u{1e}';

/// A document whose console blocks are tested.
#[derive(Debug)]
pub struct Document {
    /// What is copied from the checkout.
    pub paths: Vec<String>,
    /// The commands in order.
    pub steps: Vec<Step>,
}

/// One command with what it prints.
#[derive(Debug, PartialEq, Eq)]
pub struct Step {
    /// The text for bash, without prompts.
    pub command: String,
    /// The lines that are printed below it, as numbers of lines of the document, counted from 0.
    pub output: std::ops::Range<usize>,
}

impl Document {
    /// Reads a document; `None` if nothing of it is tested.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let marker = text.lines().find_map(|line| line.strip_prefix("<!-- tested with ")?.strip_suffix(" -->"))?;
        let mut steps: Vec<Step> = Vec::new();
        let mut in_console = false;
        for (number, line) in text.lines().enumerate() {
            match (in_console, line) {
                (false, "```console") => in_console = true,
                (true, "```") => in_console = false,
                (true, _) => read_line(&mut steps, number, line),
                (false, _) => {}
            }
        }
        Some(Self { paths: marker.split_whitespace().map(str::to_owned).collect(), steps })
    }

    /// What each command prints, in a fresh folder, with the tools and the files of the checkout.
    ///
    /// # Errors
    /// If a file cannot be copied or bash cannot be run, or if it ends before the last command.
    pub fn run(&self) -> io::Result<Vec<String>> {
        self.run_with(&root(), &target().join("release"))
    }

    /// The same with the files below a folder and the tools in another one.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_with(&self, files: &Path, tools: &Path) -> io::Result<Vec<String>> {
        let folder = tempfile::tempdir()?;
        let here = folder.path();
        for path in &self.paths {
            copy(&files.join(path), &here.join(path))?;
        }
        let commands = self.steps.iter().map(|step| format!("{}\nprintf '\\036'\n", step.command));
        let script = here.join(".session.sh");
        fs::write(&script, "exec 2>&1\n".to_owned() + &commands.collect::<String>())?;
        let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap_or_default());
        let mut bash = cmd!("bash", &script).dir(here).stdin_null().stdout_capture().unchecked();
        let person = ["GIT_AUTHOR", "GIT_COMMITTER"];
        for who in person {
            bash = bash.env(format!("{who}_NAME"), "Ada").env(format!("{who}_EMAIL"), "ada@example.org");
            bash = bash.env(format!("{who}_DATE"), "2026-01-01T00:00:00Z");
        }
        let set = [("PATH", path.as_str()), ("LC_ALL", "C.UTF-8"), ("NO_COLOR", "1"), ("GIT_CONFIG_NOSYSTEM", "1")];
        for (name, value) in set {
            bash = bash.env(name, value);
        }
        let output = bash.env("HOME", here).env_remove("GITHUB_ACTIONS").run()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let printed: Vec<String> = text.split_terminator(SEPARATOR).map(str::to_owned).collect();
        if printed.len() == self.steps.len() { Ok(printed) } else { Err(io::Error::other(format!("bash ended early: {text}"))) }
    }
}

fn read_line(steps: &mut Vec<Step>, number: usize, line: &str) {
    if let Some(command) = line.strip_prefix("$ ") {
        steps.push(Step { command: command.to_owned(), output: number + 1..number + 1 });
    } else if let Some(step) = steps.last_mut() {
        match line.strip_prefix('>') {
            Some(rest) if step.output.is_empty() && step.output.start == number => {
                step.command.push('\n');
                step.command.push_str(rest.strip_prefix(' ').unwrap_or(rest));
                step.output = number + 1..number + 1;
            }
            _ => step.output.end = number + 1,
        }
    }
}

/// Copies a file or a folder.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        to.parent().map_or(Ok(()), fs::create_dir_all)?;
        return fs::copy(from, to).map(|_| ());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Whether a command printed what the document says.
#[must_use]
pub fn agrees(said: &[&str], printed: &[&str]) -> bool {
    match said.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => (0..=printed.len()).any(|skipped| agrees(rest, &printed[skipped..])),
        Some((line, rest)) => {
            printed.split_first().is_some_and(|(first, others)| line_agrees(line, first) && agrees(rest, others))
        }
    }
}

fn line_agrees(said: &str, printed: &str) -> bool {
    let mut parts = said.split("...");
    let Some(mut left) = parts.next().and_then(|first| printed.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return left.is_empty() };
    for part in middle {
        match left.split_once(part) {
            Some((_, rest)) => left = rest,
            None => return false,
        }
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "# A\n<!-- tested with pipelines/demo -->\n```console\n$ cat <<E\n> a\n> E\na\n$ true\n```\n\n```sh\n$ no\n```\n";

    #[test]
    fn commands_and_their_output_are_found() {
        let document = Document::parse(TEXT).unwrap();
        assert_eq!(document.paths, ["pipelines/demo"]);
        let expected =
            [Step { command: "cat <<E\na\nE".to_owned(), output: 6..7 }, Step { command: "true".to_owned(), output: 8..8 }];
        assert_eq!(document.steps, expected);
        assert!(Document::parse("```console\n$ no\n```\n").is_none());
    }

    #[test]
    fn each_command_has_its_output() {
        assert_eq!(Document::parse(TEXT).unwrap().run().unwrap(), ["a\n", ""]);
        let early = Document::parse("<!-- tested with pipelines/demo -->\n```console\n$ exit 1\n```\n").unwrap();
        assert!(early.run().is_err());
    }

    #[test]
    fn dots_stand_for_anything() {
        assert!(agrees(&["a", "...", "d"], &["a", "b", "c", "d"]));
        assert!(agrees(&["...", "took ... s"], &["took 1.5 s"]));
        assert!(!agrees(&["a"], &["a", "b"]) && !agrees(&["took ... s"], &["took 1.5 m"]) && !agrees(&["a"], &["b"]));
    }
}
