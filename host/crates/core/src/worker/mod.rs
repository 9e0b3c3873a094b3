//! Workers, which claim drawing jobs, have providers draw them while the lease is renewed, and complete them.
//!
//! Every log line of an attempt has the fields of `span`: the target, the operation, the drawing and the attempt. One
//! line states the outcome (`log_outcome` in `complete`), unless the lease was lost; a line about the provider may
//! follow.
//!
//! The line of a drawing that ended with the code `generation_failed` is an error with the plugin, if one was called,
//! the number of attempts, the minutes between the first claim and this one, and the last error. The line of a drawing
//! that ended with another code, because it was rejected, or canceled while a worker held it, is of level info and has
//! the code. Both say that the drawing was refunded, even if it cost nothing. The drawing of a test key has a line of
//! level info instead.
//!
//! A drawing that `give_up` ended while no worker held it has a line from there, with the account but without a plugin;
//! its minutes are those of `outage_patience`. A drawing that was canceled while it waited has no line.
mod capacity;
mod claim;
mod complete;
mod dispatch;
mod draw;
mod draw_request;
mod give_up;
mod on_demand;
mod refinement;
mod review;
mod trouble;

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use crate::operations::{self, CoverTurn, FailureCode};
use linepress_drawings::queue::{self, DrawingJob, TargetType};
use linepress_drawings::routing::Route;
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};

use capacity::{Capacity, Place};
use complete::{AttemptOutcome, AttemptResult, complete};
use draw::Session;
use trouble::Trouble;

pub use claim::Assignment;
pub use claim::{claim, route};
pub use complete::{cancel_all_queued, cancel_operation};
pub use dispatch::Workers;
pub use give_up::give_up;

/// The span of a drawing job, whose fields appear in each of its log lines. `target_type` and `target_id` are those
/// that the interfaces show; the id of the drawing itself is internal.
fn span(job: &DrawingJob) -> Span {
    tracing::error_span!(
        "drawing",
        trace_id = Empty,
        target_type = job.target.kind().as_str(),
        target_id = job.target.id(),
        operation = %job.operation_id,
        drawing = %job.id,
        attempt = job.attempts,
    )
}

/// The step of an attempt in the trace of the request that ordered the drawing.
fn step(assignment: &Assignment) -> Span {
    let job: &DrawingJob = assignment;
    let provider = assignment.provider().map(|provider| &*provider.description().id);
    let step = tracing::info_span!(
        target: linepress_traces::TARGET,
        "draw",
        otel.kind = "consumer",
        target_type = job.target.kind().as_str(),
        target_id = job.target.id(),
        operation = %job.operation_id,
        attempt = job.attempts,
        provider,
    );
    if let Some(parent) = &job.trace_parent {
        linepress_traces::set_parent(&step, parent);
    }
    step
}

/// Runs an attempt at the drawing within its span of the log and its step of the trace.
async fn traced<T>(assignment: &Assignment, attempt: impl Future<Output = T>) -> T {
    let (span, step) = (span(assignment), step(assignment));
    linepress_traces::link_log(&span, &step);
    attempt.instrument(span).instrument(step).await
}

/// Makes one attempt at a drawing job, from the provider's call to completion. Errors are logged and recorded in the
/// queue, never returned.
pub(crate) async fn attempt(app: &App, assignment: &Assignment) {
    let capacity = Capacity::new(app);
    traced(assignment, attempt_within(app, assignment, &capacity, None)).await;
}

/// Makes one attempt at a drawing job, whose picture is not cleaned before `meanwhile` has ended.
pub(crate) async fn attempt_while(app: &App, assignment: &Assignment, meanwhile: impl Future<Output = ()>) {
    let capacity = Capacity::new(app);
    let turns = capacity.take_finishing_turns().await;
    let meanwhile = async {
        meanwhile.await;
        drop(turns);
    };
    let attempt = traced(assignment, attempt_within(app, assignment, &capacity, None));
    tokio::join!(attempt, meanwhile);
}

/// Makes one attempt within the job's span. Without a `place` it waits for one of the provider's.
async fn attempt_within(app: &App, assignment: &Assignment, capacity: &Capacity, place: Option<Place>) {
    let is_completing = AtomicBool::new(false);
    let mut work = pin!(draw_and_complete(app, assignment, capacity, place, &is_completing));
    tokio::select! {
        () = &mut work => return,
        () = keep_alive(app, assignment) => {}
    }
    // A renewal that waited for the transaction of the completion finds that the drawing has ended. The completion
    // checks the lease by itself.
    if is_completing.load(Ordering::Relaxed) {
        work.await;
    } else {
        tracing::warn!("drawing lease lost; another worker may hold the drawing now");
    }
}

async fn draw_and_complete(
    app: &App,
    assignment: &Assignment,
    capacity: &Capacity,
    place: Option<Place>,
    is_completing: &AtomicBool,
) {
    let attempted = draw_unless_spent(app, assignment, capacity, place).await;
    let result = attempted.unwrap_or_else(|error| {
        log(&error);
        // No provider was called, so the attempt does not count against the drawing.
        let after = Some(queue::pause_after(assignment.tried_for));
        AttemptResult {
            outcome: AttemptOutcome::Postponed { after },
            calls: None,
            error: Some(error.for_operator()),
        }
    });
    is_completing.store(true, Ordering::Relaxed);
    if !retry_until_ok(|| complete(app, assignment, &result)).await {
        tracing::warn!("attempt ended after its lease was lost; another worker may hold the drawing now");
    }
}

