//! Tests of reading and preprocessing.

use std::path::PathBuf;

use super::*;
use crate::source::Span;

fn options(data_model: DataModel, preprocessor: &[&str]) -> ProgramOptions {
    let preprocessor = preprocessor.iter().map(|argument| (*argument).to_owned()).collect();
    ProgramOptions { data_model, preprocessor, ..ProgramOptions::default() }
}

/// A folder of this test's own under the build folder.
fn folder_of(test: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("residue-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn read(path: &Path, options: &ProgramOptions) -> SourceFile {
    read_source(path, options).unwrap_or_else(|diagnostic| panic!("{diagnostic}"))
}

/// The lines that are no markers.
fn code(source: &SourceFile) -> String {
    let text = source.snippet(Span::new(0, source.text().len() as u32)).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    lines.join("\n")
}

#[test]
fn text_without_directives_is_not_touched() {
    let folder = folder_of("plain");
    let path = folder.join("a.i");
    std::fs::write(&path, "#line 3 \"b.c\"\n#pragma pack(1)\nint linux;\n").unwrap();
    let source = read(&path, &options(DataModel::ILP32, &["-Iinclude"]));
    assert!(!source.is_preprocessed());
    assert_eq!(source.text().len(), 41);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn macros_are_expanded_even_in_preprocessed_files() {
    let folder = folder_of("macros");
    let path = folder.join("a.i");
    std::fs::write(&path, "#define N 3\nint a[N], b = M;\n").unwrap();
    let source = read(&path, &options(DataModel::LP64, &["-DM=7"]));
    assert_eq!(code(&source), "int a[3], b = 7;");
    let offset = source.text().windows(5).position(|window| window == b"int a").unwrap() as u32;
    let location = source.location(offset);
    assert_eq!((location.file, location.line), (path.to_str().unwrap(), 2));
    assert_eq!(source.sha256(), SourceFile::new("", std::fs::read(&path).unwrap()).sha256());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_definition_on_the_command_line_counts_without_directives() {
    let folder = folder_of("define");
    let path = folder.join("a.c");
    std::fs::write(&path, "int b = M;\n").unwrap();
    let source = read(&path, &options(DataModel::LP64, &["-DM=7"]));
    assert_eq!(code(&source), "int b = 7;");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_text_does_not_depend_on_the_folder() {
    let folder = folder_of("folder");
    let texts: Vec<Vec<u8>> = ["x", "longer"]
        .map(|name| {
            let place = folder.join(name);
            std::fs::create_dir_all(&place).unwrap();
            std::fs::write(place.join("h.h"), "int h;\n").unwrap();
            let path = place.join("a.c");
            std::fs::write(&path, "#include \"h.h\"\nchar *f = __FILE__;\n").unwrap();
            let source = read(&path, &options(DataModel::LP64, &[]));
            assert!(code(&source).ends_with("char *f = \"a.c\";"));
            source.text().to_vec()
        })
        .into();
    assert_eq!(String::from_utf8_lossy(&texts[0]), String::from_utf8_lossy(&texts[1]));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_data_model_reaches_the_preprocessor() {
    let folder = folder_of("model");
    let path = folder.join("a.c");
    std::fs::write(&path, "int a = __SIZEOF_POINTER__;\n").unwrap();
    assert_eq!(code(&read(&path, &options(DataModel::ILP32, &[]))), "int a = 4;");
    assert_eq!(code(&read(&path, &options(DataModel::LP64, &[]))), "int a = 8;");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn failures_carry_the_message_of_the_preprocessor() {
    let folder = folder_of("failure");
    let path = folder.join("a.c");
    std::fs::write(&path, "#error no luck\n").unwrap();
    let error = read_source(&path, &options(DataModel::ILP32, &[])).unwrap_err();
    let Diagnostic::Preprocessor { message, missing_32_bit, .. } = &error else { panic!("{error}") };
    assert!(message.contains("no luck"), "{message}");
    assert!(!missing_32_bit);
    for (header, is_cplusplus) in [("<iostream>", true), ("\"gone.h\"", false)] {
        std::fs::write(&path, format!("#include {header}\n")).unwrap();
        let error = read_source(&path, &options(DataModel::LP64, &[])).unwrap_err();
        let help = miette::Diagnostic::help(&error).unwrap().to_string();
        assert_eq!(help.contains("C++"), is_cplusplus, "{help}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_missing_32_bit_library_names_its_package() {
    let folder = folder_of("narrow");
    let path = folder.join("a.c");
    // What a header of a 64-bit library without its 32-bit sister does.
    let text = "#ifndef __LP64__\n#include <no/such/stubs-32.h>\n#endif\nint a;\n";
    std::fs::write(&path, text).unwrap();
    let error = read_source(&path, &options(DataModel::ILP32, &[])).unwrap_err();
    let help = miette::Diagnostic::help(&error).unwrap().to_string();
    assert!(help.contains("gcc-multilib"), "{help}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_no_text_is_refused() {
    let folder = folder_of("binary");
    let path = folder.join("a.c");
    std::fs::write(&path, b"\x7fELF\0\0").unwrap();
    let error = read_source(&path, &options(DataModel::LP64, &[])).unwrap_err();
    assert!(matches!(error, Diagnostic::NotText { .. }), "{error}");
    // A folder is its C files.
    let error = read_source(&folder, &options(DataModel::LP64, &[])).unwrap_err();
    assert!(matches!(error, Diagnostic::NotText { .. }), "{error}");
    let error = read_source(&folder.join("none.c"), &options(DataModel::LP64, &[])).unwrap_err();
    assert!(matches!(error, Diagnostic::Read { .. }), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}
