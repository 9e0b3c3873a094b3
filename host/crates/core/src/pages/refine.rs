//! Refinement of a page: a change of its present picture as the customer says in words.
use super::{Page, PageAccepted, PageRefinement, PageRegeneration, accept, drawing_job, seeds, start, store};
use crate::characters;
use crate::generation::{Accepted, Claim, Generation};
use crate::operations::OperationType;
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency;
use linepress_accounts::order::Order;
use linepress_drawings::queue::Refinement;
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::PageId;
use linepress_platform::scopes::Scopes;
use linepress_platform::validation;

/// The picture of a page, with what is known about its drawing.
#[derive(sqlx::FromRow)]
pub(super) struct PresentPicture {
    pub image_key: String,
    /// The prompt that it was drawn with. None if it was imported.
    pub prompt: Option<String>,
    /// The seed that draws its composition from text again.
    pub seed: Option<i64>,
    /// The request that drew it; empty after it was deleted.
    pub request: Option<String>,
}

/// Queues a change of the page's picture, which remains until the new one is drawn. The prompt of the page does not
/// change: the operation records the instruction. None if the page does not exist.
pub async fn refine(
    app: &App,
    caller: &Caller,
    order: &Order,
    id: &PageId,
    wish: &PageRefinement,
) -> Result<Option<Accepted<PageAccepted>>> {
    caller.require(Scopes::SPENDING)?;
    idempotency::or_conflict(app, caller, Some(order.key()), validation::check(wish)).await?;
    let kind = OperationType::PageRefine;
    let mut generation = match Generation::claim(app, caller, order, kind, Some(id.as_str()), wish).await? {
        Claim::Replay(accepted) => return Ok(Some(accepted)),
        Claim::Fresh(generation) => *generation,
    };
    let Some(row) = start(app, caller, &mut generation, id).await? else {
        return Ok(None);
    };
    let tx = &mut generation.tx;
    let present = store::picture(tx, id).await?.ok_or_else(nothing_to_refine)?;
    let audience = row.audience;
    let page: Page = row.into_page();
    let seed_book = seeds::seed_book(tx, id).await?;
    let characters = characters::still_active(tx, caller, page.characters.iter().map(|link| &link.id)).await?;
    // Destructured by name, so that a new field must be used or left out on purpose.
    let PageRefinement {
        instruction,
        title,
        caption,
    } = wish;
    let texts = PageRegeneration {
        prompt: None,
        title: title.clone(),
        caption: caption.clone(),
        variants: None,
        source_upload_id: None,
    };
    let mut job = drawing_job(app, &page, audience, seed_book, &characters, &texts);
    // The page's own prompt may have been edited since.
    if let Some(prompt) = present.prompt {
        job.request.prompt = prompt;
    }
    job.request.refinement = Some(Refinement {
        instruction: instruction.to_string(),
        earlier: Refinement::instructions_from_request(present.request.as_deref().unwrap_or_default()),
        picture: present.image_key,
        seed: present.seed,
    });
    accept(generation, page, vec![job]).await.map(Some)
}

fn nothing_to_refine() -> Error {
    Error::invalid_field(
        Field::instruction(),
        "cannot be followed: the page has no picture yet; regenerate the page instead",
    )
}
