//! Witnesses: evidence for a verdict that other tools can check.

pub mod graphml;

pub use graphml::{ViolationWitness, WitnessStep};

/// The time written into files whose format demands one.
///
/// `SOURCE_DATE_EPOCH` if it is set, else the beginning of time: a file must not depend on when it was written.
#[must_use]
pub fn creation_time() -> String {
    let seconds = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.trim().parse().ok());
    iso_8601(seconds.unwrap_or(0))
}

/// Seconds since 1970 as a date of the Gregorian calendar (days-from-civil algorithm, inverted).
fn iso_8601(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3_600, rest % 3_600 / 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::iso_8601;

    #[test]
    fn dates() {
        assert_eq!(iso_8601(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso_8601(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(iso_8601(1_785_801_599), "2026-08-03T23:59:59Z");
    }
}
