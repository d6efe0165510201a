//! The command that compiles a file: what of its words the preprocessor is told, and what may change the meaning besides.
//!
//! Only what changes the preprocessed text or the data model is taken. Every other word is kept where nobody knows that it is
//! harmless, so that a change of it is seen. Does not know where commands come from.

use std::path::{Component, Path, PathBuf};

use formats::{DataModel, shown};
use program::preprocess::is_c90;

use super::command_words::{Command, text_of_file, words_of_file};

/// Flags with a path, as an argument of their own or joined.
const PATH_FLAGS: [&str; 9] =
    ["-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "--sysroot", "-iprefix"];
/// Those of them whose file is looked for where headers are.
pub(super) const SEARCHED: [&str; 2] = ["-include", "-imacros"];
/// Flags that define or choose, with a value that is joined or an argument of its own.
const VALUE_FLAGS: [&str; 2] = ["-D", "-U"];
/// Flags that are passed on as they are. Those of position, protection and unwinding change nothing but macros.
pub(super) const PLAIN_FLAGS: [&str; 24] = [
    "-ansi", "-nostdinc", "-undef", "-pthread", "-fopenmp", "-ffreestanding", "-fhosted", "-m32", "-m64", "-fpic", "-fPIC",
    "-fpie", "-fPIE", "-fno-pic", "-fno-PIC", "-fno-pie", "-fno-PIE", "-fstack-protector", "-fstack-protector-strong",
    "-fstack-protector-all", "-fstack-protector-explicit", "-fno-stack-protector", "-fasynchronous-unwind-tables",
    "-fno-asynchronous-unwind-tables",
];
/// Beginnings of flags that change neither what a program means nor which macros there are, or that mean what the front end does
/// anyway.
const HARMLESS: [&str; 30] = [
    "-W", "-g", "-M", "-o", "-pedantic", "-save-temps", "-fdiagnostics", "-fmessage", "-fcolor", "-fplt", "-fno-plt",
    "-fvisibility", "-fstack-check", "-fstack-clash", "-fstack-limit", "-fstack-reuse", "-fstack-usage", "-fno-stack-c",
    "-fno-stack-limit", "-fomit-frame", "-fno-omit-frame", "-funwind", "-ffunction-s", "-fdata-s", "-fwrapv", "-fdebug",
    "-frecord", "-flto", "-ftest-coverage", "-fprofile-arcs",
];
/// More of them, of which nothing follows.
const HARMLESS_WORDS: [&str; 12] = [
    "-w", "-c", "-S", "-E", "-pipe", "-v", "--coverage", "-fstrict-aliasing", "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks", "-fno-strict-overflow", "-no-pie",
];

/// Flags that change what a program means in a way the front end does not know: `-mx32` has another data model than it has.
const UNKNOWN_MEANING: [&str; 8] =
    ["-funsigned-char", "-fshort-enums", "-fpack-struct", "-fwrapv", "-ftrapv", "-funsigned-bitfields", "-fshort-wchar", "-mx32"];
/// Of flags that exclude each other the last counts: those that mean what the front end does, then the others.
const LAST_COUNTS: [(&[&str], &[&str]); 2] = [
    (&["-fsigned-char", "-fno-unsigned-char"], &["-funsigned-char", "-fno-signed-char"]),
    (&["-m32", "-m64"], &["-mx32", "-m16"]),
];
/// What is left of C90 where the preprocessor has run and constants have their types: `inline` means what `extern inline` means
/// since C99, and the other way round.
const INLINE_OF_C90: &str = "inline functions of C90";

/// Flags that could run code, which are not passed on; those of the second list have a value of their own.
const RUNS_CODE: [&str; 6] = ["-fplugin", "-iplugindir", "-specs", "--specs", "-B", "-no-integrated-cpp"];
const RUNS_CODE_WITH_VALUE: [&str; 5] = ["-wrapper", "-Xpreprocessor", "-Xclang", "-B", "--specs"];
/// Flags that are not passed on, with a value of their own.
const DROPPED_WITH_VALUE: [&str; 10] =
    ["-o", "-MF", "-MT", "-MQ", "-MJ", "-dumpdir", "-dumpbase", "-aux-info", "-serialize-diagnostics", "--serialize-diagnostics"];
/// Flags that `-Wp,` passes on, of which the next one is a file that is written.
const WRITES_FILE: [&str; 2] = ["-MD", "-MMD"];

/// How one file is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// Arguments for the preprocessor, with absolute paths.
    pub(crate) arguments: Vec<String>,
    /// The folder the compiler runs in.
    pub(crate) directory: Option<PathBuf>,
    /// What `-m32` or `-m64` says.
    pub(crate) data_model: Option<DataModel>,
    /// What people should know.
    pub(crate) warnings: Vec<String>,
    /// Files that are read before the program, with absolute paths.
    pub(crate) first: Vec<PathBuf>,
    /// Why the flags cannot be used.
    pub(crate) refused: Option<String>,
    /// The arguments before paths were translated.
    pub(crate) given: Vec<String>,
    /// Those of the arguments that name no path.
    pub(super) plain: Vec<String>,
    /// What may change the meaning of the program, or which macros there are, and is not passed on: two texts that are the same
    /// need not mean the same if this differs. In the order of the command, for the last of several may count.
    pub(crate) besides: Vec<String>,
    /// Whether the file that is compiled has been named: a language behind it is that of others.
    pub(super) is_behind_file: bool,
}

