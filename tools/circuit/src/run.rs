//! One run: reads the program, makes the circuit, and writes it or takes back what a model checker found.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use console::{Budget, Console, Deadline, Ending, Exhaustion, Exit, Input, Output, Statistics};
use engine::circuit::invariant::proves;
use engine::circuit::sequential::Unread;
use engine::circuit::system::{LARGEST, System};
use engine::circuit::trace::follow;
use engine::circuit::{Job, steps};
use engine::evidence::replay::{reaches_error, replay};
use engine::session::{Clock, Memory, Session, Sessions};
use formats::{Condition, EdgeInfo, Producer, ProgramFile, ProgramOptions, Reason, Verdict, VerdictReport, sha256_hex, shown};
use program::cfa::Cfa;
use program::load::{Choice, can_violate, load_source_about};
use program::preprocess::{preprocess_bytes, read_source};
use program::seal;
use program::source::SourceFile;
use semantics::cursor::ConditionCursor;
use semantics::interpreter::Run;

use crate::arguments::{Arguments, Format};
use crate::{aiger, btor2, invariant, mapping, trace};

/// What is wrong with the command line or an input.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
enum CircuitError {
    #[error("both the program and the condition are to be read from stdin")]
    #[diagnostic(help("name a file for one of them"))]
    TwoFromStdin,
    #[error("{file}: {source}")]
    #[diagnostic(help("run `reduce` again, and let a shell pipeline fail with its first stage (`set -o pipefail`)"))]
    Residual { file: String, source: seal::SealError },
    #[error("{file}: {source}")]
    #[diagnostic(help("it must belong to the circuit that the same command line makes of the same program"))]
    Trace { file: String, source: trace::TraceError },
    #[error("{file}: {source}")]
    #[diagnostic(help("it must belong to the circuit that the same command line makes of the same program"))]
    Invariant { file: String, source: invariant::InvariantError },
    #[error(transparent)]
    Solver(#[from] smt::z3::Z3Error),
}

fn producer() -> Producer {
    Producer::new("circuit", env!("CARGO_PKG_VERSION"))
}

/// Runs the tool.
///
/// # Errors
/// A report of what cannot be read, used or written.
pub fn run(arguments: Arguments) -> miette::Result<Exit> {
    let console = arguments.shared.console();
    let budget = arguments.shared.budget()?;
    let (cfa, cursor, file) = read(&arguments, &console)?;
    say_at_the_end(&arguments, &file);
    let stop = budget.stop_flag();
    smt::z3::interruptible(&stop, || make(&arguments, &console, &budget, &stop, (&cfa, cursor, &file)))
}

/// What is printed should this process not come to its end.
fn say_at_the_end(arguments: &Arguments, file: &ProgramFile) {
    let (json, file) = (arguments.json, file.clone());
    console::set_last_word(move |ending: Ending| {
        let verdict = ending.verdict();
        if !json {
            return format!("{verdict}\n");
        }
        serde_json::to_string(&VerdictReport::new(producer(), file.clone(), verdict)).unwrap_or_default() + "\n"
    });
}

/// Reads the program and the condition.
fn read(arguments: &Arguments, console: &Console) -> miette::Result<(Cfa, Option<ConditionCursor>, ProgramFile)> {
    let task = arguments.shared.load_task()?;
    let path = arguments.program.clone().or_else(|| task.as_ref().map(|task| task.modified.clone()));
    let path = path.unwrap_or_else(|| PathBuf::from("-"));
    if arguments.condition.as_deref() == Some(Path::new("-")) && path == Path::new("-") {
        return Err(CircuitError::TwoFromStdin.into());
    }
    let inputs = [&path].into_iter().chain(&arguments.condition).chain(&arguments.trace).chain(&arguments.invariant);
    let inputs = inputs.chain(&arguments.shared.task).map(PathBuf::as_path);
    let outputs = [&arguments.output, &arguments.map, &arguments.witness];
    console::keep_apart(inputs, outputs.into_iter().filter_map(|output| output.as_deref()))?;
    let (name, options, source) = program_of(arguments, task.as_ref(), &path)?;
    let condition = match &arguments.condition {
        Some(file) => {
            let input = Input::read(file)?;
            Some((Condition::read(&input.bytes, &input.name)?, input.name))
        }
        None => None,
    };
    let (options, choice) = match &condition {
        Some((condition, name)) => {
            let fixed = &condition.provenance().options;
            arguments.shared.check_against(task.as_ref(), fixed, name)?;
            (fixed.clone(), Choice::Named)
        }
        None => options,
    };
    let cfa = load_source_about(source(&options)?, &options, choice)?;
    if !can_violate(&cfa) && seal::reading(cfa.source.text()).is_none() {
        console.warning("nothing to violate: the circuit never does");
    }
    let file = cfa.program_file(name);
    let cursor = match condition {
        Some((condition, name)) => Some(ConditionCursor::new(condition, &name, &cfa)?),
        None => None,
    };
    Ok((cfa, cursor, file))
}

type Source = Box<dyn FnOnce(&ProgramOptions) -> miette::Result<SourceFile>>;

/// The name of the program, how it is read without a condition, and its text.
fn program_of(
    arguments: &Arguments,
    task: Option<&console::Task>,
    path: &Path,
) -> miette::Result<(String, (ProgramOptions, Choice), Source)> {
    let choice = if arguments.shared.names_property(task) { Choice::Named } else { Choice::Implied };
    let path = path.to_owned();
    if formats::inputs::files(&path).map_err(program::diagnostic::Diagnostic::from)?.is_some() {
        let options = arguments.shared.program_options(task)?;
        let name = shown::name(&path);
        return Ok((name, (options, choice), Box::new(move |options| Ok(read_source(&path, options)?))));
    }
    let input = Input::read(&path)?;
    let broken = |source| CircuitError::Residual { file: input.name.clone(), source };
    let options = match seal::check(&input.bytes).map_err(broken)?.then(|| seal::reading(&input.bytes)).flatten() {
        Some(seal::Reading { data_model, entry, property }) => {
            let library = formats::Library::None;
            let fixed = ProgramOptions { data_model, entry, property, library, ..ProgramOptions::default() };
            arguments.shared.check_against(task, &fixed, &input.name)?;
            (fixed, Choice::Named)
        }
        None => (arguments.shared.program_options(task)?, choice),
    };
    let name = input.name.clone();
    Ok((name, options, Box::new(move |options| Ok(preprocess_bytes(&path, input.bytes, options)?))))
}

fn make(
    arguments: &Arguments,
    console: &Console,
    budget: &Budget,
    stop: &Arc<AtomicBool>,
    (cfa, cursor, file): (&Cfa, Option<ConditionCursor>, &ProgramFile),
) -> miette::Result<Exit> {
    let deadline = Deadline::start(budget);
    let unknown = |reason: Reason| {
        let reason = deadline.exhaustion().map_or(reason, Exhaustion::reason);
        answer(arguments, budget, (cfa, file), (Verdict::Unknown(reason), None))
    };
    if cfa.starts_threads() {
        return unknown(threads(cfa));
    }
    let mut sessions = Sessions::open(cfa, cursor.as_ref(), stop, Clock::Seconds).map_err(CircuitError::from)?;
    let session = sessions.of(Memory::Exact);
    let system = match System::of(session, LARGEST) {
        Ok(system) => system,
        Err(reason) => return unknown(reason),
    };
    let job = match Job::of(&session.store, system, (Unread::Kept, steps::LARGEST)) {
        Ok(job) => job,
        Err(reason) => return unknown(reason),
    };
    for (edge, what) in &job.system.approximations {
        let place = cfa.source.location(cfa.edge(*edge).span.lo);
        console.note(format_args!("any value: {what} at {}:{}", place.file, place.line));
    }
    if arguments.stats {
        statistics(&job).print();
    }
    if let Some(path) = &arguments.trace {
        return counterexample(arguments, budget, session, &job, (cfa, file, path));
    }
    if let Some(path) = &arguments.invariant {
        return invariant_of(arguments, budget, session, &job, (cfa, file, path));
    }
    write(arguments, session, &job, file)?;
    Ok(Exit::Success)
}

/// A program that starts threads has no circuit: the automaton does not have what they do.
fn threads(cfa: &Cfa) -> Reason {
    let edge = cfa.edge_ids().find(|edge| cfa.edge(*edge).operation.unsupported() == Some(program::known::THREADS));
    let place = edge.map(|edge| cfa.source.location(cfa.edge(edge).span.lo));
    let (file, line) = place.map_or((String::new(), 0), |place| (place.file.to_owned(), place.line));
    Reason::Unsupported { construct: program::known::THREADS.to_owned(), file, line }
}

/// Prints a verdict, with the run that shows it.
fn answer(
    arguments: &Arguments,
    budget: &Budget,
    (cfa, file): (&Cfa, &ProgramFile),
    (verdict, run): (Verdict, Option<&Run>),
) -> miette::Result<Exit> {
    let exit = match (&verdict, budget.signal()) {
        (Verdict::Unknown(Reason::Interrupted), Some(signal)) => Exit::Interrupted(signal),
        (verdict, _) => Exit::from(verdict),
    };
    let text = if arguments.json {
        let edges: Vec<EdgeInfo> = cfa.edge_ids().map(|id| cfa.edge_info(id)).collect();
        let report = VerdictReport {
            property: cfa.options.property,
            cpu_seconds: Budget::cpu_used().as_secs_f64(),
            peak_memory: Budget::peak_memory(),
            counterexample: run.and_then(|run| evidence::witness::counterexample(cfa, &edges, run)),
            ..VerdictReport::new(producer(), file.clone(), verdict)
        };
        serde_json::to_string(&report).map_err(|error| miette::miette!("{error}"))?
    } else {
        shown::one_line(&verdict.to_string()).into_owned()
    };
    console::answer(&format!("{text}\n"), exit)?;
    Ok(exit)
}

fn write(arguments: &Arguments, session: &Session<'_>, job: &Job, file: &ProgramFile) -> miette::Result<()> {
    let mut bytes = Vec::new();
    match arguments.to {
        Format::Aiger => aiger::write(&job.circuit, &aiger::Symbols::of(&job.circuit, &job.names), &mut bytes),
        Format::Btor2 => btor2::write(&session.store, job, &mut bytes),
    }
    .map_err(|error| miette::miette!("{error}"))?;
    if let Some(path) = &arguments.map {
        let map = mapping::map(session, job, (producer(), file.clone()), sha256_hex(&bytes));
        Output::new(Some(path)).write(|out| map.write(out))?;
    }
    Output::new(arguments.output.as_deref()).write(|out| out.write_all(&bytes))?;
    Ok(())
}

/// Proves an invariant again, and says what came of it.
fn invariant_of(
    arguments: &Arguments,
    budget: &Budget,
    session: &mut Session<'_>,
    job: &Job,
    (cfa, file, path): (&Cfa, &ProgramFile, &Path),
) -> miette::Result<Exit> {
    let input = Input::read(path)?;
    let text = String::from_utf8_lossy(&input.bytes);
    let cubes = invariant::read(&text, job).map_err(|source| CircuitError::Invariant { file: input.name.clone(), source })?;
    let verdict = match proves(session, job, &cubes) {
        Ok(Some(true)) => Verdict::True,
        Ok(Some(false)) => Verdict::Unknown(Reason::Verifier("the invariant is no proof".to_owned())),
        Ok(None) => Verdict::Unknown(Reason::Solver),
        Err(_) => Verdict::Unknown(if budget.signal().is_some() { Reason::Interrupted } else { Reason::Budget }),
    };
    answer(arguments, budget, (cfa, file), (verdict, None))
}

/// Replays a counterexample, and says what came of it.
fn counterexample(
    arguments: &Arguments,
    budget: &Budget,
    session: &mut Session<'_>,
    job: &Job,
    (cfa, file, path): (&Cfa, &ProgramFile, &Path),
) -> miette::Result<Exit> {
    let input = Input::read(path)?;
    let text = String::from_utf8_lossy(&input.bytes);
    let frames = trace::read(&text, job).map_err(|source| CircuitError::Trace { file: input.name.clone(), source })?;
    let Ok(found) = follow(session, &job.system, &frames) else {
        return answer(arguments, budget, (cfa, file), (Verdict::Unknown(Reason::Interrupted), None));
    };
    let run = replay(cfa, &found);
    if !reaches_error(&run) {
        let why = Reason::Verifier("the counterexample does not replay".to_owned());
        return answer(arguments, budget, (cfa, file), (Verdict::Unknown(why), None));
    }
    if let Some(witness) = &arguments.witness {
        let sequence = evidence::witness::sequence(cfa, file, &producer(), &run);
        Output::new(Some(witness)).write(|out| sequence.write(out))?;
    }
    answer(arguments, budget, (cfa, file), (Verdict::False(cfa.options.property), Some(&run)))
}

fn statistics(job: &Job) -> Statistics {
    let mut statistics = Statistics::new();
    statistics.count("positions", job.steps.positions);
    statistics.count("steps", job.steps.steps.len());
    statistics.count("variables", job.steps.variables.len());
    statistics.count("bits of variables", job.steps.bits.len());
    statistics.count("latches", job.circuit.latches.len());
    statistics.count("inputs", job.circuit.inputs.len());
    statistics.count("gates", job.circuit.nodes().len());
    statistics.seconds("CPU time", Budget::cpu_used().as_secs_f64());
    statistics
}
