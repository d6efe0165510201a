//! Predicate-abstraction conditional verifier.
//!
//! Reads a program and, if one is given, a condition; decides whether a path the condition leaves uncovered reaches the
//! error; and writes the verdict with its evidence. A FALSE was replayed by the concrete interpreter, a TRUE lists the
//! invariants it rests on.
//! Does not know how a condition came about.

mod analysis;
mod arguments;
mod claims;
mod contracts;
mod objects;
mod proposals;
mod several;
mod tables;
mod whole;

use std::path::{Path, PathBuf};

use console::{Budget, Console, Ending, Exhaustion, Exit, Input, Output, Statistics};
use evidence::harness::harness;
use evidence::proof::{self, Atoms, Effort};
use evidence::{Claim, invariant_text, trace, witness};
use formats::proof::{Proof, ProofAnalysis};
use formats::verdict::Invariant;
use formats::{
    Condition, EdgeInfo, Library, Producer, ProgramFile, ProgramOptions, Property, Reason, Verdict, VerdictReport, shown,
};
use program::cfa::{Cfa, Known, Operation};
use program::diagnostic::Diagnostic;
use program::load::{Choice, can_violate, load_source_about};
use program::preprocess::{preprocess_bytes, read_source};
use program::seal::{self, Reading, SealError};
use program::source::SourceFile;
use program::violation::Violation;
use semantics::cursor::ConditionCursor;
use semantics::facts::Facts;
use semantics::interpreter::Run;

pub use analysis::{Analysis, Conclusion, Kind, Numbers, Plan, Recheck, Task, analyse, analyse_with};
pub use arguments::Arguments;
pub use contracts::prove_by_contracts;
pub use engine::evidence::replay::{reaches_error, replay};
pub use objects::prove_by_objects;
use proposals::Proposed;

/// What a verdict about a property takes for granted of undefined behaviour.
fn undefined_behaviour(property: Property) -> &'static str {
    match property {
        Property::NoOverflow => "undefined behaviour other than signed overflow, which is what is checked, does not occur",
        Property::UnreachCall | Property::Assert => {
            "signed integers wrap on overflow (gcc's -fwrapv); other undefined behaviour does not occur"
        }
        Property::DivZero => {
            "signed integers wrap on overflow (gcc's -fwrapv); undefined behaviour other than division by zero, which is what \
             is checked, does not occur"
        }
        Property::Shift => {
            "signed integers wrap on overflow (gcc's -fwrapv), but in shifts, which are what is checked; other undefined \
             behaviour does not occur"
        }
        Property::ValidDeref => {
            "signed integers wrap on overflow (gcc's -fwrapv); undefined behaviour other than invalid accesses, which are what \
             is checked, does not occur"
        }
        Property::ValidFree => {
            "signed integers wrap on overflow (gcc's -fwrapv); undefined behaviour other than an invalid free, which is what is \
             checked, does not occur"
        }
        Property::ValidMemtrack => {
            "signed integers wrap on overflow (gcc's -fwrapv); other undefined behaviour does not occur; the program ends, and \
             what is allocated is looked at there"
        }
    }
}

/// What every verdict takes for granted.
const ASSUMPTIONS: &[&str] = &[
    "functions without a body return any value, write no global and call nothing back",
    "operands are evaluated from left to right, arguments from right to left",
    "nothing depends on the order of unrelated addresses",
];

