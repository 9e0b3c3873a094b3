//! `/library/books/new`: the form for the theme of a new book, and the planning of it.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use linepress_model::{Aspect, Audience};
use serde::Deserialize;
use url::form_urlencoded;

use super::choices::{self, CharacterChoice, Choice};
use super::draft;
use super::form::{Change, Complaints, Fields, may_change};
use super::languages::{self, LanguageChoice};
use linepress_accounts::caller::Caller;
use linepress_accounts::credits::pricing;
use linepress_core::books::{self, Book, MAX_PAGES};
use linepress_core::series;
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{Query, Reply};
use linepress_planning::drafts;
use linepress_planning::plans::{self, NewPlan, NextVolume, PageCount};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{BookId, CharacterId};

#[derive(Template)]
#[template(path = "library/new_book.html")]
struct NewBookPage {
    frame: Frame,
    may_change: bool,
    complaints: Complaints,
    theme: String,
    page_count: String,
    most_pages: usize,
    page_price: String,
    cover_costs: String,
    title: String,
    title_hint: &'static str,
    notes: String,
    /// The book that the plan follows.
    follows: Option<Follows>,
    /// Themes to begin with: those of the account's last plans, and examples.
    recent: Vec<ThemeLink>,
    examples: Vec<ThemeLink>,
    audiences: Vec<Choice>,
    aspects: Vec<Choice>,
    languages: Vec<LanguageChoice>,
    characters: Vec<CharacterChoice>,
}

/// The query parameters of the form's address.
#[derive(Default, Deserialize)]
pub(super) struct NewBookQuery {
    /// The theme to begin with.
    theme: Option<String>,
    /// The book whose next volume is planned.
    follows: Option<BookId>,
    /// A character that the book begins with.
    character: Option<CharacterId>,
}

/// The book that a plan follows, as the form shows it.
struct Follows {
    id: BookId,
    title: String,
    earlier_pages: String,
}

impl Follows {
    fn new(book: Book, next: &NextVolume) -> Self {
        Self {
            id: book.id,
            title: book.title,
            earlier_pages: earlier_pages(next.earlier_pages, next.planned_pages),
        }
    }
}

/// The sentence about the pages that the next volume will not repeat.
fn earlier_pages(of_series: usize, of_plans: usize) -> String {
    let named = [
        (of_series, "that the series has"),
        (of_plans, "of its plans that are not ordered"),
    ];
    let pages = named.into_iter().filter_map(|(count, which)| match count {
        0 => None,
        1 => Some(format!("the page {which}")),
        count => Some(format!("any of the {count} pages {which}")),
    });
    let pages: Vec<String> = pages.collect();
    match pages.is_empty() {
        true => String::new(),
        false => format!("It will not repeat {}.", pages.join(", or ")),
    }
}

/// A theme that begins the form.
struct ThemeLink {
    theme: String,
    address: String,
}

impl ThemeLink {
    fn new(theme: &str) -> Self {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("theme", theme);
        Self {
            address: format!("/library/books/new?{}", query.finish()),
            theme: theme.to_owned(),
        }
    }
}

/// Themes of which the offline planner makes books worth printing.
const EXAMPLES: [&str; 6] = [
    "A woodland day",
    "Dinosaurs at the beach",
    "Robots at the bakery",
    "Under the sea",
    "Pirate cats",
    "Mandalas of flowers",
];

pub(super) async fn show(State(app): State<App>, signed_in: SignedIn, Query(query): Query<NewBookQuery>) -> Reply {
    if let Some(book) = &query.follows {
        return show_next_volume(&app, &signed_in, book).await;
    }
    let mut fields = Fields::default();
    fields.push("theme", query.theme.unwrap_or_default());
    fields.push("page_count", "8".into());
    fields.push("audience", Audience::default().to_string());
    fields.push("aspect", Aspect::default().to_string());
    if let Some(character) = query.character {
        fields.push("character_ids", character.to_string());
    }
    wish_page(&app, &signed_in, &fields, None, StatusCode::OK, Complaints::none()).await
}

/// The form for the next volume of a series, with what it has in common with the book.
async fn show_next_volume(app: &App, signed_in: &SignedIn, id: &BookId) -> Reply {
    let caller = signed_in.caller();
    let found = drafts::next_volume(app, &caller, id).await?;
    let (book, next) = found.ok_or_else(|| Error::not_found("book"))?;
    let theme = books::theme(app, &caller, id).await?;
    let theme = if theme.is_empty() {
        series::name(&book.title).to_owned()
    } else {
        theme
    };
    let mut fields = Fields::default();
    for (name, value) in [
        ("follows", id.to_string()),
        ("theme", theme),
        ("title", next.title.clone()),
        ("page_count", book.page_count.max(1).to_string()),
        ("audience", book.audience.to_string()),
        ("aspect", book.aspect.to_string()),
        ("language", book.language.clone()),
        ("with_characters", "yes".into()),
    ] {
        fields.push(name, value);
    }
    for character in &book.characters {
        fields.push("character_ids", character.id.to_string());
    }
    let follows = Some(Follows::new(book, &next));
    wish_page(app, signed_in, &fields, follows, StatusCode::OK, Complaints::none()).await
}

