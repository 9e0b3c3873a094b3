//! `linepress plugin search`, `install`, `update`, `rollback`, `remove`, `keygen` and `publish`: plugins by name.
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::signature::Ed25519KeyPair;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::plugins::Running;
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
        std::fs::copy(testbed.join("plugin.wasm"), source.join("plugin.wasm")).unwrap();
        let manifest = std::fs::read_to_string(testbed.join("plugin.toml")).unwrap();
        let manifest = manifest
            .replace(component, "testbed.plain")
            .replace("version = \"0.1.0\"", &format!("version = \"{version}\""));
        std::fs::write(source.join("plugin.toml"), format!("{manifest}\n{tables}")).unwrap();
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
const UPDATE: [&str; 3] = ["update", "testbed.plain", "--yes"];

#[test]
fn a_plugin_is_installed_by_name_with_what_the_operator_accepts() {
    let market = Market::new();
    let found = market.reads(&["search", "PLAIN"]);
    assert_eq!(
        found,
        "testbed.plain\t0.1.0\tlinepress:image/image-provider@0.1\tAcme\tDraws plain pages\n"
    );
    assert_eq!(market.reads(&["search", "fox"]), "");

    // Without a terminal, only --yes accepts.
    let told = market.is_refused(&["install", "testbed.plain"]);
    assert!(
        told.contains("asks\tto reach https://api.acme.com:443 (POST)"),
        "{told}"
    );
    assert!(told.contains(", 100 HTTP requests in a call\n"), "{told}");
    assert!(told.contains("add --yes"), "{told}");
    market.has_nothing();

    let told = market.reads(&INSTALL);
    for part in [
        "from\tAcme (ed25519:",
        "testbed.plain 0.1.0 is active",
        "granted: https://api.acme.com:443",
        "the audit log has no entry of this change",
    ] {
        assert!(told.contains(part), "{part} is missing: {told}");
    }
    let settings = market.settings();
    assert!(
        settings.contains("[publishers]\n\"testbed.plain\" = \"ed25519:"),
        "{settings}"
    );
    assert!(
        settings.contains("[grants.\"testbed.plain\"]\ndigest = \""),
        "{settings}"
    );
    let listed: Value = serde_json::from_str(&market.reads(&["list", "--json"])).unwrap();
    assert_eq!(listed[0]["state"], "serving");
    assert_eq!(listed[0]["source"], "site, by Acme");
    assert!(market.reads(&["search"]).contains("\tinstalled: 0.1.0"));
    assert!(
        market
            .is_refused(&INSTALL)
            .contains("linepress plugin update testbed.plain")
    );

    let told = market.reads(&["remove", "testbed.plain"]);
    assert!(told.contains("is removed with its approval"), "{told}");
    market.has_nothing();
}

#[test]
fn an_update_shows_what_is_new_and_a_rollback_is_one_command() {
    let market = Market::new();
    market.reads(&INSTALL);
    assert!(market.reads(&UPDATE).contains("the registry has no newer version\n"));
    let schema = r#"{"properties": {"model": {"default": "fast"}}}"#;
    std::fs::write(market.path("source/config.json"), schema).unwrap();
    market.publishes("0.2.0", &format!("{API}{MORE}"));

    // A permission that the update adds is shown, and nothing changes without an answer.
    let told = market.is_refused(&["update", "testbed.plain"]);
    assert!(told.contains("+ asks to reach https://evil.test:443 (POST)"), "{told}");
    assert!(told.contains("+ has the setting model, default \"fast\""), "{told}");
    assert!(!told.contains("api.acme.com"), "only what differs is shown: {told}");
    assert!(market.manifest().contains("version = \"0.1.0\""));
    assert!(!market.settings().contains("evil.test"), "{}", market.settings());

    let told = market.reads(&UPDATE);
    assert!(told.contains("testbed.plain 0.2.0 is active"), "{told}");
    assert!(market.settings().contains("evil.test"), "{}", market.settings());
    assert!(market.reads(&["list"]).contains("0.2.0\t"));

    let refused = market.is_refused(&["update", "testbed.plain@0.1.0", "--yes"]);
    assert!(refused.contains("is not newer"), "{refused}");
    // It asks for less than what is granted, so there is nothing to answer.
    let told = market.reads(&["rollback", "testbed.plain"]);
    assert!(told.contains("testbed.plain 0.1.0 is active"), "{told}");
    assert!(!market.settings().contains("evil.test"), "{}", market.settings());
    assert!(
        market
            .reads(&["list"])
            .contains("0.1.0\tlinepress:image/image-provider@0.1\tserving\tsite, by Acme")
    );
    assert!(
        market
            .is_refused(&["rollback", "testbed.plain"])
            .contains("no such version")
    );
    let refused = market.is_refused(&["rollback", "testbed.plain@0.2.0"]);
    assert!(refused.contains("+ asks to reach https://evil.test"), "{refused}");
    market.reads(&["rollback", "testbed.plain@0.2.0", "--yes"]);
    assert!(market.manifest().contains("version = \"0.2.0\""));

    // A downgrade that is asked for by name.
    market.reads(&["remove", "testbed.plain@0.1.0"]);
    market.reads(&["install", "testbed.plain@0.1.0", "--yes"]);
    assert!(market.manifest().contains("version = \"0.1.0\""));

    // At most two versions are stored.
    market.publishes("0.3.0", API);
    let told = market.reads(&UPDATE);
    assert!(told.contains("testbed.plain 0.2.0 is no longer stored"), "{told}");
}

