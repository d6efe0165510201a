//! The binary AIGER format (version 1.0, as every model checker reads it), with symbols.

use std::io::{self, Write};

use engine::circuit::aig::{Lit, Node};
use engine::circuit::names::Names;
use engine::circuit::sequential::Circuit;
use smt::TermId;

/// The names of the symbols.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// Of the inputs.
    pub inputs: Vec<String>,
    /// Of the latches.
    pub latches: Vec<String>,
}

impl Symbols {
    /// Those of a circuit of a program.
    #[must_use]
    pub fn of(circuit: &Circuit, names: &Names) -> Symbols {
        let input = |(term, at, _): &(TermId, u32, _)| format!("{}.{at}", names.inputs.get(term).map_or("", String::as_str));
        Symbols {
            inputs: circuit.inputs.iter().map(input).collect(),
            latches: circuit.latches.iter().map(|latch| names.latch(latch.held)).collect(),
        }
    }
}

/// Writes a circuit.
///
/// # Errors
/// What `out` reports.
pub fn write(circuit: &Circuit, symbols: &Symbols, out: &mut dyn Write) -> io::Result<()> {
    let mut variable = vec![0u32; circuit.aig.len()];
    let mut next = 1;
    let named = circuit.inputs.iter().map(|(.., lit)| *lit).chain(circuit.latches.iter().map(|latch| latch.now));
    for lit in named {
        variable[lit.node()] = next;
        next += 1;
    }
    let mut gates = Vec::new();
    for node in circuit.nodes() {
        if let Node::And(a, b) = circuit.aig.node(node) {
            variable[node] = next;
            gates.push((next, a, b));
            next += 1;
        }
    }
    let of = |lit: Lit| 2 * variable[lit.node()] + u32::from(lit.is_complement());
    let (inputs, latches) = (circuit.inputs.len(), circuit.latches.len());
    writeln!(out, "aig {} {inputs} {latches} 1 {}", next - 1, gates.len())?;
    for latch in &circuit.latches {
        writeln!(out, "{}", of(latch.next))?;
    }
    writeln!(out, "{}", of(circuit.bad))?;
    for (gate, a, b) in gates {
        let (low, high) = (of(a).min(of(b)), of(a).max(of(b)));
        number(2 * gate - high, out)?;
        number(high - low, out)?;
    }
    for (kind, names) in [("i", &symbols.inputs), ("l", &symbols.latches)] {
        for (at, name) in names.iter().enumerate() {
            writeln!(out, "{kind}{at} {name}")?;
        }
    }
    writeln!(out, "o0 violation")
}

/// A number in groups of seven bits, lowest first.
fn number(mut value: u32, out: &mut dyn Write) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(5);
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    out.write_all(&bytes)
}
