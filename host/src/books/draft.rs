//! What a client says to create a book.
use garde::Validate;
use serde::{Deserialize, Serialize};

use crate::artwork::{Aspect, Audience};
use crate::ids::{CharacterId, PageId};
use crate::pages::NewPage;
use crate::validation;

/// How many pages a book holds at most.
pub const MAX_PAGES: usize = 100;

/// A book to be made: its cover and new pages are drawn.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewBook {
    #[garde(length(chars, min = 1, max = 200), custom(validation::line))]
    /// Printed on the cover.
    #[schema(min_length = 1, max_length = 200, format = "line", example = "Woodland Friends")]
    pub title: String,
    /// Printed below the title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, max = 200), custom(validation::optional_line)))]
    #[schema(max_length = 200, format = "optional_line", example = "A coloring book")]
    pub subtitle: Option<String>,
    /// Printed on the title page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, max = 200), custom(validation::optional_line)))]
    #[schema(max_length = 200, format = "optional_line", example = "Ada Lovelace")]
    pub author: Option<String>,
    /// What the book is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, max = 2000), custom(validation::text)))]
    #[schema(
        max_length = 2000,
        format = "text",
        example = "A day among the animals of the forest"
    )]
    pub description: Option<String>,
    /// `child` when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub audience: Option<Audience>,
    /// `portrait` when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub aspect: Option<Aspect>,
    /// Ready characters that appear on the cover, and on every new page that names none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(max = 8)))]
    #[schema(value_type = Option<Vec<CharacterId>>, max_items = 8)]
    pub character_ids: Option<Vec<String>>,
    /// The drawing on the title page; the title says what it shows when it is left out. It is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub cover: Option<NewCover>,
    /// In the order they are printed.
    #[garde(length(min = 1, max = MAX_PAGES), dive, custom(no_page_twice))]
    #[schema(min_items = 1, max_items = 100)]
    pub pages: Vec<PageEntry>,
}

impl NewBook {
    /// What its pages cost: a credit for each that is new.
    pub fn price(&self) -> i64 {
        let new = self.pages.iter().filter(|page| page.page_id.is_none()).count();
        i64::try_from(new).unwrap_or(i64::MAX)
    }

    /// What the cover shows.
    pub fn cover_prompt(&self) -> &str {
        self.cover.as_ref().map_or(&self.title, |cover| &cover.prompt)
    }
}

/// The drawing on the title page.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCover {
    #[garde(length(chars, min = 1, max = 2000), custom(validation::visible_text))]
    /// What it shows.
    #[schema(
        min_length = 1,
        max_length = 2000,
        format = "visible_text",
        example = "Woodland animals around a mossy stump"
    )]
    pub prompt: String,
}

/// A page of a new book: either a new one with a `title`, for one credit, or a ready one by its `page_id`, for none.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PageEntry {
    /// A ready page of the same aspect. Nothing else may stand beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(custom(one_kind(self)))]
    #[schema(value_type = Option<PageId>)]
    pub page_id: Option<String>,
    /// Printed with the page, and the name it goes by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, min = 1, max = 200), custom(validation::line)))]
    #[schema(min_length = 1, max_length = 200, format = "line", example = "A fox in the woods")]
    pub title: Option<String>,
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
    /// The book's characters when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(max = 8)))]
    #[schema(value_type = Option<Vec<CharacterId>>, max_items = 8)]
    pub character_ids: Option<Vec<String>>,
}

impl PageEntry {
    /// The new page this entry describes.
    pub fn to_new_page(&self) -> NewPage {
        NewPage {
            title: self.title.clone().unwrap_or_default(),
            prompt: self.prompt.clone(),
            caption: self.caption.clone(),
            aspect: None,
            character_ids: None,
        }
    }
}

fn one_kind(entry: &PageEntry) -> impl FnOnce(&Option<String>, &()) -> garde::Result + '_ {
    move |page_id, ()| {
        let describes = entry.title.is_some();
        let more = entry.prompt.is_some() || entry.caption.is_some() || entry.character_ids.is_some();
        match (page_id.is_some(), describes, more) {
            (true, false, false) | (false, true, _) => Ok(()),
            (true, _, _) => Err(garde::Error::new(
                "stands alone: an attached page brings its own title and drawing",
            )),
            (false, false, _) => Err(garde::Error::new("or a title is needed")),
        }
    }
}

fn no_page_twice(pages: &[PageEntry], _: &()) -> garde::Result {
    let mut seen = std::collections::HashSet::new();
    for id in pages.iter().filter_map(|page| page.page_id.as_deref()) {
        if !seen.insert(id) {
            return Err(garde::Error::new(format!("attach the page {id} twice")));
        }
    }
    Ok(())
}

/// What changes of a book. What is left out stays as it is.
#[derive(Clone, Debug, Default, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BookChange {
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(inner(length(chars, min = 1, max = 200), custom(validation::line)))]
    /// Printed on the cover.
    #[schema(
        nullable = false,
        min_length = 1,
        max_length = 200,
        format = "line",
        example = "Woodland Friends"
    )]
    pub title: Option<String>,
    /// Printed below the title; nothing when it is empty.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(inner(length(chars, max = 200), custom(validation::optional_line)))]
    #[schema(
        nullable = false,
        max_length = 200,
        format = "optional_line",
        example = "A coloring book"
    )]
    pub subtitle: Option<String>,
    /// Printed on the title page; nothing when it is empty.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(inner(length(chars, max = 200), custom(validation::optional_line)))]
    #[schema(
        nullable = false,
        max_length = 200,
        format = "optional_line",
        example = "Ada Lovelace"
    )]
    pub author: Option<String>,
    /// What the book is about; nothing when it is empty.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(inner(length(chars, max = 2000), custom(validation::text)))]
    #[schema(
        nullable = false,
        max_length = 2000,
        format = "text",
        example = "A day among the animals of the forest"
    )]
    pub description: Option<String>,
    /// For what is drawn from now on.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub audience: Option<Audience>,
    /// Ready characters, in place of those the book has, for pages that are drawn from now on.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(inner(length(max = 8)))]
    #[schema(value_type = Vec<CharacterId>, required = false, nullable = false, max_items = 8)]
    pub character_ids: Option<Vec<String>>,
}

/// A page to be drawn in a book.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewBookPage {
    /// Its aspect is the book's; its characters are the book's when it names none.
    pub page: NewPage,
    /// From 1; those from there on move down. Last when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub position: Option<u32>,
}
