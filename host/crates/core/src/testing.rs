//! Single steps of workers, for tests that decide when each one happens. The server takes these steps only as parts of
//! [`Workers`](crate::worker::Workers) and of housekeeping.
use std::time::Duration;

use linepress_accounts::accounts::Account;
use linepress_egress::FetchError;
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};

use crate::closing::{self, Closed};
use crate::objects::{StartedComparison, Thoroughness};
use crate::{artwork, indexing, objects, worker};
use linepress_drawings::queue::DrawingJob;
use linepress_drawings::{queue, routing};

pub use crate::worker::Assignment;

/// Claims one drawing job and makes one attempt at it. Returns false when there is nothing to claim.
pub async fn work_once(app: &App) -> Result<bool> {
    let Some(assignment) = claim(app).await? else {
        return Ok(false);
    };
    attempt(app, &assignment).await;
    Ok(true)
}

/// Claims the next drawing job. None when no drawing is due or no provider may be called now.
pub async fn claim(app: &App) -> Result<Option<Assignment>> {
    worker::claim(app).await
}

/// Makes one attempt at a drawing job.
pub async fn attempt(app: &App, assignment: &Assignment) {
    worker::attempt(app, assignment).await;
}

/// Makes one attempt at a drawing job, whose picture is cleaned and stored only after `meanwhile` has ended. An attempt
/// without a picture does not wait for it.
pub async fn attempt_while(app: &App, assignment: &Assignment, meanwhile: impl Future<Output = ()>) {
    worker::attempt_while(app, assignment, meanwhile).await;
}

/// Waits until the rate limit of a provider allows a call. Returns false when the provider is switched off meanwhile.
pub async fn wait_for_turn(app: &App, provider: &str) -> Result<bool> {
    routing::wait_for_turn(app, provider).await
}

/// Renews the lease. Returns false when it is lost.
pub async fn renew(app: &App, job: &DrawingJob) -> Result<bool> {
    queue::renew(app, job).await
}

/// Returns a drawing to the queue as if it had not been claimed.
pub async fn release(app: &App, job: &DrawingJob) -> Result<()> {
    queue::release(app, job).await
}

/// Stores the progress of a drawing.
pub async fn note_progress(app: &App, job: &DrawingJob, done: i64, total: i64) -> Result<()> {
    queue::note_progress(app, job, done, total).await
}

/// Fails and refunds the drawings that have waited for providers for too long; returns their number.
pub async fn give_up(app: &App) -> Result<u64> {
    worker::give_up(app).await
}

/// Marks objects for deletion after `lifetime`.
pub async fn expire_objects_in(app: &App, keys: &[&str], lifetime: Duration) -> Result<()> {
    objects::expire_in(app, keys, lifetime).await
}

/// Deletes all objects that are due; returns their number.
pub async fn sweep_objects(app: &App) -> Result<u64> {
    objects::sweep(app).await
}

/// The first half of a comparison of the database with the store.
pub async fn begin_comparison(app: &App, thoroughness: Thoroughness) -> Result<StartedComparison> {
    objects::begin_comparison(app, thoroughness).await
}

/// Deletes old requests of ended drawings; returns their number.
pub async fn forget_requests(app: &App) -> Result<u64> {
    queue::forget_requests(app).await
}

/// Deletes expired uploads; returns their number.
pub async fn forget_uploads(app: &App) -> Result<u64> {
    artwork::uploads::forget_expired(app).await
}

/// Deletes old attempts; returns their number.
pub async fn forget_attempts(app: &App) -> Result<u64> {
    artwork::attempts::forget_old(app).await
}

/// Deletes what has been in the bin for too long; returns the number of books and pages.
pub async fn forget_deleted(app: &App) -> Result<u64> {
    artwork::bin::forget_old(app).await
}

/// Indexes rows that are not indexed yet; returns their number.
pub async fn index(app: &App) -> Result<u64> {
    indexing::fill(app).await
}

/// The domain error of a failed fetch of `image_url`.
pub fn fetch_error(error: FetchError) -> Error {
    artwork::fetch_error(error)
}

/// Closes the account.
pub async fn close(app: &App, account: &Account) -> Result<Closed> {
    let mut tx = app.database.begin().await?;
    let closed = closing::close(app, &mut tx, &account.id).await?;
    tx.commit().await?;
    closing::end_late_grants(app, &account.id).await?;
    Ok(closed)
}
