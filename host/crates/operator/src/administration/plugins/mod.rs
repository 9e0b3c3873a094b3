//! Plugins: their state, what they request, and the operator's approval of it.
mod approval;
mod changes;
mod choosing;
mod installs;
mod provenance;
mod resource;
mod rollback;
mod source;

use std::path::PathBuf;

use linepress_plugin_host::{Installed, Preview};

use super::Actor;
use linepress_platform::app::App;
use linepress_platform::config::Config;
use linepress_platform::error::{Error, Result};

pub use approval::{PluginApproval, Terms, is_granted, is_within_grant};
pub use changes::{allow, allow_folder, allow_unrecorded, deny, withdraw, withdraw_unrecorded};
pub use choosing::{
    PluginSettingsChange, PluginUse, configure, configure_folder, configure_from_text, configure_unrecorded, leave_out,
    leave_out_unrecorded, stop_using, use_folder, use_plugin, use_unrecorded,
};
pub use installs::{install, install_unrecorded, remove, remove_unrecorded};
pub use provenance::{Provenance, planned_grant};
pub use resource::{
    ManagedPlugin, PluginGrant, PluginKind, PluginPermission, PluginSetting, PluginState, RequestedCredential,
    RequestedOrigin,
};
pub(crate) use rollback::roll_back;
pub use source::{PluginSource, PluginSourceKind};

/// The plugin folders of this node, sorted by path, with the approvals in its settings file.
pub async fn list(app: &App, actor: &Actor) -> Result<Vec<ManagedPlugin>> {
    actor.require_operator()?;
    let installed = app.plugins.installed();
    let config = present_config(app).await;
    blocking(move || describe(&config, installed)).await
}

/// The plugin with this id. None if no folder of this node contains it.
pub async fn get(app: &App, actor: &Actor, id: &str) -> Result<Option<ManagedPlugin>> {
    actor.require_operator()?;
    let Some(installed) = installed(app, id) else {
        return Ok(None);
    };
    let config = present_config(app).await;
    let described = blocking(move || describe(&config, vec![installed])).await?;
    Ok(described.into_iter().next())
}

/// The state of plugin folders, with the approvals of these settings. Reads all files of the folders.
pub fn describe(config: &Config, installed: Vec<Installed>) -> Vec<ManagedPlugin> {
    let described = installed.into_iter().map(|installed| {
        let preview = Preview::read(&installed.folder, &config.plugins).ok();
        ManagedPlugin::new(config, installed, preview.as_ref())
    });
    described.collect()
}

/// The folder of the plugin with this id: the one that is loaded, or else the first by path.
fn installed(app: &App, id: &str) -> Option<Installed> {
    let mut folders = app.plugins.installed();
    folders.retain(|folder| folder.id.as_deref() == Some(id));
    let loaded = folders.iter().position(|folder| folder.serving.is_some());
    (!folders.is_empty()).then(|| folders.swap_remove(loaded.unwrap_or(0)))
}

fn folder_of(app: &App, id: &str) -> Option<PathBuf> {
    installed(app, id).map(|installed| installed.folder)
}

/// The settings with those of the settings file that take effect while the server runs.
async fn present_config(app: &App) -> Config {
    app.config.with_live_settings(file_settings(app).await)
}

/// The settings that the settings file and the environment have now. Those in force remain in use while the file is
/// invalid.
pub(super) async fn file_settings(app: &App) -> Config {
    let config = app.config.clone();
    match blocking(move || config.load_again()).await {
        Ok(Ok(now)) => now,
        _ => (*app.live()).clone(),
    }
}

/// Runs work with files on a thread on which it may block.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(Error::internal)
}