#[test]
fn what_was_not_granted_before_is_shown_again() {
    let market = Market::new();
    market.reads(&INSTALL);
    market.reads(&["deny", "testbed.plain"]);
    market.publishes("0.2.0", API);
    let told = market.is_refused(&["update", "testbed.plain"]);
    assert!(told.contains("asks\tto reach https://api.acme.com:443"), "{told}");
}

#[test]
fn another_key_of_the_publisher_is_refused_until_the_operator_names_it() {
    let market = Market::new();
    market.reads(&INSTALL);
    market.key("other.pem");
    market.writes("0.2.0", API);
    assert!(market.is_refused(&OTHER_KEY).contains("--replace-key"));
    std::fs::remove_file(market.path("other.pem")).unwrap();
    let other = market.publishes_with_another_key("0.2.0");
    let refused = market.is_refused(&UPDATE);
    assert!(refused.contains("signed with another key than before"), "{refused}");
    assert!(market.manifest().contains("version = \"0.1.0\""));
    let wrong = market.key("third.pem");
    let refused = market.is_refused(&[&UPDATE[..], &["--publisher-key", &wrong]].concat());
    assert!(refused.contains("not the one that you named"), "{refused}");
    market.reads(&[&UPDATE[..], &["--publisher-key", &other]].concat());
    assert!(market.settings().contains(&other), "{}", market.settings());
}

#[test]
fn a_lost_settings_file_does_not_make_another_key_acceptable() {
    let market = Market::new();
    let before = market.settings();
    market.reads(&INSTALL);
    // As after a command that was killed before it wrote the approval, or after a tool rewrote the file.
    std::fs::write(market.path("linepress.toml"), &before).unwrap();
    let other = market.publishes_with_another_key("0.2.0");
    let refused = market.is_refused(&UPDATE);
    assert!(refused.contains("signed with another key than before"), "{refused}");

    let told = market.reads(&INSTALL);
    assert!(told.contains("testbed.plain 0.1.0 is active"), "{told}");
    let settings = market.settings();
    assert!(
        settings.contains("[publishers]\n") && settings.contains("[grants."),
        "{settings}"
    );
    assert!(market.is_refused(&INSTALL).contains("is installed already"));

    // `rollback` writes the key of the active version, not that of the version to which it leads.
    market.reads(&[&UPDATE[..], &["--publisher-key", &other]].concat());
    std::fs::write(market.path("linepress.toml"), &before).unwrap();
    market.reads(&["rollback", "testbed.plain", "--yes"]);
    assert!(market.settings().contains(&other), "{}", market.settings());
}

#[test]
fn nothing_changes_without_the_database() {
    let market = Market::new();
    // It cannot be opened: this is a folder.
    let database = market.path("database");
    std::fs::create_dir(&database).unwrap();
    let mut install = market.command(&INSTALL);
    let install = install.env("LINEPRESS_DATABASE_URL", format!("sqlite:{}", database.display()));
    let output = install.output().unwrap();
    let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(!output.status.success(), "{told}");
    assert!(!told.contains("is active"), "{told}");
    market.has_nothing();
}

