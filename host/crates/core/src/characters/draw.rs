//! The drawing of characters: of new ones, and of existing ones again.
use linepress_model::{Aspect, Audience, Look};

use super::{
    CharacterAccepted, CharacterRegeneration, NewCharacter, ReadyCharacter, StoredCharacter, preview_token, store,
};
use crate::generation::{Accepted, Claim, Generation};
use crate::operations::{OperationType, ResourceType};
use crate::sources::Source;
use crate::variants::{self, Variants};
use linepress_accounts::caller::Caller;
use linepress_accounts::credits::pricing;
use linepress_accounts::idempotency;
use linepress_accounts::order::Order;
use linepress_drawings::queue::{CharacterSnapshot, DrawingRequest, NewDrawingJob, Target};
use linepress_drawings::routing;
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::CharacterId;
use linepress_platform::importer::SpooledFile;
use linepress_platform::scopes::Scopes;
use linepress_platform::validation;

/// Creates a character and queues its reference image, which is drawn from the picture in the file if one came with the
/// request.
pub async fn create(
    app: &App,
    caller: &Caller,
    order: &Order,
    new: &NewCharacter,
    file: Option<SpooledFile>,
) -> Result<Accepted<CharacterAccepted>> {
    caller.require(Scopes::SPENDING)?;
    idempotency::or_conflict(app, caller, Some(order.key()), validation::check(new)).await?;
    let source = Source::receive(app, caller, order, (new.source_upload_id.as_ref(), file)).await?;
    let created = create_claimed(app, caller, order, new, &source).await;
    source.release(app, order, created.as_ref().map(Some)).await;
    created
}

async fn create_claimed(
    app: &App,
    caller: &Caller,
    order: &Order,
    new: &NewCharacter,
    source: &Source,
) -> Result<Accepted<CharacterAccepted>> {
    let (kind, arguments) = (OperationType::CharacterCreate, source.arguments(new));
    let mut generation = match Generation::claim(app, caller, order, kind, None, &arguments).await? {
        Claim::Replay(accepted) => return Ok(accepted),
        Claim::Fresh(generation) => *generation,
    };
    check_description(app, caller, new.description.as_deref().unwrap_or_default(), source)?;
    let (now, preview) = (app.clock.now(), new.public_preview.unwrap_or_default());
    let inserted = store::Inserted {
        id: &CharacterId::generate(now, &app.random),
        new,
        preview_token: preview.then(|| preview_token(app)),
        seed: app.random.seed(),
        operation: &generation.operation_id,
    };
    let row = store::insert(&mut generation.tx, caller, inserted, now).await?;
    let redrawn = row.clone();
    accept(app, generation, (row, redrawn), new.variants, source).await
}

/// Queues a new drawing of the character, from the picture in the file if one came with the request. The character keeps
/// its present image until then. None if it does not exist.
pub async fn regenerate(
    app: &App,
    caller: &Caller,
    order: &Order,
    id: &CharacterId,
    change: &CharacterRegeneration,
    file: Option<SpooledFile>,
) -> Result<Option<Accepted<CharacterAccepted>>> {
    caller.require(Scopes::SPENDING)?;
    idempotency::or_conflict(app, caller, Some(order.key()), validation::check(change)).await?;
    let source = Source::receive(app, caller, order, (change.source_upload_id.as_ref(), file)).await?;
    let accepted = regenerate_claimed(app, caller, order, id, change, &source).await;
    source.release(app, order, accepted.as_ref().map(Option::as_ref)).await;
    accepted
}

async fn regenerate_claimed(
    app: &App,
    caller: &Caller,
    order: &Order,
    id: &CharacterId,
    change: &CharacterRegeneration,
    source: &Source,
) -> Result<Option<Accepted<CharacterAccepted>>> {
    let (kind, arguments) = (OperationType::CharacterRegenerate, source.arguments(change));
    let mut generation = match Generation::claim(app, caller, order, kind, Some(id.as_str()), &arguments).await? {
        Claim::Replay(accepted) => return Ok(Some(accepted)),
        Claim::Fresh(generation) => *generation,
    };
    let (tx, now) = (&mut generation.tx, app.clock.now());
    let Some(row) = store::start_generation(tx, caller, id, &generation.operation_id, now).await? else {
        return match store::find(&mut **tx, caller.account_id(), id).await? {
            Some(row) => Err(Error::generation_active("character", row.active_operation_id)),
            None => Ok(None),
        };
    };
    // A new seed gives a new look. The new seed and description are stored once the character was drawn.
    let redrawn = StoredCharacter {
        seed: app.random.seed(),
        description: change.description.as_deref().unwrap_or(&row.description).into(),
        ..row.clone()
    };
    check_description(app, caller, &redrawn.description, source)?;
    let accepted = accept(app, generation, (row, redrawn), change.variants, source).await?;
    Ok(Some(accepted))
}

/// Fails for a character without a description that is drawn from a picture, if no provider would look at its picture
/// when it draws a page: every page would show another figure.
fn check_description(app: &App, caller: &Caller, description: &str, source: &Source) -> Result<()> {
    if !source.is_given() || !description.is_empty() || routing::is_any_following_pictures(app, caller.is_test()) {
        return Ok(());
    }
    Err(Error::invalid_field(
        Field::description(),
        "is required, because this server draws a character from a photograph by its description: say what it looks \
         like, such as \"A small brown dog with floppy ears\"",
    ))
}

/// Accepts the drawings of the character `row`, the first with the seed of `redrawn`, all with its description, and
/// from the source picture if one is given.
async fn accept(
    app: &App,
    mut generation: Generation<'_>,
    (row, redrawn): (StoredCharacter, StoredCharacter),
    variants: Option<Variants>,
    source: &Source,
) -> Result<Accepted<CharacterAccepted>> {
    let character = row.into_character(app);
    let snapshot = ReadyCharacter(redrawn).snapshot();
    let prompt = if snapshot.description.is_empty() {
        snapshot.name.clone()
    } else {
        snapshot.description.clone()
    };
    let mut job = NewDrawingJob {
        target: Target::Character(character.id.clone()),
        title: character.name.clone(),
        credits: pricing::CHARACTER,
        request: DrawingRequest {
            prompt,
            new_prompt: None,
            old_prompt: None,
            new_title: None,
            new_caption: None,
            title: character.name.clone(),
            aspect: Aspect::Square,
            audience: Audience::default(),
            seed: snapshot.seed,
            characters: vec![CharacterSnapshot {
                reference: None,
                ..snapshot
            }],
            source: None,
            refinement: None,
            in_color: false,
            new_style: None,
            look: Look::default(),
            seed_book_id: None,
            is_test: false,
        },
    };
    source.draw_from(app, &mut generation.tx, &mut job).await?;
    let jobs = variants::jobs(app, job, variants)?;
    let id = character.id.clone();
    let reply = |operation| CharacterAccepted { character, operation };
    generation
        .accept((ResourceType::Character, id.as_str()), jobs, reply)
        .await
}
