//! Registries that lie, never end, or lead elsewhere.
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::containers::{Containers, Fixed, digest};
use super::{Harbor, UPDATE};
use crate::command_line::Typist as _;
use crate::test_app::Tripwire;

impl Harbor {
    /// Changes the manifest to which the tag leads.
    fn forge(&self, change: impl FnOnce(&mut Value)) {
        let mut contents = self.containers.contents();
        let mut manifest: Value = serde_json::from_slice(&contents.manifests["0.1.0"]).unwrap();
        change(&mut manifest);
        contents
            .manifests
            .insert("0.1.0".into(), manifest.to_string().into_bytes());
    }

    /// The digest of the archive.
    fn archive(&self) -> String {
        let contents = self.containers.contents();
        let manifest: Value = serde_json::from_slice(&contents.manifests["0.1.0"]).unwrap();
        manifest["layers"][0]["digest"].as_str().unwrap().to_owned()
    }

    fn answers(&self, part: &str, fixed: Fixed) {
        self.containers.contents().fixed.insert(Containers::path(part), fixed);
    }
}

#[test]
fn a_manifest_that_is_not_what_was_named_installs_nothing() {
    let harbor = Harbor::new();
    let pinned = harbor.manifest("0.1.0");
    let good = harbor.containers.contents().manifests["0.1.0"].clone();
    let part = format!("manifests/{pinned}");
    harbor.answers(&part, Fixed::Bytes([&good[..], b"\n"].concat()));
    harbor.refuses(
        &format!("@{pinned}"),
        &format!("and not {pinned}: it is damaged or was replaced"),
    );

    for (response, words) in [
        (Fixed::Endless, "larger than 65536 bytes"),
        (Fixed::Bytes(vec![b' '; 100 << 20]), "larger than 65536 bytes"),
        (Fixed::Bytes(b"{}".to_vec()), "is not that of a plugin"),
    ] {
        harbor.answers("manifests/0.1.0", response);
        harbor.refuses(":0.1.0", words);
    }
    harbor.containers.contents().fixed.clear();
    harbor.answers("tags/list", Fixed::Endless);
    harbor.refuses("", "larger than 1048576 bytes");
    harbor.refuses(":0.9.0", "there is no oci://");

    let digest = json!("b".repeat(64));
    for (field, value, words) in [
        (
            "/annotations/vnd.linepress.plugin.digest",
            digest,
            "not signed with the key of its publisher",
        ),
        ("/layers/0/size", json!(1_u64 << 40), "at most"),
        (
            "/layers/0/size",
            json!(60 << 20),
            "is not the one that the manifest lists",
        ),
        (
            "/annotations/vnd.linepress.plugin.world",
            json!("linepress:image/image-provider@0.9"),
            "another version; this host supports",
        ),
        (
            "/annotations/vnd.linepress.plugin.id",
            json!("../../plain"),
            "lowercase words of ASCII letters",
        ),
    ] {
        harbor
            .containers
            .contents()
            .manifests
            .insert("0.1.0".into(), good.clone());
        harbor.forge(|manifest| *manifest.pointer_mut(field).unwrap() = value);
        harbor.refuses(":0.1.0", words);
    }
}

#[test]
fn a_bad_manifest_does_not_hide_the_older_versions() {
    let harbor = Harbor::new();
    {
        let mut contents = harbor.containers.contents();
        let good = contents.manifests["0.1.0"].clone();
        contents.manifests.insert("0.2.0".into(), b"{}".to_vec());
        contents.manifests.insert("0.3.0".into(), good);
    }
    // A request that fails may succeed later.
    harbor.answers("manifests/0.2.0", Fixed::Endless);
    harbor.refuses("", "larger than 65536 bytes");
    harbor.containers.contents().fixed.clear();
    let told = harbor.installs("");
    for part in [
        "0.2.0 is left out: the manifest of oci://",
        "0.3.0 is left out: oci://",
        "leads to version 0.1.0: do not install it",
        "testbed.plain 0.1.0 is active",
    ] {
        assert!(told.contains(part), "{part} is missing: {told}");
    }
}

#[test]
fn a_forged_version_gives_the_next_one_no_name() {
    let harbor = Harbor::new();
    harbor.forge(|manifest| manifest["annotations"]["vnd.linepress.plugin.digest"] = json!("b".repeat(64)));
    harbor.market.writes("0.2.0", "");
    let place = harbor.place("");
    let refused = harbor
        .market
        .is_refused(&["push", "source", &place, "--key", "key.pem"]);
    assert!(
        refused.contains("not signed with the key of its publisher"),
        "{refused}"
    );
}

