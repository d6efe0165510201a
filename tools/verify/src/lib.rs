//! Predicate-abstraction conditional verifier.
//!
//! Reads a program and, if one is given, a condition; decides whether a path the condition leaves uncovered reaches the
//! error; and writes the verdict with its evidence. A FALSE was replayed by the concrete interpreter, a TRUE lists the
//! invariants it rests on.
//! Does not know how a condition came about.

mod analysis;
mod arguments;
mod harness;
mod invariant_text;
mod replay;
mod trace;
mod witness;

use std::path::{Path, PathBuf};

use console::{Budget, Console, Exit, Input, Output, Statistics};
use formats::verdict::Invariant;
use formats::{Condition, EdgeInfo, Producer, ProgramFile, ProgramOptions, Reason, Verdict, VerdictReport};
use program::cfa::{Cfa, Known, Operation};
use program::load::load_source;
use program::preprocess::preprocess_bytes;
use program::seal::{self, Reading, SealError};
use semantics::cursor::ConditionCursor;
use semantics::interpreter::{Origin, Run};

pub use analysis::{Analysis, Conclusion, Numbers, Plan, Recheck, analyse};
pub use arguments::Arguments;
pub use harness::harness;
pub use replay::{reaches_error, replay};

/// What every verdict takes for granted.
const ASSUMPTIONS: &[&str] = &[
    "signed integers wrap on overflow (gcc's -fwrapv); other undefined behaviour does not occur",
    "functions without a body return any value, write no global and call nothing back",
    "operands and arguments are evaluated from left to right",
    "memory allocation succeeds, and nothing depends on the order of unrelated addresses",
];

/// What is wrong with the command line or an input.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum VerifyError {
    /// A residual program that is not whole.
    #[error("{file}: {source}")]
    #[diagnostic(
        code(verify::residual),
        help("run `reduce` again, and let a shell pipeline fail with its first stage (`set -o pipefail`)")
    )]
    Residual {
        /// The file.
        file: String,
        /// What is wrong with it.
        source: SealError,
    },
    /// Two inputs would come from stdin.
    #[error("both the program and the condition are to be read from stdin")]
    #[diagnostic(help("name a file for one of them"))]
    TwoFromStdin,
    /// A witness in a format that is not written.
    #[error("{file}: unknown kind of witness")]
    #[diagnostic(help("the name of a witness ends with .graphml (format 1.0) or .yml (format 2.0)"))]
    WitnessFormat {
        /// The file named.
        file: String,
    },
    /// The linked solver cannot be used.
    #[error(transparent)]
    Solver(#[from] smt::z3::Z3Error),
}

/// Runs the tool.
///
/// # Errors
/// A report of what cannot be read, used or written.
pub fn run(arguments: Arguments) -> miette::Result<Exit> {
    let console = arguments.shared.console();
    let budget = arguments.shared.budget()?;
    check_witness_name(arguments.witness.as_deref())?;
    let task = arguments.shared.load_task()?;
    let path = arguments.program.clone().or_else(|| task.as_ref().map(|task| task.modified.clone()));
    let path = path.unwrap_or_else(|| PathBuf::from("-"));
    if arguments.condition.as_deref() == Some(Path::new("-")) && path == Path::new("-") {
        return Err(VerifyError::TwoFromStdin.into());
    }
    let condition = match &arguments.condition {
        Some(file) => {
            let input = Input::read(file)?;
            let condition = Condition::read(&input.bytes, &input.name)?;
            arguments.shared.check_against(task.as_ref(), &condition.provenance().options, &input.name)?;
            Some((condition, input.name))
        }
        None => None,
    };
    let input = Input::read(&path)?;
    let residual = residual_options(&input)?;
    if let Some(fixed) = &residual {
        arguments.shared.check_against(task.as_ref(), fixed, &input.name)?;
    }
    let options = match (&condition, residual) {
        (Some((condition, _)), _) => condition.provenance().options.clone(),
        (None, Some(fixed)) => fixed,
        (None, None) => arguments.shared.program_options(task.as_ref())?,
    };
    let job = Job::read(&path, &input, options, condition, &console)?;
    let mut statistics = Statistics::new();
    let (conclusion, numbers) = job.analyse(&arguments, &budget, &mut statistics)?;
    job.report(&arguments, &console, conclusion, numbers, statistics)
}