/// What a proof takes for granted that looked at uncovered paths only.
const COVERED: &str = "the original program is safe: covered paths were not examined";

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
    say_at_the_end(&arguments, ProgramFile { path: path.display().to_string(), ..ProgramFile::default() }, None);
    if arguments.condition.as_deref() == Some(Path::new("-")) && path == Path::new("-") {
        return Err(VerifyError::TwoFromStdin.into());
    }
    let inputs = [&path]
        .into_iter()
        .chain(&arguments.condition)
        .chain(&arguments.invariants)
        .chain(&arguments.shared.task)
        .map(PathBuf::as_path);
    let outputs = [&arguments.witness, &arguments.harness, &arguments.proof];
    console::keep_apart(inputs, outputs.into_iter().filter_map(|output| output.as_deref()))?;
    let condition = match &arguments.condition {
        Some(file) => {
            let input = Input::read(file)?;
            let condition = Condition::read(&input.bytes, &input.name)?;
            arguments.shared.check_against(task.as_ref(), &condition.provenance().options, &input.name)?;
            Some((condition, input.name))
        }
        None => None,
    };
    let input = ProgramText::read(&path)?;
    let residual = residual_options(&input)?;
    if let Some(fixed) = &residual {
        arguments.shared.check_against(task.as_ref(), fixed, input.name())?;
    }
    let (all, choice) = match (&condition, residual) {
        (Some((condition, _)), _) => (vec![condition.provenance().options.clone()], Choice::Named),
        (None, Some(fixed)) => (vec![fixed], Choice::Named),
        (None, None) => {
            let choice = if arguments.shared.names_property(task.as_ref()) { Choice::Named } else { Choice::Implied };
            (arguments.shared.all_program_options(task.as_ref())?, choice)
        }
    };
    if let [options] = all.as_slice() {
        let mut job = Job::read(&path, &input, (options.clone(), choice), condition, &console)?;
        job.propose(&arguments, &path, &input, &console)?;
        say_at_the_end(&arguments, job.program.clone(), Some(job.property()));
        let mut statistics = Statistics::new();
        let (conclusion, numbers) = job.analyse(&arguments, &budget, &mut statistics)?;
        if numbers.whole {
            job.forget_condition();
        }
        return job.report(&arguments, &console, &budget, conclusion, numbers, statistics);
    }
    several::run(&arguments, (&path, &input), &all, &console, &budget)
}

/// What is printed should this process not come to its end.
fn say_at_the_end(arguments: &Arguments, program: ProgramFile, property: Option<String>) {
    let json = arguments.json;
    console::set_last_word(move |ending: Ending| {
        let verdict = ending.verdict();
        if !json {
            let explanation = ending.reason().explanation();
            return format!("{}\n{verdict}\n", about(&format!("not decided: {explanation}"), property.as_deref()));
        }
        let report = VerdictReport {
            cpu_seconds: Budget::cpu_used().as_secs_f64(),
            peak_memory: Budget::peak_memory(),
            ..VerdictReport::new(producer(), program.clone(), verdict)
        };
        serde_json::to_string(&report).unwrap_or_default() + "\n"
    });
}

/// The line before the verdict.
fn about(what: &str, property: Option<&str>) -> String {
    match property {
        Some(property) if what.is_empty() => format!("property: {property}"),
        Some(property) => format!("{what}; property: {property}"),
        None => what.to_owned(),
    }
}

