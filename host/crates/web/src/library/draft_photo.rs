//! `/library/drafts/{id}/photo`: the photograph from which a page of a plan is drawn when the book is ordered.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::accepted;
use super::draft::{missing, path};
use super::form::{Complaints, may_change};
use super::page::no_photograph;
use super::upload::Upload;
use linepress_core::artwork::uploads;
use linepress_core::generation;
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Query, Reply};
use linepress_planning::drafts::{self, Edit, SaveOutcome, Version};
use linepress_platform::app::App;
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
    /// The number of the page from 1, and its title, by which the form recognizes it.
    number: usize,
    title: String,
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
    let shown = (number, texts.title.clone());
    let outcome = (StatusCode::OK, Complaints::none());
    Ok(render(&app, &signed_in, id, book.title, shown, outcome))
}

fn render(
    app: &App,
    signed_in: &SignedIn,
    id: DraftId,
    book_title: String,
    (number, title): (usize, String),
    (status, complaints): (StatusCode, Complaints),
) -> Response {
    let view = DraftPhotoPage {
        frame: signed_in.frame(Section::Books),
        may_change: may_change(signed_in),
        complaints,
        id,
        book_title,
        number,
        title,
        most_megabytes: app.config.import_limit() / 1_000_000,
        draws_from_pictures: generation::draws(app, true),
    };
    page(status, &view)
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
    let title = fields.text("was_title");
    let mut book = draft.book;
    let index = number.checked_sub(1);
    let chosen = index.and_then(|index| book.pages.get_mut(index));
    // The pages may have been moved or taken out in another tab.
    let Some(chosen) = chosen.filter(|page| page.title.trim() == title) else {
        return Ok(accepted::to(&path(&id), "plan-changed"));
    };
    let stored = match file {
        Some(file) => uploads::create_from_file(&app, &caller, file).await,
        None => Err(no_photograph()),
    };
    match stored {
        Ok(source) => chosen.source_upload_id = Some(source),
        Err(error) => {
            let refused = Complaints::with_status(error)?;
            return Ok(render(&app, &signed_in, id, book.title, (number, title), refused));
        }
    }
    let own = Version::generate(&app);
    let edit = Edit {
        seen: &draft.version,
        own: &own,
        book: &book,
    };
    match drafts::save(&app, &caller, &id, &edit).await? {
        SaveOutcome::Saved => {
            let place = format!("{}#page-{}", path(&id), number - 1);
            Ok(Redirect::to(&place).into_response())
        }
        _ => Ok(accepted::to(&path(&id), "plan-changed")),
    }
}
