//! The functions of the C library that parts of this project treat specially: one row for all of them.
//!
//! Points-to, effects, the interpreter, the encoder, the instrumentation, what runs at the end and the pair of two versions ask
//! the row of a name; none of them knows names of its own. What an operation computes, its module knows: a row says only
//! that it does. A row applies to functions without a body.
//! Knows no types: whether a function of this name is the one of the library, [`super::by_type`] says.

use super::Known;

/// How a function that works on memory moves pointers; arguments are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moves {
    /// Copies what argument 1 points to where argument 0 points, returns argument 0 or a pointer behind it.
    Copy {
        /// It reads where it writes, to find the end of what is there.
        appends: bool,
    },
    /// Writes where argument 0 points, returns argument 0 or no pointer.
    Fill,
    /// Only reads; returns a pointer derived from argument 0, or no pointer.
    Read,
}

/// Which arguments say how much a function allocates, and what becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Allocation {
    /// `malloc(size)`
    Size,
    /// `calloc(count, size)`
    Product,
    /// `realloc(old, size)`
    Again,
    /// `reallocarray(old, count, size)`
    AgainProduct,
    /// `aligned_alloc(alignment, size)`
    Aligned,
    /// `alloca(size)`: ends with the function that calls it, and never fails.
    Local,
    /// `__VERIFIER_alloc(size)`, which the C bodies of the library call.
    Internal,
    /// `strdup(text)`: as much as the text is long.
    Text,
}

impl Allocation {
    /// The argument that is the number of bytes, or the two whose product is.
    #[must_use]
    pub fn factors(self) -> Option<(usize, Option<usize>)> {
        match self {
            Self::Size | Self::Local | Self::Internal => Some((0, None)),
            Self::Product => Some((0, Some(1))),
            Self::Again => Some((1, None)),
            Self::AgainProduct => Some((1, Some(2))),
            Self::Aligned | Self::Text => None,
        }
    }

    /// Whether it gives back a block that the caller had.
    #[must_use]
    pub fn takes_back(self) -> bool {
        matches!(self, Self::Again | Self::AgainProduct)
    }
}

/// Which functions that were registered run before the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handlers {
    /// Those of `atexit`.
    AtExit,
    /// Those of `at_quick_exit`.
    AtQuickExit,
    /// None: the C library does not notice.
    None,
}

/// How a function ends the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// With the code that its argument is.
    Exit(Handlers),
    /// By a signal: `abort`, or an assertion that fails.
    Abort,
    /// With a code and a message: what `atexit` registered runs first.
    Message,
    /// By a signal that comes, if one does.
    Waits,
}

impl Ending {
    /// Whether what `atexit` registered runs.
    #[must_use]
    pub fn runs(self) -> bool {
        matches!(self, Self::Exit(Handlers::AtExit) | Self::Message)
    }
}

/// What is special about a function; see the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Special {
    /// What it is for the analyses.
    pub known: Known,
    /// How it moves pointers.
    pub moves: Option<Moves>,
    /// It yields a pointer into what its first argument points to.
    pub yields_argument: bool,
    /// The arguments that it accesses as many bytes of as argument 2 says, and whether it writes them.
    pub counted: &'static [(usize, bool)],
    /// The interpreter computes it exactly.
    pub computed: bool,
    /// How much it allocates.
    pub allocation: Option<Allocation>,
    /// How it ends the program.
    pub ending: Option<Ending>,
}

impl Special {
    const fn new(known: Known) -> Self {
        Self { known, moves: None, yields_argument: false, counted: &[], computed: false, allocation: None, ending: None }
    }

    const fn moving(moves: Moves) -> Self {
        Self { moves: Some(moves), ..Self::new(Known::Memory) }
    }

    const fn ending(ending: Ending) -> Self {
        Self { ending: Some(ending), ..Self::new(Known::NoReturn) }
    }

    const fn allocating(allocation: Allocation) -> Self {
        Self { allocation: Some(allocation), ..Self::new(Known::Allocate) }
    }

    const fn yielding(self) -> Self {
        Self { yields_argument: true, ..self }
    }

    const fn computed(self) -> Self {
        Self { computed: true, ..self }
    }

    const fn counted(self, counted: &'static [(usize, bool)]) -> Self {
        Self { counted, ..self }
    }
}

const COPY: Special = Special::moving(Moves::Copy { appends: false });
const APPEND: Special = Special::moving(Moves::Copy { appends: true });
const FILL: Special = Special::moving(Moves::Fill);
const READ: Special = Special::moving(Moves::Read);

