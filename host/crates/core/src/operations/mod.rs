//! Operations: the progress of an account's generations, which clients poll.
//!
//! # Refunds
//!
//! Every drawing that ends without a picture is refunded in the transaction that ends it, if it cost anything. While a
//! worker holds the drawing, `worker` decides: `outcome_from_error` in `draw` classifies an error of the provider, and
//! `record_outcome` in `complete` ends the drawing or queues it again. While no worker holds it, it may be given up, or
//! canceled: with its page, character, book or operation, or because its account is closed or suspended.
//!
//! `record_failed` and `record_undrawn` count the drawing in its operation and return `EndedDrawings`, and `settle`
//! gives the credits back at the end of the transaction.
mod resource;
mod store;

use std::collections::BTreeMap;

use serde_json::json;

use crate::address::Address;
use crate::objects;
use linepress_accounts::accounts::{self, Usage};
use linepress_accounts::caller::Caller;
use linepress_accounts::credit_caps;
use linepress_accounts::credits::{self, Refund};
use linepress_accounts::outbox::{self, MailKind, Recipient};
use linepress_accounts::webhooks::{self, Callback, EventType};
use linepress_drawings::queue::{self, DrawingStatus, SourcePicture, Target, UndrawnDrawing};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{PageOf, PageRequest, Tx};
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, GrantId, KeyId, OperationId};

pub use resource::{
    FailureCode, Item, ItemProgress, LastFailure, Operation, OperationCredits, OperationStatus, OperationType,
    Progress, ResourceLink, ResourceType, SafeError,
};

/// Inserts a new operation. `uses_free_cover` is true if it uses one of the account's free covers from the beginning.
pub async fn insert(
    tx: &mut Tx,
    caller: &Caller,
    operation: &Operation,
    uses_free_cover: bool,
    callback: Option<&Callback>,
) -> Result<()> {
    Ok(store::insert(tx, caller, operation, uses_free_cover, callback).await?)
}

/// An operation of the caller's account. None if the operation does not exist.
pub async fn get(app: &App, caller: &Caller, id: &OperationId) -> Result<Option<Operation>> {
    caller.require_reading()?;
    let Some(row) = store::find(&app.database.read, caller.account_id(), id).await? else {
        return Ok(None);
    };
    let mut items = store::items(&app.database.read, &[id]).await?;
    let items = items.remove(id).unwrap_or_default();
    Ok(Some(row.into_operation(items)))
}

/// The time when the last drawing of the operation ended; before that, the time when the operation began or was
/// accepted.
pub async fn last_activity_at(app: &App, operation: &Operation) -> Result<Timestamp> {
    let last = store::last_ended(&app.database.read, &operation.id).await?;
    Ok(last.or(operation.started_at).unwrap_or(operation.created_at))
}

/// The number of drawings of the account that were ordered before the operation and have not ended. Zero once one of
/// the operation's own drawings has begun.
pub async fn waits_for(app: &App, caller: &Caller, operation: &Operation) -> Result<i64> {
    caller.require_reading()?;
    if operation.items.iter().any(|item| item.status != DrawingStatus::Queued) {
        return Ok(0);
    }
    queue::count_before(app, caller.account_id(), &operation.id).await
}

/// The account's operations, newest first.
pub async fn list(
    app: &App,
    caller: &Caller,
    status: Option<OperationStatus>,
    request: &PageRequest,
) -> Result<PageOf<Operation>> {
    caller.require_reading()?;
    let rows = store::list(&app.database.read, caller.account_id(), status, request).await?;
    let page = PageOf::from_rows(rows, request, |row| row.id.as_str());
    let ids: Vec<&OperationId> = page.items.iter().map(|row| &row.id).collect();
    let mut items = store::items(&app.database.read, &ids).await?;
    Ok(page.map(|row| {
        let items = items.remove(&row.id).unwrap_or_default();
        row.into_operation(items)
    }))
}

/// Locks an operation until the transaction ends. Returns false if it has ended.
pub(crate) async fn lock_open(tx: &mut Tx, id: &OperationId) -> Result<bool> {
    Ok(store::lock_open(tx, id).await?)
}

/// Records that a worker claimed the first drawing of an operation.
pub(crate) async fn start(app: &App, tx: &mut Tx, id: &OperationId) -> Result<()> {
    Ok(store::start(tx, id, app.clock.now()).await?)
}

