//! `plugin.toml`: what a plugin is, and what it asks for.
use std::path::{Component, Path, PathBuf};

use semver::Version;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::limits::Limits;
use crate::world::World;

/// Python guests carry their interpreter: about 40 MiB.
const MAX_COMPONENT_BYTES: u64 = 128 << 20;

/// The manifest's own version.
const MANIFEST: u32 = 1;

/// A manifest that was read and makes sense.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub(crate) id: String,
    pub(crate) version: Version,
    pub(crate) world: World,
    pub(crate) limits: Limits,
    wasm: WasmFile,
}

/// The component a manifest points to, as it was checked.
pub(crate) struct Wasm {
    pub(crate) bytes: Vec<u8>,
    /// In hexadecimal.
    pub(crate) digest: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    manifest: u32,
    id: String,
    version: Version,
    world: String,
    wasm: WasmFile,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    http: Vec<HttpRequest>,
    #[serde(default)]
    credential: Vec<CredentialRequest>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WasmFile {
    path: PathBuf,
    sha256: String,
}

/// An origin the plugin wants to reach.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HttpRequest {
    origin: String,
    #[serde(rename = "methods")]
    _methods: Vec<String>,
}

/// A secret that the host should add to the plugin's requests.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CredentialRequest {
    name: String,
    #[serde(rename = "origin")]
    _origin: String,
    #[serde(rename = "header")]
    _header: String,
    #[serde(default, rename = "format")]
    _format: Option<String>,
}

impl Manifest {
    pub(crate) fn read(folder: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(folder.join("plugin.toml"))
            .map_err(|error| format!("its plugin.toml cannot be read: {error}"))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let document: Document =
            toml::from_str(text).map_err(|error| format!("its plugin.toml is wrong: {}", error.to_string().trim()))?;
        let Document {
            manifest,
            id,
            version,
            world,
            wasm,
            limits,
            http,
            credential,
        } = document;
        if manifest != MANIFEST {
            return Err(format!(
                "its manifest is of version {manifest}; this host reads version {MANIFEST}"
            ));
        }
        if !is_id(&id) {
            return Err(format!(
                "its id {id:?} must be lowercase words of letters, digits and hyphens, joined by dots, such as acme.flux"
            ));
        }
        let world = World::parse(&world)?;
        limits.check()?;
        refuse_network(&http, &credential)?;
        if !wasm.path.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(format!(
                "its wasm.path {:?} must be a file inside the plugin's folder",
                wasm.path
            ));
        }
        Ok(Self {
            id,
            version,
            world,
            limits,
            wasm,
        })
    }

    /// Reads the component, and makes sure that it is the one the manifest was written for.
    pub(crate) fn read_wasm(&self, folder: &Path) -> Result<Wasm, String> {
        let path = &self.wasm.path;
        let unreadable = |error: std::io::Error| format!("its {} cannot be read: {error}", path.display());
        let inside = folder.canonicalize().map_err(unreadable)?;
        let file = folder.join(path).canonicalize().map_err(unreadable)?;
        if !file.starts_with(inside) {
            return Err(format!(
                "its {} is a link to outside of the plugin's folder",
                path.display()
            ));
        }
        let size = file.metadata().map_err(unreadable)?.len();
        if size > MAX_COMPONENT_BYTES {
            return Err(format!(
                "its {} has {size} bytes; a component has at most {MAX_COMPONENT_BYTES}",
                path.display()
            ));
        }
        let bytes = std::fs::read(file).map_err(unreadable)?;
        let digest = hex::encode(Sha256::digest(&bytes));
        if !digest.eq_ignore_ascii_case(&self.wasm.sha256) {
            return Err(format!(
                "the SHA-256 of {} is {digest}, but plugin.toml says {}: restore the file, or, if you changed it \
                 on purpose, write the new digest into plugin.toml",
                path.display(),
                self.wasm.sha256
            ));
        }
        Ok(Wasm { bytes, digest })
    }
}

fn refuse_network(http: &[HttpRequest], credentials: &[CredentialRequest]) -> Result<(), String> {
    let wish = match (http, credentials) {
        ([], []) => return Ok(()),
        ([request, ..], _) => format!("to reach {}", request.origin),
        ([], [credential, ..]) => format!("for the credential {}", credential.name),
    };
    Err(format!("it asks {wish}; network grants are not available yet"))
}

