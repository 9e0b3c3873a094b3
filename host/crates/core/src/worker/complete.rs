//! Completing an attempt: all changes that its outcome causes, in one transaction that first checks the lease.
//!
//! Rows are locked in the order that all transactions follow: the drawing, its target, the target's attempts, its
//! operation; then the account, the provider's state, the provider's spending of the day, and the account's place in
//! the queue.
use std::time::Duration;

use linepress_metrics::AttemptReport;
use serde_json::json;

use super::claim::Assignment;
use crate::artwork::attempts::{self, NewAttempt};
use crate::artwork::{self, NewArtwork};
use crate::operations::{self, EndedDrawings, FailureCode};
use crate::{books, characters, pages};
use linepress_accounts::accounts::{self, Usage};
use linepress_accounts::credits::Refund;
use linepress_accounts::deleted::Location;
use linepress_accounts::webhooks::{self, EventType};
use linepress_drawings::queue::{self, DrawingJob, DrawingOutcome, DrawingRequest, Target, UndrawnDrawing};
use linepress_drawings::routing::{self, ProviderCalls};
use linepress_drawings::spending;
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, ArtworkId, OperationId};

/// The outcome of an attempt, before it is recorded.
pub(super) enum AttemptOutcome {
    /// The provider drew a picture.
    Picture(DrawnPicture),
    /// The drawing fails without another attempt.
    Failed(FailureCode),
    /// The reviewer declined the prompt or the picture, with this sentence for the customer.
    Declined { sentence: Option<String> },
    /// The picture is drawn once more with the reviewer's hint. The attempt does not count.
    Redraw { hint: String },
    /// The drawing is tried again after the delay, unless `max_attempts` attempts were made.
    Retry { after: Duration, max_attempts: i64 },
    /// The provider or the reviewer limits its rate or is down, so the attempt does not count. The drawing is tried
    /// again unless `outage_patience` has passed since its first attempt: after the delay, or, when it is None, after a
    /// delay derived from the provider's recent failures.
    Postponed { after: Option<Duration> },
    /// The lease was lost: another worker holds the drawing, or it has ended.
    LeaseLost,
}

/// A picture that a provider drew, whose objects are stored.
pub(super) struct DrawnPicture {
    pub artwork: NewArtwork,
    /// The provider's note about the picture.
    pub note: Option<String>,
    /// The seed that draws its composition from text again. None if it is not known.
    pub seed: Option<i64>,
}

/// The outcome of an attempt, with what is recorded and logged about it.
pub(super) struct AttemptResult {
    pub outcome: AttemptOutcome,
    /// The provider's calls; `None` if the attempt ended before a call.
    pub calls: Option<ProviderCalls>,
    /// The last error of the attempt, for the log.
    pub error: Option<String>,
}

impl AttemptResult {
    /// The result of an attempt that called a provider, with the error of the last call.
    pub(super) fn from_calls(outcome: AttemptOutcome, calls: ProviderCalls) -> Self {
        Self {
            outcome,
            error: calls.last_error.as_ref().map(ToString::to_string),
            calls: Some(calls),
        }
    }

    /// The result of an attempt that ended before a call, of a drawing that fails without another attempt.
    pub(super) fn failed(error: impl Into<String>) -> Self {
        Self {
            outcome: AttemptOutcome::Failed(FailureCode::Failed),
            calls: None,
            error: Some(error.into()),
        }
    }
}

/// An attempt that ended before a call.
impl From<AttemptOutcome> for AttemptResult {
    fn from(outcome: AttemptOutcome) -> Self {
        Self {
            outcome,
            calls: None,
            error: None,
        }
    }
}

/// Returns whether the drawing's target still exists, outside the bin.
async fn target_exists(app: &App, target: &Target) -> Result<bool> {
    match target {
        Target::Page(id) => pages::exists(app, id).await,
        Target::Character(id) => characters::is_active(app, id).await,
        Target::Cover(id) => books::exists(app, id).await,
    }
}

