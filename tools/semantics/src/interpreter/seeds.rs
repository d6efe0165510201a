//! Random numbers of the C library: any numbers, as long as the program cannot have seen them before.
//!
//! Equal seeds give equal numbers, and a program that seeds nothing begins with the seed 1. What comes behind a seed that is set
//! when numbers were drawn, or once more, is decided by what came before, and nobody knows how.

/// What a run has done with the numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Seeds {
    /// Nothing.
    #[default]
    Untouched,
    /// They were drawn, or seeded.
    Used,
    /// They were seeded behind that.
    Repeated,
}

impl Seeds {
    /// Takes note of a call. Whether its result is one of an earlier sequence, perhaps.
    pub(super) fn call(&mut self, name: &str) -> bool {
        match name {
            "rand" | "random" => {
                if *self == Self::Untouched {
                    *self = Self::Used;
                }
                *self == Self::Repeated
            }
            "srand" | "srandom" => {
                *self = if *self == Self::Untouched { Self::Used } else { Self::Repeated };
                false
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Seeds;

    #[test]
    fn numbers_behind_a_second_seed_may_be_known() {
        let known = |calls: &[&str]| {
            let mut seeds = Seeds::default();
            calls.iter().map(|name| seeds.call(name)).last()
        };
        assert_eq!(known(&["srand", "rand", "rand"]), Some(false));
        assert_eq!(known(&["rand", "random"]), Some(false));
        assert_eq!(known(&["srand", "rand", "srand", "rand"]), Some(true));
        assert_eq!(known(&["rand", "srandom", "random"]), Some(true));
    }
}
