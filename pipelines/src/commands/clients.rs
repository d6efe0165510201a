//! `residue clients`: who notices that a library changed, and by which call.
//!
//! Each client goes to `cse` with both versions of the library, each beside the headers of its own revision. A client that no
//! file of a change can be seen in is not looked at. Does not know how a client is decided.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use console::{Exit, SharedOptions, Watched};
use formats::equivalence::{CallContext, CallStatus, Equivalence, EquivalenceResult};
use formats::{Producer, file_names, shown};
use miette::{Context, IntoDiagnostic, miette};
use serde::Serialize;

use super::clients_listing::{Listing, Told};
use super::clients_questions::UNSEEN;
use super::{clients_questions, clients_sarif, clients_together};
use crate::report::listing;
use crate::run::chain::flags;
use crate::run::outcome::Failure;
use crate::run::stage::{Allowance, Messages, Stage, StageError};
use crate::run::words::words;
use crate::sources::affected::{Includes, Needed, affected, by_name};
use crate::sources::built;
use crate::sources::command_flags::normalised;
use crate::sources::git::{Repository, Revision};
use crate::sources::raw::is_of_the_library;
use crate::sources::revision::{ReadOptions, Reader, absolute_folders, inside};
use crate::sources::scope::{moved_modules, strangers, taken_in};
use crate::sources::untracked::{self, Hiding};

const EXAMPLES: &str = "\
Examples:
  residue clients --library src/lib.c --git HEAD~1 'clients/*.c'
  residue clients --library old/lib.c --library new/lib.c app.c tool.c
  residue clients --library src/lib.c --git v1.2..HEAD --report clients.html --undefined both 'clients/*.c'
  residue clients --library src/lib.c --git HEAD~1 --to c --out questions 'clients/*.c' && verify questions/app.c

Exit codes: 0 nobody is affected, or the questions are written, 1 somebody is, 2 unusable input, 3 not decided for some and nobody known to be, 101 a bug of ours.";

const TEMPLATE: &str = include_str!("clients.html");

/// Which clients notice that a library changed, and by which call
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, override_usage = "residue clients [OPTIONS] --library FILE --git BASE[..HEAD] CLIENT...
       residue clients [OPTIONS] --library ORIGINAL --library MODIFIED CLIENT...")]
pub(crate) struct ClientsArguments {
    /// The clients, each a program with the library; with --git files, folders or patterns of the repository
    #[arg(value_name = "CLIENT", required = true)]
    clients: Vec<PathBuf>,
    /// The library; without --git first the original, then the modified one
    #[arg(long, value_name = "FILE", required = true)]
    library: Vec<PathBuf>,
    /// Compare the library of two git revisions; without HEAD the modified one is the working tree, from which clients are taken
    #[arg(long, value_name = "BASE[..HEAD]")]
    git: Option<String>,
    /// What is observed of a run, as for `cse`
    #[arg(long, value_name = "WHAT[,WHAT]")]
    observe: Option<String>,
    /// `preserve` or `both`, as for `cse`
    #[arg(long, value_name = "HOW")]
    undefined: Option<String>,
    /// `undefined` or `wrap`, as for `cse`
    #[arg(long, value_name = "HOW")]
    overflow: Option<String>,
    /// End the look at each client after this much work, in steps that no clock decides
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Decide nothing, and write for each client what is asked, as a C program for any verifier, into the folder of --out
    #[arg(long, value_name = "FORM", requires = "out", conflicts_with_all = ["report", "json"])]
    to: Option<Form>,
    /// The folder for the programs of --to, which is made if it is not there
    #[arg(long, value_name = "DIR", requires = "to")]
    out: Option<PathBuf>,
    /// Write a report for people (.html), code hosts (.sarif) or programs (.json); may be given several times
    #[arg(long, value_name = "FILE")]
    report: Vec<PathBuf>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    shared: SharedOptions,
}

/// What is written of a question.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Form {
    /// A C program that calls `reach_error` where the versions differ
    C,
}

