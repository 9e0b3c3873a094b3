//! The task of a node that goes back to the earlier version of a plugin when the first calls of a new one fail.
use crate::administration::plugins;
use linepress_platform::app::App;
use linepress_platform::plugin_trials::{FailedTrial, TrialEnd};

/// Rolls back until the future is dropped.
pub async fn follow(app: App) {
    loop {
        let failed = app.plugin_calls.trials.next_failed().await;
        let end = roll_back(&app, &failed).await;
        app.plugin_calls.trials.end(&failed.version, end);
        if end == TrialEnd::RolledBack {
            app.wake_workers();
        }
    }
}

/// Rolls the version back, if the settings say so and it can be.
async fn roll_back(app: &App, failed: &FailedTrial) -> TrialEnd {
    let FailedTrial { version, problem } = failed;
    let (plugin, from) = (version.id.as_str(), version.version.as_str());
    if !app.live().rollback_on_failure {
        tracing::warn!(
            plugin,
            version = from,
            problem,
            "the first calls of this version of a plugin failed; `linepress plugin rollback` goes back to the version before, and \
             the server does it by itself with the setting `plugins.rollback_on_failure`"
        );
        return TrialEnd::Undecided;
    }
    match plugins::roll_back(app, failed).await {
        Ok(Ok(to)) => {
            app.metrics.plugins.rolled_back(plugin);
            tracing::error!(
                plugin,
                from,
                to,
                problem,
                "plugin rolled back: the first calls of its new version failed"
            );
            TrialEnd::RolledBack
        }
        Ok(Err(reason)) => {
            tracing::error!(
                plugin,
                version = from,
                problem,
                reason,
                "the first calls of this version of a plugin failed, and it cannot be rolled back"
            );
            TrialEnd::Kept
        }
        Err(error) => {
            let error = error.for_operator();
            tracing::error!(
                plugin,
                version = from,
                problem,
                error,
                "the rollback of a plugin failed"
            );
            TrialEnd::Undecided
        }
    }
}
