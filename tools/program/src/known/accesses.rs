//! Which functions of the C library access memory behind what they are given, of those that nothing else is known of.
//!
//! For every other property such a function is one nobody knows: it yields any value and writes where its arguments point. Where
//! accesses are checked that is not enough: `localtime(0)` is an access through null. The names are those of functions with a
//! pointer among their parameters in the headers of glibc 2.36. Does not know how much most of them access.

/// What a function of the C library accesses behind its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// At most one object of the type that a parameter points to.
    One,
    /// Anything.
    Anything,
}

/// What a function without a body accesses that only its name tells; `None` if it is not one of the C library that is known for
/// its accesses alone.
#[must_use]
pub fn accesses(name: &str) -> Option<Behind> {
    if ONE.contains(&name) || ONE_WRITTEN.contains(&name) {
        return Some(Behind::One);
    }
    let is_known = name.starts_with("posix_spawn_file_actions_") || ANYTHING.binary_search(&name).is_ok();
    is_known.then_some(Behind::Anything)
}

/// Functions that are known by what they write, which is one object for each parameter.
const ONE_WRITTEN: &[&str] = &[
    "clock_getres", "clock_gettime", "clock_nanosleep", "fstat", "fstat64", "fstatfs", "fstatvfs", "getrlimit", "getrusage",
    "gettimeofday", "gmtime_r", "localtime_r", "mktime", "nanosleep", "rand_r", "sigaddset", "sigdelset", "sigemptyset",
    "sigfillset", "sigpending", "sigprocmask", "sysinfo", "tcgetattr", "time", "timegm", "timelocal", "times", "timespec_get",
    "uname", "wait", "waitpid",
];

/// Functions of times, locks and the like.
const ONE: &[&str] = &[
    "adjtime", "asctime", "clock_settime", "cnd_broadcast", "cnd_destroy", "cnd_init", "cnd_signal", "cnd_timedwait", "cnd_wait",
    "ctime", "fegetenv", "fegetmode", "ftime", "getcpu", "getresgid", "getresuid", "gmtime", "localtime", "mtx_destroy",
    "mtx_init", "mtx_lock", "mtx_timedlock", "mtx_trylock", "mtx_unlock", "posix_spawnattr_destroy", "posix_spawnattr_init",
    "prlimit", "pthread_attr_destroy", "pthread_attr_getdetachstate", "pthread_attr_getguardsize",
    "pthread_attr_getinheritsched", "pthread_attr_getschedparam", "pthread_attr_getschedpolicy", "pthread_attr_getscope",
    "pthread_attr_getstacksize", "pthread_attr_init", "pthread_attr_setdetachstate", "pthread_attr_setguardsize",
    "pthread_attr_setinheritsched", "pthread_attr_setschedparam", "pthread_attr_setschedpolicy", "pthread_attr_setscope",
    "pthread_attr_setstacksize", "pthread_barrier_destroy", "pthread_barrier_init", "pthread_barrier_wait",
    "pthread_barrierattr_destroy", "pthread_barrierattr_getpshared", "pthread_barrierattr_init",
    "pthread_barrierattr_setpshared", "pthread_cond_broadcast", "pthread_cond_destroy", "pthread_cond_init",
    "pthread_cond_signal", "pthread_cond_timedwait", "pthread_cond_wait", "pthread_condattr_destroy",
    "pthread_condattr_getclock", "pthread_condattr_getpshared", "pthread_condattr_init", "pthread_condattr_setclock",
    "pthread_condattr_setpshared", "pthread_getschedparam", "pthread_mutex_consistent", "pthread_mutex_destroy",
    "pthread_mutex_getprioceiling", "pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_setprioceiling",
    "pthread_mutex_timedlock", "pthread_mutex_trylock", "pthread_mutex_unlock", "pthread_mutexattr_destroy",
    "pthread_mutexattr_getprioceiling", "pthread_mutexattr_getprotocol", "pthread_mutexattr_getpshared",
    "pthread_mutexattr_getrobust", "pthread_mutexattr_gettype", "pthread_mutexattr_init", "pthread_mutexattr_setprioceiling",
    "pthread_mutexattr_setprotocol", "pthread_mutexattr_setpshared", "pthread_mutexattr_setrobust", "pthread_mutexattr_settype",
    "pthread_rwlock_destroy", "pthread_rwlock_init", "pthread_rwlock_rdlock", "pthread_rwlock_timedrdlock",
    "pthread_rwlock_timedwrlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_trywrlock", "pthread_rwlock_unlock",
    "pthread_rwlock_wrlock", "pthread_rwlockattr_destroy", "pthread_rwlockattr_getpshared", "pthread_rwlockattr_init",
    "pthread_rwlockattr_setpshared", "pthread_setcancelstate", "pthread_setcanceltype", "pthread_setschedparam",
    "pthread_spin_destroy", "pthread_spin_init", "pthread_spin_lock", "pthread_spin_trylock", "pthread_spin_unlock",
    "sched_getparam", "sched_rr_get_interval", "sched_setparam", "sched_setscheduler", "sem_destroy", "sem_getvalue", "sem_init",
    "sem_post", "sem_timedwait", "sem_trywait", "sem_wait", "setrlimit", "settimeofday", "sigandset", "sigisemptyset",
    "sigismember", "sigorset", "srand48_r", "tcsetattr", "thrd_sleep", "timespec_getres",
];

