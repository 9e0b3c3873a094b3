//! Characters: figures that look the same on every page they appear on.
mod store;

use garde::Validate;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::artwork::{self, Aspect, Audience, Download, Image};
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::database::{PageOf, PageRequest, Tx};
use crate::drawing::{NewDrawing, Request, Sketch, Target, TargetType};
use crate::error::{Detail, Error, Result};
use crate::idempotency::{self, Accepted, IdempotencyKey};
use crate::ids::{ArtworkId, CharacterId, OperationId};
use crate::operations::{self, NewOperation, Operation, OperationType, ResourceType};
use crate::pages::Status;
use crate::validation;

pub use store::StoredCharacter;

/// Stands between the records of an aggregated list, and between the fields of one. Neither may stand in a name.
pub const BETWEEN: char = '\u{1e}';
const WITHIN: char = '\u{1f}';

/// How many characters one page or book may name.
pub const MAX_PER_RESOURCE: usize = 8;

/// A character.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Character {
    pub id: CharacterId,
    #[schema(example = "Pip")]
    pub name: String,
    /// What it looks like; may be empty.
    pub description: String,
    /// How it is drawn; may be empty.
    pub style: String,
    /// Whether anyone with the address may see it.
    pub public_preview: bool,
    /// Where anyone may see the character while `public_preview` is true.
    #[schema(required, format = "uri")]
    pub public_preview_url: Option<String>,
    #[schema(inline)]
    pub status: Status,
    /// The drawing that the character's pages follow; null until there is one.
    #[schema(required)]
    pub reference_image: Option<Image>,
    /// The operation that is drawing it at this moment; null when none is.
    #[schema(required)]
    pub active_operation_id: Option<OperationId>,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it last changed; drawing it counts.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

/// A character as pages and books name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct CharacterLink {
    pub id: CharacterId,
    pub name: String,
}

/// A character to be drawn.
#[derive(Clone, Debug, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCharacter {
    #[garde(length(chars, min = 1, max = 100), custom(validation::line))]
    #[schema(min_length = 1, max_length = 100, format = "line", example = "Pip")]
    pub name: String,
    /// What it looks like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, max = 2000), custom(validation::text)))]
    #[schema(
        max_length = 2000,
        format = "text",
        example = "A small hedgehog with a striped scarf"
    )]
    pub description: Option<String>,
    /// How it is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, max = 200), custom(validation::optional_line)))]
    #[schema(max_length = 200, format = "optional_line", example = "Round and simple")]
    pub style: Option<String>,
    /// Whether anyone with the address may see it; false when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub public_preview: Option<bool>,
}

/// What may be said with a regeneration.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CharacterRegeneration {
    /// A new description; the old one when it is left out. It becomes the character's own when it has been drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(chars, max = 2000), custom(validation::text)))]
    #[schema(max_length = 2000, format = "text", example = "A small hedgehog with a pointed hat")]
    pub description: Option<String>,
}

/// The answer to an accepted generation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CharacterAccepted {
    pub character: Character,
    /// Poll it to learn when the character is drawn.
    pub operation: Operation,
}

/// A character that may appear in a drawing.
#[derive(Clone, Debug)]
pub struct Usable(StoredCharacter);

impl Usable {
    pub fn link(&self) -> CharacterLink {
        CharacterLink {
            id: CharacterId::from_text(&self.0.id),
            name: self.0.name.clone(),
        }
    }

    pub fn sketch(&self) -> Sketch {
        Sketch {
            name: self.0.name.clone(),
            description: self.0.description.clone(),
            style: self.0.style.clone(),
            seed: self.0.seed,
            reference: self.0.image_key.clone(),
        }
    }
}

/// An active character of the account.
pub async fn get(app: &App, caller: &Caller, id: &CharacterId) -> Result<Option<Character>> {
    Ok(store::find(&app.database.read, &caller.account_id, id)
        .await?
        .map(|row| row.into_character(app)))
}

