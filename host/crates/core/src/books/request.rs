//! Requests to create and change books.
use garde::Validate;
use serde::{Deserialize, Serialize};

use super::CoverStyle;
use crate::characters::CharacterIds;
use crate::looks::LookChange;
use crate::pages::{NewPage, PageTexts};
use crate::variants::Variants;
use linepress_accounts::credits::pricing;
use linepress_model::{Aspect, Audience, DetailLevel, FrameStyle, LineWeight, Look};
use linepress_platform::ids::{PageId, UploadId};
use linepress_platform::text::{
    Author, Caption, Description, DrawingStyle, ImageUrl, Isbn, Language, Prompt, Subtitle, Title, unless_empty,
};
use linepress_platform::validation;

/// Maximum number of pages of a book. The schema of [`NewBook`] repeats it, because the derive accepts only literals.
pub const MAX_PAGES: usize = 100;

/// A new book, whose cover and new pages will be drawn.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewBook {
    /// Printed on the cover.
    #[garde(dive)]
    pub title: Title,
    /// Printed below the title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub subtitle: Option<Subtitle>,
    /// Printed on the title page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub author: Option<Author>,
    /// A description of the book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub description: Option<Description>,
    /// The audience of the book; `child` if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub audience: Option<Audience>,
    /// The aspect of the book; `portrait` if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub aspect: Option<Aspect>,
    /// The language of the PDF file and of the words that its layout adds; `en` if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub language: Option<Language>,
    /// Ready characters that appear on the cover, and on each new page without `character_ids`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub character_ids: Option<CharacterIds>,
    /// The drawing on the title page. It shows the title if omitted. It {cover_costs}.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub cover: Option<NewCover>,
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
    /// The pages, in the order of printing.
    #[garde(custom(has_valid_page_count), dive, custom(names_no_page_twice))]
    #[schema(min_items = 1, max_items = 100)]
    pub pages: Vec<PageEntry>,
}

impl NewBook {
    /// The price of the book in credits.
    pub fn price(&self) -> i64 {
        pricing::book(self.pages.iter().filter(|page| page.page_id.is_none()).count())
    }

    /// How the cover and the new pages are to look.
    pub(crate) fn look(&self) -> Look {
        let change = LookChange {
            line_weight: self.line_weight,
            detail: self.detail,
            style: self.style.as_ref(),
            frame: self.frame,
        };
        change.over(&Look::default())
    }

    /// The prompt of the cover: its own, or the title.
    pub(crate) fn cover_prompt(&self) -> &str {
        let own = self.cover.as_ref().and_then(|cover| cover.prompt.as_deref());
        own.unwrap_or(&self.title)
    }

    pub(crate) fn cover_style(&self) -> CoverStyle {
        let own = self.cover.as_ref().and_then(|cover| cover.style);
        own.unwrap_or_default()
    }
}

/// The drawing on the title page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(min_properties = 1)]
pub struct NewCover {
    /// Default: the title in a new book, the present one in a change.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "validation::given"
    )]
    #[garde(custom(prompt_or_style(self)), dive)]
    #[schema(nullable = false)]
    pub prompt: Option<Prompt>,
    /// Default: `line_art` in a new book, the present one in a change.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "validation::given"
    )]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub style: Option<CoverStyle>,
}

fn prompt_or_style(cover: &NewCover) -> impl FnOnce(&Option<Prompt>, &()) -> garde::Result + '_ {
    move |prompt, ()| match (prompt, cover.style) {
        (None, None) => Err(garde::Error::new("is required, or a style in its place")),
        _ => Ok(()),
    }
}

/// The options of a cover's regeneration.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CoverRegeneration {
    /// A new prompt, stored once the cover is drawn; the present one if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub prompt: Option<Prompt>,
    /// A new style, stored once the cover is drawn; the present one if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub style: Option<CoverStyle>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub variants: Option<Variants>,
}

/// Finished artwork that replaces the image of a cover. The file is part of the request, or is named by either
/// `upload_id` or `image_url`.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCoverImage {
    /// The new style; only `color` keeps colors. Default: the present one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub style: Option<CoverStyle>,
    /// The `id` of an artwork upload that has its file.
    #[serde(default)]
    #[garde(skip)]
    pub upload_id: Option<UploadId>,
    /// An https address that leads to the file.
    #[serde(default)]
    #[garde(dive)]
    pub image_url: Option<ImageUrl>,
}

