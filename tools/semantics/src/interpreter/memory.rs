//! Memory of one run: objects with addresses and bytes.
//!
//! Invariants: objects lie apart (at least 16 bytes between the end of one and the start of the next), are aligned to 16
//! bytes, and no address below 4096 or of a popped object is ever used again. A bit is *known* once it was written or
//! asked for. Does not know types or variables' names.

use formats::dense;
use program::cfa::{FunctionId, VarId};

use super::UndefinedKind;
use super::addresses::LAYOUTS;
use super::fault::Fault;
use super::guessed::{Copied, Guess, Guesses};

/// Which part of the address space an object lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zone {
    /// Globals, static locals, literals.
    Static,
    /// Automatic objects; popped in reverse order.
    Stack,
    /// Allocated memory.
    Heap,
}

/// An object of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handle {
    zone: Zone,
    index: u32,
}

/// What is fixed when an object comes into being.
#[derive(Clone, Copy, Debug)]
pub(super) struct Birth {
    /// Its variable; `None` for allocated memory.
    pub(super) variable: Option<VarId>,
    /// Bytes; `None` if they are not known, then every access is unsupported.
    pub(super) size: Option<u64>,
    /// What its address is a multiple of, if more than of [`ALIGNMENT`].
    pub(super) align: u64,
    /// Stores are undefined.
    pub(super) constant: bool,
    /// Number of edges passed.
    pub(super) step: usize,
}

/// The bytes of a new object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Whatever is asked for.
    Unknown,
    /// 0, all of them.
    Zero,
}

#[derive(Clone, Debug)]
struct Object {
    address: u64,
    size: u64,
    /// Its first byte in the region, and how many bytes from there on are kept.
    start: usize,
    held: usize,
    birth: Birth,
    opaque: bool,
    /// When it came into being, and when it was freed.
    born: u64,
    ended: Option<u64>,
}

/// Where an object or a part of it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The object it must lie in, if it starts from a variable.
    pub(super) object: Option<Handle>,
    /// First byte.
    pub(super) address: u64,
    /// For a bit-field: first bit from that byte, and width.
    pub(super) bits: Option<(u32, u32)>,
    /// Reached through a volatile pointer.
    pub(super) volatile: bool,
}

/// Some bytes of an object that an access may touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub(super) handle: Handle,
    start: usize,
    pub(super) len: usize,
}

/// What an unknown byte belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unknown {
    pub(super) variable: Option<VarId>,
    pub(super) offset: u64,
    pub(super) born: usize,
}

/// All bits of an area.
pub(super) const WHOLE: (u32, u32) = (0, u32::MAX);

/// All bits of a byte.
const ALL: u8 = u8::MAX;

/// The bits of byte number `index` that are among so many from the first one on.
fn bits_within(index: u32, first: u32, width: u32) -> u8 {
    let end = first.saturating_add(width);
    (0..8).filter(|bit| (first..end).contains(&(index.saturating_mul(8) + bit))).fold(0, |mask, bit| mask | 1 << bit)
}

#[derive(Debug, Default)]
struct Region {
    objects: Vec<Object>,
    bytes: Vec<u8>,
    /// The bits of each byte that are known.
    known: Vec<u8>,
    guesses: Guesses,
    begin: u64,
    next: u64,
    limit: u64,
}

/// All objects of a run.
#[derive(Debug)]
pub(super) struct Memory {
    regions: [Region; 3],
    function_base: u64,
    limit: usize,
    /// How many times its alignment an object lies behind the first place that it could have.
    shift: u64,
    /// Bytes between objects that belong to none.
    gap: u64,
    /// How many objects have come into being or were freed.
    clock: u64,
}

/// Bytes from which on only the beginning of an object is kept if there is no room for all of it.
const LONG: u64 = 1 << 26;
const BEGINNING: usize = 1 << 20;

const ALIGNMENT: u64 = 16;
const GAP: u64 = 16;
const FIRST_ADDRESS: u64 = 4096;

