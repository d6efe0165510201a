//! What has changed outside of a program: bodies and values in other files that its entry function uses.
//!
//! Files are not linked, so that a function of another file yields any value, in both revisions. A change of what it does is
//! seen by no unit unless this module sees it.
//! Invariant: a function counts as changed if its text, anything of its file outside of functions, or anything it mentions
//! has changed.
//! Does not know how a unit is checked.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::{Definition, Definitions, Standing, definitions};

/// A C file of the change, or the files of a program that are linked, preprocessed.
pub(crate) struct Text {
    /// Its path in the modified revision, or the name of a program of several files.
    pub(crate) path: String,
    /// Its texts in the original revision; absent if it is new.
    pub(crate) original: Option<Vec<Vec<u8>>>,
    /// Its texts in the modified revision.
    pub(crate) modified: Vec<Vec<u8>>,
}

/// What has changed, over all files.
pub(crate) struct Changes {
    files: BTreeMap<String, Definitions>,
    /// Per file, which of its definitions have changed.
    changed: BTreeMap<String, BTreeSet<String>>,
    /// Files that bring what runs by itself and has changed into a program, and what and where that is.
    running: BTreeMap<String, (String, String)>,
}

impl Changes {
    /// Finds them. A file that cannot be read as C changes nothing here: it is a failure of its own.
    pub(crate) fn of(texts: &[Text]) -> Self {
        let mut all = Self { files: BTreeMap::new(), changed: BTreeMap::new(), running: BTreeMap::new() };
        for text in texts {
            let Some(mut after) = definitions(&text.modified) else { continue };
            let before = text.original.as_deref().and_then(definitions);
            let is_same = before.as_ref().is_some_and(|before| before.has_rest_of(&after));
            let former = |name: &String| before.as_ref().and_then(|before| Some(&before.by_name.get(name)?.text));
            let differs = |(name, definition): &(&String, &Definition)| match definition.standing {
                Standing::Tentative => former(name).is_some_and(|text| *text != definition.text),
                Standing::Defined | Standing::Gone => !is_same || former(name) != Some(&definition.text),
            };
            let mut seed: BTreeSet<String> = after.by_name.iter().filter(differs).map(|(name, _)| name.clone()).collect();
            for (name, definition) in before.map(|before| before.by_name).unwrap_or_default() {
                after.by_name.entry(name).or_insert_with_key(|name| {
                    seed.insert(name.clone());
                    Definition { is_alias: true, standing: Standing::Gone, ..definition }
                });
            }
            all.files.insert(text.path.clone(), after);
            all.changed.insert(text.path.clone(), seed);
        }
        all.spread();
        all
    }

    /// What mentions something that has changed has changed.
    fn spread(&mut self) {
        loop {
            let mut grown = self.spread_running();
            let external = self.external();
            for (path, file) in &self.files {
                let Some(own) = self.changed.get_mut(path) else { continue };
                let reaches = |own: &BTreeSet<String>, name: &String| match file.by_name.get(name) {
                    Some(definition) => own.contains(name) || definition.is_alias && external.contains_key(name),
                    None => external.contains_key(name),
                };
                let new: Vec<String> = file
                    .by_name
                    .iter()
                    .filter_map(|(name, definition)| {
                        let is_new = !own.contains(name) && definition.mentions.iter().any(|mention| reaches(own, mention));
                        is_new.then(|| name.clone())
                    })
                    .collect();
                grown |= !new.is_empty();
                own.extend(new);
            }
            if !grown {
                return;
            }
        }
    }

    /// What uses anything of a file brings all of it into a program: whatever runs there by itself does so in the program.
    fn spread_running(&mut self) -> bool {
        let before = self.running.len();
        for (path, names) in &self.changed {
            let file = &self.files[path];
            if let Some(name) = names.iter().find(|name| file.by_name[*name].runs) {
                self.running.entry(path.clone()).or_insert_with(|| (name.clone(), path.clone()));
            }
        }
        let mut offered = BTreeMap::new();
        for (path, found) in &self.running {
            let external = self.files[path].external().filter(|(_, definition)| definition.standing != Standing::Gone);
            external.for_each(|(name, _)| _ = offered.insert(name, found));
        }
        let is_open = |file: &Definitions, name: &String| file.by_name.get(name).is_none_or(|own| own.is_alias);
        let users: Vec<(String, (String, String))> = self
            .files
            .iter()
            .filter(|(path, _)| !self.running.contains_key(*path))
            .filter_map(|(path, file)| {
                let mut mentions = file.by_name.values().flat_map(|definition| &definition.mentions);
                let found = mentions.find_map(|name| offered.get(name).filter(|_| is_open(file, name)))?;
                Some((path.clone(), (*found).clone()))
            })
            .collect();
        self.running.extend(users);
        for path in self.running.keys() {
            let external: Vec<String> = self.files[path].external().map(|(name, _)| name.clone()).collect();
            self.changed.entry(path.clone()).or_default().extend(external);
        }
        self.running.len() > before
    }

