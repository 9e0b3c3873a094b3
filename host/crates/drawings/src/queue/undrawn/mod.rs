//! Drawings that end without a picture while no worker holds them: they are canceled, or given up after a long wait.
mod store;

use std::time::Duration;

use self::store::Waiting;
use super::{SourcePicture, Target};
use linepress_accounts::credits::Refund;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, OperationId};

/// A drawing that ended without a picture while no worker held it: it was canceled or given up.
#[derive(Debug)]
pub struct UndrawnDrawing {
    pub target: Target,
    /// The credits to refund.
    pub refund: Refund,
    pub source: Option<SourcePicture>,
    /// Whether a test key ordered it.
    pub is_test: bool,
}

/// Cancels the queued drawings of these targets with an error code. Drawings that a worker holds are not affected.
pub async fn cancel(app: &App, tx: &mut Tx, targets: &[Target], error_code: &str) -> Result<Vec<UndrawnDrawing>> {
    let canceled = store::cancel(app.database.dialect, tx, targets, error_code, app.clock.now()).await?;
    forget_canceled(tx, canceled).await
}

/// Cancels all queued drawings of an operation with an error code.
pub async fn cancel_of_operation(
    app: &App,
    tx: &mut Tx,
    operation: &OperationId,
    error_code: &str,
) -> Result<Vec<UndrawnDrawing>> {
    let canceled = store::cancel_of_operation(app.database.dialect, tx, operation, error_code, app.clock.now()).await?;
    forget_canceled(tx, canceled).await
}

/// Cancels all queued drawings of an account with an error code.
pub async fn cancel_of_account(
    app: &App,
    tx: &mut Tx,
    account: &AccountId,
    error_code: &str,
) -> Result<Vec<UndrawnDrawing>> {
    let canceled = store::cancel_of_account(app.database.dialect, tx, account, error_code, app.clock.now()).await?;
    forget_canceled(tx, canceled).await
}

/// Deletes the requests of canceled drawings: these are refunded, so clients must not be able to fill the database with
/// them.
async fn forget_canceled(tx: &mut Tx, canceled: Vec<store::UndrawnRow>) -> Result<Vec<UndrawnDrawing>> {
    let canceled: Vec<_> = canceled.into_iter().map(store::UndrawnRow::into_drawing).collect();
    let drawings: Vec<_> = canceled.iter().map(|drawing| &drawing.refund.drawing).collect();
    store::forget_requests_of(tx, &drawings).await?;
    Ok(canceled)
}

/// The account of a drawing that has waited longer than `outage_patience`. A drawing waits since its first attempt, or
/// since it was ordered if there was none. A drawing whose lease has expired waits, too.
pub async fn longest_waiting(app: &App) -> Result<Option<AccountId>> {
    let (clock, pool, patience) = (app.lease_clock(), &app.database.read, app.config.outage_patience());
    for waiting in [Waiting::Queued, Waiting::Expired] {
        let account = store::longest_waiting(clock, pool, waiting, patience).await?;
        if account.is_some() {
            return Ok(account);
        }
    }
    Ok(None)
}

/// Fails some of the account's drawings that have waited longer than `outage_patience`, with an error code: queued
/// ones, and running ones whose lease has expired. Call it repeatedly until the result is empty, and each time
/// `refresh_place` at the end of the transaction.
pub async fn give_up(app: &App, tx: &mut Tx, account: &AccountId, error_code: &str) -> Result<Vec<UndrawnDrawing>> {
    let (clock, patience, now) = (app.lease_clock(), app.config.outage_patience(), app.clock.now());
    let mut given_up = Vec::new();
    for waiting in [Waiting::Queued, Waiting::Expired] {
        given_up.extend(store::give_up(clock, tx, waiting, account, error_code, patience, now).await?);
    }
    Ok(given_up.into_iter().map(store::UndrawnRow::into_drawing).collect())
}

/// The time for which the requests of ended drawings are stored, so that operators can look into complaints.
const REQUEST_RETENTION: Duration = Duration::from_secs(30 * 24 * 3600);

/// Deletes the requests of drawings that ended more than `REQUEST_RETENTION` ago. Returns their number.
pub async fn forget_requests(app: &App) -> Result<u64> {
    let mut all = 0;
    loop {
        let mut tx = app.database.begin().await?;
        let now = app.database.shared_time(&mut tx, &app.clock).await?;
        let forgotten = store::forget_requests(&mut tx, now.minus(REQUEST_RETENTION)).await?;
        tx.commit().await?;
        all += forgotten;
        if forgotten == 0 {
            return Ok(all);
        }
    }
}
