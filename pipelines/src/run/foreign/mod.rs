//! A verifier that is not ours, on the residual program.
//!
//! It is reached through BenchExec's tool-info modules: a helper in Python (`pipelines/external`) builds the command line,
//! keeps the limits and reads the verdict; helper and driver talk JSON.
//! Invariant: TRUE is the verifier's word about the residual program, and the report says whose; FALSE is passed on only
//! with inputs that reach the error in the residual program; everything else is UNKNOWN with a reason.
//! Does not know any verifier; what is special about one is in its module.

mod counterexample;
mod input;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use formats::difference_graph::DifferenceGraphBuilder;
use formats::verdict::InputValue;
use formats::{Producer, ProgramFile, ProgramOptions, Provenance, Reason, Verdict, VerdictReport, sha256_hex};
use miette::{Context, IntoDiagnostic};
use program::cfa::{Cfa, EdgeId};
use program::executable::find;
use serde::{Deserialize, Serialize};

use self::counterexample::Assignment;
use self::input::Prepared;
use super::stage::{Allowance, Finished, Messages, Stage, StageError};

/// The helper, which goes wherever the driver goes.
const HELPER: [(&str, &str); 10] = [
    ("run_verifier.py", include_str!("../../../external/run_verifier.py")),
    ("supervise.py", include_str!("../../../external/supervise.py")),
    ("assignments.py", include_str!("../../../external/assignments.py")),
    ("residue_verifiers/__init__.py", include_str!("../../../external/residue_verifiers/__init__.py")),
    ("residue_verifiers/abc.py", include_str!("../../../external/residue_verifiers/abc.py")),
    ("residue_verifiers/abc_portfolio.py", include_str!("../../../external/residue_verifiers/abc_portfolio.py")),
    ("residue_verifiers/esbmc.py", include_str!("../../../external/residue_verifiers/esbmc.py")),
    ("residue_verifiers/frama-c.py", include_str!("../../../external/residue_verifiers/frama-c.py")),
    ("residue_verifiers/abort.c", include_str!("../../../external/residue_verifiers/abort.c")),
    ("residue_verifiers/reach_error.c", include_str!("../../../external/residue_verifiers/reach_error.c")),
];
/// The longest reason that is passed on.
const LONGEST_REASON: usize = 200;
/// Bounds of the wall seconds a verifier with a CPU budget may wait instead of working.
const SHORTEST_IDLE: f64 = 10.0;
const LONGEST_IDLE: f64 = 60.0;

/// A verifier and what it is to look at.
pub(crate) struct Job<'a> {
    /// Name of its tool-info module.
    pub(crate) name: &'a str,
    /// Its options.
    pub(crate) options: &'a [String],
    /// The residual program.
    pub(crate) residual: &'a Path,
    /// How programs are read.
    pub(crate) program_options: &'a ProgramOptions,
    /// Where everything that belongs to the run is kept.
    pub(crate) folder: &'a Path,
    /// Where messages go.
    pub(crate) messages: Messages,
}

/// What the helper is asked.
#[derive(Serialize)]
struct Request<'a> {
    module: &'a str,
    options: &'a [String],
    program: &'a Path,
    property_file: &'a Path,
    data_model: String,
    cpu_seconds: Option<f64>,
    idle_seconds: Option<f64>,
    memory_bytes: Option<u64>,
    facts: Facts,
    work: &'a Path,
    log: &'a Path,
}

/// What modules of our own may want to know of the program.
#[derive(Serialize)]
struct Facts {
    writes_through_pointers: bool,
}

/// What the helper answers; only the middle if it was stopped before it knew the verifier.
#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(default)]
    tool: String,
    #[serde(default)]
    version: String,
    verdict: String,
    status: String,
    reason: Option<String>,
    #[serde(default)]
    cpu_seconds: f64,
    #[serde(default)]
    peak_memory: u64,
    #[serde(default)]
    assignments: Vec<Assignment>,
}

/// What the helper says about a verifier without running it.
#[derive(Debug, Deserialize)]
struct Description {
    tool: String,
    version: String,
    executable: PathBuf,
}

