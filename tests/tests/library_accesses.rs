//! What functions of the C library that have no body access behind their arguments, where accesses are checked: one object that is
//! known to be there, or nothing is said. A stream that a body does not look at has to be one that every program has.

use std::fs;

use residue_tests::run;

const HEAD: &str = "#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
extern void of_the_program(int *);\n";

const CALLS: &[(&str, &str)] = &[
    ("UNKNOWN", "char b[4]; fread(b, 1, 4, fopen(\"/none\", \"r\"));"),
    ("UNKNOWN", "char b[4]; fgets(b, 4, fopen(\"/none\", \"r\"));"),
    ("UNKNOWN", "char b[4]; FILE *f = 0; fgets(b, 4, f);"),
    ("TRUE", "char b[4]; fread(b, 1, 4, stdin); fgets(b, 4, stdin);"),
    ("FALSE", "char b[4]; fread(b, 1, 5, stdin);"),
    ("UNKNOWN", "readdir(opendir(\"/none\"));"),
    ("UNKNOWN", "localtime(0);"),
    ("UNKNOWN", "ctime(0);"),
    ("UNKNOWN", "getenv(0);"),
    ("TRUE", "getenv(\"HOME\");"),
    ("TRUE", "time_t t = 5; localtime(&t); time(&t); time(0);"),
    ("TRUE", "struct timeval t; gettimeofday(&t, 0); gettimeofday(0, 0);"),
    ("UNKNOWN", "time_t t[2] = {0}; localtime(&t[2]);"),
    ("UNKNOWN", "int n; localtime((time_t *)&n);"),
    ("TRUE", "pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); pthread_mutex_unlock(&m);"),
    ("TRUE", "pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0); free(m);"),
    ("UNKNOWN", "pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0); free(m); pthread_mutex_lock(m);"),
    ("UNKNOWN", "printf(\"%n\", (int *)0);"),
    ("UNKNOWN", "dprintf(1, \"%d %-5.3hn\", 1, (void *)0);"),
    ("TRUE", "printf(\"%p %5.3ld %%n\", (void *)0, 3l);"),
    // A function that nobody knows accesses nothing that is not there.
    ("TRUE", "of_the_program(0);"),
];

#[test]
fn functions_of_the_library_access_objects_that_are_there_or_nothing_is_said() {
    for (word, body) in CALLS {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("program.c"), format!("{HEAD}int main(void) {{ {body} return 0; }}\n")).unwrap();
        let ran = run("verify", ["-q", "--property", "valid-deref", "program.c"], folder.path()).unwrap();
        assert!(ran.last_line().starts_with(word), "{word}, but {}: {body}", ran.last_line());
    }
}

#[test]
fn what_is_accessed_matters_to_that_property_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("program.c"), format!("{HEAD}int main(void) {{ localtime(0); return 0; }}\n")).unwrap();
    let ran = run("verify", ["-q", "--property", "no-overflow", "program.c"], folder.path()).unwrap();
    assert!(ran.last_line().starts_with("TRUE"), "{}", ran.last_line());
}

/// Where nobody else runs, some calls never come back: what lies behind them is not reached.
#[test]
fn what_waits_for_ever_is_no_counterexample() {
    let head = "#include <poll.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <sys/select.h>\nextern void reach_error(void);\n";
    for (word, body) in [
        ("FALSE", "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_lock(&m); reach_error();"),
        ("FALSE", "pthread_mutex_t n = m; pthread_mutex_lock(&m); pthread_mutex_lock(&n); reach_error();"),
        ("UNKNOWN", "pthread_mutex_lock(&m); pthread_mutex_lock(&m); reach_error();"),
        ("UNKNOWN", "pthread_mutex_trylock(&m); pthread_mutex_lock(&m); reach_error();"),
        ("UNKNOWN", "sem_t s; sem_init(&s, 0, 0); sem_wait(&s); reach_error();"),
        ("UNKNOWN", "pthread_barrier_t b; pthread_barrier_init(&b, 0, 2); pthread_barrier_wait(&b); reach_error();"),
        ("UNKNOWN", "select(0, 0, 0, 0, 0); reach_error();"),
        ("UNKNOWN", "poll(0, 0, -1); reach_error();"),
        ("FALSE", "poll(0, 0, 5); reach_error();"),
        ("TRUE", "int x = 1; pthread_mutex_lock(&m); pthread_mutex_lock(&m); if (x != 1) reach_error();"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let text = format!("{head}int main(void) {{ pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; {body} return 0; }}\n");
        fs::write(folder.path().join("program.c"), text).unwrap();
        let ran = run("verify", ["-q", "program.c"], folder.path()).unwrap();
        assert!(ran.last_line().starts_with(word), "{word}, but {}: {body}", ran.last_line());
    }
}
