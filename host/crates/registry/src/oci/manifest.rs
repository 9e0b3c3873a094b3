//! The manifest of a version: an image manifest of OCI 1.1 whose annotations are the record of the version, and whose
//! only layer is the archive.
use std::collections::BTreeMap;

use semver::Version;
use serde::{Deserialize, Serialize};

use super::place::{digest_of, sha256_of};
use crate::error::{RegistryError, Result};
use crate::index::{Archive, Publisher, Release};
use crate::keys::PublicKey;

/// Maximum size of a manifest.
pub(super) const MAX_MANIFEST_BYTES: u64 = 64 << 10;
/// The media type of the manifest.
pub(super) const MANIFEST_TYPE: &str = "application/vnd.oci.image.manifest.v1+json";
/// The type of the artifact.
const ARTIFACT_TYPE: &str = "application/vnd.linepress.plugin.v1";
/// The media type of the layer.
const ARCHIVE_TYPE: &str = "application/vnd.linepress.plugin.v1.tar+gzip";
/// The media type and the content of the config, which an artifact without one has.
const EMPTY_TYPE: &str = "application/vnd.oci.empty.v1+json";
pub(super) const EMPTY_CONFIG: &[u8] = b"{}";

const VERSION: &str = "org.opencontainers.image.version";
const DESCRIPTION: &str = "org.opencontainers.image.description";
const VENDOR: &str = "org.opencontainers.image.vendor";
const TITLE: &str = "org.opencontainers.image.title";
const ID: &str = "vnd.linepress.plugin.id";
const WORLD: &str = "vnd.linepress.plugin.world";
const DIGEST: &str = "vnd.linepress.plugin.digest";
const KEY: &str = "vnd.linepress.plugin.publisher-key";
const SIGNATURE: &str = "vnd.linepress.plugin.signature";

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    schema_version: u32,
    #[serde(default)]
    media_type: String,
    #[serde(default)]
    artifact_type: String,
    config: Descriptor,
    layers: Vec<Descriptor>,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    media_type: String,
    digest: String,
    size: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<String, String>,
}

/// Reads the record of a version. The error completes a sentence that begins with the manifest.
pub(super) fn read(bytes: &[u8]) -> std::result::Result<Release, String> {
    let foreign =
        || format!("is not that of a plugin: it must be an image manifest of the artifact type {ARTIFACT_TYPE}");
    // The manifest of another artifact, or an index of manifests for several machines, lacks some of the fields.
    let manifest: Manifest = serde_json::from_slice(bytes).map_err(|_| foreign())?;
    let is_manifest = manifest.schema_version == 2 && manifest.media_type == MANIFEST_TYPE;
    if !is_manifest || manifest.artifact_type != ARTIFACT_TYPE {
        return Err(foreign());
    }
    let [layer] = manifest.layers.as_slice() else {
        return Err(format!("has {} layers, and must have one", manifest.layers.len()));
    };
    if layer.media_type != ARCHIVE_TYPE {
        return Err(format!("has a layer that is not of the type {ARCHIVE_TYPE}"));
    }
    let sha256 = sha256_of(&layer.digest).ok_or("has a layer whose digest is not a SHA-256")?;
    let annotation = |name: &str| {
        let text = manifest.annotations.get(name).cloned();
        text.ok_or_else(|| format!("lacks the annotation {name}"))
    };
    let version = Version::parse(&annotation(VERSION)?);
    let release = Release {
        id: annotation(ID)?,
        version: version.map_err(|_| format!("has an annotation {VERSION} that is not a version, such as 1.2.0"))?,
        world: annotation(WORLD)?,
        description: annotation(DESCRIPTION)?,
        digest: annotation(DIGEST)?,
        archive: Archive {
            url: layer.digest.clone(),
            bytes: layer.size,
            sha256: sha256.to_owned(),
        },
        publisher: Publisher {
            name: annotation(VENDOR)?,
            key: annotation(KEY)?
                .parse::<PublicKey>()
                .map_err(|problem| format!("has an annotation {KEY} that {problem}"))?,
        },
        signature: annotation(SIGNATURE)?,
    };
    release.check()?;
    Ok(release)
}

