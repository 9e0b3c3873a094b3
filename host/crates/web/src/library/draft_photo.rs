//! `/library/drafts/{id}/photo`: the photograph from which a page of a plan is drawn when the book is ordered.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect};
use serde::Deserialize;

use super::accepted;
use super::draft::{missing, path};
use super::form::{Complaints, may_change};
use super::page::no_photograph;
use super::upload::Upload;
use linepress_core::artwork::uploads;
use linepress_core::generation;
use linepress_core::pages::PageTexts;
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Query, Reply};
use linepress_planning::drafts::{self, ChosenPhoto};
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::field::Field;
use linepress_platform::ids::DraftId;

#[derive(Template)]
#[template(path = "library/draft_photo.html")]
struct DraftPhotoPage {
    frame: Frame,
    may_change: bool,
    complaints: Complaints,
    id: DraftId,
    book_title: String,
    /// The number of the page, from 1.
    number: usize,
    title: String,
    /// The page as it is shown, as JSON. Together with the number it identifies the page when the form is sent.
    was_page: String,
    most_megabytes: u64,
    draws_from_pictures: bool,
}

/// The page of a plan that the address names.
#[derive(Deserialize)]
pub(super) struct PhotoQuery {
    /// The number of the page, from 1.
    page: usize,
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<DraftId>,
    Query(PhotoQuery { page: number }): Query<PhotoQuery>,
) -> Reply {
    let draft = drafts::get(&app, &signed_in.caller(), &id).await?;
    let book = draft.ok_or_else(missing)?.book;
    let texts = number.checked_sub(1).and_then(|index| book.pages.get(index));
    let Some(texts) = texts else {
        return Ok(Redirect::to(&path(&id)).into_response());
    };
    let outcome = (StatusCode::OK, Complaints::none());
    render(&app, &signed_in, id, &book.title, (number, texts), outcome)
}

fn render(
    app: &App,
    signed_in: &SignedIn,
    id: DraftId,
    book_title: &str,
    (number, texts): (usize, &PageTexts),
    (status, complaints): (StatusCode, Complaints),
) -> Reply {
    let view = DraftPhotoPage {
        frame: signed_in.frame(Section::Books),
        may_change: may_change(signed_in),
        complaints,
        id,
        book_title: book_title.to_owned(),
        number,
        title: texts.title.clone(),
        was_page: serde_json::to_string(texts).map_err(Error::from)?,
        most_megabytes: app.config.import_limit() / 1_000_000,
        draws_from_pictures: generation::draws(app, true),
    };
    Ok(page(status, &view))
}

/// Stores the photograph, and has the page of the plan drawn from it.
pub(super) async fn choose(State(app): State<App>, PathId(id): PathId<DraftId>, upload: Upload) -> Reply {
    let Upload {
        signed_in,
        caller,
        fields,
        file,
    } = upload;
    let draft = drafts::get(&app, &caller, &id).await?.ok_or_else(missing)?;
    let number: usize = fields.text("page").parse().unwrap_or_default();
    let seen = serde_json::from_str::<PageTexts>(&fields.text("was_page"));
    let (Some(index), Ok(seen)) = (number.checked_sub(1), seen) else {
        return Ok(accepted::to(&path(&id), "plan-changed"));
    };
    let stored = match file {
        Some(file) => uploads::create_from_file(&app, &caller, file).await,
        None => Err(no_photograph()),
    };
    let upload = match stored {
        Ok(upload) => upload,
        Err(error) => {
            let refused = Complaints::with_status(error)?;
            return render(&app, &signed_in, id, &draft.book.title, (number, &seen), refused);
        }
    };
    let seen = &seen;
    // The pages may have been moved, changed or taken out in another tab.
    if drafts::draw_from_photo(&app, &caller, &id, &ChosenPhoto { index, seen, upload }).await? {
        let place = format!("{}#page-{index}", path(&id));
        return Ok(Redirect::to(&place).into_response());
    }
    Ok(accepted::to(&path(&id), "plan-changed"))
}
