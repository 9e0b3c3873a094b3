//! Single steps of housekeeping, mail and backups, for tests that decide when each one happens. The server takes these
//! steps only as parts of [`housekeeping::run`](crate::housekeeping::run).
use std::path::PathBuf;

use linepress_accounts::outbox::ClaimedMail;
use linepress_platform::app::App;
use linepress_platform::config::Config;
use linepress_platform::error::Result;

use crate::administration::plugin_calls;
use crate::backup::{self, Backup, BackupError};
use crate::startup::{self, OpenError, Scope};
use crate::{housekeeping, mailing, plugin_store, webhook_delivery};

/// Opens the parts of a server in a process that is not the linepress binary. `program` is the path of the binary.
pub async fn open_with(config: Config, scope: Scope, program: PathBuf) -> Result<App, OpenError> {
    startup::open_with(config, scope, program).await
}

/// Fails and refunds the drawings that have waited for providers for too long, unless this machine's clock is wrong.
pub async fn give_up_drawings(app: &App) {
    housekeeping::give_up_drawings(app).await;
}

/// Deletes what has expired, unless this machine's clock is wrong; returns true if it did.
pub async fn run_housekeeping_once(app: &App) -> bool {
    housekeeping::run_once(app).await
}

/// Makes a backup if the settings ask for one now and no other node makes it.
pub async fn back_up_if_due(app: &App) -> Result<Option<Backup>, BackupError> {
    backup::back_up_if_due(app).await
}

/// Writes the calls of plugins that have ended; returns their number.
pub async fn write_plugin_calls(app: &App) -> Result<usize> {
    plugin_calls::write(app).await
}

/// Deletes the calls of plugins that are too old; returns their number.
pub async fn forget_plugin_calls(app: &App) -> Result<u64> {
    plugin_calls::forget_old(app).await
}

/// Forgets the stores of plugins that were removed long ago; returns their number.
pub async fn forget_closed_plugin_stores(app: &App) -> Result<u64> {
    plugin_store::forget_closed(app).await
}

/// Makes one attempt at the next mail. Returns false when none is due or the server is read-only.
pub async fn deliver_mail(app: &App) -> Result<bool> {
    mailing::deliver_next(app).await
}

/// Sends the due deliveries of one webhook. Returns false when none is due or the server is read-only.
pub async fn deliver_to_webhook(app: &App) -> Result<bool> {
    webhook_delivery::deliver_next(app).await
}

/// Claims the next mail without sending it. None when none is due or the server is read-only.
pub async fn claim_mail(app: &App) -> Result<Option<ClaimedMail>> {
    mailing::next(app).await
}

/// Deletes the mails that are too old to be sent; returns their number.
pub async fn give_up_mails(app: &App) -> Result<u64> {
    mailing::give_up_old(app).await
}
