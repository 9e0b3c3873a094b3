//! `/library/books/{id}/listing`: the texts for the page of a book in a shop, to be changed and copied.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;

use super::form::check_plan;
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Reply};
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::ids::BookId;
use linepress_publishing::{Listing, MAX_DESCRIPTION_CHARS, MAX_KEYWORD_CHARS, MAX_TITLE_CHARS};

#[derive(Template)]
#[template(path = "library/listing.html")]
struct ListingPage {
    frame: Frame,
    id: BookId,
    listing: Listing,
    keywords: Vec<KeywordBox>,
}

struct KeywordBox {
    id: String,
    label: String,
    text: String,
}

pub(super) async fn show(State(app): State<App>, signed_in: SignedIn, PathId(id): PathId<BookId>) -> Reply {
    check_plan(&signed_in)?;
    let listing = linepress_publishing::listing(&app, &signed_in.caller(), &id).await?;
    let listing = listing.ok_or_else(|| Error::not_found("book"))?;
    let keyword_box = |(number, text): (usize, &String)| KeywordBox {
        id: format!("keyword-{number}"),
        label: format!("Keyword {number}"),
        text: text.clone(),
    };
    let view = ListingPage {
        frame: signed_in.frame(Section::Books),
        keywords: (1..).zip(&listing.keywords).map(keyword_box).collect(),
        listing,
        id,
    };
    Ok(page(StatusCode::OK, &view))
}