/// What the page is made of.
#[derive(Serialize)]
struct Page<'a> {
    listing: &'a Listing,
}

/// A client with the files that are read for it.
struct Client {
    path: String,
    /// Beside the original and beside the modified library; nothing where the change cannot be seen.
    files: Option<[PathBuf; 2]>,
    /// What of its build, or of the library's, has changed and is not looked at.
    otherwise: Option<String>,
}

impl Client {
    /// What is said of it: what a build does differently is not known to make no difference.
    fn judged(&self, told: Told) -> Told {
        match &self.otherwise {
            Some(otherwise) if told.verdict == Equivalence::Equivalent => {
                Told { verdict: Equivalence::Unknown, result: None, summary: otherwise.clone(), ..told }
            }
            Some(_) | None => told,
        }
    }
}

/// What the clients are compared with.
struct Versions {
    libraries: [PathBuf; 2],
    names: Vec<String>,
    clients: Vec<Client>,
    /// The folders of the revisions, whose names are nobody's business.
    trees: [Option<PathBuf>; 2],
    /// Flags that name folders of headers, and these: each revision has its own of those in the repository.
    searched: Vec<(String, PathBuf)>,
    /// What has changed and may become part of the program without being looked at, in words.
    taken: Option<String>,
    /// Keeps the folders until all is done.
    _revisions: Vec<Revision>,
}

impl Versions {
    /// A text with the paths of the repository: where revisions were checked out is nobody's business.
    fn without_trees(&self, text: String) -> String {
        let strip = |text: String, tree: &PathBuf| text.replace(&format!("{}/", tree.display()), "");
        self.trees.iter().flatten().fold(text, strip)
    }
}

/// Runs the command.
///
/// # Errors
/// If the input cannot be used.
pub(crate) fn clients(arguments: &ClientsArguments) -> miette::Result<Exit> {
    let shared = &arguments.shared;
    listing::check_names(&arguments.report)?;
    if !shared.property.is_empty() {
        return Err(miette!(help = "leave out --property", "whole runs are compared, no property is checked"));
    }
    let inputs = arguments.clients.iter().chain(&arguments.library).map(PathBuf::as_path);
    console::keep_apart(inputs, arguments.report.iter().map(PathBuf::as_path))?;
    let budget = shared.budget_of(Watched::Driver)?;
    let versions = match &arguments.git {
        Some(range) => of_revisions(arguments, range)?,
        None => of_files(arguments)?,
    };
    if let Some(folder) = &arguments.out {
        let mut allowance = Allowance { cpu: shared.budget, memory: budget.memory_limit(), run: budget.clone() };
        let questions =
            versions.clients.iter().map(|client| (client.path.as_str(), client.files.as_ref(), client.otherwise.as_deref()));
        let ask = |files: &[PathBuf; 2], stage| asked(arguments, &versions, &[files], (stage, &mut allowance));
        return clients_questions::write(questions, ask, folder, shared.console());
    }
    let (mut told, mut failures) = (Vec::new(), Vec::new());
    let mut left = shared.budget;
    let mut found = {
        let mut allowance = Allowance { cpu: left, memory: budget.memory_limit(), run: budget.clone() };
        let files = versions.clients.iter().map(|client| client.files.as_ref());
        let ask = |files: &[&[PathBuf; 2]], stage| asked(arguments, &versions, files, (stage, &mut allowance));
        let found = clients_together::results(files, ask);
        left = allowance.cpu;
        found
    };
    for (number, client) in versions.clients.iter().enumerate() {
        if let Some(result) = found.remove(&number) {
            told.push(client.judged(of_result(client.path.clone(), result)));
            continue;
        }
        let rest = u32::try_from(versions.clients.len() - number).unwrap_or(u32::MAX).max(1);
        let mut allowance = Allowance { cpu: left.map(|all| all / rest), memory: budget.memory_limit(), run: budget.clone() };
        let before = allowance.cpu;
        match ask(arguments, &versions, client, &mut allowance) {
            Ok(one) => told.push(client.judged(one)),
            Err(error) => {
                let message = versions.without_trees(words(&error));
                failures.push(Failure { path: client.path.clone(), entry: None, message });
            }
        }
        let used = before.zip(allowance.cpu).map(|(before, after)| before.saturating_sub(after)).unwrap_or_default();
        left = left.map(|left| left.saturating_sub(used));
    }
    if let Some(taken) = &versions.taken {
        // Both versions are read without it.
        for one in told.iter_mut().filter(|one| one.verdict == Equivalence::Equivalent) {
            let summary = taken.clone();
            *one = Told { path: std::mem::take(&mut one.path), verdict: Equivalence::Unknown, result: None, summary };
        }
    }
    finish(arguments, versions.names, told, failures)
}

