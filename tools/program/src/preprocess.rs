//! Reading programs: bytes from a file or standard input, preprocessed where they need it.
//!
//! `cc -x c -E` is called only for `#include`, `#define`, `#undef`, `#if…`, `#error` and their
//! like, for uses of macros that every compiler predefines, and where the user defines macros;
//! text with nothing but line markers and pragmas is taken as it is.
//! Invariant: the preprocessed text does not depend on the folder the file is in, as far as the
//! compiler allows, so that offsets name the same places for every tool.
//! Does not know C beyond comments, literals, names and constants.

mod constants;
mod macros;
mod scan;

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;
use std::process::Output;

use formats::inputs::{InputFile, files};
use formats::{DataModel, ProgramOptions};

use crate::diagnostic::Diagnostic;
use crate::executable::{COMPILER, compiler};
use crate::source::{PROGRAM_FILE, SourceFile};

pub use constants::{is_c90, typed_constants};
pub use macros::{MacroDefinition, definitions, macro_definitions};

/// Bytes that are read at once.
const PIECE: u64 = 1 << 20;

/// Reads a program from a file, or from standard input for the path `-`; or from several files, see [`formats::inputs`].
///
/// # Errors
/// [`Diagnostic::Name`] for a name that cannot be shown, [`Diagnostic::Read`], [`Diagnostic::Files`] for a folder or list that
/// names no program, [`Diagnostic::NotText`] for binary files, and
/// the preprocessor's own message in [`Diagnostic::Preprocessor`].
pub fn read_source(path: &Path, options: &ProgramOptions) -> Result<SourceFile, Diagnostic> {
    let Some(files) = files(path)? else {
        check_name(path)?;
        let original = read_bytes(path).map_err(|error| Diagnostic::Read { path: path.to_owned(), error })?;
        return preprocess_bytes(path, original, options);
    };
    let read = |file: InputFile| {
        let bytes = read_bytes(&file.path).map_err(|error| Diagnostic::Read { path: file.path.clone(), error })?;
        if bytes.starts_with(crate::seal::BEGINNING.as_bytes()) {
            let reason = format!("{} is a residual program, which is whole by itself", formats::shown::name(&file.path));
            return Err(Diagnostic::Files { path: path.to_owned(), reason });
        }
        Ok((file.name, preprocess_bytes(&file.path, bytes, options)?))
    };
    let units: Vec<(String, SourceFile)> = files.into_iter().map(read).collect::<Result<_, Diagnostic>>()?;
    SourceFile::join(path.to_string_lossy(), units).ok_or_else(|| Diagnostic::too_long(path))
}

/// Does for bytes already read what [`read_source`] does for a file; `path` must still exist if
/// it is not `-`, for `#include` is relative to it.
///
/// # Errors
/// As [`read_source`].
pub fn preprocess_bytes(path: &Path, original: Vec<u8>, options: &ProgramOptions) -> Result<SourceFile, Diagnostic> {
    check_name(path)?;
    check_text(path, &original)?;
    check_language(path, &original)?;
    let name = path.to_string_lossy();
    let defines = options.preprocessor.iter().any(|argument| !argument.starts_with("-I"));
    if !defines && !scan::calls_for_preprocessor(&original) {
        return Ok(SourceFile::new(name, original));
    }
    let output = run_preprocessor(path, &original, options)?;
    let output = typed_constants(output, &options.preprocessor, options.data_model);
    let text = renamed(&output, path, folder(Path::new(&*plain_name(&name))).as_deref());
    check_text(path, &text)?;
    // The text must not depend on the folder, but people want to know which file is meant.
    let named = renamed(&output, path, None);
    Ok(SourceFile::preprocessed(name, &original, text).named_by(&named))
}

/// Reads up to the end, or to a piece with a null byte, which is refused: some devices have no end.
fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut input: Box<dyn Read> =
        if path.as_os_str() == "-" { Box::new(io::stdin().lock()) } else { Box::new(std::fs::File::open(path)?) };
    let mut bytes = Vec::new();
    loop {
        let before = bytes.len();
        let read = input.by_ref().take(PIECE).read_to_end(&mut bytes)?;
        if read == 0 || bytes.get(before..).is_some_and(|piece| piece.contains(&0)) {
            return Ok(bytes);
        }
    }
}

/// Refuses names that line markers and messages cannot carry: they would have to be told apart from lines of their own.
fn check_name(path: &Path) -> Result<(), Diagnostic> {
    match path.to_str() {
        Some(name) if !name.chars().any(char::is_control) => Ok(()),
        Some(_) | None => Err(Diagnostic::Name { path: path.to_owned() }),
    }
}

/// The name of an input as the compiler takes it for a file: one that begins with a dash would be an option, one that begins
/// with `@` a file of options.
#[must_use]
pub fn plain_name(name: &str) -> Cow<'_, str> {
    if name.starts_with(['-', '@']) && name != "-" { Cow::Owned(format!("./{name}")) } else { Cow::Borrowed(name) }
}