/// A page of a new book: either a new page with a `title`, for {page_price}, or a ready page by its `page_id`, for
/// free.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PageEntry {
    /// A ready page of the same aspect. Other fields must then be omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(custom(is_only_field(self)))]
    pub page_id: Option<PageId>,
    /// Printed, and the name in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(custom(title_or_page(self)), dive)]
    pub title: Option<Title>,
    /// What is drawn. Default: the title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub prompt: Option<Prompt>,
    /// One line printed under the drawing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub caption: Option<Caption>,
    /// The characters on the page; the book's characters if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub character_ids: Option<CharacterIds>,
    /// An uploaded picture to draw from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub source_upload_id: Option<UploadId>,
}

/// The kind of a page entry.
pub(super) enum PageKind<'a> {
    /// An existing page, attached unchanged.
    Existing(&'a PageId),
    /// A new page, which will be drawn.
    New(NewPage),
}

impl PageEntry {
    pub(super) fn kind(&self) -> PageKind<'_> {
        // Destructured by name, so that a new field must be passed on or left out on purpose.
        let Self {
            page_id,
            title,
            prompt,
            caption,
            character_ids,
            source_upload_id,
        } = self;
        match page_id {
            Some(id) => PageKind::Existing(id),
            None => PageKind::New(NewPage {
                // Validation has checked that there is a title.
                title: title.clone().unwrap_or_default(),
                prompt: prompt.clone(),
                caption: caption.clone(),
                // The aspect of the book.
                aspect: None,
                character_ids: character_ids.clone(),
                source_upload_id: source_upload_id.clone(),
                variants: None,
                // The look of the book.
                line_weight: None,
                detail: None,
                style: None,
                frame: None,
            }),
        }
    }
}

impl From<PageTexts> for PageEntry {
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
            title: Some(title.into()),
            prompt: unless_empty(prompt),
            caption: unless_empty(caption),
            ..Self::default()
        }
    }
}

impl From<&PageEntry> for PageTexts {
    fn from(entry: &PageEntry) -> Self {
        // Destructured by name, so that a new field must be passed on or left out on purpose.
        let PageEntry {
            page_id: _,
            title,
            prompt,
            caption,
            character_ids: _,
            source_upload_id,
        } = entry;
        Self {
            source_upload_id: source_upload_id.clone(),
            title: title.as_deref().unwrap_or_default().into(),
            prompt: prompt.as_deref().unwrap_or_default().into(),
            caption: caption.as_deref().unwrap_or_default().into(),
        }
    }
}

fn is_only_field(entry: &PageEntry) -> impl FnOnce(&Option<PageId>, &()) -> garde::Result + '_ {
    move |page_id, ()| {
        // Destructured by name, so that each new field is compared here or left out on purpose.
        let PageEntry {
            page_id: _,
            title,
            prompt,
            caption,
            character_ids,
            source_upload_id,
        } = entry;
        let texts = [title.is_some(), prompt.is_some(), caption.is_some()];
        let more = texts.contains(&true) || character_ids.is_some() || source_upload_id.is_some();
        if page_id.is_some() && more {
            return Err(garde::Error::new(
                "must be the only field of its entry: the page that it names has its own title and drawing",
            ));
        }
        Ok(())
    }
}

fn title_or_page(entry: &PageEntry) -> impl FnOnce(&Option<Title>, &()) -> garde::Result + '_ {
    move |title, ()| match (title, &entry.page_id) {
        (None, None) => Err(garde::Error::new("is required, or a page_id in its place")),
        _ => Ok(()),
    }
}

fn has_valid_page_count(pages: &[PageEntry], _: &()) -> garde::Result {
    if (1..=MAX_PAGES).contains(&pages.len()) {
        return Ok(());
    }
    Err(garde::Error::new(format!("must be 1 to {MAX_PAGES} pages")))
}

