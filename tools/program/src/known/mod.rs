//! What is known of functions by their names.
//!
//! The table applies to functions without a body only, the error function excepted: a program's own `exit` is an
//! ordinary function.
//! What parts of the project do with some of them beyond that is in [`mod@special`]; effects in detail are in `semantics`.

mod accesses;
mod handed;
mod null;
mod special;
mod texts;

use formats::Property;

pub use self::accesses::{Behind, accesses};
pub use self::handed::{Handed, hands_out, keeps_argument};
pub(crate) use self::null::format_of;
pub use self::null::may_be_null;
pub use self::special::{Allocation, Ending, Handlers, Moves, Special, plain, special};
pub use self::texts::{Bound, Extent, Text, Yield, is_printed, prints_texts, texts};

use crate::types::FunctionType;
use crate::violation::Violation;

/// What the tool knows of a function without a body; the error function is known even with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Known {
    /// Violates the property when called.
    Error,
    /// `abort`, `exit`, `_Noreturn` functions: does not return.
    NoReturn,
    /// `__VERIFIER_nondet_*`: an input. Calls of it are [`crate::cfa::Operation::Havoc`]; it writes nothing but its result.
    Input,
    /// Fresh memory: `malloc`, `calloc`, `realloc`, `alloca`, `kmalloc`-like names are not among them.
    Allocate,
    /// `free`: no effect that reachability sees.
    Free,
    /// `memcpy`, `memset`, `str*`: effects known by name, see `semantics`; or `sprintf`, `strtol`, …: writes where its
    /// arguments point, and nowhere else.
    Memory,
    /// No effect on memory of the program, e.g. `printf` or `abs`; see [`results`] for the result.
    Pure,
    /// Has effects no analysis here can follow: `setjmp`, `qsort`, `atexit`, `pthread_create`, …
    Unsupported,
}

/// The input that decides whether memory is left, where it may run out.
pub const ALLOCATION_INPUT: &str = "__VERIFIER_nondet_residue_int";

/// How the object is called that says whether a weak name has a definition: a name behind this.
pub const DEFINED: &str = "__defined_";

/// Whether calling a function of this name violates the property, whether it has a body or not.
#[must_use]
pub fn is_error_function(name: &str, property: Property) -> bool {
    match property {
        Property::UnreachCall => matches!(name, "reach_error" | "__VERIFIER_error"),
        Property::Assert => {
            matches!(name, "__assert_fail" | "__assert_perror_fail" | "__assert" | "__assert_rtn" | "__assert_func" | "_assert")
        }
        Property::DivZero
        | Property::Shift
        | Property::NoOverflow
        | Property::ValidDeref
        | Property::ValidFree
        | Property::ValidMemtrack => Violation::of_function(name).is_some_and(|violation| violation.property() == property),
    }
}

/// Whether a function of this name without a body is an assertion: it fails iff its first argument is 0.
#[must_use]
pub fn is_assertion(name: &str) -> bool {
    matches!(name, "assert" | "__VERIFIER_assert")
}

/// Whether a function of this name without a body only lets paths go on where its argument is not 0.
#[must_use]
pub fn is_assumption(name: &str) -> bool {
    matches!(name, "__VERIFIER_assume")
}

/// What is known of a function without a body.
///
/// Names of the C library stand for what the C library says of them, `None` is a function nobody knows.
#[must_use]
pub fn by_name(name: &str) -> Option<Known> {
    if name.starts_with("__VERIFIER_nondet_") && !WRITES.contains(&name) {
        return Some(Known::Input);
    }
    if is_gap(name) || starts_threads(name) {
        return Some(Known::Unsupported);
    }
    if let Some(special) = special::exactly(name) {
        return Some(special.known);
    }
    let groups = [
        (WRITES, Known::Memory),
        (FORMATS, Known::Pure),
        (STREAMS, Known::Pure),
        (TEXT, Known::Pure),
        (VALUES, Known::Pure),
        (UNSUPPORTED, Known::Unsupported),
    ];
    groups.iter().find(|(names, _)| names.contains(&name)).map(|(_, known)| *known)
}

/// What an operation is called that starts a thread: programs with several are not modelled.
pub const THREADS: &str = "threads";

