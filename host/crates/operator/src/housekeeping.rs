//! Housekeeping: once a minute, deletes expired rows and objects, gives up drawings that waited too long, and makes the
//! backups of the settings.
use std::time::Duration;

use crate::administration::plugin_calls;
use crate::{backup, mailing, plugin_store};
use linepress_accounts::{grants, idempotency, requests, sign_in, throttle, webhooks};
use linepress_core::artwork::{attempts, bin, uploads};
use linepress_core::{indexing, objects, worker};
use linepress_drawings::queue;
use linepress_planning::drafts;
use linepress_platform::app::App;
use linepress_platform::database::Database;
use linepress_platform::error::Error;
use linepress_platform::maintenance;
use linepress_reviews::links;

const INTERVAL: Duration = Duration::from_secs(60);

/// Longer than the writing of any object takes.
const MAX_WRITE_DURATION: Duration = Duration::from_secs(24 * 3600);

/// Runs housekeeping until the future is dropped. A backup, which may take hours, does not delay the rest.
pub async fn run(app: App) {
    tokio::join!(delete_every_minute(&app), backup::run(&app));
}

async fn delete_every_minute(app: &App) {
    let mut has_cleared_store = false;
    loop {
        index(app).await;
        if run_once(app).await && !has_cleared_store {
            let before = app.clock.now().minus(MAX_WRITE_DURATION);
            report(
                "partially written objects",
                app.storage.delete_partial_files(before).await,
            );
            has_cleared_store = true;
        }
        let was_drawing = is_drawing_allowed(app).await;
        tokio::time::sleep(INTERVAL).await;
        // Workers that began to draw just now have a minute to see whether a provider works again.
        if was_drawing {
            give_up_drawings(app).await;
        }
    }
}

/// Indexes rows for search that an earlier version of the server inserted, unless the server is read-only.
async fn index(app: &App) {
    if !may_change(app).await {
        return;
    }
    match indexing::fill(app).await {
        Ok(0) => {}
        Ok(filled) => tracing::info!(
            filled,
            "housekeeping indexed books, pages and characters of an earlier version"
        ),
        Err(error) => tracing::error!(
            error = error.for_operator(),
            "housekeeping failed to index books, pages and characters of an earlier version"
        ),
    }
}

/// Deletes what has expired, unless the server is read-only or this machine's clock is wrong; returns true if it did.
/// The database's clock decides what has expired, but the times of files in a folder of objects are those of machines.
pub(crate) async fn run_once(app: &App) -> bool {
    let may_delete = may_change(app).await && clock_is_right(app).await;
    if may_delete {
        delete_expired(app).await;
    }
    may_delete
}

/// Fails and refunds drawings that have waited too long, unless the server is read-only or this machine's clock is
/// wrong: then its providers may have failed because of that.
pub(crate) async fn give_up_drawings(app: &App) {
    if !may_change(app).await || !clock_is_right(app).await {
        return;
    }
    match worker::give_up(app).await {
        Ok(0) => {}
        Ok(drawings) => tracing::warn!(
            drawings,
            "housekeeping gave up drawings that waited too long for a provider"
        ),
        Err(error) => tracing::warn!(
            error = error.for_operator(),
            "housekeeping failed to give up drawings that waited too long for a provider"
        ),
    }
}

/// Returns true when workers are known to claim drawings.
async fn is_drawing_allowed(app: &App) -> bool {
    may_change(app).await && matches!(queue::pause::current(app).await, Ok(None))
}

/// Returns true when the server is known not to be read-only.
async fn may_change(app: &App) -> bool {
    match maintenance::current(app).await {
        Ok(current) => current.is_none(),
        Err(error) => {
            let error = error.for_operator();
            tracing::warn!(error, "housekeeping skipped: the state of maintenance cannot be read");
            false
        }
    }
}

/// Returns true when this machine's clock is known to be close to the database's.
async fn clock_is_right(app: &App) -> bool {
    match app.database.clock_difference(&app.clock).await {
        Ok(difference) => {
            let seconds = difference.unwrap_or_default().as_secs();
            let is_right = difference.is_none_or(|difference| difference <= Database::MAX_CLOCK_DIFFERENCE);
            if !is_right {
                tracing::error!(
                    seconds,
                    "housekeeping skipped: the clock of this machine differs from the database's"
                );
            }
            is_right
        }
        Err(error) => {
            tracing::warn!(%error, "housekeeping skipped: the clock of the database cannot be read");
            false
        }
    }
}

async fn delete_expired(app: &App) {
    report(
        "expired codes, tokens and grants of apps",
        grants::forget_expired(app).await,
    );
    report("idempotency keys", idempotency::forget_old_keys(app).await);
    report("expired uploads", uploads::forget_expired(app).await);
    report("deleted books and pages", bin::forget_old(app).await);
    report("old attempts", attempts::forget_old(app).await);
    report("old drafts", drafts::forget_old(app).await);
    report("discarded objects", objects::sweep(app).await);
    report("expired sessions", sign_in::forget_expired(app).await);
    report("expired links", sign_in::forget_expired_links(app).await);
    report(
        "sign-ins that await a code",
        sign_in::second_factor::forget_expired(app).await,
    );
    report(
        "sign-ins with a provider",
        sign_in::provider::forget_expired_journeys(app).await,
    );
    report("prompts of ended drawings", queue::forget_requests(app).await);
    report("throttles", throttle::forget_old(app).await);
    report("old deliveries to webhooks", webhooks::forget_old(app).await);
    report("old entries of the request log", requests::forget_old(app).await);
    report("old calls of plugins", plugin_calls::forget_old(app).await);
    report(
        "closed stores of removed plugins",
        plugin_store::forget_closed(app).await,
    );
    report("expired review links", links::forget_old(app).await);
    report("mails that were not sent in time", mailing::give_up_old(app).await);
}

fn report(what: &str, cleared: Result<u64, Error>) {
    match cleared {
        Ok(0) => {}
        Ok(cleared) => tracing::info!(what, cleared, "housekeeping deleted expired data"),
        Err(error) => tracing::warn!(
            what,
            error = error.for_operator(),
            "housekeeping failed to delete expired data"
        ),
    }
}
