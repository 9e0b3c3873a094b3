//! Storage: limited for each account, and soon deleted when nothing refers to it.
use std::time::Duration;

use crate::testing;
use linepress_core::artwork::Status;
use linepress_core::objects::{self, Thoroughness};
use linepress_operator::startup::Scope;
use linepress_platform::clock::Timestamp;
use serde_json::json;

use crate::test_app::{Form, Log, TestApp, binary, pictures};

async fn stored(actor: &crate::test_app::Actor) -> i64 {
    let limits = actor.look("/me", "account").await["limits"].clone();
    assert_eq!(limits["stored_bytes"]["limit"], 1_000_000);
    limits["stored_bytes"]["used"].as_i64().unwrap()
}

/// A file of this size that begins like a picture.
fn large(bytes: usize) -> Vec<u8> {
    let mut file = pictures::png(16, 16);
    file.resize(bytes, 7);
    file
}

async fn small() -> TestApp {
    TestApp::builder()
        .config(|config| config.limits.stored_mb = 1)
        .start()
        .await
}

#[tokio::test]
async fn an_account_cannot_exceed_its_storage_limit() {
    let app = small().await;
    let ada = app.account(5).await;
    let page = app.imported_page(&ada, "A fox").await;
    let one = stored(&ada).await;
    assert!(one > 0);
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
    assert_eq!(stored(&ada).await, one);
    ada.delete("/bin").await.expect_no_content();
    assert_eq!(stored(&ada).await, 0);

    let upload = ada.new_upload().await;
    let url = upload.url.as_str();
    let anyone = app.anonymous();
    let put = |bytes: usize| anyone.send_to(url, large(bytes));
    put(600_000).await.expect_no_content_at_all();
    assert_eq!(stored(&ada).await, 600_000);
    // A second file replaces the first.
    put(900_000).await.expect_no_content_at_all();
    assert_eq!(stored(&ada).await, 900_000);
    put(1_000_001).await.expect_error(422, "account_limit_reached");
    assert_eq!(stored(&ada).await, 900_000);
    put(999_900).await.expect_no_content_at_all();
    let second = ada.new_upload().await;
    let refused = app.anonymous().send_to(&second.url, large(101)).await;
    refused.expect_error(422, "account_limit_reached");
    assert_eq!(app.objects().len(), 1 + 2, "{:?}", app.objects());

    let import = ada
        .import(Form::titled("A fox").picture("fox.png", &pictures::photograph(1200, 1600)))
        .await;
    import.expect_error(422, "account_limit_reached");
    app.server.clock.advance(Duration::from_secs(2 * 3600));
    testing::forget_uploads(&app.server).await.unwrap();
    assert_eq!(stored(&ada).await, 0);
    app.check_ledger().await;
}

#[tokio::test]
async fn a_replaced_object_is_deleted_within_minutes() {
    let app = TestApp::builder()
        .config(|config| config.attempts.max_per_picture = 1)
        .start()
        .await;
    let ada = app.account(5).await;
    let page = app.imported_page(&ada, "A fox").await;
    for _ in 0..3 {
        let form = Form::image(&pictures::png(576, 768));
        let replaced = ada.send_form("PUT", &format!("/pages/{page}/image"), form).await;
        assert_eq!(replaced.status, 200);
    }
    assert_eq!(app.objects().len(), 8);
    app.server.clock.advance(Duration::from_secs(601));
    testing::sweep_objects(&app.server).await.unwrap();
    assert_eq!(app.objects(), app.referred().await);
    assert_eq!(app.objects().len(), 2);
}

#[tokio::test]
async fn an_object_that_cannot_be_deleted_does_not_hold_up_the_others() {
    let app = TestApp::builder().objects_in_a_folder().start().await;
    let folder = app.object_folder().join("a/stuck");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("in the way"), "").unwrap();
    app.server.storage.put("a/fine", "fine").await.unwrap();
    testing::expire_objects_in(&app.server, &["a/stuck"], Duration::ZERO)
        .await
        .unwrap();
    testing::expire_objects_in(&app.server, &["a/fine"], Duration::from_secs(1))
        .await
        .unwrap();
    app.server.clock.advance(Duration::from_secs(2));
    assert_eq!(testing::sweep_objects(&app.server).await.unwrap(), 1);
    assert!(app.server.storage.get("a/fine").await.unwrap().is_none());
    // The deletion is tried again later.
    std::fs::remove_dir_all(&folder).unwrap();
    app.server.storage.put("a/stuck", "free").await.unwrap();
    app.server.clock.advance(Duration::from_secs(3601));
    assert_eq!(testing::sweep_objects(&app.server).await.unwrap(), 1);
    assert!(app.server.storage.get("a/stuck").await.unwrap().is_none());
}

