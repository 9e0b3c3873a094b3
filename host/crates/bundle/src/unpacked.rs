//! Folders named after the archive that they were unpacked from.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use brotli_decompressor::Decompressor;
use sha2::{Digest as _, Sha256};

pub(crate) fn place(archive: &[u8], within: &Path) -> PathBuf {
    within.join(hex::encode(Sha256::digest(archive)))
}

/// The size of the decoder's input buffer in bytes.
const BUFFER_BYTES: usize = 64 << 10;

/// Unpacks the compressed archive below `within`.
pub(crate) fn unpack_archive(archive: &[u8], within: &Path) -> io::Result<PathBuf> {
    unpack_tar(Decompressor::new(archive, BUFFER_BYTES), place(archive, within), within)
}

fn unpack_tar(archive: impl Read, place: PathBuf, within: &Path) -> io::Result<PathBuf> {
    if place.is_dir() {
        return Ok(place);
    }
    fs::create_dir_all(within)?;
    let work = tempfile::Builder::new().prefix(".unpacking-").tempdir_in(within)?;
    let fresh = work.path().join("plugins");
    for entry in tar::Archive::new(archive).entries()? {
        let mut entry = entry?;
        let path = fresh.join(entry.path()?);
        fs::create_dir_all(path.parent().unwrap_or(&fresh))?;
        let mut file = File::create(&path)?;
        match entry.link_name()? {
            // A copy of an earlier file, so that changing one of the two does not change the other.
            Some(same) => io::copy(&mut File::open(fresh.join(same))?, &mut file)?,
            None => io::copy(&mut entry, &mut file)?,
        };
        // A power failure after the renaming must not leave empty files.
        file.sync_all()?;
    }
    match fs::rename(&fresh, &place) {
        // Another process was faster.
        Err(_) if place.is_dir() => {}
        renamed => renamed?,
    }
    File::open(within)?.sync_all()?;
    Ok(place)
}

pub(crate) fn remove_except(place: &Path, within: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(within) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if path != place {
            fs::remove_dir_all(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unpacks the archive as it is, without decompressing it.
    fn unpack(archive: &[u8], within: &Path) -> io::Result<PathBuf> {
        unpack_tar(archive, place(archive, within), within)
    }

    fn archive(files: &[(&str, &str)]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, path, text.as_bytes()).unwrap();
        }
        builder.into_inner().unwrap()
    }

    #[test]
    fn a_file_that_is_a_link_in_the_archive_is_a_copy() {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_size(3);
        builder
            .append_data(&mut header, "acme.one/font", b"abc".as_slice())
            .unwrap();
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Link);
        header.set_size(0);
        builder
            .append_link(&mut header, "acme.two/font", "acme.one/font")
            .unwrap();
        let archive = builder.into_inner().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let place = unpack(&archive, folder.path()).unwrap();
        fs::write(place.join("acme.one/font"), "changed").unwrap();
        assert_eq!(fs::read_to_string(place.join("acme.two/font")).unwrap(), "abc");
    }

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn an_archive_is_unpacked_once_for_each_content() {
        let folder = tempfile::tempdir().unwrap();
        let within = folder.path().join("bundled-plugins");
        let one = archive(&[("acme.one/plugin.toml", "one"), ("acme.one/templates/a.typ", "a")]);
        let place = unpack(&one, &within).unwrap();
        assert_eq!(fs::read_to_string(place.join("acme.one/templates/a.typ")).unwrap(), "a");
        fs::write(place.join("mark"), "").unwrap();
        assert_eq!(unpack(&one, &within).unwrap(), place);
        assert!(place.join("mark").is_file(), "it is not unpacked again");
        let other = unpack(&archive(&[("acme.one/plugin.toml", "two")]), &within).unwrap();
        assert_ne!(other, place);
        assert_eq!(names(&within), 2, "no temporary folder remains");
        remove_except(&other, &within).unwrap();
        assert!(other.is_dir() && !place.exists());
    }

    #[test]
    fn a_damaged_archive_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut damaged = archive(&[("acme.one/plugin.toml", "one"), ("acme.one/config.json", "{}")]);
        damaged.truncate(damaged.len() / 2);
        assert!(unpack(&damaged, folder.path()).is_err());
        assert_eq!(names(folder.path()), 0);
    }
}