/// Redirects from the address of the form's submission to the form.
pub(super) async fn begin_again(_: SignedIn) -> Redirect {
    Redirect::to("/library/books/new")
}

/// Plans the book, stores the plan and redirects to it.
pub(super) async fn plan(State(app): State<App>, change: Change) -> Reply {
    let fields = &change.fields;
    let follows = fields.given("follows").map(|id: String| BookId::from_client(&id));
    let new = NewPlan {
        theme: fields.text("theme").into(),
        page_count: PageCount(fields.text("page_count").parse().unwrap_or_default()),
        aspect: Aspect::parse(&fields.text("aspect")),
        audience: Audience::parse(&fields.text("audience")),
        title: fields.given("title"),
        // Of the next volume also none: the form shows which characters of the book before it are chosen.
        character_ids: Some(fields.character_ids()).filter(|ids| follows.is_some() || !ids.is_empty()),
        follows,
        language: fields
            .given("language")
            .filter(|language: &String| plans::plans_in(&app, language))
            .map(Into::into),
        notes: fields.given("notes"),
    };
    match drafts::plan(&app, &change.caller, &new, fields.given("language")).await {
        Ok(id) => Ok(Redirect::to(&draft::path(&id)).into_response()),
        Err(error) => refused(&app, &change, error).await,
    }
}

async fn refused(app: &App, change: &Change, error: Error) -> Reply {
    let (status, complaints) = Complaints::with_status(error)?;
    let follows = follows(app, &change.caller, &change.fields).await?;
    wish_page(app, &change.signed_in, &change.fields, follows, status, complaints).await
}

/// Maximum number of recent themes.
const MAX_RECENT: usize = 6;

/// The book that the form follows; none if there is no such book.
async fn follows(app: &App, caller: &Caller, fields: &Fields) -> Result<Option<Follows>> {
    let Some(id) = fields.given::<String>("follows") else {
        return Ok(None);
    };
    let found = drafts::next_volume(app, caller, &BookId::from_client(&id)).await?;
    Ok(found.map(|(book, next)| Follows::new(book, &next)))
}

async fn wish_page(
    app: &App,
    signed_in: &SignedIn,
    fields: &Fields,
    follows: Option<Follows>,
    status: StatusCode,
    complaints: Complaints,
) -> Reply<Response> {
    let caller = signed_in.caller();
    let characters = choices::characters(app, &caller, &fields.character_ids()).await?;
    let recent = drafts::recent_themes(app, &caller, MAX_RECENT).await?;
    let examples = EXAMPLES
        .iter()
        .filter(|example| !recent.iter().any(|theme| theme == *example));
    let wishes = NewBookPage {
        frame: signed_in.frame(Section::Books),
        may_change: may_change(signed_in),
        complaints,
        theme: fields.text("theme"),
        page_count: fields.text("page_count"),
        most_pages: MAX_PAGES.min(usize::try_from(signed_in.caller().limits(app).pages_per_book).unwrap_or(MAX_PAGES)),
        page_price: pricing::credits(pricing::PAGE),
        cover_costs: pricing::costs(pricing::COVER),
        title: fields.text("title"),
        title_hint: match follows {
            Some(_) => "Left empty, it counts on from the volumes before.",
            None => "Left empty, the planner finds one.",
        },
        notes: fields.text("notes"),
        examples: examples.map(|example| ThemeLink::new(example)).collect(),
        recent: recent.iter().map(|theme| ThemeLink::new(theme)).collect(),
        follows,
        audiences: choices::audiences(&fields.text("audience")),
        aspects: choices::aspects(&fields.text("aspect")),
        languages: languages::choices(&fields.text("language")),
        characters,
    };
    Ok(page(status, &wishes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_of_the_series_and_of_its_plans_are_counted_apart() {
        for (of_series, of_plans, sentence) in [
            (0, 0, ""),
            (1, 0, "It will not repeat the page that the series has."),
            (8, 0, "It will not repeat any of the 8 pages that the series has."),
            (
                8,
                1,
                "It will not repeat any of the 8 pages that the series has, or the page of its plans that are not \
                 ordered.",
            ),
        ] {
            assert_eq!(earlier_pages(of_series, of_plans), sentence);
        }
    }
}
