//! A file that appears under its name when it is complete.
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use http_body_util::BodyExt as _;
use linepress_platform::random::Random;

use super::api::Api;

/// The bytes of random names.
const NAME_BYTES: usize = 8;

/// A file under a temporary name next to its final one. It is deleted unless it is completed.
struct Partial {
    path: PathBuf,
    file: File,
}

impl Partial {
    fn new(target: &Path) -> anyhow::Result<Self> {
        let name = target
            .file_name()
            .context("the path of the PDF does not end with a name")?;
        let path = target.with_file_name(format!(".{}.{}.part", name.to_string_lossy(), random_word()));
        let file = File::create_new(&path).with_context(|| format!("{} cannot be written", target.display()))?;
        Ok(Self { path, file })
    }

    fn complete(self, target: &Path) -> anyhow::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, target).with_context(|| format!("{} cannot be replaced", target.display()))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // A completed file does not have this name any more.
        let _ = fs::remove_file(&self.path);
    }
}

/// Checks before an order that its PDF can be saved later.
pub(super) fn check(target: &Path) -> anyhow::Result<()> {
    ensure!(!target.is_dir(), "{} is a folder", target.display());
    Partial::new(target).map(drop)
}

/// Saves the file at an address of the server.
pub(super) async fn save(api: &Api, address: &str, target: &Path) -> anyhow::Result<()> {
    let mut partial = Partial::new(target)?;
    let mut body = api.file(address).await?;
    while let Some(frame) = body.frame().await {
        let frame = frame.context("the download was interrupted")?;
        if let Some(bytes) = frame.data_ref() {
            partial.file.write_all(bytes).map_err(|error| match error.kind() {
                ErrorKind::StorageFull => anyhow::anyhow!("the disk is full"),
                _ => error.into(),
            })?;
        }
    }
    partial.complete(target)
}

/// A word that no other process uses.
pub(super) fn random_word() -> String {
    let mut bytes = [0; NAME_BYTES];
    Random::system().fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_completed_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("book.pdf");
        check(&target).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        fs::write(&target, "old").unwrap();
        let mut partial = Partial::new(&target).unwrap();
        partial.file.write_all(b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        partial.complete(&target).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(check(folder.path()).is_err());
        assert!(check(&folder.path().join("missing/book.pdf")).is_err());
    }
}