/// Where static objects, the stack and the heap begin and end, and where functions begin, with pointers of `word` bytes.
///
/// No bit of an address that its alignment leaves open is the same in all layouts, as far as systems have it both ways: the second and
/// the third turn every other one, and the last is as the parts of programs lie that may be loaded anywhere.
fn parts(word: u64, layout: u64) -> ([(u64, u64); 3], u64) {
    let wide = word >= 8;
    // Compilers need not align code.
    let moved = layout * 0x0012_3450;
    if layout == LAYOUTS[3] {
        let regions = if wide {
            [(0x5555_5555_4000, 0x5a00_0000_0000), (0x7ffd_0000_0000, 0x7fff_ffff_0000), (0x5a00_0000_0000, 0x7000_0000_0000)]
        } else {
            [(0x5655_6000, 0x5a00_0000), (0xf000_0000, 0xffe0_0000), (0x5a00_0000, 0xe000_0000)]
        };
        let functions: u64 = if wide { 0x5554_0000_0000 } else { 0x5654_0000 };
        return (regions.map(|(next, limit)| (next + moved, limit)), functions + layout);
    }
    let scale = if wide { 16 } else { 0 };
    let turned: u64 = match layout {
        1 => 0x1555_5555_5550 >> (16 - scale),
        2 => 0x0aaa_aaaa_aaa0 >> (16 - scale),
        _ => 0,
    };
    let begin = moved + turned / ALIGNMENT * ALIGNMENT;
    let regions: [(u64, u64); 3] = [(0x0810_0000, 0x2000_0000), (0x5000_0000, 0x7fff_0000), (0x2000_0000, 0x5000_0000)];
    (regions.map(|(next, limit)| ((next << scale) + begin, limit << scale)), (0x0134_5670 << scale) + begin + layout)
}

impl Memory {
    /// As [`Memory::new`], with objects so far apart that an address computed from one of them does not happen to be one of
    /// another, for programs whose accesses are checked.
    pub(super) fn spacious(word: u64, limit: usize, layout: u64) -> Self {
        let gap = if word >= 8 { 1 << 20 } else { 1 << 10 };
        Self { gap, ..Self::new(word, limit, layout) }
    }

    /// An empty memory for pointers of `word` bytes that holds at most `limit` bytes, in one of several layouts.
    pub(super) fn new(word: u64, limit: usize, layout: u64) -> Self {
        let (regions, functions) = parts(word, layout);
        let region = |(next, limit)| Region { begin: next, next, limit, ..Region::default() };
        Self { regions: regions.map(region), function_base: functions, limit, shift: layout, gap: GAP, clock: 0 }
    }

    /// The address of a function.
    pub(super) const fn function_address(&self, function: FunctionId) -> u64 {
        self.function_base + (function.0 as u64) * ALIGNMENT
    }

    /// The number of the function that an address would be in if there were that many.
    pub(super) fn function_number(&self, address: u64) -> Option<u64> {
        Some(address.checked_sub(self.function_base)? / ALIGNMENT)
    }

    fn region(&self, zone: Zone) -> &Region {
        &self.regions[zone as usize]
    }

    fn region_mut(&mut self, zone: Zone) -> &mut Region {
        &mut self.regions[zone as usize]
    }

    fn object(&self, handle: Handle) -> &Object {
        &self.region(handle.zone).objects[handle.index as usize]
    }