/// Leads from the folder a database was written for to a checkout.
pub(crate) trait Translate {
    /// The path to use for an absolute, normalised path.
    fn translate(&self, path: &Path) -> PathBuf;

    /// Whether flags may be read from a file.
    fn may_read(&self, _: &Path) -> bool {
        true
    }
}

/// Where relative paths start, and where they lead.
pub(super) struct Place<'a> {
    pub(super) directory: &'a Path,
    /// The file that is compiled.
    pub(super) file: &'a Path,
    pub(super) translate: &'a dyn Translate,
}

impl Place<'_> {
    fn path(&self, flag: &str, value: &str) -> String {
        let path = self.translate.translate(&normalised(&self.directory.join(value)));
        let searched = SEARCHED.contains(&flag);
        // A file to include that is not there is looked for where headers are.
        if searched && !path.is_file() { value.to_owned() } else { path.to_string_lossy().into_owned() }
    }
}

impl Place<'_> {
    /// Whether a word of the command is the file that is compiled.
    fn is_compiled(&self, word: &str) -> bool {
        normalised(&self.directory.join(word)) == self.file
    }

    /// The flags in a file; `None` if it cannot be read.
    pub(super) fn flags_of_file(&self, file: &str) -> Option<Vec<String>> {
        let path = self.translate.translate(&normalised(&self.directory.join(file)));
        let text = self.translate.may_read(&path).then(|| text_of_file(&path)).flatten()?;
        Some(words_of_file(&text))
    }

    /// What tells the content of a file from others; nothing if it cannot be read.
    fn digest(&self, file: &str) -> String {
        let path = self.translate.translate(&normalised(&self.directory.join(file)));
        let is_small = std::fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() < 1 << 26);
        let bytes = is_small.then(|| std::fs::read(&path).ok()).flatten();
        bytes.map(|bytes| format!(" with SHA-256 {}", formats::sha256_hex(&bytes))).unwrap_or_default()
    }
}

impl Flags {
    /// Takes down a command.
    pub(super) fn read(&mut self, command: Command, place: &Place<'_>) {
        self.take_compiler(&command, place);
        let mut arguments = command.arguments.into_iter();
        while let Some(argument) = arguments.next() {
            self.take(&argument, &mut arguments, place);
        }
        let ignored = self.besides.iter().filter(|argument| UNKNOWN_MEANING.iter().any(|flag| argument.starts_with(flag)));
        let told =
            |argument: &String| format!("the flag {} changes what the program means: it is ignored", shown::one_line(argument));
        self.warnings.extend(ignored.map(told).collect::<Vec<_>>());
        self.besides.extend(is_c90(&self.arguments).then(|| INLINE_OF_C90.to_owned()));
    }