#[test]
fn a_rollback_leads_to_the_version_that_was_active() {
    let market = Market::new();
    market.reads(&INSTALL);
    market.publishes("0.2.0", API);
    market.reads(&UPDATE);
    market.reads(&["rollback", "testbed.plain"]);
    market.publishes("0.3.0", API);
    let told = market.reads(&UPDATE);
    assert!(told.contains("testbed.plain 0.2.0 is no longer stored"), "{told}");
    let listed: Value = serde_json::from_str(&market.reads(&["list", "--json"])).unwrap();
    assert_eq!(listed[0]["stored"], json!(["0.1.0", "0.3.0"]));
    market.reads(&["rollback", "testbed.plain"]);
    assert!(market.manifest().contains("version = \"0.1.0\""));
}

#[test]
fn an_update_that_asks_for_a_service_shows_it() {
    let market = Market::new();
    market.reads(&INSTALL);
    market.publishes("0.2.0", &format!("{API}\n[permissions]\nstore = true\n"));
    let told = market.is_refused(&["update", "testbed.plain"]);
    let asked = "to store up to 256 values, 1 MiB together, in the server's database";
    assert!(told.contains(&format!("+ asks {asked}")), "{told}");
    assert!(!told.contains("api.acme.com"), "only what differs is shown: {told}");
    assert!(!market.settings().contains("permissions"), "{}", market.settings());

    let told = market.reads(&UPDATE);
    let granted = format!("granted: https://api.acme.com:443, {asked}");
    assert!(told.contains(&granted), "{told}");
    let settings = market.settings();
    assert!(settings.contains("permissions = [\"store\"]"), "{settings}");
    let shown = market.reads(&["show", "testbed.plain"]);
    assert!(
        shown.contains(&format!("asks\t{asked}")) && shown.contains(&format!("granted\t{asked}")),
        "{shown}"
    );

    market.reads(&["rollback", "testbed.plain"]);
    assert!(!market.settings().contains("permissions"), "{}", market.settings());
}

#[test]
fn a_rollback_to_what_needs_no_approval_asks_nothing() {
    let market = Market::empty();
    market.publishes("0.1.0", "");
    market.reads(&INSTALL);
    market.publishes("0.2.0", API);
    market.reads(&UPDATE);
    market.reads(&["deny", "testbed.plain"]);
    let told = market.reads(&["rollback", "testbed.plain"]);
    assert!(told.contains("testbed.plain 0.1.0 is active"), "{told}");
}

#[test]
fn a_version_that_cannot_be_loaded_does_not_become_active() {
    let market = Market::empty();
    market.writes_component("testbed.trap", "0.1.0", API);
    market.reads(&PUBLISH);
    let refused = market.is_refused(&INSTALL);
    assert!(
        refused.contains("testbed.plain 0.1.0 cannot be loaded") && refused.contains("Nothing was changed"),
        "{refused}"
    );
    market.has_nothing();

    market.publishes("0.2.0", API);
    market.reads(&INSTALL);
    market.writes_component("testbed.trap", "0.3.0", "");
    market.reads(&PUBLISH);
    assert!(market.is_refused(&UPDATE).contains("0.3.0 cannot be loaded"));
    market.publishes("0.4.0", &format!("{API}{CREDENTIAL}"));
    let refused = market.is_refused(&UPDATE);
    assert!(refused.contains("add --credential api_key=env:VARIABLE"), "{refused}");
    assert!(market.manifest().contains("version = \"0.2.0\""));
    let listed: Value = serde_json::from_str(&market.reads(&["list", "--json"])).unwrap();
    assert_eq!(listed[0]["state"], "serving");
    assert_eq!(listed[0]["stored"], json!(["0.2.0"]));

    // The server's environment may contain what this command does not see.
    let source = ["--credential", "api_key=env:ACME_KEY"];
    let told = market.reads(&[&UPDATE[..], &source].concat());
    assert!(told.contains("source\tapi_key: env:ACME_KEY\n"), "{told}");
    assert!(told.contains("testbed.plain 0.4.0 is active"), "{told}");

    // A first installation may come before its secrets.
    market.reads(&["remove", "testbed.plain"]);
    let settings = market.settings();
    let (without, _) = settings.split_once("[credentials").unwrap();
    std::fs::write(market.path("linepress.toml"), without).unwrap();
    let told = market.reads(&INSTALL);
    assert!(
        told.contains("source\tapi_key: none; add --credential api_key=SOURCE"),
        "{told}"
    );
    assert!(
        told.contains("not yet loaded: it needs the credential api_key"),
        "{told}"
    );
}

