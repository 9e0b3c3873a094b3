//! Characters: figures that look the same on every page they appear on.
mod attempts;
mod draw;
mod edit;
mod preview;
mod request;
mod resource;
mod selection;
mod store;

use std::collections::HashMap;

use crate::artwork::{self, Download, Status};
use crate::search::{Beginning, Search};
use linepress_accounts::caller::Caller;
use linepress_drawings::queue::{self, CharacterSnapshot, DrawingRequest, Target};
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest, Tx};
use linepress_platform::error::{Detail, Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{ArtworkId, CharacterId};

pub use attempts::{attempt_image, choose_attempt, list_attempts};
pub use draw::{create, regenerate};
pub use edit::{archive, restore, update};
pub use preview::{preview, preview_image};
pub use request::{CharacterChange, CharacterIds, CharacterRegeneration, NewCharacter};
pub use resource::{Character, CharacterAccepted, CharacterLink, CharacterLinks};
pub use selection::Selection;
pub(crate) use store::{SEARCH_INDEX, StoredCharacter};

/// A character that has a reference image and may appear in a drawing.
#[derive(Clone, Debug)]
pub struct ReadyCharacter(StoredCharacter);

impl ReadyCharacter {
    pub fn link(&self) -> CharacterLink {
        CharacterLink {
            id: self.0.id.clone(),
            name: self.0.name.clone(),
        }
    }

    pub fn snapshot(&self) -> CharacterSnapshot {
        CharacterSnapshot {
            name: self.0.name.clone(),
            description: self.0.description.clone(),
            style: self.0.style.clone(),
            seed: self.0.seed,
            reference: self.0.image_key.clone(),
            id: Some(self.0.id.clone()),
        }
    }
}

/// An active character of the account, None if the character does not exist.
pub async fn get(app: &App, caller: &Caller, id: &CharacterId) -> Result<Option<Character>> {
    caller.require_reading()?;
    Ok(store::find(&app.database.read, caller.account_id(), id)
        .await?
        .map(|row| row.into_character(app)))
}

/// The account's active characters, newest first.
pub async fn list(app: &App, caller: &Caller, request: &PageRequest) -> Result<PageOf<Character>> {
    caller.require_reading()?;
    let rows = store::list(&app.database.read, caller.account_id(), request).await?;
    let page = PageOf::from_rows(rows, request, |row| row.id.as_str());
    Ok(page.map(|row| row.into_character(app)))
}

/// The account's archived characters, newest first.
pub async fn list_archived(app: &App, caller: &Caller, request: &PageRequest) -> Result<PageOf<Character>> {
    caller.require_reading()?;
    let rows = store::list_archived(&app.database.read, caller.account_id(), request).await?;
    let page = PageOf::from_rows(rows, request, |row| row.id.as_str());
    Ok(page.map(|row| row.into_character(app)))
}

/// The account's active characters, or its archived ones, that a search finds, in its order.
pub async fn search(
    app: &App,
    caller: &Caller,
    archived: bool,
    search: &Search<Status>,
    request: &PageRequest,
) -> Result<PageOf<Character>> {
    caller.require_reading()?;
    let Some(part) = search.part(request)? else {
        return match archived {
            false => list(app, caller, request).await,
            true => list_archived(app, caller, request).await,
        };
    };
    let rows = store::search(&app.database.read, caller.account_id(), archived, &part).await?;
    Ok(part.page(rows).map(|row| row.into_character(app)))
}

/// The account's active characters whose name or id begins with a text, sorted by name; at most `limit`, each with its
/// name.
pub async fn suggest(app: &App, caller: &Caller, beginning: &str, limit: i64) -> Result<Vec<(CharacterId, String)>> {
    caller.require_reading()?;
    let beginning = Beginning::new(beginning);
    Ok(store::suggest(&app.database.read, caller.account_id(), &beginning, limit).await?)
}

/// The reference image of an active character. None if the character does not exist; an error when it has no image.
pub async fn reference_image(app: &App, caller: &Caller, id: &CharacterId) -> Result<Option<Download>> {
    caller.require_reading()?;
    let Some(row) = store::find(&app.database.read, caller.account_id(), id).await? else {
        return Ok(None);
    };
    let (Some(key), Some(media_type)) = (row.image_key, row.image.media_type) else {
        return Err(Error::no_image("character", row.status == Status::Generating));
    };
    artwork::download_for(app, caller.account_id(), &key, media_type, &row.name)
        .await
        .map(Some)
}

/// Locks the character, which may be archived, until the transaction ends, whichever account owns it. Returns false if
/// it does not exist.
pub(crate) async fn lock(app: &App, tx: &mut Tx, id: &CharacterId) -> Result<bool> {
    Ok(store::lock(tx, id, app.clock.now()).await?)
}

/// Records the result of a character's drawing: an artwork to show, with the seed and description of its request; or
/// none if the drawing failed or the character shows another variant. The character is being drawn until its last
/// drawing has ended. An archived character is updated as well. Returns false if the character does not exist.
pub(crate) async fn complete(
    app: &App,
    tx: &mut Tx,
    id: &CharacterId,
    artwork: Option<&ArtworkId>,
    asked: Option<&DrawingRequest>,
) -> Result<bool> {
    // The lock comes first: of the drawings that end at the same time, one must find no other open.
    if !lock(app, tx, id).await? {
        return Ok(false);
    }
    let is_last = !queue::has_open_drawing(tx, &Target::Character(id.clone())).await?;
    let look = artwork.and(asked).and_then(|asked| asked.characters.first());
    store::complete(tx, id, artwork, look, is_last).await?;
    Ok(true)
}

/// The object key of a character's current reference image, whichever account owns it.
pub(crate) async fn reference_key(app: &App, id: &CharacterId) -> Result<Option<String>> {
    Ok(store::reference_key(&app.database.read, id).await?)
}

/// Returns whether the character exists and is active, whichever account owns it.
pub(crate) async fn is_active(app: &App, id: &CharacterId) -> Result<bool> {
    Ok(store::is_active(&app.database.read, id).await?)
}

/// The characters that a request names, in its order. An error unless each is an active, ready character of the caller.
pub async fn ready(tx: &mut Tx, caller: &Caller, ids: &[CharacterId], field: &Field) -> Result<Vec<ReadyCharacter>> {
    load(tx, caller, ids.iter().collect()).await?.ready(ids, field)
}

/// The characters of a page or book after a change: `ids` replace the present ones, and `selection` then adds and
/// removes some.
pub(crate) async fn changed(
    tx: &mut Tx,
    caller: &Caller,
    present: Vec<CharacterLink>,
    ids: Option<&[CharacterId]>,
    selection: &Selection,
) -> Result<Vec<CharacterLink>> {
    let field = &Field::character_ids();
    let replaced = match ids {
        Some(ids) => ready_or_present(tx, caller, ids, &present, field).await?,
        None => present,
    };
    if selection.is_empty() {
        return Ok(replaced);
    }
    selection.links(tx, caller, &replaced, field).await
}

/// The characters that a change names, in its order. Those that the page or book already has may be archived or have no
/// image; the others must be active, ready characters of the caller.
async fn ready_or_present(
    tx: &mut Tx,
    caller: &Caller,
    ids: &[CharacterId],
    present: &[CharacterLink],
    field: &Field,
) -> Result<Vec<CharacterLink>> {
    let is_present = |id: &CharacterId| present.iter().any(|link| link.id == *id);
    let added = ids.iter().filter(|id| !is_present(id)).collect();
    let active = load(tx, caller, added).await?;
    active.check(ids, field, is_present)?;
    let link = |id: &CharacterId| match active.0.get(id) {
        Some(row) => Some(ReadyCharacter(row.clone()).link()),
        None => present.iter().find(|link| link.id == *id).cloned(),
    };
    Ok(ids.iter().filter_map(link).collect())
}

/// Active characters of one account, by id.
pub(crate) struct ActiveCharacters(HashMap<CharacterId, StoredCharacter>);

/// Loads the caller's active characters among these ids, in one query.
pub(crate) async fn load(tx: &mut Tx, caller: &Caller, mut ids: Vec<&CharacterId>) -> Result<ActiveCharacters> {
    ids.retain(|id| !id.names_nothing());
    ids.sort_unstable();
    ids.dedup();
    let rows = store::find_all(tx, caller.account_id(), &ids).await?;
    Ok(ActiveCharacters(
        rows.into_iter().map(|row| (row.id.clone(), row)).collect(),
    ))
}

impl ActiveCharacters {
    /// The characters among these that are loaded, in this order.
    pub(crate) fn among<'a>(&self, ids: impl Iterator<Item = &'a CharacterId>) -> Vec<ReadyCharacter> {
        let rows = ids.filter_map(|id| self.0.get(id));
        rows.cloned().map(ReadyCharacter).collect()
    }

    /// The characters with these ids, in this order. An error for one that is not loaded, not ready or named twice.
    pub(crate) fn ready(&self, ids: &[CharacterId], field: &Field) -> Result<Vec<ReadyCharacter>> {
        self.check(ids, field, |_| false)?;
        let rows = ids.iter().filter_map(|id| self.0.get(id));
        Ok(rows.cloned().map(ReadyCharacter).collect())
    }

    /// Rejects ids that are named twice and characters that are not ready. Ids for which `is_exempt` is true need not
    /// be ready.
    fn check(&self, ids: &[CharacterId], field: &Field, is_exempt: impl Fn(&CharacterId) -> bool) -> Result<()> {
        let mut details = Vec::new();
        for (index, id) in ids.iter().enumerate() {
            let problem = if !id.names_nothing() && ids[..index].contains(id) {
                "names a character twice"
            } else if is_exempt(id) {
                continue;
            } else {
                match self.0.get(id) {
                    // A character that is being redrawn still has its previous image.
                    Some(row) if row.image_key.is_some() => continue,
                    Some(_) => "names a character that is not ready; wait until its operation has succeeded",
                    None => "names no active character of this account",
                }
            };
            details.push(Detail {
                field: field.clone().at(index),
                message: problem.into(),
            });
        }
        if details.is_empty() {
            Ok(())
        } else {
            Err(Error::validation(details))
        }
    }
}

/// The characters with these ids that are still active, in the same order. Others are left out.
pub async fn still_active(
    tx: &mut Tx,
    caller: &Caller,
    ids: impl Iterator<Item = &CharacterId>,
) -> Result<Vec<ReadyCharacter>> {
    let ids: Vec<&CharacterId> = ids.collect();
    let active = load(tx, caller, ids.clone()).await?;
    Ok(active.among(ids.into_iter()))
}

/// A token of 128 random bits, so that the URL of a preview cannot be guessed.
fn preview_token(app: &App) -> String {
    let mut bytes = [0; 16];
    app.random.fill(&mut bytes);
    hex::encode(bytes)
}
