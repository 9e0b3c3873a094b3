//! Operations on folders: copy, compare and replace.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// Copies a folder and its contents. A link becomes a copy of the file that it points to.
pub(crate) fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to).with_context(|| format!("{} cannot be created", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("{} cannot be read", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target).with_context(|| format!("{} cannot be copied", entry.path().display()))?;
        }
    }
    Ok(())
}

/// Creates an empty folder. Existing contents are deleted.
pub(crate) fn empty(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("{} cannot be emptied", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))
}

/// Returns true if two folders contain the same files with the same content.
pub(crate) fn same(one: &Path, other: &Path) -> anyhow::Result<bool> {
    let (names, other_names) = (names(one)?, names(other)?);
    if names != other_names {
        return Ok(false);
    }
    for name in names {
        let (one, other) = (one.join(&name), other.join(&name));
        let equal = match (one.is_dir(), other.is_dir()) {
            (true, true) => same(&one, &other)?,
            (false, false) => fs::read(&one)? == fs::read(&other)?,
            _ => false,
        };
        if !equal {
            return Ok(false);
        }
    }
    Ok(true)
}

fn names(folder: &Path) -> anyhow::Result<Vec<std::ffi::OsString>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", folder.display())),
    };
    let mut names = entries
        .map(|entry| Ok(entry?.file_name()))
        .collect::<std::io::Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

/// Returns the paths of everything in a folder, sorted by name.
pub(crate) fn sorted_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    Ok(names(folder)?.into_iter().map(|name| folder.join(name)).collect())
}

/// Returns the path of the only file of a folder.
pub(crate) fn only_file(folder: &Path) -> anyhow::Result<PathBuf> {
    match &mut sorted_files(folder)?[..] {
        [file] => Ok(std::mem::take(file)),
        files => anyhow::bail!("{} has {} files instead of one", folder.display(), files.len()),
    }
}

/// Moves the folder `old` to `trash` and `new` to the place of `old`. All must be on the same disk.
pub(crate) fn replace(old: &Path, new: &Path, trash: &Path) -> anyhow::Result<()> {
    if old.exists() {
        fs::rename(old, trash).with_context(|| format!("{} cannot be moved away", old.display()))?;
    }
    fs::rename(new, old).with_context(|| format!("{} cannot be put in place", old.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_the_same_until_something_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        fs::create_dir_all(one.join("inner")).unwrap();
        fs::write(one.join("inner/file"), "text").unwrap();
        copy(&one, &other).unwrap();
        assert!(same(&one, &other).unwrap());
        fs::write(other.join("inner/file"), "other").unwrap();
        assert!(!same(&one, &other).unwrap());
        fs::write(other.join("inner/file"), "text").unwrap();
        fs::write(other.join("more"), "").unwrap();
        assert!(!same(&one, &other).unwrap());
    }

    #[test]
    fn a_link_is_copied_as_the_file_that_it_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        fs::create_dir_all(&one).unwrap();
        fs::write(folder.path().join("original"), "text").unwrap();
        std::os::unix::fs::symlink("../original", one.join("file")).unwrap();
        copy(&one, &other).unwrap();
        assert!(fs::symlink_metadata(other.join("file")).unwrap().is_file());
        assert_eq!(fs::read(other.join("file")).unwrap(), b"text");
    }

    #[test]
    fn a_folder_is_replaced_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        fs::create_dir_all(&old).unwrap();
        fs::write(old.join("stale"), "").unwrap();
        fs::create_dir_all(&new).unwrap();
        fs::write(new.join("fresh"), "").unwrap();
        replace(&old, &new, &folder.path().join("trash")).unwrap();
        assert!(old.join("fresh").exists() && !old.join("stale").exists() && !new.exists());
        assert_eq!(only_file(&old).unwrap(), old.join("fresh"));
        assert!(only_file(folder.path()).is_err());
    }
}
