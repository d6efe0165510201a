//! What holds in one version, as a correctness witness in YAML for that version alone.
//!
//! Only facts that others read as they are meant: C over what is in scope, with a value in every run, at a loop or before the
//! first statement of a line. That the program is safe is not said.

use formats::invariant_table::InvariantTable;
use formats::witness::{CorrectnessWitness, Invariant, InvariantKind, Metadata, Place};
use program::diagnostic::Diagnostic;
use program::probe::{Probe, ProbePlace, Probed};

use crate::points::Point;
use crate::prepare::{Fact, Meaning, Prepared, Spot, Version, is_own};

/// What people are told.
const DESCRIPTION: &str = "facts that hold in this version; that the property holds is not said";
/// What C programs of others do not understand.
const OURS: &str = "__builtin_signbit";

/// The witness of a version.
///
/// # Errors
/// If the program cannot be read again.
pub(crate) fn witness(
    table: &InvariantTable,
    number: usize,
    (version, prepared): (&Version, &Prepared),
    (points, facts): (&[Point], &[Fact]),
) -> Result<Option<CorrectnessWitness>, Diagnostic> {
    let Some(program) = &table.versions[number].program else { return Ok(None) };
    let mut metadata = Metadata::new(&table.producer, program, &table.options);
    metadata.description = Some(DESCRIPTION.to_owned());
    let mut invariants = Vec::new();
    for (at, point) in points.iter().enumerate() {
        let says = |one: &&formats::invariant_table::Instance| {
            let holds = one.point == at && one.status.chars().nth(number) == Some('H');
            let fact = facts.iter().position(|fact| fact.point == at && fact.text.to_string() == one.expression);
            let is_plain = fact.is_some_and(|fact| {
                let always =
                    |meaning: &Meaning| matches!(meaning, Meaning::Says { defined, traps: false, .. } if defined.is_empty());
                facts[fact].text.ghosts().next().is_none() && always(&prepared.facts[fact])
            });
            holds && is_plain && !one.expression.contains(OURS)
        };
        let said: Vec<String> =
            table.instances.iter().filter(says).map(|one| one.names.get(&number).unwrap_or(&one.expression).clone()).collect();
        if said.is_empty() {
            continue;
        }
        for (place, kind) in places(version, &point.spots[number], &table.points[at].lines[number])? {
            invariants.extend(said.iter().map(|text| Invariant { place: place.clone(), kind, expression: text.clone() }));
        }
    }
    Ok(Some(CorrectnessWitness { metadata, invariants }))
}

/// Where a point is, as witnesses name places; those that they cannot name are left out.
fn places(version: &Version, spot: &Spot, lines: &[u32]) -> Result<Vec<(Place, InvariantKind)>, Diagnostic> {
    let Spot::At(all) = spot else { return Ok(Vec::new()) };
    let source = &version.source;
    let mut found = Vec::new();
    for at in all {
        let line = match (at, lines) {
            (ProbePlace::Loop { line, column }, _) => {
                let column = Some(*column).filter(|column| *column > 0);
                found.push((Place { line: *line, column, ..Place::default() }, InvariantKind::Loop));
                continue;
            }
            (ProbePlace::LoopAt(offset), _) => {
                let place = source.location(*offset);
                if is_own(source, place.file) {
                    let column = (!source.is_preprocessed()).then_some(place.column);
                    found.push((Place { line: place.line, column, ..Place::default() }, InvariantKind::Loop));
                }
                continue;
            }
            (ProbePlace::Before(offset), _) => {
                let place = source.location(*offset);
                is_own(source, place.file).then_some(place.line)
            }
            (ProbePlace::Line(line), _) => Some(*line),
            (ProbePlace::Label(_), [line]) => Some(*line),
            _ => None,
        };
        let Some(line) = line else { continue };
        // What is meant by the line has to be this statement.
        let probes = [at.clone(), ProbePlace::Line(line)].map(|at| Probe { at, text: "1".to_owned() });
        let (cfa, answers) = program::load_with(source.clone(), &version.cfa.options, &probes)?;
        if let [Ok(Probed { locations: own, .. }), Ok(Probed { locations: named, .. })] = answers.as_slice()
            && own == named
            && let Some(first) = own.first()
        {
            let function = Some(cfa.function(cfa.location(*first).function).name.to_string());
            found.push((Place { line, function, ..Place::default() }, InvariantKind::Location));
        }
    }
    Ok(found)
}
