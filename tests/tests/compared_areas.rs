//! How far `memcmp` and its relative read with valid-deref: both areas have to be there to their ends, whatever differs first. gcc's
//! address sanitizer says the same of each row.

use std::fs;

use residue_tests::run;

const HEAD: &str =
    "extern int memcmp(const void *, const void *, __SIZE_TYPE__); extern int bcmp(const void *, const void *, __SIZE_TYPE__);
extern void *malloc(__SIZE_TYPE__); extern void free(void *); extern int __VERIFIER_nondet_int(void);\n";

/// Whether a program keeps valid-deref, and the body of `main`.
const COMPARED: &[(bool, &str)] = &[
    (true, "char a[3] = \"ab\", b[2] = \"x\"; return memcmp(a, b, 2) > 0;"),
    (false, "char a[3] = \"ab\", b[2] = \"x\"; return memcmp(a, b, 3) > 0;"),
    (false, "char a[3] = \"ab\", b[2] = \"x\"; return memcmp(b, a, 3) > 0;"),
    (false, "char a[3] = \"ab\", b[3] = \"x\"; return bcmp(a, b, 4) != 0;"),
    (true, "char a[3] = \"ab\", b[3] = \"x\"; return bcmp(a, b + 3, 0) != 0;"),
    (true, "char *a = malloc(4); a[0] = 1; a[3] = 0; int same = memcmp(a + 3, \"x\", 1) == 0; free(a); return same;"),
    (false, "char *a = malloc(4); a[2] = 1; a[3] = 0; int same = memcmp(a + 2, \"xyz\", 3) == 0; free(a); return same;"),
    (
        true,
        "char a[4] = \"abc\"; int n = __VERIFIER_nondet_int(); if (n < 0 || n > 4) return 0; return memcmp(a, \"xbcd\", n) > 0;",
    ),
    (
        false,
        "char a[4] = \"abc\"; int n = __VERIFIER_nondet_int(); if (n < 0 || n > 5) return 0; return memcmp(a, \"xbcd\", n) > 0;",
    ),
];

#[test]
fn both_areas_are_read_to_their_ends() {
    for (holds, body) in COMPARED {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("program.c"), format!("{HEAD}int main(void) {{ {body} }}\n")).unwrap();
        let ran = run("verify", ["-q", "--property", "valid-deref", "program.c"], folder.path()).unwrap();
        let said = ran.last_line();
        assert!(if *holds { said == "TRUE" } else { said.starts_with("FALSE") }, "{said}: {body}");
    }
}
