//! The first hour of three newcomers, from an installation and nothing else: a researcher, an engineer who sets up CI, and the
//! author of a stage. Each goes from the README along links; what a page shows on a console is typed in, and is what happens.

use std::fs;
use std::path::{Component, Path, PathBuf};

use duct::cmd;
use residue_tests::documents::{Document, agrees};
use residue_tests::{root, skip, target};

/// The tree that `make install-built` leaves, with the documents in it.
struct Installation {
    tools: PathBuf,
    documents: PathBuf,
}

fn installation(folder: &Path) -> Installation {
    let variables = [format!("PREFIX={}", folder.join("made").display()), format!("CARGO_TARGET_DIR={}", target().display())];
    let command = cmd!("make", "--silent", "--no-print-directory", "install-built", &variables[0], &variables[1]);
    command.dir(root()).stdout_capture().env_remove("MAKEFLAGS").run().unwrap();
    fs::rename(folder.join("made"), folder.join("moved")).unwrap();
    Installation { tools: folder.join("moved/bin"), documents: folder.join("moved/share/doc/residue") }
}

/// What the links of a page lead to, as paths below the documents; those within code are none.
fn links(page: &str, text: &str) -> Vec<String> {
    let outside: Vec<&str> = text.split("```").step_by(2).collect();
    let outside = outside.join("\n");
    let targets = outside.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let files = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    files.map(|target| joined(page, target.split('#').next().unwrap_or_default())).collect()
}

/// A path as a page names it, without `..`.
fn joined(page: &str, target: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in Path::new(target).components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            Component::Normal(part) => parts.push(part.to_str().unwrap()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    parts.join("/")
}

/// Goes through pages in order: each is linked from one before, and shows what happens; `needs` are programs of others.
fn walk(pages: &[&str], needs: &[&str]) {
    for name in needs {
        if cmd!("sh", "-c", format!("command -v {name}")).stdout_null().run().is_err() {
            return skip(&format!("{name} is missing: a walk through {pages:?}"));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let Installation { tools, documents } = installation(folder.path());
    let (mut known, mut commands) = (vec!["README.md".to_owned()], 0);
    for page in pages {
        assert!(known.contains(&(*page).to_owned()), "nothing leads to {page}: {known:?}");
        let text = fs::read_to_string(documents.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        known.extend(links(page, &text));
        // An index has links only.
        let Some(document) = Document::parse(&text) else { continue };
        let lines: Vec<&str> = text.lines().collect();
        let printed = document.run_with(&documents, &tools).unwrap_or_else(|error| panic!("{page}: {error}"));
        for (step, printed) in document.steps.iter().zip(&printed) {
            let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
            let said = &lines[step.output.clone()];
            assert!(
                agrees(said, &printed),
                "{page}: $ {}\n--- said\n{}\n--- printed\n{}",
                step.command,
                said.join("\n"),
                printed.join("\n")
            );
            commands += 1;
        }
    }
    assert!(commands > 20, "{commands} commands are no walk");
}

#[test]
fn a_researcher_looks_at_a_change_and_at_every_artifact() {
    let pages = [
        "README.md", "pipelines/docs/tutorial.md", "formats/docs/explanation.md", "formats/README.md",
        "formats/docs/difference-graph.md", "formats/docs/condition.md", "formats/docs/residual-program.md",
    ];
    walk(&pages, &["git", "gcc"]);
}

#[test]
fn an_engineer_checks_a_repository_and_its_library() {
    walk(&["README.md", "pipelines/docs/checking-a-repository.md", "pipelines/docs/checking-a-library.md"], &["git"]);
}

#[test]
fn an_author_of_a_stage_puts_it_into_the_pipeline() {
    walk(&["README.md", "pipelines/docs/own-stage.md", "formats/docs/cfa.md", "formats/docs/difference-graph.md"], &["python3"]);
}

#[test]
fn no_link_of_an_installed_document_leads_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let documents = installation(folder.path()).documents;
    let (mut todo, mut known) = (vec!["README.md".to_owned()], Vec::new());
    while let Some(page) = todo.pop() {
        if known.contains(&page) {
            continue;
        }
        assert!(documents.join(&page).exists(), "{page} is not installed");
        if Path::new(&page).extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(documents.join(&page)).unwrap();
            for link in links(&page, &text) {
                assert!(documents.join(&link).exists(), "{page}: {link} is not installed");
                todo.push(link);
            }
        }
        known.push(page);
    }
    assert!(known.len() > 60, "{known:?}");
}
