//! What is known of functions by their names.
//!
//! The table applies to functions without a body only, the error function excepted: a program's own `exit` is an
//! ordinary function.
//! Does not know effects in detail; see `semantics`.

use formats::Property;

use crate::cfa::Known;

/// Whether calling a function of this name violates the property, whether it has a body or not.
#[must_use]
pub fn is_error_function(name: &str, property: Property) -> bool {
    match property {
        Property::UnreachCall => matches!(name, "reach_error" | "__VERIFIER_error"),
        Property::Assert => matches!(
            name,
            "__assert_fail" | "__assert_perror_fail" | "__assert" | "__assert_rtn" | "__assert_func" | "_assert"
        ),
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
#[must_use]
pub fn by_name(name: &str) -> Option<Known> {
    if name.starts_with("__VERIFIER_nondet_") {
        return Some(Known::Input);
    }
    match name {
        "abort"
        | "exit"
        | "_exit"
        | "_Exit"
        | "quick_exit"
        | "__assert_fail"
        | "__assert_perror_fail"
        | "__assert"
        | "__assert_rtn"
        | "__assert_func"
        | "_assert"
        | "__builtin_trap"
        | "__stack_chk_fail"
        | "__chk_fail"
        | "err"
        | "errx"
        | "verr"
        | "verrx" => Some(Known::NoReturn),
        "malloc" | "calloc" | "realloc" | "reallocarray" | "alloca" | "aligned_alloc" | "memalign" | "valloc"
        | "strdup" | "strndup" | "__VERIFIER_alloc" => Some(Known::Allocate),
        "free" | "cfree" => Some(Known::Free),
        "memcpy" | "memmove" | "memset" | "memcmp" | "memchr" | "mempcpy" | "bzero" | "bcopy" | "bcmp" | "strlen"
        | "strnlen" | "strcpy" | "strncpy" | "stpcpy" | "stpncpy" | "strcat" | "strncat" | "strcmp" | "strncmp"
        | "strcasecmp" | "strncasecmp" | "strchr" | "strrchr" | "strstr" | "strspn" | "strcspn" | "strpbrk" => {
            Some(Known::Memory)
        }
        _ if PURE.contains(&name) => Some(Known::Pure),
        _ if UNSUPPORTED.contains(&name) => Some(Known::Unsupported),
        _ => None,
    }
}

/// Functions that write nothing the program sees.
const PURE: &[&str] = &[
    "printf", "fprintf", "dprintf", "vprintf", "vfprintf", "puts", "fputs", "putchar", "putc", "fputc", "fflush",
    "perror", "printk", "_printk", "abs", "labs", "llabs", "rand", "random", "srand", "srandom", "time", "clock",
    "getchar", "getc", "fgetc", "getpid", "isalpha", "isdigit", "isalnum", "isspace", "isupper", "islower",
    "isxdigit", "isprint", "ispunct", "iscntrl", "toupper", "tolower", "atoi", "atol", "atoll", "atof", "sin", "cos",
    "tan", "asin", "acos", "atan", "atan2", "exp", "log", "log10", "pow", "sqrt", "fabs", "floor", "ceil", "fmod",
    "round", "trunc", "sinf", "cosf", "tanf", "sqrtf", "fabsf", "floorf", "ceilf", "fmodf", "fmin", "fmax", "fminf",
    "fmaxf", "sleep", "usleep", "sched_yield", "__errno_location", "__VERIFIER_atomic_begin", "__VERIFIER_atomic_end",
];

/// Functions that do more than their arguments and results show.
const UNSUPPORTED: &[&str] = &[
    "setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk",
    "qsort", "qsort_r", "bsearch", "signal", "sigaction", "atexit", "on_exit", "at_quick_exit", "pthread_create",
    "pthread_exit", "pthread_cancel", "pthread_atfork", "thrd_create", "fork", "vfork", "clone", "scanf", "fscanf",
    "sscanf", "vscanf", "vfscanf", "vsscanf", "__isoc99_scanf", "__isoc99_fscanf", "__isoc99_sscanf", "gets", "fgets",
    "fread", "read", "getline", "getdelim", "makecontext", "swapcontext", "setcontext", "getcontext", "dlopen",
    "dlsym", "nftw", "ftw", "lfind", "lsearch", "tsearch", "twalk", "execve", "execv", "execvp",
];

/// The type that gcc gives a library function that is called without a declaration, as a code: the result, then the
/// parameters. `v` void, `i` int, `z` `size_t`, `l` long, `L` long long, `d` double, `p` `void *`, `s` `char *`,
/// `q` `const void *`, `c` `const char *`, `.` an ellipsis.
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
        "pow" | "fmod" => "ddd",
        _ => return None,
    })
}
