//! `plugin.toml`, the manifest of a plugin, and the files of its folder.
use std::path::{Component, Path, PathBuf};

use bytes::Bytes;
use linepress_files::FolderLimits;
use semver::Version;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::description::is_id;
use crate::inspect::Surface;
use crate::limits::Limits;
use crate::log_text::{excerpt, toml_problem};
use crate::network::{CredentialTable, HttpTable, UnresolvedRequests};
use crate::services::PermissionTable;
use crate::variant::Variant;
use crate::world::{Kind, World};

/// Maximum size of a component. Python guests include their interpreter, which takes about 40 MiB.
pub(crate) const MAX_COMPONENT_BYTES: u64 = 64 << 20;

/// Limits of a plugin folder: enough for a component and for a layout's templates.
const FOLDER_LIMITS: FolderLimits = FolderLimits {
    entries: 1000,
    bytes: 2 * MAX_COMPONENT_BYTES,
    depth: 16,
};

/// Maximum size of a manifest.
pub(crate) const MAX_MANIFEST_BYTES: u64 = 64 << 10;

/// Maximum size of a quotation from the manifest in a refusal.
const MAX_QUOTED_BYTES: usize = 200;

/// The version of the manifest format.
const MANIFEST_VERSION: u32 = 1;

/// A manifest that was read and checked.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub(crate) id: String,
    pub(crate) version: Version,
    pub(crate) world: World,
    pub(crate) limits: Limits,
    /// Network access and services that the manifest asks for.
    pub(crate) requests: UnresolvedRequests,
    pub(crate) wasm: WasmFile,
    pub(crate) variant: Option<Variant>,
}

/// The component that a manifest names. Its digest matches the manifest.
pub(crate) struct Wasm {
    pub(crate) bytes: Bytes,
    /// SHA-256 in hexadecimal.
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
    http: Vec<HttpTable>,
    #[serde(default)]
    credential: Vec<CredentialTable>,
    #[serde(default)]
    permissions: PermissionTable,
    variant: Option<Variant>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WasmFile {
    pub(crate) path: PathBuf,
    sha256: String,
}

impl Manifest {
    pub(crate) fn read(folder: &Path) -> Result<Self, String> {
        let bytes = linepress_files::read_inside(folder, Path::new("plugin.toml"), MAX_MANIFEST_BYTES);
        Self::from_bytes(bytes.map_err(|error| format!("its plugin.toml is refused: {error}"))?)
    }

    fn from_bytes(bytes: Vec<u8>) -> Result<Self, String> {
        let text = String::from_utf8(bytes).map_err(|_| "its plugin.toml is not UTF-8".to_owned())?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let document: Document = toml::from_str(text).map_err(|error| {
            let problem = toml_problem(text, &error, MAX_QUOTED_BYTES);
            format!("its plugin.toml is invalid{problem}")
        })?;
        let Document {
            manifest,
            id,
            version,
            world,
            wasm,
            limits,
            http,
            credential,
            permissions,
            variant,
        } = document;
        if manifest != MANIFEST_VERSION {
            return Err(format!(
                "its manifest has version {manifest}; this host reads version {MANIFEST_VERSION}"
            ));
        }
        if !is_id(&id) {
            return Err(format!(
                "its id {:?} must be lowercase words of letters, digits and hyphens, joined by dots, such as acme.flux",
                excerpt(id, MAX_QUOTED_BYTES)
            ));
        }
        let world = World::parse(&world)?;
        let requests = UnresolvedRequests::read(http, credential, permissions.permissions())?;
        limits.check_for(requests.uses_network())?;
        if world.is_pure() && requests.uses_network() {
            return Err(format!(
                "it asks for the network, which the pure world {world} does not have"
            ));
        }
        if world.is_pure() && !requests.is_empty() {
            return Err(format!(
                "it asks for services in [permissions], which the pure world {world} does not have"
            ));
        }
        if let Some(variant) = &variant {
            if world.kind != Kind::BookLayout {
                return Err(format!(
                    "it has a [variant], which only layouts may have; its world is {world}"
                ));
            }
            variant.check()?;
        }
        if !wasm.path.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(format!(
                "its wasm.path {:?} must be a file inside the plugin's folder",
                excerpt(wasm.path.display().to_string(), MAX_QUOTED_BYTES)
            ));
        }
        Ok(Self {
            id,
            version,
            world,
            limits,
            requests,
            wasm,
            variant,
        })
    }

