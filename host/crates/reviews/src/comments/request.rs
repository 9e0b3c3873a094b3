//! Requests about comments.
use garde::Validate;
use serde::Deserialize;

use linepress_platform::text::{CommentText, VisitorName};
use linepress_platform::validation;

/// A comment that a visitor sends.
#[derive(Clone, Debug, Validate)]
pub struct NewComment {
    #[garde(dive)]
    pub name: VisitorName,
    #[garde(dive)]
    pub text: CommentText,
}

/// A change of a comment. Omitted fields keep their values.
#[derive(Clone, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommentChange {
    /// True to mark it as resolved; false to mark it as unresolved again.
    #[serde(default, deserialize_with = "validation::given")]
    #[schema(nullable = false)]
    pub resolved: Option<bool>,
}
