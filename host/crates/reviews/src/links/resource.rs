//! Review links as their owner sees them.
use serde::Serialize;

use linepress_platform::clock::Timestamp;
use linepress_platform::ids::{BookId, ReviewLinkId};

/// A link with which people without an account see a book and comment on it. Its address is shown only when it is made.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema, sqlx::FromRow)]
pub struct ReviewLink {
    pub id: ReviewLinkId,
    /// The book that it shows.
    pub book_id: BookId,
    /// The name for the owner; may be empty.
    #[schema(example = "Grandma")]
    pub name: String,
    /// The number of comments that were made with it.
    #[schema(minimum = 0)]
    pub comments: i64,
    /// The number of these comments that are not resolved.
    #[schema(minimum = 0)]
    pub unresolved_comments: i64,
    /// The time of its creation.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// The time from which it does not work any more. It is deleted with its comments 30 days later.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
    /// The time when it was withdrawn; null if it was not.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub withdrawn_at: Option<Timestamp>,
    /// The time when its page was last opened, recorded at most once an hour; null if it never was.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub last_opened_at: Option<Timestamp>,
}

impl ReviewLink {
    /// Returns true if visitors can use the link at this time.
    pub fn works_at(&self, now: Timestamp) -> bool {
        self.withdrawn_at.is_none() && self.expires_at > now
    }
}
