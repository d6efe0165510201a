//! Whether a client notices how a library changed.
//!
//! * `sources` reads the client with each version of the library;
//! * `assumptions` leaves out runs that the user says do not count;
//! * `trials` runs both programs on inputs and compares what is seen;
//! * `telling` finds the call for which the versions differ, and the branches that it takes;
//! * `only` proves under which condition on its arguments a call tells;
//! * `arrivals` finds the calls for which both versions do the same, operation by operation;
//! * `couplings` reads off runs what may hold between both versions;
//! * `each` decides about the calls of a client that notices the change one by one;
//! * `harness` writes both versions on telling inputs as one C file;
//! * `question` writes what is asked as one C program;
//! * `settle` has the engine prove that no input shows a difference, from the smallest boundary to the entry function;
//! * `wrapped` asks the same with arithmetic that wraps, where that is enough;
//! * `tables` runs both versions on the few arguments that are ever passed;
//! * `handed` asks about what code outside may call, because its address gets there;
//! * `known` keeps what holds of the library whoever calls it, for the next client of `several`;
//! * `report` says all that to people and programs.
//!
//! EQUIVALENT rests on a proof over [`transform::pair`]; NOT EQUIVALENT on runs of both untouched programs.
//! Source: Mora, Li, Rubin, Chechik, *Client-Specific Equivalence Checking*, ASE 2018, with contexts that end before the call.
//! Does not know revisions.

mod arguments;
mod arrivals;
mod assumptions;
mod couplings;
mod each;
mod handed;
mod harness;
mod known;
mod only;
mod question;
mod report;
mod settle;
mod several;
mod sources;
mod tables;
mod telling;
mod trials;
mod wrapped;

use std::rc::Rc;

use console::{Budget, Ending, Exit};
use engine::assumed::VACUOUS;
use formats::equivalence::{Equivalence, EquivalenceResult};
use formats::{ProgramOptions, Property, Reason};
use program::Choice;
use program::cfa::{Cfa, EdgeId, FunctionId, Operation};
use program::expr::Expr;
use semantics::compare::Comparison;
use transform::pair::{Pairing, Plan, Relation};

pub use arguments::{Arguments, Files, Form, Observed, Overflow, Part, Undefined};

use crate::arrivals::{Arrivals, arrivals};
use crate::each::{Each, Looking};
use crate::known::Known;
use crate::settle::{Means, Numbers, Question, Settled, settle};
use crate::sources::{Readings, Text, guards, is_unsatisfiable, load, read};
use crate::telling::calls_into;
use crate::trials::{Difference, Trials};

/// Why the programs cannot be compared.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum CseError {
    /// A function of the library is missing.
    #[error("{program}: there is no function {function}")]
    #[diagnostic(help("--library names functions that both programs define"))]
    NoFunction {
        /// The program.
        program: String,
        /// The function.
        function: String,
    },
    /// Something outside of the library changed.
    #[error("{function} changed, and is called by more than the library")]
    #[diagnostic(help("name it with --library too, or compare the whole programs without --library"))]
    ClientChanged {
        /// The function.
        function: String,
    },
    /// The client of the modified version is not that of the original.
    #[error("--modified-client: {file} is not what --client names in its place")]
    #[diagnostic(help("the client is the same text for both versions; compare whole programs where it is not"))]
    OtherClient {
        /// The file.
        file: String,
    },
    /// Some clients are named once.
    #[error("--also names {also} clients, --modified-also {modified}")]
    #[diagnostic(help("--modified-also takes every client of --also again, in the same order"))]
    OtherClients {
        /// Clients of `--also`.
        also: usize,
        /// Clients of `--modified-also`.
        modified: usize,
    },
    /// A file of assumptions has none.
    #[error("--assume @{file}: there is no function assume or assume_NAME")]
    #[diagnostic(help("`int assume(…)` takes what the entry function takes, and says whether a run with that counts"))]
    NoAssumption {
        /// The file.
        file: String,
    },
    /// Nothing can be assumed of a function.
    #[error("--assume @{file}: nothing can be assumed of {function}")]
    #[diagnostic(help("it has to be defined with names and types for its parameters, in client or library"))]
    NotAssumed {
        /// The file.
        file: String,
        /// The function.
        function: String,
    },
    /// The question cannot be written.
    #[error("the question cannot be written as one program: {what}")]
    #[diagnostic(help("without --to it may be decided all the same"))]
    NotOneProgram {
        /// Why.
        what: String,
    },
    /// Several files of assumptions.
    #[error("--assume takes one file")]
    SeveralAssumptions,
    /// The linked solver cannot be used.
    #[error(transparent)]
    Solver(#[from] smt::z3::Z3Error),
}

