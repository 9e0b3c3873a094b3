//! Waiting for an operation: not long enough for a client to give up, and with a word whenever a drawing has ended.
use std::time::Duration;

use rmcp::model::ProgressNotificationParam;
use tokio::time::Instant;

use super::tool::Call;
use crate::error::{Error, ErrorKind, Result};
use crate::grants;
use crate::ids::OperationId;
use crate::operations::{self, Operation};

/// Many clients give up after 60 seconds.
const LONGEST: Duration = Duration::from_secs(50);

/// Between two looks. A drawing takes seconds.
const EACH: Duration = Duration::from_millis(500);

/// The operation when it has ended, the time is up, or the client is gone; as it is now where too many wait already.
pub(super) async fn wait(call: &Call, id: &OperationId, longest: Option<u64>) -> Result<Operation> {
    let longest = longest.map_or(LONGEST, |seconds| Duration::from_secs(seconds).min(LONGEST));
    let place = call.app.followers.try_acquire(&call.caller.account_id);
    let until = Instant::now() + if place.is_ok() { longest } else { Duration::ZERO };
    let mut last_reported = None;
    loop {
        if let Some(grant) = &call.caller.grant
            && !grants::stands(&call.app, &call.caller.account_id, &grant.id).await?
        {
            return Err(ErrorKind::GrantRevoked.into());
        }
        let operation = operations::get(&call.app, &call.caller, id).await?;
        let operation = operation.ok_or_else(|| Error::not_found("operation"))?;
        let ended = operation.progress.completed + operation.progress.failed;
        if last_reported != Some(ended) {
            last_reported = Some(ended);
            tell(call, &operation, ended).await;
        }
        if operation.status.is_terminal() || Instant::now() >= until {
            return Ok(operation);
        }
        tokio::select! {
            () = tokio::time::sleep(EACH) => {}
            () = call.context.ct.cancelled() => return Ok(operation),
        }
    }
}

/// Tells the client how far it is, if it asked for that.
async fn tell(call: &Call, operation: &Operation, ended: i64) {
    let Some(token) = call.context.meta.get_progress_token() else {
        return;
    };
    let total = operation.progress.total;
    #[expect(clippy::cast_precision_loss, reason = "a book has a hundred drawings")]
    let progress = ProgressNotificationParam::new(token, ended as f64)
        .with_total(total as f64)
        .with_message(format!("{ended} of {total} drawings"));
    // Whoever is gone needs no word.
    let _ = call.context.peer.notify_progress(progress).await;
}
