//! Backups in a bucket of an S3 server, whatever database the run tests.
use std::time::Duration;

use crate::testing;
use linepress_operator::backup::{self, BackupError, Target};
use linepress_platform::config::{BackupSettings, Config, S3};
use linepress_platform::secrets;
use linepress_platform::storage::Storage;
use serde_json::Value;

use super::Shelter;
use super::terminal::Terminal;
use crate::test_app::{ObjectStore, Relay, TestApp, install_plugins};

/// The settings of a server for backups in this bucket.
fn server_of(bucket: &ObjectStore) -> S3 {
    S3 {
        endpoint: bucket.server().into(),
        allow_http: true,
        ..S3::default()
    }
}

/// The same settings as environment variables.
fn variables_of(bucket: &ObjectStore) -> Vec<(&'static str, String)> {
    vec![
        ("LINEPRESS_BACKUP__S3__ENDPOINT", bucket.server().into()),
        ("LINEPRESS_BACKUP__S3__ALLOW_HTTP", "true".into()),
    ]
}

/// The keys of the bucket below this folder.
fn below(bucket: &ObjectStore, folder: &str) -> Vec<String> {
    let keys = bucket.keys("".as_ref()).into_iter();
    keys.filter(|key| key.starts_with(folder)).collect()
}

#[tokio::test]
async fn an_operator_backs_up_to_a_bucket_checks_and_restores() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    app.ready_page(&ada, "A fox").await;
    let server = &app.server;
    let marked = secrets::mark_store(&server.database, &server.random, &server.storage);
    marked.await.unwrap();
    let bucket = ObjectStore::bucket();
    let place = &*bucket.url();
    let old = Terminal::of_app(&app).with_settings(variables_of(&bucket));
    assert!(old.reads(&["backup", "list", place]).contains("contains no backup"));
    assert!(
        old.is_refused(&["backup", "verify", place])
            .contains("contains no backup")
    );
    let made = old.reads(&["backup", place]);
    assert!(made.contains("2 objects") && made.contains(place), "{made}");
    let first = below(&bucket, "snapshots/");
    let again = old.reads(&["backup", place, "--keep", "1"]);
    assert!(again.contains("of which 0 (0.0 MB) were copied"), "{again}");
    assert!(again.contains("1 older snapshots were deleted"), "{again}");
    assert!(below(&bucket, "snapshots/").iter().all(|key| !first.contains(key)));
    assert_eq!(
        (below(&bucket, "snapshots/").len(), below(&bucket, "objects/").len()),
        (3, 2)
    );
    let list: Value = serde_json::from_str(&old.reads(&["backup", "list", place, "--json"])).unwrap();
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    let name = list[0]["snapshot"].as_str().unwrap();
    let verified = old.reads(&["backup", "verify", place, name]);
    assert!(verified.contains("2 objects are intact"), "{verified}");

    let shelter = Shelter::new();
    let site = shelter.site("new").await;
    install_plugins(&site.folder);
    let new = Terminal::of_site(&site).with_settings(variables_of(&bucket));
    new.reads(&["restore", place]);
    let report = new.reads(&["doctor", "--full"]);
    assert!(report.contains("All is well"), "{report}");
    assert!(new.reads(&["account", "list"]).contains("ada@example.com"));
}

#[tokio::test]
async fn a_changed_object_in_a_bucket_is_found() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    app.ready_page(&ada, "A fox").await;
    let bucket = ObjectStore::bucket();
    let mut config = app.server.config.clone();
    config.backup.s3 = Some(server_of(&bucket));
    let target = Target::create(&bucket.url(), &config).unwrap();
    let scratch = app.server.config.incoming_dir();
    let made = backup::create(backup::Origin::of(&app.server), &target, None, &scratch).await;
    let snapshot = made.unwrap().snapshot;
    assert!(backup::verify(&target, &snapshot).await.unwrap().is_good());
    let place = BackupSettings::place_of(&bucket.url()).unwrap();
    let storage = Storage::of_backups(&place, &config).unwrap();
    let content = &below(&bucket, "objects/")[0];
    storage.put(content, "another picture").await.unwrap();
    let list = format!("snapshots/{}/objects.jsonl.gz", snapshot.name);
    storage.put(&list, "no list").await.unwrap();
    let found = backup::verify(&target, &snapshot).await.unwrap();
    assert!(
        matches!(&found.files[..], [file] if file.contains("objects.jsonl.gz is damaged")),
        "{found:?}"
    );
    // The damaged list does not prevent the next backup, which copies the damaged content again.
    let made = backup::create(backup::Origin::of(&app.server), &target, None, &scratch).await;
    let made = made.unwrap();
    assert_eq!(made.copied.objects, 1);
    assert!(backup::verify(&target, &made.snapshot).await.unwrap().is_good());
}

