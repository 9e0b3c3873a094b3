//! Damaged backups, and restores that were interrupted.
use linepress_core::objects::{self, Thoroughness};
use linepress_operator::backup::{self, BackupError, Target};
use linepress_platform::config::Config;
use linepress_platform::database::{Database, OpenError};

use super::Shelter;
use crate::test_app::TestApp;

#[tokio::test]
async fn a_damaged_content_is_found_and_copied_again() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    app.ready_page(&ada, "A fox").await;
    let shelter = Shelter::new();
    shelter.back_up(&app.server).await;
    let content = shelter.contents().remove(0);
    let mut bytes = std::fs::read(&content).unwrap();
    bytes[10] ^= 1;
    std::fs::write(&content, bytes).unwrap();
    let found = backup::verify(&shelter.target, &shelter.newest().await).await.unwrap();
    let name = content.file_name().unwrap().to_str().unwrap();
    assert!(
        matches!(&found.contents[..], [one] if one.contains(name) && one.contains("is damaged")),
        "{found:?}"
    );
    let site = shelter.site("half").await;
    let error = shelter.try_to_restore(&site).await.unwrap_err();
    assert!(matches!(error, BackupError::Object(_)), "{error}");

    std::fs::remove_file(&content).unwrap();
    let made = shelter.back_up(&app.server).await;
    assert_eq!(made.copied.objects, 1);
    for snapshot in shelter.target.list().await.unwrap().0 {
        assert!(backup::verify(&shelter.target, &snapshot).await.unwrap().is_good());
    }
}

#[tokio::test]
async fn a_damaged_description_does_not_hide_the_other_snapshots() {
    let app = TestApp::start().await;
    app.account(2).await;
    let shelter = Shelter::new();
    let damaged = shelter.back_up(&app.server).await.snapshot.name;
    let sound = shelter.back_up(&app.server).await.snapshot.name;
    let file = format!("backups/snapshots/{damaged}/snapshot.json");
    std::fs::write(shelter.path().join(file), "{").unwrap();
    let (snapshots, problems) = shelter.target.list().await.unwrap();
    let names: Vec<&str> = snapshots.iter().map(|snapshot| snapshot.name.as_str()).collect();
    assert_eq!(names, [sound]);
    assert!(
        matches!(&problems[..], [BackupError::Damaged(file)] if file.contains(&damaged)),
        "{problems:?}"
    );
}

#[tokio::test]
async fn a_changed_row_is_found() {
    let app = TestApp::start().await;
    app.account(2).await;
    let shelter = Shelter::new();
    let name = shelter.back_up(&app.server).await.snapshot.name;
    let file = shelter
        .path()
        .join(format!("backups/snapshots/{name}/database.jsonl.gz"));
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let found = backup::verify(&shelter.target, &shelter.newest().await).await.unwrap();
    assert!(
        found.files.iter().any(|file| file.contains("database.jsonl.gz")),
        "{found:?}"
    );
    let site = shelter.site("half").await;
    let error = shelter.try_to_restore(&site).await.unwrap_err();
    assert!(matches!(error, BackupError::Damaged(_)), "{error}");
}

#[tokio::test]
async fn an_interrupted_restore_is_refused_by_every_command_and_can_be_repeated() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    app.ready_page(&ada, "A fox").await;
    let shelter = Shelter::new();
    let made = shelter.back_up(&app.server).await;
    let content = shelter.contents().pop().unwrap();
    let away = shelter.path().join("away");
    std::fs::rename(&content, &away).unwrap();
    let site = shelter.site("half").await;
    shelter.try_to_restore(&site).await.unwrap_err();
    for opened in [
        Database::connect(&site.url, 1).await,
        Database::connect_existing(&site.url, 1).await,
    ] {
        let error = opened.unwrap_err();
        assert!(matches!(error, OpenError::HalfRestored { .. }), "{error}");
        assert!(error.to_string().contains(&made.snapshot.name), "{error}");
        assert!(error.advice().contains("linepress restore"));
    }
    // Another snapshot would mix the two.
    std::fs::rename(&away, &content).unwrap();
    shelter.back_up(&app.server).await;
    let error = shelter.try_to_restore(&site).await.unwrap_err();
    assert!(matches!(error, BackupError::AnotherBegun { .. }), "{error}");
    shelter_without_newest(&shelter).await;
    let restored = shelter.restore(&site).await;
    assert_eq!(restored.rows, made.snapshot.rows());
    let node = site.node(&app).await;
    let found = objects::compare(&node, Thoroughness::Full).await.unwrap();
    assert_eq!((found.missing, found.damaged, found.orphans), Default::default());

    // A second restore would mix the server's data with that of the snapshot.
    let error = shelter.try_to_restore(&site).await.unwrap_err();
    assert!(matches!(error, BackupError::DatabaseInUse(_)), "{error}");
}