    /// Makes an object.
    pub(super) fn allocate(&mut self, zone: Zone, birth: Birth, content: Content) -> Result<Handle, Fault> {
        let used: usize = self.regions.iter().map(|r| r.bytes.len()).sum();
        let size = birth.size.unwrap_or(0);
        let all = usize::try_from(size).unwrap_or(usize::MAX);
        let bytes = if size > LONG && used.saturating_add(all) > self.limit { BEGINNING } else { all };
        if used.saturating_add(bytes) > self.limit {
            return Err(Fault::Memory);
        }
        let gap = self.gap;
        let align = if birth.variable.is_some() { birth.align.clamp(1, 4096) } else { ALIGNMENT };
        let shift = self.shift * align;
        self.clock += 1;
        let born = self.clock;
        let region = self.region_mut(zone);
        let address = region.next.next_multiple_of(align) + shift;
        let next = address.checked_add(size).and_then(|a| a.checked_add(gap + ALIGNMENT - 1)).map(|a| a & !(ALIGNMENT - 1));
        region.next = next.filter(|n| *n <= region.limit).ok_or(Fault::Memory)?;
        let start = region.bytes.len();
        region.bytes.resize(start + bytes, 0);
        region.known.resize(start + bytes, if content == Content::Zero { ALL } else { 0 });
        let opaque = birth.size.is_none();
        region.objects.push(Object { address, size, start, held: bytes, birth, opaque, born, ended: None });
        Ok(Handle { zone, index: u32::try_from(region.objects.len() - 1).map_err(|_| Fault::Memory)? })
    }

    /// How many automatic objects there are.
    pub(super) fn stack_height(&self) -> usize {
        self.region(Zone::Stack).objects.len()
    }

    /// The automatic object number `index`.
    pub(super) fn stack_handle(&self, index: usize) -> Handle {
        Handle { zone: Zone::Stack, index: dense(index) }
    }

    /// Removes all automatic objects from number `height` on.
    pub(super) fn pop_to(&mut self, height: usize) {
        let region = self.region_mut(Zone::Stack);
        if let Some(first) = region.objects.get(height) {
            let start = first.start;
            region.bytes.truncate(start);
            region.guesses.forget(start..region.known.len());
            region.known.truncate(start);
            region.objects.truncate(height);
        }
    }

    /// Makes every access to the object unsupported: its contents could not be understood.
    pub(super) fn make_opaque(&mut self, handle: Handle) {
        self.region_mut(handle.zone).objects[handle.index as usize].opaque = true;
    }

    /// Ends what [`Self::make_opaque`] began, as the whole object is written.
    pub(super) fn reveal(&mut self, handle: Handle) {
        let object = &mut self.region_mut(handle.zone).objects[handle.index as usize];
        object.opaque = object.birth.size.is_none();
    }

    /// Whether nobody may look at an object.
    pub(super) fn is_opaque(&self, handle: Handle) -> bool {
        self.object(handle).opaque
    }

    /// The address of an object.
    pub(super) fn address(&self, handle: Handle) -> u64 {
        self.object(handle).address
    }

    /// The size of an object in bytes.
    pub(super) fn size(&self, handle: Handle) -> u64 {
        self.object(handle).size
    }

    /// Makes all bytes unknown again, as of `step`.
    pub(super) fn forget(&mut self, handle: Handle, step: usize) {
        let region = self.region_mut(handle.zone);
        let object = &mut region.objects[handle.index as usize];
        object.birth.step = step;
        object.opaque = object.birth.size.is_none();
        let bytes = object.start..object.start + object.held;
        region.known[bytes.clone()].fill(0);
        region.guesses.forget(bytes);
    }

    /// Ends the life of an allocated object. `address` must be its first byte.
    pub(super) fn free(&mut self, address: u64) -> Result<Handle, Fault> {
        let invalid = Fault::Undefined(UndefinedKind::InvalidFree);
        self.clock += 1;
        let now = self.clock;
        let Some(handle) = self.find(address) else { return Err(invalid) };
        let object = &mut self.region_mut(handle.zone).objects[handle.index as usize];
        if handle.zone != Zone::Heap || object.address != address || object.ended.is_some() {
            return Err(invalid);
        }
        object.ended = Some(now);
        Ok(handle)
    }

