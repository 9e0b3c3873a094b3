//! A folder that a command makes: all of it or nothing.
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use tempfile::TempDir;

/// A folder that is written beside its place, and moved there when it is complete. Dropped before that, it leaves nothing.
pub(super) struct NewFolder {
    target: PathBuf,
    work: TempDir,
}

impl NewFolder {
    /// # Errors
    ///
    /// Where something is there already, or nothing can be written.
    pub(super) fn at(target: PathBuf) -> anyhow::Result<Self> {
        if target.exists() {
            bail!("{} is already there: name another folder with --out", target.display());
        }
        let parent = match target.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
            None => bail!("{} cannot be made", target.display()),
        };
        fs::create_dir_all(parent).with_context(|| format!("{} cannot be made", parent.display()))?;
        let work = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(parent)
            .with_context(|| format!("{} cannot be written to", parent.display()))?;
        Ok(Self { target, work })
    }

    /// Where to write.
    pub(super) fn path(&self) -> PathBuf {
        self.work.path().join("new")
    }

    /// Puts it in its place, which is returned.
    pub(super) fn put_in_place(self) -> anyhow::Result<PathBuf> {
        fs::rename(self.path(), &self.target).with_context(|| format!("{} cannot be made", self.target.display()))?;
        Ok(self.target)
    }
}
