//! A common subsequence of two sequences of numbers, as a person would choose it.
//!
//! Equal ends are taken first, then numbers that occur once in each sequence (patience), then, between those, a longest
//! common subsequence (Myers) as long as the difference is small. Every choice is safe for the callers: it decides how
//! much is found to correspond, never whether what corresponds is equal.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// Edit distance up to which a stretch without anchors is compared exactly.
const EXACT: usize = 400;

/// Pairs of positions with equal numbers, ascending in both.
#[must_use]
pub fn common(left: &[u32], right: &[u32]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut pending = vec![(0..left.len(), 0..right.len())];
    while let Some((mut a, mut b)) = pending.pop() {
        while !a.is_empty() && !b.is_empty() && left[a.start] == right[b.start] {
            found.push((a.start, b.start));
            a.start += 1;
            b.start += 1;
        }
        while !a.is_empty() && !b.is_empty() && left[a.end - 1] == right[b.end - 1] {
            found.push((a.end - 1, b.end - 1));
            a.end -= 1;
            b.end -= 1;
        }
        if a.is_empty() || b.is_empty() {
            continue;
        }
        let anchors = anchors(left, a.clone(), right, b.clone());
        if anchors.is_empty() {
            found.extend(exact(left, a, right, b));
            continue;
        }
        let (mut from_a, mut from_b) = (a.start, b.start);
        for (i, j) in anchors {
            found.push((i, j));
            pending.push((from_a..i, from_b..j));
            (from_a, from_b) = (i + 1, j + 1);
        }
        pending.push((from_a..a.end, from_b..b.end));
    }
    found.sort_unstable();
    found
}

/// Numbers that occur once in each range, in the longest sequence that ascends in both.
fn anchors(left: &[u32], a: Range<usize>, right: &[u32], b: Range<usize>) -> Vec<(usize, usize)> {
    #[derive(Default)]
    struct Seen {
        left: Vec<usize>,
        right: Vec<usize>,
    }
    let mut seen: FxHashMap<u32, Seen> = FxHashMap::default();
    for i in a.clone() {
        let positions = &mut seen.entry(left[i]).or_default().left;
        if positions.len() < 2 {
            positions.push(i);
        }
    }
    for j in b {
        if let Some(entry) = seen.get_mut(&right[j])
            && entry.right.len() < 2
        {
            entry.right.push(j);
        }
    }
    let unique = a.filter_map(|i| match seen.get(&left[i]) {
        Some(Seen { left, right }) if left.len() == 1 && right.len() == 1 => Some((i, right[0])),
        _ => None,
    });
    longest_ascending(&unique.collect::<Vec<_>>())
}

/// The longest subsequence of pairs, ascending in their first part, whose second parts ascend too.
fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (index, &(_, j)) in pairs.iter().enumerate() {
        let place = tails.partition_point(|&tail| pairs[tail].1 < j);
        before[index] = place.checked_sub(1).map(|p| tails[p]);
        if place == tails.len() {
            tails.push(index);
        } else {
            tails[place] = index;
        }
    }
    let mut chain: Vec<_> = std::iter::successors(tails.last().copied(), |&i| before[i]).map(|i| pairs[i]).collect();
    chain.reverse();
    chain
}

/// Myers' greedy algorithm, given up beyond [`EXACT`] edits.
fn exact(left: &[u32], a: Range<usize>, right: &[u32], b: Range<usize>) -> Vec<(usize, usize)> {
    let (n, m) = (a.len(), b.len());
    let limit = EXACT.min(n + m);
    let width = 2 * limit + 2;
    let mut furthest = vec![0usize; width];
    let mut trace: Vec<Vec<usize>> = Vec::new();
    // Diagonal k = x - y is kept at index k + limit.
    for edits in 0..=limit {
        trace.push(furthest.clone());
        for step in 0..=edits {
            let k = limit + 2 * step - edits;
            let down = step == 0 || (step != edits && furthest[k - 1] < furthest[k + 1]);
            let mut x = if edits == 0 {
                0
            } else if down {
                furthest[k + 1]
            } else {
                furthest[k - 1] + 1
            };
            let Some(mut y) = (x + limit).checked_sub(k) else { continue };
            while x < n && y < m && left[a.start + x] == right[b.start + y] {
                x += 1;
                y += 1;
            }
            furthest[k] = x;
            if x >= n && y >= m {
                return back(&trace, edits, (n, m), limit, (a.start, b.start));
            }
        }
    }
    Vec::new()
}

/// The matches on the way back through the trace of [`exact`].
fn back(
    trace: &[Vec<usize>],
    edits: usize,
    (mut x, mut y): (usize, usize),
    limit: usize,
    (start_a, start_b): (usize, usize),
) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for d in (0..=edits).rev() {
        let furthest = &trace[d];
        let k = x + limit - y;
        let ((px, py), (sx, sy)) = if d == 0 {
            ((0, 0), (0, 0))
        } else {
            let step = (k + d - limit) / 2;
            let down = step == 0 || (step != d && furthest[k - 1] < furthest[k + 1]);
            let from = if down { k + 1 } else { k - 1 };
            let (px, py) = (furthest[from], furthest[from] + limit - from);
            ((px, py), if down { (px, py + 1) } else { (px + 1, py) })
        };
        // The snake of this round starts behind its edit, at (sx, sy), and ends at (x, y).
        while x > sx && y > sy {
            x -= 1;
            y -= 1;
            found.push((start_a + x, start_b + y));
        }
        (x, y) = (px, py);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::common;
    use proptest::prelude::*;

    #[test]
    fn takes_what_occurs_once_before_what_is_frequent() {
        let left = [1, 1, 7, 1, 1];
        let right = [7, 1, 1, 1, 1];
        assert!(common(&left, &right).contains(&(2, 0)));
    }

    #[test]
    fn finds_an_inserted_stretch() {
        assert_eq!(common(&[1, 2, 3, 4], &[1, 2, 9, 9, 3, 4]), [(0, 0), (1, 1), (2, 4), (3, 5)]);
    }

    /// Length of a longest common subsequence, by the textbook.
    fn longest(left: &[u32], right: &[u32]) -> usize {
        let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
        for i in 0..left.len() {
            for j in 0..right.len() {
                table[i + 1][j + 1] = if left[i] == right[j] { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
            }
        }
        table[left.len()][right.len()]
    }

    proptest! {
        #[test]
        fn is_a_common_subsequence(
            left in prop::collection::vec(0u32..6, 0..40),
            right in prop::collection::vec(0u32..6, 0..40),
        ) {
            let found = common(&left, &right);
            prop_assert!(found.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
            prop_assert!(found.iter().all(|&(i, j)| left[i] == right[j]));
        }

        #[test]
        fn is_longest_without_anchors(
            left in prop::collection::vec(0u32..4, 0..30),
            right in prop::collection::vec(0u32..4, 0..30),
        ) {
            let doubled = |v: &[u32]| v.iter().flat_map(|&x| [x, x]).collect::<Vec<_>>();
            let (left, right) = (doubled(&left), doubled(&right));
            let found = super::exact(&left, 0..left.len(), &right, 0..right.len());
            prop_assert_eq!(found.len(), longest(&left, &right));
        }
    }
}
