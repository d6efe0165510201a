//! How a program is read: everything that must be equal for two tools to see the same automaton.

use crate::{DataModel, Property};
use serde::{Deserialize, Serialize};

/// Data model, entry function, property and preprocessor options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramOptions {
    /// Sizes of types.
    pub data_model: DataModel,
    /// Function where the program starts.
    pub entry: String,
    /// What must not happen.
    pub property: Property,
    /// Arguments for the C preprocessor, in order: `-I DIR`, `-D NAME`, … as single strings (`-IDIR`).
    pub preprocessor: Vec<String>,
}

impl Default for ProgramOptions {
    fn default() -> Self {
        Self { data_model: DataModel::LP64, entry: "main".to_owned(), property: Property::default(), preprocessor: Vec::new() }
    }
}

impl ProgramOptions {
    /// The property as text of a property file, with the entry function in it.
    #[must_use]
    pub fn specification(&self) -> String {
        self.property.specification(&self.entry)
    }
}
