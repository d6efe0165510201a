//! How a program is read: everything that must be equal for two tools to see the same automaton.

use crate::{DataModel, Property};
use serde::{Deserialize, Serialize};

/// Where the bodies of functions come from that a program calls and neither it nor the tools define otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Library {
    /// The C library that comes with the tools.
    #[default]
    Own,
    /// Nowhere.
    None,
    /// The C files of this folder.
    Folder(String),
}

impl Library {
    /// Whether it is the one that is not mentioned.
    #[must_use]
    pub fn is_own(&self) -> bool {
        *self == Self::Own
    }

    /// The flags that ask for it.
    #[must_use]
    pub fn flags(&self) -> Vec<String> {
        match self {
            Self::Own => Vec::new(),
            Self::None => vec!["--no-libc".to_owned()],
            Self::Folder(folder) => vec![format!("--libc={folder}")],
        }
    }
}

/// Data model, entry function, property, preprocessor options and C library.
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
    /// How an entry function that takes more than numbers is called, and what else the environment does.
    #[serde(default, skip_serializing_if = "CallerOptions::is_default")]
    pub caller: CallerOptions,
    /// Where missing bodies come from.
    #[serde(default, skip_serializing_if = "Library::is_own")]
    pub library: Library,
}

/// What the environment of a program does: the bounds of what a made caller passes to an entry function that takes more than
/// numbers, and whether memory runs out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallerOptions {
    /// How many structs a chain of pointers passes at most.
    pub depth: u32,
    /// How many elements an array behind a pointer has, and how many characters a string.
    pub length: u32,
    /// What holds of the arguments: C expressions over the parameters.
    pub assume: Vec<String>,
    /// Whether allocation yields null if the environment wants.
    #[serde(default, skip_serializing_if = "is_off")]
    pub malloc_may_fail: bool,
}

/// Whether a choice is the one that artifacts leave out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_off(choice: &bool) -> bool {
    !*choice
}

impl Default for CallerOptions {
    fn default() -> Self {
        Self { depth: 2, length: 4, assume: Vec::new(), malloc_may_fail: false }
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
            library: Library::default(),
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
