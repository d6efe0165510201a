//! What a way to prove programs says of random ones, judged by all runs over a few values.

use program::cfa::Cfa;
use semantics::interpreter::Tried;

use crate::oracle::{for_seeds, load};

/// The number that a variable of the environment asks for, or what is usual.
#[must_use]
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// How many programs some run violates, and how many are proved. Begins with the program `RESIDUE_SEED`.
///
/// # Panics
/// If one is proved that a run violates.
pub fn judge(
    programs: u64,
    tried: Tried<'_>,
    text: impl Fn(u64) -> String + Sync,
    prove: impl Fn(&Cfa) -> Option<Vec<String>> + Sync,
) -> (u64, u64) {
    let first = number("RESIDUE_SEED", 0);
    let answers = for_seeds(first..first + programs, |seed| {
        let text = text(seed);
        let cfa = load("program.c", &text);
        let violated = !tried.violations(&cfa).is_empty();
        let proved = prove(&cfa);
        assert!(!violated || proved.is_none(), "seed {seed}: {proved:?}\n{text}");
        (u64::from(violated), u64::from(proved.is_some()))
    });
    let (violated, proved) = answers.iter().fold((0, 0), |(a, b), (violated, proved)| (a + violated, b + proved));
    eprintln!("{programs} programs: {violated} violated, {proved} proved");
    (violated, proved)
}
