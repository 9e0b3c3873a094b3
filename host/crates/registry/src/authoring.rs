//! The version that an author publishes: packed, checked and signed.
use std::collections::BTreeMap;
use std::path::Path;

use linepress_plugin_host::{Preview, pack};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::archive;
use crate::error::{RegistryError, Result, failed, refused};
use crate::index::{Archive, Publisher, Release};
use crate::keys::{PublicKey, SigningKey};

/// The publisher's part of a version.
pub struct Author<'a> {
    /// The publisher's key.
    pub key: &'a SigningKey,
    /// The publisher's name; that of the previous version if `None`.
    pub publisher: Option<String>,
    /// The description; that of the previous version if `None`.
    pub description: Option<String>,
    /// True if another key than that of the previous version is intended.
    pub is_new_key: bool,
}

/// A packed plugin.
pub(crate) struct Built {
    pub(crate) preview: Preview,
    pub(crate) archive: Vec<u8>,
}

/// Packs the author's folder, and fails if operators could not install the archive.
pub(crate) fn build(source: &Path) -> Result<Built> {
    let work = tempfile::tempdir().map_err(failed(Path::new("the temporary folder"), "written"))?;
    let packed = pack(source, work.path()).map_err(RegistryError::Refused)?;
    let preview = Preview::read(&packed.folder, &BTreeMap::new()).map_err(RegistryError::Refused)?;
    let archive = archive::pack(&packed.id, &packed.folder, &packed.files)?;
    check_archive(&archive, &preview, &work)?;
    Ok(Built { preview, archive })
}

fn check_archive(archive: &[u8], preview: &Preview, work: &TempDir) -> Result<()> {
    // No plugin has this id, so the folder is not the packed one.
    let unpacked = work.path().join(".unpacked");
    archive::unpack(&preview.id, archive, &unpacked)?;
    let again = Preview::read(&unpacked, &BTreeMap::new()).map_err(RegistryError::Refused)?;
    if again.digest != preview.digest {
        return refused(format!(
            "the archive of {} does not contain the files of its folder: wait until nothing changes them, and publish again",
            preview.id
        ));
    }
    Ok(())
}

/// Signs a packed plugin whose archive is at `url`. Name and description come from the previous version unless the
/// author names them.
pub(crate) fn sign(author: &Author<'_>, built: &Built, url: String, previous: Option<&Release>) -> Result<Release> {
    let Preview {
        id,
        version,
        world,
        digest,
        ..
    } = &built.preview;
    let key = author.key.public();
    check_key(author, id, key, previous)?;
    let name = author.publisher.clone();
    let name = name.or_else(|| previous.map(|previous| previous.publisher.name.clone()));
    let description = author.description.clone();
    let description = description.or_else(|| previous.map(|previous| previous.description.clone()));
    let (Some(name), Some(description)) = (name, description) else {
        return refused(format!(
            "{id} is published for the first time: add --publisher and --description"
        ));
    };
    let mut release = Release {
        id: id.clone(),
        version: version.clone(),
        world: world.clone(),
        description,
        digest: digest.clone(),
        archive: Archive {
            url,
            bytes: built.archive.len() as u64,
            sha256: hex::encode(Sha256::digest(&built.archive)),
        },
        publisher: Publisher { name, key },
        signature: String::new(),
    };
    release.sign(author.key);
    match release.check() {
        Ok(()) => Ok(release),
        Err(problem) => refused(format!("the record of the version would be invalid: it {problem}")),
    }
}

fn check_key(author: &Author<'_>, id: &str, key: PublicKey, previous: Option<&Release>) -> Result<()> {
    match previous {
        Some(previous) if previous.publisher.key != key && !author.is_new_key => refused(format!(
            "{id} {} was published with the key {}: operators who installed it will refuse another one. Sign with that key, or \
             add --replace-key and announce the new key to them",
            previous.version, previous.publisher.key
        )),
        _ => Ok(()),
    }
}