/// The construct that a call of an unsupported function is.
#[must_use]
pub fn construct(function: &str) -> &str {
    if starts_threads(function) {
        THREADS
    } else if function == UNSUPPORTED_INPUT {
        "`scanf` behind what an earlier conversion left"
    } else if function == UNSUPPORTED_NUMBER {
        "floating-point number of many digits, or of few characters, in `scanf`"
    } else if function == UNSUPPORTED_SIGN {
        "sign of what is no number, or of one of two zeros"
    } else if function == UNSUPPORTED_ROUNDING {
        "fesetround"
    } else {
        function
    }
}

/// Whether a function without a body starts a thread; systems have further ones of these beginnings.
fn starts_threads(name: &str) -> bool {
    START_THREADS.contains(&name) || name.starts_with("pthread_create") || name.starts_with("thrd_create")
}

/// Whether the bodies of the C library call a function of this name where they have no code: nothing defines it.
#[must_use]
pub fn is_gap(name: &str) -> bool {
    matches!(name, UNSUPPORTED_CONVERSION | UNSUPPORTED_INPUT | UNSUPPORTED_NUMBER | UNSUPPORTED_SIGN | UNSUPPORTED_ROUNDING)
}

/// What the bodies of the C library call for a conversion that they have no code for.
pub(crate) const UNSUPPORTED_CONVERSION: &str = "__residue_unsupported_conversion";

/// What they call where a conversion of `scanf` meets what earlier ones left, and that is not known well enough.
pub(crate) const UNSUPPORTED_INPUT: &str = "__residue_unsupported_input";

/// What they call where a floating-point number has a text that is not rounded once, or is one that a width may not admit.
pub(crate) const UNSUPPORTED_NUMBER: &str = "__residue_unsupported_number";

/// What they call where the sign of a NaN or of one of two zeros is asked for, which hardware and compilers choose.
pub(crate) const UNSUPPORTED_SIGN: &str = "__residue_unsupported_sign";

/// What they call where another way of rounding is chosen.
pub(crate) const UNSUPPORTED_ROUNDING: &str = "__residue_unsupported_rounding";

/// What the type of a function says about a name that is in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// It may be the function that the name stands for.
    Plain,
    /// It has a parameter through which it could write.
    Writes,
    /// It has a result.
    Yields,
    /// Both.
    WritesAndYields,
}

/// What is known of a function of this name and type: a program may declare a function of its own under a name of the
/// library.
#[must_use]
pub fn by_type(name: &str, signature: Signature) -> Option<Known> {
    let known = by_name(name)?;
    let writes = matches!(signature, Signature::Writes | Signature::WritesAndYields);
    let yields = matches!(signature, Signature::Yields | Signature::WritesAndYields);
    match known {
        Known::Input if writes => Some(Known::Memory),
        Known::Pure if writes && VALUES.contains(&name) => None,
        Known::NoReturn if yields && special(name).is_some_and(|row| row.ending == Some(Ending::Message)) => None,
        Known::Error
        | Known::NoReturn
        | Known::Input
        | Known::Allocate
        | Known::Free
        | Known::Memory
        | Known::Pure
        | Known::Unsupported => Some(known),
    }
}

/// What is known of a function that prints, in a program some format of which has a `%n`: it writes through a pointer, and
/// those in a `va_list` are not seen. `None` for other functions.
///
/// A format that is no literal of the program is taken to have none.
#[must_use]
pub fn with_counts(name: &str) -> Option<Known> {
    match name {
        "vprintf" | "vfprintf" | "vdprintf" | "__vprintf_chk" | "__vfprintf_chk" | "vwprintf" | "vfwprintf" => {
            Some(Known::Unsupported)
        }
        "vsprintf" | "vsnprintf" | "__vsprintf_chk" | "__vsnprintf_chk" | "vasprintf" => Some(Known::Unsupported),
        _ => FORMATS.contains(&name).then_some(Known::Memory),
    }
}

/// Whether a format has a conversion that stores the number of characters written.
#[must_use]
pub fn has_count(format: &[u32]) -> bool {
    let mut rest = format.iter().copied().filter_map(char::from_u32);
    while let Some(c) = rest.next() {
        if c == '%' && rest.find(|c| !"-+ #0123456789.*'$hljztLqI".contains(*c)) == Some('n') {
            return true;
        }
    }
    false
}

