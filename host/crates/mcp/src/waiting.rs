//! Waiting for an operation: for less time than clients wait for a response, and with a progress notification for each
//! drawing that ends.
use std::time::Duration;

use rmcp::model::ProgressNotificationParam;
use tokio::time::Instant;

use super::call::Call;
use super::reply::Outcome;
use super::words;
use linepress_accounts::caller::Caller;
use linepress_accounts::{credentials, grants};
use linepress_core::artwork::uploads;
use linepress_core::operations::{self, Operation, OperationType};
use linepress_drawings::routing::{self, Outage};
use linepress_http::following::MAX_WAIT;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::ids::{OperationId, UploadId};

/// The time between two polls of the operation. A drawing takes seconds.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The time without any finished drawing after which the agent is warned.
const QUIET_WARNING_AFTER: Duration = Duration::from_secs(5 * 60);

/// The result of a wait.
pub(super) struct Waited {
    pub operation: Operation,
    pub end: WaitEnd,
}

/// The reason why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitEnd {
    /// The operation has ended, or the time was up.
    Normal,
    /// The call did not wait, because the account has reached its limit of simultaneous waits.
    LimitReached,
}

/// Waits until the operation has ended, the time is up, the client has disconnected, or the server stops. Returns at
/// once if too many calls of the account are waiting.
pub(super) async fn wait(call: &Call, id: &OperationId, seconds: Option<u64>) -> Result<Waited> {
    // A request has a time limit, after which it could not return a result.
    let max_wait = MAX_WAIT.min(call.app.config.response_limit());
    let wait_limit = seconds.map_or(max_wait, |seconds| Duration::from_secs(seconds).min(max_wait));
    let place = call.app.followers.try_acquire(call.caller.account_id());
    let end = if place.is_ok() {
        WaitEnd::Normal
    } else {
        WaitEnd::LimitReached
    };
    let until = Instant::now() + if place.is_ok() { wait_limit } else { Duration::ZERO };
    let mut last_reported = None;
    loop {
        credentials::check(&call.app, &call.caller).await?;
        let operation = operations::get(&call.app, &call.caller, id).await?;
        let operation = operation.ok_or_else(|| Error::not_found("operation"))?;
        let ended = operation.progress.completed + operation.progress.failed;
        if last_reported != Some(ended) {
            last_reported = Some(ended);
            report_progress(call, &operation, ended).await;
        }
        if operation.status.is_terminal() || Instant::now() >= until || !pause(call, until).await {
            return Ok(Waited { operation, end });
        }
    }
}

/// Pauses between two polls. Returns false if the client has disconnected or the server stops.
async fn pause(call: &Call, until: Instant) -> bool {
    tokio::select! {
        () = tokio::time::sleep_until(until.min(Instant::now() + POLL_INTERVAL)) => true,
        () = call.context.ct.cancelled() => false,
        () = call.app.stopping.given() => false,
    }
}

/// Waits until the file of an upload has arrived, but not longer than clients wait. Returns false if it has not.
pub(super) async fn for_file(call: &Call, id: &UploadId) -> Result<bool> {
    let (app, caller) = (&call.app, &call.caller);
    until(call, move || uploads::has_arrived(app, caller, id)).await
}

/// Waits until the app may spend these credits within its limit, but not longer than clients wait. Returns false if it
/// may not.
pub(super) async fn for_credits(call: &Call, needed: i64) -> Result<bool> {
    let (app, caller) = (&call.app, &call.caller);
    until(call, move || may_spend(app, caller, needed)).await
}

async fn may_spend(app: &App, caller: &Caller, needed: i64) -> Result<bool> {
    let connected = grants::calling_app(app, caller).await?;
    let left = connected.and_then(|connected| Some(connected.credit_cap? - connected.credits_spent));
    Ok(left.is_none_or(|left| left >= needed))
}

/// Waits until the user has done something in a browser, but not longer than clients wait. Returns false if they have
/// not, and does not wait if too many calls of the account are waiting.
async fn until<F: Future<Output = Result<bool>>>(call: &Call, is_done: impl Fn() -> F) -> Result<bool> {
    let Ok(_place) = call.app.followers.try_acquire(call.caller.account_id()) else {
        return is_done().await;
    };
    let until = Instant::now() + MAX_WAIT.min(call.app.config.response_limit());
    loop {
        credentials::check(&call.app, &call.caller).await?;
        if is_done().await? {
            return Ok(true);
        }
        if Instant::now() >= until || !pause(call, until).await {
            return Ok(false);
        }
    }
}

