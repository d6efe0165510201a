//! Which files of a repository a change can be seen in, without reading them: those that differ, and those that include one
//! that does, directly or through others.
//!
//! Names are compared without their folders, so that it does not matter where a header is looked for.
//! Invariant: a file that is not affected has the same preprocessed text in both revisions when it is read with the same flags.
//! Whatever cannot be told from a line (an include of a macro, a directive that a line splice cuts) makes a file affected.
//! Does not know C beyond its directives for including.

use std::collections::{BTreeMap, BTreeSet};

use super::directives::{Line, spliced};

/// What the files of a revision include.
#[derive(Clone, Debug, Default)]
pub(crate) struct Includes {
    files: BTreeMap<String, Included>,
    /// Those of them that no revision has.
    untracked: ByName,
}

/// What one file includes.
#[derive(Clone, Debug, Default)]
struct Included {
    names: BTreeSet<String>,
    /// The folders on the way to them.
    folders: BTreeSet<String>,
    /// Those of the names that it may only ask for.
    asked: BTreeSet<String>,
    /// Something that its text does not name.
    computed: bool,
    /// What becomes part of the program without being read as C.
    binaries: Vec<String>,
}

/// Files to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Needed {
    /// All there are.
    Everything,
    /// These.
    Files(BTreeSet<String>),
}

/// Endings of scripts and documents, in which words like those of an assembler mean something else (`list.include?("x")`).
const OTHER_LANGUAGES: [&str; 24] = [
    "rb", "py", "pl", "pm", "lua", "js", "ts", "sh", "bat", "ps1", "go", "java", "rs", "swift", "php", "md", "rst", "txt",
    "html", "yml", "yaml", "json", "xml", "tex",
];

impl Includes {
    /// Takes down a line that may be a directive.
    pub(crate) fn add(&mut self, path: &str, line: &str) {
        let told = Line::of(line);
        let entry = self.files.entry(path.to_owned()).or_default();
        entry.computed |= told.computed;
        // What only looks like a name does no harm: a file is looked at that need not be.
        let names: Vec<&str> = quoted(line).into_iter().chain(told.names).collect();
        entry.folders.extend(names.iter().flat_map(|name| name.split('/').rev().skip(1)).map(str::to_owned));
        let names = names.into_iter().map(|name| name_of(name).to_owned());
        match line.contains("__has") {
            true => entry.asked.extend(names.inspect(|name| _ = entry.names.insert(name.clone()))),
            false => entry.names.extend(names),
        }
        if line.contains("incbin") || line.contains(".include") && line.contains('"') {
            entry.binaries.push(line.to_owned());
        }
    }

    /// The files that name a file where something becomes part of a program without being read as C.
    pub(crate) fn takers_of(&self, file: &str) -> BTreeSet<String> {
        let names = |included: &Included| included.binaries.iter().any(|line| line.contains(name_of(file)));
        self.files
            .iter()
            .filter(|(path, included)| names(included) && self.may_be_part(path))
            .map(|(path, _)| path.clone())
            .collect()
    }

    /// The files that take in, without reading it as C, what they do not name: a macro's argument, or what the next line says.
    pub(crate) fn takers(&self, by_name: &ByName) -> BTreeSet<String> {
        let is_open = |line: &String| !by_name.keys().any(|name| is_quoted(line, name));
        let takers = self.files.iter().filter(|(_, included)| included.binaries.iter().any(is_open));
        takers.map(|(path, _)| path.clone()).filter(|path| self.may_be_part(path)).collect()
    }

    /// Whether a file may be part of a C program: its name is not that of a text in another language, or some file includes it.
    fn may_be_part(&self, path: &str) -> bool {
        let is_other = path.rsplit_once('.').is_some_and(|(_, ending)| OTHER_LANGUAGES.contains(&ending));
        !is_other || self.files.values().any(|included| included.names.contains(name_of(path)))
    }

