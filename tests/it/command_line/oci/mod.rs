//! `linepress plugin push`, `install`, `update` and `search` with a registry of containers (OCI).
mod attacks;
mod containers;

use linepress_registry::Store;
use serde_json::Value;

use self::containers::{Containers, digest};
use super::Typist as _;
use super::registry::{API, MORE, Market, UPDATE};

/// An operator whose settings permit a registry of containers, and the author who pushes to it.
struct Harbor {
    market: Market,
    containers: Containers,
}

impl Harbor {
    /// A registry without versions.
    fn empty() -> Self {
        let harbor = Self {
            market: Market::empty(),
            containers: Containers::start(),
        };
        harbor.permits(&harbor.containers.settings(""));
        harbor
    }

    /// A registry with version 0.1.0 of testbed.plain.
    fn new() -> Self {
        let harbor = Self::empty();
        harbor.pushes("0.1.0", API, "");
        harbor
    }

    /// Replaces the settings file.
    fn permits(&self, settings: &str) {
        std::fs::write(self.market.path("linepress.toml"), settings).unwrap();
    }

    fn place(&self, version: &str) -> String {
        self.containers.place(version)
    }

    /// Pushes a version with these tables in its manifest to a tag such as `:stable`.
    fn pushes(&self, version: &str, tables: &str, tag: &str) -> String {
        self.market.writes(version, tables);
        self.market.reads(&push(&self.place(tag)))
    }

    fn installs(&self, version: &str) -> String {
        self.market.reads(&["install", &self.place(version), "--yes"])
    }

    /// Asserts that the installation from this place is refused, and that nothing was changed.
    #[track_caller]
    fn refuses(&self, version: &str, words: &str) {
        let told = self.market.is_refused(&["install", &self.place(version), "--yes"]);
        assert!(told.contains(words), "{words}: {told}");
        self.market.has_nothing();
    }

    /// The digest of the manifest to which a tag leads.
    fn manifest(&self, tag: &str) -> String {
        digest(&self.containers.contents().manifests[tag])
    }

    fn listed(&self) -> Value {
        let listed: Value = serde_json::from_str(&self.market.reads(&["list", "--json"])).unwrap();
        listed[0].clone()
    }
}

fn push(place: &str) -> [&str; 9] {
    [
        "push",
        "source",
        place,
        "--key",
        "key.pem",
        "--publisher",
        "Acme",
        "--description",
        "Draws plain pages",
    ]
}

#[test]
fn a_pushed_version_is_installed_and_its_digest_pinned() {
    let harbor = Harbor::empty();
    let market = &harbor.market;
    let told = harbor.pushes("0.1.0", API, "");
    let place = harbor.place(":0.1.0");
    assert!(
        told.contains(&format!("testbed.plain 0.1.0\tpushed\t{place}\n")),
        "{told}"
    );
    assert!(harbor.pushes("0.1.0", API, "").contains("\tunchanged\t"));
    let found = market.reads(&["search", &harbor.place("")]);
    assert_eq!(
        found,
        "0.1.0\ttestbed.plain\t0.1.0\tlinepress:image/image-provider@0.1\tAcme\tDraws plain pages\n"
    );

    let told = market.is_refused(&["install", &harbor.place("")]);
    assert!(
        told.contains("asks\tto reach https://api.acme.com:443 (POST)"),
        "{told}"
    );
    assert!(told.contains("add --yes"), "{told}");
    market.has_nothing();

    let told = harbor.installs("");
    let pinned = harbor.manifest("0.1.0");
    for part in [
        "from\tAcme (ed25519:",
        &format!("manifest\t{pinned} at {place}\n"),
        "testbed.plain 0.1.0 is active",
        "granted: https://api.acme.com:443",
    ] {
        assert!(told.contains(part), "{part} is missing: {told}");
    }
    assert!(
        market
            .settings()
            .contains("[publishers]\n\"testbed.plain\" = \"ed25519:")
    );
    let records = std::fs::read(market.path("plugins.d/.registry/plugins/testbed.plain/installed.json")).unwrap();
    let records: Value = serde_json::from_slice(&records).unwrap();
    assert_eq!(records[0]["manifest"], pinned.as_str());
    assert_eq!(harbor.listed()["source"], format!("{place}, by Acme"));
    assert!(
        market
            .reads(&["search", &harbor.place("")])
            .contains("\tinstalled: 0.1.0")
    );
    let refused = market.is_refused(&["install", &place, "--yes"]);
    assert!(refused.contains("is installed already"), "{refused}");
    assert!(market.reads(&UPDATE).contains("has no newer version"));
    market.reads(&["remove", "testbed.plain"]);

    let by_digest = format!("@{pinned}");
    assert!(harbor.installs(&by_digest).contains("testbed.plain 0.1.0 is active"));
    let refused = market.is_refused(&UPDATE);
    assert!(
        refused.contains("installed by its digest, which never changes"),
        "{refused}"
    );
    harbor.pushes("0.2.0", API, "");
    let told = market.reads(&["update", &harbor.place(":0.2.0"), "--yes"]);
    assert!(told.contains("testbed.plain 0.2.0 is active"), "{told}");
}

