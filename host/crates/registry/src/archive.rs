//! Archives of plugin folders: a compressed tar file with one folder, named after the plugin's id, and only regular
//! files.
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::error::{RegistryError, Result, failed, refused};

/// Maximum size of an archive.
pub(crate) const MAX_ARCHIVE_BYTES: u64 = 64 << 20;
/// The time limit of a request that moves an archive.
pub(crate) const ARCHIVE_TIMEOUT: Duration = Duration::from_secs(600);
/// Maximum size of all files of a plugin, which is that of the folders that a server reads.
const MAX_UNPACKED_BYTES: u64 = 128 << 20;
/// Maximum size of what the archive decompresses to: the files, with a header for each and names that are long.
const MAX_TAR_BYTES: u64 = MAX_UNPACKED_BYTES + (8 << 20);
/// Maximum number of files and folders.
const MAX_ENTRIES: usize = 2000;
const MAX_DEPTH: usize = 16;
/// Other users of the machine, the server's user among them, may read installed plugins.
const FILE_MODE: u32 = 0o644;
pub(crate) const FOLDER_MODE: u32 = 0o755;
/// The prefix of temporary files and folders, which the next change of the installed versions removes if a process was
/// killed.
pub(crate) const WORK_PREFIX: &str = ".work-";

/// Packs these files of a plugin's folder. The same folder gives the same bytes.
pub(crate) fn pack(id: &str, folder: &Path, files: &[String]) -> Result<Vec<u8>> {
    let packed = write(id, folder, files).map_err(failed(folder, "packed"))?;
    if packed.len() as u64 > MAX_ARCHIVE_BYTES {
        return refused(format!(
            "the archive has {} bytes, and at most {MAX_ARCHIVE_BYTES} are read: make the plugin smaller",
            packed.len()
        ));
    }
    Ok(packed)
}

fn write(id: &str, folder: &Path, files: &[String]) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    archive.mode(tar::HeaderMode::Deterministic);
    // A file system may store a file with holes; `unpack` accepts only whole files.
    archive.sparse(false);
    for name in files {
        archive.append_file(format!("{id}/{name}"), &mut File::open(folder.join(name))?)?;
    }
    archive.into_inner()?.finish()
}

/// Unpacks the archive of a plugin into the folder `to`, which must not exist yet. Everything but regular files and
/// folders below one folder with the plugin's id is refused, and so is more than the limits.
pub(crate) fn unpack(id: &str, archive: &[u8], to: &Path) -> Result<()> {
    unpack_within(id, archive, to, MAX_TAR_BYTES)
}

fn unpack_within(id: &str, archive: &[u8], to: &Path, limit: u64) -> Result<()> {
    let damaged = |error: io::Error| RegistryError::Refused(format!("the archive of {id} cannot be unpacked: {error}"));
    make_folder(to)?;
    // The limit also covers what the reader of tar files holds in memory, such as long names.
    let mut limited = GzDecoder::new(archive).take(limit);
    let mut archive = tar::Archive::new(&mut limited);
    let mut entries = 0;
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        entries += 1;
        if entries > MAX_ENTRIES {
            return refused(format!(
                "the archive of {id} has more than {MAX_ENTRIES} files and folders"
            ));
        }
        let path = inside(id, &entry.path_bytes())?;
        match entry.header().entry_type() {
            tar::EntryType::Regular if path.as_os_str().is_empty() => return outside(id, id),
            tar::EntryType::Regular => write_file(id, &mut entry, to, &path)?,
            tar::EntryType::Directory => make_folders(to, &path)?,
            kind => {
                let path = path.display();
                return refused(format!(
                    "the archive of {id} has {path:?} of the type {kind:?}, and may have only regular files: do not install it"
                ));
            }
        }
    }
    if limited.limit() == 0 {
        return refused(format!("the archive of {id} unpacks to more than {limit} bytes"));
    }
    Ok(())
}

/// The path of an entry within the plugin's folder.
fn inside(id: &str, path: &[u8]) -> Result<PathBuf> {
    let Ok(text) = std::str::from_utf8(path) else {
        return outside(id, &String::from_utf8_lossy(path));
    };
    let parts: Vec<Component<'_>> = Path::new(text).components().collect();
    let is_plain = parts.iter().all(|part| matches!(part, Component::Normal(_)));
    let has_parents = text.split('/').any(|part| part == "." || part == "..");
    match parts.split_first() {
        Some((first, rest)) if is_plain && !has_parents && first.as_os_str() == id && rest.len() <= MAX_DEPTH => {
            Ok(rest.iter().collect())
        }
        _ => outside(id, text),
    }
}

fn outside<T>(id: &str, path: &str) -> Result<T> {
    refused(format!(
        "the archive of {id} has the path {path:?}, which is not one of a file in the folder {id}: do not install it"
    ))
}

fn write_file(id: &str, entry: &mut impl Read, to: &Path, path: &Path) -> Result<()> {
    make_folders(to, path.parent().unwrap_or(Path::new("")))?;
    let place = to.join(path);
    let mut options = OpenOptions::new();
    // A second entry with the same path is an error.
    let options = options.write(true).create_new(true).mode(FILE_MODE);
    let mut file = options.open(&place).map_err(failed(&place, "created"))?;
    let copied = io::copy(entry, &mut file);
    let copied =
        copied.map_err(|error| RegistryError::Refused(format!("the archive of {id} cannot be unpacked: {error}")))?;
    if copied > MAX_UNPACKED_BYTES {
        return refused(format!(
            "the archive of {id} unpacks to more than {MAX_UNPACKED_BYTES} bytes"
        ));
    }
    let written = file.flush().and_then(|()| set_mode(&place, FILE_MODE));
    // A power failure after the folder was renamed must not leave empty files.
    written
        .and_then(|()| file.sync_all())
        .map_err(failed(&place, "written"))
}

