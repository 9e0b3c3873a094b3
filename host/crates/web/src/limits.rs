//! The limits of an account, with their use.
use std::collections::BTreeMap;

use crate::numbers::{grouped, megabytes};
use linepress_accounts::accounts::{Limit, LimitName};

/// A limit of the account, and its use.
pub(crate) struct LimitLine {
    pub what: &'static str,
    pub used: String,
    pub limit: String,
    /// The values of the meter; `None` if the use of the limit is not counted.
    pub share: Option<Share>,
}

pub(crate) struct Share {
    pub used: i64,
    pub limit: i64,
}

/// The limits in the order in which they are shown, by their names in the API.
const LIMITS: [(&str, &str); 12] = [
    ("books", "Books"),
    ("pages", "Pages"),
    ("characters", "Characters"),
    ("stored_bytes", "Stored artwork"),
    ("generations", "Drawings under way"),
    ("plans_per_minute", "Book plans in a minute"),
    ("changes_per_minute", "Changes by programs in a minute"),
    (
        "free_covers_per_day",
        "Free covers in a day, for books without a new page",
    ),
    ("uploads", "Files sent ahead of their import"),
    ("pages_per_book", "Pages in one book"),
    (
        "attempts_per_picture",
        "Stored pictures of one page, cover or character",
    ),
    ("transfers", "Files on their way at the same time"),
];

/// The words of a limit that operators can set.
pub(crate) fn label(name: LimitName) -> &'static str {
    if name == LimitName::StoredMb {
        return "Stored artwork, in megabytes";
    }
    let found = LIMITS.iter().find(|(other, _)| *other == name.as_str());
    found.map_or(name.as_str(), |(_, what)| what)
}

fn line(name: &str, what: &'static str, limit: &Limit) -> LimitLine {
    let shown = |number: i64| match name {
        "stored_bytes" => megabytes(number),
        _ => grouped(number),
    };
    LimitLine {
        what,
        used: limit.used.map(shown).unwrap_or_default(),
        limit: shown(limit.limit),
        share: limit.used.map(|used| Share {
            used,
            limit: limit.limit,
        }),
    }
}

/// The limits in the order in which they are shown.
pub(crate) fn lines(limits: &BTreeMap<&'static str, Limit>) -> Vec<LimitLine> {
    let shown = LIMITS
        .iter()
        .filter_map(|(name, what)| Some(line(name, what, limits.get(name)?)));
    shown.collect()
}
