//! Reproducible tar archives: the same files make the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use tar::{Builder, EntryType, Header};

use crate::project::{self, Project};

/// Packs the contents of a folder with gzip. `time` is the modification time of every file, in seconds since 1970.
pub(super) fn pack_gzip(folder: &Path, time: u64) -> anyhow::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&pack(folder, time)?)?;
    Ok(encoder.finish()?)
}

/// Packs the contents of a folder without compression. A file with the same bytes as an earlier one is a link to it:
/// the layouts share their fonts, which a compressor with a small window would compress once for each.
pub(super) fn pack(folder: &Path, time: u64) -> anyhow::Result<Vec<u8>> {
    let mut builder = Builder::new(Vec::new());
    let mut paths = Vec::new();
    list(folder, &mut paths)?;
    paths.sort();
    let mut earlier: BTreeMap<[u8; 32], PathBuf> = BTreeMap::new();
    for path in paths {
        let name = path.strip_prefix(folder)?;
        let bytes = fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let is_program = fs::metadata(&path)?.permissions().mode() & 0o100 != 0;
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(bytes.len() as u64);
        header.set_mode(if is_program { 0o755 } else { 0o644 });
        header.set_mtime(time);
        let digest: [u8; 32] = Sha256::digest([&[u8::from(is_program)], bytes.as_slice()].concat()).into();
        if let Some(same) = earlier.get(&digest) {
            header.set_entry_type(EntryType::Link);
            header.set_size(0);
            builder.append_link(&mut header, name, same)?;
            continue;
        }
        earlier.insert(digest, name.to_owned());
        builder.append_data(&mut header, name, bytes.as_slice())?;
    }
    Ok(builder.into_inner()?)
}

fn list(folder: &Path, paths: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// The time of the commit that is built, in seconds since 1970; 0 without git.
pub(super) fn commit_time(project: &Project) -> u64 {
    let time = project::read(
        Command::new("git")
            .args(["log", "-1", "--format=%ct"])
            .current_dir(&project.root),
    );
    time.ok().and_then(|time| time.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_make_the_same_archive() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        fs::write(folder.path().join("b/two"), "2").unwrap();
        fs::write(folder.path().join("one"), "1").unwrap();
        fs::write(folder.path().join("two"), "2").unwrap();
        fs::set_permissions(folder.path().join("one"), fs::Permissions::from_mode(0o700)).unwrap();
        let packed = pack(folder.path(), 5).unwrap();
        fs::write(folder.path().join("b/two"), "2").unwrap();
        assert_eq!(pack(folder.path(), 5).unwrap(), packed);
        let mut archive = tar::Archive::new(packed.as_slice());
        let entries = archive.entries().unwrap().map(Result::unwrap);
        let entries: Vec<_> = entries
            .map(|entry| {
                let link = entry.link_name().unwrap();
                (
                    entry.path().unwrap().display().to_string(),
                    entry.header().mode().unwrap(),
                    link.map(|link| link.display().to_string()),
                )
            })
            .collect();
        assert_eq!(
            entries,
            [
                ("b/two".into(), 0o644, None),
                ("one".into(), 0o755, None),
                ("two".into(), 0o644, Some("b/two".into())),
            ]
        );
    }
}
