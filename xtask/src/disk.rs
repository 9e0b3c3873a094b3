//! The free disk space that the tests need.

use std::path::Path;

use anyhow::{Context as _, bail};

/// The free space that the builds and the programs of the tests need in the target folder.
const MIN_TARGET_GB: u64 = 15;

/// The free space that the databases and the objects of the tests need in the folder for temporary files.
const MIN_TEMPORARY_GB: u64 = 5;

const BYTES_PER_GB: u64 = 1_000_000_000;

/// Fails if the target folder or the folder for temporary files has too little free space for a run of all tests. On a
/// full disk, tests fail in ways that do not name the cause.
pub(crate) fn check(target: &Path) -> anyhow::Result<()> {
    let shown = target.display();
    let old_builds = format!(
        "delete {shown}/debug/incremental, and the programs of earlier tests, {shown}/debug/deps/it-*; cargo makes \
         again what it needs"
    );
    let temporary = std::env::temp_dir();
    let leftovers = "delete what earlier runs left there, such as folders whose names begin with linepress-";
    for (folder, needed_gb, advice) in [
        (target, MIN_TARGET_GB, old_builds.as_str()),
        (temporary.as_path(), MIN_TEMPORARY_GB, leftovers),
    ] {
        if let Some(shortage) = shortage(folder, free_bytes(folder)?, needed_gb) {
            bail!("{shortage}: {advice}");
        }
    }
    Ok(())
}

/// The free space that this user may fill in the file system of a folder, which need not exist yet.
fn free_bytes(folder: &Path) -> anyhow::Result<u64> {
    let present = folder.ancestors().find(|ancestor| ancestor.exists());
    let status = rustix::fs::statvfs(present.unwrap_or(folder));
    let status = status.with_context(|| format!("the free space of {} cannot be determined", folder.display()))?;
    Ok(status.f_bavail.saturating_mul(status.f_frsize))
}

/// A sentence about the free space; `None` if it suffices.
fn shortage(folder: &Path, free_bytes: u64, needed_gb: u64) -> Option<String> {
    (free_bytes < needed_gb * BYTES_PER_GB).then(|| {
        let tenths = free_bytes / (BYTES_PER_GB / 10);
        format!(
            "the disk of {} has {}.{} GB of free space, and the tests need {needed_gb} GB",
            folder.display(),
            tenths / 10,
            tenths % 10
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortage_names_the_free_and_the_needed_space() {
        let folder = Path::new("/srv/target");
        assert_eq!(shortage(folder, 15 * BYTES_PER_GB, 15), None);
        assert_eq!(
            shortage(folder, 15 * BYTES_PER_GB - 1, 15).unwrap(),
            "the disk of /srv/target has 14.9 GB of free space, and the tests need 15 GB"
        );
        assert!(shortage(folder, 0, 15).unwrap().contains("has 0.0 GB"));
    }

    #[test]
    fn a_folder_that_does_not_exist_yet_has_the_free_space_of_its_parent() {
        let folder = tempfile::tempdir().unwrap();
        assert!(free_bytes(&folder.path().join("target/debug")).unwrap() > 0);
    }
}