/// The manifest of a version. The same version gives the same bytes.
pub(super) fn write(release: &Release) -> Result<Vec<u8>> {
    let archive = &release.archive;
    let version = release.version.to_string();
    let title = format!("{}-{version}.tar.gz", release.id);
    let key = release.publisher.key.to_string();
    let annotations = [
        (VERSION, &version),
        (DESCRIPTION, &release.description),
        (VENDOR, &release.publisher.name),
        (ID, &release.id),
        (WORLD, &release.world),
        (DIGEST, &release.digest),
        (KEY, &key),
        (SIGNATURE, &release.signature),
    ];
    let manifest = Manifest {
        schema_version: 2,
        media_type: MANIFEST_TYPE.into(),
        artifact_type: ARTIFACT_TYPE.into(),
        config: Descriptor {
            media_type: EMPTY_TYPE.into(),
            digest: digest_of(EMPTY_CONFIG),
            size: EMPTY_CONFIG.len() as u64,
            annotations: BTreeMap::new(),
        },
        layers: vec![Descriptor {
            media_type: ARCHIVE_TYPE.into(),
            digest: archive.url.clone(),
            size: archive.bytes,
            annotations: BTreeMap::from([(TITLE.to_owned(), title)]),
        }],
        annotations: annotations.map(|(name, text)| (name.to_owned(), text.clone())).into(),
    };
    serde_json::to_vec_pretty(&manifest).map_err(|error| RegistryError::Refused(error.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{key, release};

    fn written() -> (Release, Value) {
        let mut release = release("acme.flux", "1.2.0", &key());
        release.archive.url = format!("sha256:{}", release.archive.sha256);
        let manifest = serde_json::from_slice(&write(&release).unwrap()).unwrap();
        (release, manifest)
    }

    #[test]
    fn a_record_is_read_back_from_its_manifest() {
        let (release, manifest) = written();
        let read = read(manifest.to_string().as_bytes()).unwrap();
        assert_eq!(read, release);
        read.check_signature().unwrap();
        assert_eq!(
            manifest["config"]["digest"],
            "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
        assert_eq!(manifest["layers"][0]["annotations"][TITLE], "acme.flux-1.2.0.tar.gz");
    }

    #[test]
    fn a_manifest_that_is_not_that_of_a_plugin_is_refused() {
        let (_, good) = written();
        for (field, value, words) in [
            ("/schemaVersion", json!(1), "not that of a plugin"),
            (
                "/mediaType",
                json!("application/vnd.oci.image.index.v1+json"),
                "not that of a plugin",
            ),
            ("/artifactType", json!("application/vnd.acme"), "not that of a plugin"),
            ("/layers", json!([]), "has 0 layers"),
            ("/layers", json!([good["layers"][0], good["layers"][0]]), "has 2 layers"),
            ("/layers/0/mediaType", json!("application/zip"), "not of the type"),
            ("/layers/0/digest", json!("sha512:abc"), "not a SHA-256"),
            ("/layers/0/size", json!(-1), "not that of a plugin"),
            ("/annotations", json!({}), "lacks the annotation"),
            (
                "/annotations/org.opencontainers.image.version",
                json!("one"),
                "is not a version",
            ),
            (
                "/annotations/vnd.linepress.plugin.publisher-key",
                json!("a"),
                "must be a public key",
            ),
            ("/annotations/vnd.linepress.plugin.id", json!("../acme"), "has the id"),
            (
                "/annotations/org.opencontainers.image.description",
                json!("a\u{1b}[2J"),
                "not one line",
            ),
        ] {
            let mut bad = good.clone();
            *bad.pointer_mut(field).unwrap() = value;
            let problem = read(bad.to_string().as_bytes()).unwrap_err();
            assert!(problem.contains(words), "{field}: {problem}");
        }
        assert!(read(b"").is_err());
    }
}
