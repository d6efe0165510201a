//! Stepping a condition along the edges of the modified program: the only code that does.
//!
//! The edges a condition names are matched once to the edges of the CFA, by [`EdgeKey`] in a program whose hash and
//! fingerprint were checked. A path is covered as soon as a prefix of it reaches an accepting state; an indicator leaves it
//! uncovered for ever, and so does an edge that the state does not list, unless it stays on edges of the program; one that the
//! program does not have leads nowhere else. Every edge of a path is stepped, calls and returns included.
//! Does not know which paths are feasible.

use formats::condition::{Condition, StateKind};
use formats::{ArtifactError, EdgeKey};
use program::cfa::{Cfa, EdgeId};
use rustc_hash::FxHashMap;

/// How far a condition has followed a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Coverage {
    /// Not decided yet: the state of the condition.
    Open(u32),
    /// A prefix was accepted: nothing on this path needs to be checked any more.
    Covered,
    /// The path left the condition: it must be checked, however it goes on.
    Uncovered,
}

impl Coverage {
    /// Whether the path is covered.
    #[must_use]
    pub fn is_covered(self) -> bool {
        self == Self::Covered
    }
}

/// A condition matched to a CFA.
#[derive(Clone, Debug)]
pub struct ConditionCursor {
    condition: Condition,
    /// The condition's number of each CFA edge, if it names the edge.
    numbers: Vec<Option<u32>>,
}

impl ConditionCursor {
    /// Matches a condition to the program at hand; `file` is the condition's name in messages. Time O(edges).
    ///
    /// # Errors
    /// [`ArtifactError`] if the program is not the one the condition speaks about, or if the condition names an edge that
    /// the program does not have.
    #[allow(clippy::result_large_err, reason = "built once per run")]
    pub fn new(condition: Condition, file: &str, modified: &Cfa) -> Result<Self, ArtifactError> {
        let named = &condition.provenance().modified;
        named.check_sha256(file, modified.source.path(), &modified.source.sha256_hex())?;
        named.check_fingerprint(file, modified.source.path(), &modified.fingerprint())?;
        Self::with_keys(condition, file, modified.edge_ids().map(|edge| modified.edge_key(edge)))
    }

    /// Matches a condition to edges with these keys, in the order of the edges.
    #[allow(clippy::result_large_err, reason = "built once per run")]
    fn with_keys(condition: Condition, file: &str, keys: impl IntoIterator<Item = EdgeKey>) -> Result<Self, ArtifactError> {
        let mut named: FxHashMap<&EdgeKey, u32> = FxHashMap::default();
        for (number, info) in (0u32..).zip(condition.cfa_edges()) {
            named.insert(&info.key, number);
        }
        let numbers: Vec<Option<u32>> = keys.into_iter().map(|key| named.remove(&key)).collect();
        // The first one in order, so that the message does not depend on hashing.
        if let Some(missing) = condition.cfa_edges().iter().find(|info| named.contains_key(&info.key)) {
            return Err(ArtifactError::Inconsistent {
                file: file.to_owned(),
                expected: formats::condition::FORMAT.to_owned(),
                place: format!("edge {}", missing.key),
                message: "the program has no such edge".to_owned(),
            });
        }
        Ok(Self { condition, numbers })
    }

    /// The condition.
    #[must_use]
    pub fn condition(&self) -> &Condition {
        &self.condition
    }

    /// Where every path starts.
    #[must_use]
    pub fn start(&self) -> Coverage {
        self.coverage(Condition::INITIAL)
    }

    /// Follows one more edge of the path.
    #[must_use]
    pub fn step(&self, coverage: Coverage, edge: EdgeId) -> Coverage {
        let Coverage::Open(state) = coverage else { return coverage };
        let number = self.numbers.get(edge.index());
        match number.and_then(|number| self.condition.successor(state, *number)) {
            Some(next) => self.coverage(next),
            None => Coverage::Uncovered,
        }
    }

