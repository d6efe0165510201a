//! Bits that nothing was written to, and that were copied all the same: between the members of a record, in members that are set
//! later, in what `memcpy` moves.
//!
//! A copy is defined whatever they are. So a value is made up for them, and the read that made it up counts only when something
//! else than a copy looks at them, wherever they are by then.

use std::collections::BTreeMap;
use std::ops::Range;

/// Bits of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guess {
    /// The number of the read that made them up.
    pub(super) read: usize,
    /// Which bits.
    pub(super) bits: u8,
}

/// All guesses in a part of memory, by byte.
#[derive(Debug, Default)]
pub(super) struct Guesses(BTreeMap<usize, Guess>);

impl Guesses {
    /// Some bits of a byte are made up.
    pub(super) fn note(&mut self, byte: usize, guess: Guess) {
        self.0.insert(byte, guess);
    }

    /// The bytes are written, or begin anew.
    pub(super) fn forget(&mut self, bytes: Range<usize>) {
        if self.0.is_empty() {
            return;
        }
        let known: Vec<usize> = self.0.range(bytes).map(|(byte, _)| *byte).collect();
        for byte in known {
            self.0.remove(&byte);
        }
    }

    /// Some bits of a byte are written.
    pub(super) fn forget_bits(&mut self, byte: usize, bits: u8) {
        if let Some(guess) = self.0.get_mut(&byte) {
            guess.bits &= !bits;
        }
    }

    /// What is made up of some bytes, by their positions among them.
    pub(super) fn within(&self, bytes: Range<usize>) -> Vec<(usize, Guess)> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let start = bytes.start;
        self.0.range(bytes).map(|(byte, guess)| (byte - start, *guess)).collect()
    }
}

/// Bytes on their way from one place to another.
#[derive(Clone, Debug)]
pub(super) struct Copied {
    pub(super) bytes: Vec<u8>,
    /// What of them is made up.
    pub(super) guesses: Vec<(usize, Guess)>,
}