/// Drawings that ended in this transaction. [`settle`] does the rest at the end of the transaction, because it locks
/// the account's row.
#[must_use = "pass it to `settle` at the end of the transaction"]
#[derive(Debug, Default)]
pub struct EndedDrawings {
    /// Operations that ended with their last drawing.
    pub operations: Vec<OperationId>,
    /// The callbacks that get the events of their ends.
    callbacks: BTreeMap<OperationId, Callback>,
    /// Those of them that drew a new book.
    books: Vec<OperationId>,
    /// Drawings that failed or were canceled, including those that cost nothing.
    refunds: Vec<Refund>,
    /// Credits that were refunded, by the grant under which they were spent.
    by_grant: BTreeMap<GrantId, i64>,
    /// The same by API key, and by the time at which they were spent.
    by_key: BTreeMap<(KeyId, Timestamp), i64>,
    /// Source pictures of the drawings, which nothing needs any more.
    sources: Vec<SourcePicture>,
}

impl EndedDrawings {
    /// The number of drawings that failed or were canceled.
    pub fn undrawn(&self) -> usize {
        self.refunds.len()
    }

    /// Discards the source picture of a target whose drawing ended, unless another variant of it is still to be drawn
    /// from the same picture. Call it when the operation's row is locked, so that the last two variants do not miss
    /// each other.
    pub(crate) async fn discard_source(&mut self, tx: &mut Tx, target: &Target, source: SourcePicture) -> Result<()> {
        if !queue::has_open_drawing(tx, target).await? {
            self.sources.push(source);
        }
        Ok(())
    }
}

/// The decision whether the cover of a book may be drawn now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoverTurn {
    Draw,
    /// The cover is drawn once a page of its order was drawn.
    Wait,
    /// The cover is not drawn: nothing paid remains of its order, and the account has no free cover left.
    Never,
}

/// Decides whether the cover of an operation may be drawn. It uses one of the account's free covers if no paid drawing
/// of the operation has succeeded yet, because its pages may still be refunded.
pub(crate) async fn begin_cover(app: &App, account: &AccountId, id: &OperationId) -> Result<CoverTurn> {
    let mut tx = app.database.begin().await?;
    let Some(paid) = store::take_free_cover(&mut tx, id, app.clock.now()).await? else {
        return Ok(CoverTurn::Draw);
    };
    let turn = match accounts::are_free_covers_within(app, &mut tx, account).await? {
        true => CoverTurn::Draw,
        // The transaction is dropped, so no free cover is used.
        false if paid > 0 => return Ok(CoverTurn::Wait),
        // The free cover is counted anyway, to limit orders that are always refunded.
        false => CoverTurn::Never,
    };
    tx.commit().await?;
    Ok(turn)
}

/// Records that a drawing of an operation succeeded, and the credits that were charged for it.
pub(crate) async fn record_drawn(app: &App, tx: &mut Tx, id: &OperationId, credits: i64) -> Result<EndedDrawings> {
    let counts = DrawingCounts {
        completed: 1,
        earned: credits,
        ..DrawingCounts::default()
    };
    let mut ended = EndedDrawings::default();
    record(app, tx, id, counts, &mut ended).await?;
    Ok(ended)
}

/// Records that drawings failed or were canceled. They may belong to several operations.
pub(crate) async fn record_failed(app: &App, tx: &mut Tx, refunds: Vec<Refund>) -> Result<EndedDrawings> {
    // Sorted by operation id: every transaction that locks several operations does so in this order.
    let mut counts: BTreeMap<&OperationId, DrawingCounts> = BTreeMap::new();
    for refund in &refunds {
        let counts = counts.entry(&refund.operation).or_default();
        counts.failed += 1;
        counts.refunded += refund.credits;
    }
    let mut ended = EndedDrawings::default();
    for (id, counts) in counts {
        record(app, tx, id, counts, &mut ended).await?;
    }
    ended.refunds = refunds;
    Ok(ended)
}

/// Records that drawings were canceled or given up while no worker held them.
pub(crate) async fn record_undrawn(app: &App, tx: &mut Tx, canceled: Vec<UndrawnDrawing>) -> Result<EndedDrawings> {
    let mut sources: BTreeMap<String, (Target, SourcePicture)> = BTreeMap::new();
    let mut refunds = Vec::new();
    for UndrawnDrawing {
        target, refund, source, ..
    } in canceled
    {
        if let Some(source) = source {
            sources.insert(target.id().to_owned(), (target, source));
        }
        refunds.push(refund);
    }
    let mut ended = record_failed(app, tx, refunds).await?;
    for (target, source) in sources.into_values() {
        ended.discard_source(tx, &target, source).await?;
    }
    Ok(ended)
}