/// How a residual program is to be read; `None` for any other text.
///
/// A truncated one is refused: it would often still parse, with the missing functions as unknown ones, and be proved.
fn residual_options(input: &Input) -> Result<Option<ProgramOptions>, VerifyError> {
    let broken = |source| VerifyError::Residual { file: input.name.clone(), source };
    if !seal::check(&input.bytes).map_err(broken)? {
        return Ok(None);
    }
    Ok(seal::reading(&input.bytes).map(|Reading { data_model, entry, property }| ProgramOptions {
        data_model,
        entry,
        property,
        preprocessor: Vec::new(),
    }))
}

fn check_witness_name(witness: Option<&Path>) -> Result<(), VerifyError> {
    match witness {
        Some(file) if !is_yaml(file) && !has_extension(file, "graphml") && file != Path::new("-") => {
            Err(VerifyError::WitnessFormat { file: file.display().to_string() })
        }
        _ => Ok(()),
    }
}

/// Whether a witness of this name is one in YAML.
fn is_yaml(file: &Path) -> bool {
    has_extension(file, "yml") || has_extension(file, "yaml")
}

fn has_extension(file: &Path, wanted: &str) -> bool {
    file.extension().is_some_and(|extension| extension == wanted)
}

/// One program to be verified.
struct Job {
    cfa: Cfa,
    edges: Vec<EdgeInfo>,
    program: ProgramFile,
    cursor: Option<ConditionCursor>,
    vacuous: bool,
    assumptions: Vec<String>,
}

impl Job {
    fn read(
        path: &Path,
        input: &Input,
        options: ProgramOptions,
        condition: Option<(Condition, String)>,
        console: &Console,
    ) -> miette::Result<Self> {
        let cfa = load_source(preprocess_bytes(path, input.bytes.clone(), &options)?, &options)?;
        let edges: Vec<EdgeInfo> = cfa.edge_ids().map(|id| cfa.edge_info(id)).collect();
        let program = ProgramFile { path: input.name.clone(), sha256: cfa.source.sha256_hex(), cfa: cfa.fingerprint() };
        let mut assumptions: Vec<String> = ASSUMPTIONS.iter().map(|text| (*text).to_owned()).collect();
        if cfa.edges.iter().any(|edge| matches!(edge.operation, Operation::Asm(_))) {
            assumptions.push("inline assembly writes what its outputs and instructions name, and nothing else".to_owned());
        }
        let cursor = match condition {
            Some((condition, name)) => {
                assumptions.push("the original program is safe: covered paths were not examined".to_owned());
                Some(ConditionCursor::new(condition, &name, &cfa)?)
            }
            None => None,
        };
        let vacuous = !mentions_error(&cfa);
        if vacuous {
            console.warning("nothing to violate: the verdict is vacuous");
        }
        Ok(Self { cfa, edges, program, cursor, vacuous, assumptions })
    }

    fn analyse(
        &self,
        arguments: &Arguments,
        budget: &Budget,
        statistics: &mut Statistics,
    ) -> miette::Result<(Conclusion, Numbers)> {
        let nothing_left = self.cursor.as_ref().is_some_and(|cursor| cursor.condition().covers_everything());
        if self.vacuous || nothing_left {
            return Ok((Conclusion::Safe(Vec::new(), smt::TermStore::new()), Numbers::default()));
        }
        let progress = arguments.shared.progress();
        progress.phase("verifying");
        let result = analyse(&self.cfa, self.cursor.clone(), budget, &progress, statistics, arguments.plan())
            .map_err(VerifyError::from)?;
        progress.finish();
        Ok(result)
    }

    fn report(
        &self,
        arguments: &Arguments,
        console: &Console,
        conclusion: Conclusion,
        numbers: Numbers,
        mut statistics: Statistics,
    ) -> miette::Result<Exit> {
        for assumption in &self.assumptions {
            console.note(assumption);
        }
        let (verdict, invariants, run) = match conclusion {
            Conclusion::Safe(invariants, store) => {
                self.write_proof(arguments, console, (&invariants, &store))?;
                (Verdict::True, self.invariants(&invariants, &store), None)
            }
            Conclusion::Unsafe(run) => match missing_result(&self.cfa, &run) {
                Some(reason) => (Verdict::Unknown(reason), Vec::new(), None),
                None => (Verdict::False, Vec::new(), Some(run)),
            },
            Conclusion::Unknown(reason) => (Verdict::Unknown(reason), Vec::new(), None),
        };
        if let Some(run) = &run {
            self.write_evidence(arguments, run)?;
            if arguments.trace {
                console.print(trace::text(&self.cfa, run).trim_end());
            }
        }
        let cpu_seconds = Budget::cpu_used().as_secs_f64();
        statistics.seconds("CPU time", cpu_seconds);
        if arguments.stats {
            statistics.print();
        }
        let reason = match &verdict {
            Verdict::Unknown(reason) => Some(reason.clone()),
            Verdict::True | Verdict::False => None,
        };
        let exit = Exit::from(&verdict);
        let text = if arguments.json {
            let report = VerdictReport {
                producer: producer(),
                program: self.program.clone(),
                verdict,
                reason,
                assumptions: self.assumptions.clone(),
                cpu_seconds,
                peak_memory: Budget::peak_memory(),
                solver_queries: numbers.queries,
                statistics: statistics.as_map(),
                invariants,
                counterexample: run.and_then(|run| witness::counterexample(&self.cfa, &self.edges, &run)),
            };
            serde_json::to_string(&report).map_err(|error| miette::miette!("{error}"))?
        } else {
            verdict.to_string()
        };
        Output::new(None).write_text(&format!("{text}\n"))?;
        Ok(exit)
    }

