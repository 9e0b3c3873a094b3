//! The cancellation of an operation: drawings that still wait are canceled and refunded.
use crate::operations::{self, Operation};
use crate::worker;
use linepress_accounts::accounts::{self, Usage};
use linepress_accounts::caller::Caller;
use linepress_drawings::queue;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, OperationId};
use linepress_platform::scopes::Scopes;

/// Cancels and refunds the queued drawings of an operation; returns the operation, or None if it does not exist.
/// Drawings that workers hold are drawn to their end, because they have already cost money. An operation without queued
/// drawings stays as it is.
pub async fn cancel(app: &App, caller: &Caller, id: &OperationId) -> Result<Option<Operation>> {
    caller.require(Scopes::WRITING)?;
    let Some(operation) = operations::get(app, caller, id).await? else {
        return Ok(None);
    };
    if operation.status.is_terminal() {
        return Ok(Some(operation));
    }
    let mut tx = app.database.begin().await?;
    cancel_queued(app, &mut tx, caller.account_id(), id).await?;
    tx.commit().await?;
    operations::get(app, caller, id).await
}

/// Cancels and refunds the queued drawings of an account's operation; returns their number. Comes last in its
/// transaction, because it locks the account's row.
pub async fn cancel_queued(app: &App, tx: &mut Tx, account: &AccountId, id: &OperationId) -> Result<usize> {
    let mut usage = Usage::default();
    let canceled = worker::cancel_operation(app, tx, id).await?;
    operations::settle(app, tx, account, &canceled, &mut usage).await?;
    accounts::change_usage(tx, account, usage).await?;
    queue::refresh_place(app, tx, account).await?;
    Ok(canceled.undrawn())
}
