//! The listing kit: the texts that a shop asks for, as Amazon KDP's form has them. They are derived from the book and
//! the titles of the other volumes of its series, and the same for the same books.
use std::fmt::Write as _;

use serde::Serialize;

use super::disclosure::Disclosure;
use super::keywords::{KEYWORD_BOXES, is_english, keywords};
use linepress_accounts::caller::Caller;
use linepress_core::books::{self, Book};
use linepress_core::series;
use linepress_model::Audience;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::BookId;

/// The numbers of characters that KDP's form takes: of title and subtitle together, and of the description.
pub const MAX_TITLE_CHARS: usize = 200;
pub const MAX_DESCRIPTION_CHARS: usize = 4_000;

/// The texts for the page of a book in a shop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listing {
    /// Title and subtitle are the book's own: KDP refuses a book whose cover has others.
    pub title: String,
    pub subtitle: String,
    pub author: String,
    /// A BCP 47 tag.
    pub language: String,
    /// None for a book without other volumes.
    pub series: Option<SeriesPlace>,
    /// The ISBN with hyphens; empty for none.
    pub isbn: String,
    pub description: String,
    /// Some may be empty.
    pub keywords: [String; KEYWORD_BOXES],
    pub reading_age: ReadingAge,
    pub ai: Disclosure,
}

/// The series of a book, and its place there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeriesPlace {
    pub name: String,
    pub number: u32,
}

/// The ages of the readers, in years.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ReadingAge {
    pub from: u8,
    /// None for adults.
    pub to: Option<u8>,
}

impl ReadingAge {
    fn of(audience: Audience) -> Self {
        let (from, to) = match audience {
            Audience::Toddler => (1, Some(3)),
            Audience::Child => (4, Some(8)),
            Audience::Teen => (12, Some(17)),
            Audience::Adult => (18, None),
        };
        Self { from, to }
    }

    /// The ages in words: `4 to 8`, or `18 and over`.
    pub fn words(self) -> String {
        match self.to {
            Some(to) => format!("{} to {to}", self.from),
            None => format!("{} and over", self.from),
        }
    }
}

/// The listing kit of the caller's book as it is now. None if the book does not exist.
pub async fn listing(app: &App, caller: &Caller, id: &BookId) -> Result<Option<Listing>> {
    caller.require_reading()?;
    let Some(book) = books::get(app, caller, id).await? else {
        return Ok(None);
    };
    of_book(app, caller, &book).await.map(Some)
}

pub(crate) async fn of_book(app: &App, caller: &Caller, book: &Book) -> Result<Listing> {
    let ai = Disclosure::of_book(app, caller.account_id(), book).await?;
    let volumes = books::numbered_volumes(app, caller, &book.title).await?;
    let series = (!volumes.is_empty()).then(|| SeriesPlace {
        name: series::name(&book.title).to_owned(),
        number: series::number(&book.title),
    });
    Ok(Listing {
        series,
        title: book.title.clone(),
        subtitle: book.subtitle.clone(),
        author: book.author.clone(),
        language: book.language.clone(),
        isbn: book.isbn.clone(),
        description: description(book),
        keywords: keywords(book),
        reading_age: ReadingAge::of(book.audience),
        ai,
    })
}

/// The book's own description, followed by the titles of its drawings as far as they fit.
fn description(book: &Book) -> String {
    let mut text = book.description.clone();
    if !is_english(&book.language) {
        return text;
    }
    let mut drawings = match book.page_count {
        1 => "Inside: 1 drawing to color.".to_owned(),
        pages => format!("Inside: {pages} drawings to color."),
    };
    if !text.is_empty() {
        text += "\n\n";
    }
    for page in &book.pages {
        let line = format!("\n- {}", page.title);
        if text.chars().count() + drawings.chars().count() + line.chars().count() > MAX_DESCRIPTION_CHARS {
            break;
        }
        drawings += &line;
    }
    text + &drawings
}

impl Listing {
    /// True if the shop takes title and subtitle together.
    pub fn fits(&self) -> bool {
        self.title.chars().count() + self.subtitle.chars().count() <= MAX_TITLE_CHARS
    }

    /// The kit as a text file.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from(
            "What to enter at Amazon KDP. Read it and change it as you like: it was put together from the texts of the book.\n",
        );
        let series = self.series.as_ref();
        let series = series.map_or_else(String::new, |place| format!("{}, volume {}", place.name, place.number));
        for (label, value) in [
            ("TITLE", &self.title),
            ("SUBTITLE", &self.subtitle),
            ("SERIES", &series),
            ("AUTHOR", &self.author),
            ("LANGUAGE", &self.language),
            ("ISBN", &self.isbn),
            ("DESCRIPTION", &self.description),
        ] {
            let _ = write!(text, "\n{label}\n{}\n", or_dash(value));
        }
        text += "\nKEYWORDS\n";
        for (number, keyword) in (1..).zip(&self.keywords) {
            let _ = writeln!(text, "{number}. {}", or_dash(keyword));
        }
        let _ = write!(text, "\nREADING AGE\n{}\n", self.reading_age.words());
        let _ = write!(text, "\nCONTENT MADE WITH AI\n{}\n", self.ai.summary());
        for record in self.ai.drawings() {
            let tool = Some(record.tool()).filter(|tool| !tool.is_empty());
            let tool = tool.map(|tool| format!(" ({tool})")).unwrap_or_default();
            let _ = writeln!(
                text,
                "- {}, \"{}\": {}{tool}, {}",
                record.place(),
                record.title,
                record.made_by.words(),
                record.made_at
            );
        }
        text + "The server does not record who wrote the texts. If a planner with an AI model wrote titles or captions, say so.\n"
    }
}

fn or_dash(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}
