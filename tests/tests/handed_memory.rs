//! What leaks with valid-memtrack where the C library has a part: memory that it hands out is not followed, what it keeps is not lost,
//! and only `exit` and the return of `main` are ends where memory has to be given back.

use std::fs;

use residue_tests::run;

const HEAD: &str = "extern void *malloc(__SIZE_TYPE__); extern void free(void *); extern void exit(int), quick_exit(int), _exit(int);
extern char *getcwd(char *, __SIZE_TYPE__), *realpath(const char *, char *), *strcpy(char *, const char *), *strtok(char *, const char *);
extern __WCHAR_TYPE__ *wcsdup(const __WCHAR_TYPE__ *); extern int putenv(char *);
typedef struct __dirstream DIR; extern DIR *opendir(const char *);\n";

const LEAKS: &[(&str, &str)] = &[
    ("UNKNOWN", "wcsdup(L\"a\");"),
    ("UNKNOWN", "char *p = getcwd(0, 0); p = 0;"),
    ("UNKNOWN", "char *p = realpath(\"/\", 0); p = 0;"),
    ("UNKNOWN", "opendir(\"/\");"),
    ("TRUE", "char b[64]; getcwd(b, sizeof b);"),
    ("TRUE", "char b[4096]; realpath(\"/\", b);"),
    ("FALSE", "char *p = malloc(8); p = 0; exit(0);"),
    ("TRUE", "char *p = malloc(8); p = 0; _exit(0);"),
    ("TRUE", "char *p = malloc(8); p = 0; quick_exit(0);"),
    // The environment has it.
    ("UNKNOWN", "char *p = malloc(4); strcpy(p, \"A=b\"); putenv(p); p = 0;"),
    // The next call goes on there.
    ("TRUE", "char *p = malloc(4); strcpy(p, \"a,b\"); strtok(p, \",\"); p = 0;"),
];

#[test]
fn memory_that_the_library_has_to_do_with_leaks_where_it_is_lost() {
    for (word, body) in LEAKS {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("program.c"), format!("{HEAD}int main(void) {{ {body} return 0; }}\n")).unwrap();
        let ran = run("verify", ["-q", "--property", "valid-memtrack", "program.c"], folder.path()).unwrap();
        assert!(ran.last_line().starts_with(word), "{word}, but {}: {body}", ran.last_line());
    }
}