/// Returns whether the drawing may be drawn: its target exists and its account is neither closed nor suspended.
pub(super) async fn may_draw(app: &App, job: &DrawingJob) -> Result<bool> {
    Ok(target_exists(app, &job.target).await? && !accounts::was_locked_out(app, &job.account_id).await?)
}

/// Records the outcome of an attempt and the provider's calls that it made, if any. Returns false, and changes nothing,
/// when the worker has lost the lease. It is safe to call again after an error.
pub(super) async fn complete(app: &App, assignment: &Assignment, result: &AttemptResult) -> Result<bool> {
    let job: &DrawingJob = assignment;
    let (outcome, calls) = (&result.outcome, result.calls.as_ref());
    let is_retry = matches!(
        outcome,
        AttemptOutcome::Retry { .. } | AttemptOutcome::Postponed { .. } | AttemptOutcome::Redraw { .. }
    );
    let canceled = AttemptOutcome::Failed(FailureCode::Canceled);
    let outcome = match is_retry && !may_draw(app, job).await? {
        true => &canceled,
        false => outcome,
    };
    let mut tx = app.database.begin().await?;
    let recorded = record_outcome(app, &mut tx, job, outcome, calls).await?;
    // The figures for operators, and the states of providers, are about customers' drawings.
    let is_test = job.is_test();
    if recorded == DrawingOutcome::LeaseLost {
        if !is_test {
            count(app, calls, recorded);
        }
        return Ok(false);
    }
    let paused_for = match calls {
        Some(calls) if is_test => {
            queue::note_work(&mut tx, job, &calls.work).await?;
            None
        }
        Some(calls) => record_calls(app, &mut tx, job, calls, recorded).await?,
        None => {
            if let Some(provider) = assignment.probed_provider() {
                routing::end_probe(&mut tx, provider).await?;
            }
            None
        }
    };
    queue::refresh_place(app, &mut tx, &job.account_id).await?;
    tx.commit().await?;
    if is_test {
        log_test_outcome(result, recorded);
        return Ok(true);
    }
    count(app, calls, recorded);
    log_outcome(job, result, recorded);
    log_provider(calls, paused_for);
    Ok(true)
}

/// Ends the drawing or queues it again.
async fn record_outcome(
    app: &App,
    tx: &mut Tx,
    job: &DrawingJob,
    outcome: &AttemptOutcome,
    calls: Option<&ProviderCalls>,
) -> Result<DrawingOutcome> {
    match outcome {
        AttemptOutcome::LeaseLost => Ok(DrawingOutcome::LeaseLost),
        AttemptOutcome::Retry { after, max_attempts } if job.attempts < *max_attempts => {
            requeue(app, tx, job, *after, true).await
        }
        AttemptOutcome::Postponed { after } if job.tried_for < app.config.outage_patience() => {
            let after = match after {
                Some(after) => *after,
                None => delay_after_failure(tx, job, calls).await?,
            };
            requeue(app, tx, job, after, false).await
        }
        AttemptOutcome::Retry { .. } | AttemptOutcome::Postponed { .. } => {
            fail(app, tx, job, FailureCode::Failed, None).await
        }
        AttemptOutcome::Failed(code) => fail(app, tx, job, *code, None).await,
        AttemptOutcome::Declined { sentence } => {
            fail(app, tx, job, FailureCode::ReviewRefused, sentence.as_deref()).await
        }
        AttemptOutcome::Redraw { hint } => Ok(match queue::redraw(app, tx, job, hint).await? {
            true => DrawingOutcome::Requeued {
                after: Duration::ZERO,
                is_counted: false,
            },
            false => DrawingOutcome::LeaseLost,
        }),
        AttemptOutcome::Picture(picture) => {
            let credits = finish(app, tx, job, Ok(picture)).await?;
            Ok(credits.map_or(DrawingOutcome::LeaseLost, |credits| DrawingOutcome::Drawn { credits }))
        }
    }
}

