//! One program and what is asked of it: read, verified, and the verdict of what was concluded.
//!
//! Knows what every verdict takes for granted. Does not know how a verdict is told (`answer`), nor what is written with it
//! (`written`).

use std::path::Path;

use console::{Budget, Console, Exhaustion, Exit, Input, Statistics};
use engine::assumed::{VACUOUS, is_unsatisfiable};
use formats::proof::Proof;
use formats::{Condition, EdgeInfo, ProgramFile, ProgramOptions, Property, Reason, Verdict, shown};
use program::cfa::{Cfa, Known, Operation};
use program::load::{Choice, can_violate, has_long_arrays, has_room, left_aside, load_roomy, load_source_about};
use semantics::cursor::ConditionCursor;
use semantics::interpreter::Run;

use crate::analysis::{Conclusion, Numbers, Plan, Task, analyse_with};
use crate::input::{ProgramText, is_residual};
use crate::proposals::{self, Proposed};
use crate::roomy::analyse_roomy;
use crate::{Arguments, VerifyError};

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

/// What a proof takes for granted that looked at uncovered paths only.
const COVERED: &str = "the original program is safe: covered paths were not examined";

/// What every verdict takes for granted.
const ASSUMPTIONS: &[&str] = &[
    "functions without a body return any value but addresses of objects that they were not given, write only where their arguments point, and call nothing back",
    "operands are evaluated in the order of gcc: from left to right, but a variable behind the operand that it can change places with; arguments from right to left",
    "nothing depends on the order of unrelated addresses",
];

/// One program to be verified.
pub(crate) struct Job {
    pub(crate) cfa: Cfa,
    /// The same with arrays as long as they can be modelled, if it has some that are too long for it: for proofs.
    roomy: Option<Cfa>,
    pub(crate) edges: Vec<EdgeInfo>,
    pub(crate) program: ProgramFile,
    pub(crate) cursor: Option<ConditionCursor>,
    /// The program with what witnesses propose of it.
    pub(crate) proposed: Option<Proposed>,
    /// What the proof of another version rested on.
    pub(crate) proof: Option<Proof>,
    /// The file for proofs is there and holds something else: it is nobody's to replace.
    pub(crate) holds_other: bool,
    /// No error function is so much as named.
    unnamed: bool,
    /// No error function is called.
    pub(crate) vacuous: bool,
    /// No arguments satisfy what is assumed of them.
    pub(crate) unsatisfied: bool,
    /// The assertions are checked although nobody has said so.
    implied: bool,
    pub(crate) assumptions: Vec<String>,
}

/// A verdict with its evidence.
pub(crate) struct Concluded {
    pub(crate) verdict: Verdict,
    /// For TRUE: the invariants.
    pub(crate) proof: Option<(Vec<engine::evidence::invariant::Invariant>, smt::TermStore)>,
    /// For FALSE: the counterexample.
    pub(crate) run: Option<Box<Run>>,
}

impl Job {
    pub(crate) fn read(
        path: &Path,
        input: &ProgramText,
        (options, choice): (ProgramOptions, Choice),
        condition: Option<(Condition, String)>,
        console: &Console,
    ) -> miette::Result<Self> {
        let cfa = load_source_about(input.source(path, &options)?, &options, choice)?;
        let roomy = if has_long_arrays(&cfa) { Some(load_roomy(input.source(path, &cfa.options)?, &cfa.options)?) } else { None };
        let roomy = roomy.filter(|roomy| has_room(roomy) && proposals::is_same(&cfa, roomy));
        let edges: Vec<EdgeInfo> = cfa.edge_ids().map(|id| cfa.edge_info(id)).collect();
        let program = cfa.program_file(input.name());
        let undefined = undefined_behaviour(cfa.options.property);
        let mut assumptions: Vec<String> = [undefined].iter().chain(ASSUMPTIONS).map(|text| (*text).to_owned()).collect();
        if !cfa.options.caller.malloc_may_fail {
            assumptions.push("memory allocation succeeds (--malloc-may-fail: it may fail)".to_owned());
        }
        assumptions.extend(cfa.assumptions.iter().cloned());
        if cfa.assumptions.is_empty() && cfa.options.entry != "main" {
            // One that is made for a function says this, too.
            assumptions.push(format!("{} is called once, in the initial state of the program", cfa.options.entry));
        }
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
        if choice == Choice::Implied
            && let Some(aside) = left_aside(&cfa)
        {
            console.warning(aside);
        }
        let implied = cfa.options.property != options.property;
        Ok(Self {
            cfa,
            roomy,
            edges,
            program,
            cursor,
            proposed: None,
            proof: None,
            holds_other: false,
            unnamed,
            vacuous,
            unsatisfied: false,
            implied,
            assumptions,
        })
    }