    /// Checks that the component exports the interface of its world, and imports only what the world and the manifest
    /// allow.
    pub(crate) fn check_surface(&self, surface: &Surface<'_>) -> Result<(), String> {
        self.world
            .check(surface, self.uses_network(), self.requests.permissions())
    }

    /// Returns true if the manifest asks for network access.
    pub(crate) fn uses_network(&self) -> bool {
        self.requests.uses_network()
    }

    /// Returns true if an operator must approve the plugin, which asks for network access or services.
    pub(crate) fn needs_approval(&self) -> bool {
        !self.requests.is_empty()
    }

    /// Reads the component, and checks that its digest is the one in the manifest.
    pub(crate) fn read_wasm(&self, folder: &Path) -> Result<Wasm, String> {
        let bytes = linepress_files::read_inside(folder, &self.wasm.path, MAX_COMPONENT_BYTES);
        self.check_wasm(bytes.map_err(|error| format!("its component is refused: {error}"))?)
    }

    fn check_wasm(&self, bytes: Vec<u8>) -> Result<Wasm, String> {
        let digest = hex::encode(Sha256::digest(&bytes));
        if !digest.eq_ignore_ascii_case(&self.wasm.sha256) {
            return Err(format!(
                "the SHA-256 of {} is {digest}, but plugin.toml says {}: restore the file, or, if you changed it \
                 on purpose, write the new digest into plugin.toml",
                self.wasm.path.display(),
                excerpt(self.wasm.sha256.clone(), MAX_QUOTED_BYTES)
            ));
        }
        Ok(Wasm {
            bytes: bytes.into(),
            digest,
        })
    }
}

/// All files of a plugin folder. They are read once, so that the files whose digest is approved are the files that are
/// loaded.
pub(crate) struct Contents {
    files: Vec<(String, Vec<u8>)>,
}

impl Contents {
    pub(crate) fn read(folder: &Path) -> Result<Self, String> {
        let files = linepress_files::read_all(folder, FOLDER_LIMITS);
        let files = files.map_err(|error| format!("its folder is refused: {error}"))?;
        Ok(Self { files })
    }

