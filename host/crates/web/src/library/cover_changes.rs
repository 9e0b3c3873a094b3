//! Replacing a book's cover with the account's own artwork.
use axum::extract::State;

use super::attempts::Attempts;
use super::book_changes::respond;
use super::upload::Upload;
use super::{accepted, book};
use linepress_core::books::{self, NewCoverImage};
use linepress_http::{PathId, Reply};
use linepress_platform::app::App;
use linepress_platform::ids::BookId;

pub(super) async fn replace(State(app): State<App>, PathId(id): PathId<BookId>, upload: Upload) -> Reply {
    let new = NewCoverImage {
        // The choice is about this picture, so it counts even if it is the one that the form showed. A word that is not
        // a style counts as no choice.
        style: upload.fields.text("style").parse().ok(),
        upload_id: None,
        image_url: upload.fields.given("image_url"),
    };
    let key = upload.fields.key()?;
    let before = Attempts::of_cover(&app, &upload.caller, &id).await?;
    let replaced = match upload.check(&app, &key).await {
        Ok(()) => books::replace_cover(&app, &upload.caller, Some(&key), &id, &new, upload.file).await,
        Err(error) => Err(error),
    };
    if let Ok(Some(_)) = &replaced {
        let path = format!("/library/books/{id}");
        return Ok(accepted::to_undoable(&path, "replaced", &before.undo(), None));
    }
    let form = (book::COVER_IMAGE, &upload.fields);
    respond(&app, &upload.signed_in, &id, form, replaced, "replaced").await
}
