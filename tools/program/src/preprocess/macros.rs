//! Definitions of macros: which ones a program saw, and where.
//!
//! Invariant: places are those of the files people edit, as line markers name them.
//! Does not know which macros a statement uses.

use std::path::Path;

use formats::ProgramOptions;

use super::{check_name, read_bytes, renamed, run_preprocessor};
use crate::diagnostic::Diagnostic;
use crate::source::SourceFile;

/// A `#define` that the preprocessor came by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacroDefinition {
    /// The macro.
    pub name: String,
    /// What follows the name on one line: parameters and replacement.
    pub text: String,
    /// The file, or `<command-line>`.
    pub file: String,
    /// The line the definition begins on, from 1.
    pub line: u32,
}

/// The definitions that count for a program, in the order in which they are read; without those of the compiler.
///
/// # Errors
/// As [`super::read_source`].
pub fn macro_definitions(path: &Path, options: &ProgramOptions) -> Result<Vec<MacroDefinition>, Diagnostic> {
    match formats::inputs::files(path)? {
        None => definitions_of_unit(path, options),
        Some(files) => {
            let mut all = Vec::new();
            for file in files {
                let found = definitions_of_unit(&file.path, options)?;
                all.extend(found.into_iter().filter(|definition| !all.contains(definition)).collect::<Vec<_>>());
            }
            Ok(all)
        }
    }
}

fn definitions_of_unit(path: &Path, options: &ProgramOptions) -> Result<Vec<MacroDefinition>, Diagnostic> {
    check_name(path)?;
    let original = read_bytes(path).map_err(|error| Diagnostic::Read { path: path.to_owned(), error })?;
    let mut options = options.clone();
    options.preprocessor.push("-dD".to_owned());
    let output = run_preprocessor(path, &original, &options)?;
    Ok(definitions(&SourceFile::new(path.to_string_lossy(), renamed(&output, path, None))))
}

/// The definitions in what `cc -E -dD` prints.
#[must_use]
pub fn definitions(source: &SourceFile) -> Vec<MacroDefinition> {
    let lines = (1..).map_while(|number| source.line(number));
    let definition = |span| {
        let line = source.snippet(span);
        let rest = line.strip_prefix("#define ")?;
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
        let (name, text) = rest.split_at_checked(end)?;
        let place = source.location(span.lo);
        let is_ours = place.file == "<command-line>" || !place.file.starts_with('<');
        is_ours.then(|| MacroDefinition {
            name: name.to_owned(),
            text: text.trim_end().to_owned(),
            file: place.file.to_owned(),
            line: place.line,
        })
    };
    lines.filter_map(definition).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_have_their_places() {
        let folder = std::env::temp_dir().join(format!("residue-definitions-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("include")).unwrap();
        std::fs::write(folder.join("include/h.h"), "/* one */\n#define RIM 100\n").unwrap();
        let path = folder.join("a.c");
        let text = "#include \"include/../include/h.h\"\n#define ADD(x) \\\n    ((x) + RIM)\n#undef RIM\n#define RIM 7\n#if RIM > M\n#define NEVER\n#endif\n";
        std::fs::write(&path, text).unwrap();
        let options = ProgramOptions { preprocessor: vec!["-DM=8".to_owned()], ..ProgramOptions::default() };
        let found = macro_definitions(&path, &options).unwrap();
        let shown = |known: &MacroDefinition| {
            let file = known.file.strip_prefix(&format!("{}/", folder.display())).unwrap_or(&known.file).to_owned();
            format!("{}{} at {file}:{}", known.name, known.text, known.line)
        };
        let ours = found.iter().filter(|known| !known.file.starts_with("/usr/")).map(shown);
        let expected = ["M 8 at <command-line>:0", "RIM 100 at include/h.h:2", "ADD(x) ((x) + RIM) at a.c:2", "RIM 7 at a.c:5"];
        assert_eq!(ours.collect::<Vec<_>>(), expected);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