/// Which verifier of which version a name stands for, in one line, with the executable's size and age and the helper's hash:
/// everything outside the program and the options that may change its verdict.
/// `None` if it cannot be told, most likely because the verifier is not there.
pub(crate) fn identity(name: &str) -> Option<String> {
    let allowance = Allowance { cpu: None, memory: None, run: console::Budget::unlimited() };
    let helper = Helper::new().ok()?;
    let finished = helper.stage(Messages::Collected).arg(format!("--describe={name}")).run(&allowance).ok()?;
    let found: Description = serde_json::from_str(finished.stdout.trim()).ok()?;
    let file = std::fs::canonicalize(&found.executable).ok()?;
    let data = std::fs::metadata(&file).ok()?;
    let changed = data.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?.as_nanos();
    let code: String = HELPER.iter().map(|(_, text)| sha256_hex(text.as_bytes())).collect();
    let code = sha256_hex(code.as_bytes());
    Some(format!("{} {} at {} ({} bytes, {changed}), helper {code}", found.tool, found.version, file.display(), data.len()))
}

/// Why there is no report.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The helper did not run to its end.
    Stage(StageError),
    /// Something else.
    Other(miette::Report),
}

impl From<StageError> for Failure {
    fn from(error: StageError) -> Self {
        Self::Stage(error)
    }
}

impl From<miette::Report> for Failure {
    fn from(report: miette::Report) -> Self {
        Self::Other(report)
    }
}

/// Runs the verifier; its report, whose lines are those of the residual program, and what the run cost.
///
/// # Errors
/// If the verifier is not there or does not take its options.
pub(crate) fn verify(job: &Job<'_>, allowance: &Allowance) -> Result<(VerdictReport, Option<Finished>), Failure> {
    std::fs::create_dir_all(job.folder).into_diagnostic().wrap_err_with(|| format!("cannot make {}", job.folder.display()))?;
    let text = read(job.residual)?;
    let prepared = match input::prepare(&text, job.residual, job.program_options)? {
        Ok(prepared) => prepared,
        Err(why) => return Ok((undecided(job, &text, why), None)),
    };
    let (answer, finished) = ask(job, &prepared, allowance)?;
    let program = program_file(job, &text, Some(&prepared.cfa));
    Ok((report(job, &prepared, &answer, program), Some(finished)))
}

/// What a verifier said of a question.
pub(crate) enum Said {
    /// No run violates it; who says so.
    True(String),
    /// These inputs do, in the residual program.
    False(Vec<InputValue>),
    /// Nothing, and why.
    Nothing(String),
}

/// Asks a verifier a question that is one of several: three quarters of what is left are for it.
///
/// # Errors
/// If the verifier is not there or does not take its options.
pub(crate) fn question(job: &Job<'_>, allowance: &mut Allowance) -> miette::Result<Said> {
    // What comes after it takes time too.
    let share = Allowance { cpu: allowance.cpu.map(|left| left * 3 / 4), ..allowance.clone() };
    let report = match verify(job, &share) {
        Ok((report, finished)) => {
            finished.into_iter().for_each(|one| allowance.spend(one.cpu));
            report
        }
        Err(Failure::Stage(error)) => {
            return match error.reason() {
                Some(reason) => Ok(Said::Nothing(format!("{}: {}", job.name, Verdict::Unknown(reason)))),
                None => Err(error.into()),
            };
        }
        Err(Failure::Other(error)) => return Err(error),
    };
    Ok(match (&report.verdict, report.counterexample) {
        (Verdict::True, _) => Said::True(format!("{} {}", report.producer.tool, report.producer.version).trim_end().to_owned()),
        (Verdict::False(_), Some(one)) => Said::False(one.inputs),
        (verdict, _) => Said::Nothing(format!("{}: {verdict}", job.name)),
    })
}

/// Writes the difference graph that dismisses nothing: what a program is reduced by that is compared with none. `name` is what the stages call
/// the modified program.
///
/// # Errors
/// If the program cannot be read or the graph cannot be written.
pub(crate) fn compare_nothing(modified: &Path, name: &Path, options: &ProgramOptions, graph: &Path) -> miette::Result<()> {
    let cfa = program::load(modified, options)?;
    let path = name.display().to_string();
    let file = cfa.program_file(path);
    let provenance = Provenance {
        producer: Producer::new("residue", env!("CARGO_PKG_VERSION")),
        original: file.clone(),
        modified: file,
        options: options.clone(),
        degraded: None,
    };
    let mut builder = DifferenceGraphBuilder::new();
    builder.add_indicator(0, None, "not-compared", "");
    let lone = builder.finish(provenance, 0, |edge| cfa.edge_info(EdgeId::new(edge as usize)));
    let mut bytes = Vec::new();
    lone.write(&mut bytes).into_diagnostic()?;
    std::fs::write(graph, bytes).into_diagnostic().wrap_err_with(|| format!("cannot write {}", graph.display()))
}

