//! The machine model: sizes, alignments and formats of ILP32 and LP64 on x86 with the System V ABI.

use formats::DataModel;

use crate::types::{FloatKind, IntRank};

/// Bytes from the address of one label to that of the next.
const LABEL: u64 = 16;

/// Labels of a function whose addresses are told from numbers: with pointers of 32 bits small negative numbers lie behind them.
const MOST_LABELS: u64 = 0x1000;

/// Sizes and alignments of a data model, little endian, plain `char` signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MachineModel {
    /// Which data model.
    pub data_model: DataModel,
}

impl MachineModel {
    /// The model of a data model.
    #[must_use]
    pub fn new(data_model: DataModel) -> Self {
        Self { data_model }
    }

    /// Bytes of a pointer, of `size_t` and of `long`.
    #[must_use]
    pub fn word(self) -> u64 {
        match self.data_model {
            DataModel::ILP32 => 4,
            DataModel::LP64 => 8,
        }
    }

    /// Bits of a pointer.
    #[must_use]
    pub fn word_bits(self) -> u32 {
        formats::small(self.word() * 8)
    }

    /// The address of a label (`&&label`) by its number among those of its function, in a part of memory that nothing else has.
    #[must_use]
    pub fn label_address(self, number: u32) -> u64 {
        self.labels_begin() + u64::from(number) * LABEL
    }

    /// The number of the label that an address is one of.
    #[must_use]
    pub fn label_at(self, address: u64) -> Option<u64> {
        let number = address.checked_sub(self.labels_begin())? / LABEL;
        (number < MOST_LABELS).then_some(number)
    }

    fn labels_begin(self) -> u64 {
        if self.word() == 4 { 0xfff0_0000 } else { 0xffff_fff0_0000_0000 }
    }

    /// Bytes of an integer type.
    #[must_use]
    pub fn int_size(self, rank: IntRank) -> u64 {
        match rank {
            IntRank::PlainChar | IntRank::Char => 1,
            IntRank::Short => 2,
            IntRank::Int => 4,
            IntRank::Long => self.word(),
            IntRank::LongLong => 8,
            IntRank::Int128 => 16,
        }
    }

    /// Alignment of an integer type as a member or object; `long long` is aligned to 4 inside ILP32 records only
    /// ([`Self::int_align_in_record`]).
    #[must_use]
    pub fn int_align(self, rank: IntRank) -> u64 {
        self.int_size(rank)
    }

    /// Alignment of an integer type as a record member.
    #[must_use]
    pub fn int_align_in_record(self, rank: IntRank) -> u64 {
        match (self.data_model, rank) {
            (DataModel::ILP32, IntRank::LongLong) => 4,
            _ => self.int_align(rank),
        }
    }

    /// Bytes of a floating type.
    #[must_use]
    pub fn float_size(self, kind: FloatKind) -> u64 {
        match (kind, self.data_model) {
            (FloatKind::Float, _) => 4,
            (FloatKind::Double, _) => 8,
            (FloatKind::LongDouble, DataModel::ILP32) => 12,
            (FloatKind::LongDouble, DataModel::LP64) | (FloatKind::Float128, _) => 16,
        }
    }

    /// Alignment of a floating type as an object.
    #[must_use]
    pub fn float_align(self, kind: FloatKind) -> u64 {
        match (kind, self.data_model) {
            (FloatKind::LongDouble, DataModel::ILP32) => 4,
            _ => self.float_size(kind),
        }
    }

    /// Alignment of a floating type as a record member.
    #[must_use]
    pub fn float_align_in_record(self, kind: FloatKind) -> u64 {
        match (kind, self.data_model) {
            (FloatKind::Double | FloatKind::LongDouble, DataModel::ILP32) => 4,
            _ => self.float_align(kind),
        }
    }
}
