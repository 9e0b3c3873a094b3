//! Months in UTC.
use std::fmt;

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

use crate::clock::Timestamp;
use crate::credit_period::CreditPeriod;

/// A month in UTC, written as `2026-11`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month(Date);

impl Month {
    /// Parses a month of this century.
    pub fn parse(text: &str) -> Option<Self> {
        let (year, month) = text.split_once('-')?;
        let is_number =
            |part: &str, digits: usize| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(year, 4) || !year.starts_with("20") || !is_number(month, 2) {
            return None;
        }
        Date::new(year.parse().ok()?, month.parse().ok()?, 1).ok().map(Self)
    }

    /// The month that contains this moment.
    pub fn containing(moment: Timestamp) -> Self {
        let first = CreditPeriod::Month.beginning(moment);
        let first = jiff::Timestamp::from_microsecond(first.microseconds()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        Self(TimeZone::UTC.to_datetime(first).date())
    }

    /// The first moment of the month.
    pub fn beginning(self) -> Timestamp {
        let beginning = TimeZone::UTC.to_timestamp(self.0.to_datetime(Time::midnight()));
        // Every month that was parsed is within jiff's range.
        Timestamp::from_microseconds(beginning.map_or(0, jiff::Timestamp::as_microsecond))
    }

    /// The month after this one.
    pub fn next(self) -> Self {
        self.0.last_of_month().tomorrow().map_or(self, Self)
    }

    /// The month before this one.
    pub fn previous(self) -> Self {
        self.0.yesterday().map_or(self, |last| Self(last.first_of_month()))
    }
}

impl fmt::Display for Month {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04}-{:02}", self.0.year(), self.0.month())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_read_and_written() {
        let month = |text| Month::parse(text).unwrap();
        assert_eq!(month("2026-11").to_string(), "2026-11");
        assert_eq!(month("2026-12").next(), month("2027-01"));
        assert_eq!(month("2027-01").previous(), month("2026-12"));
        assert_eq!(month("2024-02").beginning().to_string(), "2024-02-01T00:00:00.000Z");
        assert_eq!(Month::containing(month("2024-03").beginning()), month("2024-03"));
        for wrong in [
            "",
            "2026",
            "2026-13",
            "2026-00",
            "2026-1",
            "1999-01",
            "20+6-01",
            "2026-11-01",
            "2026-１1",
        ] {
            assert_eq!(Month::parse(wrong), None, "{wrong}");
        }
    }
}
