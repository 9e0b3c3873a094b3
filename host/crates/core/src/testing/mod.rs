//! Single steps of workers and housekeeping, for tests that decide when each one happens. The server takes these steps only as
//! parts of [`Workers`](crate::worker::Workers) and [`housekeeping::run`](crate::housekeeping::run).
mod accounts;

use std::path::PathBuf;
use std::time::Duration;

use linepress_egress::FetchError;
use linepress_platform::config::Config;
use linepress_platform::error::{Error, Result};

use crate::app::App;
use crate::backup::{self, Backup, BackupError};
use crate::objects::{StartedComparison, Thoroughness};
use crate::outbox::ClaimedMail;
use crate::queue::DrawingJob;
use crate::startup::{OpenError, Scope};
use crate::{
    artwork, drafts, grants, housekeeping, idempotency, mailing, objects, queue, routing, sign_in, startup, throttle,
    worker,
};

pub use crate::worker::Assignment;
pub use accounts::{
    close, create_account, create_account_with_password, create_key, debit, grant, offer_password_reset, revoke_grant,
    revoke_key, set_password, set_plan,
};

/// Opens the parts of a server in a process that is not the linepress binary. `program` is the path of the binary.
pub async fn open_with(config: Config, scope: Scope, program: PathBuf) -> Result<App, OpenError> {
    startup::open_with(config, scope, program).await
}

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

/// Like [`give_up`], unless this machine's clock is wrong.
pub async fn give_up_drawings(app: &App) {
    housekeeping::give_up_drawings(app).await;
}

/// Deletes what has expired, unless this machine's clock is wrong; returns true if it did.
pub async fn run_housekeeping_once(app: &App) -> bool {
    housekeeping::run_once(app).await
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

/// Makes a backup if the settings ask for one now and no other node makes it.
pub async fn back_up_if_due(app: &App) -> Result<Option<Backup>, BackupError> {
    backup::back_up_if_due(app).await
}

/// Deletes old requests of ended drawings; returns their number.
pub async fn forget_requests(app: &App) -> Result<u64> {
    queue::forget_requests(app).await
}

/// Deletes throttles that have no effect any more; returns their number.
pub async fn forget_throttles(app: &App) -> Result<u64> {
    throttle::forget_old(app).await
}

/// Deletes expired drafts; returns their number.
pub async fn forget_drafts(app: &App) -> Result<u64> {
    drafts::forget_old(app).await
}

/// Deletes expired requests, codes, tokens, grants and clients; returns their number.
pub async fn forget_grants(app: &App) -> Result<u64> {
    grants::forget_expired(app).await
}

/// Deletes expired uploads; returns their number.
pub async fn forget_uploads(app: &App) -> Result<u64> {
    artwork::uploads::forget_expired(app).await
}

/// Deletes old idempotency keys; returns their number.
pub async fn forget_idempotency_keys(app: &App) -> Result<u64> {
    idempotency::forget_old_keys(app).await
}

/// Deletes expired sessions; returns their number.
pub async fn forget_sessions(app: &App) -> Result<u64> {
    sign_in::forget_expired(app).await
}

/// Deletes expired single-use links; returns their number.
pub async fn forget_links(app: &App) -> Result<u64> {
    sign_in::forget_expired_links(app).await
}

/// Deletes expired sign-ins that await a code, and unconfirmed second factors; returns their number.
pub async fn forget_pending_sign_ins(app: &App) -> Result<u64> {
    sign_in::second_factor::forget_expired(app).await
}

/// Deletes expired journeys to an OpenID Connect provider; returns their number.
pub async fn forget_journeys(app: &App) -> Result<u64> {
    sign_in::provider::forget_expired_journeys(app).await
}

/// Makes one attempt at the next mail. Returns false when none is due or the server is read-only.
pub async fn deliver_mail(app: &App) -> Result<bool> {
    mailing::deliver_next(app).await
}

/// Claims the next mail without sending it. None when none is due or the server is read-only.
pub async fn claim_mail(app: &App) -> Result<Option<ClaimedMail>> {
    mailing::next(app).await
}

/// Deletes the mails that are too old to be sent; returns their number.
pub async fn give_up_mails(app: &App) -> Result<u64> {
    mailing::give_up_old(app).await
}

/// The domain error of a failed fetch of `image_url`.
pub fn fetch_error(error: FetchError) -> Error {
    artwork::fetch_error(error)
}
