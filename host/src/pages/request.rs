//! What clients say to make and change pages.
use garde::Validate;
use serde::{Deserialize, Serialize};

use crate::artwork::Aspect;
use crate::ids::{CharacterId, UploadId};
use crate::validation;

/// A page to be drawn.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPage {
    #[garde(length(chars, min = 1, max = 200), custom(validation::line))]
    /// Printed with the page, and the name it goes by.
    #[schema(min_length = 1, max_length = 200, format = "line", example = "A fox in the woods")]
    pub title: String,
    /// What to draw; the title when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, min = 1, max = 2000), custom(validation::visible_text)))]
    #[schema(
        min_length = 1,
        max_length = 2000,
        format = "visible_text",
        example = "A fox curled up under an oak"
    )]
    pub prompt: Option<String>,
    /// One line printed under the drawing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, max = 300), custom(validation::optional_line)))]
    #[schema(max_length = 300, format = "optional_line", example = "Good night, little fox")]
    pub caption: Option<String>,
    /// `portrait` when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub aspect: Option<Aspect>,
    /// Ready characters of the account that appear on the page, the most important first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(max = 8)))]
    #[schema(value_type = Option<Vec<CharacterId>>, max_items = 8)]
    pub character_ids: Option<Vec<String>>,
}

/// What may be said with a regeneration.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PageRegeneration {
    /// A new prompt; the old one when it is left out. It becomes the page's own when it has been drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, min = 1, max = 2000), custom(validation::visible_text)))]
    #[schema(
        min_length = 1,
        max_length = 2000,
        format = "visible_text",
        example = "A fox leaping over a brook"
    )]
    pub prompt: Option<String>,
}

/// What changes of a page. What is left out stays as it is.
#[derive(Clone, Debug, Default, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PageChange {
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(inner(length(chars, min = 1, max = 200), custom(validation::line)))]
    /// Printed with the page, and the name it goes by.
    #[schema(
        nullable = false,
        min_length = 1,
        max_length = 200,
        format = "line",
        example = "A fox in the woods"
    )]
    pub title: Option<String>,
    /// What the next drawing shows; the image stays as it is.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(inner(length(chars, min = 1, max = 2000), custom(validation::visible_text)))]
    #[schema(
        nullable = false,
        min_length = 1,
        max_length = 2000,
        format = "visible_text",
        example = "A fox curled up under an oak"
    )]
    pub prompt: Option<String>,
    /// One line printed under the drawing; none when it is empty.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(inner(length(chars, max = 300), custom(validation::optional_line)))]
    #[schema(
        nullable = false,
        max_length = 300,
        format = "optional_line",
        example = "Good night, little fox"
    )]
    pub caption: Option<String>,
    /// Ready characters of the account, in place of those the page has.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(inner(length(max = 8)))]
    #[schema(value_type = Vec<CharacterId>, required = false, nullable = false, max_items = 8)]
    pub character_ids: Option<Vec<String>>,
}

/// Finished artwork that becomes a page. The file is beside it, or named by one of `upload_id` and `image_url`.
#[derive(Clone, Debug, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewImport {
    #[garde(length(chars, min = 1, max = 200), custom(validation::line))]
    /// Printed with the page, and the name it goes by.
    #[schema(min_length = 1, max_length = 200, format = "line", example = "A fox, by hand")]
    pub title: String,
    /// One line printed under the drawing.
    #[serde(default)]
    #[garde(inner(length(chars, max = 300), custom(validation::optional_line)))]
    #[schema(max_length = 300, format = "optional_line", example = "Drawn by Ada")]
    pub caption: Option<String>,
    /// The nearest to the picture's shape when it is left out.
    #[serde(default)]
    #[garde(skip)]
    pub aspect: Option<Aspect>,
    /// Ready characters of the account that appear on the page, the most important first.
    #[serde(default)]
    #[garde(inner(length(max = 8)))]
    #[schema(value_type = Option<Vec<CharacterId>>, max_items = 8)]
    pub character_ids: Option<Vec<String>>,
    /// A file that was uploaded before, in place of one beside this.
    #[serde(default)]
    #[garde(skip)]
    #[schema(value_type = Option<UploadId>)]
    pub upload_id: Option<String>,
    /// An https address that answers with the file, in place of one beside this.
    #[serde(default)]
    #[garde(inner(length(chars, max = 2000)))]
    #[schema(
        format = "https_address",
        max_length = 2000,
        example = "https://pictures.example.com/fox.png"
    )]
    pub image_url: Option<String>,
}

/// Finished artwork for a page that exists. The file is beside it, or named by one of the two.
#[derive(Clone, Debug, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewImage {
    /// A file that was uploaded before, in place of one beside this.
    #[serde(default)]
    #[garde(skip)]
    #[schema(value_type = Option<UploadId>)]
    pub upload_id: Option<String>,
    /// An https address that answers with the file, in place of one beside this.
    #[serde(default)]
    #[garde(inner(length(chars, max = 2000)))]
    #[schema(
        format = "https_address",
        max_length = 2000,
        example = "https://pictures.example.com/fox.png"
    )]
    pub image_url: Option<String>,
}