    /// Takes down by what the file is compiled.
    fn take_compiler(&mut self, command: &Command, place: &Place<'_>) {
        self.besides.extend(command.before.iter().cloned());
        self.besides.extend(command.other_compiler());
        if !command.is_c_compiler() {
            // What its words mean nobody knows.
            self.besides.extend(command.arguments.iter().filter(|word| !place.is_compiled(word)).cloned());
            let name = shown::one_line(&command.compiler).into_owned();
            self.warnings.push(format!("{name} is no C compiler that is known: its flags are read as those of gcc"));
        }
    }

    /// Takes down a flag of which the last counts, among those that are `alike`; `None` if that is what the front end does.
    fn take_last(&mut self, alike: impl Fn(&str) -> bool, flag: Option<String>) {
        self.besides.retain(|other| !alike(other));
        self.besides.extend(flag);
    }

    fn take(&mut self, argument: &str, rest: &mut dyn Iterator<Item = String>, place: &Place<'_>) {
        for (usual, others) in LAST_COUNTS {
            if usual.contains(&argument) || others.contains(&argument) {
                self.take_last(|flag| others.contains(&flag), others.contains(&argument).then(|| argument.to_owned()));
            }
        }
        if let Some(flag) = PATH_FLAGS.into_iter().find(|flag| argument.starts_with(flag)) {
            self.take_path(flag, argument, rest, place);
        } else if let Some(plain) = plain(argument, rest) {
            match plain.as_str() {
                "-m32" => self.data_model = Some(DataModel::ILP32),
                "-m64" => self.data_model = Some(DataModel::LP64),
                _ => {
                    self.arguments.push(plain.clone());
                    self.plain.push(plain);
                }
            }
        } else if let Some(passed) = argument.strip_prefix("-Wp,") {
            // Each of them is looked at as if it stood alone.
            let mut passed = passed.split(',').map(str::to_owned);
            while let Some(argument) = passed.next() {
                self.take(&argument, &mut passed, place);
                let _written = WRITES_FILE.contains(&argument.as_str()).then(|| passed.next());
            }
        } else if let Some(file) = argument.strip_prefix('@') {
            // Which flags these are cannot be read, but that they are others.
            self.besides.push(format!("{argument}{}", place.digest(file)));
            self.warnings.push(format!("the file of flags {} is not read", shown::one_line(argument)));
        } else if RUNS_CODE_WITH_VALUE.contains(&argument) || RUNS_CODE.iter().any(|flag| argument.starts_with(flag)) {
            self.besides.push(argument.to_owned());
            if RUNS_CODE_WITH_VALUE.contains(&argument) {
                self.besides.extend(rest.next());
            }
            let argument = shown::one_line(argument);
            self.warnings.push(format!("the flag {argument} is not passed on: it could run code"));
        } else if let Some(joined) = argument.strip_prefix("-x") {
            self.take_language(&joined_or_next(joined, rest));
        } else if DROPPED_WITH_VALUE.contains(&argument) {
            rest.next();
        } else if let Some(level) = argument.strip_prefix("-O") {
            // Macros say whether there is optimisation, and for size; how much of it makes no difference.
            let level = if matches!(level, "1" | "2" | "3" | "") { "" } else { level };
            self.take_last(|flag| flag.starts_with("-O"), Some(format!("-O{level}")));
        } else if !argument.starts_with('-') && place.is_compiled(argument) {
            self.is_behind_file = true;
        } else if is_of_unknown_meaning(argument) && self.besides.last().is_none_or(|last| last != argument) {
            self.besides.push(argument.to_owned());
        }
    }