/// The rows. Names that `_FORTIFY_SOURCE` makes of these (`__memcpy_chk`) have the row of the plain name.
const ROWS: &[(&[&str], Special)] = &[
    (&["memcpy", "memmove", "mempcpy"], COPY.yielding().computed().counted(&[(0, true), (1, false)])),
    (&["strcpy", "strncpy", "stpcpy", "stpncpy"], COPY.yielding().computed()),
    (&["strcat", "strncat"], APPEND.yielding().computed()),
    (&["strlcpy"], COPY),
    (&["strlcat"], APPEND),
    (&["memset"], FILL.yielding().computed().counted(&[(0, true)])),
    (&["bzero"], FILL.computed()),
    (&["time", "explicit_bzero"], FILL),
    (&["memcmp", "bcmp"], READ.computed().counted(&[(0, false), (1, false)])),
    (&["strlen", "strnlen", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strspn", "strcspn"], READ.computed()),
    (&["memchr", "strchr", "strrchr", "index", "rindex", "strchrnul", "strstr", "strpbrk"], READ.yielding().computed()),
    (&["memrchr", "wcschr", "wcsrchr", "wcsstr", "wcspbrk", "wmemchr", "memmem"], READ.yielding()),
    (&["strcoll", "strcasestr", "rawmemchr", "strerror", "strsignal"], READ),
    (&["malloc", "valloc"], Special::allocating(Allocation::Size)),
    (&["calloc"], Special::allocating(Allocation::Product)),
    (&["realloc"], Special::allocating(Allocation::Again)),
    (&["reallocarray"], Special::allocating(Allocation::AgainProduct)),
    (&["aligned_alloc", "memalign"], Special::allocating(Allocation::Aligned)),
    (&["alloca"], Special::allocating(Allocation::Local)),
    (&["__VERIFIER_alloc"], Special::allocating(Allocation::Internal)),
    (&["strdup", "strndup"], Special::allocating(Allocation::Text)),
    (&["free", "cfree"], Special::new(Known::Free)),
    (&["exit"], Special::ending(Ending::Exit(Handlers::AtExit))),
    (&["quick_exit"], Special::ending(Ending::Exit(Handlers::AtQuickExit))),
    (&["_exit", "_Exit"], Special::ending(Ending::Exit(Handlers::None))),
    (&["abort", "__builtin_trap", "__stack_chk_fail", "__chk_fail"], Special::ending(Ending::Abort)),
    (
        &["__assert_fail", "__assert_perror_fail", "__assert", "__assert_rtn", "__assert_func", "_assert"],
        Special::ending(Ending::Abort),
    ),
    // Names that a program may well use itself: `super::by_type`.
    (&["err", "errx", "verr", "verrx"], Special::ending(Ending::Message)),
    // Without a handler, and installing one is unsupported, a signal ends the program here or leaves it waiting.
    (&["pause"], Special::ending(Ending::Waits)),
];

/// Names of functions with checks whose plain ones are in the table.
pub(super) const CHECKED: &[&str] = &[
    "__memcpy_chk", "__memmove_chk", "__mempcpy_chk", "__memset_chk", "__strcpy_chk", "__strncpy_chk", "__stpcpy_chk",
    "__stpncpy_chk", "__strcat_chk", "__strncat_chk",
];

/// The row of a function, by its name: with or without `__builtin_`, with or without the check of its room.
#[must_use]
pub fn special(name: &str) -> Option<&'static Special> {
    row(plain(name))
}

/// The row of exactly this name, or of a function with checks.
pub(super) fn exactly(name: &str) -> Option<&'static Special> {
    row(if CHECKED.contains(&name) { plain(name) } else { name })
}

fn row(name: &str) -> Option<&'static Special> {
    ROWS.iter().find(|(names, _)| names.contains(&name)).map(|(_, special)| special)
}

/// The name of the C library that a name of the compiler stands for: `memcpy` for `__builtin_memcpy` and `__memcpy_chk`.
#[must_use]
pub fn plain(name: &str) -> &str {
    if name == "__builtin_trap" {
        return name;
    }
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let checked = name.strip_prefix("__").and_then(|name| name.strip_suffix("_chk"));
    checked.filter(|_| CHECKED.contains(&name)).unwrap_or(name)
}

/// All names that have a row, those of functions with checks included.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().flat_map(|(names, _)| names.iter().copied()).chain(CHECKED.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_the_compiler_has_the_row_of_the_library() {
        for name in ["memcpy", "__builtin_memcpy", "__memcpy_chk", "__builtin___memcpy_chk"] {
            assert_eq!(plain(name), "memcpy");
            assert!(special(name).is_some_and(|row| row.computed), "{name}");
        }
        assert_eq!(plain("__builtin_trap"), "__builtin_trap");
        // Nobody promises these.
        for name in ["__memcpy", "memcpy_chk", "__strlen_chk", "__malloc", "kmalloc"] {
            assert_eq!(special(name), None, "{name}");
        }
    }

    #[test]
    fn only_what_works_on_memory_counts_bytes_or_is_computed() {
        for (names, row) in ROWS {
            assert_eq!(row.moves.is_some(), row.known == Known::Memory, "{names:?}");
            assert_eq!(row.allocation.is_some(), row.known == Known::Allocate, "{names:?}");
            assert_eq!(row.ending.is_some(), row.known == Known::NoReturn, "{names:?}");
            assert!(row.moves.is_some() || !row.computed && row.counted.is_empty() && !row.yields_argument, "{names:?}");
        }
    }
}
