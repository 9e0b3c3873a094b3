//! The attempts of a page, a cover or a character: its picture and earlier ones, side by side.
use std::borrow::Cow;

use axum::extract::State;
use linepress_model::counted;

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
    /// The number of attempts that are stored, and for how long.
    pub limits: String,
    /// The image provider's note about the chosen one.
    pub note: Option<String>,
    /// True while another picture is being drawn, so that none can be chosen.
    pub is_drawing: bool,
    /// The query that the forms keep.
    pub query: String,
}

/// An attempt.
pub(super) struct AttemptTile {
    pub id: AttemptId,
    /// Its number from 1, the newest first, which is also its key on the keyboard if it has one digit.
    pub number: usize,
    pub picture: Picture,
    /// Where it comes from, and when.
    pub facts: String,
    pub prompt: String,
    /// The image provider's note.
    pub note: Option<String>,
    /// The number of regions to color, in words; None if it was not measured.
    pub regions: Option<String>,
    /// The faults that make it hard to color.
    pub faults: Vec<Cow<'static, str>>,
    pub is_chosen: bool,
}

impl AttemptTile {
    fn new(path: &str, number: usize, attempt: Attempt) -> Self {
        let origin = match attempt.origin {
            Origin::Generated => "Drawn",
            Origin::Imported => "Imported",
        };
        let image = &attempt.image;
        let quality = image.quality.as_ref();
        Self {
            number,
            regions: quality.map(|quality| counted(quality.regions, "region")),
            faults: words::faults(quality),
            picture: Picture {
                url: format!("{path}/{}/thumbnail", attempt.id),
                width: image.width,
                height: image.height,
                description: String::new(),
            },
            facts: format!("{origin} {}", words::day(attempt.created_at)),
            prompt: attempt.prompt,
            note: attempt.note,
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
            app,
            "Pictures so far",
            format!("/library/pages/{id}/attempts"),
            listed,
        ))
    }

    /// The attempts of a book's cover.
    pub(super) async fn of_cover(app: &App, caller: &Caller, id: &BookId) -> Result<Self> {
        let listed = books::list_cover_attempts(app, caller, id, &all(app, caller)?).await?;
        Ok(Self::new(
            app,
            "Covers so far",
            format!("/library/books/{id}/cover/attempts"),
            listed,
        ))
    }

    /// The attempts of a character.
    pub(super) async fn of_character(app: &App, caller: &Caller, id: &CharacterId) -> Result<Self> {
        let listed = characters::list_attempts(app, caller, id, &all(app, caller)?).await?;
        let path = format!("/library/characters/{id}/attempts");
        Ok(Self::new(app, "Pictures so far", path, listed))
    }

    fn new(app: &App, heading: &'static str, path: String, listed: Option<PageOf<Attempt>>) -> Self {
        let settings = &app.config.attempts;
        let listed = listed.map(|listed| listed.items).unwrap_or_default();
        let chosen = listed.iter().find(|attempt| attempt.chosen);
        Self {
            heading,
            limits: format!(
                "Up to {} are stored, each for {} after it was replaced.",
                counted(settings.max_per_picture, "picture"),
                counted(settings.max_age_days, "day")
            ),
            note: chosen.and_then(|attempt| attempt.note.clone()),
            tiles: (1..)
                .zip(listed)
                .map(|(number, attempt)| AttemptTile::new(&path, number, attempt))
                .collect(),
            is_drawing: false,
            query: String::new(),
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

    /// The attempts whose forms lead back to an address with this query.
    pub(super) fn with_query(self, query: String) -> Self {
        Self { query, ..self }
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