/// Waits for a PDF, but not longer than clients wait. The PDF continues to be made, and a later call returns it.
pub(super) async fn for_print<T>(printed: impl Future<Output = Outcome<T>>) -> Outcome<T> {
    let unavailable = || {
        let retry_after = Duration::from_secs(5);
        Err(Error::from(ErrorKind::PrintingUnavailable { retry_after }).into())
    };
    tokio::time::timeout(MAX_WAIT, printed)
        .await
        .unwrap_or_else(|_| unavailable())
}

/// Advice for an agent that would otherwise call again and again: the problem, and the next step.
pub(super) async fn advice(call: &Call, operation: &Operation, end: WaitEnd) -> Result<Option<(String, String)>> {
    if operation.status.is_terminal() {
        return Ok(None);
    }
    let id = &operation.id;
    let since = operations::last_activity_at(&call.app, operation).await?;
    if let Some(problem) = problem(call, since).await? {
        let hours = call.app.config.outage_patience().as_secs() / 3600;
        let words = format!(
            "{problem} Nothing was drawn since {since}. The server keeps trying for up to {}, and refunds the credits of drawings that fail.",
            words::counted(hours, "hour")
        );
        let next = format!(
            "inform the user, and call wait_for_operation {id} again in some minutes.{}",
            ways_to_stop(operation.kind)
        );
        return Ok(Some((words, next)));
    }
    if end == WaitEnd::LimitReached {
        let words = "This call did not wait: too many calls of this account are already waiting.".to_owned();
        let next =
            format!("call wait_for_operation {id} again in 30 seconds or more, and for one operation at a time.");
        return Ok(Some((words, next)));
    }
    Ok(None)
}

/// The reason why an operation makes no progress: an outage, or no drawing that ended since `since`, for a long time.
async fn problem(call: &Call, since: Timestamp) -> Result<Option<&'static str>> {
    let is_quiet = since.plus(QUIET_WARNING_AFTER) <= call.app.clock.now();
    Ok(match routing::outage(&call.app).await? {
        Some(Outage::NotLoaded) => Some("Nothing can be drawn at the moment: no image provider is loaded."),
        Some(Outage::Failing) => Some("Drawing fails at the moment: the image provider failed several times in a row."),
        None if is_quiet => Some("The image provider does not respond, or is slow."),
        None => None,
    })
}

/// The advice on how to stop drawings. None for a regeneration: its target has a picture, which would be deleted.
fn ways_to_stop(kind: OperationType) -> &'static str {
    match kind {
        OperationType::BookCreate | OperationType::PageCreate => {
            " To stop, call delete_book or delete_page: drawings that have not started are refunded."
        }
        OperationType::BookAddPage => " To stop, call delete_page: a drawing that has not started is refunded.",
        OperationType::CharacterCreate => {
            " To stop, call archive_character: a drawing that has not started is refunded."
        }
        OperationType::BookRegenerateCover
        | OperationType::CharacterRegenerate
        | OperationType::PageRegenerate
        | OperationType::PageRefine
        | OperationType::BookRestyle => "",
    }
}

/// Sends a progress notification if the client asked for it.
async fn report_progress(call: &Call, operation: &Operation, ended: i64) {
    let Some(token) = call.context.meta.get_progress_token() else {
        return;
    };
    let total = operation.progress.total;
    #[expect(clippy::cast_precision_loss, reason = "a book has a hundred drawings")]
    let progress = ProgressNotificationParam::new(token, ended as f64)
        .with_total(total as f64)
        .with_message(format!("{ended} of {total} drawings"));
    // The notification fails if the client has disconnected, which does no harm.
    let _ = call.context.peer.notify_progress(progress).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_drawing_of_something_can_be_stopped() {
        for kind in OperationType::ALL {
            let advice = ways_to_stop(*kind);
            let is_again = kind.as_str().contains("regenerate")
                || matches!(kind, OperationType::PageRefine | OperationType::BookRestyle);
            assert_eq!(advice.is_empty(), is_again, "{kind}");
            let has_pages = matches!(
                kind,
                OperationType::BookCreate | OperationType::PageCreate | OperationType::BookAddPage
            );
            assert_eq!(advice.contains("delete_page"), has_pages, "{kind}");
        }
    }
}
