//! The files that are written with a verdict: its witness, the harness of a counterexample, the proof for another version.
//!
//! Does not know what is printed.

use std::path::Path;

use console::{Budget, Console, Output};
use evidence::harness::harness;
use evidence::proof::{self, Atoms, Effort};
use evidence::{Claim, witness};
use formats::proof::{Proof, ProofAnalysis};
use formats::witness::Invariant;
use semantics::facts::Facts;
use semantics::interpreter::Run;

use crate::analysis::Kind;
use crate::answer::producer;
use crate::job::Job;
use crate::{Arguments, VerifyError, told};

pub(crate) fn check_witness_name(witness: Option<&Path>) -> Result<(), VerifyError> {
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

impl Job {
    /// Keeps what the proof rests on for another version; a proof that needed nothing leaves what is there.
    pub(crate) fn keep_proof(
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

    /// Writes the correctness witness: what the proof rests on, and what else is said of the program. Under a condition it claims
    /// no invariants: they hold on uncovered paths only.
    pub(crate) fn write_proof(
        &self,
        arguments: &Arguments,
        (console, budget): (&Console, &Budget),
        proofs: [(&[engine::evidence::invariant::Invariant], &smt::TermStore); 2],
    ) -> miette::Result<()> {
        let Some(file) = &arguments.witness else { return Ok(()) };
        let extent = if self.cursor.is_some() { witness::Extent::Uncovered } else { witness::Extent::Whole };
        if extent == witness::Extent::Uncovered {
            console.note("the correctness witness has no invariants: the proof is one of the uncovered paths only");
        }
        let claim = |one: &engine::evidence::invariant::Invariant| Claim { at: one.location(), formula: one.formula };
        let said = |claims: &[Claim], store: &smt::TermStore| {
            witness::correctness(&self.cfa, &self.program, &producer(), (claims, store), extent)
        };
        let [mut proof, more] = proofs.map(|(invariants, store)| {
            let claims: Vec<Claim> = invariants.iter().map(claim).collect();
            said(claims.as_slice(), store)
        });
        proof.invariants.extend(more.invariants);
        let loops = witness::loop_places(&self.cfa).values().map(Vec::len).sum::<usize>();
        if extent == witness::Extent::Whole && proof.invariants.len() < loops {
            let (claims, store) = told::of_loops(&self.cfa, budget);
            let is_new = |one: &Invariant| proof.invariants.iter().all(|known| known.place != one.place);
            let more: Vec<Invariant> = said(claims.as_slice(), &store).invariants.into_iter().filter(is_new).collect();
            proof.invariants.extend(more);
        }
        if extent == witness::Extent::Whole && proof.invariants.iter().all(|one| one.expression == "1") {
            let (claims, store) = told::before_errors(&self.cfa, budget);
            proof.invariants.extend(said(claims.as_slice(), &store).invariants);
        }
        Output::new(Some(file)).write(|out| {
            if is_yaml(file) { proof.write_yaml(out) } else { witness::with_unique_lines(&self.cfa, proof).write_graphml(out) }
        })?;
        Ok(())
    }

    pub(crate) fn write_evidence(&self, arguments: &Arguments, run: &Run) -> miette::Result<()> {
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
}
