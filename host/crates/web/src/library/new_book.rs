//! `/library/books/new`: the form for the theme of a new book, and the planning of it.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use linepress_model::{Aspect, Audience};

use super::choices::{self, CharacterChoice, Choice};
use super::draft;
use super::form::{Change, Complaints, Fields, may_change};
use super::languages::{self, LanguageChoice};
use linepress_accounts::credits::pricing;
use linepress_core::books::MAX_PAGES;
use linepress_core::drafts::{self, DraftBook};
use linepress_core::plans::{self, NewPlan, PageCount};
use linepress_http::Reply;
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::DraftId;

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
    notes: String,
    audiences: Vec<Choice>,
    aspects: Vec<Choice>,
    languages: Vec<LanguageChoice>,
    characters: Vec<CharacterChoice>,
}

pub(super) async fn show(State(app): State<App>, signed_in: SignedIn) -> Reply {
    let mut fields = Fields::default();
    fields.push("page_count", "8".into());
    fields.push("audience", Audience::default().to_string());
    fields.push("aspect", Aspect::default().to_string());
    wish_page(&app, &signed_in, &fields, StatusCode::OK, Complaints::none()).await
}

/// Redirects from the address of the form's submission to the form.
pub(super) async fn begin_again(_: SignedIn) -> Redirect {
    Redirect::to("/library/books/new")
}

/// Plans the book, stores the plan and redirects to it.
pub(super) async fn plan(State(app): State<App>, change: Change) -> Reply {
    let fields = &change.fields;
    let new = NewPlan {
        theme: fields.text("theme").into(),
        page_count: PageCount(fields.text("page_count").parse().unwrap_or_default()),
        aspect: Aspect::parse(&fields.text("aspect")),
        audience: Audience::parse(&fields.text("audience")),
        title: fields.given("title"),
        character_ids: Some(fields.character_ids()).filter(|ids| !ids.is_empty()),
        language: fields
            .given("language")
            .filter(|language: &String| plans::plans_in(&app, language))
            .map(Into::into),
        notes: fields.given("notes"),
    };
    match planned(&app, &change, &new).await {
        Ok(id) => Ok(Redirect::to(&draft::path(&id)).into_response()),
        Err(error) => refused(&app, &change, error).await,
    }
}

async fn planned(app: &App, change: &Change, new: &NewPlan) -> Result<DraftId> {
    // Before the planner is called, which may take long.
    drafts::check_room(app, &change.caller).await?;
    let plan = plans::plan(app, &change.caller, new).await?;
    let mut book = DraftBook::from_plan(plan);
    // A book may have another language than its plan: few planners write in every language that layouts have words in.
    if let Some(language) = change.fields.given("language") {
        book.language = language;
    }
    drafts::create(app, &change.caller, &book).await
}

async fn refused(app: &App, change: &Change, error: Error) -> Reply {
    let (status, complaints) = Complaints::with_status(error)?;
    wish_page(app, &change.signed_in, &change.fields, status, complaints).await
}

async fn wish_page(
    app: &App,
    signed_in: &SignedIn,
    fields: &Fields,
    status: StatusCode,
    complaints: Complaints,
) -> Reply<Response> {
    let characters = choices::characters(app, &signed_in.caller(), &fields.character_ids()).await?;
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
        notes: fields.text("notes"),
        audiences: choices::audiences(&fields.text("audience")),
        aspects: choices::aspects(&fields.text("aspect")),
        languages: languages::choices(&fields.text("language")),
        characters,
    };
    Ok(page(status, &wishes))
}
