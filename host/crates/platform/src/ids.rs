//! Typed ids: a prefix that names the type, and 26 characters that sort by time.
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use ulid::Ulid;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::clock::Timestamp;
use crate::random::Random;

macro_rules! id_type {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
        #[sqlx(transparent)]
        pub struct $name(String);

        impl $name {
            pub const PREFIX: &'static str = $prefix;

            pub fn generate(now: Timestamp, random: &Random) -> Self {
                Self(format!("{}{}", $prefix, sortable(now, random)))
            }

            /// A lower bound of all ids that are generated from this moment on.
            pub fn earliest(from: Timestamp) -> Self {
                Self(format!("{}{}", $prefix, at(from, [0; 16])))
            }

            /// Wraps an id that was read from the database.
            pub fn from_text(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// Wraps an id that a client sent. A malformed text becomes an empty id, which matches no row: it must not
            /// reach the database, because PostgreSQL rejects a NUL in any text.
            pub fn from_client(text: &str) -> Self {
                Self(if Self::is_well_formed(text) { text.to_owned() } else { String::new() })
            }

            /// Returns true when the client sent a malformed id.
            pub fn names_nothing(&self) -> bool {
                self.0.is_empty()
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Returns true when the text is a well-formed id of this type.
            pub fn is_well_formed(text: &str) -> bool {
                text.strip_prefix($prefix).is_some_and(|rest| rest.len() == 26 && Ulid::from_string(rest).is_ok())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                std::borrow::Cow::<'de, str>::deserialize(deserializer).map(|text| Self::from_client(&text))
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                schema_of($prefix)
            }
        }

        impl ToSchema for $name {}
    )*};
}

id_type! {
    /// An account.
    AccountId = "acct_";
    /// The id of an API key, not the key itself.
    KeyId = "key_";
    /// A reusable character.
    CharacterId = "char_";
    /// A page.
    PageId = "page_";
    /// A book.
    BookId = "book_";
    /// An operation.
    OperationId = "op_";
    /// A drawing job in the queue: one item of an operation.
    DrawingId = "draw_";
    /// A stored image.
    ArtworkId = "art_";
    /// A picture that a page, a cover or a character shows or has shown.
    AttemptId = "att_";
    /// An entry of an account's bin.
    BinId = "bin_";
    /// A plan of a book that has not been ordered yet.
    DraftId = "draft_";
    /// A file that was uploaded ahead of its import.
    UploadId = "upl_";
    /// An entry of the ledger.
    EntryId = "entry_";
    /// One claim of a drawing by a worker.
    LeaseId = "lease_";
    /// An app that acts for accounts.
    ClientId = "client_";
    /// A grant of an account to an app.
    GrantId = "grant_";
    /// An entry of the audit log.
    AuditId = "audit_";
    /// A mail in the outbox.
    MailId = "mail_";
    /// A webhook of an account.
    WebhookId = "hook_";
    /// An event that is sent to webhooks.
    EventId = "evt_";
    /// An event for one webhook.
    DeliveryId = "dlv_";
    /// An entry of the request log.
    LoggedRequestId = "log_";
    /// A call of a plugin.
    PluginCallId = "call_";
    /// A link with which people without an account see a book.
    ReviewLinkId = "rev_";
    /// A comment on a book or on one of its pages.
    CommentId = "cmt_";
    /// A request to which the client gave no id.
    RequestId = "req_";
}

/// The schema of ids with this prefix, with the pattern of the ids that the server generates.
fn schema_of(prefix: &str) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(format!("An opaque id that starts with `{prefix}`.")))
        .pattern(Some(format!("^{prefix}[0-7][0-9A-HJKMNP-TV-Z]{{25}}$")))
        .examples([format!("{prefix}01KAFMYG00000000000000000A")])
        .build()
        .into()
}

fn sortable(now: Timestamp, random: &Random) -> Ulid {
    let mut bytes = [0; 16];
    random.fill(&mut bytes);
    at(now, bytes)
}

/// A ULID: the time in milliseconds in the first 6 bytes; the others distinguish ids of the same millisecond.
fn at(time: Timestamp, mut bytes: [u8; 16]) -> Ulid {
    bytes[..6].copy_from_slice(&time.milliseconds().to_be_bytes()[2..]);
    Ulid::from_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time() {
        let random = Random::seeded(1);
        let earlier = PageId::generate(Timestamp::from_microseconds(1_000_000), &random);
        let later = PageId::generate(Timestamp::from_microseconds(2_000_000), &random);
        assert!(earlier < later);
        assert!(PageId::is_well_formed(later.as_str()));
        assert!(!PageId::is_well_formed("page_1"));
        assert!(!BookId::is_well_formed(later.as_str()));
        assert_eq!(PageId::from_client(later.as_str()), later);
        assert_eq!(PageId::from_client("page_\0").as_str(), "");
    }
}
