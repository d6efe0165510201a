//! What all artifacts have in common, and the checks every reader makes.
//!
//! An artifact names its format, its format version, its producer, and the programs it speaks about by path,
//! SHA-256 of the bytes and fingerprint of the automaton. A reader refuses another format, a newer version, and a
//! program that is not the one named.
//! Does not know where bytes come from: callers pass the bytes and the name to use in messages.

use crate::ProgramOptions;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;

/// Who wrote an artifact, and with which options of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Producer {
    /// Name of the tool.
    pub tool: String,
    /// Version of the tool.
    pub version: String,
    /// Options that influenced the artifact, apart from [`ProgramOptions`].
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

impl Producer {
    /// A producer without options of its own.
    #[must_use]
    pub fn new(tool: &str, version: &str) -> Self {
        Self { tool: tool.to_owned(), version: version.to_owned(), options: BTreeMap::new() }
    }

    /// Adds an option.
    #[must_use]
    pub fn with_option(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.options.insert(name.to_owned(), value.to_string());
        self
    }
}

impl fmt::Display for Producer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.tool, self.version)
    }
}

/// A program an artifact speaks about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramFile {
    /// The path as it was given on the command line.
    pub path: String,
    /// SHA-256 of the file's bytes, in lower-case hexadecimal digits; of several files that of the lines `SHA256  PATH`.
    pub sha256: String,
    /// Fingerprint of the automaton built from the preprocessed text.
    pub cfa: String,
    /// The files of a program of several files, in order; else nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileOfProgram>,
}

/// One file of a program of several files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileOfProgram {
    /// The path, as the folder or the list names it.
    pub path: String,
    /// SHA-256 of the file's bytes, in lower-case hexadecimal digits.
    pub sha256: String,
}

/// SHA-256 of a program of several files.
#[must_use]
pub fn sha256_of_files(files: &[FileOfProgram]) -> String {
    let lines: String = files.iter().map(|file| format!("{}  {}\n", file.sha256, file.path)).collect();
    sha256_hex(lines.as_bytes())
}

impl ProgramFile {
    /// Checks that the files of a program of several files are those its hash is of.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn check_files(&self) -> Result<(), String> {
        if self.files.is_empty() || sha256_of_files(&self.files) == self.sha256 {
            return Ok(());
        }
        Err(format!("the hash of {} is not that of its files", self.path))
    }

    /// Checks that `file`, whose hash is `found`, is the one this artifact was computed on.
    ///
    /// # Errors
    /// [`ArtifactError::HashMismatch`] if it is not.
    pub fn check_sha256(&self, artifact: &str, file: &str, found: &str) -> Result<(), ArtifactError> {
        if found == self.sha256 {
            return Ok(());
        }
        Err(ArtifactError::HashMismatch {
            artifact: artifact.to_owned(),
            program: self.path.clone(),
            expected: self.sha256.clone(),
            file: file.to_owned(),
            found: found.to_owned(),
        })
    }

    /// Checks that the automaton of `file` is the one this artifact was computed on.
    ///
    /// # Errors
    /// [`ArtifactError::FingerprintMismatch`] if it is not.
    pub fn check_fingerprint(&self, artifact: &str, file: &str, found: &str) -> Result<(), ArtifactError> {
        if found == self.cfa {
            return Ok(());
        }
        Err(ArtifactError::FingerprintMismatch {
            artifact: artifact.to_owned(),
            program: self.path.clone(),
            expected: self.cfa.clone(),
            file: file.to_owned(),
            found: found.to_owned(),
        })
    }
}

/// Where the content of an artifact comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// The tool that compared the programs.
    pub producer: Producer,
    /// The program before the change.
    pub original: ProgramFile,
    /// The program after the change.
    pub modified: ProgramFile,
    /// How both were read.
    pub options: ProgramOptions,
    /// Constructs and events because of which more is checked than necessary; `None` if there were none.
    pub degraded: Option<Vec<String>>,
}

