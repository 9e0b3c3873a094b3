//! Books and pages that are deleted and restored while they are drawn.
use std::time::Duration;

use futures::future::join_all;
use linepress_accounts::accounts;
use linepress_core::artwork::Status;
use linepress_core::operations::OperationStatus;
use linepress_platform::database::Dialect;
use serde_json::{Value, json};

use super::{delete, deleted, restore};
use crate::cancellation::delete_while_it_is_drawn;
use crate::test_app::TestApp;
use crate::testing;

#[tokio::test]
async fn a_page_that_is_restored_while_it_is_drawn_gets_its_picture() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}");
    let accepted = app.accepted(&ada, &format!("{path}/regenerate"), &json!({})).await;
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    delete(&ada, "page", &page).await;
    let restored = restore(&ada, &page).await["page"].clone();
    assert_eq!(
        (&restored["status"], &restored["active_operation_id"]),
        (&json!("generating"), &json!(accepted.operation_id()))
    );
    ada.generate(&format!("{path}/regenerate"), &app.new_key(), &json!({}))
        .await
        .expect_error(409, "generation_active");
    testing::attempt(&app.server, &claimed).await;
    let shown = ada.page(&page).await;
    assert_eq!((shown.status, shown.active_operation_id), (Status::Ready, None));
    assert_eq!(shown.image.unwrap().revision, 2);
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    app.check_books().await;
}

#[tokio::test]
async fn a_book_that_is_restored_while_its_cover_is_drawn_gets_its_cover() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.imported_page(&ada, "A fox").await;
    let body = json!({"book": {"title": "B", "pages": [{"page_id": page}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let book = accepted.book_id();
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    delete(&ada, "book", &book).await;
    let restored = restore(&ada, &book).await["book"].clone();
    assert_eq!(
        (&restored["cover"]["status"], &restored["active_operation_id"]),
        (&json!("generating"), &json!(accepted.operation_id()))
    );
    testing::attempt(&app.server, &claimed).await;
    let shown = ada.book(&book).await;
    assert_eq!((shown.cover.status, shown.active_operation_id), (Status::Ready, None));
    assert_eq!(ada.page_ids(&book).await, [page]);
    app.check_books().await;
}

#[tokio::test]
async fn a_page_whose_drawing_ends_in_the_bin_is_restored_with_its_picture() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A hare"]).await;
    let add = json!({"page": {"title": "A fox"}});
    let accepted = app.accepted(&ada, &format!("/books/{book}/pages"), &add).await;
    let page = accepted.page_id();
    delete_while_it_is_drawn(&app, &ada, &format!("/pages/{page}")).await;
    assert_eq!(ada.status(&accepted).await, OperationStatus::Succeeded);
    let in_bin = ada.get("/bin").await.expect(200)["deleted_items"][0].clone();
    assert!(in_bin["stored_bytes"].as_i64().unwrap() > 1000, "{in_bin}");
    app.check_attempts().await;

    let restored = restore(&ada, &page).await["page"].clone();
    assert_eq!(
        (
            &restored["status"],
            &restored["error"],
            &restored["active_operation_id"]
        ),
        (&json!("ready"), &Value::Null, &Value::Null)
    );
    assert_eq!(restored["image"]["revision"], 1);
    assert_eq!(ada.get(&format!("/pages/{page}/image")).await.status, 200);
    let attempts = ada.get(&format!("/pages/{page}/attempts")).await.expect(200);
    assert_eq!(attempts["attempts"].as_array().unwrap().len(), 1);
    assert_eq!(ada.page_ids(&book).await[1], page);
    assert_eq!(ada.credits().await, 3);
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_books().await;
}

#[tokio::test]
async fn a_regeneration_that_ends_in_the_bin_changes_picture_and_texts_of_the_page() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.imported_page(&ada, "A fox").await;
    let change = json!({"page": {"title": "An owl", "prompt": "An owl on a branch"}});
    app.accepted(&ada, &format!("/pages/{page}/regenerate"), &change).await;
    delete_while_it_is_drawn(&app, &ada, &format!("/pages/{page}")).await;
    let restored = restore(&ada, &page).await["page"].clone();
    assert_eq!(
        (&restored["title"], &restored["prompt"], &restored["image"]["revision"]),
        (&json!("An owl"), &json!("An owl on a branch"), &json!(2))
    );
    let found = ada.get("/pages?q=branch&sort=title").await.expect(200);
    assert_eq!(found["pages"][0]["id"], json!(page));
    app.check_books().await;
}

#[tokio::test]
async fn variants_that_are_drawn_in_the_bin_are_attempts_of_the_restored_page() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let accepted = app
        .accepted(&ada, "/pages", &json!({"page": {"title": "A fox", "variants": 3}}))
        .await;
    let page = accepted.page_id();
    assert!(testing::work_once(&app.server).await.unwrap());
    delete_while_it_is_drawn(&app, &ada, &format!("/pages/{page}")).await;
    let restored = restore(&ada, &page).await["page"].clone();
    assert_eq!(
        (
            &restored["status"],
            &restored["image"]["revision"],
            &restored["active_operation_id"]
        ),
        (&json!("ready"), &json!(1), &Value::Null)
    );
    let attempts = ada.get(&format!("/pages/{page}/attempts")).await.expect(200);
    assert_eq!(attempts["attempts"].as_array().unwrap().len(), 2);
    // The third one had not begun.
    assert_eq!(ada.credits().await, 3);
    app.check_books().await;
}