/// Runs the tool.
///
/// # Errors
/// A report of what cannot be read, used or written.
pub fn run(arguments: Arguments) -> miette::Result<Exit> {
    let budget = arguments.shared.budget()?;
    let task = arguments.shared.load_task()?;
    console::set_last_word(|ending: Ending| report::ended(&ending.verdict()));
    let mut options = arguments.shared.program_options(task.as_ref())?;
    options.property = Property::UnreachCall;
    options.caller.assume.retain(|assumed| !assumed.starts_with('@'));
    arguments.checked()?;
    let clients = arguments.each();
    let clients = clients.iter().flat_map(|one| [one.client_files(), one.modified_client_files()].concat());
    let inputs = arguments.programs.iter().map(std::path::PathBuf::as_path).chain(clients);
    console::keep_apart(inputs, arguments.harness.iter().chain(&arguments.output).map(std::path::PathBuf::as_path))?;
    let is_named = arguments.shared.entry.is_some() || task.is_some();
    let choice = if is_named { Choice::Named } else { Choice::Implied };
    let asking = Asking { options: &options, choice, budget: &budget };
    if !arguments.also.is_empty() {
        return several::run(&arguments, &asking);
    }
    if arguments.to == Some(Form::C) {
        return write_question(&arguments, &asking);
    }
    report::answer(&one(&arguments, &asking, None, &Readings::default())?, &arguments)
}

/// What is the same for all clients of a run.
#[derive(Clone, Copy)]
struct Asking<'a> {
    options: &'a ProgramOptions,
    choice: Choice,
    budget: &'a Budget,
}

/// Writes what is asked as one program.
fn write_question(arguments: &Arguments, asking: &Asking<'_>) -> miette::Result<Exit> {
    let mut texts = read(arguments, asking.options, asking.choice, &Readings::default())?;
    let programs = load(&mut texts, guards(arguments.overflow), asking.choice)?;
    let comparison = Comparison::new(&programs[0], &programs[1]);
    let pairing = Pairing::new(&comparison);
    let changes = pairing.changes();
    in_library(arguments, &texts, &pairing, changes.as_ref())?;
    let result = report::begun(arguments, &texts, &pairing);
    let job = Job { arguments, texts: &texts, budget: asking.budget };
    question::write(arguments, &pairing, changes.as_ref(), (job.relation(), &report::scope(&result)))
}