/// Why an artifact cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum ArtifactError {
    /// Nothing to read.
    #[error("{file}: the file is empty, expected a {expected}")]
    #[diagnostic(code(formats::empty), help("the stage that should have written it probably failed: look at its message"))]
    Empty {
        /// The artifact.
        file: String,
        /// The expected format.
        expected: String,
    },
    /// Not text.
    #[error("{file}: not a text file (byte {offset}), expected a {expected}")]
    #[diagnostic(help("pass the file that the previous stage wrote"))]
    NotText {
        /// The artifact.
        file: String,
        /// The expected format.
        expected: String,
        /// Offset of the first byte that is not UTF-8.
        offset: usize,
    },
    /// The text ends in the middle.
    #[error("{file}:{line}:{column}: the {expected} ends in the middle")]
    #[diagnostic(help("the file is truncated: write it again"))]
    Truncated {
        /// The artifact.
        file: String,
        /// The expected format.
        expected: String,
        /// Line where the text ends.
        line: usize,
        /// Column where the text ends.
        column: usize,
    },
    /// The text breaks the rules of its format.
    #[error("{file}:{line}:{column}: malformed {expected}: {message}")]
    #[diagnostic(help("the file was damaged or written by a foreign tool: write it again"))]
    Malformed {
        /// The artifact.
        file: String,
        /// The expected format.
        expected: String,
        /// Line of the fault.
        line: usize,
        /// Column of the fault.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// Some other artifact.
    #[error("{file}: expected a {expected}, found {found}")]
    #[diagnostic(help("check the order of the stages: detector | condgen | reduce | verify"))]
    OtherFormat {
        /// The artifact.
        file: String,
        /// The expected format.
        expected: String,
        /// What the file is instead.
        found: String,
    },
    /// Written by a later version.
    #[error("{file}: version {found} of the {expected} format is newer than version {supported}, the newest this tool reads")]
    #[diagnostic(help("use tools of one release"))]
    NewerVersion {
        /// The artifact.
        file: String,
        /// The format.
        expected: String,
        /// Version of the file.
        found: u64,
        /// Newest version this reader knows.
        supported: u64,
    },
    /// The text is well-formed, but what it says does not fit together.
    #[error("{file}: inconsistent {expected}: {place}: {message}")]
    #[diagnostic(help("the file was damaged or written by a foreign tool: write it again"))]
    Inconsistent {
        /// The artifact.
        file: String,
        /// The format.
        expected: String,
        /// The part at fault.
        place: String,
        /// What is wrong with it.
        message: String,
    },
    /// The program is not the one the artifact was computed on.
    #[error("{artifact}: computed for {program} with SHA-256 {expected}, but {file} has {found}")]
    #[diagnostic(help("the program was edited since, or another file was given: run the detector again"))]
    HashMismatch {
        /// The artifact.
        artifact: String,
        /// Path of the program.
        program: String,
        /// Hash named by the artifact.
        expected: String,
        /// The file at hand.
        file: String,
        /// Its hash.
        found: String,
    },
    /// The program is read differently now.
    #[error("{artifact}: computed for {program} with CFA fingerprint {expected}, but that of {file} is {found}")]
    #[diagnostic(help("an included file, the compiler or this tool's version differs: run the detector again"))]
    FingerprintMismatch {
        /// The artifact.
        artifact: String,
        /// Path of the program.
        program: String,
        /// Fingerprint named by the artifact.
        expected: String,
        /// The file at hand.
        file: String,
        /// The fingerprint of its automaton.
        found: String,
    },
}

/// A part of an artifact that does not fit the rest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("{place}: {message}")]
pub struct Inconsistency {
    /// The part at fault.
    pub place: String,
    /// What is wrong with it.
    pub message: String,
}

impl Inconsistency {
    pub(crate) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }

    /// The error of a reader that met this in `file`.
    pub(crate) fn in_file(self, file: &str, expected: &str) -> ArtifactError {
        ArtifactError::Inconsistent {
            file: file.to_owned(),
            expected: expected.to_owned(),
            place: self.place,
            message: self.message,
        }
    }
}

/// SHA-1 of bytes, in lower-case hexadecimal digits. Only to compare with what old files of other tools name.
#[must_use]
pub(crate) fn sha1_hex(bytes: &[u8]) -> String {
    sha1_smol::Sha1::from(bytes).digest().to_string()
}

/// SHA-256 of bytes, in lower-case hexadecimal digits.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    let digest = Sha256::digest(bytes);
    digest.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads a JSON artifact after checking that it is one of format `expected`, at most of version `supported`.
pub(crate) fn read_json<T: DeserializeOwned>(
    bytes: &[u8],
    file: &str,
    expected: &str,
    supported: u64,
) -> Result<T, ArtifactError> {
    let (text, _) = preamble(bytes, file, expected, supported)?;
    read_body(text, file, expected)
}

