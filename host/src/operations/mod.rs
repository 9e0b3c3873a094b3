//! Operations: what an account follows while its drawings are made.
mod resource;
mod store;

use std::collections::{BTreeMap, HashMap};

use crate::accounts::{self, Usage};
use crate::app::App;
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::credits::{self, Refund};
use crate::database::{PageOf, PageRequest, Tx};
use crate::error::Result;
use crate::grants;
use crate::ids::{AccountId, GrantId, OperationId, PageId};
use crate::objects;
use crate::queue::{self, CanceledDrawing, DrawingStatus, SourcePicture, Target};

pub(crate) use resource::{
    FailureCode, Item, ItemProgress, LastFailure, Operation, OperationCredits, OperationStatus, OperationType,
    Progress, ResourceLink, ResourceType, SafeError,
};

/// Records an operation that begins.
pub(crate) async fn insert(tx: &mut Tx, caller: &Caller, operation: &Operation) -> Result<()> {
    Ok(store::insert(tx, caller, operation).await?)
}

/// One operation of the caller's account.
pub(crate) async fn get(app: &App, caller: &Caller, id: &OperationId) -> Result<Option<Operation>> {
    let Some(row) = store::find(&app.database.read, &caller.account_id, id).await? else {
        return Ok(None);
    };
    let mut items = store::items(&app.database.read, &[id]).await?;
    let items = items.remove(id).unwrap_or_default();
    Ok(Some(row.into_operation(app, items)))
}

/// When a drawing of an operation ended last, or else when the operation began or was accepted.
pub(crate) async fn quiet_since(app: &App, operation: &Operation) -> Result<Timestamp> {
    let last = store::last_ended(&app.database.read, &operation.id).await?;
    Ok(last.or(operation.started_at).unwrap_or(operation.created_at))
}

/// The notes of image providers about the newest drawings of these pages; pages without a note are left out.
pub(crate) async fn page_notes(app: &App, caller: &Caller, pages: &[PageId]) -> Result<HashMap<PageId, String>> {
    Ok(store::page_notes(&app.database.read, &caller.account_id, pages).await?)
}

/// The account's operations, newest first.
pub(crate) async fn list(
    app: &App,
    caller: &Caller,
    status: Option<OperationStatus>,
    request: &PageRequest,
) -> Result<PageOf<Operation>> {
    let rows = store::list(&app.database.read, &caller.account_id, status, request).await?;
    let page = PageOf::from_rows(rows, request, |row| row.id.as_str());
    let ids: Vec<&OperationId> = page.items.iter().map(|row| &row.id).collect();
    let mut items = store::items(&app.database.read, &ids).await?;
    let operations = page.items.into_iter().map(|row| {
        let items = items.remove(&row.id).unwrap_or_default();
        row.into_operation(app, items)
    });
    Ok(PageOf {
        items: operations.collect(),
        next_cursor: page.next_cursor,
    })
}

/// Notes that a worker took the first drawing of an operation.
pub(crate) async fn start(app: &App, tx: &mut Tx, id: &OperationId) -> Result<()> {
    Ok(store::start(tx, id, app.clock.now()).await?)
}

/// What drawings that ended leave to be done at the end of the transaction: for that the account's row is locked.
#[must_use = "what was not drawn is refunded at the end of the transaction"]
#[derive(Debug, Default)]
pub(crate) struct Ended {
    /// Operations that ended with their last drawing.
    pub operations: Vec<OperationId>,
    /// What failed or was canceled, free of charge or not.
    refunds: Vec<Refund>,
    /// Credits that were refunded, by the grant that they were spent under.
    by_grant: BTreeMap<GrantId, i64>,
    /// Pictures that drawings were made from, and that nothing needs any more.
    sources: Vec<SourcePicture>,
}

impl Ended {
    /// How many drawings failed or were canceled.
    pub(crate) fn undrawn(&self) -> usize {
        self.refunds.len()
    }

    /// With the sources of the drawings that ended.
    pub(crate) fn with_sources(mut self, sources: impl IntoIterator<Item = SourcePicture>) -> Self {
        self.sources.extend(sources);
        self
    }
}

/// Whether the cover of a book may be drawn now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoverTurn {
    Draw,
    /// Once a page of its order was drawn.
    Wait,
    /// Nothing that was ordered with it is paid, and the account has no free cover left.
    Never,
}

/// Decides whether the cover of an operation may be drawn, and takes one of the account's free covers for as long as nothing
/// paid was drawn of the operation: its pages may yet be refunded.
pub(crate) async fn begin_cover(app: &App, account: &AccountId, id: &OperationId) -> Result<CoverTurn> {
    let mut tx = app.database.begin().await?;
    let Some(paid) = store::take_free_cover(&mut tx, id, app.clock.now()).await? else {
        return Ok(CoverTurn::Draw);
    };
    let turn = match accounts::are_free_covers_within(app, &mut tx, account).await? {
        true => CoverTurn::Draw,
        // Nothing is taken: the transaction is dropped.
        false if paid > 0 => return Ok(CoverTurn::Wait),
        // It counts all the same, so that orders that are always refunded come to an end.
        false => CoverTurn::Never,
    };
    tx.commit().await?;
    Ok(turn)
}