async fn requeue(
    app: &App,
    tx: &mut Tx,
    job: &DrawingJob,
    after: Duration,
    is_counted: bool,
) -> Result<DrawingOutcome> {
    let ours = match is_counted {
        true => queue::requeue(app, tx, job, after).await?,
        false => queue::put_off(app, tx, job, after).await?,
    };
    Ok(match ours {
        true => DrawingOutcome::Requeued { after, is_counted },
        false => DrawingOutcome::LeaseLost,
    })
}

/// The delay of a drawing whose provider is down.
async fn delay_after_failure(tx: &mut Tx, job: &DrawingJob, calls: Option<&ProviderCalls>) -> Result<Duration> {
    match calls {
        // The drawing's first failure may be an accident, whatever happened to other drawings.
        Some(calls) if job.last_provider.is_some() => routing::delay_after_failure(tx, &calls.work.provider).await,
        _ => Ok(Duration::ZERO),
    }
}

async fn fail(
    app: &App,
    tx: &mut Tx,
    job: &DrawingJob,
    code: FailureCode,
    sentence: Option<&str>,
) -> Result<DrawingOutcome> {
    let ours = finish(app, tx, job, Err((code, sentence))).await?.is_some();
    Ok(match ours {
        true => DrawingOutcome::Failed { code: code.as_str() },
        false => DrawingOutcome::LeaseLost,
    })
}

/// Records the provider, time and cost of the calls and what they show about the provider. Returns how long the
/// provider is paused from now on, if it is.
async fn record_calls(
    app: &App,
    tx: &mut Tx,
    job: &DrawingJob,
    calls: &ProviderCalls,
    recorded: DrawingOutcome,
) -> Result<Option<Duration>> {
    queue::note_work(tx, job, &calls.work).await?;
    let paused_for = routing::record(app, tx, calls).await?;
    spending::record(app, tx, &calls.work, recorded).await?;
    Ok(paused_for)
}

/// The word for the outcome of an attempt in metrics and in the log.
fn outcome_word(recorded: DrawingOutcome) -> &'static str {
    match recorded {
        DrawingOutcome::Drawn { .. } => "drawn",
        DrawingOutcome::Requeued { is_counted: true, .. } => "retried",
        DrawingOutcome::Requeued { is_counted: false, .. } => "postponed",
        DrawingOutcome::Failed { code } => code,
        DrawingOutcome::LeaseLost => "lease_lost",
    }
}

/// Counts the attempt in this node's metrics.
fn count(app: &App, calls: Option<&ProviderCalls>, recorded: DrawingOutcome) {
    let outcome = outcome_word(recorded);
    let calls = calls.map(|ProviderCalls { work, .. }| AttemptReport {
        provider: &work.provider,
        took: work.took,
        cost_microdollars: work.cost_microdollars,
    });
    app.metrics.drawings.attempt_ended(outcome, calls);
}

/// Logs the state of the drawing, which the span identifies. Every failed call was logged where the plugin was called;
/// the line of a drawing that ended without a picture repeats the last error.
fn log_outcome(job: &DrawingJob, result: &AttemptResult, recorded: DrawingOutcome) {
    let (calls, error) = (result.calls.as_ref(), result.error.as_deref());
    let plugin = calls.map(|calls| &*calls.work.provider);
    match recorded {
        DrawingOutcome::Drawn { .. } => {
            if let Some(ProviderCalls { work, .. }) = calls {
                let seconds = work.took.as_secs_f32();
                let (version, model) = (&*work.version, work.model.as_deref());
                let cost_microdollars = work.cost_microdollars;
                tracing::info!(plugin, version, model, seconds, cost_microdollars, "drawing completed");
            }
        }
        DrawingOutcome::Requeued {
            after,
            is_counted: true,
        } => {
            let retry_seconds = after.as_secs();
            tracing::warn!(plugin, retry_seconds, "attempt failed; the drawing will be retried");
        }
        DrawingOutcome::Requeued { .. } if matches!(result.outcome, AttemptOutcome::Redraw { .. }) => {
            tracing::info!(plugin, "the picture is drawn once more with the reviewer's hint");
        }
        DrawingOutcome::Requeued { after, .. } if calls.is_none() && error.is_some() => {
            let retry_seconds = after.as_secs();
            tracing::info!(
                retry_seconds,
                error,
                "drawing is tried again later; the attempt does not count"
            );
        }
        DrawingOutcome::Requeued {
            after,
            is_counted: false,
        } => {
            let retry_seconds = after.as_secs();
            tracing::info!(
                plugin,
                retry_seconds,
                "drawing waits for its provider; the attempt does not count"
            );
        }
        DrawingOutcome::Failed { code } if code == FailureCode::Failed.as_str() => {
            // The minutes from the first claim to this one.
            let (attempts, minutes) = (job.attempts, job.tried_for.as_secs() / 60);
            tracing::error!(
                plugin,
                attempts,
                minutes,
                error,
                "gave up on the drawing; it failed and was refunded"
            );
        }
        DrawingOutcome::Failed { code } => {
            tracing::info!(plugin, code, error, "drawing ended without a picture and was refunded");
        }
        DrawingOutcome::LeaseLost => {}
    }
}