/// What the compiler has to be told besides the name of its input: its driver calls the compiler proper with the last part of
/// the name as an argument of its own, which must not be a file of options either.
#[must_use]
pub fn base_arguments(name: &str) -> &'static [&'static str] {
    let last = name.rsplit('/').next().unwrap_or(name);
    if last.starts_with('@') { &["-dumpbase", "program"] } else { &[] }
}

/// Refuses what is certainly not C text, and what offsets of 32 bits cannot address.
/// Tells what is given by mistake for a program from one.
fn check_language(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let extension = path.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
    if path == Path::new("-") && bytes.trim_ascii().is_empty() {
        return Err(Diagnostic::NoInput);
    }
    let reason = if ["cpp", "cc", "cxx", "c++", "C", "hpp"].contains(&extension) {
        "it is C++ by its name, which is not read".to_owned()
    } else if let Some(kind) = formats::artifact::artifact_kind(bytes) {
        format!("it is {kind}")
    } else {
        return Ok(());
    };
    Err(Diagnostic::NotText { path: path.to_owned(), reason })
}

fn check_text(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let reason = if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
        format!("it has a null byte at offset {offset}")
    } else if u32::try_from(bytes.len()).is_err() {
        "it is longer than 4 GiB".to_owned()
    } else {
        return Ok(());
    };
    Err(Diagnostic::NotText { path: path.to_owned(), reason })
}

fn run_preprocessor(path: &Path, original: &[u8], options: &ProgramOptions) -> Result<Vec<u8>, Diagnostic> {
    let mut arguments: Vec<String> = ["-x", "c", "-E"].map(str::to_owned).into();
    let input = path.to_string_lossy();
    let plain = plain_name(&input).into_owned();
    arguments.extend(base_arguments(&plain).iter().map(|argument| (*argument).to_owned()));
    // The argument ends the folder at its first equals sign.
    if let Some(prefix) = folder(Path::new(&plain)).filter(|prefix| !prefix.contains('=')) {
        arguments.push(format!("-fmacro-prefix-map={prefix}="));
    }
    arguments.extend(options.preprocessor.iter().cloned());
    arguments.push(plain);
    let narrow = options.data_model == DataModel::ILP32;
    let mut full = arguments.clone();
    if narrow {
        full.insert(0, "-m32".to_owned());
    }
    let command = format!("{COMPILER} {}", full.join(" "));
    let output = run(full, original).map_err(|error| Diagnostic::NoPreprocessor {
        path: path.to_owned(),
        command: command.clone(),
        error,
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let wide_works = || run(arguments, original).is_ok_and(|output| output.status.success());
    Err(Diagnostic::Preprocessor {
        path: path.to_owned(),
        command,
        message: String::from_utf8_lossy(&output.stderr).trim_end().to_owned(),
        missing_32_bit: narrow && wide_works(),
    })
}

fn run(arguments: Vec<String>, original: &[u8]) -> io::Result<Output> {
    compiler(&arguments)?.stdin_bytes(original).stdout_capture().stderr_capture().unchecked().run()
}

/// The folder part of a path, with its slash.
fn folder(path: &Path) -> Option<String> {
    let parent = path.parent()?.to_string_lossy().into_owned();
    match parent.as_str() {
        "" => None,
        "/" => Some(parent),
        _ => Some(parent + "/"),
    }
}

/// Rewrites the line markers: the program itself is called [`PROGRAM_FILE`], and files in
/// `folder` lose the folder.
fn renamed(text: &[u8], path: &Path, folder: Option<&str>) -> Vec<u8> {
    let name = match path.to_string_lossy().as_ref() {
        "-" => "<stdin>".to_owned(),
        other => other.to_owned(),
    };
    let mut out = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match rewritten_marker(line, &name, folder) {
            Some(rewritten) => out.extend(rewritten),
            None => out.extend_from_slice(line),
        }
    }
    out
}

/// A marker `# 12 "name" flags` with its name rewritten; `None` for any other line.
fn rewritten_marker(line: &[u8], name: &str, folder: Option<&str>) -> Option<Vec<u8>> {
    if !line.starts_with(b"# ") {
        return None;
    }
    let text = std::str::from_utf8(line).ok()?;
    let (before, rest) = text.split_once('"')?;
    let (file, after) = rest.rsplit_once('"')?;
    before.get(2..)?.trim().parse::<u32>().ok()?;
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    let dashed = format!("./{name}");
    let file = if file == name || file == dashed {
        PROGRAM_FILE
    } else {
        folder.and_then(|folder| file.strip_prefix(folder)).unwrap_or(file)
    };
    Some(format!("{before}\"{file}\"{after}").into_bytes())
}

#[cfg(test)]
mod tests;