#[test]
fn an_update_shows_what_the_newest_version_asks_for() {
    let harbor = Harbor::new();
    let market = &harbor.market;
    harbor.installs("");
    harbor.pushes("0.2.0", &format!("{API}{MORE}"), "");
    harbor.pushes("0.3.0-rc.1", API, "");
    let told = market.is_refused(&["update", "testbed.plain"]);
    assert!(told.contains("+ asks to reach https://evil.test:443 (POST)"), "{told}");
    assert!(told.contains("0.3.0-rc.1 is not yet released"), "{told}");
    assert!(!told.contains("api.acme.com"), "only what differs is shown: {told}");
    assert!(market.manifest().contains("version = \"0.1.0\""));
    assert!(!market.settings().contains("evil.test"), "{}", market.settings());
    let told = market.reads(&UPDATE);
    assert!(told.contains("testbed.plain 0.2.0 is active"), "{told}");

    let refused = market.is_refused(&["update", "testbed.plain@0.1.0", "--yes"]);
    assert!(refused.contains("leads to 0.1.0, which is older"), "{refused}");
    let told = market.reads(&["rollback", "testbed.plain"]);
    assert!(told.contains("testbed.plain 0.1.0 is active"), "{told}");
    market.reads(&["update", "testbed.plain@0.2.0", "--yes"]);
    // A downgrade that is asked for by name.
    market.reads(&["remove", "testbed.plain@0.1.0"]);
    let told = harbor.installs(":0.1.0");
    assert!(told.contains("testbed.plain 0.1.0 is active"), "{told}");
}

#[test]
fn a_version_that_the_server_rolled_back_is_offered_only_by_name() {
    for (tag, place) in [("", ":0.1.0"), (":stable", ":stable")] {
        let harbor = Harbor::empty();
        let market = &harbor.market;
        harbor.pushes("0.1.0", API, tag);
        harbor.installs(place);
        harbor.pushes("0.2.0", API, tag);
        let note_failure = || {
            let locked = Store::new(&market.path("plugins.d")).lock().unwrap();
            let failed = "0.2.0".parse().unwrap();
            locked.note_failure("testbed.plain", &failed, "it crashed").unwrap();
        };
        note_failure();
        let told = market.reads(&UPDATE);
        assert!(
            told.contains("0.2.0 is left out") && told.contains("has no newer version that is not left out"),
            "{tag}: {told}"
        );
        for command in ["install", "update"] {
            let refused = market.is_refused(&[command, &harbor.place(tag), "--yes"]);
            assert!(
                refused.contains("is left out: the server went back from it"),
                "{tag}: {refused}"
            );
        }
        let told = market.reads(&["update", "testbed.plain@0.2.0", "--yes"]);
        assert!(told.contains("testbed.plain 0.2.0 is active"), "{tag}: {told}");
        // Nothing is refused for the version that is active.
        note_failure();
        let told = market.reads(&["update", &harbor.place(tag), "--yes"]);
        assert!(told.contains("leads to the same files"), "{tag}: {told}");
    }
}

