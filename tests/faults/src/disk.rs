//! The small file system with the incoming files of a node, which can be filled.
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::time::{self, Instant};

/// The size that the file system must not exceed: a larger one is the disk of this machine, and not a disk of a node.
const MAX_DISK_BYTES: u64 = 1 << 30;

/// The time after which space that the node freed is taken away again.
const REFILL_PAUSE: Duration = Duration::from_millis(20);

const BLOCK: &[u8] = &[1; 64 * 1024];

pub(crate) struct Disk {
    folder: PathBuf,
}

/// The file that takes all free space. It is deleted when this is dropped.
struct Ballast {
    file: File,
    path: PathBuf,
}

impl Disk {
    /// Returns the file system that is mounted at a folder. Fails if that is the disk of this machine.
    pub(crate) fn at(folder: PathBuf) -> anyhow::Result<Self> {
        let bytes = size(&folder).with_context(|| format!("{} cannot be examined", folder.display()))?;
        ensure!(
            bytes <= MAX_DISK_BYTES,
            "{} has no small file system of its own",
            folder.display()
        );
        Ok(Self { folder })
    }

    /// Leaves no free space for a time.
    pub(crate) async fn fill_for(&self, time: Duration) -> anyhow::Result<()> {
        let mut ballast = Ballast::create(self.folder.join("ballast"))?;
        let end = Instant::now() + time;
        while Instant::now() < end {
            ballast.grow().context("a disk cannot be filled")?;
            time::sleep(REFILL_PAUSE).await;
        }
        Ok(())
    }
}

/// The size of the file system of a folder, in bytes.
fn size(folder: &Path) -> rustix::io::Result<u64> {
    let status = rustix::fs::statvfs(folder)?;
    Ok(status.f_blocks.saturating_mul(status.f_frsize))
}

impl Ballast {
    fn create(path: PathBuf) -> anyhow::Result<Self> {
        let file = File::create(&path).with_context(|| format!("{} cannot be created", path.display()))?;
        Ok(Self { file, path })
    }

    /// Writes until there is no free space.
    fn grow(&mut self) -> std::io::Result<()> {
        loop {
            match self.file.write(BLOCK) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Ballast {
    fn drop(&mut self) {
        // Fails only if the file system does not exist any more.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disk_of_this_machine_is_not_filled() {
        let refused = Disk::at(PathBuf::from(env!("CARGO_MANIFEST_DIR"))).err().unwrap();
        assert!(
            refused.to_string().contains("no small file system of its own"),
            "{refused}"
        );
    }
}