/// Repeats a step until it succeeds. A picture is already paid for, and a database or an object storage that is down
/// may be back within a minute. The lease limits how long this goes on: `keep_alive` ends the storing of a picture once
/// it is lost, and the completion ends when it finds it lost.
async fn retry_until_ok<T, F: Future<Output = Result<T>>>(step: impl Fn() -> F) -> T {
    let mut tries = 0;
    let mut trouble = Trouble::default();
    loop {
        match step().await {
            Ok(done) => {
                trouble.is_over();
                return done;
            }
            Err(error) => trouble.log(
                &error,
                "the result of an attempt cannot be stored; the worker tries again",
            ),
        }
        tries += 1;
        tokio::time::sleep(queue::backoff(tries) / 4).await;
    }
}

/// Renews the lease until it is lost, and returns then.
async fn keep_alive(app: &App, job: &DrawingJob) {
    let mut trouble = Trouble::default();
    loop {
        tokio::time::sleep(app.config.lease() / 4).await;
        match queue::renew(app, job).await {
            Ok(true) => trouble.is_over(),
            Ok(false) => return,
            // The next renewal may succeed. If none does, completing the attempt finds that the lease is lost.
            Err(error) => trouble.log(
                &error,
                "the lease of a drawing cannot be renewed; the worker tries again",
            ),
        }
    }
}

/// Draws unless the job has used up its attempts or its target is gone. A claim counts as an attempt even when the
/// process died afterwards, so that a drawing that crashes its workers ends, too. An error means that no provider was
/// called.
async fn draw_unless_spent(
    app: &App,
    assignment: &Assignment,
    capacity: &Capacity,
    place: Option<Place>,
) -> Result<AttemptResult> {
    if assignment.attempts > app.config.drawing_attempts {
        return Ok(AttemptResult::failed(
            "the drawing has no attempts left: its workers died",
        ));
    }
    // An order may be accepted while the deletion of its target, or the end of its account, cancels what is queued.
    if !complete::may_draw(app, assignment).await? {
        return Ok(AttemptOutcome::Failed(FailureCode::Canceled).into());
    }
    // The request may have been queued by another version of the server. A later attempt could not read it either.
    let request = match assignment.request() {
        Ok(request) => request,
        Err(error) => {
            log(&error);
            return Ok(AttemptResult::failed(error.for_operator()));
        }
    };
    if let Some(outcome) = on_demand::outcome(&request, assignment.tried_for) {
        return Ok(outcome.into());
    }
    match &assignment.route {
        Route::Call(chosen) => {
            if let Some(outcome) = defer_cover(app, assignment).await? {
                return Ok(outcome.into());
            }
            let session = Session {
                app,
                job: assignment,
                chosen,
                request: &request,
                capacity,
            };
            // On the heap: the compiler lays out nested futures only down to a limited depth.
            Box::pin(session.draw(place)).await
        }
        Route::Paused(after) | Route::SwitchedOff(after) => {
            Ok(AttemptOutcome::Postponed { after: Some(*after) }.into())
        }
        Route::NoProvider => {
            let (setting, aspect) = ("image_providers", request.aspect.as_str());
            let source_picture = request.source.is_some();
            tracing::error!(
                setting,
                aspect,
                source_picture,
                "no image provider that this setting names can draw this request"
            );
            Ok(AttemptResult::failed("no loaded image provider can draw this request"))
        }
    }
}

/// The outcome of an attempt at a cover that may not be drawn, or not yet. None when the provider may be called.
async fn defer_cover(app: &App, job: &DrawingJob) -> Result<Option<AttemptOutcome>> {
    /// Time for the pages of the same order to be drawn.
    const COVER_RETRY_DELAY: Duration = Duration::from_secs(10);
    if job.target.kind() != TargetType::Cover {
        return Ok(None);
    }
    Ok(
        match operations::begin_cover(app, &job.account_id, &job.operation_id).await? {
            CoverTurn::Draw => None,
            CoverTurn::Wait => Some(AttemptOutcome::Postponed {
                after: Some(COVER_RETRY_DELAY),
            }),
            CoverTurn::Never => Some(AttemptOutcome::Failed(FailureCode::FreeCovers)),
        },
    )
}

/// The outcome for a failure that may be temporary: the drawing is retried up to the configured number of attempts.
fn retry_transient(app: &App, job: &DrawingJob) -> AttemptOutcome {
    AttemptOutcome::Retry {
        after: queue::backoff(job.attempts),
        max_attempts: app.config.drawing_attempts,
    }
}

/// The outcome for a failure of the plugin or of its output, which is likely to repeat: the drawing gets at most
/// `MAX_DEFECT_ATTEMPTS` attempts.
fn retry_defect(app: &App, job: &DrawingJob) -> AttemptOutcome {
    const MAX_DEFECT_ATTEMPTS: i64 = 3;
    AttemptOutcome::Retry {
        after: queue::backoff(job.attempts),
        max_attempts: app.config.drawing_attempts.min(MAX_DEFECT_ATTEMPTS),
    }
}

fn log(error: &Error) {
    tracing::error!(error = error.for_operator(), "a step of a drawing attempt failed");
}