/// Two files, and clients beside them.
fn of_files(arguments: &ClientsArguments) -> miette::Result<Versions> {
    let [original, modified] = arguments.library.as_slice() else {
        return Err(miette!(
            help = "--library ORIGINAL --library MODIFIED, or --library FILE --git BASE",
            "two versions of the library are needed"
        ));
    };
    let client =
        |path: &PathBuf| Client { path: formats::shown::name(path), files: Some([path.clone(), path.clone()]), otherwise: None };
    Ok(Versions {
        libraries: [original.clone(), modified.clone()],
        names: arguments.library.iter().map(|file| shown::name(file)).collect(),
        clients: arguments.clients.iter().map(client).collect(),
        trees: [None, None],
        searched: Vec::new(),
        taken: None,
        _revisions: Vec::new(),
    })
}

/// The library of two revisions, with the clients of the modified one beside both.
fn of_revisions(arguments: &ClientsArguments, range: &str) -> miette::Result<Versions> {
    let [library] = arguments.library.as_slice() else {
        return Err(miette!(help = "a folder stands for the C files in it", "--git takes one --library"));
    };
    let repository = Repository::open()?;
    let range = repository.range(range)?;
    let base = repository.checkout(&range.base)?;
    let head = range.head.map_or_else(|| repository.working_tree(&[]), |head| repository.checkout(&head))?;
    let files = repository.files(&head, library)?;
    let former = repository.files(&base, library)?;
    let (Some(_), Some(_)) = (files.first(), former.first()) else {
        return Err(miette!("{}: not in both revisions", shown::name(library)));
    };
    let mut clients = named(&repository, &head, &arguments.clients)?;
    refuse_files_of_library(&repository, &head, arguments, &files)?;
    clients.retain(|path| !files.contains(path));
    let options = arguments.shared.program_options(None)?;
    let flags = options.preprocessor;
    let searched = searched(&repository, [&base, &head], &flags)?;
    let first = BTreeSet::new();
    let includes = [untracked::includes(&repository, &base, &first)?, untracked::includes(&repository, &head, &first)?];
    let mut changed = repository.differing(&base, &head)?;
    let outside = absolute_folders(&flags.join(" "));
    let hiding = Hiding::of(&repository, (&base, &head), [&includes[0], &includes[1]], (&[], outside))?;
    changed.extend(hiding.files);
    // Clients are those of the modified revision on both sides.
    changed.retain(|path| !clients.contains(path));
    let seen = affected(&changed, [&includes[0], &includes[1]]);
    let own = [&clients, &files, &former];
    let taken = first_taken(&repository, [(&base, &includes[0]), (&head, &includes[1])], &changed, own)?;
    let taken = taken.or(moved_module([&base, &head], &includes, &own));
    // What no text names may be seen anywhere: what links lead to, and headers that the command line includes.
    let is_hidden =
        [&base, &head].iter().any(|revision| !revision.links.is_empty()) || flags.iter().any(|flag| is_included(flag));
    let library_changed =
        files != former || files.iter().any(|path| seen.contains(path)) || is_hidden && !changed.is_empty() || hiding.is_anything;
    let is_seen = |path: &String| library_changed || seen.contains(path);
    let wanted: Vec<String> = clients.iter().filter(|path| is_seen(path)).chain(&files).chain(&former).cloned().collect();
    fetch(&repository, [&base, &head], &includes, &wanted)?;
    let all = [&files, &former, &clients].into_iter().flatten().cloned().collect();
    let otherwise = built::otherwise(&repository, [&base, &head], &all, &changed)?;
    let mut made = Vec::new();
    for path in &clients {
        let files = is_seen(path).then(|| [base.tree.join(path), head.tree.join(path)]);
        if let Some([beside, own]) = &files {
            lay_beside(own, beside, &base)?;
        }
        made.push(Client { path: path.clone(), files, otherwise: other_build(&otherwise, path, &clients) });
    }
    let read = ReadOptions { data_model: Some(options.data_model), preprocessor: flags, compile_commands: None };
    check_own(&repository, &read, [(&base, &former), (&head, &files)], &made)?;
    let place = below_top(&repository, library);
    Ok(Versions {
        libraries: [base.tree.join(&place), head.tree.join(&place)],
        names: files.into_iter().collect(),
        clients: made,
        trees: [Some(base.tree.clone()), Some(head.tree.clone())],
        searched,
        taken,
        _revisions: vec![base, head],
    })
}

