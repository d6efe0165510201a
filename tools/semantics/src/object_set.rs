//! Memory objects by number, and sets of them.
//!
//! An [`ObjectSet`] is a bit set that stores its non-zero words only: most sets hold a handful of the many thousand
//! objects of a program. Equal sets have equal representations, so sets can be compared, ordered and hashed.
//! Does not know what an object is; see [`crate::objects`].

use formats::dense;
use std::fmt;

/// A memory object of one program; dense from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// Memory that belongs to no object of the program: what externals own, fixed addresses.
    pub const EXTERNAL: Self = Self(0);

    /// The position in tables by object.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The object at a position of such a table.
    #[must_use]
    pub const fn new(index: usize) -> Self {
        Self(dense(index))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "o{}", self.0)
    }
}

/// A set of objects.
///
/// Invariant: words are sorted by position and none is zero.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectSet {
    words: Vec<(u32, u64)>,
}

impl ObjectSet {
    /// The empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self { words: Vec::new() }
    }

    /// The set of one object.
    #[must_use]
    pub fn single(object: ObjectId) -> Self {
        Self { words: vec![split(object)] }
    }

    /// The objects from `first` on, `count` of them.
    #[must_use]
    pub fn range(first: ObjectId, count: u32) -> Self {
        (first.0..first.0 + count).map(ObjectId).collect()
    }

    /// Whether there is no object in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|&(_, bits)| bits.count_ones() as usize).sum()
    }

    /// Whether `object` is in it.
    #[must_use]
    pub fn contains(&self, object: ObjectId) -> bool {
        let (word, bit) = split(object);
        self.words.binary_search_by_key(&word, |&(w, _)| w).is_ok_and(|i| self.words[i].1 & bit != 0)
    }

    /// The only object, if there is exactly one.
    #[must_use]
    pub fn only(&self) -> Option<ObjectId> {
        match self.words[..] {
            [(word, bits)] if bits.is_power_of_two() => Some(ObjectId(word * 64 + bits.trailing_zeros())),
            _ => None,
        }
    }

    /// Adds an object; whether it is new.
    pub fn insert(&mut self, object: ObjectId) -> bool {
        let (word, bit) = split(object);
        match self.words.binary_search_by_key(&word, |&(w, _)| w) {
            Ok(i) => {
                let new = self.words[i].1 & bit == 0;
                self.words[i].1 |= bit;
                new
            }
            Err(i) => {
                self.words.insert(i, (word, bit));
                true
            }
        }
    }

    /// Removes an object; whether it was there.
    pub fn remove(&mut self, object: ObjectId) -> bool {
        let (word, bit) = split(object);
        let Ok(i) = self.words.binary_search_by_key(&word, |&(w, _)| w) else { return false };
        let present = self.words[i].1 & bit != 0;
        self.words[i].1 &= !bit;
        if self.words[i].1 == 0 {
            self.words.remove(i);
        }
        present
    }

    /// Adds all objects of `other`; whether any is new. Nothing is copied if none is.
    pub fn union_with(&mut self, other: &Self) -> bool {
        if other.is_subset(self) {
            return false;
        }
        self.words = merge(&self.words, &other.words);
        true
    }

    /// Both sets together.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self { words: merge(&self.words, &other.words) }
    }

    /// Removes all objects of `other`.
    pub fn subtract(&mut self, other: &Self) {
        if other.is_empty() {
            return;
        }
        let mut rest = other.words.iter().peekable();
        self.words.retain_mut(|(word, bits)| {
            while rest.next_if(|&&(w, _)| w < *word).is_some() {}
            if let Some(&&(w, b)) = rest.peek()
                && w == *word
            {
                *bits &= !b;
            }
            *bits != 0
        });
    }

    /// The objects of this set that are not in `other`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut result = self.clone();
        result.subtract(other);
        result
    }

    /// The objects in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut words = Vec::new();
        for_common(&self.words, &other.words, |word, a, b| {
            if a & b != 0 {
                words.push((word, a & b));
            }
            true
        });
        Self { words }
    }

    /// Whether an object is in both sets.
    #[must_use]
    pub fn intersects(&self, other: &Self) -> bool {
        let mut found = false;
        for_common(&self.words, &other.words, |_, a, b| {
            found |= a & b != 0;
            !found
        });
        found
    }

    /// Whether no object is in both sets.
    #[must_use]
    pub fn is_disjoint(&self, other: &Self) -> bool {
        !self.intersects(other)
    }

    /// Whether `other` contains this set.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        if self.words.len() > other.words.len() {
            return false;
        }
        let mut inside = 0;
        for_common(&self.words, &other.words, |_, a, b| {
            inside += usize::from(a & !b == 0);
            a & !b == 0
        });
        inside == self.words.len()
    }

    /// The objects in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = ObjectId> + '_ {
        self.words.iter().flat_map(|&(word, bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(ObjectId(word * 64 + bit))
            })
        })
    }
}

