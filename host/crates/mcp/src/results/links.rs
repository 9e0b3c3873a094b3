//! Links to files.
use serde::Serialize;
use utoipa::ToSchema;

use super::print::FormatOfBook;
use linepress_core::downloads::Link;
use linepress_platform::clock::Timestamp;

/// The result of a tool that returns a link to a picture.
#[derive(Serialize, ToSchema)]
pub(crate) struct LinkResult {
    url: String,
    media_type: String,
    byte_size: u64,
    #[schema(value_type = String)]
    expires_at: Timestamp,
}

impl From<&Link> for LinkResult {
    fn from(link: &Link) -> Self {
        Self {
            url: link.url.clone(),
            media_type: link.media_type.clone(),
            byte_size: link.byte_size,
            expires_at: link.expires_at,
        }
    }
}

/// The result of `get_book_pdf`.
#[derive(Serialize, ToSchema)]
pub(crate) struct PdfResult {
    #[serde(flatten)]
    pub link: LinkResult,
    pub print_format: FormatOfBook,
}