async fn shelter_without_newest(shelter: &Shelter) {
    let newest = shelter.newest().await.name;
    std::fs::remove_dir_all(shelter.path().join("backups/snapshots").join(newest)).unwrap();
}

#[tokio::test]
async fn a_restore_replaces_no_objects() {
    let app = TestApp::start().await;
    let shelter = Shelter::new();
    shelter.back_up(&app.server).await;
    let site = shelter.sqlite_site("used");
    let objects = site.folder.join("objects");
    std::fs::create_dir_all(objects.join("artworks")).unwrap();
    std::fs::write(objects.join("artworks/fox.png"), "fox").unwrap();
    let error = shelter.try_to_restore(&site).await.unwrap_err();
    assert!(matches!(error, BackupError::ObjectsInUse(_)), "{error}");
    std::fs::remove_dir_all(&objects).unwrap();
    // The store of a server that has no objects yet.
    std::fs::create_dir(&objects).unwrap();
    std::fs::write(objects.join("linepress-store"), "another").unwrap();
    let error = shelter.try_to_restore(&site).await.unwrap_err();
    assert!(matches!(error, BackupError::ObjectsInUse(_)), "{error}");
    // The database was not touched.
    std::fs::remove_dir_all(objects).unwrap();
    shelter.restore(&site).await;
}

#[tokio::test]
async fn a_snapshot_without_its_description_does_not_exist() {
    let app = TestApp::start().await;
    let shelter = Shelter::new();
    let first = shelter.back_up(&app.server).await.snapshot.name;
    let leftover = shelter.path().join("backups/snapshots/2026-01-01T00-00-00.000Z-0000");
    std::fs::create_dir(&leftover).unwrap();
    std::fs::write(leftover.join("database.jsonl.gz"), "half").unwrap();
    let contents = shelter.path().join("backups/objects/00");
    let (unused, other) = (contents.join("00".repeat(32)), contents.join("notes.txt"));
    std::fs::create_dir_all(&contents).unwrap();
    std::fs::write(&unused, "half").unwrap();
    std::fs::write(&other, "not a content").unwrap();
    assert_eq!(shelter.newest().await.name, first);
    shelter.back_up(&app.server).await;
    assert!(!leftover.join("database.jsonl.gz").exists());
    assert!(!unused.exists() && other.exists());
    assert_eq!(shelter.target.list().await.unwrap().0.len(), 2);
}

#[tokio::test]
async fn backups_of_two_servers_are_kept_apart() {
    let app = TestApp::start().await;
    let shelter = Shelter::new();
    linepress_platform::secrets::mark_store(&app.server.database, &app.server.random, &app.server.storage)
        .await
        .unwrap();
    shelter.back_up(&app.server).await;
    let other = TestApp::start().await;
    let error = shelter.try_to_back_up(&other.server).await.unwrap_err();
    assert!(matches!(error, BackupError::AnotherServer(_)), "{error}");
    // The failed attempt holds up neither the next one nor deletions.
    Shelter::new().back_up(&other.server).await;
}

#[tokio::test]
async fn a_snapshot_of_a_newer_program_is_refused() {
    let app = TestApp::start().await;
    let shelter = Shelter::new();
    let name = shelter.back_up(&app.server).await.snapshot.name;
    let file = shelter.path().join(format!("backups/snapshots/{name}/snapshot.json"));
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"format\": 1", "\"format\": 2")).unwrap();
    assert!(matches!(shelter.target.find(None).await, Err(BackupError::Newer(_))));
    std::fs::write(&file, text.replace("20261123160000", "99991123160000")).unwrap();
    let site = shelter.site("newer").await;
    let error = shelter.try_to_restore(&site).await.unwrap_err();
    assert!(matches!(error, BackupError::Newer(_)), "{error}");
    assert!(matches!(
        Target::open("/no/such/folder", &Config::default()),
        Err(BackupError::NoBackup(_))
    ));
}
