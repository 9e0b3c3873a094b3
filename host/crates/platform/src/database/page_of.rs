//! Lists, newest first, in pages that follow an opaque cursor.
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::error::{Error, ErrorKind, InvalidPagination, Result};
use crate::ids::AccountId;

/// The part of a list that a client requests.
#[derive(Clone, Debug)]
pub struct PageRequest {
    pub limit: i64,
    after: Option<String>,
    scope: CursorScope,
}

/// Separates an id from a key in a cursor; no id contains it.
const KEY_SEPARATOR: char = '\n';

impl PageRequest {
    pub const DEFAULT_LIMIT: i64 = 25;
    pub const MAX_LIMIT: i64 = 100;

    /// Parses the parameters `limit` and `after` of a list.
    pub fn parse(limit: Option<&str>, after: Option<&str>, scope: CursorScope) -> Result<Self> {
        let limit = match limit {
            None => Self::DEFAULT_LIMIT,
            Some(text) => text
                .parse()
                .ok()
                .filter(|limit| (1..=Self::MAX_LIMIT).contains(limit))
                .ok_or_else(|| invalid(InvalidPagination::Limit { most: Self::MAX_LIMIT }))?,
        };
        let after = match after {
            None => None,
            Some(text) => Some(scope.open(text).ok_or_else(|| invalid(InvalidPagination::Cursor))?),
        };
        Ok(Self { limit, after, scope })
    }

    /// The id below which the page starts. The default is above every id, because each prefix starts with a lowercase
    /// letter before z, in every collation.
    pub fn below(&self) -> &str {
        self.after_id().unwrap_or("z")
    }

    /// The id of the last item of the previous page.
    pub fn after_id(&self) -> Option<&str> {
        let after = self.after.as_deref()?;
        Some(after.split_once(KEY_SEPARATOR).map_or(after, |(id, _)| id))
    }

    /// Returns the sort key of the last item of the previous page, or None for the first page. `order` names the order
    /// of the list; it is None for the order of ids, which has no key. Fails if the cursor belongs to a list in another
    /// order.
    pub fn after_key(&self, order: Option<&str>) -> Result<Option<&str>> {
        let Some(after) = self.after.as_deref() else {
            return Ok(None);
        };
        let key = after.split_once(KEY_SEPARATOR).map(|(_, key)| key);
        let key = match (order, key) {
            (None, None) => return Ok(None),
            (Some(order), Some(key)) => key.split_once(':').filter(|(of, _)| *of == order),
            (Some(_), None) | (None, Some(_)) => None,
        };
        let (_, key) = key.ok_or_else(|| invalid(InvalidPagination::Cursor))?;
        Ok(Some(key))
    }

    /// The cursor of the items that follow the item with this id.
    pub fn cursor_after(&self, id: &str) -> String {
        self.scope.seal(id)
    }
}

fn invalid(what: InvalidPagination) -> Error {
    ErrorKind::InvalidPagination(what).into()
}

/// The key that seals cursors, so that the server only accepts cursors that it issued. All nodes share it.
#[derive(Clone)]
pub struct CursorSeal(Hmac<Sha256>);

impl CursorSeal {
    pub fn new(secret: &[u8]) -> Self {
        Self(Hmac::new_from_slice(secret).expect("HMAC takes a key of any length"))
    }

    /// The seal for one list of one account; `prefix` is the prefix of the ids in the list.
    pub fn scope(&self, account: &AccountId, prefix: &'static str) -> CursorScope {
        let mut seal = self.0.clone();
        seal.update(account.as_str().as_bytes());
        CursorScope { seal, prefix }
    }
}

/// Seals and opens the cursors of one list. A cursor contains the last id of the previous page.
#[derive(Clone)]
pub struct CursorScope {
    seal: Hmac<Sha256>,
    prefix: &'static str,
}

impl std::fmt::Debug for CursorScope {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("CursorScope").field(&self.prefix).finish()
    }
}

impl CursorScope {
    /// The length of the tag in bytes. Half of a SHA-256 value is as long as its collision resistance.
    const TAG: usize = 16;

    fn seal(&self, id: &str) -> String {
        let tag = self.seal.clone().chain_update(id).finalize().into_bytes();
        let mut sealed = id.as_bytes().to_vec();
        sealed.extend(&tag[..Self::TAG]);
        URL_SAFE_NO_PAD.encode(sealed)
    }