#[tokio::test]
async fn a_page_whose_drawing_fails_in_the_bin_is_restored_with_that_failure() {
    let app = TestApp::builder()
        .config(|config| config.drawing_attempts = 1)
        .start()
        .await;
    let ada = app.account(5).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let page = accepted.page_id();
    testing::claim(&app.server).await.unwrap().unwrap();
    app.expire_leases();
    delete(&ada, "page", &page).await;
    assert_eq!(ada.credits().await, 4);
    // The worker died, and there is no attempt left.
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(
        (ada.status(&accepted).await, ada.credits().await),
        (OperationStatus::Failed, 5)
    );
    let restored = restore(&ada, &page).await["page"].clone();
    assert_eq!(
        (
            &restored["status"],
            &restored["error"]["code"],
            &restored["active_operation_id"]
        ),
        (&json!("failed"), &json!("generation_failed"), &Value::Null)
    );
    app.check_books().await;
}

#[tokio::test]
async fn a_book_whose_cover_is_drawn_in_the_bin_is_restored_with_its_cover() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.imported_page(&ada, "A fox").await;
    let body = json!({"book": {"title": "B", "pages": [{"page_id": page}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    delete_while_it_is_drawn(&app, &ada, &format!("/books/{book}")).await;
    let restored = restore(&ada, &book).await["book"].clone();
    assert_eq!(
        (&restored["cover"]["status"], &restored["active_operation_id"]),
        (&json!("ready"), &Value::Null)
    );
    assert_eq!(ada.get(&format!("/books/{book}/cover_image")).await.status, 200);
    app.check_books().await;
}

/// A restored page has either its picture or its credit.
#[tokio::test]
async fn a_page_that_is_deleted_and_restored_at_any_moment_of_its_drawing_has_its_picture_or_its_credit() {
    let app = TestApp::start().await;
    let ada = app.account(60).await;
    for round in 0..12 {
        let before = ada.credits().await;
        let accepted = app.new_page(&ada, "A fox").await;
        let page = accepted.page_id();
        let claimed = testing::claim(&app.server).await.unwrap().unwrap();
        let ask = async |step: usize| match step {
            0 => testing::attempt(&app.server, &claimed).await,
            1 => {
                // Some deletions come while the provider draws, and some before or after.
                tokio::time::sleep(Duration::from_millis(3 * round)).await;
                delete(&ada, "page", &page).await;
            }
            _ => {
                tokio::time::sleep(Duration::from_millis(5 * round)).await;
                ada.post_nothing(&format!("/bin/{page}/restore")).await;
            }
        };
        join_all((0..3).map(ask)).await;
        app.draw_everything().await;
        if deleted(&ada).await.contains(&page) {
            restore(&ada, &page).await;
        }
        let (shown, credits) = (ada.page(&page).await, ada.credits().await);
        let operation = ada.operation(&accepted).await;
        assert_eq!(shown.active_operation_id, None);
        match operation.status {
            OperationStatus::Succeeded => {
                assert_eq!((shown.status, credits), (Status::Ready, before - 1), "round {round}");
                assert!(shown.image.is_some());
            }
            _ => {
                assert_eq!((shown.status, credits), (Status::Failed, before), "round {round}");
                let code = shown.error.map(|error| error.code);
                assert_eq!(code, operation.error.map(|error| error.code), "round {round}");
            }
        }
        assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
        app.check_attempts().await;
    }
    app.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_can_be_deleted_at_the_moment_its_book_is_when_the_bin_is_full() {
    let app = TestApp::builder()
        .config(|config| config.bin.max_items = 1)
        .start()
        .await;
    if app.server.database.dialect != Dialect::Postgres {
        // SQLite has a single writer, so that two transactions cannot deadlock.
        return;
    }
    let ada = app.account(5).await;
    let oldest = app.imported_page(&ada, "A fox").await;
    delete(&ada, "page", &oldest).await;
    app.server.clock.advance(Duration::from_secs(1));
    let body = json!({"book": {"title": "B", "pages": [{"title": "An owl"}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    let page = ada.page_ids(&book).await.remove(0);
    // The locks of a deletion of the book: an entry of the bin that it deletes for good, then the operation.
    let mut deleting_book = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE bin SET deleted_at = deleted_at")
        .execute(&mut *deleting_book)
        .await
        .unwrap();
    let (path, deleting) = (format!("/pages/{page}"), ada.clone());
    let deletion = tokio::spawn(async move { deleting.delete(&path).await });
    app.until_another_waits_for(&mut deleting_book).await;
    // The lock of an update, which a reference to the operation does not prevent.
    sqlx::query("SELECT id FROM operations FOR NO KEY UPDATE NOWAIT")
        .execute(&mut *deleting_book)
        .await
        .unwrap();
    deleting_book.commit().await.unwrap();
    deletion.await.unwrap().expect_no_content();
    assert_eq!((deleted(&ada).await, ada.credits().await), (vec![page], 5));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_can_be_deleted_at_the_moment_another_returns_to_its_book_when_the_bin_is_full() {
    let app = TestApp::builder()
        .config(|config| config.bin.max_items = 1)
        .start()
        .await;
    if app.server.database.dialect != Dialect::Postgres {
        // SQLite has a single writer, so that two transactions cannot deadlock.
        return;
    }
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox", "A hare"]).await;
    let oldest = ada.page_ids(&book).await.remove(0);
    delete(&ada, "page", &oldest).await;
    app.server.clock.advance(Duration::from_secs(1));
    let add = json!({"page": {"title": "An owl"}});
    let accepted = app.accepted(&ada, &format!("/books/{book}/pages"), &add).await;
    let page = accepted.page_id();
    // The locks of a restoration of the oldest page: its book, then its entry of the bin.
    let mut restoring = app.server.database.begin().await.unwrap();
    sqlx::query("UPDATE books SET updated_at = updated_at")
        .execute(&mut *restoring)
        .await
        .unwrap();
    let (path, deleting) = (format!("/pages/{page}"), ada.clone());
    let deletion = tokio::spawn(async move { deleting.delete(&path).await });
    app.until_another_waits_for(&mut restoring).await;
    sqlx::query("SELECT id FROM bin FOR UPDATE NOWAIT")
        .execute(&mut *restoring)
        .await
        .unwrap();
    restoring.commit().await.unwrap();
    deletion.await.unwrap().expect_no_content();
    assert_eq!((deleted(&ada).await, ada.credits().await), (vec![page], 3));
    assert_eq!(ada.book(&book).await.active_operation_id, None);
}

#[tokio::test]
async fn deletions_restorations_and_drawings_at_once_lose_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(60).await;
    for round in 0..8 {
        let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
        let page = ada.page_ids(&book).await.remove(0);
        let (path, bin) = (format!("/pages/{page}"), format!("/bin/{page}"));
        let ask = async |step: usize| {
            let reply = match step {
                0 | 4 => ada.delete(&path).await,
                1 | 5 | 7 => ada.post_nothing(&format!("{bin}/restore")).await,
                2 => {
                    ada.generate(&format!("{path}/regenerate"), &app.new_key(), &json!({}))
                        .await
                }
                3 if round % 4 == 3 => ada.delete("/bin").await,
                6 => ada.delete(&format!("/books/{book}")).await,
                8 => ada.post_nothing(&format!("/bin/{book}/restore")).await,
                _ => {
                    app.draw_what_is_due().await;
                    ada.get("/bin").await
                }
            };
            let status = reply.status.as_u16();
            assert!([200, 202, 204, 404, 409].contains(&status), "step {step}: {status}");
            status
        };
        // Each round begins with another step.
        let statuses = join_all((0..9).map(|step| ask((step + round) % 9))).await;
        app.draw_everything().await;
        app.check_attempts().await;
        assert_eq!(accounts::miscounted(&app.server).await.unwrap(), [], "{statuses:?}");
        // Each is either there or in the bin, unless the bin was emptied.
        let in_bin = deleted(&ada).await;
        for (kind, id) in [("page", &page), ("book", &book)] {
            let exists = ada.get(&format!("/{kind}s/{id}")).await.status == 200;
            assert!(!(exists && in_bin.contains(id)), "{kind} {statuses:?}");
            assert!(exists || in_bin.contains(id) || round % 4 == 3, "{kind} {statuses:?}");
        }
        for id in in_bin {
            restore(&ada, &id).await;
        }
        if round % 4 != 3 {
            assert_eq!(ada.page_ids(&book).await.len(), 2, "{statuses:?}");
            assert_eq!(ada.page(&page).await.active_operation_id, None);
        }
    }
    app.check_books().await;
}