#[test]
fn a_version_that_the_operator_rolled_back_is_offered_only_by_name() {
    let harbor = Harbor::new();
    let market = &harbor.market;
    harbor.installs("");
    harbor.pushes("0.2.0", API, "");
    market.reads(&UPDATE);
    market.reads(&["rollback", "testbed.plain"]);
    let told = market.reads(&UPDATE);
    assert!(
        told.contains("0.2.0 is left out: it was rolled back by the operator at 20")
            && told.contains("has no newer version that is not left out"),
        "{told}"
    );
    for command in ["install", "update"] {
        let refused = market.is_refused(&[command, &harbor.place(""), "--yes"]);
        assert!(
            refused.contains("is left out: it was rolled back by the operator"),
            "{refused}"
        );
    }
    let told = market.reads(&["update", &harbor.place(":0.2.0"), "--yes"]);
    assert!(told.contains("testbed.plain 0.2.0 is active"), "{told}");
}

#[test]
fn a_rollback_that_fails_names_the_place_to_install_from() {
    let harbor = Harbor::new();
    let market = &harbor.market;
    harbor.installs("");
    let pinned = harbor.manifest("0.1.0");
    harbor.pushes("0.2.0", API, "");
    market.reads(&UPDATE);
    let refused = market.is_refused(&["rollback", "testbed.plain@0.9.0"]);
    let place = harbor.place(":VERSION");
    assert!(
        refused.contains(&format!("`linepress plugin install {place}`")),
        "{refused}"
    );

    let stored = market.path("plugins.d/.registry/plugins/testbed.plain/versions/0.1.0/plugin.toml");
    let manifest = std::fs::read_to_string(&stored).unwrap();
    std::fs::write(&stored, manifest + "\n# changed\n").unwrap();
    let refused = market.is_refused(&["rollback", "testbed.plain"]);
    let place = harbor.place(&format!("@{pinned}"));
    assert!(
        refused.contains(&format!("`linepress plugin install {place}`")),
        "{refused}"
    );
    let told = market.reads(&["install", &place, "--yes"]);
    assert!(told.contains("testbed.plain 0.1.0 is active"), "{told}");
}

#[test]
fn a_tag_that_moved_is_an_update_which_waits_for_the_operator() {
    let harbor = Harbor::empty();
    let market = &harbor.market;
    harbor.pushes("0.1.0", API, ":stable");
    let old = harbor.manifest("stable");
    harbor.installs(":stable");
    let told = market.reads(&UPDATE);
    assert!(told.contains("leads to the same files"), "{told}");
    assert!(!told.contains("updates still come from"), "{told}");
    let told = market.reads(&["update", &harbor.place(":0.1.0"), "--yes"]);
    let still = format!(
        "nothing was changed: updates still come from {}.",
        harbor.place(":stable")
    );
    assert!(told.contains(&still), "{told}");
    harbor.pushes("0.2.0", &format!("{API}{MORE}"), ":stable");
    let told = market.is_refused(&["update", "testbed.plain"]);
    for part in [
        "leads to 0.2.0 now",
        "+ asks to reach https://evil.test:443 (POST)",
        "add --yes",
    ] {
        assert!(told.contains(part), "{part} is missing: {told}");
    }
    assert!(market.manifest().contains("version = \"0.1.0\""));
    assert!(!market.settings().contains("evil.test"), "{}", market.settings());
    market.reads(&UPDATE);
    assert!(market.manifest().contains("version = \"0.2.0\""));

    // A tag cannot lead back to a version with a fault.
    harbor.pushes("0.1.0", API, ":stable");
    let refused = market.is_refused(&UPDATE);
    assert!(refused.contains("leads to 0.1.0, which is older"), "{refused}");
    let refused = market.is_refused(&["install", &harbor.place(":stable"), "--yes"]);
    assert!(refused.contains("which is older than 0.2.0"), "{refused}");
    assert!(market.manifest().contains("version = \"0.2.0\""));
    let told = harbor.installs(&format!("@{old}"));
    assert!(told.contains("testbed.plain 0.1.0 is active"), "{told}");
}