#[test]
fn what_another_plugin_left_in_the_settings_is_shown_and_not_granted() {
    let market = Market::empty();
    let local = "[[http]]\norigin = \"http://127.0.0.1:8188\"\nmethods = [\"POST\"]\n";
    market.publishes("0.1.0", &format!("{API}{CREDENTIAL}{local}"));
    let left = format!(
        "[grants.\"testbed.plain\"]\ndigest = \"{}\"\norigins = [\"http://127.0.0.1:8188\"]\nprivate = \
         [\"http://127.0.0.1:8188\"]\n[credentials.\"testbed.plain\"]\napi_key = {{ env = \"LEFT\" }}\n",
        "b".repeat(64)
    );
    std::fs::write(market.path("linepress.toml"), market.settings() + &left).unwrap();
    let refused = market.is_refused(&INSTALL);
    assert!(
        refused.contains("source\tapi_key: env:LEFT, which the settings file already contains"),
        "{refused}"
    );
    assert!(refused.contains("add --private http://127.0.0.1:8188"), "{refused}");
    assert!(!market.is_installed());
    let told = market.reads(&[&INSTALL[..], &["--private", "http://127.0.0.1:8188"]].concat());
    assert!(
        told.contains("also with private addresses or plain http: http://127.0.0.1:8188"),
        "{told}"
    );
    // The next version is approved like this one.
    market.publishes("0.2.0", &format!("{API}{CREDENTIAL}{local}"));
    let told = market.reads(&UPDATE);
    assert!(!told.contains("source\t"), "{told}");
    assert!(market.settings().contains("private = ["), "{}", market.settings());
}

#[test]
fn damaged_files_are_replaced_by_other_versions() {
    let market = Market::new();
    drop(Running::start(market.folder.path()));
    market.reads(&INSTALL);
    let manifest = market.path("plugins.d/testbed.plain/plugin.toml");
    std::fs::write(&manifest, "damaged").unwrap();
    let refused = market.is_refused(&INSTALL);
    assert!(refused.contains("linepress plugin remove testbed.plain"), "{refused}");
    market.publishes("0.2.0", API);
    market.reads(&UPDATE);
    let output = command_in(market.folder.path())
        .args(["audit-log", "--target", "testbed.plain", "--json"])
        .output()
        .unwrap();
    let entries: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut entries = entries.as_array().unwrap().iter();
    let update = entries.find(|entry| entry["action"] == "plugin.install").unwrap();
    assert_eq!(update["details"]["from"], "0.1.0", "{update}");
    assert!(
        market
            .is_refused(&["rollback", "testbed.plain"])
            .contains("cannot be used")
    );
    market.reads(&["install", "testbed.plain@0.1.0", "--yes"]);
    assert!(market.manifest().contains("version = \"0.1.0\""));
}