/// Whether a function of the C library computes a value of its arguments and does nothing else, `errno` aside.
#[must_use]
pub fn is_value(name: &str) -> bool {
    VALUES.contains(&name)
}

/// What the C library says of the result of a function without effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Results {
    /// Any value.
    Any,
    /// Any value from the first to the second.
    Between(i32, i32),
    /// The address of an object of the library, which is not null.
    Somewhere,
    /// The arguments decide, or bound it.
    Computed,
}

/// What the C library says of the result of a function that is [`Known::Pure`].
#[must_use]
pub fn results(name: &str) -> Results {
    match name {
        "rand" | "random" => Results::Between(0, i32::MAX),
        "getpid" => Results::Between(1, i32::MAX),
        "getchar" | "getc" | "fgetc" => Results::Between(-1, 255),
        // What was written, or how much of it.
        "putchar" | "putc" | "fputc" => Results::Computed,
        _ if FORMATS.contains(&name) => Results::Computed,
        "puts" | "fputs" => Results::Between(-1, i32::MAX),
        "usleep" | "sched_yield" | "fflush" | "fclose" => Results::Between(-1, 0),
        "clock" => Results::Any,
        "__errno_location" | "__ctype_b_loc" | "__ctype_tolower_loc" | "__ctype_toupper_loc" => Results::Somewhere,
        _ if VALUES.contains(&name) || TEXT.contains(&name) => Results::Computed,
        _ => Results::Any,
    }
}

/// What a function that uses a stream or waits yields where nothing fails: a proof counts with failures, but who runs a
/// counterexample does not see any.
#[must_use]
pub fn results_of_success(name: &str) -> Option<(i32, i32)> {
    match name {
        "puts" | "fputs" => Some((1, i32::MAX)),
        "usleep" | "sched_yield" | "fflush" | "fclose" => Some((0, 0)),
        _ => None,
    }
}

/// Functions that write where their arguments point, and nowhere else.
const WRITES: &[&str] = &[
    "sprintf", "snprintf", "vsprintf", "vsnprintf", "__sprintf_chk", "__snprintf_chk", "__vsprintf_chk", "__vsnprintf_chk",
    "asprintf", "vasprintf", "swprintf", "vswprintf", "strftime", "strfmon", "strtol", "strtoul", "strtoll", "strtoull",
    "strtoq", "strtouq", "strtoimax", "strtoumax", "strtod", "strtof", "strtold", "__isoc23_strtol", "__isoc23_strtoul",
    "__isoc23_strtoll", "__isoc23_strtoull", "__isoc23_strtoimax", "__isoc23_strtoumax", "wcstol", "wcstoul", "wcstoll",
    "wcstoull", "wcstod", "strxfrm", "strerror_r", "bcopy", "memccpy", "memfrob", "strfry", "swab", "wmemcpy", "wmemmove",
    "wmemset", "wcscpy", "wcsncpy", "wcscat", "wcsncat", "mbstowcs", "wcstombs", "mbtowc", "wctomb", "mbrtowc", "wcrtomb",
    "mbsrtowcs", "wcsrtombs", "frexp", "frexpf", "frexpl", "modf", "modff", "modfl", "remquo", "remquof", "remquol", "sincos",
    "sincosf", "sincosl", "lgamma_r", "lgammaf_r", "gettimeofday", "clock_gettime", "clock_getres", "times", "getitimer",
    "timespec_get", "nanosleep", "clock_nanosleep", "localtime_r", "gmtime_r", "ctime_r", "asctime_r", "mktime", "timegm",
    "timelocal", "strptime", "rand_r", "random_r", "srandom_r", "erand48", "nrand48", "jrand48", "drand48_r", "getcwd", "getwd",
    "getlogin_r", "gethostname", "getdomainname", "readlink", "readlinkat", "realpath", "ttyname_r", "ptsname_r", "ctermid",
    "tmpnam", "tmpnam_r", "mkstemp", "mkostemp", "mkdtemp", "mktemp", "pipe", "pipe2", "socketpair", "getsockname",
    "getpeername", "getsockopt", "accept", "accept4", "recv", "recvfrom", "pread", "pread64", "select", "pselect", "poll",
    "ppoll", "epoll_wait", "wait", "waitpid", "wait3", "wait4", "waitid", "stat", "fstat", "lstat", "fstatat", "stat64",
    "fstat64", "lstat64", "statfs", "fstatfs", "statvfs", "fstatvfs", "uname", "getrlimit", "getrusage", "sysinfo", "tcgetattr",
    "fcntl", "posix_memalign", "getentropy", "getrandom", "arc4random_buf", "getloadavg", "getgroups", "fgetpos", "readdir_r",
    "inet_pton", "inet_ntop", "inet_aton", "getaddrinfo", "getnameinfo", "regcomp", "regexec", "sigprocmask", "sigemptyset",
    "sigfillset", "sigaddset", "sigdelset", "sigpending", "sigwait", "posix_spawn", "posix_spawnp", "__VERIFIER_nondet_memory",
];

