//! Operations: what an account follows while its drawings are made.
mod resource;
mod store;

use serde::Serialize;

use crate::accounts;
use crate::app::App;
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::credits;
use crate::database::{PageOf, PageRequest, Tx};
use crate::drawing::{self, NewDrawing};
use crate::error::{Error, Result};
use crate::idempotency::{self, Accepted, IdempotencyKey};
use crate::ids::{AccountId, OperationId};

pub use resource::{
    Item, Operation, OperationCredits, OperationStatus, OperationType, Progress, ResourceLink, ResourceType, SafeError,
};

/// An operation to be accepted.
pub struct NewOperation<'a> {
    pub kind: OperationType,
    pub resource: ResourceType,
    pub resource_id: &'a str,
    pub drawings: Vec<NewDrawing>,
}

/// An id for an operation that is about to begin; what it draws refers to it.
pub fn new_id(app: &App) -> OperationId {
    OperationId::generate(app.clock.now(), &app.random)
}

/// Charges the account, records the operation and queues its drawings; answers it and the new balance.
pub async fn begin(
    app: &App,
    tx: &mut Tx,
    caller: &Caller,
    id: OperationId,
    new: NewOperation<'_>,
) -> Result<(Operation, i64)> {
    let now = app.clock.now();
    let charged = new.drawings.iter().map(|drawing| drawing.credits).sum();
    let balance = credits::charge(app, tx, &caller.account_id, charged, &id).await?;
    let items = new
        .drawings
        .iter()
        .map(|drawing| Item {
            kind: drawing.target.kind,
            id: drawing.target.id.clone(),
            title: drawing.title.clone(),
            status: drawing::DrawingStatus::Queued,
            error: None,
        })
        .collect();
    let operation = Operation {
        url: url(app, &id),
        kind: new.kind,
        status: OperationStatus::Queued,
        progress: Progress {
            completed: 0,
            failed: 0,
            total: i64::try_from(new.drawings.len()).unwrap_or(i64::MAX),
        },
        credits: OperationCredits { charged, refunded: 0 },
        resource: link(app, new.resource, new.resource_id),
        items,
        error: None,
        created_at: now,
        started_at: None,
        finished_at: None,
        id,
    };
    store::insert(tx, caller, &operation).await?;
    accounts::check_limits(app, tx, caller, new.kind.adds(), 0).await?;
    drawing::enqueue(app, tx, caller, &operation.id, new.drawings).await?;
    Ok((operation, balance))
}

/// Saves the reply to an accepted generation under its key, commits, and wakes the workers.
pub async fn accept(
    app: &App,
    mut tx: Tx,
    caller: &Caller,
    key: &IdempotencyKey,
    reply: &impl Serialize,
    operation: &Operation,
    available: i64,
) -> Result<Accepted> {
    let accepted = idempotency::accept(&mut tx, caller, key, reply, operation, available).await?;
    tx.commit().await?;
    app.queued.notify_waiters();
    Ok(accepted)
}

/// One operation of the caller's account.
pub async fn get(app: &App, caller: &Caller, id: &OperationId) -> Result<Option<Operation>> {
    let Some(row) = store::find(&app.database.read, &caller.account_id, id).await? else {
        return Ok(None);
    };
    let mut items = store::items(&app.database.read, &[id.as_str()]).await?;
    let items = items.remove(id.as_str()).unwrap_or_default();
    Ok(Some(row.into_operation(app, items)?))
}

/// The account's operations, newest first.
pub async fn list(
    app: &App,
    caller: &Caller,
    status: Option<OperationStatus>,
    request: &PageRequest,
) -> Result<PageOf<Operation>> {
    let rows = store::list(&app.database.read, &caller.account_id, status, request).await?;
    let page = PageOf::from_rows(rows, request, |row| &row.id);
    let ids: Vec<&str> = page.items.iter().map(|row| row.id.as_str()).collect();
    let mut items = store::items(&app.database.read, &ids).await?;
    let operations = page
        .items
        .into_iter()
        .map(|row| {
            let items = items.remove(&row.id).unwrap_or_default();
            row.into_operation(app, items)
        })
        .collect::<Result<_>>()?;
    Ok(PageOf {
        items: operations,
        next_cursor: page.next_cursor,
    })
}

/// Notes that a worker took the first drawing of an operation.
pub async fn start(app: &App, tx: &mut Tx, id: &str) -> Result<()> {
    Ok(store::start(tx, id, app.clock.now()).await?)
}

/// Counts a drawing that ended, and ends the operation with the last one: what failed is paid back.
/// Answers whether the operation has ended.
pub async fn count(app: &App, tx: &mut Tx, id: &str, drawn: bool) -> Result<bool> {
    let now = app.clock.now();
    let counted = store::count(tx, id, drawn).await?;
    if counted.completed + counted.failed < counted.total {
        return Ok(false);
    }
    let status = match (counted.completed, counted.failed) {
        (_, 0) => OperationStatus::Succeeded,
        (0, _) => OperationStatus::Failed,
        _ => OperationStatus::PartiallySucceeded,
    };
    let refund = drawing::credits_of_failed(tx, id).await?;
    store::finish(tx, id, status, refund, now).await?;
    let account = AccountId::from_text(counted.account_id);
    credits::refund(app, tx, &account, refund, &OperationId::from_text(id)).await?;
    Ok(true)
}

pub fn url(app: &App, id: &OperationId) -> String {
    format!("{}/operations/{id}", app.config.base_url())
}

fn link(app: &App, kind: ResourceType, id: &str) -> ResourceLink {
    ResourceLink {
        kind,
        id: id.into(),
        url: format!("{}/{}/{id}", app.config.base_url(), kind.collection()),
    }
}

impl store::OperationRow {
    fn into_operation(self, app: &App, items: Vec<store::ItemRow>) -> Result<Operation> {
        let damaged = |what: &str| Error::internal(format!("operation {} has an unknown {what}", self.id));
        let status = OperationStatus::parse(&self.status).ok_or_else(|| damaged("status"))?;
        let kind = OperationType::parse(&self.kind).ok_or_else(|| damaged("type"))?;
        let resource = ResourceType::parse(&self.resource_type).ok_or_else(|| damaged("resource type"))?;
        let items: Vec<Item> = items
            .into_iter()
            .map(store::ItemRow::into_item)
            .collect::<Option<_>>()
            .ok_or_else(|| damaged("item"))?;
        let error = match status {
            OperationStatus::Failed => items.iter().find_map(|item| item.error.clone()),
            _ => None,
        };
        let id = OperationId::from_text(self.id);
        Ok(Operation {
            url: url(app, &id),
            id,
            kind,
            status,
            progress: Progress {
                completed: self.completed,
                failed: self.failed,
                total: self.total,
            },
            credits: OperationCredits {
                charged: self.charged,
                refunded: self.refunded,
            },
            resource: link(app, resource, &self.resource_id),
            items,
            error,
            created_at: Timestamp::from_microseconds(self.created_at),
            started_at: self.started_at.map(Timestamp::from_microseconds),
            finished_at: self.finished_at.map(Timestamp::from_microseconds),
        })
    }
}

impl store::ItemRow {
    fn into_item(self) -> Option<Item> {
        Some(Item {
            kind: drawing::TargetType::parse(&self.target_type)?,
            id: self.target_id,
            title: self.title,
            status: drawing::DrawingStatus::parse(&self.status)?,
            error: self.error_code.as_deref().map(SafeError::of_code),
        })
    }
}