#[test]
fn a_forged_index_or_archive_installs_nothing() {
    let market = Market::new();
    let archive = market.path("site/archives/testbed.plain/testbed.plain-0.1.0.tar.gz");
    let whole = std::fs::read(&archive).unwrap();
    let index = std::fs::read(market.path("site/index.json")).unwrap();
    let refused = |words: &str| {
        let told = market.is_refused(&INSTALL);
        assert!(told.contains(words), "{words}: {told}");
        market.has_nothing();
    };

    let mut changed = whole.clone();
    changed[100] ^= 1;
    std::fs::write(&archive, &changed).unwrap();
    refused("is not the one that the index lists");
    std::fs::write(&archive, [&whole[..], b"more"].concat()).unwrap();
    refused("is not the one that the index lists");
    std::fs::write(&archive, &whole[..1000]).unwrap();
    refused("is not the one that the index lists");
    std::fs::write(&archive, &whole).unwrap();

    std::fs::write(
        market.path("site/index.json"),
        String::from_utf8_lossy(&index).replace("\"sig\": \"", "\"sig\": \"A"),
    )
    .unwrap();
    refused("is not signed with a trusted key");
    std::fs::write(market.path("site/index.json"), "{}").unwrap();
    refused("is no signed file");

    let forged = [
        (
            "/plugins/0/digest",
            json!("b".repeat(64)),
            "not signed with the key of its publisher",
        ),
        ("/plugins/0/archive/bytes", json!(1_u64 << 40), "at most"),
        (
            "/plugins/0/archive/url",
            json!("../key.pem"),
            "not in the folder of the registry",
        ),
        (
            "/plugins/0/world",
            json!("linepress:image/image-provider@0.9"),
            "another version; this host supports",
        ),
        (
            "/plugins/0/id",
            json!("testbed.рlain"),
            "lowercase words of ASCII letters",
        ),
        ("/plugins/0/description", json!("a\u{1b}[2J"), "not one line"),
        ("/format", json!(2), "upgrade it"),
    ];
    for (serial, (field, value, words)) in (2..).zip(forged) {
        std::fs::write(market.path("site/index.json"), &index).unwrap();
        market.forge(|index| {
            index["serial"] = json!(serial);
            *index.pointer_mut(field).unwrap() = value;
        });
        refused(words);
    }

    // Even the publisher cannot have one folder signed and another one delivered.
    let digest = "b".repeat(64);
    let statement = format!("testbed.plain\n0.1.0\n{digest}\n");
    let signature = market.signature("application/vnd.linepress.plugin-release.v1", statement.as_bytes());
    std::fs::write(market.path("site/index.json"), &index).unwrap();
    market.forge(|index| {
        index["serial"] = json!(99);
        index["plugins"][0]["digest"] = json!(digest);
        index["plugins"][0]["signature"] = json!(signature);
    });
    refused("are not those that its publisher signed");
}

#[test]
fn an_older_index_is_refused_as_a_replay() {
    let market = Market::new();
    let old = std::fs::read(market.path("site/index.json")).unwrap();
    market.publishes("0.2.0", API);
    market.reads(&["install", "testbed.plain@0.1.0", "--yes"]);
    std::fs::write(market.path("site/index.json"), old).unwrap();
    for arguments in [&UPDATE[..], &["search"]] {
        let refused = market.is_refused(arguments);
        assert!(refused.contains("number 2 was read before"), "{refused}");
    }
}

#[test]
fn a_search_and_an_update_remember_the_index() {
    let market = Market::new();
    market.reads(&INSTALL);
    let index = || std::fs::read(market.path("site/index.json")).unwrap();
    let replay = |old: &[u8]| {
        let new = index();
        std::fs::write(market.path("site/index.json"), old).unwrap();
        assert!(market.is_refused(&["search"]).contains("was read before"));
        std::fs::write(market.path("site/index.json"), new).unwrap();
    };
    let one = index();
    market.publishes("0.0.2", API);
    market.reads(&["search"]);
    replay(&one);
    let two = index();
    market.publishes("0.0.3", API);
    assert!(market.reads(&UPDATE).contains("the registry has no newer version"));
    replay(&two);
}

#[test]
fn a_folder_of_the_operator_and_a_similar_name_are_left_alone() {
    let market = Market::new();
    let own = market.path("plugins.d/own");
    std::fs::create_dir(&own).unwrap();
    for file in ["plugin.toml", "plugin.wasm"] {
        let from = from_environment("LINEPRESS_TEST_TESTBED")
            .join("testbed.plain")
            .join(file);
        std::fs::copy(from, own.join(file)).unwrap();
    }
    let refused = market.is_refused(&INSTALL);
    assert!(refused.contains("a folder of your own"), "{refused}");
    let listed: Value = serde_json::from_str(&market.reads(&["list", "--json"])).unwrap();
    assert_eq!(listed[0]["source"], "a folder");
    let refused = market.is_refused(&["install", "testbed.p1ain", "--yes"]);
    assert!(refused.contains("looks like testbed.plain"), "{refused}");
    assert!(
        market
            .is_refused(&["remove", "testbed.plain"])
            .contains("not installed by name")
    );
    assert!(own.is_dir());
    for wrong in ["Testbed.plain", "../site", "testbed.plain@1"] {
        assert!(market.is_refused(&["install", wrong]).contains("must be a plugin's id"));
    }
}

