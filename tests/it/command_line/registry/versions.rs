//! Versions that are installed, updated, rolled back and removed.
use std::time::Duration;

use linepress_platform::clock::Clock;
use linepress_registry::{Author, SigningKey, Store, Submission, publish};
use serde_json::{Value, json};

use super::{API, CREDENTIAL, INSTALL, MORE, Market, PUBLISH, UPDATE};
use crate::command_line::plugins::Running;
use crate::command_line::{Typist as _, command_in};
use crate::test_app::block_until;

impl Market {
    /// Publishes a version that cannot be loaded because its component reports another id. The command `publish`
    /// refuses it; another program of an author might not.
    fn publishes_unchecked(&self, version: &str, tables: &str) {
        self.writes_component("testbed.trap", version, tables);
        let key = SigningKey::read(&self.path("key.pem")).unwrap();
        let author = Author {
            key: &key,
            publisher: Some("Acme".into()),
            description: Some("Draws plain pages".into()),
            is_new_key: false,
        };
        let submission = Submission {
            source: &self.path("source"),
            registry: &self.path("site"),
            author,
            index_key: &key,
            now: Clock::System.now().into(),
            validity: Duration::from_secs(365 * 24 * 3600),
        };
        publish(&submission).unwrap();
    }
}

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
    assert_eq!(listed[0]["state"], "loadable");
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
fn a_plugin_in_use_is_not_removed() {
    let market = Market::new();
    market.reads(&INSTALL);
    let settings = market.settings();
    for (setting, advice) in [
        (
            "planner",
            "is the planner in use: run `linepress plugin use` with another planner first",
        ),
        (
            "layout",
            "is the layout in use: run `linepress plugin use` with another layout first",
        ),
        (
            "reviewer",
            "is in use: run `linepress plugin stop-using testbed.plain` first",
        ),
    ] {
        let used = format!("{setting} = \"testbed.plain\"\n{settings}");
        std::fs::write(market.path("linepress.toml"), &used).unwrap();
        let refused = market.is_refused(&["remove", "testbed.plain"]);
        assert!(refused.contains(advice), "{setting}: {refused}");
        assert!(market.is_installed());
        assert_eq!(market.settings(), used);
    }

    std::fs::write(market.path("linepress.toml"), settings).unwrap();
    market.reads(&["use", "testbed.plain"]);
    let refused = market.is_refused(&["remove", "testbed.plain"]);
    assert!(
        refused.contains("linepress plugin stop-using testbed.plain"),
        "{refused}"
    );
    assert!(market.is_installed());
    market.reads(&["stop-using", "testbed.plain"]);
    market.reads(&["remove", "testbed.plain"]);
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
            .contains("0.1.0\tlinepress:image/image-provider@0.1\tcan be loaded\tsite, by Acme")
    );
    let refused = market.is_refused(&["rollback", "testbed.plain"]);
    assert!(refused.contains("that was active before is not known"), "{refused}");
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
fn a_version_that_the_server_rolled_back_is_offered_only_by_name() {
    let market = Market::new();
    market.reads(&INSTALL);
    market.publishes("0.2.0", API);
    market.reads(&UPDATE);
    market.reads(&["rollback", "testbed.plain"]);
    let store = Store::new(&market.path("plugins.d"));
    let fails = |version: &str| {
        let locked = store.lock().unwrap();
        let version = version.parse().unwrap();
        locked.note_failure("testbed.plain", &version, "it crashed").unwrap();
    };
    fails("0.2.0");
    // Its files are not needed to remember it.
    market.reads(&["remove", "testbed.plain@0.2.0"]);
    let told = market.reads(&UPDATE);
    for part in [
        "0.2.0 is left out: the server went back from it because its first calls failed (it crashed)",
        "`linepress plugin update testbed.plain@0.2.0`",
        "has no newer version that is not left out",
    ] {
        assert!(told.contains(part), "{part} is missing: {told}");
    }
    assert!(market.manifest().contains("version = \"0.1.0\""));

    // A version between the two, and the failed one by its name.
    market.publishes("0.1.1", API);
    assert!(market.reads(&UPDATE).contains("testbed.plain 0.1.1 is active"));
    let told = market.reads(&["update", "testbed.plain@0.2.0", "--yes"]);
    assert!(told.contains("testbed.plain 0.2.0 is active"), "{told}");
    // A version that was installed by name is on trial again.
    assert!(store.left_out("testbed.plain").unwrap().is_empty());
}

#[test]
fn a_version_that_the_operator_rolled_back_is_offered_only_by_name() {
    let market = Market::new();
    market.reads(&INSTALL);
    market.publishes("0.2.0", API);
    for back in [
        ["rollback", "testbed.plain"].as_slice(),
        &["install", "testbed.plain@0.1.0", "--yes"],
    ] {
        market.reads(&["update", "testbed.plain@0.2.0", "--yes"]);
        market.reads(back);
        let told = market.reads(&UPDATE);
        for part in [
            "0.2.0 is left out: it was rolled back by the operator at 20",
            "`linepress plugin update testbed.plain@0.2.0`",
            "has no newer version that is not left out",
        ] {
            assert!(told.contains(part), "{back:?}: {part} is missing: {told}");
        }
        assert!(market.manifest().contains("version = \"0.1.0\""));
    }

    // A rollback that leads forward makes it a version like others.
    market.reads(&["rollback", "testbed.plain@0.2.0"]);
    market.reads(&["rollback", "testbed.plain@0.1.0"]);
    market.publishes("0.3.0", API);
    let told = market.reads(&UPDATE);
    assert!(told.contains("testbed.plain 0.3.0 is active"), "{told}");
    market.reads(&["rollback", "testbed.plain"]);
    market.reads(&["update", "testbed.plain@0.3.0", "--yes"]);
    let store = Store::new(&market.path("plugins.d"));
    let left_out = store.left_out("testbed.plain").unwrap();
    let left_out: Vec<String> = left_out.keys().map(ToString::to_string).collect();
    assert_eq!(left_out, ["0.2.0"]);
}