    /// Writes the correctness witness. Under a condition it claims no invariants: they hold on uncovered paths only.
    fn write_proof(
        &self,
        arguments: &Arguments,
        console: &Console,
        proof: (&[engine::invariant::Invariant], &smt::TermStore),
    ) -> miette::Result<()> {
        let Some(file) = &arguments.witness else { return Ok(()) };
        let extent = if self.cursor.is_some() { witness::Extent::Uncovered } else { witness::Extent::Whole };
        if extent == witness::Extent::Uncovered {
            console.note("the correctness witness has no invariants: the proof is one of the uncovered paths only");
        }
        let proof = witness::correctness(&self.cfa, &self.program, &producer(), proof, extent);
        Output::new(Some(file)).write(|out| {
            if is_yaml(file) { proof.write_yaml(out) } else { witness::with_unique_lines(&self.cfa, proof).write_graphml(out) }
        })?;
        Ok(())
    }

    fn write_evidence(&self, arguments: &Arguments, run: &Run) -> miette::Result<()> {
        match &arguments.witness {
            Some(file) if is_yaml(file) => {
                let sequence = witness::sequence(&self.cfa, &self.program, &producer(), run);
                Output::new(Some(file)).write(|out| sequence.write(out))?;
            }
            Some(file) => {
                let witness = witness::witness(&self.cfa, &self.edges, &self.program, &producer(), run);
                Output::new(Some(file)).write(|out| witness.write_graphml(out))?;
            }
            None => {}
        }
        if let Some(file) = &arguments.harness {
            Output::new(Some(file)).write_text(&harness(&self.cfa, run))?;
        }
        Ok(())
    }

    fn invariants(&self, invariants: &[engine::invariant::Invariant], store: &smt::TermStore) -> Vec<Invariant> {
        invariants
            .iter()
            .map(|invariant| {
                let location = invariant.location();
                let function = self.cfa.function(self.cfa.location(location).function).name.to_string();
                let edge = self.cfa.out_edges(location).first().map(|edge| &self.edges[edge.index()].key);
                Invariant {
                    function,
                    line: edge.map_or(0, |key| key.line),
                    column: edge.map_or(0, |key| key.column),
                    expression: invariant_text::text(store, invariant.formula),
                }
            })
            .collect()
    }
}

fn producer() -> Producer {
    Producer::new("verify", env!("CARGO_PKG_VERSION"))
}

/// A result the run used although the function ended without giving one. No harness can bring such a value about, so a
/// counterexample that needs it is not printed as one.
fn missing_result(cfa: &Cfa, run: &Run) -> Option<Reason> {
    let read = run.reads.iter().find(|read| matches!(read.request.origin, Origin::MissingResult(_)) && read.value != 0)?;
    let edge = run.trace.get(read.request.step).or(run.trace.last())?;
    let place = cfa.source.location(cfa.edge(*edge).span.lo);
    let construct = "result of a function that ends without a value".to_owned();
    Some(Reason::Unsupported { construct, file: place.file.to_owned(), line: place.line })
}

/// Whether the program has an error function at all: otherwise a verdict says nothing.
fn mentions_error(cfa: &Cfa) -> bool {
    cfa.locations.iter().any(|location| location.is_error)
        || cfa.functions.iter().any(|function| function.known == Some(Known::Error))
}

/// The reason of a verdict, for callers that only hold the verdict.
#[must_use]
pub fn reason(verdict: &Verdict) -> Option<&Reason> {
    match verdict {
        Verdict::Unknown(reason) => Some(reason),
        Verdict::True | Verdict::False => None,
    }
}
