//! `compile_commands.json`: with which flags a build compiles each file.
//!
//! Only what changes the preprocessed text or the data model is taken. Folders that a flag names are translated into the
//! checkout of a revision, so that each revision sees its own headers.
//! Invariant: a flag that names a folder of the repository never leads to another revision's tracked files.
//! Source: the JSON compilation database of Clang.

use std::path::{Path, PathBuf};

use formats::{flags, shown};
use serde::Deserialize;

use super::command_flags::{Flags, Place, SEARCHED, Translate, normalised};
use super::command_words::Command;

/// Where a database lies, in this order, relative to the root of a checkout.
pub(crate) const PLACES: [&str; 2] = ["compile_commands.json", "build/compile_commands.json"];
/// More words of all commands together come from no honest files of flags.
const MOST_WORDS: usize = 1 << 20;
/// Longer paths do not exist.
const LONGEST_PATH: usize = 4096;

/// A compilation database.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    /// Its name, for messages.
    name: String,
    /// Its folder; relative directories start there.
    folder: PathBuf,
    entries: Vec<Entry>,
    /// Whether words come from files of flags.
    is_expanded: bool,
}

#[derive(Clone, Debug, Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Option<Vec<String>>,
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    output: Option<PathBuf>,
}

/// Why a database cannot be used.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub(crate) enum DatabaseError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", shown::name(file))]
    Read {
        /// The file.
        file: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// It is none.
    #[error("{}: malformed compilation database: {source}", shown::name(file))]
    Malformed {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
}

impl Database {
    /// Reads a database.
    ///
    /// # Errors
    /// [`DatabaseError`] if it cannot be used.
    pub(crate) fn read(file: &Path) -> Result<Self, DatabaseError> {
        let bytes = std::fs::read(file).map_err(|source| DatabaseError::Read { file: file.to_owned(), source })?;
        let entries =
            serde_json::from_slice(&bytes).map_err(|source| DatabaseError::Malformed { file: file.to_owned(), source })?;
        let folder = file.parent().map(Path::to_owned).unwrap_or_default();
        Ok(Self { name: shown::name(file), folder: std::path::absolute(&folder).unwrap_or(folder), entries, is_expanded: false })
    }

    /// The folder that was the root of the repository where the database was written: the one below which most files of
    /// the database are files of a revision, which `has` tells. `fallback` if there is none.
    pub(crate) fn root(&self, has: &dyn Fn(&str) -> bool, fallback: &Path) -> PathBuf {
        let mut votes: std::collections::BTreeMap<PathBuf, usize> = std::collections::BTreeMap::new();
        for entry in &self.entries {
            let file = self.file(entry);
            if file.as_os_str().len() > LONGEST_PATH {
                continue;
            }
            for root in file.ancestors().skip(1) {
                if file.strip_prefix(root).is_ok_and(|inside| inside.to_str().is_some_and(has)) {
                    *votes.entry(root.to_owned()).or_default() += 1;
                }
            }
        }
        if votes.contains_key(fallback) {
            return fallback.to_owned();
        }
        // Of equally good ones the outermost, which matches the longest relative paths.
        let best = votes.into_iter().max_by_key(|(root, votes)| (*votes, std::cmp::Reverse(root.components().count())));
        best.map_or_else(|| fallback.to_owned(), |(root, _)| root)
    }

    /// The files that commands take flags from and that are not read yet, as the commands name them.
    pub(crate) fn files_of_flags(&self) -> Vec<String> {
        let words = self.entries.iter().flat_map(|entry| entry.words().unwrap_or_default());
        words.filter_map(|word| word.strip_prefix('@').map(str::to_owned)).collect()
    }

    /// Puts the flags of files where commands name the files; whether there was one that can be read.
    pub(crate) fn read_files_of_flags(&mut self, translate: &dyn Translate) -> bool {
        let (mut entries, mut room, mut found) = (std::mem::take(&mut self.entries), MOST_WORDS, false);
        for entry in &mut entries {
            let words = entry.words().unwrap_or_default();
            if !words.iter().any(|word| word.starts_with('@')) {
                continue;
            }
            let directory = self.directory(entry);
            let place = Place { directory: &directory, file: Path::new(""), translate };
            let mut expanded = Vec::new();
            for word in words {
                let inner = word.strip_prefix('@').and_then(|file| place.flags_of_file(file));
                match inner.filter(|inner| inner.len() <= room) {
                    Some(inner) => {
                        found = true;
                        room -= inner.len();
                        expanded.extend(inner);
                    }
                    None => expanded.push(word),
                }
            }
            entry.arguments = Some(expanded);
        }
        self.entries = entries;
        self.is_expanded |= found;
        found
    }

    /// Whether the same commands compile the same files in both, as far as files of flags are concerned.
    pub(crate) fn has_flags_of_files_of(&self, other: &Self) -> bool {
        let words = |database: &Self| database.entries.iter().map(Entry::words).collect::<Vec<_>>();
        let all_read = self.files_of_flags().is_empty() && other.files_of_flags().is_empty();
        all_read && (!(self.is_expanded || other.is_expanded) || words(self) == words(other))
    }

    /// The files that commands read before the programs.
    pub(crate) fn first(&self) -> Vec<String> {
        let mut found = Vec::new();
        for entry in &self.entries {
            let words = Command::of(entry.words().unwrap_or_default()).arguments;
            for (at, word) in words.iter().enumerate() {
                let Some(value) = SEARCHED.iter().find_map(|flag| word.strip_prefix(flag)) else { continue };
                found.extend(if value.is_empty() { words.get(at + 1).cloned() } else { Some(value.to_owned()) });
            }
        }
        found
    }

    /// The flags of the file `path` (relative to `root`); `None` if the database does not list it.
    ///
    /// Of several the first that belongs to one of the `targets`, if there are any.
    pub(crate) fn flags(&self, root: &Path, path: &str, targets: &[String], translate: &dyn Translate) -> Option<Flags> {
        let wanted = root.join(path);
        let mut found: Vec<&Entry> = self.entries.iter().filter(|entry| self.file(entry) == wanted).collect();
        let is_named = |entry: &&Entry| targets.iter().any(|target| target.is_empty() || entry.is_of(target));
        if found.iter().any(is_named) {
            found.retain(is_named);
        }
        let (first, others) = found.split_first()?;
        let mut flags = self.read_entry(first, translate);
        let mut differs = false;
        for other in others.iter().map(|other| self.read_entry(other, translate)) {
            let model = other.data_model.map(|model| model.to_string());
            differs |=
                (&other.arguments, other.data_model) != (&flags.arguments, flags.data_model) || other.besides != flags.besides;
            // What is not looked at must not change unseen.
            flags.besides.extend(other.given.into_iter().chain(other.plain).chain(other.besides).chain(model));
        }
        if differs {
            flags.warnings.push(format!("{path} is compiled in several ways: only the first is checked"));
        }
        Some(flags)
    }

    /// The C files, relative to `root`, that are compiled into objects of a target; all of them for an empty name.
    ///
    /// The folder of such an object is called after the target: `TARGET.dir` by CMake, `TARGET.p` by Meson, or `TARGET` itself.
    pub(crate) fn files_of(&self, root: &Path, target: &str) -> Vec<String> {
        let found = self.entries.iter().filter(|entry| target.is_empty() || entry.is_of(target));
        let file = |entry: &Entry| self.file(entry).strip_prefix(root).ok()?.to_str().map(str::to_owned);
        found.filter_map(file).filter(|file| file.ends_with(".c") || file.ends_with(".i")).collect()
    }

    fn directory(&self, entry: &Entry) -> PathBuf {
        normalised(&self.folder.join(&entry.directory))
    }

    fn file(&self, entry: &Entry) -> PathBuf {
        normalised(&self.directory(entry).join(&entry.file))
    }

    fn read_entry(&self, entry: &Entry, translate: &dyn Translate) -> Flags {
        let directory = self.directory(entry);
        let mut flags = Flags { directory: Some(translate.translate(&directory)), ..Flags::default() };
        let arguments = entry.words();
        let Some(arguments) = arguments else {
            flags.warnings.push(format!("{}: the command cannot be read", shown::name(&entry.file)));
            return flags;
        };
        let file = self.file(entry);
        flags.read(Command::of(arguments), &Place { directory: &directory, file: &file, translate });
        let refused = flags::check(&flags.given).and_then(|()| flags::check(&flags.arguments)).err();
        flags.refused = refused.map(|refused| format!("{}: {refused}", self.name));
        flags
    }
}

impl Entry {
    /// The words of its command.
    fn words(&self) -> Option<Vec<String>> {
        self.arguments.clone().or_else(|| shlex::split(self.command.as_deref()?))
    }

    /// Whether its object belongs to a target.
    fn is_of(&self, target: &str) -> bool {
        let from_command = || {
            let words = self.words()?;
            let at = words.iter().position(|word| word == "-o")?;
            words.get(at + 1).map(PathBuf::from)
        };
        let Some(output) = self.output.clone().or_else(from_command) else { return false };
        let folders = output.parent().into_iter().flat_map(Path::components);
        let names: Vec<String> = folders.map(|folder| folder.as_os_str().to_string_lossy().into_owned()).collect();
        let called = |name: &String| name.strip_prefix(target).is_some_and(|rest| matches!(rest, "" | ".dir" | ".p"));
        names.iter().any(called)
    }
}

#[cfg(test)]
mod tests {
    use formats::DataModel;

    use super::super::command_flags::PLAIN_FLAGS;
    use super::*;

    struct Into(&'static str);

    impl Translate for Into {
        fn translate(&self, path: &Path) -> PathBuf {
            path.strip_prefix("/p").map_or_else(|_| path.to_owned(), |inside| Path::new(self.0).join(inside))
        }
    }

    fn database(text: &str) -> Database {
        Database {
            name: "db.json".to_owned(),
            folder: PathBuf::from("/p"),
            entries: serde_json::from_str(text).unwrap(),
            is_expanded: false,
        }
    }

    #[test]
    fn only_what_matters_is_taken_and_paths_are_translated() {
        let database = database(
            r#"[{"directory": "build", "file": "../src/a b.c", "command":
            "gcc -O2 -m32 -DX='1 2' -D Y -UZ -I../include -isystem /usr/x -I . -std=gnu99 -MF a.d -include conf.h -o a.o -c '../src/a b.c' -funsigned-char"}]"#,
        );
        let flags = database.flags(Path::new("/p"), "src/a b.c", &[], &Into("/tmp/t")).unwrap();
        let expected =
            ["-DX=1 2", "-DY", "-UZ", "-I/tmp/t/include", "-isystem/usr/x", "-I/tmp/t/build", "-std=gnu99", "-includeconf.h"];
        assert_eq!(flags.arguments, expected);
        assert_eq!(flags.data_model, Some(DataModel::ILP32));
        assert_eq!(flags.directory, Some(PathBuf::from("/tmp/t/build")));
        assert_eq!(flags.warnings.len(), 1, "{:?}", flags.warnings);
        assert_eq!(database.flags(Path::new("/p"), "src/b.c", &[], &Into("/tmp/t")), None);
    }

    #[test]
    fn flags_that_run_code_or_swallow_arguments_are_not_passed_on() {
        let flags = |arguments: &str| {
            let entry = format!(r#"[{{"directory": "/p", "file": "a.c", "arguments": ["cc", {arguments}]}}]"#);
            database(&entry).flags(Path::new("/p"), "a.c", &[], &Into("/tmp/t")).unwrap()
        };
        for arguments in [
            r#""-fplugin=./evil.so""#, r#""-wrapper", "sh,-c,true""#, r#""-B", "x""#, r#""-Bx""#, r#""-specs=x""#,
            r#""--specs", "x""#, r#""-Xpreprocessor", "-fplugin=x""#, r#""@x""#, r#""-Wp,-fplugin=x""#, r#""-iplugindir=x""#,
        ] {
            let found = flags(&format!("{arguments}, \"-DX\""));
            assert_eq!((found.arguments, found.refused, found.warnings.len()), (vec!["-DX".to_owned()], None, 1), "{arguments}");
        }
        for arguments in [r#""-MF", "x""#, r#""-o", "x""#, r#""-dumpdir", "x""#, r#""-save-temps""#, r#""-Wp,-MD,x""#, r#""-c""#]
        {
            assert_eq!(flags(arguments).arguments, Vec::<String>::new(), "{arguments}");
        }
        for arguments in [
            r#""-D""#, r#""-include""#, r#""-D", "@x""#, r#""-include", "@x""#, r#""-include", "-fplugin=x""#, r#""-I", "-o""#,
            r#""-U", "-o""#, r#""-D", "", "-DX""#, r#""-Wp,-D""#, r#""-std=x\u001b""#, r#""-DX=\n#include \"y\"""#,
        ] {
            let refused = flags(arguments).refused.unwrap_or_default();
            assert!(refused.starts_with("db.json: the preprocessor argument"), "{arguments}: {refused}");
        }
    }

    /// The flags of a file that is compiled with these arguments.
    fn compiled_with(arguments: &[&str]) -> Flags {
        let words = [&["cc"], arguments].concat();
        let entry = serde_json::json!({"directory": "/p", "file": "a.c", "arguments": words});
        database(&serde_json::json!([entry]).to_string()).flags(Path::new("/p"), "a.c", &[], &Into("/t")).unwrap()
    }

    #[test]
    fn what_is_not_passed_on_and_may_matter_is_kept() {
        let besides = |arguments: &[&str]| compiled_with(arguments).besides.into_iter().collect::<Vec<_>>();
        let harmless = [
            "-Wall", "-g3", "-c", "-o", "a.o", "-pipe", "-fPIC", "-std=c11", "-DX", "-I.", "-MMD", "-MF", "x", "a.c", "-m64",
            "-x", "c", "-xc", "-fno-plt", "-fstack-clash-protection", "-flto",
        ];
        assert_eq!(besides(&harmless), Vec::<String>::new());
        assert_eq!(besides(&["-O2"]), besides(&["-O3"]));
        assert_eq!(besides(&["-x", "c++"]), besides(&["-xc++"]));
        for flag in [
            "-O2", "-Os", "-ffast-math", "-mavx2", "-funsigned-char", "-fpack-struct=1", "-Wl,--wrap=f", "-Wa,x", "@flags",
            "-mtune=core2", "-fmacro-prefix-map=a=b", "-ffile-prefix-map=a=b", "-xc++", "-mx32", "-fstack-protector-x",
            "-fPIC=x",
        ] {
            let found = compiled_with(&[flag]);
            assert_eq!((found.besides.len(), found.arguments.len()), (1, 0), "{flag}");
        }
    }

    #[test]
    fn the_last_of_several_counts() {
        let besides = |arguments: &[&str]| compiled_with(arguments).besides;
        for (one, other) in [
            (&["-O0", "-O2"][..], &["-O2", "-O0"][..]),
            (&["-fsigned-char", "-funsigned-char"], &["-funsigned-char", "-fsigned-char"]),
            (&["-ffast-math", "-fno-fast-math"], &["-fno-fast-math", "-ffast-math"]),
            (&["-m64", "-mx32"], &["-mx32", "-m64"]),
            (&["-x", "c", "-xc++"], &["-xc++", "-x", "c"]),
        ] {
            assert_ne!(besides(one), besides(other), "{one:?}");
        }
        assert_eq!(besides(&["-funsigned-char", "-fsigned-char", "-mx32", "-m64"]), Vec::<String>::new());
        assert_eq!(compiled_with(&["-funsigned-char", "-fsigned-char"]).warnings, Vec::<String>::new());
        assert_eq!(besides(&["-O0", "-O2"]), besides(&["-O3"]));
        assert_eq!(besides(&["-x", "c++", "a.c", "-x", "none"]), ["-x c++", "-x none behind the file"]);
    }

    #[test]
    fn every_word_but_the_file_is_kept() {
        let besides = |arguments: &[&str]| compiled_with(arguments).besides;
        assert_eq!(besides(&["-A", "x=1", "./a.c"]), ["-A", "x=1"]);
        assert_eq!(besides(&["--unknown", "k.h", "/p/b/../a.c"]), ["--unknown", "k.h"]);
        assert_eq!(besides(&["-EL", "-Wp,-MD,x.d"]), ["-EL"]);
        let found = compiled_with(&["--define-macro", "K=1", "--include=k.h", "--include-directory-after", "d", "--optimize"]);
        assert_eq!(
            (found.arguments.join(" ").as_str(), found.besides),
            ("-DK=1 -includek.h -idirafter/t/d", vec!["-O".to_owned()])
        );
    }

    #[test]
    fn another_compiler_is_told() {
        let compiled_by = |words: &[&str]| {
            let entry = serde_json::json!({"directory": "/p", "file": "a.c", "arguments": words});
            database(&serde_json::json!([entry]).to_string()).flags(Path::new("/p"), "a.c", &[], &Into("/t")).unwrap()
        };
        assert_eq!(compiled_by(&["ccache", "/usr/bin/gcc", "-c", "a.c"]).besides, Vec::<String>::new());
        assert_eq!(compiled_by(&["clang", "-c", "a.c"]).besides, ["the compiler clang"]);
        let found = compiled_by(&["sh", "-c", "gcc -DK=2 -c a.c"]);
        assert_eq!(found.warnings, ["sh is no C compiler that is known: its flags are read as those of gcc"]);
        assert!(found.besides.contains(&"gcc -DK=2 -c a.c".to_owned()), "{:?}", found.besides);
    }

    #[test]
    fn files_of_flags_are_read_where_they_are_named() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::write(tree.path().join("f.rsp"), "-DK=2 '-DS=a b' @g.rsp").unwrap();
        std::fs::write(tree.path().join("g.rsp"), "-include k.h @f.rsp @none").unwrap();
        struct Here(PathBuf);
        impl Translate for Here {
            fn translate(&self, path: &Path) -> PathBuf {
                path.strip_prefix("/p").map_or_else(|_| path.to_owned(), |inside| self.0.join(inside))
            }
        }
        let mut database = database(r#"[{"directory": "/p", "file": "a.c", "command": "cc -DJ @f.rsp -c a.c"}]"#);
        let here = Here(tree.path().to_owned());
        assert_eq!(database.files_of_flags(), ["f.rsp"]);
        assert!(database.read_files_of_flags(&here));
        assert_eq!(database.files_of_flags(), ["g.rsp"]);
        assert!(database.read_files_of_flags(&here));
        assert_eq!(
            (database.files_of_flags(), database.first()),
            (vec!["f.rsp".to_owned(), "none".to_owned()], vec!["k.h".to_owned()])
        );
        let found = database.flags(Path::new("/p"), "a.c", &[], &here).unwrap();
        assert_eq!(found.arguments, ["-DJ", "-DK=2", "-DS=a b", "-includek.h"]);
        assert_eq!((found.besides.len(), found.besides[1].as_str()), (2, "@none"), "what cannot be read is told apart");
        assert!(found.besides[0].starts_with("@f.rsp with SHA-256"), "{:?}", found.besides);
    }

    #[test]
    fn what_changes_macros_is_passed_on() {
        for flag in PLAIN_FLAGS.iter().filter(|flag| !matches!(**flag, "-m32" | "-m64")) {
            let found = compiled_with(&[flag]);
            assert_eq!((found.arguments, found.refused), (vec![(*flag).to_owned()], None), "{flag}");
        }
        assert_eq!(compiled_with(&["-fPIC", "-fno-pie"]).arguments, ["-fPIC", "-fno-pie"], "the last counts");
        assert_eq!(compiled_with(&["--ansi", "--std", "c99"]).arguments, ["-ansi", "-std=c99"], "as gcc spells them too");
    }

    #[test]
    fn a_third_data_model_is_told_and_not_taken() {
        let found = compiled_with(&["-mx32"]);
        assert_eq!((found.data_model, found.arguments), (None, Vec::new()));
        assert_eq!(found.warnings, ["the flag -mx32 changes what the program means: it is ignored"]);
    }

    #[test]
    fn the_standard_of_inline_functions_is_kept() {
        let besides = |arguments: &[&str]| compiled_with(arguments).besides;
        assert_eq!(besides(&["-std=gnu89"]), besides(&["-std=c99", "-ansi"]));
        assert_eq!(besides(&["-std=gnu89"]).len(), 1);
        assert_eq!(besides(&["-ansi", "-std=gnu11"]), besides(&["-std=c99"]));
        assert_eq!(besides(&["-std=c99"]).len(), 0);
    }

    #[test]
    fn a_file_of_two_targets_is_read_as_the_one_that_is_meant() {
        let database = database(
            r#"[{"directory": "/p", "file": "a.c", "output": "t.dir/a.o", "arguments": ["cc", "-DX=1"]},
                {"directory": "/p", "file": "a.c", "output": "u.dir/a.o", "arguments": ["cc", "-DX=2", "-fPIC"]}]"#,
        );
        let flags = |targets: &[&str]| {
            let targets: Vec<String> = targets.iter().map(|target| (*target).to_owned()).collect();
            database.flags(Path::new("/p"), "a.c", &targets, &Into("/t")).unwrap()
        };
        assert_eq!((flags(&["u"]).arguments, flags(&["u"]).warnings), (vec!["-DX=2".to_owned(), "-fPIC".to_owned()], Vec::new()));
        let both = flags(&[]);
        assert_eq!((both.arguments, both.warnings.len()), (vec!["-DX=1".to_owned()], 1));
        assert!(
            ["-DX=2", "-fPIC"].iter().all(|flag| both.besides.iter().any(|other| other == flag)),
            "a change of the second would be seen"
        );
    }

    #[test]
    fn the_root_of_a_foreign_machine_is_found() {
        let tree = tempfile::tempdir().unwrap();
        std::fs::create_dir(tree.path().join("src")).unwrap();
        for name in ["a.c", "src/a.c", "src/b.c"] {
            std::fs::write(tree.path().join(name), "").unwrap();
        }
        let database = database(
            r#"[{"directory": "/far", "file": "src/a.c", "arguments": ["cc"]},
                {"directory": "/far/src", "file": "b.c", "arguments": ["cc"]}]"#,
        );
        let has = |file: &str| tree.path().join(file).is_file();
        assert_eq!(database.root(&has, Path::new("/here")), PathBuf::from("/far"));
    }
}
