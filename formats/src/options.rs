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
    /// How an entry function that takes more than numbers is called.
    #[serde(default, skip_serializing_if = "CallerOptions::is_default")]
    pub caller: CallerOptions,
}

/// The bounds of what a made caller passes to an entry function that takes more than numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallerOptions {
    /// How many structs a chain of pointers passes at most.
    pub depth: u32,
    /// How many elements an array behind a pointer has, and how many characters a string.
    pub length: u32,
    /// What holds of the arguments: C expressions over the parameters.
    pub assume: Vec<String>,
}

impl Default for CallerOptions {
    fn default() -> Self {
        Self { depth: 2, length: 4, assume: Vec::new() }
    }
}

impl CallerOptions {
    /// Whether nothing differs from the default, which artifacts leave out.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for ProgramOptions {
    fn default() -> Self {
        Self {
            data_model: DataModel::LP64,
            entry: "main".to_owned(),
            property: Property::default(),
            preprocessor: Vec::new(),
            caller: CallerOptions::default(),
        }
    }
}

impl ProgramOptions {
    /// The property as text of a property file, with the entry function in it.
    #[must_use]
    pub fn specification(&self) -> String {
        self.property.specification(&self.entry)
    }
}
