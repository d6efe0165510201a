//! gcc as oracle: skipped with a message where it is missing.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "each test binary uses a part of it, and stops at the first surprise"
)]

use std::io::Write;
use std::process::{Command, Stdio};

use formats::{DataModel, ProgramOptions};
use program::cfa::Cfa;
use program::source::SourceFile;

/// Small, good enough and the same everywhere: xorshift.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len() as u64) as usize]
    }
}

pub const MODELS: [DataModel; 2] = [DataModel::ILP32, DataModel::LP64];

pub fn flag(model: DataModel) -> &'static str {
    match model {
        DataModel::ILP32 => "-m32",
        DataModel::LP64 => "-m64",
    }
}

/// Whether gcc can be run; recorded as skipped if not.
pub fn available() -> bool {
    gate::has("gcc")
}

/// Runs gcc on a program: its standard output, or its messages.
pub fn gcc(arguments: &[&str], text: &str) -> Result<String, String> {
    let mut child = Command::new("gcc")
        .args(["-x", "c", "-w", "-std=gnu11"])
        .args(arguments)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

/// The automaton of a text.
pub fn cfa(text: &str, data_model: DataModel) -> Result<Cfa, program::diagnostic::Diagnostic> {
    let options = ProgramOptions { data_model, ..ProgramOptions::default() };
    program::load_source(SourceFile::new("test.c", text), &options)
}

/// The bytes that gcc gives each initialised object, by name, read off its assembly.
pub fn objects(text: &str, model: DataModel) -> std::collections::BTreeMap<String, Vec<u8>> {
    let assembly =
        gcc(&["-S", "-O0", "-fno-common", "-fno-zero-initialized-in-bss", "-fno-pic", "-o", "-", flag(model)], text).unwrap();
    let mut found = std::collections::BTreeMap::new();
    let mut current: Option<String> = None;
    for line in assembly.lines() {
        let line = line.trim_end();
        if let Some(label) = line.strip_suffix(':')
            && !label.starts_with(['.', '\t'])
        {
            current = Some(label.to_owned());
            found.entry(label.to_owned()).or_insert_with(Vec::new);
            continue;
        }
        let mut words = line.split_whitespace();
        let (Some(directive), Some(value)) = (words.next(), words.next()) else { continue };
        let Some(bytes) = current.as_ref().and_then(|name| found.get_mut(name)) else { continue };
        if matches!(directive, ".ascii" | ".string" | ".asciz") {
            bytes.extend(unescape(line.split_once('"').unwrap().1));
            if directive != ".ascii" {
                bytes.push(0);
            }
            continue;
        }
        let width = match directive {
            ".byte" => 1,
            ".value" => 2,
            ".long" => 4,
            ".quad" => 8,
            ".zero" => {
                bytes.extend(std::iter::repeat_n(0, value.parse().unwrap()));
                continue;
            }
            _ => continue,
        };
        let value: i128 = value.parse().unwrap_or(0);
        bytes.extend_from_slice(&value.to_le_bytes()[..width]);
    }
    found
}

/// The bytes of a string of the assembler up to its closing quote.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes().peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => break,
            b'\\' => match rest.next().unwrap() {
                b'n' => bytes.push(b'\n'),
                b't' => bytes.push(b'\t'),
                b'r' => bytes.push(b'\r'),
                b'b' => bytes.push(8),
                b'f' => bytes.push(12),
                digit @ b'0'..=b'7' => {
                    let mut value = u32::from(digit - b'0');
                    for _ in 0..2 {
                        let Some(next) = rest.next_if(|next| (b'0'..=b'7').contains(next)) else { break };
                        value = value * 8 + u32::from(next - b'0');
                    }
                    bytes.push(value as u8);
                }
                other => bytes.push(other),
            },
            other => bytes.push(other),
        }
    }
    bytes
}