    /// Takes down a whole text.
    pub(crate) fn add_text(&mut self, path: &str, text: &str) {
        let words = ["include", "import", "embed", "incbin"];
        let whole = spliced(text);
        let lines = text.lines().chain(whole.lines()).filter(|line| words.iter().any(|word| line.contains(word)));
        lines.for_each(|line| self.add(path, line));
    }

    /// Takes down a file that includes what its text does not name.
    pub(crate) fn add_computed(&mut self, path: &str) {
        self.files.entry(path.to_owned()).or_default().computed = true;
    }

    /// Takes down that a file includes another one.
    pub(crate) fn add_name(&mut self, path: &str, name: &str) {
        self.files.entry(path.to_owned()).or_default().names.insert(name_of(name).to_owned());
    }

    /// Takes down a file that no revision has.
    pub(crate) fn add_untracked(&mut self, path: &str) {
        self.untracked.entry(name_of(path).to_owned()).or_default().push(path.to_owned());
    }

    /// The names that some file includes.
    pub(crate) fn all_names(&self) -> BTreeSet<&str> {
        self.files.values().flat_map(|included| &included.names).map(String::as_str).collect()
    }

    /// The names of headers that some file may only ask for, and do something else where there are none.
    pub(crate) fn asked(&self) -> BTreeSet<&str> {
        self.files.values().flat_map(|included| &included.asked).map(String::as_str).collect()
    }

    /// Whether what is included is said to lie in a folder of this name.
    pub(crate) fn leads_through(&self, folder: &str) -> bool {
        self.files.values().any(|included| included.folders.contains(folder))
    }

    /// The files that include one of a name in `names`, and those that include what is not known; the names grow by theirs.
    fn spread(&self, names: &mut BTreeSet<String>, found: &mut BTreeSet<String>) -> bool {
        let before = found.len();
        for (path, included) in &self.files {
            if !found.contains(path) && (included.computed || included.names.iter().any(|name| names.contains(name))) {
                found.insert(path.clone());
                names.insert(name_of(path).to_owned());
            }
        }
        found.len() > before
    }

    /// The names that files include.
    pub(crate) fn names_of(&self, files: &BTreeSet<String>) -> BTreeSet<String> {
        files.iter().filter_map(|path| self.files.get(path)).flat_map(|included| included.names.iter().cloned()).collect()
    }

    /// What reading `paths` may open of the files of a revision.
    pub(crate) fn needed(&self, paths: impl IntoIterator<Item = String>, all: &BTreeSet<String>) -> Needed {
        self.needed_of(paths, &by_name(all))
    }

    /// As [`Includes::needed`], for files that are sorted by their names.
    pub(crate) fn needed_of(&self, paths: impl IntoIterator<Item = String>, by_name: &ByName) -> Needed {
        let (mut found, mut todo) = (BTreeSet::new(), paths.into_iter().collect::<Vec<_>>());
        while let Some(path) = todo.pop() {
            let included = self.files.get(&path);
            if included.is_some_and(|included| included.computed) {
                return Needed::Everything;
            }
            let names = included.into_iter().flat_map(|included| &included.names);
            let places = |name: &String| [by_name, &self.untracked].map(|files| files.get(name.as_str()));
            let others = names.flat_map(|name| places(name).into_iter().flatten().flatten());
            let others: Vec<String> = others.filter(|other| !found.contains(*other)).cloned().collect();
            if found.insert(path) {
                todo.extend(others);
            }
        }
        Needed::Files(found)
    }
}

/// Files by their names without folders.
pub(crate) type ByName = BTreeMap<String, Vec<String>>;

/// Sorts files by their names.
pub(crate) fn by_name(files: &BTreeSet<String>) -> ByName {
    let mut by_name = ByName::new();
    for path in files {
        by_name.entry(name_of(path).to_owned()).or_default().push(path.clone());
    }
    by_name
}

/// The files that a difference in `changed` can be seen in, those themselves among them.
pub(crate) fn affected(changed: &BTreeSet<String>, revisions: [&Includes; 2]) -> BTreeSet<String> {
    let mut found = changed.clone();
    if changed.is_empty() {
        return found;
    }
    let mut names: BTreeSet<String> = changed.iter().map(|path| name_of(path).to_owned()).collect();
    while revisions.iter().any(|includes| includes.spread(&mut names, &mut found)) {}
    found
}

