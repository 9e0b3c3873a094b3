//! Reloads plugins while the server runs, when their folders or the settings file change.
use std::path::{Path, PathBuf};

use linepress_plugin_host::Pace;

use super::App;
use crate::config::{Config, Given, PluginIndexSettings};
use crate::error::chain;

/// Reloads plugins until the future is dropped. `file` is the settings file that was named when the server started, if
/// any.
pub async fn follow(app: App, file: Option<PathBuf>, pace: Pace) {
    let watched = file.clone().unwrap_or_else(Config::usual_file);
    let Some(mut watch) = app.plugins.watch(Some(watched), pace).await else {
        return;
    };
    let mut others = false;
    loop {
        let changes = watch.next().await;
        if changes.settings {
            take_over(&app, file.as_deref(), &mut others).await;
        }
        if app.plugins.apply(&changes).await || changes.settings {
            app.warn_of_missing_plugins();
        }
    }
}

/// Reads the settings file again, and applies its settings about plugins.
async fn take_over(app: &App, file: Option<&Path>, others: &mut bool) {
    let config = match Config::load(file) {
        Ok(config) => config,
        Err(error) => {
            let error = chain(&error);
            tracing::error!(
                error,
                "the changed settings file is invalid: the previous settings remain in use"
            );
            return;
        }
    };
    let differs = differing(&app.config, &config);
    if differs && !*others {
        tracing::warn!("a changed setting takes effect only after a restart");
    }
    *others = differs;
    tracing::info!("plugin settings reloaded");
    app.plugins
        .configure(|settings| {
            settings.config = config.plugins;
            settings.network.grants = config.grants;
            settings.network.credentials = config.credentials;
        })
        .await;
}

/// Returns true when the two differ in a setting that is only read at the start.
fn differing(one: &Config, other: &Config) -> bool {
    let fixed = |config: &Config| {
        let mut config = config.clone();
        config.file = None;
        config.given = Given::default();
        // The program adds it.
        config.bundled_plugins = None;
        // `serve --roles` may have replaced them.
        config.roles.clear();
        config.plugins.clear();
        config.grants.clear();
        config.credentials.clear();
        // Only commands read these.
        config.publishers.clear();
        config.plugin_index = PluginIndexSettings::default();
        format!("{config:?}")
    };
    fixed(one) != fixed(other)
}