    /// The names of what has changed and can be used by other files.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        self.external().into_keys().collect()
    }

    /// What has changed and can be used by other files: name to files.
    fn external(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (path, names) in &self.changed {
            let file = &self.files[path];
            let external = file.external().map(|(name, _)| name).filter(|name| names.contains(*name));
            external.for_each(|name| _ = found.entry(name.clone()).or_default().insert(path.clone()));
        }
        found
    }

    /// What the function `entry` of the file `path` uses of other files that has changed there: name and file.
    pub(crate) fn used_by(&self, path: &str, entry: &str) -> Option<(String, String)> {
        let file = self.files.get(path)?;
        let external = self.external();
        if let Some(found) = self.running.get(path).filter(|(_, other)| other != path) {
            return Some(found.clone());
        }
        let (mut seen, mut todo) = (BTreeSet::from([entry]), vec![entry]);
        while let Some(name) = todo.pop() {
            let definition = file.by_name.get(name);
            if definition.is_none_or(|definition| definition.is_alias)
                && let Some(other) = external.get(name).and_then(|files| files.iter().find(|other| *other != path))
            {
                return Some((name.to_owned(), other.clone()));
            }
            let Some(definition) = definition else { continue };
            todo.extend(definition.mentions.iter().map(String::as_str).filter(|mention| seen.insert(mention)));
        }
        None
    }

    /// Those functions of which nothing has changed that they, or the names beside them, lead to through other definitions of the
    /// program, which is the only text.
    ///
    /// Whatever a definition mentions counts, in literals as well: a name that assembly or a loader looks up. What has the name
    /// of a function of the C library may be called by one, and what runs by itself may write anything. Who is given functions
    /// by its callers may be given any, and so may what is defined outside of the program.
    pub(crate) fn left_alone<'e>(
        &self,
        (path, entries): (&str, &'e [String]),
        beside: &BTreeSet<String>,
        is_of_the_library: impl Fn(&str) -> bool,
    ) -> BTreeSet<&'e str> {
        let (Some(file), Some(changed)) = (self.files.get(path), self.changed.get(path)) else { return BTreeSet::new() };
        let is_everywhere = !self.running.is_empty() || changed.iter().any(|name| is_of_the_library(name));
        let open = file.leading_outside();
        let is_asked = |name: &String| changed.contains(name) || !changed.is_empty() && open.contains(name.as_str());
        if self.files.len() != 1 || is_everywhere || beside.iter().any(is_asked) {
            return BTreeSet::new();
        }
        let functions: BTreeSet<&str> = file.functions().collect();
        // The system calls `main`, and where nothing has changed nothing else can be given.
        let is_given = |entry: &String| entry != "main" && !changed.is_empty() && file.given.contains(entry);
        let is_alone = |entry: &&String| functions.contains(entry.as_str()) && !is_asked(entry) && !is_given(entry);
        entries.iter().filter(is_alone).map(String::as_str).collect()
    }

    /// Whether the file `path` defines the function.
    pub(crate) fn defines(&self, path: &str, function: &str) -> bool {
        self.files
            .get(path)
            .is_some_and(|file| file.by_name.get(function).is_some_and(|definition| definition.standing != Standing::Gone))
    }

    /// A file that uses one of these names, which it does not define itself, and the name.
    pub(crate) fn user_of<'a>(&'a self, wanted: &BTreeSet<String>) -> Option<(&'a str, &'a str)> {
        let defined = self.files.values().flat_map(|file| &file.by_name);
        let defined = defined.filter(|(_, definition)| definition.standing == Standing::Defined);
        let defined_now: BTreeSet<&String> = defined.map(|(name, _)| name).collect();
        self.files.iter().find_map(|(path, file)| {
            let mut mentions = file.by_name.values().flat_map(|definition| &definition.mentions);
            let name = mentions.find(|name| wanted.contains(*name) && !defined_now.contains(name))?;
            Some((path.as_str(), name.as_str()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::definitions::external_names;
    use super::*;

    fn text(path: &str, original: &str, modified: &str) -> Text {
        Text { path: path.to_owned(), original: Some(vec![original.into()]), modified: vec![modified.into()] }
    }

    #[test]
    fn a_change_is_seen_through_other_files() {
        let main = "int help(int); int main(void) { return help(1); }";
        let help = "static int in(int x) { return x; } int deep(void); int help(int x) { return in(x) + deep(); } int other(void) { return 1; }";
        let deep = "int deep(void) { return 1; }";
        let used = |changes: &[Text]| Changes::of(changes).used_by("main.c", "main");
        let unchanged = |path: &str, it: &str| text(path, it, it);
        assert_eq!(used(&[unchanged("main.c", main), unchanged("help.c", help)]), None);
        let inner = help.replace("return x;", "return x + 1;");
        let found = Some(("help".to_owned(), "help.c".to_owned()));
        assert_eq!(used(&[unchanged("main.c", main), text("help.c", help, &inner)]), found);
        let unused = help.replace("return 1;", "return 2;");
        assert_eq!(used(&[unchanged("main.c", main), text("help.c", help, &unused)]), None);
        let deeper = deep.replace('1', "2");
        let files = [unchanged("main.c", main), unchanged("help.c", help), text("deep.c", deep, &deeper)];
        assert_eq!(used(&files), found);
        let types = format!("struct s {{ int a; }}; {help}");
        assert_eq!(used(&[unchanged("main.c", main), text("help.c", help, &types)]), found);
    }

    #[test]
    fn a_second_name_leads_to_the_first() {
        let uses = |main: &str, before: &str, after: &str| {
            Changes::of(&[text("main.c", main, main), text("lib.c", before, after)]).used_by("main.c", "main").is_some()
        };
        let plain = "int help(void); int main(void) { return help(); }";
        let labelled = "int call(void) __asm__(\"help\"); int main(void) { return call(); }";
        let alias = "int real(void) { return 1; } int help(void) __attribute__((alias(\"real\")));";
        let label = "int real(void) __asm__(\"help\"); int real(void) { return 1; }";
        let itself = "int help(void) { return 1; }";
        let weak = "__attribute__((weak)) int help(void) { return 3; } int main(void) { return help(); }";
        let pragma = "int real(void) { return 1; }\n#pragma weak help = real\n";
        let runs = "static int x; static int one(void) { return 1; } static void __attribute__((constructor)) set(void) { x = one(); } int help(void) { return x; }";
        for (main, lib) in [
            (weak, itself),
            (plain, pragma),
            (plain, runs),
            (plain, alias),
            (plain, label),
            (labelled, alias),
            (labelled, label),
            (labelled, itself),
        ] {
            assert!(uses(main, lib, &lib.replace("return 1", "return 2")), "{main} {lib}");
            assert!(!uses(main, lib, &format!("{lib} int other(void) {{ return 1; }}")), "{main} {lib}");
        }
    }

    /// Whether the change of `lib.c` is seen from `main.c`, through `middle.c`.
    fn is_seen(main: &str, before: &str, after: &str) -> bool {
        let middle = "int one(void); int two(void) { return one(); }";
        let files = [text("main.c", main, main), text("middle.c", middle, middle), text("lib.c", before, after)];
        Changes::of(&files).used_by("main.c", "main").is_some()
    }

    #[test]
    fn what_runs_by_itself_counts_wherever_something_of_its_file_is_used() {
        let direct = "int g; int one(void); int main(void) { one(); return g; }";
        let through = "int g; int two(void); int main(void) { two(); return g; }";
        let variable = "int g; extern int q; int main(void) { return g + q; }";
        let table = "extern int __start_tab[]; int main(void) { return __start_tab[0]; }";
        let function = "extern int g; int one(void) { return 1; } int q; static void w(void) { g = 0; }";
        let constructor = format!("{function} __attribute__((constructor)) static void v(void) {{ g = 0; }}");
        let section = format!("{function} static void (*const v)(void) __attribute__((section(\".init_array\"), used)) = w;");
        for main in [direct, through, variable] {
            for lib in [&constructor, &section] {
                assert!(is_seen(main, lib, &lib.replace("g = 0", "g = 1")), "{main} {lib}");
                assert!(is_seen(main, lib, function), "removed: {main} {lib}");
                assert!(is_seen(main, function, lib), "new: {main} {lib}");
                assert!(!is_seen(main, lib, &format!("{lib} int other(void) {{ return 1; }}")), "{main} {lib}");
            }
        }
        let entry = "__attribute__((section(\"tab\"), used)) static int e = 1;";
        assert!(is_seen(table, entry, &entry.replace('1', "2")));
        let changes = Changes::of(&[text("lib.c", &constructor, &constructor.replace("g = 0", "g = 1"))]);
        assert_eq!(changes.names(), BTreeSet::from(["one".to_owned(), "q".to_owned()]));
    }

    #[test]
    fn a_variable_without_a_value_may_have_one_elsewhere() {
        let main = "int limit; int main(void) { return limit; }";
        let used = |before: &str, after: &str| {
            Changes::of(&[text("main.c", main, main), text("lib.c", before, after)]).used_by("main.c", "main").is_some()
        };
        assert!(used("int limit = 1;", "int limit = 2;"));
        assert!(used("int limit = 1;", "int limit;"));
        assert!(!used("int limit; int f(void) { return 1; }", "typedef int t; int limit; int f(void) { return 2; }"));
    }

    #[test]
    fn names_of_the_c_library_are_those_of_who_defines_them() {
        for (name, is_used) in [
            ("abs", true),
            ("strlcpy", true),
            ("malloc", true),
            ("isdigit", true),
            ("__VERIFIER_assert", true),
            ("reach_error", false),
            ("__VERIFIER_assume", false),
            ("__VERIFIER_nondet_int", false),
        ] {
            let main = format!("int {name}(int); int main(void) {{ return {name}(1); }}");
            let lib = format!("int one(void) {{ return 1; }} int {name}(int x) {{ return x; }}");
            assert_eq!(is_seen(&main, &lib, &lib.replace("return x", "return -x")), is_used, "{name}");
            assert!(!is_seen(&main, &lib, &lib.replace("return 1", "return 2")), "{name}");
        }
        let inline = "extern inline __attribute__((gnu_inline)) int abs(int x) { return x; }";
        let main = "int abs(int); int main(void) { return abs(1); }";
        assert!(!is_seen(main, inline, &inline.replace("return x", "return +x")), "nothing is made of it");
    }

    #[test]
    fn names_of_assembly_are_names() {
        let main = "int k(void); int main(void) { return k(); }";
        let value = "extern int k; int main(void) { return k; }";
        let rest = "static int two(void) { return 2; }";
        for (main, lib, from, to) in [
            (main, "asm(\".globl k\\nk: mov $1,%eax\\n ret\\n\");", "$1", "$2"),
            (main, "int one(void) { return 1; } asm(\".globl k\\n.set k, one\");", "return 1", "return 3"),
            (value, "__asm__(\".data\\n.globl k\\n\" \"k: .long 1\");", "1", "2"),
            (main, "void f(void) { __asm__ volatile (\".globl k\\nk: mov $1,%%eax\\n ret\" ::: \"memory\"); }", "$1", "$2"),
        ] {
            assert!(is_seen(main, lib, &lib.replace(from, to)), "{lib}");
            let before = format!("{lib} {rest}");
            assert!(!is_seen(main, &before, &before.replace("return 2", "return 3")), "{before}");
        }
    }

    #[test]
    fn values_of_variables_count_and_static_ones_do_not() {
        let main = "extern int limit; int main(void) { return limit; }";
        let used = |before: &str, after: &str| {
            Changes::of(&[text("main.c", main, main), text("limit.c", before, after)]).used_by("main.c", "main").is_some()
        };
        assert!(used("int limit = 1;", "int limit = 2;"));
        assert!(!used("static int limit = 1;", "static int limit = 2;"));
        let own = "static int limit = 3; int main(void) { return limit; }";
        let files = [text("main.c", own, own), text("limit.c", "int limit = 1;", "int limit = 2;")];
        assert_eq!(Changes::of(&files).used_by("main.c", "main"), None);
    }

    #[test]
    fn who_uses_a_deleted_function_is_found() {
        let main = "int help(int); int main(void) { return help(1); }";
        let changes = Changes::of(&[text("main.c", main, main)]);
        let wanted = external_names(&[b"static int no(void) { return 0; } int help(int x) { return x; }".to_vec()]);
        assert_eq!(wanted, BTreeSet::from(["help".to_owned()]));
        assert_eq!(changes.user_of(&wanted), Some(("main.c", "help")));
        assert!(changes.defines("main.c", "main"));
    }
}