/// Decides about one client; `known` is what other clients found out about the library.
fn one(
    arguments: &Arguments,
    asking: &Asking<'_>,
    known: Option<&mut Known>,
    readings: &Readings,
) -> miette::Result<EquivalenceResult> {
    let mut texts = read(arguments, asking.options, asking.choice, readings)?;
    let programs = Rc::new(load(&mut texts, guards(arguments.overflow), asking.choice)?);
    let comparison = Comparison::new(&programs[0], &programs[1]);
    let pairing = Pairing::new(&comparison);
    let changes = pairing.changes();
    in_library(arguments, &texts, &pairing, changes.as_ref())?;
    let mut result = report::begun(arguments, &texts, &pairing);
    let mut numbers = Numbers::default();
    let mut runs = 0;
    match &changes {
        None => report::unchanged(&mut result, pairing.outside()),
        Some(changes) if changes.handed().only => {
            let job = Job { arguments, texts: &texts, budget: asking.budget };
            let settled = handed::settle(&pairing, (changes, job.relation()), job.means()).map_err(CseError::from)?;
            report::found(&mut result, &pairing, (changes, &[]), (&settled, &Each::default()), &Arrivals::default());
        }
        Some(changes) => {
            let job = Job { arguments, texts: &texts, budget: asking.budget };
            let calls = calls_into(pairing.original, changes.inside());
            let agreed = match known.filter(|_| !job.means().is_apart) {
                Some(known) => known.agree((&programs, &pairing), (changes, &calls), job.relation(), job.means()),
                None => Ok(None),
            };
            if let Some(proved) = agreed.map_err(CseError::from)? {
                let settled = Settled::Equal(proved);
                let settled =
                    handed::checked(settled, &pairing, (changes, job.relation()), job.means()).map_err(CseError::from)?;
                report::found(&mut result, &pairing, (changes, &calls), (&settled, &Each::default()), &Arrivals::default());
            } else {
                let trials = Trials::new(&pairing, job.relation(), changes);
                let (settled, arrivals) = job.decide(&pairing, (changes, &calls), trials.as_ref(), &mut numbers)?;
                runs = trials.as_ref().map_or(0, Trials::tried);
                let settled =
                    handed::checked(settled, &pairing, (changes, job.relation()), job.means()).map_err(CseError::from)?;
                if let (Some(file), Settled::Different(difference), Some(trials)) = (&arguments.harness, &settled, &trials) {
                    harness::write(arguments, file, &pairing, (trials, difference))?;
                }
                let each = match (&settled, &trials) {
                    (Settled::Different(difference), Some(trials)) => {
                        job.each((&pairing, changes), (trials, difference), &arrivals, &mut numbers)?
                    }
                    _ => Each::default(),
                };
                report::found(&mut result, &pairing, (changes, &calls), (&settled, &each), &arrivals);
            }
        }
    }
    tell_vacuous(arguments, &texts[0], (asking, readings), &mut result)?;
    if arguments.stats {
        let mut statistics = console::Statistics::new();
        statistics.count("queries", numbers.queries);
        statistics.count("steps", numbers.steps);
        statistics.count("boundaries", numbers.boundaries);
        statistics.count("reaches", numbers.reaches);
        statistics.count("runs", runs);
        statistics.print();
    }
    Ok(result)
}

/// Says of an EQUIVALENT where no arguments satisfy what is assumed of them.
fn tell_vacuous(
    arguments: &Arguments,
    original: &Text,
    (asking, readings): (&Asking<'_>, &Readings),
    result: &mut EquivalenceResult,
) -> miette::Result<()> {
    let stop = asking.budget.stop_flag();
    if result.verdict == Equivalence::Equivalent && is_unsatisfiable(arguments, original, (asking.choice, readings), &stop)? {
        arguments.shared.console().warning(VACUOUS);
        result.vacuous = true;
        result.scope = format!("vacuous: no arguments satisfy what is assumed; {}", result.scope);
    }
    Ok(())
}

/// Checks that nothing but the library changed.
fn in_library(arguments: &Arguments, texts: &[Text; 2], pairing: &Pairing<'_>, changes: Option<&Plan>) -> Result<(), CseError> {
    if arguments.library.is_empty() {
        return Ok(());
    }
    let find = |cfa: &Cfa, name: &str| {
        cfa.function_ids().find(|id| *cfa.function(*id).name == *name && cfa.function(*id).entry.is_some())
    };
    for name in &arguments.library {
        for (cfa, text) in [(pairing.original, &texts[0]), (pairing.modified, &texts[1])] {
            if find(cfa, name).is_none() {
                return Err(CseError::NoFunction { program: text.name.clone(), function: name.clone() });
            }
        }
    }
    let Some(changes) = changes else { return Ok(()) };
    let cfa = pairing.original;
    let named: Vec<FunctionId> = arguments.library.iter().filter_map(|name| find(cfa, name)).collect();
    // What can be entered without passing a function of the library is not its own.
    let mut pending = vec![cfa.entry];
    let mut seen = vec![cfa.entry];
    while let Some(function) = pending.pop() {
        if named.contains(&function) {
            continue;
        }
        if pairing.differs(function) && changes.inside().contains(&function) {
            return Err(CseError::ClientChanged { function: cfa.function(function).name.to_string() });
        }
        for edge in cfa.edge_ids().filter(|edge| cfa.location(cfa.edge(*edge).source).function == function) {
            if let Some(callee) = cfa.entered_callee(edge).filter(|callee| !seen.contains(callee)) {
                seen.push(callee);
                pending.push(callee);
            }
        }
    }
    Ok(())
}

/// What is to be decided.
struct Job<'a> {
    arguments: &'a Arguments,
    texts: &'a [Text; 2],
    budget: &'a Budget,
}

