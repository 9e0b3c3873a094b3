//! Changes of approvals. They are in the settings file, which the running server reads again within seconds.
use std::path::Path;

use linepress_plugin_host::{Grant, Preview};

use super::approval::{self, Terms};
use super::{ManagedPlugin, PluginApproval, blocking, folder_of, get, present_config};
use crate::administration::audit_log::{self, Change, Target};
use crate::administration::{Actor, begin};
use crate::app::App;
use linepress_platform::config::Config;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::field::Field;

/// Approves what a plugin requests, for exactly the files that the operator looked at. Nothing changes if it requests
/// nothing. None if there is no such plugin.
pub async fn allow(app: &App, actor: &Actor, id: &str, given: &PluginApproval) -> Result<Option<ManagedPlugin>> {
    actor.require_operator()?;
    let terms = Terms::try_from(given)?;
    let Some(folder) = folder_of(app, id) else {
        return Ok(None);
    };
    allow_folder(app, actor, &folder, &terms).await?;
    get(app, actor, id).await
}

/// Approves what the plugin in this folder requests. Returns the grant; `None` if it requests nothing.
pub async fn allow_folder(app: &App, actor: &Actor, folder: &Path, terms: &Terms) -> Result<Option<Grant>> {
    actor.require_operator()?;
    let (config, preview) = read(present_config(app).await, folder).await?;
    if preview.requests.is_empty() {
        return Ok(None);
    }
    let grant = approval::grant(&preview, terms, config.grants.get(&preview.id))?;
    let mut tx = begin(app, actor).await?;
    let version = preview.version.to_string();
    let change = Change::AllowPlugin {
        version: &version,
        digest: &grant.digest,
        origins: &grant.origins,
        private: &grant.private,
        credentials: terms.sources.keys().map(String::as_str).collect(),
    };
    // Before the file is written, so that a change that cannot be recorded is not made.
    audit_log::record(app, &mut tx, actor, Target::Plugin(&preview.id), change).await?;
    let (written, sources) = (grant.clone(), terms.sources.clone());
    let edit = move || config.lock_file()?.approve_plugin(&preview.id, &written, &sources);
    blocking(edit).await?.map_err(not_written)?;
    tx.commit().await?;
    Ok(Some(grant))
}

/// Approves what the plugin in this folder requests without an entry in the audit log, before there is a database.
/// Returns the grant; `None` if it requests nothing.
pub fn allow_unrecorded(config: &Config, folder: &Path, terms: &Terms) -> Result<Option<Grant>> {
    let preview = Preview::read(folder, &config.plugins).map_err(unreadable)?;
    if preview.requests.is_empty() {
        return Ok(None);
    }
    let grant = approval::grant(&preview, terms, config.grants.get(&preview.id))?;
    let file = config.lock_file().map_err(not_written)?;
    let written = file.approve_plugin(&preview.id, &grant, &terms.sources);
    written.map_err(not_written)?;
    Ok(Some(grant))
}

async fn read(config: Config, folder: &Path) -> Result<(Config, Preview)> {
    let folder = folder.to_owned();
    blocking(move || {
        let preview = Preview::read(&folder, &config.plugins).map_err(unreadable)?;
        Ok((config, preview))
    })
    .await?
}

fn unreadable(reason: String) -> Error {
    Error::invalid_field(Field::named("plugin"), format!("is refused: {reason}"))
}

/// Removes the approval of a plugin, which is then no longer loaded. Nothing changes if it has none. None if there is no
/// such plugin.
pub async fn deny(app: &App, actor: &Actor, id: &str) -> Result<Option<ManagedPlugin>> {
    actor.require_operator()?;
    if folder_of(app, id).is_none() {
        return Ok(None);
    }
    withdraw(app, actor, id).await?;
    get(app, actor, id).await
}

/// Removes the approval of a plugin, whether or not its folder still exists. Returns false if it has none.
pub async fn withdraw(app: &App, actor: &Actor, id: &str) -> Result<bool> {
    actor.require_operator()?;
    let config = present_config(app).await;
    if !config.grants.contains_key(id) {
        return Ok(false);
    }
    let mut tx = begin(app, actor).await?;
    audit_log::record(app, &mut tx, actor, Target::Plugin(id), Change::DenyPlugin).await?;
    let plugin = id.to_owned();
    blocking(move || remove(&config, &plugin)).await??;
    tx.commit().await?;
    Ok(true)
}

/// Removes the approval of a plugin without an entry in the audit log, before there is a database. Returns false if it has
/// none.
pub fn withdraw_unrecorded(config: &Config, id: &str) -> Result<bool> {
    if !config.grants.contains_key(id) {
        return Ok(false);
    }
    remove(config, id)?;
    Ok(true)
}

fn remove(config: &Config, id: &str) -> Result<()> {
    let file = config.lock_file().map_err(not_written)?;
    file.disapprove_plugin(id).map_err(not_written)?;
    let now = config.load_again().map_err(not_written)?;
    match now.grants.contains_key(id) {
        true => Err(not_written(format!(
            "the grant of {id} is set by environment variables: remove it there"
        ))),
        false => Ok(()),
    }
}

fn not_written(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::from(ErrorKind::SettingsNotWritable).with_cause(cause)
}
