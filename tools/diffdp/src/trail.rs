//! Where affected objects came from: every arrival of objects at a pair, in the order of the first pass.
//!
//! Invariant: what a step brings was known where it starts before it arrives, so whoever goes back from an arrival to
//! earlier ones comes to the start of the search.
//! Does not know why a step brings an object; that is asked afterwards, and only for the few that matter.

use program::cfa::EdgeId;
use semantics::object_set::{ObjectId, ObjectSet};

/// The arrivals of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    arrivals: Vec<Arrival>,
    /// By number of the pair, ascending.
    at_pair: Vec<Vec<u32>>,
}

/// Objects that came to a pair where some of them were new, or that was new.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) objects: ObjectSet,
    /// The pair and the edge they came from; none at the start.
    pub(crate) via: Option<(u32, EdgeId)>,
}

impl Trail {
    pub(crate) fn record(&mut self, pair: u32, objects: &ObjectSet, via: Option<(u32, EdgeId)>) {
        let number = u32::try_from(self.arrivals.len()).unwrap_or(u32::MAX);
        self.arrivals.push(Arrival { objects: objects.clone(), via });
        let pair = pair as usize;
        if self.at_pair.len() <= pair {
            self.at_pair.resize_with(pair + 1, Vec::new);
        }
        self.at_pair[pair].push(number);
    }

    pub(crate) fn get(&self, arrival: u32) -> &Arrival {
        &self.arrivals[arrival as usize]
    }

    fn at(&self, pair: u32) -> &[u32] {
        self.at_pair.get(pair as usize).map_or(&[], Vec::as_slice)
    }

    /// The arrival that made a pair known.
    pub(crate) fn discovery(&self, pair: u32) -> Option<u32> {
        self.at(pair).first().copied()
    }

    /// The first arrival of an object at a pair.
    pub(crate) fn first(&self, pair: u32, object: ObjectId) -> Option<u32> {
        self.at(pair).iter().copied().find(|arrival| self.get(*arrival).objects.contains(object))
    }

    /// Whether an object had come to a pair before an arrival.
    pub(crate) fn is_before(&self, pair: u32, object: ObjectId, arrival: u32) -> bool {
        self.first(pair, object).is_some_and(|first| first < arrival)
    }

    /// Everything that had come to a pair before an arrival.
    pub(crate) fn before(&self, pair: u32, arrival: u32) -> ObjectSet {
        let mut all = ObjectSet::new();
        for earlier in self.at(pair).iter().take_while(|earlier| **earlier < arrival) {
            all.union_with(&self.get(*earlier).objects);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_arrivals_win() {
        let (x, y) = (ObjectId::new(1), ObjectId::new(2));
        let of = |objects: &[ObjectId]| objects.iter().copied().collect::<ObjectSet>();
        let mut trail = Trail::default();
        trail.record(0, &of(&[x]), None);
        trail.record(2, &of(&[]), Some((0, EdgeId(7))));
        trail.record(2, &of(&[x]), Some((0, EdgeId(8))));
        trail.record(2, &of(&[x, y]), Some((1, EdgeId(9))));
        assert_eq!(trail.discovery(2), Some(1));
        assert_eq!(trail.first(2, x), Some(2));
        assert_eq!(trail.get(3).via, Some((1, EdgeId(9))));
        assert!(trail.is_before(2, x, 3) && !trail.is_before(2, y, 3) && !trail.is_before(1, x, 9));
        assert_eq!(trail.before(2, 3), of(&[x]));
        assert_eq!((trail.discovery(1), trail.before(5, 9)), (None, ObjectSet::new()));
    }
}
