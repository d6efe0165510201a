//! Which arguments of functions of the C library may be null pointers.
//!
//! Does not know what the functions do then. A row that is missing makes a program unsupported, not wrong.

/// Where the format of a function that prints stands among its arguments.
pub(crate) fn format_of(name: &str) -> Option<usize> {
    Some(match name {
        "printf" | "vprintf" | "wprintf" | "vwprintf" | "printk" | "_printk" => 0,
        "fprintf" | "vfprintf" | "dprintf" | "vdprintf" | "fwprintf" | "vfwprintf" | "sprintf" | "vsprintf" | "__printf_chk"
        | "__vprintf_chk" => 1,
        "snprintf" | "vsnprintf" | "swprintf" | "vswprintf" | "__fprintf_chk" | "__vfprintf_chk" => 2,
        "__sprintf_chk" | "__vsprintf_chk" => 3,
        "__snprintf_chk" | "__vsnprintf_chk" => 4,
        _ => return None,
    })
}

/// Whether the argument of this number of a function, counted from 0, may be null. What is printed may: a text that is null is
/// printed as one by the C libraries that there are.
#[must_use]
pub fn may_be_null(name: &str, argument: usize) -> bool {
    if format_of(name).is_some_and(|format| argument > format) {
        return true;
    }
    let ends_of_numbers = name.trim_start_matches("__isoc23_");
    if argument == 1 && (ends_of_numbers.starts_with("strto") || ends_of_numbers.starts_with("wcsto")) {
        return !ends_of_numbers.starts_with("strtok") && !ends_of_numbers.starts_with("wcstok");
    }
    let allowed: &[usize] = match name {
        "time" | "fflush" | "perror" | "times" | "wait" | "tmpnam" | "ctermid" | "getcwd" | "snprintf" | "vsnprintf"
        | "__snprintf_chk" | "__vsnprintf_chk" | "swprintf" | "vswprintf" | "mblen" | "wctomb" | "mbstowcs" | "wcstombs"
        | "strxfrm" | "malloc_usable_size" | "wait3" => &[0],
        "setlocale"
        | "waitpid"
        | "nanosleep"
        | "realpath"
        | "clock_getres"
        | "getgroups"
        | "pthread_mutex_init"
        | "pthread_cond_init"
        | "pthread_rwlock_init"
        | "pthread_barrier_init"
        | "pthread_setcancelstate"
        | "pthread_setcanceltype"
        | "thrd_sleep" => &[1],
        "gettimeofday" | "settimeofday" | "getcpu" | "mbtowc" => &[0, 1],
        "accept" | "accept4" | "sigprocmask" => &[1, 2],
        "recvfrom" => &[4, 5],
        "wcrtomb" => &[0, 2],
        "mbrtowc" => &[0, 1, 3],
        "mbsrtowcs" | "wcsrtombs" => &[0, 3],
        "clock_nanosleep" => &[3],
        "prlimit" => &[2, 3],
        "select" | "pselect" => &[1, 2, 3, 4, 5],
        "getaddrinfo" => &[0, 1, 2],
        "getnameinfo" => &[2, 4],
        "wait4" => &[1, 3],
        _ => &[],
    };
    allowed.contains(&argument)
}

#[cfg(test)]
mod tests {
    use super::may_be_null;

    #[test]
    fn what_is_read_may_not_be_null_and_what_is_asked_for_may() {
        for (name, argument) in
            [("atoi", 0), ("printf", 0), ("fprintf", 1), ("puts", 0), ("strtol", 0), ("strtok", 1), ("snprintf", 2)]
        {
            assert!(!may_be_null(name, argument), "{name} {argument}");
        }
        for (name, argument) in
            [("time", 0), ("printf", 1), ("strtol", 1), ("__isoc23_strtoul", 1), ("snprintf", 0), ("fflush", 0)]
        {
            assert!(may_be_null(name, argument), "{name} {argument}");
        }
    }
}
