//! Operations: what an account follows while its drawings are made.
mod resource;
mod store;

use crate::accounts::Usage;
use crate::app::App;
use crate::caller::Caller;
use crate::credits;
use crate::database::{PageOf, PageRequest, Tx};
use crate::error::Result;
use crate::ids::{AccountId, OperationId};
use crate::queue::{self, Target};

pub(crate) use resource::{
    FailureCode, Item, LastFailure, Operation, OperationCredits, OperationStatus, OperationType, Progress,
    ResourceLink, ResourceType, SafeError,
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

/// How one drawing of an operation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Succeeded,
    Failed,
}

/// An operation that ended, and what is to be refunded of it.
#[must_use = "what failed is refunded at the end of the transaction"]
#[derive(Debug)]
pub(crate) struct Ended {
    pub operation: OperationId,
    refund: i64,
}

/// Records how a drawing ended. With the last one the operation ends: whoever waited for it is free again, and `refund`
/// gives back what failed.
pub(crate) async fn record_outcome(
    app: &App,
    tx: &mut Tx,
    id: &OperationId,
    outcome: Outcome,
) -> Result<Option<Ended>> {
    let counted = store::record_outcome(tx, id, outcome).await?;
    if counted.completed + counted.failed < counted.total {
        return Ok(None);
    }
    let status = match (counted.completed, counted.failed) {
        (_, 0) => OperationStatus::Succeeded,
        (0, _) => OperationStatus::Failed,
        _ => OperationStatus::PartiallySucceeded,
    };
    let refund = match counted.failed {
        0 => 0,
        _ => queue::credits_of_failed(tx, id).await?,
    };
    store::finish(tx, id, status, refund, app.clock.now()).await?;
    Ok(Some(Ended {
        operation: id.clone(),
        refund,
    }))
}

/// Refunds what operations that ended did not deliver, and takes them from what the account has under way. It locks the
/// account's row, so it comes at the end of the transaction.
pub(crate) async fn refund(
    app: &App,
    tx: &mut Tx,
    account: &AccountId,
    ended: &[Ended],
    usage: &mut Usage,
) -> Result<()> {
    for Ended { operation, refund } in ended {
        usage.generations -= 1;
        credits::refund(app, tx, account, *refund, operation).await?;
    }
    Ok(())
}

/// Cancels what is queued for a target that goes away. What a provider is drawing already is drawn to its end: it costs,
/// and it is completed without a target. The target itself is the caller's to change, and so is what ended to `refund`.
pub(crate) async fn cancel_queued(app: &App, tx: &mut Tx, target: &Target) -> Result<Canceled> {
    let operations = queue::cancel(app, tx, target, FailureCode::Canceled.as_str()).await?;
    let mut canceled = Canceled {
        any: !operations.is_empty(),
        ended: Vec::new(),
    };
    for operation in operations {
        canceled
            .ended
            .extend(record_outcome(app, tx, &operation, Outcome::Failed).await?);
    }
    Ok(canceled)
}

/// What a cancellation did.
pub(crate) struct Canceled {
    /// Whether anything was queued.
    pub any: bool,
    /// The operations that ended with it.
    pub ended: Vec<Ended>,
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
            error: self.error_code.into(),
        }
    }
}