#[tokio::test]
async fn incomplete_objects_are_deleted_and_whole_ones_stay() {
    let app = TestApp::builder().objects_in_a_folder().start().await;
    app.server.storage.put("a/whole", "whole").await.unwrap();
    let beginning = app.object_folder().join("a/half#1");
    std::fs::write(&beginning, "ha").unwrap();
    let storage = &app.server.storage;
    let long_ago = Timestamp::from_microseconds(1);
    assert_eq!(storage.delete_partial_files(long_ago).await.unwrap(), 0);
    assert_eq!(storage.delete_partial_files(Timestamp::MAX).await.unwrap(), 1);
    assert!(!beginning.exists());
    assert!(storage.get("a/whole").await.unwrap().is_some());
}

#[tokio::test]
async fn nothing_is_drawn_for_an_account_whose_storage_is_full() {
    let app = small().await;
    let ada = app.account(5).await;
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE accounts SET stored_bytes = 1000001")
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let body = json!({"page": {"title": "A fox"}});
    ada.generate("/pages", "k1", &body)
        .await
        .expect_error(422, "account_limit_reached");
    assert_eq!(ada.credits().await, 5);
}

/// Puts a file in the place of a folder of objects: even root cannot write below it.
fn block(app: &TestApp, kind: &str) {
    let folder = app.object_folder().join(kind);
    std::fs::write(folder, "in the way").unwrap();
}

#[tokio::test]
async fn a_failure_to_store_is_an_outage_with_its_cause_in_the_log() {
    let app = TestApp::builder().objects_in_a_folder().start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let upload = ada.new_upload().await;
    block(&app, "prints");
    block(&app, "uploads");
    let log = Log::default();
    let captured = log.capture();
    let pdf = ada.get(&format!("/books/{book}/pdf")).await;
    pdf.expect_error(503, "overloaded");
    assert_eq!(pdf.header("retry-after"), "5");
    // In one piece, and in several.
    for bytes in [1_000, 12_000_000] {
        let sent = app.anonymous().send_to(&upload.url, large(bytes)).await;
        sent.expect_error(503, "overloaded");
    }
    drop(captured);
    assert!(
        log.holds("Not a directory") && !log.holds("panicked"),
        "{:?}",
        log.lines()
    );
    for kind in ["prints", "uploads"] {
        std::fs::remove_file(app.object_folder().join(kind)).unwrap();
    }
    app.server.clock.advance(Duration::from_secs(2));
    assert_eq!(ada.get(&format!("/books/{book}/pdf")).await.status, 200);
}

#[tokio::test]
async fn the_folder_for_incoming_files_is_created_again() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let incoming = app.server.config.incoming_dir();
    std::fs::remove_dir_all(&incoming).unwrap();
    app.imported_page(&ada, "A hen").await;
    std::fs::remove_dir_all(&incoming).unwrap();
    assert_eq!(ada.get(&format!("/books/{book}/pdf")).await.status, 200);
    std::fs::remove_dir_all(&incoming).unwrap();
    assert!(app.server.importer.is_writable(app.server.clock.now()).await);
}

