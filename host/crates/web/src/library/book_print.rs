//! The files of a book for printers.
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;

use super::book;
use super::form::{Complaints, Fields, Refused, check_plan, unprintable};
use crate::problem;
use linepress_core::books;
use linepress_core::print::PrintOptions;
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Query, Reply, file_headers, object_response};
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind, FormatMismatch, Remedy};
use linepress_platform::ids::BookId;

/// The query parameters that only web pages use.
#[derive(Deserialize)]
pub(super) struct PdfQuery {
    /// Present if the PDF should be made but not sent, because the browser downloads it afterwards.
    prepare: Option<String>,
    /// Present if the browser should show the PDF, so that it can be printed at once, instead of saving it.
    show: Option<String>,
}

/// Sends the PDF of the book.
pub(super) async fn pdf(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<BookId>,
    Query(options): Query<PrintOptions>,
    Query(query): Query<PdfQuery>,
) -> Reply {
    check_plan(&signed_in)?;
    let pdf = match books::pdf(&app, &signed_in.caller(), &id, &options).await {
        Ok(pdf) => pdf.ok_or_else(missing)?,
        Err(error) => return refused(&app, &signed_in, &id, error).await,
    };
    if query.prepare.is_some() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let how = if query.show.is_some() { "inline" } else { "attachment" };
    let headers = file_headers("application/pdf", how, &pdf.file_name);
    Ok((headers, object_response(pdf.object)).into_response())
}

/// Sends all files for a printer.
pub(super) async fn package(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<BookId>,
    Query(options): Query<PrintOptions>,
    Query(query): Query<PdfQuery>,
) -> Reply {
    check_plan(&signed_in)?;
    let caller = signed_in.caller();
    if query.prepare.is_some() {
        return match linepress_publishing::prepare(&app, &caller, &id, &options).await {
            Ok(prepared) => Ok(prepared
                .map(|()| StatusCode::NO_CONTENT)
                .ok_or_else(missing)?
                .into_response()),
            Err(error) => refused(&app, &signed_in, &id, error).await,
        };
    }
    let package = match linepress_publishing::package(&app, &caller, &id, &options).await {
        Ok(package) => package.ok_or_else(missing)?,
        Err(error) => return refused(&app, &signed_in, &id, error).await,
    };
    let headers = file_headers("application/zip", "attachment", &package.file_name);
    Ok((headers, Body::from_stream(package.chunks)).into_response())
}

/// Renders the book with the reason why the PDF cannot be made.
pub(super) async fn refused(app: &App, signed_in: &SignedIn, id: &BookId, error: Error) -> Reply<Response> {
    let retry_after = error.retry_after();
    let words = reason(&error.kind);
    let (status, _) = Complaints::with_status(error)?;
    let refused = Refused {
        form: "",
        fields: &Fields::default(),
        status,
        complaints: Complaints::from_message(words),
    };
    let page = book::render(app, signed_in, id, None, Some(refused)).await?;
    Ok(problem::with_retry_after(page, retry_after))
}

/// The reason why a file cannot be made, in words.
pub(super) fn reason(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::BookNotReady(_) => {
            "Not every page of the book is ready. Wait for the pages that are being drawn, and draw \
                                       the missing ones again, or take them out of the book."
                .into()
        }
        ErrorKind::UnknownPrintFormat { .. } => {
            "This server does not offer this size. Choose one of the sizes below.".into()
        }
        ErrorKind::PrintingUnavailable { .. } => {
            "The PDF is still being typeset. Download it again in a moment.".into()
        }
        ErrorKind::FormatMismatch(FormatMismatch::MissingCharacters(missing)) => unprintable(&missing.texts),
        ErrorKind::FormatMismatch(mismatch) => format_mismatch(mismatch),
        kind => kind.to_string(),
    }
}

fn format_mismatch(mismatch: &FormatMismatch) -> String {
    match mismatch.remedy() {
        None => mismatch.to_string(),
        Some(Remedy::Editions([one, other])) => format!("{mismatch} Choose {} or {}.", one.name(), other.name()),
        Some(Remedy::Parts([one, other])) => format!("{mismatch} Download the {one} and the {other}."),
    }
}

fn missing() -> Error {
    Error::not_found("book")
}
