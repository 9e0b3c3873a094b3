//! The values that plugins have stored in the database, for operators: keys and sizes, never the texts, which may be
//! secrets.
use linepress_platform::app::App;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;

use super::audit_log::{Change, Target};
use super::{Actor, begin, finish};
use crate::plugin_store;

pub use crate::plugin_store::StoredValue;

/// The values of the plugin with this id, whether or not it is installed, sorted by key.
pub async fn list(app: &App, actor: &Actor, plugin: &str) -> Result<Vec<StoredValue>> {
    actor.require_operator()?;
    // PostgreSQL rejects text with a zero byte, and no id contains a control character.
    if plugin.contains(char::is_control) {
        return Ok(Vec::new());
    }
    Ok(plugin_store::list(&app.database, plugin).await?)
}

/// Deletes all values of the plugin with this id, whether or not it is installed; returns their number. Nothing is
/// recorded if there are none.
pub async fn clear(app: &App, actor: &Actor, plugin: &str) -> Result<u64> {
    actor.require_operator()?;
    if plugin.contains(char::is_control) {
        return Ok(0);
    }
    let mut tx = begin(app, actor).await?;
    let values = plugin_store::clear(&mut tx, plugin, app.clock.now()).await?;
    if values == 0 {
        tx.rollback().await?;
        return Ok(0);
    }
    record_and_commit(app, tx, actor, plugin, values).await?;
    Ok(values)
}

/// Deletes all values of a plugin that was removed; returns their number. Calls that still run, on any node, can no
/// longer store anything. Nothing is recorded if there are no values.
pub async fn close(app: &App, actor: &Actor, plugin: &str) -> Result<u64> {
    actor.require_operator()?;
    let mut tx = begin(app, actor).await?;
    let values = plugin_store::close(&mut tx, plugin, app.clock.now()).await?;
    if values == 0 {
        tx.commit().await?;
        return Ok(0);
    }
    record_and_commit(app, tx, actor, plugin, values).await?;
    Ok(values)
}

async fn record_and_commit(app: &App, tx: Tx, actor: &Actor, plugin: &str, values: u64) -> Result<()> {
    let change = Change::ClearPluginStore { values };
    finish(app, tx, actor, Target::Plugin(plugin), change).await
}
