//! One file, read only if it is a regular file and within its size limit.
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use crate::error::{FileError, Kind};

/// Reads a regular file of at most `limit` bytes. Symbolic links are not followed.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let (file, size) = open(path)?;
    let too_large = |bytes| FileError::TooLarge {
        path: path.to_owned(),
        bytes,
        limit,
    };
    if size > limit {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // The file may grow while it is read.
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(unreadable(path))?;
    match bytes.len() as u64 {
        size if size > limit => Err(too_large(size)),
        _ => Ok(bytes),
    }
}

/// Reads the file at the relative path `name` in the folder, as [`read`] does. Symbolic links are followed as long as
/// they stay in the folder.
pub fn read_inside(folder: &Path, name: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let path = folder.join(name);
    let inside = folder.canonicalize().map_err(unreadable(folder))?;
    let file = path.canonicalize().map_err(unreadable(&path))?;
    if !file.starts_with(inside) {
        return Err(FileError::Outside { path });
    }
    read(&file, limit)
}

/// Opens a regular file and returns its size as well. Other files are never opened: opening a pipe blocks, and opening
/// a device may have side effects. The flags and the second check cover a file that is replaced between check and open.
fn open(path: &Path) -> Result<(File, u64), FileError> {
    check_regular(path, &path.symlink_metadata().map_err(unreadable(path))?)?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_NOCTTY)
        .open(path)
        .map_err(unreadable(path))?;
    let metadata = file.metadata().map_err(unreadable(path))?;
    check_regular(path, &metadata)?;
    Ok((file, metadata.len()))
}

fn check_regular(path: &Path, metadata: &std::fs::Metadata) -> Result<(), FileError> {
    match Kind::from_type(metadata.file_type()) {
        None => Ok(()),
        Some(kind) => Err(FileError::Irregular {
            path: path.to_owned(),
            kind,
        }),
    }
}

pub(crate) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> FileError {
    let path = path.to_owned();
    |source| FileError::Unreadable { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        let error = read(&path, 4).unwrap_err().to_string();
        assert!(
            error.ends_with("a.txt has 5 bytes, and at most 4 are read: make it smaller"),
            "{error}"
        );
    }

    #[test]
    fn a_sparse_file_is_rejected_by_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(matches!(read(&path, 1 << 20), Err(FileError::TooLarge { bytes, .. }) if bytes == 1 << 40));
    }

    #[test]
    fn only_a_regular_file_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("/dev/zero", &link).unwrap();
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let pipe = crate::testing::pipe_in(folder.path());
        for (path, expected) in [
            (link.as_path(), Kind::Link),
            (&socket, Kind::Socket),
            (&pipe, Kind::Pipe),
            (folder.path(), Kind::Folder),
            (Path::new("/dev/zero"), Kind::Device),
        ] {
            let error = read(path, 1 << 20).unwrap_err();
            assert!(
                matches!(error, FileError::Irregular { kind, .. } if kind == expected),
                "{error}"
            );
        }
    }

    #[test]
    fn a_link_is_followed_only_within_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("inside");
        std::fs::create_dir(&inside).unwrap();
        std::fs::write(inside.join("a.txt"), "a").unwrap();
        std::fs::write(folder.path().join("b.txt"), "b").unwrap();
        symlink("a.txt", inside.join("near")).unwrap();
        symlink("../b.txt", inside.join("far")).unwrap();
        symlink("/dev/zero", inside.join("zero")).unwrap();
        assert_eq!(read_inside(&inside, Path::new("near"), 10).unwrap(), b"a");
        for name in ["far", "zero"] {
            let error = read_inside(&inside, Path::new(name), 10).unwrap_err();
            assert!(matches!(error, FileError::Outside { .. }), "{error}");
        }
    }
}