/// Writes these files of both revisions, and what they include.
fn fetch(repository: &Repository, revisions: [&Revision; 2], includes: &[Includes; 2], wanted: &[String]) -> miette::Result<()> {
    let both = revisions.into_iter().flat_map(|revision| &revision.files);
    let headers: BTreeSet<String> = both.filter(|path| path.ends_with(".h")).cloned().collect();
    for (revision, includes) in revisions.into_iter().zip(includes) {
        let needed = match includes.needed(wanted.iter().cloned(), &revision.files) {
            Needed::Everything => Needed::Everything,
            Needed::Files(files) => Needed::Files(files.into_iter().chain(headers.iter().cloned()).collect()),
        };
        repository.fetch(revision, &needed)?;
    }
    Ok(())
}

/// Refuses what is made of headers of the working tree that a revision has otherwise: the library's files there, and clients beside.
fn check_own(
    repository: &Repository,
    read: &ReadOptions,
    versions: [(&Revision, &BTreeSet<String>); 2],
    clients: &[Client],
) -> miette::Result<()> {
    let beside = || clients.iter().filter(|client| client.files.is_some()).map(|client| &client.path);
    for (revision, files) in versions {
        let reader = Reader::plain(repository, revision, read);
        files.iter().filter(|path| path.ends_with(".c")).chain(beside()).try_for_each(|path| reader.check_own(path))?;
    }
    Ok(())
}

/// The C files that patterns name in a revision, each of them some.
fn named(repository: &Repository, revision: &Revision, patterns: &[PathBuf]) -> miette::Result<BTreeSet<String>> {
    let mut named = BTreeSet::new();
    for pattern in patterns {
        let found: Vec<String> = repository.files(revision, pattern)?.into_iter().filter(|path| path.ends_with(".c")).collect();
        if found.is_empty() {
            return Err(miette!("{}: no C file of {}", shown::name(pattern), revision.name));
        }
        named.extend(found);
    }
    Ok(named)
}

/// Refuses clients that are files of the library; a folder or a pattern means the others that it names.
fn refuse_files_of_library(
    repository: &Repository,
    head: &Revision,
    arguments: &ClientsArguments,
    files: &BTreeSet<String>,
) -> miette::Result<()> {
    for client in &arguments.clients {
        if repository.files(head, client)?.iter().all(|path| !path.ends_with(".c") || files.contains(path)) {
            let help = "name files that use the library, each of them a program with it";
            return Err(miette!(help = help, "{} is a file of the library, and no client of it", shown::name(client)));
        }
    }
    Ok(())
}

/// A path as it is below the root of the repository.
fn below_top(repository: &Repository, path: &Path) -> PathBuf {
    let place = repository.here.join(path);
    place.strip_prefix(&repository.top).unwrap_or(path).to_owned()
}

