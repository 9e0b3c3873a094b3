//! Waiting for an operation: not long enough for a client to give up, and with a word whenever a drawing has ended.
use std::time::Duration;

use rmcp::model::ProgressNotificationParam;
use tokio::time::Instant;

use super::reply::Outcome;
use super::tool::Call;
use super::words;
use crate::error::{Error, ErrorKind, Result};
use crate::grants;
use crate::ids::OperationId;
use crate::operations::{self, Operation};

/// Many clients give up after 60 seconds.
const LONGEST: Duration = Duration::from_secs(50);

/// Between two looks. A drawing takes seconds.
const EACH: Duration = Duration::from_millis(500);

/// How long no drawing may end before the agent is told that something is wrong.
const QUIET: Duration = Duration::from_secs(5 * 60);

/// An operation that was waited for.
pub(super) struct Waited {
    pub operation: Operation,
    pub end: End,
}

/// Why a call waits no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The operation has ended, or the time was up.
    Usual,
    /// It did not wait: the account has as many waits as it may.
    NoPlace,
}

/// The operation when it has ended, the time is up, or the client is gone; as it is now where too many wait already.
pub(super) async fn wait(call: &Call, id: &OperationId, longest: Option<u64>) -> Result<Waited> {
    // The request itself has a limit, after which there is no result.
    let most = LONGEST.min(call.app.config.response_limit());
    let longest = longest.map_or(most, |seconds| Duration::from_secs(seconds).min(most));
    let place = call.app.followers.try_acquire(&call.caller.account_id);
    let end = if place.is_ok() { End::Usual } else { End::NoPlace };
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
            return Ok(Waited { operation, end });
        }
        tokio::select! {
            () = tokio::time::sleep_until(until.min(Instant::now() + EACH)) => {}
            () = call.context.ct.cancelled() => return Ok(Waited { operation, end }),
        }
    }
}

/// Waits for a PDF no longer than clients do. It goes on being made, and is there when it is asked for again.
pub(super) async fn for_print<T>(printed: impl Future<Output = Outcome<T>>) -> Outcome<T> {
    let unavailable = || {
        let retry_after = Duration::from_secs(5);
        Err(Error::from(ErrorKind::PrintingUnavailable { retry_after }).into())
    };
    tokio::time::timeout(LONGEST, printed)
        .await
        .unwrap_or_else(|_| unavailable())
}

/// What an agent should know that would otherwise ask again and again: what is the matter, and what to do about it.
pub(super) async fn advice(call: &Call, operation: &Operation, end: End) -> Result<Option<(String, String)>> {
    if operation.status.is_terminal() {
        return Ok(None);
    }
    let id = &operation.id;
    let since = operations::last_activity_at(&call.app, operation).await?;
    if since.plus(QUIET) <= call.app.clock.now() {
        let hours = call.app.config.outage_patience().as_secs() / 3600;
        let words = format!(
            "Nothing was drawn since {since}: the image provider does not respond, or is slow. The server goes on trying for up to {} and gives the credits of what is not drawn back.",
            words::counted(i64::try_from(hours).unwrap_or(i64::MAX), "hour")
        );
        let next = format!(
            "tell your person, and wait_for_operation {id} again in some minutes. To stop, delete_book or delete_page: what waits to be drawn is refunded."
        );
        return Ok(Some((words, next)));
    }
    if end == End::NoPlace {
        let words = "This call did not wait: too many calls of this account wait already.".to_owned();
        let next = format!("wait_for_operation {id} again in 30 seconds or more, and for one operation at a time.");
        return Ok(Some((words, next)));
    }
    Ok(None)
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
