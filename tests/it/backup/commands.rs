//! `linepress backup` and `linepress restore`.
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use linepress_platform::secrets;
use serde_json::Value;

use super::Shelter;
use super::terminal::Terminal;
use crate::test_app::{ObjectStore, TestApp, install_plugins};

/// Fails unless only the owner may read the files below the folder.
fn check_private(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        if entry.path().is_dir() {
            assert_eq!(mode, 0o700, "{entry:?}");
            check_private(&entry.path());
        } else {
            assert_eq!(mode, 0o600, "{entry:?}");
        }
    }
}

#[tokio::test]
async fn an_operator_backs_up_checks_and_restores() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    app.ready_page(&ada, "A fox").await;
    let server = &app.server;
    secrets::mark_store(&server.database, &server.random, &server.storage)
        .await
        .unwrap();
    let shelter = Shelter::new();
    let dir = shelter.path().join("copies");
    let dir = dir.to_str().unwrap();
    let old = Terminal::of_app(&app);
    let made = old.reads(&["backup", dir]);
    assert!(made.contains("2 objects") && made.contains("All is well"), "{made}");
    check_private(Path::new(dir));
    old.reads(&["backup", dir, "--keep", "1"]);
    let list: Value = serde_json::from_str(&old.reads(&["backup", "list", dir, "--json"])).unwrap();
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    assert_eq!(list[0]["objects"], 2);
    assert_eq!(list[0]["tables"]["accounts"], 1);
    let name = list[0]["snapshot"].as_str().unwrap();
    assert!(old.reads(&["backup", "list", dir]).contains(name));
    let verified = old.reads(&["backup", "verify", dir, name]);
    assert!(verified.contains("2 objects are intact"), "{verified}");
    let refused = old.is_refused(&["backup", "verify", dir, "yesterday"]);
    assert!(refused.contains("the snapshot yesterday does not exist"), "{refused}");
    let refused = old.is_refused(&["restore", dir]);
    assert!(refused.contains("is not empty"), "{refused}");

    let site = shelter.sqlite_site("new");
    install_plugins(&site.folder);
    let new = Terminal::of_site(&site);
    // A content of the backup is unreadable for a while.
    let folder = std::fs::read_dir(Path::new(dir).join("objects"))
        .unwrap()
        .next()
        .unwrap();
    let (folder, away) = (folder.unwrap().path(), shelter.path().join("away"));
    std::fs::rename(&folder, &away).unwrap();
    let refused = new.is_refused(&["backup", "verify", dir]);
    assert!(refused.contains("is missing"), "{refused}");
    let refused = new.is_refused(&["restore", dir]);
    assert!(refused.contains("--skip-damaged"), "{refused}");
    for command in [&["serve"][..], &["account", "list"], &["doctor"]] {
        let refused = new.is_refused(command);
        assert!(refused.contains("was interrupted"), "{command:?}: {refused}");
        assert!(refused.contains(name), "{command:?}: {refused}");
    }
    std::fs::rename(&away, &folder).unwrap();
    new.reads(&["restore", dir]);
    check_private(&site.folder.join("objects"));
    let report = new.reads(&["doctor", "--full"]);
    assert!(report.contains("All is well"), "{report}");
    assert!(new.reads(&["account", "list"]).contains("ada@example.com"));
}

#[tokio::test]
async fn a_backup_without_a_damaged_object_is_restored_on_request() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    app.ready_page(&ada, "A fox").await;
    let shelter = Shelter::new();
    let dir = shelter.target.place();
    shelter.back_up(&app.server).await;
    std::fs::remove_file(shelter.contents().pop().unwrap()).unwrap();
    let site = shelter.site("new").await;
    let new = Terminal::of_site(&site);
    let report = new.is_refused(&["restore", dir, "--skip-damaged"]);
    assert!(report.contains("1 objects are missing or damaged"), "{report}");
    assert!(new.reads(&["account", "list"]).contains("ada@example.com"));

    // A backup of that server lists what is missing, and contains everything else.
    let report = new.is_refused(&["backup", shelter.path().join("second").to_str().unwrap()]);
    assert!(
        report.contains("1 objects that the database refers to were missing"),
        "{report}"
    );
    let second = shelter.path().join("second");
    new.reads(&["backup", "verify", second.to_str().unwrap()]);
}

/// Backups in the folder `objects` of the data folder would delete objects, and be deleted as unreferenced objects.
#[tokio::test]
async fn backups_and_objects_do_not_share_a_folder() {
    let app = TestApp::builder().objects_in(ObjectStore::Folder).start().await;
    let ada = app.account(2).await;
    app.ready_page(&ada, "A fox").await;
    let old = Terminal::of_app(&app);
    let data = &app.server.config.data_dir;
    let linked = data.join("linked");
    std::os::unix::fs::symlink(data, &linked).unwrap();
    for place in [data.clone(), linked, data.join("objects"), data.join("objects/backups")] {
        let refused = old.is_refused(&["backup", place.to_str().unwrap()]);
        assert!(refused.contains("overlaps the object store"), "{place:?}: {refused}");
    }
    assert_eq!(app.objects().len(), 2);
    old.reads(&["backup", data.join("backups").to_str().unwrap()]);
    let refused = old.is_refused(&["backup", "ftp://host/backups"]);
    assert!(refused.contains("s3://bucket/prefix"), "{refused}");
}