/// A submodule of another commit that may have what one of these files includes, in words.
fn moved_module(revisions: [&Revision; 2], includes: &[Includes; 2], own: &[&BTreeSet<String>]) -> Option<String> {
    let moved = moved_modules(revisions).into_iter().next()?;
    let paths = || own.iter().flat_map(|own| own.iter().cloned());
    let mut strange = revisions.into_iter().zip(includes).flat_map(|(revision, includes)| {
        strangers(includes, paths().filter(|path| revision.has(path)), &by_name(&revision.files))
    });
    let name = strange.find(|name| !is_of_the_library(name))?;
    Some(format!("{} is another one now, and {} may be a file of it", shown::one_line(moved), shown::one_line(&name)))
}

/// A file that becomes part of one of these without being read as C, and has changed.
fn first_taken(
    repository: &Repository,
    revisions: [(&Revision, &Includes); 2],
    changed: &BTreeSet<String>,
    own: [&BTreeSet<String>; 3],
) -> miette::Result<Option<String>> {
    let taken = taken_in(repository, revisions, changed)?;
    let found = taken.into_iter().find(|(_, takers)| own.iter().any(|own| !takers.is_disjoint(own)));
    Ok(found.map(|(file, _)| format!("{} has changed and becomes part of the program as it is", shown::one_line(file))))
}

/// Flags that name folders in which headers are looked for, in gcc's order, and these: below the root of the repository, or as they are.
///
/// # Errors
/// If a flag names a place in the repository that cannot be another one for each revision.
fn searched(repository: &Repository, revisions: [&Revision; 2], flags: &[String]) -> miette::Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    for flag in flags {
        let Some((kind, named)) = OF_PLACES.iter().find_map(|kind| Some((*kind, flag.strip_prefix(kind)?))) else { continue };
        if named.is_empty() {
            let help = format!("write it together with its folder, as {kind}FOLDER");
            return Err(miette!(help = help, "{kind}: what it is about is not told"));
        }
        let written = normalised(&repository.here.join(named));
        let inside = inside(repository, &written);
        if matches!(kind, "-I" | "-isystem") {
            let folder = inside.unwrap_or(written);
            // Others are looked at in the order of the command line, too, those of the system last.
            let at = if kind == "-I" {
                found.iter().filter(|(flag, _): &&(String, PathBuf)| flag.starts_with("-I")).count()
            } else {
                found.len()
            };
            found.insert(at, (flag.clone(), folder));
            continue;
        }
        let Some(inside) = inside else { continue };
        // Not on disk: nothing is checked out yet.
        let is_below = |revision: &&Revision| revision.files.iter().any(|file| Path::new(file).starts_with(&inside));
        if revisions.iter().any(is_below) {
            let help =
                "with --git, each revision has its own files: name folders with -I or --isystem, and include files in the text";
            return Err(miette!(help = help, "{}: names a place of the repository", shown::one_line(flag)));
        }
    }
    Ok(found)
}

/// What says that a client, or what is built with all of them, is built otherwise.
fn other_build(found: &[(String, String)], client: &String, clients: &BTreeSet<String>) -> Option<String> {
    let is_of_it = |(path, _): &&(String, String)| path == client || !clients.contains(path);
    let (path, how) = found.iter().find(is_of_it)?;
    Some(format!("not checked: {}: {how}", shown::one_line(path)))
}

/// Whether a flag includes a file.
fn is_included(flag: &str) -> bool {
    flag.starts_with("-include") || flag.starts_with("-imacros")
}

/// Flags of the preprocessor that name files or folders.
const OF_PLACES: [&str; 6] = ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I"];