/// How a residual program is to be read; `None` for any other text.
///
/// A truncated one is refused: it would often still parse, with the missing functions as unknown ones, and be proved.
fn residual_options(input: &ProgramText) -> Result<Option<ProgramOptions>, VerifyError> {
    let ProgramText::File(input) = input else { return Ok(None) };
    let broken = |source| VerifyError::Residual { file: input.name.clone(), source };
    if !seal::check(&input.bytes).map_err(broken)? {
        return Ok(None);
    }
    Ok(seal::reading(&input.bytes).map(|Reading { data_model, entry, property }| ProgramOptions {
        data_model,
        entry,
        property,
        // It has the bodies that its program got.
        library: Library::None,
        ..ProgramOptions::default()
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

/// A verdict with its evidence.
struct Concluded {
    verdict: Verdict,
    /// For TRUE: the invariants.
    proof: Option<(Vec<engine::evidence::invariant::Invariant>, smt::TermStore)>,
    /// For FALSE: the counterexample.
    run: Option<Box<Run>>,
}

/// What the program argument names.
pub(crate) enum ProgramText {
    /// A single file, which may be standard input.
    File(Input),
    /// Several files under a name, which are read one by one.
    Several(String),
}

impl ProgramText {
    fn read(path: &Path) -> miette::Result<Self> {
        match formats::inputs::files(path).map_err(Diagnostic::from)? {
            None => Ok(Self::File(Input::read(path)?)),
            Some(_) => Ok(Self::Several(formats::shown::name(path))),
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::File(input) => &input.name,
            Self::Several(name) => name,
        }
    }

    fn source(&self, path: &Path, options: &ProgramOptions) -> Result<SourceFile, Diagnostic> {
        match self {
            Self::File(input) => preprocess_bytes(path, input.bytes.clone(), options),
            Self::Several(_) => read_source(path, options),
        }
    }
}

/// One program to be verified.
struct Job {
    cfa: Cfa,
    edges: Vec<EdgeInfo>,
    program: ProgramFile,
    cursor: Option<ConditionCursor>,
    /// The program with what witnesses propose of it.
    proposed: Option<Proposed>,
    /// What the proof of another version rested on.
    proof: Option<Proof>,
    /// The file for proofs is there and holds something else: it is nobody's to replace.
    holds_other: bool,
    /// No error function is so much as named.
    unnamed: bool,
    /// No error function is called.
    vacuous: bool,
    /// The assertions are checked although nobody has said so.
    implied: bool,
    assumptions: Vec<String>,
}

/// Whether a program is what a reducer has left of one.
fn is_residual(cfa: &Cfa) -> bool {
    program::seal::reading(cfa.source.text()).is_some()
}

impl Job {
    fn read(
        path: &Path,
        input: &ProgramText,
        (options, choice): (ProgramOptions, Choice),
        condition: Option<(Condition, String)>,
        console: &Console,
    ) -> miette::Result<Self> {
        let cfa = load_source_about(input.source(path, &options)?, &options, choice)?;
        let edges: Vec<EdgeInfo> = cfa.edge_ids().map(|id| cfa.edge_info(id)).collect();
        let program = cfa.program_file(input.name());
        let undefined = undefined_behaviour(cfa.options.property);
        let mut assumptions: Vec<String> = [undefined].iter().chain(ASSUMPTIONS).map(|text| (*text).to_owned()).collect();
        if !cfa.options.caller.malloc_may_fail {
            assumptions.push("memory allocation succeeds (--malloc-may-fail: it may fail)".to_owned());
        }
        assumptions.extend(cfa.assumptions.iter().cloned());
        if cfa.edges.iter().any(|edge| matches!(edge.operation, Operation::Asm(_))) {
            assumptions.push("inline assembly writes what its outputs and instructions name, and nothing else".to_owned());
        }
        assumptions.extend(program::library::assumptions(&cfa).into_iter().map(str::to_owned));
        assumptions.extend(program::outside::assumptions(&cfa).into_iter().map(str::to_owned));
        let cursor = match condition {
            Some((condition, name)) => {
                assumptions.push(COVERED.to_owned());
                Some(ConditionCursor::new(condition, &name, &cfa)?)
            }
            None => None,
        };
        let (unnamed, vacuous) = (!mentions_error(&cfa), !can_violate(&cfa));
        // Of a residual program it only says that nothing is left to check.
        if vacuous && !is_residual(&cfa) {
            console.warning("nothing to violate: the verdict is vacuous");
        }
        let implied = cfa.options.property != options.property;
        Ok(Self {
            cfa,
            edges,
            program,
            cursor,
            proposed: None,
            proof: None,
            holds_other: false,
            unnamed,
            vacuous,
            implied,
            assumptions,
        })
    }

    /// Reads the program again, with what witnesses propose of it.
    fn propose(&mut self, arguments: &Arguments, path: &Path, input: &ProgramText, console: &Console) -> miette::Result<()> {
        if !arguments.invariants.is_empty() {
            let source = input.source(path, &self.cfa.options)?;
            self.proposed = proposals::read(&arguments.invariants, source, &self.cfa, console)?;
        }
        if let Some(file) = arguments.proof.as_deref().filter(|file| file.exists()) {
            let input = Input::read(file)?;
            match Proof::read(&input.bytes, &input.name) {
                Ok(proof) => self.proof = Some(proof),
                Err(error) => {
                    self.holds_other = true;
                    console.warning(format!("the proof of another version is left out, and the file stays as it is: {error}"));
                }
            }
        }
        Ok(())
    }

    /// The proof is one of all paths.
    fn forget_condition(&mut self) {
        self.cursor = None;
        self.assumptions.retain(|assumption| assumption != COVERED);
    }

    /// What is checked, in words.
    fn property(&self) -> String {
        let property = self.cfa.options.property;
        match (self.implied, self.vacuous, property) {
            (false, true, _) if is_residual(&self.cfa) => format!("{property} (nothing is left to check)"),
            (true, _, _) => format!("{property} (no reach_error is called, so assertions are checked)"),
            (false, true, Property::UnreachCall) => format!("{property} (vacuous: no reach_error is called)"),
            (false, true, Property::Assert) => format!("{property} (vacuous: there is no assertion)"),
            (false, true, _) => format!("{property} (vacuous: there is no operation that could violate it)"),
            (false, false, _) => property.to_string(),
        }
    }

    fn analyse(
        &self,
        arguments: &Arguments,
        budget: &Budget,
        statistics: &mut Statistics,
    ) -> miette::Result<(Conclusion, Numbers)> {
        let nothing_left = self.cursor.as_ref().is_some_and(|cursor| cursor.condition().covers_everything());
        // What a thread does is on no path of the automaton.
        if self.unnamed && !self.cfa.starts_threads() || nothing_left {
            return Ok((Conclusion::Safe(Vec::new(), smt::TermStore::new()), Numbers::default()));
        }
        let progress = arguments.shared.progress();
        progress.phase(&format!("verifying {} ({})", shown::one_line(&self.program.path), self.cfa.options.property));
        let kinds = arguments.kinds();
        let plan = Plan { analyses: &kinds, steps: arguments.steps, ..Plan::FULL };
        // Locations, edges and variables of what is read with proposals are those of the program.
        let (cfa, proposed) = match &self.proposed {
            Some(Proposed { cfa, formulas, .. }) => (cfa, formulas.as_slice()),
            None => (&self.cfa, [].as_slice()),
        };
        let task = Task { cursor: self.cursor.clone(), proposed, proof: self.proof.as_ref() };
        let result = analyse_with(cfa, task, budget, &progress, statistics, plan).map_err(VerifyError::from)?;
        progress.finish();
        Ok(result)
    }

    /// The verdict of a conclusion.
    fn conclude(&self, conclusion: Conclusion, budget: &Budget) -> Concluded {
        let (verdict, proof, run) = match conclusion {
            Conclusion::Safe(invariants, store) => (Verdict::True, Some((invariants, store)), None),
            Conclusion::Unsafe(run) => (Verdict::False(self.cfa.options.property), None, Some(run)),
            Conclusion::Unknown(_) if budget.check() == Some(Exhaustion::Interrupted) => {
                (Verdict::Unknown(Reason::Interrupted), None, None)
            }
            Conclusion::Unknown(reason) => (Verdict::Unknown(reason), None, None),
        };
        Concluded { verdict, proof, run }
    }

    /// What is wrong with the operation that a run ends with, and where, for a property of operations.
    fn violation(&self, run: &Run) -> Option<String> {
        let edge = self.cfa.edge(*run.trace.last()?);
        let Operation::Call { callee, .. } = &edge.operation else { return None };
        let violation = Violation::of_function(&self.cfa.function(*callee).name)?;
        let place = self.cfa.source.location(edge.span.lo);
        Some(format!("{} at {}:{}", violation.name(), place.file, place.line))
    }

    /// Prints the verdict, then writes its evidence: what cannot be written takes nothing from it.
    fn report(
        &self,
        arguments: &Arguments,
        console: &Console,
        budget: &Budget,
        conclusion: Conclusion,
        numbers: Numbers,
        statistics: Statistics,
    ) -> miette::Result<Exit> {
        for assumption in &self.assumptions {
            console.note(assumption);
        }
        let Concluded { verdict, proof, run } = self.conclude(conclusion, budget);
        let used = self.used(&numbers);
        for text in &used {
            console.print(format!("the proof rests on a proposed invariant: {text}"));
        }
        for text in &numbers.objects {
            console.print(format!("the proof rests on what every object on the heap keeps: {text}"));
        }
        for text in &numbers.contracts {
            console.print(format!("the proof rests on a contract: {text}"));
        }
        let exit = match (&verdict, budget.signal()) {
            (Verdict::Unknown(Reason::Interrupted), Some(signal)) => Exit::Interrupted(signal),
            (verdict, _) => Exit::from(verdict),
        };
        let evidence = (proof.is_some() && (arguments.witness.is_some() || arguments.proof.is_some()))
            || (run.is_some() && (arguments.witness.is_some() || arguments.harness.is_some()));
        let ended = if evidence { Exit::Usage } else { exit };
        let found = (numbers.found, numbers.steps);
        self.answer(arguments, (verdict, ended), (proof.as_ref(), run.as_deref()), numbers, statistics)?;
        if let Some((invariants, store)) = &proof {
            self.write_proof(arguments, console, (invariants, store))?;
            self.keep_proof(arguments, (invariants, store), found)?;
        }
        if let Some(run) = &run {
            if arguments.trace {
                console.print(trace::text(&self.cfa, run).trim_end());
            }
            self.write_evidence(arguments, run)?;
        }
        Ok(exit)
    }

    /// Prints the verdict.
    fn answer(
        &self,
        arguments: &Arguments,
        (verdict, ended): (Verdict, Exit),
        (proof, run): (Option<&(Vec<engine::evidence::invariant::Invariant>, smt::TermStore)>, Option<&Run>),
        numbers: Numbers,
        mut statistics: Statistics,
    ) -> miette::Result<()> {
        let cpu_seconds = Budget::cpu_used().as_secs_f64();
        statistics.seconds("CPU time", cpu_seconds);
        if arguments.stats {
            statistics.print();
        }
        let violation = run.and_then(|run| self.violation(run));
        let text = if arguments.json {
            let report = VerdictReport {
                violation,
                vacuous: self.vacuous,
                property: self.cfa.options.property,
                assumptions: self.assumptions.clone(),
                cpu_seconds,
                peak_memory: Budget::peak_memory(),
                solver_queries: numbers.queries,
                statistics: statistics.as_map(),
                invariants: proof.map(|(invariants, store)| self.invariants(invariants, store)).unwrap_or_default(),
                proposals_used: self.used(&numbers),
                object_invariants: numbers.objects.clone(),
                contracts: numbers.contracts.clone(),
                counterexample: run.and_then(|run| witness::counterexample(&self.cfa, &self.edges, run)),
                ..VerdictReport::new(producer(), self.program.clone(), verdict)
            };
            serde_json::to_string(&report).map_err(|error| miette::miette!("{error}"))?
        } else {
            let explanation = reason(&verdict).map(Reason::explanation);
            let what = explanation.map(|explanation| format!("not decided: {explanation}")).or(violation).unwrap_or_default();
            // A file of the program is named in some reasons.
            let line = verdict.to_string();
            let line = shown::one_line(&line);
            // What a made caller takes for granted belongs to the verdict.
            let assumed = self.cfa.assumptions.join("; ");
            let assumed = if assumed.is_empty() { assumed } else { format!("assumed: {}\n", shown::one_line(&assumed)) };
            format!("{assumed}{}\n{line}", shown::one_line(&about(&what, Some(&self.property()))))
        };
        console::answer(&format!("{text}\n"), ended)?;
        Ok(())
    }

    /// The proposed invariants that the proof rests on.
    fn used(&self, numbers: &Numbers) -> Vec<String> {
        let texts = self.proposed.as_ref().map_or(&[][..], |proposed| &proposed.texts);
        let mut used: Vec<String> = numbers.held.iter().filter_map(|number| texts.get(*number).cloned()).collect();
        used.dedup();
        used
    }

    /// Keeps what the proof rests on for another version; a proof that needed nothing leaves what is there.
    fn keep_proof(
        &self,
        arguments: &Arguments,
        (invariants, store): (&[engine::evidence::invariant::Invariant], &smt::TermStore),
        found: (Option<(Kind, u64)>, u64),
    ) -> miette::Result<()> {
        let Some(file) = arguments.proof.as_ref().filter(|_| !self.holds_other) else { return Ok(()) };
        let claim = |one: &engine::evidence::invariant::Invariant| Claim { at: one.location(), formula: one.formula };
        let claims: Vec<Claim> = invariants.iter().map(claim).collect();
        // States of explicit values say what there was; nobody would track that.
        let effort = self.effort(found);
        let by_values = effort.by.as_ref().is_some_and(|by| by.name == Kind::Values.name());
        let atoms = if by_values { Atoms::Untracked } else { Atoms::Tracked };
        let kept = proof::write(&Facts::new(&self.cfa), &producer(), (&claims, store), (atoms, effort));
        let says_more = |known: &Proof| !kept.facts.is_empty() || (known.facts.is_empty() && kept.steps >= known.steps);
        if self.proof.as_ref().is_none_or(says_more) {
            Output::new(Some(file)).write_text(&kept.write())?;
        }
        Ok(())
    }

    /// How the proof was found. With the help of another version's proof that is cheap: what it took without is what counts, for
    /// the next version is to get as much help.
    fn effort(&self, (found, steps): (Option<(Kind, u64)>, u64)) -> Effort {
        let own = found.map(|(kind, steps)| ProofAnalysis { name: kind.name().to_owned(), steps });
        match (&self.proof, own) {
            // Its formulas were enough, or its analysis found this proof as well.
            (Some(known), None) if known.steps > steps => Effort { steps: known.steps, by: known.by.clone() },
            (Some(Proof { steps: known, by: Some(by), .. }), Some(own)) if *known > steps && own.name == by.name => {
                Effort { steps: *known, by: Some(by.clone()) }
            }
            (_, by) => Effort { steps, by },
        }
    }

    /// Writes the correctness witness. Under a condition it claims no invariants: they hold on uncovered paths only.
    fn write_proof(
        &self,
        arguments: &Arguments,
        console: &Console,
        proof: (&[engine::evidence::invariant::Invariant], &smt::TermStore),
    ) -> miette::Result<()> {
        let Some(file) = &arguments.witness else { return Ok(()) };
        let extent = if self.cursor.is_some() { witness::Extent::Uncovered } else { witness::Extent::Whole };
        if extent == witness::Extent::Uncovered {
            console.note("the correctness witness has no invariants: the proof is one of the uncovered paths only");
        }
        let claim = |one: &engine::evidence::invariant::Invariant| Claim { at: one.location(), formula: one.formula };
        let claims: Vec<Claim> = proof.0.iter().map(claim).collect();
        let proof = witness::correctness(&self.cfa, &self.program, &producer(), (&claims, proof.1), extent);
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

    fn invariants(&self, invariants: &[engine::evidence::invariant::Invariant], store: &smt::TermStore) -> Vec<Invariant> {
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
                    expression: invariant_text::text(store, (&self.cfa, location), invariant.formula),
                }
            })
            .collect()
    }
}

fn producer() -> Producer {
    Producer::new("verify", env!("CARGO_PKG_VERSION"))
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
        Verdict::True | Verdict::False(_) => None,
    }
}