    /// As [`Self::free`], for what a reallocation replaces by a new object, which may lie at the same place.
    pub(super) fn replace(&mut self, address: u64, by: Handle) -> Result<(), Fault> {
        let handle = self.free(address)?;
        let born = self.object(by).born;
        self.region_mut(handle.zone).objects[handle.index as usize].ended = Some(born);
        Ok(())
    }

    /// Whether two different addresses are of objects that another run may have at one: one has ended before the other began, or
    /// begins where the other ends.
    pub(super) fn may_meet(&self, x: u64, y: u64) -> bool {
        let zone = |address: u64| {
            let inside = |zone: &Zone| (self.region(*zone).begin..=self.region(*zone).next).contains(&address);
            [Zone::Static, Zone::Stack, Zone::Heap].into_iter().find(inside)
        };
        let (Some(zone), true) = (zone(x), x != y && zone(x) == zone(y)) else { return false };
        match (zone, self.find(x), self.find(y)) {
            (Zone::Heap, Some(one), Some(other)) => {
                let (one, other) = (self.object(one), self.object(other));
                let precedes = |first: &Object, second: &Object| first.ended.is_some_and(|ended| ended <= second.born);
                precedes(one, other) || precedes(other, one)
            }
            (Zone::Static | Zone::Stack, Some(one), Some(other)) => {
                let meet = |a: u64, first: Handle, b: u64, second: Handle| {
                    let object = self.object(first);
                    a == object.address + object.size && b == self.address(second)
                };
                one != other && (meet(x, one, y, other) || meet(y, other, x, one))
            }
            // Objects of calls that have returned: those that live came before or after them.
            (Zone::Stack, Some(_), None) => x > y,
            (Zone::Stack, None, Some(_)) => y > x,
            (Zone::Stack, None, None) => true,
            (Zone::Static | Zone::Heap, _, _) => false,
        }
    }

    /// The variable that an object is; `None` for allocated memory.
    pub(super) fn variable(&self, handle: Handle) -> Option<VarId> {
        self.object(handle).birth.variable
    }

    /// What divides the address of an object in any layout.
    pub(super) fn alignment(&self, handle: Handle) -> u64 {
        let Birth { variable, align, .. } = self.object(handle).birth;
        if variable.is_some() { align } else { ALIGNMENT }
    }

    /// The object with the greatest address not above `address`, if it contains it or ends there.
    pub(super) fn find(&self, address: u64) -> Option<Handle> {
        for zone in [Zone::Static, Zone::Stack, Zone::Heap] {
            let objects = &self.region(zone).objects;
            let index = objects.partition_point(|o| o.address <= address);
            let Some(object) = index.checked_sub(1).map(|i| &objects[i]) else { continue };
            if address <= object.address + object.size {
                return Some(Handle { zone, index: dense(index - 1) });
            }
        }
        None
    }

    /// The bytes `address..address + len`, which must lie within one live object: `hint` if it is given.
    pub(super) fn area(&self, hint: Option<Handle>, address: u64, len: u64) -> Result<Area, Fault> {
        let Some(handle) = hint.or_else(|| self.find(address)) else {
            let null = address < FIRST_ADDRESS;
            let kind = if null { UndefinedKind::NullPointer } else { UndefinedKind::OutOfBounds };
            return Err(Fault::Undefined(kind));
        };
        let object = self.object(handle);
        if object.opaque {
            return Err(Fault::Unsupported("object of unknown size or contents".into()));
        }
        if object.ended.is_some() {
            return Err(Fault::Undefined(UndefinedKind::DeadObject));
        }
        let offset = address.wrapping_sub(object.address);
        if offset > object.size || len > object.size - offset {
            return Err(Fault::Undefined(UndefinedKind::OutOfBounds));
        }
        let (offset, len) = (usize::try_from(offset).unwrap_or(usize::MAX), usize::try_from(len).unwrap_or(usize::MAX));
        if offset.saturating_add(len) > object.held {
            return Err(Fault::Memory);
        }
        Ok(Area { handle, start: object.start + offset, len })
    }