/// All others.
const ANYTHING: &[&str] = &[
    "_argp_input", "_dl_find_object", "_dl_mcount_wrapper_check", "_obstack_begin", "_obstack_begin_1", "_obstack_memory_used",
    "_obstack_newchunk", "_option_is_end", "_option_is_short", "access", "acct", "addmntent", "addseverity", "adjtimex",
    "aio_cancel", "aio_cancel64", "aio_error", "aio_error64", "aio_init", "aio_return", "aio_return64", "aio_suspend",
    "aio_suspend64", "alphasort", "alphasort64", "argp_error", "argp_failure", "argp_help", "argp_state_help", "argp_usage",
    "argz_add", "argz_add_sep", "argz_append", "argz_count", "argz_create", "argz_create_sep", "argz_delete", "argz_extract",
    "argz_insert", "argz_next", "argz_replace", "argz_stringify", "backtrace", "backtrace_symbols", "backtrace_symbols_fd",
    "basename", "bind_textdomain_codeset", "bindresvport", "bindresvport6", "bindtextdomain", "brk", "c16rtomb", "c32rtomb",
    "c8rtomb", "canonicalize", "canonicalize_file_name", "canonicalizef", "canonicalizef128", "canonicalizef32",
    "canonicalizef32x", "canonicalizef64", "canonicalizef64x", "canonicalizel", "catgets", "catopen", "cfgetispeed",
    "cfgetospeed", "cfmakeraw", "cfsetispeed", "cfsetospeed", "cfsetspeed", "chdir", "chmod", "chown", "chroot",
    "clearerr_unlocked", "clock_adjtime", "clock_getcpuclockid", "closedir", "confstr", "copy_file_range", "creat", "creat64",
    "crypt", "cuserid", "dcgettext", "dcngettext", "dgettext", "dirfd", "dirname", "dladdr", "dladdr1", "dlclose", "dlinfo",
    "dlmopen", "dlvsym", "dn_comp", "dn_expand", "dn_skipname", "dngettext", "eaccess", "ecvt", "ecvt_r", "endmntent",
    "envz_add", "envz_entry", "envz_get", "envz_merge", "envz_remove", "envz_strip", "epoll_ctl", "epoll_pwait", "epoll_pwait2",
    "erand48_r", "euidaccess", "eventfd_read", "faccessat", "fchmodat", "fchownat", "fcvt", "fcvt_r", "fdopen", "feof_unlocked",
    "ferror_unlocked", "fesetexceptflag", "fflush_unlocked", "fgetc_unlocked", "fgetgrent", "fgetgrent_r", "fgetpos64",
    "fgetpwent", "fgetpwent_r", "fgetsgent", "fgetsgent_r", "fgetspent", "fgetspent_r", "fgetwc", "fgetwc_unlocked",
    "fgetws_unlocked", "fgetxattr", "fileno", "fileno_unlocked", "flistxattr", "flockfile", "fmtmsg", "fnmatch", "fopen",
    "fopen64", "forkpty", "fputc_unlocked", "fputs_unlocked", "fputwc", "fputwc_unlocked", "fputws", "fputws_unlocked",
    "freeaddrinfo", "freeifaddrs", "fremovexattr", "freopen", "freopen64", "frexpf128", "frexpf32", "frexpf32x", "frexpf64",
    "frexpf64x", "fsconfig", "fseek", "fseeko", "fseeko64", "fsetpos", "fsetpos64", "fsetxattr", "fsopen", "fspick", "fstatat64",
    "fstatfs64", "fstatvfs64", "ftell", "ftello", "ftello64", "ftok", "ftrylockfile", "fts64_children", "fts64_close",
    "fts64_open", "fts64_read", "fts64_set", "fts_children", "fts_close", "fts_read", "fts_set", "funlockfile", "futimens",
    "futimes", "futimesat", "fwide", "fwrite_unlocked", "gai_cancel", "gai_error", "gai_suspend", "gcvt", "getc_unlocked",
    "getdate", "getdate_r", "getdents64", "getdirentries", "getdirentries64", "getenv", "getfsfile", "getfsspec", "getgrent_r",
    "getgrgid_r", "getgrnam", "getgrnam_r", "getgrouplist", "gethostbyaddr", "gethostbyaddr_r", "gethostbyname",
    "gethostbyname2", "gethostbyname2_r", "gethostbyname_r", "gethostent_r", "getifaddrs", "getipv4sourcefilter", "getmntent",
    "getmntent_r", "getnetbyaddr_r", "getnetbyname", "getnetbyname_r", "getnetent_r", "getnetgrent", "getnetgrent_r", "getpass",
    "getpayload", "getpayloadf", "getpayloadf128", "getpayloadf32", "getpayloadf32x", "getpayloadf64", "getpayloadf64x",
    "getpayloadl", "getprotobyname", "getprotobyname_r", "getprotobynumber_r", "getprotoent_r", "getpw", "getpwent_r",
    "getpwnam", "getpwnam_r", "getpwuid_r", "getrlimit64", "getrpcbyname", "getrpcbyname_r", "getrpcbynumber_r", "getrpcent_r",
    "getservbyname", "getservbyname_r", "getservbyport", "getservbyport_r", "getservent_r", "getsgent_r", "getsgnam",
    "getsgnam_r", "getsourcefilter", "getspent_r", "getspnam", "getspnam_r", "gettext", "getutent_r", "getutid", "getutid_r",
    "getutline", "getutline_r", "getutmp", "getutmpx", "getutxid", "getutxline", "getw", "getwc", "getwc_unlocked", "getxattr",
    "glob64", "glob_pattern_p", "globfree", "globfree64", "hasmntopt", "hcreate_r", "hdestroy_r", "herror", "iconv_open",
    "if_freenameindex", "if_indextoname", "if_nametoindex", "inet6_opt_append", "inet6_opt_find", "inet6_opt_finish",
    "inet6_opt_get_val", "inet6_opt_init", "inet6_opt_next", "inet6_opt_set_val", "inet6_option_alloc", "inet6_option_append",
    "inet6_option_find", "inet6_option_init", "inet6_option_next", "inet6_rth_add", "inet6_rth_getaddr", "inet6_rth_init",
    "inet6_rth_reverse", "inet6_rth_segments", "inet_addr", "inet_net_ntop", "inet_net_pton", "inet_neta", "inet_network",
    "inet_nsap_addr", "inet_nsap_ntoa", "initgroups", "innetgr", "inotify_add_watch", "iruserok", "iruserok_af", "jrand48_r",
    "lchmod", "lchown", "lcong48", "lcong48_r", "lgammaf128_r", "lgammaf32_r", "lgammaf32x_r", "lgammaf64_r", "lgammaf64x_r",
    "lgammal_r", "lgetxattr", "link", "linkat", "listxattr", "llistxattr", "login", "logout", "logwtmp", "lrand48_r",
    "lremovexattr", "lsetxattr", "lutimes", "madvise", "malloc_info", "mbrlen", "mbrtoc16", "mbrtoc32", "mbrtoc8", "mbsinit",
    "mbsnrtowcs", "mcheck", "mcheck_pedantic", "memfd_create", "mincore", "mkdir", "mkdirat", "mkfifo", "mkfifoat", "mknod",
    "mknodat", "mkostemp64", "mkostemps", "mkostemps64", "mkstemp64", "mkstemps", "mkstemps64", "mlock", "mlock2", "mmap",
    "mmap64", "modff128", "modff32", "modff32x", "modff64", "modff64x", "mount", "mount_setattr", "move_mount", "mprobe",
    "mprotect", "mq_getattr", "mq_open", "mq_receive", "mq_send", "mq_setattr", "mq_timedreceive", "mq_timedsend", "mq_unlink",
    "mrand48_r", "mremap", "msgctl", "msgrcv", "msgsnd", "msync", "munlock", "munmap", "name_to_handle_at", "nanf128", "nanf32",
    "nanf32x", "nanf64", "nanf64x", "nanl", "newlocale", "ngettext", "nrand48_r", "ns_datetosecs", "ns_format_ttl", "ns_get16",
    "ns_get32", "ns_initparse", "ns_makecanon", "ns_name_compress", "ns_name_ntol", "ns_name_ntop", "ns_name_pack",
    "ns_name_pton", "ns_name_rollback", "ns_name_skip", "ns_name_uncompress", "ns_name_unpack", "ns_parse_ttl", "ns_parserr",
    "ns_put16", "ns_put32", "ns_samedomain", "ns_samename", "ns_skiprr", "ns_sprintrr", "ns_sprintrrf", "ns_subdomain",
    "ntp_adjtime", "ntp_gettime", "ntp_gettimex", "obstack_free", "open", "open64", "open_by_handle_at", "open_tree", "openat",
    "openat64", "opendir", "openlog", "openpty", "parse_printf_format", "pathconf", "pclose", "pkey_mprotect", "popen",
    "posix_madvise", "posix_spawnattr_getflags", "posix_spawnattr_getpgroup", "posix_spawnattr_getschedparam",
    "posix_spawnattr_getschedpolicy", "posix_spawnattr_getsigdefault", "posix_spawnattr_getsigmask", "posix_spawnattr_setflags",
    "posix_spawnattr_setpgroup", "posix_spawnattr_setschedparam", "posix_spawnattr_setschedpolicy",
    "posix_spawnattr_setsigdefault", "posix_spawnattr_setsigmask", "printf_size", "printf_size_info", "prlimit64",
    "process_madvise", "process_vm_writev", "profil", "psiginfo", "psignal", "pthread_attr_getaffinity_np",
    "pthread_attr_getsigmask_np", "pthread_attr_getstack", "pthread_attr_getstackaddr", "pthread_attr_setaffinity_np",
    "pthread_attr_setsigmask_np", "pthread_attr_setstack", "pthread_attr_setstackaddr", "pthread_clockjoin_np",
    "pthread_cond_clockwait", "pthread_getaffinity_np", "pthread_getattr_default_np", "pthread_getattr_np",
    "pthread_getcpuclockid", "pthread_getname_np", "pthread_join", "pthread_mutex_clocklock", "pthread_mutex_consistent_np",
    "pthread_mutexattr_getrobust_np", "pthread_mutexattr_setrobust_np", "pthread_rwlock_clockrdlock",
    "pthread_rwlock_clockwrlock", "pthread_rwlockattr_getkind_np", "pthread_rwlockattr_setkind_np", "pthread_setaffinity_np",
    "pthread_setattr_default_np", "pthread_setname_np", "pthread_setspecific", "pthread_sigmask", "pthread_timedjoin_np",
    "pthread_tryjoin_np", "putc_unlocked", "putenv", "putgrent", "putpwent", "putsgent", "putspent", "pututline", "pututxline",
    "putw", "putwc", "putwc_unlocked", "pwrite", "pwrite64", "pwritev", "pwritev2", "pwritev64", "pwritev64v2", "qecvt",
    "qecvt_r", "qfcvt", "qfcvt_r", "qgcvt", "rcmd", "rcmd_af", "re_compile_fastmap", "re_compile_pattern", "re_match",
    "re_match_2", "re_search", "re_search_2", "re_set_registers", "readdir", "readdir64", "readdir64_r", "regerror", "regfree",
    "remap_file_pages", "remove", "removexattr", "remquof128", "remquof32", "remquof32x", "remquof64", "remquof64x", "rename",
    "renameat", "renameat2", "res_dnok", "res_hnok", "res_mailok", "res_mkquery", "res_nmkquery", "res_nquery",
    "res_nquerydomain", "res_nsearch", "res_nsend", "res_ownok", "res_query", "res_querydomain", "res_search", "res_send",
    "revoke", "rewinddir", "rexec", "rexec_af", "rmdir", "rpmatch", "rresvport", "rresvport_af", "ruserok", "ruserok_af",
    "sched_getaffinity", "sched_setaffinity", "secure_getenv", "seed48", "seed48_r", "seekdir", "sem_clockwait", "sem_close",
    "sem_open", "sem_unlink", "semop", "semtimedop", "send", "sendfile", "sendfile64", "sendmmsg", "sendmsg", "sendto",
    "setdomainname", "setenv", "setgroups", "sethostname", "setipv4sourcefilter", "setlinebuf", "setlogin", "setmntent",
    "setnetgrent", "setpayload", "setpayloadf", "setpayloadf128", "setpayloadf32", "setpayloadf32x", "setpayloadf64",
    "setpayloadf64x", "setpayloadl", "setpayloadsig", "setpayloadsigf", "setpayloadsigf128", "setpayloadsigf32",
    "setpayloadsigf32x", "setpayloadsigf64", "setpayloadsigf64x", "setpayloadsigl", "setrlimit64", "setsockopt",
    "setsourcefilter", "setxattr", "sgetsgent", "sgetsgent_r", "sgetspent", "sgetspent_r", "shm_open", "shm_unlink", "shmat",
    "shmctl", "shmdt", "sigaltstack", "signalfd", "sigreturn", "sigstack", "sigtimedwait", "sigwaitinfo", "sincosf128",
    "sincosf32", "sincosf32x", "sincosf64", "sincosf64x", "statfs64", "statvfs64", "statx", "strcasecmp_l", "strcoll_l",
    "strfmon_l", "strfromd", "strfromf", "strfromf128", "strfromf32", "strfromf32x", "strfromf64", "strfromf64x", "strfroml",
    "strftime_l", "strncasecmp_l", "strptime_l", "strtod_l", "strtof128", "strtof128_l", "strtof32", "strtof32_l", "strtof32x",
    "strtof32x_l", "strtof64", "strtof64_l", "strtof64x", "strtof64x_l", "strtof_l", "strtol_l", "strtold_l", "strtoll_l",
    "strtoul_l", "strtoull_l", "strxfrm_l", "symlink", "symlinkat", "syslog", "system", "telldir", "tempnam", "textdomain",
    "thrd_join", "timer_gettime", "timerfd_gettime", "timerfd_settime", "totalorder", "totalorderf", "totalorderf128",
    "totalorderf32", "totalorderf32x", "totalorderf64", "totalorderf64x", "totalorderl", "totalordermag", "totalordermagf",
    "totalordermagf128", "totalordermagf32", "totalordermagf32x", "totalordermagf64", "totalordermagf64x", "totalordermagl",
    "truncate", "truncate64", "tss_set", "umount", "umount2", "ungetc", "ungetwc", "unlink", "unlinkat", "unsetenv", "updwtmp",
    "updwtmpx", "utime", "utimensat", "utimes", "utmpname", "utmpxname", "versionsort", "versionsort64", "vsyslog", "vwarn",
    "vwarnx", "warn", "warnx", "wcpcpy", "wcpncpy", "wcscasecmp_l", "wcschrnul", "wcscoll_l", "wcsdup", "wcsftime", "wcsftime_l",
    "wcsncasecmp_l", "wcsnrtombs", "wcstod_l", "wcstof", "wcstof128", "wcstof128_l", "wcstof32", "wcstof32_l", "wcstof32x",
    "wcstof32x_l", "wcstof64", "wcstof64_l", "wcstof64x", "wcstof64x_l", "wcstof_l", "wcstoimax", "wcstol_l", "wcstold",
    "wcstold_l", "wcstoll_l", "wcstoq", "wcstoul_l", "wcstoull_l", "wcstoumax", "wcstouq", "wcswcs", "wcswidth", "wcsxfrm",
    "wcsxfrm_l", "wctrans", "wctrans_l", "wctype", "wctype_l", "wmempcpy", "wordexp", "wordfree", "writev",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::by_name;

    #[test]
    fn each_name_is_in_one_list() {
        for names in [ONE, ANYTHING] {
            assert!(names.is_sorted());
            assert!(names.iter().all(|name| by_name(name).is_none()));
        }
        assert!(ONE.iter().all(|name| ANYTHING.binary_search(name).is_err()));
        assert!(ONE_WRITTEN.iter().all(|name| by_name(name).is_some()));
    }

    #[test]
    fn a_function_of_times_accesses_one_object_and_one_of_folders_anything() {
        assert_eq!(accesses("localtime"), Some(Behind::One));
        assert_eq!(accesses("readdir"), Some(Behind::Anything));
        assert_eq!((accesses("printf"), accesses("my_own")), (None, None));
    }
}
