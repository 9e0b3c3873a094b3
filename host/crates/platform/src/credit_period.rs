//! The periods in which an API key may spend a number of credits again.
use jiff::civil::Time;
use jiff::tz::TimeZone;
use linepress_model::text_enum;

use crate::clock::Timestamp;

text_enum! {
    /// The period of a spending limit, in UTC.
    #[derive(clap::ValueEnum)]
    pub enum CreditPeriod {
        /// From midnight to midnight.
        Day = "day",
        /// From the first of a month to the first of the next.
        Month = "month",
    }
}

impl CreditPeriod {
    /// The beginning of the period that contains this moment.
    pub fn beginning(self, now: Timestamp) -> Timestamp {
        // Only a damaged database holds a time outside of jiff's range.
        let moment = jiff::Timestamp::from_microsecond(now.microseconds()).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let today = TimeZone::UTC.to_datetime(moment).date();
        let first = match self {
            Self::Day => today,
            Self::Month => today.first_of_month(),
        };
        let beginning = TimeZone::UTC.to_timestamp(first.to_datetime(Time::midnight()));
        beginning.map_or(now, |beginning| {
            Timestamp::from_microseconds(beginning.as_microsecond())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_begins_at_midnight_in_utc() {
        let time = |text: &str| serde_json::from_value::<Timestamp>(text.into()).unwrap();
        for (now, day, month) in [
            ("2026-11-24T21:00:00.5Z", "2026-11-24T00:00:00Z", "2026-11-01T00:00:00Z"),
            ("2026-11-24T00:00:00Z", "2026-11-24T00:00:00Z", "2026-11-01T00:00:00Z"),
            (
                "2028-02-29T23:59:59.999Z",
                "2028-02-29T00:00:00Z",
                "2028-02-01T00:00:00Z",
            ),
            ("1969-12-31T12:00:00Z", "1969-12-31T00:00:00Z", "1969-12-01T00:00:00Z"),
        ] {
            assert_eq!(CreditPeriod::Day.beginning(time(now)), time(day), "{now}");
            assert_eq!(CreditPeriod::Month.beginning(time(now)), time(month), "{now}");
        }
    }
}