/// Logs the state of a test key's drawing, whose failures may be on demand.
fn log_test_outcome(result: &AttemptResult, recorded: DrawingOutcome) {
    let (outcome, error) = (outcome_word(recorded), result.error.as_deref());
    tracing::info!(outcome, error, "attempt at a test drawing ended");
}

/// Logs a change of the provider's state.
fn log_provider(calls: Option<&ProviderCalls>, paused_for: Option<Duration>) {
    let Some(calls) = calls else {
        return;
    };
    let plugin = &*calls.work.provider;
    if let Some(pause) = paused_for {
        let seconds = pause.as_secs();
        tracing::warn!(plugin, seconds, "provider paused after a failure or a rate limit");
    }
    if calls.is_probe && calls.failure().is_none() {
        tracing::info!(plugin, "the provider works again");
    }
}

/// The end of a drawing: its picture, or the code of its failure and the reviewer's sentence.
type DrawingEnd<'a> = Result<&'a DrawnPicture, (FailureCode, Option<&'a str>)>;

/// Ends the drawing and returns the credits that were charged for it. None, and nothing changed, when the lease is
/// lost.
async fn finish(app: &App, tx: &mut Tx, job: &DrawingJob, result: DrawingEnd<'_>) -> Result<Option<i64>> {
    let ended = match &result {
        Ok(picture) => Ok(picture.note.as_deref()),
        Err((code, sentence)) => Err((code.as_str(), *sentence)),
    };
    let Some(credits) = queue::finish(app, tx, job, ended).await? else {
        return Ok(None);
    };
    let mut usage = Usage::default();
    let is_drawn = result.is_ok();
    let result = result.map_err(|(code, _)| code);
    end_target(app, tx, job, result, &mut usage).await?;
    let mut ended = match is_drawn {
        true => operations::record_drawn(app, tx, &job.operation_id, credits).await?,
        false => {
            let refund = Refund {
                operation: job.operation_id.clone(),
                drawing: job.id.clone(),
                credits,
            };
            operations::record_failed(app, tx, vec![refund]).await?
        }
    };
    if let Some(source) = job.source() {
        ended.discard_source(tx, &job.target, source).await?;
    }
    for operation in &ended.operations {
        books::operation_ended(app, tx, operation).await?;
    }
    operations::settle(app, tx, &job.account_id, &ended, &mut usage).await?;
    accounts::change_usage(tx, &job.account_id, usage).await?;
    Ok(Some(credits))
}

/// Cancels all queued drawings of an account. Drawings that a worker holds are drawn to their end.
pub async fn cancel_all_queued(app: &App, tx: &mut Tx, account: &AccountId) -> Result<EndedDrawings> {
    let canceled = queue::cancel_of_account(app, tx, account, FailureCode::Canceled.as_str()).await?;
    record_canceled(app, tx, canceled).await
}

/// Cancels the queued drawings of an operation. Drawings that a worker holds are drawn to their end.
pub async fn cancel_operation(app: &App, tx: &mut Tx, operation: &OperationId) -> Result<EndedDrawings> {
    let canceled = queue::cancel_of_operation(app, tx, operation, FailureCode::Canceled.as_str()).await?;
    record_canceled(app, tx, canceled).await
}

/// Records the end of canceled drawings in their targets and their operations.
async fn record_canceled(app: &App, tx: &mut Tx, canceled: Vec<UndrawnDrawing>) -> Result<EndedDrawings> {
    for drawing in &canceled {
        let failure = Some(FailureCode::Canceled);
        record(app, tx, &drawing.target, None, None, failure).await?;
    }
    let ended = operations::record_undrawn(app, tx, canceled).await?;
    for operation in &ended.operations {
        books::operation_ended(app, tx, operation).await?;
    }
    Ok(ended)
}

/// Records the outcome of the drawing on its page, character or book.
async fn end_target(
    app: &App,
    tx: &mut Tx,
    job: &DrawingJob,
    result: Result<&DrawnPicture, FailureCode>,
    usage: &mut Usage,
) -> Result<()> {
    let picture = match result {
        Ok(picture) => picture,
        Err(failure) => {
            record(app, tx, &job.target, None, None, Some(failure)).await?;
            return Ok(());
        }
    };
    let (artwork, asked) = (
        artwork::insert(app, tx, &job.account_id, &picture.artwork, usage).await?,
        job.request()?,
    );
    let is_chosen = !shows_variant(app, tx, job).await?;
    let shown = is_chosen.then_some(&artwork);
    if let Some(location) = record(app, tx, &job.target, shown, Some(&asked), None).await? {
        let drawn = NewAttempt {
            is_chosen,
            ..NewAttempt::drawn(job, &artwork, &asked, picture.note.as_deref(), picture.seed)
        };
        attempts::record(app, tx, drawn, usage).await?;
        // To clients, a page in the bin does not exist.
        return match is_chosen && location == Location::Library {
            true => announce_page(app, tx, job).await,
            false => Ok(()),
        };
    }
    // The target was deleted for good meanwhile. The drawing remains charged, and its artwork is discarded.
    artwork::discard(app, tx, &artwork, usage).await
}

/// Tells the account's webhooks of a page that was drawn.
async fn announce_page(app: &App, tx: &mut Tx, job: &DrawingJob) -> Result<()> {
    let Target::Page(page) = &job.target else {
        return Ok(());
    };
    let data = json!({"page_id": page, "operation_id": job.operation_id});
    webhooks::record(app, tx, &job.account_id, EventType::PageReady, &data).await
}

/// Returns whether the target shows another picture of the same order already. The target remains locked until the
/// transaction ends.
async fn shows_variant(app: &App, tx: &mut Tx, job: &DrawingJob) -> Result<bool> {
    let exists = match &job.target {
        Target::Page(id) => pages::lock_anywhere(app, tx, id).await?.is_some(),
        Target::Character(id) => characters::lock(app, tx, id).await?,
        Target::Cover(id) => books::lock_cover(app, tx, id).await?.is_some(),
    };
    Ok(exists && attempts::shows_drawing_of(tx, &job.target, &job.operation_id).await?)
}

/// Records the outcome on the target, which may be in the bin. Returns its location; None when it was deleted for good.
pub(super) async fn record(
    app: &App,
    tx: &mut Tx,
    target: &Target,
    artwork: Option<&ArtworkId>,
    asked: Option<&DrawingRequest>,
    failure: Option<FailureCode>,
) -> Result<Option<Location>> {
    match target {
        Target::Page(id) => pages::complete(app, tx, id, artwork, asked, failure).await,
        Target::Character(id) => {
            let exists = characters::complete(app, tx, id, artwork, asked).await?;
            Ok(exists.then_some(Location::Library))
        }
        Target::Cover(id) => books::complete_cover(app, tx, id, artwork, asked).await,
    }
}