fn is_id(id: &str) -> bool {
    let known = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let is_word = |word: &str| word.starts_with(|first: char| first.is_ascii_lowercase()) && word.chars().all(known);
    id.len() <= 64 && id.split('.').all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
        manifest = 1
        id = "acme.flux"
        version = "1.2.0"
        world = "linepress:image/image-provider@0.1"
        wasm = { path = "plugin.wasm", sha256 = "00" }
    "#;

    fn refusal(text: &str) -> String {
        Manifest::parse(text).unwrap_err()
    }

    #[test]
    fn a_short_manifest_has_the_usual_limits() {
        let manifest = Manifest::parse(GOOD).unwrap();
        assert_eq!(
            (manifest.id.as_str(), manifest.world),
            ("acme.flux", World::ImageProvider)
        );
        assert_eq!(manifest.limits, Limits::default());
    }

    #[test]
    fn an_unknown_key_is_named() {
        assert!(refusal(&format!("{GOOD}\ncolour = 1")).contains("colour"));
        assert!(refusal(&format!("{GOOD}\n[limits]\nmemory-mb = 1")).contains("memory-mb"));
        assert!(refusal(&GOOD.replace("sha256", "sha512")).contains("sha512"));
    }

    #[test]
    fn a_missing_digest_is_named() {
        assert!(refusal(&GOOD.replace(r#", sha256 = "00""#, "")).contains("sha256"));
    }

    #[test]
    fn limits_are_read_and_checked() {
        let manifest = Manifest::parse(&format!("{GOOD}\n[limits]\nmemory-mib = 64\ndeadline-s = 5")).unwrap();
        assert_eq!(manifest.limits.memory_mib(), 64);
        assert_eq!(manifest.limits.deadline().as_secs(), 5);
        assert!(refusal(&format!("{GOOD}\n[limits]\nresponse-mib = 9999")).contains("limits.response-mib"));
    }

    #[test]
    fn a_wish_for_the_network_is_understood_and_refused() {
        let http = "[[http]]\norigin = \"https://api.acme.com:443\"\nmethods = [\"POST\"]";
        let credential = "[[credential]]\nname = \"api_key\"\norigin = \"https://api.acme.com:443\"\n\
                          header = \"authorization\"\nformat = \"Bearer {}\"";
        assert_eq!(
            refusal(&format!("{GOOD}\n{http}\n{credential}")),
            "it asks to reach https://api.acme.com:443; network grants are not available yet"
        );
        assert!(refusal(&format!("{GOOD}\n{credential}")).contains("the credential api_key"));
        assert!(refusal(&format!("{GOOD}\n{http}\nport = 1")).contains("port"));
    }

    #[test]
    fn ids_are_lowercase_words_joined_by_dots() {
        for id in ["sketchbook", "acme.flux", "acme.flux-2.fast"] {
            assert!(is_id(id), "{id}");
        }
        for id in [
            "",
            "Acme",
            "acme..flux",
            "acme.",
            "-acme",
            "acme/flux",
            "äcme",
            &"a".repeat(65),
        ] {
            assert!(!is_id(id), "{id}");
        }
    }

    #[test]
    fn the_component_stays_in_its_folder() {
        for path in ["../plugin.wasm", "/etc/passwd", "a/../../b.wasm"] {
            assert!(refusal(&GOOD.replace("plugin.wasm", path)).contains("inside"), "{path}");
        }
    }

    #[test]
    fn a_wrong_digest_shows_both() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("plugin.wasm"), b"other").unwrap();
        let manifest = Manifest::parse(GOOD).unwrap();
        let refusal = manifest.read_wasm(folder.path()).err().unwrap();
        assert!(
            refusal.contains("d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa"),
            "{refusal}"
        );
        assert!(refusal.contains("plugin.toml says 00"), "{refusal}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_folder_is_not_followed() {
        let outside = tempfile::NamedTempFile::new().unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("plugin.wasm")).unwrap();
        let refusal = Manifest::parse(GOOD).unwrap().read_wasm(folder.path()).err().unwrap();
        assert!(refusal.contains("link to outside"), "{refusal}");
    }
}
