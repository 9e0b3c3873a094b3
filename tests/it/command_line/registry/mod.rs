//! `linepress plugin search`, `install`, `update`, `rollback`, `remove`, `keygen` and `publish`: plugins by name.
mod attacks;
mod publication;
mod trust;
mod versions;

use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::signature::Ed25519KeyPair;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Typist, command_in};
use crate::test_app::from_environment;

/// An operator whose settings name a registry, and the author who publishes in it.
pub(super) struct Market {
    folder: TempDir,
}

impl Typist for Market {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command_in(self.folder.path());
        command.arg("plugin").args(arguments);
        command
    }
}

pub(super) const API: &str = "[[http]]\norigin = \"https://api.acme.com\"\nmethods = [\"POST\"]\n";
const CREDENTIAL: &str = "[[credential]]\nname = \"api_key\"\norigin = \"https://api.acme.com\"\nheader = \"authorization\"\n\
                          format = \"Bearer {}\"\n";
pub(super) const MORE: &str = "[[http]]\norigin = \"https://evil.test\"\nmethods = [\"POST\"]\n";

impl Market {
    /// A registry with version 0.1.0 of testbed.plain.
    fn new() -> Self {
        let market = Self::empty();
        market.publishes("0.1.0", API);
        market
    }

    pub(super) fn empty() -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir(folder.path().join("plugins.d")).unwrap();
        let market = Self { folder };
        let key = market.key("key.pem");
        market.trusts(&key);
        market
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Creates a key and returns the public one.
    pub(super) fn key(&self, file: &str) -> String {
        let output = self.command(&["keygen", file]).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn trusts(&self, key: &str) {
        let settings = format!("[plugin_index]\nurl = \"site\"\npublic_keys = [\"{key}\"]\nkept_versions = 2\n");
        std::fs::write(self.path("linepress.toml"), settings).unwrap();
    }

    pub(super) fn settings(&self) -> String {
        std::fs::read_to_string(self.path("linepress.toml")).unwrap()
    }

    /// Writes the author's folder for a version of testbed.plain with these tables in its manifest.
    pub(super) fn writes(&self, version: &str, tables: &str) {
        self.writes_component("testbed.plain", version, tables);
    }

    /// Does the same with the component of another plugin.
    fn writes_component(&self, component: &str, version: &str, tables: &str) {
        let source = self.path("source");
        std::fs::create_dir_all(&source).unwrap();
        let testbed = from_environment("LINEPRESS_TEST_TESTBED").join(component);
        let wasm = std::fs::read(testbed.join("plugin.wasm")).unwrap();
        std::fs::write(source.join("plugin.wasm"), reporting(wasm, version)).unwrap();
        let manifest = std::fs::read_to_string(testbed.join("plugin.toml")).unwrap();
        let manifest = manifest
            .replace(component, "testbed.plain")
            .replace("version = \"0.1.0\"", &format!("version = \"{version}\""));
        std::fs::write(source.join("plugin.toml"), format!("{manifest}\n{tables}")).unwrap();
    }

    /// Changes the version in the author's manifest, and not in the component.
    pub(super) fn says(&self, version: &str) {
        let manifest = self.path("source/plugin.toml");
        let text = std::fs::read_to_string(&manifest).unwrap();
        let other = text.replace("version = \"0.1.0\"", &format!("version = \"{version}\""));
        assert_ne!(other, text);
        std::fs::write(manifest, other).unwrap();
    }

    fn publishes(&self, version: &str, tables: &str) -> String {
        self.writes(version, tables);
        self.reads(&PUBLISH)
    }

    /// Publishes a version with another key, which the registry accepts.
    fn publishes_with_another_key(&self, version: &str) -> String {
        let other = self.key("other.pem");
        self.writes(version, API);
        self.reads(&[&OTHER_KEY[..], &["--replace-key"]].concat());
        other
    }

    /// Changes the index as a registry would whose key was stolen, which also has the publisher's key.
    fn forge(&self, change: impl FnOnce(&mut Value)) {
        let file = self.path("site/index.json");
        let envelope: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let payload = STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap();
        let mut index: Value = serde_json::from_slice(&payload).unwrap();
        change(&mut index);
        let payload = index.to_string();
        let kind = "application/vnd.linepress.plugin-index.v1+json";
        let signature = self.signature(kind, payload.as_bytes());
        let envelope = json!({
            "payloadType": kind,
            "payload": STANDARD.encode(payload),
            "signatures": [{ "sig": signature }],
        });
        std::fs::write(file, envelope.to_string()).unwrap();
    }

    fn signature(&self, kind: &str, payload: &[u8]) -> String {
        let pem = std::fs::read_to_string(self.path("key.pem")).unwrap();
        let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
        let key = Ed25519KeyPair::from_pkcs8(&STANDARD.decode(body).unwrap()).unwrap();
        let head = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
        STANDARD.encode(key.sign(&[head.as_bytes(), payload].concat()))
    }

    fn is_installed(&self) -> bool {
        self.path("plugins.d/testbed.plain").exists()
    }

    /// Asserts that nothing was installed or left behind.
    #[track_caller]
    pub(super) fn has_nothing(&self) {
        assert!(!self.is_installed());
        let stored = self.path("plugins.d/.registry/plugins");
        let names = |folder: &Path| -> Vec<String> {
            let entries = std::fs::read_dir(folder).into_iter().flatten();
            entries
                .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
                .collect()
        };
        assert!(names(&stored).is_empty(), "{:?}", names(&stored));
        let left = names(&self.path("plugins.d/.registry"));
        assert!(!left.iter().any(|name| name.starts_with(".work")), "{left:?}");
        assert!(!self.settings().contains("publishers"), "{}", self.settings());
        assert!(!self.settings().contains("grants"), "{}", self.settings());
    }

    pub(super) fn manifest(&self) -> String {
        std::fs::read_to_string(self.path("plugins.d/testbed.plain/plugin.toml")).unwrap()
    }
}

/// Has a component of the testbed report another version.
fn reporting(mut component: Vec<u8>, version: &str) -> Vec<u8> {
    const MARK: &[u8] = b"testbed-version=";
    let at = |component: &[u8]| component.windows(MARK.len()).position(|bytes| bytes == MARK);
    let begin = at(&component).expect("the component has a version") + MARK.len();
    assert!(at(&component[begin..]).is_none(), "the component has one version");
    let length = component[begin..].iter().position(|byte| *byte == 0).unwrap();
    let longest = length.max(version.len());
    component[begin..begin + longest].fill(0);
    component[begin..begin + version.len()].copy_from_slice(version.as_bytes());
    component
}

const PUBLISH: [&str; 10] = [
    "publish",
    "source",
    "--index",
    "site",
    "--key",
    "key.pem",
    "--publisher",
    "Acme",
    "--description",
    "Draws plain pages",
];
/// Publishes with another key than before.
const OTHER_KEY: [&str; 8] = [
    "publish",
    "source",
    "--index",
    "site",
    "--key",
    "other.pem",
    "--index-key",
    "key.pem",
];
const INSTALL: [&str; 3] = ["install", "testbed.plain", "--yes"];
pub(super) const UPDATE: [&str; 3] = ["update", "testbed.plain", "--yes"];
