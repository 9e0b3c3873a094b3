//! A deleted book or page, as clients see it.
use std::borrow::Cow;
use std::fmt;

use linepress_model::text_enum;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::ids::{BinId, BookId, PageId};

text_enum! {
    /// The kind of a deleted thing.
    pub enum DeletedKind {
        Book = "book",
        Page = "page",
    }
}

/// The id of a deleted book or page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeletedId {
    Book(BookId),
    Page(PageId),
}

impl DeletedId {
    /// Wraps an id that a client sent. One that is malformed names nothing.
    pub fn from_client(text: &str) -> Self {
        match text.starts_with(PageId::PREFIX) {
            true => Self::Page(PageId::from_client(text)),
            false => Self::Book(BookId::from_client(text)),
        }
    }

    pub(super) fn from_row(kind: DeletedKind, id: String) -> Self {
        match kind {
            DeletedKind::Book => Self::Book(BookId::from_text(id)),
            DeletedKind::Page => Self::Page(PageId::from_text(id)),
        }
    }

    pub fn kind(&self) -> DeletedKind {
        match self {
            Self::Book(_) => DeletedKind::Book,
            Self::Page(_) => DeletedKind::Page,
        }
    }

    pub fn as_str(&self) -> &str {
        match self {
            Self::Book(id) => id.as_str(),
            Self::Page(id) => id.as_str(),
        }
    }
}

impl fmt::Display for DeletedId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for DeletedId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for DeletedId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer).map(|text| Self::from_client(&text))
    }
}

/// The location of a book or page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    Library,
    Bin,
}

/// A deleted book or page in the bin. It can be restored until it expires.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct DeletedItem {
    /// The id of the book or page.
    #[schema(value_type = String, example = "page_01KAFMYG00000000000000000A")]
    pub id: DeletedId,
    #[serde(rename = "type")]
    pub kind: DeletedKind,
    pub title: String,
    /// The time of its deletion.
    #[schema(value_type = String, format = DateTime)]
    pub deleted_at: Timestamp,
    /// The time from which it is deleted for good. That happens earlier if the account needs the room for other files.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
    /// The bytes of its pictures, which count toward the account's `stored_bytes`.
    #[schema(minimum = 0)]
    pub stored_bytes: i64,
    /// The entry of the bin, by which lists are continued.
    #[serde(skip)]
    pub entry_id: BinId,
}

/// An entry of the bin, with the size of its artwork.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct EntryRow {
    pub entry_id: BinId,
    item_id: String,
    #[sqlx(try_from = "String")]
    kind: DeletedKind,
    title: String,
    deleted_at: Timestamp,
    stored_bytes: i64,
}

impl EntryRow {
    pub(super) fn into_item(self, app: &App) -> DeletedItem {
        DeletedItem {
            id: DeletedId::from_row(self.kind, self.item_id),
            kind: self.kind,
            title: self.title,
            deleted_at: self.deleted_at,
            expires_at: self.deleted_at.plus(app.config.bin.max_age()),
            stored_bytes: self.stored_bytes,
            entry_id: self.entry_id,
        }
    }
}
