//! Tasks: what to check, as SV-COMP task definition 2.0 or as a pair file of this project.
//!
//! The two are told apart by `format_version`. Paths are as written: relative to the folder of the task file.

use crate::{DataModel, Property};
use serde::{Deserialize, Deserializer};
use std::path::{Path, PathBuf};

/// A task of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskFile {
    /// SV-COMP task definition 2.0.
    Definition(TaskDefinition),
    /// Two programs and what is known about them.
    Pair(PairTask),
}

/// An SV-COMP task definition 2.0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskDefinition {
    /// The one program; for a change, the modified one.
    pub input_file: PathBuf,
    /// The properties to check.
    pub properties: Vec<TaskProperty>,
    /// Sizes of types, if the task says so.
    pub data_model: Option<DataModel>,
    /// The original of a difference task (`options.difference_verification.original_input_file`), relative to
    /// the folder of the modified program.
    pub original_input_file: Option<PathBuf>,
}

/// A property of a task definition.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TaskProperty {
    /// The property file.
    pub property_file: PathBuf,
    /// Whether the property is known to hold.
    #[serde(default)]
    pub expected_verdict: Option<bool>,
}

/// A pair of programs and what is known about them; fields that only people read are left out.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PairTask {
    /// Name of the pair.
    pub id: String,
    /// Family of the pair.
    #[serde(default)]
    pub family: String,
    /// The program before the change.
    pub original: PathBuf,
    /// The program after the change.
    pub modified: PathBuf,
    /// What must not happen.
    pub property: Property,
    /// Sizes of types.
    pub data_model: DataModel,
    /// Whether the original is safe.
    #[serde(default)]
    pub truth_original: Option<bool>,
    /// Whether the modified program is safe.
    #[serde(default)]
    pub truth_modified: Option<bool>,
    /// Whether the modified program violates the property and the original does not.
    #[serde(default)]
    pub expected_regression: Option<bool>,
}

/// Why a task file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum TaskError {
    /// Not YAML, or not with the fields of a task.
    #[error("{file}: malformed task: {message}")]
    #[diagnostic(help(
        "a task is an SV-COMP task definition 2.0, or a pair file with original, modified, property and data_model"
    ))]
    Malformed {
        /// The task file.
        file: String,
        /// What is wrong.
        message: String,
    },
    /// A task definition of a version this reader does not know.
    #[error("{file}: task definition of version {version}, expected 2.0")]
    #[diagnostic(help("use a task definition of version 2.0"))]
    Version {
        /// The task file.
        file: String,
        /// Its version.
        version: String,
    },
    /// A task for another kind of tool.
    #[error("{file}: {message}")]
    #[diagnostic(help("a task names exactly one C program, and a property this tool can check"))]
    Unusable {
        /// The task file.
        file: String,
        /// What cannot be used.
        message: String,
    },
}

impl TaskFile {
    /// Reads a task file; `file` is its name in messages.
    ///
    /// # Errors
    /// [`TaskError`] if it is no task this project can check.
    pub fn read(bytes: &[u8], file: &str) -> Result<Self, TaskError> {
        let malformed = |message: String| TaskError::Malformed { file: file.to_owned(), message };
        let text = std::str::from_utf8(bytes).map_err(|error| malformed(error.to_string()))?;
        if text.trim().is_empty() {
            return Err(malformed("the file is empty".to_owned()));
        }
        let first_line = |error: serde_saphyr::Error| {
            let text = error.to_string();
            malformed(text.lines().next().unwrap_or_default().to_owned())
        };
        let preamble: Preamble = serde_saphyr::from_str(text).map_err(first_line)?;
        let Some(version) = preamble.format_version else {
            return serde_saphyr::from_str(text).map(Self::Pair).map_err(first_line);
        };
        if version.0 != "2.0" {
            return Err(TaskError::Version { file: file.to_owned(), version: version.0 });
        }
        let wire: WireDefinition = serde_saphyr::from_str(text).map_err(first_line)?;
        definition(wire, file).map(Self::Definition)
    }
}

