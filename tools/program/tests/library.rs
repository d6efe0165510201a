//! The bodies of the C library against the machine's own, on random arguments.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use formats::DataModel;
use program::library::{Bodies, Wanted};

/// What the bodies need before them.
const BEFORE: &str = "void *malloc(unsigned long);\n";

/// Names that the comparison does not call: they read what nobody can foresee.
const NOT_COMPARED: &[&str] = &[
    "read", "fread", "vsprintf", "scanf", "__isoc99_scanf", "__isoc23_scanf", "fscanf", "__isoc99_fscanf", "__isoc23_fscanf",
    "__residue_read_text", "__residue_print_text", "__residue_print_some",
];

const DRIVER: &str = include_str!("library/driver.c");

#[test]
fn the_bodies_do_what_the_library_of_the_machine_does() {
    if !gate::has("gcc") {
        return;
    }
    let bodies = Bodies::own(DataModel::LP64);
    let wanted: Vec<Wanted> = bodies.names().map(Wanted::new).collect();
    let mut text = BEFORE.to_owned();
    for name in bodies.names() {
        writeln!(text, "#define {name} own_{name}").unwrap();
    }
    text.push_str(&bodies.text(&wanted, |_| false).unwrap());
    for name in bodies.names() {
        writeln!(text, "#undef {name}").unwrap();
        assert!(DRIVER.contains(&format!("own_{name}(")) || NOT_COMPARED.contains(&name) || is_class(name), "{name}");
    }
    writeln!(text, "# 1 \"driver.c\"\n{DRIVER}").unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("compared.c");
    std::fs::write(&file, text).unwrap();
    for level in ["-O0", "-O2"] {
        let binary = folder.join("compared");
        let flags = ["-std=gnu11", "-w", "-fwrapv", "-fno-builtin", "-fno-strict-aliasing", level, "-o"];
        let built = Command::new("gcc").args(flags).arg(&binary).arg(&file).arg("-lm").output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let ran = Command::new(&binary).output().unwrap();
        assert!(ran.status.success(), "{level}: {}", String::from_utf8_lossy(&ran.stdout));
    }
}

/// Whether a macro of the driver names the function.
fn is_class(name: &str) -> bool {
    let given = |macros: &[&str], name: &str| macros.iter().any(|one| DRIVER.contains(&format!("{one}({name})")));
    let reals = ["ONE", "TWO", "EITHER", "SMALL", "EXPONENT", "WHOLE", "TRUTH"];
    given(&["CLASS"], name) || given(&reals, name) || given(&reals, name.strip_suffix('f').unwrap_or(name))
}