/// The name of a file without its folders.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Words of types, of which a declaration may be made.
const TYPES: [&str; 26] = [
    "extern", "const", "volatile", "signed", "unsigned", "char", "short", "int", "long", "float", "double", "void", "_Bool",
    "bool", "size_t", "ssize_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
    "intptr_t", "uintptr_t",
];

/// Whether a line does no more than declare one of these functions: words of types, the name, parameters.
pub(crate) fn is_prototype(line: &str, names: &BTreeSet<String>) -> bool {
    let Some((before, after)) = line.trim().strip_suffix(';').and_then(|line| line.split_once('(')) else { return false };
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    if before.contains(|c: char| !is_word(c) && c != ' ' && c != '*') || after.contains(['{', ';', '#', '"', '\'', '\\', '=']) {
        return false;
    }
    let words: Vec<&str> = before.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect();
    let Some((name, types)) = words.split_last() else { return false };
    let is_tag = |at: usize| at > 0 && matches!(types[at - 1], "struct" | "union" | "enum");
    let is_type = |(at, word): (usize, &&str)| TYPES.contains(word) || matches!(*word, "struct" | "union" | "enum") || is_tag(at);
    let is_named = after.split(|c| !is_word(c)).any(|word| names.contains(word));
    names.contains(*name) && !types.is_empty() && types.iter().enumerate().all(is_type) && !is_named
}

/// Whether a file of this name is named in a line: in quotation marks, of C or of the assembler, with folders or without.
fn is_quoted(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| line[..at].ends_with(['"', '/']) && line[at + name.len()..].starts_with(['"', '\\']))
}