impl TaskDefinition {
    /// The original of a difference task, relative to the folder of the task file.
    #[must_use]
    pub fn original_file(&self) -> Option<PathBuf> {
        let original = self.original_input_file.as_ref()?;
        Some(self.input_file.parent().unwrap_or(Path::new("")).join(original))
    }
}

#[derive(Deserialize)]
struct Preamble {
    #[serde(default)]
    format_version: Option<Text>,
}

/// A scalar as it is written: `2.0` and `'2.0'` alike.
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

#[derive(Deserialize)]
struct WireDefinition {
    input_files: OneOrMany,
    #[serde(default)]
    properties: Vec<TaskProperty>,
    #[serde(default)]
    options: Option<WireOptions>,
}

#[derive(Default, Deserialize)]
struct WireOptions {
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    data_model: Option<DataModel>,
    #[serde(default)]
    difference_verification: Option<WireDifference>,
}

#[derive(Deserialize)]
struct WireDifference {
    original_input_file: PathBuf,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(PathBuf),
    Many(Vec<PathBuf>),
}

fn definition(wire: WireDefinition, file: &str) -> Result<TaskDefinition, TaskError> {
    let unusable = |message: String| TaskError::Unusable { file: file.to_owned(), message };
    let options = wire.options.unwrap_or_default();
    if let Some(language) = options.language.filter(|language| language != "C") {
        return Err(unusable(format!("the language is {language}, expected C")));
    }
    let mut files = match wire.input_files {
        OneOrMany::One(file) => vec![file],
        OneOrMany::Many(files) => files,
    };
    let (Some(input_file), true) = (files.pop(), files.is_empty()) else {
        return Err(unusable("the task does not name exactly one input file".to_owned()));
    };
    Ok(TaskDefinition {
        input_file,
        properties: wire.properties,
        data_model: options.data_model,
        original_input_file: options.difference_verification.map(|difference| difference.original_input_file),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_with_original() {
        let text = "format_version: '2.0'\ninput_files: new/prog.c\nrequired_files: old/prog.c\nproperties:\n  \
                    - property_file: ../unreach-call.prp\n    expected_verdict: true\noptions:\n  language: C\n  \
                    data_model: ILP32\n  difference_verification: {original_input_file: ../old/prog.c}\n";
        let TaskFile::Definition(task) = TaskFile::read(text.as_bytes(), "t.yml").unwrap() else { panic!("a pair") };
        assert_eq!(task.input_file, PathBuf::from("new/prog.c"));
        assert_eq!(task.original_file(), Some(PathBuf::from("new/../old/prog.c")));
        assert_eq!(task.data_model, Some(DataModel::ILP32));
        assert_eq!(task.properties.len(), 1);
        assert_eq!(task.properties[0].expected_verdict, Some(true));
    }

    #[test]
    fn pair() {
        let text = "id: p-1\nfamily: f\noriginal: a.c\nmodified: b.c\nproperty: unreach-call\ndata_model: LP64\n\
                    truth_original: true\ntruth_modified: false\nexpected_regression: true\nnotes: \"x: y\"\n";
        let TaskFile::Pair(task) = TaskFile::read(text.as_bytes(), "t.yml").unwrap() else { panic!("no pair") };
        assert_eq!((task.property, task.data_model), (Property::UnreachCall, DataModel::LP64));
        assert_eq!(task.expected_regression, Some(true));
    }

    #[test]
    fn unusable_tasks() {
        for (text, part) in [
            ("", "empty"),
            ("id: [", "malformed"),
            ("id: x\n", "malformed"),
            ("format_version: '3.0'\ninput_files: a.c\n", "version 3.0"),
            ("format_version: '2.0'\ninput_files: [a.c, b.c]\n", "exactly one"),
            ("format_version: 2.0\ninput_files: a.c\noptions: {language: Java}\n", "Java"),
        ] {
            let error = TaskFile::read(text.as_bytes(), "t.yml").unwrap_err();
            assert!(error.to_string().contains(part), "{text:?}: {error}");
            assert!(error.to_string().starts_with("t.yml: "), "{error}");
        }
    }
}