/// Writes what the verifier reads and runs the helper.
fn ask(job: &Job<'_>, prepared: &Prepared, allowance: &Allowance) -> Result<(Answer, Finished), Failure> {
    let (program, property) = (job.folder.join("program.c"), job.folder.join("unreach-call.prp"));
    let (request, log) = (job.folder.join("request.json"), job.folder.join("output.log"));
    write(&program, prepared.text.as_bytes())?;
    write(&property, formats::Property::UnreachCall.specification("main").as_bytes())?;
    let cpu = allowance.cpu.map(|left| left.as_secs_f64().max(1.0));
    let question = Request {
        module: job.name,
        options: job.options,
        program: &program,
        property_file: &property,
        data_model: job.program_options.data_model.to_string(),
        cpu_seconds: cpu,
        idle_seconds: cpu.map(|seconds| (SHORTEST_IDLE + seconds).min(LONGEST_IDLE)),
        memory_bytes: allowance.memory,
        facts: Facts { writes_through_pointers: prepared.writes_through_pointers },
        work: job.folder,
        log: &log,
    };
    write(&request, serde_json::to_string_pretty(&question).into_diagnostic()?.as_bytes())?;
    let helper = Helper::new()?;
    let finished = helper.stage(job.messages).arg(joined("--request", &request)).run(allowance)?;
    write(&job.folder.join("answer.json"), finished.stdout.as_bytes())?;
    let answer: Result<Answer, _> = serde_json::from_str(finished.stdout.trim());
    let mut answer = answer.into_diagnostic().wrap_err("the helper for external verifiers did not answer")?;
    if answer.tool.is_empty() {
        job.name.clone_into(&mut answer.tool);
    }
    Ok((answer, finished))
}

fn report(job: &Job<'_>, prepared: &Prepared, answer: &Answer, program: ProgramFile) -> VerdictReport {
    let mut counterexample = None;
    let verdict = match (answer.verdict.as_str(), answer.reason.as_deref()) {
        ("true", None) if prepared.opaque.is_empty() && prepared.unseen.is_none() => Verdict::True,
        ("true", None) if prepared.opaque.is_empty() => {
            let what = prepared.unseen.as_deref().unwrap_or_default();
            unknown(&format!("{} says true, but may not see what is unsupported: {what}", answer.tool))
        }
        ("true", None) => {
            let functions = prepared.opaque.join(", ");
            unknown(&format!("{} says true, but may not see what is written through the arguments of {functions}", answer.tool))
        }
        ("false", None) => match counterexample::find(prepared, &answer.assignments) {
            Ok(found) => {
                counterexample = Some(found);
                Verdict::False(job.program_options.property)
            }
            Err(why) => unknown(&format!("{} says {}, but {why}", answer.tool, answer.status)),
        },
        (_, Some("budget")) => Verdict::Unknown(Reason::Budget),
        (_, Some("interrupted")) => Verdict::Unknown(Reason::Interrupted),
        (_, Some("memory")) => Verdict::Unknown(Reason::Memory),
        (_, why) => unknown(&format!("{}: {}", answer.tool, why.unwrap_or("no verdict"))),
    };
    let mut producer = Producer::new(&answer.tool, &answer.version);
    if !job.options.is_empty() {
        producer = producer.with_option("options", job.options.join(" "));
    }
    VerdictReport {
        reason: reason_of(&verdict),
        verdict,
        assumptions: vec![format!("the residual program is what {} takes it for", producer_name(answer))],
        cpu_seconds: answer.cpu_seconds,
        peak_memory: answer.peak_memory,
        counterexample,
        ..empty(producer, program)
    }
}

fn producer_name(answer: &Answer) -> String {
    format!("{} {}", answer.tool, answer.version).trim_end().to_owned()
}

