//! The record of how the drawings of a book were made, for the question of shops about content made with AI.
mod store;

use std::collections::HashMap;

use serde::Serialize;

use linepress_core::books::Book;
use linepress_core::pages::Origin;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;
use store::ShownPicture;

/// The built-in providers that draw without an AI model: one puts pictures of a catalog together, the other traces
/// photographs.
const WITHOUT_AI: [&str; 2] = ["linepress.sketchbook", "linepress.photo"];

/// The origin of each drawing of a book.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disclosure {
    /// None if the book has no cover.
    pub cover: Option<DrawingRecord>,
    /// The pages, in the order of printing.
    pub pages: Vec<DrawingRecord>,
}

/// The origin of the picture that a page or cover shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawingRecord {
    /// The position of the page in the book, from 1. None for the cover.
    pub position: Option<i64>,
    /// The title of the page, or of the book for its cover.
    pub title: String,
    pub made_by: Maker,
    /// The id of the image provider, its version, and its model. None if they are not recorded.
    pub provider: Option<String>,
    pub provider_version: Option<String>,
    pub model: Option<String>,
    /// The time when it was drawn or uploaded.
    pub made_at: Timestamp,
}

/// The kind of tool that made a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Maker {
    /// An image provider other than the built-in ones without AI. It may have an AI model.
    Ai,
    /// A built-in provider that draws without an AI model.
    Program,
    /// The customer, who uploaded it.
    Customer,
}

impl Maker {
    pub fn words(self) -> &'static str {
        match self {
            Self::Ai => "drawn by AI",
            Self::Program => "drawn by a program without AI",
            Self::Customer => "uploaded by you",
        }
    }
}

impl Disclosure {
    /// Reads the record of the account's book. Pages without a picture are left out.
    pub(crate) async fn of_book(app: &App, account: &AccountId, book: &Book) -> Result<Self> {
        let mut targets: Vec<&str> = book.pages.iter().map(|page| page.id.as_str()).collect();
        targets.push(book.id.as_str());
        let rows = store::shown(&app.database.read, account, &targets).await?;
        let mut shown: HashMap<String, ShownPicture> =
            rows.into_iter().map(|row| (row.target_id.clone(), row)).collect();
        let mut record =
            |id: &str, position, title: &str| shown.remove(id).map(|row| DrawingRecord::new(position, title, row));
        Ok(Self {
            cover: record(book.id.as_str(), None, &book.title),
            pages: book
                .pages
                .iter()
                .filter_map(|page| record(page.id.as_str(), Some(page.position), &page.title))
                .collect(),
        })
    }

    /// All drawings, the cover first.
    pub fn drawings(&self) -> impl Iterator<Item = &DrawingRecord> {
        self.cover.iter().chain(&self.pages)
    }

    /// The answer to the question of a shop. The server does not know how uploaded pictures were made, so it does not
    /// answer for them.
    pub fn summary(&self) -> String {
        let all = self.drawings().count();
        let count = |maker| self.drawings().filter(|record| record.made_by == maker).count();
        let uploaded = count(Maker::Customer);
        let drawn = match (count(Maker::Ai), uploaded) {
            (0, 0) => format!("None of the {all} drawings was made with AI."),
            (0, _) => format!("The server made none of the {all} drawings with AI."),
            (ai, _) if ai == all => format!("All {all} drawings were made with AI."),
            (ai, _) => format!("{ai} of the {all} drawings were made with AI."),
        };
        match uploaded {
            0 => drawn,
            1 => format!("{drawn} You uploaded 1, and the server does not know how it was made: if with AI, say so."),
            _ => format!(
                "{drawn} You uploaded {uploaded}, and the server does not know how they were made: if one was made with AI, \
                 say so."
            ),
        }
    }
}

impl DrawingRecord {
    fn new(position: Option<i64>, title: &str, row: ShownPicture) -> Self {
        let made_by = match (row.origin, row.provider.as_deref()) {
            (Origin::Imported, _) => Maker::Customer,
            (Origin::Generated, Some(provider)) if WITHOUT_AI.contains(&provider) => Maker::Program,
            // A drawing of an unrecorded provider counts as AI: a shop accepts a disclosure too many, and not one too
            // few.
            (Origin::Generated, _) => Maker::Ai,
        };
        Self {
            position,
            title: title.to_owned(),
            made_by,
            provider: row.provider,
            provider_version: row.provider_version,
            model: row.model,
            made_at: row.created_at,
        }
    }

    /// The place in the book in words: `Page 3`.
    pub fn place(&self) -> String {
        self.position
            .map_or_else(|| "Cover".to_owned(), |position| format!("Page {position}"))
    }

    /// The tool in words: `acme.flux 1.2.0, model flux-2`.
    pub fn tool(&self) -> String {
        let version = self.provider_version.iter().map(|version| format!(" {version}"));
        let model = self.model.iter().map(|model| format!(", model {model}"));
        match (&self.provider, self.made_by) {
            (Some(provider), _) => std::iter::once(provider.clone()).chain(version).chain(model).collect(),
            (None, Maker::Customer) => String::new(),
            (None, _) => "the provider is not recorded".to_owned(),
        }
    }
}
