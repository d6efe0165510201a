//! The rules of the construction, as values: what makes it sound can be taken away one by one.
//!
//! Only the feature `ablation` gives access to anything but [`Rules::SOUND`]; no binary enables it. It exists so that the
//! soundness oracle can be seen to find each missing rule.

/// Which rules are in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// An identical assignment that reads an affected object affects what it writes (ALGORITHM.md 4.2).
    pub(crate) data_dependency: bool,
    /// An assignment of the modified program alone affects what it writes (ALGORITHM.md 4.3).
    pub(crate) new_assignments: bool,
    /// An assignment the original makes alone affects what it writes (ALGORITHM.md 4.10).
    pub(crate) skipped_assignments: bool,
    /// A matched assume must not be affected (ALGORITHM.md 4.8).
    pub(crate) executability: bool,
    /// Only the modified program at an error location is an indicator (ALGORITHM.md 4.12).
    pub(crate) error_locations: bool,
    /// A pair is explored again when its change-affected objects grow (ALGORITHM.md 5.1).
    pub(crate) reexploration: bool,
    /// The second pass exists, and emits the graph (ALGORITHM.md 5.2).
    pub(crate) second_pass: bool,
    /// An edge is emitted only to a pair whose change-affected objects include those of the step (checked emission).
    pub(crate) checked_emission: bool,
    /// Where values are compared by a solver, affected objects are renamed apart (ALGORITHM.md 4.1).
    pub(crate) renaming: bool,
    /// What a variable is known to hold is forgotten when anything it depends on is written (ALGORITHM.md 4.13).
    pub(crate) forgetting: bool,
}

impl Rules {
    /// All rules.
    pub const SOUND: Self = Self {
        data_dependency: true,
        new_assignments: true,
        skipped_assignments: true,
        executability: true,
        error_locations: true,
        reexploration: true,
        second_pass: true,
        checked_emission: true,
        renaming: true,
        forgetting: true,
    };

    /// The rules without one of them, by the name of the ablation.
    #[cfg(any(test, feature = "ablation"))]
    #[must_use]
    pub fn without(name: &str) -> Option<Self> {
        let mut rules = Self::SOUND;
        match name {
            "nodep" => rules.data_dependency = false,
            "nodefm" => rules.new_assignments = false,
            "nodefo" => rules.skipped_assignments = false,
            "noexec" => rules.executability = false,
            "noerr" => rules.error_locations = false,
            // The check would catch what was not explored again.
            "noreexp" => (rules.reexploration, rules.checked_emission) = (false, false),
            "onephase" => (rules.second_pass, rules.checked_emission) = (false, false),
            // Shown with `--match semantic` only.
            "noapart" => rules.renaming = false,
            // Shown by programs whose values were given names only.
            "noforget" => rules.forgetting = false,
            "nocheck" => rules.checked_emission = false,
            _ => return None,
        }
        Some(rules)
    }

    /// The names [`Self::without`] knows.
    #[cfg(any(test, feature = "ablation"))]
    pub const ABLATIONS: [&'static str; 8] = ["nodep", "nodefm", "nodefo", "noexec", "noerr", "noreexp", "onephase", "nocheck"];
}
