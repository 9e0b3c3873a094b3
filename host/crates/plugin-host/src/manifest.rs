//! `plugin.toml`: what a plugin is, and what it asks for.
use std::path::{Component, Path, PathBuf};

use bytes::Bytes;
use semver::Version;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::limits::Limits;
use crate::log_text::excerpt;
use crate::world::World;

/// Python guests carry their interpreter: about 40 MiB.
pub(crate) const MAX_COMPONENT_BYTES: u64 = 64 << 20;

/// What stands in a manifest fits into one.
pub(crate) const MAX_MANIFEST_BYTES: u64 = 64 << 10;

/// How much of a manifest's own words is repeated in a refusal.
const QUOTED_BYTES: usize = 200;

/// The manifest's own version.
const MANIFEST: u32 = 1;

/// A manifest that was read and makes sense.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub(crate) id: String,
    pub(crate) version: Version,
    pub(crate) world: World,
    pub(crate) limits: Limits,
    pub(crate) wasm: WasmFile,
}

/// The component a manifest points to, as it was checked.
pub(crate) struct Wasm {
    pub(crate) bytes: Bytes,
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
pub(crate) struct WasmFile {
    pub(crate) path: PathBuf,
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
        let bytes = linepress_files::read_inside(folder, Path::new("plugin.toml"), MAX_MANIFEST_BYTES)
            .map_err(|error| format!("its plugin.toml is refused: {error}"))?;
        let text = String::from_utf8(bytes).map_err(|_| "its plugin.toml is not UTF-8".to_owned())?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let document: Document = toml::from_str(text).map_err(|error| wrong(text, &error))?;
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
                "its id {:?} must be lowercase words of letters, digits and hyphens, joined by dots, such as acme.flux",
                excerpt(id, QUOTED_BYTES)
            ));
        }
        let world = World::parse(&world)?;
        limits.check()?;
        refuse_network(&http, &credential)?;
        if !wasm.path.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(format!(
                "its wasm.path {:?} must be a file inside the plugin's folder",
                excerpt(wasm.path.display().to_string(), QUOTED_BYTES)
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
        let bytes = linepress_files::read_inside(folder, path, MAX_COMPONENT_BYTES)
            .map_err(|error| format!("its component is refused: {error}"))?;
        let digest = hex::encode(Sha256::digest(&bytes));
        if !digest.eq_ignore_ascii_case(&self.wasm.sha256) {
            return Err(format!(
                "the SHA-256 of {} is {digest}, but plugin.toml says {}: restore the file, or, if you changed it \
                 on purpose, write the new digest into plugin.toml",
                path.display(),
                excerpt(self.wasm.sha256.clone(), QUOTED_BYTES)
            ));
        }
        Ok(Wasm {
            bytes: bytes.into(),
            digest,
        })
    }
}

/// What TOML has to say, and in which line. The line itself is not repeated: it may be as long as the file.
fn wrong(text: &str, error: &toml::de::Error) -> String {
    let place = error.span().map_or_else(String::new, |span| {
        let before = text.as_bytes().get(..span.start).unwrap_or_default();
        let lines = before.iter().filter(|byte| **byte == b'\n').count();
        format!(" in line {}", lines + 1)
    });
    let message = excerpt(error.message().to_owned(), QUOTED_BYTES);
    format!("its plugin.toml is wrong{place}: {message}")
}

fn refuse_network(http: &[HttpRequest], credentials: &[CredentialRequest]) -> Result<(), String> {
    let wish = match (http, credentials) {
        ([], []) => return Ok(()),
        ([request, ..], _) => format!("to reach {}", excerpt(request.origin.clone(), QUOTED_BYTES)),
        ([], [credential, ..]) => format!("for the credential {}", excerpt(credential.name.clone(), QUOTED_BYTES)),
    };
    Err(format!("it asks {wish}; network grants are not available yet"))
}

/// Lowercase words joined by dots.
pub(crate) fn is_id(id: &str) -> bool {
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

    #[test]
    fn a_link_out_of_the_folder_is_not_followed() {
        let outside = tempfile::NamedTempFile::new().unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("plugin.wasm")).unwrap();
        let refusal = Manifest::parse(GOOD).unwrap().read_wasm(folder.path()).err().unwrap();
        assert!(refusal.contains("link to outside"), "{refusal}");
    }

    #[test]
    fn a_refusal_repeats_little_of_a_manifest() {
        let long = "x\u{202E}".repeat(10_000);
        for text in [
            format!("manifest = 1\n\n{long} ="),
            format!("manifest = 1\n\n\"{long}\" = 1"),
            GOOD.replace("acme.flux", &long),
            GOOD.replace("plugin.wasm", &format!("/{long}")),
            GOOD.replace("linepress:image/", &long),
            format!("{GOOD}\n[[http]]\norigin = \"{long}\"\nmethods = []"),
        ] {
            let refusal = refusal(&text);
            assert!(refusal.len() < 700, "{} bytes: {refusal}", refusal.len());
        }
        let refusal = refusal("manifest = 1\n\u{1b} = 2");
        assert!(refusal.starts_with("its plugin.toml is wrong in line 2: "), "{refusal}");
    }
}