    /// Reads the program again, with what witnesses propose of it.
    pub(crate) fn propose(
        &mut self,
        arguments: &Arguments,
        path: &Path,
        input: &ProgramText,
        console: &Console,
    ) -> miette::Result<()> {
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

    /// Whether it is proved that no arguments satisfy what is assumed of them.
    fn assumes_too_much(&self, (path, input): (&Path, &ProgramText), budget: &Budget) -> bool {
        let options = &self.cfa.options;
        let ask = |source| is_unsatisfiable(source, options, &budget.stop_flag());
        !options.caller.assume.is_empty() && input.source(path, options).is_ok_and(ask)
    }

    /// Prints no more than that.
    pub(crate) fn answer_assumed(&self, text: (&Path, &ProgramText), budget: &Budget) -> miette::Result<Exit> {
        let (word, exit) = if self.assumes_too_much(text, budget) { ("TRUE", Exit::Success) } else { ("UNKNOWN", Exit::Unknown) };
        console::answer(&format!("{word}\n"), exit)?;
        Ok(exit)
    }

    /// Asks whether a proof is one of any call.
    pub(crate) fn check_assumed(&mut self, text: (&Path, &ProgramText), console: &Console, budget: &Budget) {
        if self.assumes_too_much(text, budget) {
            (self.vacuous, self.unsatisfied) = (true, true);
            self.assumptions.push(VACUOUS.to_owned());
            console.warning(VACUOUS);
        }
    }

    /// The proof is one of all paths.
    pub(crate) fn forget_condition(&mut self) {
        self.cursor = None;
        self.assumptions.retain(|assumption| assumption != COVERED);
    }

    /// What is checked, in words.
    pub(crate) fn property(&self) -> String {
        let property = self.cfa.options.property;
        if self.unsatisfied {
            return format!("{property} (vacuous: no arguments satisfy what is assumed)");
        }
        match (self.implied, self.vacuous, property) {
            (false, true, _) if is_residual(&self.cfa) => format!("{property} (nothing is left to check)"),
            (true, _, _) => format!("{property} (no reach_error is called, so assertions are checked)"),
            (false, true, Property::UnreachCall) => format!("{property} (vacuous: no reach_error is called)"),
            (false, true, Property::Assert) => format!("{property} (vacuous: there is no assertion)"),
            (false, true, _) => format!("{property} (vacuous: there is no operation that could violate it)"),
            (false, false, _) => property.to_string(),
        }
    }

    pub(crate) fn analyse(
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
        let result = match &self.roomy {
            Some(roomy) if self.proposed.is_none() => analyse_roomy((cfa, roomy), task, budget, &progress, statistics, plan),
            Some(_) | None => analyse_with(cfa, task, budget, &progress, statistics, plan),
        };
        let result = result.map_err(VerifyError::from)?;
        progress.finish();
        Ok(result)
    }

    /// The verdict of a conclusion.
    pub(crate) fn conclude(&self, conclusion: Conclusion, budget: &Budget) -> Concluded {
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
}

/// Whether the program has an error function at all: otherwise a verdict says nothing.
fn mentions_error(cfa: &Cfa) -> bool {
    cfa.locations.iter().any(|location| location.is_error)
        || cfa.functions.iter().any(|function| function.known == Some(Known::Error))
}
