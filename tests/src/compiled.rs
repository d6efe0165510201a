//! Generated programs compiled by gcc and executed on given inputs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// How an execution of a compiled program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `reach_error` was called.
    Error,
    /// `main` returned.
    Finished,
    /// `abort` was called.
    Aborted,
    /// More inputs were read than given.
    Exhausted,
}

/// An execution of a compiled program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execution {
    /// How it ended.
    pub end: End,
    /// The checksum, if the program has one.
    pub checksum: u32,
    /// How many inputs were read.
    pub reads: usize,
}

/// What stands before the program: its own functions get other names.
const BEFORE: &str = "#define main program_main\n#define abort program_abort\n";

/// What stands behind it: inputs from the command line, and a report of how the execution ended.
const BEHIND: &str = r#"
#undef main
#undef abort
extern int printf(const char *, ...);
extern long long atoll(const char *);
extern void exit(int) __attribute__((noreturn));
extern int fflush(void *);
static char **residue_values;
static int residue_count, residue_next;
static void residue_report(const char *word) {
  printf("%s %u %d\n", word, RESIDUE_CHECKSUM, residue_next);
  fflush(0);
  exit(0);
}
static long long residue_input(void) {
  if (residue_next >= residue_count) residue_report("exhausted");
  return atoll(residue_values[residue_next++]);
}
int __VERIFIER_nondet_int(void) { return (int)residue_input(); }
unsigned char __VERIFIER_nondet_uchar(void) { return (unsigned char)residue_input(); }
short __VERIFIER_nondet_short(void) { return (short)residue_input(); }
_Bool __VERIFIER_nondet_bool(void) { return residue_input() & 1; }
void program_abort(void) { residue_report("aborted"); while (1) { } }
void RESIDUE_ERROR { residue_report("error"); while (1) { } }
int main(int argc, char **argv) {
  residue_values = argv + 1;
  residue_count = argc - 1;
  program_main();
  residue_report("finished");
}
"#;

/// A compiled program.
#[derive(Debug)]
pub struct Compiled {
    binary: PathBuf,
}

/// Compiles a generated program, or the residual program of one, in `folder`.
///
/// # Errors
/// If gcc fails.
pub fn compile(text: &str, folder: &Path, name: &str) -> Result<Compiled> {
    let residual = text.contains("__assert_fail(\"0\"");
    let (text, error) = if residual {
        // Any failing assertion of a residual program is a call of its error function.
        let error = "__assert_fail(const char *a, const char *b, unsigned int c, const char *d)";
        (text.to_owned(), error)
    } else {
        let defined = "void reach_error(void) { abort(); }";
        ensure!(text.contains(defined), "not a generated program");
        (text.replace(defined, "extern void reach_error(void) __attribute__((noreturn));"), "reach_error(void)")
    };
    let behind = BEHIND.replace("RESIDUE_CHECKSUM", "checksum").replace("RESIDUE_ERROR", error);
    let source = folder.join(format!("{name}.c"));
    std::fs::write(&source, format!("{BEFORE}{text}{behind}"))?;
    let binary = folder.join(name);
    let flags = ["-std=gnu11", "-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-x", "c"];
    let mut arguments: Vec<std::ffi::OsString> = flags.iter().map(Into::into).collect();
    arguments.extend([source.into(), "-o".into(), binary.clone().into()]);
    duct::cmd("gcc", arguments).run().context("gcc failed")?;
    Ok(Compiled { binary })
}

impl Compiled {
    /// Executes the program on input values, first call first.
    ///
    /// # Errors
    /// If the program does not run to an end of its own.
    pub fn execute(&self, values: &[i64]) -> Result<Execution> {
        let arguments = values.iter().map(ToString::to_string);
        let output = duct::cmd(&self.binary, arguments).stdout_capture().unchecked().run()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut words = text.split_whitespace();
        let end = match words.next() {
            Some("error") => End::Error,
            Some("finished") => End::Finished,
            Some("aborted") => End::Aborted,
            Some("exhausted") => End::Exhausted,
            _ => {
                let mut message = String::new();
                let _ = write!(message, "{:?} printed {text:?}", output.status);
                anyhow::bail!(message)
            }
        };
        let checksum = words.next().context("no checksum")?.parse()?;
        let reads = words.next().context("no count")?.parse()?;
        Ok(Execution { end, checksum, reads })
    }
}