fn make_folders(to: &Path, path: &Path) -> Result<()> {
    let mut folder = to.to_owned();
    for part in path.components() {
        folder.push(part);
        make_folder(&folder)?;
    }
    Ok(())
}

/// Creates a folder, unless it exists, which other users may read.
pub(crate) fn make_folder(folder: &Path) -> Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        created => created
            .and_then(|()| set_mode(folder, FOLDER_MODE))
            .map_err(failed(folder, "created")),
    }
}

fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// Replaces a file by renaming a temporary one, so that no reader sees a partial file. Other users may read it.
pub(crate) fn replace_file(path: &Path, content: &[u8]) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = || -> io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(WORK_PREFIX).tempfile_in(folder)?;
        file.write_all(content)?;
        set_mode(file.path(), FILE_MODE)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        File::open(folder)?.sync_all()
    };
    written().map_err(failed(path, "written"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Entry, tar_gz};

    fn unpacked(entries: &[Entry<'_>]) -> std::result::Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("to");
        unpack("acme.flux", &tar_gz(entries), &to).map_err(|error| error.to_string())?;
        let files = linepress_files::read_all(&to, linepress_files::TEMPLATES).unwrap();
        Ok(files.into_iter().map(|(path, _)| path).collect())
    }

    #[test]
    fn files_and_folders_of_the_plugin_are_unpacked() {
        let found = unpacked(&[
            Entry::folder("acme.flux/"),
            Entry::file("acme.flux/plugin.toml", b"a"),
            Entry::file("acme.flux/templates/fonts/a.ttf", b"b"),
        ]);
        assert_eq!(found.unwrap(), ["plugin.toml", "templates/fonts/a.ttf"]);
    }

    #[test]
    fn other_kinds_of_entries_are_refused() {
        for kind in [
            tar::EntryType::Symlink,
            tar::EntryType::Link,
            tar::EntryType::Char,
            tar::EntryType::Block,
            tar::EntryType::Fifo,
            tar::EntryType::GNUSparse,
            tar::EntryType::Continuous,
        ] {
            let refusal = unpacked(&[Entry::special("acme.flux/a", kind, "/etc/passwd")]).unwrap_err();
            assert!(refusal.contains("acme.flux"), "{kind:?}: {refusal}");
        }
    }

    #[test]
    fn paths_outside_of_the_folder_are_refused() {
        for path in [
            "/etc/passwd",
            "../a",
            "acme.flux/../../a",
            "acme.flux/../acme.flux/a",
            "acme.flux/./../a",
            "acme.other/a",
            "plugin.toml",
            "acme.flux",
            "acme.flux/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r",
        ] {
            assert!(unpacked(&[Entry::file(path, b"a")]).is_err(), "{path}");
        }
        let twice = [Entry::file("acme.flux/a", b"a"), Entry::file("acme.flux/a", b"b")];
        assert!(unpacked(&twice).is_err());
        let within_a_file = [Entry::file("acme.flux/a", b"a"), Entry::file("acme.flux/a/b", b"b")];
        assert!(unpacked(&within_a_file).is_err());
    }

    #[test]
    fn an_archive_that_grows_beyond_its_limits_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let large = vec![0; 1 << 20];
        let bomb = tar_gz(&[Entry::file("acme.flux/a", &large)]);
        assert!(bomb.len() < 100_000, "it compresses well");
        let refusal = unpack_within("acme.flux", &bomb, &folder.path().join("to"), 500_000);
        assert!(refusal.is_err());
        let names: Vec<String> = (0..=MAX_ENTRIES).map(|number| format!("acme.flux/{number}")).collect();
        let many: Vec<Entry<'_>> = names.iter().map(|name| Entry::file(name, b"")).collect();
        assert!(unpacked(&many).unwrap_err().contains("more than 2000"));
    }

    #[test]
    fn a_truncated_archive_is_refused() {
        let whole = tar_gz(&[Entry::file("acme.flux/a", &[7; 5000]), Entry::file("acme.flux/b", b"b")]);
        let folder = tempfile::tempdir().unwrap();
        for bytes in [whole.len() / 2, 5, 0] {
            let to = folder.path().join(bytes.to_string());
            assert!(unpack("acme.flux", &whole[..bytes], &to).is_err(), "{bytes}");
        }
    }

    #[test]
    fn a_packed_folder_is_unpacked_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("from");
        let files = ["plugin.toml".to_owned(), format!("templates/{}.typ", "a".repeat(120))];
        for name in &files {
            let path = from.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        let packed = pack("acme.flux", &from, &files).unwrap();
        assert!(
            packed == pack("acme.flux", &from, &files).unwrap(),
            "always the same bytes"
        );
        let to = folder.path().join("to");
        unpack("acme.flux", &packed, &to).unwrap();
        for name in &files {
            assert_eq!(fs::read_to_string(to.join(name)).unwrap(), *name);
        }
        let holes = File::options().write(true).open(from.join("plugin.toml")).unwrap();
        holes.set_len(1 << 20).unwrap();
        let packed = pack("acme.flux", &from, &files).unwrap();
        unpack("acme.flux", &packed, &folder.path().join("sparse")).unwrap();
        let mode = fs::metadata(to.join("plugin.toml")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o644);
    }
}
