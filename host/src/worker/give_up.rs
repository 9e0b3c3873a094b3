//! Giving up drawings that waited too long for a provider that may be asked. While there is none, no drawing is claimed, so
//! none of them ends by itself.
use super::complete;
use crate::accounts::{self, Usage};
use crate::app::App;
use crate::error::Result;
use crate::ids::AccountId;
use crate::operations::{self, FailureCode};
use crate::{books, queue, routing};

/// Ends, as failed and refunded, what has waited longer than the outage patience while all providers were down or not
/// loaded; returns how many drawings those were.
pub async fn give_up(app: &App) -> Result<u64> {
    if !is_nothing_drawn(app).await? {
        return Ok(0);
    }
    let mut all = 0;
    while let Some(account) = queue::longest_waiting(app).await? {
        match give_up_some(app, &account).await? {
            // Others claimed or canceled them meanwhile.
            0 => break,
            some => all += some,
        }
    }
    Ok(all)
}

/// Whether no provider may be asked, and nothing was drawn for as long as the patience lasts. What waits longer than that while
/// providers work has others before it, and is not given up.
async fn is_nothing_drawn(app: &App) -> Result<bool> {
    if !routing::look(app).await?.are_all_down() {
        return Ok(false);
    }
    let since = app.clock.now().minus(app.config.outage_patience());
    Ok(!queue::was_anything_drawn(app, since).await?)
}

/// Some drawings of one account, in a transaction of their own.
async fn give_up_some(app: &App, account: &AccountId) -> Result<u64> {
    let code = FailureCode::Failed;
    let mut usage = Usage::default();
    let mut tx = app.database.begin().await?;
    let given_up = queue::give_up(app, &mut tx, account, code.as_str()).await?;
    for drawing in &given_up {
        complete::record(app, &mut tx, &drawing.target, None, None, Some(code), &mut usage).await?;
    }
    let drawings = given_up.len();
    let ended = operations::record_canceled(app, &mut tx, given_up).await?;
    for operation in &ended.operations {
        books::operation_ended(app, &mut tx, operation).await?;
    }
    operations::refund(app, &mut tx, account, &ended, &mut usage).await?;
    accounts::change_usage(&mut tx, account, usage).await?;
    tx.commit().await?;
    if drawings > 0 {
        let hours = app.config.outage_patience().as_secs() / 3600;
        tracing::error!(
            account = %account,
            drawings,
            hours,
            "gave up: no provider could be asked for so long; the drawings failed, and what they cost was refunded"
        );
    }
    Ok(drawings as u64)
}