/// The account's active characters, newest first.
pub async fn list(app: &App, caller: &Caller, request: &PageRequest) -> Result<PageOf<Character>> {
    let rows = store::list(&app.database.read, &caller.account_id, request).await?;
    let page = PageOf::from_rows(rows, request.limit, |row| &row.id);
    let items = page.items.into_iter().map(|row| row.into_character(app)).collect();
    Ok(PageOf {
        items,
        next_cursor: page.next_cursor,
    })
}

/// Creates a character and queues its reference image.
pub async fn create(app: &App, caller: &Caller, key: &IdempotencyKey, new: &NewCharacter) -> Result<Accepted> {
    validation::check("character", new)?;
    let mut tx = app.database.begin().await?;
    if let Some(replay) = idempotency::claim(app, &mut tx, caller, key).await? {
        return Ok(replay);
    }
    let operation_id = operations::new_id(app);
    let id = CharacterId::generate(app.clock.now(), &app.random);
    let preview = new.public_preview.unwrap_or_default().then(|| preview_token(app));
    let seed = app.random.seed();
    let row = store::insert(
        &mut tx,
        caller,
        &id,
        new,
        seed,
        preview.as_deref(),
        &operation_id,
        app.clock.now(),
    )
    .await?;
    let drawn = row.clone();
    begin(
        app,
        tx,
        caller,
        key,
        operation_id,
        OperationType::CharacterCreate,
        row,
        drawn,
    )
    .await
}

/// Draws the character again, keeping its image until the new one is there.
pub async fn regenerate(
    app: &App,
    caller: &Caller,
    key: &IdempotencyKey,
    id: &CharacterId,
    change: &CharacterRegeneration,
) -> Result<Option<Accepted>> {
    validation::check("character", change)?;
    let mut tx = app.database.begin().await?;
    if let Some(replay) = idempotency::claim(app, &mut tx, caller, key).await? {
        return Ok(Some(replay));
    }
    let operation_id = operations::new_id(app);
    match store::start_generation(&mut tx, caller, id, &operation_id, app.clock.now()).await? {
        Some(row) => {
            // Another seed, another look. Look and words become the character's own when they have been drawn.
            let drawn = StoredCharacter {
                seed: app.random.seed(),
                description: change.description.clone().unwrap_or_else(|| row.description.clone()),
                ..row.clone()
            };
            let kind = OperationType::CharacterRegenerate;
            begin(app, tx, caller, key, operation_id, kind, row, drawn)
                .await
                .map(Some)
        }
        None => match store::find_in(&mut tx, &caller.account_id, id).await? {
            Some(_) => Err(Error::generation_active("character")),
            None => Ok(None),
        },
    }
}

/// Begins the operation that draws a character, saves the reply and commits. `row` is what it is now, `drawn` what it is
/// to become.
#[expect(clippy::too_many_arguments, reason = "all that one accepted generation is made of")]
async fn begin(
    app: &App,
    mut tx: Tx,
    caller: &Caller,
    key: &IdempotencyKey,
    operation_id: OperationId,
    kind: OperationType,
    row: StoredCharacter,
    drawn: StoredCharacter,
) -> Result<Accepted> {
    let character = row.into_character(app);
    let sketch = Usable(drawn).sketch();
    let prompt = if sketch.description.is_empty() {
        sketch.name.clone()
    } else {
        sketch.description.clone()
    };
    let drawing = NewDrawing {
        target: Target {
            kind: TargetType::Character,
            id: character.id.as_str().into(),
        },
        title: character.name.clone(),
        credits: 1,
        request: Request {
            prompt,
            title: character.name.clone(),
            aspect: Aspect::Square,
            audience: Audience::default(),
            seed: sketch.seed,
            characters: vec![Sketch {
                reference: None,
                ..sketch
            }],
        },
    };
    let new = NewOperation {
        kind,
        resource: ResourceType::Character,
        resource_id: character.id.as_str(),
        drawings: vec![drawing],
    };
    let (operation, available) = operations::begin(app, &mut tx, caller, operation_id, new).await?;
    let reply = CharacterAccepted { character, operation };
    operations::accept(app, tx, caller, key, &reply, &reply.operation, available).await
}

