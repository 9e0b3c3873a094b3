//! Lists: newest first, cut by an opaque cursor.
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::error::{Error, ErrorCode, Result};

/// Which part of a list is wanted.
#[derive(Clone, Debug)]
pub struct PageRequest {
    pub limit: i64,
    pub after: Option<Cursor>,
}

impl PageRequest {
    pub const DEFAULT_LIMIT: i64 = 25;
    pub const MAX_LIMIT: i64 = 100;

    /// Parses the parameters `limit` and `after` of a list of things whose ids start with `prefix`.
    pub fn parse(limit: Option<&str>, after: Option<&str>, prefix: &str) -> Result<Self> {
        let limit = match limit {
            None => Self::DEFAULT_LIMIT,
            Some(text) => text
                .parse()
                .ok()
                .filter(|limit| (1..=Self::MAX_LIMIT).contains(limit))
                .ok_or_else(|| invalid("limit must be a whole number from 1 to 100."))?,
        };
        let after = match after {
            None => None,
            Some(text) => Some(
                Cursor::decode(text, prefix)
                    .ok_or_else(|| invalid("after must be the meta.next_cursor of an earlier page of this list."))?,
            ),
        };
        Ok(Self { limit, after })
    }

    /// The id the page starts below. Every prefix starts with a lowercase letter before z, in every collation.
    pub fn below(&self) -> &str {
        self.after.as_ref().map_or("z", |cursor| &cursor.0)
    }
}

fn invalid(message: &str) -> Error {
    Error::new(ErrorCode::InvalidPagination, message)
}

/// The place in a list after which the next page begins: the last id seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(String);

impl Cursor {
    fn encode(&self) -> String {
        URL_SAFE_NO_PAD.encode(&self.0)
    }

    fn decode(text: &str, prefix: &str) -> Option<Self> {
        let id = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let rest = id.strip_prefix(prefix)?;
        let canonical = ulid::Ulid::from_string(rest).is_ok_and(|ulid| ulid.to_string() == rest);
        canonical.then_some(Self(id))
    }
}

/// One page of a list.
#[derive(Debug)]
pub struct PageOf<T> {
    pub items: Vec<T>,
    pub next_cursor: Option<String>,
}

impl<T> PageOf<T> {
    /// From one row more than `limit`, if there are that many: the extra one only tells that more follow.
    pub fn from_rows(mut items: Vec<T>, limit: i64, id: impl Fn(&T) -> &str) -> Self {
        let limit = usize::try_from(limit).unwrap_or(0);
        let more = items.len() > limit;
        items.truncate(limit);
        let next_cursor = items
            .last()
            .filter(|_| more)
            .map(|last| Cursor(id(last).to_owned()).encode());
        Self { items, next_cursor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_survives_the_round_trip_and_no_forgery_does() {
        let id = "page_01KAFMYG00000000000000000A";
        let text = Cursor(id.into()).encode();
        assert_eq!(Cursor::decode(&text, "page_"), Some(Cursor(id.into())));
        assert_eq!(Cursor::decode(&text, "book_"), None);
        assert_eq!(
            Cursor::decode(&URL_SAFE_NO_PAD.encode(id.to_lowercase()), "page_"),
            None
        );
        assert_eq!(Cursor::decode("nonsense", "page_"), None);
        assert_eq!(Cursor::decode(&URL_SAFE_NO_PAD.encode("page_'; --"), "page_"), None);
    }

    #[test]
    fn limits_outside_one_to_a_hundred_are_refused() {
        for bad in ["0", "101", "-1", "ten", "", "1.5", "9999999999999999999999"] {
            let error = PageRequest::parse(Some(bad), None, "page_").expect_err(bad);
            assert_eq!(error.code, ErrorCode::InvalidPagination, "{bad}");
        }
        assert_eq!(PageRequest::parse(None, None, "page_").expect("default").limit, 25);
    }
}
