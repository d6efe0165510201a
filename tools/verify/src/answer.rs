//! What is said of a verdict: what it takes for granted and rests on, the line before it, the verdict itself.
//!
//! Invariant: the verdict is the last line, also where a run is ended from outside. Does not know how it was found, nor how
//! the files beside it look.

use std::rc::Rc;

use console::{Budget, Console, Ending, Exit, Statistics};
use evidence::{invariant_text, trace, witness};
use formats::verdict::Invariant;
use formats::{Producer, ProgramFile, Reason, Verdict, VerdictReport, shown};
use program::violation::Violation;
use semantics::interpreter::Run;
use semantics::own_text;

use crate::Arguments;
use crate::analysis::{Conclusion, Numbers};
use crate::job::{Concluded, Job};

/// What is printed should this process not come to its end.
pub(crate) fn say_at_the_end(arguments: &Arguments, program: ProgramFile, property: Option<String>) {
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
pub(crate) fn about(what: &str, property: Option<&str>) -> String {
    match property {
        Some(property) if what.is_empty() => format!("property: {property}"),
        Some(property) => format!("{what}; property: {property}"),
        None => what.to_owned(),
    }
}

impl Job {
    /// What is wrong with the operation that a run ends with, and where, for a property of operations.
    pub(crate) fn violation(&self, run: &Run) -> Option<String> {
        let callee = self.cfa.called(*run.trace.last()?)?;
        let violation = Violation::of_function(&self.cfa.function(callee).name)?;
        let end = own_text::end(&self.cfa, run)?;
        let place = self.cfa.source.location(self.cfa.edge(end.edge).span.lo);
        let within = end.within.map(|callee| format!(" in `{}`", self.cfa.function(callee).name)).unwrap_or_default();
        Some(format!("{} at {}:{}{within}", violation.name(), place.file, place.line))
    }

    /// Prints the verdict, then writes its evidence: what cannot be written takes nothing from it.
    pub(crate) fn report(
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
        let (found, behind_calls) = ((numbers.found, numbers.steps), Rc::clone(&numbers.said));
        self.answer(arguments, (verdict, ended), (proof.as_ref(), run.as_deref()), numbers, statistics)?;
        if let Some((invariants, store)) = &proof {
            self.write_proof(arguments, (console, budget), [(invariants, store), (&behind_calls.0, &behind_calls.1)])?;
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
    pub(crate) fn used(&self, numbers: &Numbers) -> Vec<String> {
        let texts = self.proposed.as_ref().map_or(&[][..], |proposed| &proposed.texts);
        let mut used: Vec<String> = numbers.held.iter().filter_map(|number| texts.get(*number).cloned()).collect();
        used.dedup();
        used
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

pub(crate) fn producer() -> Producer {
    Producer::new("verify", env!("CARGO_PKG_VERSION"))
}

/// The reason of a verdict, for callers that only hold the verdict.
#[must_use]
pub fn reason(verdict: &Verdict) -> Option<&Reason> {
    match verdict {
        Verdict::Unknown(reason) => Some(reason),
        Verdict::True | Verdict::False(_) => None,
    }
}
