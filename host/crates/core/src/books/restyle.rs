//! Restyling a book: all its pages are drawn again with another look, or those that the customer chose.
use garde::Validate;
use serde::{Deserialize, Serialize};

use super::{BookAccepted, MAX_PAGES, contents, read, start_generation, store};
use crate::generation::{Accepted, Claim, Generation};
use crate::looks::LookChange;
use crate::operations::{OperationType, ResourceType};
use crate::pages::{self, Redrawing};
use linepress_accounts::caller::Caller;
use linepress_accounts::credits::pricing;
use linepress_accounts::idempotency;
use linepress_accounts::order::Order;
use linepress_model::{DetailLevel, FrameStyle, LineWeight, Look};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{BookId, PageId};
use linepress_platform::scopes::Scopes;
use linepress_platform::text::DrawingStyle;
use linepress_platform::validation;

/// The options of a book whose pages are drawn again: all of them, or those in `page_ids`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, Validate, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BookRestyling {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub line_weight: Option<LineWeight>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub detail: Option<DetailLevel>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub style: Option<DrawingStyle>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub frame: Option<FrameStyle>,
    /// Draws only these, imported ones too. The book keeps its look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(custom(names_pages))]
    #[schema(min_items = 1, max_items = 100)]
    pub page_ids: Option<Vec<PageId>>,
}

fn names_pages(ids: &Option<Vec<PageId>>, _: &()) -> garde::Result {
    match ids {
        Some(ids) if !(1..=MAX_PAGES).contains(&ids.len()) => {
            Err(garde::Error::new(format!("must name 1 to {MAX_PAGES} pages")))
        }
        _ => Ok(()),
    }
}

impl BookRestyling {
    fn look_change(&self) -> LookChange<'_> {
        LookChange {
            line_weight: self.line_weight,
            detail: self.detail,
            style: self.style.as_ref(),
            frame: self.frame,
        }
    }
}

/// Gives the book and its pages a look, and queues new drawings of all pages that providers draw. If the request names
/// pages, they alone are drawn and change their look, and the book keeps its own. Each keeps its present image until
/// then. None if the book does not exist; an error while it or one of these pages is being drawn, or if a named page is
/// locked.
pub async fn restyle(
    app: &App,
    caller: &Caller,
    order: &Order,
    id: &BookId,
    change: &BookRestyling,
) -> Result<Option<Accepted<BookAccepted>>> {
    caller.require(Scopes::SPENDING)?;
    idempotency::or_conflict(app, caller, Some(order.key()), validation::check(change)).await?;
    let kind = OperationType::BookRestyle;
    let mut generation = match Generation::claim(app, caller, order, kind, Some(id.as_str()), change).await? {
        Claim::Replay(accepted) => return Ok(Some(accepted)),
        Claim::Fresh(generation) => *generation,
    };
    let Some(book) = store::find(&mut *generation.tx, caller.account_id(), id).await? else {
        return Ok(None);
    };
    // Pages are locked before the account, whose credits may be refilled when the price is checked, and before their
    // book, as when the book is deleted.
    let tx = &mut generation.tx;
    let ids = contents::lock_pages(app, tx, id).await?.ids(tx, id).await?;
    let pictures = match &change.page_ids {
        Some(named) => {
            contents::check_named(&ids.iter().collect(), named)?;
            named.len()
        }
        None => pages::count_restyled(tx, id).await?,
    };
    if pictures > 0 {
        generation.check_payable(pricing::pictures(pictures)).await?;
    }
    let (tx, operation) = (&mut generation.tx, &generation.operation_id);
    let look = change.look_change().over(&Look::from(book.look));
    let redrawing = match &change.page_ids {
        Some(named) => Redrawing::Chosen(named, change.look_change()),
        None => Redrawing::Drawn(&ids, &look),
    };
    let jobs = pages::redraw_all(app, tx, caller, operation, redrawing).await?;
    let Some(book) = start_generation(app, tx, caller, id, operation).await? else {
        return Ok(None);
    };
    if jobs.is_empty() {
        return Err(Error::invalid_field(
            Field::pages(),
            "must contain a page that can be drawn again: your own artwork cannot, and locked pages must be unlocked first",
        ));
    }
    if change.page_ids.is_none() {
        // Another request may have changed the book until it was locked.
        let look = change.look_change().over(&Look::from(book.look));
        store::set_look(tx, id, &look).await?;
    }
    let book = read(app, tx, caller, id).await?;
    let reply = |operation| BookAccepted { book, operation };
    let accepted = generation.accept((ResourceType::Book, id.as_str()), jobs, reply);
    accepted.await.map(Some)
}
