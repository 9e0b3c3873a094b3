//! Times in pages.
use linepress_platform::clock::Timestamp;

/// A time in the formats for people and for programs.
pub(crate) struct When {
    pub exact: String,
    pub shown: String,
    pub day: String,
}

impl When {
    /// A time that is shown to the minute.
    pub(crate) fn new(time: Timestamp) -> Self {
        Self::formatted(time, "%-d %B %Y, %H:%M")
    }

    /// A time that is shown to the second.
    pub(crate) fn to_the_second(time: Timestamp) -> Self {
        Self::formatted(time, "%-d %B %Y, %H:%M:%S")
    }

    fn formatted(time: Timestamp, format: &str) -> Self {
        let exact = time.to_string();
        let moment: Option<jiff::Timestamp> = exact.parse().ok();
        let written = |format: &str| moment.map_or_else(|| exact.clone(), |moment| moment.strftime(format).to_string());
        Self {
            shown: written(format),
            day: written("%-d %B %Y"),
            exact,
        }
    }
}