/// Records that a drawing of an operation was drawn that cost so much.
pub(crate) async fn record_drawn(app: &App, tx: &mut Tx, id: &OperationId, credits: i64) -> Result<Ended> {
    let counted = Outcome {
        completed: 1,
        earned: credits,
        ..Outcome::default()
    };
    let mut ended = Ended::default();
    record(app, tx, id, counted, &mut ended).await?;
    Ok(ended)
}

/// Records that drawings failed or were canceled, of whichever operations they are.
pub(crate) async fn record_failed(app: &App, tx: &mut Tx, refunds: Vec<Refund>) -> Result<Ended> {
    // In one order, as operations are locked by others who record several.
    let mut counted: BTreeMap<&OperationId, Outcome> = BTreeMap::new();
    for refund in &refunds {
        let counted = counted.entry(&refund.operation).or_default();
        counted.failed += 1;
        counted.refunded += refund.credits;
    }
    let mut ended = Ended::default();
    for (id, counted) in counted {
        record(app, tx, id, counted, &mut ended).await?;
    }
    ended.refunds = refunds;
    Ok(ended)
}

/// Records that drawings were canceled.
pub(crate) async fn record_canceled(app: &App, tx: &mut Tx, canceled: Vec<CanceledDrawing>) -> Result<Ended> {
    let (refunds, sources): (Vec<_>, Vec<_>) = canceled
        .into_iter()
        .map(|drawing| (drawing.refund, drawing.source))
        .unzip();
    Ok(record_failed(app, tx, refunds)
        .await?
        .with_sources(sources.into_iter().flatten()))
}

/// Drawings of an operation that ended.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    completed: i64,
    failed: i64,
    /// In credits.
    refunded: i64,
    /// In credits.
    earned: i64,
}

/// Counts drawings that ended. With the last one the operation ends.
async fn record(app: &App, tx: &mut Tx, id: &OperationId, outcome: Outcome, ended: &mut Ended) -> Result<()> {
    let counted = store::record_outcome(tx, id, outcome).await?;
    if let Some(grant) = counted.grant_id {
        *ended.by_grant.entry(grant).or_default() += outcome.refunded;
    }
    if counted.completed + counted.failed < counted.total {
        return Ok(());
    }
    let status = match (counted.completed, counted.failed) {
        (_, 0) => OperationStatus::Succeeded,
        (0, _) => OperationStatus::Failed,
        _ => OperationStatus::PartiallySucceeded,
    };
    store::finish(tx, id, status, app.clock.now()).await?;
    ended.operations.push(id.clone());
    Ok(())
}

/// Refunds what was not drawn, gives up the sources of what ended, and takes the operations that ended from what the account has under way. It locks the
/// account's row, so it comes at the end of the transaction.
pub(crate) async fn refund(
    app: &App,
    tx: &mut Tx,
    account: &AccountId,
    ended: &Ended,
    usage: &mut Usage,
) -> Result<()> {
    usage.generations -= i64::try_from(ended.operations.len()).unwrap_or(i64::MAX);
    let sources: Vec<&str> = ended.sources.iter().map(|source| source.key.as_str()).collect();
    objects::discard(app, tx, &sources).await?;
    usage.stored_bytes -= ended.sources.iter().map(|source| source.byte_size).sum::<i64>();
    grants::give_back(tx, &ended.by_grant).await?;
    credits::refund(app, tx, account, &ended.refunds).await
}

/// Cancels what is queued for targets that go away. What a provider is drawing already is drawn to its end: it costs,
/// and it is completed without a target. The targets themselves are the caller's to change, and so is what ended to `refund`.
pub(crate) async fn cancel_queued(app: &App, tx: &mut Tx, targets: &[Target]) -> Result<Ended> {
    let canceled = cancel_drawings(app, tx, targets).await?;
    record_canceled(app, tx, canceled).await
}

/// The first half of it, for whoever locks the targets before their operations; `record_canceled` is the second.
pub(crate) async fn cancel_drawings(app: &App, tx: &mut Tx, targets: &[Target]) -> Result<Vec<CanceledDrawing>> {
    queue::cancel(app, tx, targets, FailureCode::Canceled.as_str()).await
}

impl store::OperationRow {
    fn into_operation(self, app: &App, items: Vec<store::ItemRow>) -> Operation {
        let items: Vec<Item> = items.into_iter().map(store::ItemRow::into_item).collect();
        let error = match self.status {
            OperationStatus::Failed => items.iter().find_map(|item| item.error.clone()),
            _ => None,
        };
        Operation {
            url: resource::url(app, &self.id),
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
            resource: ResourceLink::new(app, self.resource_type, &self.resource_id),
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
        Item {
            kind: self.target_type,
            id: self.target_id,
            title: self.title,
            status: self.status,
            error: self.error_code.error(self.credits),
            note: self.note,
            progress: self
                .progress_done
                .zip(self.progress_total)
                .filter(|_| self.status == DrawingStatus::Running)
                .map(|(done, total)| ItemProgress { done, total }),
        }
    }
}
