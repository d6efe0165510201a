//! Witnesses of other tools: the valid ones are read and shown, the faulty ones refused with a reason.

use std::fs;

use formats::witness::graphml::{Severity, findings};
use formats::witness::{InvariantKind, Witness};
use residue_tests::{run, shared};

/// Reads a foreign witness; `None` where the collection is missing.
fn read(name: &str) -> Option<Result<Witness, String>> {
    let path = shared("witnesses")?.join(name);
    let bytes = fs::read(&path).unwrap();
    Some(Witness::read(&bytes, name).map_err(|error| error.to_string()))
}

fn violation(name: &str) -> Option<formats::witness::ViolationWitness> {
    match read(name)? {
        Ok(Witness::Violation(witness)) => Some(witness),
        other => panic!("{name}: {other:?}"),
    }
}

fn correctness(name: &str) -> Option<formats::witness::CorrectnessWitness> {
    match read(name)? {
        Ok(Witness::Correctness(witness)) => Some(witness),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn inputs_of_a_violation() {
    let Some(first) = violation("example-1-witness.graphml") else { return };
    let inputs: Vec<_> = first.inputs().map(|input| (input.function, input.place.line, input.value)).collect();
    assert_eq!(inputs, [(Some("__VERIFIER_nondet_int"), 5, "0")]);
    let Some(second) = violation("example-2-witness.graphml") else { return };
    let values: Vec<_> = second.inputs().map(|input| (input.place.line, input.value)).collect();
    assert_eq!(values, [(5, "2"), (8, "524800"), (9, "40")]);
}

#[test]
fn paths_of_two_verifiers() {
    let name = "minepump_spec1_product33_false-unreach-call_false-termination.cil";
    let Some(cpachecker) = violation(&format!("{name}.graphml")) else { return };
    let Some(automizer) = violation(&format!("{name}.ultimateautomizer.graphml")) else { return };
    for (witness, producer, steps) in [(&cpachecker, "CPAchecker", 20), (&automizer, "Automizer", 40)] {
        assert_eq!(witness.metadata.producer, producer);
        assert_eq!(witness.metadata.data_model, Some(formats::DataModel::ILP32));
        assert!(witness.steps.len() > steps, "{}", witness.steps.len());
        assert!(witness.steps.iter().all(|step| step.place.line > 0));
        assert!(witness.steps.last().is_some_and(|step| step.is_violation));
    }
    assert!(cpachecker.steps.iter().any(|step| step.enters.as_deref() == Some("processEnvironment")));
}

#[test]
fn invariants_of_two_verifiers() {
    for (name, line) in
        [("multivar_true-unreach-call1.graphml", 11), ("multivar_true-unreach-call1.ultimateautomizer.graphml", 0)]
    {
        let Some(witness) = correctness(name) else { return };
        let loops = witness.invariants.iter().filter(|invariant| invariant.kind == InvariantKind::Loop);
        let found = loops.filter(|invariant| invariant.expression.contains('x') && invariant.place.line >= line).count();
        assert!(found > 0, "{name}: {:?}", witness.invariants);
    }
}

#[test]
fn a_valid_witness_breaks_no_rule() {
    let Some(folder) = shared("witnesses") else { return };
    let text = fs::read_to_string(folder.join("valid-witness.graphml")).unwrap();
    assert_eq!(findings(&text, "valid-witness.graphml").unwrap(), []);
    let Some(witness) = correctness("valid-witness.graphml") else { return };
    assert!(witness.invariants.iter().any(|invariant| invariant.expression == "cond == (1)"));
}

#[test]
fn faulty_witnesses_are_refused_with_a_reason() {
    let Some(folder) = shared("witnesses") else { return };
    let faults = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let found = findings(&text, name).unwrap();
        let all: Vec<String> = found.iter().map(|finding| format!("{}: {}", finding.line, finding.message)).collect();
        assert!(found.iter().any(|finding| finding.severity == Severity::Fault));
        all.join("\n")
    };
    let first = faults("faulty-witness-1.graphml");
    for part in [
        "node N1 is another entry",
        "`architecture` is 13bit, expected 32bit or 64bit",
        "`violation` does not belong to a correctness witness",
        "key `starline` is used, but not declared",
        "key `startoffset` belongs to the edge, not to the node",
        "`creationtime` is missing",
        "`programhash` is no SHA-256",
    ] {
        assert!(first.contains(part), "{part} is not in\n{first}");
    }
    let second = faults("faulty-witness-2.graphml");
    for part in [
        "the default namespace is not http://graphml.graphdrawing.org/xmlns",
        "`sink` is maybe, expected true or false",
        "a node without `id`",
        "`invariant` does not belong to a violation witness",
        "an edge without `source`",
        "node q3 does not exist",
    ] {
        assert!(second.contains(part), "{part} is not in\n{second}");
    }
    for name in ["faulty-witness-1.graphml", "faulty-witness-2.graphml"] {
        let reason = read(name).unwrap().unwrap_err();
        assert!(reason.starts_with(&format!("{name}:")) && reason.contains("malformed witness"), "{reason}");
    }
}

#[test]
fn the_obsolete_format_is_refused_by_its_version() {
    let Some(read) = read("multivar_1-1.c.invariant_witness.yaml") else { return };
    let reason = read.unwrap_err();
    assert!(reason.contains("a loop_invariant of format version 0.1 (read are 2.0 and 2.1)"), "{reason}");
}

/// Every file of the collection through the command line.
#[test]
fn the_command_tells_valid_from_faulty() {
    let Some(folder) = shared("witnesses") else { return };
    let mut names: Vec<String> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.ends_with(".md"));
    names.sort();
    let (mut valid, mut faulty) = (0, 0);
    for name in &names {
        let ran = run("residue", ["witness", name], &folder).unwrap();
        let told = format!("{name}: {}{}", ran.stdout, ran.stderr);
        if name.starts_with("faulty") || name.ends_with(".invariant_witness.yaml") {
            faulty += 1;
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{told}");
            assert!(ran.stderr.starts_with(&format!("error: {name}:")) && ran.stderr.contains("help: "), "{told}");
            continue;
        }
        valid += 1;
        assert_eq!(ran.code, 0, "{told}");
        for part in ["witness in GraphML 1.0\n", "\nproducer  ", "\nspecification  ", "\ndata model     ILP32\n", "\nprogram  "] {
            assert!(ran.stdout.contains(part), "{part:?}: {told}");
        }
        let json = run("residue", ["witness", "--quiet", "--to", "json", name], &folder).unwrap();
        assert_eq!((json.code, json.stderr.as_str()), (0, ""), "{told}");
        let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        let list = if value["kind"] == "violation" { &value["steps"] } else { &value["invariants"] };
        let count = list.as_array().unwrap().len();
        assert!(count > 0 && ran.stdout.contains(&format!("\n{count} ")), "{told}");
        assert_eq!(value["deviations"].as_array().unwrap().len(), ran.stderr.lines().count(), "{told}");
        let strict = run("residue", ["witness", "--strict", name], &folder).unwrap();
        assert_eq!(strict.code == 0, ran.stderr.is_empty(), "{told}{}", strict.stderr);
    }
    assert_eq!((valid, faulty), (7, 3), "{names:?}");
}