#[tokio::test]
async fn files_in_the_root_of_a_file_system_are_not_objects() {
    let app = TestApp::builder().objects_in_a_folder().start().await;
    let ada = app.account(5).await;
    app.imported_page(&ada, "A fox").await;
    let objects = app.object_folder();
    for folder in ["lost+found", ".snapshot"] {
        std::fs::create_dir(objects.join(folder)).unwrap();
        std::fs::write(objects.join(folder).join("#123"), "not ours").unwrap();
    }
    for thoroughness in [Thoroughness::Full, Thoroughness::Sample] {
        let comparison = objects::compare(&app.server, thoroughness).await.unwrap();
        assert!(comparison.orphans.is_empty(), "{comparison:?}");
        assert!(comparison.looked_at > 0);
    }
    let far_off = Timestamp::from_microseconds(i64::MAX / 2);
    app.server.storage.delete_partial_files(far_off).await.unwrap();
    assert!(objects.join("lost+found/#123").exists());
}

#[tokio::test]
async fn a_share_that_is_not_mounted_is_not_taken_for_the_store() {
    let app = TestApp::builder().objects_in_a_folder().start().await;
    let mut config = app.server.config.clone();
    config.plugins_dir = app.server.config.data_dir.join("no-plugins");
    std::fs::create_dir(&config.plugins_dir).unwrap();
    let node = testing::open_with(config, Scope::Everything, binary()).await.unwrap();
    node.storage.put("pages/1", "a picture").await.unwrap();
    let now = app.server.clock.now();
    assert!(node.storage.is_writable(now).await);

    let (share, elsewhere) = (app.object_folder(), node.config.data_dir.join("elsewhere"));
    std::fs::rename(&share, &elsewhere).unwrap();
    // The mount point, which is writable.
    std::fs::create_dir(&share).unwrap();
    assert!(!node.storage.is_writable(now.plus(Duration::from_secs(60))).await);
    for error in [
        node.storage.put("pages/2", "another").await.unwrap_err(),
        node.storage.put_from("pages/2", &b"another"[..]).await.unwrap_err(),
        node.storage.open("pages/1").await.map(|_| ()).unwrap_err(),
        node.storage.delete("pages/1").await.unwrap_err(),
        node.storage.list().await.unwrap_err(),
    ] {
        assert!(error.for_operator().contains("Mount the share"), "{error:?}");
    }
    assert_eq!(std::fs::read_dir(&share).unwrap().count(), 0);

    std::fs::remove_dir(&share).unwrap();
    std::fs::rename(&elsewhere, &share).unwrap();
    assert!(node.storage.is_writable(now.plus(Duration::from_secs(120))).await);
    let listed = node.storage.list().await.unwrap();
    assert_eq!(
        listed.sizes.into_iter().collect::<Vec<_>>(),
        [("pages/1".to_owned(), 9)]
    );
}

#[tokio::test]
async fn artwork_deleted_during_a_comparison_is_not_missing() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.imported_page(&ada, "A fox").await;
    let stays = app.imported_page(&ada, "An owl").await;
    let keys = app.objects();
    let of_page = app.objects_of_page(&page).await;
    for key in &of_page {
        app.server.storage.delete(key).await.unwrap();
    }
    let begun = testing::begin_comparison(&app.server, Thoroughness::Full)
        .await
        .unwrap();
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
    ada.delete("/bin").await.expect_no_content();
    app.server.clock.advance(Duration::from_secs(660));
    testing::sweep_objects(&app.server).await.unwrap();
    let found = begun.finish(&app.server).await.unwrap();
    let faults = (found.missing.len(), found.damaged.len(), found.orphans.len());
    assert_eq!(faults, (0, 0, 0));
    // A missing object of an artwork is reported.
    for key in keys.difference(&of_page) {
        app.server.storage.delete(key).await.unwrap();
    }
    let found = objects::compare(&app.server, Thoroughness::Full).await.unwrap();
    assert_eq!(found.missing.len(), 2);
    assert_eq!(ada.page(&stays).await.status, Status::Ready);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_delete_incomplete_objects_at_once() {
    let app = TestApp::builder().objects_in_a_folder().start().await;
    let folder = app.object_folder().join("drawings");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..3000 {
        std::fs::write(folder.join(format!("picture.png#{number}")), "").unwrap();
    }
    // The files have today's date, by the clock of the machine.
    let before = Timestamp::from_microseconds(i64::MAX / 4);
    let clear = || app.server.storage.delete_partial_files(before);
    let (here, there) = tokio::join!(clear(), clear());
    assert_eq!(here.unwrap() + there.unwrap(), 3000);
}