/// The text of a JSON artifact of format `expected`, and its version, which is at most `supported`.
pub(crate) fn preamble<'a>(bytes: &'a [u8], file: &str, expected: &str, supported: u64) -> Result<(&'a str, u64), ArtifactError> {
    let text = text_of(bytes, file, expected)?;
    let first = text.trim_start().chars().next();
    if first != Some('{') {
        return Err(ArtifactError::OtherFormat {
            file: file.to_owned(),
            expected: expected.to_owned(),
            found: kind_of(text).to_owned(),
        });
    }
    let json_error = |error: &serde_json::Error| json_error(error, file, expected);
    let preamble: Preamble = serde_json::from_str(text).map_err(|error| json_error(&error))?;
    match preamble.format {
        Some(serde_json::Value::String(format)) if format == expected => {}
        Some(serde_json::Value::String(format)) => {
            return Err(ArtifactError::OtherFormat {
                file: file.to_owned(),
                expected: expected.to_owned(),
                found: format!("format `{format}`"),
            });
        }
        _ => {
            let found = "JSON without a format name".to_owned();
            return Err(ArtifactError::OtherFormat { file: file.to_owned(), expected: expected.to_owned(), found });
        }
    }
    let version = preamble.version.as_ref().and_then(serde_json::Value::as_u64);
    check_version(version, file, expected, supported)?;
    Ok((text, version.unwrap_or(1)))
}

/// What a JSON artifact holds.
pub(crate) fn read_body<T: DeserializeOwned>(text: &str, file: &str, expected: &str) -> Result<T, ArtifactError> {
    let json_error = |error: &serde_json::Error| json_error(error, file, expected);
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let field = error.path().to_string();
        let mut told = json_error(error.inner());
        // The path of the whole is a dot.
        if let ArtifactError::Malformed { message, .. } = &mut told
            && field != "."
        {
            *message = format!("`{field}`: {message}");
        }
        told
    })?;
    reader.end().map_err(|error| json_error(&error))?;
    Ok(read)
}

/// Refuses a missing version and one newer than `supported`.
pub(crate) fn check_version(found: Option<u64>, file: &str, expected: &str, supported: u64) -> Result<(), ArtifactError> {
    match found {
        Some(found) if (1..=supported).contains(&found) => Ok(()),
        Some(found) if found > supported => {
            Err(ArtifactError::NewerVersion { file: file.to_owned(), expected: expected.to_owned(), found, supported })
        }
        _ => Err(ArtifactError::Inconsistent {
            file: file.to_owned(),
            expected: expected.to_owned(),
            place: "version".to_owned(),
            message: "no version number".to_owned(),
        }),
    }
}

/// The bytes as text; an empty or binary file is an error.
pub(crate) fn text_of<'a>(bytes: &'a [u8], file: &str, expected: &str) -> Result<&'a str, ArtifactError> {
    let text = std::str::from_utf8(bytes).map_err(|error| ArtifactError::NotText {
        file: file.to_owned(),
        expected: expected.to_owned(),
        offset: error.valid_up_to(),
    })?;
    if let Some(offset) = text.find('\0') {
        return Err(ArtifactError::NotText { file: file.to_owned(), expected: expected.to_owned(), offset });
    }
    if text.trim().is_empty() {
        return Err(ArtifactError::Empty { file: file.to_owned(), expected: expected.to_owned() });
    }
    Ok(text)
}

/// What a text is that is certainly an artifact, and no program: for messages.
#[must_use]
pub fn artifact_kind(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?.trim_start();
    if text.starts_with("<?xml") || text.starts_with("<graphml") {
        return Some("a condition or a witness".to_owned());
    }
    if text.starts_with("- entry_type:") {
        return Some("a witness".to_owned());
    }
    let preamble: Preamble = serde_json::from_str(text).ok()?;
    let format = preamble.format.as_ref().and_then(serde_json::Value::as_str);
    Some(format.map_or_else(|| "a JSON file".to_owned(), |format| format!("a {}", crate::shown::one_line(format))))
}

/// A guess at what a text is, for messages.
pub(crate) fn kind_of(text: &str) -> &'static str {
    let start = text.trim_start();
    if start.starts_with("<?xml") || start.starts_with("<graphml") {
        "an XML file"
    } else if start.starts_with('{') {
        "a JSON file"
    } else if ["digraph", "strict digraph"].iter().any(|word| start.starts_with(word)) {
        "a DOT file"
    } else if ["TRUE", "FALSE", "UNKNOWN"].iter().any(|word| start.starts_with(word)) {
        "a verdict"
    } else {
        "another file (a C program?)"
    }
}

/// The fields that decide whether the rest can be read at all.
#[derive(Deserialize)]
struct Preamble {
    format: Option<serde_json::Value>,
    version: Option<serde_json::Value>,
}

fn json_error(error: &serde_json::Error, file: &str, expected: &str) -> ArtifactError {
    let (line, column) = (error.line(), error.column());
    if error.is_eof() {
        return ArtifactError::Truncated { file: file.to_owned(), expected: expected.to_owned(), line, column };
    }
    let text = error.to_string();
    let place = format!(" at line {line} column {column}");
    let message = text.strip_suffix(&place).unwrap_or(&text).to_owned();
    ArtifactError::Malformed { file: file.to_owned(), expected: expected.to_owned(), line, column, message }
}
