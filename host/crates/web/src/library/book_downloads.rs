//! `/library/books/download`: the files of several books, which are downloaded one after the other.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect};
use linepress_printers::{Backs, Edition};
use serde::Deserialize;
use url::form_urlencoded;

use super::accepted;
use super::form::{Change, check_plan};
use super::print_panel::{can_be_printed, recommended, whole_address};
use super::selected::{MAX_SELECTED_ITEMS, selected};
use linepress_core::books::{self, Book};
use linepress_core::print::PrintChoice;
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{Query, Reply};
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::ids::BookId;

#[derive(Template)]
#[template(path = "library/book_downloads.html")]
struct DownloadsPage {
    frame: Frame,
    printers: Vec<PrinterFiles>,
    /// The titles of the books that cannot be printed yet.
    unready: Vec<String>,
}

/// The files of the books for one printer.
struct PrinterFiles {
    heading: &'static str,
    files: Vec<BookFile>,
    refused: Vec<RefusedBook>,
}

struct BookFile {
    title: String,
    url: String,
}

/// A book for which the printer has no file.
struct RefusedBook {
    title: String,
    reason: String,
}

/// The query parameters of the page.
#[derive(Deserialize)]
pub(super) struct DownloadsQuery {
    /// The ids of the books, separated by commas.
    #[serde(default)]
    selected: String,
}

/// Redirects to the page with the files of the selected books.
pub(super) async fn choose(change: Change) -> Reply {
    let ids: Vec<String> = selected(&change.fields).collect();
    if ids.is_empty() {
        return Ok(accepted::to("/library", "none-selected"));
    }
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("selected", &ids.join(","));
    Ok(Redirect::to(&format!("/library/books/download?{}", query.finish())).into_response())
}

pub(super) async fn show(State(app): State<App>, signed_in: SignedIn, Query(query): Query<DownloadsQuery>) -> Reply {
    check_plan(&signed_in)?;
    let caller = signed_in.caller();
    let mut found = Vec::new();
    for id in query.selected.split(',').take(MAX_SELECTED_ITEMS) {
        found.extend(books::get(&app, &caller, &BookId::from_client(id)).await?);
    }
    if found.is_empty() {
        return Err(Error::not_found("book").into());
    }
    let (ready, unready): (Vec<Book>, Vec<Book>) = found.into_iter().partition(can_be_printed);
    let mut printable = Vec::new();
    for book in ready {
        // A book that was deleted meanwhile is left out.
        if let Some(choices) = books::print_choices(&app, &caller, &book.id, Backs::Blank).await? {
            printable.push((book, choices));
        }
    }
    let view = DownloadsPage {
        frame: signed_in.frame(Section::Books),
        printers: Edition::ALL.iter().map(|edition| files(*edition, &printable)).collect(),
        unready: unready.into_iter().map(|book| book.title).collect(),
    };
    Ok(page(StatusCode::OK, &view))
}

/// The file of each book in the recommended size: the whole book for a printer at home, all files as an archive for a
/// printing service.
fn files(edition: Edition, books: &[(Book, Vec<PrintChoice>)]) -> PrinterFiles {
    let mut printer = PrinterFiles {
        heading: match edition {
            Edition::Home => "To print at home, as PDFs",
            Edition::Kdp => "For Amazon KDP, as ZIP archives",
            Edition::Lulu => "For Lulu, as ZIP archives",
        },
        files: Vec::new(),
        refused: Vec::new(),
    };
    for (book, choices) in books {
        let title = book.title.clone();
        let own: Vec<&PrintChoice> = choices.iter().filter(|choice| choice.edition == edition).collect();
        match printed(&own) {
            Ok(choice) => printer.files.push(BookFile {
                title,
                url: whole_address(&book.id, choice, Backs::Blank),
            }),
            Err(reason) => printer.refused.push(RefusedBook { title, reason }),
        }
    }
    printer
}

/// The size of the file, or the reason why no size has one.
fn printed<'a>(choices: &[&'a PrintChoice]) -> Result<&'a PrintChoice, String> {
    match recommended(choices) {
        Some(choice) => match choice.cover_refusal {
            None => Ok(choice),
            Some(reason) => Err(reason.trim_end_matches('.').to_owned()),
        },
        None => {
            let first = choices.iter().find_map(|choice| choice.refusal.clone());
            Err(first.unwrap_or_else(|| "this server has no size for it".to_owned()))
        }
    }
}