#[test]
fn a_registry_is_published_step_by_step() {
    let market = Market::empty();
    market.writes("0.1.0", API);
    let refused = market.is_refused(&["publish", "source", "--index", "site", "--key", "key.pem"]);
    assert!(refused.contains("add --publisher and --description"), "{refused}");
    assert!(market.reads(&PUBLISH).contains("testbed.plain 0.1.0\tpublished"));
    let unchanged = market.reads(&PUBLISH);
    assert!(
        unchanged.contains("\tunchanged\t") && unchanged.contains("number 1,"),
        "{unchanged}"
    );
    market.writes("0.1.0", MORE);
    assert!(market.is_refused(&PUBLISH).contains("increase the version"));
    market.writes("0.2.0", MORE);
    let published = market.reads(&["publish", "source", "--index", "site", "--key", "key.pem"]);
    assert!(published.contains("number 2"), "{published}");
    market.key("other.pem");
    let refused = market.is_refused(&["publish", "source", "--index", "site", "--key", "other.pem"]);
    assert!(refused.contains("--index-key"), "{refused}");
    assert!(market.is_refused(&["keygen", "key.pem"]).contains("key.pem"));
    std::fs::write(market.path("linepress.toml"), "").unwrap();
    assert!(market.is_refused(&["search"]).contains("[plugin_index]"));
}

#[test]
fn an_index_expires_unless_it_is_published_again() {
    let market = Market::empty();
    market.writes("0.1.0", API);
    let short = [&PUBLISH[..], &["--valid-days", "20"]].concat();
    assert!(market.reads(&short).contains("index\tnumber 1, valid until 20"));
    assert!(
        market
            .reads(&["search"])
            .contains("the index of the registry expires at 20")
    );
    // Less than half of a year is left.
    assert!(market.reads(&PUBLISH).contains("index\tnumber 2, valid until 20"));
    assert!(!market.reads(&["search"]).contains("expires"));
    assert!(market.reads(&PUBLISH).contains("index\tnumber 2, "));

    market.forge(|index| {
        index["serial"] = json!(3);
        index["expires_at"] = json!("2026-01-01T00:00:00Z");
    });
    let refused = market.is_refused(&INSTALL);
    assert!(refused.contains("expired at 2026-01-01T00:00:00Z"), "{refused}");
    market.has_nothing();
    // An author can publish it again.
    assert!(market.reads(&PUBLISH).contains("\tunchanged\t"));
    market.reads(&INSTALL);
}

#[test]
fn a_running_server_takes_over_versions_and_the_audit_log_has_them() {
    let market = Market::new();
    let server = Running::start(market.folder.path());
    market.reads(&INSTALL);
    server.until("plugin loaded plugin=\"testbed.plain\" version=0.1.0");
    market.publishes("0.2.0", API);
    market.reads(&UPDATE);
    server.until("plugin=\"testbed.plain\" version=0.2.0");
    market.reads(&["rollback", "testbed.plain"]);
    market.reads(&["remove", "testbed.plain"]);
    server.until("plugin removed");
    drop(server);
    let output = command_in(market.folder.path())
        .args(["audit-log", "--target", "testbed.plain", "--json"])
        .output()
        .unwrap();
    let entries: Value = serde_json::from_slice(&output.stdout).unwrap();
    let entries = entries.as_array().unwrap();
    let actions: Vec<&str> = entries.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    let changes = ["plugin.remove", "plugin.install", "plugin.install", "plugin.install"];
    let installs: Vec<&str> = actions
        .iter()
        .copied()
        .filter(|action| *action != "plugin.allow")
        .collect();
    assert_eq!(installs, changes);
    assert_eq!(
        actions.len(),
        7,
        "each installation approves what it requests: {actions:?}"
    );
    let update = entries
        .iter()
        .filter(|entry| entry["action"] == "plugin.install")
        .nth(1)
        .unwrap();
    assert_eq!(update["details"]["from"], "0.1.0");
    assert_eq!(update["details"]["version"], "0.2.0");
    assert_eq!(update["details"]["index"], "site");
}