/// Lays a client's file beside the other revision's library, within its tree.
fn lay_beside(own: &Path, beside: &Path, revision: &Revision) -> miette::Result<()> {
    let bytes = std::fs::read(own).into_diagnostic().wrap_err_with(|| shown::name(own).to_string())?;
    let folder = beside.parent().unwrap_or(&revision.tree);
    // Looked at before anything is made or removed: a folder of the repository may be a link.
    let is_within = |folder: &Path| std::fs::canonicalize(folder).is_ok_and(|folder| folder.starts_with(&revision.tree));
    if !folder.ancestors().find(|folder| folder.symlink_metadata().is_ok()).is_some_and(is_within) {
        return Err(miette!("{}: leads out of {}", shown::name(beside), revision.name));
    }
    std::fs::create_dir_all(folder).into_diagnostic()?;
    // A link that is there is replaced, not followed.
    let _ = std::fs::remove_file(beside);
    let mut file = std::fs::File::create_new(beside).into_diagnostic()?;
    std::io::Write::write_all(&mut file, &bytes).into_diagnostic()
}

/// Asks about one client.
fn ask(arguments: &ClientsArguments, versions: &Versions, client: &Client, allowance: &mut Allowance) -> miette::Result<Told> {
    let path = client.path.clone();
    let Some(files) = &client.files else {
        return Ok(Told { path, verdict: Equivalence::Equivalent, result: None, summary: UNSEEN.to_owned() });
    };
    let stage = Stage::new("cse", Messages::Collected).arg("--json");
    let text = asked(arguments, versions, &[files], (stage, allowance))?;
    Ok(of_result(path, EquivalenceResult::read(text.as_bytes(), "cse")?))
}

fn of_result(path: String, result: EquivalenceResult) -> Told {
    let summary = summary(&result);
    Told { path, verdict: result.verdict, result: Some(result), summary }
}

/// What `cse` prints of some clients, without the folders of revisions.
fn asked(
    arguments: &ClientsArguments,
    versions: &Versions,
    clients: &[&[PathBuf; 2]],
    (stage, allowance): (Stage, &mut Allowance),
) -> miette::Result<String> {
    let shared = &arguments.shared;
    let options = shared.program_options(None)?;
    let is_searched = |flag: &String| {
        let flag = flag.strip_prefix("--cpp-arg=");
        flag.is_some_and(|flag| versions.searched.iter().any(|(other, _)| other == flag))
    };
    let is_other = |flag: &String| {
        flag.starts_with("--property=") || flag.starts_with("--entry=") && shared.entry.is_none() || is_searched(flag)
    };
    let mut stage = stage.args(flags(&options).into_iter().filter(|flag| !is_other(flag)));
    for (flag, tree) in ["--original-include", "--modified-include"].iter().zip(&versions.trees) {
        let Some(tree) = tree else { continue };
        for (_, folder) in &versions.searched {
            stage = stage.arg(format!("{flag}={}", tree.join(folder).display()));
        }
    }
    stage = stage.args(arguments.observe.iter().map(|what| format!("--observe={what}")));
    stage = stage.args(arguments.undefined.iter().map(|how| format!("--undefined={how}")));
    stage = stage.args(arguments.overflow.iter().map(|how| format!("--overflow={how}")));
    stage = stage.args(arguments.steps.map(|steps| format!("--steps={steps}"))).within(allowance);
    for (number, [original, modified]) in clients.iter().enumerate() {
        let flags = if number == 0 { ["--client=", "--modified-client="] } else { ["--also=", "--modified-also="] };
        stage = stage.arg(joined(flags[0], original)).arg(joined(flags[1], modified));
    }
    let stdout = match stage.arg("--").args(&versions.libraries).run(allowance) {
        Ok(done) => {
            allowance.spend(done.cpu);
            done.stdout
        }
        // What was said of other clients before counts.
        Err(StageError::Failed { stdout, .. }) if clients.len() > 1 => stdout,
        Err(error) => return Err(error.into()),
    };
    Ok(versions.without_trees(stdout))
}

fn joined(flag: &str, path: &Path) -> std::ffi::OsString {
    let mut argument = std::ffi::OsString::from(flag);
    // Who names the files of a repository does not decide which others are read.
    argument.push(file_names::quoted(path));
    argument
}

