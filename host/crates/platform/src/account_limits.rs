//! The limits that operators set for single accounts.
use std::collections::BTreeMap;

use linepress_model::text_enum;
use serde::{Deserialize, Serialize};

text_enum! {
    /// A limit that operators can set for a single account.
    #[derive(PartialOrd, Ord)]
    pub enum LimitName {
        Books = "books",
        Pages = "pages",
        PagesPerBook = "pages_per_book",
        Characters = "characters",
        StoredMb = "stored_mb",
        Generations = "generations",
        PlansPerMinute = "plans_per_minute",
        ChangesPerMinute = "changes_per_minute",
        FreeCoversPerDay = "free_covers_per_day",
        Uploads = "uploads",
    }
}

impl LimitName {
    /// The largest number that can be set.
    pub const fn max_number(self) -> i64 {
        match self {
            Self::PagesPerBook => 800,
            Self::PlansPerMinute => 6_000,
            Self::StoredMb => 1_000_000_000,
            Self::Books
            | Self::Pages
            | Self::Characters
            | Self::Generations
            | Self::ChangesPerMinute
            | Self::FreeCoversPerDay
            | Self::Uploads => 1_000_000,
        }
    }

    /// The rule for the number; `None` if the number holds it.
    pub fn problem(self, limit: i64) -> Option<String> {
        let most = self.max_number();
        (!(1..=most).contains(&limit)).then(|| format!("must be 1 to {most}"))
    }
}

/// The limits of one account that differ from those of the settings, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(transparent)]
pub struct OwnLimits(BTreeMap<LimitName, i64>);

impl OwnLimits {
    pub fn get(&self, name: LimitName) -> Option<i64> {
        self.0.get(&name).copied()
    }

    /// Sets a limit, or returns it to that of the settings if there is no number.
    pub fn set(&mut self, name: LimitName, limit: Option<i64>) {
        match limit {
            Some(limit) => self.0.insert(name, limit),
            None => self.0.remove(&name),
        };
    }

    pub fn iter(&self) -> impl Iterator<Item = (LimitName, i64)> {
        self.0.iter().map(|(name, limit)| (*name, *limit))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text in the database; `None` for no limits.
    pub fn to_stored(&self) -> Option<String> {
        let fields: serde_json::Map<_, _> = self
            .iter()
            .map(|(name, limit)| (name.as_str().into(), limit.into()))
            .collect();
        (!fields.is_empty()).then(|| serde_json::Value::Object(fields).to_string())
    }
}

/// Reads the text of the database.
impl TryFrom<Option<String>> for OwnLimits {
    type Error = serde_json::Error;

    fn try_from(stored: Option<String>) -> Result<Self, Self::Error> {
        stored.map_or_else(|| Ok(Self::default()), |text| serde_json::from_str(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_limits_are_stored_as_json() {
        let mut own = OwnLimits::default();
        assert_eq!(own.to_stored(), None);
        own.set(LimitName::Books, Some(5));
        own.set(LimitName::Pages, Some(70));
        own.set(LimitName::Books, None);
        assert_eq!(own.to_stored().as_deref(), Some(r#"{"pages":70}"#));
        assert_eq!(OwnLimits::try_from(own.to_stored()).unwrap(), own);
        assert!(OwnLimits::try_from(Some(r#"{"shelves":1}"#.into())).is_err());
    }
}