/// Those of them that store no pointers.
const PLAIN_BYTES: &[&str] = &["memccpy", "memfrob", "strfry", "strftime", "strfmon", "strxfrm", "strerror_r", "strptime"];

/// Whether a function of this name that is [`Known::Memory`] stores no pointers but those that it copies.
#[must_use]
pub fn copies_only(name: &str) -> bool {
    PLAIN_BYTES.contains(&name) || special(name).is_some_and(|row| row.moves.is_some())
}

/// Functions that print what a format says.
const FORMATS: &[&str] = &[
    "wprintf", "fwprintf", "vwprintf", "vfwprintf", "printf", "fprintf", "dprintf", "vprintf", "vfprintf", "vdprintf", "printk",
    "_printk", "__printf_chk", "__fprintf_chk", "__vprintf_chk", "__vfprintf_chk",
];

/// Functions that only use streams.
const STREAMS: &[&str] = &[
    "puts", "fputs", "putchar", "putc", "fputc", "fflush", "perror", "getchar", "getc", "fgetc", "fwrite", "write", "feof",
    "ferror", "fclose", "clearerr", "rewind",
];

/// Functions of a text they read.
const TEXT: &[&str] = &[
    "atoi", "atol", "atoll", "atof", "wcslen", "wcsnlen", "wcscmp", "wcsncmp", "wcscoll", "wcscasecmp", "wcsncasecmp", "wmemcmp",
    "wcsspn", "wcscspn", "strverscmp", "mblen", "a64l", "malloc_usable_size",
];

/// Functions that neither read nor write memory of the program.
const VALUES: &[&str] = &[
    "abs", "labs", "llabs", "imaxabs", "rand", "random", "srand", "srandom", "clock", "getpid", "isalpha", "isdigit", "isalnum",
    "isspace", "isupper", "islower", "isxdigit", "isprint", "ispunct", "iscntrl", "isgraph", "isblank", "toupper", "tolower",
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2", "expm1", "log", "log2", "log10",
    "log1p", "pow", "sqrt", "cbrt", "hypot", "fabs", "floor", "ceil", "fmod", "remainder", "round", "trunc", "rint", "nearbyint",
    "lround", "llround", "lrint", "llrint", "fmin", "fmax", "fdim", "fma", "copysign", "ldexp", "scalbn", "ilogb", "logb",
    "nextafter", "erf", "tgamma", "sinf", "cosf", "tanf", "asinf", "acosf", "atanf", "atan2f", "expf", "logf", "log10f", "powf",
    "sqrtf", "cbrtf", "hypotf", "fabsf", "floorf", "ceilf", "fmodf", "roundf", "truncf", "rintf", "nearbyintf", "fminf", "fmaxf",
    "fdimf", "fmaf", "copysignf", "ldexpf", "isnan", "isnanf", "isinf", "isinff", "finite", "finitef", "ffs", "ffsl", "ffsll",
    "sleep", "usleep", "sched_yield", "__errno_location", "__VERIFIER_atomic_begin", "__VERIFIER_atomic_end", "iswalnum",
    "iswalpha", "iswblank", "iswcntrl", "iswdigit", "iswgraph", "iswlower", "iswprint", "iswpunct", "iswspace", "iswupper",
    "iswxdigit", "towlower", "towupper", "difftime", "isascii", "toascii", "sinhf", "coshf", "tanhf", "asinh", "asinhf", "acosh",
    "acoshf", "atanh", "atanhf", "exp2f", "exp10", "exp10f", "expm1f", "log2f", "log1pf", "erff", "erfc", "erfcf", "tgammaf",
    "logbf", "remainderf", "nextafterf", "drem", "dremf", "lroundf", "llroundf", "lrintf", "llrintf", "ilogbf", "scalbnf",
    "scalbln", "scalblnf", "nexttoward", "nexttowardf", "nan", "nanf", "btowc", "wctob", "wcwidth", "htons", "htonl", "ntohs",
    "ntohl", "lrand48", "mrand48", "drand48", "__isnan", "__isnanf", "__isinf", "__isinff", "__finite", "__finitef",
    "__fpclassify", "__fpclassifyf", "__signbit", "__signbitf", "fegetround", "__ctype_b_loc", "__ctype_tolower_loc",
    "__ctype_toupper_loc",
];

