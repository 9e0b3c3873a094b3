//! The attempts of a page, a cover or a character: its picture and earlier ones, side by side.
use axum::extract::State;

use super::pictures::{Picture, small, whole};
use super::words;
use linepress_accounts::caller::Caller;
use linepress_core::artwork::Origin;
use linepress_core::artwork::attempts::Attempt;
use linepress_core::{books, characters, pages};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Reply};
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::Result;
use linepress_platform::ids::{AttemptId, BookId, CharacterId, PageId};

/// The attempts on a page of the library.
pub(super) struct Attempts {
    pub heading: &'static str,
    /// The addresses of the attempts begin with it.
    pub path: String,
    pub tiles: Vec<AttemptTile>,
    /// The image provider's note about the chosen one.
    pub note: Option<String>,
    /// True while another picture is being drawn, so that none can be chosen.
    pub is_drawing: bool,
}

/// An attempt.
pub(super) struct AttemptTile {
    pub id: AttemptId,
    pub picture: Picture,
    /// Where it comes from, and when.
    pub facts: String,
    pub prompt: String,
    pub is_chosen: bool,
}

impl AttemptTile {
    fn new(path: &str, attempt: Attempt) -> Self {
        let origin = match attempt.origin {
            Origin::Generated => "Drawn",
            Origin::Imported => "Imported",
        };
        let image = &attempt.image;
        Self {
            picture: Picture {
                url: format!("{path}/{}/thumbnail", attempt.id),
                width: image.width,
                height: image.height,
            },
            facts: format!("{origin} {}", words::day(attempt.created_at)),
            prompt: attempt.prompt,
            is_chosen: attempt.chosen,
            id: attempt.id,
        }
    }
}

impl Attempts {
    /// The attempts of a page.
    pub(super) async fn of_page(app: &App, caller: &Caller, id: &PageId) -> Result<Self> {
        let listed = pages::list_attempts(app, caller, id, &all(app, caller)?).await?;
        Ok(Self::new(
            "Its pictures so far",
            format!("/library/pages/{id}/attempts"),
            listed,
        ))
    }

    /// The attempts of a book's cover.
    pub(super) async fn of_cover(app: &App, caller: &Caller, id: &BookId) -> Result<Self> {
        let listed = books::list_cover_attempts(app, caller, id, &all(app, caller)?).await?;
        Ok(Self::new(
            "Its covers so far",
            format!("/library/books/{id}/cover/attempts"),
            listed,
        ))
    }

    /// The attempts of a character.
    pub(super) async fn of_character(app: &App, caller: &Caller, id: &CharacterId) -> Result<Self> {
        let listed = characters::list_attempts(app, caller, id, &all(app, caller)?).await?;
        let path = format!("/library/characters/{id}/attempts");
        Ok(Self::new("Its pictures so far", path, listed))
    }

    fn new(heading: &'static str, path: String, listed: Option<PageOf<Attempt>>) -> Self {
        let listed = listed.map(|listed| listed.items).unwrap_or_default();
        let chosen = listed.iter().find(|attempt| attempt.chosen);
        Self {
            heading,
            note: chosen.and_then(|attempt| attempt.note.clone()),
            tiles: listed
                .into_iter()
                .map(|attempt| AttemptTile::new(&path, attempt))
                .collect(),
            is_drawing: false,
            path,
        }
    }

    /// The parameter of an address that offers to choose the present picture again, after another one took its place.
    pub(super) fn undo(&self) -> Vec<(&'static str, String)> {
        let chosen = self.tiles.iter().filter(|tile| tile.is_chosen);
        chosen.map(|tile| ("attempt", tile.id.to_string())).collect()
    }

    pub(super) fn while_drawing(self, is_drawing: bool) -> Self {
        Self { is_drawing, ..self }
    }
}

/// A request for the whole list, which the settings keep below the limit of one request.
fn all(app: &App, caller: &Caller) -> Result<PageRequest> {
    let scope = app.cursors.scope(caller.account_id(), AttemptId::PREFIX);
    PageRequest::parse(Some(&PageRequest::MAX_LIMIT.to_string()), None, scope)
}

pub(super) async fn page_image(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId((id, attempt)): PathId<(PageId, AttemptId)>,
) -> Reply {
    whole(pages::attempt_image(&app, &signed_in.caller(), &id, &attempt).await?)
}

pub(super) async fn page_thumbnail(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId((id, attempt)): PathId<(PageId, AttemptId)>,
) -> Reply {
    let caller = signed_in.caller();
    let image = pages::attempt_image(&app, &caller, &id, &attempt).await?;
    small(&app, caller.account_id(), image).await
}

pub(super) async fn cover_image(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId((id, attempt)): PathId<(BookId, AttemptId)>,
) -> Reply {
    whole(books::cover_attempt_image(&app, &signed_in.caller(), &id, &attempt).await?)
}

pub(super) async fn cover_thumbnail(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId((id, attempt)): PathId<(BookId, AttemptId)>,
) -> Reply {
    let caller = signed_in.caller();
    let image = books::cover_attempt_image(&app, &caller, &id, &attempt).await?;
    small(&app, caller.account_id(), image).await
}

pub(super) async fn character_image(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId((id, attempt)): PathId<(CharacterId, AttemptId)>,
) -> Reply {
    whole(characters::attempt_image(&app, &signed_in.caller(), &id, &attempt).await?)
}

pub(super) async fn character_thumbnail(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId((id, attempt)): PathId<(CharacterId, AttemptId)>,
) -> Reply {
    let caller = signed_in.caller();
    let image = characters::attempt_image(&app, &caller, &id, &attempt).await?;
    small(&app, caller.account_id(), image).await
}
