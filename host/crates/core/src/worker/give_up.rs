//! Giving up drawings that waited too long for a provider. While all providers are down or none is loaded, workers
//! claim only the drawings of test keys, so the time limit of the others is never checked. Drawings whose lease expired
//! meanwhile, because their worker died, wait like those that are queued.
use super::complete;
use crate::books;
use crate::operations::{self, FailureCode};
use linepress_accounts::accounts::{self, Usage};
use linepress_drawings::{queue, routing};
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;

/// Fails and refunds the drawings that have waited longer than `outage_patience` while all providers were down or not
/// loaded. Returns their number.
pub async fn give_up(app: &App) -> Result<u64> {
    if !is_drawing_halted(app).await? {
        return Ok(0);
    }
    let mut all = 0;
    while let Some(account) = queue::longest_waiting(app).await? {
        match give_up_some(app, &account).await? {
            // Other nodes claimed or canceled them meanwhile.
            0 => break,
            some => all += some,
        }
    }
    Ok(all)
}

/// Returns whether all providers are down and no customer's picture was drawn within `outage_patience`, although the
/// queue is not paused. A drawing that waits longer than that while providers work has others before it in the queue
/// and is not given up.
async fn is_drawing_halted(app: &App) -> Result<bool> {
    if queue::pause::current(app).await?.is_some() || !routing::candidates(app).await?.are_all_down() {
        return Ok(false);
    }
    let since = app.clock.now().minus(app.config.outage_patience());
    Ok(!queue::was_anything_drawn(app, since).await?)
}

/// Gives up some drawings of one account in one transaction.
async fn give_up_some(app: &App, account: &AccountId) -> Result<u64> {
    let code = FailureCode::Failed;
    let mut usage = Usage::default();
    let mut tx = app.database.begin().await?;
    let given_up = queue::give_up(app, &mut tx, account, code.as_str()).await?;
    for drawing in &given_up {
        complete::record(app, &mut tx, &drawing.target, None, None, Some(code)).await?;
    }
    // A sandbox is an account of its own: it contains only drawings of test keys, which operators' figures leave out.
    let is_test = given_up.iter().any(|drawing| drawing.is_test);
    let drawings: Vec<_> = given_up
        .iter()
        .map(|drawing| {
            (
                drawing.target.clone(),
                drawing.refund.operation.clone(),
                drawing.refund.drawing.clone(),
            )
        })
        .collect();
    let ended = operations::record_undrawn(app, &mut tx, given_up).await?;
    for operation in &ended.operations {
        books::operation_ended(app, &mut tx, operation).await?;
    }
    operations::settle(app, &mut tx, account, &ended, &mut usage).await?;
    accounts::change_usage(&mut tx, account, usage).await?;
    queue::refresh_place(app, &mut tx, account).await?;
    tx.commit().await?;
    if is_test {
        tracing::info!(%account, drawings = drawings.len(), "gave up on test drawings: no worker could draw them");
        return Ok(drawings.len() as u64);
    }
    if !drawings.is_empty() {
        app.metrics.drawings.given_up(code.as_str(), drawings.len() as u64);
    }
    // The limit, which all of these drawings have exceeded.
    let minutes = app.config.outage_patience().as_secs() / 60;
    for (target, operation, drawing) in &drawings {
        tracing::error!(
            target_type = target.kind().as_str(),
            target_id = target.id(),
            %operation,
            %drawing,
            %account,
            minutes,
            "gave up on the drawing: no provider was available; it failed and was refunded"
        );
    }
    Ok(drawings.len() as u64)
}