/// Functions that do more than their arguments and results show, or write behind pointers in what is pointed to.
const UNSUPPORTED: &[&str] = &[
    "setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", "qsort",
    "qsort_r", "bsearch", "signal", "sigaction", "atexit", "on_exit", "at_quick_exit", "pthread_exit", "pthread_cancel",
    "pthread_atfork", "fork", "vfork", "scanf", "fscanf", "sscanf", "vscanf", "vfscanf", "vsscanf", "__isoc99_scanf",
    "__isoc99_fscanf", "__isoc99_sscanf", "gets", "fgets", "fread", "read", "getline", "getdelim", "makecontext", "swapcontext",
    "setcontext", "getcontext", "dlopen", "dlsym", "nftw", "ftw", "lfind", "lsearch", "tsearch", "twalk", "execve", "execv",
    "execvp", "__longjmp", "longjmperror", "__sigjmp_save", "bsd_signal", "sysv_signal", "__sysv_signal", "sigset", "ssignal",
    "sigvec", "raise", "gsignal", "kill", "killpg", "tgkill", "pthread_kill", "pthread_once", "call_once", "pthread_key_create",
    "tss_create", "pthread_cleanup_push", "thrd_exit", "__cxa_atexit", "timer_create", "mq_notify", "qsort_s", "bsearch_s",
    "tfind", "tdelete", "tdestroy", "twalk_r", "hsearch", "hsearch_r", "insque", "remque", "scandir", "scandirat", "glob",
    "nftw64", "ftw64", "fts_open", "dl_iterate_phdr", "argp_parse", "getopt", "getopt_long", "getopt_long_only", "fopencookie",
    "open_memstream", "fmemopen", "setbuf", "setbuffer", "setvbuf", "wscanf", "fwscanf", "swscanf", "vwscanf", "vfwscanf",
    "vswscanf", "__isoc99_vscanf", "__isoc99_vfscanf", "__isoc99_vsscanf", "__isoc23_scanf", "__isoc23_fscanf",
    "__isoc23_sscanf", "__isoc23_vscanf", "__isoc23_vfscanf", "__isoc23_vsscanf", "fgets_unlocked", "fread_unlocked", "fgetws",
    "__getdelim", "readv", "preadv", "recvmsg", "recvmmsg", "process_vm_readv", "ioctl", "syscall", "prctl", "ptrace", "iconv",
    "execl", "execlp", "execle", "execvpe", "fexecve", "strtok", "strtok_r", "__strtok_r", "strsep", "wcstok", "getsubopt",
    "initstate", "setstate", "obstack_printf", "obstack_vprintf", "open_wmemstream", "alarm", "ualarm", "setitimer",
    "timer_settime", "sigsuspend", "sigpause", "sigqueue", "pthread_sigqueue", "_Fork", "daemon", "execveat", "fesetround",
    "fesetenv", "feupdateenv", "feholdexcept", "fesetmode", "feenableexcept", "fetestexcept", "fegetexceptflag",
    "fetestexceptflag", "feraiseexcept", "fesetexcept", "setlocale", "uselocale", "gamma", "gammaf", "gammal", "lgamma",
    "lgammaf", "lgammal", "preadv2", "preadv64", "preadv64v2", "scandir64", "scandirat64", "register_printf_function",
    "register_printf_specifier", "register_printf_modifier", "register_printf_type", "__cxa_at_quick_exit", "clearenv",
    "initstate_r", "setstate_r", "vmsplice", "splice",
];