    /// The SHA-256, in hexadecimal, of the path and the content of every file, each preceded by its length.
    pub(crate) fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for (path, content) in &self.files {
            for part in [path.as_bytes(), content] {
                hash.update((part.len() as u64).to_be_bytes());
                hash.update(part);
            }
        }
        hex::encode(hash.finalize())
    }

    /// The text of a file in the folder. `None` if there is no such file.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, String> {
        let Some((_, content)) = self.files.iter().find(|(path, _)| path == name) else {
            return Ok(None);
        };
        let text = String::from_utf8(content.clone()).map_err(|_| format!("its {name} is not UTF-8"))?;
        Ok(Some(text))
    }

    pub(crate) fn into_plugin(mut self) -> Result<(Manifest, Wasm), String> {
        let mut take = |name: &str| {
            let place = self.files.iter().position(|(path, _)| path == name);
            place.map(|place| self.files.swap_remove(place).1)
        };
        let manifest = Manifest::from_bytes(take("plugin.toml").ok_or("its plugin.toml is missing")?)?;
        let path = manifest.wasm.path.to_string_lossy();
        let wasm = take(&path).ok_or_else(|| format!("its component {path} is missing"))?;
        let wasm = manifest.check_wasm(wasm)?;
        Ok((manifest, wasm))
    }
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
    fn a_manifest_without_limits_has_the_default_limits() {
        let manifest = Manifest::parse(GOOD).unwrap();
        assert_eq!(
            (manifest.id.as_str(), manifest.world.kind),
            ("acme.flux", Kind::ImageProvider)
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

    const NETWORK: &str = r#"
        [[http]]
        origin = "https://api.acme.com:443"
        methods = ["POST"]
    "#;

    #[test]
    fn a_manifest_may_ask_for_the_network() {
        assert!(!Manifest::parse(GOOD).unwrap().uses_network());
        assert!(Manifest::parse(&format!("{GOOD}{NETWORK}")).unwrap().uses_network());
        assert!(refusal(&format!("{GOOD}{NETWORK}port = 1")).contains("port"));
    }

    #[test]
    fn a_pure_world_has_no_network() {
        let layout = GOOD.replace("image/image-provider", "layout/book-layout");
        assert!(refusal(&format!("{layout}{NETWORK}")).contains("pure"));
    }

    #[test]
    fn a_manifest_may_ask_for_services() {
        let asking = |permissions: &str| Manifest::parse(&format!("{GOOD}\n[permissions]\n{permissions}"));
        let manifest = asking("store = true\ncache = true").unwrap();
        assert!(manifest.needs_approval() && !manifest.uses_network());
        assert_eq!(manifest.requests.permissions().len(), 2);
        assert!(!asking("store = false").unwrap().needs_approval());
        assert!(!Manifest::parse(GOOD).unwrap().needs_approval());
        assert!(asking("shop = true").unwrap_err().contains("shop"));
        let layout = GOOD.replace("image/image-provider", "layout/book-layout");
        assert!(refusal(&format!("{layout}\n[permissions]\ncache = true")).contains("[permissions], which the pure"));
    }

    #[test]
    fn only_a_layout_may_be_a_variant() {
        let variant = "[variant]\nof = \"linepress.classic\"\nname = \"Ocean\"\nformats = \"ocean_\"";
        let layout = GOOD.replace("image/image-provider", "layout/book-layout");
        let read = Manifest::parse(&format!("{layout}{variant}")).unwrap().variant.unwrap();
        assert_eq!(
            (read.of.as_str(), read.formats.as_str()),
            ("linepress.classic", "ocean_")
        );
        assert!(refusal(&format!("{GOOD}{variant}")).contains("only layouts"));
        for (what, wrong) in [
            ("variant.of", "Linepress!"),
            ("variant.formats", "ocean"),
            ("variant.name", ""),
        ] {
            let key = what.trim_start_matches("variant.");
            let line = variant.lines().find(|line| line.starts_with(key)).unwrap();
            let text = format!("{layout}{}", variant.replace(line, &format!("{key} = \"{wrong}\"")));
            assert!(refusal(&text).contains(what), "{what}");
        }
    }

    #[test]
    fn the_digest_of_a_folder_changes_with_any_file() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, content: &str| {
            std::fs::write(folder.path().join(name), content).unwrap();
            Contents::read(folder.path()).unwrap().digest()
        };
        let first = write("plugin.toml", "a");
        let digests = [
            first.clone(),
            write("config.json", "{}"),
            write("config.json", "{ }"),
            write("plugin.toml", "b"),
        ];
        for (place, digest) in digests.iter().enumerate() {
            assert!(!digests[..place].contains(digest), "{place}");
        }
        std::fs::remove_file(folder.path().join("config.json")).unwrap();
        assert_eq!(write("plugin.toml", "a"), first);
    }

    #[test]
    fn the_path_of_the_component_stays_inside_the_folder() {
        for path in ["../plugin.wasm", "/etc/passwd", "a/../../b.wasm"] {
            assert!(refusal(&GOOD.replace("plugin.wasm", path)).contains("inside"), "{path}");
        }
    }

    #[test]
    fn the_refusal_of_a_wrong_digest_names_both_digests() {
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
    fn a_refusal_quotes_a_bounded_part_of_the_manifest() {
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
        assert!(
            refusal.starts_with("its plugin.toml is invalid in line 2: "),
            "{refusal}"
        );
    }
}