impl FromIterator<ObjectId> for ObjectSet {
    fn from_iter<I: IntoIterator<Item = ObjectId>>(objects: I) -> Self {
        let mut set = Self::new();
        set.extend(objects);
        set
    }
}

impl Extend<ObjectId> for ObjectSet {
    fn extend<I: IntoIterator<Item = ObjectId>>(&mut self, objects: I) {
        for object in objects {
            self.insert(object);
        }
    }
}

impl fmt::Debug for ObjectSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

fn split(object: ObjectId) -> (u32, u64) {
    (object.0 / 64, 1 << (object.0 % 64))
}

/// Both lists together; linear.
fn merge(left: &[(u32, u64)], right: &[(u32, u64)]) -> Vec<(u32, u64)> {
    let mut merged = Vec::with_capacity(left.len().max(right.len()) + 1);
    let (mut i, mut j) = (0, 0);
    while let (Some(&(a, x)), Some(&(b, y))) = (left.get(i), right.get(j)) {
        merged.push(match a.cmp(&b) {
            std::cmp::Ordering::Less => (a, x),
            std::cmp::Ordering::Equal => (a, x | y),
            std::cmp::Ordering::Greater => (b, y),
        });
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
    merged.extend_from_slice(&left[i..]);
    merged.extend_from_slice(&right[j..]);
    merged
}

/// How many times longer a list is in which places are searched for instead of passed one by one.
const UNEVEN: usize = 8;

/// Calls `visit` with the words at positions both lists have, until it answers false.
fn for_common(left: &[(u32, u64)], right: &[(u32, u64)], mut visit: impl FnMut(u32, u64, u64) -> bool) {
    if left.len() / UNEVEN > right.len() {
        return for_few(right, left, |word, b, a| visit(word, a, b));
    }
    if right.len() / UNEVEN > left.len() {
        return for_few(left, right, visit);
    }
    let (mut i, mut j) = (0, 0);
    while let (Some(&(a, x)), Some(&(b, y))) = (left.get(i), right.get(j)) {
        if a == b && !visit(a, x, y) {
            return;
        }
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
}

/// The same where one list is much shorter: what may be affected has many words, what an operation reads has few.
fn for_few(few: &[(u32, u64)], mut many: &[(u32, u64)], mut visit: impl FnMut(u32, u64, u64) -> bool) {
    for &(word, x) in few {
        many = &many[many.partition_point(|(other, _)| *other < word)..];
        match many.first() {
            Some(&(other, y)) if other == word => {
                if !visit(word, x, y) {
                    return;
                }
            }
            Some(_) => {}
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(of: &BTreeSet<u32>) -> ObjectSet {
        of.iter().map(|&o| ObjectId(o)).collect()
    }

    proptest! {
        #[test]
        fn behaves_like_a_set(a in prop::collection::btree_set(0u32..300, 0..40), b in prop::collection::btree_set(0u32..300, 0..40)) {
            agree(&a, &b)?;
        }

        #[test]
        fn sets_of_other_sizes_behave_like_sets(a in prop::collection::btree_set(0u32..3000, 0..120), b in prop::collection::btree_set(0u32..3000, 0..4)) {
            agree(&a, &b)?;
            agree(&b, &a)?;
            // And one that surely has something in common.
            let c: BTreeSet<u32> = a.iter().copied().step_by(40).chain(b.iter().copied()).collect();
            agree(&a, &c)?;
            agree(&c, &a)?;
        }
    }

    fn agree(a: &BTreeSet<u32>, b: &BTreeSet<u32>) -> Result<(), TestCaseError> {
        let (x, y) = (set(a), set(b));
        prop_assert_eq!(x.len(), a.len());
        prop_assert_eq!(x.iter().map(|o| o.0).collect::<Vec<_>>(), a.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!(x.union(&y), set(&(a | b)));
        prop_assert_eq!(x.intersection(&y), set(&(a & b)));
        prop_assert_eq!(x.difference(&y), set(&(a - b)));
        prop_assert_eq!(x.is_subset(&y), a.is_subset(b));
        prop_assert!(x.intersection(&y).is_subset(&x));
        prop_assert_eq!(x.intersects(&y), !a.is_disjoint(b));
        prop_assert_eq!(x.only().is_some(), a.len() == 1);
        let mut z = x.clone();
        prop_assert_eq!(z.union_with(&y), !b.is_subset(a));
        prop_assert_eq!(&z, &x.union(&y));
        for &o in b {
            prop_assert!(z.remove(ObjectId(o)));
            prop_assert!(!z.contains(ObjectId(o)));
        }
        prop_assert_eq!(z, x.difference(&y));
        Ok(())
    }
}
