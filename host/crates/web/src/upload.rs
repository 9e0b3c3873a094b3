//! `/uploads/{token}` in a browser: a form for a user whose agent cannot send the file. The token in the address is the
//! only authorization, as it is for a program that sends the file with PUT.
use askama::Template;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;

use linepress_core::artwork::uploads;
use linepress_http::file_form::FileForm;
use linepress_http::html::page;
use linepress_http::{Failure, PathId, Reply};
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::field::Field;
use linepress_platform::importer::SpooledFile;

#[derive(Template)]
#[template(path = "upload.html")]
struct UploadPage {
    most_megabytes: u64,
    is_received: bool,
    complaint: Option<String>,
}

/// The page of an address that takes no file.
#[derive(Template)]
#[template(path = "upload_gone.html")]
struct GonePage;

pub(super) async fn show(State(app): State<App>, PathId(token): PathId<String>) -> Reply {
    if !uploads::is_awaited(&app, &token).await? {
        return Ok(gone_page());
    }
    Ok(page_of(&app, false, None))
}

pub(super) async fn receive(State(app): State<App>, PathId(token): PathId<String>, request: Request) -> Reply {
    let filled = uploads::fill(&app, &token, sent_file(&app, request)).await;
    match filled {
        Ok(true) => Ok(page_of(&app, true, None)),
        Ok(false) => Ok(gone_page()),
        Err(failure) => Ok(page_of(&app, false, Some(failure))),
    }
}

/// Receives the file of the form.
async fn sent_file(app: &App, request: Request) -> Result<SpooledFile, Failure> {
    let mut form = FileForm::open_in_place(app, request).await?;
    while let Some(field) = form.next().await? {
        // If no file was chosen, browsers send an empty file without a name.
        if field.file_name().is_some_and(|name| !name.is_empty()) {
            return field.file(app).await;
        }
    }
    Err(Error::invalid_field(Field::image(), "is required: choose a file").into())
}

fn page_of(app: &App, is_received: bool, failure: Option<Failure>) -> Response {
    let status = failure.as_ref().map_or(StatusCode::OK, |failure| failure.code.status());
    let upload = UploadPage {
        most_megabytes: app.config.import_limit() / 1_000_000,
        is_received,
        complaint: failure.map(|failure| failure.message),
    };
    page(status, &upload)
}

fn gone_page() -> Response {
    page(StatusCode::NOT_FOUND, &GonePage)
}
