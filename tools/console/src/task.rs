//! Task files: `--task` brings property, data model and input files.

use crate::input::{Input, InputError};
use formats::property::UnknownProperty;
use formats::task::TaskError;
use formats::{DataModel, PairTask, Property, TaskFile};
use std::path::{Path, PathBuf};

/// A task whose paths are resolved and whose property files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The task file.
    pub file: PathBuf,
    /// The program before the change, if the task is about a change.
    pub original: Option<PathBuf>,
    /// The (modified) program.
    pub modified: PathBuf,
    /// Properties with the entry functions they name; for a pair file the entry is `None`.
    pub properties: Vec<(Property, Option<String>)>,
    /// How many of them, from the first on, the task asks for together: those of its first property file.
    pub together: usize,
    /// Sizes of types, if the task says so.
    pub data_model: Option<DataModel>,
    /// What a pair file knows about the pair.
    pub pair: Option<PairTask>,
}

/// Why a task cannot be loaded.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum TaskLoadError {
    /// The task file or a property file cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Input(#[from] InputError),
    /// The task file is no task.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Task(#[from] TaskError),
    /// No property of the task can be checked.
    #[error("{file}: the task has no property this tool can check{}", last.as_ref().map(|error| format!(": {error}")).unwrap_or_default())]
    #[diagnostic(help("see --property in --help for the properties there are"))]
    NoProperty {
        /// The task file.
        file: String,
        /// What is wrong with the last of its properties.
        last: Option<UnknownProperty>,
    },
}

impl Task {
    /// Reads a task file and the property files it names.
    ///
    /// # Errors
    /// [`TaskLoadError`] if one of them cannot be used.
    pub fn load(file: &Path) -> Result<Self, TaskLoadError> {
        let input = Input::read(file)?;
        let folder = file.parent().unwrap_or(Path::new(""));
        match TaskFile::read(&input.bytes, &input.name)? {
            TaskFile::Pair(pair) => Ok(Self {
                file: file.to_owned(),
                original: Some(folder.join(&pair.original)),
                modified: folder.join(&pair.modified),
                properties: vec![(pair.property, None)],
                together: 1,
                data_model: Some(pair.data_model),
                pair: Some(pair),
            }),
            TaskFile::Definition(task) => {
                let mut properties: Vec<(Property, Option<String>)> = Vec::new();
                let mut together = 0;
                let mut last = None;
                for property in &task.properties {
                    let input = Input::read(&folder.join(&property.property_file))?;
                    match Property::parse_specifications(&String::from_utf8_lossy(&input.bytes)) {
                        Ok(found) => {
                            properties.extend(found.into_iter().map(|(property, entry)| (property, Some(entry))));
                            together = if together == 0 { properties.len() } else { together };
                        }
                        Err(error) => last = Some(error),
                    }
                }
                if properties.is_empty() {
                    return Err(TaskLoadError::NoProperty { file: input.name, last });
                }
                Ok(Self {
                    file: file.to_owned(),
                    original: task.original_file().map(|original| folder.join(original)),
                    modified: folder.join(&task.input_file),
                    properties,
                    together,
                    data_model: task.data_model,
                    pair: None,
                })
            }
        }
    }
}
