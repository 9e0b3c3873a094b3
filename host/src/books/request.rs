//! What clients say to create and change books.
use garde::Validate;
use serde::{Deserialize, Serialize};

use crate::characters::CharacterIds;
use crate::credits::pricing;
use crate::ids::PageId;
use crate::pages::NewPage;
use crate::text::{Author, Caption, Description, Language, Prompt, Subtitle, Title};
use crate::validation;
use linepress_model::{Aspect, Audience};

/// How many pages a book holds at most.
pub(crate) const MAX_PAGES: usize = 100;

/// A book to be made: its cover and new pages are drawn.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewBook {
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
    /// What the book is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub description: Option<Description>,
    /// `child` when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub audience: Option<Audience>,
    /// `portrait` when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub aspect: Option<Aspect>,
    /// The language of the few words that a layout prints beside the book's own, and of the file; `en` when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub language: Option<Language>,
    /// Ready characters that appear on the cover, and on every new page that names none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub character_ids: Option<CharacterIds>,
    /// The drawing on the title page; the title says what it shows when it is left out. It is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub cover: Option<NewCover>,
    /// In the order they are printed.
    #[garde(custom(between_one_and_most), dive, custom(no_page_twice))]
    #[schema(min_items = 1, max_items = 100)]
    pub pages: Vec<PageEntry>,
}

impl NewBook {
    /// What it costs, in credits.
    pub(crate) fn price(&self) -> i64 {
        pricing::book(self.pages.iter().filter(|page| page.page_id.is_none()).count())
    }

    /// What the cover shows.
    pub(crate) fn cover_prompt(&self) -> &str {
        self.cover.as_ref().map_or(&self.title, |cover| &cover.prompt)
    }
}

/// The drawing on the title page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewCover {
    /// What it shows.
    #[garde(dive)]
    pub prompt: Prompt,
}

/// What may be said with a cover that is drawn again.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CoverRegeneration {
    /// A new prompt; the old one when it is left out. It becomes the cover's own when it has been drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub prompt: Option<Prompt>,
}

/// A page of a new book: either a new one with a `title`, for one credit, or a ready one by its `page_id`, for none.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageEntry {
    /// A ready page of the same aspect. Nothing else may stand beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(custom(alone(self)))]
    pub page_id: Option<PageId>,
    /// Printed with the page, and the name it goes by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(custom(title_or_page(self)), dive)]
    pub title: Option<Title>,
    /// What to draw; the title when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub prompt: Option<Prompt>,
    /// One line printed under the drawing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub caption: Option<Caption>,
    /// The book's characters when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub character_ids: Option<CharacterIds>,
}

/// What an entry means.
pub(super) enum PageKind<'a> {
    /// Attached as it is.
    Existing(&'a PageId),
    /// Drawn.
    New(NewPage),
}

impl PageEntry {
    pub(super) fn kind(&self) -> PageKind<'_> {
        // Every field by name: a new one must be handed on, or said not to be.
        let Self {
            page_id,
            title,
            prompt,
            caption,
            character_ids,
        } = self;
        match page_id {
            Some(id) => PageKind::Existing(id),
            None => PageKind::New(NewPage {
                // The check has seen that there is one.
                title: title.clone().unwrap_or_default(),
                prompt: prompt.clone(),
                caption: caption.clone(),
                // The book's.
                aspect: None,
                character_ids: character_ids.clone(),
                source_upload_id: None,
            }),
        }
    }
}

fn alone(entry: &PageEntry) -> impl FnOnce(&Option<PageId>, &()) -> garde::Result + '_ {
    move |page_id, ()| {
        // Every field by name: a new one must stand alone too, or be said not to.
        let PageEntry {
            page_id: _,
            title,
            prompt,
            caption,
            character_ids,
        } = entry;
        let more = title.is_some() || prompt.is_some() || caption.is_some() || character_ids.is_some();
        if page_id.is_some() && more {
            return Err(garde::Error::new(
                "must stand alone: the page that it names brings its own title and drawing",
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

fn between_one_and_most(pages: &[PageEntry], _: &()) -> garde::Result {
    if (1..=MAX_PAGES).contains(&pages.len()) {
        return Ok(());
    }
    Err(garde::Error::new(format!("must be 1 to {MAX_PAGES} pages")))
}

fn no_page_twice(pages: &[PageEntry], _: &()) -> garde::Result {
    let mut seen = std::collections::HashSet::new();
    let named = pages.iter().filter_map(|page| page.page_id.as_ref());
    for id in named.filter(|id| !id.names_nothing()) {
        if !seen.insert(id) {
            return Err(garde::Error::new(format!(
                "must not name a page twice; {id} stands there more than once"
            )));
        }
    }
    Ok(())
}

/// What changes of a book. What is left out stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BookChange {
    /// Printed on the cover.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub title: Option<Title>,
    /// Printed below the title; nothing when it is empty.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub subtitle: Option<Subtitle>,
    /// Printed on the title page; nothing when it is empty.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub author: Option<Author>,
    /// What the book is about; nothing when it is empty.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub description: Option<Description>,
    /// For what is drawn from now on.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(skip)]
    #[schema(nullable = false)]
    pub audience: Option<Audience>,
    /// The language of the few words that a layout prints beside the book's own, and of the file.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub language: Option<Language>,
    /// What the next drawing of the cover shows; its image stays as it is.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub cover: Option<NewCover>,
    /// Ready characters, in place of those the book has, for pages that are drawn from now on.
    #[serde(default, deserialize_with = "validation::given")]
    #[garde(dive)]
    #[schema(nullable = false)]
    pub character_ids: Option<CharacterIds>,
}

/// A page to be drawn in a book.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewBookPage {
    /// Its aspect is the book's; its characters are the book's when it names none.
    pub page: NewPage,
    /// From 1; those from there on move down. Last when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub position: Option<u32>,
}
