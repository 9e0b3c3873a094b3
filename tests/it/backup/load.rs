//! Backups while drawings are made, and the servers that are restored from them.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::testing;
use linepress_accounts::{accounts, credits};
use linepress_core::objects::{self, Thoroughness};
use linepress_platform::app::App;
use serde_json::{Value, json};

use super::{Shelter, at};
use crate::test_app::{Actor, TestApp, book_of, id, pictures};

/// Orders a book with this key and its number of pages; returns the response's body.
async fn order(actor: &Actor, key: &str, pages: usize) -> Value {
    actor.generate("/books", key, &book_of(pages)).await.expect(202)
}

/// Fails unless balances, counters and objects are consistent.
async fn check(node: &App) {
    assert_eq!(credits::mismatches(node).await.unwrap(), []);
    assert_eq!(accounts::miscounted(node).await.unwrap(), []);
    let found = objects::compare(node, Thoroughness::Full).await.unwrap();
    assert!(found.is_complete);
    assert_eq!((found.missing, found.damaged, found.orphans), Default::default());
}

async fn draw_everything(node: &App) {
    let mut idle = 0;
    while idle < 8 {
        if testing::work_once(node).await.unwrap() {
            idle = 0;
        } else {
            node.clock.advance(Duration::from_secs(10));
            idle += 1;
        }
    }
}

/// Uploads a photograph and orders a page that is drawn from it.
async fn order_page_from_photograph(actor: &Actor) -> Value {
    let upload = actor.new_upload().await;
    let sent = actor.send_to(&upload.url, pictures::photograph(1200, 900));
    sent.await.expect_no_content_at_all();
    let page = json!({"page": {"title": "Our dog", "source_upload_id": upload.id}});
    actor.generate("/pages", "photograph", &page).await.expect(202)
}

#[tokio::test]
async fn a_backup_under_load_is_restored_into_either_database() {
    let app = TestApp::start().await;
    let ada = app.account(100).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let pdf = format!("/books/{book}/pdf?format=a4");
    ada.get(&pdf).await.header("content-type");
    let mut replies = Vec::new();
    for number in 0..8 {
        let key = format!("order-{number}");
        replies.push((key.clone(), order(&ada, &key, 3).await));
    }
    let photograph = order_page_from_photograph(&ada).await;
    let shelter = Shelter::new();

    // Pages are drawn, replaced and deleted meanwhile.
    let done = Arc::new(AtomicBool::new(false));
    let load = async {
        while !done.load(Ordering::Relaxed) {
            testing::work_once(&app.server).await.unwrap();
            let page = app.imported_page(&ada, "A hare").await;
            let form = crate::test_app::Form::image(&pictures::png(576, 768));
            ada.send_form("PUT", &format!("/pages/{page}/image"), form).await;
            ada.delete(&format!("/pages/{page}")).await.expect_no_content();
            ada.delete(&format!("/bin/{page}")).await.expect_no_content();
            testing::sweep_objects(&app.server).await.unwrap();
        }
    };
    let back_up = async {
        let made = shelter.back_up(&app.server).await;
        done.store(true, Ordering::Relaxed);
        made
    };
    let ((), made) = tokio::join!(load, back_up);
    assert_eq!(made.snapshot.objects.missing, [""; 0]);
    assert_eq!(made.copied.objects, made.snapshot.objects.count);
    let found = linepress_operator::backup::verify(&shelter.target, &made.snapshot)
        .await
        .unwrap();
    assert!(found.is_good(), "{found:?}");

    let site = shelter.sqlite_site("other");
    let restored = shelter.restore(&site).await;
    assert_eq!(restored.rows, made.snapshot.rows());
    assert_eq!(restored.objects, made.snapshot.objects.count);
    let node = site.node(&app).await;
    check(&node).await;
    use_restored(&ada, &node, &replies, &photograph, &pdf).await;

    // From there, everything is restored into a database of the first kind.
    let back = shelter.site("back").await;
    shelter.back_up(&node).await;
    shelter.restore(&back).await;
    let node = back.node(&app).await;
    check(&node).await;
    use_restored(&ada, &node, &replies, &photograph, &pdf).await;
}