/// What became of a client, in words.
fn summary(result: &EquivalenceResult) -> String {
    let place = |context: &CallContext| format!("{}() in line {}", context.callee, context.line);
    match (&result.verdict, &result.counterexample) {
        (Equivalence::NotEquivalent, Some(shown)) => {
            let call = result.telling().map(|context| match &context.arguments {
                Some(call) => format!("{call} in line {}{}: ", context.line, context.condition()),
                None => format!("{}: ", place(context)),
            });
            format!("{}{}, then {}", call.unwrap_or_default(), shown.outcomes[0], shown.outcomes[1])
        }
        (Equivalence::Unknown, _) => result.reason.clone().unwrap_or_default(),
        _ if result.vacuous => "vacuous: no arguments satisfy what is assumed".to_owned(),
        _ if result.contexts.is_empty() && !result.changed.is_empty() => "what code outside may call does the same".to_owned(),
        _ if result.contexts.is_empty() => "nothing changed that it comes to".to_owned(),
        _ => {
            let mut said: Vec<(String, Vec<String>)> = Vec::new();
            for context in &result.contexts {
                let what = match &context.boundary {
                    _ if context.status == CallStatus::Inactive => "nothing that differs is reached".to_owned(),
                    Some(boundary) if *boundary != context.callee => format!("{boundary}() hides what differs"),
                    _ => "both versions do the same".to_owned(),
                };
                match said.iter_mut().find(|(known, _)| *known == what) {
                    Some((_, calls)) => calls.push(place(context)),
                    None => said.push((what, vec![place(context)])),
                }
            }
            let of = |(what, mut calls): (String, Vec<String>)| {
                calls.dedup();
                format!("{what}: {}", calls.join(", "))
            };
            said.into_iter().map(of).collect::<Vec<_>>().join("; ")
        }
    }
}

/// Says what came out.
fn finish(
    arguments: &ClientsArguments,
    library: Vec<String>,
    clients: Vec<Told>,
    failures: Vec<Failure>,
) -> miette::Result<Exit> {
    let console = arguments.shared.console();
    let count = |wanted: Equivalence| clients.iter().filter(|one| one.verdict == wanted).count();
    let (affected, open) = (count(Equivalence::NotEquivalent), count(Equivalence::Unknown));
    let (verdict, exit) = match () {
        () if affected > 0 => (Equivalence::NotEquivalent, Exit::Negative),
        // Of a client that cannot be read nothing is known.
        () if open + failures.len() > 0 => (Equivalence::Unknown, Exit::Unknown),
        () => (Equivalence::Equivalent, Exit::Success),
    };
    let exit = if failures.is_empty() { exit } else { Exit::Usage };
    failures
        .iter()
        .for_each(|failure| console.print(format!("error: {}: {}", shown::one_line(&failure.path), failure.message.trim())));
    let mut lines: Vec<String> = Vec::new();
    for one in &clients {
        let verdict = match one.verdict {
            Equivalence::Equivalent => "EQUIVALENT",
            Equivalence::NotEquivalent => "NOT EQUIVALENT",
            Equivalence::Unknown => "UNKNOWN",
        };
        lines.push(format!("{}: {verdict}: {}", one.path, one.summary));
    }
    lines.extend(failures.iter().map(Failure::line));
    let all = clients.len() + failures.len();
    let clients_word = if all == 1 { "client" } else { "clients" };
    lines.push(format!("{affected} of {all} {clients_word} affected, {} not decided", open + failures.len()));
    let (producer, format) = (Producer::new("residue", env!("CARGO_PKG_VERSION")), "clients-report");
    let listing = Listing { format, version: 1, producer, library, verdict, clients, failures };
    let object = serde_json::to_string_pretty(&listing).into_diagnostic()? + "\n";
    let text: String = lines.iter().map(|line| format!("{}\n", shown::one_line(line))).collect();
    let text = if arguments.json { object.clone() } else { shown::lines(&text).into_owned() };
    console::answer(&text, if arguments.report.is_empty() { exit } else { Exit::Usage })?;
    listing::write(&arguments.report, &object, || page(&listing), || clients_sarif::text(&listing))?;
    Ok(exit)
}

fn page(listing: &Listing) -> miette::Result<String> {
    listing::page("clients.html", TEMPLATE, Page { listing })
}
