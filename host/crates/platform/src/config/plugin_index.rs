//! The registry from which plugins are installed by name.
use linepress_registry::{IndexPlace, PublicKey};
use serde::{Deserialize, Serialize};

/// The table `[plugin_index]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct PluginIndexSettings {
    /// The https URL of the registry, or its folder. No plugin is installed by name when it is empty.
    pub url: String,
    /// The keys of the registry, one of which must have signed its index.
    pub public_keys: Vec<String>,
    /// The hosts of the registry whose addresses may be private.
    pub private_hosts: Vec<String>,
    /// The number of versions of one plugin that stay installed, with the active one.
    pub kept_versions: usize,
}

impl Default for PluginIndexSettings {
    fn default() -> Self {
        Self {
            url: String::new(),
            public_keys: Vec::new(),
            private_hosts: Vec::new(),
            kept_versions: 3,
        }
    }
}

impl PluginIndexSettings {
    const MAX_KEPT_VERSIONS: usize = 20;

    /// Checks each setting, apart from the hosts; an error is the name of the invalid setting and the problem.
    pub(super) fn check(&self) -> Result<(), (&'static str, String)> {
        if let Some(Err(problem)) = self.place() {
            return Err(("plugin_index.url", problem.into()));
        }
        let keys = self.keys().map_err(|problem| ("plugin_index.public_keys", problem))?;
        if !self.url.is_empty() && keys.is_empty() {
            let problem = "must contain the key of the registry in plugin_index.url";
            return Err(("plugin_index.public_keys", problem.into()));
        }
        if !(2..=Self::MAX_KEPT_VERSIONS).contains(&self.kept_versions) {
            let problem = format!("must be 2 to {}", Self::MAX_KEPT_VERSIONS);
            return Err(("plugin_index.kept_versions", problem));
        }
        Ok(())
    }

    /// The place of the registry. `None` if the settings name none.
    pub fn place(&self) -> Option<Result<IndexPlace, &'static str>> {
        (!self.url.is_empty()).then(|| self.url.parse())
    }

    /// The keys of the registry.
    pub fn keys(&self) -> Result<Vec<PublicKey>, String> {
        self.public_keys.iter().map(|key| key.parse()).collect()
    }
}
