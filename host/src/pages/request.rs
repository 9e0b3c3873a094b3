//! What clients say to make and change pages.
use garde::Validate;
use serde::{Deserialize, Serialize};

use crate::characters::CharacterIds;
use crate::error::{Error, Result};
use crate::ids::UploadId;
use crate::text::{Caption, ImageUrl, Prompt, Title};
use crate::validation;
use linepress_model::Aspect;

/// A page to be drawn.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPage {
    /// Printed with the page, and the name it goes by.
    #[garde(dive)]
    pub title: Title,
    /// What to draw; the title when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub prompt: Option<Prompt>,
    /// One line printed under the drawing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub caption: Option<Caption>,
    /// `portrait` when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub aspect: Option<Aspect>,
    /// Ready characters of the account that appear on the page, the most important first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub character_ids: Option<CharacterIds>,
    /// A picture to draw from, such as a photograph, that was sent to an upload address before. The server keeps a small gray
    /// copy until the page is drawn, and no longer. Only for a page outside any book, which may be put into one afterwards; and
    /// only where the image provider of the server can use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub source_upload_id: Option<UploadId>,
}

impl NewPage {
    /// Refuses a picture to draw from.
    pub(crate) fn without_source(&self) -> Result<()> {
        match self.source_upload_id {
            None => Ok(()),
            Some(_) => Err(Error::invalid_field(
                SOURCE_FIELD,
                "is only for a page outside any book: create the page first, then put it into the book",
            )),
        }
    }
}

/// What may be said with a regeneration.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageRegeneration {
    /// A new prompt; the old one when it is left out. It becomes the page's own when it has been drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub prompt: Option<Prompt>,
    /// A new title, where the old one would not fit the new drawing. It becomes the page's own when that has been drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub title: Option<Title>,
    /// A new caption, likewise; none when it is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub caption: Option<Caption>,
}

/// What changes of a page. What is left out stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageChange {
    /// Printed with the page, and the name it goes by.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub title: Option<Title>,
    /// What the next drawing shows; the image stays as it is.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub prompt: Option<Prompt>,
    /// One line printed under the drawing; none when it is empty.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub caption: Option<Caption>,
    /// Ready characters of the account, in place of those the page has.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub character_ids: Option<CharacterIds>,
}

/// Finished artwork that becomes a page. The file is beside it, or named by one of `upload_id` and `image_url`.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewImport {
    /// Printed with the page, and the name it goes by.
    #[garde(dive)]
    pub title: Title,
    /// One line printed under the drawing.
    #[serde(default)]
    #[garde(dive)]
    pub caption: Option<Caption>,
    /// The nearest to the picture's shape when it is left out.
    #[serde(default)]
    #[garde(skip)]
    pub aspect: Option<Aspect>,
    /// Ready characters of the account that appear on the page, the most important first.
    #[serde(default)]
    #[garde(dive)]
    pub character_ids: Option<CharacterIds>,
    /// The `id` of an artwork upload to which the file was sent before.
    #[serde(default)]
    #[garde(skip)]
    pub upload_id: Option<UploadId>,
    /// An https address that leads to the file.
    #[serde(default)]
    #[garde(dive)]
    pub image_url: Option<ImageUrl>,
}

/// Finished artwork in place of an image. The file is beside it, or named by one of the two.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewImage {
    /// The `id` of an artwork upload to which the file was sent before.
    #[serde(default)]
    #[garde(skip)]
    pub upload_id: Option<UploadId>,
    /// An https address that leads to the file.
    #[serde(default)]
    #[garde(dive)]
    pub image_url: Option<ImageUrl>,
}
