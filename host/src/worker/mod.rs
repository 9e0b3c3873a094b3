//! Workers: claim a job, have it drawn while the lease is kept alive, complete it.
mod capacity;
mod claim;
mod complete;
mod dispatch;
mod draw;
mod give_up;
mod trouble;

use std::time::Duration;

use tracing::{Instrument as _, Span};

use crate::app::App;
use crate::error::{Error, Result};
use crate::operations::{self, CoverTurn, FailureCode};
use crate::queue::{self, DrawingJob, TargetType};

use capacity::{Capacity, Place};
use claim::Route;
use complete::Attempted;
use draw::Session;
use trouble::Trouble;

pub use claim::{Assignment, claim};
pub(crate) use complete::cancel_queued;
pub use complete::{Outcome, complete};
pub use dispatch::Workers;
pub use give_up::give_up;

/// What each line says that is logged for a drawing. Interfaces show what it is for, not its own id.
fn span(job: &DrawingJob) -> Span {
    tracing::error_span!(
        "drawing",
        target_type = job.target.kind().as_str(),
        target_id = job.target.id(),
        operation = %job.operation_id,
        drawing = %job.id,
        attempt = job.attempts,
    )
}

/// Claims and works on one drawing, if there is one; false when there is none.
pub async fn work_once(app: &App) -> Result<bool> {
    let Some(assignment) = claim(app).await? else {
        return Ok(false);
    };
    attempt(app, &assignment).await;
    Ok(true)
}

/// One attempt, from drawing to completing. Whatever goes wrong ends in the log and in the queue.
pub async fn attempt(app: &App, assignment: &Assignment) {
    let capacity = Capacity::new(app);
    attempt_within(app, assignment, &capacity, None)
        .instrument(span(assignment))
        .await;
}

/// The same within the job's span. Without a place of the provider it waits for one.
async fn attempt_within(app: &App, assignment: &Assignment, capacity: &Capacity, place: Option<Place>) {
    tokio::select! {
        () = draw_and_complete(app, assignment, capacity, place) => {}
        () = keep_alive(app, assignment) => {
            tracing::warn!("the lease was lost; another worker has the drawing");
        }
    }
}

async fn draw_and_complete(app: &App, assignment: &Assignment, capacity: &Capacity, place: Option<Place>) {
    let attempted = draw_unless_spent(app, assignment, capacity, place).await;
    let attempted = attempted.unwrap_or_else(|error| {
        log(&error);
        // No provider was asked, so this is not the drawing's fault.
        let after = Some(queue::pause_after(assignment.tried_for));
        Attempted::of(Outcome::PutOff { after })
    });
    if !persistently(|| complete(app, assignment, &attempted)).await {
        tracing::warn!("came too late; another worker has the drawing");
    }
}

/// Tries until it works: what was drawn is paid for, and a database or a store that is down may be up in a minute. Whoever
/// holds the lease decides when it has been too long.
async fn persistently<T, F: Future<Output = Result<T>>>(step: impl Fn() -> F) -> T {
    let mut tries = 0;
    let mut trouble = Trouble::default();
    loop {
        match step().await {
            Ok(done) => {
                trouble.is_over();
                return done;
            }
            Err(error) => trouble.log(&error, "a picture cannot be stored yet, and is kept for another try"),
        }
        tries += 1;
        tokio::time::sleep(queue::backoff(tries) / 4).await;
    }
}

/// Renews the lease for as long as it is ours.
async fn keep_alive(app: &App, job: &DrawingJob) {
    let mut trouble = Trouble::default();
    loop {
        tokio::time::sleep(app.config.lease() / 4).await;
        match queue::renew(app, job).await {
            Ok(true) => trouble.is_over(),
            Ok(false) => return,
            // The next renewal may succeed; if none does, completing finds the lease gone.
            Err(error) => trouble.log(&error, "the lease cannot be renewed yet"),
        }
    }
}

/// Claims count even when the process died over them: a drawing that kills its workers must end, too.
async fn draw_unless_spent(
    app: &App,
    assignment: &Assignment,
    capacity: &Capacity,
    place: Option<Place>,
) -> Result<Attempted> {
    if assignment.attempts > app.config.drawing_attempts {
        return Ok(Attempted::of(Outcome::Failed(FailureCode::Failed)));
    }
    // Deleted in the moment between a deletion's look at the queue and its end; or the worker before died, and the account was
    // closed since.
    let is_wanted = match assignment.tried_for.is_zero() {
        true => complete::is_wanted(app, &assignment.target).await?,
        false => complete::is_wanted_again(app, assignment).await?,
    };
    if !is_wanted {
        return Ok(Attempted::of(Outcome::Failed(FailureCode::Canceled)));
    }
    // Queued by another version, perhaps. Another attempt could not read it either.
    let request = match assignment.request() {
        Ok(request) => request,
        Err(error) => {
            log(&error);
            return Ok(Attempted::of(Outcome::Failed(FailureCode::Failed)));
        }
    };
    match &assignment.route {
        Route::Provider {
            provider,
            on_trial,
            waits,
        } => {
            if let Some(outcome) = hold_back(app, assignment).await? {
                return Ok(Attempted::of(outcome));
            }
            let session = Session {
                app,
                job: assignment,
                provider,
                request: &request,
                capacity,
                on_trial: *on_trial,
            };
            session.draw(place, *waits).await
        }
        Route::Later(after) => Ok(Attempted::of(Outcome::PutOff { after: Some(*after) })),
        Route::Nobody => {
            let (setting, aspect) = ("image_providers", request.aspect.as_str());
            tracing::error!(
                setting,
                aspect,
                "none of the plugins of this setting draws pictures of this aspect"
            );
            Ok(Attempted::of(Outcome::Failed(FailureCode::Failed)))
        }
    }
}

/// How the attempt at a cover ends that may not be drawn, or not yet.
async fn hold_back(app: &App, job: &DrawingJob) -> Result<Option<Outcome>> {
    /// Pages of the same order are drawn meanwhile.
    const UNTIL_A_PAGE: Duration = Duration::from_secs(10);
    if job.target.kind() != TargetType::Cover {
        return Ok(None);
    }
    Ok(
        match operations::begin_cover(app, &job.account_id, &job.operation_id).await? {
            CoverTurn::Draw => None,
            CoverTurn::Wait => Some(Outcome::PutOff {
                after: Some(UNTIL_A_PAGE),
            }),
            CoverTurn::Never => Some(Outcome::Failed(FailureCode::FreeCovers)),
        },
    )
}

/// Another attempt: it may have been an accident.
fn again(app: &App, job: &DrawingJob) -> Outcome {
    Outcome::Retry {
        after: queue::backoff(job.attempts),
        attempts: app.config.drawing_attempts,
    }
}

/// Another attempt, but not many: what is broken stays broken.
fn broken(app: &App, job: &DrawingJob) -> Outcome {
    const FEW: i64 = 3;
    Outcome::Retry {
        after: queue::backoff(job.attempts),
        attempts: app.config.drawing_attempts.min(FEW),
    }
}

fn log(error: &Error) {
    tracing::error!(error = error.for_operator(), "an attempt failed");
}