    fn coverage(&self, state: u32) -> Coverage {
        match self.condition.kind(state) {
            StateKind::Open => Coverage::Open(state),
            StateKind::Accepting => Coverage::Covered,
            StateKind::Indicator => Coverage::Uncovered,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_program::TestProgram;
    use formats::artifact::ProgramFile;
    use formats::{EdgeInfo, OperationKind, Producer, ProgramOptions, Provenance};
    use std::collections::BTreeMap;

    fn key(line: u32) -> EdgeKey {
        EdgeKey {
            function: "main".to_owned(),
            line,
            column: 1,
            end_line: line,
            end_column: 2,
            kind: OperationKind::Assign,
            branch: None,
            ordinal: 0,
        }
    }

    /// Open state 0 -line 1-> open 1 -line 2-> accepting 2, 1 -line 3-> indicator 3.
    fn condition(hash: &str, fingerprint: &str) -> Condition {
        let program =
            ProgramFile { path: "new.c".to_owned(), sha256: hash.to_owned(), cfa: fingerprint.to_owned(), files: Vec::new() };
        let provenance = Provenance {
            producer: Producer::new("diffdp", "0"),
            original: program.clone(),
            modified: program,
            options: ProgramOptions::default(),
            degraded: None,
        };
        let edges = BTreeMap::from([1, 2, 3].map(|line| {
            (line, EdgeInfo { key: key(line), start_offset: 0, end_offset: 0, enters: None, text: String::new(), leaves: None })
        }));
        let states = vec![StateKind::Open, StateKind::Open, StateKind::Accepting, StateKind::Indicator];
        Condition::new(Producer::new("condgen", "0"), provenance, states, &[(0, 1, 1), (1, 2, 2), (1, 3, 3)], &edges)
            .expect("consistent")
    }

    fn cursor(condition: Condition) -> ConditionCursor {
        // Edge g0 is not named by the condition.
        let keys = [key(9), key(1), key(2), key(3)];
        ConditionCursor::with_keys(condition, "c.graphml", keys).expect("the same program")
    }

    fn walk(edges: &[u32]) -> Coverage {
        follow(condition("h", "f"), edges)
    }

    fn follow(condition: Condition, edges: &[u32]) -> Coverage {
        let cursor = cursor(condition);
        edges.iter().fold(cursor.start(), |coverage, &e| cursor.step(coverage, EdgeId(e)))
    }

    #[test]
    fn accepting_is_final() {
        assert_eq!(walk(&[]), Coverage::Open(0));
        assert_eq!(walk(&[1]), Coverage::Open(1));
        assert_eq!(walk(&[1, 2]), Coverage::Covered);
        assert_eq!(walk(&[1, 2, 0, 3]), Coverage::Covered);
    }

    #[test]
    fn a_missing_edge_is_uncovered_for_ever() {
        assert_eq!(walk(&[0]), Coverage::Uncovered);
        assert_eq!(walk(&[0, 1, 2]), Coverage::Uncovered);
        assert_eq!(walk(&[2]), Coverage::Uncovered);
        assert_eq!(walk(&[7]), Coverage::Uncovered);
    }

    #[test]
    fn a_state_that_stays_is_left_by_what_it_lists_and_by_what_is_no_edge() {
        let staying = || condition("h", "f").with_staying([1]).expect("it is open");
        assert_eq!(follow(staying(), &[1, 0, 1, 0]), Coverage::Open(1));
        assert_eq!(follow(staying(), &[1, 0, 2]), Coverage::Covered);
        assert_eq!(follow(staying(), &[1, 0, 3, 2]), Coverage::Uncovered);
        assert_eq!(follow(staying(), &[1, 7, 2]), Coverage::Uncovered);
        assert_eq!(follow(staying(), &[0, 1, 2]), Coverage::Uncovered);
    }

    #[test]
    fn an_indicator_is_uncovered_for_ever() {
        assert_eq!(walk(&[1, 3]), Coverage::Uncovered);
        assert_eq!(walk(&[1, 3, 1, 2]), Coverage::Uncovered);
    }

    #[test]
    fn another_program_is_refused() {
        let mut p = TestProgram::new();
        let main = p.function("main");
        p.finish_function(p.entry(main), None);
        let cfa = p.build();
        let (hash, fingerprint) = (cfa.source.sha256_hex(), cfa.fingerprint());
        let open = |hash: &str, fingerprint: &str| ConditionCursor::new(condition(hash, fingerprint), "c.graphml", &cfa).err();
        assert!(matches!(open("h", &fingerprint), Some(ArtifactError::HashMismatch { .. })));
        assert!(matches!(open(&hash, "f"), Some(ArtifactError::FingerprintMismatch { .. })));
        assert!(matches!(open(&hash, &fingerprint), Some(ArtifactError::Inconsistent { .. })));
    }
}
