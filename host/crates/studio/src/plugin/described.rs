//! The check that a component reports the version of its plugin.toml. `linepress plugin check` reports the result, and
//! `pack`, `publish` and `push` fail.
use std::path::Path;

use anyhow::{Context as _, bail};
use linepress_platform::config::Config;
use linepress_plugin_host::{Preview, Serving, pack};

use crate::workbench::{Network, Workbench};

/// A component that reports another version than its plugin.toml.
pub(super) struct OtherVersion {
    pub(super) finding: String,
    pub(super) remedy: String,
}

impl OtherVersion {
    /// Compares the two versions of a loaded plugin. `None` if they are equal, or if the plugin is a variant: its
    /// component is another layout's, with the version of that layout.
    pub(super) fn of(serving: &Serving, preview: &Preview) -> Option<Self> {
        let (described, version) = (&serving.described_version, &serving.version);
        if described == version || preview.variant.is_some() {
            return None;
        }
        Some(Self {
            finding: format!("the component reports version {described}"),
            remedy: format!("plugin.toml has version {version}: use the same version in both."),
        })
    }
}

/// Packs the author's folder into a temporary one and loads it. Fails if a server would refuse it, for example because
/// the component reports another id, or if the component reports another version than plugin.toml.
pub(super) async fn check(config: &Config, source: &Path) -> anyhow::Result<()> {
    let work = tempfile::tempdir().context("the temporary folder cannot be created")?;
    let packed = pack(source, work.path()).map_err(anyhow::Error::msg)?;
    let workbench = Workbench::new(config, &packed.folder, Network::Offline, None)?;
    let (installed, _) = match workbench.load().await? {
        Ok(loaded) => loaded,
        Err(reason) => bail!("a server refuses it: {reason}"),
    };
    let preview = Preview::read(&packed.folder, &workbench.settings().config).map_err(anyhow::Error::msg)?;
    let serving = installed.serving.as_ref();
    match serving.and_then(|serving| OtherVersion::of(serving, &preview)) {
        None => Ok(()),
        Some(OtherVersion { finding, remedy }) => bail!("{finding}. {remedy}"),
    }
}