#[test]
fn an_archive_that_is_not_what_the_manifest_lists_installs_nothing() {
    let harbor = Harbor::new();
    let archive = harbor.archive();
    let mut changed = harbor.containers.contents().blobs[&archive].clone();
    changed[100] ^= 1;
    let part = format!("blobs/{archive}");
    harbor.answers(&part, Fixed::Bytes(changed));
    harbor.refuses("", "is not the one that the manifest lists");
    harbor.answers(&part, Fixed::Endless);
    harbor.refuses("", "is larger than");

    // The signature covers the files, not the archive: what it unpacks to is checked.
    let hostile = archive_with_a_link();
    let named = digest(&hostile);
    harbor.forge(|manifest| {
        manifest["layers"][0]["digest"] = json!(named);
        manifest["layers"][0]["size"] = json!(hostile.len());
    });
    harbor.containers.contents().blobs.insert(named, hostile);
    harbor.refuses(":0.1.0", "may have only regular files");
}

/// A compressed tar file with one symbolic link.
fn archive_with_a_link() -> Vec<u8> {
    let mut header = [0; 512];
    let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
    put(0, b"testbed.plain/plugin.toml");
    put(100, b"0000644\0");
    put(124, b"00000000000\0");
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"2");
    put(157, b"/etc/passwd");
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut file = GzEncoder::new(Vec::new(), Compression::fast());
    file.write_all(&header).unwrap();
    file.write_all(&[0; 1024]).unwrap();
    file.finish().unwrap()
}

#[test]
fn a_registry_leads_only_where_the_operator_permits_it() {
    let harbor = Harbor::new();
    let (other, tripwire) = (Containers::start(), Tripwire::set());
    let archive = harbor.archive();
    let bytes = harbor.containers.contents().blobs[&archive].clone();
    other.contents().fixed.insert("/objects/a".into(), Fixed::Bytes(bytes));
    let objects = format!("http://{}/objects/a?signature=a", other.server.address);
    for (target, words) in [
        (objects.clone(), "must start with https://"),
        (
            format!("https://127.0.0.1:{}/a", tripwire.port()),
            "not on the public internet",
        ),
        ("https://169.254.169.254/a".into(), "not on the public internet"),
        ("file:///etc/passwd".into(), "must start with https://"),
    ] {
        harbor.containers.contents().blobs_at = Some(target);
        harbor.refuses("", words);
    }
    let circle = format!(
        "http://{}{}",
        harbor.containers.server.address,
        Containers::path("blobs/a")
    );
    harbor.containers.contents().blobs_at = Some(circle);
    harbor.refuses("", "redirects more than 3 times");
    assert!(other.contents().requests.is_empty());
    assert_eq!(tripwire.touched(), 0);

    // The storage of the objects does not get the token of the registry.
    harbor.containers.contents().login = Some("ada:s3cret");
    harbor.containers.contents().blobs_at = Some(objects);
    std::fs::write(harbor.market.path("password"), "s3cret").unwrap();
    let login = "username = \"ada\"\npassword = { file = \"password\" }\n";
    harbor.permits(&(harbor.containers.settings(login) + &other.settings("")));
    harbor.installs("");
    let requests = other.contents().requests.clone();
    assert_eq!(requests, [("GET /objects/a?signature=a".to_owned(), None)]);
}

#[test]
fn a_password_is_sent_only_to_a_realm_on_https() {
    let harbor = Harbor::new();
    let (other, tripwire) = (Containers::start(), Tripwire::set());
    std::fs::write(harbor.market.path("password"), "s3cret").unwrap();
    let login = "username = \"ada\"\npassword = { file = \"password\" }\n";
    harbor.permits(&harbor.containers.settings(login));
    harbor.containers.contents().login = Some("ada:s3cret");
    for (realm, words) in [
        (
            format!("http://{}/token", other.server.address),
            "must start with https://",
        ),
        ("http://auth.example.com/token".into(), "must start with https://"),
        (
            format!("https://127.0.0.1:{}/token", tripwire.port()),
            "not on the public internet",
        ),
        ("nowhere".into(), "names no URL for tokens"),
    ] {
        harbor.containers.contents().realm = realm;
        harbor.refuses("", words);
    }
    assert!(other.contents().requests.is_empty());
    assert_eq!(tripwire.touched(), 0);
}

#[test]
fn a_repository_that_now_has_another_plugin_changes_nothing() {
    let harbor = Harbor::new();
    harbor.installs("");
    harbor.pushes("0.2.0", "", "");
    {
        let mut contents = harbor.containers.contents();
        let manifest = String::from_utf8(contents.manifests["0.2.0"].clone()).unwrap();
        let manifest = manifest.replace("\"testbed.plain\"", "\"testbed.other\"");
        contents.manifests.insert("0.2.0".into(), manifest.into_bytes());
    }
    let refused = harbor.market.is_refused(&UPDATE);
    assert!(refused.contains("is now the plugin testbed.other"), "{refused}");
    assert!(harbor.market.manifest().contains("version = \"0.1.0\""));
}