    /// Whether stores to the area are undefined.
    pub(super) fn is_constant(&self, area: Area) -> bool {
        self.object(area.handle).birth.constant
    }

    /// The bytes of an area; unknown ones read as zero.
    pub(super) fn bytes(&self, area: Area) -> &[u8] {
        &self.region(area.handle.zone).bytes[area.start..area.start + area.len]
    }

    /// The bytes of an area to write; they become known.
    pub(super) fn bytes_mut(&mut self, area: Area) -> &mut [u8] {
        let region = self.region_mut(area.handle.zone);
        region.known[area.start..area.start + area.len].fill(ALL);
        region.guesses.forget(area.start..area.start + area.len);
        &mut region.bytes[area.start..area.start + area.len]
    }

    /// The positions of bytes in an area some of whose bits are unknown.
    pub(super) fn unknown(&self, area: Area) -> Vec<usize> {
        self.unknown_of(area, WHOLE)
    }

    /// The same, where only so many bits from the first one on count.
    pub(super) fn unknown_of(&self, area: Area, (first, width): (u32, u32)) -> Vec<usize> {
        let known = &self.region(area.handle.zone).known[area.start..area.start + area.len];
        if known.iter().all(|bits| *bits == ALL) {
            return Vec::new();
        }
        let is_unknown = |(index, bits): &(u32, &u8)| !*bits & bits_within(*index, first, width) != 0;
        (0..).zip(known).filter(is_unknown).map(|(index, _): (u32, &u8)| index as usize).collect()
    }

    /// Gives the unknown bits of an area the values that they have in `bytes`.
    pub(super) fn fill_unknown(&mut self, area: Area, bytes: &[u8]) {
        let region = self.region_mut(area.handle.zone);
        for (index, byte) in (area.start..area.start + area.len).zip(bytes) {
            let known = std::mem::replace(&mut region.known[index], ALL);
            region.bytes[index] = region.bytes[index] & known | byte & !known;
        }
    }

    /// Notes that a read is about to make up the unknown bits of an area.
    pub(super) fn guess(&mut self, area: Area, read: usize) {
        let region = self.region_mut(area.handle.zone);
        for byte in area.start..area.start + area.len {
            region.guesses.note(byte, Guess { read, bits: !region.known[byte] });
        }
    }

    /// What is made up of an area, as far as it is among so many bits from the first one on.
    pub(super) fn guesses(&self, area: Area, (first, width): (u32, u32)) -> Vec<(usize, Guess)> {
        let mut found = self.region(area.handle.zone).guesses.within(area.start..area.start + area.len);
        found.retain(|(index, guess)| guess.bits & bits_within(dense(*index), first, width) != 0);
        found
    }

    /// The bytes of an area for a copy of it.
    pub(super) fn copied(&self, area: Area) -> Copied {
        Copied { bytes: self.bytes(area).to_vec(), guesses: self.guesses(area, WHOLE) }
    }

    /// Writes a copy. What is made up of it stays so.
    pub(super) fn write_copy(&mut self, area: Area, copy: &Copied) {
        self.bytes_mut(area).copy_from_slice(&copy.bytes);
        let region = self.region_mut(area.handle.zone);
        for (index, guess) in &copy.guesses {
            region.guesses.note(area.start + index, *guess);
        }
    }

    /// Writes a bit-field; what else its bytes hold stays as it is, known or not.
    pub(super) fn write_bits(&mut self, area: Area, (first, width): (u32, u32), value: u128) {
        let region = self.region_mut(area.handle.zone);
        for (number, index) in (0..).zip(area.start..area.start + area.len) {
            let mask = bits_within(number, first, width);
            let low = number * 8;
            let bits = if low >= first { value.checked_shr(low - first).unwrap_or(0) } else { value << (first - low) };
            region.bytes[index] = region.bytes[index] & !mask | bits.to_le_bytes()[0] & mask;
            region.known[index] |= mask;
            region.guesses.forget_bits(index, mask);
        }
    }

