//! The version of a plugin that was installed by name, and the place that it comes from.
use std::collections::BTreeMap;

use linepress_plugin_host::{CredentialSource, Grant, Preview};

use super::approval::{self, Terms};
use linepress_platform::config::Config;
use linepress_platform::error::Result;

/// The place that an installed version comes from.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// The version that was active before; `None` for the first installation.
    pub from: Option<String>,
    /// The name of the publisher.
    pub publisher: String,
    /// The key of the publisher, which later versions must be signed with.
    pub key: String,
    /// The place of the registry.
    pub index: String,
}

/// The installation of a version, as the audit log and the settings file record it.
pub(super) struct Installation {
    pub(super) version: String,
    pub(super) digest: String,
    /// `None` if the version requests nothing.
    pub(super) grant: Option<Grant>,
    pub(super) sources: BTreeMap<String, CredentialSource>,
    pub(super) provenance: Provenance,
}

impl Installation {
    pub(super) fn new(config: &Config, preview: &Preview, terms: &Terms, provenance: Provenance) -> Result<Self> {
        let grant = planned_grant(config, preview, terms)?;
        Ok(Self {
            version: preview.version.to_string(),
            digest: preview.digest.clone(),
            grant,
            sources: terms.sources.clone(),
            provenance,
        })
    }
}

/// The grant that the terms give to the previewed files; `None` if they request nothing.
pub fn planned_grant(config: &Config, preview: &Preview, terms: &Terms) -> Result<Option<Grant>> {
    match preview.requests.is_empty() {
        true => Ok(None),
        false => approval::grant(preview, terms, config.grants.get(&preview.id)).map(Some),
    }
}
