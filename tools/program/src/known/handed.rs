//! Which functions of the C library hand out memory that the program has to give back, and which keep what they are given.
//!
//! Does not know `malloc` and its relatives ([`super::special()`] does), nor what a program may not give back: streams stay in a list of
//! the library. A row that is missing makes a leak unseen, or one of what is not lost.

/// Where memory that a function hands out may be one of the caller's instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handed {
    /// The function allocates.
    Always,
    /// It does if its argument of this number, counted from 0, is null.
    IfNull(usize),
}

/// Functions that always hand out memory, for `free` or for a function of their own that gives it back.
const ALWAYS: &[&str] = &[
    "asprintf", "vasprintf", "__asprintf_chk", "__vasprintf_chk", "posix_memalign", "pvalloc", "wcsdup", "__strdup", "__strndup",
    "tempnam", "get_current_dir_name", "canonicalize_file_name", "argz_create", "argz_create_sep", "argz_add", "argz_add_sep",
    "argz_append", "argz_insert", "argz_replace", "envz_add", "envz_merge", "backtrace_symbols", "__sched_cpualloc",
    "if_nameindex", "getifaddrs", "getaddrinfo", "opendir", "fdopendir", "regcomp", "wordexp", "newlocale", "duplocale",
    "iconv_open", "catopen", "posix_spawn_file_actions_addopen", "posix_spawn_file_actions_addclose",
    "posix_spawn_file_actions_adddup2", "pthread_getattr_np", "pthread_attr_setaffinity_np",
];

/// Whether a function hands out memory that the program has to give back.
#[must_use]
pub fn hands_out(name: &str) -> Option<Handed> {
    match name {
        "getcwd" => Some(Handed::IfNull(0)),
        "realpath" => Some(Handed::IfNull(1)),
        _ => ALWAYS.contains(&name).then_some(Handed::Always),
    }
}

/// Whether a function keeps a pointer that it is given, so that the C library leads to what it points to.
#[must_use]
pub fn keeps_argument(name: &str) -> bool {
    matches!(name, "putenv" | "openlog")
}