/// What stands in quotation marks or angle brackets, as it is written: blanks are part of a name.
pub(super) fn quoted(line: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for (open, close) in [('"', '"'), ('<', '>')] {
        let mut rest = line;
        while let Some((_, behind)) = rest.split_once(open) {
            let Some((name, after)) = behind.split_once(close) else { break };
            names.push(name);
            rest = after;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn includes(lines: &[(&str, &str)]) -> Includes {
        let mut all = Includes::default();
        lines.iter().for_each(|(path, line)| all.add(path, line));
        all
    }

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_change_is_seen_through_headers() {
        let before = includes(&[("a.c", "#include \"x.h\""), ("inc/x.h", "# include <deep/y.h>"), ("b.c", "#include <stdio.h>")]);
        let after = includes(&[("c.c", "%:include \"y.h\" // why"), ("d.c", "#if __has_include(<z.h>)")]);
        assert_eq!(affected(&set(&["other/y.h"]), [&before, &after]), set(&["other/y.h", "inc/x.h", "a.c", "c.c"]));
        assert_eq!(affected(&set(&["z.h"]), [&before, &after]), set(&["z.h", "d.c"]), "also one that is new");
        assert_eq!(affected(&set(&[]), [&before, &after]), set(&[]));
    }

    #[test]
    fn what_is_not_named_may_be_anything() {
        let mut all = includes(&[("a.c", "#include HEADER"), ("b.c", "// we include much"), ("c.c", "#include \"a.c\"")]);
        assert_eq!(affected(&set(&["x.h"]), [&all, &Includes::default()]), set(&["x.h", "a.c", "c.c"]));
        all.add_computed("b.c");
        assert!(affected(&set(&["x.h"]), [&Includes::default(), &all]).contains("b.c"));
        assert_eq!(all.needed(["c.c".to_owned()], &set(&["a.c", "c.c"])), Needed::Everything);
    }

    #[test]
    fn a_directive_that_comments_cut_includes_anything() {
        let is_computed = |line: &str| affected(&set(&["x.h"]), [&includes(&[("a.c", line)]), &Includes::default()]).len() > 1;
        for line in ["*/ include /*", "*/include HEADER", "# include /* \"a.h\"", "x */ include /* one */ /* \"a.h\""] {
            assert!(is_computed(line), "{line}");
        }
        for line in ["*/ include \"a.h\"", "#include \"a.h\" /* and", "we include /* much", "# include /* one */ <a.h>"] {
            assert!(!is_computed(line), "{line}");
        }
    }

    #[test]
    fn names_are_what_directives_say() {
        let is_seen =
            |line: &str, name: &str| affected(&set(&[name]), [&includes(&[("a.c", line)]), &Includes::default()]).len() > 1;
        for line in [
            "#include HDR // was \"old.h\"",
            "#include F(HDR,\"x\")",
            "#include HDR // a < b > c",
            "/* it\"s */ #include \"cfg.h\" /* \" */",
            "/* \"old */ #include \"cfg.h\" // \"",
            "#if __has_include(\"old.h\") || __has_include(HDR)",
            "/* \"x\" */ #include \"cf\\",
        ] {
            assert!(is_seen(line, "cfg.h"), "{line}");
        }
        assert!(!is_seen("#include \"old.h\" // why", "cfg.h"));
        assert!(
            is_seen("#include \"d/cfg.h \"", "d/cfg.h ") && !is_seen("#include \"cfg.h \"", "cfg.h"),
            "blanks are part of names"
        );
        let mut text = Includes::default();
        text.add_text("a.c", "/* \"x\" */ #include \"cf\\\ng.h\"\n");
        assert!(affected(&set(&["cfg.h"]), [&text, &Includes::default()]).contains("a.c"));
    }

    #[test]
    fn what_the_assembler_takes_in_may_not_be_named_there() {
        let by_name = by_name(&set(&["f", "d/k.bin", "k.inc"]));
        let takers = |line: &str| !includes(&[("a.c", line)]).takers(&by_name).is_empty();
        for line in ["\".incbin \\\"\" f \"\\\"\"", "asm(\".incbin \"", "asm(\".include \" NAME)"] {
            assert!(takers(line), "{line}");
        }
        for line in ["asm(\".incbin \\\"d/k.bin\\\"\")", "asm(\".include \\\"k.inc\\\"\")", "#include \"x.h\""] {
            assert!(!takers(line), "{line}");
        }
        let script = ("make.rb", "puts '\"x\"' if all.include?(\"x\")");
        assert!(includes(&[script]).takers(&by_name).is_empty() && includes(&[script]).takers_of("d/x").is_empty());
        assert_eq!(includes(&[script, ("a.c", "#include \"make.rb\"")]).takers(&by_name), set(&["make.rb"]));
        assert!(includes(&[("a.c", "asm(\".include \\\"k.inc\\\"\")")]).takers_of("d/k.inc") == set(&["a.c"]));
    }

    #[test]
    fn a_declaration_uses_nothing() {
        let names = set(&["f", "g"]);
        for line in ["int f(int x);", "  extern const struct tag *f(void (*)(int), char *);", "unsigned long g(size_t n) ;"] {
            assert!(is_prototype(line, &names), "{line}");
        }
        for line in [
            "return f(x);", "f(x);", "#define F int f(int);", "int f(int x) { return g(x); }", "MACRO f(x);", "int y = f(x);",
            "int f(int x[sizeof g(1)]);", "int f(x); int (*p)(int) = f;", "int h(int f);", "int f(int),",
        ] {
            assert!(!is_prototype(line, &names), "{line}");
        }
    }

    #[test]
    fn what_is_read_is_what_is_included() {
        let all = includes(&[("src/a.c", "#include \"x.h\""), ("inc/x.h", "#include \"y.h\""), ("y.h", "#include \"x.h\"")]);
        let files = set(&["src/a.c", "inc/x.h", "other/x.h", "y.h", "z.h"]);
        let expected = set(&["src/a.c", "inc/x.h", "other/x.h", "y.h"]);
        assert_eq!(all.needed(["src/a.c".to_owned()], &files), Needed::Files(expected));
    }
}