fn names_no_page_twice(pages: &[PageEntry], _: &()) -> garde::Result {
    let mut seen = std::collections::HashSet::new();
    let named = pages.iter().filter_map(|page| page.page_id.as_ref());
    for id in named.filter(|id| !id.names_nothing()) {
        if !seen.insert(id) {
            return Err(garde::Error::new(format!(
                "must not name a page twice; {id} is named more than once"
            )));
        }
    }
    Ok(())
}

/// A change of a book. Omitted fields keep their values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BookChange {
    /// Printed on the cover.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub title: Option<Title>,
    /// Printed below the title; an empty text removes it.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub subtitle: Option<Subtitle>,
    /// Printed on the title page; an empty text removes it.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub author: Option<Author>,
    /// A description of the book; an empty text removes it.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub description: Option<Description>,
    /// The audience of pages and covers that are drawn from now on.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub audience: Option<Audience>,
    /// The language of the PDF file and of the words that its layout adds.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub language: Option<Language>,
    /// The ISBN, whose barcode covers carry; an empty text removes it.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub isbn: Option<Isbn>,
    /// The prompt and the style of the next drawing of the cover; its present image remains.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub cover: Option<NewCover>,
    /// Ready characters that replace those of the book, for pages that are drawn from now on.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub character_ids: Option<CharacterIds>,
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

/// A new page of a book.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewBookPage {
    /// The page. Its aspect is the book's; its characters are the book's if it names none.
    pub page: NewPage,
    /// The position from 1; later pages move down. At the end if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub position: Option<u32>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use utoipa::PartialSchema as _;

    use super::*;

    /// The complaints about a new book with these pages, and its price.
    fn checked(pages: serde_json::Value) -> (Vec<String>, i64) {
        let book = json!({"title": "Woodland Friends", "pages": pages});
        let book: NewBook = serde_json::from_value(book).unwrap();
        let details = validation::check(&book).err().map(|error| error.details());
        let details = details.iter().flatten();
        let complaints = details.map(|detail| format!("{} {}", detail.field, detail.message));
        (complaints.collect(), book.price())
    }

    #[test]
    fn a_page_of_a_book_is_either_new_or_a_page_that_exists() {
        let (first, second) = ("page_01KAFMYG00000000000000000A", "page_01KAFMYG00000000000000000B");
        let twice = format!("pages must not name a page twice; {first} is named more than once");
        let only = "pages[0].page_id must be the only field of its entry: the page that it names has its own title and drawing";
        for (pages, complaint, new_pages) in [
            (json!([{"title": "A fox"}, {"page_id": first}]), None, 1),
            (json!([{"page_id": first}, {"page_id": second}]), None, 0),
            (json!([{"title": "A fox"}, {"title": "A fox"}]), None, 2),
            (json!([{"page_id": first, "caption": "Good night"}]), Some(only), 0),
            (json!([{"page_id": first, "character_ids": []}]), Some(only), 0),
            (json!([{"page_id": first, "source_upload_id": "upl_1"}]), Some(only), 0),
            (
                json!([{"prompt": "A fox"}]),
                Some("pages[0].title is required, or a page_id in its place"),
                1,
            ),
            (json!([{"page_id": first}, {"page_id": first}]), Some(twice.as_str()), 0),
            (json!([]), Some("pages must be 1 to 100 pages"), 0),
            (
                json!(vec![json!({"title": "A fox"}); 101]),
                Some("pages must be 1 to 100 pages"),
                101,
            ),
        ] {
            let (complaints, price) = checked(pages);
            assert_eq!(complaints, complaint.as_slice());
            assert_eq!(price, pricing::book(new_pages));
        }
    }

    #[test]
    fn typed_texts_become_a_page_of_a_book_and_back() {
        let texts = PageTexts {
            title: "A fox".into(),
            caption: "Good night".into(),
            ..PageTexts::default()
        };
        let entry = PageEntry::from(texts.clone());
        assert_eq!(
            serde_json::to_value(&entry).unwrap(),
            json!({"title": "A fox", "caption": "Good night"})
        );
        assert_eq!(PageTexts::from(&entry), texts);
    }

    #[test]
    fn the_schema_of_a_new_book_states_the_maximum_number_of_pages() {
        let schema = serde_json::to_value(NewBook::schema()).unwrap();
        assert_eq!(schema["properties"]["pages"]["maxItems"], MAX_PAGES);
    }
}
