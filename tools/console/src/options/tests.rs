//! How flags, tasks and artifacts combine.

use super::*;
use clap::Parser;

#[derive(Parser, Debug)]
struct Tool {
    #[command(flatten)]
    shared: SharedOptions,
}

fn shared(arguments: &[&str]) -> SharedOptions {
    parsed(arguments).unwrap().shared
}

fn parsed(arguments: &[&str]) -> Result<Tool, clap::Error> {
    Tool::try_parse_from(std::iter::once(&"tool").chain(arguments))
}

fn pair(data_model: DataModel) -> Task {
    Task {
        file: "t.yml".into(),
        original: Some("a.c".into()),
        modified: "b.c".into(),
        properties: vec![(Property::UnreachCall, None)],
        together: 1,
        data_model: Some(data_model),
        pair: None,
    }
}

#[test]
fn defaults_and_flags() {
    assert_eq!(shared(&[]).program_options(None).unwrap(), ProgramOptions::default());
    let options = shared(&["--32", "--property", "assert", "--entry", "f", "-DX=1", "-I", "inc", "-UX", "--cpp-arg", "-m32"]);
    let expected = ProgramOptions {
        data_model: DataModel::ILP32,
        entry: "f".to_owned(),
        property: Property::Assert,
        preprocessor: ["-DX=1", "-Iinc", "-UX", "-m32"].map(str::to_owned).to_vec(),
        caller: CallerOptions::default(),
    };
    assert_eq!(options.program_options(None).unwrap(), expected);
}

#[test]
fn unusable_command_lines() {
    for arguments in [
        &["--32", "--64"][..],
        &["--32", "--data-model", "ILP32"],
        &["--data-model", "LLP64"],
        &["--budget", "-1"],
        &["--budget", "x"],
        &["--memory", "0"],
        &["--match", "semantic"],
        &["-q", "-v"],
    ] {
        assert!(parsed(arguments).is_err(), "{arguments:?}");
    }
    assert!(matches!(shared(&["--property", "no-leaks"]).program_options(None), Err(OptionError::Property { .. })));
    assert!(matches!(shared(&["--property", "shift,assert"]).program_options(None), Err(OptionError::Several { .. })));
    assert!(matches!(shared(&["--property", "none.prp"]).program_options(None), Err(OptionError::Input(_))));
}

#[test]
fn a_task_fixes_what_it_says() {
    let task = pair(DataModel::ILP32);
    assert_eq!(shared(&[]).program_options(Some(&task)).unwrap().data_model, DataModel::ILP32);
    assert_eq!(shared(&["--32"]).program_options(Some(&task)).unwrap().data_model, DataModel::ILP32);
    let error = shared(&["--64"]).program_options(Some(&task)).unwrap_err();
    assert_eq!(error.to_string(), "--data-model says LP64, but t.yml fixes ILP32");
    let error = shared(&["--property", "assert"]).program_options(Some(&task)).unwrap_err();
    assert_eq!(error.to_string(), "--property says assert, but t.yml fixes unreach-call");
}

#[test]
fn several_properties_come_from_names_files_and_repeated_flags() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.prp");
    let lines: Vec<String> = Property::MEMORY_SAFETY.iter().map(|property| property.specification("start")).collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    let all = |arguments: &[&str]| -> Vec<String> {
        let options = shared(arguments).all_program_options(None).unwrap();
        options.iter().map(|options| format!("{} {}", options.property, options.entry)).collect()
    };
    let arguments = ["--property", "shift,valid-free", "--property", file.to_str().unwrap()];
    assert_eq!(all(&arguments), ["shift main", "valid-free main", "valid-deref start", "valid-memtrack start"]);
    assert_eq!(all(&["--property", "valid-memsafety"]).len(), 3);
    assert_eq!(all(&[]), ["unreach-call main"]);
}

#[test]
fn an_artifact_fixes_everything() {
    let fixed = ProgramOptions {
        data_model: DataModel::ILP32,
        entry: "f".to_owned(),
        property: Property::UnreachCall,
        preprocessor: vec!["-DX".to_owned()],
        caller: CallerOptions::default(),
    };
    for arguments in [&[][..], &["--32"], &["--entry", "f"], &["-DX"], &["--property", "unreach-call"]] {
        shared(arguments).check_against(None, &fixed, "graph.json").unwrap();
    }
    for arguments in [&["--64"][..], &["--entry", "main"], &["-DY"], &["--property", "assert"]] {
        let error = shared(arguments).check_against(None, &fixed, "graph.json").unwrap_err();
        assert!(matches!(error, OptionError::Contradiction { .. }), "{arguments:?}: {error}");
    }
    assert!(shared(&[]).check_against(Some(&pair(DataModel::LP64)), &fixed, "graph.json").is_err());
}

#[test]
fn the_entry_comes_from_the_flag_or_the_property_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.prp");
    std::fs::write(&file, "CHECK( init(start()), LTL(G ! call(reach_error())) )\n").unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(shared(&["--property", file]).program_options(None).unwrap().entry, "start");
    assert_eq!(shared(&["--property", file, "--entry", "f"]).program_options(None).unwrap().entry, "f");
}
