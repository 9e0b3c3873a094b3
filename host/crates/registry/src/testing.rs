//! Keys, releases and archives for tests.
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use semver::Version;

use crate::index::{Archive, Publisher, Release};
use crate::keys::SigningKey;

pub(crate) fn key() -> SigningKey {
    let folder = tempfile::tempdir().unwrap();
    SigningKey::create(&folder.path().join("key.pem")).unwrap()
}

/// A signed version of a plugin, without an archive.
pub(crate) fn release(id: &str, version: &str, key: &SigningKey) -> Release {
    let mut release = Release {
        id: id.into(),
        version: Version::parse(version).unwrap(),
        world: "linepress:image/image-provider@0.1".into(),
        description: "Draws animals".into(),
        digest: "a".repeat(64),
        archive: Archive {
            url: format!("archives/{id}-{version}.tar.gz"),
            bytes: 1,
            sha256: "a".repeat(64),
        },
        publisher: Publisher {
            name: "Acme".into(),
            key: key.public(),
        },
        signature: String::new(),
    };
    release.sign(key);
    release
}

/// An entry of an archive, with a path that no check has seen.
pub(crate) struct Entry<'a> {
    path: &'a str,
    kind: tar::EntryType,
    content: &'a [u8],
    link: &'a str,
}

impl<'a> Entry<'a> {
    pub(crate) fn file(path: &'a str, content: &'a [u8]) -> Self {
        Self {
            path,
            kind: tar::EntryType::Regular,
            content,
            link: "",
        }
    }

    pub(crate) fn folder(path: &'a str) -> Self {
        Self::special(path, tar::EntryType::Directory, "")
    }

    pub(crate) fn special(path: &'a str, kind: tar::EntryType, link: &'a str) -> Self {
        Self {
            path,
            kind,
            content: b"",
            link,
        }
    }
}

/// A compressed tar file. The headers are written byte by byte, because `tar` refuses dangerous paths.
pub(crate) fn tar_gz(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut file = GzEncoder::new(Vec::new(), Compression::fast());
    for entry in entries {
        let mut header = tar::Header::new_ustar();
        let fields = header.as_ustar_mut().unwrap();
        fields.name[..entry.path.len()].copy_from_slice(entry.path.as_bytes());
        fields.linkname[..entry.link.len()].copy_from_slice(entry.link.as_bytes());
        header.set_entry_type(entry.kind);
        header.set_size(entry.content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        file.write_all(header.as_bytes()).unwrap();
        file.write_all(entry.content).unwrap();
        let padding = entry.content.len().next_multiple_of(512) - entry.content.len();
        file.write_all(&vec![0; padding]).unwrap();
    }
    file.write_all(&[0; 1024]).unwrap();
    file.finish().unwrap()
}
