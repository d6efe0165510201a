//! Reads of memory: what nothing was written to is asked for.
//!
//! A copy asks as well, and what it made up counts only when somebody looks at it ([`super::guessed`]).

use super::Origin;
use super::fault::Fault;
use super::machine::Machine;
use super::memory::{Area, Memory, WHOLE};

/// Why memory is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Look,
    Copy,
}

impl Machine<'_> {
    /// Makes an area readable: unknown bytes are asked for, as one value of `bits` bits if none is known.
    pub(super) fn read(&mut self, area: Area, bits: u32) -> Result<(), Fault> {
        self.see(area, WHOLE);
        self.ask_for_all(area, bits, By::Look)
    }

    /// Makes an area readable for a copy of it.
    pub(super) fn read_along(&mut self, area: Area, bits: u32) -> Result<(), Fault> {
        self.ask_for_all(area, bits, By::Copy)
    }

    fn ask_for_all(&mut self, area: Area, bits: u32, by: By) -> Result<(), Fault> {
        let unknown = self.memory.unknown(area);
        let whole = unknown.len() == area.len && area.len <= 16;
        let (len, bits) = if whole { (area.len, bits) } else { (1, 8) };
        self.ask_for(area, unknown.into_iter().step_by(len.max(1)), (len, bits), by)
    }

    /// Somebody looks at what copies brought here.
    fn see(&mut self, area: Area, field: (u32, u32)) {
        for (_, guess) in self.memory.guesses(area, field) {
            self.reads[guess.read].seen = true;
        }
    }

    /// Makes a bit-field readable.
    pub(super) fn read_bits(&mut self, area: Area, field: (u32, u32)) -> Result<(), Fault> {
        self.see(area, field);
        let unknown = self.memory.unknown_of(area, field);
        self.ask_for(area, unknown.into_iter(), (1, 8), By::Look)
    }

    fn ask_for(
        &mut self,
        area: Area,
        unknown: impl Iterator<Item = usize>,
        (len, bits): (usize, u32),
        by: By,
    ) -> Result<(), Fault> {
        for index in unknown {
            let origin = self.memory.origin(area, index);
            let origin = Origin::Object { variable: origin.variable, offset: origin.offset, born: origin.born };
            let value = self.ask(origin, bits)?.to_le_bytes();
            let part = Memory::part(area, index, len);
            if by == By::Copy
                && let Some(read) = self.reads.len().checked_sub(1)
            {
                self.reads[read].seen = false;
                self.memory.guess(part, read);
            }
            self.memory.fill_unknown(part, &value[..len]);
        }
        Ok(())
    }
}
