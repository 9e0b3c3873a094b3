//! A book's cover from own artwork.
use axum::extract::State;

use super::form::Complaints;
use super::upload::Upload;
use super::{accepted, book};
use crate::app::App;
use crate::books;
use crate::error::Error;
use crate::http::{ErrorCode, PathId, Reply};
use crate::ids::BookId;
use crate::pages::NewImage;

pub(super) async fn replace(State(app): State<App>, PathId(id): PathId<BookId>, upload: Upload) -> Reply {
    let new = NewImage {
        upload_id: None,
        image_url: upload.fields.given("image_url"),
    };
    let key = upload.fields.key()?;
    let error = match books::replace_cover(&app, &upload.caller, Some(&key), &id, &new, upload.file).await {
        Ok(Some(_)) => return Ok(accepted::to(&format!("/library/books/{id}"), "replaced")),
        Ok(None) => return Err(Error::not_found("book").into()),
        Err(error) => error,
    };
    let status = ErrorCode::from(&error).status();
    let complaints = Complaints::of(error)?;
    book::render(&app, &upload.signed_in, &id, status, None, complaints).await
}
