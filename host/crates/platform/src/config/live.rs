//! The settings that take effect while the server runs.
use std::collections::BTreeSet;

use linepress_plugin_host::{find_folder, own_settings, setting_problems};

use super::{Config, Given, PluginIndexSettings, TEST_PROVIDER};

/// The settings, and tables of settings, that take effect while the server runs. [`Config::with_live_settings`] takes
/// them over.
pub const LIVE_SETTINGS: [&str; 10] = [
    "image_providers",
    "providers",
    "planner",
    "layout",
    "reviewer",
    "reviewer_on_failure",
    "blocked_words",
    "plugins",
    "grants",
    "credentials",
];

/// The number of drawings for which a node has room although its settings name fewer concurrent calls, so that an
/// operator can add providers while it runs. Each reserves address space.
const MIN_DRAWING_PLACES: u32 = 32;

impl Config {
    /// These settings, with those of `now` that take effect while the server runs.
    pub fn with_live_settings(&self, now: Self) -> Self {
        Self {
            image_providers: now.image_providers,
            providers: now.providers,
            planner: now.planner,
            layout: now.layout,
            reviewer: now.reviewer,
            reviewer_on_failure: now.reviewer_on_failure,
            blocked_words: now.blocked_words,
            plugins: now.plugins,
            rollback_on_failure: now.rollback_on_failure,
            grants: now.grants,
            credentials: now.credentials,
            ..self.clone()
        }
    }

    /// Returns true when `now` differs in a setting that is only read at the start.
    pub fn needs_restart_for(&self, now: &Self) -> bool {
        let fixed = |config: &Self| {
            let config = Self {
                file: None,
                given: Given::default(),
                // The program adds it.
                bundled_plugins: None,
                // `serve --roles` may have replaced them.
                roles: Vec::new(),
                // Only commands read these.
                publishers: Default::default(),
                plugin_index: PluginIndexSettings::default(),
                oci_registries: Default::default(),
                ..config.with_live_settings(Self::default())
            };
            format!("{config:?}")
        };
        fixed(self) != fixed(now)
    }

    /// The first setting of a plugin that differs from `before`, the settings in force, and that the plugin's
    /// `config.json` does not allow. The others are not checked: a plugin that is replaced by a version with other
    /// settings must not prevent changes, and neither must settings that remain for another stored version. The plugins
    /// are those in the folders of `before`, because only the program knows the folder of its own.
    pub fn plugin_problem_since(&self, before: &Self) -> Option<String> {
        let mut changed = self
            .plugins
            .iter()
            .filter(|(id, now)| before.plugins.get(*id) != Some(*now));
        changed.find_map(|(id, settings)| {
            let folder = find_folder(&before.plugin_folders(), id)?;
            let problems = setting_problems(&folder, &own_settings(&folder, settings));
            let problem = problems.into_iter().next()?;
            Some(format!("{} in [plugins.\"{id}\"]", problem.sentence()))
        })
    }

    /// Returns true if the settings name this plugin: as one of the image providers, as the planner, as the layout, or
    /// as the reviewer.
    pub fn uses_plugin(&self, id: &str) -> bool {
        self.image_providers
            .iter()
            .chain([&self.planner, &self.layout, &self.reviewer])
            .any(|used| used == id)
    }

    /// The number of drawings that the image providers of the settings, and the one for test keys, may draw
    /// concurrently. Whether a provider uses the network is only known once it is loaded, so the larger of its two
    /// limits counts.
    pub fn max_concurrent_drawings(&self) -> u32 {
        let max_concurrency = |id: &str| self.concurrency(id, true).max(self.concurrency(id, false));
        let mut providers: BTreeSet<&str> = self.image_providers.iter().map(String::as_str).collect();
        providers.insert(TEST_PROVIDER);
        let calls: usize = providers.into_iter().map(max_concurrency).sum();
        u32::try_from(calls).unwrap_or(u32::MAX)
    }

    /// The number of drawings for which a node has room until it is restarted.
    pub fn drawing_places(&self) -> u32 {
        self.max_concurrent_drawings().max(MIN_DRAWING_PLACES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_settings_of_plugins_take_effect_while_the_server_runs() {
        let start = Config::default();
        let named = Config {
            image_providers: vec!["acme.flux".into()],
            planner: "acme.planner".into(),
            workers: 7,
            ..Config::default()
        };
        let live = start.with_live_settings(named.clone());
        assert_eq!(live.image_providers, ["acme.flux"]);
        assert_eq!((live.planner.as_str(), live.workers), ("acme.planner", start.workers));
        assert!(start.needs_restart_for(&named));
        assert!(!start.needs_restart_for(&live));
    }
}