impl Job<'_> {
    fn relation(&self) -> Relation {
        let observes = |what: Observed| self.arguments.observe.contains(&what);
        Relation {
            returned: observes(Observed::Return),
            globals: observes(Observed::Globals),
            memory: observes(Observed::Memory),
            events: observes(Observed::Events),
            preserve: self.arguments.undefined == Undefined::Preserve,
        }
    }

    fn means(&self) -> Means<'_> {
        Means { budget: self.budget, steps: self.arguments.steps, is_apart: self.arguments.without == Some(Part::Lockstep) }
    }

    fn decide(
        &self,
        pairing: &Pairing<'_>,
        (changes, calls): (&Plan, &[(EdgeId, FunctionId)]),
        trials: Option<&Trials>,
        numbers: &mut Numbers,
    ) -> miette::Result<(Settled, Arrivals)> {
        let means = self.means();
        let edges: Vec<EdgeId> = calls.iter().map(|(edge, _)| *edge).collect();
        let look = |numbers: &mut Numbers| {
            if means.is_apart {
                return Ok(Arrivals::default());
            }
            arrivals(pairing, (changes, &edges), trials, means, numbers).map_err(CseError::from)
        };
        if let Some(found) = trials.and_then(|trials| trials.begin(self.budget)) {
            // One call is the one that tells.
            let arrivals = if calls.len() > 1 { look(numbers)? } else { Arrivals::default() };
            return Ok((Settled::Different(Box::new(found)), arrivals));
        }
        let arrivals = look(numbers)?;
        if arrivals.none {
            return Ok((Settled::Inactive, arrivals));
        }
        let is_run = !means.is_apart
            && tables::agree(pairing, calls, (trials, self.relation()), means, numbers).map_err(CseError::from)?;
        if is_run {
            return Ok((Settled::Run, arrivals));
        }
        Ok((self.prove(pairing, changes, (trials, means), numbers)?, arrivals))
    }

    /// Decides by proofs about what both versions do.
    fn prove(
        &self,
        pairing: &Pairing<'_>,
        changes: &Plan,
        (trials, means): (Option<&Trials>, Means<'_>),
        numbers: &mut Numbers,
    ) -> miette::Result<Settled> {
        let relation = self.relation();
        let asked = Question { pairing, start: changes };
        if wrapped::is_enough(self.arguments) {
            return wrapped::settle(self.texts, &asked, (relation, trials), means, numbers);
        }
        let settled = settle(&[asked], (relation, trials), means, numbers).map_err(CseError::from)?;
        let Settled::Equal(proved) = &settled else { return Ok(settled) };
        if !relation.preserve {
            return Ok(settled);
        }
        for property in [Property::ValidDeref, Property::ValidFree] {
            if !needs(pairing, &proved.plan, property) {
                continue;
            }
            match self.memory(property, (relation, trials), means, numbers)? {
                Settled::Equal(_) => {}
                other @ (Settled::Inactive | Settled::Run | Settled::Different(_) | Settled::Handed(_) | Settled::Open(_)) => {
                    return Ok(other);
                }
            }
        }
        Ok(settled)
    }

    /// Whether the modified version accesses no more than it may, as far as the original does not.
    fn memory(
        &self,
        property: Property,
        (relation, trials): (Relation, Option<&Trials>),
        means: Means<'_>,
        numbers: &mut Numbers,
    ) -> miette::Result<Settled> {
        let [original, modified] = self.guarded(property)?;
        let comparison = Comparison::new(&original, &modified);
        let pairing = Pairing::new(&comparison);
        let Some(changes) = pairing.changes() else { return Ok(Settled::Open(Reason::Internal)) };
        let asked = Question { pairing: &pairing, start: &changes };
        Ok(settle(&[asked], (relation, trials), means, numbers).map_err(CseError::from)?)
    }

    /// Both programs, read anew with a property of memory.
    fn guarded(&self, property: Property) -> miette::Result<[Cfa; 2]> {
        let guarded = self.texts.each_ref().map(|text| {
            let mut text = text.clone();
            text.options.property = property;
            text.load(guards(self.arguments.overflow))
        });
        let [original, modified] = guarded;
        Ok([original?, modified?])
    }

    /// What becomes of each call of a client that notices the change.
    fn each(
        &self,
        (pairing, changes): (&Pairing<'_>, &Plan),
        (trials, difference): (&Trials, &Difference),
        arrivals: &Arrivals,
        numbers: &mut Numbers,
    ) -> miette::Result<Each> {
        let relation = self.relation();
        // A single call is the one; it is only asked under which condition.
        let has_numbers = || {
            let call = trials.telling_call(&difference.stimulus, &arrivals.inactive);
            call.is_some_and(|call| !call.branches.is_empty() || !call.signs.is_empty())
        };
        let is_asked = calls_into(pairing.original, changes.inside()).len() > 1 || has_numbers();
        let is_needed = |property: &Property| is_asked && relation.preserve && needs(pairing, changes, *property);
        let properties = [Property::ValidDeref, Property::ValidFree].into_iter().filter(is_needed);
        let programs: Vec<[Cfa; 2]> = properties.map(|property| self.guarded(property)).collect::<Result<_, _>>()?;
        let comparisons: Vec<Comparison<'_>> = programs.iter().map(|[a, b]| Comparison::new(a, b)).collect();
        let pairings: Vec<Pairing<'_>> = comparisons.iter().map(Pairing::new).collect();
        let plans: Vec<Plan> = pairings.iter().map(|pairing| pairing.changes().unwrap_or_default()).collect();
        let guarded: Vec<each::Asked<'_>> = pairings.iter().zip(&plans).collect();
        let looking = Looking { asked: (pairing, changes), guarded: &guarded, relation, means: self.means() };
        Ok(each::each(looking, (trials, difference), arrivals, numbers).map_err(CseError::from)?)
    }
}

/// Whether functions inside the boundary do what a property is about.
fn needs(pairing: &Pairing<'_>, plan: &Plan, property: Property) -> bool {
    let cfa = pairing.modified;
    let inside = plan.inside_modified();
    cfa.edges.iter().filter(|edge| inside.contains(&cfa.location(edge.source).function)).any(|edge| {
        if property == Property::ValidFree {
            let freed = |callee: FunctionId| ["free", "realloc", "reallocarray"].contains(&&*cfa.function(callee).name);
            return matches!(edge.operation, Operation::Call { callee, .. } if freed(callee));
        }
        let mut pending = transform::pair::expressions(&edge.operation);
        while let Some(expr) = pending.pop() {
            let expr = cfa.exprs.get(expr);
            if matches!(expr, Expr::Dereference { .. } | Expr::Index(..)) {
                return true;
            }
            pending.extend(transform::pair::operands(expr).into_iter().flatten());
        }
        false
    })
}
