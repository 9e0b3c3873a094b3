//! The plugin folder of a node, in which one plugin is exchanged and removed while the node runs.
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

/// The plugins of a node: providers that fail as a prompt asks, that take their time, and that draw in place of the
/// others, and a planner and a layout, without which a node is not ready.
const PLUGINS: [&str; 5] = [
    "testbed.flaky",
    SLOW,
    "testbed.plain",
    "linepress.storyboard",
    "linepress.classic",
];

/// The provider that fails, hangs, is exchanged and removed. It draws all pages that are not square.
pub(crate) const SLOW: &str = "testbed.slow";

/// A line of the manifest of the plugin, and the line in its place after an exchange. The digest of the folder changes
/// with it, so the plugin is loaded again.
const LIMITS: [&str; 2] = ["memory-mib = 64", "memory-mib = 80"];

/// The plugins in the data folder of a node.
pub(crate) struct Plugins {
    folder: PathBuf,
    /// A folder on the same disk for plugins that are not in use.
    aside: PathBuf,
}

impl Plugins {
    /// Copies all plugins into the data folder of a node.
    pub(crate) fn install(data: &Path, sources: &[PathBuf]) -> anyhow::Result<Self> {
        let plugins = Self {
            folder: data.join("plugins.d"),
            aside: data.join("plugins-aside"),
        };
        fs::create_dir_all(&plugins.aside)?;
        for id in PLUGINS {
            let places = sources.iter().map(|source| source.join(id));
            let source = places.into_iter().find(|place| place.is_dir());
            let source = source.with_context(|| format!("the plugin {id} was not built"))?;
            copy(&source, &plugins.folder.join(id))?;
        }
        Ok(plugins)
    }

    /// Replaces the plugin by one with another manifest.
    pub(crate) fn exchange(&self) -> anyhow::Result<()> {
        let (place, new, old) = (self.place(), self.aside.join("new"), self.aside.join("old"));
        copy(&place, &new)?;
        let manifest = new.join("plugin.toml");
        let text = fs::read_to_string(&manifest)?;
        let [from, to] = if text.contains(LIMITS[0]) {
            LIMITS
        } else {
            [LIMITS[1], LIMITS[0]]
        };
        ensure!(text.contains(from), "{} has no line {from}", manifest.display());
        fs::write(&manifest, text.replace(from, to))?;
        fs::rename(&place, &old)?;
        fs::rename(&new, &place)?;
        Ok(fs::remove_dir_all(old)?)
    }

    /// Takes the plugin out of the folder.
    pub(crate) fn remove(&self) -> anyhow::Result<()> {
        Ok(fs::rename(self.place(), self.aside.join(SLOW))?)
    }

    /// Puts the removed plugin back.
    pub(crate) fn put_back(&self) -> anyhow::Result<()> {
        Ok(fs::rename(self.aside.join(SLOW), self.place())?)
    }

    fn place(&self) -> PathBuf {
        self.folder.join(SLOW)
    }
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("{} cannot be read", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
