//! Ordering the book of a draft: a draft is ordered once, even if it is requested repeatedly.
use super::{Edit, ORDERED_LIFETIME, SaveOutcome, save, store};
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency::IdempotencyKey;
use linepress_accounts::order::{AgreedPrice, Order};
use linepress_core::books;
use linepress_platform::app::App;
use linepress_platform::error::{ErrorKind, Result};
use linepress_platform::ids::{BookId, DraftId};
use linepress_platform::scopes::Scopes;

/// The outcome of an order.
#[derive(Debug, PartialEq, Eq)]
pub enum Ordered {
    /// The book, created now or by an earlier order of the same draft.
    Book(BookId),
    /// Nothing was ordered, because the draft could not be saved, for this reason.
    NotSaved(SaveOutcome),
}

/// Generates the idempotency key under which a draft is ordered.
pub(super) fn new_key(app: &App) -> String {
    let mut bytes = [0; 16];
    app.random.fill(&mut bytes);
    format!("draft-{}", hex::encode(bytes))
}

/// Saves the draft and creates its book at the agreed price.
pub async fn order(
    app: &App,
    caller: &Caller,
    id: &DraftId,
    edit: &Edit<'_>,
    agreed_price: AgreedPrice,
) -> Result<Ordered> {
    caller.require(Scopes::SPENDING)?;
    match save(app, caller, id, edit).await? {
        SaveOutcome::Saved => {}
        SaveOutcome::Ordered { book, is_same: true } => return Ok(Ordered::Book(book)),
        other => return Ok(Ordered::NotSaved(other)),
    }
    let Some(key) = store::order_key(&app.database.read, caller.account_id(), id).await? else {
        return Ok(Ordered::NotSaved(SaveOutcome::Missing));
    };
    let order = Order::new(IdempotencyKey::parse(Some(&key))?, agreed_price);
    let accepted = match books::create(app, caller, &order, &edit.book.request()).await {
        Ok(accepted) => accepted,
        // An order with a different text was accepted before, and the server stopped before it marked the draft as
        // ordered.
        Err(error) if error.kind == ErrorKind::IdempotencyConflict => {
            return Ok(Ordered::NotSaved(SaveOutcome::Conflict));
        }
        Err(error) => return Err(error),
    };
    let book = accepted.reply.book.id;
    let mut tx = app.database.begin().await?;
    let expires_at = app.clock.now().plus(ORDERED_LIFETIME);
    store::mark_ordered(&mut tx, caller.account_id(), id, &book, expires_at).await?;
    books::set_theme(&mut tx, &book, &edit.book.theme).await?;
    tx.commit().await?;
    Ok(Ordered::Book(book))
}
