//! The table of shares: what each analysis gets of a round, by what the program shows of itself.
//!
//! Chosen on the development tasks; `benchmarks/portfolio.py` plays it, and tables trained on a part of them, on the others.
//! A wrong number changes how long something takes, never what comes out.

use super::Kind;

/// Up to here shares of all analyses grow alike.
pub(super) const EVEN: u64 = 80_000;

/// What decides a column: the first that a program belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Every path ends: each analysis for loops would ask the one question that there is again.
    Acyclic,
    /// Loops consist of conditions that compare variables with constants.
    Rules,
    /// There may still be a proof that leaves out what is written through pointers.
    Localizable,
    /// Memory is followed better than it is abstracted.
    Memory,
    /// None of these.
    Plain,
}

/// A part of a round's share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    times: u64,
    over: u64,
    /// From this share on it stays what it is there, until the share is larger.
    until: u64,
    /// It grows with the root of the share beyond [`EVEN`].
    is_slow: bool,
    /// Up to [`EVEN`] it is so many times the share.
    soon: u64,
}

const fn of(times: u64, over: u64) -> Part {
    Part { times, over, until: u64::MAX, is_slow: false, soon: 0 }
}

impl Part {
    const fn until(self, until: u64) -> Self {
        Self { until, ..self }
    }

    const fn slowly(self) -> Self {
        Self { is_slow: true, ..self }
    }

    const fn soon(self, soon: u64) -> Self {
        Self { soon, ..self }
    }

    /// Steps of a share.
    pub(super) fn of_share(self, share: u64) -> u64 {
        if self.soon > 0 && share <= EVEN {
            return share.saturating_mul(self.soon);
        }
        let counted =
            if self.is_slow && share > EVEN { EVEN.saturating_mul((share / EVEN).isqrt()) } else { share.min(self.until) };
        let own = counted.saturating_mul(self.times) / self.over;
        if share > self.until { own.max(share) } else { own }
    }
}

/// The parts for acyclic programs, tables of rules, localizable programs, followed memory, and all others.
#[rustfmt::skip]
const TABLE: &[(Kind, [Part; 5])] = &[
    // Explicit values end soon by themselves or are what the program needs; where there are rules they find what is wrong early or not at all.
    (Kind::Values, [of(1, 4), of(8, 1).until(2 * EVEN), of(1, 1), of(3, 1).until(8 * EVEN), of(3, 1).until(8 * EVEN)]),
    // They end soon where they are too coarse or paths too many, and prove what can be proved of rules.
    (Kind::Ranges, [of(1, 4), of(10, 1), of(4, 1), of(4, 1), of(4, 1)]),
    // The search for counterexamples ends only where loops do.
    (Kind::Bounded, [of(4, 1), of(1, 2), of(2, 1), of(2, 1), of(3, 2)]),
    // What few of them need is soon asked, and what sums and differences of counters keep others enumerate.
    (Kind::Candidates, [of(1, 4), of(1, 2).slowly(), of(1, 2).slowly().soon(2), of(1, 2).slowly().soon(2), of(1, 2).slowly().soon(2)]),
    // It ends soon, and few others say anything of all cells.
    (Kind::Cells, [of(1, 4), of(8, 1), of(8, 1), of(8, 1), of(8, 1)]),
    (Kind::Induction, [of(1, 4), of(1, 2).slowly(), of(1, 4).slowly(), of(1, 4).slowly(), of(1, 4).slowly()]),
    // Nothing is decided by it alone on the programs that the table was chosen on.
    (Kind::Horn, [of(1, 4), of(1, 4), of(1, 4), of(1, 4), of(1, 4)]),
    // Where there is a circuit that is small enough, others enumerate what it joins.
    (Kind::Circuit, [of(8, 1), of(8, 1), of(8, 1), of(8, 1), of(8, 1)]),
    (Kind::Localized, [of(4, 1), of(4, 1), of(4, 1), of(4, 1), of(4, 1)]),
    // Of what has no loops they still end where others come to an obstacle, for they abstract memory. Every path through rules is a case.
    (Kind::Predicates, [of(1, 1), of(1, 2), of(2, 1), of(4, 1), of(4, 1)]),
];

/// What an analysis gets of a round.
pub(super) fn part(kind: Kind, class: Class) -> Part {
    let row = TABLE.iter().find(|(of, _)| *of == kind);
    row.map_or(of(4, 1), |(_, parts)| parts[class as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::answer;

    /// Nobody else waits for long until candidates find what a sum keeps.
    #[test]
    fn a_sum_that_counters_keep_is_soon_found() {
        let text = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
            int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); if (a > 1000000 || b < 0 || b > 1000000) return 0;\n\
            int sum = a, left = b; while (left > 0) { left = left - 1; sum = sum + 1; } if (sum != a + b) reach_error(); return 0; }";
        assert_eq!(answer(text, Kind::ALL, 2_500_000), Some(true));
    }

    #[test]
    fn every_analysis_that_gets_shares_has_a_row() {
        for kind in Kind::ALL.iter().filter(|kind| **kind != Kind::Execution) {
            assert_eq!(TABLE.iter().filter(|(of, _)| of == kind).count(), 1, "{kind:?}");
        }
    }

    #[test]
    fn parts_are_ratios_that_may_end_or_slow_down() {
        assert_eq!(of(3, 2).of_share(10_000), 15_000);
        let ahead = of(3, 1).until(40_000);
        assert_eq!([20_000, 40_000, 80_000, 640_000].map(|share| ahead.of_share(share)), [60_000, 120_000, 120_000, 640_000]);
        let slow = of(1, 2).slowly();
        assert_eq!([EVEN, 4 * EVEN, 16 * EVEN].map(|share| slow.of_share(share)), [EVEN / 2, EVEN, 2 * EVEN]);
        let soon = of(1, 2).slowly().soon(2);
        assert_eq!([EVEN / 2, EVEN, 4 * EVEN].map(|share| soon.of_share(share)), [EVEN, 2 * EVEN, EVEN]);
        assert_eq!(of(8, 1).of_share(u64::MAX), u64::MAX);
    }
}