/// Uses every kind of data: replies are replayed, drawings end, and files can be read.
async fn use_restored(ada: &Actor, node: &App, replies: &[(String, Value)], photograph: &Value, pdf: &str) {
    let ada = at(ada, node);
    for (key, first) in replies {
        assert_eq!(order(&ada, key, 3).await, *first, "{key}");
    }
    draw_everything(node).await;
    for (_, reply) in replies {
        let operation = ada
            .look(&format!("/operations/{}", id(reply, "operation")), "operation")
            .await;
        assert_eq!(operation["status"], "succeeded", "{operation}");
    }
    let page = id(photograph, "page");
    let drawn = ada.look(&format!("/pages/{page}"), "page").await;
    assert_eq!(drawn["status"], "ready", "{drawn}");
    assert_eq!(ada.get(&format!("/pages/{page}/image")).await.status, 200);
    assert!(ada.get(pdf).await.body.starts_with(b"%PDF"));
    check(node).await;
}

#[tokio::test]
async fn a_second_backup_copies_only_new_objects() {
    let app = TestApp::start().await;
    let ada = app.account(10).await;
    let shelter = Shelter::new();
    app.ready_book(&ada, &["A fox", "An owl"]).await;
    let first = shelter.back_up(&app.server).await;
    assert!(first.copied.objects > 0);
    let second = shelter.back_up(&app.server).await;
    assert_eq!(second.copied, Default::default());
    assert_eq!(second.snapshot.objects.count, first.snapshot.objects.count);
    // The picture is another one than those before.
    let form = crate::test_app::Form::titled("A hare").picture("hare.png", &pictures::photograph(640, 480));
    ada.import(form).await.expect(201);
    let third = shelter.back_up(&app.server).await;
    assert_eq!(third.copied.objects, 2);
    assert_eq!(third.snapshot.objects.count, first.snapshot.objects.count + 2);
    assert_eq!(shelter.target.list().await.unwrap().0.len(), 3);
}

#[tokio::test]
async fn no_object_is_deleted_while_a_backup_is_made() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = app.imported_page(&ada, "A fox").await;
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
    ada.delete("/bin").await.expect_no_content();
    app.server.clock.advance(Duration::from_secs(601));
    let now = app.server.clock.now();
    let mut tx = app.server.database.begin().await.unwrap();
    sqlx::query("INSERT INTO backups (id, target, began_at, held_until, running) VALUES ('b', '/b', $1, $2, 1)")
        .bind(now)
        .bind(now.plus(Duration::from_secs(60)))
        .execute(&mut *tx)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(testing::sweep_objects(&app.server).await.unwrap(), 0);
    assert_eq!(app.objects().len(), 2);
    let shelter = Shelter::new();
    let error = shelter.try_to_back_up(&app.server).await.unwrap_err();
    assert!(error.to_string().contains("another backup"), "{error}");

    // The process that made it has disappeared.
    app.server.clock.advance(Duration::from_secs(61));
    assert_eq!(testing::sweep_objects(&app.server).await.unwrap(), 2);
    shelter.back_up(&app.server).await;
}

/// The columns of the schema that contain the key of an object, and those whose name only looks like it. A new column
/// belongs here and, if its objects are to be restored, in `named` of the module `backup`.
#[tokio::test]
async fn every_column_with_object_keys_is_known_to_backups() {
    let app = TestApp::start().await;
    let database = &app.server.database;
    let mut tx = database.begin_snapshot().await.unwrap();
    let tables = tx.tables(database.dialect).await.unwrap();
    let columns = tables.iter().flat_map(|table| {
        let names = table.columns.iter().map(|column| column.name.as_str());
        names
            .filter(|name| name.ends_with("key"))
            .map(|name| format!("{}.{name}", table.name))
    });
    let mut columns: Vec<String> = columns.collect();
    columns.sort_unstable();
    assert_eq!(
        columns,
        [
            // The objects of backups: pictures, print masters and uploads.
            "artworks.image_key",
            "artworks.master_key",
            // Marks for deletion.
            "discarded_objects.object_key",
            // Idempotency keys.
            "drafts.order_key",
            // PDFs, which are made again.
            "editions.object_key",
            "idempotency_keys.key",
            "uploads.object_key",
        ]
    );
}