/// Functions that start a thread, or something that runs beside the program: what they are given runs at any time from then on.
const START_THREADS: &[&str] = &[
    "pthread_create", "thrd_create", "clone", "__clone", "__clone2", "clone3", "g_thread_new", "g_thread_try_new",
    "g_thread_create", "g_thread_create_full", "GOMP_parallel", "GOMP_parallel_start", "GOMP_task", "getaddrinfo_a", "aio_read",
    "aio_write", "aio_fsync", "lio_listio", "aio_read64", "aio_write64", "aio_fsync64", "lio_listio64",
];

/// Functions that end the program where their first argument is not 0, if they are of the library: its names are common.
const MAY_END: &[&str] = &["error", "error_at_line"];

/// Functions of values that never set `errno`.
const KEEP_ERRNO: &[&str] = &[
    "abs", "labs", "llabs", "imaxabs", "rand", "random", "srand", "srandom", "getpid", "isalpha", "isdigit", "isalnum",
    "isspace", "isupper", "islower", "isxdigit", "isprint", "ispunct", "iscntrl", "isgraph", "isblank", "toupper", "tolower",
    "fabs", "floor", "ceil", "round", "trunc", "rint", "nearbyint", "fmin", "fmax", "copysign", "fabsf", "floorf", "ceilf",
    "roundf", "truncf", "rintf", "nearbyintf", "fminf", "fmaxf", "copysignf", "isnan", "isnanf", "isinf", "isinff", "finite",
    "finitef", "ffs", "ffsl", "ffsll", "__errno_location", "__VERIFIER_atomic_begin", "__VERIFIER_atomic_end", "__isnan",
    "__isnanf", "__isinf", "__isinff", "__finite", "__finitef", "__fpclassify", "__fpclassifyf", "__signbit", "__signbitf",
    "fegetround", "nan", "nanf", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc",
];

/// Whether what a function of this name without a body is given decides what others yield later.
#[must_use]
pub fn decides_others(name: &str) -> bool {
    matches!(name, "srand" | "srandom")
}

/// Whether a function of this name without a body does something that is seen outside of the program: it prints, or moves a stream.
#[must_use]
pub fn is_output(name: &str) -> bool {
    FORMATS.contains(&name) || STREAMS.contains(&name)
}

/// Whether a function of values may set `errno`, which matters in programs that look at it.
#[must_use]
pub fn sets_errno(name: &str) -> bool {
    VALUES.contains(&name) && !KEEP_ERRNO.contains(&name)
}

/// Whether a function of this name and type may end the program or not.
#[must_use]
pub fn may_end(name: &str, ty: &FunctionType) -> bool {
    MAY_END.contains(&name) && ty.variadic && ty.parameters.len() >= 3
}

