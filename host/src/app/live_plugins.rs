//! Keeps the plugins as their folders and the settings file say, while the server runs.
use std::path::{Path, PathBuf};

use linepress_plugin_host::Pace;

use super::App;
use crate::config::Config;
use crate::error::chain;

/// Goes on until it is dropped. `file` is the settings file the server was started with, if it was named.
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

/// Reads the settings again, and takes over what they say about plugins.
async fn take_over(app: &App, file: Option<&Path>, others: &mut bool) {
    let config = match Config::load(file) {
        Ok(config) => config,
        Err(error) => {
            let error = chain(&error);
            tracing::error!(
                error,
                "the settings file has changed and is wrong: the settings stay as they were"
            );
            return;
        }
    };
    let differs = differing(&app.config, &config);
    if differs && !*others {
        tracing::warn!("a setting has changed that needs a restart: until then it stays as it was");
    }
    *others = differs;
    tracing::info!("the settings of plugins were read again");
    app.plugins
        .configure(|settings| {
            settings.config = config.plugins;
            settings.network.grants = config.grants;
            settings.network.credentials = config.credentials;
        })
        .await;
}

/// Whether they differ in what is read only once.
fn differing(one: &Config, other: &Config) -> bool {
    let fixed = |config: &Config| {
        let mut config = config.clone();
        config.plugins.clear();
        config.grants.clear();
        config.credentials.clear();
        format!("{config:?}")
    };
    fixed(one) != fixed(other)
}