#[test]
fn a_setting_of_a_newer_version_remains_after_a_rollback() {
    let market = Market::empty();
    for (version, properties) in [
        ("0.1.0", r#""model": {"enum": ["slow", "fast"]}"#),
        ("0.2.0", r#""model": {}, "style": {}"#),
    ] {
        market.writes(version, API);
        let schema = format!("{{\"properties\": {{{properties}}}, \"additionalProperties\": false}}");
        std::fs::write(market.path("source/config.json"), schema).unwrap();
        market.reads(&PUBLISH);
    }
    market.reads(&["install", "testbed.plain@0.1.0", "--yes"]);
    market.reads(&UPDATE);
    market.reads(&["set", "testbed.plain", "style=soft", "model=huge"]);
    let told = market.reads(&["rollback", "testbed.plain"]);
    assert!(told.contains("its present settings are not allowed: `model`"), "{told}");
    assert!(!told.contains("`style`"), "{told}");
    market.reads(&["set", "testbed.plain", "model=fast"]);
    let settings = market.settings();
    assert!(
        settings.contains("style = \"soft\"") && settings.contains("model = \"fast\""),
        "{settings}"
    );
    let refused = market.is_refused(&["set", "testbed.plain", "style=hard"]);
    assert!(
        refused.contains("settings.style: is not a setting of this plugin"),
        "{refused}"
    );
    let shown = market.reads(&["show", "testbed.plain"]);
    let kept = "setting\tstyle = \"(set)\", reserved for another stored version: this one does not receive it\n";
    assert!(
        shown.contains(kept) && shown.contains("setting\tmodel = \"fast\"\n"),
        "{shown}"
    );

    // Without the newer version, it is a setting that the plugin does not know.
    let told = market.reads(&["remove", "testbed.plain@0.2.0"]);
    assert!(
        told.contains("knows these settings any more: style. The active version gets them")
            && told.contains("`linepress plugin set testbed.plain --unset style`"),
        "{told}"
    );
    let shown = market.reads(&["show", "testbed.plain"]);
    assert!(shown.contains("setting\tstyle = \"(set)\"\n"), "{shown}");
    let refused = market.is_refused(&["set", "testbed.plain", "model=slow"]);
    assert!(
        refused.contains("settings.style: is not a setting of this plugin"),
        "{refused}"
    );
    market.reads(&["set", "testbed.plain", "model=slow", "--unset", "style"]);
    assert!(!market.settings().contains("style"), "{}", market.settings());
}

#[test]
fn a_removal_reports_no_setting_that_the_active_version_already_got() {
    let market = Market::empty();
    // The schema of the older version excludes nothing, so that it gets all settings.
    for (version, schema) in [
        ("0.1.0", r#"{"properties": {"model": {}}}"#),
        (
            "0.2.0",
            r#"{"properties": {"model": {}, "style": {}}, "additionalProperties": false}"#,
        ),
    ] {
        market.writes(version, API);
        std::fs::write(market.path("source/config.json"), schema).unwrap();
        market.reads(&PUBLISH);
    }
    market.reads(&["install", "testbed.plain@0.1.0", "--yes"]);
    market.reads(&UPDATE);
    market.reads(&["set", "testbed.plain", "style=soft"]);
    market.reads(&["rollback", "testbed.plain"]);
    let told = market.reads(&["remove", "testbed.plain@0.2.0"]);
    assert!(!told.contains("knows these settings any more"), "{told}");
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
    market.publishes_unchecked("0.1.0", API);
    let refused = market.is_refused(&INSTALL);
    assert!(
        refused.contains("testbed.plain 0.1.0 cannot be loaded") && refused.contains("Nothing was changed"),
        "{refused}"
    );
    market.has_nothing();

    market.publishes("0.2.0", API);
    market.reads(&INSTALL);
    market.publishes_unchecked("0.3.0", "");
    assert!(market.is_refused(&UPDATE).contains("0.3.0 cannot be loaded"));
    market.publishes("0.4.0", &format!("{API}{CREDENTIAL}"));
    let refused = market.is_refused(&UPDATE);
    assert!(refused.contains("add --credential api_key=env:VARIABLE"), "{refused}");
    assert!(market.manifest().contains("version = \"0.2.0\""));
    let listed: Value = serde_json::from_str(&market.reads(&["list", "--json"])).unwrap();
    assert_eq!(listed[0]["state"], "loadable");
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
fn a_running_server_takes_over_versions_and_the_audit_log_has_them() {
    let market = Market::new();
    let server = Running::start(market.folder.path());
    market.reads(&INSTALL);
    server.until("plugin loaded plugin=\"testbed.plain\" version=0.1.0");
    market.publishes("0.2.0", API);
    market.reads(&UPDATE);
    server.until("plugin=\"testbed.plain\" version=0.2.0");
    // The commands have compiled both versions, into the cache of the server.
    assert!(!server.holds("plugin compiled plugin=\"testbed.plain\""));
    block_until("the server records what it has loaded", || {
        market
            .reads(&["list"])
            .contains("testbed.plain\t0.2.0\tlinepress:image/image-provider@0.1\tserving\t")
    });
    assert_eq!(server.count("plugin replaced"), 1);
    assert!(!server.holds("plugin refused"));
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
