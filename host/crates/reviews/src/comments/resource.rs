//! Comments as the owner of the book and the visitors see them.
use serde::Serialize;

use linepress_platform::clock::Timestamp;
use linepress_platform::ids::{CommentId, PageId, ReviewLinkId};

/// A comment on a book or on one of its pages.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema, sqlx::FromRow)]
pub struct Comment {
    pub id: CommentId,
    /// The review link with which it was made.
    #[sqlx(rename = "link_id")]
    pub review_link_id: ReviewLinkId,
    /// The page that it is about; null for the book as a whole. The page may have been taken out of the book or deleted
    /// since.
    #[schema(required)]
    pub page_id: Option<PageId>,
    /// The title that the page had when the comment was made; empty for the book as a whole.
    #[schema(example = "A fox in the woods")]
    pub page_title: String,
    /// The name that the visitor gave.
    #[schema(example = "Grandma")]
    pub name: String,
    /// The words of the comment.
    #[sqlx(rename = "body")]
    #[schema(example = "The fox needs a longer tail")]
    pub text: String,
    /// The time when it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// The time when the owner marked it as resolved; null while it is not.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub resolved_at: Option<Timestamp>,
}
