//! Requests to create and change pages.
use garde::Validate;
use serde::{Deserialize, Serialize};

use crate::characters::CharacterIds;
use crate::looks::LookChange;
use crate::variants::Variants;
use linepress_model::{Aspect, DetailLevel, FrameStyle, LineWeight};
use linepress_platform::ids::UploadId;
use linepress_platform::text::{
    AlternativeText, Caption, DrawingStyle, ImageUrl, Instruction, Prompt, Title, unless_empty,
};
use linepress_platform::validation;

/// A new page, which will be drawn.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPage {
    /// Printed, and the name in lists.
    #[garde(dive)]
    pub title: Title,
    /// What is drawn. Default: the title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub prompt: Option<Prompt>,
    /// One line printed under the drawing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub caption: Option<Caption>,
    /// The aspect of the page; `portrait` if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub aspect: Option<Aspect>,
    /// Ready characters, the most important first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub character_ids: Option<CharacterIds>,
    /// An uploaded picture to draw from, such as a photograph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub source_upload_id: Option<UploadId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub variants: Option<Variants>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub line_weight: Option<LineWeight>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub detail: Option<DetailLevel>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub style: Option<DrawingStyle>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub frame: Option<FrameStyle>,
}

impl NewPage {
    pub(crate) fn look_change(&self) -> LookChange<'_> {
        LookChange {
            line_weight: self.line_weight,
            detail: self.detail,
            style: self.style.as_ref(),
            frame: self.frame,
        }
    }
}

/// The texts of a page as a person typed them. They may be incomplete or too long; an empty text counts as omitted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageTexts {
    pub title: String,
    pub prompt: String,
    pub caption: String,
    /// The uploaded picture to draw from, if the person chose one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_upload_id: Option<UploadId>,
}

impl From<PageTexts> for NewPage {
    fn from(texts: PageTexts) -> Self {
        // Destructured by name, so that a new field must be passed on or left out on purpose.
        let PageTexts {
            title,
            prompt,
            caption,
            source_upload_id,
        } = texts;
        Self {
            source_upload_id,
            title: title.into(),
            prompt: unless_empty(prompt),
            caption: unless_empty(caption),
            ..Self::default()
        }
    }
}

impl From<PageTexts> for NewImport {
    fn from(texts: PageTexts) -> Self {
        // Destructured by name, so that a new field must be passed on or left out on purpose.
        let PageTexts {
            title,
            // An imported page is not drawn.
            prompt: _,
            caption,
            source_upload_id: _,
        } = texts;
        Self {
            title: title.into(),
            caption: unless_empty(caption),
            ..Self::default()
        }
    }
}

/// The options of a regeneration.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PageRegeneration {
    /// A new prompt, stored once the page is drawn; the present one if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub prompt: Option<Prompt>,
    /// A new title, stored once the page is drawn; the present one if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub title: Option<Title>,
    /// A new caption, stored once the page is drawn; empty for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub caption: Option<Caption>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub variants: Option<Variants>,
    /// An uploaded picture to draw from this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub source_upload_id: Option<UploadId>,
}

/// A refinement of a page's picture.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PageRefinement {
    /// What to change in the present picture; everything else remains.
    #[garde(dive)]
    pub instruction: Instruction,
    /// A new title, stored once the page is drawn; the present one if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub title: Option<Title>,
    /// A new caption, stored once the page is drawn; empty for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub caption: Option<Caption>,
}

/// A change of a page. Omitted fields keep their values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PageChange {
    /// Printed, and the name in lists.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub title: Option<Title>,
    /// The prompt of the next drawing.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub prompt: Option<Prompt>,
    /// One line printed under the drawing; empty for none.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub caption: Option<Caption>,
    /// Describes the picture to screen readers; empty for none.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub alternative_text: Option<AlternativeText>,
    /// Ready characters that replace those of the page.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub character_ids: Option<CharacterIds>,
    /// True to protect the picture from redrawing and replacement.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub locked: Option<bool>,
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub line_weight: Option<LineWeight>,
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub detail: Option<DetailLevel>,
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub style: Option<DrawingStyle>,
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub frame: Option<FrameStyle>,
}

/// Finished artwork that becomes a page. The file is part of the request, or is named by either `upload_id` or
/// `image_url`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewImport {
    /// Printed, and the name in lists.
    #[garde(dive)]
    pub title: Title,
    /// One line printed under the drawing.
    #[serde(default)]
    #[garde(dive)]
    pub caption: Option<Caption>,
    /// The aspect of the page; the one nearest to the picture's shape if omitted.
    #[serde(default)]
    #[garde(skip)]
    pub aspect: Option<Aspect>,
    /// Ready characters, the most important first.
    #[serde(default)]
    #[garde(dive)]
    pub character_ids: Option<CharacterIds>,
    /// The `id` of an artwork upload that has its file.
    #[serde(default)]
    #[garde(skip)]
    pub upload_id: Option<UploadId>,
    /// An https address that leads to the file.
    #[serde(default)]
    #[garde(dive)]
    pub image_url: Option<ImageUrl>,
}

/// Finished artwork that replaces an image. The file is part of the request, or is named by either `upload_id` or
/// `image_url`.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewImage {
    /// The `id` of an artwork upload that has its file.
    #[serde(default)]
    #[garde(skip)]
    pub upload_id: Option<UploadId>,
    /// An https address that leads to the file.
    #[serde(default)]
    #[garde(dive)]
    pub image_url: Option<ImageUrl>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(title: &str, prompt: &str, caption: &str) -> PageTexts {
        PageTexts {
            title: title.into(),
            prompt: prompt.into(),
            caption: caption.into(),
            source_upload_id: None,
        }
    }

    #[test]
    fn an_empty_text_counts_as_omitted() {
        for (typed, sent) in [
            (
                texts("A fox", "A fox asleep", "Good night"),
                json!({"title": "A fox", "prompt": "A fox asleep", "caption": "Good night"}),
            ),
            (texts("A fox", "", ""), json!({"title": "A fox"})),
            // The title is required, so its complaint is about an empty text.
            (texts("", "", ""), json!({"title": ""})),
        ] {
            assert_eq!(serde_json::to_value(NewPage::from(typed)).unwrap(), sent);
        }
    }

    #[test]
    fn an_import_takes_all_texts_except_the_prompt() {
        let import = NewImport::from(texts("A fox", "A fox asleep", "Good night"));
        assert_eq!(&*import.title, "A fox");
        assert_eq!(import.caption.as_deref(), Some("Good night"));
        assert_eq!(NewImport::from(texts("A fox", "", "")).caption, None);
    }
}
