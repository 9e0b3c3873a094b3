//! A folder that a command creates completely or not at all.
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use tempfile::TempDir;

/// A folder that is written next to its target and moved there when it is complete. Dropping it earlier deletes it.
pub(crate) struct NewFolder {
    target: PathBuf,
    work: TempDir,
}

impl NewFolder {
    /// # Errors
    ///
    /// Fails when the target already exists, or when its parent cannot be created or written.
    pub(crate) fn at(target: PathBuf) -> anyhow::Result<Self> {
        if target.exists() {
            bail!("{} already exists: name another folder with --out", target.display());
        }
        let parent = match target.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
            None => bail!("{} cannot be created", target.display()),
        };
        fs::create_dir_all(parent).with_context(|| format!("{} cannot be created", parent.display()))?;
        let work = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(parent)
            .with_context(|| format!("{} cannot be written to", parent.display()))?;
        Ok(Self { target, work })
    }

    /// The path at which to write the contents.
    pub(crate) fn path(&self) -> PathBuf {
        self.work.path().join("new")
    }

    /// Moves the folder to its target, whose path is returned.
    pub(crate) fn put_in_place(self) -> anyhow::Result<PathBuf> {
        fs::rename(self.path(), &self.target)
            .with_context(|| format!("{} cannot be created", self.target.display()))?;
        Ok(self.target)
    }
}
