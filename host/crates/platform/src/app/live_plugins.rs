//! Reloads plugins, and the settings about them, while the server runs, when their folders or the settings file change.
use std::path::{Path, PathBuf};
use std::sync::Arc;

use linepress_plugin_host::{Changes, Pace, PluginSettings};

use super::App;
use crate::config::Config;
use crate::error::chain;

/// Reloads plugins until the future is dropped. `file` is the settings file that was named when the server started, if
/// any.
pub async fn follow(app: App, file: Option<PathBuf>, pace: Pace) {
    let watched = file.clone().unwrap_or_else(Config::usual_file);
    let Some(mut watch) = app.plugins.watch(Some(watched), pace).await else {
        return;
    };
    let mut others = false;
    // The watch does not see a change that was made while the server started.
    let started = app.config.clone();
    if tokio::task::spawn_blocking(move || started.is_outdated())
        .await
        .unwrap_or(false)
    {
        take_over(&app, file.as_deref(), &mut others, &Changes::default()).await;
    }
    loop {
        let changes = watch.next().await;
        let has_changed = match changes.settings {
            true => take_over(&app, file.as_deref(), &mut others, &changes).await,
            false => app.plugins.apply(&changes).await,
        };
        if has_changed || changes.settings {
            app.warn_of_missing_plugins();
            // Drawings may have waited for a provider that can draw them now.
            app.wake_workers();
        }
    }
}

/// Reads the settings file again, and applies its settings about plugins together with the changes of their folders.
/// Returns true if any plugin was added, replaced, removed or refused.
async fn take_over(app: &App, file: Option<&Path>, others: &mut bool, changes: &Changes) -> bool {
    let before = app.live();
    let Some(config) = changed_settings(file, &before).await else {
        return app.plugins.apply(changes).await;
    };
    let differs = app.config.needs_restart_for(&config);
    if differs && !*others {
        tracing::warn!("a changed setting takes effect only after a restart");
    }
    *others = differs;
    tracing::info!("plugin settings reloaded");
    let now = config.clone();
    // Before the order is taken over, so that a provider that it names for the first time is loaded by then.
    let change = |settings: &mut PluginSettings| {
        settings.config = now.plugins;
        settings.network.grants = now.grants;
        settings.network.credentials = now.credentials;
    };
    let has_changed = app.plugins.configure_and_apply(change, changes).await;
    app.take_over(config);
    log_choice(app, &before, &app.live());
    has_changed
}

/// The settings in the file. `None` if they are invalid, or not allowed by a plugin, which is logged.
async fn changed_settings(file: Option<&Path>, before: &Arc<Config>) -> Option<Config> {
    let config = match Config::load(file) {
        Ok(config) => config,
        Err(error) => {
            let error = chain(&error);
            tracing::error!(
                error,
                "the changed settings file is invalid: the previous settings remain in use"
            );
            return None;
        }
    };
    let (checked, present) = (config.clone(), before.clone());
    let problem = tokio::task::spawn_blocking(move || checked.plugin_problem_since(&present)).await;
    if let Some(problem) = problem.ok().flatten() {
        tracing::error!(
            problem,
            "the changed settings file has a setting that a plugin does not allow: the previous settings remain in use"
        );
        return None;
    }
    Some(config)
}

/// Logs the settings that choose plugins, if they have changed.
fn log_choice(app: &App, before: &Config, now: &Config) {
    let chosen = |config: &Config| {
        let providers = config.image_providers.join(", ");
        let (planner, layout) = (config.planner.clone(), config.layout.clone());
        (providers, planner, layout, config.reviewer.clone())
    };
    if chosen(before) != chosen(now) {
        let (image_providers, planner, layout, reviewer) = chosen(now);
        tracing::info!(
            image_providers,
            planner,
            layout,
            reviewer,
            "plugins chosen; drawings in progress end with the provider they began with"
        );
    }
    let (calls, places) = (now.max_concurrent_drawings(), app.config.drawing_places());
    if calls > places && before.max_concurrent_drawings() != calls {
        tracing::warn!(
            calls,
            places,
            "the image providers may have more concurrent calls than this node has room for until it is restarted: further \
             calls wait"
        );
    }
}