/// The numbers of drawings that ended, and their credits.
#[derive(Clone, Copy, Debug, Default)]
struct DrawingCounts {
    completed: i64,
    failed: i64,
    /// In credits.
    refunded: i64,
    /// In credits.
    earned: i64,
}

/// Counts drawings that ended. The operation ends with its last drawing.
async fn record(
    app: &App,
    tx: &mut Tx,
    id: &OperationId,
    counts: DrawingCounts,
    ended: &mut EndedDrawings,
) -> Result<()> {
    let counted = store::record_counts(tx, id, counts).await?;
    if let Some(grant) = counted.grant_id {
        *ended.by_grant.entry(grant).or_default() += counts.refunded;
    }
    if let Some(key) = counted.key_id {
        *ended.by_key.entry((key, counted.created_at)).or_default() += counts.refunded;
    }
    if counted.completed + counted.failed < counted.total {
        return Ok(());
    }
    let status = OperationStatus::ended_with(counted.completed, counted.failed);
    if let Some(callback) = store::finish(tx, id, status, app.clock.now()).await? {
        ended.callbacks.insert(id.clone(), callback);
    }
    ended.operations.push(id.clone());
    if counted.kind == OperationType::BookCreate {
        ended.books.push(id.clone());
    }
    Ok(())
}

/// Does what remains to be done for ended drawings: refunds those without a picture, deletes source pictures, records
/// events and mails, and subtracts the ended operations in `usage`. It locks the account's row, so call it at the end
/// of the transaction.
pub async fn settle(
    app: &App,
    tx: &mut Tx,
    account: &AccountId,
    ended: &EndedDrawings,
    usage: &mut Usage,
) -> Result<()> {
    usage.generations -= i64::try_from(ended.operations.len()).unwrap_or(i64::MAX);
    let sources: Vec<&str> = ended.sources.iter().map(|source| source.key.as_str()).collect();
    objects::discard(app, tx, &sources).await?;
    usage.stored_bytes -= ended.sources.iter().map(|source| source.byte_size).sum::<i64>();
    announce_ends(app, tx, account, ended).await?;
    credit_caps::give_back(tx, &ended.by_grant).await?;
    credits::refund(app, tx, account, &ended.refunds).await?;
    credit_caps::give_back_to_keys(tx, &ended.by_key).await?;
    for book in &ended.books {
        outbox::put(app, tx, MailKind::BookReady, Recipient::Account(account), Some(book)).await?;
    }
    Ok(())
}

/// Tells the account's webhooks, and the addresses that the orders named, which operations have ended.
async fn announce_ends(app: &App, tx: &mut Tx, account: &AccountId, ended: &EndedDrawings) -> Result<()> {
    if ended.operations.is_empty() {
        return Ok(());
    }
    let receivers = webhooks::Receivers::of(tx, account).await?;
    if receivers.is_empty() && ended.callbacks.is_empty() {
        return Ok(());
    }
    for id in &ended.operations {
        let Some(row) = store::find(&mut **tx, account, id).await? else {
            continue;
        };
        let operation = row.into_operation(Vec::new());
        let kind = match operation.status {
            OperationStatus::Queued | OperationStatus::Running => continue,
            OperationStatus::Succeeded => EventType::OperationSucceeded,
            OperationStatus::PartiallySucceeded => EventType::OperationPartiallySucceeded,
            OperationStatus::Failed => EventType::OperationFailed,
        };
        let data = json!({
            "operation_id": operation.id,
            "operation_type": operation.kind,
            "status": operation.status,
            "progress": operation.progress,
            "resource": operation.resource,
        });
        receivers.record(app, tx, kind, &data).await?;
        if let Some(callback) = ended.callbacks.get(id) {
            webhooks::record_callback(app, tx, account, (kind, &data), callback).await?;
        }
    }
    Ok(())
}

/// Cancels the queued drawings of targets that are being deleted or archived, without recording it in their operations.
/// A drawing that a provider has already begun is finished and charged, and its target gets the result. The caller of
/// this function changes the targets, which are locked before the operations, and then calls [`record_undrawn`] and
/// [`settle`].
pub(crate) async fn cancel_drawings(app: &App, tx: &mut Tx, targets: &[Target]) -> Result<Vec<UndrawnDrawing>> {
    queue::cancel(app, tx, targets, FailureCode::Canceled.as_str()).await
}