/// The reference image of an active character that has one.
pub async fn reference_image(app: &App, caller: &Caller, id: &CharacterId) -> Result<Option<Download>> {
    let Some(row) = store::find(&app.database.read, &caller.account_id, id).await? else {
        return Ok(None);
    };
    let (Some(key), Some(media_type)) = (row.image_key, row.image.media_type) else {
        return Ok(None);
    };
    artwork::download(app, &key, media_type).await.map(Some)
}

/// Records how the drawing of a character ended; with it come the seed and the description it was asked with.
pub async fn settle(app: &App, tx: &mut Tx, id: &str, artwork: Option<&ArtworkId>, asked: &Request) -> Result<()> {
    let description = asked.characters.first().map_or("", |sketch| &sketch.description);
    Ok(store::settle(tx, id, artwork, description, asked.seed, app.clock.now()).await?)
}

/// The characters a request names, in its order. Refuses what is not an active, ready character of the caller.
pub async fn usable(tx: &mut Tx, caller: &Caller, ids: &[String], field: &str) -> Result<Vec<Usable>> {
    if ids.len() > MAX_PER_RESOURCE {
        return Err(Error::invalid_field(
            field,
            format!("may name at most {MAX_PER_RESOURCE} characters"),
        ));
    }
    let mut characters: Vec<Usable> = Vec::with_capacity(ids.len());
    let mut details = Vec::new();
    for (index, id) in ids.iter().enumerate() {
        let problem = if ids[..index].contains(id) {
            "names a character twice"
        } else {
            match store::find_in(tx, &caller.account_id, &CharacterId::from_client(id)).await? {
                Some(row) if row.status == "ready" => {
                    characters.push(Usable(row));
                    continue;
                }
                Some(_) => "names a character that is not ready; wait until its operation has succeeded",
                None => "names no active character of this account",
            }
        };
        details.push(Detail {
            field: format!("{field}[{index}]"),
            message: problem.into(),
        });
    }
    if details.is_empty() {
        Ok(characters)
    } else {
        Err(Error::validation(details))
    }
}

/// Of the characters a page was made with, those that are still active.
pub async fn still_usable(tx: &mut Tx, caller: &Caller, ids: &[String]) -> Result<Vec<Usable>> {
    let mut characters = Vec::with_capacity(ids.len());
    for id in ids {
        characters.extend(
            store::find_in(tx, &caller.account_id, &CharacterId::from_text(id))
                .await?
                .map(Usable),
        );
    }
    Ok(characters)
}

/// Reads an aggregated list of characters.
pub fn links(aggregated: Option<&str>) -> Vec<CharacterLink> {
    let Some(text) = aggregated else { return Vec::new() };
    text.split(BETWEEN)
        .filter_map(|record| record.split_once(WITHIN))
        .map(|(id, name)| CharacterLink {
            id: CharacterId::from_text(id),
            name: name.into(),
        })
        .collect()
}

/// 128 random bits: nobody guesses a preview's address.
fn preview_token(app: &App) -> String {
    let mut bytes = [0; 16];
    app.random.fill(&mut bytes);
    hex::encode(bytes)
}

impl StoredCharacter {
    fn into_character(self, app: &App) -> Character {
        Character {
            public_preview: self.preview_token.is_some(),
            public_preview_url: self
                .preview_token
                .map(|token| format!("{}/preview/{token}", app.config.public_url)),
            reference_image: self.image.at(format!(
                "{}/characters/{}/reference_image",
                app.config.base_url(),
                self.id
            )),
            id: CharacterId::from_text(self.id),
            name: self.name,
            description: self.description,
            style: self.style,
            status: Status::parse(&self.status),
            active_operation_id: self.active_operation_id.map(OperationId::from_text),
            created_at: Timestamp::from_microseconds(self.created_at),
            updated_at: Timestamp::from_microseconds(self.updated_at),
        }
    }
}