/// The verdict about a residual program that the verifier is not even shown.
fn undecided(job: &Job<'_>, text: &str, why: String) -> VerdictReport {
    let verdict = unknown(&why);
    let report = empty(Producer::new(job.name, ""), program_file(job, text, None));
    VerdictReport { reason: reason_of(&verdict), verdict, ..report }
}

fn empty(producer: Producer, program: ProgramFile) -> VerdictReport {
    VerdictReport::new(producer, program, Verdict::Unknown(Reason::Budget))
}

fn program_file(job: &Job<'_>, text: &str, cfa: Option<&Cfa>) -> ProgramFile {
    let cfa = cfa.map(Cfa::fingerprint).unwrap_or_default();
    let path = job.residual.display().to_string();
    ProgramFile { path, sha256: sha256_hex(text.as_bytes()), cfa, ..ProgramFile::default() }
}

fn reason_of(verdict: &Verdict) -> Option<Reason> {
    match verdict {
        Verdict::Unknown(reason) => Some(reason.clone()),
        Verdict::True | Verdict::False(_) => None,
    }
}

/// UNKNOWN because of the verifier, on one line that is not too long.
fn unknown(why: &str) -> Verdict {
    let words: Vec<&str> = why.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    let mut text = words.join(" ");
    if let Some((cut, _)) = text.char_indices().nth(LONGEST_REASON) {
        text.truncate(cut);
        text.push('…');
    }
    Verdict::Unknown(Reason::Verifier(text))
}

/// The helper on the disk while it runs.
struct Helper {
    folder: tempfile::TempDir,
    python: PathBuf,
    path: Vec<PathBuf>,
}

impl Helper {
    fn new() -> Result<Self, Failure> {
        let unpack = || -> io::Result<tempfile::TempDir> {
            let folder = tempfile::tempdir()?;
            std::fs::create_dir(folder.path().join("residue_verifiers"))?;
            HELPER.iter().try_for_each(|(name, text)| std::fs::write(folder.path().join(name), text))?;
            Ok(folder)
        };
        let folder = unpack().into_diagnostic().wrap_err("cannot write the helper for external verifiers")?;
        let installed = installation();
        let python = installed.as_ref().map_or_else(|| find("python3"), |folder| Ok(folder.join("venv/bin/python3")));
        let python = python.into_diagnostic().wrap_err("external verifiers need python3")?;
        Ok(Self { folder, python, path: installed.into_iter().map(|folder| folder.join("bin")).chain(own_folder()).collect() })
    }

    fn stage(&self, messages: Messages) -> Stage {
        let script = self.folder.path().join("run_verifier.py");
        let mut stage = Stage::new("run_verifier.py", messages).executable(self.python.clone()).arg("-B").arg(script);
        for folder in &self.path {
            stage = stage.arg(joined("--path", folder));
        }
        stage
    }
}

/// A flag and its value as one argument, so that the value is never a flag.
fn joined(flag: &str, value: &Path) -> OsString {
    let mut argument = OsString::from(format!("{flag}="));
    argument.push(value);
    argument
}

/// Where the other tools of the project are, some of which verifiers need.
fn own_folder() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?.canonicalize().ok()?;
    own.parent().map(Path::to_path_buf)
}

/// The folder that `make external` fills: named by `RESIDUE_EXTERNAL`, or in the checkout or installation around the driver.
fn installation() -> Option<PathBuf> {
    let named = std::env::var_os("RESIDUE_EXTERNAL").map(PathBuf::from);
    let own = std::env::current_exe().ok().and_then(|path| path.canonicalize().ok());
    let around = own.iter().flat_map(|path| path.ancestors().skip(1));
    let around = around.flat_map(|folder| [folder.join("third-party/external"), folder.join("lib/residue/external")]);
    named.into_iter().chain(around).find(|folder| folder.join("venv/bin/python3").exists())
}

fn read(path: &Path) -> Result<String, Failure> {
    let text = std::fs::read_to_string(path).into_diagnostic().wrap_err_with(|| format!("cannot read {}", path.display()));
    Ok(text?)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = std::fs::write(path, bytes).into_diagnostic().wrap_err_with(|| format!("cannot write {}", path.display()));
    Ok(written?)
}