#[test]
fn a_published_version_never_changes() {
    let harbor = Harbor::new();
    let market = &harbor.market;
    harbor.installs(":0.1.0");
    market.writes("0.1.0", MORE);
    let refused = market.is_refused(&push(&harbor.place("")));
    assert!(refused.contains("already published with other files"), "{refused}");
    let refused = market.is_refused(&push(&harbor.place(":0.2.0")));
    assert!(refused.contains("the tag 0.2.0 is another one"), "{refused}");

    // An author, or a registry, that replaces it all the same.
    harbor.containers.contents().manifests.clear();
    harbor.pushes("0.1.0", MORE, "");
    let told = market.reads(&UPDATE);
    assert!(
        told.contains("the tag 0.1.0 has moved since the installation"),
        "{told}"
    );
    let refused = market.is_refused(&["install", &harbor.place(":0.1.0"), "--yes"]);
    assert!(
        refused.contains("leads to other files of testbed.plain 0.1.0"),
        "{refused}"
    );
    {
        let mut contents = harbor.containers.contents();
        let manifest = contents.manifests["0.1.0"].clone();
        contents.manifests.insert("0.2.0".into(), manifest);
    }
    let told = market.reads(&UPDATE);
    assert!(
        told.contains("the tag 0.1.0 has moved since the installation"),
        "{told}"
    );
    assert!(told.contains("leads to version 0.1.0: do not install it"), "{told}");
    assert!(told.contains("has no newer version"), "{told}");
    let refused = market.is_refused(&["install", &harbor.place(":0.2.0"), "--yes"]);
    assert!(
        refused.contains("leads to version 0.1.0: do not install it"),
        "{refused}"
    );
    assert!(!market.settings().contains("evil.test"), "{}", market.settings());

    // The warning does not depend on whether there is a newer version.
    harbor.containers.contents().manifests.remove("0.2.0");
    harbor.pushes("0.2.0", API, "");
    let told = market.reads(&UPDATE);
    for part in [
        "the tag 0.1.0 has moved since the installation",
        "testbed.plain 0.2.0 is active",
    ] {
        assert!(told.contains(part), "{part} is missing: {told}");
    }
}

#[test]
fn a_component_that_reports_another_version_is_not_pushed() {
    let harbor = Harbor::empty();
    let market = &harbor.market;
    market.writes("0.1.0", API);
    market.says("0.2.0");
    let refused = market.is_refused(&push(&harbor.place("")));
    assert!(
        refused.contains("the component reports version 0.1.0. plugin.toml has version 0.2.0"),
        "{refused}"
    );
    assert!(harbor.containers.contents().requests.is_empty());
}

