//! Administration: the functions of operators, for the web pages, the REST interface and the command line alike.
//!
//! Each public function begins with `actor.require_operator()`. Each change runs in one transaction that also writes
//! its entry of the audit log: it begins with `begin` and ends with `finish`.
pub mod accounts;
mod actor;
pub mod apps;
pub mod audit_log;
pub mod backups;
pub mod health;
pub mod installation;
pub mod keys;
pub mod operations;
pub mod plugin_calls;
pub mod plugin_values;
pub mod plugins;
pub mod providers;
mod reason;
pub mod settings;

pub use actor::Actor;
pub use reason::GivenReason;

use audit_log::{Change, Target};
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;

/// Begins the transaction of a change. Fails when the actor is no longer an operator: receiving the request may have
/// taken minutes.
async fn begin(app: &App, actor: &Actor) -> Result<Tx> {
    let mut tx = app.database.begin().await?;
    actor.check_still_operator(app, &mut tx).await?;
    Ok(tx)
}

/// Records the change in the audit log and commits both.
async fn finish(app: &App, mut tx: Tx, actor: &Actor, target: Target<'_>, change: Change<'_>) -> Result<()> {
    audit_log::record(app, &mut tx, actor, target, change).await?;
    tx.commit().await?;
    Ok(())
}
