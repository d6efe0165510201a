//! Counterexamples of model checkers.
//!
//! Two forms are read: values by name and frame (`NAME@FRAME=VALUE`, as ABC's `write_cex -n` has them), and the witnesses of
//! AIGER (`1`, `b0`, the latches, one line of inputs per frame, `.`).

use std::collections::BTreeMap;

use engine::circuit::Job;
use engine::circuit::trace::Frames;
use smt::TermId;

use crate::aiger::Symbols;

/// Why a text is no counterexample.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// No value and no witness.
    #[error("no counterexample: neither lines NAME@FRAME=VALUE nor a witness of AIGER")]
    NoTrace,
    /// A line that says something else.
    #[error("line {0}: not understood")]
    Line(usize),
    /// An input that the circuit does not have.
    #[error("line {0}: the circuit has no such input")]
    Name(usize),
}

/// Frames beyond which a trace is no counterexample of anybody.
const LONGEST: usize = 1 << 20;

/// How ABC says how many frames there are.
const LENGTH: &str = "# COUNTEREXAMPLE LENGTH:";

/// Reads a counterexample to a circuit.
///
/// # Errors
/// [`TraceError`].
pub fn read(text: &str, job: &Job) -> Result<Frames, TraceError> {
    if text.lines().any(|line| line.contains('@') || line.starts_with(LENGTH)) { named(text, job) } else { witness(text, job) }
}

fn set(frames: &mut Frames, (frame, term, bit): (usize, TermId, u32), value: char) {
    if frames.len() <= frame {
        frames.resize(frame + 1, BTreeMap::new());
    }
    if value == '1' && bit < 128 {
        *frames[frame].entry(term).or_insert(0) |= 1 << bit;
    }
}

fn named(text: &str, job: &Job) -> Result<Frames, TraceError> {
    let symbols = Symbols::of(&job.circuit, &job.names);
    let inputs: BTreeMap<&str, (TermId, u32)> =
        symbols.inputs.iter().map(String::as_str).zip(job.circuit.inputs.iter().map(|(term, bit, _)| (*term, *bit))).collect();
    let latches: std::collections::BTreeSet<&str> = symbols.latches.iter().map(String::as_str).collect();
    let mut frames = Frames::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if let Some(length) = line.strip_prefix(LENGTH).and_then(|length| length.trim().parse().ok()) {
            // A circuit without inputs has frames all the same.
            frames.resize(usize::min(length, LONGEST), BTreeMap::new());
        }
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let parts = line.rsplit_once('=').and_then(|(left, value)| Some((left.rsplit_once('@')?, value)));
        let ((name, frame), value) = parts.ok_or(TraceError::Line(number))?;
        let frame = frame.parse().ok().filter(|frame| *frame < LONGEST).ok_or(TraceError::Line(number))?;
        let value = value.chars().next().filter(|value| "01x-".contains(*value)).ok_or(TraceError::Line(number))?;
        match inputs.get(name) {
            Some((term, bit)) => set(&mut frames, (frame, *term, *bit), value),
            None if latches.contains(name) => {}
            None => return Err(TraceError::Name(number)),
        }
    }
    if frames.is_empty() { Err(TraceError::NoTrace) } else { Ok(frames) }
}

fn witness(text: &str, job: &Job) -> Result<Frames, TraceError> {
    let mut lines = (1..).zip(text.lines().map(str::trim));
    if lines.next().is_none_or(|(_, line)| line != "1") {
        return Err(TraceError::NoTrace);
    }
    let mut lines = lines.filter(|(_, line)| !line.starts_with('b')).peekable();
    lines.next();
    let mut frames = Frames::new();
    for (number, line) in lines.take_while(|(_, line)| *line != ".") {
        if line.chars().count() != job.circuit.inputs.len() || frames.len() >= LONGEST {
            return Err(TraceError::Line(number));
        }
        let frame = frames.len();
        frames.push(BTreeMap::new());
        for ((term, bit, _), value) in job.circuit.inputs.iter().zip(line.chars()) {
            set(&mut frames, (frame, *term, *bit), value);
        }
    }
    if frames.is_empty() { Err(TraceError::NoTrace) } else { Ok(frames) }
}
