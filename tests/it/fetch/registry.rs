//! A registry of plugins over https.
use linepress_platform::clock::Timestamp;
use linepress_registry::{Archive, SigningKey, Source, Store};
use serde_json::json;
use tempfile::TempDir;

use crate::test_app::{Page, Tripwire, Web};

#[tokio::test]
async fn a_registry_is_read_over_https_within_its_limits() {
    let web = Web::open().await;
    let folder = TempDir::new().unwrap();
    let key = SigningKey::create(&folder.path().join("key.pem")).unwrap().public();
    let source = Source::new("https://pictures.test/plugins".parse().unwrap(), web.fetcher());
    let store = Store::new(folder.path());
    let index = async || {
        source
            .index(&[key], &store, Timestamp::from_microseconds(0).into())
            .await
            .unwrap_err()
            .to_string()
    };

    assert!(
        index()
            .await
            .contains("https://pictures.test/plugins/index.json could not be fetched")
    );
    web.file("/plugins/index.json", b"{}");
    assert!(index().await.contains("is no signed file"));
    web.page(
        "/plugins/index.json",
        Page::drip("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n", ""),
    );
    assert!(index().await.contains("a file larger than 16777216 bytes"));

    let archive =
        |url: &str, bytes: u64| serde_json::from_value(json!({ "url": url, "bytes": bytes, "sha256": SHA256 }));
    web.file("/plugins/a.tar.gz", b"abc");
    let read = source.archive(&archive("a.tar.gz", 3).unwrap()).await;
    assert_eq!(read.unwrap(), b"abc");
    for (url, bytes) in [
        ("a.tar.gz", 2),
        ("a.tar.gz", 4),
        ("a.tar.gz", 1 << 40),
        ("b.tar.gz", 3),
        ("http://pictures.test/plugins/a.tar.gz", 3),
        ("https://127.0.0.1/a.tar.gz", 3),
    ] {
        assert!(
            source.archive(&archive(url, bytes).unwrap()).await.is_err(),
            "{url} {bytes}"
        );
    }
}

#[tokio::test]
async fn a_hostile_registry_is_left_at_its_limits() {
    let web = Web::open().await;
    let tripwire = Tripwire::set();
    let folder = TempDir::new().unwrap();
    let key = SigningKey::create(&folder.path().join("key.pem")).unwrap().public();
    let source = Source::new("https://pictures.test/plugins/".parse().unwrap(), web.fetcher());
    let store = Store::new(folder.path());
    let index = async || {
        source
            .index(&[key], &store, Timestamp::from_microseconds(0).into())
            .await
            .unwrap_err()
            .to_string()
    };
    let archive: Archive = serde_json::from_value(json!({ "url": "a.tar.gz", "bytes": 3, "sha256": SHA256 })).unwrap();

    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let endless = format!("400\r\n{}\r\n", "a".repeat(1 << 10));
    web.page("/plugins/index.json", Page::endless(chunked, &endless));
    assert!(index().await.contains("a file larger than 16777216 bytes"));
    // The archive is longer than the index announces.
    web.page("/plugins/a.tar.gz", Page::endless(chunked, "3\r\nabc\r\n"));
    let refusal = source.archive(&archive).await.unwrap_err().to_string();
    assert!(refusal.contains("a file larger than 3 bytes"), "{refusal}");

    web.name("inside.test", tripwire.addresses());
    for target in [
        "http://pictures.test/plugins/abc".to_owned(),
        "https://127.0.0.1/abc".to_owned(),
        "https://inside.test/abc".to_owned(),
    ] {
        for path in ["/plugins/index.json", "/plugins/a.tar.gz"] {
            web.redirect(path, &target);
        }
        let refusal = index().await;
        assert!(refusal.contains("could not be fetched"), "{target}: {refusal}");
        let refusal = source.archive(&archive).await.unwrap_err().to_string();
        assert!(refusal.contains("could not be fetched"), "{target}: {refusal}");
    }
    assert!(
        !index().await.contains("private_hosts"),
        "a redirect leads to another host"
    );
    // The registry itself, by its name or its address.
    for (place, host) in [
        ("https://inside.test/plugins/", "inside.test"),
        ("https://127.0.0.1/plugins/", "127.0.0.1"),
        ("https://[::1]/plugins/", "[::1]"),
    ] {
        let inside = Source::new(place.parse().unwrap(), web.fetcher());
        let refusal = inside.archive(&archive).await.unwrap_err().to_string();
        let advice = format!("add {host:?} to `private_hosts` below [plugin_index]");
        assert!(refusal.contains(&advice), "{place}: {refusal}");
    }
    assert_eq!(tripwire.touched(), 0);
    // A redirect to another public place is followed: archives may be on another server.
    web.file("/elsewhere", b"abc");
    web.redirect("/plugins/a.tar.gz", "https://pictures.test/elsewhere");
    assert_eq!(source.archive(&archive).await.unwrap(), b"abc");
}

/// The SHA-256 of "abc".
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
