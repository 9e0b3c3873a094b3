//! Plugins that are installed by name: their approval, and the key of their publisher. The files are those that the
//! calling command has verified and made active.
use std::path::Path;

use linepress_plugin_host::{Grant, Preview};

use super::approval::Terms;
use super::changes::{PluginChange, apply, lock_file, read, unreadable};
use super::present_config;
use super::provenance::{Installation, Provenance};
use crate::administration::Actor;
use linepress_platform::app::App;
use linepress_platform::config::Config;
use linepress_platform::error::Result;

/// Approves what the installed version in this folder requests, and remembers the key of its publisher. Returns the
/// grant; `None` if it requests nothing.
pub async fn install(
    app: &App,
    actor: &Actor,
    folder: &Path,
    terms: &Terms,
    provenance: Provenance,
) -> Result<Option<Grant>> {
    actor.require_operator()?;
    let (config, preview) = read(present_config(app).await, folder).await?;
    let installed = Installation::new(&config, &preview, terms, provenance)?;
    let grant = installed.grant.clone();
    let change = PluginChange::Install(Box::new(installed));
    apply(app, actor, config, preview.id, change).await?;
    Ok(grant)
}

/// Does the same as [`install`] without an entry in the audit log, before there is a database.
pub fn install_unrecorded(
    config: &Config,
    folder: &Path,
    terms: &Terms,
    provenance: Provenance,
) -> Result<Option<Grant>> {
    let preview = Preview::read(folder, &config.plugins).map_err(unreadable)?;
    let installed = Installation::new(config, &preview, terms, provenance)?;
    let grant = installed.grant.clone();
    let file = lock_file(config, &preview.id)?;
    PluginChange::Install(Box::new(installed)).write(file, &preview.id)?;
    Ok(grant)
}

/// Removes the approval of a plugin that was removed, and the key of its publisher.
pub async fn remove(app: &App, actor: &Actor, id: &str) -> Result<()> {
    actor.require_operator()?;
    apply(
        app,
        actor,
        present_config(app).await,
        id.to_owned(),
        PluginChange::Remove,
    )
    .await
}

/// Does the same as [`remove`] without an entry in the audit log, before there is a database.
pub fn remove_unrecorded(config: &Config, id: &str) -> Result<()> {
    let file = lock_file(config, id)?;
    PluginChange::Remove.write(file, id)?;
    Ok(())
}