#[tokio::test]
async fn one_node_makes_each_backup_in_a_bucket() {
    let bucket = ObjectStore::bucket();
    let place = bucket.url();
    let app = TestApp::builder()
        .config(|config| {
            config.backup.dir = bucket.url();
            config.backup.s3 = Some(server_of(&bucket));
            config.backup.every_hours = 6;
            config.backup.keep = 2;
        })
        .start()
        .await;
    let ada = app.account(2).await;
    app.ready_page(&ada, "A fox").await;
    let other = app.another_node().await;
    for _ in 0..3 {
        let (one, two) = tokio::join!(testing::back_up_if_due(&app.server), testing::back_up_if_due(&other));
        assert_eq!(one.unwrap().is_some() as u8 + two.unwrap().is_some() as u8, 1);
        app.server.clock.advance(Duration::from_secs(6 * 3600));
    }
    let target = Target::open(&place, &app.server.config).unwrap();
    assert_eq!(target.list().await.unwrap().0.len(), 2);
    assert_eq!(below(&bucket, "objects/").len(), 2);
}

#[tokio::test]
async fn a_failed_backup_to_a_bucket_leaves_no_snapshot_and_does_not_block_the_next() {
    let bucket = ObjectStore::bucket();
    let relay = Relay::to(bucket.server()).await;
    let behind = bucket.behind(&relay);
    let app = TestApp::builder()
        .config(|config| {
            config.backup.dir = bucket.url();
            config.backup.s3 = Some(S3 {
                stall_seconds: 1,
                ..server_of(&behind)
            });
        })
        .start()
        .await;
    app.account(2).await;
    relay.swallow_everything(true);
    let error = testing::back_up_if_due(&app.server).await.unwrap_err();
    assert!(matches!(error, BackupError::Server(_)), "{error}");
    assert!(error.to_string().contains("nothing was sent or received"), "{error}");
    relay.swallow_everything(false);
    assert!(below(&bucket, "").is_empty());
    // The next attempt waits for a quarter of an hour.
    assert!(testing::back_up_if_due(&app.server).await.unwrap().is_none());
    app.server.clock.advance(Duration::from_secs(15 * 60));
    assert!(testing::back_up_if_due(&app.server).await.unwrap().is_some());
}

#[test]
fn backups_and_objects_do_not_share_a_prefix() {
    let mut config = Config {
        storage_url: "s3://books/linepress".into(),
        ..Config::default()
    };
    let is_refused = |config: &Config, place: &str| {
        let created = Target::create(place, config);
        matches!(created, Err(BackupError::Overlap { .. }))
    };
    for place in ["s3://books/linepress", "s3://books/linepress/backups"] {
        assert!(is_refused(&config, place), "{place}");
    }
    for place in [
        "s3://books",
        "s3://books/backups",
        "s3://books/linepress-backups",
        "s3://other/linepress",
    ] {
        assert!(!is_refused(&config, place), "{place}");
    }
    config.storage_url = "s3://books/objects".into();
    assert!(is_refused(&config, "s3://books"));
    // The bucket with this name on another server is another one.
    config.backup.s3 = Some(S3 {
        endpoint: "https://s3.example.com".into(),
        ..S3::default()
    });
    assert!(!is_refused(&config, "s3://books"));
}