    fn open(&self, text: &str) -> Option<String> {
        let sealed = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (id, tag) = sealed.split_at_checked(sealed.len().checked_sub(Self::TAG)?)?;
        self.seal.clone().chain_update(id).verify_truncated_left(tag).ok()?;
        let id = String::from_utf8(id.to_vec()).ok()?;
        id.starts_with(self.prefix).then_some(id)
    }
}

/// One page of a list.
#[derive(Debug)]
pub struct PageOf<T> {
    pub items: Vec<T>,
    pub next_cursor: Option<String>,
}

impl<T> PageOf<T> {
    /// Builds a page from up to one row more than the limit; the extra row only shows that a further page follows.
    pub fn from_rows(mut items: Vec<T>, request: &PageRequest, id: impl Fn(&T) -> &str) -> Self {
        let limit = usize::try_from(request.limit).unwrap_or(0);
        let more = items.len() > limit;
        items.truncate(limit);
        let next_cursor = items.last().filter(|_| more).map(|last| request.cursor_after(id(last)));
        Self { items, next_cursor }
    }

    /// Makes a page of a list that is sorted by a key and then by id. The cursor contains the name of the order and the
    /// key.
    pub fn from_sorted_rows(
        items: Vec<T>,
        request: &PageRequest,
        order: &str,
        id: impl Fn(&T) -> &str,
        key: impl Fn(&T) -> String,
    ) -> Self {
        let last = usize::try_from(request.limit).unwrap_or(0).checked_sub(1);
        let last = last.and_then(|last| items.get(last));
        let cursor =
            last.map(|last| request.cursor_after(&format!("{}{KEY_SEPARATOR}{order}:{}", id(last), key(last))));
        let page = Self::from_rows(items, request, id);
        Self {
            next_cursor: page.next_cursor.and(cursor),
            items: page.items,
        }
    }

    /// Converts each item, which may fail.
    pub fn try_map<U>(self, convert: impl FnMut(T) -> Result<U>) -> Result<PageOf<U>> {
        Ok(PageOf {
            items: self.items.into_iter().map(convert).collect::<Result<_>>()?,
            next_cursor: self.next_cursor,
        })
    }

    /// Converts each item.
    pub fn map<U>(self, convert: impl FnMut(T) -> U) -> PageOf<U> {
        PageOf {
            items: self.items.into_iter().map(convert).collect(),
            next_cursor: self.next_cursor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "page_01KAFMYG00000000000000000A";

    fn scope(secret: &str, account: &str, prefix: &'static str) -> CursorScope {
        CursorSeal::new(secret.as_bytes()).scope(&AccountId::from_text(account), prefix)
    }

    #[test]
    fn a_cursor_survives_the_round_trip_and_forgeries_are_rejected() {
        let ours = scope("secret", "acct_1", "page_");
        let cursor = ours.seal(ID);
        assert_eq!(ours.open(&cursor).as_deref(), Some(ID));
        assert_eq!(scope("secret", "acct_1", "book_").open(&cursor), None);
        assert_eq!(scope("secret", "acct_2", "page_").open(&cursor), None);
        assert_eq!(scope("other", "acct_1", "page_").open(&cursor), None);
        for forged in [
            String::new(),
            "nonsense".into(),
            URL_SAFE_NO_PAD.encode(ID),
            URL_SAFE_NO_PAD.encode(format!("{ID}0123456789abcdef")),
            cursor.to_lowercase(),
            format!("{cursor}A"),
            cursor[..cursor.len() - 2].into(),
        ] {
            assert_eq!(ours.open(&forged), None, "{forged}");
        }
    }

    #[test]
    fn limits_outside_one_to_a_hundred_are_rejected() {
        let scope = scope("secret", "acct_1", "page_");
        for bad in ["0", "101", "-1", "ten", "", "1.5", "9999999999999999999999"] {
            let error = PageRequest::parse(Some(bad), None, scope.clone()).expect_err(bad);
            let expected = ErrorKind::InvalidPagination(InvalidPagination::Limit { most: 100 });
            assert_eq!(error.kind, expected, "{bad}");
        }
        assert_eq!(PageRequest::parse(None, None, scope).expect("default").limit, 25);
    }
}