#[test]
fn a_version_behind_another_tag_is_published_under_its_number_as_well() {
    let harbor = Harbor::empty();
    let market = &harbor.market;
    harbor.pushes("0.1.0", API, ":stable");
    let pinned = harbor.manifest("0.1.0");
    assert_eq!(harbor.manifest("stable"), pinned);
    market.writes("0.1.0", MORE);
    for tag in [":stable", ":latest", ""] {
        let refused = market.is_refused(&push(&harbor.place(tag)));
        assert!(
            refused.contains("already published with other files"),
            "{tag}: {refused}"
        );
    }

    // Other texts do not replace the version, and another tag leads to the same manifest.
    market.writes("0.1.0", API);
    for (tag, state) in [("", "unchanged"), (":stable", "unchanged"), (":latest", "pushed")] {
        let place = harbor.place(tag);
        let mut push = push(&place);
        push[8] = "Draws other pages";
        let told = market.reads(&push);
        assert!(told.contains(&format!("\t{state}\t")), "{tag}: {told}");
        assert!(told.contains(&format!("manifest\t{pinned}\n")), "{tag}: {told}");
    }
    for tag in ["0.1.0", "stable", "latest"] {
        assert_eq!(harbor.manifest(tag), pinned, "{tag}");
    }

    // Of a repository without tags that are versions, the tag to push counts.
    harbor.containers.contents().manifests.remove("0.1.0");
    harbor.containers.contents().manifests.remove("latest");
    market.key("other.pem");
    market.writes("0.2.0", API);
    let place = harbor.place(":stable");
    let mut push = push(&place);
    push[4] = "other.pem";
    assert!(market.is_refused(&push).contains("--replace-key"));
}

#[test]
fn another_key_of_the_publisher_is_refused_until_the_operator_names_it() {
    let harbor = Harbor::new();
    let market = &harbor.market;
    harbor.installs("");
    let other = market.key("other.pem");
    market.writes("0.2.0", API);
    let place = harbor.place("");
    let mut push = vec!["push", "source", &place, "--key", "other.pem"];
    assert!(market.is_refused(&push).contains("--replace-key"));
    push.push("--replace-key");
    market.reads(&push);
    let refused = market.is_refused(&UPDATE);
    assert!(refused.contains("signed with another key than before"), "{refused}");
    assert!(market.manifest().contains("version = \"0.1.0\""));
    market.reads(&[&UPDATE[..], &["--publisher-key", &other]].concat());
    assert!(market.settings().contains(&other), "{}", market.settings());
}

#[test]
fn a_registry_in_a_private_network_is_refused_with_the_setting_that_permits_it() {
    let harbor = Harbor::new();
    let table = format!("[oci_registries.\"{}\"]", harbor.containers.server.address);
    harbor.permits("");
    harbor.refuses("", &format!("set `private = true` in {table}"));
    harbor.permits(&format!("{table}\nprivate = true\n"));
    harbor.refuses("", &format!("set `private = true` and `plain_http = true` in {table}"));
    // A public repository may still ask for a user.
    harbor.permits(&harbor.containers.settings(""));
    harbor.containers.contents().login = Some("ada:s3cret");
    harbor.refuses(
        "",
        &format!("set `username` and `password` in {table} of the settings file"),
    );
}

#[test]
fn a_private_repository_needs_the_password_which_is_never_printed() {
    let harbor = Harbor::empty();
    let market = &harbor.market;
    harbor.containers.contents().login = Some("ada:s3cret");
    std::fs::write(market.path("password"), "s3cret\n").unwrap();
    market.writes("0.1.0", API);
    let place = harbor.place("");
    let refused = market.is_refused(&push(&place));
    assert!(refused.contains("issues no token for acme/plain"), "{refused}");
    let login = ["--username", "ada", "--password", "file:password"];
    let told = market.reads(&[&push(&place)[..], &login].concat());
    assert!(told.contains("\tpushed\t") && !told.contains("s3cret"), "{told}");

    harbor.refuses("", "issues no token");
    harbor.permits(
        &harbor
            .containers
            .settings("username = \"ada\"\npassword = { file = \"password\" }\n"),
    );
    let told = harbor.installs("");
    assert!(!told.contains("s3cret") && !told.contains("t0ken"), "{told}");
    let asked = |scope: &str| {
        let contents = harbor.containers.contents();
        let mut lines = contents.requests.iter().map(|(line, _)| line);
        lines.any(|line| line.starts_with("GET /token?service=registry&scope=") && line.ends_with(scope))
    };
    assert!(asked("acme%2Fplain%3Apull%2Cpush") && asked("acme%2Fplain%3Apull"));
}