    /// Takes a flag with a path.
    fn take_path(&mut self, flag: &str, argument: &str, rest: &mut dyn Iterator<Item = String>, place: &Place<'_>) {
        let joined = argument.strip_prefix(flag).unwrap_or_default();
        let joined = if flag.starts_with("--") { joined.trim_start_matches('=') } else { joined };
        let value = joined_or_next(joined, rest);
        let path = place.path(flag, &value);
        self.given.push(format!("{flag}{}{value}", if flag == "--sysroot" { "=" } else { "" }));
        self.first.extend(SEARCHED.contains(&flag).then(|| place.directory.join(&path)));
        self.arguments.push(if flag == "--sysroot" { format!("{flag}={path}") } else { format!("{flag}{path}") });
    }

    /// Takes the language of the files that follow.
    fn take_language(&mut self, language: &str) {
        if self.is_behind_file {
            self.besides.extend((language != "c").then(|| format!("-x {language} behind the file")));
        } else {
            self.take_last(|flag| flag.starts_with("-x "), (language != "c").then(|| format!("-x {language}")));
        }
    }
}

/// Arguments for the preprocessor with their paths led to where they are read: each path joined to its flag.
pub(super) fn with_paths_led(arguments: &[String], place: &Place<'_>) -> Vec<String> {
    let mut led = Flags::default();
    let mut rest = arguments.iter().cloned();
    while let Some(argument) = rest.next() {
        match PATH_FLAGS.into_iter().find(|flag| argument.starts_with(flag)) {
            Some(flag) => led.take_path(flag, &argument, &mut rest, place),
            None => led.arguments.push(argument),
        }
    }
    led.arguments
}

/// What a flag that is passed on without looking at a path is for the preprocessor.
fn plain(argument: &str, rest: &mut dyn Iterator<Item = String>) -> Option<String> {
    if let Some(flag) = VALUE_FLAGS.into_iter().find(|flag| argument.starts_with(flag)) {
        return Some(format!("{flag}{}", joined_or_next(argument.strip_prefix(flag).unwrap_or_default(), rest)));
    }
    match argument {
        "--ansi" => Some("-ansi".to_owned()),
        "--std" => Some(format!("-std={}", rest.next().unwrap_or_default())),
        _ if PLAIN_FLAGS.contains(&argument) => Some(argument.to_owned()),
        _ => ["-std=", "--std="].iter().any(|flag| argument.starts_with(flag)).then(|| argument.to_owned()),
    }
}

/// The value of a flag: what is joined to it, or the next argument.
fn joined_or_next(joined: &str, rest: &mut dyn Iterator<Item = String>) -> String {
    if joined.is_empty() { rest.next().unwrap_or_default() } else { joined.to_owned() }
}

/// Whether a word of a kind that nothing else here knows may change what a program means: also one for the linker or the assembler,
/// which may rename functions, and the value of a flag.
fn is_of_unknown_meaning(argument: &str) -> bool {
    let is_harmless = HARMLESS_WORDS.contains(&argument) || HARMLESS.iter().any(|flag| argument.starts_with(flag));
    let is_passed_on = argument.starts_with("-Wl,") || argument.starts_with("-Wa,");
    let is_unknown = is_passed_on || !is_harmless || UNKNOWN_MEANING.iter().any(|flag| argument.starts_with(flag));
    is_unknown && !LAST_COUNTS.iter().any(|(usual, others)| usual.contains(&argument) || others.contains(&argument))
}

/// Whether a word of a build may be a flag that matters: one that is passed on, or of which nobody knows that it does not.
pub(crate) fn may_matter(word: &str) -> bool {
    let begins =
        ["-D", "-U", "-I", "-i", "-std=", "--std", "-ansi", "-f", "-m", "-O", "-nostdinc", "-undef", "-xc", "-A", "-Wp,"];
    let is_known = PLAIN_FLAGS.contains(&word) || VALUE_FLAGS.iter().chain(&PATH_FLAGS).any(|flag| word.starts_with(flag));
    begins.iter().any(|flag| word.starts_with(flag)) && (is_known || word.starts_with("-Wp,") || is_of_unknown_meaning(word))
        || LAST_COUNTS.iter().any(|(usual, others)| usual.contains(&word) || others.contains(&word))
}

/// A path without `.` and `..`, as text: links are not followed, for the folder may not be there.
pub(crate) fn normalised(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(component),
        }
    }
    out
}