    /// What byte number `index` of an area belongs to.
    pub(super) fn origin(&self, area: Area, index: usize) -> Unknown {
        let object = self.object(area.handle);
        let offset = (area.start - object.start + index) as u64;
        Unknown { variable: object.birth.variable, offset, born: object.birth.step }
    }

    /// The part of an area that starts at `index` and has `len` bytes.
    pub(super) const fn part(area: Area, index: usize, len: usize) -> Area {
        Area { handle: area.handle, start: area.start + index, len }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn birth(size: u64) -> Birth {
        Birth { variable: None, size: Some(size), align: 1, constant: false, step: 0 }
    }

    #[test]
    fn objects_lie_apart_and_addresses_are_not_reused() {
        let mut memory = Memory::new(4, 1000, 0);
        let a = memory.allocate(Zone::Stack, birth(5), Content::Unknown).unwrap();
        let b = memory.allocate(Zone::Stack, birth(0), Content::Unknown).unwrap();
        let (first, second) = (memory.address(a), memory.address(b));
        assert!(first % 16 == 0 && second >= first + 5 + 16);
        assert!(memory.area(None, first + 1, 4).is_ok());
        assert!(memory.area(None, first + 2, 4).is_err());
        assert!(memory.area(None, first + 5, 0).is_ok());
        assert!(matches!(memory.area(None, 8, 1), Err(Fault::Undefined(UndefinedKind::NullPointer))));
        memory.pop_to(1);
        let c = memory.allocate(Zone::Stack, birth(1), Content::Unknown).unwrap();
        assert!(memory.address(c) > second);
        assert!(memory.area(None, second, 0).is_err());
    }

    #[test]
    fn of_what_is_too_long_the_beginning_is_kept() {
        let mut memory = Memory::new(8, 1 << 22, 0);
        let long = memory.allocate(Zone::Stack, birth(1 << 33), Content::Unknown).unwrap();
        let after = memory.allocate(Zone::Stack, birth(4), Content::Zero).unwrap();
        let address = memory.address(long);
        assert!(memory.address(after) >= address + (1 << 33));
        let area = memory.area(Some(long), address + 8, 4).unwrap();
        memory.bytes_mut(area).fill(7);
        memory.forget(long, 0);
        assert_eq!(memory.unknown(area), [0, 1, 2, 3]);
        assert!(matches!(memory.area(None, address + (1 << 20) - 2, 4), Err(Fault::Memory)));
        assert!(matches!(memory.area(None, address + (1 << 32), 1), Err(Fault::Memory)));
        assert!(matches!(memory.area(Some(long), address + (1 << 33), 1), Err(Fault::Undefined(UndefinedKind::OutOfBounds))));
        assert_eq!(memory.bytes(memory.area(None, memory.address(after), 4).unwrap()), [0; 4]);
    }

    #[test]
    fn what_there_is_room_for_is_kept_whole() {
        let mut memory = Memory::new(8, 1 << 27, 0);
        let size = LONG + 16;
        let long = memory.allocate(Zone::Heap, birth(size), Content::Zero).unwrap();
        let last = memory.address(long) + size - 1;
        assert_eq!(memory.bytes(memory.area(None, last, 1).unwrap()), [0]);
    }

    #[test]
    fn freed_memory_is_dead() {
        let mut memory = Memory::new(8, 1000, 0);
        let a = memory.allocate(Zone::Heap, birth(8), Content::Zero).unwrap();
        let address = memory.address(a);
        assert!(memory.free(address + 1).is_err());
        memory.free(address).unwrap();
        assert!(matches!(memory.area(None, address, 1), Err(Fault::Undefined(UndefinedKind::DeadObject))));
        assert!(memory.free(address).is_err());
        assert!(memory.allocate(Zone::Heap, birth(2000), Content::Zero).is_err());
    }
}