impl store::OperationRow {
    fn into_operation(self, items: Vec<store::ItemRow>) -> Operation {
        let items: Vec<Item> = items.into_iter().map(store::ItemRow::into_item).collect();
        let error = match self.status {
            OperationStatus::Failed => items.iter().find_map(|item| item.error.clone()),
            _ => None,
        };
        Operation {
            url: Address::default(),
            id: self.id,
            kind: self.kind,
            status: self.status,
            progress: Progress {
                completed: self.completed,
                failed: self.failed,
                total: self.total,
            },
            credits: OperationCredits {
                charged: self.charged,
                refunded: self.refunded,
            },
            resource: ResourceLink::new(self.resource_type, &self.resource_id),
            items,
            error,
            created_at: self.created_at,
            started_at: self.started_at,
            finished_at: self.finished_at,
        }
    }
}

impl store::ItemRow {
    fn into_item(self) -> Item {
        // Only a picture has a note of its provider: the text of a failure is the reviewer's sentence.
        let (error, note) = match self.error_code.error(self.credits) {
            Some(error) => (Some(error.with_sentence(self.note)), None),
            None => (None, self.note),
        };
        Item {
            kind: self.target_type,
            id: self.target_id,
            title: self.title,
            status: self.status,
            error,
            note,
            instruction: self.instruction,
            progress: self
                .progress_done
                .zip(self.progress_total)
                .filter(|_| self.status == DrawingStatus::Running)
                .map(|(done, total)| ItemProgress { done, total }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use linepress_drawings::queue::TargetType;

    fn item(status: DrawingStatus, failure: Option<&str>, done: Option<i64>) -> store::ItemRow {
        store::ItemRow {
            operation_id: OperationId::from_text("op_1"),
            target_type: TargetType::Page,
            target_id: "page_1".into(),
            title: "A fox".into(),
            credits: 1,
            status,
            error_code: failure.map(str::to_owned).try_into().unwrap(),
            note: None,
            instruction: None,
            progress_done: done,
            progress_total: Some(20),
        }
    }

    #[test]
    fn a_drawing_shows_its_progress_only_while_it_runs() {
        let seven_of_20 = Some(ItemProgress { done: 7, total: 20 });
        for (status, done, progress) in [
            (DrawingStatus::Running, Some(7), seven_of_20),
            (DrawingStatus::Running, None, None),
            // It was given back to the queue, or has ended.
            (DrawingStatus::Queued, Some(7), None),
            (DrawingStatus::Failed, Some(7), None),
        ] {
            assert_eq!(item(status, None, done).into_item().progress, progress, "{status}");
        }
    }

    #[test]
    fn a_refusal_shows_the_sentence_of_the_reviewer_in_place_of_its_own() {
        let refused = |note: Option<&str>| {
            let row = store::ItemRow {
                note: note.map(str::to_owned),
                ..item(DrawingStatus::Failed, Some("review_refused"), None)
            };
            let Item { error, note, .. } = row.into_item();
            assert_eq!(note, None);
            error.unwrap().message
        };
        assert_eq!(refused(Some("It shows a logo.")), "It shows a logo.");
        assert!(refused(None).contains("reviewer declined"));
    }

    #[test]
    fn only_a_failed_operation_has_an_error_and_it_is_that_of_its_first_failed_drawing() {
        for (status, code) in [
            (OperationStatus::Failed, Some(FailureCode::Refused)),
            (OperationStatus::PartiallySucceeded, None),
            (OperationStatus::Running, None),
        ] {
            let row = store::OperationRow {
                id: OperationId::from_text("op_1"),
                kind: OperationType::BookCreate,
                status,
                resource_type: ResourceType::Book,
                resource_id: "book_1".into(),
                completed: 1,
                failed: 2,
                total: 3,
                charged: 3,
                refunded: 2,
                created_at: Timestamp::from_microseconds(0),
                started_at: None,
                finished_at: None,
            };
            let items = vec![
                item(DrawingStatus::Running, None, None),
                item(DrawingStatus::Failed, Some("generation_refused"), None),
                item(DrawingStatus::Failed, Some("generation_failed"), None),
            ];
            let error = row.into_operation(items).error;
            assert_eq!(error.map(|error| error.code), code, "{status}");
        }
    }
}