/// The type that gcc gives a library function that is called without a declaration, as a code: the result, then the
/// parameters. `v` void, `i` int, `z` `size_t`, `l` long, `L` long long, `d` double, `p` `void *`, `s` `char *`,
/// `f` float, `q` `const void *`, `c` `const char *`, `.` an ellipsis.
#[must_use]
pub fn implicit_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "malloc" | "alloca" => "pz",
        "calloc" | "aligned_alloc" => "pzz",
        "realloc" => "ppz",
        "free" => "vp",
        "abort" | "__builtin_trap" => "v",
        "exit" | "_exit" | "_Exit" => "vi",
        "memcpy" | "memmove" | "mempcpy" => "ppqz",
        "memset" => "ppiz",
        "memcmp" => "iqqz",
        "memchr" => "pqiz",
        "strlen" => "zc",
        "strcpy" | "strcat" | "stpcpy" => "ssc",
        "strncpy" | "strncat" => "sscz",
        "strcmp" => "icc",
        "strncmp" => "iccz",
        "strchr" | "strrchr" => "sci",
        "strstr" | "strpbrk" => "scc",
        "strdup" => "sc",
        "printf" => "ic.",
        "sprintf" => "isc.",
        "snprintf" => "iszc.",
        "puts" => "ic",
        "putchar" => "ii",
        "abs" => "ii",
        "labs" => "ll",
        "llabs" => "LL",
        "sqrt" | "fabs" | "floor" | "ceil" | "sin" | "cos" | "tan" | "exp" | "log" => "dd",
        "pow" | "fmod" | "copysign" | "fmin" | "fmax" => "ddd",
        "round" | "trunc" | "rint" | "log2" | "log10" | "cbrt" => "dd",
        "fabsf" | "sqrtf" | "floorf" | "ceilf" | "truncf" | "roundf" => "ff",
        "copysignf" | "fminf" | "fmaxf" | "fmodf" => "fff",
        "stpncpy" => "sscz",
        "strspn" | "strcspn" => "zcc",
        "strcasecmp" => "icc",
        "strncasecmp" => "iccz",
        "bcmp" => "iqqz",
        "bzero" => "vpz",
        "index" | "rindex" => "sci",
        "strndup" => "scz",
        "isalpha" | "isdigit" | "isalnum" | "isspace" | "isupper" | "islower" | "isxdigit" | "isprint" | "ispunct"
        | "iscntrl" | "isgraph" | "isblank" | "toupper" | "tolower" => "ii",
        "__memcpy_chk" | "__memmove_chk" | "__mempcpy_chk" => "ppqzz",
        "__memset_chk" => "ppizz",
        "__strcpy_chk" | "__stpcpy_chk" | "__strcat_chk" => "sscz",
        "__strncpy_chk" | "__stpncpy_chk" | "__strncat_chk" => "ssczz",
        "__sprintf_chk" => "isizc.",
        "__snprintf_chk" => "iszizc.",
        "__printf_chk" => "iic.",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_starts_a_thread_has_one_name() {
        for name in START_THREADS.iter().chain(&["pthread_create_suspended_np"]) {
            assert_eq!((by_name(name), construct(name)), (Some(Known::Unsupported), THREADS), "{name}");
        }
        assert_eq!(construct("pthread_once"), "pthread_once");
    }

    #[test]
    fn each_name_is_in_one_group() {
        let groups = [WRITES, FORMATS, STREAMS, TEXT, VALUES, UNSUPPORTED, START_THREADS];
        let mut names: Vec<&str> = groups.concat().into_iter().chain(special::names()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn the_groups_and_the_table_of_treatments_are_one() {
        use crate::treatment::{Treatment, library};
        for row in library::ROWS {
            let unsupported = MAY_END.contains(&row.name) || by_name(row.name) == Some(Known::Unsupported);
            assert_eq!(unsupported, row.treatment == Treatment::Unsupported, "{}", row.name);
            assert!(unsupported || by_name(row.name).is_some(), "{}", row.name);
        }
        let groups = [WRITES, FORMATS, STREAMS, TEXT, VALUES, UNSUPPORTED, START_THREADS, MAY_END];
        for name in groups.concat().into_iter().chain(special::names()) {
            assert!(library::ROWS.iter().any(|row| row.name == name), "{name}");
        }
        assert!(PLAIN_BYTES.iter().all(|name| WRITES.contains(name)));
        assert!(KEEP_ERRNO.iter().all(|name| VALUES.contains(name)));
    }

    #[test]
    fn a_conversion_that_stores_is_found_behind_flags() {
        let has = |text: &str| has_count(&text.chars().map(u32::from).collect::<Vec<u32>>());
        assert!(has("%d%n") && has("%-08.3lln") && has("%%%n") && has("%1$n"));
        assert!(!has("%d of n") && !has("%%n") && !has("") && !has("%"));
        // A space is a flag.
        assert!(has("100% none"));
    }

    #[test]
    fn a_name_of_the_library_counts_for_its_own_signature_only() {
        assert_eq!(by_type("round", Signature::Plain), Some(Known::Pure));
        assert_eq!(by_type("round", Signature::Writes), None);
        assert_eq!(by_type("err", Signature::Plain), Some(Known::NoReturn));
        assert_eq!(by_type("err", Signature::Yields), None);
        assert_eq!(by_type("__VERIFIER_nondet_int", Signature::Yields), Some(Known::Input));
        assert_eq!(by_type("__VERIFIER_nondet_block", Signature::Writes), Some(Known::Memory));
    }
}
